// SPDX-License-Identifier: GPL-2.0-only
/* What is common to policies (tick period, poll limits), the fixed one, and teo's knobs against its vectors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "policy/policy.h"

static struct cpir_policy *parse(const char *spec)
{
	struct cpir_policy *policy;
	struct cpir_error err;

	if (cpir_policy_parse(spec, NULL, &policy, &err))
		fail_msg("%s: %s", spec, err.text);
	return policy;
}

static void tick_periods_are_rounded(void **state)
{
	static const struct {
		uint32_t hz;
		int64_t ns, us;
	} cases[] = {{100, 10000000, 10000},
		     {250, 4000000, 4000},
		     {300, 3333333, 3333},
		     {1000, 1000000, 1000},
		     {1024, 976563, 977}};
	struct cpir_policy *policy = parse("menu@6.1");

	(void)state;
	for (size_t i = 0; i < array_size(cases); i++) {
		policy_set_hz(policy, cases[i].hz);
		assert_int_equal(policy->tick_ns, cases[i].ns);
		assert_int_equal(policy->tick_us, cases[i].us);
	}
	cpir_policy_free(policy);
}

static void poll_limits_depend_on_the_kernel(void **state)
{
	static const struct {
		const char *spec;
		uint32_t disabled;
		int64_t ns;
	} cases[] = {
		{"menu@4.19", 0, 250000},  {"menu@4.20", 0, 2000},     {"menu@5.3", 2, 20000},
		{"menu@5.3", 14, 4000000}, {"menu@5.4.2", 0, 600000},  {"menu@5.4.2", 8, 20000},
		{"menu@5.4.4", 0, 2000},   {"menu@5.10.262", 0, 2000}, {"menu@5.11", 0, 20000},
		{"menu@6.12", 4, 250000},  {"menu@7.3", 14, 250000},   {"fixed:state=1", 0, 20000},
	};
	const struct cpir_table table = {
		.count = 4,
		.states = {{.name = "POLL", .polling = true},
			   {.name = "C1", 2000, 2000},
			   {.name = "C1E", 10000, 20000},
			   {.name = "C6", 133000, 600000}},
	};

	(void)state;
	for (size_t i = 0; i < array_size(cases); i++) {
		struct cpir_policy *policy = parse(cases[i].spec);

		policy_set_hz(policy, 250);
		if (policy_poll_limit_ns(policy, &table, cases[i].disabled) != cases[i].ns)
			fail_msg("%s with %x disabled: not %lld", cases[i].spec, cases[i].disabled,
				 (long long)cases[i].ns);
		cpir_policy_free(policy);
	}
}

static void fixed_takes_the_nearest_usable_state(void **state)
{
	static const struct {
		const char *spec;
		uint32_t disabled;
		int state;
		bool stop_tick;
	} cases[] = {
		{"fixed", 0, 0, false},
		{"fixed:state=1", 0, 1, true},
		{"fixed:state=9", 0, 2, true},
		{"fixed:state=2", 4, 1, true},
		{"fixed:state=2", 6, 0, false},
		{"fixed:state=2", 7, 0, false},
		{"fixed:state=2,tick=keep", 0, 2, false},
		{"fixed:tick=stop", 0, 0, true},
	};
	const struct cpir_table table = {.count = 3, .states = {{.polling = true}}};

	(void)state;
	for (size_t i = 0; i < array_size(cases); i++) {
		const struct policy_input input = {.disabled_mask = cases[i].disabled};
		struct cpir_policy *policy = parse(cases[i].spec);
		struct policy_decision decision;

		policy->ops->select(policy, &table, NULL, &input, &decision, NULL);
		assert_int_equal(decision.state, cases[i].state);
		assert_int_equal(decision.stop_tick, cases[i].stop_tick);
		assert_false(decision.looked_up_timers);
		cpir_policy_free(policy);
	}
}

static uint64_t mismatches(const char *vectors, const char *spec)
{
	struct cpir_check check;
	struct cpir_error err;
	char path[4096];

	(void)snprintf(path, sizeof(path), "%s/testdata/vectors/%s.csv", getenv("CPIR_SOURCE_ROOT"),
		       vectors);
	if (cpir_policy_check(path, spec, &check, &err))
		fail_msg("%s", err.text);
	return check.mismatches;
}

/* Each generation decides otherwise than the one before it and the one after it. */
static void generations_differ(void **state)
{
	static const char *const files[] = {"teo@5.10.262", "teo@6.1.187", "teo@6.6",  "teo@6.12.8",
					    "teo@6.17.8",   "teo@6.19.6",  "teo@7.2.6"};
	static const char *const others[] = {"teo@5.14", "teo@6.6",  "teo@6.11", "teo@6.6",
					     "teo@6.12", "teo@6.18", "teo@6.19"};

	(void)state;
	for (size_t i = 0; i < array_size(files); i++) {
		assert_int_equal(mismatches(files[i], NULL), 0);
		if (!mismatches(files[i], others[i]))
			fail_msg("%s decides like %s", files[i], others[i]);
	}
}

static void small_governors_have_knobs_that_show(void **state)
{
	(void)state;
	assert_true(mismatches("ladder@6.1.187", "ladder@6.1.187:promotion_count=3") > 0);
	assert_true(mismatches("haltpoll@6.12.8", "haltpoll@6.12.8:grow=3") > 0);
	assert_true(mismatches("haltpoll@6.12.8", "haltpoll@6.12.8:max_ns=100000") > 0);
	assert_true(mismatches("teo@7.2.6", "teo@7.2.6:decay_shift=4") > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tick_periods_are_rounded),
		cmocka_unit_test(poll_limits_depend_on_the_kernel),
		cmocka_unit_test(fixed_takes_the_nearest_usable_state),
		cmocka_unit_test(generations_differ),
		cmocka_unit_test(small_governors_have_knobs_that_show),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
