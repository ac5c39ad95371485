/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * When RCU callbacks kept a CPU's tick running. No event says so, but callbacks that wait make the tick raise the RCU
 * softirq: while those come tick after tick, the tick could not be stopped.
 */
#ifndef MODEL_RCU_H
#define MODEL_RCU_H

#include "base/array.h"
#include "trace/event.h"

#define RCU_SOFTIRQ 9 /* number of its EV_SOFTIRQ_ENTRY */

struct rcu_interval {
	uint64_t begin_ns, end_ns; /* first and last RCU softirq of a run */
};

/** struct rcu_activity - per CPU, in time order; rcu_free() at the end */
struct rcu_activity {
	uint32_t cpus;
	struct rcu_lane {
		ARRAY(struct rcu_interval) runs;
	} * lanes;
};

/** rcu_init - for CPUs 0 … @cpus-1; 0 or -ENOMEM */
int rcu_init(struct rcu_activity *rcu, uint32_t cpus);
void rcu_free(struct rcu_activity *rcu);

/** rcu_feed - take in softirq events, ignore others; 0 or -ENOMEM */
int rcu_feed(struct rcu_activity *rcu, const struct event *event);

/** rcu_keeps_tick - callbacks waited on @cpu at @time_ns, as far as the softirqs tell; @tick_ns 0: unknown, so no */
bool rcu_keeps_tick(const struct rcu_activity *rcu, uint32_t cpu, uint64_t time_ns,
		    int64_t tick_ns);

#endif
