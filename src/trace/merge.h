/* SPDX-License-Identifier: GPL-2.0-only */
/* All CPUs' events as one stream in time order. */
#ifndef TRACE_MERGE_H
#define TRACE_MERGE_H

#include "trace/source.h"

struct trace_merge;

/** trace_merge_open - start at the beginning of all CPUs of @trace (which must outlive it) */
int trace_merge_open(struct trace *trace, struct trace_merge **ret_merge, struct cpir_error *err);

/** trace_merge_open_only - the same for the types in @want alone (bit per enum event_type, 0: all); all are counted */
int trace_merge_open_only(struct trace *trace, uint64_t want, struct trace_merge **ret_merge,
			  struct cpir_error *err);
void trace_merge_close(struct trace_merge *merge);

/**
 * trace_merge_next - next event in time order; equal times: lower CPU number first, then file order
 * @ret_event: valid until the next call
 * Returns: 1 an event, 0 the end, negative errno with @err
 */
int trace_merge_next(struct trace_merge *merge, const struct event **ret_event,
		     struct cpir_error *err);

/** trace_merge_count - records of @type passed so far on all CPUs */
uint64_t trace_merge_count(const struct trace_merge *merge, enum event_type type);

/**
 * trace_merge_span - of all events passed so far, delivered or not; false: there were none
 * begin_ns is right as soon as the merge is open, the others at its end.
 */
bool trace_merge_span(const struct trace_merge *merge, struct trace_span *ret_span);

/** trace_merge_permille - share of the file passed so far, 0 … 1000 */
unsigned trace_merge_permille(const struct trace_merge *merge);

#endif
