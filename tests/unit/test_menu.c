// SPDX-License-Identifier: GPL-2.0-only
/* menu: each knob shows in the decision vectors, the arithmetic traps, the typical interval, and explanations. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "policy/menu.h"

#define UNITY 8192u

/* ---- knobs against decision vectors ------------------------------------------------------------------------------ */

/* Flipped knobs: the policy no longer decides as the vectors of that kernel say. */
static const struct {
	const char *vectors, *knob;
} flips[] = {
	{"menu@5.4", "microseconds=off"},
	{"menu@5.4", "iowait=off"},
	{"menu@5.4", "latency_break=on"},
	{"menu@5.4", "early_exit_state0=on"},
	{"menu@5.4", "stopped_override=min"},
	{"menu@5.10.262", "clamp_negative=on"},
	{"menu@5.10.262", "typical=two-sided"},
	{"menu@6.1.187", "decay=9"},
	{"menu@6.1.187", "intervals=7"},
	{"menu@6.1.187", "skip_lookup=on"},
	{"menu@6.1.187", "polling_override=off"},
	{"menu@6.1.187", "override_residency_threshold=on"},
	{"menu@6.12.94", "typical_zero=off"},
	{"menu@6.12.94", "max_typical=on"},
	{"menu@6.12.94", "nohz_full_override=off"},
	{"menu@6.17.8", "stddev_us=200"},
	{"menu@7.2.6", "max_interval_ms=5"},
	{"menu@7.2.6", "reject_interval=off"},
	{"menu@7.2.6", "residency_threshold_us=200"},
	{"menu@7.2.6", "stopped_override_inside=off"},
	{"menu@7.2.6", "safe_timer_range=off"},
	{"menu@7.2.6", "override_exit_latency=off"},
	{"menu@7.2.6", "override_residency_threshold=off"},
};

static uint64_t mismatches(const char *vectors, const char *spec)
{
	struct cpir_check check;
	struct cpir_error err;
	char path[4096];

	(void)snprintf(path, sizeof(path), "%s/testdata/vectors/%s.csv", getenv("CPIR_SOURCE_ROOT"),
		       vectors);
	if (cpir_policy_check(path, spec, &check, &err))
		fail_msg("%s", err.text);
	assert_true(check.steps > 100);
	assert_int_equal(check.mismatches == 0, check.first[0] == '\0');
	return check.mismatches;
}

static void a_flipped_knob_shows(void **state)
{
	char spec[128];

	(void)state;
	for (size_t i = 0; i < array_size(flips); i++) {
		(void)snprintf(spec, sizeof(spec), "%s:%s", flips[i].vectors, flips[i].knob);
		assert_int_equal(mismatches(flips[i].vectors, NULL), 0);
		if (!mismatches(flips[i].vectors, spec))
			fail_msg("%s makes no difference", spec);
	}
}

/* ---- single decisions --------------------------------------------------------------------------------------------- */

/* struct fixture - one CPU under one policy, with the last decision */
struct fixture {
	struct cpir_policy *policy;
	struct cpir_table table;
	struct menu_state state;
	struct policy_input input;
	struct policy_decision decision;
};

static void start(struct fixture *fixture, const char *spec)
{
	struct cpir_error err;

	memset(fixture, 0, sizeof(*fixture));
	if (cpir_policy_parse(spec, NULL, &fixture->policy, &err))
		fail_msg("%s", err.text);
	policy_set_hz(fixture->policy, 250);
	fixture->table = (struct cpir_table){
		.count = 3,
		.states = {{.name = "POLL", .polling = true},
			   {.name = "C1", 2000, 4000},
			   {.name = "C6", 133000, 600000}},
	};
	fixture->input.latency_req_ns = POLICY_NO_LIMIT_NS;
	fixture->policy->ops->enable(fixture->policy, &fixture->table, &fixture->state);
}

static void stop(struct fixture *fixture)
{
	cpir_policy_free(fixture->policy);
}

static void decide(struct fixture *fixture, int64_t sleep_ns, int64_t delta_ns)
{
	fixture->input.sleep_length_ns = sleep_ns;
	fixture->input.delta_next_ns = delta_ns;
	fixture->policy->ops->select(fixture->policy, &fixture->table, &fixture->state,
				     &fixture->input, &fixture->decision, NULL);
}

static void outcome(struct fixture *fixture, int entered, int64_t residency_ns, int poll_time_limit)
{
	const struct policy_outcome told = {.entered = entered,
					    .residency_ns = residency_ns,
					    .poll_time_limit = poll_time_limit};

	fixture->policy->ops->reflect(fixture->policy, &fixture->table, &fixture->state, &told);
}

/* Fills the history with intervals of 1 us, after which no decision looks at the timers. */
static void fill_with_short_sleeps(struct fixture *fixture)
{
	for (int i = 0; i < 16; i++) {
		decide(fixture, 100000, 100000);
		outcome(fixture, 1, 2500, -1);
	}
	decide(fixture, 100000, 100000);
	assert_false(fixture->decision.looked_up_timers);
}

