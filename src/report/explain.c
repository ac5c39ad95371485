// SPDX-License-Identifier: GPL-2.0-only
/* Single decisions, step by step. */
#include "report/format.h"
#include "report/sections.h"

#include <inttypes.h>

/* "Baseline", "Patched", or "Patched 2" when there are several. */
static const char *decided_label(const struct cpir_explained *explained, size_t index,
				 char buf[LABEL_MAX])
{
	if (!index)
		return "Baseline";
	if (explained->decided_count == 2)
		return "Patched";
	(void)snprintf(buf, LABEL_MAX, "Patched %zu", index);
	return buf;
}

static const char *const verdict_names[] = {
	[CPIR_VERDICT_RIGHT] = "right",
	[CPIR_VERDICT_ABOVE] = "above",
	[CPIR_VERDICT_BELOW] = "below",
};

static struct table *add_keys(struct page *page)
{
	struct table *keys = page_add_table(page, NULL, TABLE_KEYS);

	table_add_columns(keys, (const struct column[]){{"Name", CELL_TEXT}, {"Value", CELL_TEXT}},
			  2);
	return keys;
}

/* ---- what the record did ----------------------------------------------------------------------------------------------- */

static void add_wake(const struct cpir_explained *explained, struct table *keys)
{
	char time[FORMAT_MAX], delay[FORMAT_MAX];

	if (explained->wake_known)
		table_add_key(keys, "Woken by", "%s due at %s, %s before the end of the period",
			      cpir_wake_name(explained->wake),
			      format_time(explained->wake_ns, time),
			      format_duration(explained->exit_ns - explained->wake_ns, delay));
	else
		table_add_key(keys, "Woken by", "%s", cpir_wake_name(explained->wake));
	if (explained->task_known)
		table_add_key(
			keys, "First task", "at %s, %s after the end of the period",
			format_time(explained->task_ns, time),
			format_length((int64_t)(explained->task_ns - explained->exit_ns), delay));
}

static void add_verdict(const struct cpir_explained *explained, struct table *keys)
{
	const char *ours = verdict_names[explained->verdict];

	if (!explained->kernel_verdict_known)
		table_add_key(keys, "Verdict", "%s (no cpu_idle_miss events to check it)", ours);
	else if (explained->kernel_verdict == explained->verdict)
		table_add_key(keys, "Verdict", "%s, as by the kernel (cpu_idle_miss)", ours);
	else
		table_add_key(keys, "Verdict", "%s, but by the kernel (cpu_idle_miss) %s", ours,
			      verdict_names[explained->kernel_verdict]);
}

static void add_record(const struct cpir_result *result, const struct cpir_explained *explained,
		       struct page *page)
{
	struct table *keys = add_keys(page);
	char name[CPIR_NAME_MAX], begin[FORMAT_MAX], end[FORMAT_MAX];
	char length[FORMAT_MAX], traced[FORMAT_MAX];

	table_add_key(keys, "Recorded", "%s (state %d)%s%s%s",
		      result_state_name(result, explained->cpu, (uint32_t)explained->state, name),
		      explained->state, explained->stopped_tick ? ", stopped the tick" : "",
		      explained->got_tick ? ", the tick fired" : "",
		      explained->poll_timeout ? ", ran into the poll limit" : "");
	table_add_key(keys, "Lasted", "%s; in the trace %s, from %s to %s",
		      format_duration(explained->duration_ns, length),
		      format_duration(explained->exit_ns - explained->enter_ns, traced),
		      format_time(explained->enter_ns, begin),
		      format_time(explained->exit_ns, end));
	add_wake(explained, keys);
	add_verdict(explained, keys);
	if (!explained->counts)
		table_add_key(keys, "Note",
			      "of the warm-up or outside of the times studied: the governor's "
			      "memory may not be the true one yet");
}

/* ---- what it saw --------------------------------------------------------------------------------------------------------- */

/* The states of a mask by name: "C1, C6". */
static void format_states(const struct cpir_result *result, uint32_t cpu, uint64_t mask,
			  char buf[FORMAT_MAX])
{
	char name[CPIR_NAME_MAX];
	size_t len = 0;

	(void)snprintf(buf, FORMAT_MAX, "none");
	for (uint32_t i = 0; i < CPIR_STATES_MAX && len < FORMAT_MAX; i++) {
		if (!(mask >> i & 1))
			continue;
		len += (size_t)snprintf(buf + len, FORMAT_MAX - len, "%s%s", len ? ", " : "",
					result_state_name(result, cpu, i, name));
	}
}

