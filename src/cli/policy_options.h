/* SPDX-License-Identifier: GPL-2.0-only */
/* -b and -p: the policy before and those after, as an argp parser to be taken in as a child. */
#ifndef CLI_POLICY_OPTIONS_H
#define CLI_POLICY_OPTIONS_H

#include "base/array.h"
#include "cpuidle-replay.h"

#include <argp.h>

/** struct policy_options - the input of policy_argp; zero-initialise, free with policy_options_deinit() */
struct policy_options {
	const char *baseline; /* NULL: that of the kernel that ran */
	ARRAY(const char *) policies;
};

extern const struct argp policy_argp;

/** policy_options_apply - let @study borrow what was given */
void policy_options_apply(const struct policy_options *options, struct cpir_study_options *study);
void policy_options_deinit(struct policy_options *options);

#endif
