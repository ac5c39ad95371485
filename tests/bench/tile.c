// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes a large trace out of a real one: its events again and again, for as many CPUs as wanted.
 *
 *   tile [-6|-7|-z] [-r REPEAT] [-g GROUPS] [-f FILL] [-H HZ] SOURCE OUTPUT
 *
 * -r: the source so many times, one after the other, with all times in the events moved on; -g: its CPUs so many times side
 * by side, each group with tasks and timers of its own; -f: so many events of busy CPUs for each event of the source (where
 * there is room for them); -6, -7, -z: the container, -z: version 7 with zstd. Prints the number of events and CPUs.
 */
#include "tile.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

void tile_die(const char *fmt, ...)
{
	va_list args;

	(void)fputs("tile: ", stderr);
	va_start(args, fmt);
	(void)vfprintf(stderr, fmt, args);
	va_end(args);
	(void)fputc('\n', stderr);
	exit(1);
}

uint64_t tile_number(const struct tile_plan *plan, const uint8_t *at, uint32_t size)
{
	bool swap = plan->trace->formats.ring.swap;

	switch (size) {
	case 1:
		return *at;
	case 2:
		return load_u16(at, swap);
	case 4:
		return load_u32(at, swap);
	default:
		return load_u64(at, swap);
	}
}

void tile_store(const struct tile_plan *plan, uint8_t *at, uint32_t size, uint64_t value)
{
	for (uint32_t i = 0; i < size; i++) {
		uint32_t shift = plan->trace->info.big_endian ? (size - 1 - i) * 8 : i * 8;

		at[i] = (uint8_t)(value >> shift);
	}
}

void tile_walk(const struct tile_plan *plan, uint32_t cpu,
	       void (*take)(void *arg, uint64_t time_ns, struct ringbuf_record record), void *arg)
{
	const struct trace *trace = plan->trace;
	const struct ringbuf_format *format = &trace->formats.ring;
	struct ringbuf_record record;
	struct ringbuf_loss loss;
	struct cpir_error err;
	struct ringbuf ring;
	struct pages pages;
	struct span page;

	if (pages_open(&pages, &trace->file, cpu, trace->info.page_size, &err) < 0)
		tile_die("%s", err.text);
	while (pages_next(&pages, &page, &err) > 0) {
		if (ringbuf_load(&ring, format, page, &loss))
			continue;
		while ((format->swap ? ringbuf_next(&ring, true, !HOST_BIG_ENDIAN, &record)
				     : ringbuf_next(&ring, false, HOST_BIG_ENDIAN, &record)) ==
		       RINGBUF_RECORD)
			take(arg, ring.time, record);
	}
	pages_close(&pages);
}

struct span_of {
	uint64_t first_ns, last_ns;
};

static void span_take(void *arg, uint64_t time_ns, struct ringbuf_record record)
{
	struct span_of *span = arg;

	(void)record;
	if (time_ns < span->first_ns)
		span->first_ns = time_ns;
	if (time_ns > span->last_ns)
		span->last_ns = time_ns;
}

static void find_span(struct tile_plan *plan)
{
	struct span_of span = {UINT64_MAX, 0};
	uint64_t tick_ns = 1000000000 / plan->hz;

	for (uint32_t cpu = 0; cpu < plan->trace->info.cpus; cpu++)
		tile_walk(plan, cpu, span_take, &span);
	if (span.first_ns > span.last_ns)
		tile_die("there is nothing in the source");
	plan->span_ns = ((span.last_ns - span.first_ns) / tick_ns + 2) * tick_ns;
}

/* struct copy - where we are in writing one CPU */
struct copy {
	const struct tile_plan *plan;
	struct patches *patches;
	struct filler *filler;
	struct sink *sink;
	uint32_t tile, group;
	uint64_t events;
};

static void copy_record(void *arg, uint64_t time_ns, struct ringbuf_record record)
{
	struct copy *copy = arg;
	uint8_t data[65536];

	if (record.size > sizeof(data))
		return;
	memcpy(data, record.data, record.size);
	patches_apply(copy->patches, data, copy->tile, copy->group);
	time_ns += copy->tile * copy->plan->span_ns;
	if (copy->plan->fill)
		filler_record(copy->filler, copy->sink, time_ns, data);
	sink_record(copy->sink, time_ns, (struct ringbuf_record){data, record.size});
	copy->events++;
}

static void copy_cpu(void *arg, uint32_t cpu, struct sink *sink)
{
	struct copy *copy = arg;
	uint32_t cpus = copy->plan->trace->info.cpus;

	copy->sink = sink;
	copy->group = cpu / cpus;
	filler_restart(copy->filler, cpu);
	for (copy->tile = 0; copy->tile < copy->plan->repeat; copy->tile++)
		tile_walk(copy->plan, cpu % cpus, copy_record, copy);
}

/* Written in large pieces: sooner done, and in the page cache the file lies in large folios, as one that is copied. */
#define PIECE (8 << 20)

static char piece[PIECE];

static void make(struct tile_plan *plan, const char *output)
{
	struct copy copy = {.plan = plan};
	FILE *file = fopen(output, "wb");

	if (!file)
		tile_die("%s: %m", output);
	(void)setvbuf(file, piece, _IOFBF, sizeof(piece));
	find_span(plan);
	copy.patches = patches_new(plan);
	copy.filler = filler_new(plan);
	tile_write(plan, file, copy_cpu, &copy);
	if (fclose(file))
		tile_die("%s: %m", output);
	patches_free(copy.patches);
	filler_free(copy.filler);
	printf("%" PRIu64 " events of the source, %" PRIu32 " CPUs\n", copy.events,
	       plan->trace->info.cpus * plan->groups);
}

static uint32_t count_of(const char *text)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);

	if (*end || !*text || value > 1000000)
		tile_die("'%s' is no count", text);
	return (uint32_t)value;
}

int main(int argc, char **argv)
{
	struct tile_plan plan = {.version = 7, .hz = 250, .repeat = 1, .groups = 1};
	struct trace_options options = {0};
	struct cpir_error err;
	int opt;

	while ((opt = getopt(argc, argv, "67zr:g:f:H:")) != -1) {
		if (opt == '6')
			plan.version = 6;
		else if (opt == 'z')
			plan.packed = true;
		else if (opt == 'r')
			plan.repeat = count_of(optarg);
		else if (opt == 'g')
			plan.groups = count_of(optarg);
		else if (opt == 'f')
			plan.fill = count_of(optarg);
		else if (opt == 'H')
			plan.hz = count_of(optarg);
		else if (opt != '7')
			return 2;
	}
	if (optind + 2 != argc || !plan.hz || !plan.groups)
		tile_die("usage: tile [-6|-7|-z] [-r REPEAT] [-g GROUPS] [-f FILL] [-H HZ] SOURCE "
			 "OUTPUT");
	if (trace_open(argv[optind], &options, &plan.trace, &err) < 0)
		tile_die("%s", err.text);
	make(&plan, argv[optind + 1]);
	trace_close(plan.trace);
	return 0;
}
