// SPDX-License-Identifier: GPL-2.0-only
/* Files that are something else, damaged, or cut short: one clear sentence each, and nothing worse. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "trace/merge.h"
#include "trace_scene.h"

#include <errno.h>
#include <unistd.h>

/* ---- other kinds of files -------------------------------------------------------------------------------------------- */

static void expect_kind(const char *bytes, size_t size, int code)
{
	struct trace_options options = {0};
	struct cpir_error err = {0};
	struct trace *trace;

	assert_int_equal(trace_open_memory("x", (struct span){(const uint8_t *)bytes, size},
					   &options, &trace, &err),
			 code);
	assert_int_equal(strncmp(err.text, "x: ", 3), 0);
}

static void test_other_kinds(void **state)
{
	(void)state;
	expect_kind("", 0, -EBADMSG);
	expect_kind("PERFILE2........", 16, -ENOTSUP);
	expect_kind("# tracer: nop\n", 14, -ENOTSUP);
	expect_kind("\x7f"
		    "ELF",
		    4, -EBADMSG);
	expect_kind("\x17\x08\x44", 3, -EBADMSG);
	expect_kind("\x17\x08\x44tracing", 10, -EBADMSG);
	expect_kind("\x17\x08\x44tracing5\0\0\10....", 18, -ENOTSUP);
	expect_kind("\x17\x08\x44tracing7\0\2\10....", 18, -EBADMSG);
	expect_kind("\x17\x08\x44tracing7\0\0\7....", 18, -EBADMSG);
}

static void test_no_file(void **state)
{
	struct trace_options options = {0};
	struct cpir_error err = {0};
	struct trace *trace;

	(void)state;
	assert_int_equal(trace_open("/nonexistent/x.dat", &options, &trace, &err), -ENOENT);
	assert_non_null(strstr(err.text, "/nonexistent/x.dat: "));
	assert_int_equal(trace_open("/", &options, &trace, &err), -EINVAL);
	assert_int_equal(trace_open("/dev/null", &options, &trace, &err), -EINVAL);
}

/* A scene as a file that is open and has no name any more; the descriptor is the caller's. */
static int open_file(struct scene *s, enum compression compression, struct trace **ret_trace)
{
	char path[] = "/tmp/test_tracedat.XXXXXX";
	struct trace_options options = {0};
	struct cpir_error err = {0};
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	scene_begin(s, scene_fixture(7, false, 8, compression));
	scene_build(s);
	assert_int_equal(write(fd, s->file.data, s->file.size), s->file.size);
	assert_int_equal(trace_open(path, &options, ret_trace, &err), 0);
	assert_int_equal(unlink(path), 0);
	assert_string_equal(trace_info(*ret_trace)->path, path);
	return fd;
}

static void test_real_file(void **state)
{
	static const enum compression all[] = {COMPRESSION_NONE, COMPRESSION_ZSTD};

	(void)state;
	for (size_t i = 0; i < array_size(all); i++) {
		struct trace *trace = NULL;
		struct scene s;
		int fd = open_file(&s, all[i], &trace);

		scene_check_cpu(trace, 1, 1005, 64);
		trace_close(trace);
		(void)close(fd);
		scene_end(&s);
	}
	trace_close(NULL);
}

static void test_file_becomes_shorter(void **state)
{
	struct trace *trace = NULL;
	struct trace_cursor *cursor;
	struct cpir_error err = {0};
	struct event event;
	struct scene s;
	int fd = open_file(&s, COMPRESSION_NONE, &trace);

	(void)state;
	assert_int_equal(ftruncate(fd, (off_t)trace->file.cpus[1].offset + 10), 0);
	assert_int_equal(trace_cursor_open(trace, 1, &cursor, &err), 0);
	assert_int_equal(trace_cursor_read(cursor, &event, 1, &err), -EBADMSG);
	assert_non_null(
		strstr(err.text, "the file has become shorter while it is read, in the data"));
	trace_cursor_close(cursor);
	trace_close(trace);
	(void)close(fd);
	scene_end(&s);
}

