// SPDX-License-Identifier: GPL-2.0-only
/* Runs of the RCU softirq, and when they keep the tick. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "model/rcu.h"

#define TICK_NS 4000000
#define MS 1000000ull

static void softirq(struct rcu_activity *rcu, uint32_t cpu, uint64_t time_ns, int32_t number)
{
	struct event event = {.type = EV_SOFTIRQ_ENTRY, .cpu = (uint16_t)cpu, .time_ns = time_ns};

	event.u.irq.number = number;
	assert_int_equal(rcu_feed(rcu, &event), 0);
}

/* 100, 110 and 124 ms are one run (gaps of 16 ms at most), 150 ms another. */
static void test_runs(void **state)
{
	struct rcu_activity rcu = {0};

	(void)state;
	assert_int_equal(rcu_init(&rcu, 2), 0);
	softirq(&rcu, 0, 100 * MS, 9);
	softirq(&rcu, 0, 110 * MS, 9);
	softirq(&rcu, 0, 124 * MS, 9);
	softirq(&rcu, 0, 150 * MS, 9);
	assert_false(rcu_keeps_tick(&rcu, 0, 96 * MS, TICK_NS));
	assert_true(rcu_keeps_tick(&rcu, 0, 96 * MS + 1, TICK_NS));
	assert_true(rcu_keeps_tick(&rcu, 0, 117 * MS, TICK_NS));
	assert_false(rcu_keeps_tick(&rcu, 0, 124 * MS, TICK_NS));
	assert_true(rcu_keeps_tick(&rcu, 0, 149 * MS, TICK_NS));
	assert_false(rcu_keeps_tick(&rcu, 0, 150 * MS, TICK_NS));
	assert_false(rcu_keeps_tick(&rcu, 0, 117 * MS, 0));
	assert_false(rcu_keeps_tick(&rcu, 1, 117 * MS, TICK_NS));
	assert_false(rcu_keeps_tick(&rcu, 7, 117 * MS, TICK_NS));
	rcu_free(&rcu);
}

static void test_others(void **state)
{
	struct rcu_activity rcu = {0};

	(void)state;
	assert_int_equal(rcu_init(&rcu, 1), 0);
	softirq(&rcu, 0, 100 * MS, 1);
	softirq(&rcu, 3, 100 * MS, 9);
	assert_false(rcu_keeps_tick(&rcu, 0, 99 * MS, TICK_NS));
	rcu_free(&rcu);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_runs),
		cmocka_unit_test(test_others),
	};

	return cmocka_run_group_tests_name("rcu", tests, NULL, NULL);
}
