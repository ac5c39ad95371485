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

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_progress)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
