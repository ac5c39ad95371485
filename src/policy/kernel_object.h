/* SPDX-License-Identifier: GPL-2.0-only */
/* A look into a compiled governor before it is loaded. */
#ifndef POLICY_KERNEL_OBJECT_H
#define POLICY_KERNEL_OBJECT_H

#include "base/error.h"

/**
 * kernel_object_missing - what the shared object at @path calls that neither it nor the few allowed functions provide
 * @ret_names: "a, b, c", cut to @size; "" nothing
 * Errors: -EBADMSG (no shared object of this machine), those of kernel_file_read()
 */
int kernel_object_missing(const char *path, char *ret_names, size_t size, struct cpir_error *err);

#endif
