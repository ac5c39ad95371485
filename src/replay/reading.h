/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reading a study's trace as a timeline, once. Its beginning is kept, because nothing can be replayed before the machine's
 * constants are learned from it; from there on stretches are replayed as they come.
 */
#ifndef REPLAY_READING_H
#define REPLAY_READING_H

#include "base/error.h"
#include "model/timeline.h"
#include "replay/event_gap.h"
#include "trace/merge.h"

struct study;
struct reading;

/** reading_wants - what the timeline needs of the events of @cpus CPUs; the rest of the options is not set */
struct trace_merge_options reading_wants(uint32_t cpus);

/** reading_new - at the beginning of the trace; @study must outlive it */
int reading_new(struct study *study, struct reading **ret_reading, struct cpir_error *err);
void reading_free(struct reading *reading);

/**
 * reading_keep - read and keep stretches, and show each to @take, until it returns 1 (enough), a negative errno, or the
 *                trace ends
 */
int reading_keep(struct reading *reading, int (*take)(void *arg, struct stretch *stretch),
		 void *arg, struct cpir_error *err);

/** reading_event_gaps - add to @sum how closely the first events of each CPU follow each other; 0 or -ENOMEM */
int reading_event_gaps(const struct reading *reading, struct event_gap *sum);

/** reading_replay - let the shards of the study replay what is kept, and then the rest while it is read */
int reading_replay(struct reading *reading, struct cpir_error *err);

/** reading_walk - instead: show @sink all stretches in the order of their ends; its negative return ends it */
int reading_walk(struct reading *reading, int (*sink)(void *arg, struct stretch *stretch),
		 void *arg, struct cpir_error *err);

#endif
