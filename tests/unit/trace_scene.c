// SPDX-License-Identifier: GPL-2.0-only
/* A made-up trace of two CPUs, and what must come out of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "trace_scene.h"

#include <stdio.h>

static const char *const formats[] = {fixture_cpu_idle};

struct fixture scene_fixture(unsigned version, bool big_endian, unsigned long_size,
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
struct blob scene_pages(const struct fixture *fixture, uint32_t cpu, uint64_t begin)
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

void scene_begin(struct scene *s, struct fixture fixture)
{
	*s = (struct scene){.fixture = fixture};
	for (uint32_t cpu = 0; cpu < 2; cpu++) {
		s->cpus[cpu] = scene_pages(&fixture, cpu, 1000 + cpu * 5);
		s->others[cpu] = (struct blob){.big_endian = fixture.big_endian};
	}
	s->buffers[0] = (struct fixture_buffer){"", s->cpus, 2};
	s->buffers[1] = (struct fixture_buffer){"other", s->others, 2};
	s->fixture.buffers = s->buffers;
	s->fixture.buffer_count = 1;
}

void scene_build(struct scene *s)
{
	s->file = fixture_build(&s->fixture);
}

void scene_end(struct scene *s)
{
	for (uint32_t cpu = 0; cpu < 2; cpu++) {
		blob_free(&s->cpus[cpu]);
		blob_free(&s->others[cpu]);
	}
	blob_free(&s->file);
}

int scene_open(const struct scene *s, const char *instance, struct trace **ret_trace,
	       struct cpir_error *err)
{
	struct trace_options options = {.instance = instance};

	return trace_open_memory("scene.dat", (struct span){s->file.data, s->file.size}, &options,
				 ret_trace, err);
}

struct trace *scene_must_open(const struct scene *s, const char *instance)
{
	struct cpir_error err = {0};
	struct trace *trace = NULL;

	if (scene_open(s, instance, &trace, &err) < 0)
		fail_msg("%s", err.text);
	return trace;
}

/* All events of a CPU, in batches of @batch, must be those scene_pages() put in. */
void scene_check_cpu(struct trace *trace, uint32_t cpu, uint64_t begin, unsigned batch)
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

void scene_expect_error(const struct scene *s, const char *instance, int code, const char *text)
{
	struct cpir_error err = {0};
	struct trace *trace = NULL;

	assert_int_equal(scene_open(s, instance, &trace, &err), code);
	assert_null(trace);
	assert_int_equal(err.code, code);
	if (!strstr(err.text, text) || strncmp(err.text, "scene.dat: ", 11) != 0)
		fail_msg("\"%s\" lacks \"%s\"", err.text, text);
}
