// SPDX-License-Identifier: GPL-2.0-only
/*
 * All CPUs' events as one stream. Each CPU has some batches of decoded events at hand. In order are those up to the horizon:
 * the end of what is at hand of the CPU of which least is, for nothing that is not decoded yet can come before that.
 *
 * With few CPUs an event's successor is mostly the same CPU's: runs are followed, and looked for among all at the end of
 * each (9 ns for each event with two CPUs). With many, all events up to the horizon are sorted at once, which costs the same
 * however many there are (31 ns; to find the least of 64 CPUs for each event, in a heap, took 87).
 */
#include "trace/merge.h"

#include <errno.h>
#include <stdlib.h>

#include "base/large.h"
#include "base/lines.h"
#include "trace/bytes.h"
#include "trace/merge_feed.h"
#include "trace/merge_order.h"

/* More CPUs than this are sorted. */
#define RUN_CPUS 4

/** struct horizon - events up to here: earlier times, and this time up to that CPU */
struct horizon {
	uint64_t time_ns;
	uint32_t cpu;
};

/**
 * struct run - events of one CPU that follow each other: from @next to before @end, where its batch ends, another one's next
 * comes before, or the horizon is. @feed is as before the run; NULL: there is none.
 */
struct run {
	const struct event *next, *end;
	struct feed *feed;
	struct batch *batch;
};

struct trace_merge {
	struct trace_merge_options options;
	struct feed *feeds;
	uint32_t feed_count;
	char *memory; /* theirs, and that of the order */
	struct horizon horizon;
	bool nothing; /* can be taken before the next turn */
	struct run run;
	/* of many CPUs */
	bool gathered; /* what lies before the horizon is in the order */
	struct merge_order order;
};

static bool follows_runs(const struct trace_merge *merge)
{
	return merge->feed_count <= RUN_CPUS;
}

/* ---- decoding -------------------------------------------------------------------------------------------------------- */

unsigned trace_merge_behind(const struct trace_merge *merge, uint32_t cpu)
{
	return merge->feeds[cpu].ended ? 0 : merge->feeds[cpu].fill_room;
}

void trace_merge_ahead(struct trace_merge *merge, uint32_t cpu)
{
	feed_ahead(&merge->feeds[cpu], cpu, &merge->options);
}

/* ---- from batches to the stream ---------------------------------------------------------------------------------------- */

static bool beyond(uint64_t time_ns, uint32_t cpu, struct horizon horizon)
{
	return time_ns > horizon.time_ns || (time_ns == horizon.time_ns && cpu > horizon.cpu);
}

static struct horizon nearer(struct horizon a, struct horizon b)
{
	return beyond(a.time_ns, a.cpu, b) ? b : a;
}

/* Times within a round have 32 bits: where nothing happens for seconds, it ends early. */
static struct horizon within_reach(struct horizon horizon, uint64_t base_ns)
{
	struct horizon reach = {base_ns + UINT32_MAX, UINT32_MAX};

	return base_ns > UINT64_MAX - UINT32_MAX ? horizon : nearer(horizon, reach);
}

/* struct at_hand - what there is of all CPUs */
struct at_hand {
	struct horizon horizon;
	uint64_t first_ns;
	bool any;
	bool wait; /* for one that is used up, and goes on */
};

static void look_at(struct at_hand *all, uint32_t cpu, const struct feed *feed)
{
	const struct batch *batch = &feed->batches[feed->at];
	uint64_t time_ns;

	if (!feed->complete) {
		all->wait |= feed_goes_on(feed);
		return;
	}
	all->any = true;
	time_ns = batch->times_ns[batch->next];
	all->first_ns = time_ns < all->first_ns ? time_ns : all->first_ns;
	batch = &feed->batches[(feed->at + feed->complete - 1) % BATCHES];
	if (feed_goes_on(feed))
		all->horizon = nearer(all->horizon,
				      (struct horizon){batch->times_ns[batch->end - 1], cpu});
}

int trace_merge_turn(struct trace_merge *merge, struct cpir_error *err)
{
	struct at_hand all = {.horizon = {UINT64_MAX, UINT32_MAX}, .first_ns = UINT64_MAX};

	for (uint32_t cpu = 0; cpu < merge->feed_count; cpu++) {
		struct feed *feed = &merge->feeds[cpu];

		feed_turn(feed);
		if (!feed->complete && feed->failure) {
			if (err)
				*err = feed->err;
			return feed->failure;
		}
		look_at(&all, cpu, feed);
	}
	merge->nothing = all.wait;
	merge->run = (struct run){0};
	merge->horizon = all.horizon;
	if (!follows_runs(merge) && !all.wait) {
		merge->gathered = false;
		merge->horizon = within_reach(all.horizon, all.first_ns);
		merge_order_begin(&merge->order, all.first_ns);
	}
	return all.wait || all.any;
}

/* ---- few CPUs: runs ---- */

static void run_end(struct run *run)
{
	if (!run->feed)
		return;
	run->batch->next = (unsigned)(run->next - run->batch->events);
	run->feed->used += run->batch->next == run->batch->end;
}

static struct run run_of(struct feed *feed, uint32_t cpu, struct horizon until)
{
	struct batch *batch = feed_batch(feed);
	unsigned end = batch->next;

	while (end < batch->end && !beyond(batch->times_ns[end], cpu, until))
		end++;
	return (struct run){
		.next = batch->events + batch->next,
		.end = batch->events + end,
		.feed = feed,
		.batch = batch,
	};
}

