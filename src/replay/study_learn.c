// SPDX-License-Identifier: GPL-2.0-only
/* What the first stretches of a study's trace teach before anything is replayed: the constants of its machine. */
#include "replay/study.h"

#include <errno.h>

#include "replay/event_gap.h"
#include "replay/reading.h"

/* The constants of a machine are learned from this many periods. */
#define LEARN_PERIODS 24000

struct lesson {
	struct study *study;
	struct learn *learn;
	uint64_t periods; /* so far */
};

static uint64_t periods_of(const struct stretch *stretch)
{
	uint64_t periods = 0;

	for (size_t i = 0; i < stretch->periods.len; i++) {
		const struct period *period = &stretch->periods.ptr[i];

		periods += !period->cut && period->state >= 0;
	}
	return periods;
}

static int lesson_take(void *arg, struct stretch *stretch)
{
	struct lesson *lesson = arg;
	int ret = learn_stretch(lesson->learn, stretch);

	if (ret < 0)
		return ret;
	ret = fit_sample_add(&lesson->study->sample, stretch);
	lesson->periods += periods_of(stretch);
	return ret < 0 ? ret : lesson->periods >= LEARN_PERIODS;
}

/* What the events of all CPUs together say an event costs; 0: nothing. */
static int event_cost(const struct study *study, int64_t *ret_cost_ns)
{
	struct event_gap all = {0};
	int ret = reading_event_gaps(study->reading, &all);

	*ret_cost_ns = event_gap_cost_ns(&all);
	/*
	 * Few kinds of events do not follow each other closely: it is somewhere below that. Of a half, a quarter and none,
	 * a quarter brought the totals of recordings with events left out closest to those with all of them.
	 */
	if (!study->context.known.hrtimers)
		*ret_cost_ns /= 4;
	event_gap_deinit(&all);
	return ret;
}

static int finish_lesson(struct lesson *lesson)
{
	struct study *study = lesson->study;
	struct learned *learned = &study->learned;
	int64_t cost_ns;

	if (event_cost(study, &cost_ns) < 0)
		return -ENOMEM;
	learn_finish(lesson->learn,
		     cpir_platform_table(study->platform, cpu_set_next(&study->cpus, 0)), learned);
	learned->event_cost_ns = learned->account_cost_ns = learned->residency_cost_ns = cost_ns;
	if (!study->context.known.miss)
		return 0;
	return fit_account_cost(&study->sample, study->platform, learned);
}

int study_learn(struct study *study, struct cpir_error *err)
{
	struct lesson lesson = {.study = study, .learn = learn_new(study->platform)};
	int ret = lesson.learn ? 0 : error_oom(err);

	if (!ret)
		ret = reading_new(study, &study->reading, err);
	if (!ret)
		ret = reading_keep(study->reading, lesson_take, &lesson, err);
	if (!ret && finish_lesson(&lesson) < 0)
		ret = error_oom(err);
	learn_free(lesson.learn);
	return ret;
}
