// SPDX-License-Identifier: GPL-2.0-only
/*
 * A platform out of single files of sysfs: what each file means, and which must be there.
 *
 * Facts about the files that are not obvious:
 *  - latency, residency and time are in microseconds; power is in mW, where 0 and negative numbers (shown as unsigned)
 *    mean that nobody filled it in.
 *  - disable shows a bit mask: 1 disabled by the user, 2 by the driver. Older kernels show 0 or 1.
 *  - pm_qos_resume_latency_us shows 0 for "no constraint" and n/a for "no latency at all is tolerated".
 *  - nohz_full shows "(null)" or nothing when there is no such CPU.
 */
#include "model/platform_draft.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/parse.h"
#include "model/platform_build.h"

enum attribute {
	ATTR_NAME,
	ATTR_DESC,
	ATTR_DEFAULT_STATUS,
	ATTR_LATENCY,
	ATTR_RESIDENCY,
	ATTR_DISABLE,
	ATTR_POWER,
	ATTR_USAGE,
	ATTR_TIME,
	ATTR_ABOVE,
	ATTR_BELOW,
	ATTR_REJECTED,
};

/* The files of a state; @max is the largest number they can show, 0 for those that show text. */
static const struct {
	const char *name;
	uint64_t max;
} attributes[] = {
	[ATTR_NAME] = {"name", 0},
	[ATTR_DESC] = {"desc", 0},
	[ATTR_DEFAULT_STATUS] = {"default_status", 0},
	[ATTR_LATENCY] = {"latency", PLATFORM_TIME_MAX_US},
	[ATTR_RESIDENCY] = {"residency", PLATFORM_TIME_MAX_US},
	[ATTR_DISABLE] = {"disable", UINT64_MAX},
	[ATTR_POWER] = {"power", UINT32_MAX},
	[ATTR_USAGE] = {"usage", PLATFORM_COUNTER_MAX},
	[ATTR_TIME] = {"time", PLATFORM_COUNTER_MAX},
	[ATTR_ABOVE] = {"above", PLATFORM_COUNTER_MAX},
	[ATTR_BELOW] = {"below", PLATFORM_COUNTER_MAX},
	[ATTR_REJECTED] = {"rejected", PLATFORM_COUNTER_MAX},
};

#define SEEN(attr) (1u << (attr))
#define SEEN_REQUIRED (SEEN(ATTR_NAME) | SEEN(ATTR_LATENCY) | SEEN(ATTR_RESIDENCY))
#define SEEN_COUNTERS                                                                              \
	(SEEN(ATTR_USAGE) | SEEN(ATTR_TIME) | SEEN(ATTR_ABOVE) | SEEN(ATTR_BELOW) |                \
	 SEEN(ATTR_REJECTED))

struct draft_state {
	uint32_t seen;
	bool core_poll;	   /* the description is that of the core's polling state */
	bool off_at_start; /* default_status */
	char name[CPIR_NAME_MAX];
	uint64_t values[array_size(attributes)];
};

struct draft_cpu {
	uint32_t state_count; /* highest state number + 1 */
	bool has_latency;
	int32_t latency_us;
	struct draft_state states[CPIR_STATES_MAX];
};

struct draft {
	const char *name;
	char *driver, *governor, *kernel, *nohz_full;
	uint32_t hz;
	bool tick_stops, tick_always; /* configured with NO_HZ; never stops the tick */
	bool has_counters, has_latencies;
	struct draft_cpu *cpus[CPIR_CPUS_MAX];
};

struct draft *draft_new(const char *name)
{
	struct draft *draft = calloc(1, sizeof(*draft));

	if (draft)
		draft->name = name;
	return draft;
}

void draft_free(struct draft *draft)
{
	if (!draft)
		return;
	for (uint32_t cpu = 0; cpu < CPIR_CPUS_MAX; cpu++)
		free(draft->cpus[cpu]);
	free(draft->driver);
	free(draft->governor);
	free(draft->kernel);
	free(draft->nohz_full);
	free(draft);
}

/* item_error - a sentence about one file: where it is, what is wrong with it */
static int item_error(const struct draft *draft, const struct draft_item *item, const char *what,
		      struct cpir_error *err)
{
	if (item->line)
		return error_set(err, -EINVAL, "%s:%zu: %s (%.200s: \"%.60s\")", draft->name,
				 item->line, what, item->path, item->value);
	return error_set(err, -EINVAL, "%s/%.200s: %s (\"%.60s\")", draft->name, item->path, what,
			 item->value);
}

