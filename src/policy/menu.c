// SPDX-License-Identifier: GPL-2.0-only
/*
 * DOC: the menu governor
 *
 * Idea: two guesses at how long the CPU will sleep, of which the shorter one wins. The first is the next timer, times a
 * factor learned from how much of such sleeps earlier wake-ups cut away. The second is the typical recent interval
 * (menu_typical.c). The deepest state that the guess pays for, and that the latency limit allows, is taken.
 *
 * Data, per CPU: one correction factor per bucket of timer lengths (10 us, 100 us, 1 ms, 10 ms, 100 ms and beyond; twice
 * as many while tasks waiting for I/O count), 8192 meaning 1; the last 8 intervals in us; what the last decision expected.
 *
 * Steps of a decision:
 *  1. Digest the last outcome: correct a factor, store an interval.
 *  2. Predict. Up to 6.5 the timers are looked up each time. Later (`skip_lookup`) the typical interval comes first and
 *     the timers are looked up only when it is long enough to matter.
 *  3. Leave early with state 0 when nothing deeper can be right.
 *  4. With the tick stopped a short prediction is dangerous, as nothing may end a wrong shallow sleep: override it.
 *  5. Scan the states for the deepest one that fits, with exceptions for polling states and for the tick.
 *  6. Keep the tick running when the sleep is expected to be short, and then choose no state that the tick would cut.
 *
 * What differs between kernel releases is a knob; menu_knobs.c and windows.c hold the values. Lengths are in units: ns, or
 * us up to 5.4, where they are cut to 32 bits. Conversions and wrap-arounds are the governor's own and deliberate.
 */
#include "policy/menu.h"

#include <string.h>

#define FACTOR_RESOLUTION 1024u

/* ---- step 1: the last outcome ----------------------------------------------------------------------------------- */

/* Units are 1 us or 1 ns: a division by what the compiler knows is none. */
static uint64_t whole_us(const struct menu_config *config, uint64_t units)
{
	return config->units_per_us == 1 ? units : units / 1000;
}

static int64_t whole_ns(const struct menu_config *config, uint64_t units)
{
	return (int64_t)(config->units_per_us == 1 ? units * 1000 : units);
}

/* How long the CPU would have slept had nothing but its own wake-up delay been in the way. */
static uint64_t menu_measured(const struct menu_run *run)
{
	const struct menu_state *state = run->state;
	uint64_t latency = state->latency[state->entered];
	uint64_t measured = state->measured;

	if (state->tick_woke && state->next > (uint64_t)run->tick)
		/* The tick cut a long sleep: pretend it lasted. */
		measured = run->config->tick_cut;
	else if (menu_is_polling(run, state->entered) && state->poll_limit_hit)
		measured = state->next;
	else if (measured > 2 * latency)
		measured -= latency;
	else
		measured /= 2;
	return measured < state->next ? measured : state->next;
}

static void menu_correct_factor(struct menu_run *run, uint64_t measured)
{
	const struct menu_config *config = run->config;
	struct menu_state *state = run->state;
	uint32_t factor = state->factor[state->bucket];

	factor -= factor / config->decay;
	if (state->next > 0 && measured < config->max_interval)
		factor += (uint32_t)(FACTOR_RESOLUTION * measured / state->next);
	else
		factor += FACTOR_RESOLUTION;
	policy_note(run->steps, "last sleep length ns", whole_ns(config, state->next));
	policy_note(run->steps, "last timer's bucket", state->bucket);
	policy_note(run->steps, "its correction factor before", state->factor[state->bucket]);
	policy_note(run->steps, "its correction factor now", factor);
	state->factor[state->bucket] = factor;
}

static void menu_digest(struct menu_run *run)
{
	struct menu_state *state = run->state;
	uint64_t measured;

	if (!state->update) {
		if (run->config->reject_interval && !state->measured)
			menu_recent_store(run->config, &state->recent, UINT32_MAX);
		return;
	}
	state->update = false;
	measured = menu_measured(run);
	policy_note(run->steps, "last interval as measured ns", whole_ns(run->config, measured));
	menu_correct_factor(run, measured);
	menu_recent_store(run->config, &state->recent, (uint32_t)whole_us(run->config, measured));
}

