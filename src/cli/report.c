// SPDX-License-Identifier: GPL-2.0-only
/* cpuidle-replay report: what happened. */
#include "base/cleanup.h"
#include "cli/command.h"
#include "cli/study.h"

static error_t parse(int key, char *arg, struct argp_state *state)
{
	return parse_trace(key, arg, state, state->input);
}

int command_report(int argc, char **argv)
{
	static const struct argp_child children[] = {{&study_argp, 0, NULL, 0}, {0}};
	static const struct argp argp = {
		.parser = parse,
		.args_doc = "TRACE",
		.doc = "What happened in TRACE: the misses of each CPU as the kernel counts them, "
		       "idle states, wake-up latency, and what ended the idle periods.",
		.children = children,
	};
	_cleanup_(study_cleanup) struct cpir_result *result = NULL;
	struct study_args args = study_args_default(CPIR_REPORT);

	if (argp_parse(&argp, argc, argv, 0, NULL, &args))
		return EXIT_USAGE;
	return study_run(&args, &result);
}
