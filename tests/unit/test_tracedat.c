// SPDX-License-Identifier: GPL-2.0-only
/*
 * The container: the same events out of every version, byte order, long size, page size and compression; instances; times;
 * statistics; and files that are something else, damaged or cut short.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "trace/merge.h"
#include "trace/trace_state.h"
#include "trace_fixture.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#define PAGES 5
#define EVENTS 7 /* per page */

static const char *const formats[] = {fixture_cpu_idle};

static struct fixture fixture_of(unsigned version, bool big_endian, unsigned long_size,
				 enum compression compression)
{
	return (struct fixture){
		.version = version,
		.big_endian = big_endian,
		.long_size = long_size,
		.page_size = 256,
		.compression = compression,
		.formats = formats,
		.format_count = 1,
		.kallsyms = "c000000000001000 T tick_sched_timer\n",
	};
}

/* Pages of CPU @cpu: event number i has state i and comes at begin + 10 i. */
static struct blob pages_make(const struct fixture *fixture, uint32_t cpu, uint64_t begin)
{
	struct blob pages = {.big_endian = fixture->big_endian};
	struct page_maker maker = {&pages, fixture->long_size, fixture->page_size, 0};

	for (uint32_t page = 0; page < PAGES; page++) {
		page_begin(&maker, begin + page * EVENTS * 10);
		for (uint32_t i = 0; i < EVENTS; i++) {
			struct blob event =
				fixture_idle(fixture->big_endian, page * EVENTS + i, cpu);

			page_record(&maker, i ? 10 : 0, &event);
			blob_free(&event);
		}
		page_end(&maker, page == 3 ? PAGE_MISSED_STORED : 0, 42);
	}
	return pages;
}

/** struct scene - a file with a top instance of two CPUs, and perhaps a second instance */
struct scene {
	struct fixture fixture;
	struct blob cpus[2], others[2];
	struct fixture_buffer buffers[2];
	struct blob file;
};

static void scene_begin(struct scene *s, struct fixture fixture)
{
	*s = (struct scene){.fixture = fixture};
	for (uint32_t cpu = 0; cpu < 2; cpu++) {
		s->cpus[cpu] = pages_make(&fixture, cpu, 1000 + cpu * 5);
		s->others[cpu] = (struct blob){.big_endian = fixture.big_endian};
	}
	s->buffers[0] = (struct fixture_buffer){"", s->cpus, 2};
	s->buffers[1] = (struct fixture_buffer){"other", s->others, 2};
	s->fixture.buffers = s->buffers;
	s->fixture.buffer_count = 1;
}

static void scene_build(struct scene *s)
{
	s->file = fixture_build(&s->fixture);
}

static void scene_end(struct scene *s)
{
	for (uint32_t cpu = 0; cpu < 2; cpu++) {
		blob_free(&s->cpus[cpu]);
		blob_free(&s->others[cpu]);
	}
	blob_free(&s->file);
}

static int scene_open(const struct scene *s, const char *instance, struct trace **ret_trace,
		      struct cpir_error *err)
{
	struct trace_options options = {.instance = instance};

	return trace_open_memory("scene.dat", (struct span){s->file.data, s->file.size}, &options,
				 ret_trace, err);
}

static struct trace *scene_must_open(const struct scene *s, const char *instance)
{
	struct cpir_error err = {0};
	struct trace *trace = NULL;

	if (scene_open(s, instance, &trace, &err) < 0)
		fail_msg("%s", err.text);
	return trace;
}

/* All events of a CPU, in batches of @batch, must be those pages_make() put in. */
static void check_cpu(struct trace *trace, uint32_t cpu, uint64_t begin, unsigned batch)
{
	struct trace_cursor *cursor;
	struct cpir_error err = {0};
	struct event events[64];
	uint32_t next = 0, lost = 0;
	int n;

	assert_int_equal(trace_cursor_open(trace, cpu, &cursor, &err), 0);
	while ((n = trace_cursor_read(cursor, events, batch, &err)) > 0) {
		assert_true((unsigned)n <= batch);
		for (int i = 0; i < n; i++) {
			const struct event *e = &events[i];

			assert_int_equal(e->time_ns, begin + next * 10);
			assert_int_equal(e->cpu, cpu);
			if (e->type == EV_LOST) {
				assert_int_equal(e->u.lost.count, 42);
				assert_int_equal(next, 3 * EVENTS);
				lost++;
				continue;
			}
			assert_int_equal(e->type, EV_CPU_IDLE);
			assert_int_equal(e->u.idle.state, next++);
		}
	}
	if (n < 0)
		fail_msg("%s", err.text);
	assert_int_equal(next, PAGES * EVENTS);
	assert_int_equal(lost, 1);
	assert_int_equal(trace_cursor_count(cursor, EV_CPU_IDLE), PAGES * EVENTS);
	assert_int_equal(trace_cursor_count(cursor, EV_LOST), 42);
	trace_cursor_close(cursor);
}

