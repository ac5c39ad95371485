// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sub-buffers: a time stamp, a "commit" word with the fill level and the flags of lost events, then records. The first
 * word of a record holds its type in 5 bits and the ns since the record before it in 27; the type of an event record is
 * its length in words, or 0 when the length stands in a word of its own.
 */
#include "dat_pages.h"

#define TYPE_PADDING 29
#define TYPE_TIME_EXTEND 30
#define TYPE_TIME_STAMP 31
#define LENGTH_MAX (28 * 4)
#define DELTA_BITS 27
#define STAMP_BITS 59
#define MISSED_EVENTS 0x80000000u
#define MISSED_STORED 0x40000000u

/* struct ring - the sub-buffer being filled; @page: where it begins in @out */
struct ring {
	const struct story *story;
	struct buffer *out;
	bool open;
	size_t page;
	uint64_t time_ns;
	bool lost;
	uint64_t lost_count;
};

static uint32_t header_size(const struct story *story)
{
	return 8 + story->long_size;
}

/* room - bytes left, with a long kept free for the number of lost events */
static size_t room(const struct ring *ring)
{
	size_t used = ring->out->len - ring->page;
	size_t all = ring->story->page_size - (ring->lost ? ring->story->long_size : 0);

	return used < all ? all - used : 0;
}

static void page_close(struct ring *ring)
{
	const struct story *story = ring->story;
	uint64_t commit;

	if (!ring->open)
		return;
	commit = ring->out->len - ring->page - header_size(story);
	if (ring->lost && ring->lost_count)
		buffer_number(ring->out, ring->lost_count, story->long_size);
	if (ring->lost)
		commit |= MISSED_EVENTS | (ring->lost_count ? MISSED_STORED : 0);
	buffer_set(ring->out, ring->page + 8, commit, story->long_size);
	buffer_bytes(ring->out, NULL, ring->page + story->page_size - ring->out->len);
	ring->open = ring->lost = false;
}

static void page_open(struct ring *ring, uint64_t time_ns)
{
	if (ring->open)
		return;
	ring->page = ring->out->len;
	ring->time_ns = time_ns;
	ring->open = true;
	buffer_number(ring->out, time_ns, 8);
	buffer_number(ring->out, 0, ring->story->long_size);
}

/* word_put - the first word of a record: on big-endian machines the type has the upper bits */
static void word_put(struct ring *ring, uint32_t type, uint64_t delta)
{
	uint32_t low = (uint32_t)delta & ((1u << DELTA_BITS) - 1);

	buffer_number(ring->out,
		      ring->story->big_endian ? type << DELTA_BITS | low : low << 5 | type, 4);
}

static void time_put(struct ring *ring, uint32_t type, uint64_t value)
{
	word_put(ring, type, value);
	buffer_number(ring->out, value >> DELTA_BITS, 4);
}

/* record_begin - a page with room for @size bytes; returns the delta to @time_ns, short enough for a record */
static uint64_t record_begin(struct ring *ring, uint64_t time_ns, size_t size)
{
	uint64_t delta;

	if (ring->open && room(ring) < size + 8)
		page_close(ring);
	page_open(ring, time_ns);
	if (room(ring) < size + 8)
		die("%s: a record is larger than a page", ring->story->path);
	delta = time_ns - ring->time_ns;
	ring->time_ns = time_ns;
	if (!(delta >> DELTA_BITS))
		return delta;
	time_put(ring, TYPE_TIME_EXTEND, delta);
	return 0;
}

static void event_put(struct ring *ring, const struct story_entry *entry)
{
	size_t size = (entry->size + 3) / 4 * 4;
	uint64_t delta = record_begin(ring, entry->time_ns, size + 8);

	if (size <= LENGTH_MAX) {
		word_put(ring, (uint32_t)size / 4, delta);
	} else {
		word_put(ring, 0, delta);
		buffer_number(ring->out, size + 4, 4);
	}
	buffer_bytes(ring->out, ring->story->records.ptr + entry->data, entry->size);
	buffer_bytes(ring->out, NULL, size - entry->size);
}

static void discard_put(struct ring *ring, const struct story_entry *entry)
{
	size_t size = (entry->value + 3) / 4 * 4;
	uint64_t delta = record_begin(ring, entry->time_ns, size + 8);

	/* A discarded record whose delta is 0 would mean the end of the page. */
	word_put(ring, TYPE_PADDING, delta ? delta : 1);
	ring->time_ns += !delta;
	buffer_number(ring->out, size + 4, 4);
	buffer_bytes(ring->out, NULL, size);
}

static void entry_put(struct ring *ring, const struct story_entry *entry)
{
	uint64_t delta;

	switch (entry->kind) {
	case ENTRY_EVENT:
		event_put(ring, entry);
		break;
	case ENTRY_LOST:
		page_close(ring);
		ring->lost = true;
		ring->lost_count = entry->value;
		break;
	case ENTRY_PAGE:
		page_close(ring);
		break;
	case ENTRY_EXTEND:
		delta = record_begin(ring, entry->time_ns, 8);
		time_put(ring, TYPE_TIME_EXTEND, delta);
		break;
	case ENTRY_STAMP:
		(void)record_begin(ring, entry->time_ns, 8);
		time_put(ring, TYPE_TIME_STAMP, entry->time_ns & ((UINT64_C(1) << STAMP_BITS) - 1));
		break;
	case ENTRY_DISCARD:
		discard_put(ring, entry);
		break;
	}
}

void dat_pages(const struct story *story, uint32_t instance, uint32_t cpu, struct buffer *out)
{
	struct ring ring = {.story = story, .out = out};

	for (size_t i = 0; i < story->entries.len; i++) {
		const struct story_entry *entry = &story->entries.ptr[i];

		if (entry->instance == instance && entry->cpu == cpu)
			entry_put(&ring, entry);
	}
	page_close(&ring);
}

void dat_header_page(const struct story *story, struct buffer *out)
{
	buffer_printf(out,
		      "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
		      "\tfield: local_t commit;\toffset:8;\tsize:%u;\tsigned:1;\n"
		      "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
		      "\tfield: char data;\toffset:%u;\tsize:%u;\tsigned:0;\n",
		      story->long_size, header_size(story), story->page_size - header_size(story));
}

void dat_header_event(struct buffer *out)
{
	buffer_printf(out, "# compressed entry header\n"
			   "\ttype_len    :    5 bits\n"
			   "\ttime_delta  :   27 bits\n"
			   "\tarray       :   32 bits\n"
			   "\n"
			   "\tpadding     : type == 29\n"
			   "\ttime_extend : type == 30\n"
			   "\ttime_stamp : type == 31\n"
			   "\tdata max type_len  == 28\n");
}
