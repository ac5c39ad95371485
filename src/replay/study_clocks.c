// SPDX-License-Identifier: GPL-2.0-only
/*
 * The first reading of a study's trace. Of what each CPU writes most is looked at right where it is decoded, CPU by CPU on
 * all threads: RCU's softirqs, and what periods prove of disabled states. Only clocks, timers and latency limits have to be
 * seen in the order of time; what else there is need not be merged. What the timeline is going to need is kept as far as
 * there is room for it, so that the second reading has less to do.
 */
#include "replay/study.h"

#include <errno.h>
#include <inttypes.h>

#include "base/cleanup.h"
#include "model/pairs.h"

#define WANT_IDLE (EVENT_BIT(EV_CPU_IDLE) | EVENT_BIT(EV_CPU_IDLE_MISS) | EVENT_BIT(EV_LOST))

/* What has to be seen in the order of time. */
#define WANT_ORDER                                                                                 \
	(EVENT_BIT(EV_HRTIMER_START) | EVENT_BIT(EV_HRTIMER_EXPIRE_ENTRY) |                        \
	 EVENT_BIT(EV_TIMER_START) | EVENT_BIT(EV_TIMER_EXPIRE_ENTRY) | EVENT_BIT(EV_TICK_STOP) |  \
	 EVENT_BIT(EV_PM_QOS_ADD) | EVENT_BIT(EV_PM_QOS_UPDATE) | EVENT_BIT(EV_PM_QOS_REMOVE) |    \
	 EVENT_BIT(EV_PM_QOS_TARGET) | EVENT_BIT(EV_DEV_PM_QOS_ADD) |                              \
	 EVENT_BIT(EV_DEV_PM_QOS_UPDATE) | EVENT_BIT(EV_DEV_PM_QOS_REMOVE))

/* What the first reading looks at; the others are counted. */
#define WANT_CLOCKS (WANT_IDLE | WANT_ORDER | EVENT_BIT(EV_SOFTIRQ_ENTRY))

/* What tells about the tick's grid where no timer events do. */
#define WANT_GUESS                                                                                 \
	(EVENT_BIT(EV_CPU_IDLE) | EVENT_BIT(EV_SCHED_WAKING) | EVENT_BIT(EV_SCHED_WAKEUP) |        \
	 EVENT_BIT(EV_SCHED_WAKEUP_NEW))

/* For what the first reading decodes and the second need not decode again; nothing where a CPU's share would be so little. */
#define KEEP_BYTES (27 << 19)
#define KEEP_SHARE_MIN (64 << 10)

/* Durations within this of a threshold prove nothing: the cost of a trace event is not known yet. */
#define MASK_SLACK_NS 30000

/* struct lane_pass - what one CPU's thread keeps */
struct lane_pass {
	struct pairing pairing;
	uint64_t absurd_ns; /* a time that cannot be, 0 none */
	bool failed;	    /* no memory */
};

/* struct pass - one reading; its lanes' threads call @idle for each period that is complete */
struct pass {
	struct study *study;
	struct lane_pass *lanes;
	struct trace_merge *merge;
	int (*idle)(struct study *study, uint32_t cpu, const struct pair *pair);
};

/* ---- where it is decoded -------------------------------------------------------------------------------------------- */

static int learn_masks(struct study *study, uint32_t cpu, const struct pair *pair)
{
	const struct cpir_table *table = cpir_platform_table(study->platform, cpu);
	struct mask_evidence evidence = {
		.cpu = cpu,
		.state = pair->state,
		.enter_ns = pair->enter_ns,
		.duration_ns = pair->exit_ns - pair->enter_ns,
		.slack_ns = MASK_SLACK_NS,
		.above = pair->kernel_miss == MISS_ABOVE,
		.below = pair->kernel_miss == MISS_BELOW,
	};

	if (!table || pair->state >= (int)table->count)
		return 0;
	return masks_feed(&study->masks, table, &evidence);
}

static int learn_limits(struct study *study, uint32_t cpu, const struct pair *pair)
{
	const struct cpir_table *table = cpir_platform_table(study->platform, cpu);

	if (table && pair->state < (int)table->count)
		qos_guess_entry(&study->qos_guess, cpu, pair->enter_ns,
				table->states[pair->state].exit_latency_ns);
	return 0;
}

