// SPDX-License-Identifier: GPL-2.0-only
/* Which states were disabled when, by the verdicts of the kernel. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "model/masks.h"

/* Residencies 0, 100 and 1000 us, exit latencies 0, 10 and 100 us. */
static const struct cpir_table table = {
	.count = 3,
	.states = {{.target_residency_ns = 0},
		   {.target_residency_ns = 100000, .exit_latency_ns = 10000},
		   {.target_residency_ns = 1000000, .exit_latency_ns = 100000}},
};

static void period(struct masks *masks, uint64_t enter_ns, int state, uint64_t duration_ns)
{
	struct mask_evidence evidence = {
		.state = state,
		.enter_ns = enter_ns,
		.duration_ns = duration_ns,
		.slack_ns = 30000,
	};

	assert_int_equal(masks_feed(masks, &table, &evidence), 0);
}

/* Long in state 1 without "below", three times: 2 was disabled, from its last entry to its next. */
static void test_deeper(void **state)
{
	struct masks masks = {0};

	(void)state;
	assert_int_equal(masks_init(&masks, 1, NULL), 0);
	period(&masks, 1000, 2, 5000000);
	for (uint64_t i = 0; i < 3; i++)
		period(&masks, 2000 + i, 1, 5000000);
	period(&masks, 3000, 2, 5000000);
	assert_int_equal(masks_finish(&masks, 4000, true), 0);
	assert_int_equal(masks_spans(&masks), 1);
	assert_int_equal(masks_at(&masks, 0, 1000), 0);
	assert_int_equal(masks_at(&masks, 0, 1001), 4);
	assert_int_equal(masks_at(&masks, 0, 2999), 4);
	assert_int_equal(masks_at(&masks, 0, 3000), 0);
	assert_int_equal(masks_at(&masks, 1, 2000), 0);
	masks_free(&masks);
}

/* Entries that the driver gave back leave no verdict either: only longer ones prove that nothing shallower was enabled. */
static void test_given_back(void **state)
{
	struct masks masks = {0};

	(void)state;
	assert_int_equal(masks_init(&masks, 1, NULL), 0);
	for (uint64_t i = 1; i < 6; i++)
		period(&masks, 1000 * i, 2, 99999);
	assert_int_equal(masks_finish(&masks, 8000, true), 0);
	assert_int_equal(masks_spans(&masks), 0);
	masks_free(&masks);

	assert_int_equal(masks_init(&masks, 1, NULL), 0);
	for (uint64_t i = 1; i < 6; i++)
		period(&masks, 1000 * i, 2, 100000);
	assert_int_equal(masks_finish(&masks, 8000, true), 0);
	assert_int_equal(masks_at(&masks, 0, 3000), 3);
	masks_free(&masks);
}

static void test_two_proofs(void **state)
{
	struct masks masks = {0};

	(void)state;
	assert_int_equal(masks_init(&masks, 1, NULL), 0);
	period(&masks, 2000, 1, 5000000);
	period(&masks, 2001, 1, 5000000);
	assert_int_equal(masks_finish(&masks, 4000, true), 0);
	assert_int_equal(masks_spans(&masks), 0);
	masks_free(&masks);
}

/* 1.01 ms and the slack of 30 us is what state 2 needs after state 1: a little less proves nothing. */
static void test_slack(void **state)
{
	struct masks masks = {0};

	(void)state;
	assert_int_equal(masks_init(&masks, 1, NULL), 0);
	for (uint64_t i = 0; i < 9; i++)
		period(&masks, 2000 + i, 1, 1039999);
	assert_int_equal(masks_finish(&masks, 4000, true), 0);
	assert_int_equal(masks_spans(&masks), 0);
	masks_free(&masks);
}

/* Too short in state 1 and no "above": state 0 was disabled, all the time. */
static void test_shallower(void **state)
{
	struct masks masks = {0};

	(void)state;
	assert_int_equal(masks_init(&masks, 1, NULL), 0);
	for (uint64_t i = 0; i < 3; i++)
		period(&masks, 2000 + i, 1, 20000);
	assert_int_equal(masks_finish(&masks, 4000, true), 0);
	assert_int_equal(masks_at(&masks, 0, 1), 1);
	assert_int_equal(masks_at(&masks, 0, 4000), 1);
	masks_free(&masks);
}

/* The same in a trace without verdicts proves nothing; what the platform says holds until the state is entered. */
static void test_not_judged(void **state)
{
	struct masks masks = {0};

	(void)state;
	assert_int_equal(masks_init(&masks, 1, NULL), 0);
	masks.lanes[0].initial = 1 << 2;
	for (uint64_t i = 0; i < 3; i++)
		period(&masks, 2000 + i, 1, 5000000);
	period(&masks, 3000, 2, 5000000);
	for (uint64_t i = 0; i < 3; i++)
		period(&masks, 3100 + i, 1, 5000000);
	assert_int_equal(masks_finish(&masks, 4000, false), 0);
	assert_int_equal(masks_at(&masks, 0, 2999), 4);
	assert_int_equal(masks_at(&masks, 0, 3000), 0);
	assert_int_equal(masks_at(&masks, 0, 3999), 0);
	masks_free(&masks);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_deeper),	   cmocka_unit_test(test_two_proofs),
		cmocka_unit_test(test_slack),	   cmocka_unit_test(test_shallower),
		cmocka_unit_test(test_not_judged), cmocka_unit_test(test_given_back),
	};

	return cmocka_run_group_tests_name("masks", tests, NULL, NULL);
}
