// SPDX-License-Identifier: GPL-2.0-only
/* The order of the sections of a report. */
#include "report/report.h"

#include "report/sections.h"

#include <errno.h>

static void build_header(const struct cpir_result *result, struct page *page)
{
	section_header(result, page);
	section_platform(result, page);
}

static void build_tables(const struct cpir_result *result, const struct report_options *options,
			 struct page *page)
{
	if (result->mode == CPIR_REPLAY)
		section_agreement(result, page);
	section_usage(result, page);
	if (result->mode == CPIR_REPORT || options->per_cpu)
		section_per_cpu(result, page);
	section_states(result, page);
	if (options->per_cpu)
		section_per_cpu_states(result, page);
	section_latency(result, page);
	section_changes(result, page);
	section_wakes(result, page);
	section_tick(result, page);
	section_differences(result, page);
}

int report_build(const struct cpir_result *result, const struct report_options *options,
		 struct page *page)
{
	if (!result->run_count)
		return -EINVAL;
	if (result->mode == CPIR_EXPLAIN) {
		if (!options->quiet)
			build_header(result, page);
		section_explained(result, page);
		return page_ok(page) ? 0 : -ENOMEM;
	}
	if (options->quiet)
		section_runs(result, page);
	else
		build_header(result, page);
	build_tables(result, options, page);
	return page_ok(page) ? 0 : -ENOMEM;
}
