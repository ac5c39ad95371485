// SPDX-License-Identifier: GPL-2.0-only
/* What the tick rate and the kernel release mean for every governor: tick period, time limit of polling. */
#include "policy/policy.h"

#define NSEC_PER_SEC 1000000000LL
#define USEC_PER_SEC 1000000LL

/* From 5.11 on a state must be worth this much to end polling early … */
#define POLL_WORTH_NS 10000
/* … and polling never lasts longer than this part of a tick. */
#define POLL_TICK_PART 16

#define PACKED(major, minor, level) ((uint32_t)(major) << 16 | (minor) << 8 | (level))

void policy_set_hz(struct cpir_policy *policy, uint32_t hz)
{
	policy->tick_ns = (NSEC_PER_SEC + hz / 2) / hz;
	policy->tick_us = (USEC_PER_SEC + hz / 2) / hz;
}

static bool is_enabled(uint32_t disabled_mask, uint32_t state)
{
	return !(disabled_mask >> state & 1);
}

/* 5.11 and later. */
static int64_t limit_now(const struct cpir_policy *policy, const struct cpir_table *table,
			 uint32_t disabled_mask)
{
	int64_t most = policy->tick_ns / POLL_TICK_PART;

	for (uint32_t i = 1; i < table->count; i++) {
		int64_t residency = (int64_t)table->states[i].target_residency_ns;

		if (is_enabled(disabled_mask, i) && residency >= POLL_WORTH_NS)
			return residency < most ? residency : most;
	}
	return most;
}

/* 4.20 to 5.10: the residency of an enabled deeper state, the first or (5.4.0 to 5.4.3) the last one. */
static int64_t limit_by_residency(const struct cpir_policy *policy, const struct cpir_table *table,
				  uint32_t disabled_mask)
{
	bool last = policy->release >= PACKED(5, 4, 0) && policy->release <= PACKED(5, 4, 3);
	int64_t limit = policy->tick_ns;

	for (uint32_t i = 1; i < table->count; i++) {
		if (!is_enabled(disabled_mask, i))
			continue;
		limit = (int64_t)table->states[i].target_residency_ns;
		if (!last)
			break;
	}
	return limit;
}

int64_t policy_poll_limit_ns(const struct cpir_policy *policy, const struct cpir_table *table,
			     uint32_t disabled_mask)
{
	if (!policy->release || policy->release >= PACKED(5, 11, 0))
		return limit_now(policy, table, disabled_mask);
	if (policy->release >= PACKED(4, 20, 0))
		return limit_by_residency(policy, table, disabled_mask);
	return policy->tick_ns / POLL_TICK_PART;
}
