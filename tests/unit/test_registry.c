// SPDX-License-Identifier: GPL-2.0-only
/* Policy names: parsing, canonical form, what releases and patches set, and the sentences of refusals. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "policy/policy.h"

static void names_are_canonical(void **state)
{
	static const struct {
		const char *spec, *kernel, *name;
	} cases[] = {
		{"menu@6.1", NULL, "menu@6.1"},
		{"menu@6.17.0", NULL, "menu@6.17.0"},
		{"menu@7.3-override-exit-latency", NULL, "menu@7.3-override-exit-latency"},
		{"menu@7.3-override-residency-threshold-override-exit-latency", NULL,
		 "menu@7.3-override-residency-threshold-override-exit-latency"},
		{"menu@6.1.192", NULL, "menu@6.1.192"},
		{"menu@6.1.192+override-residency-threshold", NULL,
		 "menu@6.1.192+override-residency-threshold"},
		{"menu", "6.1.192-rig-base-instr", "menu@6.1.192"},
		{"menu", "7.3.4-rig-base-instr", "menu@7.3.4"},
		{"menu-override-exit-latency", "7.3.4-rig", "menu@7.3.4-override-exit-latency"},
		{"menu@6.12.94-amd64", NULL, "menu@6.12.94"},
		{"menu@6.12.117+deb13-cloud-amd64+max-typical", NULL, "menu@6.12.117+max-typical"},
		{"menu@7.3.4-rig-base-instr-override-exit-latency", NULL,
		 "menu@7.3.4-override-exit-latency"},
		{"menu@6.17-rc3+override-exit-latency", NULL,
		 "menu@6.17-rc3+override-exit-latency"},
		{"menu@6.12:residency_threshold_us=50,decay=8", "5.10",
		 "menu@6.12:residency_threshold_us=50,decay=8"},
		{"menu+max-typical:intervals=8", "6.12.8", "menu@6.12.8+max-typical:intervals=8"},
	};

	(void)state;
	for (size_t i = 0; i < array_size(cases); i++) {
		struct cpir_policy *policy;
		struct cpir_error err;

		if (cpir_policy_parse(cases[i].spec, cases[i].kernel, &policy, &err))
			fail_msg("%s: %s", cases[i].spec, err.text);
		assert_string_equal(cpir_policy_name(policy), cases[i].name);
		cpir_policy_free(policy);
	}
}

static void refusals_say_what_there_is(void **state)
{
	static const struct {
		const char *spec, *words[3];
	} cases[] = {
		{"meno@6.1", {"unknown governor", "meno", "menu"}},
		{"", {"unknown governor", "menu"}},
		{"menu", {"which kernel", "menu@"}},
		{"menu@", {"no kernel release"}},
		{"menu@six", {"six", "uname -r"}},
		{"menu@4.14.3", {"4.19", "not known"}},
		{"menu@6.1+nonsense", {"unknown patch '+nonsense'", "max-typical"}},
		{"menu@6.1-override-exit-latenci", {"unknown patch", "override-exit-latency"}},
		{"menu@6.1+max-typical+", {"nothing is named behind '+'"}},
		{"menu@7.3+", {"nothing is named behind '+'", "+PATCH"}},
		{"menu@7.3-", {"nothing is named behind '-'"}},
		{"menu@7.3++max-typical", {"nothing is named behind '+'"}},
		{"menu@7.3+:decay=8", {"nothing is named behind '+'"}},
		{"menu@7.3:", {"'menu@7.3:': nothing behind ':'"}},
		{"menu@7.3+max-typical:", {"nothing behind ':'"}},
		{"fixed:", {"nothing behind ':'"}},
		{"menu@6.1+max-typical@", {"unknown patch"}},
		{"menu@6.1:no_such=1", {"unknown knob 'no_such'", "residency_threshold_us"}},
		{"menu@6.1:decay", {"NAME=VALUE"}},
		{"menu@6.1:decay=", {"NAME=VALUE"}},
		{"menu@6.1:decay=8,", {"'decay=8,'", "NAME=VALUE"}},
		{"menu@6.1:decay=1", {"decay", "from 2"}},
		{"menu@6.1:decay=eight", {"decay", "number"}},
		{"menu@6.1:iowait=maybe", {"iowait", "on or off"}},
		{"menu@6.1:typical=mean", {"one-sided", "two-sided"}},
		{"menu@4.19+override-exit-latency", {"does not apply", "4.20"}},
		{"menu@6.1+stopped-tick-check-timers", {"does not apply", "6.6"}},
		{"menu@6.12.8+safe-timer-range", {"does not apply", "stopped-tick-check-timers"}},
		{"menu@6.1-override-exit-latency", {"nothing to take out", "6.18"}},
		{"menu@4.19:microseconds=off", {"microseconds=on"}},
	};

	(void)state;
	for (size_t i = 0; i < array_size(cases); i++) {
		struct cpir_policy *policy = NULL;
		struct cpir_error err = {0};

		assert_true(cpir_policy_parse(cases[i].spec, NULL, &policy, &err) < 0);
		assert_null(policy);
		assert_true(err.code < 0);
		for (size_t w = 0; w < 3 && cases[i].words[w]; w++)
			if (!strstr(err.text, cases[i].words[w]))
				fail_msg("%s: '%s' is not in: %s", cases[i].spec, cases[i].words[w],
					 err.text);
	}
}

/* The value of @knob in the policy @spec, as text in @buffer. */
static const char *knob_of(const char *spec, const char *knob, char buffer[32])
{
	_cleanup_free_ struct cpir_knob_info *knobs = NULL;
	struct cpir_policy *policy;
	struct cpir_error err;
	size_t count;

	if (cpir_policy_parse(spec, NULL, &policy, &err))
		fail_msg("%s: %s", spec, err.text);
	assert_int_equal(cpir_policy_knobs(policy, &knobs, &count), 0);
	cpir_policy_free(policy);
	for (size_t i = 0; i < count; i++)
		if (!strcmp(knobs[i].name, knob)) {
			assert_true(strlen(knobs[i].help) > 10);
			memcpy(buffer, knobs[i].value, 32);
			return buffer;
		}
	fail_msg("no knob %s", knob);
	return NULL;
}

