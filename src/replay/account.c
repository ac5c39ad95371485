// SPDX-License-Identifier: GPL-2.0-only
/* The kernel's accounting of above and below. */
#include "replay/account.h"

static bool enabled(uint32_t disabled_mask, uint32_t state)
{
	return !(disabled_mask >> state & 1);
}

static bool any_shallower(uint32_t disabled_mask, int state)
{
	for (int i = 0; i < state; i++) {
		if (enabled(disabled_mask, (uint32_t)i))
			return true;
	}
	return false;
}

/* The first enabled state below @state, -1 none. */
static int next_deeper(const struct cpir_table *table, uint32_t disabled_mask, int state)
{
	for (uint32_t i = (uint32_t)state + 1; i < table->count; i++) {
		if (enabled(disabled_mask, i))
			return (int)i;
	}
	return -1;
}

enum miss account_miss(const struct cpir_table *table, uint32_t disabled_mask, int state,
		       uint64_t duration_ns)
{
	const struct cpir_state *entered = &table->states[state];
	int deeper;

	if (duration_ns < entered->target_residency_ns)
		return any_shallower(disabled_mask, state) ? MISS_ABOVE : MISS_NONE;
	if (duration_ns <= entered->exit_latency_ns)
		return MISS_NONE;
	deeper = next_deeper(table, disabled_mask, state);
	if (deeper < 0)
		return MISS_NONE;
	if (duration_ns - entered->exit_latency_ns >= table->states[deeper].target_residency_ns)
		return MISS_BELOW;
	return MISS_NONE;
}

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

uint64_t account_distance(const struct cpir_table *table, uint32_t disabled_mask, int state,
			  uint64_t duration_ns)
{
	const struct cpir_state *entered = &table->states[state];
	uint64_t best = UINT64_MAX, threshold;
	int deeper = next_deeper(table, disabled_mask, state);

	if (any_shallower(disabled_mask, state))
		best = distance(duration_ns, entered->target_residency_ns);
	if (deeper < 0)
		return best;
	threshold = entered->exit_latency_ns + table->states[deeper].target_residency_ns;
	return distance(duration_ns, threshold) < best ? distance(duration_ns, threshold) : best;
}

uint32_t table_disabled_mask(const struct cpir_table *table)
{
	uint32_t mask = 0;

	for (uint32_t i = 0; i < table->count; i++)
		mask |= (uint32_t)table->states[i].disabled << i;
	return mask;
}
