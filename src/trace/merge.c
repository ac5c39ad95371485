// SPDX-License-Identifier: GPL-2.0-only
/* All CPUs' events as one stream: a heap of cursors, each with a batch of decoded events at hand. */
#include "trace/merge.h"

#include <errno.h>
#include <stdlib.h>

#define BATCH 128

/** struct feed - one CPU: the events at @next … @end - 1 are decoded and not passed on yet */
struct feed {
	struct trace_cursor *cursor;
	struct event *batch;
	unsigned next, end;
};

/** struct merge_entry - what the heap compares, kept together */
struct merge_entry {
	uint64_t time_ns;
	uint32_t cpu;
};

struct trace_merge {
	struct feed *feeds;
	uint64_t want;
	uint32_t feed_count;
	struct merge_entry
		*heap; /* a binary heap, least first; one entry per CPU with events left */
	uint32_t heap_count;
	bool started; /* the entry at the top has been passed on and must move */
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

/* ---- feeds --------------------------------------------------------------------------------------------------------- */

/* Returns: 1 feed->batch[feed->next] is the next event, 0 there is none left, negative errno */
static int feed_fill(struct feed *feed, struct cpir_error *err)
{
	int rc;

	if (feed->next < feed->end)
		return 1;
	rc = trace_cursor_read(feed->cursor, feed->batch, BATCH, err);
	if (rc <= 0)
		return rc;
	feed->next = 0;
	feed->end = (unsigned)rc;
	return 1;
}

static int feed_open(struct trace *trace, uint32_t cpu, struct feed *feed, struct cpir_error *err)
{
	int rc = trace_cursor_open(trace, cpu, &feed->cursor, err);

	if (rc < 0)
		return rc;
	feed->batch = calloc(BATCH, sizeof(*feed->batch));
	return feed->batch ? 0 : error_oom(err);
}

static int merge_fill(struct trace_merge *merge, struct trace *trace, struct cpir_error *err)
{
	for (uint32_t cpu = 0; cpu < merge->feed_count; cpu++) {
		struct feed *feed = &merge->feeds[cpu];
		int rc = feed_open(trace, cpu, feed, err);

		if (rc == 0)
			trace_cursor_want(feed->cursor, merge->want);
		if (rc == 0)
			rc = feed_fill(feed, err);
		if (rc < 0)
			return rc;
		if (rc > 0)
			merge->heap[merge->heap_count++] =
				(struct merge_entry){feed->batch[0].time_ns, cpu};
	}
	for (uint32_t at = merge->heap_count / 2; at-- > 0;)
		heap_sink(merge, at, merge->heap[at]);
	return 0;
}

/* ---- interface ------------------------------------------------------------------------------------------------------- */

int trace_merge_open(struct trace *trace, struct trace_merge **ret_merge, struct cpir_error *err)
{
	return trace_merge_open_only(trace, 0, ret_merge, err);
}

int trace_merge_open_only(struct trace *trace, uint64_t want, struct trace_merge **ret_merge,
			  struct cpir_error *err)
{
	uint32_t cpus = trace_info(trace)->cpus;
	struct trace_merge *merge = calloc(1, sizeof(*merge));
	int rc;

	if (!merge)
		return error_oom(err);
	merge->feeds = calloc(cpus + 1, sizeof(*merge->feeds));
	merge->heap = calloc(cpus + 1, sizeof(*merge->heap));
	if (!merge->feeds || !merge->heap) {
		trace_merge_close(merge);
		return error_oom(err);
	}
	merge->feed_count = cpus;
	merge->want = want;
	rc = merge_fill(merge, trace, err);
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
		free(merge->feeds[i].batch);
	}
	free(merge->feeds);
	free(merge->heap);
	free(merge);
}

/* The event at the top has been used: let its CPU's next one find its place. */
static int merge_advance(struct trace_merge *merge, struct cpir_error *err)
{
	struct merge_entry top = merge->heap[0];
	struct feed *feed = &merge->feeds[top.cpu];
	int rc = feed_fill(feed, err);

	if (rc < 0)
		return rc;
	if (rc > 0) {
		top.time_ns = feed->batch[feed->next].time_ns;
		heap_sink(merge, 0, top);
	} else if (--merge->heap_count) {
		heap_sink(merge, 0, merge->heap[merge->heap_count]);
	}
	return 0;
}

int trace_merge_next(struct trace_merge *merge, const struct event **ret_event,
		     struct cpir_error *err)
{
	struct feed *feed;

	if (merge->started && merge->heap_count) {
		int rc = merge_advance(merge, err);

		if (rc < 0)
			return rc;
	}
	merge->started = true;
	if (!merge->heap_count)
		return 0;
	feed = &merge->feeds[merge->heap[0].cpu];
	*ret_event = &feed->batch[feed->next++];
	return 1;
}

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
