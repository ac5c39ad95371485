// SPDX-License-Identifier: GPL-2.0-only
/* What is kept of a first reading, and a second one that begins with it, are what reading twice gives. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "trace/keep.h"
#include "trace/merge.h"
#include "trace_scene.h"

/* Steps that are short, long, none, and back. */
static const uint64_t times_ns[] = {
	5, 6, 6, UINT64_C(1) << 40, (UINT64_C(1) << 40) + UINT32_MAX, 7, UINT64_MAX, 0,
};

#define TIMES (sizeof(times_ns) / sizeof(times_ns[0]))

static void test_times(void **state)
{
	struct trace_keep *keep = trace_keep_new(2, 1 << 16);
	struct event in[TIMES], out[TIMES + 1];

	(void)state;
	assert_non_null(keep);
	for (size_t i = 0; i < TIMES; i++)
		in[i] = (struct event){
			.time_ns = times_ns[i],
			.cpu = 1,
			.type = EV_TIMER_START,
			.flags = (uint8_t)i,
			.pid = -(int32_t)i,
			.u.timer = {i, 2, 3, 4, 5, UINT32_MAX},
		};
	assert_true(trace_keep_has_room(keep, 1, TIMES));
	trace_keep_add(keep, 1, in, 3);
	trace_keep_add(keep, 1, in + 3, TIMES - 3);
	assert_int_equal(trace_keep_read(keep, 0, out, 1), 0);
	for (size_t i = 0; i < TIMES; i++)
		assert_int_equal(trace_keep_read(keep, 1, out + i, 1), 1);
	assert_int_equal(trace_keep_permille(keep, 1), 1000);
	assert_int_equal(trace_keep_read(keep, 1, out, 1), 0);
	for (size_t i = 0; i < TIMES; i++) {
		assert_int_equal(out[i].time_ns, in[i].time_ns);
		assert_int_equal(out[i].cpu, 1);
		assert_int_equal(out[i].flags, i);
		assert_int_equal(out[i].pid, in[i].pid);
		assert_int_equal(out[i].u.timer.timer, i);
		assert_int_equal(out[i].u.timer.function, 2);
		assert_int_equal(out[i].u.timer.expires, 3);
		assert_int_equal(out[i].u.timer.now, 4);
		assert_int_equal(out[i].u.timer.bucket, 5);
		assert_int_equal(out[i].u.timer.flags, UINT32_MAX);
	}
	trace_keep_free(keep);
}

static void expect_same(const struct event *a, const struct event *b)
{
	assert_int_equal(a->time_ns, b->time_ns);
	assert_int_equal(a->type, b->type);
	assert_int_equal(a->cpu, b->cpu);
	if (a->type == EV_LOST)
		assert_int_equal(a->u.lost.count, b->u.lost.count);
	if (a->type == EV_CPU_IDLE)
		assert_int_equal(a->u.idle.state, b->u.idle.state);
}

/* A second reading beside one that knows of no first. */
static void compare_readings(struct trace *trace, struct trace_keep *keep)
{
	struct trace_merge_options options = {.kept = keep};
	struct trace_merge *merge, *plain;
	const struct event *event, *expected;
	int got;

	assert_int_equal(trace_merge_open(trace, &options, &merge, NULL), 0);
	assert_int_equal(trace_merge_open(trace, NULL, &plain, NULL), 0);
	do {
		got = trace_merge_next(merge, &event, NULL);
		assert_int_equal(trace_merge_next(plain, &expected, NULL), got);
		if (got > 0)
			expect_same(event, expected);
	} while (got > 0);
	assert_int_equal(got, 0);
	assert_int_equal(trace_merge_permille(merge), 1000);
	trace_merge_close(plain);
	trace_merge_close(merge);
}

/* Room for @bytes: from nothing at all to everything. */
static void check_keep(struct trace *trace, size_t bytes)
{
	struct trace_keep *keep = trace_keep_new(2, bytes);
	struct trace_merge_options options = {.keep = keep, .want_beyond = EVENT_BIT(EV_LOST)};
	struct trace_merge *merge;
	const struct event *event;
	int got;

	assert_non_null(keep);
	assert_int_equal(trace_merge_open(trace, &options, &merge, NULL), 0);
	while ((got = trace_merge_next(merge, &event, NULL)) > 0)
		;
	assert_int_equal(got, 0);
	assert_int_equal(trace_merge_count(merge, EV_CPU_IDLE), 2 * PAGES * EVENTS);
	assert_true(trace_keep_ended(keep, 0) && trace_keep_ended(keep, 1));
	trace_merge_close(merge);
	compare_readings(trace, keep);
	trace_keep_free(keep);
}

/* A cursor and its clone, made after @count events, read the same. */
static void check_clone(struct trace *trace, unsigned count)
{
	struct event event, other;
	struct trace_cursor *cursor, *clone;
	int got;

	assert_int_equal(trace_cursor_open(trace, 1, &cursor, NULL), 0);
	for (unsigned i = 0; i < count; i++)
		assert_int_equal(trace_cursor_read(cursor, &event, 1, NULL), 1);
	assert_int_equal(trace_cursor_clone(cursor, &clone), 0);
	do {
		got = trace_cursor_read(cursor, &event, 1, NULL);
		assert_int_equal(trace_cursor_read(clone, &other, 1, NULL), got);
		if (got > 0)
			expect_same(&event, &other);
	} while (got > 0);
	assert_int_equal(got, 0);
	assert_int_equal(trace_cursor_count(cursor, EV_CPU_IDLE), PAGES * EVENTS);
	assert_int_equal(trace_cursor_count(clone, EV_CPU_IDLE), PAGES * EVENTS);
	trace_cursor_close(cursor);
	trace_cursor_close(clone);
}

static void test_second_reading(void **state)
{
	(void)state;
	for (unsigned packed = 0; packed < 2; packed++) {
		struct scene s;
		struct trace *trace;

		scene_begin(&s, scene_fixture(7, false, 8,
					      packed ? COMPRESSION_ZSTD : COMPRESSION_NONE));
		scene_build(&s);
		trace = scene_must_open(&s, NULL);
		for (size_t bytes = 2; bytes < 1 << 16; bytes = bytes * 9 / 8 + 1)
			check_keep(trace, bytes);
		for (unsigned count = 0; count <= PAGES * EVENTS; count++)
			check_clone(trace, count);
		trace_close(trace);
		scene_end(&s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_times),
		cmocka_unit_test(test_second_reading),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
