// SPDX-License-Identifier: GPL-2.0-only
/*
 * DOC: the haltpoll governor
 *
 * Idea: in a virtual machine going idle is expensive, so poll first and halt only when the poll ran into its limit. The
 * limit follows the halts: if they end soon after it, polling a little longer would have saved them.
 *
 * Data, per CPU: the poll limit in ns, the state entered last, and whether polling ran into the limit.
 *
 * Steps of a decision:
 *  1. A latency limit of 0: poll, tick kept. A poll limit of 0: halt (state 1).
 *  2. After a period of polling: halt if it ran into the limit, else poll again.
 *  3. Otherwise poll, tick kept.
 *
 * Steps of the digest, for anything but polling, with the length of that period:
 *  1. Longer than the limit, but not longer than the maximum: the limit grows.
 *  2. Longer than the maximum: the limit shrinks.
 */
#include "policy/governor.h"

#include "base/array.h"
#include "policy/windows.h"

#include <string.h>

struct haltpoll_config {
	uint32_t max_ns, grow, grow_start_ns, shrink;
	bool allow_shrink;
	bool shrink_to_zero;
};

struct haltpoll_state {
	uint64_t limit_ns;
	int entered;
	bool poll_limit_hit;
};

static void haltpoll_enable(const struct cpir_policy *policy, const struct cpir_table *table,
			    void *state)
{
	(void)policy;
	(void)table;
	memset(state, 0, sizeof(struct haltpoll_state));
}

static void haltpoll_poll(struct policy_decision *decision, const char *reason)
{
	decision->state = 0;
	decision->stop_tick = false;
	decision->reason = reason;
}

static void haltpoll_halt(struct policy_decision *decision, const char *reason)
{
	decision->state = 1;
	decision->reason = reason;
}

static void haltpoll_select(const struct cpir_policy *policy, const struct cpir_table *table,
			    void *state, const struct policy_input *input,
			    struct policy_decision *ret_decision, struct policy_steps *steps)
{
	const struct haltpoll_state *haltpoll = state;

	(void)policy;
	*ret_decision = (struct policy_decision){
		.stop_tick = true,
		.predicted_ns = INT64_MAX,
		.poll_limit_ns = (int64_t)haltpoll->limit_ns,
	};
	if (table->count < 2)
		haltpoll_poll(ret_decision, "only one idle state");
	else if (input->latency_req_ns == 0)
		haltpoll_poll(ret_decision, "latency limit of 0: poll");
	else if (!haltpoll->limit_ns)
		haltpoll_halt(ret_decision, "polling has not paid: halt");
	else if (haltpoll->entered != 0)
		haltpoll_poll(ret_decision, "poll first");
	else if (haltpoll->poll_limit_hit)
		haltpoll_halt(ret_decision, "polling ran into its limit: halt");
	else
		haltpoll_poll(ret_decision, "polling ended in time: poll again");
	policy_note(steps, "poll limit ns", ret_decision->poll_limit_ns);
	policy_note(steps, "last state entered", haltpoll->entered);
	policy_note(steps, ret_decision->reason, ret_decision->state);
}

static uint64_t haltpoll_grown(const struct haltpoll_config *config, uint64_t limit_ns)
{
	uint64_t limit = (uint32_t)(limit_ns * config->grow);

	if (limit < config->grow_start_ns)
		limit = config->grow_start_ns;
	return limit < config->max_ns ? limit : config->max_ns;
}

static uint64_t haltpoll_shrunk(const struct haltpoll_config *config, uint64_t limit_ns)
{
	uint64_t limit = config->shrink ? limit_ns / config->shrink : 0;

	return config->shrink_to_zero && limit < config->grow_start_ns ? 0 : limit;
}

static void haltpoll_reflect(const struct cpir_policy *policy, const struct cpir_table *table,
			     void *state, const struct policy_outcome *outcome)
{
	const struct haltpoll_config *config = policy->config;
	struct haltpoll_state *haltpoll = state;
	uint64_t halted = outcome->residency_ns > 0 ? (uint64_t)outcome->residency_ns : 0;

	(void)table;
	if (outcome->poll_time_limit >= 0)
		haltpoll->poll_limit_hit = outcome->poll_time_limit;
	if (outcome->entered < 0)
		return;
	haltpoll->entered = outcome->entered;
	if (outcome->entered == 0)
		return;
	if (halted > haltpoll->limit_ns && halted <= config->max_ns)
		haltpoll->limit_ns = haltpoll_grown(config, haltpoll->limit_ns);
	else if (halted > config->max_ns && config->allow_shrink)
		haltpoll->limit_ns = haltpoll_shrunk(config, haltpoll->limit_ns);
}

static int64_t haltpoll_poll_limit_ns(const struct cpir_policy *policy, const void *state)
{
	const struct haltpoll_state *haltpoll = state;

	(void)policy;
	return (int64_t)haltpoll->limit_ns;
}

static const struct policy_ops haltpoll_ops = {
	.name = "haltpoll",
	.state_size = sizeof(struct haltpoll_state),
	.enable = haltpoll_enable,
	.select = haltpoll_select,
	.reflect = haltpoll_reflect,
	.poll_limit_ns = haltpoll_poll_limit_ns,
};

#define SWITCH(field, text) KNOB_SWITCH_ROW(struct haltpoll_config, field, text)
#define NUMBER(field, low, high, text)                                                             \
	KNOB_NUMBER_ROW(struct haltpoll_config, field, low, high, text)

static const struct knob haltpoll_knobs[] = {
	NUMBER(max_ns, 0, UINT32_MAX, "longest poll limit, in nanoseconds"),
	NUMBER(grow, 0, UINT32_MAX, "the limit grows by this factor"),
	NUMBER(grow_start_ns, 0, UINT32_MAX, "it grows at least to this, in nanoseconds"),
	NUMBER(shrink, 0, UINT32_MAX, "the limit shrinks by this factor, 0: to nothing at once"),
	SWITCH(allow_shrink, "the limit may shrink at all"),
	SWITCH(shrink_to_zero,
	       "a limit that shrinks under grow_start_ns becomes 0 (newer kernels)"),
};

static const struct haltpoll_config haltpoll_defaults = {
	.max_ns = 200000,
	.grow = 2,
	.grow_start_ns = 50000,
	.shrink = 2,
	.allow_shrink = true,
};

const struct governor haltpoll_governor = {
	.info = &governor_infos[GOVERNOR_HALTPOLL],
	.ops = &haltpoll_ops,
	.config_size = sizeof(struct haltpoll_config),
	.defaults = &haltpoll_defaults,
	.knobs = {haltpoll_knobs, array_size(haltpoll_knobs)},
	.windows = &haltpoll_windows,
	.oldest = RELEASE_SERIES(5, 5),
	.needs_kernel = true,
};