static void test_latency(void **state)
{
	struct scene s;

	(void)state;
	scene_begin(&s, scene_fixture(6, false, 8, COMPRESSION_NONE));
	s.fixture.latency = true;
	scene_build(&s);
	scene_expect_error(&s, NULL, -ENOTSUP, "latency trace");
	scene_end(&s);
	scene_begin(&s, scene_fixture(7, false, 8, COMPRESSION_NONE));
	s.fixture.latency = true;
	s.fixture.buffers = NULL;
	s.fixture.buffer_count = 0;
	scene_build(&s);
	scene_expect_error(&s, NULL, -ENOTSUP, "latency trace");
	scene_end(&s);
}

/* ---- damage ---------------------------------------------------------------------------------------------------------- */

/* Open and read to the end whatever @bytes are; the error, if any, must be of the right kind and have a sentence. */
static int read_all(struct span bytes)
{
	struct trace_options options = {0};
	struct cpir_error err = {0};
	const struct event *event;
	struct trace_merge *merge;
	struct trace *trace;
	int rc = trace_open_memory("scene.dat", bytes, &options, &trace, &err);

	if (rc == 0) {
		rc = trace_merge_open(trace, NULL, &merge, &err);
		if (rc == 0) {
			while ((rc = trace_merge_next(merge, &event, &err)) > 0)
				;
			trace_merge_close(merge);
		}
		(void)trace_function_name(trace, 1);
		trace_close(trace);
	}
	if (rc < 0 && (err.code != rc || strncmp(err.text, "scene.dat: ", 11) != 0))
		fail_msg("error %d says \"%s\"", rc, err.text);
	return rc;
}

static int read_copy(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size ? size : 1); /* exactly as long, for the sanitizer's sake */
	int rc;

	if (size)
		memcpy(copy, data, size);
	rc = read_all((struct span){copy, size});
	free(copy);
	return rc;
}

/* Cut at every byte: an error, always the same kind. What the last page's padding holds does not matter. */
static void check_cut(struct fixture fixture)
{
	struct scene s;

	scene_begin(&s, fixture);
	scene_build(&s);
	assert_int_equal(read_copy(s.file.data, s.file.size), 0);
	for (size_t size = 0; size < s.file.size; size++) {
		if (read_copy(s.file.data, size) != -EBADMSG)
			fail_msg("no -EBADMSG when cut at %zu of %zu", size, s.file.size);
	}
	scene_end(&s);
}

static void test_cut(void **state)
{
	(void)state;
	check_cut(scene_fixture(6, false, 8, COMPRESSION_NONE));
	check_cut(scene_fixture(6, true, 4, COMPRESSION_NONE));
	check_cut(scene_fixture(7, false, 8, COMPRESSION_NONE));
	check_cut(scene_fixture(7, false, 8, COMPRESSION_ZLIB));
	check_cut(scene_fixture(7, true, 8, COMPRESSION_ZSTD));
}

/* Every byte set to a few other values, one at a time: no crash, no hang, and errors of the known kinds only. */
static void check_flips(struct fixture fixture)
{
	static const uint8_t masks[] = {0x01, 0x80, 0xff};
	struct scene s;

	scene_begin(&s, fixture);
	scene_build(&s);
	for (size_t at = 0; at < s.file.size; at++) {
		for (size_t i = 0; i < sizeof(masks); i++) {
			int rc;

			s.file.data[at] ^= masks[i];
			rc = read_all((struct span){s.file.data, s.file.size});
			s.file.data[at] ^= masks[i];
			if (rc != 0 && rc != -EBADMSG && rc != -ENOTSUP && rc != -EINVAL)
				fail_msg("error %d with byte %zu changed", rc, at);
		}
	}
	scene_end(&s);
}

static void test_flips(void **state)
{
	(void)state;
	check_flips(scene_fixture(6, false, 8, COMPRESSION_NONE));
	check_flips(scene_fixture(7, true, 4, COMPRESSION_NONE));
	check_flips(scene_fixture(7, false, 8, COMPRESSION_ZSTD));
}

