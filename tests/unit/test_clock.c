// SPDX-License-Identifier: GPL-2.0-only
/* Clocks of a recording, with offsets and grids worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "model/clock.h"

static void expire(struct clocks *clocks, uint64_t time_ns, int64_t now_ns)
{
	struct event event = {.type = EV_HRTIMER_EXPIRE_ENTRY, .time_ns = time_ns};

	event.u.hrtimer.expires_ns = now_ns;
	assert_int_equal(clocks_feed(clocks, &event), 0);
}

static void start_tick_of(struct clocks *clocks, uint16_t cpu, uint64_t time_ns, int64_t expires_ns)
{
	struct event event = {.type = EV_HRTIMER_START, .time_ns = time_ns, .cpu = cpu};

	event.u.hrtimer.timer = 0x1000 + cpu;
	event.u.hrtimer.tick = true;
	event.u.hrtimer.expires_ns = expires_ns;
	assert_int_equal(clocks_feed(clocks, &event), 0);
}

static void start_tick(struct clocks *clocks, uint64_t time_ns, int64_t expires_ns)
{
	start_tick_of(clocks, 0, time_ns, expires_ns);
}

/* Late events lower the difference: the largest counts, in each window of its own. */
static void test_offset(void **state)
{
	struct clocks clocks = {0};
	int64_t offset_ns;

	(void)state;
	assert_false(clocks_mono_offset(&clocks, 1000, &offset_ns));
	expire(&clocks, 1000, 5900);
	expire(&clocks, 2000, 7000);
	expire(&clocks, 3000, 7100);
	expire(&clocks, 300000000, 300004000);
	assert_true(clocks_mono_offset(&clocks, 1500, &offset_ns));
	assert_int_equal(offset_ns, 5000);
	assert_true(clocks_mono_offset(&clocks, 310000000, &offset_ns));
	assert_int_equal(offset_ns, 4000);
	assert_int_equal(clocks_to_trace(&clocks, 8000, 1500), 3000);
	assert_true(clocks_to_trace(&clocks, TIME_NONE, 1500) == TIME_NONE);
	clocks_free(&clocks);
}

/* Wall time of the year 2020 is no uptime: it has an offset of its own, and comes out in CLOCK_MONOTONIC. */
static void test_realtime(void **state)
{
	const int64_t wall_ns = 1577836800000000000;
	struct clocks clocks = {0};

	(void)state;
	expire(&clocks, 1000, 6000);
	assert_true(clocks_to_mono(&clocks, wall_ns, 1000) == TIME_NONE);
	expire(&clocks, 2000, wall_ns);
	assert_int_equal(clocks_to_trace(&clocks, wall_ns + 500, 2000), 2500);
	assert_int_equal(clocks_to_mono(&clocks, wall_ns + 500, 2000), 7500);
	assert_int_equal(clocks_to_mono(&clocks, 7500, 2000), 7500);
	clocks_free(&clocks);
}

static void tick(struct clocks *clocks, uint64_t time_ns, int64_t now_ns)
{
	struct event event = {.type = EV_HRTIMER_EXPIRE_ENTRY, .time_ns = time_ns};

	event.u.hrtimer.tick = true;
	event.u.hrtimer.expires_ns = now_ns;
	assert_int_equal(clocks_feed(clocks, &event), 0);
}

/* A machine that was suspended for a minute: timers of CLOCK_BOOTTIME before and after the tick tells better. */
static void test_boottime(void **state)
{
	const int64_t suspended_ns = 60000000000;
	struct clocks clocks = {0};
	int64_t offset_ns;

	(void)state;
	expire(&clocks, 1000, suspended_ns + 6000);
	expire(&clocks, 2000, suspended_ns + 7000);
	expire(&clocks, 260000000, suspended_ns + 260005000);
	tick(&clocks, 300000000, 300005000);
	expire(&clocks, 310000000, suspended_ns + 310005000);
	expire(&clocks, 320000000, 320005100); /* the largest, as ever */
	expire(&clocks, 600000000, suspended_ns + 600005000);
	assert_int_equal(clocks.mono.foreign, 5);
	assert_true(clocks_mono_offset(&clocks, 1500, &offset_ns));
	assert_int_equal(offset_ns, 5000);
	assert_true(clocks_mono_offset(&clocks, 310000000, &offset_ns));
	assert_int_equal(offset_ns, 5100);
	clocks_free(&clocks);
}

