// SPDX-License-Identifier: GPL-2.0-only
/*
 * DOC: teo of 5.14 to 6.5, and the digest up to 6.13
 *
 * Data: hits and intercepts of each state. 5.14 to 6.10 also keep the bins of the last 9 intercepts, and count per state
 * how many of them are its own (a count that may wrap below 0). 6.6 to 6.13 count ticks that woke the CPU.
 *
 * Steps of the digest:
 *  1. The measured length: endless when the clock says that the timer was reached, else less half the exit latency.
 *  2. All metrics decay; two bins: of the timer, and of the measured length within that.
 *  3. Where no state is worth a tick, timers beyond the tick go to a bin of their own.
 *  4. Equal bins: a hit. Else an intercept of the measured one.
 *
 * Steps of a decision:
 *  1. Scan up to the state the timer pays for; sums of hits and intercepts over the bins above it.
 *  2. If intercepts above outweigh all from here on, or most of the recent ones lie above, walk up to the state that
 *     accounts for the greater half of them. Halfway between two residencies is the length to expect then.
 *  3. Obey the latency limit. 6.3 on: one state shallower when the CPU is utilised.
 *  4. Tick, as in teo.c.
 */
#include "policy/teo.h"

/* ---- digest ------------------------------------------------------------------------------------------------------- */

/* struct bins - @timer: of the sleep length, the number of states for one beyond the tick; @measured: within that */
struct bins {
	int timer, measured;
};

static uint64_t measure(const struct teo_state *state)
{
	uint64_t latency = state->latency[state->entered];
	uint64_t residency = (uint64_t)state->measured_ns;

	if (state->span_ns >= state->sleep_ns)
		return UINT64_MAX;
	return residency >= latency ? residency - latency / 2 : residency / 2;
}

static struct bins decay_and_find_bins(struct teo_run *run, uint64_t measured)
{
	struct teo_state *state = run->state;
	struct bins bins = {0};

	state->total = 0;
	for (int i = 0; i < (int)state->count; i++) {
		teo_decay(run, &state->hits[i]);
		teo_decay(run, &state->intercepts[i]);
		state->total += state->hits[i] + state->intercepts[i];
		if (teo_residency(run, i) > state->sleep_ns)
			continue;
		bins.timer = i;
		if (state->residency[i] <= measured)
			bins.measured = i;
	}
	return bins;
}

/* The oldest of the recent intercepts drops out. Its count may wrap: that is the governor's own. */
static void forget_recent(struct teo_state *state)
{
	int oldest;

	state->next_recent = (state->next_recent + 1) % TEO_RECENT;
	oldest = state->recent_bin[state->next_recent];
	if (oldest >= 0)
		state->recent[oldest]--;
}

/* Step 3. Returns true when the period is accounted for with that; the recent intercept dropped is then not replaced. */
static bool count_tick_hit(struct teo_run *run, struct bins *bins, uint64_t measured)
{
	struct teo_state *state = run->state;

	if (run->config->generation < TEO_6_6 ||
	    teo_residency(run, (int)state->count - 1) >= run->tick)
		return false;
	teo_decay(run, &state->tick_hits);
	state->total += state->tick_hits;
	if (run->tick > state->sleep_ns)
		return false;
	bins->timer = (int)state->count;
	if ((uint64_t)run->tick > measured)
		return false;
	state->tick_hits += TEO_PULSE;
	state->total += TEO_PULSE;
	return true;
}

void teo_bins_update(struct teo_run *run)
{
	struct teo_state *state = run->state;
	bool keeps_recent = run->config->generation < TEO_6_11;
	uint64_t measured = measure(state);
	struct bins bins = decay_and_find_bins(run, measured);

	if (keeps_recent)
		forget_recent(state);
	if (count_tick_hit(run, &bins, measured))
		return;
	state->total += TEO_PULSE;
	if (bins.timer == bins.measured) {
		state->hits[bins.timer] += TEO_PULSE;
		state->recent_bin[state->next_recent] = -1;
		return;
	}
	state->intercepts[bins.measured] += TEO_PULSE;
	if (!keeps_recent)
		return;
	state->recent[bins.measured]++;
	state->recent_bin[state->next_recent] = bins.measured;
}

/* ---- decision ----------------------------------------------------------------------------------------------------- */

/* Halfway to the residency of the next state; of the deepest one, half its own. */
static int64_t middle(const struct teo_run *run, int state)
{
	int64_t next = state + 1 < (int)run->state->count ? teo_residency(run, state + 1) : 0;

	return (teo_residency(run, state) + next) / 2;
}

static struct teo_sums scan_to_timer(struct teo_run *run)
{
	const struct teo_state *state = run->state;
	struct teo_sums above = {0}, sums = {0};

	for (int i = 1; i < (int)state->count; i++) {
		above.intercepts += state->intercepts[i - 1];
		above.hits += state->hits[i - 1];
		above.recent += state->recent[i - 1];
		if (teo_is_disabled(run, i))
			continue;
		if (run->idx < 0) {
			run->idx = i;
			run->first = i;
		}
		if (teo_residency(run, i) > run->duration)
			break;
		run->idx = i;
		if (!teo_too_slow(run, i))
			run->limit = i;
		sums = above;
	}
	return sums;
}

