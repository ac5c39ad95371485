/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a decision saw: from times of events to the numbers the governor computes with. They are made where they are kept: a
 * copy of what was just written field by field waits until all of it has reached the cache.
 */
#ifndef REPLAY_INPUTS_H
#define REPLAY_INPUTS_H

#include "replay/context.h"

/** struct sight - when a decision was taken and what was pending then; ns of the trace clock, TIME_NONE nothing */
struct sight {
	int64_t entry_ns; /* idle entry time */
	int64_t hrtimer_ns, wheel_ns, tick_ns;
	int64_t grid_ns;  /* some tick of the grid close by, TIME_NONE unknown */
	int64_t stale_ns; /* the clock device's programming, its timer gone */
	int64_t latency_req_ns;
	uint32_t iowaiters;
	bool tick_stopped;
	bool tick_kept; /* something the trace does not show keeps the tick running */
};

/** entry_of_period - the idle entry time of the record's decision @period, not after it */
int64_t entry_of_period(const struct context *context, const struct period *period);

/** sight_of_period - what the record's governor saw when it decided @period */
void sight_of_period(const struct context *context, const struct period *period,
		     struct sight *ret_sight);

/** inputs_build - the governor's inputs; @tick_needed: by inputs_tick_needed(); @disabled_mask: bit i = state i disabled */
void inputs_build(const struct context *context, const struct sight *sight, bool tick_needed,
		  uint32_t disabled_mask, struct policy_input *ret_input);

/** sight_pending - the part of it that does not depend on where the decision stands: what was pending, and the limits */
static inline struct sight sight_pending(const struct period *period)
{
	return (struct sight){
		.hrtimer_ns = period->next_hrtimer_ns,
		.wheel_ns = period->next_wheel_ns,
		.grid_ns = period->grid_ns,
		.stale_ns = period->stale_ns,
		.latency_req_ns = period->latency_req_ns,
		.iowaiters = period->iowaiters,
		.tick_kept = period->tick_kept,
	};
}

/**
 * outcome_of_period - what the record's governor was told came of @period
 * @cost_ns: by which the trace shows a period longer than the kernel's own clock does
 */
struct policy_outcome outcome_of_period(const struct cpir_table *table, const struct period *period,
					int64_t cost_ns);

/** inputs_tick_needed - the next wheel event lies within a tick, so that the tick would not be stopped */
bool inputs_tick_needed(const struct context *context, const struct sight *sight);

#endif
