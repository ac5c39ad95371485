/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The last few decisions of one CPU and what came of them, to be lived through again as if they had been a little
 * different: does a decision hang on how exactly they are known?
 */
#ifndef REPLAY_RECENT_H
#define REPLAY_RECENT_H

#include "policy/policy.h"

/* More than the intervals any governor remembers. */
#define RECENT_MAX 10

struct recent;

/** recent_new - nothing yet, for decisions of @policy, which must outlive it; NULL: no memory */
struct recent *recent_new(const struct cpir_policy *policy, const struct cpir_table *table);
void recent_free(struct recent *recent);

/** recent_add - @before, the policy's state, met @input; this came of it. The oldest one is forgotten */
void recent_add(struct recent *recent, const void *before, const struct policy_input *input,
		const struct policy_outcome *outcome);

/** struct recent_shift - in ns: how much longer what the timers left was, and how much longer it lasted */
struct recent_shift {
	int64_t sleep_length_ns, residency_ns;
};

/**
 * recent_live - live through them again, each moved by @shift, though no residency to less than nothing
 * @ret_state: the policy's state after that
 * Returns: false if there are none
 */
bool recent_live(const struct recent *recent, const struct recent_shift *shift, void *ret_state);

#endif
