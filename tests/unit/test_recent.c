// SPDX-License-Identifier: GPL-2.0-only
/* Recent decisions lived through again: by menu, to which they leave intervals. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "policy/menu.h"
#include "replay/recent.h"

static const struct cpir_table table = {
	.count = 2,
	.states = {{.polling = true}, {.exit_latency_ns = 10000, .target_residency_ns = 100000}},
};

struct fixture {
	struct cpir_policy *policy;
	struct recent *recent;
	struct menu_state *state, *again;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct cpir_error err;

	if (!f || cpir_policy_parse("menu@6.1.192", NULL, &f->policy, &err) < 0)
		return -1;
	policy_set_hz(f->policy, 250);
	f->recent = recent_new(f->policy, &table);
	f->state = calloc(1, f->policy->ops->state_size);
	f->again = calloc(1, f->policy->ops->state_size);
	*state = f;
	return f->recent && f->state && f->again ? 0 : -1;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	recent_free(f->recent);
	cpir_policy_free(f->policy);
	free(f->state);
	free(f->again);
	free(f);
	return 0;
}

/* More decisions than are remembered, each 1 us longer than the one before, the last one polling until its timer. */
static void live(struct fixture *f)
{
	const struct policy_ops *ops = f->policy->ops;

	ops->enable(f->policy, &table, f->state);
	for (int i = 0; i < RECENT_MAX + 10; i++) {
		bool last = i == RECENT_MAX + 9;
		struct policy_input input = {
			.sleep_length_ns = last ? 20000 : 900000,
			.delta_next_ns = last ? 20000 : 900000,
			.latency_req_ns = INT64_MAX,
		};
		struct policy_outcome outcome = {
			.entered = !last,
			.residency_ns = last ? 60000 : 200000 + i * 1000,
			.poll_time_limit = last ? 0 : -1,
		};
		struct policy_decision decision;
		char before[1024];

		assert_true(ops->state_size <= sizeof(before));
		memcpy(before, f->state, ops->state_size);
		ops->select(f->policy, &table, f->state, &input, &decision, NULL);
		ops->reflect(f->policy, &table, f->state, &outcome);
		recent_add(f->recent, before, &input, &outcome);
	}
}

static void test_unmoved(void **state)
{
	struct fixture *f = *state;

	assert_false(recent_live(f->recent, &(struct recent_shift){0}, f->again));
	live(f);
	assert_true(recent_live(f->recent, &(struct recent_shift){0}, f->again));
	assert_memory_equal(f->state, f->again, f->policy->ops->state_size);
}

static void test_residency(void **state)
{
	struct fixture *f = *state;
	struct recent_shift shift = {.residency_ns = -3000};

	live(f);
	assert_true(recent_live(f->recent, &shift, f->again));
	for (unsigned i = 0; i < 8; i++)
		assert_int_equal(f->again->recent.interval[i], f->state->recent.interval[i] - 3);
}

/* What lasted until the timer is remembered no longer than the timer left it. */
static void test_sleep_length(void **state)
{
	struct fixture *f = *state;
	struct recent_shift shift = {.sleep_length_ns = -5000};
	struct policy_input input = {.latency_req_ns = INT64_MAX};
	struct policy_decision decision;
	unsigned last;

	live(f);
	last = f->state->recent.write_at;
	assert_true(recent_live(f->recent, &shift, f->again));
	f->policy->ops->select(f->policy, &table, f->again, &input, &decision, NULL);
	assert_int_equal(f->again->recent.interval[last], 15);
	for (unsigned i = 0; i < 8; i++)
		assert_true(i == last ||
			    f->again->recent.interval[i] == f->state->recent.interval[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_unmoved, setup, teardown),
		cmocka_unit_test_setup_teardown(test_residency, setup, teardown),
		cmocka_unit_test_setup_teardown(test_sleep_length, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
