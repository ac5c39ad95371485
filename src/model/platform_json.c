// SPDX-License-Identifier: GPL-2.0-only
/* A platform out of its JSON document, cpuidle-replay-platform(5). */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/parse.h"
#include "model/json_reader.h"
#include "model/platform_build.h"

/* struct loader - the platform being read, and which CPUs were named so far */
struct loader {
	struct json_reader reader;
	struct cpir_platform *platform;
	struct cpu_set has_table, has_latency, has_counters;
};

/* loader_of - the loader whose first member @reader is */
static struct loader *loader_of(struct json_reader *reader)
{
	return (struct loader *)(void *)reader;
}

/* read_cpus - a CPU list, none of which may be in @seen, where they are added */
static int read_cpus(struct json_reader *reader, const char *list, struct cpu_set *seen,
		     struct cpu_set *ret_cpus)
{
	uint32_t last = 0;

	if (parse_cpu_list(list, ret_cpus) || !cpu_set_count(ret_cpus))
		return json_value_error(reader, "cpus",
					"is not a CPU list like \"0-3,8\" of CPUs 0 to %d",
					CPIR_CPUS_MAX - 1);
	for (uint32_t cpu = cpu_set_next(ret_cpus, 0); cpu < CPIR_CPUS_MAX;
	     cpu = cpu_set_next(ret_cpus, cpu + 1)) {
		if (cpu_set_test(seen, cpu))
			return json_value_error(reader, "cpus",
						"names CPU %" PRIu32 ", which has an entry already",
						cpu);
		cpu_set_add(seen, cpu);
		last = cpu;
	}
	return platform_reserve_cpus(loader_of(reader)->platform, last + 1) ? error_oom(reader->err)
									    : 0;
}

/* ---- states and tables -------------------------------------------------------------------------------------------- */

struct state_values {
	const char *name;
	int64_t latency_ns, residency_ns, polling, disabled, power_mw;
};

#define TIME_MAX_US ((int64_t)PLATFORM_TIME_MAX_US)
#define TIME_MAX_NS (TIME_MAX_US * 1000)

static const struct json_key state_keys[] = {
	JSON_TEXT("name", struct state_values, name, CPIR_NAME_MAX - 1),
	JSON_NUMBER("exit_latency_us", struct state_values, latency_ns, 0, TIME_MAX_US, 1000),
	JSON_NUMBER("exit_latency_ns", struct state_values, latency_ns, 0, TIME_MAX_NS, 1),
	JSON_NUMBER("target_residency_us", struct state_values, residency_ns, 0, TIME_MAX_US, 1000),
	JSON_NUMBER("target_residency_ns", struct state_values, residency_ns, 0, TIME_MAX_NS, 1),
	JSON_BOOL("polling", struct state_values, polling),
	JSON_BOOL("disabled", struct state_values, disabled),
	JSON_NUMBER("power_mw", struct state_values, power_mw, 0, INT32_MAX, 1),
	JSON_IGNORED("note"),
	{NULL},
};

static int read_state(struct json_reader *reader, struct json_object *object, void *target)
{
	struct state_values values = {NULL,	  JSON_UNSET, JSON_UNSET,
				      JSON_UNSET, JSON_UNSET, JSON_UNSET};
	struct cpir_table *table = target;
	struct cpir_state *state;
	int r = json_read_object(reader, object, state_keys, &values);

	if (r)
		return r;
	if (!values.name || !*values.name)
		return json_value_error(reader, "name", "is missing");
	if (values.latency_ns == JSON_UNSET)
		return json_value_error(reader, "exit_latency_us", "is missing");
	if (values.residency_ns == JSON_UNSET)
		return json_value_error(reader, "target_residency_us", "is missing");
	if (table->count == CPIR_STATES_MAX)
		return json_value_error(reader, "", "is one state too many (at most %d)",
					CPIR_STATES_MAX);
	state = &table->states[table->count++];
	memcpy(state->name, values.name, strlen(values.name) + 1);
	state->exit_latency_ns = (uint64_t)values.latency_ns;
	state->target_residency_ns = (uint64_t)values.residency_ns;
	state->polling = values.polling == JSON_UNSET
				 ? state_polls(loader_of(reader)->platform->driver, values.name, "")
				 : values.polling;
	state->disabled = values.disabled == 1;
	state->power_mw = values.power_mw == JSON_UNSET ? -1 : values.power_mw;
	return 0;
}

