// SPDX-License-Identifier: GPL-2.0-only
#include "replay/book.h"

#include <errno.h>

/* Room for @count more elements of @size bytes, and the elements at @from in it. */
static int append(void **ptr, size_t *len, size_t *cap, const void *from, size_t count, size_t size)
{
	if (!count)
		return 0;
	if (*len + count > *cap) {
		size_t want = *len + count > *cap * 2 ? *len + count : *cap * 2;
		void *bigger = realloc(*ptr, want * size);

		if (!bigger)
			return -ENOMEM;
		*ptr = bigger;
		*cap = want;
	}
	memcpy((char *)*ptr + *len * size, from, count * size);
	*len += count;
	return 0;
}

#define append_all(to, from)                                                                       \
	append((void **)&(to)->ptr, &(to)->len, &(to)->cap, (from)->ptr, (from)->len,              \
	       sizeof(*(to)->ptr))

/* The capacity of an array that lies in a book is no use to anyone: until it has an address it holds its place. */
int book_add(struct book *book, const struct stretch *stretch)
{
	size_t period = book->periods.len, happening = book->happenings.len;
	struct stretch *copy = array_add_raw(&book->stretches);

	if (!copy || append_all(&book->periods, &stretch->periods) < 0 ||
	    append_all(&book->happenings, &stretch->happenings) < 0)
		return -ENOMEM;
	*copy = *stretch;
	copy->periods.ptr = NULL;
	copy->periods.cap = period;
	copy->happenings.ptr = NULL;
	copy->happenings.cap = happening;
	return 0;
}

struct stretch *book_stretch(struct book *book, size_t i)
{
	struct stretch *stretch = &book->stretches.ptr[i];

	/* An empty book has no memory to point into. */
	if (stretch->periods.len)
		stretch->periods.ptr = book->periods.ptr + stretch->periods.cap;
	if (stretch->happenings.len)
		stretch->happenings.ptr = book->happenings.ptr + stretch->happenings.cap;
	return stretch;
}

void book_clear(struct book *book)
{
	array_clear(&book->stretches);
	array_clear(&book->periods);
	array_clear(&book->happenings);
}

void book_free(struct book *book)
{
	array_free(&book->stretches);
	array_free(&book->periods);
	array_free(&book->happenings);
}