static void check_file(struct fixture fixture, const char *format)
{
	struct scene s;
	struct trace *trace;
	const struct trace_info *info;

	scene_begin(&s, fixture);
	scene_build(&s);
	trace = scene_must_open(&s, NULL);
	info = trace_info(trace);
	assert_string_equal(info->format, format);
	assert_string_equal(info->kernel, "6.1.2-test");
	assert_string_equal(info->arch, "ppc64le");
	assert_string_equal(info->clock, fixture.version == 6 ? "local" : "mono");
	assert_int_equal(info->cpus, 2);
	assert_int_equal(info->page_size, fixture.page_size);
	assert_int_equal(info->long_size, fixture.long_size);
	assert_int_equal(info->big_endian, fixture.big_endian);
	assert_true(info->has_symbols);
	for (unsigned batch = 1; batch <= 64; batch += 9) {
		check_cpu(trace, 0, 1000, batch);
		check_cpu(trace, 1, 1005, batch);
	}
	trace_close(trace);
	scene_end(&s);
}

static void test_all_kinds(void **state)
{
	static const unsigned long_sizes[] = {4, 8};
	static const uint32_t page_sizes[] = {256, 4096, 65536};

	(void)state;
	for (unsigned i = 0; i < 12; i++) {
		bool big = i & 1;
		unsigned long_size = long_sizes[i >> 1 & 1];
		struct fixture f = fixture_of(6, big, long_size, COMPRESSION_NONE);

		f.page_size = page_sizes[i / 4];
		check_file(f, "trace.dat v6");
		f.version = 7;
		check_file(f, "trace.dat v7");
		f.compression = COMPRESSION_ZLIB;
		check_file(f, "trace.dat v7 zlib");
		f.compression = COMPRESSION_ZSTD;
		f.chunk_pages = 1 + i % 3;
		check_file(f, "trace.dat v7 zstd");
	}
}

/* ---- instances ----------------------------------------------------------------------------------------------------- */

static void expect_error(const struct scene *s, const char *instance, int code, const char *text)
{
	struct cpir_error err = {0};
	struct trace *trace = NULL;

	assert_int_equal(scene_open(s, instance, &trace, &err), code);
	assert_null(trace);
	assert_int_equal(err.code, code);
	if (!strstr(err.text, text) || strncmp(err.text, "scene.dat: ", 11) != 0)
		fail_msg("\"%s\" lacks \"%s\"", err.text, text);
}

static void check_instances(struct fixture fixture)
{
	struct scene s;
	struct trace *trace;

	/* nothing in the top one: the only one with events */
	scene_begin(&s, fixture);
	s.fixture.buffer_count = 2;
	for (uint32_t cpu = 0; cpu < 2; cpu++) {
		struct blob empty = s.others[cpu];

		s.others[cpu] = s.cpus[cpu];
		s.cpus[cpu] = empty;
	}
	scene_build(&s);
	trace = scene_must_open(&s, NULL);
	check_cpu(trace, 1, 1005, 10);
	trace_close(trace);
	trace = scene_must_open(&s, "other");
	check_cpu(trace, 0, 1000, 10);
	trace_close(trace);
	expect_error(&s, "third", -EINVAL, "no buffer instance \"third\"");
	scene_end(&s);

	/* events in both: the top one, unless asked for the other */
	scene_begin(&s, fixture);
	s.fixture.buffer_count = 2;
	s.others[1] = pages_make(&fixture, 1, 77);
	scene_build(&s);
	trace = scene_must_open(&s, NULL);
	check_cpu(trace, 1, 1005, 10);
	trace_close(trace);
	trace = scene_must_open(&s, "other");
	check_cpu(trace, 1, 77, 10);
	trace_close(trace);
	scene_end(&s);
}

