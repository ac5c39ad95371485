/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Decoded events that are kept, packed, for a second reading of a trace: as many of each CPU's first as fit into its share of a
 * fixed amount of memory. The second reading goes on in the file where they end.
 */
#ifndef TRACE_KEEP_H
#define TRACE_KEEP_H

#include "trace/source.h"

struct trace_keep;

/** trace_keep_new - for a trace of @cpus CPUs, @bytes of memory in all; NULL: no memory */
struct trace_keep *trace_keep_new(uint32_t cpus, size_t bytes);
void trace_keep_free(struct trace_keep *keep);

/* ---- calls for different CPUs may come from different threads ---- */

/** trace_keep_has_room - for @count more events of @cpu, whatever they are */
bool trace_keep_has_room(const struct trace_keep *keep, uint32_t cpu, unsigned count);

/** trace_keep_add - the next @count events of @cpu, for which there is room; none of them holds an address */
void trace_keep_add(struct trace_keep *keep, uint32_t cpu, const struct event *events,
		    unsigned count);

/** trace_keep_end - that is all of @cpu; what follows is what @cursor, the keep's from now on, will read */
void trace_keep_end(struct trace_keep *keep, uint32_t cpu, struct trace_cursor *cursor);

/** trace_keep_ended - nothing can be added for @cpu any more */
bool trace_keep_ended(const struct trace_keep *keep, uint32_t cpu);

/** trace_keep_read - the next events kept of @cpu, room for @max at @events; how many, 0: no more */
unsigned trace_keep_read(struct trace_keep *keep, uint32_t cpu, struct event *events, unsigned max);

/** trace_keep_permille - share of what is kept of @cpu that has been read, 0 … 1000 */
unsigned trace_keep_permille(const struct trace_keep *keep, uint32_t cpu);

/** trace_keep_cursor - what follows the events kept of @cpu, the caller's from now on; NULL: it was taken before */
struct trace_cursor *trace_keep_cursor(struct trace_keep *keep, uint32_t cpu);

#endif
