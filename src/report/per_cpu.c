// SPDX-License-Identifier: GPL-2.0-only
/* The miss report CPU by CPU. */
#include "report/metrics.h"
#include "report/sections.h"

static const struct column value_columns[] = {
	{"Usage", CELL_COUNT, 0, "idle periods"},
	{"Above", CELL_COUNT, 0, "too deep"},
	{"Below", CELL_COUNT, 0, "too shallow"},
	{"Above %", CELL_PERCENT, 0, "of the usage"},
	{"Below %", CELL_PERCENT, 0, "of the usage"},
	{"Miss %", CELL_PERCENT, 0, "above and below together, of the usage"},
	{"Idle %", CELL_PERCENT, 0, "idle time, of the time studied"},
	{"Mean", CELL_DURATION, 0, "idle time per idle period"},
	{"p99 wake", CELL_DURATION, 0, "wake-up latency, wake event to idle exit"},
	{"Max wake", CELL_DURATION, 0, "the longest of these"},
};

static void add_metric(struct table *table, const struct metric *metric, const void *from)
{
	struct cell cell = metric->get(from);

	table_add_cell(table, &cell);
}

static void add_values(const struct cpir_totals *totals, struct table *table)
{
	add_metric(table, &metric_usage, totals);
	add_metric(table, &metric_above, totals);
	add_metric(table, &metric_below, totals);
	add_metric(table, &metric_above_percent, totals);
	add_metric(table, &metric_below_percent, totals);
	add_metric(table, &metric_miss_percent, totals);
	table_add_percent(table, totals->idle_ns, totals->span_ns);
	add_metric(table, &metric_mean_idle, totals);
	add_metric(table, &metric_latency_p99, &totals->exit_latency);
	add_metric(table, &metric_latency_max, &totals->exit_latency);
}

void section_per_cpu(const struct cpir_result *result, struct page *page)
{
	const struct cpir_run *record = &result->runs[0];
	struct table *table = page_add_table(page, "Misses per CPU:", 0);

	table_add_column(table, &(struct column){.name = "CPU", .type = CELL_COUNT});
	if (result->run_count > 1)
		table_add_column(table, &(struct column){.name = "Run", .type = CELL_TEXT});
	table_add_columns(table, value_columns, array_size(value_columns));
	for (size_t c = 0; c < record->cpu_count; c++) {
		uint32_t cpu = record->cpus[c].cpu;

		for (size_t i = 0; i < result->run_count; i++) {
			const struct cpir_totals *totals = run_cpu(&result->runs[i], cpu);
			char label[LABEL_MAX];

			if (!totals)
				continue;
			table_add_text(table, "%u", cpu);
			if (result->run_count > 1)
				table_add_text(table, "%s", run_label(result, i, label));
			add_values(totals, table);
		}
	}
}
