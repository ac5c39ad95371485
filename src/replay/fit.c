// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fitting what no event shows: the idle entry delays and the cost of an event. The kernel takes the idle entry time
 * somewhere between the event that begins idleness and cpu_idle; where, no event tells. But decisions near a threshold
 * depend on it: the delay under which the recording governor's policy explains most of them is taken, over a grid of its
 * whole possible range. A few decisions more or less are chance, so the centre of all values about as good as the best is
 * what counts. The cost of an event is then searched around what the kernel's verdicts say of it.
 */
#include "replay/fit.h"

#include <errno.h>
#include <pthread.h>

#include "replay/verify.h"

#define GRID 24
#define FIT_THREADS_MAX 16
#define AROUND 5 /* steps tried to either side */

static int copy_array(void *ret_to, const void *from, size_t size)
{
	void *copy = NULL;

	if (size) {
		copy = malloc(size);
		if (!copy)
			return -ENOMEM;
		memcpy(copy, from, size);
	}
	memcpy(ret_to, &copy, sizeof(copy));
	return 0;
}

static int stretch_add(struct fit_sample *sample, const struct stretch *stretch)
{
	struct stretch *copy = array_add(&sample->stretches);

	if (!copy)
		return -ENOMEM;
	*copy = *stretch;
	copy->periods.ptr = NULL;
	copy->happenings.ptr = NULL;
	for (size_t i = 0; i < stretch->periods.len; i++)
		sample->periods += stretch->periods.ptr[i].state >= 0;
	if (copy_array(&copy->periods.ptr, stretch->periods.ptr,
		       stretch->periods.len * sizeof(*stretch->periods.ptr)) < 0)
		return -ENOMEM;
	return copy_array(&copy->happenings.ptr, stretch->happenings.ptr,
			  stretch->happenings.len * sizeof(*stretch->happenings.ptr));
}

int fit_sample_add(struct fit_sample *sample, const struct stretch *stretch)
{
	/* One stretch may be the whole trace, and tens of passes over it take too long. */
	if (sample->periods >= FIT_PERIODS || !stretch->periods.len ||
	    stretch->periods.len > FIT_PERIODS)
		return 0;
	return stretch_add(sample, stretch);
}

void fit_sample_masks(struct fit_sample *sample, const struct masks *masks)
{
	for (size_t i = 0; i < sample->stretches.len; i++) {
		struct stretch *stretch = &sample->stretches.ptr[i];

		for (size_t k = 0; k < stretch->periods.len; k++)
			stretch->periods.ptr[k].disabled_mask =
				masks_at(masks, stretch->cpu, stretch->periods.ptr[k].enter_ns);
	}
}

static void stretches_free(struct fit_sample *sample)
{
	for (size_t i = 0; i < sample->stretches.len; i++) {
		array_free(&sample->stretches.ptr[i].periods);
		array_free(&sample->stretches.ptr[i].happenings);
	}
	array_free(&sample->stretches);
}

void fit_sample_free(struct fit_sample *sample)
{
	for (unsigned i = 0; i < sample->copy_count; i++)
		stretches_free(&sample->copies[i]);
	free(sample->copies);
	sample->copies = NULL;
	sample->copy_count = 0;
	stretches_free(sample);
}

/* What a verification run marks in the periods must not leak into the next. */
static void restore(struct fit_sample *copy, const struct fit_sample *sample)
{
	for (size_t i = 0; i < sample->stretches.len; i++) {
		const struct stretch *from = &sample->stretches.ptr[i];

		if (from->periods.len)
			memcpy(copy->stretches.ptr[i].periods.ptr, from->periods.ptr,
			       from->periods.len * sizeof(*from->periods.ptr));
	}
}

/* struct fit - what all candidates for the constants are judged by */
struct fit {
	struct fit_sample *sample;
	const struct context *context;
	const struct cpir_policy *policy;
};

/* struct judge - a thread's share of the candidates: every @step-th from @first on */
struct judge {
	const struct fit *fit;
	struct fit_sample *copy; /* its own of the sample, since a run marks it */
	const struct learned *candidates;
	uint64_t *scores;
	unsigned first, step, count;
	int ret;
};

/* How many decisions of the record come out if @learned is true. */
static int agreed(const struct judge *judge, const struct learned *learned, uint64_t *ret_agreed)
{
	struct fit_sample *sample = judge->copy;
	struct context context = *judge->fit->context;
	struct cpir_agreement agreement = {0};
	struct verify *verify = verify_new(&context, judge->fit->policy, context.cpus);
	int ret = verify ? 0 : -ENOMEM;

	context.learned = learned;
	if (verify)
		verify_skip_causes(verify);
	restore(sample, judge->fit->sample);
	for (size_t i = 0; i < sample->stretches.len && !ret; i++)
		ret = verify_stretch(verify, &sample->stretches.ptr[i], true);
	if (!ret) {
		verify_agreement(verify, &agreement);
		*ret_agreed = agreement.agreed;
	}
	verify_free(verify);
	return ret;
}

