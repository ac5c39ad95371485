/* SPDX-License-Identifier: GPL-2.0-only */
/* Named changes to governors, as discussed or merged, and what they do to the knobs. */
#ifndef POLICY_PATCHES_H
#define POLICY_PATCHES_H

#include "policy/governor.h"

#define MENU_PATCHES 11

extern const struct cpir_patch_info menu_patches[MENU_PATCHES];
extern const struct patch_effect menu_patch_effects[MENU_PATCHES]; /* same order */

/**
 * patch_find - the patch of @governor whose name starts @text and ends there, or before '+', '-' or ':'; the longest
 * one if there are several. NULL when there is none.
 */
const struct cpir_patch_info *patch_find(const struct governor *governor, const char *text);

/**
 * patch_apply - add a patch to (@sign '+') or take it out of ('-') @config
 * Errors: -EINVAL when the release has no step to patch, or nothing to take out
 */
int patch_apply(const struct governor *governor, const struct cpir_patch_info *patch, char sign,
		void *config, struct cpir_error *err);

#endif
