// SPDX-License-Identifier: GPL-2.0-only
/*
 * DOC: the menu governor of 4.19
 *
 * Same idea and same data as menu.c, other steps (lengths in us):
 *  1. The last outcome has been digested. A latency limit of 0 ends it at once: state 0, tick kept, no timer look-up.
 *  2. Predict: the corrected timer and the typical interval, the shorter one.
 *  3. Start the scan after a polling state 0 when the timer leaves room for state 1.
 *  4. With the tick stopped a prediction under a tick becomes the time to the next event. Otherwise run-queue load and
 *     tasks waiting for I/O shorten the latency that is tolerated.
 *  5. Scan. The expected sleep, apart from the prediction, decides about the tick.
 *  6. Tick, as in menu.c.
 */
#include "policy/menu.h"

/* Tenths of average load, out of the run queue's load weight (2048 units of it are a load of one). */
static uint64_t performance_multiplier(const struct policy_input *input)
{
	uint64_t whole = input->load_weight >> 11, rest = input->load_weight & 2047;
	uint64_t load = 10 * whole + (rest * 100 >> 11) / 10;

	return 1 + 2 * load + 2 * (uint64_t)input->nr_iowait;
}

/* Step 3: the state to begin with. */
static uint32_t first_state(const struct menu_run *run)
{
	const struct menu_state *state = run->state;
	uint64_t worth_it;

	if (!menu_is_polling(run, 0) || state->count < 2 || menu_is_disabled(run, 1))
		return 0;
	worth_it = state->residency[1] > 20 ? state->residency[1] : 20;
	return run->next > worth_it && run->latency_req > (int64_t)state->latency[1];
}

static void predict(struct menu_run *run)
{
	uint64_t timer = run->next;

	run->predicted = menu_corrected_us(run);
	run->typical = menu_typical(run->config, &run->state->recent, 0);
	policy_note(run->steps, "typical interval us",
		    run->typical == MENU_NO_TYPICAL ? POLICY_STEP_NONE : (int64_t)run->typical);
	if (run->typical < timer)
		timer = run->typical;
	if (timer < run->predicted)
		run->predicted = timer;
	run->predicted_valid = true;
}

/* Step 4. */
static void limit_by_tick_or_load(struct menu_run *run)
{
	uint64_t limit = run->predicted / performance_multiplier(run->input);

	if (run->input->tick_stopped) {
		if (run->predicted < (uint64_t)run->tick &&
		    (run->config->nohz_full_override || !run->input->nohz_full))
			run->predicted = (uint32_t)run->delta_tick;
		return;
	}
	if (limit < (uint64_t)run->latency_req)
		run->latency_req = (int64_t)limit;
}

/* Step 5 has met state @i, deeper than the prediction pays for. Returns the expected sleep. */
static uint64_t scan_end(struct menu_run *run, uint32_t i)
{
	const struct menu_state *state = run->state;
	uint64_t tick = (uint64_t)run->tick;

	run->reason = "deepest state that the prediction pays for";
	if (run->predicted < tick)
		return run->predicted;
	if (!run->input->tick_stopped)
		return state->residency[run->idx];
	run->final = true;
	if (state->residency[run->idx] < tick && (int64_t)state->residency[i] <= run->delta_scan) {
		run->idx = (int)i;
		run->reason = "tick stopped and a long sleep ahead: one state deeper than the "
			      "prediction pays for";
	}
	return run->predicted;
}

static uint64_t scan(struct menu_run *run, uint32_t first)
{
	const struct menu_state *state = run->state;

	run->reason = "deepest state there is";
	for (uint32_t i = first; i < state->count; i++) {
		if (menu_is_disabled(run, i))
			continue;
		if (run->idx < 0)
			run->idx = (int)i;
		if (state->residency[i] > run->predicted)
			return scan_end(run, i);
		if ((int64_t)state->latency[i] > run->latency_req) {
			run->reason = "deepest state that the latency limit allows";
			return state->residency[run->idx];
		}
		run->idx = (int)i;
	}
	return run->predicted;
}

void menu_4_19_decide(struct menu_run *run, struct policy_decision *ret_decision)
{
	uint64_t expected;
	uint32_t first;

	if (run->latency_req == 0) {
		run->idx = 0;
		run->reason = "latency limit of 0: state 0 without a search";
		ret_decision->stop_tick = false;
		return;
	}
	menu_look_up_timers(run);
	predict(run);
	first = first_state(run);
	limit_by_tick_or_load(run);
	expected = scan(run, first);
	if (run->idx < 0) {
		run->idx = 0;
		run->reason = "every state is disabled";
	}
	if (!run->final)
		menu_tick_step(run, expected, ret_decision);
}
