// SPDX-License-Identifier: GPL-2.0-only
/*
 * DOC: teo since 6.14
 *
 * Data besides hits and intercepts: how often idle periods were very short, how many intercepts came within a tick (in 6.14
 * to 6.18 the test was the wrong way round), and since 6.19 how many wake-ups were the tick's.
 *
 * Steps of the digest:
 *  1. The measured length, from the residency now, less half the exit latency; endless when the timer (6.19: a poll
 *     time-out) ended it. Very short ones are counted.
 *  2. All metrics decay; two bins: of the timer, and of the measured length within that.
 *  3. 6.19 on: a wake-up by the tick is a hit of the deepest state when such are the rule; 7.0 on: a hit of the timer's
 *     bin when intercepts within a tick are not the rule.
 *  4. Equal bins: a hit; 7.0 on only if the timer was nearly reached. Else an intercept of the measured one.
 *
 * Steps of a decision:
 *  1. The deepest enabled state is the candidate; sums over the bins above it.
 *  2. If intercepts above outweigh all from here on, walk up to the state that accounts for the greater half of them.
 *  3. Obey the latency limit.
 *  4. A state that pays at once, while idle periods are short or the latency limit tight: done, tick kept, no look-up.
 *  5. Look up the timers. State 0: tick kept. A state the timer does not pay for gives way to a shallower one. 7.1 on:
 *     with the tick stopped and a far timer, a deeper one that the timer does pay for.
 *  6. Most wake-ups are intercepts within a tick: expect a short sleep. Tick, as in teo.c.
 */
#include "policy/teo.h"

/* ---- digest ------------------------------------------------------------------------------------------------------- */

static int64_t measure(struct teo_run *run)
{
	struct teo_state *state = run->state;
	int64_t latency = (int64_t)state->latency[state->entered];
	int64_t measured = state->measured_ns;

	teo_decay(run, &state->short_idles);
	if (run->config->generation >= TEO_6_19) {
		bool timed_out = state->poll_limit_hit;

		state->poll_limit_hit = false;
		if (timed_out)
			return INT64_MAX;
	} else if (state->cut_short) {
		return INT64_MAX;
	}
	if (measured < latency) {
		state->short_idles += TEO_PULSE;
		return measured / 2;
	}
	measured -= latency / 2;
	if (measured < run->config->threshold_ns)
		state->short_idles += TEO_PULSE;
	return measured;
}

/* struct bins - of the timer and of the measured length; @sum: of all hits and intercepts after decay */
struct bins {
	int timer, measured;
	uint32_t sum;
};

static struct bins decay_and_find_bins(struct teo_run *run, int64_t measured)
{
	struct teo_state *state = run->state;
	struct bins bins = {0};

	for (int i = 0; i < (int)state->count; i++) {
		teo_decay(run, &state->hits[i]);
		teo_decay(run, &state->intercepts[i]);
		bins.sum += state->hits[i] + state->intercepts[i];
		if (teo_residency(run, i) > state->sleep_ns)
			continue;
		bins.timer = i;
		if (teo_residency(run, i) <= measured)
			bins.measured = i;
	}
	return bins;
}

/* Step 3. Returns true when the period is accounted for with that. */
static bool count_tick_wakeup(struct teo_run *run, const struct bins *bins)
{
	struct teo_state *state = run->state;

	if (run->config->generation < TEO_6_19)
		return false;
	teo_decay(run, &state->tick_wakeups);
	if (!state->tick_woke)
		return false;
	state->tick_wakeups += TEO_PULSE;
	if (3 * state->tick_wakeups > 2 * state->total) {
		state->hits[state->count - 1] += TEO_PULSE;
		return true;
	}
	if (run->config->generation < TEO_7_0 || 3 * state->tick_intercepts >= 2 * bins->sum)
		return false;
	state->hits[bins->timer] += TEO_PULSE;
	return true;
}

static bool is_hit(const struct teo_run *run, const struct bins *bins, int64_t measured)
{
	const struct teo_state *state = run->state;
	/* An overdue timer and an endless sleep wrap, as they do in the kernel. */
	int64_t missed = (int64_t)((uint64_t)state->sleep_ns - (uint64_t)measured);

	if (bins->timer != bins->measured)
		return false;
	return run->config->generation < TEO_7_0 ||
	       missed < (int64_t)(state->latency[state->entered] / 2);
}

void teo_wakeups_update(struct teo_run *run)
{
	struct teo_state *state = run->state;
	bool inverted = run->config->generation < TEO_6_19;
	int64_t measured = measure(run);
	struct bins bins = decay_and_find_bins(run, measured);

	if (inverted)
		teo_decay(run, &state->total);
	else
		state->total = bins.sum;
	state->total += TEO_PULSE;
	teo_decay(run, &state->tick_intercepts);
	if (count_tick_wakeup(run, &bins))
		return;
	if (is_hit(run, &bins, measured)) {
		state->hits[bins.timer] += TEO_PULSE;
		return;
	}
	state->intercepts[bins.measured] += TEO_PULSE;
	if (inverted ? measured >= run->tick : measured <= run->tick)
		state->tick_intercepts += TEO_PULSE;
}

/* ---- step 2: walk up ---------------------------------------------------------------------------------------------- */

static bool state_allowed(const struct teo_run *run, int state)
{
	return teo_tick_allows(run, teo_residency(run, state));
}

/* 6.14 to 6.18. */
static void walk_with_fallback(struct teo_run *run, uint32_t goal)
{
	int fallback = run->idx;
	uint32_t sum = 0;

	for (int i = run->idx - 1; i >= 0; i--) {
		sum += run->state->intercepts[i];
		if (2 * sum > goal) {
			bool here = state_allowed(run, i) && !teo_is_disabled(run, i);

			run->idx = here ? i : fallback;
			return;
		}
		if (teo_is_disabled(run, i))
			continue;
		if (state_allowed(run, i))
			fallback = i;
		else if (fallback == run->idx)
			return;
	}
}

