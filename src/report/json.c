// SPDX-License-Identifier: GPL-2.0-only
/*
 * The JSON document: raw integers, nanoseconds, in a fixed order. The same input gives the same bytes: no dates, and no
 * path but the one the user gave.
 */
#include "report/report.h"

#include "report/runs.h"

#include <json-c/json.h>

/* Bytes of the UTF-8 sequence at @text, 0 when it is none. */
static size_t utf8_length(const unsigned char *text)
{
	static const struct {
		unsigned char mask, lead, lowest;
	} forms[] = {{0x80, 0x00, 0}, {0xe0, 0xc0, 0xc2}, {0xf0, 0xe0, 0xe0}, {0xf8, 0xf0, 0xf0}};

	for (size_t i = 0; i < array_size(forms); i++) {
		if ((text[0] & forms[i].mask) != forms[i].lead)
			continue;
		if (text[0] < forms[i].lowest)
			return 0;
		for (size_t j = 1; j <= i; j++)
			if ((text[j] & 0xc0) != 0x80)
				return 0;
		return i + 1;
	}
	return 0;
}

/* Names come from traces and file systems: what is not UTF-8 becomes "?". */
static struct json_object *text_new(const char *text)
{
	struct json_object *object;
	char *copy = strdup(text ? text : "");

	if (!copy)
		return NULL;
	for (char *at = copy; *at;) {
		size_t len = utf8_length((unsigned char *)at);

		if (!len)
			*at = '?';
		at += len ? len : 1;
	}
	object = json_object_new_string(copy);
	free(copy);
	return object;
}

/*
 * When memory runs out an object is marked, and whatever it is put into after that. Everything is put into its parent once
 * it is complete, so that the document knows in the end.
 */
static const char incomplete;

static void spoil(struct json_object *object)
{
	if (object)
		json_object_set_userdata(object, (void *)&incomplete, NULL);
}

static bool spoiled(struct json_object *object)
{
	return !object || json_object_get_userdata(object) == &incomplete;
}

static void add(struct json_object *to, const char *key, struct json_object *value)
{
	if (spoiled(value))
		spoil(to);
	if (to && !json_object_object_add(to, key, value))
		return;
	spoil(to);
	json_object_put(value);
}

/* What is not known. */
static void add_null(struct json_object *to, const char *key)
{
	if (!to || json_object_object_add(to, key, NULL))
		spoil(to);
}

static void append(struct json_object *to, struct json_object *value)
{
	if (spoiled(value))
		spoil(to);
	if (to && !json_object_array_add(to, value))
		return;
	spoil(to);
	json_object_put(value);
}

static void add_text(struct json_object *to, const char *key, const char *text)
{
	add(to, key, text_new(text));
}

static void add_number(struct json_object *to, const char *key, uint64_t number)
{
	add(to, key, json_object_new_uint64(number));
}

static void add_bool(struct json_object *to, const char *key, bool value)
{
	add(to, key, json_object_new_boolean(value));
}

/* A share in per cent with four decimals, null when the whole is 0. */
static void add_percent(struct json_object *to, const char *key, uint64_t part, uint64_t whole)
{
	double value = whole ? 100.0 * (double)part / (double)whole : 0;
	char digits[32];

	(void)snprintf(digits, sizeof(digits), "%.4f", value);
	if (whole)
		add(to, key, json_object_new_double_s(value, digits));
	else
		add_null(to, key);
}

static struct json_object *texts_new(const char *const *texts, size_t count)
{
	struct json_object *array = json_object_new_array_ext((int)count);

	for (size_t i = 0; i < count; i++)
		append(array, text_new(texts[i]));
	return array;
}

/* The names of the missing events, without the sentences on what they cost. */
static struct json_object *missing_names_new(const struct cpir_result *result)
{
	struct json_object *names = json_object_new_array();

	for (size_t i = 0; i < result->trace.missing_count; i++) {
		const char *text = result->trace.missing[i], *end = strstr(text, ": ");
		char *name = strndup(text, end ? (size_t)(end - text) : strlen(text));

		append(names, name ? text_new(name) : NULL);
		free(name);
	}
	return names;
}