/* add_table - the table made of @states for the CPUs of @cpus; NULL: for all that have no other */
static int add_table(struct json_reader *reader, const char *cpus, struct json_object *states)
{
	struct cpir_platform *platform = loader_of(reader)->platform;
	struct cpir_table table = {0};
	struct cpu_set set = {0};
	int32_t index;
	int r = json_read_list(reader, "states", states, read_state, &table);

	if (!r && !table.count)
		return json_value_error(reader, "states", "is missing or empty");
	if (!r && cpus)
		r = read_cpus(reader, cpus, &loader_of(reader)->has_table, &set);
	if (r)
		return r;
	if (!cpus && platform->default_table >= 0)
		return json_value_error(reader, "cpus",
					"is missing, and another table has none either");
	index = platform_add_table(platform, &table);
	if (index < 0)
		return error_oom(reader->err);
	if (!cpus)
		platform->default_table = index;
	for (uint32_t cpu = cpu_set_next(&set, 0); cpu < CPIR_CPUS_MAX;
	     cpu = cpu_set_next(&set, cpu + 1))
		platform->cpu_table[cpu] = index;
	return 0;
}

struct table_values {
	const char *cpus;
	struct json_object *states;
};

#define CPU_LIST_TEXT_MAX 65536 /* bytes; every second of CPIR_CPUS_MAX CPUs takes 20000 */

static const struct json_key table_keys[] = {
	JSON_TEXT("cpus", struct table_values, cpus, CPU_LIST_TEXT_MAX),
	JSON_VALUE("states", struct table_values, states, json_type_array),
	JSON_IGNORED("note"),
	{NULL},
};

static int read_table(struct json_reader *reader, struct json_object *object, void *target)
{
	struct table_values values = {0};
	int r = json_read_object(reader, object, table_keys, &values);

	(void)target;
	return r ? r : add_table(reader, values.cpus, values.states);
}

/* ---- constraints and counters of single CPUs ---------------------------------------------------------------------- */

struct latency_values {
	const char *cpus;
	struct json_object *latency;
};

static const struct json_key latency_keys[] = {
	JSON_TEXT("cpus", struct latency_values, cpus, CPU_LIST_TEXT_MAX),
	JSON_VALUE("latency_us", struct latency_values, latency, json_type_null),
	{NULL},
};

/* Two passes over the latencies and counters: the first only finds out how many CPUs there are. */
static int read_latency(struct json_reader *reader, struct json_object *object, void *target)
{
	struct latency_values values = {0};
	const bool *store = target;
	int64_t us = INT32_MAX;
	struct cpu_set set;
	int r = json_read_object(reader, object, latency_keys, &values);

	if (r)
		return r;
	if (values.latency) {
		us = json_object_get_int64(values.latency);
		if (!json_object_is_type(values.latency, json_type_int) || us < 0 ||
		    us >= INT32_MAX)
			return json_value_error(
				reader, "latency_us",
				"is neither microseconds nor null for no constraint");
	}
	r = read_cpus(reader, values.cpus, &loader_of(reader)->has_latency, &set);
	if (r || !*store)
		return r;
	for (uint32_t cpu = cpu_set_next(&set, 0); cpu < CPIR_CPUS_MAX;
	     cpu = cpu_set_next(&set, cpu + 1))
		loader_of(reader)->platform->resume_latency_us[cpu] = (int32_t)us;
	return 0;
}

struct counter_values {
	int64_t usage, time_us, above, below, rejected;
};

static const struct json_key counter_keys[] = {
	JSON_NUMBER("usage", struct counter_values, usage, 0, PLATFORM_COUNTER_MAX, 1),
	JSON_NUMBER("time_us", struct counter_values, time_us, 0, PLATFORM_COUNTER_MAX, 1),
	JSON_NUMBER("above", struct counter_values, above, 0, PLATFORM_COUNTER_MAX, 1),
	JSON_NUMBER("below", struct counter_values, below, 0, PLATFORM_COUNTER_MAX, 1),
	JSON_NUMBER("rejected", struct counter_values, rejected, 0, PLATFORM_COUNTER_MAX, 1),
	{NULL},
};