/* The state among those above the deepest one whose bin has most intercepts, the deepest of equals. */
static int busiest_bin(const struct teo_run *run)
{
	const struct teo_state *state = run->state;
	int busiest = 0;

	for (int i = 1; i + 1 < (int)state->count; i++)
		if (state->intercepts[i] >= state->intercepts[busiest])
			busiest = i;
	return busiest;
}

/* 6.19 on: no further than to state @lowest, and (7.0) no less far than to the state @busiest. */
static void walk_to(struct teo_run *run, uint32_t goal, int lowest, int busiest)
{
	uint32_t sum = 0;

	for (int i = run->idx - 1; i >= lowest; i--) {
		sum += run->state->intercepts[i];
		if (teo_is_disabled(run, i))
			continue;
		run->idx = i;
		if (2 * sum > goal && i <= busiest)
			return;
	}
}

/* Shallowest state that may be walked to: with the tick stopped, up to 7.0, one that is worth a tick. */
static int lowest_state(const struct teo_run *run)
{
	int lowest = run->first;

	if (run->config->generation >= TEO_7_1 || !run->input->tick_stopped)
		return lowest;
	while (lowest < run->idx && teo_residency(run, lowest) < run->tick)
		lowest++;
	return lowest;
}

static void walk_up(struct teo_run *run, uint32_t goal)
{
	int lowest = lowest_state(run), busiest = (int)run->state->count;

	if (run->config->generation >= TEO_7_0)
		busiest = busiest_bin(run);
	if (run->config->generation == TEO_7_0) {
		if (run->input->tick_stopped &&
		    teo_residency(run, lowest) == teo_residency(run, run->idx))
			return;
		if (lowest >= busiest && !teo_is_disabled(run, lowest)) {
			run->idx = lowest;
			return;
		}
	}
	walk_to(run, goal, lowest, busiest);
}

static void consider_intercepts(struct teo_run *run, const struct teo_sums *sums)
{
	int candidate = run->idx;

	policy_note(run->steps, "intercepts of shallower", sums->intercepts);
	policy_note(run->steps, "hits of shallower", sums->hits);
	if (2 * sums->intercepts <= run->state->total - sums->hits)
		return;
	if (run->config->generation < TEO_6_19)
		walk_with_fallback(run, sums->intercepts);
	else
		walk_up(run, sums->intercepts);
	if (run->idx != candidate)
		run->reason = "early wake-ups: the state that most of them pay for";
}

/* ---- steps 4 to 6: timers and tick -------------------------------------------------------------------------------- */

/* Step 4: would the timers not matter? */
static bool skips_look_up(const struct teo_run *run)
{
	const struct teo_state *state = run->state;
	int64_t threshold = run->config->threshold_ns;

	if (run->idx > 0 && teo_residency(run, run->idx) >= threshold)
		return false;
	if (run->config->generation >= TEO_7_1 && run->input->tick_stopped)
		return false;
	return 2 * state->short_idles >= state->total || run->latency_req < threshold / 2;
}

/* Step 5, 7.1 on. Returns true when a deeper state was chosen for good. */
static bool deepens(struct teo_run *run)
{
	if (run->config->generation < TEO_7_1 || !run->input->tick_stopped)
		return false;
	if (run->duration <= run->config->safe_range_ticks * run->tick ||
	    teo_residency(run, run->idx) >= run->tick)
		return false;
	for (int i = run->limit; i > run->idx; i--) {
		if (teo_is_disabled(run, i) || teo_residency(run, i) > run->duration)
			continue;
		teo_settle(run, i, true,
			   "tick stopped and a far timer: the deepest state it pays for");
		return true;
	}
	return false;
}

static bool expects_short_sleep(const struct teo_run *run)
{
	const struct teo_state *state = run->state;

	if (teo_residency(run, run->idx) >= run->tick)
		return false;
	if (run->config->generation >= TEO_7_0)
		return 3 * state->tick_intercepts >= 2 * state->total;
	return state->tick_intercepts > state->total / 2 + state->total / 8;
}

static void give_way_to_timer(struct teo_run *run)
{
	int idx;

	if (teo_residency(run, run->idx) <= run->duration)
		return;
	idx = teo_shallower(run, run->idx, run->duration);
	if (!run->config->shallower_always && !state_allowed(run, idx))
		return;
	run->idx = idx;
	run->reason = "the timer does not pay for more";
}

static void decide_with_timer(struct teo_run *run)
{
	if (skips_look_up(run)) {
		run->stop_tick = false;
		return;
	}
	teo_look_up_timers(run);
	if (deepens(run))
		return;
	if (run->idx == 0) {
		run->stop_tick = false;
		return;
	}
	give_way_to_timer(run);
	if (expects_short_sleep(run))
		run->duration = run->tick / 2;
	teo_finish(run);
}

void teo_wakeups_decide(struct teo_run *run)
{
	struct teo_sums sums;

	run->state->sleep_ns = TEO_NO_SLEEP;
	run->delta = run->tick / 2;
	if (run->state->count < 2) {
		teo_settle(run, 0, false, "only one idle state");
		return;
	}
	if (!teo_is_disabled(run, 0))
		run->idx = 0;
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
	consider_intercepts(run, &sums);
	if (run->config->limit_from_first && run->limit < run->first)
		run->limit = run->first;
	if (run->idx > run->limit) {
		run->idx = run->limit;
		run->reason = "latency limit";
	}
	decide_with_timer(run);
}
