// SPDX-License-Identifier: GPL-2.0-only
/* Function names out of kallsyms texts, good and bad ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "trace/symbols.h"

static struct span span_of(const char *text)
{
	return (struct span){(const uint8_t *)text, strlen(text)};
}

static void test_find(void **state)
{
	static const char text[] = "0000000000000000 A fixed_percpu_data\n"
				   "ffffffff81000200 T second\n"
				   "ffffffff81000100 T first\n"
				   "ffffffff81000100 t alias\n"
				   "ffffffffc0001000 t in_module\t[some_module]";
	struct symbols *symbols;

	(void)state;
	assert_int_equal(symbols_new(span_of(text), &symbols), 0);
	assert_string_equal(symbols_find(symbols, UINT64_C(0xffffffff81000100)), "first");
	assert_string_equal(symbols_find(symbols, UINT64_C(0xffffffff810001ff)), "first");
	assert_string_equal(symbols_find(symbols, UINT64_C(0xffffffff81000200)), "second");
	assert_string_equal(symbols_find(symbols, UINT64_C(0xffffffffc0001004)), "in_module");
	assert_null(symbols_find(symbols, 0x1000));
	symbols_free(symbols);
	symbols_free(NULL);
}

static void test_garbage(void **state)
{
	static const char *const texts[] = {
		"",	"\n",	 "\n\n",    "zzz",	  "12",
		"12 T", "12 T ", "12 T \n", "0 T zero\n", "123456789abcdef0123456789 T long\n"};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct symbols *symbols;

		assert_int_equal(symbols_new(span_of(texts[i]), &symbols), 0);
		assert_null(symbols_find(symbols, 5));
		symbols_free(symbols);
	}
}

static void test_ticks(void **state)
{
	static const char text[] = "c000000000001000 T tick_sched_timer\n"
				   "c000000000001800 T not_tick_sched_timer\n"
				   "c000000000002000 T .tick_sched_timer\n"
				   "c000000000003000 t tick_nohz_handler.isra.0\n"
				   "c000000000004000 t tick_nohz_handler_setup\n"
				   "0000000000000000 T tick_sched_timer\n";
	struct symbols_ticks ticks;

	(void)state;
	symbols_find_ticks(span_of(text), &ticks);
	assert_int_equal(ticks.count, 3);
	assert_int_equal(ticks.address[0], UINT64_C(0xc000000000001000));
	assert_int_equal(ticks.address[1], UINT64_C(0xc000000000002000));
	assert_int_equal(ticks.address[2], UINT64_C(0xc000000000003000));
	symbols_find_ticks(span_of("tick_sched_timer"), &ticks);
	assert_int_equal(ticks.count, 0);
}

static void test_usable(void **state)
{
	(void)state;
	assert_true(symbols_usable(span_of("0000000000000000 A a\n0000000000001000 A b\n")));
	assert_false(symbols_usable(span_of("0000000000000000 A a\n0000000000000000 T b\n")));
	assert_false(symbols_usable(span_of("")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_find),
		cmocka_unit_test(test_garbage),
		cmocka_unit_test(test_ticks),
		cmocka_unit_test(test_usable),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
