// SPDX-License-Identifier: GPL-2.0-only
/*
 * How fast traces are read: opening; walking over the records of all pages without looking at them, with our own code and
 * with libtraceevent's; decoding every event; merging. Each in millions of records a second, the best of some runs.
 * Usage: trace-rate [-n RUNS] FILE…
 */
#include "trace/merge.h"
#include "trace/trace_state.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <traceevent/kbuffer.h>
#include <unistd.h>

#define BATCH 128

static double now(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void die(const struct cpir_error *err)
{
	(void)fprintf(stderr, "trace-rate: %s\n", err->text);
	exit(1);
}

/* Keeps the compiler from leaving out what nobody looks at. */
static void use(uint64_t value)
{
	__asm__ volatile("" ::"r"(value));
}

/* ---- what is measured: each returns the number of records ----------------------------------------------------------- */

static uint64_t walk_page(const struct ringbuf_format *format, struct span page)
{
	struct ringbuf_record record;
	struct ringbuf_loss loss;
	struct ringbuf ring;
	uint64_t records = 0;

	if (ringbuf_load(&ring, format, page, &loss))
		return 0;
	while ((format->swap
			? ringbuf_next(&ring, true, !HOST_BIG_ENDIAN, &record)
			: ringbuf_next(&ring, false, HOST_BIG_ENDIAN, &record)) == RINGBUF_RECORD)
		records++;
	use(ring.time);
	return records;
}

static uint64_t walk_ours(struct trace *trace, uint32_t cpu)
{
	struct pages pages;
	struct cpir_error err;
	uint64_t records = 0;
	struct span page;

	if (pages_open(&pages, &trace->file, cpu, trace->info.page_size, &err) < 0)
		die(&err);
	while (pages_next(&pages, &page, &err) > 0)
		records += walk_page(&trace->formats.ring, page);
	pages_close(&pages);
	return records;
}

static uint64_t walk_kbuffer(struct trace *trace, uint32_t cpu)
{
	struct kbuffer *kbuffer =
		kbuffer_alloc(trace->info.long_size == 8 ? KBUFFER_LSIZE_8 : KBUFFER_LSIZE_4,
			      trace->info.big_endian ? KBUFFER_ENDIAN_BIG : KBUFFER_ENDIAN_LITTLE);
	unsigned long long time;
	struct cpir_error err;
	uint64_t records = 0;
	struct pages pages;
	struct span page;

	if (!kbuffer || pages_open(&pages, &trace->file, cpu, trace->info.page_size, &err) < 0)
		exit(1);
	while (pages_next(&pages, &page, &err) > 0) {
		(void)kbuffer_load_subbuffer(kbuffer, (void *)(uintptr_t)page.data);
		for (void *p = kbuffer_read_event(kbuffer, &time); p;
		     p = kbuffer_next_event(kbuffer, &time))
			records++;
	}
	pages_close(&pages);
	kbuffer_free(kbuffer);
	return records;
}

static uint64_t decode(struct trace *trace, uint32_t cpu)
{
	struct event events[BATCH];
	struct trace_cursor *cursor;
	struct cpir_error err;
	uint64_t records = 0;
	int n;

	if (trace_cursor_open(trace, cpu, &cursor, &err) < 0)
		die(&err);
	while ((n = trace_cursor_read(cursor, events, BATCH, &err)) > 0) {
		records += (uint64_t)n;
		use(events[0].time_ns);
	}
	if (n < 0)
		die(&err);
	trace_cursor_close(cursor);
	return records;
}

/* All CPUs at once, so it does its work for the first one. */
static uint64_t merge(struct trace *trace, uint32_t cpu)
{
	const struct event *event;
	struct trace_merge *merged;
	struct cpir_error err;
	uint64_t records = 0;

	if (cpu)
		return 0;
	if (trace_merge_open(trace, NULL, &merged, &err) < 0)
		die(&err);
	while (trace_merge_next(merged, &event, &err) > 0) {
		use(event->time_ns);
		records++;
	}
	trace_merge_close(merged);
	return records;
}

/* ---- measuring ------------------------------------------------------------------------------------------------------- */

static void measure(struct trace *trace, const char *what, unsigned runs,
		    uint64_t (*pass)(struct trace *, uint32_t))
{
	double best = 1e9;
	uint64_t records = 0;

	for (unsigned run = 0; run < runs; run++) {
		double begin = now(), took;

		records = 0;
		for (uint32_t cpu = 0; cpu < trace->info.cpus; cpu++)
			records += pass(trace, cpu);
		took = now() - begin;
		if (took < best)
			best = took;
	}
	printf("  %-22s %9" PRIu64 " records %8.2f ms %7.1f M/s\n", what, records, best * 1e3,
	       (double)records / best * 1e-6);
}

static void measure_file(const char *path, unsigned runs)
{
	struct trace_options options = {0};
	struct cpir_error err;
	struct trace *trace;
	double begin = now();

	if (trace_open(path, &options, &trace, &err) < 0)
		die(&err);
	printf("%s: %s, opened in %.2f ms\n", path, trace_info(trace)->format,
	       (now() - begin) * 1e3);
	measure(trace, "walk", runs, walk_ours);
	measure(trace, "walk (libtraceevent)", runs, walk_kbuffer);
	measure(trace, "decode", runs, decode);
	measure(trace, "merge", runs, merge);
	trace_close(trace);
}

int main(int argc, char **argv)
{
	unsigned runs = 20;
	int opt;

	while ((opt = getopt(argc, argv, "n:")) != -1)
		runs = opt == 'n' ? (unsigned)strtoul(optarg, NULL, 10) : runs;
	for (int i = optind; i < argc; i++)
		measure_file(argv[i], runs ? runs : 1);
	return 0;
}
