/* SPDX-License-Identifier: GPL-2.0-only */
/* Filling in the public error object. */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include "cpuidle-replay.h"

#define NO_OFFSET ((int64_t)-1)

/**
 * error_set - describe a failure and return its code, so that `return error_set(err, -EINVAL, …)` reads well
 * @err: may be NULL
 * @code: negative errno
 * @fmt: the whole sentence, "FILE: what is wrong (where); what to do"
 * Returns: @code
 */
int error_set(struct cpir_error *err, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/** error_oom - the one sentence for a failed allocation; returns -ENOMEM */
int error_oom(struct cpir_error *err);

#endif
