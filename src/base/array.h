/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Growable typed array: `ARRAY(struct period) periods = {0};`, `array_add(&periods)` gives the address of a new zeroed
 * last element or NULL when there is no memory, `for (size_t i = 0; i < periods.len; i++) periods.ptr[i]`, and
 * array_free(&periods) at the end. array_clear() keeps the memory for the next round.
 */
#ifndef BASE_ARRAY_H
#define BASE_ARRAY_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define ARRAY(type)                                                                                \
	struct {                                                                                   \
		type *ptr;                                                                         \
		size_t len;                                                                        \
		size_t cap;                                                                        \
	}

/* array_grow - make room for one more element of @size bytes; 0, or -1 when there is no memory */
static inline int array_grow(void **ptr, size_t *cap, size_t len, size_t size)
{
	size_t want = *cap ? *cap * 2 : 16;
	void *bigger;

	if (len < *cap)
		return 0;
	if (want > SIZE_MAX / size)
		return -1;
	bigger = realloc(*ptr, want * size);
	if (!bigger)
		return -1;
	*ptr = bigger;
	*cap = want;
	return 0;
}

#define array_add(a)                                                                               \
	(array_grow((void **)&(a)->ptr, &(a)->cap, (a)->len, sizeof(*(a)->ptr))                    \
		 ? NULL                                                                            \
		 : (__typeof__((a)->ptr))memset(&(a)->ptr[(a)->len++], 0, sizeof(*(a)->ptr)))

/* The same for a caller who writes all of it at once: the memory is as it was. */
#define array_add_raw(a)                                                                           \
	(array_grow((void **)&(a)->ptr, &(a)->cap, (a)->len, sizeof(*(a)->ptr))                    \
		 ? NULL                                                                            \
		 : &(a)->ptr[(a)->len++])

#define array_clear(a) ((void)((a)->len = 0))

#define array_free(a)                                                                              \
	do {                                                                                       \
		free((a)->ptr);                                                                    \
		(a)->ptr = NULL;                                                                   \
		(a)->len = 0;                                                                      \
		(a)->cap = 0;                                                                      \
	} while (0)

#define array_size(fixed) (sizeof(fixed) / sizeof((fixed)[0]))

#endif
