// SPDX-License-Identifier: GPL-2.0-only
/* cpuidle-replay report: what happened. */
#include "base/cleanup.h"
#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/study.h"
#include "cli/threshold.h"

struct report_args {
	struct study_args common;
	struct thresholds thresholds;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct report_args *args = state->input;

	if (key == ARGP_KEY_INIT)
		state->child_inputs[1] = &args->thresholds;
	return parse_trace(key, arg, state, &args->common);
}

int command_report(int argc, char **argv)
{
	static const struct argp_child children[] = {
		{&study_argp, 0, NULL, 0}, {&miss_threshold_argp, 0, NULL, 0}, {0}};
	static const struct argp argp = {
		.parser = parse,
		.args_doc = "TRACE",
		.doc = "What happened in TRACE: the misses of each CPU as the kernel counts them, "
		       "idle states, wake-up latency, and what ended the idle periods.",
		.children = children,
	};
	_cleanup_(study_cleanup) struct cpir_result *result = NULL;
	struct report_args args = {.common = study_args_default(CPIR_REPORT),
				   .thresholds = thresholds_none};
	int status = arguments_parse(&argp, argc, argv, &args);

	if (status)
		return status;
	status = study_run(&args.common, &result);
	return status ? status : thresholds_judge(&args.thresholds, result);
}
