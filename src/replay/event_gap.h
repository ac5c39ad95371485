/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How close the events of one CPU follow each other. Between the closest there is hardly more than the writing of one,
 * so they tell what an event costs, on recordings whose decisions and verdicts do not.
 */
#ifndef REPLAY_EVENT_GAP_H
#define REPLAY_EVENT_GAP_H

#include <stdbool.h>

#include "base/hist.h"
#include "trace/event.h"

/** struct event_gap - of one CPU, or of several merged; all zero is empty, event_gap_deinit() at the end */
struct event_gap {
	struct hist distance_ns;
	uint64_t last_ns; /* of the event before */
	bool follows;	  /* there is one, and nothing was lost since */
	bool failed;	  /* the caller's: an addition failed */
};

void event_gap_deinit(struct event_gap *gap);

/** event_gap_add - the next event of a CPU, in time order; 0 or -ENOMEM */
int event_gap_add(struct event_gap *gap, const struct event *event);

/** event_gap_merge - add what @from holds of another CPU; @from stays as it is; 0 or -ENOMEM */
int event_gap_merge(struct event_gap *gap, const struct event_gap *from);

/** event_gap_cost_ns - the cost of an event; 0: too few to tell */
int64_t event_gap_cost_ns(const struct event_gap *gap);

#endif
