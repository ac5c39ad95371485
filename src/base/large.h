/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory by the megabyte. The kernel hands it out page by page as each is first written to, which costs a virtual machine
 * 10 us a page where its page tables are shadowed; of large pages it takes one for 512.
 */
#ifndef BASE_LARGE_H
#define BASE_LARGE_H

#include <stdlib.h>
#include <sys/mman.h>

#define LARGE_PAGE ((size_t)2 << 20)

/** large_alloc - @bytes, rounded up to large pages, in large pages if there are any; NULL: no memory; free() it */
static inline void *large_alloc(size_t bytes)
{
	size_t whole = (bytes + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE;
	void *memory = aligned_alloc(LARGE_PAGE, whole);

	if (memory)
		(void)madvise(memory, whole, MADV_HUGEPAGE);
	return memory;
}

#endif
