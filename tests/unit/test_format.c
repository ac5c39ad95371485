// SPDX-License-Identifier: GPL-2.0-only
/* Numbers as people read them. */
#include "report/format.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static void counts(void **state)
{
	char buf[FORMAT_MAX];

	(void)state;
	assert_string_equal(format_count(0, buf), "0");
	assert_string_equal(format_count(999, buf), "999");
	assert_string_equal(format_count(1000, buf), "1,000");
	assert_string_equal(format_count(12735820, buf), "12,735,820");
	assert_string_equal(format_count(UINT64_MAX, buf), "18,446,744,073,709,551,615");
}

static void durations(void **state)
{
	static const struct {
		uint64_t ns;
		const char *text;
	} cases[] = {
		{0, "0 ns"},
		{999, "999 ns"},
		{1000, "1 us"},
		{1001, "1.001 us"},
		{10000, "10 us"},
		{12345, "12.35 us"},
		{99994, "99.99 us"},
		{99996, "100.0 us"},
		{123456, "123.5 us"},
		{999940, "999.9 us"},
		{999950, "1.000 ms"},
		{1000000, "1 ms"},
		{1500000, "1.500 ms"},
		{UINT64_C(4294967295000), "4295 s"},
		{UINT64_C(2000000000), "2 s"},
		{UINT64_C(999999999999), "1000 s"},
		{UINT64_C(3600000000000), "3600 s"},
		{UINT64_MAX, "18446744074 s"},
	};
	char buf[FORMAT_MAX];

	(void)state;
	for (size_t i = 0; i < array_size(cases); i++)
		assert_string_equal(format_duration(cases[i].ns, buf), cases[i].text);
}

static const char *text_of(const struct cell *cell)
{
	static char buf[FORMAT_MAX];

	return format_cell(cell, buf);
}

static void cells(void **state)
{
	(void)state;
	assert_string_equal(text_of(&(struct cell){.type = CELL_EMPTY}), "");
	assert_string_equal(text_of(&(struct cell){.type = CELL_NONE}), "-");
	assert_string_equal(text_of(&(struct cell){.type = CELL_PERCENT, .percent = {8486, 18817}}),
			    "45.10%");
	assert_string_equal(text_of(&(struct cell){.type = CELL_PERCENT, .percent = {0, 0}}), "-");
	assert_string_equal(text_of(&(struct cell){.type = CELL_RANGE, .range = {1, 12835820}}),
			    "1 .. 12,835,820");
	assert_string_equal(text_of(&(struct cell){.type = CELL_ENERGY, .value = 12345}),
			    "12.35 uJ");
}

static void changes(void **state)
{
	(void)state;
	assert_string_equal(text_of(&(struct cell){.type = CELL_CHANGE, .change = {200, 217}}),
			    "+8.50%");
	assert_string_equal(text_of(&(struct cell){.type = CELL_CHANGE, .change = {200, 0}}),
			    "-100.00%");
	assert_string_equal(text_of(&(struct cell){.type = CELL_CHANGE, .change = {0, 0}}),
			    "0.00%");
	assert_string_equal(text_of(&(struct cell){.type = CELL_CHANGE, .change = {0, 5}}), "-");
	assert_string_equal(
		text_of(&(struct cell){.type = CELL_CHANGE, .change = {1000000, 999999}}), "0.00%");
	assert_string_equal(text_of(&(struct cell){.type = CELL_POINTS,
						   .points = {{4510, 10000}, {190, 10000}}}),
			    "-43.20 pp");
	assert_string_equal(
		text_of(&(struct cell){.type = CELL_POINTS, .points = {{1, 2}, {0, 0}}}), "-");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts),
		cmocka_unit_test(durations),
		cmocka_unit_test(cells),
		cmocka_unit_test(changes),
	};

	return cmocka_run_group_tests_name("format", tests, NULL, NULL);
}
