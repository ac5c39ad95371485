// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the trace of a study teaches before anything is replayed: the constants of its machine from its first periods, and
 * from all of it which states were disabled when and whose latency limits were set.
 */
#include "replay/study.h"

#include <errno.h>

#include "base/cleanup.h"

/* The constants of a machine are learned from this many periods; only the proofs of disabled states take all. */
#define LEARN_PERIODS 40000

#define REST_BATCH 256

struct lesson {
	struct learn *learn;
	struct masks *masks;
	struct qos_guess *qos_guess;
	bool miss_traced;
	const struct cpir_platform *platform;
	struct fit_sample *sample;
	uint64_t periods;	 /* so far */
	uint64_t *last_enter_ns; /* per CPU, of the period learned from last */
	bool *enough;
	int64_t event_cost_ns; /* by how close events follow each other, 0 unknown */
};

/* Durations within this of a threshold prove nothing: the cost of a trace event is not known yet. */
#define MASK_SLACK_NS 30000

static int learn_masks(struct lesson *lesson, uint32_t cpu, const struct period *period)
{
	const struct cpir_table *table = cpir_platform_table(lesson->platform, cpu);
	struct mask_evidence evidence = {
		.cpu = cpu,
		.state = period->state,
		.enter_ns = period->enter_ns,
		.duration_ns = period->exit_ns - period->enter_ns,
		.slack_ns = MASK_SLACK_NS,
		.judged = lesson->miss_traced,
		.above = period->kernel_miss == MISS_ABOVE,
		.below = period->kernel_miss == MISS_BELOW,
	};

	lesson->last_enter_ns[cpu] = period->enter_ns;
	if (!table || period->cut || period->state < 0 || period->state >= (int)table->count)
		return 0;
	lesson->periods++;
	qos_guess_entry(lesson->qos_guess, cpu, period->enter_ns,
			table->states[period->state].exit_latency_ns);
	return masks_feed(lesson->masks, table, &evidence);
}

static int learn_sink(void *arg, struct stretch *stretch)
{
	struct lesson *lesson = arg;
	int ret = learn_stretch(lesson->learn, stretch);

	for (size_t i = 0; i < stretch->periods.len && !ret; i++)
		ret = learn_masks(lesson, stretch->cpu, &stretch->periods.ptr[i]);
	*lesson->enough = lesson->periods >= LEARN_PERIODS;
	return ret < 0 || !lesson->sample ? ret : fit_sample_add(lesson->sample, stretch);
}

/* What else the record of @cpu proves of its states: from its last period learned from on, cpu_idle alone will do. */
struct rest {
	struct lesson *lesson;
	uint32_t cpu;
	uint64_t from_ns;
	struct period period;
	bool asleep, ended;
};

static int rest_close(struct rest *rest)
{
	bool ended = rest->ended && rest->period.enter_ns > rest->from_ns;

	rest->ended = rest->asleep = false;
	return ended ? learn_masks(rest->lesson, rest->cpu, &rest->period) : 0;
}

static int rest_event(struct rest *rest, const struct event *event)
{
	int ret;

	if (event->type == EV_CPU_IDLE_MISS) {
		if (rest->ended)
			rest->period.kernel_miss = event->u.miss.below ? MISS_BELOW : MISS_ABOVE;
		return 0;
	}
	if (event->type == EV_CPU_IDLE && event->u.idle.state == EVENT_STATE_EXIT) {
		rest->ended |= rest->asleep;
		if (rest->asleep)
			rest->period.exit_ns = event->time_ns;
		rest->asleep = false;
		return 0;
	}
	ret = rest_close(rest);
	if (ret < 0 || event->type == EV_LOST)
		return ret;
	rest->asleep = true;
	rest->period = (struct period){
		.state = period_state(event->u.idle.state),
		.enter_ns = event->time_ns,
	};
	return 0;
}

static void close_cursor(struct trace_cursor **cursor)
{
	trace_cursor_close(*cursor);
}

