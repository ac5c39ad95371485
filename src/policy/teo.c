// SPDX-License-Identifier: GPL-2.0-only
/*
 * DOC: the teo governor (timer events oriented)
 *
 * Idea: the next timer is the one thing that is known, so take the state it pays for, unless statistics say that wake-ups
 * lately come well before the timers do. Then take a shallower state, the one that most of those early wake-ups pay for.
 *
 * Data, per CPU: for each state a bin, which is the range of lengths that the state pays for best. A bin counts "hits" (the
 * CPU slept about as long as the timer said) and "intercepts" or "misses" (it woke in this bin, the timer lay in a
 * deeper one). Counts are pulses of 1024 that decay by an eighth with each digest.
 *
 * Steps of a decision, in every generation:
 *  1. Digest the last period: which bin did the timer fall in, which one the measured length?
 *  2. Find the candidate by the timer, or since 6.6 the deepest state, and the sums over shallower bins.
 *  3. If early wake-ups outweigh the rest, walk to a shallower state.
 *  4. Obey the latency limit. Since 6.6 the timers are looked up only now, and not at all where that cannot matter.
 *  5. Keep the tick when the sleep is expected to be short, and then choose no state that the tick would cut.
 *
 * Files: teo_intervals.c has 5.1 to 5.13 (the average of recent intervals besides early wake-ups), teo_bins.c 5.14 to
 * 6.5 (bins only) and the digest up to 6.13, teo_deferred.c 6.6 to 6.13 (timers looked up late), teo_wakeups.c 6.14 on
 * (short idles and the tick counted by themselves). This file has what all share.
 */
#include "policy/teo.h"

#include <string.h>

void teo_settle(struct teo_run *run, int idx, bool stop_tick, const char *reason)
{
	run->idx = idx;
	run->stop_tick = stop_tick;
	run->reason = reason;
}

int teo_shallower(const struct teo_run *run, int idx, int64_t length)
{
	for (int i = idx - 1; i >= 0; i--) {
		if (teo_is_disabled(run, i))
			continue;
		idx = i;
		if (teo_fits(run, run->state->residency[i], length))
			break;
	}
	return idx;
}

void teo_finish(struct teo_run *run)
{
	bool long_sleep = run->config->unsigned_times
				  ? (uint64_t)run->duration >= (uint64_t)run->tick
				  : run->duration >= run->tick;

	if ((!teo_is_polling(run, run->idx) && long_sleep) || run->input->tick_stopped)
		return;
	run->stop_tick = false;
	if (run->idx <= run->first || teo_fits(run, run->state->residency[run->idx], run->delta))
		return;
	run->idx = teo_shallower(run, run->idx, run->delta);
	run->reason = "tick kept, and it comes before the deeper state pays";
}

void teo_look_up_timers(struct teo_run *run)
{
	int64_t sleep = run->input->sleep_length_ns, delta = run->input->delta_next_ns;

	run->looked_up = true;
	run->state->sleep_ns = sleep;
	if (run->config->units_per_us == 1) {
		run->state->sleep = (uint32_t)(sleep / 1000);
		run->delta = (uint32_t)(delta / 1000);
	} else {
		run->state->sleep = (uint64_t)sleep;
		run->delta = delta;
	}
	run->duration = (int64_t)run->state->sleep;
	policy_note(run->steps, "sleep length ns", sleep);
	policy_note(run->steps, "next event with the tick ns", delta);
}

struct teo_sums teo_scan_all(struct teo_run *run)
{
	const struct teo_state *state = run->state;
	struct teo_sums above = {0}, sums = {0};

	for (int i = 1; i < (int)state->count; i++) {
		above.intercepts += state->intercepts[i - 1];
		above.hits += state->hits[i - 1];
		above.recent += state->recent[i - 1];
		if (teo_is_disabled(run, i))
			continue;
		if (run->idx < 0)
			run->first = i;
		run->idx = i;
		if (!teo_too_slow(run, i))
			run->limit = i;
		sums = above;
	}
	return sums;
}

/* ---- operations --------------------------------------------------------------------------------------------------- */

static void teo_digest(struct teo_run *run)
{
	enum teo_generation generation = run->config->generation;

	if (run->state->entered < 0)
		return;
	if (generation < TEO_5_14)
		teo_intervals_update(run);
	else if (generation < TEO_6_14)
		teo_bins_update(run);
	else
		teo_wakeups_update(run);
	run->state->entered = -1;
}

static void teo_decide(struct teo_run *run)
{
	enum teo_generation generation = run->config->generation;

	if (generation < TEO_5_14)
		teo_intervals_decide(run);
	else if (generation < TEO_6_6)
		teo_bins_decide(run);
	else if (generation < TEO_6_14)
		teo_deferred_decide(run);
	else
		teo_wakeups_decide(run);
}

/* What the generation at hand counts besides the bins. */
static void teo_note_counts(const struct teo_run *run)
{
	enum teo_generation generation = run->config->generation;

	if (generation >= TEO_6_6 && generation < TEO_6_14)
		policy_note(run->steps, "tick hits", run->state->tick_hits);
	if (generation >= TEO_6_14) {
		policy_note(run->steps, "short idles", run->state->short_idles);
		policy_note(run->steps, "tick intercepts", run->state->tick_intercepts);
	}
	if (generation >= TEO_6_19)
		policy_note(run->steps, "tick wake-ups", run->state->tick_wakeups);
}

