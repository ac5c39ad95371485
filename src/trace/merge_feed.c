// SPDX-License-Identifier: GPL-2.0-only
/* Decoding one CPU's events, batch by batch. */
#include "trace/merge_feed.h"

#include <errno.h>
#include <stdlib.h>

#include "base/lines.h"
#include "trace/keep.h"

/* One batch of all CPUs together; more for one CPU would not fit the cache, fewer are not worth a turn. */
#define EVENTS_AT_HAND 16384
#define BATCH_MIN 64
#define BATCH_MAX 1024
#define EVENT_BYTES_MIN 8 /* in a file: its time, and which it is */

/* So many events show how much is left out. */
#define LOOK_EVENTS 4096

/* A CPU's share, and no more than it can have in a small file; a damaged one may claim any number of CPUs that have nothing. */
static unsigned room_of(uint32_t cpus, uint64_t bytes)
{
	unsigned share = EVENTS_AT_HAND / cpus;

	if (!bytes)
		return 0;
	if (share > BATCH_MAX)
		share = BATCH_MAX;
	if (share > bytes / EVENT_BYTES_MIN)
		share = (unsigned)(bytes / EVENT_BYTES_MIN);
	return share < BATCH_MIN ? BATCH_MIN : share;
}

int feed_open(struct feed *feed, struct trace *trace, uint32_t cpu,
	      const struct trace_merge_options *options, struct cpir_error *err)
{
	uint64_t done, bytes;
	int rc = 0;

	if (options->kept)
		feed->cursor = trace_keep_cursor(options->kept, cpu);
	if (!feed->cursor)
		rc = trace_cursor_open(trace, cpu, &feed->cursor, err);
	if (rc < 0)
		return rc;
	trace_cursor_progress(feed->cursor, &done, &bytes);
	feed->room = room_of(trace_info(trace)->cpus, bytes);
	feed->ended = !feed->room;
	trace_cursor_want(feed->cursor, options->want);
	return 0;
}

void feed_close(struct feed *feed)
{
	trace_cursor_close(feed->cursor);
}

