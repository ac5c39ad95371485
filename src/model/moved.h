/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Hrtimers that lie on another CPU than the one that started them. The kernel moves a timer that an idle CPU starts to one
 * that is busy anyway; no event tells, but it expires where it lies.
 */
#ifndef MODEL_MOVED_H
#define MODEL_MOVED_H

#include "base/array.h"
#include "trace/event.h"

/** struct moved_timer - started at @started_ns, it expired on @cpu */
struct moved_timer {
	uint64_t address, started_ns;
	uint32_t cpu;
};

/** struct moved - zero-initialise, moved_init(), feed in time order, moved_finish(), moved_free() */
struct moved {
	struct moved_timer
		*started; /* by address, the last starts by idle CPUs; NULL once finished */
	ARRAY(struct moved_timer) timers; /* sorted by start once finished */
};

/** moved_init - 0 or -ENOMEM */
int moved_init(struct moved *moved);
void moved_free(struct moved *moved);

/** moved_feed - take in hrtimer_start and hrtimer_expire_entry of all but ticks, ignore others; 0 or -ENOMEM */
int moved_feed(struct moved *moved, const struct event *event);

/** moved_finish - the trace has ended: moved_cpu() may be asked */
void moved_finish(struct moved *moved);

/** moved_cpu - where the timer lies that @event, a hrtimer_start, starts: event->cpu, if it was not seen elsewhere */
uint32_t moved_cpu(const struct moved *moved, const struct event *event);

#endif
