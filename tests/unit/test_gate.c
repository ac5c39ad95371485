// SPDX-License-Identifier: GPL-2.0-only
/* What a gate leaves out while a task runs, and what it lets through. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "trace_scene.h"

static const char switch_format[] = "name: sched_switch\nID: 200\n" FIXTURE_COMMON
				    "\tfield:int prev_pid;\toffset:8;\tsize:4;\tsigned:1;\n"
				    "\tfield:int prev_state;\toffset:12;\tsize:4;\tsigned:1;\n"
				    "\tfield:int next_pid;\toffset:16;\tsize:4;\tsigned:1;\n\n"
				    "print fmt: \"%d\", REC->prev_pid\n";
static const char waking_format[] = "name: sched_waking\nID: 201\n" FIXTURE_COMMON
				    "\tfield:int pid;\toffset:8;\tsize:4;\tsigned:1;\n"
				    "\tfield:int target_cpu;\toffset:12;\tsize:4;\tsigned:1;\n\n"
				    "print fmt: \"%d\", REC->pid\n";
static const char wakeup_format[] = "name: sched_wakeup\nID: 202\n" FIXTURE_COMMON
				    "\tfield:int pid;\toffset:8;\tsize:4;\tsigned:1;\n"
				    "\tfield:int target_cpu;\toffset:12;\tsize:4;\tsigned:1;\n\n"
				    "print fmt: \"%d\", REC->pid\n";

enum { IDLE = 100, SWITCH = 200, WAKING, WAKEUP };

/* CPU 1 writes; @seen: it passes the gate. Switches: from @a in state @b to @c; the others: task @a for CPU @b. */
struct line {
	uint16_t id;
	bool seen;
	uint32_t a, b, c;
};

static const struct line lines[] = {
	{WAKING, true, 7, 1, 0},  {WAKEUP, true, 7, 1, 0},  /* nothing is known yet */
	{SWITCH, true, 0, 0, 5},			    /* a task begins to run */
	{WAKING, false, 7, 1, 0}, {WAKEUP, false, 7, 1, 0}, /* here, and stays here */
	{SWITCH, false, 5, 1, 7}, {SWITCH, true, 7, 2, 5},  /* the second one waits */
	{WAKING, true, 7, 1, 0},  {WAKEUP, true, 7, 1, 0},  /* somebody counted it */
	{WAKING, true, 8, 1, 0},  {WAKEUP, true, 8, 0, 0},  /* goes to another CPU */
	{WAKING, true, 8, 0, 0},  {WAKEUP, true, 8, 1, 0},  /* comes from there */
	{WAKING, true, 8, 1, 0},  {WAKEUP, true, 9, 1, 0},  /* not the same task */
	{WAKING, true, 8, 1, 0},  {SWITCH, false, 5, 0, 6}, /* something in between */
	{WAKEUP, true, 8, 1, 0},  {SWITCH, true, 6, 0, 0},  /* idle */
	{WAKING, true, 9, 1, 0},  {WAKEUP, true, 9, 1, 0},
	{IDLE, true, 1, 1, 0},				    /* its switch is missing … */
	{SWITCH, true, 4, 1, 5},  {SWITCH, false, 5, 1, 4}, /* … as the one out of idle */
	{SWITCH, true, 0, 0, 9},  {WAKING, true, 4, 1, 0},  /* the last on its page */
	{WAKEUP, true, 4, 1, 0},
};

#define LINES (sizeof(lines) / sizeof(lines[0]))

static struct blob line_event(bool big_endian, const struct line *line)
{
	struct blob event = fixture_event(big_endian, line->id, 0);

	blob_add_number(&event, line->a, 4);
	blob_add_number(&event, line->b, 4);
	if (line->id == SWITCH)
		blob_add_number(&event, line->c, 4);
	return event;
}

static struct blob line_pages(const struct fixture *fixture)
{
	struct blob pages = {.big_endian = fixture->big_endian};
	struct page_maker maker = {&pages, fixture->long_size, fixture->page_size, 0};

	page_begin(&maker, 0);
	for (size_t i = 0; i < LINES; i++) {
		struct blob event = line_event(fixture->big_endian, &lines[i]);

		if (i + 1 == LINES) {
			page_end(&maker, 0, 0);
			page_begin(&maker, 10 * i);
		}
		page_record(&maker, i && i + 1 < LINES ? 10 : 0, &event);
		blob_free(&event);
	}
	page_end(&maker, 0, 0);
	return pages;
}

/* Events of the lines that are @seen, or of all, in batches of @batch; and all are counted. */
static void check_read(struct trace *trace, bool gated, unsigned batch)
{
	struct trace_cursor *cursor;
	struct event events[LINES];
	size_t at = 0;
	int got;

	assert_int_equal(trace_cursor_open(trace, 1, &cursor, NULL), 0);
	if (gated)
		trace_cursor_gate(cursor,
				  &(struct trace_gate){.types = EVENT_BIT(EV_SOFTIRQ_EXIT)});
	while ((got = trace_cursor_read(cursor, events, batch, NULL)) > 0) {
		for (int i = 0; i < got; i++, at++) {
			while (gated && !lines[at].seen)
				at++;
			assert_true(at < LINES);
			assert_int_equal(events[i].time_ns, 10 * at);
		}
	}
	assert_int_equal(got, 0);
	assert_int_equal(at, LINES);
	assert_int_equal(trace_cursor_count(cursor, EV_SCHED_SWITCH), 8);
	assert_int_equal(trace_cursor_count(cursor, EV_SCHED_WAKING), 9);
	assert_int_equal(trace_cursor_count(cursor, EV_SCHED_WAKEUP), 9);
	trace_cursor_close(cursor);
}

static void test_gate(void **state)
{
	static const char *const formats[] = {switch_format, waking_format, wakeup_format,
					      fixture_cpu_idle};
	static const char *const systems[] = {"sched", "sched", "sched", "power"};

	(void)state;
	for (int big_endian = 0; big_endian < 2; big_endian++) {
		struct scene s = {.fixture = scene_fixture(7, big_endian, 8, COMPRESSION_NONE)};
		struct trace *trace;

		s.fixture.formats = formats;
		s.fixture.systems = systems;
		s.fixture.format_count = 4;
		s.fixture.page_size = 4096;
		s.cpus[0] = (struct blob){.big_endian = big_endian};
		s.cpus[1] = line_pages(&s.fixture);
		s.buffers[0] = (struct fixture_buffer){"", s.cpus, 2};
		s.fixture.buffers = s.buffers;
		s.fixture.buffer_count = 1;
		scene_build(&s);
		trace = scene_must_open(&s, NULL);
		for (unsigned batch = 1; batch <= LINES; batch++) {
			check_read(trace, false, batch);
			check_read(trace, true, batch);
		}
		trace_close(trace);
		scene_end(&s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_gate)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
