// SPDX-License-Identifier: GPL-2.0-only
/* Uncompressing the pieces of a trace file in memory: zlib and zstd behind one function. */
#include "trace/compress.h"

#include <errno.h>
#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>

/* More than either method reaches on ring-buffer pages or text; an empty 64 KiB page packs about 1 : 3000. */
#define RATIO_MAX 4096
#define ALWAYS_OK 131072  /* two of the largest usual sub-buffers */
#define WINDOW_LOG_MAX 25 /* 32 MiB at most for looking at the beginning of a section */

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
		(void)ZSTD_DCtx_setParameter(u->zstd, ZSTD_d_windowLogMax, WINDOW_LOG_MAX);
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

static size_t zlib_head(struct span in, void *out, size_t size)
{
	z_stream z = {
		.next_in = (Bytef *)(uintptr_t)in.data,
		.avail_in = (uInt)in.size,
		.next_out = out,
		.avail_out = (uInt)size,
	};
	int r;

	if (inflateInit(&z) != Z_OK)
		return 0;
	r = inflate(&z, Z_SYNC_FLUSH);
	(void)inflateEnd(&z);
	return r == Z_OK || r == Z_STREAM_END || r == Z_BUF_ERROR ? z.total_out : 0;
}

static size_t zstd_head(ZSTD_DCtx *zstd, struct span in, void *out, size_t size)
{
	ZSTD_inBuffer from = {in.data, in.size, 0};
	ZSTD_outBuffer to = {out, size, 0};
	size_t r;

	(void)ZSTD_DCtx_reset(zstd, ZSTD_reset_session_only);
	do {
		r = ZSTD_decompressStream(zstd, &to, &from);
	} while (!ZSTD_isError(r) && r && to.pos < to.size && from.pos < from.size);
	(void)ZSTD_DCtx_reset(zstd, ZSTD_reset_session_only);
	return ZSTD_isError(r) ? 0 : to.pos;
}

size_t unpacker_head(struct unpacker *unpacker, struct span in, void *out, size_t size)
{
	switch (unpacker->compression) {
	case COMPRESSION_ZLIB:
		return zlib_head(in, out, size);
	case COMPRESSION_ZSTD:
		return zstd_head(unpacker->zstd, in, out, size);
	case COMPRESSION_NONE:
		break;
	}
	return 0;
}

bool unpack_size_ok(uint64_t packed, uint64_t unpacked, uint64_t limit)
{
	return unpacked <= limit && (unpacked <= ALWAYS_OK || unpacked / RATIO_MAX <= packed);
}
