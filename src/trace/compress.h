/* SPDX-License-Identifier: GPL-2.0-only */
/* Uncompressing the pieces of a trace file in memory. */
#ifndef TRACE_COMPRESS_H
#define TRACE_COMPRESS_H

#include "trace/bytes.h"

enum compression { COMPRESSION_NONE, COMPRESSION_ZLIB, COMPRESSION_ZSTD };

struct unpacker;

/** compression_find - the method the file calls @name; 0, or -ENOTSUP */
int compression_find(const char *name, enum compression *ret_compression);

/** unpacker_open - a decompressor for one thread; -ENOMEM */
int unpacker_open(enum compression compression, struct unpacker **ret_unpacker);
void unpacker_close(struct unpacker *unpacker);

/** unpacker_run - uncompress @in into exactly @size bytes at @out; -EBADMSG when that is not what @in holds */
int unpacker_run(struct unpacker *unpacker, struct span in, void *out, size_t size);

/** unpacker_head - uncompress no more than the first @size bytes; returns how many there are, 0 when it fails */
size_t unpacker_head(struct unpacker *unpacker, struct span in, void *out, size_t size);

/**
 * unpack_size_ok - may @packed bytes stand for @unpacked? Keeps a hostile file from making us allocate what it declares.
 * @limit: what @unpacked must not exceed
 */
bool unpack_size_ok(uint64_t packed, uint64_t unpacked, uint64_t limit);

#endif