/* struct walk - which majority is asked for, and the state to fall back to with the length to expect there */
struct walk {
	bool by_intercepts, by_recent;
	int fallback;
	int64_t fallback_length;
};

static bool majority_reached(const struct walk *walk, const struct teo_sums *goal,
			     const struct teo_sums *sums)
{
	return (!walk->by_recent || 2 * sums->recent > goal->recent) &&
	       (!walk->by_intercepts || 2 * sums->intercepts > goal->intercepts);
}

static void walk_up(struct teo_run *run, const struct teo_sums *goal, struct walk *walk)
{
	const struct teo_state *state = run->state;
	struct teo_sums sums = {0};

	for (int i = run->idx - 1; i >= 0; i--) {
		int64_t length = middle(run, i);
		bool usable = teo_tick_allows(run, length);

		sums.intercepts += state->intercepts[i];
		sums.recent += state->recent[i];
		if (majority_reached(walk, goal, &sums)) {
			bool here = usable && !teo_is_disabled(run, i);

			run->reason = "early wake-ups: the state that most of them pay for";
			run->idx = here ? i : walk->fallback;
			run->duration = here ? length : walk->fallback_length;
			return;
		}
		if (teo_is_disabled(run, i))
			continue;
		if (usable) {
			walk->fallback_length = length;
			walk->fallback = i;
		} else if (walk->fallback == run->idx) {
			return;
		}
	}
}

static void consider_intercepts(struct teo_run *run, const struct teo_sums *sums)
{
	struct walk walk = {
		.by_intercepts = 2 * sums->intercepts > run->state->total - sums->hits,
		.by_recent = sums->recent > TEO_RECENT / 2,
		.fallback = run->idx,
		.fallback_length = run->duration,
	};

	policy_note(run->steps, "intercepts of shallower", sums->intercepts);
	policy_note(run->steps, "hits of shallower", sums->hits);
	policy_note(run->steps, "recent intercepts of shallower", sums->recent);
	if (walk.by_intercepts || walk.by_recent)
		walk_up(run, sums, &walk);
}

/* The next enabled state above @idx that does not poll and is worth @length; the last such one if none is, else @idx. */
static int shallower_without_polling(const struct teo_run *run, int idx, int64_t length)
{
	for (int i = idx - 1; i >= 0; i--) {
		if (teo_is_disabled(run, i) || teo_is_polling(run, i))
			continue;
		idx = i;
		if (teo_residency(run, i) <= length)
			break;
	}
	return idx;
}

static void give_way_to_utilisation(struct teo_run *run)
{
	int idx;

	if (!run->config->utilisation || !run->input->utilised)
		return;
	idx = shallower_without_polling(run, run->idx, run->duration);
	if (run->config->early_results_keep_tick) {
		int64_t length = middle(run, idx);

		if (!teo_tick_allows(run, length))
			return;
		run->duration = length;
	}
	run->idx = idx;
	run->reason = "CPU utilised: one state shallower";
}

/* An answer before the scan ends: 6.5 keeps the tick and is done, others go through the last step. */
static void leave_early(struct teo_run *run, int idx, const char *reason)
{
	teo_settle(run, idx, true, reason);
	if (run->config->early_results_keep_tick)
		run->stop_tick = false;
	else
		teo_finish(run);
}

/* Two states and a utilised CPU: the shallowest one that does not poll. */
static void decide_utilised_pair(struct teo_run *run)
{
	static const char reason[] = "CPU utilised: the shallowest state that does not poll";
	bool zero_usable = !teo_is_disabled(run, 0) && !teo_is_polling(run, 0);

	if (!run->config->early_results_keep_tick) {
		teo_settle(run,
			   zero_usable		      ? 0
			   : !teo_is_disabled(run, 1) ? 1
						      : run->idx,
			   true, reason);
		if (run->idx < 0)
			run->idx = 0;
		teo_finish(run);
		return;
	}
	run->duration = middle(run, 0);
	if ((zero_usable && teo_tick_allows(run, run->duration)) || teo_is_disabled(run, 1)) {
		teo_settle(run, 0, false, reason);
		return;
	}
	teo_settle(run, 1, true, reason);
	teo_finish(run);
}

void teo_bins_decide(struct teo_run *run)
{
	const struct teo_state *state = run->state;
	bool zero_usable = !teo_is_disabled(run, 0);
	struct teo_sums sums;

	teo_look_up_timers(run);
	if (state->count < 2) {
		leave_early(run, 0, "only one idle state");
		return;
	}
	if (zero_usable) {
		run->idx = 0;
		if (teo_residency(run, 1) > run->duration) {
			leave_early(run, 0, "next timer comes before state 1 pays");
			return;
		}
	}
	if (state->count < 3 && run->config->utilisation && run->input->utilised) {
		decide_utilised_pair(run);
		return;
	}
	sums = scan_to_timer(run);
	if (run->idx < 0) {
		leave_early(run, 0, "every state is disabled");
		return;
	}
	run->reason = "deepest state that the timer pays for";
	if (run->idx == run->first) {
		if (run->config->early_results_keep_tick)
			run->duration = teo_residency(run, run->idx);
		teo_finish(run);
		return;
	}
	consider_intercepts(run, &sums);
	if (run->idx > run->limit) {
		run->idx = run->limit;
		run->reason = "latency limit";
	}
	give_way_to_utilisation(run);
	teo_finish(run);
}
