// SPDX-License-Identifier: GPL-2.0-only
/*
 * The JSON document: raw integers, nanoseconds, in a fixed order. The same input gives the same bytes: no dates, and no
 * path but the one the user gave.
 */
#include "report/report.h"

#include "report/json_build.h"
#include "report/json_decisions.h"
#include "report/runs.h"

static struct json_object *texts_new(const char *const *texts, size_t count)
{
	struct json_object *array = json_object_new_array_ext((int)count);

	for (size_t i = 0; i < count; i++)
		json_append(array, json_text_new(texts[i]));
	return array;
}

/* The names of the missing events, without the sentences on what they cost. */
static struct json_object *missing_names_new(const struct cpir_result *result)
{
	struct json_object *names = json_object_new_array();

	for (size_t i = 0; i < result->trace.missing_count; i++) {
		const char *text = result->trace.missing[i], *end = strstr(text, ": ");
		char *name = strndup(text, end ? (size_t)(end - text) : strlen(text));

		json_append(names, name ? json_text_new(name) : NULL);
		free(name);
	}
	return names;
}

static struct json_object *trace_new(const struct cpir_result *result)
{
	struct json_object *trace = json_object_new_object();
	struct json_object *events = json_object_new_object();

	json_add_text(trace, "file", result->trace.file);
	json_add_text(trace, "format", result->trace.format);
	json_add_text(trace, "kernel", result->trace.kernel);
	json_add_text(trace, "clock", result->trace.clock);
	json_add_number(trace, "cpus", result->trace.cpus);
	json_add_number(trace, "begin_ns", result->trace.begin_ns);
	json_add_number(trace, "end_ns", result->trace.end_ns);
	for (size_t i = 0; i < result->trace.event_count; i++)
		json_add_number(events, result->trace.events[i].name,
				result->trace.events[i].count);
	json_add(trace, "events", events);
	json_add(trace, "missing", missing_names_new(result));
	json_add(trace, "missing_costs",
		 texts_new(result->trace.missing, result->trace.missing_count));
	json_add_number(trace, "lost", result->trace.lost);
	json_add_number(trace, "lost_uncounted", result->trace.lost_uncounted);
	return trace;
}

static struct json_object *state_new(const struct cpir_state *state)
{
	struct json_object *object = json_object_new_object();

	json_add_text(object, "name", state->name);
	json_add_number(object, "exit_latency_ns", state->exit_latency_ns);
	json_add_number(object, "target_residency_ns", state->target_residency_ns);
	json_add_bool(object, "polling", state->polling);
	json_add_bool(object, "disabled", state->disabled);
	if (state->power_mw >= 0)
		json_add_number(object, "power_mw", (uint64_t)state->power_mw);
	return object;
}

static struct json_object *platform_new(const struct cpir_result *result)
{
	struct json_object *platform = json_object_new_object();
	struct json_object *tables = json_object_new_array();

	json_add_text(platform, "source", result->platform.source);
	json_add_number(platform, "hz", result->platform.hz);
	json_add_text(platform, "driver", result->platform.driver);
	json_add_text(platform, "governor", result->platform.governor);
	for (size_t i = 0; i < result->platform.table_count; i++) {
		const struct cpir_table_use *use = &result->platform.tables[i];
		struct json_object *table = json_object_new_object();
		struct json_object *states = json_object_new_array();

		json_add_text(table, "cpus", use->cpus);
		for (uint32_t s = 0; s < use->table->count && s < CPIR_STATES_MAX; s++)
			json_append(states, state_new(&use->table->states[s]));
		json_add(table, "states", states);
		json_append(tables, table);
	}
	json_add(platform, "tables", tables);
	return platform;
}

static struct json_object *matrix_new(const uint64_t (*matrix)[CPIR_STATES_MAX], uint32_t count)
{
	struct json_object *rows = json_object_new_array_ext((int)count);

