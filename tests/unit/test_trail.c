// SPDX-License-Identifier: GPL-2.0-only
/* How periods were read, and that they are marked so. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "replay/trail.h"

#define PERIODS (TRAIL_LENGTH + 3)

static void add(struct trail *trail, struct period *periods, unsigned first, unsigned end,
		int64_t by)
{
	for (unsigned i = first; i < end; i++) {
		struct sight sight = {
			.hrtimer_ns = by + i, .tick_kept = i % 2, .tick_stopped = !(i % 2)};

		trail_add(trail, &periods[i], &sight);
	}
}

/* The last ones are marked, those before are as they were. */
static void test_marks(void **state)
{
	struct period periods[PERIODS] = {0};
	struct trail trail = {0};

	(void)state;
	add(&trail, periods, 0, PERIODS, 1000);
	trail_mark(&trail);
	for (unsigned i = 0; i < PERIODS; i++) {
		bool marked = i >= PERIODS - TRAIL_LENGTH;

		assert_int_equal(periods[i].next_hrtimer_ns, marked ? 1000 + i : 0);
		assert_int_equal(periods[i].tick_kept, marked && i % 2);
		assert_int_equal(periods[i].tick_stopped, marked && !(i % 2));
	}
}

/* Two beliefs part: the one whose trail is marked last has it its way, as far as it goes. */
static void test_part(void **state)
{
	struct period periods[PERIODS] = {0};
	struct trail one = {0}, other;

	(void)state;
	add(&one, periods, 0, 4, 1000);
	other = one;
	add(&one, periods, 4, 8, 2000);
	add(&other, periods, 4, 6, 3000);
	trail_mark(&one);
	trail_mark(&other);
	assert_int_equal(periods[3].next_hrtimer_ns, 1003);
	assert_int_equal(periods[5].next_hrtimer_ns, 3005);
	assert_int_equal(periods[7].next_hrtimer_ns, 2007);
}

/* What was in it before is gone, wherever it had come to. */
static void test_clear(void **state)
{
	struct period periods[PERIODS] = {0};
	struct trail trail = {0};

	(void)state;
	add(&trail, periods, 0, 5, 1000);
	trail_clear(&trail);
	add(&trail, periods, 10, 11, 1000);
	trail_mark(&trail);
	for (unsigned i = 0; i < PERIODS; i++)
		assert_int_equal(periods[i].next_hrtimer_ns, i == 10 ? 1010 : 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_marks),
		cmocka_unit_test(test_part),
		cmocka_unit_test(test_clear),
	};

	return cmocka_run_group_tests_name("trail", tests, NULL, NULL);
}
