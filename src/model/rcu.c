// SPDX-License-Identifier: GPL-2.0-only
/*
 * RCU activity from softirqs. Measured where the governor's own view was recorded: between one tick before the first
 * and the last softirq of a run (gaps of a few ticks do not end it), nine of ten decisions found the tick unstoppable;
 * outside, one of ten or fewer.
 */
#include "model/rcu.h"

#include <errno.h>
#include <stdlib.h>

#define RUN_GAP_NS                                                                                 \
	16000000 /* grace periods take a few ticks, so callbacks wait through short gaps */

int rcu_init(struct rcu_activity *rcu, uint32_t cpus)
{
	rcu->cpus = cpus;
	rcu->lanes = calloc(cpus ? cpus : 1, sizeof(*rcu->lanes));
	return rcu->lanes ? 0 : -ENOMEM;
}

void rcu_free(struct rcu_activity *rcu)
{
	for (uint32_t cpu = 0; rcu->lanes && cpu < rcu->cpus; cpu++)
		array_free(&rcu->lanes[cpu].runs);
	free(rcu->lanes);
	rcu->lanes = NULL;
}

int rcu_feed(struct rcu_activity *rcu, const struct event *event)
{
	struct rcu_lane *lane;
	struct rcu_interval *last;

	if (event->type != EV_SOFTIRQ_ENTRY || event->u.irq.number != RCU_SOFTIRQ ||
	    event->cpu >= rcu->cpus)
		return 0;
	lane = &rcu->lanes[event->cpu];
	last = lane->runs.len ? &lane->runs.ptr[lane->runs.len - 1] : NULL;
	if (last && event->time_ns - last->end_ns <= RUN_GAP_NS) {
		last->end_ns = event->time_ns;
		return 0;
	}
	last = array_add(&lane->runs);
	if (!last)
		return -ENOMEM;
	*last = (struct rcu_interval){event->time_ns, event->time_ns};
	return 0;
}

bool rcu_keeps_tick(const struct rcu_activity *rcu, uint32_t cpu, uint64_t time_ns, int64_t tick_ns)
{
	const struct rcu_lane *lane = cpu < rcu->cpus ? &rcu->lanes[cpu] : NULL;
	size_t lo = 0, hi = lane ? lane->runs.len : 0;

	/* The first run that ends after the time asked for. */
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (lane->runs.ptr[mid].end_ns > time_ns)
			hi = mid;
		else
			lo = mid + 1;
	}
	return lane && lo < lane->runs.len && tick_ns &&
	       lane->runs.ptr[lo].begin_ns < time_ns + (uint64_t)tick_ns;
}