static int learn_rest(struct study *study, struct rest *rest, struct cpir_error *err)
{
	_cleanup_(close_cursor) struct trace_cursor *cursor = NULL;
	struct event events[REST_BATCH];
	int n, ret = trace_cursor_open(study->trace, rest->cpu, &cursor, err);

	if (ret < 0)
		return ret;
	trace_cursor_want(cursor, EVENT_BIT(EV_CPU_IDLE) | EVENT_BIT(EV_CPU_IDLE_MISS) |
					  EVENT_BIT(EV_LOST));
	while ((n = trace_cursor_read(cursor, events, REST_BATCH, err)) > 0) {
		for (int i = 0; i < n; i++) {
			if (rest_event(rest, &events[i]) < 0)
				return error_oom(err);
		}
	}
	if (n < 0)
		return n;
	return rest_close(rest) < 0 ? error_oom(err) : 0;
}

static int learn_rests(struct study *study, struct lesson *lesson, struct cpir_error *err)
{
	int ret = 0;

	for (uint32_t cpu = 0; cpu < study->info->cpus && !ret; cpu++) {
		struct rest rest = {
			.lesson = lesson,
			.cpu = cpu,
			.from_ns = lesson->last_enter_ns[cpu],
		};

		ret = learn_rest(study, &rest, err);
	}
	return ret;
}

/* What the events of all CPUs together say an event costs; 0: nothing. */
static int event_cost(const struct study *study, int64_t *ret_cost_ns)
{
	struct event_gap all = {0};
	int ret = 0;

	for (uint32_t cpu = 0; cpu < study->info->cpus && !ret; cpu++)
		ret = event_gap_merge(&all, &study->event_gaps[cpu]);
	*ret_cost_ns = event_gap_cost_ns(&all);
	/* Few kinds of events do not follow each other closely: it is somewhere below that. */
	if (!study->context.known.hrtimers)
		*ret_cost_ns /= 2;
	event_gap_deinit(&all);
	return ret;
}

static int learn_timeline(struct study *study, struct lesson *lesson, struct cpir_error *err)
{
	uint32_t cpus = study->info->cpus;
	int ret;

	study->event_gaps = calloc(cpus ? cpus : 1, sizeof(*study->event_gaps));
	if (!study->event_gaps)
		return error_oom(err);
	ret = study_timeline(study, learn_sink, lesson, err);
	if (!ret && event_cost(study, &lesson->event_cost_ns) < 0)
		ret = error_oom(err);
	for (uint32_t cpu = 0; cpu < cpus; cpu++)
		event_gap_deinit(&study->event_gaps[cpu]);
	free(study->event_gaps);
	study->event_gaps = NULL;
	return ret;
}

int study_learn(struct study *study, struct cpir_error *err)
{
	struct learn *learn = learn_new(study->platform);
	struct lesson lesson = {
		.learn = learn,
		.masks = &study->masks,
		.qos_guess = &study->qos_guess,
		.miss_traced = study->context.known.miss,
		.platform = study->platform,
	};
	int ret;

	lesson.last_enter_ns =
		calloc(study->info->cpus ? study->info->cpus : 1, sizeof(*lesson.last_enter_ns));
	if (!learn || !lesson.last_enter_ns) {
		learn_free(learn);
		free(lesson.last_enter_ns);
		return error_oom(err);
	}
	lesson.enough = &study->enough;
	lesson.sample = &study->sample;
	ret = learn_timeline(study, &lesson, err);
	if (!ret && study->enough)
		ret = learn_rests(study, &lesson, err);
	free(lesson.last_enter_ns);
	study->enough = false;
	if (!ret)
		ret = masks_finish(&study->masks, study->end_ns);
	qos_guess_finish(&study->qos_guess);
	study->masks_known = true;
	fit_sample_masks(&study->sample, &study->masks);
	if (!ret)
		learn_finish(learn,
			     cpir_platform_table(study->platform, cpu_set_next(&study->cpus, 0)),
			     &study->learned);
	study->learned.event_cost_ns = lesson.event_cost_ns;
	study->learned.account_cost_ns = study->learned.residency_cost_ns = lesson.event_cost_ns;
	learn_free(learn);
	if (!ret && study->context.known.miss)
		ret = fit_account_cost(&study->sample, study->platform, &study->learned);
	return ret;
}