/* ---- malice ---------------------------------------------------------------------------------------------------------- */

/* Where in a version 6 file the table of per-CPU data is. */
static size_t table_of(const struct scene *s)
{
	const uint8_t *at = memmem(s->file.data, s->file.size, "flyrecord", 10);

	assert_non_null(at);
	return (size_t)(at - s->file.data) + 10;
}

static void test_shared_pages(void **state)
{
	struct scene s;

	(void)state;
	scene_begin(&s, scene_fixture(6, false, 8, COMPRESSION_NONE));
	scene_build(&s);
	memcpy(s.file.data + table_of(&s) + 16, s.file.data + table_of(&s), 8);
	scene_expect_error(&s, NULL, -EBADMSG, "two CPUs overlap");
	scene_end(&s);
}

static void test_pages_beyond_the_end(void **state)
{
	struct scene s;

	(void)state;
	scene_begin(&s, scene_fixture(6, false, 8, COMPRESSION_NONE));
	scene_build(&s);
	blob_set_number(&s.file, table_of(&s) + 24, UINT64_MAX - 100, 8);
	scene_expect_error(&s, NULL, -EBADMSG, "the data of CPU 1");
	scene_end(&s);
}

/* The file ends with the offset of the next options: let them be their own successor. */
static void test_endless_options(void **state)
{
	struct scene s;

	(void)state;
	scene_begin(&s, scene_fixture(7, false, 8, COMPRESSION_NONE));
	scene_build(&s);
	memcpy(s.file.data + s.file.size - 8, s.file.data + 27, 8);
	scene_expect_error(&s, NULL, -EBADMSG, "circle");
	scene_end(&s);
}

static void check_chunk_size(uint32_t unpacked, const char *text)
{
	struct cpir_error err = {0};
	struct trace_cursor *cursor;
	struct event event;
	struct trace *trace;
	struct scene s;

	scene_begin(&s, scene_fixture(7, false, 8, COMPRESSION_ZSTD));
	scene_build(&s);
	trace = scene_must_open(&s, NULL);
	blob_set_number(&s.file, trace->file.cpus[0].offset + 8, unpacked, 4);
	assert_int_equal(trace_cursor_open(trace, 0, &cursor, &err), 0);
	for (int again = 0; again < 2; again++) {
		assert_int_equal(trace_cursor_read(cursor, &event, 1, &err), -EBADMSG);
		assert_non_null(strstr(err.text, text));
	}
	trace_cursor_close(cursor);
	trace_close(trace);
	scene_end(&s);
}

static void test_chunk_sizes(void **state)
{
	(void)state;
	check_chunk_size(UINT32_MAX, "absurd size");
	check_chunk_size(64 << 20, "absurd size");
	check_chunk_size(100, "does not uncompress");
	check_chunk_size(1000, "does not uncompress");
	check_chunk_size(0, "does not uncompress");
}

static void test_cpu_numbers(void **state)
{
	const uint8_t *name;
	struct scene s;

	(void)state;
	scene_begin(&s, scene_fixture(7, false, 8, COMPRESSION_NONE));
	scene_build(&s);
	name = memmem(s.file.data, s.file.size, "mono",
		      5); /* then page size, number of CPUs, the first one */
	assert_non_null(name);
	blob_set_number(&s.file, (size_t)(name - s.file.data) + 5 + 8, CPIR_CPUS_MAX, 4);
	scene_expect_error(&s, NULL, -EBADMSG, "too high a number");
	scene_end(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_other_kinds),
		cmocka_unit_test(test_no_file),
		cmocka_unit_test(test_real_file),
		cmocka_unit_test(test_file_becomes_shorter),
		cmocka_unit_test(test_latency),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_flips),
		cmocka_unit_test(test_shared_pages),
		cmocka_unit_test(test_pages_beyond_the_end),
		cmocka_unit_test(test_endless_options),
		cmocka_unit_test(test_chunk_sizes),
		cmocka_unit_test(test_cpu_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
