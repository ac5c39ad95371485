// SPDX-License-Identifier: GPL-2.0-only
/* A whole study: whatever a trace claims to be, it is read, verified, and replayed under another policy. */
#include "fuzz.h"

#include "cpuidle-replay.h"

#include <stdlib.h>

static const char *const policies[] = {"menu@7.3", "teo@7.3"};

static void study(const char *path, uint32_t hz)
{
	const struct cpir_study_options options = {
		.mode = CPIR_COMPARE,
		.trace = path,
		.platform = "intel-spr",
		.kernel = "6.1.192",
		.baseline = "menu@6.1.192",
		.policies = policies,
		.policy_count = sizeof(policies) / sizeof(policies[0]),
		.hz = hz,
		.latency_req_ns = UINT64_MAX,
		.warmup = 0,
		.threads = 1,
	};
	struct cpir_result *result;
	struct cpir_error err;

	if (cpir_study_run(&options, &result, &err))
		return;
	for (size_t i = 0; i < result->run_count; i++)
		if (result->runs[i].total.state_count > CPIR_STATES_MAX)
			abort();
	cpir_result_free(result);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* Without HZ it has to be learned from the ticks. */
	study(fuzz_file(data, size), size % 2 ? 250 : 0);
	return 0;
}
