// SPDX-License-Identifier: GPL-2.0-only
/*
 * While one thread makes stretches of the events of a round and writes them into one book, the shards replay the book of
 * the round before, and others decode the events of the next.
 */
#include "replay/reading.h"

#include <errno.h>

#include "policy/release.h"
#include "replay/book.h"
#include "replay/study.h"

/* struct load - how many periods of a book are one shard's */
struct load {
	unsigned shard;
	size_t periods;
};

struct reading {
	struct study *study;
	struct timeline *timeline;
	struct trace_merge *merge;
	struct book books[2];
	unsigned writing; /* which of them is being written */
	struct load *loads
		[2]; /* how the work on each book is shared out; NULL while there are no shards */
	struct event_gap
		*gaps; /* per CPU, of its first events; each belongs to who decodes that CPU */
	uint64_t gap_events; /* so many of each */
	struct book kept;
	bool ended; /* the trace has */
	/* who sees the stretches that are kept */
	int (*take)(void *arg, struct stretch *stretch);
	void *arg;
	int taken;		       /* what it returned last */
	size_t shown;		       /* stretches that are, or are about to be */
	ARRAY(struct stretch *) fresh; /* these */
};

static uint32_t timeline_release(const char *kernel)
{
	struct release release;

	if (release_parse(kernel, &release, NULL) < 0)
		return 0;
	return release.major << 16 | release.minor << 8;
}

static int write_stretch(void *arg, struct stretch *stretch)
{
	struct reading *reading = arg;
	const struct study *study = reading->study;
	struct load *loads = reading->loads[reading->writing];

	if (loads)
		loads[shard_of(stretch->cpu, study->info->cpus, study->shard_count)].periods +=
			stretch->periods.len;
	return book_add(&reading->books[reading->writing], stretch);
}

static struct timeline *make_timeline(struct reading *reading)
{
	const struct study *study = reading->study;
	struct timeline_options options = {
		.cpus = study->info->cpus,
		.clocks = &study->clocks,
		.rcu = &study->rcu,
		.prelude = &study->prelude,
		.moved = &study->moved,
		.qos_guess = &study->qos_guess,
		.masks = &study->masks,
		.platform = study->platform,
		.known = study->context.known,
		.release = timeline_release(study->kernel),
		.sink = write_stretch,
		.arg = reading,
	};

	return timeline_new(&options);
}

/* Texts and undecoded events mean nothing to the timeline. */
#define WANT_TIMELINE (~(EVENT_BIT(EV_PRINT) | EVENT_BIT(EV_RAW)))

/*
 * So many events of a CPU tell how closely they follow each other, fewer where so many CPUs do; only then are some of them left
 * out. With 512 CPUs, 65,536 of each took 12 % of the time of a report.
 */
#define GAP_EVENTS 65536
#define GAP_EVENTS_MIN 4096
#define GAP_EVENTS_ALL (16 * GAP_EVENTS)

static uint64_t gap_events(uint32_t cpus)
{
	uint64_t share = GAP_EVENTS_ALL / (cpus ? cpus : 1);

	if (share > GAP_EVENTS)
		return GAP_EVENTS;
	return share < GAP_EVENTS_MIN ? GAP_EVENTS_MIN : share;
}

static unsigned measure_gaps(void *arg, uint32_t cpu, struct event *events, unsigned count)
{
	struct reading *reading = arg;
	struct event_gap *gap = &reading->gaps[cpu];

	for (unsigned i = 0;
	     i < count && gap->distance_ns.count < reading->gap_events && !gap->failed; i++)
		gap->failed = event_gap_add(gap, &events[i]) < 0;
	return count;
}

int reading_event_gaps(const struct reading *reading, struct event_gap *sum)
{
	int ret = 0;

	for (uint32_t cpu = 0; cpu < reading->study->info->cpus && !ret; cpu++)
		ret = reading->gaps[cpu].failed ? -ENOMEM
						: event_gap_merge(sum, &reading->gaps[cpu]);
	return ret;
}

