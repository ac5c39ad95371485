// SPDX-License-Identifier: GPL-2.0-only
/* Idle state tables. */
#include "report/format.h"
#include "report/report.h"
#include "report/sections.h"

static const struct column delay_columns[] = {
	{"Wake delay", CELL_DURATION, 0, "wake event to idle exit, learned from the trace"},
	{"Learned from", CELL_TEXT, 0, NULL},
};

static const struct cpir_delay *find_delay(const struct cpir_result *result, const char *state)
{
	for (size_t i = 0; i < result->delay_count; i++)
		if (!strcmp(result->delays[i].state, state))
			return &result->delays[i];
	return NULL;
}

static void add_delay(const struct cpir_result *result, const char *state, struct table *table)
{
	const struct cpir_delay *delay = find_delay(result, state);
	char samples[FORMAT_MAX];

	if (delay)
		table_add_duration(table, delay->latency_ns);
	else
		table_add_none(table);
	if (delay && delay->samples)
		table_add_text(table, "%s %s", format_count(delay->samples, samples),
			       delay->from == CPIR_DELAY_TICKS ? "ticks" : "samples");
	else
		table_add_text(table, "exit latency");
}

/* One table; with the learned wake delays when @result has some. */
static void add_table(const char *cpus, const struct cpir_table *states,
		      const struct cpir_result *result, struct page *page)
{
	bool delays = result && result->delay_count;
	char title[256];
	struct table *table;

	if (!strcmp(cpus, "all"))
		(void)snprintf(title, sizeof(title), "Idle states of all CPUs:");
	else
		(void)snprintf(title, sizeof(title),
			       "Idle states of CPU%s %s:", strpbrk(cpus, "-,a") ? "s" : "", cpus);
	table = page_add_table(page, title, 0);
	table_add_columns(table,
			  (const struct column[]){{"#", CELL_COUNT},
						  {"State", CELL_TEXT},
						  {"Exit latency", CELL_DURATION},
						  {"Target residency", CELL_DURATION}},
			  4);
	if (delays)
		table_add_columns(table, delay_columns, array_size(delay_columns));
	table_add_column(table, &(struct column){.name = "Flags", .type = CELL_TEXT});
	for (uint32_t s = 0; s < states->count && s < CPIR_STATES_MAX; s++) {
		const struct cpir_state *state = &states->states[s];

		table_add_count(table, s);
		table_add_text(table, "%s", state->name);
		table_add_duration(table, state->exit_latency_ns);
		table_add_duration(table, state->target_residency_ns);
		if (delays)
			add_delay(result, state->name, table);
		table_add_text(table, "%s%s%s", state->polling ? "polling" : "",
			       state->polling && state->disabled ? ", " : "",
			       state->disabled ? "disabled" : "");
	}
}

void report_add_states(struct page *page, const char *cpus, const struct cpir_table *states)
{
	add_table(cpus, states, NULL, page);
}

void section_platform(const struct cpir_result *result, struct page *page)
{
	for (size_t i = 0; i < result->platform.table_count; i++) {
		const struct cpir_table_use *use = &result->platform.tables[i];

		add_table(use->cpus && *use->cpus ? use->cpus : "all", use->table, result, page);
	}
}
