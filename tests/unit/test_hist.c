// SPDX-License-Identifier: GPL-2.0-only
/* The histogram against a sorted array of the same values, and merging. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/hist.h"

#define VALUES 3000

static uint64_t random_next(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

/* Values of all magnitudes: a random number cut to a random number of bits. */
static void values_fill(uint64_t *values, size_t count, uint64_t seed)
{
	for (size_t i = 0; i < count; i++) {
		unsigned shift = (unsigned)(random_next(&seed) % 64);

		values[i] = random_next(&seed) >> shift;
	}
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void hist_fill(struct hist *hist, const uint64_t *values, size_t count)
{
	for (size_t i = 0; i < count; i++)
		assert_int_equal(hist_add(hist, values[i]), 0);
}

static void test_empty(void **state)
{
	struct hist hist = {0};

	(void)state;
	assert_int_equal(hist_quantile(&hist, 5000), 0);
	assert_int_equal(hist_mean(&hist), 0);
	hist_deinit(&hist);
	hist_deinit(NULL);
}

static void test_totals(void **state)
{
	struct hist hist = {0};

	(void)state;
	hist_fill(&hist, (uint64_t[]){500, 3, 1000000007}, 3);
	assert_int_equal(hist.count, 3);
	assert_int_equal(hist.sum, 1000000510);
	assert_int_equal(hist.min, 3);
	assert_int_equal(hist.max, 1000000007);
	assert_int_equal(hist_mean(&hist), 333333503);
	assert_int_equal(hist_quantile(&hist, 10000), 1000000007);
	assert_int_equal(hist_quantile(&hist, 65535), 1000000007);
	assert_int_equal(hist_quantile(&hist, 0), 3);
	hist_deinit(&hist);
	assert_int_equal(hist.count, 0);
}

static void test_extremes(void **state)
{
	struct hist hist = {0};

	(void)state;
	hist_fill(&hist, (uint64_t[]){0, UINT64_MAX, UINT64_MAX}, 3);
	assert_true(hist.sum == UINT64_MAX);
	assert_int_equal(hist.min, 0);
	assert_true(hist_quantile(&hist, 9000) == UINT64_MAX);
	assert_int_equal(hist_quantile(&hist, 3333), 0);
	hist_deinit(&hist);
}

static void test_quantile_error(void **state)
{
	static uint64_t values[VALUES];
	struct hist hist = {0};

	(void)state;
	values_fill(values, VALUES, 88172645463325252u);
	hist_fill(&hist, values, VALUES);
	qsort(values, VALUES, sizeof(values[0]), compare);
	for (unsigned q = 0; q <= 10000; q++) {
		size_t rank = (VALUES * q + 9999) / 10000;
		uint64_t truth = values[rank ? rank - 1 : 0], got = hist_quantile(&hist, q);

		if (got < truth || got - truth > truth / HIST_ROW)
			fail_msg("quantile %u: %llu for %llu", q, (unsigned long long)got,
				 (unsigned long long)truth);
	}
	hist_deinit(&hist);
}

/* Every bucket edge: the value before, on and after each power of two keeps the error bound when it stands alone. */
static void test_edges(void **state)
{
	(void)state;
	for (unsigned bit = 1; bit < 64; bit++) {
		for (int d = -1; d <= 1; d++) {
			uint64_t value = (UINT64_C(1) << bit) + (uint64_t)d, got;
			struct hist hist = {0};

			hist_fill(&hist, (uint64_t[]){value, UINT64_MAX}, 2);
			got = hist_quantile(&hist, 1);
			assert_true(got >= value && got - value <= value / HIST_ROW);
			hist_deinit(&hist);
		}
	}
}

static bool hist_equal(const struct hist *a, const struct hist *b)
{
	static const uint64_t zeros[HIST_ROW];

	if (a->count != b->count || a->sum != b->sum || a->min != b->min || a->max != b->max)
		return false;
	for (unsigned row = 0; row < HIST_ROWS; row++) {
		if (memcmp(a->rows[row] ? a->rows[row] : zeros, b->rows[row] ? b->rows[row] : zeros,
			   sizeof(zeros)))
			return false;
	}
	return true;
}

static void test_merge(void **state)
{
	static uint64_t values[VALUES];
	struct hist part[3] = {0}, whole = {0}, left = {0}, right = {0}, empty = {0};

	(void)state;
	values_fill(values, VALUES, 2463534242u);
	hist_fill(&whole, values, VALUES);
	for (size_t i = 0; i < 3; i++)
		hist_fill(&part[i], values + i * VALUES / 3, VALUES / 3);
	/* left = (0 + 1) + 2, right = 2 + (1 + 0) */
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(hist_merge(&left, &part[i]), 0);
	assert_int_equal(hist_merge(&part[1], &part[0]), 0);
	assert_int_equal(hist_merge(&right, &part[2]), 0);
	assert_int_equal(hist_merge(&right, &part[1]), 0);
	assert_int_equal(hist_merge(&right, &empty), 0);
	assert_true(hist_equal(&left, &whole));
	assert_true(hist_equal(&right, &whole));
	assert_int_equal(hist_merge(&empty, &empty), 0);
	assert_int_equal(empty.min, 0);
	hist_deinit(&whole);
	hist_deinit(&left);
	hist_deinit(&right);
	for (size_t i = 0; i < 3; i++)
		hist_deinit(&part[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_empty),	 cmocka_unit_test(test_totals),
		cmocka_unit_test(test_extremes), cmocka_unit_test(test_quantile_error),
		cmocka_unit_test(test_edges),	 cmocka_unit_test(test_merge),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
