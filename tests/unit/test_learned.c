// SPDX-License-Identifier: GPL-2.0-only
/* How long each state takes to wake: as known wakings show, else as ticks do, else as its driver claims. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "platform_fixture.h"
#include "replay/learned.h"

#define TICK_NS 4000000

static const char states[] =
	"{\"hz\": 250, \"states\": ["
	"{\"name\": \"POLL\", \"exit_latency_us\": 0, \"target_residency_us\": 0},"
	"{\"name\": \"C1\", \"exit_latency_us\": 2, \"target_residency_us\": 4},"
	"{\"name\": \"C3\", \"exit_latency_us\": 50, \"target_residency_us\": 90},"
	"{\"name\": \"C6\", \"exit_latency_us\": 90, \"target_residency_us\": 300}]}";

struct fixture {
	struct cpir_platform *platform;
	struct learn *learn;
	struct learned learned;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	f->platform = platform_make(states);
	f->learn = learn_new(f->platform);
	assert_non_null(f->learn);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	learn_free(f->learn);
	cpir_platform_free(f->platform);
	free(f);
	return 0;
}

/* @count periods in @state that end @late_ns after the tick, or after a known waking. */
static void end_late(struct fixture *f, int8_t state, bool by_tick, int64_t late_ns, unsigned count)
{
	struct period period = {
		.enter_ns = TICK_NS / 2,
		.exit_ns = (uint64_t)(TICK_NS + late_ns),
		.tick_ns = TICK_NS,
		.cause = by_tick ? NO_HAPPENING : 0,
		.state = state,
		.wake = by_tick ? CPIR_WAKE_TICK : CPIR_WAKE_TASK_REMOTE,
	};
	struct happening waking = {
		.due_ns = TICK_NS,
		.kind = CPIR_WAKE_TASK_REMOTE,
		.due_known = true,
		.wakes_task = true,
	};
	struct stretch stretch = {
		.periods = {.ptr = &period, .len = 1},
		.happenings = {.ptr = &waking, .len = !by_tick},
	};

	while (count--)
		assert_int_equal(learn_stretch(f->learn, &stretch), 0);
}

static void check(const struct fixture *f, unsigned state, int64_t delay_ns,
		  enum cpir_delay_from from)
{
	assert_in_range(f->learned.wake_delay_ns[state], delay_ns - delay_ns / 32,
			delay_ns + delay_ns / 32);
	assert_int_equal(f->learned.wake_from[state], from);
}

static void finish(struct fixture *f)
{
	learn_finish(f->learn, cpir_platform_table(f->platform, 0), &f->learned);
}

/* Nothing is known: each as its driver claims. */
static void test_nothing(void **state)
{
	struct fixture *f = *state;

	finish(f);
	check(f, 0, 0, CPIR_DELAY_TABLE);
	check(f, 1, 2000, CPIR_DELAY_TABLE);
	check(f, 3, 90000, CPIR_DELAY_TABLE);
	assert_int_equal(f->learned.wake_samples[3], 0);
}

/* Wakings are known of one state: ticks do not matter, and the next one takes longer by what the drivers claim. */
static void test_wakings(void **state)
{
	struct fixture *f = *state;

	end_late(f, 1, false, 30000, 20);
	end_late(f, 2, false, 70000, 19);
	end_late(f, 3, true, 50000, 30);
	finish(f);
	check(f, 1, 30000, CPIR_DELAY_WAKINGS);
	assert_int_equal(f->learned.wake_samples[1], 20);
	check(f, 2, 78000, CPIR_DELAY_TABLE);
	check(f, 3, 118000, CPIR_DELAY_TABLE);
}

/* No waking is: ticks show how much longer one takes than the other, wherever the grid lies. A tick does not end polling. */
static void test_ticks(void **state)
{
	struct fixture *f = *state;

	end_late(f, 0, true, -90000, 30);
	end_late(f, 1, true, -40000, 10);
	end_late(f, 2, true, 10000, 9);
	end_late(f, 3, true, 60000, 10);
	finish(f);
	check(f, 0, 0, CPIR_DELAY_TABLE);
	check(f, 1, 0, CPIR_DELAY_TICKS);
	check(f, 2, 48000, CPIR_DELAY_TABLE);
	assert_in_range(f->learned.wake_delay_ns[3], 90000, 110000);
	assert_int_equal(f->learned.wake_from[3], CPIR_DELAY_TICKS);
	assert_int_equal(f->learned.wake_samples[3], 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_nothing, setup, teardown),
		cmocka_unit_test_setup_teardown(test_wakings, setup, teardown),
		cmocka_unit_test_setup_teardown(test_ticks, setup, teardown),
	};

	return cmocka_run_group_tests_name("learned", tests, NULL, NULL);
}
