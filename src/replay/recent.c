// SPDX-License-Identifier: GPL-2.0-only
#include "replay/recent.h"

#include <stdlib.h>
#include <string.h>

struct decided {
	struct policy_input input;
	struct policy_outcome outcome;
};

struct recent {
	const struct cpir_policy *policy;
	const struct cpir_table *table;
	unsigned count, next; /* of the ring */
	struct decided decided[RECENT_MAX];
	size_t fixed, size; /* of a state: what enable() sets for good, and the rest */
	char states[];	    /* before each decision, the rest; last what is fixed */
};

static char *state_at(const struct recent *recent, unsigned i)
{
	return (char *)recent->states + i * recent->size;
}

struct recent *recent_new(const struct cpir_policy *policy, const struct cpir_table *table)
{
	size_t size = policy_state_size(policy);
	struct recent *recent = calloc(1, sizeof(*recent) + (RECENT_MAX + 1) * size);

	if (!recent)
		return NULL;
	recent->policy = policy;
	recent->table = table;
	recent->fixed = policy->ops->state_fixed;
	recent->size = size - recent->fixed;
	return recent;
}

void recent_free(struct recent *recent)
{
	free(recent);
}

void recent_add(struct recent *recent, const void *before, const struct policy_input *input,
		const struct policy_outcome *outcome)
{
	if (!recent->count)
		memcpy(state_at(recent, RECENT_MAX), before, recent->fixed);
	recent->decided[recent->next] = (struct decided){*input, *outcome};
	memcpy(state_at(recent, recent->next), (const char *)before + recent->fixed, recent->size);
	recent->next = (recent->next + 1) % RECENT_MAX;
	recent->count += recent->count < RECENT_MAX;
}

/* No timer stays none. */
static int64_t moved(int64_t length_ns, int64_t by_ns)
{
	int64_t sum_ns;

	return __builtin_add_overflow(length_ns, by_ns, &sum_ns) ? length_ns : sum_ns;
}

static void live(const struct recent *recent, const struct decided *decided,
		 const struct recent_shift *shift, void *state)
{
	const struct policy_ops *ops = recent->policy->ops;
	struct policy_outcome outcome = decided->outcome;
	struct policy_input input = decided->input;
	struct policy_decision decision;

	input.sleep_length_ns = moved(input.sleep_length_ns, shift->sleep_length_ns);
	input.delta_next_ns = moved(input.delta_next_ns, shift->sleep_length_ns);
	if (outcome.entered >= 0)
		outcome.residency_ns = moved(outcome.residency_ns, shift->residency_ns);
	if (outcome.residency_ns < 0)
		outcome.residency_ns = 0;
	ops->select(recent->policy, recent->table, state, &input, &decision, NULL);
	ops->reflect(recent->policy, recent->table, state, &outcome);
}

bool recent_live(const struct recent *recent, const struct recent_shift *shift, void *ret_state)
{
	unsigned first = (recent->next + RECENT_MAX - recent->count) % RECENT_MAX;

	if (!recent->count)
		return false;
	memcpy(ret_state, state_at(recent, RECENT_MAX), recent->fixed);
	memcpy((char *)ret_state + recent->fixed, state_at(recent, first), recent->size);
	for (unsigned i = 0; i < recent->count; i++)
		live(recent, &recent->decided[(first + i) % RECENT_MAX], shift, ret_state);
	return true;
}
