// SPDX-License-Identifier: GPL-2.0-only
/*
 * DOC: the oracle
 *
 * Idea: the bound of what any policy could do. It is told how long the CPU would sleep in each state and takes, of the
 * enabled states within the latency limit, the deepest whose target residency fits.
 *
 *  1. Without hindsight (a verification run has none to give) the deepest state within the latency limit.
 *  2. From the deepest state up: enabled, its exit latency within the limit, its target residency within the time the
 *     CPU would then sleep: take it.
 *  3. If none fits, the shallowest enabled one.
 *  4. Stop the tick unless the state polls: the hindsight is that of a stopped tick.
 */
#include "policy/governor.h"

#include "policy/windows.h"

struct oracle_config {
	uint32_t unused;
};

static void oracle_enable(const struct cpir_policy *policy, const struct cpir_table *table,
			  void *state)
{
	(void)policy;
	(void)table;
	(void)state;
}

static bool fits(const struct cpir_table *table, const struct policy_input *input, int i)
{
	const struct cpir_state *state = &table->states[i];

	if (input->disabled_mask >> i & 1 ||
	    (int64_t)state->exit_latency_ns > input->latency_req_ns)
		return false;
	return !input->hindsight_ns ||
	       input->hindsight_ns[i] >= (int64_t)state->target_residency_ns;
}

static int shallowest_enabled(const struct cpir_table *table, uint32_t disabled_mask)
{
	for (uint32_t i = 0; i < table->count; i++) {
		if (!(disabled_mask >> i & 1))
			return (int)i;
	}
	return 0;
}

static void oracle_select(const struct cpir_policy *policy, const struct cpir_table *table,
			  void *state, const struct policy_input *input,
			  struct policy_decision *ret_decision, struct policy_steps *steps)
{
	int chosen = (int)table->count - 1;

	(void)policy;
	(void)state;
	while (chosen >= 0 && !fits(table, input, chosen))
		chosen--;
	if (chosen < 0)
		chosen = shallowest_enabled(table, input->disabled_mask);
	*ret_decision = (struct policy_decision){
		.state = chosen,
		.stop_tick = !table->states[chosen].polling,
		.predicted_ns = input->hindsight_ns ? input->hindsight_ns[chosen] : INT64_MAX,
		.poll_limit_ns = -1,
		.reason = input->hindsight_ns ? "deepest state that fits, in hindsight"
					      : "deepest state within the latency limit",
	};
	policy_note(steps, ret_decision->reason, ret_decision->predicted_ns);
}

static void oracle_reflect(const struct cpir_policy *policy, const struct cpir_table *table,
			   void *state, const struct policy_outcome *outcome)
{
	(void)policy;
	(void)table;
	(void)state;
	(void)outcome;
}

static const struct policy_ops oracle_ops = {
	.name = "oracle",
	.hindsight = true,
	.state_size = 1,
	.enable = oracle_enable,
	.select = oracle_select,
	.reflect = oracle_reflect,
};

const struct governor oracle_governor = {
	.info = &governor_infos[GOVERNOR_ORACLE],
	.ops = &oracle_ops,
	.config_size = sizeof(struct oracle_config),
	.defaults = &(const struct oracle_config){0},
	.windows = &no_windows,
};