/* put_text - a name of the machine's; the first one given counts */
static int put_text(struct draft *draft, const struct draft_item *item, char **field,
		    struct cpir_error *err)
{
	if (!text_is_clean(item->value, PLATFORM_TEXT_MAX))
		return item_error(draft, item, "too long, or control characters in it", err);
	if (*field)
		return 0;
	*field = strdup(item->value);
	return *field ? 0 : error_oom(err);
}

static int put_state_text(struct draft *draft, struct draft_state *state, enum attribute attr,
			  const struct draft_item *item, struct cpir_error *err)
{
	size_t len = strlen(item->value);

	if (attr == ATTR_DESC) {
		state->core_poll = !strcmp(item->value, "CPUIDLE CORE POLL IDLE");
		return 0;
	}
	if (attr == ATTR_DEFAULT_STATUS) {
		state->off_at_start = !strcmp(item->value, "disabled");
		return 0;
	}
	if (!len || !text_is_clean(item->value, CPIR_NAME_MAX - 1))
		return item_error(draft, item, "not a state name of 1 to 31 characters", err);
	memcpy(state->name, item->value, len + 1);
	return 0;
}

static int put_state(struct draft *draft, struct draft_state *state, const char *file,
		     const struct draft_item *item, struct cpir_error *err)
{
	for (unsigned i = 0; i < array_size(attributes); i++) {
		if (strcmp(file, attributes[i].name))
			continue;
		if (state->seen & SEEN(i))
			return item_error(draft, item, "given twice; use one snapshot", err);
		state->seen |= SEEN(i);
		if (!attributes[i].max)
			return put_state_text(draft, state, (enum attribute)i, item, err);
		if (parse_u64(item->value, 0, attributes[i].max, &state->values[i]))
			return item_error(draft, item, "not a number this file can show", err);
		draft->has_counters |= !!(SEEN(i) & SEEN_COUNTERS);
		return 0;
	}
	return 0; /* s2idle/ and what later kernels add */
}

static int put_latency(struct draft *draft, struct draft_cpu *cpu, const struct draft_item *item,
		       struct cpir_error *err)
{
	uint32_t us = 0;
	bool none_tolerated = !strcmp(item->value, "n/a");

	if (cpu->has_latency)
		return item_error(draft, item, "given twice; use one snapshot", err);
	if (!none_tolerated && parse_u32(item->value, 0, INT32_MAX, &us))
		return item_error(draft, item, "neither microseconds nor n/a", err);
	cpu->latency_us = us || none_tolerated ? (int32_t)us : INT32_MAX;
	cpu->has_latency = draft->has_latencies = true;
	return 0;
}

static int put_nohz_full(struct draft *draft, const struct draft_item *item, struct cpir_error *err)
{
	struct cpu_set set = {0};

	if (strcmp(item->value, "(null)") && parse_cpu_list(item->value, &set))
		return item_error(draft, item, "not a CPU list", err);
	free(draft->nohz_full);
	draft->nohz_full = cpu_list_format(&set);
	return draft->nohz_full ? 0 : error_oom(err);
}

static void put_cmdline(struct draft *draft, const char *line)
{
	static const char *const off[] = {"nohz=off", "nohz=0", "nohz=n", "highres=off"};

	for (size_t i = 0; i < array_size(off); i++) {
		size_t len = strlen(off[i]);

		for (const char *p = line; (p = strstr(p, off[i])); p += len) {
			bool starts = p == line || p[-1] == ' ';

			draft->tick_always |= starts && (!p[len] || p[len] == ' ');
		}
	}
}

static int put_config(struct draft *draft, const struct draft_item *item, struct cpir_error *err)
{
	const char *value = item->value;

	if (!strncmp(value, "CONFIG_HZ=", 10)) {
		if (parse_u32(value + 10, PLATFORM_HZ_MIN, PLATFORM_HZ_MAX, &draft->hz))
			return item_error(draft, item, "not a tick rate", err);
	}
	draft->tick_stops |= !strcmp(value, "CONFIG_NO_HZ_COMMON=y") ||
			     !strcmp(value, "CONFIG_NO_HZ_IDLE=y") ||
			     !strcmp(value, "CONFIG_NO_HZ_FULL=y");
	draft->tick_always |= !strcmp(value, "CONFIG_HZ_PERIODIC=y");
	return 0;
}