static struct json_object *trace_new(const struct cpir_result *result)
{
	struct json_object *trace = json_object_new_object();
	struct json_object *events = json_object_new_object();

	add_text(trace, "file", result->trace.file);
	add_text(trace, "format", result->trace.format);
	add_text(trace, "kernel", result->trace.kernel);
	add_text(trace, "clock", result->trace.clock);
	add_number(trace, "cpus", result->trace.cpus);
	add_number(trace, "begin_ns", result->trace.begin_ns);
	add_number(trace, "end_ns", result->trace.end_ns);
	for (size_t i = 0; i < result->trace.event_count; i++)
		add_number(events, result->trace.events[i].name, result->trace.events[i].count);
	add(trace, "events", events);
	add(trace, "missing", missing_names_new(result));
	add(trace, "missing_costs", texts_new(result->trace.missing, result->trace.missing_count));
	add_number(trace, "lost", result->trace.lost);
	return trace;
}

static struct json_object *state_new(const struct cpir_state *state)
{
	struct json_object *object = json_object_new_object();

	add_text(object, "name", state->name);
	add_number(object, "exit_latency_ns", state->exit_latency_ns);
	add_number(object, "target_residency_ns", state->target_residency_ns);
	add_bool(object, "polling", state->polling);
	add_bool(object, "disabled", state->disabled);
	if (state->power_mw >= 0)
		add_number(object, "power_mw", (uint64_t)state->power_mw);
	return object;
}

static struct json_object *platform_new(const struct cpir_result *result)
{
	struct json_object *platform = json_object_new_object();
	struct json_object *tables = json_object_new_array();

	add_text(platform, "source", result->platform.source);
	add_number(platform, "hz", result->platform.hz);
	add_text(platform, "driver", result->platform.driver);
	add_text(platform, "governor", result->platform.governor);
	for (size_t i = 0; i < result->platform.table_count; i++) {
		const struct cpir_table_use *use = &result->platform.tables[i];
		struct json_object *table = json_object_new_object();
		struct json_object *states = json_object_new_array();

		add_text(table, "cpus", use->cpus);
		for (uint32_t s = 0; s < use->table->count && s < CPIR_STATES_MAX; s++)
			append(states, state_new(&use->table->states[s]));
		add(table, "states", states);
		append(tables, table);
	}
	add(platform, "tables", tables);
	return platform;
}

static struct json_object *matrix_new(const uint64_t (*matrix)[CPIR_STATES_MAX], uint32_t count)
{
	struct json_object *rows = json_object_new_array_ext((int)count);

	for (uint32_t i = 0; i < count; i++) {
		struct json_object *row = json_object_new_array_ext((int)count);

		for (uint32_t j = 0; j < count; j++)
			append(row, json_object_new_uint64(matrix[i][j]));
		append(rows, row);
	}
	return rows;
}

static uint32_t clamp_states(uint32_t count)
{
	return count < CPIR_STATES_MAX ? count : CPIR_STATES_MAX;
}

static struct json_object *agreement_new(const struct cpir_agreement *agreement)
{
	struct json_object *object = json_object_new_object();
	struct json_object *causes = json_object_new_object();

	add_text(object, "policy", agreement->policy);
	add_number(object, "decisions", agreement->decisions);
	add_number(object, "agreed", agreement->agreed);
	add_percent(object, "percent", agreement->agreed, agreement->decisions);
	add_number(object, "undetermined", agreement->undetermined);
	add_number(object, "warmup", agreement->warmup);
	for (unsigned cause = 0; cause < CPIR_CAUSE_COUNT; cause++)
		add_number(causes, cpir_cause_name(cause), agreement->by_cause[cause]);
	add(object, "by_cause", causes);
	add(object, "by_state",
	    matrix_new(agreement->by_state, clamp_states(agreement->state_count)));
	return object;
}

static struct json_object *miss_check_new(const struct cpir_miss_check *check)
{
	struct json_object *object = json_object_new_object();

