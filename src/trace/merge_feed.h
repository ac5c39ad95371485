/* SPDX-License-Identifier: GPL-2.0-only */
/* The decoded events of one CPU that are at hand: a few batches, some to be taken from, some to be filled. For merge.c. */
#ifndef TRACE_MERGE_FEED_H
#define TRACE_MERGE_FEED_H

#include <stdatomic.h>

#include "trace/merge.h"

/*
 * Batches of one CPU: events are taken from some, further ones wait, others are being filled. With fewer of them, now and
 * then either side has nothing to do.
 */
#define BATCHES (2 * TRACE_MERGE_AHEAD)

/** struct batch - decoded events of one CPU: those at @next … @end - 1 are not passed on yet */
struct batch {
	struct event *events;
	uint64_t *
		times_ns; /* of each: the highest time of the CPU so far, as a clock that goes back is taken to stand still */
	unsigned next, end;
};

/**
 * struct feed - one CPU's ring of batches. Between two turns the @complete batches from @at on belong to who takes events,
 * and @cursor, the @fill_room batches from @fill on and the rest of the second group to who decodes.
 */
struct feed {
	struct batch batches[BATCHES];
	unsigned at;	   /* the first batch with events */
	unsigned complete; /* batches with events, from that one on */
	unsigned used;	   /* of these, passed on since the last turn */
	atomic_uint asked; /* batches asked for that nobody has filled yet */
	/* of who decodes */
	struct trace_cursor *cursor;
	unsigned fill, fill_room, filled;
	unsigned room;	    /* events of a batch */
	uint64_t delivered; /* events so far */
	uint64_t passed;    /* records, when the gate began to close */
	uint64_t last_ns;   /* the highest time decoded so far */
	int failure;	    /* shows when all before it has been passed on */
	bool ended;
	struct cpir_error err;
};

/**
 * feed_open - at the beginning of @cpu of @trace; 0 or negative errno with @err. feed_close() in any case
 * Before anything else is done with it, it wants memory.
 */
int feed_open(struct feed *feed, struct trace *trace, uint32_t cpu,
	      const struct trace_merge_options *options, struct cpir_error *err);
void feed_close(struct feed *feed);

/** feed_bytes - of memory for its batches, and for what they are decoded from, a multiple of a line of the cache */
size_t feed_bytes(const struct feed *feed);

/** feed_settle - have these in the feed_bytes(), as it returns, at @memory, which begins a line and outlives the feed */
size_t feed_settle(struct feed *feed, void *memory);

/** feed_progress - bytes of the file passed so far, and in all */
void feed_progress(const struct feed *feed, uint32_t cpu, const struct trace_merge_options *options,
		   uint64_t *ret_done, uint64_t *ret_total);

/**
 * feed_ahead - fill one more batch; what goes wrong is kept in @feed->failure
 * Several threads may call it at a time: one of them fills the batches of all.
 */
void feed_ahead(struct feed *feed, uint32_t cpu, const struct trace_merge_options *options);

/** feed_turn - what was filled is complete, what was used up can be filled; nobody may be at either then */
void feed_turn(struct feed *feed);

/** feed_goes_on - more will come, or an error: what is at hand bounds what can be put in order */
static inline bool feed_goes_on(const struct feed *feed)
{
	return !feed->ended || feed->failure;
}

/** feed_batch - the batch whose events are next; only while used < complete */
static inline struct batch *feed_batch(struct feed *feed)
{
	return &feed->batches[(feed->at + feed->used) % BATCHES];
}

#endif
