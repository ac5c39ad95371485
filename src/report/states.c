// SPDX-License-Identifier: GPL-2.0-only
/* Idle states: how often, how long, how well chosen; for the whole or CPU by CPU. */
#include "report/metrics.h"
#include "report/sections.h"

static const struct column value_columns[] = {
	{"Usage", CELL_COUNT, 0, "idle periods in this state"},
	{"Usage %", CELL_PERCENT, 0, "share of the idle periods"},
	{"Time %", CELL_PERCENT, 0, "share of the idle time"},
	{"Above", CELL_COUNT, 0, "of these, too deep"},
	{"Below", CELL_COUNT, 0, "of these, too shallow"},
	{"Mean residency", CELL_DURATION, 0, "time in the state per idle period"},
};

static uint32_t state_count(const struct cpir_result *result, uint32_t cpu)
{
	uint32_t count = 0;

	for (size_t i = 0; i < result->run_count; i++) {
		const struct cpir_totals *totals = run_cpu(&result->runs[i], cpu);

		if (totals && totals->state_count > count)
			count = totals->state_count;
	}
	return count < CPIR_STATES_MAX ? count : CPIR_STATES_MAX;
}

static void add_values(struct table *table, const struct cpir_totals *totals, uint32_t state)
{
	const struct cpir_state_totals *in = &totals->states[state];

	table_add_count(table, in->usage);
	table_add_percent(table, in->usage, totals->usage);
	table_add_percent(table, in->time_ns, totals->idle_ns);
	if (totals->miss_unknown) {
		table_add_none(table);
		table_add_none(table);
	} else {
		table_add_count(table, in->above);
		table_add_count(table, in->below);
	}
	if (in->usage)
		table_add_duration(table, in->time_ns / in->usage);
	else
		table_add_none(table);
}

static void add_columns(const struct cpir_result *result, struct table *table)
{
	table_add_column(table, &(struct column){.name = "State", .type = CELL_TEXT});
	if (result->run_count > 1)
		table_add_column(table, &(struct column){.name = "Run", .type = CELL_TEXT});
	table_add_columns(table, value_columns, array_size(value_columns));
}

/* The rows of one state, one a run; CPU by CPU each row stands alone, so that it can be sorted and filtered. */
static void add_state(const struct cpir_result *result, uint32_t cpu, uint32_t state,
		      struct table *table)
{
	char name[CPIR_NAME_MAX], label[LABEL_MAX];
	bool first = true;

	for (size_t i = 0; i < result->run_count; i++) {
		const struct cpir_totals *totals = run_cpu(&result->runs[i], cpu);

		if (!totals)
			continue;
		if (cpu != ALL_CPUS)
			table_add_text(table, "%u", cpu);
		if (first || cpu != ALL_CPUS)
			table_add_text(table, "%s", result_state_name(result, cpu, state, name));
		else
			table_add_empty(table);
		if (result->run_count > 1)
			table_add_text(table, "%s", run_label(result, i, label));
		add_values(table, totals, state);
		first = false;
	}
}

void section_states(const struct cpir_result *result, struct page *page)
{
	uint32_t count = state_count(result, ALL_CPUS);
	struct table *table = page_add_table(page, "Idle states:", TABLE_GRID);

	add_columns(result, table);
	for (uint32_t state = 0; state < count; state++)
		add_state(result, ALL_CPUS, state, table);
}

void section_per_cpu_states(const struct cpir_result *result, struct page *page)
{
	const struct cpir_run *record = &result->runs[0];
	struct table *table = page_add_table(page, "Idle states per CPU:", 0);

	table_add_column(table, &(struct column){.name = "CPU", .type = CELL_COUNT});
	add_columns(result, table);
	for (size_t i = 0; i < record->cpu_count; i++) {
		uint32_t cpu = record->cpus[i].cpu, count = state_count(result, cpu);

		for (uint32_t state = 0; state < count; state++)
			add_state(result, cpu, state, table);
	}
}
