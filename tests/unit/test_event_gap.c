// SPDX-License-Identifier: GPL-2.0-only
/* How closely events follow each other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "replay/event_gap.h"

static void add(struct event_gap *gap, uint64_t time_ns, enum event_type type)
{
	const struct event event = {.time_ns = time_ns, .type = (uint8_t)type};

	assert_int_equal(event_gap_add(gap, &event), 0);
}

/* Every tenth event follows the one before it as closely as can be. */
static void add_many(struct event_gap *gap, unsigned count, uint64_t closest_ns)
{
	for (unsigned i = 0; i < count; i++)
		add(gap, gap->last_ns + (i % 10 ? 50000 + i : closest_ns), EV_CPU_IDLE);
}

static void test_closest(void **state)
{
	struct event_gap gap = {0};

	(void)state;
	add_many(&gap, 1000, 8300);
	assert_in_range(event_gap_cost_ns(&gap), 8300 - 8300 / HIST_ROW, 8300);
	event_gap_deinit(&gap);
}

static void test_too_few(void **state)
{
	struct event_gap gap = {0};

	(void)state;
	add_many(&gap, 100, 8300);
	assert_int_equal(event_gap_cost_ns(&gap), 0);
	event_gap_deinit(&gap);
}

/* What lies between two events may be any number of those lost. */
static void test_lost(void **state)
{
	struct event_gap gap = {0};

	(void)state;
	add(&gap, 1000, EV_CPU_IDLE);
	add(&gap, 1010, EV_LOST);
	add(&gap, 1020, EV_CPU_IDLE);
	assert_int_equal(gap.distance_ns.count, 0);
	add(&gap, 9020, EV_CPU_IDLE);
	assert_int_equal(gap.distance_ns.count, 1);
	assert_int_equal(gap.distance_ns.min, 8000);
	event_gap_deinit(&gap);
}

/* The events of two CPUs do not follow each other, but tell the same. */
static void test_merge(void **state)
{
	struct event_gap gap = {0}, other = {0};

	(void)state;
	add_many(&gap, 300, 20000);
	add_many(&other, 300, 5000);
	assert_int_equal(event_gap_merge(&gap, &other), 0);
	assert_int_equal(gap.distance_ns.count, 598);
	assert_in_range(event_gap_cost_ns(&gap), 5000 - 5000 / HIST_ROW, 5000);
	event_gap_deinit(&gap);
	event_gap_deinit(&other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_closest),
		cmocka_unit_test(test_too_few),
		cmocka_unit_test(test_lost),
		cmocka_unit_test(test_merge),
	};

	return cmocka_run_group_tests_name("event_gap", tests, NULL, NULL);
}
