/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Timers that were pending before the trace began. Nothing shows their start, but a timer that expires without having
 * been started in the trace was there from its beginning, and so was one that a stopped tick was programmed for.
 */
#ifndef MODEL_PRELUDE_H
#define MODEL_PRELUDE_H

#include "base/array.h"
#include "model/clock.h"
#include "model/timers.h"

struct prelude_timer {
	uint64_t address;
	uint32_t cpu;
	bool wheel;	  /* else a hrtimer */
	bool flags_known; /* it was started again later, with these @flags */
	uint32_t flags;
	int64_t when;	  /* hrtimer: ns of its clock; wheel: jiffies */
	uint64_t seen_ns; /* trace time of the event that gave it away */
};

/** struct prelude - what was found; zero-initialise, prelude_init(), feed in time order, prelude_free() */
struct prelude {
	struct timers *started; /* addresses started so far; NULL once the search is over */
	uint64_t begin_ns;
	ARRAY(struct prelude_timer) timers;
};

/** prelude_init - 0 or -ENOMEM */
int prelude_init(struct prelude *prelude);
void prelude_free(struct prelude *prelude);

/** prelude_feed - look at one event; stops looking some time into the trace. 0 or -ENOMEM */
int prelude_feed(struct prelude *prelude, const struct event *event);

/** prelude_seed - arm what was found in @hrtimers and @wheel, both in CLOCK_MONOTONIC; 0 or -ENOMEM */
int prelude_seed(const struct prelude *prelude, const struct clocks *clocks,
		 struct timers *hrtimers, struct timers *wheel);

#endif
