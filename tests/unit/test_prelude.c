// SPDX-License-Identifier: GPL-2.0-only
/* Timers from before the trace. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "model/prelude.h"

static void feed(struct prelude *prelude, uint64_t time_ns, unsigned type, uint64_t timer,
		 int64_t expires_ns)
{
	struct event event = {.type = (uint8_t)type, .time_ns = time_ns};

	event.u.hrtimer.timer = timer;
	event.u.hrtimer.expires_ns = expires_ns;
	assert_int_equal(prelude_feed(prelude, &event), 0);
}

/* 0x10 expires unstarted, so it was pending; 0x20 was started first, 0x10 counts once. */
static void test_found(void **state)
{
	struct timers *hrtimers = timers_new(1), *wheel = timers_new(1);
	struct prelude prelude = {0};
	struct clocks clocks = {0};

	(void)state;
	assert_int_equal(prelude_init(&prelude, 1), 0);
	feed(&prelude, 100, EV_HRTIMER_START, 0x20, 900);
	feed(&prelude, 200, EV_HRTIMER_EXPIRE_ENTRY, 0x10, 5200);
	feed(&prelude, 300, EV_HRTIMER_EXPIRE_ENTRY, 0x20, 5300);
	feed(&prelude, 400, EV_HRTIMER_EXPIRE_ENTRY, 0x10, 5400);
	assert_int_equal(prelude_seed(&prelude, &clocks, false, hrtimers, wheel), 0);
	assert_int_equal(timers_count(hrtimers), 1);
	assert_int_equal(timers_count(wheel), 0);
	assert_int_equal(timers_next(hrtimers, 0)->address, 0x10);
	assert_int_equal(timers_next(hrtimers, 0)->expires_ns, 5200);
	prelude_free(&prelude);
	timers_free(hrtimers);
	timers_free(wheel);
}

/* The tick is not kept among the timers, and two minutes into the trace the search is over. */
static void test_not_found(void **state)
{
	struct timers *hrtimers = timers_new(1), *wheel = timers_new(1);
	struct event tick = {.type = EV_HRTIMER_EXPIRE_ENTRY, .time_ns = 100};
	struct prelude prelude = {0};
	struct clocks clocks = {0};

	(void)state;
	tick.u.hrtimer.tick = true;
	tick.u.hrtimer.timer = 0x30;
	assert_int_equal(prelude_init(&prelude, 1), 0);
	assert_int_equal(prelude_feed(&prelude, &tick), 0);
	feed(&prelude, 120000000101, EV_HRTIMER_EXPIRE_ENTRY, 0x10, 5200);
	assert_int_equal(prelude_seed(&prelude, &clocks, false, hrtimers, wheel), 0);
	assert_int_equal(timers_count(hrtimers), 0);
	prelude_free(&prelude);
	timers_free(hrtimers);
	timers_free(wheel);
}

/* A wheel timer that turns out to be deferrable when it is started again does not count. */
static void test_deferrable(void **state)
{
	struct timers *hrtimers = timers_new(1), *wheel = timers_new(1);
	struct prelude prelude = {0};
	struct clocks clocks = {.tick_ns = 4000000, .jiffies_seen = 1, .jiffies_zero_ns = 100};

	(void)state;
	assert_int_equal(prelude_init(&prelude, 1), 0);
	for (uint64_t timer = 0x10; timer <= 0x20; timer += 0x10) {
		struct event event = {.type = EV_TIMER_EXPIRE_ENTRY, .time_ns = 100};

		event.u.timer.timer = timer;
		event.u.timer.now = 10;
		assert_int_equal(prelude_feed(&prelude, &event), 0);
		event.type = EV_TIMER_START;
		event.u.timer.flags = timer == 0x10 ? TIMER_FLAG_DEFERRABLE : 0;
		assert_int_equal(prelude_feed(&prelude, &event), 0);
	}
	assert_int_equal(prelude_seed(&prelude, &clocks, false, hrtimers, wheel), 0);
	assert_int_equal(timers_count(wheel), 1);
	assert_int_equal(timers_next(wheel, 0)->address, 0x20);
	assert_int_equal(timers_next(wheel, 0)->expires_ns, 40000100);
	prelude_free(&prelude);
	timers_free(hrtimers);
	timers_free(wheel);
}

