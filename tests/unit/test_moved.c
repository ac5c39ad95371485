// SPDX-License-Identifier: GPL-2.0-only
/* Hrtimers that idle CPUs gave away. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "model/moved.h"

#define PINNED 2

static struct event timer_event(unsigned type, uint64_t time_ns, uint32_t cpu, uint64_t timer)
{
	return (struct event){.type = (uint8_t)type,
			      .time_ns = time_ns,
			      .cpu = (uint16_t)cpu,
			      .u.hrtimer.timer = timer};
}

static void feed(struct moved *moved, struct event event)
{
	assert_int_equal(moved_feed(moved, &event), 0);
}

/* 0x10 expires on the other CPU twice, and at home once; 0x20 never leaves. */
static void test_found(void **state)
{
	struct moved moved = {0};
	struct event start = timer_event(EV_HRTIMER_START, 300, 1, 0x10);

	(void)state;
	assert_int_equal(moved_init(&moved), 0);
	feed(&moved, timer_event(EV_HRTIMER_START, 100, 1, 0x10));
	feed(&moved, timer_event(EV_HRTIMER_START, 100, 1, 0x20));
	feed(&moved, timer_event(EV_HRTIMER_EXPIRE_ENTRY, 150, 1, 0x20));
	feed(&moved, timer_event(EV_HRTIMER_EXPIRE_ENTRY, 150, 0, 0x10));
	feed(&moved, timer_event(EV_HRTIMER_START, 200, 1, 0x10));
	feed(&moved, timer_event(EV_HRTIMER_EXPIRE_ENTRY, 250, 1, 0x10));
	feed(&moved, start);
	feed(&moved, timer_event(EV_HRTIMER_EXPIRE_ENTRY, 350, 2, 0x10));
	moved_finish(&moved);
	assert_int_equal(moved.timers.len, 2);
	assert_int_equal(moved_cpu(&moved, &start), 2);
	start.time_ns = 200;
	assert_int_equal(moved_cpu(&moved, &start), 1);
	start.time_ns = 100;
	assert_int_equal(moved_cpu(&moved, &start), 0);
	start.u.hrtimer.timer = 0x20;
	assert_int_equal(moved_cpu(&moved, &start), 1);
	moved_free(&moved);
}

/* Pinned ones, ticks, and those that a task starts stay: if they expire elsewhere, something else moved them, later. */
static void test_stay(void **state)
{
	struct moved moved = {0};
	struct event pinned = timer_event(EV_HRTIMER_START, 100, 1, 0x10);
	struct event tick = timer_event(EV_HRTIMER_START, 100, 1, 0x20);
	struct event by_task = timer_event(EV_HRTIMER_START, 100, 1, 0x30);

	(void)state;
	assert_int_equal(moved_init(&moved), 0);
	pinned.u.hrtimer.mode = PINNED;
	tick.u.hrtimer.tick = true;
	by_task.pid = 7;
	feed(&moved, pinned);
	feed(&moved, tick);
	feed(&moved, by_task);
	for (uint64_t timer = 0x10; timer <= 0x30; timer += 0x10)
		feed(&moved, timer_event(EV_HRTIMER_EXPIRE_ENTRY, 150, 0, timer));
	moved_finish(&moved);
	assert_int_equal(moved.timers.len, 0);
	moved_free(&moved);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_found),
		cmocka_unit_test(test_stay),
	};

	return cmocka_run_group_tests_name("moved", tests, NULL, NULL);
}