static void a_skipped_look_up_wears_out_the_last_factor(void **state)
{
	struct fixture fixture;

	(void)state;
	start(&fixture, "menu@6.12.94");
	fill_with_short_sleeps(&fixture);
	for (int i = 0; i < 100; i++) {
		outcome(&fixture, 1, 2500, -1);
		decide(&fixture, 100000, 100000);
	}
	assert_int_equal(fixture.state.factor[MENU_BUCKETS - 1], 7);
	stop(&fixture);
}

static void a_poll_time_out_without_look_up_stores_a_huge_interval(void **state)
{
	struct fixture fixture;
	uint32_t at;

	(void)state;
	start(&fixture, "menu@6.12.94");
	fill_with_short_sleeps(&fixture);
	at = fixture.state.recent.write_at;
	outcome(&fixture, 0, 20000, 1);
	decide(&fixture, 100000, 100000);
	assert_true(fixture.state.recent.interval[at] == 2783138807u);
	stop(&fixture);
}

static void an_empty_history_predicts_nothing_or_zero(void **state)
{
	struct fixture fixture;

	(void)state;
	start(&fixture, "menu@6.1.100"); /* typical interval 0: the shallowest state */
	decide(&fixture, 10000000, 4000000);
	assert_int_equal(fixture.decision.predicted_ns, 0);
	assert_int_equal(fixture.decision.state, 0);
	stop(&fixture);
	start(&fixture, "menu@6.6"); /* none: the timer */
	decide(&fixture, 10000000, 4000000);
	assert_int_equal(fixture.decision.state, 2);
	assert_true(fixture.decision.predicted_ns >= 4000000);
	stop(&fixture);
}

static void rejections_are_intervals_from_the_first_decision_on(void **state)
{
	struct fixture fixture;

	(void)state;
	start(&fixture, "menu@6.17-rc3");
	decide(&fixture, 1000000, 1000000);
	assert_true(fixture.state.recent.interval[0] == UINT32_MAX);
	outcome(&fixture, -1, 0, -1);
	decide(&fixture, 1000000, 1000000);
	assert_true(fixture.state.recent.interval[1] == UINT32_MAX);
	outcome(&fixture, 1, 0, -1); /* entered, though the clock stood still */
	decide(&fixture, 1000000, 1000000);
	assert_int_equal(fixture.state.recent.interval[2], 0);
	stop(&fixture);
	start(&fixture, "menu@6.17-rc2");
	decide(&fixture, 1000000, 1000000);
	assert_int_equal(fixture.state.recent.interval[0], 0);
	stop(&fixture);
}

static void a_far_timer_wraps_at_32_bits_of_us(void **state)
{
	struct fixture fixture;

	(void)state;
	start(&fixture, "menu@6.12.94");
	decide(&fixture, ((INT64_C(1) << 32) + 100) * 1000, 4000000); /* 71.6 minutes and 100 us */
	assert_int_equal(fixture.decision.predicted_ns, 100000);
	assert_int_equal(fixture.state.factor[0], UNITY);
	stop(&fixture);
}

static void explanations_name_the_values(void **state)
{
	struct policy_steps steps = {0};
	struct fixture fixture;
	bool factor = false, rule = false;

	(void)state;
	start(&fixture, "menu@6.1.192");
	decide(&fixture, 1000000, 1000000);
	outcome(&fixture, 2, 700000, -1);
	fixture.policy->ops->select(fixture.policy, &fixture.table, &fixture.state, &fixture.input,
				    &fixture.decision, &steps);
	assert_true(steps.count > 10 && steps.count <= POLICY_STEPS_MAX);
	/* 700 us less C6's exit latency, 567 us, of a timer of 1 ms: 7/8 of the factor stay, 1024 * 0.567 come. */
	assert_string_equal(steps.step[0].name, "last interval as measured ns");
	assert_int_equal(steps.step[0].index, -1);
	assert_string_equal(steps.step[1].name, "last sleep length ns");
	assert_string_equal(steps.step[2].name, "last timer's bucket");
	assert_int_equal(steps.step[0].value, 567000);
	assert_int_equal(steps.step[1].value, 1000000);
	assert_int_equal(steps.step[2].value, 3);
	assert_int_equal(steps.step[3].value, UNITY);
	assert_int_equal(steps.step[4].value, UNITY - UNITY / 8 + 580);
	for (unsigned i = 0; i < 8; i++) {
		assert_string_equal(steps.step[5 + i].name, "recent intervals us");
		assert_int_equal(steps.step[5 + i].index, i);
	}
	/* The very first decision of this release stores that there is no interval. */
	assert_int_equal(steps.step[5].value, UINT32_MAX);
	assert_int_equal(steps.step[6].value, 567);
	for (unsigned i = 0; i < steps.count; i++) {
		factor = factor || !strcmp(steps.step[i].name, "correction factor");
		rule = rule || steps.step[i].name == fixture.decision.reason;
	}
	assert_true(factor && rule);
	stop(&fixture);
	start(&fixture, "menu@6.1.192:intervals=32");
	for (steps.count = POLICY_STEPS_MAX - 1; steps.count < POLICY_STEPS_MAX;)
		fixture.policy->ops->select(fixture.policy, &fixture.table, &fixture.state,
					    &fixture.input, &fixture.decision, &steps);
	assert_int_equal(steps.count, POLICY_STEPS_MAX);
	stop(&fixture);
}

