/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A name for content: 128 bits that differ when the content does, short of someone making it collide on purpose. For
 * cache keys of the user's own files; not for security.
 */
#ifndef POLICY_DIGEST_H
#define POLICY_DIGEST_H

#include <stddef.h>
#include <stdint.h>

struct digest {
	uint64_t a, b;
};

#define DIGEST_INIT                                                                                \
	{                                                                                          \
		UINT64_C(0xcbf29ce484222325), UINT64_C(0x9e3779b97f4a7c15)                         \
	}

/** digest_add - take in @size bytes and the fact that they are one piece */
static inline void digest_add(struct digest *digest, const void *data, size_t size)
{
	const unsigned char *bytes = data;

	digest->a = (digest->a ^ size) * UINT64_C(0x100000001b3);
	digest->b = (digest->b ^ size) * UINT64_C(0xff51afd7ed558ccd);
	for (size_t i = 0; i < size; i++) {
		digest->a = (digest->a ^ bytes[i]) * UINT64_C(0x100000001b3);
		digest->b = (digest->b ^ bytes[i]) * UINT64_C(0xff51afd7ed558ccd);
		digest->b ^= digest->b >> 32;
	}
}

#endif