/* ---- step 2: prediction ----------------------------------------------------------------------------------------- */

static uint32_t menu_bucket(const struct menu_run *run, uint64_t length)
{
	uint64_t limit = 10 * run->config->units_per_us;
	uint32_t bucket = 0;

	while (bucket < MENU_BUCKETS - 1 && length >= limit) {
		limit *= 10;
		bucket++;
	}
	if (run->config->iowait && run->input->nr_iowait)
		bucket += MENU_BUCKETS;
	return bucket;
}

void menu_look_up_timers(struct menu_run *run)
{
	int64_t sleep = run->input->sleep_length_ns, delta = run->input->delta_next_ns;

	run->looked_up = true;
	if (run->config->clamp_negative && sleep < 0) {
		sleep = 0;
		delta = 0;
	}
	if (run->config->microseconds) {
		run->next = (uint32_t)(sleep / 1000);
		run->delta_scan = delta / 1000;
		run->delta_tick = (uint32_t)run->delta_scan;
	} else {
		run->next = (uint64_t)sleep;
		run->delta_scan = delta;
		run->delta_tick = delta;
	}
	run->state->next = run->next;
	run->state->bucket = menu_bucket(run, run->next);
	policy_note(run->steps, "sleep length ns", sleep);
	policy_note(run->steps, "next event with the tick ns", delta);
}

/* What a decision goes on with when it does not look at the timers: no timer, and half a tick to the next one. */
static void menu_assume_timers(struct menu_run *run)
{
	run->next = INT64_MAX;
	run->delta_scan = run->tick / 2;
	run->delta_tick = run->delta_scan;
	run->state->next = run->next;
	run->state->bucket = menu_bucket(run, run->next);
}

uint32_t menu_corrected_us(const struct menu_run *run)
{
	const struct menu_config *config = run->config;
	uint64_t factor = run->state->factor[run->state->bucket];
	uint64_t unity = config->unity * config->units_per_us;
	uint32_t corrected = (uint32_t)((run->next * factor + unity / 2) / unity);

	policy_note(run->steps, "bucket", run->state->bucket);
	policy_note(run->steps, "correction factor", (int64_t)factor);
	policy_note(run->steps, "sleep length corrected us", corrected);
	return corrected;
}

static void menu_find_typical(struct menu_run *run, uint32_t expected_us)
{
	run->typical = menu_typical(run->config, &run->state->recent, expected_us);
	policy_note(run->steps, "typical interval us",
		    run->typical == MENU_NO_TYPICAL ? POLICY_STEP_NONE : (int64_t)run->typical);
}

/* Up to 6.5: the corrected timer, or the typical interval if that is shorter. */
static void menu_predict_timer_first(struct menu_run *run)
{
	uint32_t expected = menu_corrected_us(run);
	uint32_t shorter;

	menu_find_typical(run, expected);
	shorter = expected < run->typical ? expected : run->typical;
	run->predicted = shorter * run->config->units_per_us;
	run->predicted_valid = true;
}

/* Step 4 for every layout: with the tick stopped, may this prediction stand? */
static bool menu_override_applies(const struct menu_run *run)
{
	if (!run->input->tick_stopped || run->predicted >= (uint64_t)run->tick)
		return false;
	return run->config->nohz_full_override || !run->input->nohz_full;
}

static void menu_override_stopped(struct menu_run *run)
{
	uint64_t predicted = run->predicted;

	switch (run->config->stopped_override) {
	case MENU_OVERRIDE_DELTA:
		run->predicted = (uint64_t)run->delta_tick;
		break;
	case MENU_OVERRIDE_SLEEP:
		run->predicted = run->next;
		break;
	case MENU_OVERRIDE_MARGIN:
		predicted += predicted >> run->config->margin_shift;
		/* fall through */
	default:
		run->predicted = predicted < run->next ? predicted : run->next;
	}
	policy_note(run->steps, "prediction overridden, tick stopped", (int64_t)run->predicted);
}

