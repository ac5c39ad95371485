/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reading a trace in rounds. In each of them one thread takes the decoded events in time order, while others decode the
 * next ones of every CPU and do jobs of the caller's own, on what was taken in the round before. Merging and what takes
 * the events are the one thing that cannot be shared; all else can, and nothing waits for a single event.
 */
#ifndef TRACE_ROUNDS_H
#define TRACE_ROUNDS_H

#include "base/crew.h"
#include "trace/merge.h"

/** struct trace_rounds - what is done in each; all functions get @arg and may return a negative errno, which ends it */
struct trace_rounds {
	int (*take)(void *arg, const struct event *event); /* in time order, never two at once */
	void (*job)(void *arg, unsigned job);		   /* beside it, 0 … @jobs-1 */
	unsigned jobs;
	int (*turn)(void *arg); /* between two rounds, alone; 1: stop here for now */
	void *arg;
};

/**
 * trace_rounds_run - read until the end, or @rounds->turn says stop; call it again to go on
 * Returns: 1 stopped, 0 the end, negative errno: of reading with @err, or what one of the functions returned
 */
int trace_rounds_run(struct trace_merge *merge, struct crew *crew,
		     const struct trace_rounds *rounds, struct cpir_error *err);

#endif
