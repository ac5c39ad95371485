/* SPDX-License-Identifier: GPL-2.0-only */
/* One CPU living through one stretch of the record under a policy; private to the what-if run. */
#ifndef REPLAY_LIFE_H
#define REPLAY_LIFE_H

#include "replay/context.h"

/** struct life - where the simulated CPU stands; times in ns of the trace clock */
struct life {
	const struct context *context;
	const struct cpir_policy *policy;
	enum bound bound;
	const struct stretch *stretch;
	const struct cpir_table *table;
	void *state; /* the policy's */
	uint32_t disabled_mask;
	int64_t now_ns;	  /* when the period to be decided begins */
	int64_t entry_ns; /* idle entry time */
	int64_t tick_ns;  /* next tick, TIME_NONE: tick rate unknown */
	bool tick_stopped;
	uint32_t served;  /* happenings served */
	uint32_t ordinal; /* decisions since the last of them */
	size_t reference; /* the record's period whose pending timers hold now */
	bool over;	  /* a task was woken, or the record ends */
};

/** struct night - one simulated period */
struct night {
	struct policy_decision decision;
	uint32_t happenings, ordinal; /* where it was decided, as struct move has it */
	int64_t end_ns;
	enum cpir_wake wake;
	bool got_tick, poll_timeout, stopped_tick;
	bool as_recorded; /* just what @paired was: late interrupts came when they came */
	const struct happening *ended_by; /* NULL: a tick or the polling limit */
	const struct period *paired; /* the record's period that the same cause ended, NULL none */
};

/** night_decide - ask the policy, and stop the tick if it says so and the tick may be stopped */
void night_decide(struct life *life, struct night *night);

/** night_live - let the decided period happen: its end, what it served, where the CPU stands after it */
void night_live(struct life *life, struct night *night);

/** life_next - the happening that is due next, NULL none */
const struct happening *life_next(const struct life *life);

#endif
