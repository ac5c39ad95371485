// SPDX-License-Identifier: GPL-2.0-only
/* All CPUs' events as one stream: a heap of CPUs, each with a batch of decoded events at hand and one being decoded. */
#include "trace/merge.h"

#include <errno.h>
#include <stdlib.h>

/* One batch of all CPUs together; more for one CPU would not fit the cache, fewer are not worth a turn. */
#define EVENTS_AT_HAND 32768
#define BATCH_MIN 64
#define BATCH_MAX 2048

/*
 * Batches of one CPU: events are taken from one, further ones wait, others are being filled. With fewer of them, now and
 * then either side has nothing to do.
 */
#define BATCHES 4

/** struct batch - decoded events of one CPU: those at @next … @end - 1 are not passed on yet */
struct batch {
	struct event *events;
	unsigned next, end;
};

/**
 * struct feed - one CPU's ring of batches. Between two turns @at, @complete and those batches belong to who takes events,
 * and @cursor, the @fill_room batches from @fill on and the rest of the second group to who decodes.
 */
struct feed {
	struct batch batches[BATCHES];
	unsigned at;	   /* the batch at hand */
	unsigned complete; /* batches with events, from that one on */
	bool waits;	   /* there is none, and the heap lacks this CPU */
	/* of who decodes */
	struct trace_cursor *cursor;
	unsigned fill, fill_room, filled;
	unsigned room;	  /* events of a batch */
	uint64_t decoded; /* events so far */
	int failure;	  /* shows when all before it has been passed on */
	bool ended;
	struct cpir_error err;
};

/** struct merge_entry - what the heap compares, kept together */
struct merge_entry {
	uint64_t time_ns;
	uint32_t cpu;
};

struct trace_merge {
	struct trace_merge_options options;
	struct feed *feeds;
	uint32_t feed_count;
	struct merge_entry
		*heap; /* a binary heap, least first; one entry per CPU with a batch at hand */
	uint32_t heap_count;
	bool dry; /* some CPU's batch is used up */
	struct batch *
		run; /* of the CPU at the top, whose event was passed on; NULL: find the top anew */
	struct merge_entry rival; /* the least of the other CPUs' */
};

/* ---- the heap ------------------------------------------------------------------------------------------------------ */

static bool entry_before(const struct merge_entry *a, const struct merge_entry *b)
{
	if (a->time_ns != b->time_ns)
		return a->time_ns < b->time_ns;
	return a->cpu < b->cpu;
}

