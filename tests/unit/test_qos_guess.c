// SPDX-License-Identifier: GPL-2.0-only
/* Whose latency limit it was. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "model/qos_guess.h"

static void target(struct qos_guess *guess, uint64_t time_ns, int32_t prev_us, int32_t curr_us)
{
	struct event event = {.type = EV_PM_QOS_TARGET, .time_ns = time_ns, .pid = 7};

	event.u.qos_target.prev_us = prev_us;
	event.u.qos_target.curr_us = curr_us;
	assert_int_equal(qos_guess_event(guess, &event), 0);
}

static void entries(struct qos_guess *guess, uint32_t cpu, uint64_t from_ns, uint64_t latency_ns)
{
	for (unsigned i = 0; i < 20; i++)
		qos_guess_entry(guess, cpu, from_ns + i, latency_ns);
}

/* From 1000 to 2000 some CPU may not take more than 50 us; only CPU 1 keeps to that. */
static void test_obedient(void **state)
{
	struct qos_guess guess = {0};

	(void)state;
	assert_int_equal(qos_guess_init(&guess, 2), 0);
	target(&guess, 1000, INT32_MAX, 50);
	target(&guess, 2000, 50, INT32_MAX);
	assert_int_equal(guess.windows.len, 2);
	entries(&guess, 0, 1100, 600000);
	entries(&guess, 1, 1100, 50000);
	entries(&guess, 1, 500, 600000);
	qos_guess_finish(&guess);
	assert_int_equal(guess.windows.ptr[0].cpu, 1);
	assert_int_equal(guess.windows.ptr[0].limit_us, 50);
	assert_int_equal(guess.windows.ptr[1].cpu, 1);
	qos_guess_free(&guess);
}

static void test_two_obedient(void **state)
{
	struct qos_guess guess = {0};

	(void)state;
	assert_int_equal(qos_guess_init(&guess, 2), 0);
	target(&guess, 1000, INT32_MAX, 50);
	entries(&guess, 0, 1100, 1000);
	entries(&guess, 1, 1100, 1000);
	qos_guess_finish(&guess);
	assert_int_equal(guess.windows.ptr[0].cpu, -1);
	qos_guess_free(&guess);
}

/* A request by the same task says whose limit it is; a limit that replaces another is the global one. */
static void test_named(void **state)
{
	struct event request = {.type = EV_DEV_PM_QOS_UPDATE, .pid = 7};
	struct qos_guess guess = {0};

	(void)state;
	assert_int_equal(qos_guess_init(&guess, 1), 0);
	assert_int_equal(qos_guess_event(&guess, &request), 0);
	target(&guess, 1000, INT32_MAX, 50);
	target(&guess, 2000, 2000000000, 50);
	assert_int_equal(guess.windows.len, 0);
	qos_guess_free(&guess);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_obedient),
		cmocka_unit_test(test_two_obedient),
		cmocka_unit_test(test_named),
	};

	return cmocka_run_group_tests_name("qos_guess", tests, NULL, NULL);
}
