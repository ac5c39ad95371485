// SPDX-License-Identifier: GPL-2.0-only
/* The decisions that differ from the record, one a row. */
#include "report/format.h"
#include "report/sections.h"

static const struct column columns[] = {
	{"CPU", CELL_COUNT},
	{"Time", CELL_DURATION, 0, "when the state was entered, in the trace's clock"},
	{"Recorded", CELL_TEXT, 0, "state of the record"},
	{"Decided", CELL_TEXT, 0, "state of the policy"},
	{"Lasted", CELL_DURATION, 0, "the recorded period"},
	{"Predicted", CELL_DURATION, 0, "what the policy expected"},
	{"Sleep length", CELL_DURATION, 0,
	 "to the next event if the tick were stopped, as rebuilt"},
	{"Next event", CELL_DURATION, 0, "the same with the tick"},
	{"Tick", CELL_TEXT, 0, "when the decision was taken"},
	{"Cause", CELL_TEXT, 0, "why it may differ"},
	{"Rule", CELL_TEXT, 0, "the policy's rule that gave the state"},
};

/* Without any timer the distance is what is left until the end of time. */
#define NO_TIMER_NS (INT64_MAX / 2)

static void add_length(struct table *table, int64_t ns)
{
	char buf[FORMAT_MAX];

	if (ns > NO_TIMER_NS) {
		table_add_none(table);
		return;
	}
	table_add_text(table, "%s", format_length(ns, buf));
}

static void add_row(const struct cpir_result *result, const struct cpir_difference *row,
		    struct table *table)
{
	char buf[FORMAT_MAX], name[CPIR_NAME_MAX];

	table_add_count(table, row->cpu);
	table_add_text(table, "%s", format_time(row->time_ns, buf));
	table_add_text(table, "%s",
		       result_state_name(result, row->cpu, (uint32_t)row->recorded, name));
	table_add_text(table, "%s",
		       result_state_name(result, row->cpu, (uint32_t)row->decided, name));
	table_add_duration(table, row->duration_ns);
	add_length(table, row->predicted_ns);
	/* What the policy did not ask for had no part in the decision. */
	if (row->looked_up) {
		add_length(table, row->sleep_length_ns);
		add_length(table, row->delta_next_ns);
	} else {
		table_add_none(table);
		table_add_none(table);
	}
	table_add_text(table, "%s", row->tick_stopped ? "stopped" : "running");
	table_add_text(table, "%s", cpir_cause_name(row->cause));
	table_add_text(table, "%s", row->reason);
}

void section_differences(const struct cpir_result *result, struct page *page)
{
	struct table *table;
	char rest[FORMAT_MAX];

	if (!result->has_differences)
		return;
	table = page_add_table(page, "Decisions that differ from the record:", 0);
	table_add_columns(table, columns, array_size(columns));
	for (size_t i = 0; i < result->difference_count; i++)
		add_row(result, &result->differences[i], table);
	if (result->difference_count < result->difference_total)
		page_add_text(
			page, "... and %s more.",
			format_count(result->difference_total - result->difference_count, rest));
}