/* Put @entry into the hole at @at, or further down. */
static void heap_sink(struct trace_merge *merge, uint32_t at, struct merge_entry entry)
{
	struct merge_entry *heap = merge->heap;

	for (;;) {
		uint32_t child = 2 * at + 1;

		if (child >= merge->heap_count)
			break;
		if (child + 1 < merge->heap_count && entry_before(&heap[child + 1], &heap[child]))
			child++;
		if (!entry_before(&heap[child], &entry))
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = entry;
}

/* ---- decoding -------------------------------------------------------------------------------------------------------- */

static unsigned sieved(const struct trace_merge *merge, uint32_t cpu, struct event *events,
		       unsigned count)
{
	const struct trace_merge_options *options = &merge->options;

	return options->sieve ? options->sieve(options->arg, cpu, events, count) : count;
}

/* Few are left of what went through the sieve: decode on until there are some, or no more. */
static void batch_fill(const struct trace_merge *merge, uint32_t cpu, struct feed *feed,
		       struct batch *batch)
{
	batch->next = batch->end = 0;
	if (feed->decoded >= merge->options.gate_from)
		trace_cursor_gate(feed->cursor, merge->options.gate);
	while (batch->end * 4 < feed->room * 3 && !feed->ended) {
		struct event *events = batch->events + batch->end;
		int rc = trace_cursor_read(feed->cursor, events, feed->room - batch->end,
					   &feed->err);

		if (rc > 0)
			feed->decoded += (unsigned)rc;
		if (rc > 0)
			batch->end += sieved(merge, cpu, events, (unsigned)rc);
		feed->failure = rc < 0 ? rc : 0;
		feed->ended = rc <= 0;
		if (!merge->options.sieve && batch->end)
			break; /* their texts are valid until the next reading */
	}
}

bool trace_merge_behind(const struct trace_merge *merge, uint32_t cpu)
{
	return merge->feeds[cpu].fill_room && !merge->feeds[cpu].ended;
}

/* Fill up to @most batches; no memory is as much a failure as a damaged file. */
static void feed_fill(const struct trace_merge *merge, uint32_t cpu, struct feed *feed,
		      unsigned most)
{
	while (feed->filled < most && !feed->ended) {
		struct batch *batch = &feed->batches[(feed->fill + feed->filled) % BATCHES];

		if (!batch->events)
			batch->events = malloc(feed->room * sizeof(*batch->events));
		if (!batch->events) {
			feed->ended = true;
			feed->failure = error_oom(&feed->err);
			return;
		}
		batch_fill(merge, cpu, feed, batch);
		feed->filled += batch->end > 0;
	}
}

void trace_merge_ahead(struct trace_merge *merge, uint32_t cpu)
{
	feed_fill(merge, cpu, &merge->feeds[cpu], merge->feeds[cpu].fill_room);
}

/* ---- from batches to the stream ---------------------------------------------------------------------------------------- */

static void heap_add(struct trace_merge *merge, uint32_t cpu)
{
	const struct feed *feed = &merge->feeds[cpu];
	const struct batch *batch = &feed->batches[feed->at];
	struct merge_entry entry = {batch->events[batch->next].time_ns, cpu};
	uint32_t at = merge->heap_count++;

	while (at && entry_before(&entry, &merge->heap[(at - 1) / 2])) {
		merge->heap[at] = merge->heap[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	merge->heap[at] = entry;
}

/* What was filled is complete, what was used up can be filled. */
static void feed_turn(struct feed *feed)
{
	feed->complete += feed->filled;
	feed->filled = 0;
	feed->fill = (feed->at + feed->complete) % BATCHES;
	feed->fill_room = BATCHES - feed->complete;
	/* Half of them at most: with all full there would be nothing to decode, and then nothing to take. */
	if (feed->fill_room > BATCHES / 2)
		feed->fill_room = BATCHES / 2;
}

/* Let a CPU that waits go on; 1 it does, or has to wait longer, 0 there is no more of it, negative errno */
static int feed_resume(struct trace_merge *merge, uint32_t cpu, struct feed *feed,
		       struct cpir_error *err)
{
	if (feed->complete) {
		heap_add(merge, cpu);
		feed->waits = false;
		return 1;
	}
	if (feed->failure) {
		if (err)
			*err = feed->err;
		return feed->failure;
	}
	feed->waits = !feed->ended;
	merge->dry |= feed->waits;
	return feed->waits;
}

int trace_merge_turn(struct trace_merge *merge, struct cpir_error *err)
{
	merge->dry = false;
	for (uint32_t cpu = 0; cpu < merge->feed_count; cpu++) {
		struct feed *feed = &merge->feeds[cpu];
		int rc;

		feed_turn(feed);
		rc = feed->waits ? feed_resume(merge, cpu, feed, err) : 0;
		if (rc < 0)
			return rc;
	}
	return merge->heap_count || merge->dry ? 1 : 0;
}

/* The run of events of the CPU at the top is over: let its next one find its place. */
static void merge_advance(struct trace_merge *merge)
{
	struct merge_entry top = merge->heap[0];
	struct feed *feed = &merge->feeds[top.cpu];
	const struct batch *batch = &feed->batches[feed->at];

	merge->run = NULL;
	if (batch->next == batch->end) {
		feed->at = (feed->at + 1) % BATCHES;
		feed->complete--;
		batch = &feed->batches[feed->at];
	}
	if (feed->complete) {
		top.time_ns = batch->events[batch->next].time_ns;
		heap_sink(merge, 0, top);
		return;
	}
	feed->waits = merge->dry = true;
	if (--merge->heap_count)
		heap_sink(merge, 0, merge->heap[merge->heap_count]);
}

static struct merge_entry rival_of_top(const struct trace_merge *merge)
{
	const struct merge_entry *heap = merge->heap;

	if (merge->heap_count < 2)
		return (struct merge_entry){UINT64_MAX, UINT32_MAX};
	return merge->heap_count > 2 && entry_before(&heap[2], &heap[1]) ? heap[2] : heap[1];
}

/* Events of one CPU come in runs: within one, two comparisons say that the next is the next of all. */
static const struct event *next_of_run(struct trace_merge *merge)
{
	struct batch *run = merge->run;
	struct merge_entry entry = {.cpu = merge->heap[0].cpu};

	if (run->next == run->end)
		return NULL;
	entry.time_ns = run->events[run->next].time_ns;
	return entry_before(&entry, &merge->rival) ? &run->events[run->next++] : NULL;
}

const struct event *trace_merge_take(struct trace_merge *merge)
{
	struct feed *feed;

	if (merge->run) {
		const struct event *event = next_of_run(merge);

		if (event)
			return event;
		merge_advance(merge);
	}
	if (merge->dry || !merge->heap_count)
		return NULL;
	feed = &merge->feeds[merge->heap[0].cpu];
	merge->run = &feed->batches[feed->at];
	merge->rival = rival_of_top(merge);
	return &merge->run->events[merge->run->next++];
}

int trace_merge_next(struct trace_merge *merge, const struct event **ret_event,
		     struct cpir_error *err)
{
	int rc = 1;

	while (!(*ret_event = trace_merge_take(merge)) && rc > 0) {
		for (uint32_t cpu = 0; cpu < merge->feed_count; cpu++) {
			if (merge->feeds[cpu].waits)
				feed_fill(merge, cpu, &merge->feeds[cpu], 1);
		}
		rc = trace_merge_turn(merge, err);
	}
	return rc;
}

uint32_t trace_merge_cpus(const struct trace_merge *merge)
{
	return merge->feed_count;
}

/* ---- opening and closing ----------------------------------------------------------------------------------------------- */

/* A CPU's share, and no more than it can have in a small file. */
static unsigned room_of(uint32_t cpus, const struct trace_cursor *cursor)
{
	unsigned share = EVENTS_AT_HAND / cpus;
	uint64_t done, bytes;

	trace_cursor_progress(cursor, &done, &bytes);
	if (share > BATCH_MAX)
		share = BATCH_MAX;
	if (share > bytes)
		share = (unsigned)bytes;
	return share < BATCH_MIN ? BATCH_MIN : share;
}

static int merge_init(struct trace_merge *merge, struct trace *trace, struct cpir_error *err)
{
	uint32_t cpus = trace_info(trace)->cpus;

	merge->feeds = calloc(cpus + 1, sizeof(*merge->feeds));
	merge->heap = calloc(cpus + 1, sizeof(*merge->heap));
	if (!merge->feeds || !merge->heap)
		return error_oom(err);
	merge->feed_count = cpus;
	merge->dry = cpus;
	for (uint32_t cpu = 0; cpu < cpus; cpu++) {
		struct feed *feed = &merge->feeds[cpu];
		int rc = trace_cursor_open(trace, cpu, &feed->cursor, err);

		if (rc < 0)
			return rc;
		feed->room = room_of(cpus, feed->cursor);
		trace_cursor_want(feed->cursor, merge->options.want);
		feed->waits = true;
	}
	return 0;
}

int trace_merge_open(struct trace *trace, const struct trace_merge_options *options,
		     struct trace_merge **ret_merge, struct cpir_error *err)
{
	struct trace_merge *merge = calloc(1, sizeof(*merge));
	int rc;

	if (!merge)
		return error_oom(err);
	if (options)
		merge->options = *options;
	rc = merge_init(merge, trace, err);
	if (rc < 0) {
		trace_merge_close(merge);
		return rc;
	}
	*ret_merge = merge;
	return 0;
}

void trace_merge_close(struct trace_merge *merge)
{
	if (!merge)
		return;
	for (uint32_t i = 0; i < merge->feed_count; i++) {
		trace_cursor_close(merge->feeds[i].cursor);
		for (unsigned k = 0; k < BATCHES; k++)
			free(merge->feeds[i].batches[k].events);
	}
	free(merge->feeds);
	free(merge->heap);
	free(merge);
}

/* ---- how far it has come --------------------------------------------------------------------------------------------------- */

uint64_t trace_merge_count(const struct trace_merge *merge, enum event_type type)
{
	uint64_t count = 0;

	for (uint32_t i = 0; i < merge->feed_count; i++)
		count += trace_cursor_count(merge->feeds[i].cursor, type);
	return count;
}

bool trace_merge_span(const struct trace_merge *merge, struct trace_span *ret_span)
{
	struct trace_span span = {.begin_ns = UINT64_MAX}, one;

	for (uint32_t i = 0; i < merge->feed_count; i++) {
		if (!trace_cursor_span(merge->feeds[i].cursor, &one))
			continue;
		span.begin_ns = one.begin_ns < span.begin_ns ? one.begin_ns : span.begin_ns;
		if (one.end_ns > span.end_ns) {
			span.end_ns = one.end_ns;
			span.end_cpu = one.end_cpu;
		}
		span.backward += one.backward;
		if (one.step_ns && (!span.step_ns || one.step_ns < span.step_ns))
			span.step_ns = one.step_ns;
	}
	if (span.begin_ns == UINT64_MAX)
		return false;
	*ret_span = span;
	return true;
}

unsigned trace_merge_permille(const struct trace_merge *merge)
{
	uint64_t done = 0, total = 0;

	for (uint32_t i = 0; i < merge->feed_count; i++) {
		uint64_t one_done, one_total;

		trace_cursor_progress(merge->feeds[i].cursor, &one_done, &one_total);
		done += one_done;
		total += one_total;
	}
	return total ? (unsigned)(done * 1000 / total) : 1000;
}
