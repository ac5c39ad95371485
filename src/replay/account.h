/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's own judgement of an idle period: was the state too deep, too shallow, or right. */
#ifndef REPLAY_ACCOUNT_H
#define REPLAY_ACCOUNT_H

#include "cpuidle-replay.h"
#include "model/timeline.h"

/**
 * account_miss - above, below or neither, exactly as the kernel (5.5 and later) counts it
 * @disabled_mask: states disabled on this CPU, bit i = state i
 * @state: entered state, 0 … table->count - 1
 * @duration_ns: time between the kernel's two clock readings around the state
 * Above: shorter than the target residency, and something shallower is enabled. Below: what is left after the exit
 * latency would have filled the target residency of the next deeper enabled state.
 */
enum miss account_miss(const struct cpir_table *table, uint32_t disabled_mask, int state,
		       uint64_t duration_ns);

/** account_distance - ns between @duration_ns and the nearest duration at which the verdict changes */
uint64_t account_distance(const struct cpir_table *table, uint32_t disabled_mask, int state,
			  uint64_t duration_ns);

/** table_disabled_mask - bit i = state i is disabled in the table */
uint32_t table_disabled_mask(const struct cpir_table *table);

#endif
