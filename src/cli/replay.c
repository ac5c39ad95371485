// SPDX-License-Identifier: GPL-2.0-only
/* cpuidle-replay replay: the verification run. */
#include "base/cleanup.h"
#include "base/parse.h"
#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/study.h"
#include "cli/threshold.h"

enum { OPTION_DIFFERENCES = OPTION_OWN };

struct replay_args {
	struct study_args common;
	const char *policy;
	struct thresholds thresholds;
};

static const struct argp_option options[] = {
	{"policy", 'p', "POLICY", 0, "policy that decides (default: that of the kernel that ran)",
	 0},
	{"differences", OPTION_DIFFERENCES, "N", OPTION_ARG_OPTIONAL,
	 "list the decisions that differ from the record, the first N of them", 0},
	{0},
};

static uint32_t parse_rows(struct argp_state *state, const char *arg)
{
	uint32_t rows = UINT32_MAX;

	if (arg && parse_u32(arg, 1, UINT32_MAX, &rows))
		arguments_value_error(state, arg, "'%s' is not a number of rows", arg);
	return rows;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct replay_args *args = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[1] = &args->thresholds;
		return parse_trace(key, arg, state, &args->common);
	case 'p':
		if (args->policy)
			arguments_error(state, "one policy decides: -p %s or -p %s?", args->policy,
					arg);
		args->policy = arg;
		return 0;
	case OPTION_DIFFERENCES:
		args->common.study.differences = parse_rows(state, arg);
		return 0;
	default:
		return parse_trace(key, arg, state, &args->common);
	}
}

int command_replay(int argc, char **argv)
{
	static const struct argp_child children[] = {
		{&study_argp, 0, NULL, 0}, {&threshold_argp, 0, NULL, 0}, {0}};
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.args_doc = "TRACE",
		.doc = "Decide every period of TRACE again with the recorded history: how many "
		       "decisions agree with the record, and why the others do not.",
		.children = children,
	};
	_cleanup_(study_cleanup) struct cpir_result *result = NULL;
	struct replay_args args = {.common = study_args_default(CPIR_REPLAY),
				   .thresholds = thresholds_none};
	int status = arguments_parse(&argp, argc, argv, &args);

	if (status)
		return status;
	args.common.study.policies = &args.policy;
	args.common.study.policy_count = args.policy ? 1 : 0;
	status = study_run(&args.common, &result);
	return status ? status : thresholds_judge(&args.thresholds, result);
}