static void test_instances(void **state)
{
	(void)state;
	check_instances(fixture_of(6, false, 8, COMPRESSION_NONE));
	check_instances(fixture_of(6, true, 4, COMPRESSION_NONE));
	check_instances(fixture_of(7, false, 8, COMPRESSION_NONE));
	check_instances(fixture_of(7, true, 8, COMPRESSION_ZSTD));
}

/* Three instances, all but perhaps the top one with events. */
static void check_three(struct fixture fixture, bool top_has_events)
{
	struct blob none[2] = {{0}, {0}};
	struct fixture_buffer buffers[3];
	struct scene s;

	scene_begin(&s, fixture);
	buffers[0] = (struct fixture_buffer){"", top_has_events ? s.cpus : none, 2};
	buffers[1] = (struct fixture_buffer){"one", s.cpus, 2};
	buffers[2] = (struct fixture_buffer){"two", s.cpus, 2};
	s.fixture.buffers = buffers;
	s.fixture.buffer_count = 3;
	scene_build(&s);
	if (top_has_events) {
		struct trace *trace = scene_must_open(&s, NULL);

		check_cpu(trace, 0, 1000, 10);
		trace_close(trace);
	} else {
		expect_error(&s, NULL, -EINVAL, "several buffer instances hold events");
		expect_error(&s, NULL, -EINVAL, "one, two");
	}
	scene_end(&s);
}

static void test_ambiguous_instance(void **state)
{
	(void)state;
	for (unsigned version = 6; version <= 7; version++) {
		check_three(fixture_of(version, false, 8, COMPRESSION_NONE), false);
		check_three(fixture_of(version, false, 8, COMPRESSION_NONE), true);
	}
}

static void test_no_events(void **state)
{
	struct blob none[2] = {{0}, {0}};
	struct fixture_buffer top = {"", none, 2};
	struct cpir_error err = {0};
	struct trace_merge *merge;
	const struct event *event;
	struct trace *trace;
	struct scene s;

	(void)state;
	scene_begin(&s, fixture_of(7, false, 8, COMPRESSION_ZSTD));
	s.fixture.buffers = &top;
	scene_build(&s);
	trace = scene_must_open(&s, NULL);
	assert_int_equal(trace_merge_open(trace, &merge, &err), 0);
	assert_int_equal(trace_merge_next(merge, &event, &err), 0);
	assert_int_equal(trace_merge_permille(merge), 1000);
	trace_merge_close(merge);
	trace_close(trace);
	scene_end(&s);
}

/* ---- options ------------------------------------------------------------------------------------------------------- */

#define TEXT(s) (s), sizeof(s)

static void test_times(void **state)
{
	static const struct fixture_option options[] = {
		{7, TEXT("0x10")}, {1, TEXT("-1")}, {7, "-4", 2}};
	struct trace *trace;
	struct scene s;

	(void)state;
	scene_begin(&s, fixture_of(7, false, 8, COMPRESSION_NONE));
	s.fixture.options = options;
	s.fixture.option_count = 3;
	scene_build(&s);
	trace = scene_must_open(&s, NULL);
	check_cpu(trace, 0, 1000 + 16 - 1000 - 4, 10); /* DATE is in microseconds */
	trace_close(trace);
	scene_end(&s);
}

static void test_cycles(void **state)
{
	uint8_t tsc[16];
	struct fixture_option option = {14, tsc, 16};
	struct blob numbers = {0};
	struct cpir_error err = {0};
	struct trace_cursor *cursor;
	struct event events[2];
	struct trace *trace;
	struct scene s;

	(void)state;
	blob_add_number(&numbers, 6, 4);
	blob_add_number(&numbers, 1, 4);
	blob_add_number(&numbers, 0, 8);
	memcpy(tsc, numbers.data, 16);
	blob_free(&numbers);
	scene_begin(&s, fixture_of(6, false, 8, COMPRESSION_NONE));
	s.fixture.options = &option;
	s.fixture.option_count = 1;
	scene_build(&s);
	trace = scene_must_open(&s, NULL);
	assert_int_equal(trace_cursor_open(trace, 0, &cursor, &err), 0);
	assert_int_equal(trace_cursor_read(cursor, events, 2, &err), 2);
	assert_int_equal(events[0].time_ns, 3000);
	assert_int_equal(events[1].time_ns, 3030);
	trace_cursor_close(cursor);
	trace_close(trace);
	scene_end(&s);
}

