/* SPDX-License-Identifier: GPL-2.0-only */
/* The what-if run: the idle loop simulated from what happened to each CPU, with a policy's own history and ticks. */
#ifndef REPLAY_IDLE_LOOP_H
#define REPLAY_IDLE_LOOP_H

#include "replay/context.h"
#include "replay/past.h"
#include "replay/stats.h"

/** struct move - one simulated decision, for comparison with another policy's at the same point of the record */
struct move {
	uint32_t happenings; /* of the stretch served before it */
	uint32_t ordinal;    /* decisions since the last of them */
	int8_t state;
	uint8_t miss;
};

struct idle_loop;

/**
 * idle_loop_new - one policy's run over all CPUs; @policy and @context must outlive it; NULL: no memory
 * @bound: how timers are read that no event tells
 */
struct idle_loop *idle_loop_new(const struct context *context, const struct cpir_policy *policy,
				enum bound bound);
void idle_loop_free(struct idle_loop *loop);

/**
 * idle_loop_seed - start @cpu from a history that is known: the recording governor's
 * @policy: whose @past that is; nothing happens unless it is the same governor as the run's, whatever its knobs and its
 *          kernel, built in or compiled from source
 * Returns: 0 or -ENOMEM
 */
int idle_loop_seed(struct idle_loop *loop, uint32_t cpu, const struct cpir_policy *policy,
		   const struct past *past);

/**
 * idle_loop_stretch - live through one stretch of the record
 * @counts: false during warm-up: decided, not counted
 * Returns 0 or -ENOMEM.
 */
int idle_loop_stretch(struct idle_loop *loop, const struct stretch *stretch, bool counts);

/** idle_loop_moves - the decisions of the last stretch; valid until the next */
const struct move *idle_loop_moves(const struct idle_loop *loop, size_t *ret_count);

/** idle_loop_cut - stretches that were not lived to their end: they tick on for longer than the record gives reason to */
uint64_t idle_loop_cut(const struct idle_loop *loop);

/** idle_loop_stats - what CPU @cpu did so far */
const struct cpu_stats *idle_loop_stats(const struct idle_loop *loop, uint32_t cpu);

#endif
