/* SPDX-License-Identifier: GPL-2.0-only */
/* The grammar of policy names: NAME[@KERNEL][+PATCH|-PATCH…][:KNOB=VALUE,…] */
#ifndef POLICY_SPEC_H
#define POLICY_SPEC_H

#include "policy/governor.h"

#define SPEC_PATCHES_MAX 32
#define SPEC_KERNEL_MAX 128

/**
 * struct policy_spec - a policy name taken apart
 * @kernel: release text, "" when none is given
 * @knobs: "name=value,…", "" none; points into the text that was parsed
 */
struct policy_spec {
	const struct governor *governor;
	char kernel[SPEC_KERNEL_MAX];
	struct {
		char sign; /* '+' or '-' */
		const struct cpir_patch_info *patch;
	} patches[SPEC_PATCHES_MAX];
	unsigned patch_count;
	const char *knobs;
};

/**
 * spec_parse - take @text apart; the release may hold '-' and '+' of its own ("6.1.0-57-arm64+max-typical"), it ends
 * where the name of a patch of this governor begins
 * @governors: NULL-terminated
 * Errors: -EINVAL
 */
int spec_parse(const struct governor *const *governors, const char *text,
	       struct policy_spec *ret_spec, struct cpir_error *err);

#endif
