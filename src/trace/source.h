/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A trace as the rest of the program sees it: facts about the recording, and per CPU a cursor over typed events.
 * Which file format lies behind it stays in this floor.
 */
#ifndef TRACE_SOURCE_H
#define TRACE_SOURCE_H

#include "base/error.h"
#include "trace/event.h"

struct trace;
struct trace_cursor;
struct tep_handle;

/* One event type in a mask such as trace_options.want. */
#define EVENT_BIT(type) (UINT64_C(1) << (type))

/** struct trace_options - zero-initialise, then set */
struct trace_options {
	const char
		*instance; /* buffer instance, NULL: the top one, else the only one with events */
	const char *
		raw_system; /* also deliver this system's events undecoded, as EV_RAW (developer's tools); those in EVENT_LIST stay typed */
	uint64_t
		want; /* bit per enum event_type; other events are counted but not delivered. 0: all */
};

/** struct trace_info - what the file says of itself. Strings are "" when unknown. */
struct trace_info {
	const char *path, *format; /* format: "trace.dat v7 zstd", … */
	const char *kernel;	   /* uname release, e.g. "6.1.0-57-arm64" */
	const char *arch;	   /* uname machine, e.g. "ppc64le" */
	const char *clock;	   /* "local", "mono", … */
	bool clock_converted;	   /* the file says how its cycles become ns, and they have */
	uint32_t cpus;		   /* number of per-CPU buffers (CPU numbers are 0 … cpus-1) */
	uint32_t page_size, long_size;
	bool big_endian;
	uint64_t overrun; /* events lost over the whole recording, by the per-CPU statistics */
	bool has_symbols; /* function addresses can be named */
	bool has_event[EV_COUNT]; /* the recording machine described this event's format */
};

/**
 * trace_open - open and understand a trace file
 * Errors: -ENOENT, -EACCES … of open(2); -EBADMSG a corrupt or truncated file (with the offset); -ENOTSUP a format or
 *         compression we cannot read; -EINVAL no such instance; -ENOMEM.
 */
int trace_open(const char *path, const struct trace_options *options, struct trace **ret_trace,
	       struct cpir_error *err);
void trace_close(struct trace *trace);

const struct trace_info *trace_info(const struct trace *trace);

/** trace_function_name - symbol at @address without offset, NULL when unknown; valid as long as the trace */
const char *trace_function_name(const struct trace *trace, uint64_t address);

/**
 * trace_tep - the formats of the events decoded and of raw_system, for tools that read EV_RAW; without print formats. NULL:
 * a file format that has none
 */
struct tep_handle *trace_tep(const struct trace *trace);

/**
 * trace_cursor_open - iterate over one CPU's events in time order
 * @cpu: 0 … info->cpus-1. Cursors of different CPUs may be used from different threads.
 */
int trace_cursor_open(struct trace *trace, uint32_t cpu, struct trace_cursor **ret_cursor,
		      struct cpir_error *err);
void trace_cursor_close(struct trace_cursor *cursor);

/** trace_cursor_clone - another one that goes on where @cursor is; 0 or -ENOMEM */
int trace_cursor_clone(const struct trace_cursor *cursor, struct trace_cursor **ret_clone);

/**
 * trace_cursor_read - the next events of this CPU
 * @events: room for @max
 * Returns: number of events stored, 0 at the end, or a negative errno with @err (offset in the file)
 */
int trace_cursor_read(struct trace_cursor *cursor, struct event *events, unsigned max,
		      struct cpir_error *err);

/**
 * trace_cursor_bytes - of memory it is going to get to read into; 0: none
 * trace_cursor_lend - use as much at @memory, which remains the caller's and outlives the cursor; before anything is read
 */
size_t trace_cursor_bytes(const struct trace_cursor *cursor);
void trace_cursor_lend(struct trace_cursor *cursor, void *memory);

/** trace_cursor_want - from now on deliver only these types (bit per enum event_type; 0: all) of those the trace was opened for */
void trace_cursor_want(struct trace_cursor *cursor, uint64_t want);

/**
 * struct trace_gate - what is left out while a task runs on the CPU: the types in @types (bit per enum event_type), switches
 * from one task to another that does not leave one in EVENT_TASK_UNINTERRUPTIBLE, and both events of a task's waking that
 * stays on the CPU, unless it went to sleep in that state. @types 0: nothing is.
 */
struct trace_gate {
	uint64_t types;
	int32_t softirq; /* this one's EV_SOFTIRQ_ENTRY passes all the same */
};

/** trace_cursor_gate - from now on; the reader needs the sched_switch and cpu_idle events */
void trace_cursor_gate(struct trace_cursor *cursor, const struct trace_gate *gate);

/**
 * struct trace_span - times of the first and the last record, and the least step between two of one CPU's first, 0: none
 * @backward: sub-buffers that begin before the end of the one before
 * @gaps: sub-buffers, but the first, before which events were lost
 * @uncounted: sub-buffers before which events were lost, and the recording does not say how many
 */
struct trace_span {
	uint64_t begin_ns, end_ns, step_ns, backward, gaps, uncounted;
	uint32_t end_cpu; /* whose is the last */
};

/** trace_cursor_span - of the records passed so far, delivered or not; false: there were none */
bool trace_cursor_span(const struct trace_cursor *cursor, struct trace_span *ret_span);

/** trace_cursor_count - how many records of @type this cursor has passed so far, delivered or not (EV_LOST: events lost) */
uint64_t trace_cursor_count(const struct trace_cursor *cursor, enum event_type type);

/** trace_cursor_passed - how many records of all types it has passed so far */
uint64_t trace_cursor_passed(const struct trace_cursor *cursor);

/** trace_cursor_progress - bytes of the file passed by this cursor so far, and in all; for a progress display */
void trace_cursor_progress(const struct trace_cursor *cursor, uint64_t *ret_done,
			   uint64_t *ret_total);

/* event_name - "power:cpu_idle"; "lost", "raw" for the two pseudo events */
const char *event_name(enum event_type type);

#endif
