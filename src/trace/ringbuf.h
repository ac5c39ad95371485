/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Decoding one sub-buffer ("page") of the kernel's ring buffer: a header (time stamp, commit word), then records, each
 * starting with a 32-bit word of a 5-bit type or length and a 27-bit time delta.
 */
#ifndef TRACE_RINGBUF_H
#define TRACE_RINGBUF_H

#include "trace/bytes.h"

/** struct ringbuf_format - how the recording kernel lays out its sub-buffers; from the header_page text of the file */
struct ringbuf_format {
	bool swap;	 /* the other byte order than this machine */
	bool big_endian; /* byte order of the file: bit fields start at the other end of the word */
	uint32_t commit_offset;
	uint32_t commit_size; /* 4 or 8: the kernel's long */
	uint32_t data_offset; /* where the records start, at least 12 */
};

/** struct ringbuf - where we are in a page; @time is that of the record last given, at first that of the page */
struct ringbuf {
	const uint8_t *pos, *end;
	uint64_t time;
};

/** struct ringbuf_loss - what was lost right before a page */
struct ringbuf_loss {
	bool any;
	uint64_t count; /* 0: the kernel did not say */
};

/**
 * struct ringbuf_record - one event's bytes; @size is a multiple of 4 except for damaged ones
 * It has 64 bits, because a decoder gets all of this in registers: half of one, just stored, would be waited for.
 */
struct ringbuf_record {
	const uint8_t *data;
	size_t size;
};

/**
 * ringbuf_load - start with the first record of @page
 * Returns: NULL, or what is wrong with the page
 */
const char *ringbuf_load(struct ringbuf *ring, const struct ringbuf_format *format,
			 struct span page, struct ringbuf_loss *ret_loss);

enum {
	RINGBUF_TYPE_LONG = 0, /* length in the next word */
	RINGBUF_TYPE_PADDING = 29,
	RINGBUF_TYPE_TIME_EXTEND = 30,
	RINGBUF_TYPE_TIME_STAMP = 31,
};

#define RINGBUF_DELTA_BITS 27

/** struct ringbuf_word - the first word of a record taken apart */
struct ringbuf_word {
	uint32_t type;
	uint32_t delta;
};

enum ringbuf_step {
	RINGBUF_DAMAGED = -1,
	RINGBUF_END = 0,
	RINGBUF_RECORD = 1,
	RINGBUF_SKIPPED = 2
};

/** ringbuf_special - take the record at ring->pos whose type is none of the short lengths 1 … 28 */
enum ringbuf_step ringbuf_special(struct ringbuf *ring, bool swap, struct ringbuf_word word,
				  struct ringbuf_record *ret_record);

/* ringbuf_special() on copies, so that nobody gets the address of @ring: then it can live in registers. */
static force_inline enum ringbuf_step ringbuf_other(struct ringbuf *ring, bool swap,
						    struct ringbuf_word word,
						    struct ringbuf_record *ret_record)
{
	struct ringbuf at = *ring;
	struct ringbuf_record record = {NULL, 0};
	enum ringbuf_step step = ringbuf_special(&at, swap, word, &record);

	*ring = at;
	*ret_record = record;
	return step;
}

/**
 * ringbuf_next - the next event's record; ring->time becomes its time
 * @swap, @big_endian: as in the page's format; constants here, so that the compiler makes a loop for each
 * Returns: RINGBUF_RECORD, RINGBUF_END, or RINGBUF_DAMAGED when a record reaches beyond the page (@ring stays there)
 */
static force_inline enum ringbuf_step ringbuf_next(struct ringbuf *ring, bool swap, bool big_endian,
						   struct ringbuf_record *ret_record)
{
	while (ring->end - ring->pos >= 4) {
		uint32_t raw = load_u32(ring->pos, swap);
		struct ringbuf_word word;
		enum ringbuf_step step;

		word.type = big_endian ? raw >> RINGBUF_DELTA_BITS : raw & 31;
		word.delta = big_endian ? raw & ((1u << RINGBUF_DELTA_BITS) - 1) : raw >> 5;
		if (word.type - 1 < RINGBUF_TYPE_PADDING - 1) {
			const uint8_t *data = ring->pos + 4;
			uint32_t size = word.type * 4;

			if (size > (size_t)(ring->end - data))
				return RINGBUF_DAMAGED;
			ring->time += word.delta;
			ring->pos = data + size;
			*ret_record = (struct ringbuf_record){data, size};
			return RINGBUF_RECORD;
		}
		step = ringbuf_other(ring, swap, word, ret_record);
		if (step != RINGBUF_SKIPPED)
			return step;
	}
	return RINGBUF_END;
}

#endif