static void *judge_run(void *arg)
{
	struct judge *judge = arg;

	for (unsigned i = judge->first; i < judge->count && !judge->ret; i += judge->step)
		judge->ret = agreed(judge, &judge->candidates[i], &judge->scores[i]);
	return NULL;
}

/* Each candidate is judged alone, so how many threads share them does not show in the scores. */
static int judge_all(const struct fit *fit, const struct learned *candidates, unsigned count,
		     uint64_t *scores)
{
	struct judge judges[FIT_THREADS_MAX];
	pthread_t threads[FIT_THREADS_MAX];
	bool started[FIT_THREADS_MAX] = {false};
	unsigned threads_wanted = fit->sample->copy_count;
	int ret = 0;

	for (unsigned i = 0; i < threads_wanted; i++) {
		judges[i] = (struct judge){
			.fit = fit,
			.copy = &fit->sample->copies[i],
			.candidates = candidates,
			.scores = scores,
			.first = i,
			.step = threads_wanted,
			.count = count,
		};
		started[i] = i && !pthread_create(&threads[i], NULL, judge_run, &judges[i]);
	}
	for (unsigned i = 0; i < threads_wanted; i++) {
		if (!started[i])
			(void)judge_run(&judges[i]);
	}
	for (unsigned i = 0; i < threads_wanted; i++) {
		if (started[i])
			(void)pthread_join(threads[i], NULL);
		ret = ret ? ret : judges[i].ret;
	}
	return ret;
}

/* Differences up to this are chance. */
static uint64_t slack_of(uint64_t score)
{
	return score / 1000 > 4 ? score / 1000 : 4;
}

/* The centre of the values that are as good as the best within the noise, each weighed by how good it is. */
static int64_t centre_of(const uint64_t scores[GRID + 1], int64_t range_ns)
{
	uint64_t best = 0, slack;
	int64_t sum = 0, weights = 0;

	for (unsigned i = 0; i <= GRID; i++)
		best = scores[i] > best ? scores[i] : best;
	slack = slack_of(best);
	for (unsigned i = 0; i <= GRID; i++) {
		int64_t weight = (int64_t)(scores[i] + slack) - (int64_t)best;

		if (weight <= 0)
			continue;
		sum += weight * (range_ns * i / GRID);
		weights += weight;
	}
	return sum / weights;
}

/* Candidates that differ from @learned in the delay after @kind alone, over its whole range. */
static void grid_of(const struct learned *learned, enum entry_kind kind, int64_t range_ns,
		    struct learned candidates[GRID + 1])
{
	for (unsigned i = 0; i <= GRID; i++) {
		candidates[i] = *learned;
		candidates[i].entry_delay_ns[kind] = range_ns * i / GRID;
	}
}

static int fit_switch(const struct fit *fit, struct learned *learned, int64_t range_ns)
{
	int64_t *delay_ns = learned->entry_delay_ns;
	struct learned candidates[GRID + 1];
	uint64_t scores[GRID + 1];

	grid_of(learned, ENTRY_SWITCH, range_ns, candidates);
	if (judge_all(fit, candidates, GRID + 1, scores) < 0)
		return -ENOMEM;
	delay_ns[ENTRY_SWITCH] = centre_of(scores, range_ns);
	learned->entry_fitted[ENTRY_SWITCH] = true;
	/* The way out of an interrupt is much like the way into idle, a little shorter. */
	delay_ns[ENTRY_IRQ] = delay_ns[ENTRY_SWITCH] * 8 / 10;
	return 0;
}

/* Do periods end by interrupts that leave no event? See whether the record is better explained so. */
static int fit_unseen(const struct fit *fit, struct learned *learned)
{
	struct learned candidates[2];
	uint64_t scores[2];

	for (unsigned i = 0; i < 2; i++)
		learned->wake_lead_ns[i] =
			learned->wake_way_ns[i] - learned->entry_delay_ns[ENTRY_IRQ];
	candidates[0] = candidates[1] = *learned;
	candidates[1].unseen_interrupts = true;
	if (judge_all(fit, candidates, 2, scores) < 0)
		return -ENOMEM;
	learned->unseen_interrupts = scores[1] >= scores[0];
	return 0;
}