/* The CPU that is next, until the one after it is. */
static void run_find(struct trace_merge *merge)
{
	struct horizon first = merge->horizon, second = merge->horizon;
	struct feed *found = NULL;

	run_end(&merge->run);
	for (uint32_t cpu = 0; cpu < merge->feed_count; cpu++) {
		struct feed *feed = &merge->feeds[cpu];
		const struct batch *batch = feed_batch(feed);
		uint64_t time_ns;

		if (feed->used == feed->complete)
			continue;
		time_ns = batch->times_ns[batch->next];
		if (!beyond(time_ns, cpu, first)) {
			second = first;
			first = (struct horizon){time_ns, cpu};
			found = feed;
		} else if (!beyond(time_ns, cpu, second)) {
			second = (struct horizon){time_ns, cpu};
		}
	}
	merge->run = found ? run_of(found, first.cpu, second) : (struct run){0};
}

static force_inline const struct event *run_next(struct run *run)
{
	return run->next < run->end ? run->next++ : NULL;
}

static const struct event *take_of_runs(struct trace_merge *merge)
{
	const struct event *event = run_next(&merge->run);

	if (event)
		return event;
	run_find(merge);
	return run_next(&merge->run);
}

/* ---- many: sorting ---- */

/* Put what lies before the horizon in the order. */
static void feed_gather(struct trace_merge *merge, uint32_t cpu, struct feed *feed)
{
	struct horizon horizon = merge->horizon;

	while (feed->used < feed->complete) {
		struct batch *batch = feed_batch(feed);

		for (; batch->next < batch->end; batch->next++) {
			uint64_t time_ns = batch->times_ns[batch->next];

			if (beyond(time_ns, cpu, horizon))
				return;
			merge_order_add(&merge->order, &batch->events[batch->next], time_ns);
		}
		feed->used++;
	}
}

static void gather(struct trace_merge *merge)
{
	for (uint32_t cpu = 0; cpu < merge->feed_count; cpu++)
		feed_gather(merge, cpu, &merge->feeds[cpu]);
	merge_order_sort(&merge->order);
	merge->gathered = true;
}

const struct event *trace_merge_take(struct trace_merge *merge)
{
	if (merge->nothing)
		return NULL;
	if (follows_runs(merge))
		return take_of_runs(merge);
	if (!merge->gathered)
		gather(merge);
	return merge_order_next(&merge->order);
}

int trace_merge_next(struct trace_merge *merge, const struct event **ret_event,
		     struct cpir_error *err)
{
	int rc = 1;

	while (!(*ret_event = trace_merge_take(merge)) && rc > 0) {
		for (uint32_t cpu = 0; cpu < merge->feed_count; cpu++) {
			if (merge->feeds[cpu].complete == merge->feeds[cpu].used)
				feed_ahead(&merge->feeds[cpu], cpu, &merge->options);
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

/* One piece for all: met page by page it would cost more than to decode into it, unless hardly any of it is needed. */
static int settle(struct trace_merge *merge)
{
	uint64_t done, one, in_file = 0;
	size_t bytes = 0, events = 0, at = 0;

	for (uint32_t cpu = 0; cpu < merge->feed_count; cpu++) {
		trace_cursor_progress(merge->feeds[cpu].cursor, &done, &one);
		in_file += one;
		bytes += feed_bytes(&merge->feeds[cpu]);
		events += (size_t)BATCHES * merge->feeds[cpu].room;
	}
	if (!follows_runs(merge))
		bytes += merge_order_bytes(events);
	merge->memory = bytes > in_file ? aligned_alloc(LINE_BYTES, bytes) : large_alloc(bytes);
	if (!merge->memory)
		return -ENOMEM;
	for (uint32_t cpu = 0; cpu < merge->feed_count; cpu++)
		at += feed_settle(&merge->feeds[cpu], merge->memory + at);
	if (!follows_runs(merge))
		merge_order_settle(&merge->order, merge->memory + at, events);
	return 0;
}

static int merge_init(struct trace_merge *merge, struct trace *trace, struct cpir_error *err)
{
	uint32_t cpus = trace_info(trace)->cpus;

	merge->feeds = calloc(cpus + 1, sizeof(*merge->feeds));
	if (!merge->feeds)
		return error_oom(err);
	merge->feed_count = cpus;
	merge->nothing = true;
	for (uint32_t cpu = 0; cpu < cpus; cpu++) {
		int rc = feed_open(&merge->feeds[cpu], trace, cpu, &merge->options, err);

		if (rc < 0)
			return rc;
	}
	return settle(merge) < 0 ? error_oom(err) : 0;
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
	for (uint32_t i = 0; i < merge->feed_count; i++)
		feed_close(&merge->feeds[i]);
	free(merge->feeds);
	free(merge->memory);
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

bool trace_merge_cpu_span(const struct trace_merge *merge, uint32_t cpu,
			  struct trace_span *ret_span)
{
	return trace_cursor_span(merge->feeds[cpu].cursor, ret_span);
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
		span.gaps += one.gaps;
		span.uncounted += one.uncounted;
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

		feed_progress(&merge->feeds[i], i, &merge->options, &one_done, &one_total);
		done += one_done;
		total += one_total;
	}
	return total ? (unsigned)(done * 1000 / total) : 1000;
}
