// SPDX-License-Identifier: GPL-2.0-only
/* Pending timers: the next one of a CPU, against a list searched from end to end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "model/timers.h"
#include "base/array.h"

static void start(struct timers *timers, uint64_t address, uint32_t cpu, int64_t expires_ns)
{
	struct timer_entry entry = {.address = address, .cpu = cpu, .expires_ns = expires_ns};

	assert_int_equal(timers_start(timers, &entry), 0);
}

static int64_t next_ns(const struct timers *timers, uint32_t cpu)
{
	const struct timer_entry *entry = timers_next(timers, cpu);

	return entry ? entry->expires_ns : -1;
}

static void test_next(void **state)
{
	struct timers *timers = timers_new(2);

	(void)state;
	assert_int_equal(next_ns(timers, 0), -1);
	start(timers, 0x10, 0, 300);
	start(timers, 0x20, 0, 100);
	start(timers, 0x30, 1, 50);
	assert_int_equal(next_ns(timers, 0), 100);
	assert_int_equal(next_ns(timers, 1), 50);
	assert_true(timers_stop(timers, 0x20));
	assert_false(timers_stop(timers, 0x20));
	assert_int_equal(next_ns(timers, 0), 300);
	timers_free(timers);
}

/* Armed again, a timer is where and when it was armed last. */
static void test_moves(void **state)
{
	struct timers *timers = timers_new(2);

	(void)state;
	start(timers, 0x10, 0, 300);
	start(timers, 0x10, 1, 200);
	assert_int_equal(timers_count(timers), 1);
	assert_int_equal(next_ns(timers, 0), -1);
	assert_int_equal(next_ns(timers, 1), 200);
	assert_int_equal(timers_find(timers, 0x10)->cpu, 1);
	assert_null(timers_find(timers, 0x11));
	timers_free(timers);
}

static void test_no_such_cpu(void **state)
{
	struct timers *timers = timers_new(1);

	(void)state;
	start(timers, 0x10, 1, 300);
	assert_int_equal(timers_count(timers), 0);
	timers_free(timers);
}

static void test_drop(void **state)
{
	struct timers *timers = timers_new(1);

	(void)state;
	for (int64_t i = 1; i <= 5; i++)
		start(timers, (uint64_t)i, 0, i * 10);
	assert_int_equal(timers_drop_before(timers, 0, 30), 2);
	assert_int_equal(next_ns(timers, 0), 30);
	timers_free(timers);
}

#define MANY 2000

/* Enough of them, started and stopped in a fixed jumble, to grow and shrink what is behind. */
static void test_many(void **state)
{
	struct timers *timers = timers_new(1);
	int64_t expires_ns[MANY] = {0};
	uint32_t random = 1;

	(void)state;
	for (unsigned step = 0; step < 6 * MANY; step++) {
		unsigned i = (random = random * 1103515245 + 12345) >> 8 & 2047;
		int64_t best_ns = -1;

		if (i >= MANY)
			continue;
		if (random >> 30 && !expires_ns[i]) {
			expires_ns[i] = 1 + (random >> 4);
			start(timers, 0x1000 + 64 * (uint64_t)i, 0, expires_ns[i]);
		} else {
			assert_int_equal(timers_stop(timers, 0x1000 + 64 * (uint64_t)i),
					 expires_ns[i] != 0);
			expires_ns[i] = 0;
		}
		if (step % 97)
			continue;
		for (unsigned k = 0; k < MANY; k++) {
			if (expires_ns[k] && (best_ns < 0 || expires_ns[k] < best_ns))
				best_ns = expires_ns[k];
		}
		assert_int_equal(next_ns(timers, 0), best_ns);
	}
	timers_free(timers);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_next),	    cmocka_unit_test(test_moves),
		cmocka_unit_test(test_no_such_cpu), cmocka_unit_test(test_drop),
		cmocka_unit_test(test_many),
	};

	return cmocka_run_group_tests_name("timers", tests, NULL, NULL);
}
