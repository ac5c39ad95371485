// SPDX-License-Identifier: GPL-2.0-only
/* Above and below at their limits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "replay/account.h"

/* Residencies 0, 100 and 1000 us, exit latencies 2, 10 and 200 us. */
static const struct cpir_table table = {
	.count = 3,
	.states = {{.exit_latency_ns = 2000},
		   {.target_residency_ns = 100000, .exit_latency_ns = 10000},
		   {.target_residency_ns = 1000000, .exit_latency_ns = 200000, .disabled = true}},
};

static void test_above(void **state)
{
	(void)state;
	assert_int_equal(account_miss(&table, 0, 1, 99999), MISS_ABOVE);
	assert_int_equal(account_miss(&table, 0, 1, 100000), MISS_NONE);
	assert_int_equal(account_miss(&table, 1, 1, 99999), MISS_NONE);
	assert_int_equal(account_miss(&table, 1, 2, 99999), MISS_ABOVE);
	assert_int_equal(account_miss(&table, 3, 2, 99999), MISS_NONE);
	assert_int_equal(account_miss(&table, 0, 0, 0), MISS_NONE);
}

/* What is left after the exit latency must fill the next deeper enabled state. */
static void test_below(void **state)
{
	(void)state;
	assert_int_equal(account_miss(&table, 0, 0, 101999), MISS_NONE);
	assert_int_equal(account_miss(&table, 0, 0, 102000), MISS_BELOW);
	assert_int_equal(account_miss(&table, 2, 0, 102000), MISS_NONE);
	assert_int_equal(account_miss(&table, 2, 0, 1002000), MISS_BELOW);
	assert_int_equal(account_miss(&table, 0, 1, 1010000), MISS_BELOW);
	assert_int_equal(account_miss(&table, 4, 1, UINT64_MAX), MISS_NONE);
	assert_int_equal(account_miss(&table, 0, 2, UINT64_MAX), MISS_NONE);
}

/* A deep state that claims to be worth it never is: no overflow turns that round. */
static void test_never(void **state)
{
	static const struct cpir_table never = {
		.count = 2,
		.states = {{.exit_latency_ns = 1000}, {.target_residency_ns = 4294967295000}},
	};

	(void)state;
	assert_int_equal(account_miss(&never, 0, 0, 500), MISS_NONE);
	assert_int_equal(account_miss(&never, 0, 0, 3600000000000), MISS_NONE);
	assert_int_equal(account_miss(&never, 0, 0, 4294967296000), MISS_BELOW);
}

static void test_distance(void **state)
{
	(void)state;
	assert_int_equal(account_distance(&table, 0, 1, 99000), 1000);
	assert_int_equal(account_distance(&table, 0, 1, 1000000), 10000);
	assert_int_equal(account_distance(&table, 1, 1, 99000), 911000);
	assert_true(account_distance(&table, 3, 2, 99000) == UINT64_MAX);
}

static void test_table_mask(void **state)
{
	(void)state;
	assert_int_equal(table_disabled_mask(&table), 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_above),	   cmocka_unit_test(test_below),
		cmocka_unit_test(test_never),	   cmocka_unit_test(test_distance),
		cmocka_unit_test(test_table_mask),
	};

	return cmocka_run_group_tests_name("account", tests, NULL, NULL);
}
