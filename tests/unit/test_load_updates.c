// SPDX-License-Identifier: GPL-2.0-only
/* The scheduler's load updates on the way into idle: found by their rhythm, and by nothing else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "model/load_updates.h"

#define TICK_NS 4000000
#define USUAL_NS 75000
#define UPDATE_NS 22000
#define STEP_NS 1000000 /* a CPU goes idle */

static int64_t pass(struct load_updates *updates, int64_t time_ns, int64_t lasted_ns)
{
	const struct way_idle way = {
		.last_tick_ns = time_ns / TICK_NS * TICK_NS,
		.lasted_ns = lasted_ns,
	};

	return load_updates_pass(updates, &way, TICK_NS);
}

/* Where a clock goes back a way may end before it begins; nothing is learned of that. */
static void test_backward(void **state)
{
	struct load_updates updates = {0};

	(void)state;
	for (int64_t i = 1; i <= 300; i++)
		assert_int_equal(pass(&updates, i * STEP_NS, INT64_MIN / i), 0);
	assert_int_equal(updates.usual_way_ns[0], 0);
}

/* Of many ways none holds one, if @later_ns makes each so much longer than usual of 16 random bits. */
static void find_none(int64_t (*later_ns)(uint32_t random))
{
	struct load_updates updates = {0};
	uint32_t random = 1;

	for (int64_t i = 0; i < 6400; i++) {
		random = random * 1664525 + 1013904223;
		assert_int_equal(pass(&updates, i * STEP_NS, USUAL_NS + later_ns(random >> 16)), 0);
	}
}

/* The first way in each eighth tick holds one; after a few they are known for what they are, each by its own length. */
static void test_rhythm(void **state)
{
	struct load_updates updates = {0};
	unsigned found = 0, wrong = 0;

	(void)state;
	for (int64_t i = 0; i < 6400; i++) {
		bool update = i % 32 == 4;
		int64_t later_ns =
			pass(&updates, i * STEP_NS, USUAL_NS + (update ? UPDATE_NS : i % 2));

		found += update && later_ns > UPDATE_NS - 2000 && later_ns < UPDATE_NS + 2000;
		wrong += !update && later_ns;
	}
	assert_in_range(found, 185, 199);
	assert_int_equal(wrong, 0);
}

/* A busy while later the rhythm has another phase: it is found again. */
static void test_new_phase(void **state)
{
	struct load_updates updates = {0};
	unsigned found = 0;

	(void)state;
	for (int64_t i = 0; i < 6400; i++) {
		bool update = i % 32 == (i < 3200 ? 4 : 20);

		found += update && pass(&updates, i * STEP_NS, USUAL_NS + UPDATE_NS);
		if (!update)
			(void)pass(&updates, i * STEP_NS, USUAL_NS);
	}
	assert_in_range(found, 160, 199);
}

static int64_t now_and_then(uint32_t random)
{
	return random < 65536 / 32 ? UPDATE_NS : 0;
}

static int64_t any_length(uint32_t random)
{
	return random % 80000;
}

/* As many long ways, but at any time: what holds them up is something else. */
static void test_no_rhythm(void **state)
{
	(void)state;
	find_none(now_and_then);
}

/* Ways that are all of any length have no update that shows, whatever their rhythm. */
static void test_noise(void **state)
{
	(void)state;
	find_none(any_length);
}

static void test_left_to_others(void **state)
{
	struct load_updates updates = {0};
	struct way_idle way = {.lasted_ns = USUAL_NS, .wakes_up_soon = true};

	(void)state;
	for (int64_t i = 0; i < 6400; i++) {
		way.last_tick_ns = i * STEP_NS / TICK_NS * TICK_NS;
		way.lasted_ns = USUAL_NS + (i % 32 ? 0 : UPDATE_NS);
		assert_int_equal(load_updates_pass(&updates, &way, TICK_NS), 0);
		assert_int_equal(load_updates_pass(&updates, &way, 0), 0);
	}
}

/* The average that decides it: an eighth of what is new, and no more than twice the limit is remembered. */
static void test_average(void **state)
{
	int64_t average_ns = load_idle_average(0, 3200000);

	(void)state;
	assert_int_equal(average_ns, 400000);
	assert_true(load_wakes_up_soon(average_ns));
	average_ns = load_idle_average(average_ns, 1200000);
	assert_int_equal(average_ns, 500000);
	assert_false(load_wakes_up_soon(average_ns));
	assert_int_equal(load_idle_average(average_ns, INT64_MAX), 1000000);
	assert_int_equal(load_idle_average(average_ns, INT64_MIN), average_ns);
}

static void test_absurd(void **state)
{
	struct load_updates updates = {0};

	(void)state;
	assert_int_equal(pass(&updates, INT64_MAX - 5, 70), 0);
	assert_int_equal(pass(&updates, -TICK_NS, 70), 0);
	assert_int_equal(pass(&updates, 1000, INT64_MAX), 0);
	assert_int_equal(updates.usual_way_ns[0], 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_backward),  cmocka_unit_test(test_rhythm),
		cmocka_unit_test(test_new_phase), cmocka_unit_test(test_no_rhythm),
		cmocka_unit_test(test_noise),	  cmocka_unit_test(test_left_to_others),
		cmocka_unit_test(test_average),	  cmocka_unit_test(test_absurd),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
