/* SPDX-License-Identifier: GPL-2.0-only */
/* What all runs over one recording share, read-only. */
#ifndef REPLAY_CONTEXT_H
#define REPLAY_CONTEXT_H

#include "model/timeline.h"
#include "policy/policy.h"
#include "replay/learned.h"

/** enum bound - which value of a timer that no event tells a what-if run takes */
enum bound { BOUND_BEST, BOUND_NEAR, BOUND_FAR, BOUNDS };

/** struct context - borrowed parts; lives as long as the study */
struct context {
	const struct clocks *clocks;
	const struct learned *learned;
	const struct cpir_platform *platform;
	struct timeline_known known;
	uint32_t cpus;		 /* of the trace */
	uint32_t disable_mask;	 /* on top of the tables' own */
	int64_t latency_req_ns;	 /* on top of the trace's, INT64_MAX none */
	uint32_t warmup;	 /* decisions per CPU that do not count */
	uint64_t from_ns, to_ns; /* what lies between counts; 0: to the end */
};

/** context_counts - does a period that lasts from @begin_ns to @end_ns lie in what counts? */
static inline bool context_counts(const struct context *context, uint64_t begin_ns, uint64_t end_ns)
{
	return begin_ns >= context->from_ns && (!context->to_ns || end_ns <= context->to_ns);
}

#endif
