// SPDX-License-Identifier: GPL-2.0-only
/* Tasks that wait for a disk. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "model/lane.h"

static struct timeline *timeline;
static struct lane lanes[2];

static int setup(void **state)
{
	(void)state;
	timeline = calloc(1, sizeof(*timeline));
	memset(lanes, 0, sizeof(lanes));
	lanes[1].cpu = 1;
	timeline->lanes = lanes;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	free(timeline);
	return 0;
}

static void leaves(unsigned cpu, int32_t pid, uint32_t task_state)
{
	struct event event = {.type = EV_SCHED_SWITCH};

	event.u.sw.prev_pid = pid;
	event.u.sw.prev_state = task_state;
	iowait_switch(timeline, &lanes[cpu], &event);
}

/* Counted where it went to sleep, until it is woken anywhere. */
static void test_counts(void **state)
{
	(void)state;
	leaves(1, 50, 2);
	leaves(1, 51, 2);
	assert_int_equal(lanes[1].iowaiters, 2);
	iowait_woken(timeline, 50);
	iowait_woken(timeline, 50);
	assert_int_equal(lanes[1].iowaiters, 1);
	assert_int_equal(lanes[0].iowaiters, 0);
}

/* Sleeping otherwise, being preempted, idle kernel threads, the idle task. */
static void test_others(void **state)
{
	(void)state;
	leaves(0, 50, 1);
	leaves(0, 50, 0);
	leaves(0, 50, 2 | 0x400);
	leaves(0, 0, 2);
	assert_int_equal(lanes[0].iowaiters, 0);
	iowait_woken(timeline, 50);
	assert_int_equal(lanes[0].iowaiters, 0);
}

/* A second sleeper of the same slot replaces the first, and the count stays right. */
static void test_collision(void **state)
{
	(void)state;
	leaves(0, 5, 2);
	leaves(1, 5 + BLOCKED, 2);
	assert_int_equal(lanes[0].iowaiters, 0);
	assert_int_equal(lanes[1].iowaiters, 1);
	iowait_woken(timeline, 5);
	assert_int_equal(lanes[1].iowaiters, 1);
	iowait_woken(timeline, 5 + BLOCKED);
	assert_int_equal(lanes[1].iowaiters, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_counts, setup, teardown),
		cmocka_unit_test_setup_teardown(test_others, setup, teardown),
		cmocka_unit_test_setup_teardown(test_collision, setup, teardown),
	};

	return cmocka_run_group_tests_name("iowait", tests, NULL, NULL);
}