	add_number(object, "periods", check->periods);
	add_number(object, "equal", check->equal);
	add_number(object, "boundary", check->boundary);
	add_number(object, "rejected", check->rejected);
	add_number(object, "other", check->other);
	return object;
}

static struct json_object *latency_new(const struct cpir_latency *latency)
{
	struct json_object *object = json_object_new_object();

	add_number(object, "count", latency->count);
	add_number(object, "sum_ns", latency->sum_ns);
	add_number(object, "p50_ns", latency->p50_ns);
	add_number(object, "p90_ns", latency->p90_ns);
	add_number(object, "p99_ns", latency->p99_ns);
	add_number(object, "max_ns", latency->max_ns);
	return object;
}

static struct json_object *states_new(const struct cpir_result *result, uint32_t cpu,
				      const struct cpir_totals *totals)
{
	struct json_object *states = json_object_new_array();
	char name[CPIR_NAME_MAX];

	for (uint32_t s = 0; s < clamp_states(totals->state_count); s++) {
		struct json_object *state = json_object_new_object();

		add_text(state, "name", result_state_name(result, cpu, s, name));
		add_number(state, "usage", totals->states[s].usage);
		add_number(state, "time_ns", totals->states[s].time_ns);
		add_number(state, "above", totals->states[s].above);
		add_number(state, "below", totals->states[s].below);
		append(states, state);
	}
	return states;
}

static struct json_object *wakes_new(const struct cpir_totals *totals)
{
	struct json_object *wakes = json_object_new_object();

	for (unsigned wake = 0; wake < CPIR_WAKE_COUNT; wake++)
		add_number(wakes, cpir_wake_name(wake), totals->wakes[wake]);
	return wakes;
}

static void add_range(struct json_object *to, const char *key, const struct cpir_range *range)
{
	struct json_object *pair = json_object_new_array_ext(2);

	append(pair, json_object_new_uint64(range->lo));
	append(pair, json_object_new_uint64(range->hi));
	add(to, key, pair);
}

static struct json_object *range_new(const struct cpir_totals *totals)
{
	struct json_object *range = json_object_new_object();

	add_range(range, "usage", &totals->range_usage);
	add_range(range, "above", &totals->range_above);
	add_range(range, "below", &totals->range_below);
	return range;
}

static struct json_object *kernel_miss_new(const struct cpir_totals *totals)
{
	struct json_object *miss = json_object_new_object();

	add_number(miss, "above", totals->kernel_above);
	add_number(miss, "below", totals->kernel_below);
	return miss;
}

/** struct where - what totals are about: a run, and one CPU of it or ALL_CPUS */
struct where {
	const struct cpir_result *result;
	const struct cpir_run *run;
	uint32_t cpu;
};

static void add_totals(struct json_object *to, const struct where *where,
		       const struct cpir_totals *totals)
{
	add_number(to, "usage", totals->usage);
	add_number(to, "above", totals->above);
	add_number(to, "below", totals->below);
	add_number(to, "rejected", totals->rejected);
	add_number(to, "idle_ns", totals->idle_ns);
	add_number(to, "tick_wakeups", totals->tick_wakeups);
	add_number(to, "tick_stops", totals->tick_stops);
	add(to, "states", states_new(where->result, where->cpu, totals));
	add(to, "latency", latency_new(&totals->exit_latency));
	add(to, "task_latency", latency_new(&totals->task_latency));
	add(to, "wakes", wakes_new(totals));
	if (totals->kernel_miss)
		add(to, "kernel_miss", kernel_miss_new(totals));
	else if (where->run->role == CPIR_ROLE_RECORD)
		add_null(to, "kernel_miss");
	if (totals->has_energy)
		add_number(to, "energy_nj", totals->energy_nj);
	if (totals->has_range)
		add(to, "range", range_new(totals));
}

static struct json_object *changes_new(const struct cpir_run *run)
{
	const struct cpir_changes *changes = &run->changes;
	struct json_object *object = json_object_new_object();

	add_number(object, "decisions", changes->decisions);
	add_number(object, "changed", changes->changed);
	add_number(object, "better", changes->better);
	add_number(object, "worse", changes->worse);
	add_number(object, "same", changes->same);
	add(object, "matrix", matrix_new(changes->matrix, clamp_states(run->total.state_count)));
	return object;
}