/* numbered - the N of a path component like "cpuN": 0, -EINVAL not of that form, -ERANGE above @max */
static int numbered(const char *word, const char *prefix, uint32_t max, uint32_t *ret_number)
{
	size_t len = strlen(prefix);

	if (strncmp(word, prefix, len))
		return -EINVAL;
	return parse_u32(word + len, 0, max, ret_number);
}

static struct draft_cpu *draft_cpu(struct draft *draft, uint32_t number)
{
	if (!draft->cpus[number])
		draft->cpus[number] = calloc(1, sizeof(*draft->cpus[number]));
	return draft->cpus[number];
}

#define WORDS 4

/* put_cpu - @word: the last four components of the path, of which one should be cpuN */
static int put_cpu(struct draft *draft, char *const word[WORDS], const struct draft_item *item,
		   struct cpir_error *err)
{
	bool latency = !strcmp(word[2], "power") && !strcmp(word[3], "pm_qos_resume_latency_us");
	bool state = !strcmp(word[1], "cpuidle") && !strncmp(word[2], "state", 5);
	uint32_t number, index = 0;
	struct draft_cpu *cpu;
	int r;

	if (!latency && !state)
		return 0;
	r = numbered(word[latency ? 1 : 0], "cpu", CPIR_CPUS_MAX - 1, &number);
	if (r == -ERANGE)
		return item_error(draft, item, "more CPUs than supported", err);
	if (!r && state)
		r = numbered(word[2], "state", CPIR_STATES_MAX - 1, &index);
	if (r == -ERANGE)
		return item_error(draft, item, "more states than supported", err);
	if (r)
		return 0;
	cpu = draft_cpu(draft, number);
	if (!cpu)
		return error_oom(err);
	if (latency)
		return put_latency(draft, cpu, item, err);
	if (index >= cpu->state_count)
		cpu->state_count = index + 1;
	return put_state(draft, &cpu->states[index], word[3], item, err);
}

/* path_split - the last components of a path, "" for those it has not; @path is cut up */
static void path_split(char *path, char *word[WORDS])
{
	for (int i = WORDS - 1; i >= 0; i--) {
		char *slash = strrchr(path, '/');

		word[i] = slash ? slash + 1 : path;
		if (slash)
			*slash = '\0';
		else
			path = strchr(path, '\0');
	}
}

int draft_put(struct draft *draft, const struct draft_item *item, struct cpir_error *err)
{
	char path[256], *word[WORDS];
	size_t len = strlen(item->path);

	if (len >= sizeof(path))
		return 0;
	memcpy(path, item->path, len + 1);
	path_split(path, word);
	if (!strcmp(word[2], "cpuidle") && !strcmp(word[3], "current_driver"))
		return put_text(draft, item, &draft->driver, err);
	if (!strcmp(word[2], "cpuidle") && !strncmp(word[3], "current_governor", 16))
		return put_text(draft, item, &draft->governor, err);
	if (!strcmp(word[3], "nohz_full"))
		return put_nohz_full(draft, item, err);
	if (!strcmp(word[2], "kernel") && !strcmp(word[3], "osrelease"))
		return put_text(draft, item, &draft->kernel, err);
	if (!strcmp(word[3], "cmdline"))
		put_cmdline(draft, item->value);
	if (!strncmp(word[3], "config", 6))
		return put_config(draft, item, err);
	return put_cpu(draft, word, item, err);
}

/* state_make - the finished state out of its files, all of which are known to be there */
static struct cpir_state state_make(const struct draft *draft, const struct draft_state *from)
{
	const char *driver = draft->driver ? draft->driver : "";
	uint64_t power = from->values[ATTR_POWER];
	struct cpir_state state = {
		.exit_latency_ns = from->values[ATTR_LATENCY] * 1000,
		.target_residency_ns = from->values[ATTR_RESIDENCY] * 1000,
		.polling = from->core_poll || state_polls(driver, from->name, ""),
		.disabled = from->values[ATTR_DISABLE] != 0,
		.power_mw = power && power <= INT32_MAX ? (int64_t)power : -1,
	};

	if (!(from->seen & SEEN(ATTR_DISABLE)))
		state.disabled = from->off_at_start;
	memcpy(state.name, from->name, sizeof(state.name));
	return state;
}

static int table_make(const struct draft *draft, uint32_t number, struct cpir_table *ret_table,
		      struct cpir_error *err)
{
	const struct draft_cpu *cpu = draft->cpus[number];
	struct cpir_table table = {.count = cpu->state_count};

