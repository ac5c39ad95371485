// SPDX-License-Identifier: GPL-2.0-only
/* -b and -p: the policy before and those after. */
#include "cli/policy_options.h"

#include <errno.h>

static const struct argp_option options[] = {
	{"baseline", 'b', "POLICY", 0, "the policy before (default: that of the kernel that ran)",
	 0},
	{"policy", 'p', "POLICY", 0, "a policy after; may be repeated, one column each", 0},
	{0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct policy_options *given = state->input;
	const char **added;

	switch (key) {
	case 'b':
		given->baseline = arg;
		return 0;
	case 'p':
		added = array_add(&given->policies);
		if (!added)
			return ENOMEM;
		*added = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp policy_argp = {.options = options, .parser = parse};

void policy_options_apply(const struct policy_options *given, struct cpir_study_options *study)
{
	study->baseline = given->baseline;
	study->policies = given->policies.ptr;
	study->policy_count = given->policies.len;
}

void policy_options_deinit(struct policy_options *given)
{
	array_free(&given->policies);
}
