// SPDX-License-Identifier: GPL-2.0-only
/* Unpacking: round trips, sizes that lie, damaged input, and the limit on what a file may claim. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "trace/compress.h"

#include <errno.h>
#include <zlib.h>
#include <zstd.h>

#define SIZE 10000

static void fill(uint8_t *data)
{
	for (unsigned i = 0; i < SIZE; i++)
		data[i] = (uint8_t)(i * i >> 7);
}

static size_t pack(enum compression compression, const uint8_t *data, uint8_t *out, size_t room)
{
	uLongf size = room;

	if (compression == COMPRESSION_ZSTD)
		return ZSTD_compress(out, room, data, SIZE, 3);
	assert_int_equal(compress(out, &size, data, SIZE), Z_OK);
	return size;
}

static void check_method(enum compression compression)
{
	uint8_t data[SIZE], packed[2 * SIZE], out[SIZE + 1];
	struct unpacker *unpacker;
	struct span in = {packed, 0};

	fill(data);
	in.size = pack(compression, data, packed, sizeof(packed));
	assert_int_equal(unpacker_open(compression, &unpacker), 0);
	for (int again = 0; again < 2; again++) {
		assert_int_equal(unpacker_run(unpacker, in, out, SIZE), 0);
		assert_memory_equal(out, data, SIZE);
	}
	assert_int_equal(unpacker_run(unpacker, in, out, SIZE - 1), -EBADMSG);
	assert_int_equal(unpacker_run(unpacker, in, out, SIZE + 1), -EBADMSG);
	for (size_t size = 0; size < in.size; size += 7)
		assert_int_equal(unpacker_run(unpacker, (struct span){packed, size}, out, SIZE),
				 -EBADMSG);
	unpacker_close(unpacker);
}

static void test_zlib(void **state)
{
	(void)state;
	check_method(COMPRESSION_ZLIB);
}

static void test_zstd(void **state)
{
	(void)state;
	check_method(COMPRESSION_ZSTD);
}

static void test_names(void **state)
{
	enum compression found;

	(void)state;
	assert_int_equal(compression_find("zstd", &found), 0);
	assert_int_equal(found, COMPRESSION_ZSTD);
	assert_int_equal(compression_find("zlib", &found), 0);
	assert_int_equal(found, COMPRESSION_ZLIB);
	assert_int_equal(compression_find("none", &found), 0);
	assert_int_equal(found, COMPRESSION_NONE);
	assert_int_equal(compression_find("lz4", &found), -ENOTSUP);
	unpacker_close(NULL);
}

static void test_limits(void **state)
{
	(void)state;
	assert_true(unpack_size_ok(1, 65536, 1 << 20));
	assert_true(unpack_size_ok(300, 1 << 20, 1 << 20));
	assert_false(unpack_size_ok(300, (1 << 20) + 1, 1 << 20));
	assert_false(unpack_size_ok(20, 1 << 20, 1 << 30));
	assert_false(unpack_size_ok(0, UINT32_MAX, UINT64_MAX));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_zlib),
		cmocka_unit_test(test_zstd),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
