// SPDX-License-Identifier: GPL-2.0-only
/* The sub-buffers of one CPU, one after the other. */
#include "trace/pages.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define CHUNK_MAX (UINT64_C(64) << 20)

/*
 * Pages are read, not mapped: a piece as large as this stays in the cache, while each page that is mapped has to be met for
 * the first time. 136 MB took 9 ms to read, and 14 to 90 to map, look at and unmap, as they lay in the page cache. Where
 * many CPUs share the memory, pieces are smaller.
 */
#define PIECE_BYTES (256u << 10)
#define PIECES_BYTES (4u << 20)

static int pages_bad(const struct pages *pages, const uint8_t *at, const char *what,
		     struct cpir_error *err)
{
	char text[120];

	(void)snprintf(text, sizeof(text), "%s in the data of CPU %u", what, pages->cpu);
	return tracedat_bad(pages->file, tracedat_offset(pages->file, at), text, err);
}

int pages_open(struct pages *pages, const struct tracedat *file, uint32_t cpu, uint32_t page_size,
	       struct cpir_error *err)
{
	const struct tracedat_cpu *where = &file->cpus[cpu];
	uint64_t left;

	*pages = (struct pages){.file = file, .cpu = cpu, .page_size = page_size};
	if (!where->size)
		return 0;
	pages->rest = (struct span){file->file.data + where->offset, where->size};
	if (!file->pages_packed && file->fd < 0) {
		pages->window = pages->rest;
		pages->rest.size = 0;
	}
	if (!file->pages_packed)
		return 0;
	left = file->file.size - where->offset; /* the size leaves out the count of chunks */
	if (left < 4)
		return pages_bad(pages, pages->rest.data, "there is no count of chunks", err);
	pages->chunks_left = load_u32(pages->rest.data, file->swap);
	pages->rest.data += 4;
	if (pages->rest.size > left - 4)
		pages->rest.size = left - 4;
	return 0;
}

void pages_close(struct pages *pages)
{
	unpacker_close(pages->unpacker);
	if (!pages->lent)
		free(pages->buffer);
	*pages = (struct pages){0};
}

static int buffer_reserve(struct pages *pages, size_t size)
{
	uint8_t *buffer;

	if (size <= pages->buffer_size)
		return 0;
	buffer = realloc(pages->lent ? NULL : pages->buffer, size);
	if (!buffer)
		return -ENOMEM;
	pages->lent = false;
	pages->buffer = buffer;
	pages->buffer_size = size;
	return 0;
}

static int unpacker_make(struct pages *pages)
{
	return pages->unpacker ? 0 : unpacker_open(pages->file->compression, &pages->unpacker);
}

/* Unpack the next chunk into the window; on failure everything is as it was before. */
static int chunk_next(struct pages *pages, struct cpir_error *err)
{
	struct reader r = {.in = pages->rest, .swap = pages->file->swap};
	uint32_t packed = reader_u32(&r), unpacked = reader_u32(&r);
	struct span in = reader_bytes(&r, packed);
	int rc;

	if (r.failed)
		return pages_bad(pages, pages->rest.data, "a compressed chunk is cut short", err);
	if (!unpack_size_ok(packed, unpacked, CHUNK_MAX))
		return pages_bad(pages, pages->rest.data,
				 "a compressed chunk claims an absurd size", err);
	if (unpacker_make(pages) < 0 || buffer_reserve(pages, unpacked) < 0)
		return error_oom(err);
	rc = unpacker_run(pages->unpacker, in, pages->buffer, unpacked);
	if (rc == -ENOMEM)
		return error_oom(err);
	if (rc < 0)
		return pages_bad(pages, pages->rest.data, "a chunk does not uncompress", err);
	pages->piece = pages->rest.data;
	pages->window = (struct span){pages->buffer, unpacked};
	pages->rest.data += r.pos;
	pages->rest.size -= r.pos;
	pages->chunks_left--;
	return 0;
}

