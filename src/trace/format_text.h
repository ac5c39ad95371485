/* SPDX-License-Identifier: GPL-2.0-only */
/* The text of an event's format, taken apart strictly, so that only well-formed ones get any further. */
#ifndef TRACE_FORMAT_TEXT_H
#define TRACE_FORMAT_TEXT_H

#include "trace/bytes.h"

/** format_name - what stands behind "name: " in @text; empty when it is no format */
struct span format_name(struct span text);

/**
 * format_strip - the format again: name, number, common fields, other fields, and an empty print format
 * @ret_format: malloc'ed
 * Returns: 0, -EBADMSG when @text is not what kernels write, -ENOMEM
 */
int format_strip(struct span text, char **ret_format, size_t *ret_size);

/**
 * format_number - the decimal number right behind the first @label in @text
 * Returns: false when there is none, or it is above 2^24
 */
bool format_number(struct span text, const char *label, uint32_t *ret_value);

#endif
