// SPDX-License-Identifier: GPL-2.0-only
/* Limits on a result that decide the exit status. */
#include "cli/threshold.h"

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/message.h"
#include "cli/options.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define MISS_OPTIONS                                                                               \
	{"max-above",                                                                              \
	 OPTION_MAX_ABOVE,                                                                         \
	 "PERCENT",                                                                                \
	 0,                                                                                        \
	 "exit with status 3 when more of the periods are above",                                  \
	 0},                                                                                       \
	{                                                                                          \
		"max-below", OPTION_MAX_BELOW, "PERCENT", 0,                                       \
			"exit with status 3 when more of the periods are below", 0                 \
	}

const struct thresholds thresholds_none = {-1, -1, -1};

static double parse_percent(struct argp_state *state, const char *arg)
{
	char *end;
	double value = strtod(arg, &end);

	/* strtod() takes blanks, signs, hexadecimal digits and names of numbers, too. */
	if (end == arg || arg[strspn(arg, "0123456789.")] || value > 100)
		arguments_value_error(state, arg, "'%s' is not a percentage from 0 to 100", arg);
	return value;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct thresholds *thresholds = state->input;

	switch (key) {
	case OPTION_REQUIRE_AGREEMENT:
		thresholds->agreement = parse_percent(state, arg);
		return 0;
	case OPTION_MAX_ABOVE:
		thresholds->above = parse_percent(state, arg);
		return 0;
	case OPTION_MAX_BELOW:
		thresholds->below = parse_percent(state, arg);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option miss_options[] = {MISS_OPTIONS, {0}};
static const struct argp_option all_options[] = {
	{"require-agreement", OPTION_REQUIRE_AGREEMENT, "PERCENT", 0,
	 "exit with status 3 when fewer decisions agree with the record", 0},
	MISS_OPTIONS,
	{0},
};

const struct argp miss_threshold_argp = {.options = miss_options, .parser = parse};
const struct argp threshold_argp = {.options = all_options, .parser = parse};

/** struct complaint - the one line, made of what does not hold */
struct complaint {
	char text[512];
	size_t len;
};

static void complain(struct complaint *complaint, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void complain(struct complaint *complaint, const char *fmt, ...)
{
	size_t room = sizeof(complaint->text) - complaint->len;
	va_list args;
	int len;

	if (complaint->len && room > 2) {
		memcpy(complaint->text + complaint->len, "; ", 3);
		complaint->len += 2;
		room -= 2;
	}
	va_start(args, fmt);
	len = vsnprintf(complaint->text + complaint->len, room, fmt, args);
	va_end(args);
	if (len > 0)
		complaint->len += (size_t)len < room ? (size_t)len : room - 1;
}

static double percent_of(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

static void judge_agreement(double required, const struct cpir_agreement *agreement,
			    struct complaint *complaint)
{
	double percent;

	if (required < 0)
		return;
	if (!agreement->valid || !agreement->decisions) {
		complain(complaint,
			 "no decision could be verified; the required agreement is not met");
		return;
	}
	percent = percent_of(agreement->agreed, agreement->decisions);
	if (percent < required)
		complain(complaint, "agreement is %.2f%%, below the required %g%%", percent,
			 required);
}

static void judge_misses(const struct thresholds *thresholds, const struct cpir_run *run,
			 struct complaint *complaint)
{
	const char *name = run->role == CPIR_ROLE_RECORD ? "the record" : run->name;
	double above = percent_of(run->total.above, run->total.usage);
	double below = percent_of(run->total.below, run->total.usage);

	if (thresholds->above < 0 && thresholds->below < 0)
		return;
	if (!run->total.usage || run->total.miss_unknown) {
		complain(complaint, "no period of %s could be judged; the limits are not met",
			 name);
		return;
	}
	if (thresholds->above >= 0 && above > thresholds->above)
		complain(complaint, "above is %.2f%% in %s, more than the %g%% allowed", above,
			 name, thresholds->above);
	if (thresholds->below >= 0 && below > thresholds->below)
		complain(complaint, "below is %.2f%% in %s, more than the %g%% allowed", below,
			 name, thresholds->below);
}

int thresholds_judge(const struct thresholds *thresholds, const struct cpir_result *result)
{
	struct complaint complaint = {.len = 0};

	judge_agreement(thresholds->agreement, &result->agreement, &complaint);
	if (result->run_count)
		judge_misses(thresholds, &result->runs[result->run_count - 1], &complaint);
	if (!complaint.len)
		return EXIT_DONE;
	message("%s: %s", result->trace.file, complaint.text);
	return EXIT_BELOW;
}
