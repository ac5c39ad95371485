// SPDX-License-Identifier: GPL-2.0-only
/*
 * Are the steps of explained decisions those of the governor? For recordings in which menu wrote its state into the trace
 * (event rigmenu:menu_select), compare each value that an explanation gives with the governor's own.
 * A developer's tool: the product never reads those events.
 *
 *   oracle-steps TRACE PLATFORM [POLICY [SHOW]]     SHOW: how many differing decisions to print
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "replay/study.h"
#include "rigmenu.h"

#define NONE 4294967295ll /* menu_select's "not computed" */

enum value { INTERVALS, TYPICAL, BUCKET, FACTOR, CORRECTED, PREDICTION, STATE, VALUES };

static const char *const value_names[VALUES] = {
	"recent intervals",	  "typical interval", "bucket",	     "correction factor",
	"sleep length corrected", "prediction",	      "chosen state"};

/* What our steps are called, where they are steps. */
static const char *const step_names[VALUES] = {
	[TYPICAL] = "typical interval us",
	[BUCKET] = "bucket",
	[FACTOR] = "correction factor",
	[CORRECTED] = "sleep length corrected us",
};

/* Differences that change next to nothing: the clocks of a trace are no better than that. */
static const int64_t tolerances[VALUES] = {
	[INTERVALS] = 1, [TYPICAL] = 1, [FACTOR] = 8, [CORRECTED] = 20, [PREDICTION] = 20000,
};

/* struct truth - one decision as the governor wrote it; intervals in order of size */
struct truth {
	uint64_t time_ns;
	int64_t value[VALUES];
	uint32_t interval[8];
};

struct cpu_truth {
	ARRAY(struct truth) decisions;
	size_t next;
};

struct oracle {
	struct study study;
	struct cpu_truth *cpus;
	uint64_t compared[VALUES], equal[VALUES], close[VALUES], decisions, all_equal;
	unsigned show;
};