/* Look at one event; true: who sees all CPUs in the order of time has to see it, too. */
static bool lane_event(struct pass *pass, uint32_t cpu, const struct event *event)
{
	struct lane_pass *lane = &pass->lanes[cpu];
	struct pair pair;

	switch (event->type) {
	case EV_CPU_IDLE:
	case EV_CPU_IDLE_MISS:
	case EV_LOST:
		if (pairing_feed(&lane->pairing, event, &pair))
			lane->failed |= pass->idle(pass->study, cpu, &pair) < 0;
		return false;
	case EV_SOFTIRQ_ENTRY:
		lane->failed |= rcu_feed(&pass->study->rcu, event) < 0;
		return false;
	default:
		return WANT_ORDER >> event->type & 1;
	}
}

static unsigned pass_sieve(void *arg, uint32_t cpu, struct event *events, unsigned count)
{
	struct pass *pass = arg;
	unsigned kept = 0;

	for (unsigned i = 0; i < count; i++) {
		if (events[i].time_ns > TIME_MAX_NS) {
			pass->lanes[cpu].absurd_ns = events[i].time_ns;
			break;
		}
		if (lane_event(pass, cpu, &events[i]))
			events[kept++] = events[i];
	}
	return kept;
}

/* ---- in the order of time -------------------------------------------------------------------------------------------- */

static int clock_event(void *arg, const struct event *event)
{
	struct study *study = ((struct pass *)arg)->study;

	if (prelude_feed(&study->prelude, event) < 0 || moved_feed(&study->moved, event) < 0 ||
	    qos_guess_event(&study->qos_guess, event) < 0)
		return -ENOMEM;
	return clocks_feed(&study->clocks, event);
}

static int guess_event(void *arg, const struct event *event)
{
	tick_guess_feed(&((struct pass *)arg)->study->guess, event);
	return 0;
}

/* Long steps alone may be a quiet machine's; on a coarse clock all are multiples of one, give or take some rounding. */
static int grid_event(void *arg, const struct event *event)
{
	struct study *study = ((struct pass *)arg)->study;
	uint64_t step_ns = event->time_ns - study->grid.last_ns;
	uint64_t off_ns = step_ns % study->step_ns;

	if (off_ns > study->step_ns / 2)
		off_ns = study->step_ns - off_ns;
	if (study->grid.last_ns && off_ns > study->step_ns / 64)
		study->grid.off++;
	else if (study->grid.last_ns && step_ns)
		study->grid.on++;
	study->grid.last_ns = event->time_ns;
	return 0;
}

static int nothing_event(void *arg, const struct event *event)
{
	(void)arg;
	(void)event;
	return 0;
}

/* ---- one reading ------------------------------------------------------------------------------------------------------- */

static int check_time(const struct study *study, uint32_t cpu, uint64_t time_ns,
		      struct cpir_error *err)
{
	if (time_ns <= TIME_MAX_NS)
		return 0;
	return error_set(err, -EBADMSG,
			 "%s: CPU %u has an event at %" PRIu64
			 " ns, more than 146 years after the clock began; the file is damaged, or "
			 "its time offset is wrong: record it again",
			 study->options->trace, cpu, time_ns);
}

static int pass_turn(void *arg)
{
	struct pass *pass = arg;

	study_progress(pass->study, STEP_CLOCKS, pass->merge);
	for (uint32_t cpu = 0; cpu < pass->study->info->cpus; cpu++) {
		if (pass->lanes[cpu].failed)
			return -ENOMEM;
		if (pass->lanes[cpu].absurd_ns)
			return 1;
	}
	return 0;
}

/* The periods that were still open, and what was found wrong on the way. */
static int pass_finish(struct pass *pass, struct cpir_error *err)
{
	int ret = 0;

	for (uint32_t cpu = 0; cpu < pass->study->info->cpus && !ret; cpu++) {
		struct lane_pass *lane = &pass->lanes[cpu];
		struct pair pair;

		ret = check_time(pass->study, cpu, lane->absurd_ns, err);
		if (!ret && pass->idle && pairing_finish(&lane->pairing, &pair) &&
		    pass->idle(pass->study, cpu, &pair) < 0)
			ret = error_oom(err);
	}
	return ret;
}

static int pass_run(struct pass *pass, struct trace_merge_options options,
		    int (*take)(void *arg, const struct event *event), struct cpir_error *err)
{
	struct study *study = pass->study;
	struct trace_rounds rounds = {.take = take, .turn = pass_turn, .arg = pass};
	_cleanup_free_ struct lane_pass *lanes = calloc(study->info->cpus + 1, sizeof(*lanes));
	int ret;

	options.sieve = pass->idle ? pass_sieve : NULL;
	options.arg = pass;
	pass->lanes = lanes;
	if (!lanes)
		return error_oom(err);
	ret = trace_merge_open(study->trace, &options, &pass->merge, err);
	if (ret < 0)
		return ret;
	ret = trace_rounds_run(pass->merge, study->crew, &rounds, err);
	if (ret == -ENOMEM)
		return error_oom(err);
	return ret < 0 ? ret : pass_finish(pass, err);
}