static uint64_t or_zero(int64_t value)
{
	return value == JSON_UNSET ? 0 : (uint64_t)value;
}

/* read_state_counters - @target: the place of the next state's counters, NULL in the first pass */
static int read_state_counters(struct json_reader *reader, struct json_object *object, void *target)
{
	struct counter_values values = {JSON_UNSET, JSON_UNSET, JSON_UNSET, JSON_UNSET, JSON_UNSET};
	struct platform_counters **next = target;
	int r = json_read_object(reader, object, counter_keys, &values);

	if (r || !*next)
		return r;
	*(*next)++ = (struct platform_counters){
		.usage = or_zero(values.usage),
		.time_us = or_zero(values.time_us),
		.above = or_zero(values.above),
		.below = or_zero(values.below),
		.rejected = or_zero(values.rejected),
	};
	return 0;
}

struct cpu_values {
	int64_t cpu;
	struct json_object *states;
};

static const struct json_key cpu_keys[] = {
	JSON_NUMBER("cpu", struct cpu_values, cpu, 0, CPIR_CPUS_MAX - 1, 1),
	JSON_VALUE("states", struct cpu_values, states, json_type_array),
	{NULL},
};

static int read_cpu_counters(struct json_reader *reader, struct json_object *object, void *target)
{
	struct loader *loader = loader_of(reader);
	struct cpu_values values = {JSON_UNSET, NULL};
	struct platform_counters *next = NULL;
	const struct cpir_table *table;
	const bool *store = target;
	int r = json_read_object(reader, object, cpu_keys, &values);

	if (r)
		return r;
	if (values.cpu == JSON_UNSET)
		return json_value_error(reader, "cpu", "is missing");
	if (cpu_set_test(&loader->has_counters, (uint32_t)values.cpu))
		return json_value_error(reader, "cpu", "has an entry already");
	cpu_set_add(&loader->has_counters, (uint32_t)values.cpu);
	if (platform_reserve_cpus(loader->platform, (uint32_t)values.cpu + 1))
		return error_oom(reader->err);
	if (loader->platform->cpu_table[values.cpu] < 0)
		loader->platform->cpu_table[values.cpu] = loader->platform->default_table;
	table = cpir_platform_table(loader->platform, (uint32_t)values.cpu);
	if (!table || !values.states || json_object_array_length(values.states) != table->count)
		return json_value_error(reader, "states",
					"must have as many entries as the CPU has states");
	if (*store)
		next = &loader->platform->counters[values.cpu * CPIR_STATES_MAX];
	return json_read_list(reader, "states", values.states, read_state_counters, &next);
}

/* ---- the document ------------------------------------------------------------------------------------------------- */

struct document {
	const char *schema, *driver, *governor, *kernel, *nohz, *nohz_full;
	int64_t version, hz, poll_limit_ns;
	struct json_object *states, *tables, *latencies, *counters;
};

static const struct json_key document_keys[] = {
	JSON_TEXT("schema", struct document, schema, PLATFORM_TEXT_MAX),
	JSON_NUMBER("version", struct document, version, 1, 1, 1),
	JSON_IGNORED("id"),
	JSON_IGNORED("description"),
	JSON_IGNORED("source"),
	JSON_IGNORED("note"),
	JSON_TEXT("driver", struct document, driver, PLATFORM_TEXT_MAX),
	JSON_TEXT("governor", struct document, governor, PLATFORM_TEXT_MAX),
	JSON_TEXT("kernel", struct document, kernel, PLATFORM_TEXT_MAX),
	JSON_NUMBER("hz", struct document, hz, PLATFORM_HZ_MIN, PLATFORM_HZ_MAX, 1),
	JSON_TEXT("nohz", struct document, nohz, PLATFORM_TEXT_MAX),
	JSON_TEXT("nohz_full_cpus", struct document, nohz_full, CPU_LIST_TEXT_MAX),
	JSON_NUMBER("poll_limit_us", struct document, poll_limit_ns, 0, TIME_MAX_US, 1000),
	JSON_NUMBER("poll_limit_ns", struct document, poll_limit_ns, 0, TIME_MAX_NS, 1),
	JSON_VALUE("states", struct document, states, json_type_array),
	JSON_VALUE("tables", struct document, tables, json_type_array),
	JSON_VALUE("resume_latencies", struct document, latencies, json_type_array),
	JSON_VALUE("counters", struct document, counters, json_type_array),
	{NULL},
};

