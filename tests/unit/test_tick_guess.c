// SPDX-License-Identifier: GPL-2.0-only
/* The tick rate from where periods end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "model/tick_guess.h"

static void idle(struct tick_guess *guess, uint64_t time_ns, uint32_t what)
{
	struct event event = {.type = EV_CPU_IDLE, .time_ns = time_ns};

	event.u.idle.state = what;
	tick_guess_feed(guess, &event);
}

/* Periods of 1 ms that end @into_ns after every tick of 4 ms. */
static void feed(struct tick_guess *guess, unsigned count, uint64_t into_ns, bool wake)
{
	for (unsigned i = 1; i <= count; i++) {
		uint64_t end_ns = i * 4000000ull + into_ns;
		struct event event = {.type = EV_SCHED_WAKEUP, .time_ns = end_ns - 100};

		idle(guess, end_ns - 1000000, 1);
		if (wake)
			tick_guess_feed(guess, &event);
		idle(guess, end_ns, EVENT_STATE_EXIT);
		idle(guess, end_ns + 20000, 0);
		idle(guess, end_ns + 40000, EVENT_STATE_EXIT);
	}
}

static void test_gathered(void **state)
{
	struct tick_guess guess = {0};
	int64_t phase_ns = 0;

	(void)state;
	assert_int_equal(tick_guess_init(&guess, 1), 0);
	feed(&guess, 40, 250000, false);
	assert_int_equal(tick_guess_rate(&guess, &phase_ns), 250);
	assert_in_range(phase_ns, 249000, 251000);
	tick_guess_free(&guess);
}

static void test_too_few(void **state)
{
	struct tick_guess guess = {0};
	int64_t phase_ns;

	(void)state;
	assert_int_equal(tick_guess_init(&guess, 1), 0);
	feed(&guess, 29, 0, false);
	assert_int_equal(tick_guess_rate(&guess, &phase_ns), 0);
	tick_guess_free(&guess);
}

/* What a task was woken for is not the tick's doing. */
static void test_woken(void **state)
{
	struct tick_guess guess = {0};
	int64_t phase_ns;

	(void)state;
	assert_int_equal(tick_guess_init(&guess, 1), 0);
	feed(&guess, 100, 0, true);
	assert_int_equal(guess.samples, 0);
	assert_int_equal(tick_guess_rate(&guess, &phase_ns), 0);
	tick_guess_free(&guess);
}

/* Ends all over the place: 1.77 ms apart is no multiple of any tick. */
static void test_scattered(void **state)
{
	struct tick_guess guess = {0};
	int64_t phase_ns;

	(void)state;
	assert_int_equal(tick_guess_init(&guess, 1), 0);
	for (uint64_t i = 1; i <= 200; i++) {
		idle(&guess, i * 1770000, 1);
		idle(&guess, i * 1770000 + 1700000, EVENT_STATE_EXIT);
	}
	assert_true(guess.samples > 100);
	assert_int_equal(tick_guess_rate(&guess, &phase_ns), 0);
	tick_guess_free(&guess);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_gathered),
		cmocka_unit_test(test_too_few),
		cmocka_unit_test(test_woken),
		cmocka_unit_test(test_scattered),
	};

	return cmocka_run_group_tests_name("tick_guess", tests, NULL, NULL);
}