static int note_span(struct study *study, const struct trace_merge *merge, struct cpir_error *err)
{
	struct trace_span span = {0};

	(void)trace_merge_span(merge, &span);
	for (unsigned type = 0; type < EV_COUNT; type++) {
		if (!study->want || study->want >> type & 1)
			study->counts[type] = trace_merge_count(merge, type);
	}
	study->begin_ns = span.begin_ns;
	study->end_ns = span.end_ns;
	study->step_ns = span.step_ns;
	study->backward = span.backward;
	study->gaps = span.gaps;
	study->uncounted = span.uncounted;
	study->spans = calloc(study->info->cpus + 1, sizeof(*study->spans));
	if (!study->spans)
		return error_oom(err);
	for (uint32_t cpu = 0; cpu < study->info->cpus; cpu++) {
		if (trace_merge_cpu_span(merge, cpu, &span))
			study->spans[cpu] = (struct span_ns){span.begin_ns, span.end_ns};
	}
	return check_time(study, span.end_cpu, span.end_ns, err);
}

/* Deliver what the timeline needs, too, to keep it. */
static int keep_for_timeline(struct study *study, struct trace_merge_options *options)
{
	uint32_t cpus = study->info->cpus;

	if (KEEP_BYTES / (cpus + 1) < KEEP_SHARE_MIN)
		return 0;
	study->keep = trace_keep_new(cpus, KEEP_BYTES);
	*options = reading_wants(cpus);
	options->keep = study->keep;
	options->want_beyond = WANT_CLOCKS;
	return study->keep ? 0 : -ENOMEM;
}

static int first_pass(struct study *study, struct cpir_error *err)
{
	struct pass pass = {.study = study, .idle = learn_masks};
	struct trace_merge_options options = {.want = WANT_CLOCKS};
	int ret;

	if (keep_for_timeline(study, &options) < 0)
		return error_oom(err);
	ret = pass_run(&pass, options, clock_event, err);
	if (!ret)
		ret = note_span(study, pass.merge, err);
	trace_merge_close(pass.merge);
	moved_finish(&study->moved);
	if (!ret && masks_finish(&study->masks, study->end_ns, study->counts[EV_CPU_IDLE_MISS]) < 0)
		ret = error_oom(err);
	return ret;
}

/* Whose were the latency limits? Only where there are some is it worth another look at every CPU's periods. */
static int limit_pass(struct study *study, struct cpir_error *err)
{
	struct pass pass = {.study = study, .idle = learn_limits};
	int ret;

	if (!study->qos_guess.windows.len)
		return 0;
	ret = pass_run(&pass, (struct trace_merge_options){.want = WANT_IDLE}, nothing_event, err);
	trace_merge_close(pass.merge);
	qos_guess_finish(&study->qos_guess);
	return ret;
}

/* Without timer events the grid of the tick shows in where periods end, if anywhere. */
static int guess_pass(struct study *study, struct cpir_error *err)
{
	struct pass pass = {.study = study};
	int64_t phase_ns;
	uint32_t hz;
	int ret;

	if (study->clocks.tick_phase_known)
		return 0;
	ret = pass_run(&pass, (struct trace_merge_options){.want = WANT_GUESS}, guess_event, err);
	trace_merge_close(pass.merge);
	if (ret < 0)
		return ret;
	hz = tick_guess_rate(&study->guess, &phase_ns);
	if (hz && (!study->clocks.hz || study->clocks.hz == hz) &&
	    clocks_take_grid(&study->clocks, hz, phase_ns) < 0)
		return error_oom(err);
	return 0;
}

/* Is the clock as coarse as its first steps look? */
static int grid_pass(struct study *study, struct cpir_error *err)
{
	struct pass pass = {.study = study};
	int ret;

	if (study->step_ns < COARSE_NS)
		return 0;
	ret = pass_run(&pass, (struct trace_merge_options){.want = EVENT_BIT(EV_CPU_IDLE)},
		       grid_event, err);
	trace_merge_close(pass.merge);
	return ret;
}

int study_clocks(struct study *study, struct cpir_error *err)
{
	int ret = first_pass(study, err);

	if (!ret)
		ret = grid_pass(study, err);
	if (ret < 0)
		return ret;
	clocks_finish(&study->clocks,
		      study->options->hz ? study->options->hz : study->platform->hz);
	ret = limit_pass(study, err);
	return ret ? ret : guess_pass(study, err);
}
