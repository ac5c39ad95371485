// SPDX-License-Identifier: GPL-2.0-only
/*
 * DOC: the ladder governor
 *
 * Idea: no prediction. Climb one state down the ladder after several periods that were long enough, and one up after a
 * short one.
 *
 * Data, per CPU: the state the ladder stands at, and per state two counters and the times that move them, which are the
 * state's exit latency. A polling state 0 is no rung.
 *
 * Steps of a decision, with the length of the last period less the exit latency of the rung (below zero it wraps, which
 * counts as long):
 *  1. A latency limit of 0: state 0.
 *  2. Long enough, and the next state is enabled and quick enough: count; after 4 such periods step down to it.
 *  3. The rung is disabled or too slow: up to the first one that is quick enough.
 *  4. Too short: step up one.
 *  5. Else stay. The tick is always stopped.
 */
#include "policy/governor.h"

#include "base/array.h"
#include "policy/windows.h"

#include <string.h>

struct ladder_config {
	uint32_t promotion_count, demotion_count;
};

/* struct ladder_rung - @promotion_*: towards deeper states, @demotion_*: towards shallower ones */
struct ladder_rung {
	uint64_t promotion_time, demotion_time; /* ns */
	uint32_t promotion_limit, demotion_limit;
	uint32_t promotions, demotions;
};

struct ladder_state {
	struct ladder_rung rungs[CPIR_STATES_MAX];
	uint64_t residency; /* of the last period, ns; 0 when the entry was rejected */
	uint32_t first, at;
};

/* struct ladder_run - one decision on its way */
struct ladder_run {
	const struct cpir_table *table;
	struct ladder_state *state;
	const struct policy_input *input;
	uint64_t slept; /* without the exit latency, may have wrapped */
	const char *reason;
};

static void ladder_enable(const struct cpir_policy *policy, const struct cpir_table *table,
			  void *state)
{
	const struct ladder_config *config = policy->config;
	struct ladder_state *ladder = state;

	memset(ladder, 0, sizeof(*ladder));
	ladder->first = table->states[0].polling ? 1 : 0;
	if (ladder->first >= table->count)
		ladder->first = 0;
	ladder->at = ladder->first;
	for (uint32_t i = ladder->first; i < table->count; i++) {
		struct ladder_rung *rung = &ladder->rungs[i];
		uint64_t latency = table->states[i].exit_latency_ns;

		rung->promotion_limit = config->promotion_count;
		rung->demotion_limit = config->demotion_count;
		rung->promotion_time = i + 1 < table->count ? latency : 0;
		rung->demotion_time = i > ladder->first ? latency : 0;
	}
}

static uint32_t ladder_move(struct ladder_run *run, uint32_t to, const char *reason)
{
	struct ladder_state *state = run->state;

	state->rungs[state->at].promotions = 0;
	state->rungs[state->at].demotions = 0;
	state->at = to;
	run->reason = reason;
	return to;
}

static bool ladder_usable(const struct ladder_run *run, uint32_t state)
{
	return !(run->input->disabled_mask >> state & 1);
}

static bool ladder_quick(const struct ladder_run *run, uint32_t state)
{
	return (int64_t)run->table->states[state].exit_latency_ns <= run->input->latency_req_ns;
}

/* Step 2: counts, and says whether it is time to step down. */
static bool ladder_promotes(struct ladder_run *run)
{
	struct ladder_state *state = run->state;
	struct ladder_rung *rung = &state->rungs[state->at];

	if (state->at + 1 >= run->table->count || !ladder_usable(run, state->at + 1))
		return false;
	if (run->slept <= rung->promotion_time || !ladder_quick(run, state->at + 1))
		return false;
	rung->promotions++;
	rung->demotions = 0;
	return rung->promotions >= rung->promotion_limit;
}

/* Step 3: the rung to flee to. */
static uint32_t ladder_quick_rung(const struct ladder_run *run)
{
	uint32_t i = run->state->at - 1;

	while (i > run->state->first && !ladder_quick(run, i))
		i--;
	return i;
}

