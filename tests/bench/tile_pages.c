// SPDX-License-Identifier: GPL-2.0-only
/* Sub-buffers in the byte order and layout of the source, written as they fill up: the trace may be of any size. */
#include "tile.h"

#include <stdlib.h>
#include <zstd.h>

#define CHUNK_PAGES 32
#define DELTA_MAX (UINT64_C(1) << RINGBUF_DELTA_BITS)

struct sink {
	const struct tile_plan *plan;
	FILE *file;
	uint8_t *chunk, *packed; /* CHUNK_PAGES sub-buffers */
	uint32_t page_size, page, used;
	uint64_t time_ns, records;
	uint32_t chunks;
	long count_at; /* where the number of chunks goes */
};

static void put(FILE *file, const void *data, size_t size)
{
	if (fwrite(data, 1, size, file) != size)
		tile_die("cannot write: %m");
}

static void put_u32(struct sink *sink, uint32_t value)
{
	uint8_t bytes[4];

	tile_store(sink->plan, bytes, 4, value);
	put(sink->file, bytes, 4);
}

struct sink *sink_new(const struct tile_plan *plan, FILE *file)
{
	struct sink *sink = calloc(1, sizeof(*sink));
	size_t size = (size_t)CHUNK_PAGES * plan->trace->info.page_size;

	if (!sink)
		tile_die("out of memory");
	sink->plan = plan;
	sink->file = file;
	sink->page_size = plan->trace->info.page_size;
	sink->chunk = calloc(1, size);
	sink->packed = malloc(ZSTD_compressBound(size));
	if (!sink->chunk || !sink->packed)
		tile_die("out of memory");
	sink->count_at = ftell(file);
	if (plan->packed)
		put_u32(sink, 0);
	return sink;
}

static void chunk_write(struct sink *sink)
{
	size_t size = (size_t)sink->page * sink->page_size, packed;

	if (!size)
		return;
	if (sink->plan->packed) {
		packed =
			ZSTD_compress(sink->packed, ZSTD_compressBound(size), sink->chunk, size, 3);
		if (ZSTD_isError(packed))
			tile_die("zstd: %s", ZSTD_getErrorName(packed));
		put_u32(sink, (uint32_t)packed);
		put_u32(sink, (uint32_t)size);
		put(sink->file, sink->packed, packed);
	} else {
		put(sink->file, sink->chunk, size);
	}
	sink->chunks++;
	sink->page = 0;
	memset(sink->chunk, 0, size);
}

static uint8_t *page_at(struct sink *sink)
{
	return sink->chunk + (size_t)sink->page * sink->page_size;
}

static void page_close(struct sink *sink)
{
	const struct ringbuf_format *ring = &sink->plan->trace->formats.ring;

	if (!sink->used)
		return;
	tile_store(sink->plan, page_at(sink) + ring->commit_offset, ring->commit_size,
		   sink->used - ring->data_offset);
	sink->used = 0;
	if (++sink->page == CHUNK_PAGES)
		chunk_write(sink);
}

/* The first word of a record: on big-endian machines the type has the upper bits. */
static void word_put(struct sink *sink, uint32_t type, uint64_t delta)
{
	uint32_t low = (uint32_t)(delta & (DELTA_MAX - 1));
	bool big = sink->plan->trace->formats.ring.big_endian;

	tile_store(sink->plan, page_at(sink) + sink->used, 4,
		   big ? type << RINGBUF_DELTA_BITS | low : low << 5 | type);
	sink->used += 4;
}

static void page_open(struct sink *sink, uint64_t time_ns)
{
	if (sink->used)
		return;
	tile_store(sink->plan, page_at(sink), 8, time_ns);
	sink->used = sink->plan->trace->formats.ring.data_offset;
	sink->time_ns = time_ns;
}

void sink_record(struct sink *sink, uint64_t time_ns, struct ringbuf_record record)
{
	uint64_t delta;

	if (sink->used + record.size + 16 > sink->page_size)
		page_close(sink);
	page_open(sink, time_ns);
	delta = time_ns - sink->time_ns;
	sink->time_ns = time_ns;
	if (delta >= DELTA_MAX) {
		word_put(sink, RINGBUF_TYPE_TIME_EXTEND, delta);
		tile_store(sink->plan, page_at(sink) + sink->used, 4, delta >> RINGBUF_DELTA_BITS);
		sink->used += 4;
		delta = 0;
	}
	if (record.size <= 28 * 4) {
		word_put(sink, record.size / 4, delta);
	} else {
		word_put(sink, RINGBUF_TYPE_LONG, delta);
		tile_store(sink->plan, page_at(sink) + sink->used, 4, record.size + 4);
		sink->used += 4;
	}
	memcpy(page_at(sink) + sink->used, record.data, record.size);
	sink->used += record.size;
	sink->records++;
}

uint64_t sink_finish(struct sink *sink)
{
	uint64_t records = sink->records;

	page_close(sink);
	chunk_write(sink);
	if (sink->plan->packed) {
		if (fseek(sink->file, sink->count_at, SEEK_SET))
			tile_die("cannot seek: %m");
		put_u32(sink, sink->chunks);
		if (fseek(sink->file, 0, SEEK_END))
			tile_die("cannot seek: %m");
	}
	free(sink->chunk);
	free(sink->packed);
	free(sink);
	return records;
}
