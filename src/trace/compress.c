// SPDX-License-Identifier: GPL-2.0-only
/* Uncompressing the pieces of a trace file in memory: zlib and zstd behind one function. */
#include "trace/compress.h"

#include <errno.h>
#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>

/* More than either method reaches on ring-buffer pages or text; an empty 64 KiB page packs about 1 : 3000. */
#define RATIO_MAX 4096
#define ALWAYS_OK 131072 /* two of the largest usual sub-buffers */

struct unpacker {
	enum compression compression;
	ZSTD_DCtx *zstd;
};

int compression_find(const char *name, enum compression *ret_compression)
{
	static const char *const names[] = {
		[COMPRESSION_NONE] = "none",
		[COMPRESSION_ZLIB] = "zlib",
		[COMPRESSION_ZSTD] = "zstd",
	};

	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(name, names[i]) != 0)
			continue;
		*ret_compression = (enum compression)i;
		return 0;
	}
	return -ENOTSUP;
}

int unpacker_open(enum compression compression, struct unpacker **ret_unpacker)
{
	struct unpacker *u = calloc(1, sizeof(*u));

	if (!u)
		return -ENOMEM;
	u->compression = compression;
	if (compression == COMPRESSION_ZSTD) {
		u->zstd = ZSTD_createDCtx();
		if (!u->zstd) {
			free(u);
			return -ENOMEM;
		}
	}
	*ret_unpacker = u;
	return 0;
}

void unpacker_close(struct unpacker *unpacker)
{
	if (!unpacker)
		return;
	(void)ZSTD_freeDCtx(unpacker->zstd);
	free(unpacker);
}

static int zlib_run(struct span in, void *out, size_t size)
{
	uLongf got = size;
	int r = uncompress(out, &got, in.data, in.size);

	if (r == Z_MEM_ERROR)
		return -ENOMEM;
	return r == Z_OK && got == size ? 0 : -EBADMSG;
}

static int zstd_run(ZSTD_DCtx *zstd, struct span in, void *out, size_t size)
{
	size_t got = ZSTD_decompressDCtx(zstd, out, size, in.data, in.size);

	return !ZSTD_isError(got) && got == size ? 0 : -EBADMSG;
}

int unpacker_run(struct unpacker *unpacker, struct span in, void *out, size_t size)
{
	switch (unpacker->compression) {
	case COMPRESSION_ZLIB:
		return zlib_run(in, out, size);
	case COMPRESSION_ZSTD:
		return zstd_run(unpacker->zstd, in, out, size);
	case COMPRESSION_NONE:
		break;
	}
	return -EBADMSG;
}

bool unpack_size_ok(uint64_t packed, uint64_t unpacked, uint64_t limit)
{
	return unpacked <= limit && (unpacked <= ALWAYS_OK || unpacked / RATIO_MAX <= packed);
}
