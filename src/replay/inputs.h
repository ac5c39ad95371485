/* SPDX-License-Identifier: GPL-2.0-only */
/* What a decision saw: from times of events to the numbers the governor computes with. */
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

/** sight_of_period - what the record's governor saw when it decided @period */
struct sight sight_of_period(const struct context *context, const struct period *period);

/** inputs_build - the governor's inputs; @tick_needed: by inputs_tick_needed(); @disabled_mask: bit i = state i disabled */
struct policy_input inputs_build(const struct context *context, const struct sight *sight,
				 bool tick_needed, uint32_t disabled_mask);

/** inputs_tick_needed - the next wheel event lies within a tick, so that the tick would not be stopped */
bool inputs_tick_needed(const struct context *context, const struct sight *sight);

#endif
