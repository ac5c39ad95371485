// SPDX-License-Identifier: GPL-2.0-only
/* cpuidle-replay replay: the verification run. */
#include "base/cleanup.h"
#include "cli/command.h"
#include "cli/message.h"
#include "cli/study.h"

#include <math.h>

enum { OPTION_REQUIRE_AGREEMENT = OPTION_OWN };

/** struct replay_args - @required: least share of agreeing decisions in per cent, negative: none asked for */
struct replay_args {
	struct study_args common;
	const char *policy;
	double required;
};

static const struct argp_option options[] = {
	{"policy", 'p', "POLICY", 0, "policy that decides (default: that of the kernel that ran)",
	 0},
	{"require-agreement", OPTION_REQUIRE_AGREEMENT, "PERCENT", 0,
	 "exit with status 3 when fewer decisions agree with the record", 0},
	{0},
};

static double parse_percent(struct argp_state *state, const char *arg)
{
	char *end;
	double value = strtod(arg, &end);

	if (end == arg || *end || !isfinite(value) || value < 0 || value > 100)
		argp_error(state, "'%s' is not a percentage from 0 to 100", arg);
	return value;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct replay_args *args = state->input;

	switch (key) {
	case 'p':
		args->policy = arg;
		return 0;
	case OPTION_REQUIRE_AGREEMENT:
		args->required = parse_percent(state, arg);
		return 0;
	default:
		return parse_trace(key, arg, state, &args->common);
	}
}

static int judge(const struct replay_args *args, const struct cpir_result *result)
{
	const struct cpir_agreement *agreement = &result->agreement;
	double percent;

	if (args->required < 0)
		return EXIT_DONE;
	if (!agreement->valid || !agreement->decisions) {
		message("%s: no decision could be verified; the required agreement is not met",
			args->common.study.trace);
		return EXIT_BELOW;
	}
	percent = 100.0 * (double)agreement->agreed / (double)agreement->decisions;
	if (percent >= args->required)
		return EXIT_DONE;
	message("%s: agreement is %.2f%%, below the required %g%%", args->common.study.trace,
		percent, args->required);
	return EXIT_BELOW;
}

int command_replay(int argc, char **argv)
{
	static const struct argp_child children[] = {{&study_argp, 0, NULL, 0}, {0}};
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.args_doc = "TRACE",
		.doc = "Decide every period of TRACE again with the recorded history: how many "
		       "decisions agree with the record, and why the others do not.",
		.children = children,
	};
	_cleanup_(study_cleanup) struct cpir_result *result = NULL;
	struct replay_args args = {.common = study_args_default(CPIR_REPLAY), .required = -1};
	int status;

	if (argp_parse(&argp, argc, argv, 0, NULL, &args))
		return EXIT_USAGE;
	args.common.study.policies = &args.policy;
	args.common.study.policy_count = args.policy ? 1 : 0;
	status = study_run(&args.common, &result);
	return status ? status : judge(&args, result);
}
