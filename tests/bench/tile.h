/* SPDX-License-Identifier: GPL-2.0-only */
/* Making a large trace out of a small one: what its parts share. */
#ifndef BENCH_TILE_H
#define BENCH_TILE_H

#include "trace/trace_state.h"

#include <stdio.h>

/** struct tile_plan - what is to be made */
struct tile_plan {
	struct trace *trace; /* the source */
	unsigned version;    /* of the container, 6 or 7 */
	bool packed;	     /* zstd, version 7 only */
	uint32_t hz;	     /* of the recording machine */
	uint32_t repeat;     /* the source, this often, one after the other */
	uint32_t groups;     /* copies of its CPUs side by side */
	uint32_t fill;	     /* events of busy CPUs per event of the source */
	uint64_t span_ns;    /* from one copy to the next, whole ticks */
};

/* ---- tile_pages.c: one CPU's sub-buffers ------------------------------------------------------------------------- */

struct sink;

/** sink_new - sub-buffers go to @file, in compressed chunks when the plan says so; ends the program for want of memory */
struct sink *sink_new(const struct tile_plan *plan, FILE *file);

/** sink_record - append one record, given as it stands in the source, written at @time_ns, not before the last */
void sink_record(struct sink *sink, uint64_t time_ns, struct ringbuf_record record);

/** sink_finish - write out what is left; frees @sink. Returns the number of records */
uint64_t sink_finish(struct sink *sink);

/* ---- tile_records.c: what changes in a record from copy to copy -------------------------------------------------- */

struct patches;

/** patches_new - find the fields that hold times, CPUs, tasks and addresses */
struct patches *patches_new(const struct tile_plan *plan);
void patches_free(struct patches *patches);

/** patches_apply - change @data, a record, to what copy number @tile of CPU group @group would have written */
void patches_apply(const struct patches *patches, uint8_t *data, uint32_t tile, uint32_t group);

/* ---- tile_fill.c: events of busy CPUs ------------------------------------------------------------------------------ */

struct filler;

/** filler_new - the events to fill with, after the model of those in the source */
struct filler *filler_new(const struct tile_plan *plan);
void filler_free(struct filler *filler);

/** filler_restart - the next records are those of @cpu */
void filler_restart(struct filler *filler, uint32_t cpu);

/** filler_record - between the record before this one and @data, written at @time_ns, fill what there is room for */
void filler_record(struct filler *filler, struct sink *sink, uint64_t time_ns, const uint8_t *data);

/* ---- helpers ------------------------------------------------------------------------------------------------------- */

/** tile_die - print a message and leave with status 1 */
void tile_die(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));

/** tile_number, tile_store - a number of @size bytes in the source's byte order */
uint64_t tile_number(const struct tile_plan *plan, const uint8_t *at, uint32_t size);
void tile_store(const struct tile_plan *plan, uint8_t *at, uint32_t size, uint64_t value);

/** tile_walk - every record of @cpu of the source in order */
void tile_walk(const struct tile_plan *plan, uint32_t cpu,
	       void (*take)(void *arg, uint64_t time_ns, struct ringbuf_record record), void *arg);

/** tile_write - the whole file; @write_cpu writes the records of one CPU of it */
void tile_write(const struct tile_plan *plan, FILE *file,
		void (*write_cpu)(void *arg, uint32_t cpu, struct sink *sink), void *arg);

#endif
