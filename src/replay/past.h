/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a governor has lived through, decision by decision, as a chain from the latest one back. Chains that have forked
 * share what came before. With it another governor of the same kind can be given the same past.
 */
#ifndef REPLAY_PAST_H
#define REPLAY_PAST_H

#include "policy/policy.h"

#define PAST_MIN                                                                                   \
	1024 /* decisions a chain holds at least, if there were so many; at most twice that */

struct past;

/**
 * past_add - one more decision behind @before, which may be NULL
 * Returns: the new chain, a reference of the caller's; NULL: no memory
 */
struct past *past_add(struct past *before, const struct policy_input *input);
void past_unref(struct past *past);

/** past_reflect - what came of the latest decision */
void past_reflect(struct past *past, const struct policy_outcome *outcome);

/** past_live - make @state that of @policy freshly enabled and having lived through @past; 0 or -ENOMEM */
int past_live(const struct past *past, const struct cpir_policy *policy,
	      const struct cpir_table *table, void *state);

#endif
