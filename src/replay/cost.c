// SPDX-License-Identifier: GPL-2.0-only
/*
 * The cost of a trace event.
 *
 * The kernel measures a period inside its two trace events, so the trace shows it longer by the cost of writing one.
 * Each cpu_idle_miss event (or its absence) says on which side of a threshold the kernel's own reading lay, and so
 * bounds that cost from below or above; of the costs that contradict fewest of these bounds the one nearest to what the
 * closest events suggest is taken.
 */
#include "replay/fit.h"

#include <errno.h>

#define COST_STEP_NS 50
#define COST_STEPS 400 /* up to 20 us */

#define FAR_SHARE 8 /* so large a share of the expected cost off is far */

/* struct bounds - how many verdicts say that the cost is at least, or at most, so many steps */
struct bounds {
	uint64_t at_least[COST_STEPS], at_most[COST_STEPS];
	uint64_t samples;
};

/* One threshold against one verdict: @reached says whether the kernel's duration was at least @threshold_ns. */
static void bound(struct bounds *bounds, uint64_t duration_ns, uint64_t threshold_ns, bool reached)
{
	uint64_t step;

	if (duration_ns < threshold_ns)
		return;
	step = (duration_ns - threshold_ns) / COST_STEP_NS;
	if (step >= COST_STEPS)
		return;
	bounds->samples++;
	if (reached)
		bounds->at_most[step]++;
	else
		bounds->at_least[step]++;
}

static void bound_by_period(struct bounds *bounds, const struct cpir_table *table,
			    const struct period *period)
{
	const struct cpir_state *state = &table->states[period->state];
	uint64_t duration_ns = period->exit_ns - period->enter_ns;
	uint32_t shallower = (1u << period->state) - 1, deeper = (uint32_t)period->state + 1;

	if (shallower & ~period->disabled_mask)
		bound(bounds, duration_ns, state->target_residency_ns,
		      period->kernel_miss != MISS_ABOVE);
	while (deeper < table->count && period->disabled_mask >> deeper & 1)
		deeper++;
	if (deeper < table->count)
		bound(bounds, duration_ns,
		      state->exit_latency_ns + table->states[deeper].target_residency_ns,
		      period->kernel_miss == MISS_BELOW);
}

/* How many bounds each cost contradicts, in steps; returns the fewest. */
static uint64_t contradicted(const struct bounds *bounds, uint64_t ret_wrong[COST_STEPS + 1])
{
	uint64_t wrong = 0, fewest;

	/* At cost 0 every "at least" is violated; each step up mends those below it and breaks others. */
	for (unsigned step = 0; step < COST_STEPS; step++)
		wrong += bounds->at_least[step];
	ret_wrong[0] = fewest = wrong;
	for (unsigned step = 0; step < COST_STEPS; step++) {
		wrong += bounds->at_most[step];
		wrong -= bounds->at_least[step];
		ret_wrong[step + 1] = wrong;
		fewest = wrong < fewest ? wrong : fewest;
	}
	return fewest;
}

static int64_t distance(int64_t a, int64_t b)
{
	return a > b ? a - b : b - a;
}

/*
 * Of the costs that contradict no more than @limit bounds the nearest to @expected_ns. Where the verdicts leave a wide
 * range open its end would be as wrong as can be.
 */
static int64_t nearest_cost(const uint64_t wrong[COST_STEPS + 1], uint64_t limit,
			    int64_t expected_ns)
{
	int64_t best_ns = INT64_MAX, best_off_ns = INT64_MAX;

	for (unsigned step = 0; step <= COST_STEPS; step++) {
		int64_t cost_ns = (int64_t)step * COST_STEP_NS;
		int64_t off_ns = distance(cost_ns, expected_ns);

		if (wrong[step] > limit || off_ns >= best_off_ns)
			continue;
		best_ns = cost_ns;
		best_off_ns = off_ns;
	}
	return best_ns;
}

int fit_account_cost(const struct fit_sample *sample, const struct cpir_platform *platform,
		     struct learned *learned)
{
	struct bounds *bounds = calloc(1, sizeof(*bounds));
	uint64_t wrong[COST_STEPS + 1], fewest;
	int64_t expected_ns = learned->event_cost_ns;

	if (!bounds)
		return -ENOMEM;
	for (size_t i = 0; i < sample->stretches.len; i++) {
		const struct stretch *stretch = sample->stretches.ptr[i];
		const struct cpir_table *table = cpir_platform_table(platform, stretch->cpu);

		for (size_t k = 0; table && k < stretch->periods.len; k++) {
			const struct period *period = &stretch->periods.ptr[k];

			if (!period->cut && period->state >= 0)
				bound_by_period(bounds, table, period);
		}
	}
	fewest = contradicted(bounds, wrong);
	learned->residency_samples = bounds->samples;
	learned->account_cost_ns = nearest_cost(wrong, fewest, expected_ns);
	/* A single verdict that pulls it far off is more likely mistaken than the events are. */
	if (distance(learned->account_cost_ns, expected_ns) > expected_ns / FAR_SHARE)
		learned->account_cost_ns = nearest_cost(wrong, fewest + 1, expected_ns);
	learned->residency_cost_ns = learned->account_cost_ns;
	free(bounds);
	return 0;
}
