// SPDX-License-Identifier: GPL-2.0-only
/* Conversions of time stamps, with the numbers worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "trace/timebase.h"
#include "trace_fixture.h"

#include <errno.h>

/* One CPU with samples of {time, offset, scaling}; fraction bits only when @with_fraction. */
static struct blob shift_option(const int64_t (*samples)[3], uint32_t count, uint32_t flags,
				int with_fraction)
{
	struct blob option = {0};

	blob_add_number(&option, 0x1234, 8);
	blob_add_number(&option, flags, 4);
	blob_add_number(&option, 1, 4);
	blob_add_number(&option, count, 4);
	for (int column = 0; column < 3; column++) {
		for (uint32_t i = 0; i < count; i++)
			blob_add_number(&option, (uint64_t)samples[i][column], 8);
	}
	for (uint32_t i = 0; with_fraction && i < count; i++)
		blob_add_number(&option, 4, 8);
	return option;
}

static void parse(struct timebase *base, struct blob *option)
{
	struct span data = {option->data, option->size};

	assert_int_equal(timebase_parse_shift(base, data, HOST_BIG_ENDIAN), 0);
	blob_free(option);
}

static void test_offset(void **state)
{
	struct timebase base = {.offset_ns = (uint64_t)-5};

	(void)state;
	assert_true(timebase_is_offset(&base, 3));
	assert_int_equal(timebase_convert(&base, 3, 105), 100);
}

static void test_cycles(void **state)
{
	struct timebase base = {.mult = 0x80000001, .shift = 32, .offset_ns = 1};

	(void)state;
	assert_false(timebase_is_offset(&base, 0));
	/* 2^40 · (2^31 + 1) / 2^32 = 2^39 + 2^8 */
	assert_int_equal(timebase_convert(&base, 0, UINT64_C(1) << 40),
			 (UINT64_C(1) << 39) + 256 + 1);
}

static void test_one_sample(void **state)
{
	static const int64_t samples[][3] = {{1000, -30, 5}};
	struct blob option = shift_option(samples, 1, 0, 0);
	struct timebase base = {0};

	(void)state;
	parse(&base, &option);
	assert_false(timebase_is_offset(&base, 0));
	assert_true(timebase_is_offset(&base, 1));
	assert_int_equal(timebase_convert(&base, 0, 500), 470);
	assert_int_equal(timebase_convert(&base, 1, 500), 500);
	timebase_free(&base);
}

/* Out of order, one time twice: sorted, the second one dropped. */
static void test_samples(void **state)
{
	static const int64_t samples[][3] = {
		{3000, 30, 1}, {1000, 10, 1}, {2000, -20, 1}, {2000, 99, 1}};
	struct blob option = shift_option(samples, 4, 0, 0);
	struct timebase base = {0};

	(void)state;
	parse(&base, &option);
	assert_int_equal(base.cpus[0].count, 3);
	assert_int_equal(timebase_convert(&base, 0, 500), 510);
	assert_int_equal(timebase_convert(&base, 0, 1999), 2009);
	assert_int_equal(timebase_convert(&base, 0, 2000), 1980);
	assert_int_equal(timebase_convert(&base, 0, 9000), 8980);
	timebase_free(&base);
}

static void test_interpolation(void **state)
{
	static const int64_t samples[][3] = {{1000, 100, 16}, {2000, 300, 16}};
	struct blob option = shift_option(samples, 2, 1, 1);
	struct timebase base = {0};

	(void)state;
	parse(&base, &option);
	/* scaling 16 / 2^4 = 1; half way the offset is 200 */
	assert_int_equal(timebase_convert(&base, 0, 1500), 1700);
	assert_int_equal(timebase_convert(&base, 0, 1000), 1100);
	assert_int_equal(timebase_convert(&base, 0, 2500), 2900);
	timebase_free(&base);
}

static void test_cut_option(void **state)
{
	static const int64_t samples[][3] = {{1000, 100, 16}, {2000, 300, 16}};
	struct blob option = shift_option(samples, 2, 1, 1);
	struct timebase base = {0};

	(void)state;
	for (size_t size = 0; size < option.size; size++) {
		bool without_fraction = size == option.size - 16;
		int rc = timebase_parse_shift(&base, (struct span){option.data, size},
					      HOST_BIG_ENDIAN);

		assert_int_equal(rc, without_fraction ? 0 : -EBADMSG);
	}
	timebase_free(&base);
	blob_free(&option);
}

static void test_absurd_samples(void **state)
{
	static const int64_t samples[][3] = {{0, INT64_MIN, -1}, {-1, INT64_MAX, -1}};
	struct blob option = shift_option(samples, 2, 1, 0);
	struct timebase base = {.mult = UINT32_MAX, .shift = UINT32_MAX};

	(void)state;
	parse(&base, &option);
	(void)timebase_convert(&base, 0,
			       UINT64_MAX - 1); /* nothing to expect but no undefined behaviour */
	timebase_free(&base);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_offset),	       cmocka_unit_test(test_cycles),
		cmocka_unit_test(test_one_sample),     cmocka_unit_test(test_samples),
		cmocka_unit_test(test_interpolation),  cmocka_unit_test(test_cut_option),
		cmocka_unit_test(test_absurd_samples),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
