// SPDX-License-Identifier: GPL-2.0-only
/*
 * What do missing events cost? Recordings that hold every event are compared under a patch twice: as they are, and as if
 * some kinds of event had not been recorded. The totals of the second must come close to those of the first, and the
 * ranges printed with them must hold the true values.
 *
 *   mask-check TRACES NAME=POLICY+PATCH[,POINTS]…
 *   mask-check TRACES NAME=POLICY~OTHER[,POINTS]…
 *
 * NAME is a folder of TRACES, POLICY the record's, OTHER one to compare it with; POINTS is how far a share may be off where that is known to be more.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "replay/study.h"

#define CLOSE_POINTS 3	  /* how far a masked share may be off */
#define RANGES_PERCENT 95 /* of the ranges hold the true value */

#define SPAN(first, last) ((EVENT_BIT(last) << 1) - EVENT_BIT(first))
#define TIMERS SPAN(EV_HRTIMER_START, EV_TIMER_BASE_IDLE)
#define SCHED SPAN(EV_SCHED_SWITCH, EV_SCHED_STAT_IOWAIT)
#define IDLE_AND_SCHED                                                                             \
	(EVENT_BIT(EV_CPU_IDLE) | EVENT_BIT(EV_SCHED_SWITCH) | EVENT_BIT(EV_SCHED_WAKING) |        \
	 EVENT_BIT(EV_SCHED_WAKEUP) | EVENT_BIT(EV_SCHED_WAKEUP_NEW))

static const struct mask {
	const char *name;
	uint64_t want;
} masks[] = {
	{"no timers", ~TIMERS},
	{"no sched", ~SCHED},
	{"no tick_stop", ~EVENT_BIT(EV_TICK_STOP)},
	{"no timers, tick_stop", ~(TIMERS | EVENT_BIT(EV_TICK_STOP))},
	{"cpu_idle + sched", IDLE_AND_SCHED},
	{"cpu_idle + wakeup", EVENT_BIT(EV_CPU_IDLE) | EVENT_BIT(EV_SCHED_WAKEUP)},
};

struct tally {
	double points; /* how far a share of the present trace may be off */
	unsigned tests, ranges, held;
};

static struct cpir_result *run(const struct cpir_study_options *options, uint64_t want)
{
	struct study study = {.options = options, .want = want};
	struct cpir_result *result = NULL;
	struct cpir_error err = {0};

	if (study_run(&study, &result, &err) < 0)
		printf("# %s\n", err.text);
	study_deinit(&study);
	return result;
}

static double points(uint64_t part, const struct cpir_totals *of)
{
	return of->usage ? 100.0 * (double)part / (double)of->usage : 0;
}

/* struct share - a total in percent of all periods: true, masked, and the range of the latter (NULL: none printed) */
struct share {
	const char *run, *what;
	double truth, masked, lo, hi;
	bool has_range;
};

static struct share share_of(const struct cpir_totals *truth, const struct cpir_totals *masked,
			     bool above)
{
	const struct cpir_range *range = above ? &masked->range_above : &masked->range_below;

	return (struct share){
		.what = above ? "above" : "below",
		.truth = points(above ? truth->above : truth->below, truth),
		.masked = points(above ? masked->above : masked->below, masked),
		.lo = points(range->lo, masked),
		.hi = points(range->hi, masked),
		.has_range = masked->has_range,
	};
}

/* Prints a row and says whether the masked share is close to the true one. */
static bool check_share(struct tally *tally, const struct share *share)
{
	double off = share->masked - share->truth;
	bool held = share->lo - 0.005 <= share->truth && share->truth <= share->hi + 0.005;

	printf("#   %-8s %s %%: true %6.2f masked %6.2f off %+6.2f", share->run, share->what,
	       share->truth, share->masked, off);
	if (share->has_range) {
		tally->ranges++;
		tally->held += held;
		printf(" range %.2f to %.2f%s", share->lo, share->hi, held ? "" : " outside");
	}
	printf("\n");
	return off < tally->points && off > -tally->points;
}

static bool check_run(struct tally *tally, const char *name, const struct cpir_totals *truth,
		      const struct cpir_totals *masked)
{
	bool good = true;

	for (int above = 1; above >= 0; above--) {
		struct share share = share_of(truth, masked, above);

		share.run = name;
		good &= check_share(tally, &share);
	}
	return good;
}

static const char *const run_names[] = {"record", "baseline", "patched"};

static void check_mask(struct tally *tally, const struct cpir_study_options *options,
		       const struct cpir_result *truth, const struct mask *mask)
{
	struct cpir_result *masked = run(options, mask->want);
	bool good = masked && masked->run_count == truth->run_count;

	printf("# %s, %s: agreement %.2f %%, undetermined %" PRIu64 " of %" PRIu64 "\n",
	       options->trace, mask->name,
	       masked ? 100.0 * (double)masked->agreement.agreed /
				(double)masked->agreement.decisions
		      : 0,
	       masked ? masked->agreement.undetermined : 0,
	       masked ? masked->agreement.decisions : 0);
	for (size_t i = 0; masked && i < truth->run_count; i++)
		good &= check_run(tally, run_names[i], &truth->runs[i].total,
				  &masked->runs[i].total);
	printf("%sok %u - %s: %s\n", good ? "" : "not ", ++tally->tests, options->trace,
	       mask->name);
	cpir_result_free(masked);
}

/* @spec: NAME=POLICY+PATCH[,POINTS] or NAME=POLICY~OTHER[,POINTS] */
static void check_trace(struct tally *tally, const char *traces, char *spec)
{
	char *policy = strchr(spec, '='), *other = policy ? strchr(policy, '~') : NULL;
	char *patch = policy && !other ? strrchr(policy, '+') : other;
	char *points = patch ? strchr(patch, ',') : NULL;
	char trace[4096], platform[4096], baseline[256];
	const char *patched[] = {other ? other + 1 : policy ? policy + 1 : NULL};
	struct cpir_study_options options = {
		.mode = CPIR_COMPARE,
		.trace = trace,
		.platform = platform,
		.baseline = baseline,
		.policies = patched,
		.policy_count = 1,
		.latency_req_ns = UINT64_MAX,
		.warmup = UINT32_MAX,
	};
	struct cpir_result *truth;

	if (!patch)
		return;
	*policy = 0;
	tally->points = points ? strtod(points + 1, NULL) : CLOSE_POINTS;
	if (points)
		*points = 0;
	(void)snprintf(trace, sizeof(trace), "%s/%s/trace.dat", traces, spec);
	(void)snprintf(platform, sizeof(platform), "%s/%s/before.txt", traces, spec);
	(void)snprintf(baseline, sizeof(baseline), "%.*s", (int)(patch - policy - 1), policy + 1);
	truth = run(&options, 0);
	for (size_t i = 0; truth && i < array_size(masks); i++)
		check_mask(tally, &options, truth, &masks[i]);
	if (!truth)
		printf("not ok %u - %s\n", ++tally->tests, spec);
	cpir_result_free(truth);
}

int main(int argc, char **argv)
{
	struct tally tally = {0};

	if (argc < 3 || access(argv[1], R_OK) < 0) {
		printf("1..0 # SKIP no recordings at %s\n", argc > 1 ? argv[1] : "(none)");
		return 0;
	}
	for (int i = 2; i < argc; i++)
		check_trace(&tally, argv[1], argv[i]);
	printf("%sok %u - %u of %u ranges hold the true value\n",
	       tally.held * 100 < tally.ranges * RANGES_PERCENT ? "not " : "", ++tally.tests,
	       tally.held, tally.ranges);
	printf("1..%u\n", tally.tests);
	return 0;
}
