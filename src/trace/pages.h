/* SPDX-License-Identifier: GPL-2.0-only */
/* The sub-buffers of one CPU, one after the other, uncompressed chunk by chunk into a window when they are packed. */
#ifndef TRACE_PAGES_H
#define TRACE_PAGES_H

#include "trace/tracedat.h"

/** struct pages - zero-initialise, then pages_open() */
struct pages {
	const struct tracedat *file;
	uint32_t cpu;
	uint32_t page_size;
	struct span rest;    /* of the file: what has not been looked at */
	struct span window;  /* pages that can be given out: of the file, or of @buffer */
	const uint8_t *page; /* given out last */
	/* what does not lie in memory as it is needed: it is read, or unpacked, into @buffer piece by piece */
	const uint8_t *piece; /* in the file, that of which @buffer is full; NULL: there is none */
	uint8_t *buffer;
	size_t buffer_size;
	bool lent; /* the buffer was */
	/* packed pages */
	struct unpacker *unpacker; /* made with the first chunk */
	uint32_t chunks_left;
};

/**
 * pages_open - start at the first page of @cpu of the chosen instance
 * @page_size: bytes of a sub-buffer
 */
int pages_open(struct pages *pages, const struct tracedat *file, uint32_t cpu, uint32_t page_size,
	       struct cpir_error *err);
void pages_close(struct pages *pages);

/** pages_piece_bytes - of memory it is going to get for pieces of the file; 0: it needs none, or has some */
size_t pages_piece_bytes(const struct pages *pages);

/** pages_lend - have pieces of the file in the pages_piece_bytes() at @memory, the caller's, instead */
void pages_lend(struct pages *pages, void *memory);

/** pages_clone - as far as @pages is, with the page given out last; 0 or -ENOMEM, pages_close() it in any case */
int pages_clone(const struct pages *pages, struct pages *ret_clone);

/** pages_next - the next page, which stays valid as pages_keeps() says; 1, 0 at the end, negative errno */
int pages_next(struct pages *pages, struct span *ret_page, struct cpir_error *err);

/** pages_keeps - true when the next pages_next() will leave the pages given out so far in place */
bool pages_keeps(const struct pages *pages);

/** pages_offset - where in the file the page given out last is; of packed pages, where their chunk is */
uint64_t pages_offset(const struct pages *pages);

/** pages_left - bytes of the file not yet looked at */
uint64_t pages_left(const struct pages *pages);

#endif