static struct json_object *run_new(const struct cpir_result *result, const struct cpir_run *run)
{
	static const char *const roles[] = {[CPIR_ROLE_RECORD] = "record",
					    [CPIR_ROLE_BASELINE] = "baseline",
					    [CPIR_ROLE_PATCHED] = "patched"};
	static const char *const kinds[] = {[CPIR_RUN_RECORD] = "record",
					    [CPIR_RUN_VERIFICATION] = "verification",
					    [CPIR_RUN_WHAT_IF] = "what-if"};
	struct json_object *object = json_object_new_object();
	struct json_object *total = json_object_new_object();
	struct json_object *cpus = json_object_new_array_ext((int)run->cpu_count);

	add_text(object, "name", run->name);
	add_text(object, "role", roles[run->role]);
	if (run->kind != CPIR_RUN_RECORD)
		add_text(object, "run", kinds[run->kind]);
	add_totals(total, &(struct where){result, run, ALL_CPUS}, &run->total);
	add(object, "total", total);
	for (size_t i = 0; i < run->cpu_count; i++) {
		struct json_object *cpu = json_object_new_object();

		add_number(cpu, "cpu", run->cpus[i].cpu);
		add_totals(cpu, &(struct where){result, run, run->cpus[i].cpu},
			   &run->cpus[i].totals);
		append(cpus, cpu);
	}
	add(object, "cpus", cpus);
	if (run->has_changes)
		add(object, "changed", changes_new(run));
	return object;
}

static struct json_object *facts_new(const struct cpir_result *result)
{
	struct json_object *facts = json_object_new_array();

	for (size_t i = 0; i < result->fact_count; i++) {
		struct json_object *fact = json_object_new_object();

		add_text(fact, "name", result->facts[i].name);
		add_text(fact, "value", result->facts[i].value);
		add_text(fact, "origin", result->facts[i].origin);
		append(facts, fact);
	}
	return facts;
}

static struct json_object *delays_new(const struct cpir_result *result)
{
	struct json_object *delays = json_object_new_array();

	for (size_t i = 0; i < result->delay_count; i++) {
		struct json_object *delay = json_object_new_object();

		add_text(delay, "state", result->delays[i].state);
		add_number(delay, "latency_ns", result->delays[i].latency_ns);
		add_number(delay, "samples", result->delays[i].samples);
		append(delays, delay);
	}
	return delays;
}

static struct json_object *document_new(const struct cpir_result *result)
{
	static const char *const schemas[] = {[CPIR_REPORT] = "cpuidle-replay/report",
					      [CPIR_REPLAY] = "cpuidle-replay/replay",
					      [CPIR_COMPARE] = "cpuidle-replay/compare"};
	struct json_object *document = json_object_new_object();
	struct json_object *runs = json_object_new_array();

	add_text(document, "schema", schemas[result->mode]);
	add_number(document, "version", 1);
	add(document, "trace", trace_new(result));
	add(document, "platform", platform_new(result));
	if (result->agreement.valid)
		add(document, "agreement", agreement_new(&result->agreement));
	else
		add_null(document, "agreement");
	if (result->miss_check.valid)
		add(document, "miss_check", miss_check_new(&result->miss_check));
	else
		add_null(document, "miss_check");
	add(document, "facts", facts_new(result));
	add(document, "delays", delays_new(result));
	for (size_t i = 0; i < result->run_count; i++)
		append(runs, run_new(result, &result->runs[i]));
	add(document, "runs", runs);
	add(document, "warnings", texts_new(result->warnings, result->warning_count));
	return document;
}

char *report_json(const struct cpir_result *result)
{
	struct json_object *document = document_new(result);
	const char *text = NULL;
	char *copy = NULL;

	if (!spoiled(document))
		text = json_object_to_json_string_ext(
			document, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE);
	if (text && asprintf(&copy, "%s\n", text) < 0)
		copy = NULL;
	json_object_put(document);
	return copy;
}