/* Its bucket was that of jiffy 8, though it was jiffy 10 already when it expired. */
static void test_late(void **state)
{
	struct timers *hrtimers = timers_new(1), *wheel = timers_new(1);
	struct prelude prelude = {0};
	struct clocks clocks = {.tick_ns = 4000000, .jiffies_seen = 1};
	struct event event = {.type = EV_TIMER_EXPIRE_ENTRY,
			      .u.timer = {.timer = 0x10, .now = 10, .bucket = 8}};

	(void)state;
	assert_int_equal(prelude_init(&prelude, 1), 0);
	assert_int_equal(prelude_feed(&prelude, &event), 0);
	event.u.timer.timer = 0x20;
	event.u.timer.now = 11;
	assert_int_equal(prelude_feed(&prelude, &event), 0);
	assert_int_equal(prelude_seed(&prelude, &clocks, false, hrtimers, wheel), 0);
	assert_int_equal(timers_next(wheel, 0)->expires_ns, 32000000);
	assert_int_equal(timers_count(wheel), 1); /* later still: a deferrable one */
	prelude_free(&prelude);
	timers_free(hrtimers);
	timers_free(wheel);
}

static void stop_tick(struct prelude *prelude, uint64_t time_ns, int64_t expires_ns)
{
	struct event event = {.type = EV_TICK_STOP, .time_ns = time_ns};

	event.u.tick_stop.success = true;
	assert_int_equal(prelude_feed(prelude, &event), 0);
	feed(prelude, time_ns + 1, EV_HRTIMER_START, 0x30, expires_ns);
}

#define MS 1000000
#define CLOCKS                                                                                     \
	{                                                                                          \
		.tick_ns = 4 * MS, .jiffies_seen = 1                                               \
	}

/* A timer of the wheel is in @jiffy's bucket from @time_ns on. */
static void start_wheel(struct prelude *prelude, uint64_t time_ns, uint64_t timer, uint64_t jiffy)
{
	struct event event = {.type = EV_TIMER_START,
			      .time_ns = time_ns,
			      .u.timer = {.timer = timer, .bucket = jiffy}};

	assert_int_equal(prelude_feed(prelude, &event), 0);
}

/*
 * Programmed for jiffy 100 at stops 20 ms apart: nobody started it. For jiffy 50 as well, but that was started before; for
 * jiffy 60 once, and for 70.25 ticks, which is no jiffy.
 */
static void test_unseen(void **state)
{
	struct timers *hrtimers = timers_new(1), *wheel = timers_new(1);
	struct prelude prelude = {0};
	struct clocks clocks = CLOCKS;

	(void)state;
	assert_int_equal(prelude_init(&prelude, 1), 0);
	start_wheel(&prelude, 5, 0x40, 50);
	stop_tick(&prelude, 10, 100 * 4 * MS);
	stop_tick(&prelude, 20, 50 * 4 * MS);
	stop_tick(&prelude, 30, 281 * MS);
	stop_tick(&prelude, 40, 60 * 4 * MS);
	stop_tick(&prelude, 20 * MS, 100 * 4 * MS);
	stop_tick(&prelude, 21 * MS, 50 * 4 * MS);
	stop_tick(&prelude, 22 * MS, 281 * MS);
	assert_int_equal(prelude_unseen(&prelude, &clocks), 1);
	assert_int_equal(prelude_seed(&prelude, &clocks, false, hrtimers, wheel), 0);
	assert_int_equal(timers_count(wheel), 1);
	assert_int_equal(timers_next(wheel, 0)->expires_ns, 400 * MS);
	assert_true(timer_is_unseen(timers_next(wheel, 0)->address));
	prelude_free(&prelude);
	timers_free(hrtimers);
	timers_free(wheel);
}

/* 0x10 expires in jiffy 20, but before that the tick was stopped until jiffy 30: it does not count, unless wheels are shared. */
static void test_passed_by(void **state)
{
	struct prelude prelude = {0};
	struct clocks clocks = CLOCKS;
	struct event event = {.type = EV_TIMER_EXPIRE_ENTRY,
			      .time_ns = 80 * MS,
			      .u.timer = {.timer = 0x10, .now = 20}};

	(void)state;
	assert_int_equal(prelude_init(&prelude, 1), 0);
	stop_tick(&prelude, 10, 30 * 4 * MS);
	assert_int_equal(prelude_feed(&prelude, &event), 0);
	for (int shared = 0; shared < 2; shared++) {
		struct timers *hrtimers = timers_new(1), *wheel = timers_new(1);

		assert_int_equal(prelude_seed(&prelude, &clocks, shared, hrtimers, wheel), 0);
		assert_int_equal(timers_count(wheel), shared);
		timers_free(hrtimers);
		timers_free(wheel);
	}
	prelude_free(&prelude);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_found),	   cmocka_unit_test(test_not_found),
		cmocka_unit_test(test_deferrable), cmocka_unit_test(test_late),
		cmocka_unit_test(test_unseen),	   cmocka_unit_test(test_passed_by),
	};

	return cmocka_run_group_tests_name("prelude", tests, NULL, NULL);
}