/* ---- the typical interval against a plain reading of its rules ----------------------------------------------------- */

static uint32_t plain_one_sided(const uint32_t *intervals, uint32_t expected)
{
	uint32_t ceiling = INT32_MAX;

	for (;;) {
		uint64_t sum = 0, squares = 0, variance;
		uint32_t count = 0, max = 0, min = UINT32_MAX, average;

		for (int i = 0; i < 8; i++)
			if (intervals[i] <= ceiling) {
				count++;
				sum += intervals[i];
				max = intervals[i] > max ? intervals[i] : max;
				min = intervals[i] < min ? intervals[i] : min;
			}
		if (min >= expected)
			return MENU_NO_TYPICAL;
		average = (uint32_t)(sum / count);
		for (int i = 0; i < 8; i++)
			if (intervals[i] <= ceiling) {
				int64_t distance = (int64_t)intervals[i] - average;

				squares += (uint64_t)(distance * distance);
			}
		variance = squares / count;
		if (variance <= UINT64_MAX / 36 &&
		    (((uint64_t)average * average > variance * 36 && count >= 6) ||
		     variance <= 400))
			return average;
		if (count <= 6)
			return MENU_NO_TYPICAL;
		ceiling = max - 1;
	}
}

static uint32_t plain_two_sided(const uint32_t *intervals)
{
	int64_t low = -1, high = UINT32_MAX;

	for (;;) {
		uint64_t sum = 0, squares = 0, average, variance;
		uint32_t count = 0, max = 0, min = UINT32_MAX;

		for (int i = 0; i < 8; i++)
			if (intervals[i] > low && intervals[i] < high) {
				count++;
				sum += intervals[i];
				squares += (uint64_t)intervals[i] * intervals[i];
				max = intervals[i] > max ? intervals[i] : max;
				min = intervals[i] < min ? intervals[i] : min;
			}
		if (!max)
			return MENU_NO_TYPICAL;
		average = sum / count;
		variance = squares / count - average * average;
		if (variance <= UINT64_MAX / 36 &&
		    ((average * average > variance * 36 && count >= 6) || variance <= 400))
			return (uint32_t)average;
		if (count <= 6)
			return MENU_NO_TYPICAL;
		if (average - min > max - average)
			low = min;
		else
			high = max;
	}
}

/* Eight intervals that often nearly agree; now and then a huge one or none at all. */
static void draw_intervals(uint64_t *seed, uint32_t intervals[8])
{
	uint32_t center;

	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	center = (uint32_t)(*seed >> 40) >> (*seed >> 33 & 15);
	for (int i = 0; i < 8; i++) {
		*seed = *seed * 6364136223846793005u + 1442695040888963407u;
		intervals[i] = center + (uint32_t)(*seed >> 48) % (center / 4 + 2);
		if ((*seed >> 32 & 15) == 0)
			intervals[i] = (uint32_t)(*seed >> 29);
		if ((*seed >> 36 & 63) == 0)
			intervals[i] = UINT32_MAX;
		if ((*seed >> 42 & 15) == 0)
			intervals[i] = 0;
	}
}

static uint32_t typical_of(const struct fixture *fixture, const uint32_t intervals[8],
			   uint32_t expected)
{
	const struct menu_config *config = fixture->policy->config;
	static struct menu_recent recent; /* one set of intervals replaces the other */

	for (int i = 0; i < 8; i++)
		menu_recent_store(config, &recent, intervals[i]);
	return menu_typical(config, &recent, expected);
}

static void typical_intervals_follow_their_rules(void **state)
{
	struct fixture one, two;
	uint64_t seed = 1;
	unsigned found = 0, none = 0;

	(void)state;
	start(&one, "menu@6.1.192");
	start(&two, "menu@7.3");
	for (int i = 0; i < 200000; i++) {
		uint32_t intervals[8], expected, typical;

		draw_intervals(&seed, intervals);
		expected = i % 3 ? UINT32_MAX : (uint32_t)(seed >> 40);
		typical = typical_of(&one, intervals, expected);
		assert_int_equal(typical, plain_one_sided(intervals, expected));
		assert_int_equal(typical_of(&two, intervals, 0), plain_two_sided(intervals));
		if (typical == MENU_NO_TYPICAL)
			none++;
		else
			found++;
	}
	assert_true(found > 1000 && none > 1000);
	stop(&one);
	stop(&two);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_flipped_knob_shows),
		cmocka_unit_test(a_skipped_look_up_wears_out_the_last_factor),
		cmocka_unit_test(a_poll_time_out_without_look_up_stores_a_huge_interval),
		cmocka_unit_test(an_empty_history_predicts_nothing_or_zero),
		cmocka_unit_test(rejections_are_intervals_from_the_first_decision_on),
		cmocka_unit_test(a_far_timer_wraps_at_32_bits_of_us),
		cmocka_unit_test(explanations_name_the_values),
		cmocka_unit_test(typical_intervals_follow_their_rules),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