/* What a policy has a knob at. */
static const struct {
	const char *spec, *knob, *value;
} release_cases[] = {
	/* Both sides of stable windows. */
	{"menu@5.10.237", "max_typical", "off"},
	{"menu@5.10.238", "max_typical", "on"},
	{"menu@5.10.245", "max_typical", "on"},
	{"menu@5.10.246", "max_typical", "off"},
	{"menu@5.10.240", "reject_interval", "off"},
	{"menu@5.10.262", "reject_interval", "on"},
	{"menu@6.1.140", "max_typical", "off"},
	{"menu@6.1.141", "max_typical", "on"},
	{"menu@6.1.158", "max_typical", "off"},
	{"menu@6.1.156", "reject_interval", "off"},
	{"menu@6.1.157", "reject_interval", "on"},
	{"menu@6.12.43", "iowait", "on"},
	{"menu@6.12.44", "iowait", "off"},
	{"menu@6.12.43", "latency_first", "off"},
	{"menu@6.12.44", "latency_first", "on"},
	{"menu@6.12.57", "override_exit_latency", "off"},
	{"menu@6.12.58", "override_exit_latency", "on"},
	{"menu@6.12.63", "override_residency_threshold", "off"},
	{"menu@6.12.64", "override_residency_threshold", "on"},
	{"menu@6.12.74", "stopped_override_inside", "off"},
	{"menu@6.12.75", "stopped_override_inside", "on"},
	{"menu@6.12.94", "typical", "one-sided"},
	{"menu@6.18.2", "override_residency_threshold", "off"},
	{"menu@6.18.3", "override_residency_threshold", "on"},
	{"menu@6.18.13", "stopped_lookup", "off"},
	{"menu@6.18.14", "stopped_lookup", "on"},
	{"menu@6.17.5", "max_typical", "on"},
	{"menu@6.17.6", "max_typical", "off"},
	/* A stable window ends with its series. */
	{"menu@6.13", "reject_interval", "off"},
	{"menu@6.13", "iowait", "off"},
	{"menu@6.16", "latency_first", "off"},
	/* Mainline, release candidates included. */
	{"menu@4.19.87", "layout", "4.19"},
	{"menu@5.4", "microseconds", "on"},
	{"menu@5.5", "microseconds", "off"},
	{"menu@5.12", "stopped_override", "next-event"},
	{"menu@5.13", "stopped_override", "sleep-length"},
	{"menu@6.5", "skip_lookup", "off"},
	{"menu@6.6", "skip_lookup", "on"},
	{"menu@6.14", "typical", "one-sided"},
	{"menu@6.15", "typical", "two-sided"},
	{"menu@6.17-rc2", "reject_interval", "off"},
	{"menu@6.17-rc3", "reject_interval", "on"},
	{"menu@6.18-rc2", "max_typical", "on"},
	{"menu@6.18-rc3", "max_typical", "off"},
	{"menu@6.18", "override_residency_threshold", "off"},
	{"menu@6.19", "override_residency_threshold", "on"},
	{"menu@7.0", "safe_timer_range", "off"},
	{"menu@7.1", "safe_timer_range", "on"},
	{"menu@7.3", "override_exit_latency", "on"},
	/* Patches, in and out, and single knobs after them. */
	{"menu@7.3-override-exit-latency", "override_exit_latency", "off"},
	{"menu@7.3-override-exit-latency", "override_residency_threshold", "on"},
	{"menu@7.3-stopped-tick-check-timers", "stopped_lookup", "off"},
	{"menu@6.1.192+no-polling-override", "polling_override", "off"},
	{"menu@6.12.8+stopped-tick-check-timers+safe-timer-range", "safe_timer_range", "on"},
	{"menu@7.3+override-exit-latency", "override_exit_latency", "on"},
	{"menu@7.3-override-exit-latency:override_exit_latency=on", "override_exit_latency", "on"},
	{"menu@6.12:residency_threshold_us=50", "residency_threshold_us", "50"},
};

