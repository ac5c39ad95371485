/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What one thread writes and another one's neighbour lies beside: processors hand each other whole lines of their caches, and
 * wait for them. A type that is OWN_LINES begins a line and fills its last one.
 */
#ifndef BASE_LINES_H
#define BASE_LINES_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define LINE_BYTES 64
#define OWN_LINES __attribute__((aligned(LINE_BYTES)))

/** lines_calloc - calloc() for an array of a type that is OWN_LINES; NULL: no memory; free() it */
static inline void *lines_calloc(size_t count, size_t size)
{
	void *lines;

	if (count > SIZE_MAX / size)
		return NULL;
	lines = aligned_alloc(LINE_BYTES, count * size);
	return lines ? memset(lines, 0, count * size) : NULL;
}

#endif
