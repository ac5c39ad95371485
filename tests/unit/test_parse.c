// SPDX-License-Identifier: GPL-2.0-only
/* Strict parsers: what they take, what they refuse, and that a refusal leaves the output alone. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/parse.h"

static void test_u64(void **state)
{
	uint64_t v = 7;

	(void)state;
	assert_int_equal(parse_u64("0", 0, UINT64_MAX, &v), 0);
	assert_int_equal(v, 0);
	assert_int_equal(parse_u64("18446744073709551615", 0, UINT64_MAX, &v), 0);
	assert_true(v == UINT64_MAX);
	v = 7;
	assert_int_equal(parse_u64("18446744073709551616", 0, UINT64_MAX, &v), -ERANGE);
	assert_int_equal(parse_u64("99999999999999999999x", 0, UINT64_MAX, &v), -EINVAL);
	assert_int_equal(parse_u64("5", 6, 8, &v), -ERANGE);
	assert_int_equal(parse_u64("9", 6, 8, &v), -ERANGE);
	for (size_t i = 0; i < 8; i++) {
		static const char *const bad[] = {"", " 1", "1 ", "+1", "-1", "0x1", "1e3", "1\n"};

		assert_int_equal(parse_u64(bad[i], 0, UINT64_MAX, &v), -EINVAL);
	}
	assert_int_equal(parse_u64(NULL, 0, UINT64_MAX, &v), -EINVAL);
	assert_int_equal(v, 7);
}

static void test_u32_i64(void **state)
{
	uint32_t u;
	int64_t i;

	(void)state;
	assert_int_equal(parse_u32("4294967295", 0, UINT32_MAX, &u), 0);
	assert_int_equal(u, UINT32_MAX);
	assert_int_equal(parse_u32("4294967296", 0, UINT32_MAX, &u), -ERANGE);
	assert_int_equal(parse_i64("-9223372036854775808", INT64_MIN, INT64_MAX, &i), 0);
	assert_true(i == INT64_MIN);
	assert_int_equal(parse_i64("9223372036854775808", INT64_MIN, INT64_MAX, &i), -ERANGE);
	assert_int_equal(parse_i64("+12", INT64_MIN, INT64_MAX, &i), 0);
	assert_int_equal(i, 12);
	assert_int_equal(parse_i64("-2", -1, 5, &i), -ERANGE);
	assert_int_equal(parse_i64("--2", -5, 5, &i), -EINVAL);
	assert_int_equal(parse_i64("-", -5, 5, &i), -EINVAL);
}

static void test_duration(void **state)
{
	static const struct {
		const char *text;
		int code;
		uint64_t ns;
	} cases[] = {
		{"190", 0, 190000},
		{"100us", 0, 100000},
		{"100\xc2\xb5s", 0, 100000},
		{"1.5ms", 0, 1500000},
		{"0.000000001s", 0, 1},
		{"1.50", 0, 1500},
		{"7ns", 0, 7},
		{"7.0ns", 0, 7},
		{"18446744073709551615ns", 0, UINT64_MAX},
		{"18446744073.709551615s", 0, UINT64_MAX},
		{"18446744073.709551616s", -ERANGE, 0},
		{"18446744073709551616ns", -ERANGE, 0},
		{"18446744073709552us", -ERANGE, 0},
		{"7.5ns", -EINVAL, 0},
		{"1.0005", -EINVAL, 0},
		{"1.", -EINVAL, 0},
		{".5", -EINVAL, 0},
		{"us", -EINVAL, 0},
		{"1 us", -EINVAL, 0},
		{"1usx", -EINVAL, 0},
		{"1m", -EINVAL, 0},
		{"1.5.5ms", -EINVAL, 0},
		{"-1us", -EINVAL, 0},
		{"", -EINVAL, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t ns = 0;

		if (parse_duration_ns(cases[i].text, 1000, &ns) != cases[i].code ||
		    ns != cases[i].ns)
			fail_msg("\"%s\" gives %llu", cases[i].text, (unsigned long long)ns);
	}
}

static void test_time(void **state)
{
	uint64_t ns = 3;

	(void)state;
	assert_int_equal(parse_time_s("33.904322976", &ns), 0);
	assert_true(ns == UINT64_C(33904322976));
	assert_int_equal(parse_time_s("12", &ns), 0);
	assert_true(ns == UINT64_C(12000000000));
	assert_int_equal(parse_time_s("1.0000000001", &ns), -EINVAL);
	assert_int_equal(parse_time_s("1ms", &ns), -EINVAL);
	assert_int_equal(parse_time_s("", &ns), -EINVAL);
	assert_true(ns == UINT64_C(12000000000));
}

static void test_onoff(void **state)
{
	bool on = false;

	(void)state;
	assert_int_equal(parse_onoff("yes", &on), 0);
	assert_true(on);
	assert_int_equal(parse_onoff("0", &on), 0);
	assert_false(on);
	assert_int_equal(parse_onoff("ON", &on), -EINVAL);
	assert_int_equal(parse_onoff(NULL, &on), -EINVAL);
}

/* What a list becomes when it is read and written again. */
static void assert_list(const char *text, const char *expected)
{
	struct cpu_set set;
	char *again;

	assert_int_equal(parse_cpu_list(text, &set), 0);
	again = cpu_list_format(&set);
	assert_non_null(again);
	assert_string_equal(again, expected);
	free(again);
}

static void test_cpu_list(void **state)
{
	static const char *const bad[] = {",",	"1,",  ",1",	"1,,2", "a",  "1-",
					  "-1", "3-1", "1-2-3", "1 ",	"1;2"};
	struct cpu_set set;

	(void)state;
	assert_list("0-3,8", "0-3,8");
	assert_list("", "");
	assert_list("8,3,1-2,2-4", "1-4,8");
	assert_list("0-8191", "0-8191");
	assert_list("63,64,127-129", "63-64,127-129");
	assert_int_equal(parse_cpu_list("0-3,8", &set), 0);
	assert_true(cpu_set_test(&set, 3));
	assert_false(cpu_set_test(&set, 4));
	assert_false(cpu_set_test(&set, UINT32_MAX));
	assert_int_equal(cpu_set_count(&set), 5);
	assert_int_equal(cpu_set_next(&set, 4), 8);
	assert_int_equal(cpu_set_next(&set, 9), CPIR_CPUS_MAX);
	assert_int_equal(parse_cpu_list("8192", &set), -ERANGE);
	assert_int_equal(parse_cpu_list("0-99999999999999999999", &set), -ERANGE);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		if (parse_cpu_list(bad[i], &set) != -EINVAL)
			fail_msg("\"%s\" taken", bad[i]);
	}
	assert_int_equal(cpu_set_count(&set), 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_u64),	 cmocka_unit_test(test_u32_i64),
		cmocka_unit_test(test_duration), cmocka_unit_test(test_time),
		cmocka_unit_test(test_onoff),	 cmocka_unit_test(test_cpu_list),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
