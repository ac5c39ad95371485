// SPDX-License-Identifier: GPL-2.0-only
/*
 * DOC: teo of 5.1 to 5.13
 *
 * Data besides hits and misses of each state: "early" counts wake-ups in the state's bin before the timer, and the last 8
 * measured lengths (in us up to 5.4).
 *
 * Steps of the digest:
 *  1. The measured length: all of it when the clock says that the timer was reached, else less half the exit latency.
 *  2. Two bins: of the timer and of the measured length. Equal: a hit. Else: a miss of the first, early for the second.
 *  3. Remember the length.
 *
 * Steps of a decision:
 *  1. Scan up to the state the timer pays for, and remember the state with most early wake-ups on the way.
 *  2. If misses outweigh the hits of the candidate, take that state.
 *  3. Obey the latency limit.
 *  4. If most of the recent lengths are shorter than expected, their average counts.
 *  5. Tick, as in teo.c.
 */
#include "policy/teo.h"

/* ---- digest ------------------------------------------------------------------------------------------------------- */

/* struct measurement - @bin: length to find the bin with, @stored: length to remember; units */
struct measurement {
	uint64_t bin, stored;
};

static uint64_t without_latency(uint64_t length, uint64_t latency)
{
	return length >= latency ? length - latency / 2 : length / 2;
}

static struct measurement measure(const struct teo_run *run)
{
	const struct teo_state *state = run->state;
	bool microseconds = run->config->units_per_us == 1;
	uint64_t latency = state->latency[state->entered];
	struct measurement measured;

	if (run->config->unsigned_times ? (uint64_t)state->span_ns >= (uint64_t)state->sleep_ns
					: state->span_ns >= state->sleep_ns) {
		measured.bin = microseconds ? state->sleep : UINT64_MAX;
		measured.stored = microseconds ? UINT32_MAX : UINT64_MAX;
		return measured;
	}
	if (microseconds)
		measured.bin = without_latency((uint32_t)(state->span_ns / 1000), latency);
	else
		measured.bin = without_latency((uint64_t)state->measured_ns, latency);
	measured.stored = measured.bin;
	return measured;
}

static void count(struct teo_run *run, int timer_bin, int measured_bin)
{
	struct teo_state *state = run->state;

	if (timer_bin < 0)
		return;
	teo_decay(run, &state->hits[timer_bin]);
	teo_decay(run, &state->intercepts[timer_bin]);
	if (timer_bin <= measured_bin) {
		state->hits[timer_bin] += TEO_PULSE;
		return;
	}
	state->intercepts[timer_bin] += TEO_PULSE;
	if (measured_bin >= 0)
		state->early[measured_bin] += TEO_PULSE;
}

void teo_intervals_update(struct teo_run *run)
{
	struct teo_state *state = run->state;
	struct measurement measured = measure(run);
	int timer_bin = run->config->bins_from_zero ? 0 : -1, measured_bin = timer_bin;

	for (int i = 0; i < (int)state->count; i++) {
		teo_decay(run, &state->early[i]);
		if (!teo_fits(run, state->residency[i], (int64_t)state->sleep))
			continue;
		timer_bin = i;
		if (state->residency[i] <= measured.bin)
			measured_bin = i;
	}
	count(run, timer_bin, measured_bin);
	state->interval[state->next_interval] = measured.stored;
	state->next_interval = (state->next_interval + 1) % TEO_INTERVALS;
}

/* ---- decision ----------------------------------------------------------------------------------------------------- */

/* struct scan - @hits, @misses: of the candidate; @busiest: the state with most early wake-ups so far, @early of them */
struct scan {
	uint32_t hits, misses, early;
	int busiest, before_busiest;
	int too_slow; /* shallowest state that the latency limit forbids */
};

static void note_early(struct scan *scan, const struct teo_run *run, int state, int early_of)
{
	scan->before_busiest = scan->busiest;
	scan->early = run->state->early[early_of];
	scan->busiest = state;
}

/* A disabled state on the way: its statistics count for the enabled one above it. */
static void scan_disabled(struct scan *scan, const struct teo_run *run, int i)
{
	const struct teo_state *state = run->state;

	if (!teo_fits(run, state->residency[i], run->duration))
		return;
	scan->hits = state->hits[i];
	scan->misses = state->intercepts[i];
	if (scan->early >= state->early[i] || run->idx < 0)
		return;
	if (scan->busiest == run->idx)
		scan->early = state->early[i];
	else if (teo_tick_allows(run, teo_residency(run, run->idx)))
		note_early(scan, run, run->idx, i);
}

static void scan_states(struct scan *scan, struct teo_run *run)
{
	const struct teo_state *state = run->state;

	for (int i = 0; i < (int)state->count; i++) {
		if (teo_is_disabled(run, i)) {
			scan_disabled(scan, run, i);
			continue;
		}
		if (run->idx < 0) {
			run->idx = i;
			scan->hits = state->hits[i];
			scan->misses = state->intercepts[i];
		}
		if (!teo_fits(run, state->residency[i], run->duration))
			return;
		if (teo_too_slow(run, i) && scan->too_slow > i)
			scan->too_slow = i;
		run->idx = i;
		scan->hits = state->hits[i];
		scan->misses = state->intercepts[i];
		if (scan->early < state->early[i] && teo_tick_allows(run, teo_residency(run, i)))
			note_early(scan, run, i, i);
	}
}

/* Misses outweigh hits: the state with most early wake-ups, or the one before it if that is the candidate itself. */
static void prefer_busiest(struct scan *scan, struct teo_run *run)
{
	if (scan->hits > scan->misses)
		return;
	if (run->idx == scan->busiest)
		scan->busiest = scan->before_busiest;
	if (scan->busiest < 0)
		return;
	run->idx = scan->busiest;
	run->duration = teo_residency(run, run->idx);
	run->reason = "early wake-ups: the state that most of them pay for";
}

/* Most of the recent intervals are shorter than expected: their average counts. */
static void consider_intervals(struct teo_run *run)
{
	const struct teo_state *state = run->state;
	bool overdue = run->duration < 0 && !run->config->unsigned_times;
	uint64_t expected = overdue ? 0 : (uint64_t)run->duration;
	uint64_t sum = 0, average;
	uint32_t shorter = 0;

	for (int i = 0; i < TEO_INTERVALS; i++) {
		uint64_t length = state->interval[i];

		if (length >= expected)
			continue;
		sum += length;
		shorter++;
	}
	if (shorter <= TEO_INTERVALS / 2)
		return;
	average = sum / shorter;
	if (run->config->units_per_us == 1)
		average = (uint32_t)average;
	policy_note(run->steps, "average of shorter intervals", (int64_t)average);
	if (!teo_tick_allows(run, (int64_t)average))
		return;
	run->duration = (int64_t)average;
	if (state->residency[run->idx] <= average)
		return;
	run->idx = teo_shallower(run, run->idx, run->duration);
	run->reason = "most recent intervals were shorter: what their average pays for";
}

void teo_intervals_decide(struct teo_run *run)
{
	struct scan scan = {
		.busiest = -1, .before_busiest = -1, .too_slow = (int)run->state->count};

	teo_look_up_timers(run);
	run->reason = "deepest state that the timer pays for";
	scan_states(&scan, run);
	prefer_busiest(&scan, run);
	if (scan.too_slow < run->idx) {
		run->idx = scan.too_slow;
		run->reason = "latency limit";
	}
	if (run->idx < 0)
		teo_settle(run, 0, true, "every state is disabled");
	else if (run->idx > 0)
		consider_intervals(run);
	teo_finish(run);
}