/* set_nohz - check the words of the NO_HZ mode and rewrite its CPU list in its shortest form */
static int set_nohz(struct json_reader *reader, const struct document *doc)
{
	static const char *const modes[] = {"", "idle", "full", "off"};
	struct cpu_set set = {0};
	bool known = !doc->nohz;
	char *list;

	for (size_t i = 0; !known && i < array_size(modes); i++)
		known = !strcmp(doc->nohz, modes[i]);
	if (!known)
		return json_value_error(reader, "nohz", "is none of idle, full and off");
	if (parse_cpu_list(doc->nohz_full, &set))
		return json_value_error(reader, "nohz_full_cpus",
					"is not a CPU list like \"1-3,8\"");
	list = cpu_list_format(&set);
	if (!list)
		return error_oom(reader->err);
	free(loader_of(reader)->platform->nohz_full_cpus);
	loader_of(reader)->platform->nohz_full_cpus = list;
	if (doc->nohz && platform_set_text(&loader_of(reader)->platform->nohz, doc->nohz))
		return error_oom(reader->err);
	return 0;
}

static int set_facts(struct json_reader *reader, const struct document *doc)
{
	struct cpir_platform *platform = loader_of(reader)->platform;

	if (doc->schema && strcmp(doc->schema, "cpuidle-replay/platform"))
		return json_value_error(reader, "schema", "is not cpuidle-replay/platform");
	if (!doc->states && !doc->tables)
		return json_value_error(reader, "",
					"not a platform: it has neither states nor tables");
	if (doc->states && doc->tables)
		return json_value_error(reader, "states", "and tables are both given");
	if ((doc->driver && platform_set_text(&platform->driver, doc->driver)) ||
	    (doc->governor && platform_set_text(&platform->governor, doc->governor)) ||
	    (doc->kernel && platform_set_text(&platform->kernel, doc->kernel)))
		return error_oom(reader->err);
	if (doc->hz != JSON_UNSET)
		platform->hz = (uint32_t)doc->hz;
	if (doc->poll_limit_ns != JSON_UNSET)
		platform->poll_limit_ns = doc->poll_limit_ns;
	return set_nohz(reader, doc);
}

static int read_cpu_lists(struct json_reader *reader, const struct document *doc, bool store)
{
	int r;

	loader_of(reader)->has_latency = loader_of(reader)->has_counters = (struct cpu_set){0};
	r = json_read_list(reader, "resume_latencies", doc->latencies, read_latency, &store);
	if (r)
		return r;
	return json_read_list(reader, "counters", doc->counters, read_cpu_counters, &store);
}

static int read_document(struct json_reader *reader, struct json_object *root)
{
	struct document doc = {
		.version = JSON_UNSET, .hz = JSON_UNSET, .poll_limit_ns = JSON_UNSET};
	int r = json_read_object(reader, root, document_keys, &doc);

	if (!r)
		r = set_facts(reader, &doc);
	if (!r && doc.states && json_object_array_length(doc.states))
		r = add_table(reader, NULL, doc.states);
	if (!r)
		r = json_read_list(reader, "tables", doc.tables, read_table, NULL);
	if (!r)
		r = read_cpu_lists(reader, &doc, false);
	if (!r && doc.latencies && platform_make_latencies(loader_of(reader)->platform))
		r = error_oom(reader->err);
	if (!r && doc.counters && platform_make_counters(loader_of(reader)->platform))
		r = error_oom(reader->err);
	if (!r)
		r = read_cpu_lists(reader, &doc, true);
	return r;
}

int platform_read_json(const char *text, const char *name, struct cpir_platform **ret_platform,
		       struct cpir_error *err)
{
	struct loader loader = {
		.reader = {.file = name, .page = "cpuidle-replay-platform(5)", .err = err}};
	struct json_object *root;
	int r = json_document_parse(&loader.reader, text, &root);

	if (r)
		return r;
	loader.platform = platform_new(name);
	r = loader.platform ? read_document(&loader.reader, root) : error_oom(err);
	json_object_put(root);
	if (r) {
		cpir_platform_free(loader.platform);
		return r;
	}
	platform_finish(loader.platform);
	*ret_platform = loader.platform;
	return 0;
}
