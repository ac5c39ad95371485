/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The container trace.dat, versions 6 and 7: where things are in the file. What the bytes of a sub-buffer or of an
 * event format mean is left to ringbuf.h and formats.h.
 */
#ifndef TRACE_TRACEDAT_H
#define TRACE_TRACEDAT_H

#include "base/array.h"
#include "base/error.h"
#include "trace/bytes.h"
#include "trace/compress.h"
#include "trace/timebase.h"

/** struct tracedat_section - a piece of the file; @body are its bytes, still packed when @packed */
struct tracedat_section {
	struct span body;
	bool packed;
};

/** struct tracedat_cpu - the ring buffer pages of one CPU in the file, size 0 when it has none */
struct tracedat_cpu {
	uint64_t offset, size;
};

/** struct tracedat_buffer - one buffer instance; name "" is the top one */
struct tracedat_buffer {
	const char *name;
	const char *clock;  /* NULL: see tracedat.clock */
	uint64_t offset;    /* its section (v7), its table of CPUs (v6) */
	uint32_t page_size; /* of its sub-buffers, 0: not said */
	uint32_t cpu_count; /* entries in @cpus */
	struct span cpus;   /* undecoded table, see tracedat_v6.c and tracedat_v7.c */
	bool text;	    /* a latency trace: no pages */
};

/** struct tracedat_loss - what the per-CPU statistics of one instance add up to */
struct tracedat_loss {
	struct span name; /* of the instance */
	uint64_t count;
};

/** struct tracedat - an open container; strings and spans point into the file or into @blobs */
struct tracedat {
	const char *path; /* for messages */
	struct span file;
	int fd; /* to read @file's pages from; -1: they are memory like the rest of it */
	unsigned version;
	bool big_endian, swap;
	uint32_t long_size,
		page_size; /* page_size: of the recording machine, until an instance is chosen */
	enum compression compression;
	uint64_t end; /* of the sections known, version 7 */
	struct span header_info, ftrace_formats, event_formats;
	struct tracedat_section kallsyms;
	struct span uname, clock; /* option texts */
	uint32_t cpu_option;	  /* CPUCOUNT option, 0: none */
	struct timebase timebase;
	ARRAY(struct tracedat_buffer) buffers;
	ARRAY(struct tracedat_loss) losses;
	ARRAY(void *) blobs; /* unpacked sections */
	/* the instance chosen by tracedat_choose() */
	const struct tracedat_buffer *chosen;
	bool pages_packed; /* pages come in compressed chunks */
	struct tracedat_cpu *cpus;
	uint32_t cpu_count;
};

/**
 * tracedat_open - understand the container
 * @file: zeroed but for path, file and fd, which must outlive it; free with tracedat_close() even on failure
 * Returns: 0, -EBADMSG (damaged, cut short), -ENOTSUP (version, compression), -ENOMEM
 */
int tracedat_open(struct tracedat *file, struct cpir_error *err);
void tracedat_close(struct tracedat *file);

/**
 * tracedat_choose - pick a buffer instance and find its pages
 * @instance: NULL: the top one when it has events, else the only one with events
 * Returns: 0, -EINVAL (no such instance, or no telling which), -ENOTSUP (a latency trace), -EBADMSG, -ENOMEM
 */
int tracedat_choose(struct tracedat *file, const char *instance, struct cpir_error *err);

/** tracedat_overrun - events that the recording machine counted as lost in the chosen instance */
uint64_t tracedat_overrun(const struct tracedat *file);

/* ---- for the files of this reader only --------------------------------------------------------------------------- */

/** tracedat_bad - "FILE: @what (at byte @offset); …"; returns -EBADMSG */
int tracedat_bad(const struct tracedat *file, uint64_t offset, const char *what,
		 struct cpir_error *err);

/** tracedat_offset - where in the file @p points to, 0 when it is not a pointer into the file */
uint64_t tracedat_offset(const struct tracedat *file, const void *p);

/**
 * tracedat_unpack - the bytes of @section
 * @ret_body: in the file, or in memory that @file owns from now on
 */
int tracedat_unpack(struct tracedat *file, const struct tracedat_section *section,
		    struct span *ret_body, struct cpir_error *err);

/** tracedat_head - up to @size bytes of what tracedat_unpack() would give, into @out; returns how many, 0: trouble */
size_t tracedat_head(const struct tracedat *file, const struct tracedat_section *section, void *out,
		     size_t size);

/** tracedat_option - take in one option; unknown ones are none of our business */
int tracedat_option(struct tracedat *file, uint16_t id, struct span data, struct cpir_error *err);

enum tracedat_option_id {
	OPTION_DONE = 0,
	OPTION_DATE = 1,
	OPTION_CPUSTAT = 2,
	OPTION_BUFFER = 3,
	OPTION_TRACECLOCK = 4,
	OPTION_UNAME = 5,
	OPTION_OFFSET = 7,
	OPTION_CPUCOUNT = 8,
	OPTION_TIME_SHIFT = 12,
	OPTION_TSC2NSEC = 14,
	OPTION_HEADER_INFO = 16,
	OPTION_FTRACE_EVENTS = 17,
	OPTION_EVENT_FORMATS = 18,
	OPTION_KALLSYMS = 19,
	OPTION_BUFFER_TEXT = 22,
};

/* tracedat_v6_read, tracedat_v7_read - everything after the common beginning of the file, which @r has passed */
int tracedat_v6_read(struct tracedat *file, struct reader *r, struct cpir_error *err);
int tracedat_v7_read(struct tracedat *file, struct reader *r, struct cpir_error *err);

/* tracedat_v7_buffer - what a BUFFER or BUFFER_TEXT option of version 7 says beyond offset and name */
int tracedat_v7_buffer(struct tracedat *file, struct reader *r, struct tracedat_buffer *buffer,
		       struct cpir_error *err);

/* tracedat_v6_cpus, tracedat_v7_cpus - decode the table of @buffer into file->cpus */
int tracedat_v6_cpus(struct tracedat *file, const struct tracedat_buffer *buffer,
		     struct cpir_error *err);
int tracedat_v7_cpus(struct tracedat *file, const struct tracedat_buffer *buffer,
		     struct cpir_error *err);

/* tracedat_section_read - header and body of the version 7 section at @offset, which must have @id */
int tracedat_section_read(struct tracedat *file, uint64_t offset, uint16_t id,
			  struct tracedat_section *ret_section, struct cpir_error *err);

#endif