	for (uint32_t i = 0; i < count; i++) {
		struct json_object *row = json_object_new_array_ext((int)count);

		for (uint32_t j = 0; j < count; j++)
			json_append(row, json_object_new_uint64(matrix[i][j]));
		json_append(rows, row);
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

	json_add_text(object, "policy", agreement->policy);
	json_add_number(object, "decisions", agreement->decisions);
	json_add_number(object, "agreed", agreement->agreed);
	json_add_percent(object, "percent", agreement->agreed, agreement->decisions);
	json_add_number(object, "undetermined", agreement->undetermined);
	json_add_number(object, "warmup", agreement->warmup);
	for (unsigned cause = 0; cause < CPIR_CAUSE_COUNT; cause++)
		json_add_number(causes, cpir_cause_name(cause), agreement->by_cause[cause]);
	json_add(object, "by_cause", causes);
	json_add(object, "by_state",
		 matrix_new(agreement->by_state, clamp_states(agreement->state_count)));
	return object;
}

static struct json_object *miss_check_new(const struct cpir_miss_check *check)
{
	struct json_object *object = json_object_new_object();

	json_add_number(object, "periods", check->periods);
	json_add_number(object, "equal", check->equal);
	json_add_number(object, "boundary", check->boundary);
	json_add_number(object, "other", check->other);
	return object;
}

static struct json_object *latency_new(const struct cpir_latency *latency)
{
	struct json_object *object = json_object_new_object();

	json_add_number(object, "count", latency->count);
	json_add_number(object, "sum_ns", latency->sum_ns);
	json_add_number(object, "p50_ns", latency->p50_ns);
	json_add_number(object, "p90_ns", latency->p90_ns);
	json_add_number(object, "p99_ns", latency->p99_ns);
	json_add_number(object, "max_ns", latency->max_ns);
	return object;
}

static void add_known(struct json_object *to, const char *key, bool known, uint64_t number)
{
	if (known)
		json_add_number(to, key, number);
	else
		json_add_null(to, key);
}

static struct json_object *states_new(const struct cpir_result *result, uint32_t cpu,
				      const struct cpir_totals *totals)
{
	struct json_object *states = json_object_new_array();
	char name[CPIR_NAME_MAX];

	for (uint32_t s = 0; s < clamp_states(totals->state_count); s++) {
		struct json_object *state = json_object_new_object();

		json_add_text(state, "name", result_state_name(result, cpu, s, name));
		json_add_number(state, "usage", totals->states[s].usage);
		json_add_number(state, "time_ns", totals->states[s].time_ns);
		add_known(state, "above", !totals->miss_unknown, totals->states[s].above);
		add_known(state, "below", !totals->miss_unknown, totals->states[s].below);
		json_append(states, state);
	}
	return states;
}

static struct json_object *wakes_new(const struct cpir_totals *totals)
{
	struct json_object *wakes = json_object_new_object();

	for (unsigned wake = 0; wake < CPIR_WAKE_COUNT; wake++)
		json_add_number(wakes, cpir_wake_name(wake), totals->wakes[wake]);
	return wakes;
}

static void add_range(struct json_object *to, const char *key, const struct cpir_range *range)
{
	struct json_object *pair = json_object_new_array_ext(2);

	json_append(pair, json_object_new_uint64(range->lo));
	json_append(pair, json_object_new_uint64(range->hi));
	json_add(to, key, pair);
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

	json_add_number(miss, "above", totals->kernel_above);
	json_add_number(miss, "below", totals->kernel_below);
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
	json_add_number(to, "span_ns", totals->span_ns);
	json_add_number(to, "usage", totals->usage);
	add_known(to, "above", !totals->miss_unknown, totals->above);
	add_known(to, "below", !totals->miss_unknown, totals->below);
	add_known(to, "rejected", totals->rejected_known, totals->rejected);
	json_add_number(to, "idle_ns", totals->idle_ns);
	json_add_number(to, "tick_wakeups", totals->tick_wakeups);
	add_known(to, "tick_stops", !totals->tick_stops_unknown, totals->tick_stops);
	json_add(to, "states", states_new(where->result, where->cpu, totals));
	json_add(to, "latency", latency_new(&totals->exit_latency));
	json_add(to, "task_latency", latency_new(&totals->task_latency));
	json_add(to, "wakes", wakes_new(totals));
	if (totals->kernel_miss)
		json_add(to, "kernel_miss", kernel_miss_new(totals));
	else if (where->run->role == CPIR_ROLE_RECORD)
		json_add_null(to, "kernel_miss");
	if (totals->has_energy)
		json_add_number(to, "energy_nj", totals->energy_nj);
	if (totals->has_range)
		json_add(to, "range", range_new(totals));
}

static struct json_object *changes_new(const struct cpir_run *run)
{
	const struct cpir_changes *changes = &run->changes;
	struct json_object *object = json_object_new_object();

