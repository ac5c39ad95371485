// SPDX-License-Identifier: GPL-2.0-only
/*
 * The container: the same events out of every version, byte order, long size, page size and compression; several threads;
 * instances; times; statistics.
 */
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
#include <pthread.h>

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
		scene_check_cpu(trace, 0, 1000, batch);
		scene_check_cpu(trace, 1, 1005, batch);
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
		struct fixture f = scene_fixture(6, big, long_size, COMPRESSION_NONE);

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

/** struct reading - what a thread does */
struct reading {
	struct trace *trace;
	uint32_t cpu;
	uint64_t events, ticks;
	bool named;
};

static void *reading_run(void *arg)
{
	struct reading *r = arg;
	struct trace_cursor *cursor;
	struct event events[16];
	int n;

	if (trace_cursor_open(r->trace, r->cpu, &cursor, NULL) < 0)
		return NULL;
	while ((n = trace_cursor_read(cursor, events, 16, NULL)) > 0) {
		r->events += (uint64_t)n;
		for (int i = 0; i < n; i++)
			r->ticks += events[i].u.hrtimer.tick;
	}
	trace_cursor_close(cursor);
	r->named = trace_function_name(r->trace, UINT64_C(0xc000000000001000)) != NULL;
	return NULL;
}

/* Pages of timer starts, of which each second one is the tick's. */
static struct blob timer_pages(uint32_t count)
{
	struct blob pages = {0};
	struct page_maker maker = {&pages, 8, 256, 0};

	for (uint32_t i = 0; i < count; i++) {
		struct blob event = fixture_event(false, 102, 0);

		blob_add_number(&event, 1, 8);
		blob_add_number(&event, UINT64_C(0xc000000000001000) + i % 2, 8);
		blob_pad(&event, 44);
		page_begin(&maker, i);
		page_record(&maker, 0, &event);
		page_end(&maker, 0, 0);
		blob_free(&event);
	}
	return pages;
}

/* One thread per CPU; all of them need the symbols at once. */
static void test_threads(void **state)
{
	static const char *const timer_formats[] = {fixture_hrtimer_start};
	static const char *const systems[] = {"timer"};
	struct reading readings[4] = {{0}};
	pthread_t threads[4];
	struct blob cpus[4];
	struct fixture_buffer top = {"", cpus, 4};
	struct fixture fixture = scene_fixture(7, false, 8, COMPRESSION_ZSTD);
	struct trace *trace;
	struct scene s = {0};

	(void)state;
	for (uint32_t i = 0; i < 4; i++)
		cpus[i] = timer_pages(200);
	fixture.formats = timer_formats;
	fixture.systems = systems;
	fixture.buffers = &top;
	fixture.buffer_count = 1;
	s.fixture = fixture;
	scene_build(&s);
	trace = scene_must_open(&s, NULL);
	for (uint32_t i = 0; i < 4; i++) {
		readings[i] = (struct reading){.trace = trace, .cpu = i};
		assert_int_equal(pthread_create(&threads[i], NULL, reading_run, &readings[i]), 0);
	}
	for (uint32_t i = 0; i < 4; i++) {
		assert_int_equal(pthread_join(threads[i], NULL), 0);
		assert_int_equal(readings[i].events, 200);
		assert_int_equal(readings[i].ticks, 100);
		assert_true(readings[i].named);
		blob_free(&cpus[i]);
	}
	trace_close(trace);
	scene_end(&s);
}

/* ---- instances ----------------------------------------------------------------------------------------------------- */

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
	scene_check_cpu(trace, 1, 1005, 10);
	trace_close(trace);
	trace = scene_must_open(&s, "other");
	scene_check_cpu(trace, 0, 1000, 10);
	trace_close(trace);
	scene_expect_error(&s, "third", -EINVAL, "no buffer instance \"third\"");
	scene_end(&s);

	/* events in both: the top one, unless asked for the other */
	scene_begin(&s, fixture);
	s.fixture.buffer_count = 2;
	s.others[1] = scene_pages(&fixture, 1, 77);
	scene_build(&s);
	trace = scene_must_open(&s, NULL);
	scene_check_cpu(trace, 1, 1005, 10);
	trace_close(trace);
	trace = scene_must_open(&s, "other");
	scene_check_cpu(trace, 1, 77, 10);
	trace_close(trace);
	scene_end(&s);
}

static void test_instances(void **state)
{
	(void)state;
	check_instances(scene_fixture(6, false, 8, COMPRESSION_NONE));
	check_instances(scene_fixture(6, true, 4, COMPRESSION_NONE));
	check_instances(scene_fixture(7, false, 8, COMPRESSION_NONE));
	check_instances(scene_fixture(7, true, 8, COMPRESSION_ZSTD));
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

		scene_check_cpu(trace, 0, 1000, 10);
		trace_close(trace);
	} else {
		scene_expect_error(&s, NULL, -EINVAL, "several buffer instances hold events");
		scene_expect_error(&s, NULL, -EINVAL, "one, two");
	}
	scene_end(&s);
}

static void test_ambiguous_instance(void **state)
{
	(void)state;
	for (unsigned version = 6; version <= 7; version++) {
		check_three(scene_fixture(version, false, 8, COMPRESSION_NONE), false);
		check_three(scene_fixture(version, false, 8, COMPRESSION_NONE), true);
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
	scene_begin(&s, scene_fixture(7, false, 8, COMPRESSION_ZSTD));
	s.fixture.buffers = &top;
	scene_build(&s);
	trace = scene_must_open(&s, NULL);
	assert_int_equal(trace_merge_open(trace, NULL, &merge, &err), 0);
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
	scene_begin(&s, scene_fixture(7, false, 8, COMPRESSION_NONE));
	s.fixture.options = options;
	s.fixture.option_count = 3;
	scene_build(&s);
	trace = scene_must_open(&s, NULL);
	scene_check_cpu(trace, 0, 1000 + 16 - 1000 - 4, 10); /* DATE is in microseconds */
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
	scene_begin(&s, scene_fixture(6, false, 8, COMPRESSION_NONE));
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
	scene_begin(&s, scene_fixture(7, false, 8, COMPRESSION_NONE));
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_kinds), cmocka_unit_test(test_threads),
		cmocka_unit_test(test_instances), cmocka_unit_test(test_ambiguous_instance),
		cmocka_unit_test(test_no_events), cmocka_unit_test(test_times),
		cmocka_unit_test(test_cycles),	  cmocka_unit_test(test_statistics),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
