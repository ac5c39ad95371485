// SPDX-License-Identifier: GPL-2.0-only
/*
 * DOC: teo of 6.6 to 6.13
 *
 * The digest is in teo_bins.c. New: the timers are looked up last, and only if that can change the answer.
 *
 * Steps of a decision:
 *  1. The deepest enabled state is the candidate; sums of hits and intercepts over the bins above it.
 *  2. If intercepts above outweigh all from here on (up to 6.10: or most of the recent ones lie above), walk up to the
 *     state that accounts for the greater half of them.
 *  3. Obey the latency limit. Up to 6.10: one state shallower when the CPU is utilised.
 *  4. State 0, or one that pays at once beside a polling state 0: done, tick kept, no look-up.
 *  5. Look up the timers. A state that the timer does not pay for gives way to a shallower one.
 *  6. Most wake-ups are intercepts within a tick: expect a short sleep. Tick, as in teo.c.
 */
#include "policy/teo.h"

static bool state_allowed(const struct teo_run *run, int state)
{
	return teo_tick_allows(run, teo_residency(run, state));
}

/* struct walk - as in teo_bins.c, without lengths */
struct walk {
	bool by_intercepts, by_recent;
	int fallback;
};

static bool majority_reached(const struct walk *walk, const struct teo_sums *goal,
			     const struct teo_sums *sums)
{
	return (!walk->by_recent || 2 * sums->recent > goal->recent) &&
	       (!walk->by_intercepts || 2 * sums->intercepts > goal->intercepts);
}

/* Step 2. */
static void walk_up(struct teo_run *run, const struct teo_sums *goal, struct walk *walk)
{
	const struct teo_state *state = run->state;
	struct teo_sums sums = {0};

	for (int i = run->idx - 1; i >= 0; i--) {
		sums.intercepts += state->intercepts[i];
		sums.recent += state->recent[i];
		if (majority_reached(walk, goal, &sums)) {
			bool here = state_allowed(run, i) && !teo_is_disabled(run, i);

			run->reason = "early wake-ups: the state that most of them pay for";
			run->idx = here ? i : walk->fallback;
			return;
		}
		if (teo_is_disabled(run, i))
			continue;
		if (state_allowed(run, i))
			walk->fallback = i;
		else if (walk->fallback == run->idx)
			return;
	}
}

static void consider_intercepts(struct teo_run *run, const struct teo_sums *sums)
{
	struct walk walk = {
		.by_intercepts = 2 * sums->intercepts > run->state->total - sums->hits,
		.by_recent = run->config->generation < TEO_6_11 && sums->recent > TEO_RECENT / 2,
		.fallback = run->idx,
	};

	policy_note(run->steps, "intercepts of shallower", sums->intercepts);
	policy_note(run->steps, "hits of shallower", sums->hits);
	if (walk.by_intercepts || walk.by_recent)
		walk_up(run, sums, &walk);
}

static bool is_utilised(const struct teo_run *run)
{
	return run->config->utilisation && run->config->generation < TEO_6_11 &&
	       run->input->utilised;
}

static void give_way_to_utilisation(struct teo_run *run)
{
	if (!is_utilised(run))
		return;
	for (int i = run->idx - 1; i >= 0; i--) {
		if (teo_is_disabled(run, i) || teo_is_polling(run, i))
			continue;
		if (state_allowed(run, i)) {
			run->idx = i;
			run->reason = "CPU utilised: one state shallower";
		}
		return;
	}
}

/* Two states and a utilised CPU. */
static void decide_utilised_pair(struct teo_run *run)
{
	static const char reason[] = "CPU utilised: the shallowest state that does not poll";
	bool zero_usable = !teo_is_disabled(run, 0) && !teo_is_polling(run, 0);

	if ((zero_usable && state_allowed(run, 0)) || teo_is_disabled(run, 1)) {
		teo_settle(run, 0, false, reason);
		return;
	}
	teo_settle(run, 1, true, reason);
	run->duration = teo_residency(run, 1);
	teo_finish(run);
}

/* Share of wake-ups within a tick that were intercepts: more than five eighths? */
static bool expects_short_sleep(const struct teo_run *run)
{
	const struct teo_state *state = run->state;
	uint32_t intercepts = 0;

	for (uint32_t i = 0; i < state->count; i++)
		intercepts += state->intercepts[i];
	return teo_residency(run, run->idx) < run->tick &&
	       intercepts > state->total / 2 + state->total / 8;
}

/* Steps 4 to 6; the candidate is known. */
static void decide_with_timer(struct teo_run *run)
{
	if (run->idx == 0) {
		teo_settle(run, 0, false, run->reason);
		return;
	}
	if (teo_is_polling(run, 0) && teo_residency(run, run->idx) < run->config->threshold_ns) {
		run->stop_tick = false;
		return;
	}
	teo_look_up_timers(run);
	if (teo_residency(run, run->idx) > run->duration) {
		int idx = teo_shallower(run, run->idx, run->duration);

		if (run->config->shallower_always || state_allowed(run, idx)) {
			run->idx = idx;
			run->reason = "the timer does not pay for more";
		}
	}
	if (expects_short_sleep(run))
		run->duration = run->tick / 2;
	teo_finish(run);
}

void teo_deferred_decide(struct teo_run *run)
{
	struct teo_sums sums;
	int candidate;

	run->state->sleep_ns = TEO_NO_SLEEP;
	run->delta = run->tick / 2;
	if (run->state->count < 2) {
		teo_settle(run, 0, false, "only one idle state");
		return;
	}
	if (!teo_is_disabled(run, 0))
		run->idx = 0;
	if (run->state->count < 3 && is_utilised(run)) {
		decide_utilised_pair(run);
		return;
	}
	sums = teo_scan_all(run);
	if (run->idx < 0) {
		teo_settle(run, 0, false, "every state is disabled");
		return;
	}
	run->reason = "deepest state";
	if (run->idx == run->first) {
		run->duration = teo_residency(run, run->idx);
		teo_finish(run);
		return;
	}
	candidate = run->idx;
	consider_intercepts(run, &sums);
	if (run->config->generation >= TEO_6_11 && run->idx == 0 && candidate != 0) {
		teo_look_up_timers(run);
		teo_settle(run, 0, false, run->reason);
		return;
	}
	if (run->idx > run->limit) {
		run->idx = run->limit;
		run->reason = "latency limit";
	}
	give_way_to_utilisation(run);
	decide_with_timer(run);
}