static int by_size(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

static void read_intervals(const struct rigmenu_event *event, struct truth *truth)
{
	static const char *const names[] = {"i0", "i1", "i2", "i3", "i4", "i5", "i6", "i7"};

	for (int i = 0; i < 8; i++)
		truth->interval[i] = (uint32_t)rigmenu_field(event, names[i]);
	qsort(truth->interval, 8, sizeof(truth->interval[0]), by_size);
}

static void read_select(struct cpu_truth *cpu, const struct rigmenu_event *event)
{
	struct truth *truth = array_add(&cpu->decisions);

	if (!truth)
		return;
	truth->time_ns = event->time_ns;
	truth->value[TYPICAL] = rigmenu_field(event, "typical_us");
	truth->value[BUCKET] = rigmenu_field(event, "bucket");
	truth->value[FACTOR] = rigmenu_field(event, "factor");
	truth->value[CORRECTED] = rigmenu_field(event, "timer_us");
	truth->value[PREDICTION] = rigmenu_field(event, "predicted_ns");
	truth->value[STATE] = rigmenu_field(event, "idx");
	read_intervals(event, truth);
}

static void take(void *arg, const struct rigmenu_event *event)
{
	struct oracle *oracle = arg;

	if (event->kind == RIGMENU_SELECT)
		read_select(&oracle->cpus[event->cpu], event);
}

/* After the study is prepared: it knows how many CPUs there are. */
static int read_truth(struct oracle *oracle, struct cpir_error *err)
{
	oracle->cpus = calloc(oracle->study.info->cpus, sizeof(*oracle->cpus));
	if (!oracle->cpus)
		return error_oom(err);
	return rigmenu_read(oracle->study.options->trace, take, oracle, err);
}

/* The last decision written before the period began, and not yet used. */
static const struct truth *match(struct oracle *oracle, const struct verified *verified)
{
	struct cpu_truth *truths = &oracle->cpus[verified->stretch->cpu];
	const struct truth *found = NULL;

	for (; truths->next < truths->decisions.len; truths->next++) {
		const struct truth *truth = &truths->decisions.ptr[truths->next];

		if (truth->time_ns > verified->period->enter_ns)
			break;
		found = truth;
	}
	return found;
}

/* What our explanation says; false: it says nothing of the kind. */
static bool explained(const struct policy_steps *steps, const char *name, int64_t *ret_value)
{
	for (unsigned i = 0; i < steps->count; i++) {
		if (strcmp(steps->step[i].name, name))
			continue;
		*ret_value = steps->step[i].value == POLICY_STEP_NONE ? NONE : steps->step[i].value;
		return true;
	}
	return false;
}

static uint64_t distance(int64_t a, int64_t b)
{
	return a > b ? (uint64_t)a - (uint64_t)b : (uint64_t)b - (uint64_t)a;
}

static bool note(struct oracle *oracle, enum value value, uint64_t off)
{
	oracle->compared[value]++;
	oracle->equal[value] += !off;
	oracle->close[value] += off <= (uint64_t)tolerances[value];
	return !off;
}

/* The largest difference of two intervals of the same rank. */
static uint64_t intervals_off(const struct policy_steps *steps, const struct truth *truth)
{
	uint32_t ours[8] = {0};
	unsigned count = 0;
	uint64_t off = 0;

	for (unsigned i = 0; i < steps->count && count < 8; i++) {
		if (!strcmp(steps->step[i].name, "recent intervals us"))
			ours[count++] = (uint32_t)steps->step[i].value;
	}
	qsort(ours, 8, sizeof(ours[0]), by_size);
	for (unsigned i = 0; i < 8; i++) {
		if (distance(ours[i], truth->interval[i]) > off)
			off = distance(ours[i], truth->interval[i]);
	}
	return off;
}

static void show(struct oracle *oracle, const struct verified *verified,
		 const struct policy_steps *steps, const struct truth *truth)
{
	if (!oracle->show)
		return;
	oracle->show--;
	printf("cpu %u at %.9f recorded %d:", verified->stretch->cpu,
	       (double)verified->period->enter_ns / 1e9, verified->period->state);
	for (unsigned i = 0; i < steps->count; i++)
		printf("%s%s %" PRId64, i ? ", " : " ours ", steps->step[i].name,
		       steps->step[i].value);
	printf("; theirs");
	for (unsigned i = TYPICAL; i < VALUES; i++)
		printf(" %s %" PRId64, value_names[i], truth->value[i]);
	for (unsigned i = 0; i < 8; i++)
		printf(" %u", truth->interval[i]);
	printf("\n");
}

static void watch(void *arg, const struct verified *verified)
{
	struct oracle *oracle = arg;
	const struct truth *truth = match(oracle, verified);
	struct policy_steps steps;
	bool equal;

	if (!truth || verified->period->state < 0 || !verified->counts)
		return;
	verify_steps(oracle->study.shards[0].verify, verified, &steps);
	oracle->decisions++;
	equal = note(oracle, INTERVALS, intervals_off(&steps, truth));
	for (unsigned i = 0; i < VALUES; i++) {
		int64_t ours = NONE;

		if (!step_names[i])
			continue;
		if (explained(&steps, step_names[i], &ours) || i == CORRECTED)
			equal &= note(oracle, i, distance(ours, truth->value[i]));
	}
	equal &= note(oracle, STATE, distance(verified->decision->state, truth->value[STATE]));
	/* The scan may still replace the prediction of the explanation by a residency: that is part of the value. */
	equal &= note(oracle, PREDICTION,
		      distance(verified->decision->predicted_ns, truth->value[PREDICTION]));
	oracle->all_equal += equal;
	if (!equal)
		show(oracle, verified, &steps, truth);
}

static int sink(void *arg, struct stretch *stretch)
{
	struct oracle *oracle = arg;
	bool counts = oracle->study.warm_ups[stretch->cpu].decisions >= 64;

	oracle->study.warm_ups[stretch->cpu].decisions += stretch->periods.len;
	return verify_stretch(oracle->study.shards[0].verify, stretch, counts);
}

static int run(struct oracle *oracle, struct cpir_error *err)
{
	int ret = study_prepare(&oracle->study, err);

	if (!ret)
		ret = read_truth(oracle, err);
	if (!ret)
		ret = study_policies(&oracle->study, err);
	if (ret < 0)
		return ret;
	verify_watch(oracle->study.shards[0].verify, watch, oracle);
	return reading_walk(oracle->study.reading, sink, oracle, err);
}

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

int main(int argc, char **argv)
{
	struct cpir_study_options options = {.mode = CPIR_REPLAY, .latency_req_ns = UINT64_MAX};
	struct oracle oracle = {.study = {.options = &options}};
	struct cpir_error err = {0};

	if (argc < 3)
		return 2;
	options.trace = argv[1];
	options.platform = argv[2];
	options.baseline = argc > 3 ? argv[3] : NULL;
	oracle.show = argc > 4 ? (unsigned)atoi(argv[4]) : 0;
	if (run(&oracle, &err) < 0) {
		(void)fprintf(stderr, "oracle-steps: %s\n", err.text);
		return 1;
	}
	for (unsigned i = 0; i < VALUES; i++)
		printf("%-23s %7" PRIu64 " compared, equal %6.2f %%, close %6.2f %%\n",
		       value_names[i], oracle.compared[i],
		       percent(oracle.equal[i], oracle.compared[i]),
		       percent(oracle.close[i], oracle.compared[i]));
	printf("%-23s %7" PRIu64 " decisions, %6.2f %%\n", "all of them", oracle.decisions,
	       percent(oracle.all_equal, oracle.decisions));
	for (uint32_t cpu = 0; cpu < oracle.study.info->cpus; cpu++)
		array_free(&oracle.cpus[cpu].decisions);
	free(oracle.cpus);
	study_deinit(&oracle.study);
	return 0;
}
