// SPDX-License-Identifier: GPL-2.0-only
#include "policy/guard.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void add_one(void *arg)
{
	(*(int *)arg)++;
}

static volatile int *volatile nowhere = (int *)8;

static void touch_nothing(void *arg)
{
	(void)arg;
	*nowhere = 1;
}

static void trap(void *arg)
{
	(void)arg;
	(void)raise(SIGILL);
}

static void spin(void *arg)
{
	volatile int *more = arg;

	while (*more)
		;
}

static int deeper(volatile char *above)
{
	volatile char room[4096];

	room[0] = *above;
	return room[0] ? deeper(room) + room[0] : 0;
}

static void dig(void *arg)
{
	char first = 1;

	*(int *)arg = deeper(&first);
}

static void test_comes_back(void **state)
{
	int count = 0;

	(void)state;
	assert_int_equal(guard_acquire(), 0);
	for (int i = 0; i < 1000; i++)
		assert_int_equal(guard_call(add_one, &count), 0);
	assert_int_equal(count, 1000);
	guard_release();
}

static void test_faults(void **state)
{
	int count = 0;

	(void)state;
	assert_int_equal(guard_acquire(), 0);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(guard_call(touch_nothing, NULL), SIGSEGV);
		assert_int_equal(guard_call(trap, NULL), SIGILL);
		assert_int_equal(guard_call(dig, &count), SIGSEGV);
		assert_int_equal(guard_call(add_one, &count), 0);
	}
	assert_int_equal(count, 3);
	guard_release();
	assert_non_null(strstr(guard_reason(SIGSEGV), "SIGSEGV"));
}

static void test_endless(void **state)
{
	int more = 1, count = 0;

	(void)state;
	assert_int_equal(guard_acquire(), 0);
	assert_int_equal(guard_call(spin, &more), SIGVTALRM);
	assert_int_equal(guard_call(add_one, &count), 0);
	assert_int_equal(guard_call(spin, &more), SIGVTALRM);
	guard_release();
	assert_non_null(strstr(guard_reason(SIGVTALRM), "does not come back"));
}

static void *in_thread(void *arg)
{
	intptr_t bad = 0;

	for (int i = 0; i < 200; i++)
		bad += guard_call(touch_nothing, arg) != SIGSEGV;
	return (void *)bad;
}

static void test_threads(void **state)
{
	pthread_t threads[4];

	(void)state;
	assert_int_equal(guard_acquire(), 0);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, in_thread, NULL), 0);
	for (size_t i = 0; i < 4; i++) {
		void *bad;

		assert_int_equal(pthread_join(threads[i], &bad), 0);
		assert_null(bad);
	}
	guard_release();
}

/* ---- what is not ours goes where it went before ------------------------------------------------------------------- */

static sigjmp_buf outside;

static void note(int number)
{
	siglongjmp(outside, number);
}

static void test_others(void **state)
{
	struct sigaction action = {.sa_flags = SA_NODEFER}, before[2], now;
	static const int numbers[] = {SIGSEGV, SIGVTALRM};
	int got;

	(void)state;
	action.sa_handler = note;
	for (size_t i = 0; i < 2; i++)
		assert_int_equal(sigaction(numbers[i], &action, &before[i]), 0);
	assert_int_equal(guard_acquire(), 0);
	got = sigsetjmp(outside, 1);
	if (!got)
		touch_nothing(NULL);
	assert_int_equal(got, SIGSEGV);
	got = sigsetjmp(outside, 1);
	if (!got)
		(void)raise(SIGVTALRM);
	assert_int_equal(got, SIGVTALRM);
	guard_release();
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(sigaction(numbers[i], &before[i], &now), 0);
		assert_ptr_equal(now.sa_handler, note);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_comes_back), cmocka_unit_test(test_faults),
		cmocka_unit_test(test_endless),	   cmocka_unit_test(test_threads),
		cmocka_unit_test(test_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
