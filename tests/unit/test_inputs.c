// SPDX-License-Identifier: GPL-2.0-only
/* When did idleness begin? By the last event before a decision, and by how long the way from it usually is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "replay/inputs.h"

static const struct learned usual = {
	.entry_delay_ns = {[ENTRY_SWITCH] = 3000, [ENTRY_IRQ] = 2000},
	.wake_usual_ns = {5000, 7000},
};
static const struct clocks clocks = {.tick_ns = 4000000};

static int64_t entry_ns(const struct learned *learned, const struct period *period)
{
	const struct context context = {.clocks = &clocks, .learned = learned};

	return entry_of_period(&context, period);
}

/* @event of an interrupt was the last one before a decision, 200 us before cpu_idle. */
static struct period interrupted_by(enum event_type event)
{
	return (struct period){
		.entry_ns = 100000,
		.enter_ns = 300000,
		.entry_kind = ENTRY_IRQ,
		.entry_event = (uint8_t)event,
	};
}

static void test_after_switch(void **state)
{
	struct period period = {.entry_ns = 100000, .enter_ns = 110000, .first = true};

	(void)state;
	assert_int_equal(entry_ns(&usual, &period), 103000);
	period.enter_ns = 102000; /* cpu_idle follows at once: not after it */
	assert_int_equal(entry_ns(&usual, &period), 102000);
}

/* What is left of an interrupt may take any time; but the way back is as long as always. */
static void test_amid_interrupt_that_woke(void **state)
{
	struct period period = interrupted_by(EV_HRTIMER_START);

	(void)state;
	period.enter_ns = 140000;
	period.after_wake = true;
	assert_int_equal(entry_ns(&usual, &period), 140000 - 5000 + 2000);
	period.stopped_tick = true;
	assert_int_equal(entry_ns(&usual, &period), 140000 - 7000 + 2000);
}

/* Nothing shows how long the CPU polled on after it: as much is left as of those that woke the CPU. */
static void test_amid_interrupt_while_polling(void **state)
{
	struct learned learned = usual;
	struct period period = interrupted_by(EV_HRTIMER_START);

	(void)state;
	assert_int_equal(entry_ns(&learned, &period),
			 102000 + 500); /* none has: a quarter of the delay */
	learned.amid_way_ns = 25000;
	assert_int_equal(entry_ns(&learned, &period), 102000 + 20000);
	learned.amid_way_ns = 4000;
	assert_int_equal(entry_ns(&learned, &period), 102000);
	learned.amid_way_ns = 25000;
	period.first = true; /* it came before any polling */
	assert_int_equal(entry_ns(&learned, &period), 102000 + 500);
}

/* Between sched_switch and the first cpu_idle: however long it took, the rest of the way is as long as always. */
static void test_interrupted_on_the_way(void **state)
{
	struct learned learned = usual;
	struct period period = interrupted_by(EV_HRTIMER_START);

	(void)state;
	period.first = true;
	learned.first_way_ns[0] = 12000;
	learned.first_way_ns[1] = 20000;
	assert_int_equal(entry_ns(&learned, &period), 300000 - 12000 + 3000);
	period.stopped_tick = true;
	assert_int_equal(entry_ns(&learned, &period), 300000 - 20000 + 3000);
	period.entry_event = EV_VEC_TIMER_EXIT;
	assert_int_equal(entry_ns(&learned, &period), 300000 - 20000 + 3000);
	period.enter_ns = 110000; /* not before its last event */
	assert_int_equal(entry_ns(&learned, &period), 102000);
	period.enter_ns = 300000;
	period.entry_event = EV_SOFTIRQ_EXIT; /* nothing is left then */
	assert_int_equal(entry_ns(&learned, &period), 102000);
}

static void test_unseen_interrupt(void **state)
{
	struct learned learned = usual;
	struct period period = interrupted_by(EV_HRTIMER_EXPIRE_EXIT);

	(void)state;
	period.after_wake = true;
	learned.wake_lead_ns[0] = 1500;
	assert_int_equal(entry_ns(&learned, &period), 102000);
	learned.unseen_interrupts = true;
	assert_int_equal(entry_ns(&learned, &period), 300000 - 1500);
	period.after_wake = false;
	assert_int_equal(entry_ns(&learned, &period), 102000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_after_switch),
		cmocka_unit_test(test_amid_interrupt_that_woke),
		cmocka_unit_test(test_amid_interrupt_while_polling),
		cmocka_unit_test(test_interrupted_on_the_way),
		cmocka_unit_test(test_unseen_interrupt),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