struct trace_merge_options reading_wants(uint32_t cpus)
{
	return (struct trace_merge_options){
		.want = WANT_TIMELINE,
		.gate = {.types = timeline_idle_types(), .softirq = RCU_SOFTIRQ},
		.gate_from = gap_events(cpus),
	};
}

static int reading_init(struct reading *reading, struct cpir_error *err)
{
	struct study *study = reading->study;
	struct trace_merge_options options = reading_wants(study->info->cpus);

	options.kept = study->keep;
	options.sieve = measure_gaps;
	options.arg = reading;
	reading->gap_events = options.gate_from;
	reading->gaps = calloc(study->info->cpus + 1, sizeof(*reading->gaps));
	if (!reading->gaps)
		return error_oom(err);
	reading->timeline = make_timeline(reading);
	if (!reading->timeline)
		return error_oom(err);
	return trace_merge_open(study->trace, &options, &reading->merge, err);
}

int reading_new(struct study *study, struct reading **ret_reading, struct cpir_error *err)
{
	struct reading *reading = calloc(1, sizeof(*reading));
	int ret;

	if (!reading)
		return error_oom(err);
	reading->study = study;
	ret = reading_init(reading, err);
	if (ret < 0) {
		reading_free(reading);
		return ret;
	}
	*ret_reading = reading;
	return 0;
}

void reading_free(struct reading *reading)
{
	if (!reading)
		return;
	book_free(&reading->kept);
	for (unsigned i = 0; i < 2; i++) {
		book_free(&reading->books[i]);
		free(reading->loads[i]);
	}
	for (uint32_t cpu = 0; reading->gaps && cpu < reading->study->info->cpus; cpu++)
		event_gap_deinit(&reading->gaps[cpu]);
	free(reading->gaps);
	array_free(&reading->fresh);
	trace_merge_close(reading->merge);
	timeline_free(reading->timeline);
	free(reading);
}

/* ---- a round ------------------------------------------------------------------------------------------------------- */

static int take_event(void *arg, const struct event *event)
{
	return timeline_feed(((struct reading *)arg)->timeline, event);
}

static int run(struct reading *reading, const struct trace_rounds *rounds, struct cpir_error *err)
{
	int ret = reading->ended
			  ? 0
			  : trace_rounds_run(reading->merge, reading->study->crew, rounds, err);

	if (!ret && !reading->ended) {
		reading->ended = true;
		ret = timeline_finish(reading->timeline);
	}
	return ret == -ENOMEM ? error_oom(err) : ret;
}

/* ---- keeping --------------------------------------------------------------------------------------------------------- */

static void show_fresh(void *arg, unsigned job)
{
	struct reading *reading = arg;

	(void)job;
	for (size_t i = 0; i < reading->fresh.len && !reading->taken; i++)
		reading->taken = reading->take(reading->arg, reading->fresh.ptr[i]);
}

/* What is new in the book that goes on from round to round is shown while the next round is written. */
static int list_fresh(struct reading *reading)
{
	struct book *book = &reading->books[reading->writing];

	array_clear(&reading->fresh);
	for (; reading->shown < book->stretches.len; reading->shown++) {
		struct stretch **stretch = array_add_raw(&reading->fresh);

		if (!stretch)
			return -ENOMEM;
		*stretch = book_stretch(book, reading->shown);
	}
	return 0;
}

static int keep_turn(void *arg)
{
	struct reading *reading = arg;

	study_progress(reading->study, STEP_TIMELINE, reading->merge);
	return reading->taken ? reading->taken : list_fresh(reading);
}

/* Of the last round, and what the end of the trace has brought. */
static int show_rest(struct reading *reading)
{
	int ret;

	show_fresh(reading, 0);
	ret = list_fresh(reading);
	if (!ret)
		show_fresh(reading, 0);
	return ret ? ret : reading->taken;
}

