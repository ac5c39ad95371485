/* SPDX-License-Identifier: GPL-2.0-only */
/* Applying a patch to the files of a governor. */
#ifndef POLICY_KERNEL_PATCH_H
#define POLICY_KERNEL_PATCH_H

#include "policy/kernel_source.h"

/**
 * kernel_patch_apply - apply to the files of @source that lie in @work what @patch has for them, with patch(1)
 * A patch may change other files of the kernel, too: that part is left out.
 * Errors: -EINVAL (it changes none of the files, or does not fit), -ENOENT (no patch program)
 */
int kernel_patch_apply(const struct kernel_source *source, const struct kernel_file *patch,
		       const char *work, struct cpir_error *err);

#endif
