/* SPDX-License-Identifier: GPL-2.0-only */
/* Copies of stretches in a few large pieces of memory, in the order they came; what a run over the timeline reads later. */
#ifndef REPLAY_BOOK_H
#define REPLAY_BOOK_H

#include "model/timeline.h"

/** struct sheet - a piece of memory: @used of its @size bytes are written on */
struct sheet {
	char *bytes;
	size_t used, size;
};

/** struct entry - of a stretch, which its periods and its happenings follow; where they are they stay */
struct entry {
	struct stretch *stretch;
	uint32_t cpu; /* its, for who looks for some CPUs' in a long list */
};

/** struct book - zero-initialise; book_clear() keeps the memory for the next time, book_free() at the end */
struct book {
	ARRAY(struct entry) stretches;
	ARRAY(struct sheet) sheets;
	size_t sheet; /* being written on; the ones after it are blank */
};

/** book_add - a copy of @stretch; 0 or -ENOMEM */
int book_add(struct book *book, const struct stretch *stretch);

/** book_stretch - stretch @i, 0 … book->stretches.len-1, to read and to mark; valid until the book is cleared or freed */
static inline struct stretch *book_stretch(const struct book *book, size_t i)
{
	return book->stretches.ptr[i].stretch;
}

void book_clear(struct book *book);
void book_free(struct book *book);

#endif
