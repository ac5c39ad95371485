// SPDX-License-Identifier: GPL-2.0-only
/* Filling in the public error object. */
#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

int error_set(struct cpir_error *err, int code, const char *fmt, ...)
{
	va_list args;

	if (!err)
		return code;
	err->code = code;
	va_start(args, fmt);
	(void)vsnprintf(err->text, sizeof(err->text), fmt, args);
	va_end(args);
	return code;
}

int error_oom(struct cpir_error *err)
{
	return error_set(err, -ENOMEM, "out of memory");
}