static void format_input(const struct cpir_result *result, uint32_t cpu,
			 const struct cpir_input *input, char buf[FORMAT_MAX])
{
	char name[CPIR_NAME_MAX];

	if (!input->has_value) {
		(void)snprintf(buf, FORMAT_MAX, "none");
		return;
	}
	switch (input->unit) {
	case CPIR_UNIT_TIME:
		if (input->value >= 0)
			(void)format_time((uint64_t)input->value, buf);
		else
			(void)snprintf(buf, FORMAT_MAX, "before the clock began");
		return;
	case CPIR_UNIT_LENGTH:
		(void)snprintf(buf, FORMAT_MAX, "%" PRId64 " ns", input->value);
		return;
	case CPIR_UNIT_YES_NO:
		(void)snprintf(buf, FORMAT_MAX, "%s", input->value ? "yes" : "no");
		return;
	case CPIR_UNIT_COUNT:
		(void)snprintf(buf, FORMAT_MAX, "%" PRId64, input->value);
		return;
	case CPIR_UNIT_STATE:
		(void)snprintf(buf, FORMAT_MAX, "%s",
			       result_state_name(result, cpu, (uint32_t)input->value, name));
		return;
	case CPIR_UNIT_STATES:
		format_states(result, cpu, (uint64_t)input->value, buf);
		return;
	}
}

static void add_inputs(const struct cpir_result *result, const struct cpir_explained *explained,
		       struct page *page)
{
	struct table *keys;

	page_add_heading(page, "What it saw:");
	keys = add_keys(page);
	for (size_t i = 0; i < explained->input_count; i++) {
		const struct cpir_input *input = &explained->inputs[i];
		char value[FORMAT_MAX], margin[FORMAT_MAX], around[FORMAT_MAX + 8] = "";

		format_input(result, explained->cpu, input, value);
		if (input->uncertainty_ns > 0)
			(void)snprintf(around, sizeof(around), " +/- %s",
				       format_duration((uint64_t)input->uncertainty_ns, margin));
		table_add_key(keys, input->name, "%s%s; %s%s%s", value, around,
			      cpir_origin_name(input->origin), *input->source ? ": " : "",
			      input->source);
	}
}

/* ---- how it was decided ---------------------------------------------------------------------------------------------------- */

typedef ARRAY(const char *) names_t;

static size_t find_name(const names_t *names, const char *name)
{
	for (size_t i = 0; i < names->len; i++) {
		if (!strcmp(names->ptr[i], name))
			return i;
	}
	return names->len;
}

/* The names of all steps, each policy's in its order: what only one has comes after what it has before it. */
static bool collect_names(const struct cpir_explained *explained, names_t *names)
{
	for (size_t p = 0; p < explained->decided_count; p++) {
		const struct cpir_decided *decided = &explained->decided[p];
		size_t at = 0;

		for (size_t s = 0; s < decided->step_count; s++) {
			const char *name = decided->steps[s].name;
			size_t found = find_name(names, name);

			if (found == names->len) {
				if (!array_add(names))
					return false;
				memmove(&names->ptr[at + 1], &names->ptr[at],
					(names->len - 1 - at) * sizeof(*names->ptr));
				names->ptr[at] = name;
				found = at;
			}
			at = found + 1;
		}
	}
	return true;
}

/* "sleep length ns" -> "sleep length" and " ns"; without a unit the whole name and "". */
static const char *unit_of(const char *name)
{
	size_t len = strlen(name);

	if (len > 3 && (!strcmp(name + len - 3, " ns") || !strcmp(name + len - 3, " us")))
		return name + len - 3;
	return name + len;
}

/* All values of @name, with its unit; the empty string when the policy has none. */
static void add_values(const struct cpir_decided *decided, const char *name, struct table *table)
{
	char text[CPIR_STATES_MAX * 64] = "";
	size_t len = 0;

	for (size_t s = 0; s < decided->step_count && len < sizeof(text); s++) {
		const struct cpir_step *step = &decided->steps[s];

		if (strcmp(step->name, name))
			continue;
		if (step->value == INT64_MAX)
			len += (size_t)snprintf(text + len, sizeof(text) - len, "none");
		else
			len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%" PRId64 "%s",
						len ? " " : "", step->value,
						step->index < 0 ? unit_of(name) : "");
	}
	if (len)
		table_add_text(table, "%s", text);
	else
		table_add_empty(table);
}

