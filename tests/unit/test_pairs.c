// SPDX-License-Identifier: GPL-2.0-only
/* Periods from cpu_idle alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/pairs.h"

static bool idle(struct pairing *pairing, uint64_t time_ns, uint32_t state, struct pair *pair)
{
	struct event event = {.type = EV_CPU_IDLE, .time_ns = time_ns, .u.idle.state = state};

	return pairing_feed(pairing, &event, pair);
}

static void test_pairs(void **state)
{
	struct event miss = {.type = EV_CPU_IDLE_MISS, .u.miss.below = true};
	struct event lost = {.type = EV_LOST};
	struct pairing pairing = {0};
	struct pair pair;

	(void)state;
	assert_false(
		idle(&pairing, 5, EVENT_STATE_EXIT, &pair)); /* its begin is not in the trace */
	assert_false(idle(&pairing, 10, 2, &pair));
	assert_false(idle(&pairing, 30, EVENT_STATE_EXIT, &pair));
	assert_false(pairing_feed(&pairing, &miss, &pair));
	assert_true(idle(&pairing, 40, 1, &pair));
	assert_int_equal(pair.enter_ns, 10);
	assert_int_equal(pair.exit_ns, 30);
	assert_int_equal(pair.state, 2);
	assert_int_equal(pair.kernel_miss, MISS_BELOW);
	assert_false(pairing_feed(&pairing, &lost, &pair)); /* and the end of this one is lost */
	assert_false(idle(&pairing, 60, EVENT_STATE_EXIT, &pair));
	assert_false(idle(&pairing, 70, 0, &pair));
	assert_false(idle(&pairing, 80, EVENT_STATE_EXIT, &pair));
	assert_true(pairing_finish(&pairing, &pair));
	assert_int_equal(pair.kernel_miss, MISS_NONE);
	assert_false(pairing_finish(&pairing, &pair));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pairs),
	};

	return cmocka_run_group_tests_name("pairs", tests, NULL, NULL);
}
