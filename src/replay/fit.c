// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fitting the idle entry delays. The kernel takes the idle entry time somewhere between the event that begins idleness
 * and cpu_idle; where, no event tells. But decisions near a threshold depend on it: the delay under which the recording
 * governor's policy explains most of them is taken, over a grid of its whole possible range. A few decisions more or less
 * are chance, so the centre of all values about as good as the best is what counts.
 */
#include "replay/fit.h"

#include <errno.h>

#include "replay/verify.h"

#define GRID 24
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

int fit_sample_add(struct fit_sample *sample, const struct stretch *stretch)
{
	struct stretch *copy;

	/* One stretch may be the whole trace, and tens of passes over it take too long. */
	if (sample->periods >= FIT_PERIODS || !stretch->periods.len ||
	    stretch->periods.len > FIT_PERIODS)
		return 0;
	copy = array_add(&sample->stretches);
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

void fit_sample_masks(struct fit_sample *sample, const struct masks *masks)
{
	for (size_t i = 0; i < sample->stretches.len; i++) {
		struct stretch *stretch = &sample->stretches.ptr[i];

		for (size_t k = 0; k < stretch->periods.len; k++)
			stretch->periods.ptr[k].disabled_mask =
				masks_at(masks, stretch->cpu, stretch->periods.ptr[k].enter_ns);
	}
}

void fit_sample_free(struct fit_sample *sample)
{
	for (size_t i = 0; i < sample->stretches.len; i++) {
		array_free(&sample->stretches.ptr[i].periods);
		array_free(&sample->stretches.ptr[i].happenings);
	}
	array_free(&sample->stretches);
}

/* What a verification run marks in the periods must not leak into the next. */
static void unmark(struct fit_sample *sample)
{
	for (size_t i = 0; i < sample->stretches.len; i++) {
		for (size_t k = 0; k < sample->stretches.ptr[i].periods.len; k++) {
			struct period *period = &sample->stretches.ptr[i].periods.ptr[k];

			period->tick_kept = false;
			period->decided = period->state >= 0 || period->stopped_tick;
		}
	}
}

static int agreed(struct fit_sample *sample, const struct context *context,
		  const struct cpir_policy *policy, uint64_t *ret_agreed)
{
	struct cpir_agreement agreement;
	struct verify *verify = verify_new(context, policy, context->cpus);
	int ret = verify ? 0 : -ENOMEM;

	unmark(sample);
	for (size_t i = 0; i < sample->stretches.len && !ret; i++)
		ret = verify_stretch(verify, &sample->stretches.ptr[i], true);
	if (!ret) {
		verify_agreement(verify, &agreement);
		*ret_agreed = agreement.agreed;
	}
	verify_free(verify);
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

static int fit_one(struct fit_sample *sample, const struct context *context,
		   const struct cpir_policy *policy, int64_t *delay_ns, int64_t range_ns)
{
	uint64_t scores[GRID + 1];

	for (unsigned i = 0; i <= GRID; i++) {
		*delay_ns = range_ns * i / GRID;
		if (agreed(sample, context, policy, &scores[i]) < 0)
			return -ENOMEM;
	}
	*delay_ns = centre_of(scores, range_ns);
	return 0;
}

/* Do periods end by interrupts that leave no event? See whether the record is better explained so. */
static int fit_unseen(struct fit_sample *sample, const struct context *context,
		      const struct cpir_policy *policy, struct learned *learned)
{
	uint64_t seen = 0, unseen = 0;

	for (unsigned i = 0; i < 2; i++)
		learned->wake_lead_ns[i] =
			learned->wake_way_ns[i] - learned->entry_delay_ns[ENTRY_IRQ];
	if (agreed(sample, context, policy, &seen) < 0)
		return -ENOMEM;
	learned->unseen_interrupts = true;
	if (agreed(sample, context, policy, &unseen) < 0)
		return -ENOMEM;
	learned->unseen_interrupts = unseen >= seen;
	return 0;
}

/* The delay after interrupts is better known from that after sched_switch, unless the record clearly says otherwise. */
static int fit_interrupts(struct fit_sample *sample, const struct context *context,
			  const struct cpir_policy *policy, struct learned *learned)
{
	int64_t *delay_ns = &learned->entry_delay_ns[ENTRY_IRQ];
	int64_t range_ns = *delay_ns * 2, default_ns = *delay_ns;
	uint64_t before, after;

	if (agreed(sample, context, policy, &before) < 0 ||
	    fit_one(sample, context, policy, delay_ns, range_ns) < 0 ||
	    agreed(sample, context, policy, &after) < 0)
		return -ENOMEM;
	learned->entry_fitted[ENTRY_IRQ] = after > before + slack_of(before);
	if (!learned->entry_fitted[ENTRY_IRQ])
		*delay_ns = default_ns;
	return 0;
}

/* The best of a few values around the present one; equally good ones: the nearest to it. */
static int fit_around(struct fit_sample *sample, const struct context *context,
		      const struct cpir_policy *policy, int64_t *value_ns, int64_t step_ns)
{
	int64_t start_ns = *value_ns, best_ns = start_ns;
	uint64_t score, best = 0;

	for (int i = 0; i <= 2 * AROUND; i++) {
		int64_t shift_ns = step_ns * ((i + 1) / 2);

		*value_ns = i % 2 ? start_ns - shift_ns : start_ns + shift_ns;
		if (*value_ns < 0)
			continue;
		if (agreed(sample, context, policy, &score) < 0)
			return -ENOMEM;
		if (score > best) {
			best = score;
			best_ns = *value_ns;
		}
	}
	*value_ns = best_ns;
	return 0;
}

/*
 * The cost of a trace event within a period. The governor counts past periods in whole microseconds and compares their
 * spread, so the right cost, to the nanosecond where the recording machine is that regular, shows in a sharp peak.
 */
static int fit_cost(struct fit_sample *sample, const struct context *context,
		    const struct cpir_policy *policy, struct learned *learned)
{
	static const int64_t steps_ns[] = {250, 60, 12, 2};

	for (size_t i = 0; i < array_size(steps_ns); i++) {
		if (fit_around(sample, context, policy, &learned->residency_cost_ns, steps_ns[i]) <
		    0)
			return -ENOMEM;
	}
	return 0;
}

int fit_constants(struct fit_sample *sample, const struct context *context,
		  const struct cpir_policy *policy, struct learned *learned)
{
	int64_t *delay_ns = learned->entry_delay_ns, *lead_ns = learned->entry_lead_ns;
	int64_t range_ns[ENTRY_KINDS];
	int ret = 0;

	for (unsigned i = 0; i < ENTRY_KINDS; i++)
		range_ns[i] = delay_ns[i] + lead_ns[i];
	if (learned->entry_samples[ENTRY_SWITCH]) {
		ret = fit_one(sample, context, policy, &delay_ns[ENTRY_SWITCH],
			      range_ns[ENTRY_SWITCH]);
		learned->entry_fitted[ENTRY_SWITCH] = true;
		/* The way out of an interrupt is much like the way into idle, a little shorter. */
		delay_ns[ENTRY_IRQ] = delay_ns[ENTRY_SWITCH] * 8 / 10;
	}
	if (!ret && learned->entry_samples[ENTRY_IRQ]) {
		ret = fit_unseen(sample, context, policy, learned);
		if (!ret)
			ret = fit_interrupts(sample, context, policy, learned);
	}
	if (!ret)
		ret = fit_cost(sample, context, policy, learned);
	for (unsigned i = 0; i < ENTRY_KINDS; i++)
		lead_ns[i] = range_ns[i] - delay_ns[i];
	delay_ns[ENTRY_EXIT] = delay_ns[ENTRY_IRQ];
	return ret;
}
