// SPDX-License-Identifier: GPL-2.0-only
/*
 * A platform as its JSON document, laid out for people to read and edit: one state, one CPU's counters, one constraint
 * per line. All members of a list begin with list_next(), which knows about commas.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"
#include "model/platform_build.h"

/* put_string - @text quoted and escaped; bytes that are no UTF-8 (possible in a path only) become question marks */
static void put_string(FILE *out, const char *text)
{
	bool utf8 = text_is_utf8(text);

	(void)fputc('"', out);
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c == '"' || c == '\\')
			(void)fprintf(out, "\\%c", c);
		else if (c < 0x20)
			(void)fprintf(out, "\\u%04x", c);
		else
			(void)fputc(c < 0x80 || utf8 ? c : '?', out);
	}
	(void)fputc('"', out);
}

static void put_text(FILE *out, const char *key, const char *text)
{
	if (!*text)
		return;
	(void)fprintf(out, ",\n  \"%s\": ", key);
	put_string(out, text);
}

static void list_next(FILE *out, bool *first, const char *indent)
{
	(void)fprintf(out, "%s\n%s", *first ? "" : ",", indent);
	*first = false;
}

static void put_state(FILE *out, const struct cpir_state *state)
{
	(void)fputs("{\"name\": ", out);
	put_string(out, state->name);
	(void)fprintf(out,
		      ", \"exit_latency_ns\": %" PRIu64 ", \"target_residency_ns\": %" PRIu64
		      ", \"polling\": %s",
		      state->exit_latency_ns, state->target_residency_ns,
		      state->polling ? "true" : "false");
	if (state->disabled)
		(void)fputs(", \"disabled\": true", out);
	if (state->power_mw >= 0)
		(void)fprintf(out, ", \"power_mw\": %" PRId64, state->power_mw);
	(void)fputc('}', out);
}

/* put_cpus - member "cpus" with the list of those CPUs for which @array has @value; false: no memory */
static bool put_cpus(FILE *out, const int32_t *array, uint32_t count, int32_t value)
{
	struct cpu_set set = {0};
	char *list;

	for (uint32_t cpu = 0; cpu < count; cpu++) {
		if (array[cpu] == value)
			cpu_set_add(&set, cpu);
	}
	list = cpu_list_format(&set);
	if (!list)
		return false;
	(void)fprintf(out, "\"cpus\": \"%s\"", list);
	free(list);
	return true;
}

static bool put_table(FILE *out, const struct cpir_platform *platform, int32_t index)
{
	const struct cpir_table *table = &platform->tables[index];
	bool first = true;

	(void)fputc('{', out);
	if (index != platform->default_table) {
		if (!put_cpus(out, platform->cpu_table, platform->cpu_count, index))
			return false;
		(void)fputs(", ", out);
	}
	(void)fputs("\"states\": [", out);
	for (uint32_t i = 0; i < table->count; i++) {
		list_next(out, &first, "      ");
		put_state(out, &table->states[i]);
	}
	(void)fputs("\n    ]}", out);
	return true;
}

static bool put_tables(FILE *out, const struct cpir_platform *platform)
{
	bool first = true;

	(void)fputs(",\n  \"tables\": [", out);
	for (uint32_t i = 0; i < platform->table_count; i++) {
		list_next(out, &first, "    ");
		if (!put_table(out, platform, (int32_t)i))
			return false;
	}
	(void)fputs(first ? "]" : "\n  ]", out);
	return true;
}

/* put_latencies - one line per constraint, in the order of the first CPU that has it */
static bool put_latencies(FILE *out, const struct cpir_platform *platform)
{
	const int32_t *latency = platform->resume_latency_us;
	bool first = true;

	if (!latency)
		return true;
	(void)fputs(",\n  \"resume_latencies\": [", out);
	for (uint32_t cpu = 0; cpu < platform->cpu_count; cpu++) {
		uint32_t same = 0;

		while (latency[same] != latency[cpu])
			same++;
		if (same < cpu)
			continue;
		list_next(out, &first, "    {");
		if (!put_cpus(out, latency, platform->cpu_count, latency[cpu]))
			return false;
		if (latency[cpu] == INT32_MAX)
			(void)fputs(", \"latency_us\": null}", out);
		else
			(void)fprintf(out, ", \"latency_us\": %" PRId32 "}", latency[cpu]);
	}
	(void)fputs("\n  ]", out);
	return true;
}

static void put_cpu_counters(FILE *out, const struct platform_counters *counters, uint32_t count)
{
	bool first = true;

	for (uint32_t i = 0; i < count; i++) {
		list_next(out, &first, "      ");
		(void)fprintf(out,
			      "{\"usage\": %" PRIu64 ", \"time_us\": %" PRIu64
			      ", \"above\": %" PRIu64 ", \"below\": %" PRIu64
			      ", \"rejected\": %" PRIu64 "}",
			      counters[i].usage, counters[i].time_us, counters[i].above,
			      counters[i].below, counters[i].rejected);
	}
}

static void put_counters(FILE *out, const struct cpir_platform *platform)
{
	bool first = true;

	if (!platform->counters)
		return;
	(void)fputs(",\n  \"counters\": [", out);
	for (uint32_t cpu = 0; cpu < platform->cpu_count; cpu++) {
		const struct cpir_table *table = cpir_platform_table(platform, cpu);

		if (!table)
			continue;
		list_next(out, &first, "    ");
		(void)fprintf(out, "{\"cpu\": %" PRIu32 ", \"states\": [", cpu);
		put_cpu_counters(out, &platform->counters[cpu * CPIR_STATES_MAX], table->count);
		(void)fputs("\n    ]}", out);
	}
	(void)fputs("\n  ]", out);
}

static bool put_platform(FILE *out, const struct cpir_platform *platform)
{
	(void)fputs("{\n  \"schema\": \"cpuidle-replay/platform\",\n  \"version\": 1", out);
	put_text(out, "source", platform->source);
	put_text(out, "kernel", platform->kernel);
	put_text(out, "driver", platform->driver);
	put_text(out, "governor", platform->governor);
	if (platform->hz)
		(void)fprintf(out, ",\n  \"hz\": %" PRIu32, platform->hz);
	put_text(out, "nohz", platform->nohz);
	put_text(out, "nohz_full_cpus", platform->nohz_full_cpus);
	if (platform->poll_limit_ns >= 0)
		(void)fprintf(out, ",\n  \"poll_limit_ns\": %" PRId64, platform->poll_limit_ns);
	if (!put_tables(out, platform) || !put_latencies(out, platform))
		return false;
	put_counters(out, platform);
	(void)fputs("\n}\n", out);
	return true;
}

char *cpir_platform_to_json(const struct cpir_platform *platform)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	bool done;

	if (!out)
		return NULL;
	done = put_platform(out, platform) && !ferror(out);
	if (!fclose(out) && done)
		return text;
	free(text);
	return NULL;
}
