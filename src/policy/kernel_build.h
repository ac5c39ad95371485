/* SPDX-License-Identifier: GPL-2.0-only */
/* From a governor's source to a shared object in the cache. */
#ifndef POLICY_KERNEL_BUILD_H
#define POLICY_KERNEL_BUILD_H

#include "policy/kernel_source.h"

/** struct kernel_shim - one file of the shim, as the library carries it; src/policy/shim has them */
struct kernel_shim {
	const char *name;
	const char *text;
};

extern const struct kernel_shim kernel_shims[];
extern const size_t kernel_shim_count;

/** kernel_shim_place - where the user finds the shim: $CPUIDLE_REPLAY_SHIM, else the installed copy */
const char *kernel_shim_place(void);

/**
 * kernel_build - compile @source against the shim with $CC, or cc; or find that this was done before
 * @anew: compile even so
 * @ret_path: of the object, which calls nothing that is not there; free()
 * Errors: -EINVAL with what the compiler says, what the shim lacks, or which patch does not fit; -ENOENT (no compiler);
 *         those of kernel_cache_open()
 */
int kernel_build(const struct kernel_source *source, bool anew, char **ret_path,
		 struct cpir_error *err);

#endif