	json_add_number(object, "decisions", changes->decisions);
	json_add_number(object, "changed", changes->changed);
	json_add_number(object, "better", changes->better);
	json_add_number(object, "worse", changes->worse);
	json_add_number(object, "same", changes->same);
	json_add(object, "matrix",
		 matrix_new(changes->matrix, clamp_states(run->total.state_count)));
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

	json_add_text(object, "name", run->name);
	json_add_text(object, "role", roles[run->role]);
	if (run->kind != CPIR_RUN_RECORD)
		json_add_text(object, "run", kinds[run->kind]);
	add_totals(total, &(struct where){result, run, ALL_CPUS}, &run->total);
	json_add(object, "total", total);
	for (size_t i = 0; i < run->cpu_count; i++) {
		struct json_object *cpu = json_object_new_object();

		json_add_number(cpu, "cpu", run->cpus[i].cpu);
		add_totals(cpu, &(struct where){result, run, run->cpus[i].cpu},
			   &run->cpus[i].totals);
		json_append(cpus, cpu);
	}
	json_add(object, "cpus", cpus);
	if (run->has_changes)
		json_add(object, "changed", changes_new(run));
	return object;
}

static struct json_object *facts_new(const struct cpir_result *result)
{
	struct json_object *facts = json_object_new_array();

	for (size_t i = 0; i < result->fact_count; i++) {
		struct json_object *fact = json_object_new_object();

		json_add_text(fact, "name", result->facts[i].name);
		json_add_text(fact, "value", result->facts[i].value);
		json_add_text(fact, "origin", result->facts[i].origin);
		json_add_text(fact, "effect", result->facts[i].effect);
		json_append(facts, fact);
	}
	return facts;
}

static const char *const delay_from[] = {
	[CPIR_DELAY_TABLE] = "exit latency",
	[CPIR_DELAY_WAKINGS] = "wakings",
	[CPIR_DELAY_TICKS] = "ticks",
};

static struct json_object *delays_new(const struct cpir_result *result)
{
	struct json_object *delays = json_object_new_array();

	for (size_t i = 0; i < result->delay_count; i++) {
		struct json_object *delay = json_object_new_object();

		json_add_text(delay, "state", result->delays[i].state);
		json_add_number(delay, "latency_ns", result->delays[i].latency_ns);
		json_add_number(delay, "samples", result->delays[i].samples);
		json_add_text(delay, "from", delay_from[result->delays[i].from]);
		json_append(delays, delay);
	}
	return delays;
}

static struct json_object *document_new(const struct cpir_result *result)
{
	static const char *const schemas[] = {[CPIR_REPORT] = "cpuidle-replay/report",
					      [CPIR_REPLAY] = "cpuidle-replay/replay",
					      [CPIR_COMPARE] = "cpuidle-replay/compare",
					      [CPIR_EXPLAIN] = "cpuidle-replay/explain"};
	struct json_object *document = json_object_new_object();
	struct json_object *runs = json_object_new_array();

	json_add_text(document, "schema", schemas[result->mode]);
	json_add_number(document, "version", 1);
	json_add(document, "trace", trace_new(result));
	json_add(document, "platform", platform_new(result));
	if (result->agreement.valid)
		json_add(document, "agreement", agreement_new(&result->agreement));
	else
		json_add_null(document, "agreement");
	if (result->miss_check.valid)
		json_add(document, "miss_check", miss_check_new(&result->miss_check));
	else
		json_add_null(document, "miss_check");
	json_add(document, "facts", facts_new(result));
	json_add(document, "delays", delays_new(result));
	for (size_t i = 0; i < result->run_count; i++)
		json_append(runs, run_new(result, &result->runs[i]));
	json_add(document, "runs", runs);
	json_add_decisions(document, result);
	json_add(document, "warnings", texts_new(result->warnings, result->warning_count));
	return document;
}

char *report_json(const struct cpir_result *result)
{
	struct json_object *document = document_new(result);
	const char *text = NULL;
	char *copy = NULL;

	if (!json_spoiled(document))
		text = json_object_to_json_string_ext(
			document, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE);
	if (text && asprintf(&copy, "%s\n", text) < 0)
		copy = NULL;
	json_object_put(document);
	return copy;
}
