// SPDX-License-Identifier: GPL-2.0-only
/* A whole study: whatever a trace claims to be, it is read, verified, and replayed under another policy. */
#include "fuzz.h"

#include "cpuidle-replay.h"

#include <stdlib.h>

#define DECISIONS 10 /* to be listed, or explained */

static const char *const policies[] = {"menu@7.3", "teo@7.3"};

/* What every study is asked for; @pick says which decisions an explaining one explains. */
static struct cpir_study_options options_for(const char *path, uint32_t hz, enum cpir_pick pick)
{
	return (struct cpir_study_options){
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
		.differences = DECISIONS,
		.explain = {.pick = pick, .count = DECISIONS},
	};
}

static void check_explained(const struct cpir_explained *explained)
{
	if (explained->decided_count != 1 + sizeof(policies) / sizeof(policies[0]) ||
	    explained->input_count > CPIR_INPUTS_MAX || explained->exit_ns < explained->enter_ns)
		abort();
}

static void study(struct cpir_study_options options, enum cpir_mode mode)
{
	struct cpir_result *result;
	struct cpir_error err;

	options.mode = mode;
	if (cpir_study_run(&options, &result, &err))
		return;
	for (size_t i = 0; i < result->run_count; i++)
		if (result->runs[i].total.state_count > CPIR_STATES_MAX)
			abort();
	for (size_t i = 0; i < result->explained_count; i++)
		check_explained(&result->explained[i]);
	if (result->difference_count > result->difference_total ||
	    result->difference_count > DECISIONS || result->explained_count > DECISIONS)
		abort();
	cpir_result_free(result);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *path = fuzz_file(data, size);
	/* Without HZ it has to be learned from the ticks. */
	uint32_t hz = size % 2 ? 250 : 0;

	study(options_for(path, hz, CPIR_PICK_LATENCY), CPIR_COMPARE);
	study(options_for(path, hz, (enum cpir_pick)(size % 3)), CPIR_EXPLAIN);
	return 0;
}
