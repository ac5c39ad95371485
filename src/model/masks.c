// SPDX-License-Identifier: GPL-2.0-only
/*
 * Disabled states from the kernel's verdicts. An entry into a state proves it enabled. A long period without "below"
 * proves the next deeper state disabled, a short one without "above" all shallower ones. A state is taken to be disabled
 * from its last entry before such proof to its next entry after it: between the two it was never used anyway.
 */
#include "model/masks.h"

#include <errno.h>
#include <stdlib.h>

#define PROOFS_MIN                                                                                 \
	3 /* one verdict may be lost or belong to a rejected entry; several agree on nothing else */

int masks_init(struct masks *masks, uint32_t cpus, const struct cpir_platform *platform)
{
	masks->cpus = cpus;
	masks->lanes = calloc(cpus ? cpus : 1, sizeof(*masks->lanes));
	if (!masks->lanes)
		return -ENOMEM;
	for (uint32_t cpu = 0; cpu < cpus && platform; cpu++) {
		const struct cpir_table *table = cpir_platform_table(platform, cpu);

		for (uint32_t i = 0; table && i < table->count; i++)
			masks->lanes[cpu].initial |= (uint32_t)table->states[i].disabled << i;
	}
	return 0;
}

void masks_free(struct masks *masks)
{
	for (uint32_t cpu = 0; masks->lanes && cpu < masks->cpus; cpu++)
		array_free(&masks->lanes[cpu].spans);
	free(masks->lanes);
	masks->lanes = NULL;
}

/* The doubts about @state end at @time_ns: were there enough of them? */
static int settle(struct mask_lane *lane, int state, uint64_t time_ns)
{
	struct mask_doubt *doubt = &lane->doubt[state];
	bool initially = !doubt->last_entry_ns && lane->initial >> state & 1;
	struct mask_span *span;

	if (doubt->proofs < PROOFS_MIN && !initially)
		return 0;
	span = array_add(&lane->spans);
	if (!span)
		return -ENOMEM;
	*span = (struct mask_span){doubt->last_entry_ns, time_ns, (uint8_t)state};
	return 0;
}

static int note_entry(struct mask_lane *lane, int state, uint64_t time_ns)
{
	int ret = settle(lane, state, time_ns);

	if (!lane->doubt[state].first_entry_ns)
		lane->doubt[state].first_entry_ns = time_ns;
	lane->doubt[state].last_entry_ns = time_ns;
	lane->doubt[state].proofs = 0;
	return ret;
}

static bool doubted(const struct mask_lane *lane, uint32_t state)
{
	return lane->doubt[state].proofs ||
	       (!lane->doubt[state].last_entry_ns && lane->initial >> state & 1);
}

static void note_missing_below(struct mask_lane *lane, const struct cpir_table *table,
			       const struct mask_evidence *evidence)
{
	uint64_t exit_latency_ns = table->states[evidence->state].exit_latency_ns;

	/* Each deeper state whose residency was filled must be disabled, or the verdict had been "below". */
	for (uint32_t i = (uint32_t)evidence->state + 1; i < table->count; i++) {
		if (evidence->duration_ns <
		    exit_latency_ns + table->states[i].target_residency_ns + evidence->slack_ns)
			break;
		lane->doubt[i].proofs++;
	}
}

/*
 * A verdict proves that one of the states @first … @last is enabled: the only one, or, when all of them are in doubt, any;
 * which one, later entries will tell.
 */
static int note_enabled(struct mask_lane *lane, int first, int last, uint64_t time_ns)
{
	int ret = 0;

	for (int i = first; i <= last; i++) {
		if (first != last && !doubted(lane, (uint32_t)i))
			return 0;
	}
	for (int i = first; i <= last && !ret; i++)
		ret = note_entry(lane, i, time_ns);
	return ret;
}

static int note_below(struct mask_lane *lane, const struct cpir_table *table,
		      const struct mask_evidence *evidence)
{
	uint64_t exit_latency_ns = table->states[evidence->state].exit_latency_ns;
	int last = evidence->state;

	while (last + 1 < (int)table->count &&
	       evidence->duration_ns >=
		       exit_latency_ns + table->states[last + 1].target_residency_ns)
		last++;
	return note_enabled(lane, evidence->state + 1, last, evidence->enter_ns);
}

/*
 * What ended before the exit latency was over may as well have been given back by the driver, and then there is no verdict
 * either: that happens several times in a row.
 */
static void note_missing_above(struct mask_lane *lane, const struct cpir_state *state,
			       const struct mask_evidence *evidence)
{
	if (evidence->duration_ns < state->exit_latency_ns)
		return;
	for (int i = 0; i < evidence->state; i++)
		lane->doubt[i].proofs++;
}

int masks_feed(struct masks *masks, const struct cpir_table *table,
	       const struct mask_evidence *evidence)
{
	const struct cpir_state *state = &table->states[evidence->state];
	struct mask_lane *lane;
	int ret;

	if (evidence->cpu >= masks->cpus)
		return 0;
	lane = &masks->lanes[evidence->cpu];
	ret = note_entry(lane, evidence->state, evidence->enter_ns);
	if (ret < 0)
		return ret;
	if (evidence->below)
		return note_below(lane, table, evidence);
	if (evidence->above)
		return note_enabled(lane, 0, evidence->state - 1, evidence->enter_ns);
	if (evidence->duration_ns + evidence->slack_ns < state->target_residency_ns)
		note_missing_above(lane, state, evidence);
	else
		note_missing_below(lane, table, evidence);
	return ret;
}

/* What is left is what the platform says, until a state's first entry. */
static void forget_proofs(struct mask_lane *lane)
{
	array_clear(&lane->spans);
	for (int state = 0; state < CPIR_STATES_MAX; state++) {
		lane->doubt[state].last_entry_ns = 0;
		lane->doubt[state].proofs = 0;
	}
}

static int finish_lane(struct mask_lane *lane, bool judged, uint64_t end_ns)
{
	if (!judged)
		forget_proofs(lane);
	for (int state = 0; state < CPIR_STATES_MAX; state++) {
		uint64_t first_ns = lane->doubt[state].first_entry_ns;

		if (settle(lane, state, !judged && first_ns ? first_ns : end_ns + 1) < 0)
			return -ENOMEM;
	}
	return 0;
}

int masks_finish(struct masks *masks, uint64_t end_ns, bool judged)
{
	for (uint32_t cpu = 0; cpu < masks->cpus; cpu++) {
		if (finish_lane(&masks->lanes[cpu], judged, end_ns) < 0)
			return -ENOMEM;
	}
	return 0;
}

uint32_t masks_at(const struct masks *masks, uint32_t cpu, uint64_t time_ns)
{
	const struct mask_lane *lane = cpu < masks->cpus ? &masks->lanes[cpu] : NULL;
	uint32_t mask = 0;

	for (size_t i = 0; lane && i < lane->spans.len; i++) {
		const struct mask_span *span = &lane->spans.ptr[i];

		if (span->begin_ns < time_ns && time_ns < span->end_ns)
			mask |= 1u << span->state;
	}
	return mask;
}

size_t masks_spans(const struct masks *masks)
{
	size_t spans = 0;

	for (uint32_t cpu = 0; cpu < masks->cpus; cpu++)
		spans += masks->lanes[cpu].spans.len;
	return spans;
}
