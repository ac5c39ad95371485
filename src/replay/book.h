/* SPDX-License-Identifier: GPL-2.0-only */
/* Copies of stretches in a few large pieces of memory, in the order they came; what a run over the timeline reads later. */
#ifndef REPLAY_BOOK_H
#define REPLAY_BOOK_H

#include "model/timeline.h"

/** struct book - zero-initialise; book_clear() keeps the memory for the next time, book_free() at the end */
struct book {
	ARRAY(struct stretch) stretches; /* their arrays are empty until book_stretch() */
	ARRAY(struct period) periods;
	ARRAY(struct happening) happenings;
};

/** book_add - a copy of @stretch; 0 or -ENOMEM */
int book_add(struct book *book, const struct stretch *stretch);

/** book_stretch - stretch @i, 0 … book->stretches.len-1, to read and to mark; valid until the next book_add() */
struct stretch *book_stretch(struct book *book, size_t i);

void book_clear(struct book *book);
void book_free(struct book *book);

#endif
