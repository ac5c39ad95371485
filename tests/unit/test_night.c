// SPDX-License-Identifier: GPL-2.0-only
/* One simulated period, its times worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "replay/life.h"

#define TICK_NS 4000000

/* State 0 polls; 1 wakes in 10 us, 2 in 50 us. */
static const struct cpir_table table = {
	.count = 3,
	.states = {{.polling = true}, {.exit_latency_ns = 10000}, {.exit_latency_ns = 50000}},
};
static const struct learned learned = {
	.wake_delay_ns = {1000, 10000, 50000},
	.gap_after_wake_ns = 7000,
	.gap_after_poll_ns = 3000,
	.entry_lead_ns = {[ENTRY_IRQ] = 2000},
};
static const struct cpir_platform platform = {.poll_limit_ns = 200000};
static const struct clocks clocks = {.tick_ns = TICK_NS};
static const struct context context = {
	.known = {.hrtimers = true},
	.clocks = &clocks,
	.learned = &learned,
	.platform = &platform,
};

/* The record: a period of state 2 from 100 us on, which a remote waking at 300 us ended at 355 us. */
static struct period recorded = {.enter_ns = 100000, .exit_ns = 355000, .state = 2};
static struct happening waking = {
	.due_ns = 300000,
	.handled_ns = 300000,
	.kind = CPIR_WAKE_TASK_REMOTE,
	.due_known = true,
	.wakes_task = true,
};

static struct stretch stretch_of(struct happening *happening)
{
	struct stretch stretch = {.end_ns = 400000};

	stretch.periods.ptr = &recorded;
	stretch.periods.len = 1;
	stretch.happenings.ptr = happening;
	stretch.happenings.len = happening != NULL;
	return stretch;
}

static struct life life_in(const struct stretch *stretch)
{
	return (struct life){
		.context = &context,
		.stretch = stretch,
		.table = &table,
		.now_ns = 100000,
		.entry_ns = 90000,
		.tick_ns = 1000000,
	};
}

static struct night live(struct life *life, int state)
{
	struct night night = {.decision = {.state = state, .poll_limit_ns = -1}};

	night_live(life, &night);
	return night;
}

/* The same state: the record comes out. */
static void test_as_recorded(void **state)
{
	struct stretch stretch = stretch_of(&waking);
	struct life life = life_in(&stretch);
	struct night night = live(&life, 2);

	(void)state;
	assert_int_equal(night.end_ns, 355000);
	assert_int_equal(night.wake, CPIR_WAKE_TASK_REMOTE);
	assert_true(life.over);
	assert_int_equal(life.served, 1);
}

/* 55 us late in the state that wakes in 50 us is 15 us late in the one that wakes in 10. */
static void test_shallower(void **state)
{
	struct stretch stretch = stretch_of(&waking);
	struct life life = life_in(&stretch);
	struct night night = live(&life, 1);

	(void)state;
	assert_int_equal(night.end_ns, 315000);
	assert_ptr_equal(night.ended_by, &waking);
	assert_ptr_equal(night.paired, &recorded);
}

/* A tick at 250 us comes first; it has no counterpart in the record, so it takes the state's own delay. */
static void test_tick(void **state)
{
	struct stretch stretch = stretch_of(&waking);
	struct life life = life_in(&stretch);
	struct night night;

	(void)state;
	life.tick_ns = 250000;
	night = live(&life, 1);
	assert_int_equal(night.end_ns, 260000);
	assert_int_equal(night.wake, CPIR_WAKE_TICK);
	assert_true(night.got_tick);
	assert_false(life.over);
	assert_int_equal(life.tick_ns, 250000 + TICK_NS);
	assert_int_equal(life.now_ns, 267000);
	assert_int_equal(life.entry_ns, 265000);
}

/* A tick 3 us after the end woke the CPU, for all the governor knows, if the record's governor was told of that one so late. */
static void test_late_tick(void **state)
{
	struct period late = recorded;
	struct stretch stretch = stretch_of(&waking);

	(void)state;
	stretch.periods.ptr = &late;
	late.tick_ns = 358000;
	for (int got_tick = 0; got_tick < 2; got_tick++) {
		for (int64_t tick_ns = 357000; tick_ns <= 358000; tick_ns += 1000) {
			struct life life = life_in(&stretch);

			late.got_tick = got_tick;
			life.tick_ns = tick_ns;
			assert_int_equal(live(&life, 2).got_tick, got_tick && tick_ns == 358000);
			assert_int_equal(life.tick_ns, tick_ns + TICK_NS);
		}
	}
}

/*
 * The tick of 340 us ends the record's first period, and a timer that was due at 350 comes only while the CPU polls after it. So it
 * does if the first is lived through as recorded, and if it ends sooner.
 */