/* From 6.6: the typical interval; the timers only when it leaves room for a state worth the look-up. */
static void menu_predict_typical_first(struct menu_run *run)
{
	const struct menu_config *config = run->config;
	uint64_t expected, safe = (uint64_t)run->tick * config->safe_range_ticks;

	menu_find_typical(run, 0);
	run->predicted = run->typical * config->units_per_us;
	if (run->policy->word_bits == 32)
		run->predicted = (uint32_t)run->predicted;
	run->predicted_valid = true;
	if (run->predicted <= config->threshold &&
	    !(config->stopped_lookup && run->input->tick_stopped)) {
		menu_assume_timers(run);
		return;
	}
	menu_look_up_timers(run);
	expected = menu_corrected_us(run) * config->units_per_us;
	if (expected < run->predicted)
		run->predicted = expected;
	if (config->stopped_override_inside && menu_override_applies(run) &&
	    (!config->safe_timer_range || run->next > safe))
		menu_override_stopped(run);
}

/* ---- step 3: early exit ------------------------------------------------------------------------------------------ */

/* The reason why state 0 is the answer without a search, NULL when there is none. */
static const char *menu_early_exit(const struct menu_run *run)
{
	const struct menu_state *state = run->state;
	bool zero_enabled = !menu_is_disabled(run, 0);

	if (state->count < 2)
		return "only one idle state";
	if (run->latency_req == 0 && (zero_enabled || !run->config->early_exit_state0))
		return "latency limit of 0: state 0 without a search";
	if (!zero_enabled)
		return NULL;
	if (run->next < state->residency[1])
		return "next timer comes before the target residency of state 1";
	if (run->latency_req < (int64_t)state->latency[1])
		return "latency limit forbids state 1";
	return NULL;
}

static void menu_leave_early(struct menu_run *run, struct policy_decision *decision)
{
	run->idx = 0;
	decision->stop_tick = run->config->early_exit_stops_tick && !menu_is_polling(run, 0);
}

/* ---- step 5: scan ------------------------------------------------------------------------------------------------ */

static bool menu_fits_delta(const struct menu_run *run, uint32_t state, int64_t delta)
{
	uint64_t residency = run->state->residency[state];

	if (run->config->unsigned_times)
		return residency <= (uint64_t)delta;
	return (int64_t)residency <= delta;
}

static bool menu_too_slow(const struct menu_run *run, uint32_t state)
{
	return (int64_t)run->state->latency[state] > run->latency_req;
}

/* State @i is too deep for the prediction, but polling until the next timer would be worse than that. */
static bool menu_polling_override(const struct menu_run *run, uint32_t i)
{
	const struct menu_config *config = run->config;
	const struct menu_state *state = run->state;

	if (!config->polling_override || !menu_is_polling(run, (uint32_t)run->idx))
		return false;
	if (state->residency[i] > run->next)
		return false;
	if (!config->latency_first && menu_too_slow(run, i))
		return false;
	if (config->override_exit_latency && state->latency[i] > run->predicted)
		return false;
	if (config->override_residency_threshold && state->residency[i] >= config->threshold)
		return false;
	return !config->override_finite_timer || run->next != INT64_MAX;
}

