// SPDX-License-Identifier: GPL-2.0-only
#include "replay/past.h"

#include <errno.h>
#include <stdlib.h>

struct past {
	struct past *before;
	unsigned references;
	unsigned
		length; /* decisions from the first, this one included; less when a chain that shares them was cut */
	struct policy_input input;
	struct policy_outcome outcome;
};

/* Old decisions are forgotten by governors, too. */
static void shorten(struct past *past)
{
	struct past *last = past;

	for (past->length = 1; past->length < PAST_MIN && last->before; past->length++)
		last = last->before;
	past_unref(last->before);
	last->before = NULL;
}

struct past *past_add(struct past *before, const struct policy_input *input)
{
	struct past *past = calloc(1, sizeof(*past));

	if (!past)
		return NULL;
	past->references = 1;
	past->input = *input;
	past->before = before;
	past->length = 1;
	if (!before)
		return past;
	before->references++;
	past->length += before->length;
	if (past->length > 2 * PAST_MIN)
		shorten(past);
	return past;
}

void past_unref(struct past *past)
{
	while (past && !--past->references) {
		struct past *before = past->before;

		free(past);
		past = before;
	}
}

void past_reflect(struct past *past, const struct policy_outcome *outcome)
{
	past->outcome = *outcome;
}

int past_live(const struct past *past, const struct cpir_policy *policy,
	      const struct cpir_table *table, void *state)
{
	const struct past **all;
	unsigned length = 0;

	for (const struct past *at = past; at; at = at->before)
		length++;
	all = calloc(length ? length : 1, sizeof(*all));
	if (!all)
		return -ENOMEM;
	for (unsigned i = length; i; i--, past = past->before)
		all[i - 1] = past;
	policy->ops->enable(policy, table, state);
	for (unsigned i = 0; i < length; i++) {
		struct policy_decision decision;

		policy->ops->select(policy, table, state, &all[i]->input, &decision, NULL);
		policy->ops->reflect(policy, table, state, &all[i]->outcome);
	}
	free(all);
	return 0;
}
