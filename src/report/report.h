/* SPDX-License-Identifier: GPL-2.0-only */
/* What a study found, as a page for people or as one JSON document for programs. */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include "report/page.h"

/** struct report_options - @per_cpu: every table for each CPU too; @quiet: the tables and the names of the runs only */
struct report_options {
	bool per_cpu;
	bool quiet;
};

/** report_build - fill an empty page with the sections of @result; -ENOMEM when it is not complete */
int report_build(const struct cpir_result *result, const struct report_options *options,
		 struct page *page);

/** report_add_states - a state table, for the CPUs in the list @cpus, at the end of a page */
void report_add_states(struct page *page, const char *cpus, const struct cpir_table *states);

/** report_json - the JSON document of @result, a string the caller frees with free(); NULL: no memory */
char *report_json(const struct cpir_result *result);

#endif
