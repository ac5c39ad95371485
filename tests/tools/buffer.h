/* SPDX-License-Identifier: GPL-2.0-only */
/* Bytes in the making, in the byte order of the machine that a made trace pretends to come from. */
#ifndef TOOLS_BUFFER_H
#define TOOLS_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** struct buffer - zero-initialise, set @big_endian; free @ptr with buffer_deinit() */
struct buffer {
	uint8_t *ptr;
	size_t len, cap;
	bool big_endian;
};

void buffer_deinit(struct buffer *buffer);

/** die - print a message and leave with status 1: these are small programs that can do nothing else */
void die(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));

/** buffer_bytes - append @len bytes; @data NULL: zeros */
void buffer_bytes(struct buffer *buffer, const void *data, size_t len);

/** buffer_string - append @text with its NUL */
void buffer_string(struct buffer *buffer, const char *text);

/** buffer_printf - append text without a NUL */
void buffer_printf(struct buffer *buffer, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/** buffer_number - append @value in @size (1, 2, 4 or 8) bytes */
void buffer_number(struct buffer *buffer, uint64_t value, size_t size);

/** buffer_set - overwrite @size bytes at @offset by @value */
void buffer_set(struct buffer *buffer, size_t offset, uint64_t value, size_t size);

/** buffer_align - append zeros up to a multiple of @size */
void buffer_align(struct buffer *buffer, size_t size);

#endif
