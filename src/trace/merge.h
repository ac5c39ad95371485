/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * All CPUs' events as one stream in time order. Decoding ahead of the stream can be left to other threads: each CPU has
 * a few batches, some from which events are taken and some that are filled meanwhile (trace_merge_take() and the
 * functions around it); trace_merge_next() does it all on the calling thread.
 */
#ifndef TRACE_MERGE_H
#define TRACE_MERGE_H

#include "trace/source.h"

struct trace_keep;
struct trace_merge;

/** struct trace_merge_options - zero-initialise, then set */
struct trace_merge_options {
	uint64_t want; /* types to deliver (bit per enum event_type), 0: all; all are counted */
	struct trace_gate gate; /* as of trace_cursor_gate() … */
	uint64_t gate_from;	/* … once so many events of the CPU have been delivered */
	struct trace_keep *keep; /* NULL, or where all that is delivered goes, until it is full … */
	uint64_t want_beyond;	 /* … from then on only these types are, and there is no gate */
	struct trace_keep *
		kept; /* NULL, or what another merge with these options has kept: it is not read again */
	/*
	 * A look at the @count events of one @cpu just decoded, in its time order, before they wait to be merged; it may
	 * take some out and returns how many stay, at the front of @events. Calls for different CPUs may come from
	 * different threads.
	 */
	unsigned (*sieve)(void *arg, uint32_t cpu, struct event *events, unsigned count);
	void *arg;
};

/** trace_merge_open - start at the beginning of all CPUs of @trace (which must outlive it); @options NULL: defaults */
int trace_merge_open(struct trace *trace, const struct trace_merge_options *options,
		     struct trace_merge **ret_merge, struct cpir_error *err);
void trace_merge_close(struct trace_merge *merge);

/**
 * trace_merge_next - next event in time order; equal times: lower CPU number first, then file order
 * @ret_event: valid until the next call
 * Returns: 1 an event, 0 the end, negative errno with @err
 */
int trace_merge_next(struct trace_merge *merge, const struct event **ret_event,
		     struct cpir_error *err);

/* ---- decoding ahead ------------------------------------------------------------------------------------------------ */

#define TRACE_MERGE_AHEAD 4 /* batches of a CPU that are decoded between two turns, at most */

/** trace_merge_behind - so many batches of @cpu there is room to decode ahead; 0: none, or there are no more events */
unsigned trace_merge_behind(const struct trace_merge *merge, uint32_t cpu);

/**
 * trace_merge_ahead - decode one batch of @cpu; not more often between two turns than trace_merge_behind() said
 * Beside trace_merge_take() and other calls; whoever is at the same CPU already decodes this batch, too. An error shows in the
 * trace_merge_turn() that gets to it. Texts and raw bytes of events are not to be looked at then: they may lie in pages
 * that have been overwritten.
 */
void trace_merge_ahead(struct trace_merge *merge, uint32_t cpu);

/**
 * trace_merge_turn - put what was decoded ahead in the place of batches that are used up; alone
 * Returns: 1 there are events to take, or will be after decoding ahead; 0 the end; negative errno with @err
 */
int trace_merge_turn(struct trace_merge *merge, struct cpir_error *err);

/** trace_merge_take - trace_merge_next() as far as the batches at hand reach; NULL: some CPU's is used up */
const struct event *trace_merge_take(struct trace_merge *merge);

/** trace_merge_cpus - CPUs of the trace */
uint32_t trace_merge_cpus(const struct trace_merge *merge);

/* ---- how far it has come; not while others decode ahead -------------------------------------------------------------- */

/** trace_merge_count - records of @type passed so far on all CPUs */
uint64_t trace_merge_count(const struct trace_merge *merge, enum event_type type);

/**
 * trace_merge_span - of all records passed so far, delivered or not; false: there were none
 * begin_ns is right as soon as an event was delivered, the others at the end.
 */
bool trace_merge_span(const struct trace_merge *merge, struct trace_span *ret_span);

/** trace_merge_cpu_span - of those of @cpu; false: there were none */
bool trace_merge_cpu_span(const struct trace_merge *merge, uint32_t cpu,
			  struct trace_span *ret_span);

/** trace_merge_permille - share of the file passed so far, 0 … 1000 */
unsigned trace_merge_permille(const struct trace_merge *merge);

#endif
