// SPDX-License-Identifier: GPL-2.0-only
/*
 * The tables that go into a patch mail: a row per number, a column per run, and what a policy changed against the
 * baseline beside it.
 */
#include "report/format.h"
#include "report/metrics.h"
#include "report/sections.h"

#define CHANGE_HELP                                                                                \
	"against the baseline: per cent, or percentage points (pp) where the row is a percentage"

/** struct summary - @offset: where the struct that the metrics read lies in struct cpir_totals */
struct summary {
	const char *title;
	size_t offset;
	const struct metric *const *metrics;
	size_t metric_count;
};

/* Run @index has a column of changes after its own: there is something to hold it against. */
static bool has_change(const struct cpir_result *result, size_t index)
{
	return run_reference(result, index) != NULL;
}

static void add_run_column(const struct cpir_result *result, size_t index, enum cell_type type,
			   struct table *table)
{
	const struct cpir_run *run = &result->runs[index];
	char buf[LABEL_MAX];

	table_add_column(
		table, &(struct column){.name = run_label(result, index, buf),
					.type = type,
					.help = run->role == CPIR_ROLE_RECORD ? NULL : run->name});
}

static void add_columns(const struct cpir_result *result, const char *first, struct table *table)
{
	table_add_column(table, &(struct column){.name = first, .type = CELL_TEXT});
	for (size_t i = 0; i < result->run_count; i++) {
		add_run_column(result, i, CELL_COUNT, table);
		if (has_change(result, i))
			table_add_column(table, &(struct column){.name = "Change",
								 .type = CELL_CHANGE,
								 .help = CHANGE_HELP});
	}
}

static const void *metric_source(const struct cpir_run *run, size_t offset)
{
	return (const char *)&run->total + offset;
}

static void add_metric(const struct cpir_result *result, const struct metric *metric, size_t offset,
		       struct table *table)
{
	table_add_cell(table, &(struct cell){.type = CELL_TEXT,
					     .help = metric->help,
					     .text = (char *)metric->label});
	for (size_t i = 0; i < result->run_count; i++) {
		const struct cpir_run *reference = run_reference(result, i);
		struct cell value = metric->get(metric_source(&result->runs[i], offset));
		struct cell before;

		table_add_cell(table, &value);
		if (!reference)
			continue;
		before = metric->get(metric_source(reference, offset));
		value = metric_change(metric, &before, &value);
		table_add_cell(table, &value);
	}
}

static struct table *add_summary(const struct cpir_result *result, const struct summary *summary,
				 struct page *page)
{
	struct table *table = page_add_table(page, summary->title, TABLE_GRID);

	add_columns(result, "Metric", table);
	for (size_t i = 0; i < summary->metric_count; i++)
		add_metric(result, summary->metrics[i], summary->offset, table);
	return table;
}

static bool any_run(const struct cpir_result *result, bool (*test)(const struct cpir_totals *))
{
	for (size_t i = 0; i < result->run_count; i++)
		if (test(&result->runs[i].total))
			return true;
	return false;
}

static bool has_range(const struct cpir_totals *totals)
{
	return totals->has_range;
}

static bool has_energy(const struct cpir_totals *totals)
{
	return totals->has_energy;
}

static bool has_exit_latency(const struct cpir_totals *totals)
{
	return totals->exit_latency.count > 0;
}

static bool has_task_latency(const struct cpir_totals *totals)
{
	return totals->task_latency.count > 0;
}

static bool has_rejected(const struct cpir_totals *totals)
{
	return totals->rejected_known && totals->rejected;
}

/* The kernel's own verdict on the record, from the cpu_idle_miss events. */
static void add_kernel_miss(const struct cpir_result *result, struct page *page)
{
	const struct cpir_totals *totals = &result->runs[0].total;
	char above[FORMAT_MAX], below[FORMAT_MAX];

	if (!totals->kernel_miss)
		return;
	page_add_text(
		page,
		"The kernel's own verdicts on these periods (cpu_idle_miss): above %s, below %s.",
		format_count(totals->kernel_above, above),
		format_count(totals->kernel_below, below));
}

static void add_ranges(const struct cpir_result *result, struct page *page)
{
	static const struct metric *const metrics[] = {&metric_range_usage, &metric_range_above,
						       &metric_range_below};
	struct table *table;

	if (!any_run(result, has_range))
		return;
	table = page_add_table(
		page,
		"Lowest and highest totals over the inputs the trace leaves unknown:", TABLE_GRID);
	table_add_column(table, &(struct column){.name = "Metric", .type = CELL_TEXT});
	for (size_t i = 0; i < result->run_count; i++)
		add_run_column(result, i, CELL_RANGE, table);
	for (size_t m = 0; m < array_size(metrics); m++) {
		table_add_text(table, "%s", metrics[m]->label);
		for (size_t i = 0; i < result->run_count; i++) {
			struct cell value = metrics[m]->get(&result->runs[i].total);

			table_add_cell(table, &value);
		}
	}
}