/* Times that no machine lives to see are not believed. */
static void test_absurd(void **state)
{
	struct clocks clocks = {0};
	int64_t offset_ns;

	(void)state;
	expire(&clocks, 1000, INT64_MIN);
	expire(&clocks, 1000, INT64_MAX);
	expire(&clocks, UINT64_MAX, 1000);
	assert_false(clocks_mono_offset(&clocks, 1000, &offset_ns));
	start_tick(&clocks, 1000, INT64_MIN);
	start_tick(&clocks, 2000, INT64_MAX);
	clocks_finish(&clocks, 0);
	assert_int_equal(clocks.hz, 0);
	clocks_free(&clocks);
}

/* Three steps of 4 ms: 250 Hz. The grid lies where the expiries are. */
static void test_tick(void **state)
{
	struct clocks clocks = {0};

	(void)state;
	expire(&clocks, 1000, 1000);
	for (int64_t i = 1; i <= 4; i++)
		start_tick(&clocks, (uint64_t)i * 4000000, i * 4000000 + 700);
	clocks_finish(&clocks, 0);
	assert_int_equal(clocks.hz, 250);
	assert_int_equal(clocks.hz_origin, HZ_TICKS);
	assert_int_equal(clocks_tick_base(&clocks, 9000000), 8000700);
	assert_int_equal(clocks_tick_base(&clocks, 8000700), 8000700);
	assert_int_equal(clocks_tick_base(&clocks, 8000699), 4000700);
	clocks_free(&clocks);
}

/* However many CPUs tick at once, each is compared with itself. */
static void test_many_ticks(void **state)
{
	struct clocks clocks = {0};

	(void)state;
	expire(&clocks, 1000, 1000);
	for (int64_t i = 1; i <= 4; i++) {
		for (uint16_t cpu = 0; cpu < 512; cpu++)
			start_tick_of(&clocks, cpu, (uint64_t)i * 4000000, i * 4000000 + 700);
	}
	clocks_finish(&clocks, 0);
	assert_int_equal(clocks.hz, 250);
	assert_int_equal(clocks.tick_samples, 3 * 512);
	assert_int_equal(clocks_tick_base(&clocks, 9000000), 8000700);
	clocks_free(&clocks);
}

static void test_too_few_ticks(void **state)
{
	struct clocks clocks = {0};

	(void)state;
	for (int64_t i = 1; i <= 3; i++)
		start_tick(&clocks, (uint64_t)i * 4000000, i * 4000000);
	clocks_finish(&clocks, 0);
	assert_int_equal(clocks.hz, 0);
	assert_true(clocks_tick_base(&clocks, 9000000) == TIME_NONE);
	clocks_free(&clocks);
}

/* Jiffies 1002 is read twice in the tick of 8 ms, once late in that of 12 ms: 1002 begins at 8 ms. */
static void test_jiffies(void **state)
{
	static const uint64_t times_ns[] = {8100000, 9000000, 12000100};
	struct event event = {.type = EV_TIMER_START};
	struct clocks clocks = {0};

	(void)state;
	expire(&clocks, 1000, 1000);
	start_tick(&clocks, 0, 4000000);
	event.u.timer.now = 1002;
	for (unsigned i = 0; i < array_size(times_ns); i++) {
		event.time_ns = times_ns[i];
		assert_int_equal(clocks_feed(&clocks, &event), 0);
	}
	assert_true(clocks_jiffy_to_mono(&clocks, 1002) == TIME_NONE);
	clocks_finish(&clocks, 250);
	assert_int_equal(clocks.hz_origin, HZ_GIVEN);
	assert_int_equal(clocks_jiffy_to_mono(&clocks, 1002), 8000000);
	assert_int_equal(clocks_jiffy_to_mono(&clocks, 1010), 40000000);
	assert_true(clocks_jiffy_to_mono(&clocks, UINT64_MAX / 2) == TIME_NONE);
	clocks_free(&clocks);
}

static void test_given_grid(void **state)
{
	struct clocks clocks = {0};

	(void)state;
	clocks_finish(&clocks, 0);
	assert_int_equal(clocks_take_grid(&clocks, 1000, 300), 0);
	assert_int_equal(clocks.hz_origin, HZ_GATHERED);
	assert_int_equal(clocks_tick_base(&clocks, 5000299), 4000300);
	assert_int_equal(clocks_to_trace(&clocks, 123, 0), 123);
	clocks_free(&clocks);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_offset),	      cmocka_unit_test(test_realtime),
		cmocka_unit_test(test_tick),	      cmocka_unit_test(test_many_ticks),
		cmocka_unit_test(test_too_few_ticks), cmocka_unit_test(test_jiffies),
		cmocka_unit_test(test_given_grid),    cmocka_unit_test(test_boottime),
		cmocka_unit_test(test_absurd),
	};

	return cmocka_run_group_tests_name("clock", tests, NULL, NULL);
}
