/* SPDX-License-Identifier: GPL-2.0-only */
/* The runs of a result: what to call them, what to hold them against, and what their states are called. */
#ifndef REPORT_RUNS_H
#define REPORT_RUNS_H

#include "report/table.h"

#define LABEL_MAX 32
#define ALL_CPUS UINT32_MAX

/** run_label - column heading of run @index: "Record", "Baseline", "Patched", a short policy name … */
const char *run_label(const struct cpir_result *result, size_t index, char buf[LABEL_MAX]);

/** run_reference - the run that @index is compared with: the baseline, else the record; NULL for these themselves */
const struct cpir_run *run_reference(const struct cpir_result *result, size_t index);

/** run_cpu - totals of @cpu in @run, NULL when it has none; ALL_CPUS gives the whole */
const struct cpir_totals *run_cpu(const struct cpir_run *run, uint32_t cpu);

/** result_table - state table of @cpu, NULL unknown; ALL_CPUS: the first table */
const struct cpir_table *result_table(const struct cpir_result *result, uint32_t cpu);

/**
 * result_state_name - name of a state on @cpu; for ALL_CPUS the name all CPUs agree on, else "state N"
 * Returns: @buf, or a name that belongs to the result
 */
const char *result_state_name(const struct cpir_result *result, uint32_t cpu, uint32_t state,
			      char buf[CPIR_NAME_MAX]);

/** result_span_ns - length of the time studied */
uint64_t result_span_ns(const struct cpir_result *result);

/** cpu_list_has - whether "0-3,8" holds @cpu; NULL or "" holds all */
bool cpu_list_has(const char *list, uint32_t cpu);

#endif
