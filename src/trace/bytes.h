/* SPDX-License-Identifier: GPL-2.0-only */
/* Reading numbers of either byte order out of memory that somebody else filled. */
#ifndef TRACE_BYTES_H
#define TRACE_BYTES_H

#include <byteswap.h>
#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/inline.h"

#define HOST_BIG_ENDIAN (__BYTE_ORDER == __BIG_ENDIAN)

/** struct span - borrowed bytes; {NULL, 0} is the empty one */
struct span {
	const uint8_t *data;
	size_t size;
};

/* load_uN - the number at @p, any alignment; @swap: it has the other byte order than this machine */
static inline uint16_t load_u16(const void *p, bool swap)
{
	uint16_t v;

	memcpy(&v, p, sizeof(v));
	return swap ? bswap_16(v) : v;
}

static inline uint32_t load_u32(const void *p, bool swap)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return swap ? bswap_32(v) : v;
}

static inline uint64_t load_u64(const void *p, bool swap)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return swap ? bswap_64(v) : v;
}

/**
 * struct reader - takes one thing after another out of a span. A read beyond the end gives 0, NULL or the empty span
 * and sets @failed for good, so that a sequence of reads needs one check at its end.
 */
struct reader {
	struct span in;
	size_t pos;
	bool swap;
	bool failed;
};

static inline struct span reader_bytes(struct reader *r, uint64_t count)
{
	size_t pos = r->pos;

	if (r->failed || !r->in.data || count > r->in.size - pos) {
		r->failed = true;
		return (struct span){NULL, 0};
	}
	r->pos += (size_t)count;
	return (struct span){r->in.data + pos, (size_t)count};
}

static inline uint8_t reader_u8(struct reader *r)
{
	struct span s = reader_bytes(r, 1);

	return s.data ? *s.data : 0;
}

static inline uint16_t reader_u16(struct reader *r)
{
	struct span s = reader_bytes(r, 2);

	return s.data ? load_u16(s.data, r->swap) : 0;
}

static inline uint32_t reader_u32(struct reader *r)
{
	struct span s = reader_bytes(r, 4);

	return s.data ? load_u32(s.data, r->swap) : 0;
}

static inline uint64_t reader_u64(struct reader *r)
{
	struct span s = reader_bytes(r, 8);

	return s.data ? load_u64(s.data, r->swap) : 0;
}

/* reader_string - a NUL-terminated string, NULL when no NUL follows */
static inline const char *reader_string(struct reader *r)
{
	const uint8_t *begin = NULL, *nul = NULL;

	if (!r->failed && r->pos < r->in.size) {
		begin = r->in.data + r->pos;
		nul = memchr(begin, 0, r->in.size - r->pos);
	}
	if (!nul) {
		r->failed = true;
		return NULL;
	}
	r->pos += (size_t)(nul - begin) + 1;
	return (const char *)begin;
}

/* reader_expect - true when exactly the bytes of @text (with its NUL) come next; they are taken only then */
static inline bool reader_expect(struct reader *r, const char *text)
{
	size_t size = strlen(text) + 1;

	if (r->failed || size > r->in.size - r->pos || memcmp(r->in.data + r->pos, text, size) != 0)
		return false;
	r->pos += size;
	return true;
}

#endif