/* Step 4, like step 2. */
static bool ladder_demotes(struct ladder_run *run)
{
	struct ladder_rung *rung = &run->state->rungs[run->state->at];

	if (run->slept >= rung->demotion_time)
		return false;
	rung->demotions++;
	rung->promotions = 0;
	return rung->demotions >= rung->demotion_limit;
}

static uint32_t ladder_decide(struct ladder_run *run)
{
	struct ladder_state *state = run->state;

	if (run->input->latency_req_ns == 0)
		return ladder_move(run, 0, "latency limit of 0: state 0");
	if (ladder_promotes(run))
		return ladder_move(run, state->at + 1,
				   "long enough several times: one state deeper");
	if (state->at > state->first) {
		if (!ladder_usable(run, state->at) || !ladder_quick(run, state->at))
			return ladder_move(run, ladder_quick_rung(run),
					   "state disabled or too slow: a shallower one");
		if (ladder_demotes(run))
			return ladder_move(run, state->at - 1, "too short: one state shallower");
	}
	run->reason = "no reason to move";
	return state->at;
}

static void ladder_select(const struct cpir_policy *policy, const struct cpir_table *table,
			  void *state, const struct policy_input *input,
			  struct policy_decision *ret_decision, struct policy_steps *steps)
{
	struct ladder_state *ladder = state;
	struct ladder_run run = {
		.table = table,
		.state = ladder,
		.input = input,
		.slept = ladder->residency - table->states[ladder->at].exit_latency_ns,
	};

	(void)policy;
	policy_note(steps, "rung", ladder->at);
	policy_note(steps, "last residency less exit latency ns", (int64_t)run.slept);
	*ret_decision = (struct policy_decision){
		.state = (int)ladder_decide(&run),
		.stop_tick = true,
		.predicted_ns = INT64_MAX,
		.poll_limit_ns = -1,
	};
	ret_decision->reason = run.reason;
	policy_note(steps, "promotions counted", ladder->rungs[ladder->at].promotions);
	policy_note(steps, "demotions counted", ladder->rungs[ladder->at].demotions);
	policy_note(steps, run.reason, ret_decision->state);
}

static void ladder_reflect(const struct cpir_policy *policy, const struct cpir_table *table,
			   void *state, const struct policy_outcome *outcome)
{
	struct ladder_state *ladder = state;

	(void)policy;
	ladder->residency = 0;
	if (outcome->entered < 0 || (uint32_t)outcome->entered >= table->count)
		return;
	if (outcome->residency_ns > 0)
		ladder->residency = (uint64_t)outcome->residency_ns;
	if (outcome->entered > 0)
		ladder->at = (uint32_t)outcome->entered;
}

static const struct policy_ops ladder_ops = {
	.name = "ladder",
	.state_size = sizeof(struct ladder_state),
	.enable = ladder_enable,
	.select = ladder_select,
	.reflect = ladder_reflect,
};

static const struct knob ladder_knobs[] = {
	KNOB_NUMBER_ROW(struct ladder_config, promotion_count, 0, 1000000,
			"long enough periods before a deeper state is taken"),
	KNOB_NUMBER_ROW(struct ladder_config, demotion_count, 0, 1000000,
			"short periods before a shallower state is taken"),
};

static const struct ladder_config ladder_defaults = {.promotion_count = 4, .demotion_count = 1};

const struct governor ladder_governor = {
	.info = &governor_infos[GOVERNOR_LADDER],
	.ops = &ladder_ops,
	.config_size = sizeof(struct ladder_config),
	.defaults = &ladder_defaults,
	.knobs = {ladder_knobs, array_size(ladder_knobs)},
	.windows = &no_windows, /* the same in all releases since 5.5 */
	.oldest = RELEASE_SERIES(5, 5),
	.needs_kernel = true,
};
