// SPDX-License-Identifier: GPL-2.0-only
/* Putting a platform together: tables, CPU arrays, and what follows from the rest. */
#include "model/platform_build.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

struct cpir_platform *platform_new(const char *source)
{
	struct cpir_platform *platform = calloc(1, sizeof(*platform));
	bool made;

	if (!platform)
		return NULL;
	platform->poll_limit_ns = -1;
	platform->default_table = -1;
	made = !platform_set_text(&platform->source, source) &&
	       !platform_set_text(&platform->driver, "") &&
	       !platform_set_text(&platform->governor, "") &&
	       !platform_set_text(&platform->kernel, "") &&
	       !platform_set_text(&platform->nohz, "") &&
	       !platform_set_text(&platform->nohz_full_cpus, "");
	if (made)
		return platform;
	cpir_platform_free(platform);
	return NULL;
}

int platform_set_text(char **field, const char *text)
{
	char *copy = strdup(text);

	if (!copy)
		return -ENOMEM;
	free(*field);
	*field = copy;
	return 0;
}

/* utf8_length - bytes of the character at @p, 0 when it is malformed; the NUL at the end stops every comparison */
static size_t utf8_length(const unsigned char *p)
{
	static const struct {
		unsigned char lead_first, lead_last, next_first, next_last;
		size_t length;
	} forms[] = {
		{0x01, 0x7f, 0x00, 0xff, 1}, {0xc2, 0xdf, 0x80, 0xbf, 2},
		{0xe0, 0xe0, 0xa0, 0xbf, 3}, {0xe1, 0xec, 0x80, 0xbf, 3},
		{0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
		{0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4},
		{0xf4, 0xf4, 0x80, 0x8f, 4},
	};

	for (size_t i = 0; i < array_size(forms); i++) {
		if (p[0] < forms[i].lead_first || p[0] > forms[i].lead_last)
			continue;
		if (p[1] < forms[i].next_first || p[1] > forms[i].next_last)
			return 0;
		for (size_t k = 2; k < forms[i].length; k++) {
			if ((p[k] & 0xc0) != 0x80)
				return 0;
		}
		return forms[i].length;
	}
	return 0;
}

bool text_is_utf8(const char *text)
{
	const unsigned char *p = (const unsigned char *)text;

	while (*p) {
		size_t length = utf8_length(p);

		if (!length)
			return false;
		p += length;
	}
	return true;
}

bool text_is_clean(const char *text, size_t max)
{
	for (const char *p = text; *p; p++) {
		unsigned char c = (unsigned char)*p;

		if (c < 0x20 || c == 0x7f)
			return false;
	}
	return strlen(text) <= max && text_is_utf8(text);
}

static bool state_equal(const struct cpir_state *a, const struct cpir_state *b)
{
	return !strcmp(a->name, b->name) && a->exit_latency_ns == b->exit_latency_ns &&
	       a->target_residency_ns == b->target_residency_ns && a->polling == b->polling &&
	       a->disabled == b->disabled && a->power_mw == b->power_mw;
}

static bool table_equal(const struct cpir_table *a, const struct cpir_table *b)
{
	if (a->count != b->count)
		return false;
	for (uint32_t i = 0; i < a->count; i++) {
		if (!state_equal(&a->states[i], &b->states[i]))
			return false;
	}
	return true;
}

int32_t platform_add_table(struct cpir_platform *platform, const struct cpir_table *table)
{
	struct cpir_table *tables = platform->tables;
	uint32_t count = platform->table_count;

	for (uint32_t i = 0; i < count; i++) {
		if (table_equal(&tables[i], table))
			return (int32_t)i;
	}
	/* Doubling at the powers of two: the count alone says when the room is used up. */
	if (!(count & (count - 1))) {
		tables = realloc(tables, (count ? 2 * (size_t)count : 1) * sizeof(*tables));
		if (!tables)
			return -ENOMEM;
		platform->tables = tables;
	}
	tables[count] = *table;
	platform->table_count = count + 1;
	return (int32_t)count;
}

int platform_reserve_cpus(struct cpir_platform *platform, uint32_t count)
{
	int32_t *cpu_table;

	if (count <= platform->cpu_count)
		return 0;
	cpu_table = realloc(platform->cpu_table, count * sizeof(*cpu_table));
	if (!cpu_table)
		return -ENOMEM;
	for (uint32_t cpu = platform->cpu_count; cpu < count; cpu++)
		cpu_table[cpu] = -1;
	platform->cpu_table = cpu_table;
	platform->cpu_count = count;
	return 0;
}

int platform_make_counters(struct cpir_platform *platform)
{
	if (platform->counters || !platform->cpu_count)
		return 0;
	platform->counters =
		calloc((size_t)platform->cpu_count * CPIR_STATES_MAX, sizeof(*platform->counters));
	return platform->counters ? 0 : -ENOMEM;
}

int platform_make_latencies(struct cpir_platform *platform)
{
	if (platform->resume_latency_us || !platform->cpu_count)
		return 0;
	platform->resume_latency_us =
		malloc(platform->cpu_count * sizeof(*platform->resume_latency_us));
	if (!platform->resume_latency_us)
		return -ENOMEM;
	for (uint32_t cpu = 0; cpu < platform->cpu_count; cpu++)
		platform->resume_latency_us[cpu] = INT32_MAX;
	return 0;
}

/*
 * The snooze loop of the POWER drivers has a time limit of its own instead of the polling state's. pseries takes the
 * residency of the second state whether it is enabled or not, powernv that of the first deeper enabled one.
 */
static int64_t driver_poll_limit_ns(const struct cpir_platform *platform)
{
	bool powernv = !strcmp(platform->driver, "powernv_idle");
	const struct cpir_table *table = platform->tables;

	if ((!powernv && strcmp(platform->driver, "pseries_idle")) || !platform->table_count)
		return -1;
	if (strcmp(table->states[0].name, "snooze"))
		return -1;
	for (uint32_t i = 1; i < table->count; i++) {
		if (!powernv || !table->states[i].disabled)
			return (int64_t)table->states[i].target_residency_ns;
	}
	return -1;
}

void platform_finish(struct cpir_platform *platform)
{
	if (platform->default_table >= 0) {
		for (uint32_t cpu = 0; cpu < platform->cpu_count; cpu++) {
			if (platform->cpu_table[cpu] < 0)
				platform->cpu_table[cpu] = platform->default_table;
		}
	}
	while (platform->cpu_count && !platform->counters && !platform->resume_latency_us &&
	       platform->cpu_table[platform->cpu_count - 1] == platform->default_table)
		platform->cpu_count--;
	if (platform->poll_limit_ns < 0)
		platform->poll_limit_ns = driver_poll_limit_ns(platform);
}

bool state_polls(const char *driver, const char *name, const char *description)
{
	if (!strcmp(name, "POLL") || !strcmp(description, "CPUIDLE CORE POLL IDLE"))
		return true;
	return !strcmp(name, "snooze") &&
	       (!strcmp(driver, "pseries_idle") || !strcmp(driver, "powernv_idle"));
}
