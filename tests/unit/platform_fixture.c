// SPDX-License-Identifier: GPL-2.0-only
/* Platforms in tests: reading and comparing them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "platform_fixture.h"

struct cpir_platform *platform_make(const char *text)
{
	struct cpir_platform *platform = NULL;
	struct cpir_error err = {0};

	if (platform_parse(text, strlen(text), "test", &platform, &err))
		fail_msg("%s", err.text);
	return platform;
}

static void assert_table_equal(const struct cpir_table *a, const struct cpir_table *b)
{
	assert_int_equal(!a, !b);
	if (!a)
		return;
	assert_int_equal(a->count, b->count);
	for (uint32_t i = 0; i < a->count; i++) {
		assert_string_equal(a->states[i].name, b->states[i].name);
		assert_int_equal(a->states[i].exit_latency_ns, b->states[i].exit_latency_ns);
		assert_int_equal(a->states[i].target_residency_ns,
				 b->states[i].target_residency_ns);
		assert_int_equal(a->states[i].polling, b->states[i].polling);
		assert_int_equal(a->states[i].disabled, b->states[i].disabled);
		assert_int_equal(a->states[i].power_mw, b->states[i].power_mw);
	}
}

static void assert_array_equal(const void *a, const void *b, size_t size)
{
	assert_int_equal(!a, !b);
	if (a)
		assert_memory_equal(a, b, size);
}

static void assert_platform_equal(const struct cpir_platform *a, const struct cpir_platform *b)
{
	assert_string_equal(a->driver, b->driver);
	assert_string_equal(a->governor, b->governor);
	assert_string_equal(a->kernel, b->kernel);
	assert_string_equal(a->nohz, b->nohz);
	assert_string_equal(a->nohz_full_cpus, b->nohz_full_cpus);
	assert_int_equal(a->hz, b->hz);
	assert_int_equal(a->poll_limit_ns, b->poll_limit_ns);
	assert_int_equal(a->cpu_count, b->cpu_count);
	assert_int_equal(a->table_count, b->table_count);
	for (uint32_t cpu = 0; cpu <= a->cpu_count; cpu++)
		assert_table_equal(cpir_platform_table(a, cpu), cpir_platform_table(b, cpu));
	assert_array_equal(a->resume_latency_us, b->resume_latency_us,
			   a->cpu_count * sizeof(*a->resume_latency_us));
	assert_array_equal(a->counters, b->counters,
			   a->cpu_count * CPIR_STATES_MAX * sizeof(*a->counters));
}

void assert_round_trip(struct cpir_platform *platform)
{
	char *json = cpir_platform_to_json(platform), *again;
	struct cpir_platform *copy;

	assert_non_null(json);
	copy = platform_make(json);
	assert_platform_equal(platform, copy);
	free(copy->source);
	copy->source = strdup(platform->source);
	again = cpir_platform_to_json(copy);
	assert_string_equal(json, again);
	free(again);
	free(json);
	cpir_platform_free(copy);
	cpir_platform_free(platform);
}
