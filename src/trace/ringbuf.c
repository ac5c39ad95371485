// SPDX-License-Identifier: GPL-2.0-only
/* The header of a sub-buffer (time, fill level, losses before it) and the less common kinds of records. */
#include "trace/ringbuf.h"

#define COMMIT_MASK 0x07ffffffu	  /* bytes of records */
#define MISSED_EVENTS 0x80000000u /* events were lost before this page … */
#define MISSED_STORED 0x40000000u /* … and their number stands behind the records */

static uint64_t load_long(const uint8_t *p, const struct ringbuf_format *format)
{
	return format->commit_size == 8 ? load_u64(p, format->swap) : load_u32(p, format->swap);
}

static struct ringbuf_loss loss_read(const struct ringbuf_format *format, struct span page,
				     uint64_t commit)
{
	struct ringbuf_loss loss = {.any = commit & MISSED_EVENTS};
	uint64_t behind = format->data_offset + (commit & COMMIT_MASK);

	if (!loss.any || !(commit & MISSED_STORED))
		return loss;
	if (behind + format->commit_size <= page.size)
		loss.count = load_long(page.data + behind, format);
	return loss;
}

const char *ringbuf_load(struct ringbuf *ring, const struct ringbuf_format *format,
			 struct span page, struct ringbuf_loss *ret_loss)
{
	uint64_t commit;

	if (page.size < format->data_offset ||
	    page.size < (uint64_t)format->commit_offset + format->commit_size)
		return "a sub-buffer is cut short in its header";
	commit = load_long(page.data + format->commit_offset, format);
	if ((commit & COMMIT_MASK) > page.size - format->data_offset)
		return "a sub-buffer claims more data than it can hold";
	ring->pos = page.data + format->data_offset;
	ring->end = ring->pos + (commit & COMMIT_MASK);
	ring->time = load_u64(page.data, format->swap);
	*ret_loss = loss_read(format, page, commit);
	return NULL;
}

#define STAMP_BITS 59

/* The time that an absolute stamp means: it lacks the top five bits, which are those of the time before it. */
static uint64_t stamp_complete(uint64_t stamp, uint64_t before)
{
	const uint64_t top = ~((UINT64_C(1) << STAMP_BITS) - 1);

	if (!(before & top))
		return stamp;
	stamp |= before & top;
	return stamp < before ? stamp + (UINT64_C(1) << STAMP_BITS) : stamp;
}

/* A length word counts itself; records start at multiples of four. */
static enum ringbuf_step long_record(struct ringbuf *ring, uint64_t length, uint64_t left,
				     struct ringbuf_record *ret_record)
{
	uint64_t padded = (length + 3) & ~UINT64_C(3);

	*ret_record = (struct ringbuf_record){ring->pos + 8, (uint32_t)length - 4};
	ring->pos += 4 + (padded < left ? padded : left);
	return RINGBUF_RECORD;
}

enum ringbuf_step ringbuf_special(struct ringbuf *ring, bool swap, struct ringbuf_word word,
				  struct ringbuf_record *ret_record)
{
	uint64_t left = (uint64_t)(ring->end - ring->pos) - 4;
	uint64_t second, longer;

	if (word.type == RINGBUF_TYPE_PADDING && !word.delta) { /* nothing else on this page */
		ring->pos = ring->end;
		return RINGBUF_END;
	}
	if (left < 4)
		return RINGBUF_DAMAGED;
	second = load_u32(ring->pos + 4, swap);
	longer = word.delta + (second << RINGBUF_DELTA_BITS);
	if (word.type == RINGBUF_TYPE_TIME_EXTEND || word.type == RINGBUF_TYPE_TIME_STAMP) {
		ring->time = word.type == RINGBUF_TYPE_TIME_EXTEND
				     ? ring->time + longer
				     : stamp_complete(longer, ring->time);
		ring->pos += 8;
		return RINGBUF_SKIPPED;
	}
	if (word.type == RINGBUF_TYPE_PADDING) { /* a discarded record; its time counts */
		if (second < 4 || second > left)
			return RINGBUF_DAMAGED;
		ring->time += word.delta;
		ring->pos += 4 + second;
		return RINGBUF_SKIPPED;
	}
	if (second < 4 || second > left)
		return RINGBUF_DAMAGED;
	ring->time += word.delta;
	return long_record(ring, second, left, ret_record);
}
