// SPDX-License-Identifier: GPL-2.0-only
/* Studies of a bundled recording, as a program that uses the library sees them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "cpuidle-replay.h"

struct told {
	unsigned count, last;
};

static void tell(void *arg, unsigned permille)
{
	struct told *told = arg;

	assert_in_range(permille, told->last, 1000);
	told->last = permille;
	told->count++;
}

static void test_progress(void **state)
{
	char trace[4096], platform[4096];
	struct told told = {0};
	struct cpir_study_options options = {
		.mode = CPIR_REPLAY,
		.trace = trace,
		.platform = platform,
		.latency_req_ns = UINT64_MAX,
		.warmup = UINT32_MAX,
		.progress = tell,
		.progress_arg = &told,
	};
	struct cpir_result *result = NULL;
	struct cpir_error err;
	const char *root = getenv("CPIR_SOURCE_ROOT");

	(void)state;
	(void)snprintf(trace, sizeof(trace), "%s/testdata/captured/pseries/6.1-pipe/trace.dat",
		       root);
	(void)snprintf(platform, sizeof(platform),
		       "%s/testdata/captured/pseries/6.1-pipe/before.txt", root);
	assert_int_equal(cpir_study_run(&options, &result, &err), 0);
	/* Two readings of 190,769 events: told in the midst of each, and far along in the last. */
	assert_true(told.count >= 3);
	assert_true(told.last > 667);
	cpir_result_free(result);
}

/*
 * On this machine the governor's own trace says why: it remembered intervals of 9 to 22 us where the recording, whose idle
 * entry times are known to some microseconds, makes them 12 to 25. Their mean crossed 15 us.
 */
static void test_history(void **state)
{
	char trace[4096], platform[4096];
	struct cpir_study_options options = {
		.mode = CPIR_EXPLAIN,
		.trace = trace,
		.platform = platform,
		.baseline = "menu@7.3.4-override-residency-threshold-override-exit-latency",
		.latency_req_ns = UINT64_MAX,
		.warmup = UINT32_MAX,
		.explain = {.pick = CPIR_PICK_TIME, .cpu = 1, .at_ns = 5071072154},
	};
	struct cpir_result *result = NULL;
	struct cpir_error err;
	const char *root = getenv("CPIR_SOURCE_ROOT");

	(void)state;
	(void)snprintf(trace, sizeof(trace), "%s/testdata/captured/pseries/7.3-sweep/trace.dat",
		       root);
	(void)snprintf(platform, sizeof(platform),
		       "%s/testdata/captured/pseries/7.3-sweep/before.txt", root);
	assert_int_equal(cpir_study_run(&options, &result, &err), 0);
	assert_int_equal(result->explained_count, 1);
	assert_int_equal(result->explained[0].state, 1);
	assert_int_equal(result->explained[0].decided[0].state, 0);
	assert_int_equal(result->explained[0].decided[0].cause, CPIR_CAUSE_HISTORY);
	cpir_result_free(result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_progress),
		cmocka_unit_test(test_history),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
