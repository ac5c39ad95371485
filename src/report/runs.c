// SPDX-License-Identifier: GPL-2.0-only
/* The runs of a result. */
#include "report/runs.h"

#define SHORT_NAME_MAX 16 /* longest policy name that serves as a column heading */

/* Whether the policies can head their own columns: several of them, all with short names. */
static bool use_policy_names(const struct cpir_result *result, size_t *ret_patched)
{
	bool all_short = true;
	size_t patched = 0;

	for (size_t i = 0; i < result->run_count; i++) {
		if (result->runs[i].role != CPIR_ROLE_PATCHED)
			continue;
		patched++;
		all_short = all_short && strlen(result->runs[i].name) <= SHORT_NAME_MAX;
	}
	*ret_patched = patched;
	return patched > 1 && all_short;
}

const char *run_label(const struct cpir_result *result, size_t index, char buf[LABEL_MAX])
{
	const struct cpir_run *run = &result->runs[index];
	size_t patched, number = 0;

	if (run->role == CPIR_ROLE_RECORD)
		return "Record";
	if (run->kind == CPIR_RUN_VERIFICATION)
		return "Replayed";
	if (run->role == CPIR_ROLE_BASELINE)
		return "Baseline";
	if (use_policy_names(result, &patched))
		return run->name;
	if (patched == 1)
		return "Patched";
	for (size_t i = 0; i <= index; i++)
		number += result->runs[i].role == CPIR_ROLE_PATCHED;
	(void)snprintf(buf, LABEL_MAX, "Patched %zu", number);
	return buf;
}

const struct cpir_run *run_reference(const struct cpir_result *result, size_t index)
{
	const struct cpir_run *run = &result->runs[index];
	enum cpir_role role = CPIR_ROLE_BASELINE;

	if (run->role == CPIR_ROLE_RECORD)
		return NULL;
	if (run->kind == CPIR_RUN_VERIFICATION)
		role = CPIR_ROLE_RECORD;
	else if (run->role == CPIR_ROLE_BASELINE)
		return NULL;
	for (size_t i = 0; i < result->run_count; i++)
		if (result->runs[i].role == role)
			return &result->runs[i];
	return NULL;
}

static int compare_cpu(const void *key, const void *element)
{
	uint32_t cpu = *(const uint32_t *)key;
	uint32_t other = ((const struct cpir_cpu_totals *)element)->cpu;

	return cpu < other ? -1 : cpu > other;
}

const struct cpir_totals *run_cpu(const struct cpir_run *run, uint32_t cpu)
{
	const struct cpir_cpu_totals *found;

	if (cpu == ALL_CPUS)
		return &run->total;
	if (!run->cpu_count)
		return NULL;
	found = bsearch(&cpu, run->cpus, run->cpu_count, sizeof(*run->cpus), compare_cpu);
	return found ? &found->totals : NULL;
}

bool cpu_list_has(const char *list, uint32_t cpu)
{
	if (!list || !*list)
		return true;
	while (*list) {
		char *end;
		unsigned long first = strtoul(list, &end, 10), last = first;

		if (end == list)
			return false;
		if (*end == '-')
			last = strtoul(end + 1, &end, 10);
		if (cpu >= first && cpu <= last)
			return true;
		list = *end == ',' ? end + 1 : end;
	}
	return false;
}

const struct cpir_table *result_table(const struct cpir_result *result, uint32_t cpu)
{
	for (size_t i = 0; i < result->platform.table_count; i++) {
		const struct cpir_table_use *use = &result->platform.tables[i];

		if (cpu == ALL_CPUS || cpu_list_has(use->cpus, cpu))
			return use->table;
	}
	return NULL;
}

/* The name all tables that reach that deep agree on, NULL when there is none. */
static const char *common_name(const struct cpir_result *result, uint32_t state)
{
	const char *name = NULL;

	for (size_t i = 0; i < result->platform.table_count; i++) {
		const struct cpir_table *table = result->platform.tables[i].table;

		if (state >= table->count)
			continue;
		if (name && strcmp(name, table->states[state].name))
			return NULL;
		name = table->states[state].name;
	}
	return name;
}

const char *result_state_name(const struct cpir_result *result, uint32_t cpu, uint32_t state,
			      char buf[CPIR_NAME_MAX])
{
	const char *name = NULL;

	if (cpu == ALL_CPUS) {
		name = common_name(result, state);
	} else {
		const struct cpir_table *table = result_table(result, cpu);

		if (table && state < table->count)
			name = table->states[state].name;
	}
	if (name && *name)
		return name;
	(void)snprintf(buf, CPIR_NAME_MAX, "state %u", state);
	return buf;
}

uint64_t result_span_ns(const struct cpir_result *result)
{
	if (result->trace.end_ns < result->trace.begin_ns)
		return 0;
	return result->trace.end_ns - result->trace.begin_ns;
}
