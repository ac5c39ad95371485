/* SPDX-License-Identifier: GPL-2.0-only */
/* An open trace.dat, shared by source.c (opening) and cursor.c (reading). */
#ifndef TRACE_TRACE_STATE_H
#define TRACE_TRACE_STATE_H

#include "trace/formats.h"
#include "trace/pages.h"
#include "trace/source.h"
#include "trace/symbols.h"

#include <pthread.h>

/** struct trace - immutable after opening but for what @lock guards */
struct trace {
	struct trace_info info;
	bool wants_lost;
	char *path, *kernel, *arch, *clock;
	char format[32];
	struct tracedat file;
	struct formats formats;
	void *map; /* the file, NULL when the bytes belong to somebody else */
	size_t map_size;

	pthread_mutex_t lock;
	bool kallsyms_read;
	struct span kallsyms;
	struct symbols *symbols;
	bool ticks_known;
	struct symbols_ticks ticks;
};

/**
 * trace_open_memory - trace_open() for bytes in memory
 * @name: stands for the path in messages
 * @bytes: must outlive the trace
 */
int trace_open_memory(const char *name, struct span bytes, const struct trace_options *options,
		      struct trace **ret_trace, struct cpir_error *err);

/** trace_ticks - addresses of the tick's timer functions; looks them up at the first call; any thread */
const struct symbols_ticks *trace_ticks(struct trace *trace);

#endif