static void releases_set_knobs(void **state)
{
	char value[32];

	(void)state;
	for (size_t i = 0; i < array_size(release_cases); i++)
		if (strcmp(knob_of(release_cases[i].spec, release_cases[i].knob, value),
			   release_cases[i].value))
			fail_msg("%s: %s is %s, not %s", release_cases[i].spec,
				 release_cases[i].knob, value, release_cases[i].value);
}

static void hidden_levels_are_assumed_and_said(void **state)
{
	_cleanup_free_ char *note = NULL;
	struct cpir_policy *policy;
	const char *level;

	(void)state;
	assert_int_equal(cpir_policy_parse("menu", "6.1.0-57-arm64", &policy, NULL), 0);
	level = strrchr(cpir_policy_name(policy), '.') + 1;
	assert_true(atoi(level) >= 158);
	assert_int_equal(cpir_policy_note_levels("menu", "6.1.0-57-arm64", &note), 0);
	assert_non_null(strstr(note, "6.1.0-57-arm64"));
	assert_non_null(strstr(note, level));
	assert_non_null(strstr(note, "6.1 to 6.1.140 (reject_interval=off)"));
	assert_non_null(strstr(note, "6.1.141 to 6.1.156 (reject_interval=off, max_typical=on)"));
	assert_non_null(strstr(note, "6.1.157 (max_typical=on)"));
	assert_non_null(strstr(note, "--kernel 6.1.N"));
	cpir_policy_free(policy);
}

static void exact_levels_need_no_note(void **state)
{
	char *note = NULL;

	(void)state;
	assert_int_equal(cpir_policy_note_levels("menu", "6.1.192-rig-base-instr", &note), 0);
	assert_string_equal(note, "");
	free(note);
	assert_int_equal(cpir_policy_note_levels("menu", "8.0-rc1", &note), 0);
	assert_non_null(strstr(note, "newer than the releases that are known"));
	free(note);
	assert_int_equal(cpir_policy_note_levels("fixed", "6.1.0-57-arm64", &note), 0);
	assert_string_equal(note, "");
	free(note);
	assert_int_equal(cpir_policy_note_levels("nothing", "6.1.192", &note), -EINVAL);
	assert_int_equal(cpir_policy_note_levels("menu", "none", &note), -EINVAL);
}

static void lists_are_complete(void **state)
{
	size_t count;
	const struct cpir_governor_info *infos = cpir_governor_list(&count);

	(void)state;
	assert_true(count >= 1);
	for (size_t i = 0; i < count; i++) {
		assert_true(strlen(infos[i].name) > 0 && strlen(infos[i].help) > 10);
		for (size_t p = 0; p < infos[i].patch_count; p++) {
			assert_true(strlen(infos[i].patches[p].help) > 10);
			assert_non_null(infos[i].patches[p].commit);
			assert_true(strlen(infos[i].patches[p].merged) > 0);
		}
	}
}

/* A patch that a release has changes nothing; names do not matter. */
static void same_policies(void **state)
{
	static const struct {
		const char *a, *b;
		bool same;
	} cases[] = {
		{"menu@7.3", "menu@7.3+override-residency-threshold", true},
		{"menu@7.3", "menu@7.3-override-residency-threshold", false},
		{"menu@7.3", "teo@7.3", false},
		{"fixed:state=1", "fixed:state=1", true},
		{"fixed:state=1", "fixed:state=2", false},
	};

	(void)state;
	for (size_t i = 0; i < array_size(cases); i++) {
		struct cpir_policy *a = NULL, *b = NULL;

		assert_int_equal(cpir_policy_parse(cases[i].a, NULL, &a, NULL), 0);
		assert_int_equal(cpir_policy_parse(cases[i].b, NULL, &b, NULL), 0);
		assert_int_equal(policy_same(a, b), cases[i].same);
		cpir_policy_free(a);
		cpir_policy_free(b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_policies),
		cmocka_unit_test(names_are_canonical),
		cmocka_unit_test(refusals_say_what_there_is),
		cmocka_unit_test(releases_set_knobs),
		cmocka_unit_test(hidden_levels_are_assumed_and_said),
		cmocka_unit_test(exact_levels_need_no_note),
		cmocka_unit_test(lists_are_complete),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
