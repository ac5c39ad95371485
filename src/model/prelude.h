/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Timers that were pending before the trace began. Nothing shows their start, but a timer that expires without having
 * been started in the trace was there from its beginning, and so was one that stopped ticks were programmed for
 * (tick_stops.h) and that nothing in the trace started. Where a tick was programmed beyond a timer, that does not count.
 */
#ifndef MODEL_PRELUDE_H
#define MODEL_PRELUDE_H

#include "base/array.h"
#include "model/clock.h"
#include "model/tick_stops.h"
#include "model/timers.h"

struct prelude_timer {
	uint64_t address;
	uint32_t cpu;
	bool wheel;	  /* else a hrtimer */
	bool flags_known; /* it was started again later, with these @flags */
	uint32_t flags;
	int64_t when; /* hrtimer: ns of its clock; wheel: jiffies */
	int64_t programmed_ns; /* wheel: the farthest expiry a tick of the CPU was programmed for until then */
	uint64_t seen_ns; /* trace time of the event that gave it away */
};

/** struct prelude - what was found; zero-initialise, prelude_init(), feed in time order, prelude_free() */
struct prelude {
	struct timers *started; /* addresses started so far; NULL once the search is over */
	struct timers *buckets; /* jiffies that known timers of the wheel wait for: since when */
	struct tick_stops stops;
	uint64_t begin_ns;
	ARRAY(struct prelude_timer) timers;
};

/** prelude_init - for CPUs 0 … @cpus-1; 0 or -ENOMEM */
int prelude_init(struct prelude *prelude, uint32_t cpus);
void prelude_free(struct prelude *prelude);

/** prelude_feed - look at one event; stops looking some time into the trace. 0 or -ENOMEM */
int prelude_feed(struct prelude *prelude, const struct event *event);

/** prelude_unseen - how many timers only the tick's programming shows */
size_t prelude_unseen(const struct prelude *prelude, const struct clocks *clocks);

/**
 * prelude_seed - arm what was found in @hrtimers and @wheel, both in CLOCK_MONOTONIC
 * @shared_wheel: timers of one CPU may be served by another (6.9 and later)
 * Returns: 0 or -ENOMEM
 */
int prelude_seed(const struct prelude *prelude, const struct clocks *clocks, bool shared_wheel,
		 struct timers *hrtimers, struct timers *wheel);

#endif