/* The scan has met state @i, the first one deeper than the prediction pays for. */
static void menu_scan_end(struct menu_run *run, uint32_t i)
{
	const struct menu_state *state = run->state;
	uint64_t tick = (uint64_t)run->tick;

	if (menu_polling_override(run, i)) {
		run->predicted = state->residency[i];
		run->idx = (int)i;
		run->reason = "polling override: the next timer allows the first deeper state";
		return;
	}
	run->reason = "deepest state that the prediction pays for";
	if (run->predicted < tick)
		return;
	if (!run->input->tick_stopped) {
		run->predicted = state->residency[run->idx];
		run->reason = "deepest state that the prediction pays for; its residency stands in "
			      "for the prediction";
		return;
	}
	run->final = true;
	if (state->residency[run->idx] < tick && menu_fits_delta(run, i, run->delta_scan)) {
		run->idx = (int)i;
		run->reason = "tick stopped and a long sleep ahead: one state deeper than the "
			      "prediction pays for";
	}
}

static void menu_scan(struct menu_run *run)
{
	const struct menu_config *config = run->config;
	const struct menu_state *state = run->state;

	run->reason = "deepest state there is";
	for (uint32_t i = 0; i < state->count; i++) {
		bool too_slow = menu_too_slow(run, i);

		if (menu_is_disabled(run, i))
			continue;
		if (run->idx < 0)
			run->idx = (int)i;
		if (too_slow && config->latency_first) {
			run->reason = "deepest state that the latency limit allows";
			return;
		}
		if (state->residency[i] > run->predicted) {
			menu_scan_end(run, i);
			return;
		}
		if (too_slow) {
			run->reason = "deepest state that the latency limit allows";
			if (config->latency_break)
				run->predicted = state->residency[run->idx];
			return;
		}
		run->idx = (int)i;
	}
}

/* ---- step 6: tick ------------------------------------------------------------------------------------------------ */

void menu_tick_step(struct menu_run *run, uint64_t limit, struct policy_decision *decision)
{
	uint32_t idx = (uint32_t)run->idx;

	if (!menu_is_polling(run, idx) && limit >= (uint64_t)run->tick)
		return;
	if (run->input->tick_stopped)
		return;
	decision->stop_tick = false;
	if (!idx || menu_fits_delta(run, idx, run->delta_tick))
		return;
	for (uint32_t i = idx; i-- > 0;) {
		if (menu_is_disabled(run, i))
			continue;
		run->idx = (int)i;
		run->reason = "tick kept, and it comes before the deeper state pays";
		if (menu_fits_delta(run, i, run->delta_tick))
			return;
	}
}

/* ---- the decision ------------------------------------------------------------------------------------------------ */

/* Tasks waiting for I/O shorten the latency that is tolerated. */
static void menu_limit_latency(struct menu_run *run)
{
	uint64_t limit = run->predicted;

	if (!run->config->iowait || run->input->tick_stopped)
		return;
	if (run->input->nr_iowait)
		limit /= 1 + 10 * (uint64_t)run->input->nr_iowait;
	if (limit >= (uint64_t)run->latency_req)
		return;
	run->latency_req = (int64_t)limit;
	policy_note(run->steps, "latency limit by interactivity ns",
		    (int64_t)(limit * 1000 / run->config->units_per_us));
}

static void menu_decide(struct menu_run *run, struct policy_decision *decision)
{
	const struct menu_config *config = run->config;

	if (config->skip_lookup)
		menu_predict_typical_first(run);
	else
		menu_look_up_timers(run);
	run->reason = menu_early_exit(run);
	if (run->reason) {
		menu_leave_early(run, decision);
		return;
	}
	if (!config->skip_lookup)
		menu_predict_timer_first(run);
	if (!config->stopped_override_inside && menu_override_applies(run))
		menu_override_stopped(run);
	menu_limit_latency(run);
	menu_scan(run);
	if (run->idx < 0) {
		run->idx = 0;
		run->reason = "every state is disabled";
	}
	if (!run->final)
		menu_tick_step(run, run->predicted, decision);
}

static void menu_note_intervals(const struct menu_run *run)
{
	for (uint32_t i = 0; i < run->config->intervals; i++)
		policy_note_item(run->steps, "recent intervals us", i,
				 run->state->recent.interval[i]);
}