static void teo_note_bins(const struct teo_run *run)
{
	for (uint32_t i = 0; i < run->state->count; i++)
		policy_note_item(run->steps, "hits", i, run->state->hits[i]);
	for (uint32_t i = 0; i < run->state->count; i++)
		policy_note_item(run->steps, "intercepts", i, run->state->intercepts[i]);
	policy_note(run->steps, "total", run->state->total);
	teo_note_counts(run);
}

static int64_t teo_predicted_ns(const struct teo_run *run)
{
	int64_t ns_per_unit = (int64_t)(1000 / run->config->units_per_us);

	return run->duration > INT64_MAX / ns_per_unit ? INT64_MAX : run->duration * ns_per_unit;
}

/* Latency limits are whole microseconds up to 5.4, in a signed 32-bit number. */
static int64_t teo_latency_req(const struct teo_config *config, int64_t latency_req_ns)
{
	if (config->units_per_us != 1)
		return latency_req_ns;
	return latency_req_ns / 1000 < INT32_MAX ? latency_req_ns / 1000 : INT32_MAX;
}

static void teo_select(const struct cpir_policy *policy, const struct cpir_table *table,
		       void *state, const struct policy_input *input,
		       struct policy_decision *ret_decision, struct policy_steps *steps)
{
	const struct teo_config *config = policy->config;
	struct teo_run run = {
		.policy = policy,
		.config = config,
		.state = state,
		.input = input,
		.steps = steps,
		.tick = config->units_per_us == 1 ? policy->tick_us : policy->tick_ns,
		.latency_req = teo_latency_req(config, input->latency_req_ns),
		.idx = -1,
		.stop_tick = true,
	};

	(void)table; /* copied by enable, in units */
	teo_digest(&run);
	if (steps)
		teo_note_bins(&run);
	run.state->decided_ns = input->clock_ns;
	run.duration = TEO_NO_SLEEP;
	teo_decide(&run);
	*ret_decision = (struct policy_decision){
		.state = run.idx,
		.stop_tick = run.stop_tick,
		.looked_up_timers = run.looked_up,
		.predicted_ns = teo_predicted_ns(&run),
		.poll_limit_ns = -1,
		.reason = run.reason,
	};
	policy_note(steps, "expected length ns", ret_decision->predicted_ns);
	policy_note(steps, run.reason, run.idx);
}

/* Did the period last until the timer, as far as can be told? A tick that woke the CPU counts as if it had. */
static bool teo_slept_it_all(const struct teo_state *state, int64_t tick_ns, bool unsigned_times)
{
	bool beyond_tick = unsigned_times ? (uint64_t)state->sleep_ns > (uint64_t)tick_ns
					  : state->sleep_ns > tick_ns;

	return state->poll_limit_hit || (state->tick_woke && beyond_tick);
}

static void teo_reflect(const struct cpir_policy *policy, const struct cpir_table *table,
			void *state, const struct policy_outcome *outcome)
{
	const struct teo_config *config = policy->config;
	struct teo_state *teo = state;

	(void)table;
	if (outcome->poll_time_limit >= 0)
		teo->poll_limit_hit = outcome->poll_time_limit;
	teo->measured_ns = outcome->entered < 0 ? 0 : outcome->residency_ns;
	if (outcome->entered < 0 || (uint32_t)outcome->entered >= teo->count)
		return;
	teo->entered = outcome->entered;
	teo->tick_woke = outcome->got_tick;
	teo->span_ns = outcome->clock_ns - teo->decided_ns;
	if (config->generation >= TEO_6_19)
		return;
	teo->cut_short = teo_slept_it_all(teo, policy->tick_ns,
					  config->generation < TEO_5_14 && config->unsigned_times);
	if (!teo->cut_short)
		return;
	teo->poll_limit_hit = false;
	teo->span_ns = teo->sleep_ns;
}

static void teo_enable(const struct cpir_policy *policy, const struct cpir_table *table,
		       void *state)
{
	const struct teo_config *config = policy->config;
	struct teo_state *teo = state;
	uint64_t ns_per_unit = 1000 / config->units_per_us;

	memset(teo, 0, sizeof(*teo));
	teo->count = table->count;
	for (uint32_t i = 0; i < table->count; i++) {
		teo->latency[i] = table->states[i].exit_latency_ns / ns_per_unit;
		teo->residency[i] = table->states[i].target_residency_ns / ns_per_unit;
		if (table->states[i].polling)
			teo->polling |= UINT32_C(1) << i;
	}
	for (int i = 0; i < TEO_INTERVALS; i++)
		teo->interval[i] = config->units_per_us == 1 ? UINT32_MAX : UINT64_MAX;
	for (int i = 0; i < TEO_RECENT; i++)
		teo->recent_bin[i] = -1;
}

const struct policy_ops teo_ops = {
	.name = "teo",
	.state_size = sizeof(struct teo_state),
	.state_fixed = offsetof(struct teo_state, hits),
	.enable = teo_enable,
	.select = teo_select,
	.reflect = teo_reflect,
};
