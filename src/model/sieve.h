/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Most of what a busy CPU writes means nothing to the idle timeline: its interrupts, and its switches from task to task.
 * Taken out before the CPUs' events are merged, it costs only its decoding.
 */
#ifndef MODEL_SIEVE_H
#define MODEL_SIEVE_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/event.h"

/** struct sieve - of one CPU; zero-initialise */
struct sieve {
	bool busy; /* a task runs, by the last sched_switch */
};

/**
 * sieve_run - take out of @count events of one CPU, in its time order, those that leave the timeline of a trace with
 *             sched_switch events as it is
 * Returns: how many stay, at the front of @events
 */
unsigned sieve_run(struct sieve *sieve, struct event *events, unsigned count);

#endif
