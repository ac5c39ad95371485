// SPDX-License-Identifier: GPL-2.0-only
/* Decision against decision: the replayed against the recorded, the patched against the baseline. */
#include "report/format.h"
#include "report/sections.h"

/** struct matrix - @at[row][column], states of the whole machine */
struct matrix {
	const char *title, *corner;
	uint32_t count;
	const uint64_t (*at)[CPIR_STATES_MAX];
};

static void add_matrix(const struct cpir_result *result, const struct matrix *matrix,
		       struct page *page)
{
	struct table *table = page_add_table(page, matrix->title, TABLE_GRID);
	char name[CPIR_NAME_MAX];

	table_add_column(table, &(struct column){.name = matrix->corner, .type = CELL_TEXT});
	for (uint32_t to = 0; to < matrix->count; to++)
		table_add_column(table, &(struct column){.name = result_state_name(result, ALL_CPUS,
										   to, name),
							 .type = CELL_COUNT});
	for (uint32_t from = 0; from < matrix->count; from++) {
		table_add_text(table, "%s", result_state_name(result, ALL_CPUS, from, name));
		for (uint32_t to = 0; to < matrix->count; to++)
			table_add_count(table, matrix->at[from][to]);
	}
}

static const char *const cause_help[CPIR_CAUSE_COUNT] = {
	[CPIR_CAUSE_THRESHOLD] = "an input within its uncertainty of a threshold",
	[CPIR_CAUSE_UNKNOWN_INPUT] = "an input the trace does not hold",
	[CPIR_CAUSE_REJECT] = "the driver seems to have given the entry back",
	[CPIR_CAUSE_HISTORY] = "follows from something the trace cannot show",
	[CPIR_CAUSE_REAL] = "not explained",
};

static void add_causes(const struct cpir_agreement *agreement, struct page *page)
{
	struct table *table = page_add_table(page, "Why decisions differ:", TABLE_GRID);

	table_add_columns(table,
			  (const struct column[]){
				  {"Cause", CELL_TEXT},
				  {"Decisions", CELL_COUNT},
				  {"of all", CELL_PERCENT, 0, "share of all decisions replayed"},
			  },
			  3);
	for (unsigned cause = 0; cause < CPIR_CAUSE_COUNT; cause++) {
		if (!agreement->by_cause[cause])
			continue;
		table_add_cell(table, &(struct cell){.type = CELL_TEXT,
						     .help = cause_help[cause],
						     .text = (char *)cpir_cause_name(cause)});
		table_add_count(table, agreement->by_cause[cause]);
		table_add_percent(table, agreement->by_cause[cause], agreement->decisions);
	}
}

void section_agreement(const struct cpir_result *result, struct page *page)
{
	const struct cpir_agreement *agreement = &result->agreement;
	struct matrix matrix = {.title = "Decisions, recorded against replayed:",
				.corner = "Recorded \\ replayed",
				.count = agreement->state_count,
				.at = agreement->by_state};

	if (!agreement->valid || !agreement->decisions)
		return;
	add_matrix(result, &matrix, page);
	if (agreement->agreed < agreement->decisions)
		add_causes(agreement, page);
}

static uint32_t state_count(const struct cpir_result *result)
{
	uint32_t count = 0;

	for (size_t i = 0; i < result->run_count; i++)
		if (result->runs[i].total.state_count > count)
			count = result->runs[i].total.state_count;
	return count < CPIR_STATES_MAX ? count : CPIR_STATES_MAX;
}

static void add_changes(const struct cpir_result *result, size_t index, struct page *page)
{
	const struct cpir_changes *changes = &result->runs[index].changes;
	char label[LABEL_MAX], title[128], corner[96];
	char changed[FORMAT_MAX], all[FORMAT_MAX], share[FORMAT_MAX];
	char better[FORMAT_MAX], worse[FORMAT_MAX], same[FORMAT_MAX];
	const char *name = run_label(result, index, label);
	struct matrix matrix = {.title = title,
				.corner = corner,
				.count = state_count(result),
				.at = changes->matrix};

	(void)snprintf(title, sizeof(title), "Decisions, baseline against %s:",
		       strcmp(name, "Patched") ? name : "patched");
	(void)snprintf(corner, sizeof(corner), "Baseline \\ %s",
		       strcmp(name, "Patched") ? name : "patched");
	add_matrix(result, &matrix, page);
	if (!changes->changed) {
		page_add_text(page, "None of %s decisions changed.",
			      format_count(changes->decisions, all));
		return;
	}
	page_add_text(page, "%s of %s decisions changed (%s): %s better, %s worse, %s neither.",
		      format_count(changes->changed, changed),
		      format_count(changes->decisions, all),
		      format_percent((struct ratio){changes->changed, changes->decisions}, share),
		      format_count(changes->better, better), format_count(changes->worse, worse),
		      format_count(changes->same, same));
}

void section_changes(const struct cpir_result *result, struct page *page)
{
	for (size_t i = 0; i < result->run_count; i++)
		if (result->runs[i].has_changes)
			add_changes(result, i, page);
}
