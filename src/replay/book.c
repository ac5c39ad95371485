// SPDX-License-Identifier: GPL-2.0-only
#include "replay/book.h"

#include <errno.h>

#include "base/large.h"

#define SHEET_MIN ((size_t)64 << 10)

/* Soon as large as a large page; larger only for one stretch that asks for it. */
static int add_sheet(struct book *book, size_t bytes)
{
	size_t size = book->sheets.len ? LARGE_PAGE : SHEET_MIN;
	struct sheet *sheet = array_add(&book->sheets);

	if (!sheet)
		return -ENOMEM;
	if (size < bytes)
		size = bytes;
	sheet->bytes = large_alloc(size);
	if (!sheet->bytes) {
		book->sheets.len--;
		return -ENOMEM;
	}
	sheet->size = size;
	return 0;
}

/* Room for @bytes; NULL: no memory */
static void *write_on(struct book *book, size_t bytes)
{
	struct sheet *sheet;

	while (book->sheet < book->sheets.len &&
	       book->sheets.ptr[book->sheet].size - book->sheets.ptr[book->sheet].used < bytes)
		book->sheet++;
	if (book->sheet == book->sheets.len && add_sheet(book, bytes) < 0)
		return NULL;
	sheet = &book->sheets.ptr[book->sheet];
	sheet->used += bytes;
	return sheet->bytes + sheet->used - bytes;
}

int book_add(struct book *book, const struct stretch *stretch)
{
	size_t periods = stretch->periods.len * sizeof(*stretch->periods.ptr);
	size_t happenings = stretch->happenings.len * sizeof(*stretch->happenings.ptr);
	struct entry *entry = array_add_raw(&book->stretches);
	struct stretch *copy;

	if (!entry)
		return -ENOMEM;
	copy = write_on(book, sizeof(*copy) + periods + happenings);
	if (!copy) {
		book->stretches.len--;
		return -ENOMEM;
	}
	*entry = (struct entry){copy, stretch->cpu};
	*copy = *stretch;
	copy->periods.ptr = (struct period *)(copy + 1);
	copy->happenings.ptr = (struct happening *)(copy->periods.ptr + stretch->periods.len);
	if (periods)
		memcpy(copy->periods.ptr, stretch->periods.ptr, periods);
	if (happenings)
		memcpy(copy->happenings.ptr, stretch->happenings.ptr, happenings);
	return 0;
}

void book_clear(struct book *book)
{
	array_clear(&book->stretches);
	for (size_t i = 0; i < book->sheets.len; i++)
		book->sheets.ptr[i].used = 0;
	book->sheet = 0;
}

void book_free(struct book *book)
{
	for (size_t i = 0; i < book->sheets.len; i++)
		free(book->sheets.ptr[i].bytes);
	array_free(&book->sheets);
	array_free(&book->stretches);
	book->sheet = 0;
}
