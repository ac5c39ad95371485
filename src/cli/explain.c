// SPDX-License-Identifier: GPL-2.0-only
/* cpuidle-replay explain: single decisions, step by step. */
#include "base/cleanup.h"
#include "base/parse.h"
#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/policy_options.h"
#include "cli/study.h"

enum { OPTION_CPU = OPTION_OWN, OPTION_AT, OPTION_WORST, OPTION_WORST_BY };

struct explain_args {
	struct study_args common;
	struct policy_options policies;
	bool has_cpu, has_at, has_by;
};

static const struct argp_option options[] = {
	{"cpu", OPTION_CPU, "N", 0, "explain a decision of CPU N ...", 0},
	{"at", OPTION_AT, "TIME", 0,
	 "... the one whose period holds TIME, seconds in the trace's clock, or the next one", 0},
	{"worst", OPTION_WORST, "N", 0, "explain the worst N decisions instead", 0},
	{"worst-by", OPTION_WORST_BY, "WHAT", 0,
	 "worst in latency (how long a woken task waited for the period to end, the default) or in "
	 "disagreement with the record",
	 0},
	{0},
};

static enum cpir_pick parse_pick(struct argp_state *state, const char *arg)
{
	if (!strcmp(arg, "latency"))
		return CPIR_PICK_LATENCY;
	if (strcmp(arg, "disagreement"))
		arguments_value_error(state, arg, "'%s' is neither latency nor disagreement", arg);
	return CPIR_PICK_DISAGREEMENT;
}

static void check(const struct explain_args *args, struct argp_state *state)
{
	bool worst = args->common.study.explain.count;

	if (worst && (args->has_cpu || args->has_at))
		arguments_error(state,
				"--worst does not go with --cpu and --at; see --cpus, --from");
	if (!worst && args->has_by)
		arguments_error(state, "--worst-by does nothing without --worst N");
	if (!worst && !(args->has_cpu && args->has_at))
		arguments_error(state, "give --cpu N and --at TIME, or --worst N");
}

/* Options that say which decisions. */
static error_t parse_query(int key, char *arg, struct argp_state *state, struct explain_args *args)
{
	struct cpir_explain_query *query = &args->common.study.explain;

	switch (key) {
	case OPTION_CPU:
		args->has_cpu = true;
		if (parse_u32(arg, 0, CPIR_CPUS_MAX - 1, &query->cpu))
			arguments_value_error(state, arg, "'%s' is not the number of a CPU", arg);
		return 0;
	case OPTION_AT:
		args->has_at = true;
		if (parse_time_s(arg, &query->at_ns))
			arguments_value_error(state, arg,
					      "'%s' is not a time in seconds, such as 33.904322976",
					      arg);
		return 0;
	case OPTION_WORST:
		if (parse_u32(arg, 1, CPIR_EXPLAIN_MAX, &query->count))
			arguments_value_error(state, arg, "'%s' is not a number from 1 to %u", arg,
					      CPIR_EXPLAIN_MAX);
		return 0;
	case OPTION_WORST_BY:
		args->has_by = true;
		query->pick = parse_pick(state, arg);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct explain_args *args = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[1] = &args->policies;
		return parse_trace(key, arg, state, &args->common);
	case ARGP_KEY_END:
		check(args, state);
		return 0;
	default:
		if (parse_query(key, arg, state, args) == 0)
			return 0;
		return parse_trace(key, arg, state, &args->common);
	}
}

int command_explain(int argc, char **argv)
{
	static const struct argp_child children[] = {
		{&study_argp, 0, NULL, 0}, {&policy_argp, 0, NULL, 0}, {0}};
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.args_doc = "TRACE",
		.doc = "One decision of the record step by step, by the governor that ran and by "
		       "others: what it saw and where that comes from, each step's values, the "
		       "rule that fired, what the record chose and what followed.",
		.children = children,
	};
	_cleanup_(study_cleanup) struct cpir_result *result = NULL;
	struct explain_args args = {.common = study_args_default(CPIR_EXPLAIN)};
	int status = arguments_parse(&argp, argc, argv, &args);

	if (!status) {
		struct cpir_study_options *study = &args.common.study;

		if (!study->explain.count)
			study->explain.pick = CPIR_PICK_TIME;
		else if (!args.has_by)
			study->explain.pick = CPIR_PICK_LATENCY;
		policy_options_apply(&args.policies, study);
		status = study_run(&args.common, &result);
	}
	policy_options_deinit(&args.policies);
	return status;
}
