// SPDX-License-Identifier: GPL-2.0-only
/* The cost of a trace event, by verdicts of the kernel. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "replay/book.h"
#include "replay/fit.h"
#include "model/platform.h"

static struct cpir_table table = {
	.count = 2,
	.states = {{.exit_latency_ns = 0},
		   {.target_residency_ns = 100000, .exit_latency_ns = 10000}},
};
static int32_t cpu_table;
static const struct cpir_platform platform = {
	.cpu_count = 1,
	.cpu_table = &cpu_table,
	.table_count = 1,
	.tables = &table,
};

static struct book book; /* of all stretches */

static struct period *add(struct fit_sample *sample, int state, uint64_t duration_ns,
			  enum miss miss)
{
	struct stretch *kept;
	struct stretch stretch = {0};
	struct period *period = array_add(&stretch.periods);

	assert_non_null(period);
	period->enter_ns = 1000;
	period->exit_ns = 1000 + duration_ns;
	period->state = (int16_t)state;
	period->kernel_miss = (uint8_t)miss;
	assert_int_equal(book_add(&book, &stretch), 0);
	array_free(&stretch.periods);
	kept = book_stretch(&book, book.stretches.len - 1);
	assert_int_equal(fit_sample_add(sample, kept), 0);
	return kept->periods.ptr;
}

static int book_gone(void **state)
{
	(void)state;
	book_free(&book);
	return 0;
}

/* 103 us in the trace were less than 100 us to the kernel, 104 us were not: the cost is between 3 and 4 us. */
static void test_between(void **state)
{
	struct fit_sample sample = {0};
	struct learned learned = {0};

	(void)state;
	add(&sample, 1, 103000, MISS_ABOVE);
	add(&sample, 1, 104000, MISS_NONE);
	add(&sample, 0, 103000, MISS_NONE);
	add(&sample, 0, 104000, MISS_BELOW);
	assert_int_equal(fit_account_cost(&sample, &platform, &learned), 0);
	assert_in_range(learned.account_cost_ns, 3001, 4000);
	assert_int_equal(learned.residency_cost_ns, learned.account_cost_ns);
	assert_int_equal(learned.residency_samples, 4);
	fit_sample_free(&sample);
}

/* Verdicts that leave the cost open: what the closest events suggest, as far as they allow. */
static void test_open(void **state)
{
	static const int64_t expected_ns[][2] = {{8300, 8300}, {1000, 3050}, {15000, 12000}};

	(void)state;
	for (size_t i = 0; i < sizeof(expected_ns) / sizeof(expected_ns[0]); i++) {
		struct fit_sample sample = {0};
		struct learned learned = {.event_cost_ns = expected_ns[i][0]};

		for (unsigned k = 0; k < 3; k++) {
			add(&sample, 1, 103000, MISS_ABOVE);
			add(&sample, 1, 112000, MISS_NONE);
		}
		assert_int_equal(fit_account_cost(&sample, &platform, &learned), 0);
		assert_in_range(learned.account_cost_ns, expected_ns[i][1] - 50,
				expected_ns[i][1] + 50);
		fit_sample_free(&sample);
	}
}

/* A single verdict far from what the events suggest is not believed. */
static void test_outlier(void **state)
{
	struct fit_sample sample = {0};
	struct learned learned = {.event_cost_ns = 8000};

	(void)state;
	add(&sample, 1, 110000, MISS_ABOVE);
	add(&sample, 1, 115000, MISS_NONE);
	assert_int_equal(fit_account_cost(&sample, &platform, &learned), 0);
	assert_int_equal(learned.account_cost_ns, 8000);
	fit_sample_free(&sample);
}

/* One verdict against three is a mistake. */
static void test_majority(void **state)
{
	struct fit_sample sample = {0};
	struct learned learned = {0};

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		add(&sample, 1, 101000, MISS_NONE);
	add(&sample, 1, 110000, MISS_ABOVE);
	assert_int_equal(fit_account_cost(&sample, &platform, &learned), 0);
	assert_in_range(learned.account_cost_ns, 0, 1000);
	fit_sample_free(&sample);
}

/* Far from any threshold, or cut: nothing is learned. */
static void test_nothing(void **state)
{
	struct fit_sample sample = {0};
	struct learned learned = {0};

	(void)state;
	add(&sample, 1, 5000000, MISS_NONE);
	add(&sample, 1, 50000, MISS_ABOVE);
	add(&sample, 1, 103000, MISS_ABOVE)->cut = true;
	assert_int_equal(fit_account_cost(&sample, &platform, &learned), 0);
	assert_int_equal(learned.account_cost_ns, 0);
	assert_int_equal(learned.residency_samples, 0);
	fit_sample_free(&sample);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_between), cmocka_unit_test(test_open),
		cmocka_unit_test(test_outlier), cmocka_unit_test(test_majority),
		cmocka_unit_test(test_nothing),
	};

	return cmocka_run_group_tests_name("cost", tests, NULL, book_gone);
}
