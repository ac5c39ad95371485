/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory by the megabyte. The kernel hands it out page by page as each is first written to, which costs a virtual machine
 * 10 us a page where its page tables are shadowed; of large pages it takes one for 512.
 */
#ifndef BASE_LARGE_H
#define BASE_LARGE_H

#include <stdlib.h>
#include <sys/mman.h>

#include "base/lines.h"

#define LARGE_PAGE ((size_t)2 << 20)

/* As many small pages as are in this part of a large one are met sooner. */
#define LARGE_MIN (LARGE_PAGE / 4)

/**
 * large_alloc - @bytes that begin a line of the cache; from LARGE_MIN on in large pages, if there are any, and rounded up to them
 * Returns: NULL: no memory; free() it
 */
static inline void *large_alloc(size_t bytes)
{
	size_t page = bytes < LARGE_MIN ? LINE_BYTES : LARGE_PAGE;
	size_t whole = (bytes + page - 1) / page * page;
	void *memory = aligned_alloc(page, whole);

	if (memory && page == LARGE_PAGE)
		(void)madvise(memory, whole, MADV_HUGEPAGE);
	return memory;
}

#endif