/* Events each in a line of the cache: what is sorted is met in any order, and fetched before. */
size_t feed_bytes(const struct feed *feed)
{
	size_t events = (size_t)BATCHES * feed->room;
	size_t bytes = events * (sizeof(struct event) + sizeof(*feed->batches->times_ns)) +
		       trace_cursor_bytes(feed->cursor);

	return (bytes + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES;
}

size_t feed_settle(struct feed *feed, void *memory)
{
	struct event *events = memory;
	size_t count = (size_t)BATCHES * feed->room, bytes = feed_bytes(feed);
	uint64_t *times_ns = (uint64_t *)(events + count);

	for (unsigned i = 0; i < BATCHES; i++) {
		feed->batches[i].events = events + (size_t)i * feed->room;
		feed->batches[i].times_ns = times_ns + (size_t)i * feed->room;
	}
	if (trace_cursor_bytes(feed->cursor))
		trace_cursor_lend(feed->cursor, times_ns + count);
	return bytes;
}

static unsigned sieved(const struct trace_merge_options *options, uint32_t cpu,
		       struct event *events, unsigned count)
{
	return options->sieve ? options->sieve(options->arg, cpu, events, count) : count;
}

/* Of the events from @from on. Who merges looks at these, which lie close together, before it looks at events. */
static void note_times(struct feed *feed, struct batch *batch, unsigned from)
{
	for (unsigned i = from; i < batch->end; i++) {
		if (batch->events[i].time_ns > feed->last_ns)
			feed->last_ns = batch->events[i].time_ns;
		batch->times_ns[i] = feed->last_ns;
	}
}

void feed_progress(const struct feed *feed, uint32_t cpu, const struct trace_merge_options *options,
		   uint64_t *ret_done, uint64_t *ret_total)
{
	trace_cursor_progress(feed->cursor, ret_done, ret_total);
	if (options->kept)
		*ret_done = *ret_done * trace_keep_permille(options->kept, cpu) / 1000;
}

/* There is no room for more, or there is no more: who reads what is kept goes on from here. */
static int keep_end(struct feed *feed, uint32_t cpu, const struct trace_merge_options *options)
{
	struct trace_cursor *rest;

	if (trace_cursor_clone(feed->cursor, &rest) < 0)
		return error_oom(&feed->err);
	trace_keep_end(options->keep, cpu, rest);
	trace_cursor_want(feed->cursor, options->want_beyond);
	trace_cursor_gate(feed->cursor, &(struct trace_gate){0});
	return 0;
}

/*
 * Where most of what is written is of use, it is as much work to keep and to read it as to decode it again, and the second
 * reading has threads to spare for that.
 */
static bool is_worth_keeping(const struct feed *feed, uint64_t gate_from)
{
	uint64_t delivered = feed->delivered - gate_from;

	if (feed->delivered < gate_from || delivered < LOOK_EVENTS)
		return true;
	return delivered * 2 < trace_cursor_passed(feed->cursor) - feed->passed;
}

/* Read, and keep what is read as long as there is room. */
static int read_keeping(struct feed *feed, uint32_t cpu, const struct trace_merge_options *options,
			struct event *events, unsigned max)
{
	bool room = trace_keep_has_room(options->keep, cpu, max) &&
		    is_worth_keeping(feed, options->gate_from);
	int rc = room ? trace_cursor_read(feed->cursor, events, max, &feed->err) : 0;

	if (rc < 0)
		return rc;
	trace_keep_add(options->keep, cpu, events, (unsigned)rc);
	if (!rc && keep_end(feed, cpu, options) < 0)
		return -ENOMEM;
	return room ? rc : trace_cursor_read(feed->cursor, events, max, &feed->err);
}

static int read_next(struct feed *feed, uint32_t cpu, const struct trace_merge_options *options,
		     struct event *events, unsigned max)
{
	uint64_t ungated = options->gate_from - feed->delivered;
	unsigned kept;

	if (feed->delivered < options->gate_from && ungated < max)
		max = (unsigned)ungated;
	kept = options->kept ? trace_keep_read(options->kept, cpu, events, max) : 0;
	if (kept)
		return (int)kept;
	if (options->keep && trace_keep_ended(options->keep, cpu))
		return trace_cursor_read(feed->cursor, events, max, &feed->err);
	if (feed->delivered == options->gate_from)
		feed->passed = trace_cursor_passed(feed->cursor);
	if (feed->delivered >= options->gate_from)
		trace_cursor_gate(feed->cursor, &options->gate);
	if (options->keep)
		return read_keeping(feed, cpu, options, events, max);
	return trace_cursor_read(feed->cursor, events, max, &feed->err);
}

/* Few are left of what went through the sieve: decode on until there are some, or no more. */
static void batch_fill(struct feed *feed, uint32_t cpu, const struct trace_merge_options *options,
		       struct batch *batch)
{
	batch->next = batch->end = 0;
	while (batch->end * 4 < feed->room * 3 && !feed->ended) {
		struct event *events = batch->events + batch->end;
		int rc = read_next(feed, cpu, options, events, feed->room - batch->end);

		if (rc > 0)
			feed->delivered += (unsigned)rc;
		if (rc > 0)
			batch->end += sieved(options, cpu, events, (unsigned)rc);
		note_times(feed, batch, (unsigned)(events - batch->events));
		feed->failure = rc < 0 ? rc : 0;
		feed->ended = rc <= 0;
		if (!options->sieve && batch->end)
			break; /* their texts are valid until the next reading */
	}
}

static void fill_next(struct feed *feed, uint32_t cpu, const struct trace_merge_options *options)
{
	struct batch *batch = &feed->batches[(feed->fill + feed->filled) % BATCHES];

	if (feed->ended)
		return;
	batch_fill(feed, cpu, options, batch);
	feed->filled += batch->end > 0;
}

void feed_ahead(struct feed *feed, uint32_t cpu, const struct trace_merge_options *options)
{
	if (atomic_fetch_add(&feed->asked, 1))
		return; /* to the one that is at it */
	do
		fill_next(feed, cpu, options);
	while (atomic_fetch_sub(&feed->asked, 1) > 1);
}

void feed_turn(struct feed *feed)
{
	feed->at = (feed->at + feed->used) % BATCHES;
	feed->complete += feed->filled - feed->used;
	feed->used = feed->filled = 0;
	feed->fill = (feed->at + feed->complete) % BATCHES;
	feed->fill_room = BATCHES - feed->complete;
	/* Not all of them: with all full there would be nothing to decode, and then nothing to take. */
	if (feed->fill_room > TRACE_MERGE_AHEAD)
		feed->fill_room = TRACE_MERGE_AHEAD;
}