/* Whole sub-buffers, one at least. */
static size_t piece_size(const struct pages *pages)
{
	uint32_t share = PIECES_BYTES / pages->file->cpu_count;
	size_t size = share < PIECE_BYTES ? share : PIECE_BYTES;

	size -= size % pages->page_size;
	if (!size)
		size = pages->page_size;
	return size < pages->rest.size ? size : (size_t)pages->rest.size;
}

size_t pages_piece_bytes(const struct pages *pages)
{
	bool pieces = !pages->file->pages_packed && pages->rest.size;

	return pieces && !pages->buffer ? piece_size(pages) : 0;
}

void pages_lend(struct pages *pages, void *memory)
{
	pages->buffer_size = pages_piece_bytes(pages);
	pages->buffer = memory;
	pages->lent = true;
}

static int read_failed(const struct pages *pages, size_t done, struct cpir_error *err)
{
	if (errno)
		return error_set(err, -errno, "%s: cannot read at byte %" PRIu64 ": %m",
				 pages->file->path,
				 tracedat_offset(pages->file, pages->rest.data) + done);
	return pages_bad(pages, pages->rest.data, "the file has become shorter while it is read,",
			 err);
}

/* Read the next piece of what lies in the file as it is. */
static int piece_next(struct pages *pages, struct cpir_error *err)
{
	size_t size = piece_size(pages), done = 0;
	uint64_t offset = tracedat_offset(pages->file, pages->rest.data);

	if (buffer_reserve(pages, size) < 0)
		return error_oom(err);
	while (done < size) {
		ssize_t got;

		errno = 0;
		got = pread(pages->file->fd, pages->buffer + done, size - done,
			    (off_t)(offset + done));
		if (got <= 0 && errno != EINTR)
			return read_failed(pages, done, err);
		done += got > 0 ? (size_t)got : 0;
	}
	pages->piece = pages->rest.data;
	pages->window = (struct span){pages->buffer, size};
	pages->rest.data += size;
	pages->rest.size -= size;
	return 0;
}

/* Is there more in the file than in the window? */
static bool has_piece(const struct pages *pages)
{
	return pages->file->pages_packed ? pages->chunks_left > 0 : pages->rest.size > 0;
}

/* The piece at hand is copied; who unpacks the next one has yet to come. */
int pages_clone(const struct pages *pages, struct pages *ret_clone)
{
	*ret_clone = *pages;
	ret_clone->unpacker = NULL;
	ret_clone->buffer = NULL;
	ret_clone->buffer_size = 0;
	ret_clone->lent = false;
	if (!pages->buffer || !pages->page)
		return 0;
	if (buffer_reserve(ret_clone, pages->buffer_size) < 0)
		return -ENOMEM;
	memcpy(ret_clone->buffer, pages->buffer, pages->buffer_size);
	ret_clone->page = ret_clone->buffer + (pages->page - pages->buffer);
	ret_clone->window.data = ret_clone->buffer + (pages->window.data - pages->buffer);
	return 0;
}

int pages_next(struct pages *pages, struct span *ret_page, struct cpir_error *err)
{
	size_t size;

	while (!pages->window.size) {
		int rc;

		if (!has_piece(pages))
			return 0;
		rc = pages->file->pages_packed ? chunk_next(pages, err) : piece_next(pages, err);
		if (rc < 0)
			return rc;
	}
	size = pages->window.size < pages->page_size ? pages->window.size : pages->page_size;
	*ret_page = (struct span){pages->window.data, size};
	pages->page = pages->window.data;
	pages->window.data += size;
	pages->window.size -= size;
	return 1;
}

bool pages_keeps(const struct pages *pages)
{
	return pages->window.size || !has_piece(pages);
}

uint64_t pages_offset(const struct pages *pages)
{
	const struct tracedat *file = pages->file;

	if (!pages->piece)
		return tracedat_offset(file, pages->page);
	return tracedat_offset(file, pages->piece) +
	       (file->pages_packed ? 0 : (uint64_t)(pages->page - pages->buffer));
}

uint64_t pages_left(const struct pages *pages)
{
	return pages->rest.size + (pages->file->pages_packed ? 0 : pages->window.size);
}