	for (uint32_t i = 0; i < cpu->state_count; i++) {
		uint32_t missing = SEEN_REQUIRED & ~cpu->states[i].seen;

		if (missing == SEEN_REQUIRED)
			return error_set(
				err, -EINVAL,
				"%s: cpu%u has state%u but no state%u; the copy is incomplete",
				draft->name, number, cpu->state_count - 1, i);
		if (missing)
			return error_set(
				err, -EINVAL,
				"%s: cpu%u/cpuidle/state%u has no %s; the copy is incomplete",
				draft->name, number, i, attributes[__builtin_ctz(missing)].name);
		table.states[i] = state_make(draft, &cpu->states[i]);
	}
	*ret_table = table;
	return 0;
}

static void counters_make(const struct draft_cpu *cpu, struct platform_counters *counters)
{
	for (uint32_t i = 0; i < cpu->state_count; i++) {
		const uint64_t *values = cpu->states[i].values;

		counters[i] = (struct platform_counters){
			.usage = values[ATTR_USAGE],
			.time_us = values[ATTR_TIME],
			.above = values[ATTR_ABOVE],
			.below = values[ATTR_BELOW],
			.rejected = values[ATTR_REJECTED],
		};
	}
}

/* tables_make - the CPU array and the tables; -ENODEV when no CPU has a state */
static int tables_make(const struct draft *draft, struct cpir_platform *platform,
		       struct cpir_error *err)
{
	for (uint32_t cpu = 0; cpu < CPIR_CPUS_MAX; cpu++) {
		struct cpir_table table;
		int32_t index;
		int r;

		if (!draft->cpus[cpu])
			continue;
		if (platform_reserve_cpus(platform, cpu + 1))
			return error_oom(err);
		if (!draft->cpus[cpu]->state_count)
			continue;
		r = table_make(draft, cpu, &table, err);
		if (r)
			return r;
		index = platform_add_table(platform, &table);
		if (index < 0)
			return error_oom(err);
		platform->cpu_table[cpu] = index;
	}
	if (platform->table_count)
		return 0;
	return error_set(err, -ENODEV,
			 "%s: no idle states (cpuN/cpuidle/stateM) in it; give a JSON file, a "
			 "preset's name, or a copy of /sys/devices/system/cpu of a machine with a "
			 "cpuidle driver",
			 draft->name);
}

static int arrays_make(const struct draft *draft, struct cpir_platform *platform)
{
	if (draft->has_counters && platform_make_counters(platform))
		return -ENOMEM;
	if (draft->has_latencies && platform_make_latencies(platform))
		return -ENOMEM;
	for (uint32_t cpu = 0; cpu < platform->cpu_count; cpu++) {
		const struct draft_cpu *from = draft->cpus[cpu];

		if (from && draft->has_counters)
			counters_make(from, &platform->counters[cpu * CPIR_STATES_MAX]);
		if (from && from->has_latency)
			platform->resume_latency_us[cpu] = from->latency_us;
	}
	return 0;
}

static const char *nohz_mode(const struct draft *draft)
{
	if (draft->tick_always)
		return "off";
	if (draft->nohz_full && *draft->nohz_full)
		return "full";
	return draft->tick_stops ? "idle" : "";
}

static int texts_make(const struct draft *draft, struct cpir_platform *platform)
{
	const struct {
		char **to;
		const char *from;
	} texts[] = {
		{&platform->driver, draft->driver},  {&platform->governor, draft->governor},
		{&platform->kernel, draft->kernel},  {&platform->nohz_full_cpus, draft->nohz_full},
		{&platform->nohz, nohz_mode(draft)},
	};

	for (size_t i = 0; i < array_size(texts); i++) {
		if (texts[i].from && platform_set_text(texts[i].to, texts[i].from))
			return -ENOMEM;
	}
	platform->hz = draft->hz;
	return 0;
}

int draft_finish(const struct draft *draft, struct cpir_platform **ret_platform,
		 struct cpir_error *err)
{
	struct cpir_platform *platform = platform_new(draft->name);
	int r;

	if (!platform)
		return error_oom(err);
	r = tables_make(draft, platform, err);
	if (!r && (arrays_make(draft, platform) || texts_make(draft, platform)))
		r = error_oom(err);
	if (r) {
		cpir_platform_free(platform);
		return r;
	}
	platform_finish(platform);
	*ret_platform = platform;
	return 0;
}