int reading_keep(struct reading *reading, int (*take)(void *arg, struct stretch *stretch),
		 void *arg, struct cpir_error *err)
{
	struct trace_rounds rounds = {
		.take = take_event,
		.job = show_fresh,
		.jobs = 1,
		.turn = keep_turn,
		.arg = reading,
	};
	int ret;

	reading->take = take;
	reading->arg = arg;
	ret = run(reading, &rounds, err);
	if (!ret)
		ret = show_rest(reading);
	reading->kept = reading->books[reading->writing];
	reading->books[reading->writing] = (struct book){0};
	if (ret == -ENOMEM)
		return error_oom(err);
	return ret < 0 ? ret : 0;
}

/* ---- replaying ------------------------------------------------------------------------------------------------------- */

static void replay_kept(void *arg, unsigned shard)
{
	struct reading *reading = arg;

	shard_book(reading->study, shard, &reading->kept);
}

static void replay_written(void *arg, unsigned job)
{
	struct reading *reading = arg;
	unsigned written = !reading->writing;

	shard_book(reading->study, reading->loads[written][job].shard, &reading->books[written]);
}

static int most_periods_first(const void *a, const void *b)
{
	const struct load *x = a, *y = b;

	return x->periods > y->periods ? -1 : x->periods < y->periods;
}

static void loads_clear(struct load *loads, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		loads[i] = (struct load){.shard = i};
}

static int loads_init(struct reading *reading)
{
	unsigned count = reading->study->shard_count;

	for (unsigned i = 0; i < 2; i++) {
		reading->loads[i] = calloc(count, sizeof(*reading->loads[i]));
		if (!reading->loads[i])
			return -ENOMEM;
		loads_clear(reading->loads[i], count);
	}
	return 0;
}

/* The book written becomes the one to replay: the largest part of it first, so that none is begun late and waited for. */
static int replay_turn(void *arg)
{
	struct reading *reading = arg;
	const struct study *study = reading->study;

	study_progress(reading->study, STEP_TIMELINE, reading->merge);
	qsort(reading->loads[reading->writing], study->shard_count, sizeof(struct load),
	      most_periods_first);
	reading->writing = !reading->writing;
	book_clear(&reading->books[reading->writing]);
	loads_clear(reading->loads[reading->writing], study->shard_count);
	for (unsigned i = 0; i < study->shard_count; i++) {
		if (study->shards[i].failure)
			return study->shards[i].failure;
	}
	return 0;
}

int reading_replay(struct reading *reading, struct cpir_error *err)
{
	const struct study *study = reading->study;
	struct trace_rounds rounds = {
		.take = take_event,
		.job = replay_written,
		.jobs = study->shard_count,
		.turn = replay_turn,
		.arg = reading,
	};
	int ret;

	if (loads_init(reading) < 0)
		return error_oom(err);
	crew_run(study->crew, study->shard_count, replay_kept, reading);
	book_free(&reading->kept);
	ret = run(reading, &rounds, err);
	/* Two books are left: that of the last round, and what the end of the trace has brought. */
	for (unsigned i = 0; i < 2 && !ret; i++) {
		crew_run(study->crew, study->shard_count, replay_written, reading);
		ret = replay_turn(reading);
	}
	return ret == -ENOMEM ? error_oom(err) : ret;
}

/* ---- showing --------------------------------------------------------------------------------------------------------- */

static int show_book(struct reading *reading, struct book *book)
{
	int ret = 0;

	for (size_t i = 0; i < book->stretches.len && ret >= 0; i++)
		ret = reading->take(reading->arg, book_stretch(book, i));
	book_clear(book);
	return ret < 0 ? ret : 0;
}

static int show_turn(void *arg)
{
	struct reading *reading = arg;

	return show_book(reading, &reading->books[reading->writing]);
}

int reading_walk(struct reading *reading, int (*sink)(void *arg, struct stretch *stretch),
		 void *arg, struct cpir_error *err)
{
	struct trace_rounds rounds = {.take = take_event, .turn = show_turn, .arg = reading};
	int ret;

	reading->take = sink;
	reading->arg = arg;
	ret = show_book(reading, &reading->kept);
	book_free(&reading->kept);
	if (!ret)
		ret = run(reading, &rounds, err);
	return ret ? ret : show_book(reading, &reading->books[reading->writing]);
}