void section_usage(const struct cpir_result *result, struct page *page)
{
	static const struct metric *const usage[] = {&metric_usage, &metric_above, &metric_below,
						     &metric_rejected};
	static const struct metric *const percentages[] = {
		&metric_above_percent, &metric_below_percent, &metric_miss_percent};
	struct summary table = {.title = "CPUIdle state usage:",
				.metrics = usage,
				.metric_count = any_run(result, has_rejected) ? 4 : 3};

	add_summary(result, &table, page);
	table = (struct summary){.title = "Above/Total and Below/Total usage percentages:",
				 .metrics = percentages,
				 .metric_count = array_size(percentages)};
	add_summary(result, &table, page);
	add_kernel_miss(result, page);
	add_ranges(result, page);
}

void section_latency(const struct cpir_result *result, struct page *page)
{
	static const struct metric *const metrics[] = {&metric_latency_count, &metric_latency_mean,
						       &metric_latency_p50,   &metric_latency_p90,
						       &metric_latency_p99,   &metric_latency_max,
						       &metric_latency_total};
	struct summary table = {.title = "Wake-up latency, wake event to idle exit:",
				.offset = offsetof(struct cpir_totals, exit_latency),
				.metrics = metrics,
				.metric_count = array_size(metrics)};

	if (any_run(result, has_exit_latency))
		add_summary(result, &table, page);
	table.title = "Wake-up latency, wake event to first task:";
	table.offset = offsetof(struct cpir_totals, task_latency);
	if (any_run(result, has_task_latency))
		add_summary(result, &table, page);
}

void section_tick(const struct cpir_result *result, struct page *page)
{
	static const struct metric *const metrics[] = {&metric_idle, &metric_mean_idle,
						       &metric_tick_wakeups, &metric_tick_stops,
						       &metric_energy};
	struct summary table = {.title = "Idle time and tick:",
				.metrics = metrics,
				.metric_count = array_size(metrics)};

	if (any_run(result, has_energy))
		table.title = "Idle time, tick and energy:";
	else
		table.metric_count--;
	add_summary(result, &table, page);
}

/* What a wake-up count means, in the order of enum cpir_wake. */
static const char *const wake_help[CPIR_WAKE_COUNT] = {
	[CPIR_WAKE_TASK_REMOTE] = "a task was woken here from another CPU",
	[CPIR_WAKE_TASK_LOCAL] = "a task was woken here by an interrupt other than a timer",
	[CPIR_WAKE_TIMER] = "a timer other than the tick expired",
	[CPIR_WAKE_TICK] = "the scheduler tick was due before anything else",
	[CPIR_WAKE_IRQ] = "a device interrupt or IPI that woke no task",
	[CPIR_WAKE_POLL_LIMIT] = "the polling state ran into its time limit",
	[CPIR_WAKE_UNKNOWN] = "no event in the trace tells",
};

static bool wake_seen(const struct cpir_result *result, unsigned wake)
{
	for (size_t i = 0; i < result->run_count; i++)
		if (result->runs[i].total.wakes[wake])
			return true;
	return false;
}

void section_wakes(const struct cpir_result *result, struct page *page)
{
	static const struct metric plain = {0};
	struct table *table = page_add_table(page, "What ended the idle periods:", TABLE_GRID);

	add_columns(result, "Wake event", table);
	for (unsigned wake = 0; wake < CPIR_WAKE_COUNT; wake++) {
		if (!wake_seen(result, wake))
			continue;
		table_add_cell(table, &(struct cell){.type = CELL_TEXT,
						     .help = wake_help[wake],
						     .text = (char *)cpir_wake_name(wake)});
		for (size_t i = 0; i < result->run_count; i++) {
			const struct cpir_run *reference = run_reference(result, i);
			struct cell value = {.type = CELL_COUNT,
					     .value = result->runs[i].total.wakes[wake]};
			struct cell before = {.type = CELL_COUNT};

			table_add_cell(table, &value);
			if (!reference)
				continue;
			before.value = reference->total.wakes[wake];
			value = metric_change(&plain, &before, &value);
			table_add_cell(table, &value);
		}
	}
}
