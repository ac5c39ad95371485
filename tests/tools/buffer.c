// SPDX-License-Identifier: GPL-2.0-only
/* Bytes in the making. */
#include "buffer.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void die(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	(void)fputs("mktrace: ", stderr);
	(void)vfprintf(stderr, fmt, args);
	(void)fputc('\n', stderr);
	va_end(args);
	exit(1);
}

void buffer_deinit(struct buffer *buffer)
{
	free(buffer->ptr);
	*buffer = (struct buffer){.big_endian = buffer->big_endian};
}

static void buffer_reserve(struct buffer *buffer, size_t more)
{
	size_t cap = buffer->cap ? buffer->cap : 256;

	while (cap < buffer->len + more)
		cap *= 2;
	if (cap == buffer->cap)
		return;
	buffer->ptr = realloc(buffer->ptr, cap);
	if (!buffer->ptr)
		die("out of memory");
	buffer->cap = cap;
}

void buffer_bytes(struct buffer *buffer, const void *data, size_t len)
{
	buffer_reserve(buffer, len + 1);
	if (data && len)
		memcpy(buffer->ptr + buffer->len, data, len);
	else
		memset(buffer->ptr + buffer->len, 0, len);
	buffer->len += len;
}

void buffer_string(struct buffer *buffer, const char *text)
{
	buffer_bytes(buffer, text, strlen(text) + 1);
}

void buffer_printf(struct buffer *buffer, const char *fmt, ...)
{
	char text[4096];
	va_list args;
	int len;

	va_start(args, fmt);
	len = vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	if (len < 0 || (size_t)len >= sizeof(text))
		die("a text is too long");
	buffer_bytes(buffer, text, (size_t)len);
}

void buffer_set(struct buffer *buffer, size_t offset, uint64_t value, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		size_t shift = 8 * (buffer->big_endian ? size - 1 - i : i);

		buffer->ptr[offset + i] = (uint8_t)(value >> shift);
	}
}

void buffer_number(struct buffer *buffer, uint64_t value, size_t size)
{
	buffer_bytes(buffer, NULL, size);
	buffer_set(buffer, buffer->len - size, value, size);
}

void buffer_align(struct buffer *buffer, size_t size)
{
	buffer_bytes(buffer, NULL, (size - buffer->len % size) % size);
}
