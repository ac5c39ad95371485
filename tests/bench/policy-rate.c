// SPDX-License-Identifier: GPL-2.0-only
/*
 * Decisions per second of policies: `policy-rate POLICY...`. The same inputs for all, made beforehand; the outcome is told
 * as if the chosen state had been entered. CPU time, best of several rounds. For instruction counts run it in callgrind
 * with one POLICY and --rounds=1.
 */
#include "base/array.h"
#include "policy/policy.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define INPUTS 4096
#define ROUND_STEPS 1000000

static const struct cpir_table table = {
	.count = 4,
	.states = {{.name = "POLL", .polling = true},
		   {.name = "C1", .exit_latency_ns = 1000, .target_residency_ns = 1000},
		   {.name = "C1E", .exit_latency_ns = 2000, .target_residency_ns = 4000},
		   {.name = "C6", .exit_latency_ns = 290000, .target_residency_ns = 800000}},
};

static struct policy_input inputs[INPUTS];
static int64_t residencies_ns[INPUTS];

static uint64_t chance(void)
{
	static uint64_t seed = 1;

	seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return seed >> 33;
}

static void make_inputs(void)
{
	int64_t clock_ns = 0;

	for (size_t i = 0; i < INPUTS; i++) {
		int64_t sleep_ns = INT64_C(1000) << chance() % 16;

		sleep_ns += (int64_t)(chance() % (uint64_t)sleep_ns);
		residencies_ns[i] =
			chance() % 3 ? sleep_ns : sleep_ns / (1 + (int64_t)(chance() % 9));
		clock_ns += residencies_ns[i] + 5000;
		inputs[i] = (struct policy_input){
			.sleep_length_ns = sleep_ns,
			.delta_next_ns = sleep_ns < 4000000 ? sleep_ns : 4000000,
			.tick_stopped = chance() % 4 == 0,
			.latency_req_ns = POLICY_NO_LIMIT_NS,
			.clock_ns = clock_ns,
		};
	}
}

static double seconds(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double run_round(const struct cpir_policy *policy, void *state)
{
	double begin = seconds();

	for (unsigned i = 0; i < ROUND_STEPS; i++) {
		const struct policy_input *input = &inputs[i % INPUTS];
		struct policy_outcome outcome = {.poll_time_limit = -1};
		struct policy_decision decision;

		policy->ops->select(policy, &table, state, input, &decision, NULL);
		outcome.entered = decision.state;
		outcome.residency_ns = residencies_ns[i % INPUTS];
		outcome.clock_ns = input->clock_ns + outcome.residency_ns;
		policy->ops->reflect(policy, &table, state, &outcome);
	}
	return seconds() - begin;
}

static int run(const char *spec, unsigned rounds)
{
	struct cpir_policy *policy;
	struct cpir_error err;
	double best = 0;
	void *state;

	if (cpir_policy_parse(spec, NULL, &policy, &err)) {
		(void)fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	policy_set_hz(policy, 250);
	state = calloc(1, policy->ops->state_size);
	if (!state)
		return 1;
	policy->ops->enable(policy, &table, state);
	for (unsigned i = 0; i < rounds; i++) {
		double took = run_round(policy, state);

		if (!i || took < best)
			best = took;
	}
	printf("%-40s %6.1f ns a decision, %5.1f million/s\n", cpir_policy_name(policy),
	       best / ROUND_STEPS * 1e9, ROUND_STEPS / best / 1e6);
	free(state);
	cpir_policy_free(policy);
	return 0;
}

int main(int argc, char **argv)
{
	unsigned rounds = 5;
	int status = 0;

	make_inputs();
	for (int i = 1; i < argc && !status; i++) {
		if (!strncmp(argv[i], "--rounds=", 9))
			rounds = (unsigned)atoi(argv[i] + 9);
		else
			status = run(argv[i], rounds);
	}
	return status;
}