/* The delay after interrupts is better known from that after sched_switch, unless the record clearly says otherwise. */
static int fit_interrupts(const struct fit *fit, struct learned *learned)
{
	int64_t range_ns = learned->entry_delay_ns[ENTRY_IRQ] * 2;
	struct learned candidates[GRID + 2], found = *learned;
	uint64_t scores[GRID + 2], after;

	grid_of(learned, ENTRY_IRQ, range_ns, candidates);
	candidates[GRID + 1] = *learned;
	if (judge_all(fit, candidates, GRID + 2, scores) < 0)
		return -ENOMEM;
	found.entry_delay_ns[ENTRY_IRQ] = centre_of(scores, range_ns);
	if (judge_all(fit, &found, 1, &after) < 0)
		return -ENOMEM;
	found.entry_fitted[ENTRY_IRQ] = after > scores[GRID + 1] + slack_of(scores[GRID + 1]);
	if (found.entry_fitted[ENTRY_IRQ])
		*learned = found;
	return 0;
}

/*
 * The best cost of a few around the present one; equally good ones: the nearest to it. @score: of the present one,
 * UINT64_MAX not known yet.
 */
static int cost_around(const struct fit *fit, struct learned *learned, int64_t step_ns,
		       uint64_t *score)
{
	struct learned candidates[2 * AROUND + 1];
	uint64_t scores[2 * AROUND + 1], best = 0;
	unsigned count = 0, found = 0;

	for (int i = *score == UINT64_MAX ? 0 : 1; i <= 2 * AROUND; i++) {
		int64_t shift_ns = step_ns * ((i + 1) / 2);

		candidates[count] = *learned;
		candidates[count].residency_cost_ns += i % 2 ? -shift_ns : shift_ns;
		count += candidates[count].residency_cost_ns >= 0;
	}
	if (judge_all(fit, candidates, count, scores) < 0)
		return -ENOMEM;
	if (*score != UINT64_MAX)
		best = *score;
	for (unsigned i = 0; i < count; i++) {
		if (scores[i] <= best)
			continue;
		best = scores[i];
		found = i + 1;
	}
	if (found)
		*learned = candidates[found - 1];
	*score = best;
	return 0;
}

/*
 * The cost of a trace event within a period. The governor counts past periods in whole microseconds and compares their
 * spread, so the right cost, to the nanosecond where the recording machine is that regular, shows in a sharp peak.
 */
static int fit_cost(const struct fit *fit, struct learned *learned)
{
	static const int64_t steps_ns[] = {250, 60, 12, 2};
	uint64_t score = UINT64_MAX;

	for (size_t i = 0; i < array_size(steps_ns); i++) {
		if (cost_around(fit, learned, steps_ns[i], &score) < 0)
			return -ENOMEM;
	}
	return 0;
}

/* One for each thread; a governor compiled from source may keep things where only one of it can. */
static int make_copies(struct fit_sample *sample, const struct cpir_policy *policy)
{
	unsigned count = policy->ops->from_source || !sample->threads ? 1 : sample->threads;
	int ret = 0;

	if (count > FIT_THREADS_MAX)
		count = FIT_THREADS_MAX;
	sample->copies = calloc(count, sizeof(*sample->copies));
	if (!sample->copies)
		return -ENOMEM;
	sample->copy_count = count;
	for (unsigned i = 0; i < count; i++) {
		for (size_t k = 0; k < sample->stretches.len && !ret; k++)
			ret = stretch_add(&sample->copies[i], &sample->stretches.ptr[k]);
	}
	return ret;
}

int fit_constants(struct fit_sample *sample, const struct context *context,
		  const struct cpir_policy *policy, struct learned *learned)
{
	int64_t *delay_ns = learned->entry_delay_ns, *lead_ns = learned->entry_lead_ns;
	struct fit fit = {sample, context, policy};
	int64_t range_ns[ENTRY_KINDS];
	int ret = make_copies(sample, policy);

	for (unsigned i = 0; i < ENTRY_KINDS; i++)
		range_ns[i] = delay_ns[i] + lead_ns[i];
	if (!ret && learned->entry_samples[ENTRY_SWITCH])
		ret = fit_switch(&fit, learned, range_ns[ENTRY_SWITCH]);
	if (!ret && learned->entry_samples[ENTRY_IRQ]) {
		ret = fit_unseen(&fit, learned);
		if (!ret)
			ret = fit_interrupts(&fit, learned);
	}
	if (!ret)
		ret = fit_cost(&fit, learned);
	for (unsigned i = 0; i < ENTRY_KINDS; i++)
		lead_ns[i] = range_ns[i] - delay_ns[i];
	delay_ns[ENTRY_EXIT] = delay_ns[ENTRY_IRQ];
	return ret;
}
