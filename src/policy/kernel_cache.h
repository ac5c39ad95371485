/* SPDX-License-Identifier: GPL-2.0-only */
/* Where compiled governors are kept: $XDG_CACHE_HOME/cpuidle-replay, else ~/.cache/cpuidle-replay. */
#ifndef POLICY_KERNEL_CACHE_H
#define POLICY_KERNEL_CACHE_H

#include "base/error.h"

/**
 * kernel_cache_open - the cache directory, made if need be
 * @ret_path: absolute; free()
 * Errors: -ENOENT (neither variable is set), -EPERM (others may write there: their code would run as ours), of mkdir(2)
 */
int kernel_cache_open(char **ret_path, struct cpir_error *err);

/**
 * kernel_cache_work - a fresh directory in @cache to build in
 * @ret_path: for kernel_cache_discard()
 */
int kernel_cache_work(const char *cache, char **ret_path, struct cpir_error *err);

/** kernel_cache_discard - remove a work directory with all in it and free *@work; NULL in it is allowed */
void kernel_cache_discard(char **work);

/** kernel_cache_write - make the file @folder/@name, and the folders of @name, with @size bytes of @text */
int kernel_cache_write(const char *folder, const char *name, const char *text, size_t size,
		       struct cpir_error *err);

#endif
