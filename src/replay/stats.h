/* SPDX-License-Identifier: GPL-2.0-only */
/* Mergeable statistics of one run: what each CPU did, and the sum. */
#ifndef REPLAY_STATS_H
#define REPLAY_STATS_H

#include "base/hist.h"
#include "model/timeline.h"

/** struct cpu_stats - one CPU of a run; times in ns */
struct cpu_stats {
	uint64_t usage, above, below, rejected, idle_ns, tick_wakeups, tick_stops;
	struct cpir_state_totals states[CPIR_STATES_MAX];
	uint64_t wakes[CPIR_WAKE_COUNT];
	uint64_t kernel_above, kernel_below;
	uint64_t energy_pj;
	struct hist exit_latency, task_latency;
};

/** struct outcome - one period as it is to be counted */
struct outcome {
	int state;
	uint64_t duration_ns;
	enum miss miss;
	enum cpir_wake wake;
	int64_t power_mw; /* of the state, -1 unknown */
};

/** stats_period - count one period */
void stats_period(struct cpu_stats *stats, const struct outcome *outcome);

/** stats_merge - add @from to @stats; 0 or -ENOMEM */
int stats_merge(struct cpu_stats *stats, const struct cpu_stats *from);
void stats_deinit(struct cpu_stats *stats);

/** stats_totals - the public form; @state_count of the deepest table */
void stats_totals(const struct cpu_stats *stats, uint32_t state_count,
		  struct cpir_totals *ret_totals);

#endif
