// SPDX-License-Identifier: GPL-2.0-only
/* cpuidle-replay compare: before and after. */
#include "base/cleanup.h"
#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/message.h"
#include "cli/policy_options.h"
#include "cli/study.h"
#include "cli/threshold.h"

struct compare_args {
	struct study_args common;
	struct policy_options policies;
	struct thresholds thresholds;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct compare_args *args = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[1] = &args->policies;
		state->child_inputs[2] = &args->thresholds;
		return parse_trace(key, arg, state, &args->common);
	case ARGP_KEY_END:
		if (!args->policies.policies.len)
			arguments_error(state,
					"nothing to compare with: give at least one -p POLICY");
		return 0;
	default:
		return parse_trace(key, arg, state, &args->common);
	}
}

int command_compare(int argc, char **argv)
{
	static const struct argp_child children[] = {{&study_argp, 0, NULL, 0},
						     {&policy_argp, 0, NULL, 0},
						     {&threshold_argp, 0, NULL, 0},
						     {0}};
	static const struct argp argp = {
		.parser = parse,
		.args_doc = "TRACE",
		.doc = "What other policies would have done with what happened in TRACE: usage, "
		       "misses, states and wake-up latency before and after.\v"
		       "POLICY is NAME[@KERNEL][+PATCH|-PATCH...][:KNOB=VALUE,...], such as "
		       "menu@6.12, or menu@6.1.192+override-residency-threshold; or a "
		       "governor's source, src:FILE.c or git:REPO@REV:GOVERNOR; "
		       "'" PROGRAM " policies' lists what there is.",
		.children = children,
	};
	_cleanup_(study_cleanup) struct cpir_result *result = NULL;
	struct compare_args args = {.common = study_args_default(CPIR_COMPARE),
				    .thresholds = thresholds_none};
	int status = arguments_parse(&argp, argc, argv, &args);

	if (!status) {
		policy_options_apply(&args.policies, &args.common.study);
		status = study_run(&args.common, &result);
		if (!status)
			status = thresholds_judge(&args.thresholds, result);
	}
	policy_options_deinit(&args.policies);
	return status;
}
