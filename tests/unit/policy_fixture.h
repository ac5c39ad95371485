/* SPDX-License-Identifier: GPL-2.0-only */
/* A governor that remembers nothing; what it selects is the test's. */
#ifndef TESTS_POLICY_FIXTURE_H
#define TESTS_POLICY_FIXTURE_H

#include "policy/policy.h"

static inline void fixture_enable(const struct cpir_policy *policy, const struct cpir_table *table,
				  void *state)
{
	(void)policy;
	(void)table;
	*(char *)state = 0;
}

static inline void fixture_reflect(const struct cpir_policy *policy, const struct cpir_table *table,
				   void *state, const struct policy_outcome *outcome)
{
	(void)policy;
	(void)table;
	(void)state;
	(void)outcome;
}

/* FIXTURE_OPS - of the governor @called that selects by @by */
#define FIXTURE_OPS(called, by)                                                                    \
	{                                                                                          \
		.name = (called), .state_size = 1, .enable = fixture_enable, .select = (by),       \
		.reflect = fixture_reflect,                                                        \
	}

#endif
