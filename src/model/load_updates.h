/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Once in 32 ms the scheduler brings the load of CPUs that stopped their tick up to date, and a CPU that goes idle does it
 * on its way, before it reads the clock for its sleep length. No event shows that; but such a way is longer than usual, and
 * the next is due 32 ms later, at the first CPU that goes idle from then on.
 */
#ifndef MODEL_LOAD_UPDATES_H
#define MODEL_LOAD_UPDATES_H

#include <stdbool.h>
#include <stdint.h>

/** struct load_phase - a belief about when the next update is due; all zero: none yet */
struct load_phase {
	int64_t due_ns; /* the tick of the grid from which on it is */
	int32_t rate;	/* how often a way was long then, recent ones above all */
};

/** struct load_updates - of a machine; all zero to begin with */
struct load_updates {
	int64_t usual_way_ns[2]; /* from sched_switch to cpu_idle, [1]: stopping the tick */
	struct load_phase belief, other;
	int32_t usual_rate; /* how often a way is long at all */
};

/** struct way_idle - of a CPU that ran out of work, from sched_switch to its first cpu_idle */
struct way_idle {
	int64_t last_tick_ns; /* of the grid, when it began */
	int64_t lasted_ns;
	bool stops_tick; /* it took longer for that */
	bool wakes_up_soon; /* the CPU has been idle for short whiles only: it leaves the update to others */
};

/**
 * load_updates_pass - take notice of @way, the next in time order
 * @tick_ns: length of a tick; 0 unknown: nothing is told
 * Returns by how many ns the update delayed the idle entry, 0 where there was none or the record does not clearly show
 * their rhythm.
 */
int64_t load_updates_pass(struct load_updates *updates, const struct way_idle *way,
			  int64_t tick_ns);

/** load_idle_average - a CPU's average of its idle times by the scheduler's rule, after one of @idle_ns more; in ns */
int64_t load_idle_average(int64_t average_ns, int64_t idle_ns);

/** load_wakes_up_soon - a CPU with such an average leaves updates to others */
bool load_wakes_up_soon(int64_t average_ns);

#endif
