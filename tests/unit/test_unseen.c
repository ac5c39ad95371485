// SPDX-License-Identifier: GPL-2.0-only
/* Without timer events: what the ends of periods tell. Ticks at whole multiples of 4 ms. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "model/lane.h"

#define US 1000
#define MS 1000000

struct fixture {
	struct clocks clocks;
	struct timeline timeline;
	struct lane lane;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	if (!f)
		return -1;
	*state = f;
	f->timeline.options.clocks = &f->clocks;
	f->timeline.options.known.sched_switch = true;
	return clocks_take_grid(&f->clocks, 250, 0);
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	clocks_free(&f->clocks);
	array_free(&f->lane.stretch.periods);
	array_free(&f->lane.stretch.happenings);
	free(f);
	return 0;
}

static struct period *add_period(struct fixture *f, uint64_t enter_ns, uint64_t exit_ns)
{
	struct period *period = array_add(&f->lane.stretch.periods);

	assert_non_null(period);
	*period = (struct period){
		.enter_ns = enter_ns,
		.exit_ns = exit_ns,
		.state = 1,
		.tick_ns = TIME_NONE,
		.next_hrtimer_ns = TIME_NONE,
		.wake = CPIR_WAKE_UNKNOWN,
	};
	f->lane.closing = true;
	return period;
}

static void test_tick(void **state)
{
	struct fixture *f = *state;
	const struct period *period = add_period(f, 5 * MS, 8 * MS + 40 * US);

	assert_int_equal(wakeups_close(&f->timeline, &f->lane, false), 0);
	assert_int_equal(period->wake, CPIR_WAKE_TICK);
	assert_true(period->got_tick);
	assert_int_equal(period->tick_ns, 8 * MS);
	assert_int_equal(f->lane.stretch.happenings.len, 0);
}

/* A stopped tick leaves the grid's points in a period unused; its end off the grid is an interrupt's. */
static void test_interrupt(void **state)
{
	struct fixture *f = *state;
	const struct period *period = add_period(f, 5 * MS, 18 * MS);

	assert_int_equal(wakeups_close(&f->timeline, &f->lane, false), 0);
	assert_int_equal(period->wake, CPIR_WAKE_UNKNOWN);
	assert_false(period->got_tick);
	assert_int_equal(f->lane.stretch.happenings.len, 1);
	assert_int_equal(f->lane.stretch.happenings.ptr[0].due_ns, 18 * MS);
	assert_false(f->lane.stretch.happenings.ptr[0].wakes_task);
	assert_true(unseen_wakes(&f->lane.stretch, true));
	assert_true(f->lane.stretch.happenings.ptr[0].wakes_task);
}

/* Where no event tells of wake-ups, all that came in the last period ends idleness, whatever it is, and nothing before. */
static void test_last_period(void **state)
{
	struct fixture *f = *state;
	const struct happening came[] = {
		{.period = 0, .kind = CPIR_WAKE_TIMER},
		{.period = 1, .kind = CPIR_WAKE_TIMER},
		{.period = 1, .kind = CPIR_WAKE_IRQ},
	};
	struct happening *happening;

	add_period(f, 1 * MS, 2 * MS);
	add_period(f, 3 * MS, 5 * MS);
	for (size_t i = 0; i < array_size(came); i++) {
		happening = array_add(&f->lane.stretch.happenings);
		assert_non_null(happening);
		*happening = came[i];
	}
	happening = f->lane.stretch.happenings.ptr;
	assert_false(unseen_wakes(&f->lane.stretch, true));
	assert_false(happening[1].wakes_task || happening[2].wakes_task);
	assert_true(unseen_wakes(&f->lane.stretch, false));
	assert_false(happening[0].wakes_task);
	assert_true(happening[1].wakes_task && happening[2].wakes_task);
}

/* On the grid, but past another point of it: the stopped tick was set for a timer, which comes whatever the policy does. */
static void test_stopped_tick(void **state)
{
	struct fixture *f = *state;
	const struct period *period = add_period(f, 5 * MS, 12 * MS + 40 * US);

	assert_int_equal(wakeups_close(&f->timeline, &f->lane, false), 0);
	assert_true(period->got_tick);
	assert_int_equal(period->tick_ns, TIME_NONE);
	assert_int_equal(f->lane.stretch.happenings.len, 1);
	assert_int_equal(f->lane.stretch.happenings.ptr[0].due_ns, 12 * MS + 40 * US);
	assert_false(f->lane.stretch.happenings.ptr[0].wakes_task);
}

static void test_polling(void **state)
{
	struct fixture *f = *state;
	struct period *period = add_period(f, 5 * MS, 9 * MS);

	period->poll_timeout = true;
	assert_int_equal(wakeups_close(&f->timeline, &f->lane, true), 0);
	assert_int_equal(period->wake, CPIR_WAKE_POLL_LIMIT);
	assert_true(period->got_tick);
	assert_int_equal(f->lane.stretch.happenings.len, 0);
}

/* With timer events nothing is concluded. */
static void test_seen(void **state)
{
	struct fixture *f = *state;
	const struct period *period = add_period(f, 5 * MS, 8 * MS + 40 * US);

	f->timeline.options.known.hrtimers = true;
	assert_int_equal(wakeups_close(&f->timeline, &f->lane, false), 0);
	assert_int_equal(period->wake, CPIR_WAKE_UNKNOWN);
	assert_false(period->got_tick);
}

/* Two ticks, then a task woken here, then one woken by another CPU: the timer of the former was next in the first three. */
static void test_foresee(void **state)
{
	struct fixture *f = *state;
	struct happening local = {.period = 2, .kind = CPIR_WAKE_TASK_LOCAL};
	struct happening remote = {.period = 3, .kind = CPIR_WAKE_TASK_REMOTE};
	struct stretch *stretch = &f->lane.stretch;
	struct happening *happening;

	add_period(f, 1 * MS, 4 * MS);
	add_period(f, 5 * MS, 8 * MS);
	add_period(f, 9 * MS, 10 * MS);
	add_period(f, 11 * MS, 12 * MS)->wake = CPIR_WAKE_TASK_REMOTE;
	happening = array_add(&stretch->happenings);
	assert_non_null(happening);
	*happening = local;
	happening = array_add(&stretch->happenings);
	assert_non_null(happening);
	*happening = remote;
	unseen_foresee(stretch);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(stretch->periods.ptr[i].next_hrtimer_ns, 10 * MS);
		assert_int_equal(stretch->periods.ptr[i].foreseen, CPIR_WAKE_TASK_LOCAL);
	}
	assert_int_equal(stretch->periods.ptr[3].next_hrtimer_ns, TIME_NONE);
	assert_int_equal(stretch->periods.ptr[3].foreseen, CPIR_WAKE_TASK_REMOTE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_tick, setup, teardown),
		cmocka_unit_test_setup_teardown(test_interrupt, setup, teardown),
		cmocka_unit_test_setup_teardown(test_last_period, setup, teardown),
		cmocka_unit_test_setup_teardown(test_stopped_tick, setup, teardown),
		cmocka_unit_test_setup_teardown(test_polling, setup, teardown),
		cmocka_unit_test_setup_teardown(test_seen, setup, teardown),
		cmocka_unit_test_setup_teardown(test_foresee, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