static void test_statistics(void **state)
{
	static const struct fixture_option options[] = {
		{2, TEXT("CPU: 0\nentries: 9\noverrun: 3\ncommit overrun: 20\nbytes: 1\ndropped "
			 "events: 100\n")},
		{2,
		 TEXT("CPU: 1\nentries: 9\noverrun: 1000\ncommit overrun: 0\ndropped events: 0\n")},
		{2, TEXT("\nBuffer: other\n\n")},
		{2, TEXT("CPU: 0\nentries: 9\noverrun: 5\ncommit overrun: 0\ndropped events: 0\n")},
		{2, TEXT("CPU: 1\noverrun: ")},
		{2, TEXT("")},
	};
	struct trace *trace;
	struct scene s;

	(void)state;
	scene_begin(&s, fixture_of(7, false, 8, COMPRESSION_NONE));
	s.fixture.buffer_count = 2;
	s.fixture.options = options;
	s.fixture.option_count = 6;
	scene_build(&s);
	trace = scene_must_open(&s, NULL);
	assert_int_equal(trace_info(trace)->overrun, 1123);
	trace_close(trace);
	trace = scene_must_open(&s, "other");
	assert_int_equal(trace_info(trace)->overrun, 5);
	trace_close(trace);
	scene_end(&s);
}

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

static void test_real_file(void **state)
{
	char path[] = "/tmp/test_tracedat.XXXXXX";
	struct trace_options options = {0};
	struct cpir_error err = {0};
	struct trace *trace = NULL;
	struct scene s;
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	scene_begin(&s, fixture_of(7, false, 8, COMPRESSION_ZSTD));
	scene_build(&s);
	assert_int_equal(write(fd, s.file.data, s.file.size), s.file.size);
	assert_int_equal(trace_open(path, &options, &trace, &err), 0);
	assert_int_equal(unlink(path), 0);
	assert_string_equal(trace_info(trace)->path, path);
	check_cpu(trace, 1, 1005, 64);
	trace_close(trace);
	trace_close(NULL);
	(void)close(fd);
	scene_end(&s);
}

static void test_latency(void **state)
{
	struct scene s;

	(void)state;
	scene_begin(&s, fixture_of(6, false, 8, COMPRESSION_NONE));
	s.fixture.latency = true;
	scene_build(&s);
	expect_error(&s, NULL, -ENOTSUP, "latency trace");
	scene_end(&s);
	scene_begin(&s, fixture_of(7, false, 8, COMPRESSION_NONE));
	s.fixture.latency = true;
	s.fixture.buffers = NULL;
	s.fixture.buffer_count = 0;
	scene_build(&s);
	expect_error(&s, NULL, -ENOTSUP, "latency trace");
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
		rc = trace_merge_open(trace, &merge, &err);
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
	check_cut(fixture_of(6, false, 8, COMPRESSION_NONE));
	check_cut(fixture_of(6, true, 4, COMPRESSION_NONE));
	check_cut(fixture_of(7, false, 8, COMPRESSION_NONE));
	check_cut(fixture_of(7, false, 8, COMPRESSION_ZLIB));
	check_cut(fixture_of(7, true, 8, COMPRESSION_ZSTD));
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
	check_flips(fixture_of(6, false, 8, COMPRESSION_NONE));
	check_flips(fixture_of(7, true, 4, COMPRESSION_NONE));
	check_flips(fixture_of(7, false, 8, COMPRESSION_ZSTD));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_kinds),
		cmocka_unit_test(test_instances),
		cmocka_unit_test(test_ambiguous_instance),
		cmocka_unit_test(test_no_events),
		cmocka_unit_test(test_times),
		cmocka_unit_test(test_cycles),
		cmocka_unit_test(test_statistics),
		cmocka_unit_test(test_other_kinds),
		cmocka_unit_test(test_no_file),
		cmocka_unit_test(test_real_file),
		cmocka_unit_test(test_latency),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_flips),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
