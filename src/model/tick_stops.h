/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What stopped ticks were programmed for. A CPU that stops its tick has the tick's timer started once more, for when the
 * timer wheel has to be served next: so each stop shows a timer, even one that was armed before the trace and that no
 * event names. The limit that the clocks of a machine set to a sleep is programmed the same way, but it moves on with
 * every tick, where a timer stays.
 */
#ifndef MODEL_TICK_STOPS_H
#define MODEL_TICK_STOPS_H

#include "base/array.h"
#include "trace/event.h"

struct timers;

/** struct tick_stop - one expiry that stopped ticks of @cpu were programmed for */
struct tick_stop {
	uint32_t cpu;
	int64_t expires_ns;	    /* CLOCK_MONOTONIC */
	uint64_t first_ns, last_ns; /* trace time of the first and the last of these stops */
	bool stayed; /* between them lies at least a tick: it is a timer's, not a limit's */
};

/** struct tick_stops - zero-initialise, tick_stops_init(), feed in time order, tick_stops_free() */
struct tick_stops {
	uint32_t cpus;
	struct tick_stops_lane {
		bool stopping;
		int64_t latest_ns; /* the farthest expiry programmed so far, CLOCK_MONOTONIC; 0 none */
	} * lanes;
	struct timers *known; /* which expiry is which of @seen */
	ARRAY(struct tick_stop) seen;
};

/** tick_stops_init - for CPUs 0 … @cpus-1; 0 or -ENOMEM */
int tick_stops_init(struct tick_stops *stops, uint32_t cpus);
void tick_stops_free(struct tick_stops *stops);

/** tick_stops_feed - take in tick_stop and hrtimer_start, ignore others; 0 or -ENOMEM */
int tick_stops_feed(struct tick_stops *stops, const struct event *event);

/** tick_stops_latest - the farthest expiry programmed on @cpu so far, CLOCK_MONOTONIC in ns; 0 none */
int64_t tick_stops_latest(const struct tick_stops *stops, uint32_t cpu);

#endif