static void add_steps(const struct cpir_explained *explained, struct page *page)
{
	struct table *table = page_add_table(page, "Step by step:", 0);
	names_t names = {0};
	char label[LABEL_MAX];

	table_add_column(table, &(struct column){.name = "Step", .type = CELL_TEXT});
	for (size_t p = 0; p < explained->decided_count; p++)
		table_add_column(table, &(struct column){.name = decided_label(explained, p, label),
							 .type = CELL_COUNT});
	if (!collect_names(explained, &names))
		page->failed = true;
	for (size_t i = 0; i < names.len; i++) {
		const char *unit = unit_of(names.ptr[i]);

		table_add_text(table, "%.*s", (int)(unit - names.ptr[i]), names.ptr[i]);
		for (size_t p = 0; p < explained->decided_count; p++)
			add_values(&explained->decided[p], names.ptr[i], table);
	}
	array_free(&names);
}

static const struct column decided_columns[] = {
	{"Policy", CELL_TEXT},
	{"State", CELL_TEXT},
	{"As recorded", CELL_TEXT, 0, "or why it may differ"},
	{"Tick", CELL_TEXT, 0, "what the policy asks for"},
	{"Predicted", CELL_DURATION},
	{"Verdict", CELL_TEXT, 0, "on this state, had the period lasted as long"},
	{"Rule", CELL_TEXT, 0, "of the policy, that gave the state"},
};

static void add_decided(const struct cpir_result *result, const struct cpir_explained *explained,
			size_t index, struct table *table)
{
	const struct cpir_decided *decided = &explained->decided[index];
	char label[LABEL_MAX], name[CPIR_NAME_MAX], length[FORMAT_MAX];
	bool same = decided->state == explained->state;

	table_add_text(table, "%s", decided_label(explained, index, label));
	table_add_text(table, "%s",
		       result_state_name(result, explained->cpu, (uint32_t)decided->state, name));
	/* Only the record's own policy has to account for a difference. */
	table_add_text(table, "%s%s%s%s", same ? "yes" : "no", same || index ? "" : ": ",
		       same || index ? "" : cpir_cause_name(decided->cause),
		       decided->undetermined ? ", undetermined" : "");
	table_add_text(table, "%s", decided->stop_tick ? "stop" : "keep");
	if (decided->predicted_ns == INT64_MAX)
		table_add_none(table);
	else
		table_add_text(table, "%s", format_length(decided->predicted_ns, length));
	table_add_text(table, "%s", verdict_names[decided->verdict]);
	table_add_text(table, "%s", decided->reason);
}

static void add_explained(const struct cpir_result *result, const struct cpir_explained *explained,
			  struct page *page)
{
	struct table *table;
	char time[FORMAT_MAX];

	page_add_heading(page, "Decision on CPU %u at %s:", explained->cpu,
			 format_time(explained->enter_ns, time));
	add_record(result, explained, page);
	add_inputs(result, explained, page);
	add_steps(explained, page);
	table = page_add_table(page, "Decided:", 0);
	table_add_columns(table, decided_columns, array_size(decided_columns));
	for (size_t p = 0; p < explained->decided_count; p++)
		add_decided(result, explained, p, table);
}

void section_explained(const struct cpir_result *result, struct page *page)
{
	struct table *keys;

	if (!result->explained_count) {
		page_add_text(page, "No such decision%s.",
			      result->agreement.warmup && !result->agreement.decisions
				      ? ": all are within the warm-up (--warmup 0 counts them)"
				      : "");
		return;
	}
	keys = add_keys(page);
	for (size_t p = 0; p < result->explained[0].decided_count; p++) {
		char label[LABEL_MAX];

		table_add_key(keys, decided_label(&result->explained[0], p, label), "%s",
			      result->explained[0].decided[p].policy);
	}
	for (size_t i = 0; i < result->explained_count; i++)
		add_explained(result, &result->explained[i], page);
}