/* Latency limits are whole microseconds up to 5.4, in a signed 32-bit number. */
static int64_t menu_latency_req(const struct menu_config *config, int64_t latency_req_ns)
{
	if (!config->microseconds)
		return latency_req_ns;
	return latency_req_ns / 1000 < INT32_MAX ? latency_req_ns / 1000 : INT32_MAX;
}

static int64_t menu_predicted_ns(const struct menu_run *run)
{
	uint64_t ns_per_unit = run->config->units_per_us == 1 ? 1000 : 1;

	if (!run->predicted_valid || run->predicted > INT64_MAX / ns_per_unit)
		return INT64_MAX;
	return (int64_t)(run->predicted * ns_per_unit);
}

static void menu_select(const struct cpir_policy *policy, const struct cpir_table *table,
			void *state, const struct policy_input *input,
			struct policy_decision *ret_decision, struct policy_steps *steps)
{
	const struct menu_config *config = policy->config;
	struct menu_run run = {
		.policy = policy,
		.config = config,
		.state = state,
		.input = input,
		.steps = steps,
		.tick = config->microseconds ? policy->tick_us : policy->tick_ns,
		.latency_req = menu_latency_req(config, input->latency_req_ns),
		.idx = -1,
	};

	(void)table; /* copied by enable, in units */
	*ret_decision = (struct policy_decision){.stop_tick = true, .poll_limit_ns = -1};
	menu_digest(&run);
	if (steps)
		menu_note_intervals(&run);
	if (config->layout == MENU_LAYOUT_4_19)
		menu_4_19_decide(&run, ret_decision);
	else
		menu_decide(&run, ret_decision);
	ret_decision->state = run.idx;
	ret_decision->looked_up_timers = run.looked_up;
	ret_decision->predicted_ns = menu_predicted_ns(&run);
	ret_decision->reason = run.reason;
	policy_note(steps, "prediction ns", ret_decision->predicted_ns);
	policy_note(steps, run.reason, run.idx);
}

static void menu_reflect(const struct cpir_policy *policy, const struct cpir_table *table,
			 void *state, const struct policy_outcome *outcome)
{
	const struct menu_config *config = policy->config;
	struct menu_state *menu = state;
	uint64_t limit = config->microseconds ? INT32_MAX : INT64_MAX;
	uint64_t residency = outcome->residency_ns > 0 ? (uint64_t)outcome->residency_ns : 0;

	(void)table;
	if (outcome->poll_time_limit >= 0)
		menu->poll_limit_hit = outcome->poll_time_limit;
	menu->measured = 0;
	if (outcome->entered < 0 || (uint32_t)outcome->entered >= menu->count)
		return;
	if (config->units_per_us == 1) /* else they are ns */
		residency /= 1000;
	menu->measured = residency < limit ? residency : limit;
	menu->entered = (uint32_t)outcome->entered;
	menu->update = true;
	menu->tick_woke = outcome->got_tick;
}

static void menu_enable(const struct cpir_policy *policy, const struct cpir_table *table,
			void *state)
{
	const struct menu_config *config = policy->config;
	struct menu_state *menu = state;
	uint64_t ns_per_unit = 1000 / config->units_per_us;

	memset(menu, 0, policy_state_size(policy));
	menu->count = table->count;
	for (uint32_t i = 0; i < table->count; i++) {
		menu->latency[i] = table->states[i].exit_latency_ns / ns_per_unit;
		menu->residency[i] = table->states[i].target_residency_ns / ns_per_unit;
		if (table->states[i].polling)
			menu->polling |= UINT32_C(1) << i;
	}
	for (uint32_t i = 0; i < 2 * MENU_BUCKETS; i++)
		menu->factor[i] = (uint32_t)config->unity;
}

const struct policy_ops menu_ops = {
	.name = "menu",
	.state_size = sizeof(struct menu_state),
	.state_fixed = offsetof(struct menu_state, next),
	.enable = menu_enable,
	.select = menu_select,
	.reflect = menu_reflect,
};