static void test_late_timer(void **state)
{
	struct period periods[] = {recorded, {.enter_ns = 370000, .exit_ns = 460000, .state = 0}};
	struct happening timer = waking;
	struct stretch stretch = stretch_of(&timer);

	(void)state;
	timer.due_ns = 350000;
	timer.handled_ns = 450000;
	timer.kind = CPIR_WAKE_TIMER;
	timer.period = 1;
	periods[0].tick_ns = 340000;
	periods[0].got_tick = true;
	periods[0].wake = CPIR_WAKE_TASK_LOCAL; /* the strongest of what came, not the first */
	periods[0].cause = NO_HAPPENING;
	periods[1].tick_ns = 340000 + TICK_NS;
	stretch.periods.ptr = periods;
	stretch.periods.len = array_size(periods);
	for (int state_now = 1; state_now <= 2; state_now++) {
		struct life life = life_in(&stretch);
		struct night night;

		life.tick_ns = 340000;
		night = live(&life, state_now);
		assert_int_equal(night.as_recorded, state_now == 2);
		assert_int_equal(night.end_ns, state_now == 2 ? 355000 : 340000);
		assert_int_equal(night.wake, CPIR_WAKE_TICK);
		assert_true(night.got_tick);
		assert_int_equal(life.served, 0);
		assert_false(life.over);
		assert_int_equal(life.now_ns - night.end_ns, 370000 - 355000);
		assert_int_equal(life.tick_ns, 340000 + TICK_NS);
	}
}

/* Without timer events nobody knows what became of the tick: the same state from the same moment is the same period. */
static void test_unseen(void **state)
{
	struct context unseen = context;
	struct stretch stretch = stretch_of(&waking);
	struct life life = life_in(&stretch);

	(void)state;
	unseen.known.hrtimers = false;
	life.context = &unseen;
	life.tick_ns = 250000;
	assert_int_equal(live(&life, 2).end_ns, 355000);
	assert_int_equal(life.tick_ns, 250000 + TICK_NS);
}

static void test_stopped_tick(void **state)
{
	struct stretch stretch = stretch_of(&waking);
	struct life life = life_in(&stretch);
	struct night night;

	(void)state;
	life.tick_ns = 250000;
	life.tick_stopped = true;
	night = live(&life, 1);
	assert_int_equal(night.end_ns, 315000);
	assert_false(night.got_tick);
}

/* The limit of 200 us ends polling at 300 us, unless a task is woken before; the idle entry time stays. */
static void test_poll(void **state)
{
	struct happening late = waking, early = waking;
	struct stretch stretch = stretch_of(&late);
	struct life life = life_in(&stretch);
	struct night night;

	(void)state;
	late.due_ns = 340000;
	night = live(&life, 0);
	assert_true(night.poll_timeout);
	assert_int_equal(night.wake, CPIR_WAKE_POLL_LIMIT);
	assert_int_equal(night.end_ns, 300000);
	assert_int_equal(life.now_ns, 303000);
	assert_int_equal(life.entry_ns, 90000);
	assert_false(life.over);

	early.due_ns = 290000;
	stretch = stretch_of(&early);
	life = life_in(&stretch);
	night = live(&life, 0);
	/* 65 us late in state 2, 49 us less when polling */
	assert_int_equal(night.end_ns, 306000);
	assert_false(night.poll_timeout);
	assert_true(life.over);
}

/* A timer that wakes no task ends sleep, not polling. */
static void test_timer(void **state)
{
	struct happening timer = waking;
	struct stretch stretch = stretch_of(&timer);
	struct life life = life_in(&stretch);
	struct night night;

	(void)state;
	timer.kind = CPIR_WAKE_TIMER;
	timer.wakes_task = false;
	timer.due_ns = 200000;
	night = live(&life, 0);
	assert_true(night.poll_timeout);
	assert_int_equal(life.served, 1);

	life = life_in(&stretch);
	night = live(&life, 2);
	assert_int_equal(night.wake, CPIR_WAKE_TIMER);
	assert_int_equal(night.end_ns, 355000);
	assert_false(life.over);
	assert_null(life_next(&life));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_as_recorded), cmocka_unit_test(test_shallower),
		cmocka_unit_test(test_tick),	    cmocka_unit_test(test_stopped_tick),
		cmocka_unit_test(test_late_timer),  cmocka_unit_test(test_unseen),
		cmocka_unit_test(test_late_tick),   cmocka_unit_test(test_poll),
		cmocka_unit_test(test_timer),
	};

	return cmocka_run_group_tests_name("night", tests, NULL, NULL);
}
