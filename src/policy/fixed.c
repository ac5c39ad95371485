// SPDX-License-Identifier: GPL-2.0-only
/*
 * DOC: the fixed policy
 *
 * Idea: no governor at all, for bounds. Always the same state, whatever the timers and the latency limit say: the deepest
 * one up to `state` that is enabled. The tick goes with it, if not told otherwise: stopped unless the state polls.
 */
#include "policy/governor.h"

#include "base/array.h"
#include "policy/windows.h"

enum fixed_tick { FIXED_TICK_AUTO, FIXED_TICK_STOP, FIXED_TICK_KEEP };

struct fixed_config {
	uint32_t state;
	uint32_t tick;
};

static void fixed_enable(const struct cpir_policy *policy, const struct cpir_table *table,
			 void *state)
{
	(void)policy;
	(void)table;
	(void)state;
}

static uint32_t fixed_state(const struct fixed_config *config, const struct cpir_table *table,
			    uint32_t disabled_mask)
{
	uint32_t i = config->state < table->count ? config->state : table->count - 1;

	while (i > 0 && disabled_mask >> i & 1)
		i--;
	return i;
}

static void fixed_select(const struct cpir_policy *policy, const struct cpir_table *table,
			 void *state, const struct policy_input *input,
			 struct policy_decision *ret_decision, struct policy_steps *steps)
{
	const struct fixed_config *config = policy->config;
	uint32_t chosen = fixed_state(config, table, input->disabled_mask);
	bool stop = config->tick == FIXED_TICK_STOP ||
		    (config->tick == FIXED_TICK_AUTO && !table->states[chosen].polling);

	(void)state;
	*ret_decision = (struct policy_decision){
		.state = (int)chosen,
		.stop_tick = stop,
		.predicted_ns = INT64_MAX,
		.poll_limit_ns = -1,
		.reason = chosen == config->state ? "the state asked for"
						  : "nearest usable state to the one asked for",
	};
	policy_note(steps, ret_decision->reason, ret_decision->state);
}

static void fixed_reflect(const struct cpir_policy *policy, const struct cpir_table *table,
			  void *state, const struct policy_outcome *outcome)
{
	(void)policy;
	(void)table;
	(void)state;
	(void)outcome;
}

static uint32_t fixed_asks_for(const struct cpir_policy *policy)
{
	return ((const struct fixed_config *)policy->config)->state;
}

static const struct policy_ops fixed_ops = {
	.name = "fixed",
	.state_size = 1,
	.enable = fixed_enable,
	.select = fixed_select,
	.reflect = fixed_reflect,
	.asks_for = fixed_asks_for,
};

static const char *const ticks[] = {
	[FIXED_TICK_AUTO] = "auto", [FIXED_TICK_STOP] = "stop", [FIXED_TICK_KEEP] = "keep", NULL};

static const struct knob fixed_knobs[] = {
	KNOB_NUMBER_ROW(struct fixed_config, state, 0, CPIR_STATES_MAX - 1, "number of the state"),
	KNOB_CHOICE_ROW(struct fixed_config, tick, ticks,
			"stop the tick, keep it, or stop it unless the state polls"),
};

static const struct fixed_config fixed_defaults = {.state = 0, .tick = FIXED_TICK_AUTO};

const struct governor fixed_governor = {
	.info = &governor_infos[GOVERNOR_FIXED],
	.ops = &fixed_ops,
	.config_size = sizeof(struct fixed_config),
	.defaults = &fixed_defaults,
	.knobs = {fixed_knobs, array_size(fixed_knobs)},
	.windows = &no_windows,
};
