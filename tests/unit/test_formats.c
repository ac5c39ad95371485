// SPDX-License-Identifier: GPL-2.0-only
/* Fields found by name, wherever and however wide the recording kernel has put them; events wanted, raw, unknown. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "trace/trace_state.h"
#include "trace_fixture.h"

#include <errno.h>

#define PAGE 4096

/** struct scene - a file of one CPU and one page, and the trace opened from it */
struct scene {
	struct fixture fixture;
	struct fixture_buffer buffer;
	struct blob pages, file;
	struct page_maker maker;
	struct trace *trace;
	struct trace_cursor *cursor;
};

static void scene_begin(struct scene *s, bool big_endian, const char *const *formats,
			unsigned count)
{
	*s = (struct scene){.pages.big_endian = big_endian};
	s->fixture = (struct fixture){.version = 7,
				      .big_endian = big_endian,
				      .long_size = 8,
				      .page_size = PAGE,
				      .formats = formats,
				      .format_count = count};
	s->maker = (struct page_maker){&s->pages, 8, PAGE, 0};
	page_begin(&s->maker, 1000);
}

static void scene_add(struct scene *s, struct blob event)
{
	page_record(&s->maker, 1, &event);
	blob_free(&event);
}

static int scene_open(struct scene *s, const struct trace_options *options, struct cpir_error *err)
{
	struct trace_options none = {0};

	page_end(&s->maker, 0, 0);
	s->buffer = (struct fixture_buffer){"", &s->pages, 1};
	s->fixture.buffers = &s->buffer;
	s->fixture.buffer_count = 1;
	s->file = fixture_build(&s->fixture);
	return trace_open_memory("scene.dat", (struct span){s->file.data, s->file.size},
				 options ? options : &none, &s->trace, err);
}

static void scene_start(struct scene *s, const struct trace_options *options)
{
	struct cpir_error err = {0};

	if (scene_open(s, options, &err) < 0)
		fail_msg("%s", err.text);
	assert_int_equal(trace_cursor_open(s->trace, 0, &s->cursor, &err), 0);
}

static struct event scene_next(struct scene *s)
{
	struct event event;
	struct cpir_error err = {0};

	memset(&event, 0xff, sizeof(event)); /* what a decoder forgets to set shows */
	if (trace_cursor_read(s->cursor, &event, 1, &err) != 1)
		fail_msg("no event: %s", err.text);
	return event;
}

static void scene_end(struct scene *s)
{
	struct event event;
	struct cpir_error err = {0};

	if (s->cursor)
		assert_int_equal(trace_cursor_read(s->cursor, &event, 1, &err), 0);
	trace_cursor_close(s->cursor);
	trace_close(s->trace);
	blob_free(&s->pages);
	blob_free(&s->file);
}

static const char *const idle_formats[] = {fixture_cpu_idle};

static void check_idle(bool big_endian)
{
	struct scene s;
	struct event e;

	scene_begin(&s, big_endian, idle_formats, 1);
	scene_add(&s, fixture_idle(big_endian, 2, 7));
	scene_add(&s, fixture_idle(big_endian, EVENT_STATE_EXIT, 7));
	scene_start(&s, NULL);
	e = scene_next(&s);
	assert_int_equal(e.type, EV_CPU_IDLE);
	assert_int_equal(e.time_ns, 1001);
	assert_int_equal(e.pid, 0);
	assert_int_equal(e.u.idle.state, 2);
	assert_int_equal(e.u.idle.cpu, 7);
	e = scene_next(&s);
	assert_int_equal(e.time_ns, 1002);
	assert_int_equal(e.u.idle.state, EVENT_STATE_EXIT);
	assert_true(trace_info(s.trace)->has_event[EV_CPU_IDLE]);
	assert_false(trace_info(s.trace)->has_event[EV_SCHED_SWITCH]);
	scene_end(&s);
}

static void test_idle(void **state)
{
	(void)state;
	check_idle(false);
	check_idle(true);
}

#define COMMON                                                                                     \
	"format:\n"                                                                                \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"                     \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

/* The same event as no kernel has it: other order, other widths, one field missing. */
static void check_odd_layout(bool big_endian)
{
	static const char odd[] = "name: cpu_idle_miss\nID: 77\n" COMMON
				  "\tfield:bool below;\toffset:8;\tsize:1;\tsigned:0;\n"
				  "\tfield:short state;\toffset:10;\tsize:2;\tsigned:1;\n\n"
				  "print fmt: \"\"\n";
	static const char *const formats[] = {odd};
	struct blob event = fixture_event(big_endian, 77, -2);
	struct scene s;
	struct event e;

	blob_add_number(&event, 1, 1);
	blob_add_number(&event, 0xee, 1);
	blob_add_number(&event, 0xfffe, 2);
	scene_begin(&s, big_endian, formats, 1);
	scene_add(&s, event);
	scene_start(&s, NULL);
	e = scene_next(&s);
	assert_int_equal(e.type, EV_CPU_IDLE_MISS);
	assert_int_equal(e.pid, -2);
	assert_true(e.u.miss.below);
	assert_int_equal((int32_t)e.u.miss.state, -2); /* a signed field keeps its sign */
	assert_int_equal(e.u.miss.cpu, 0);	       /* no cpu_id: the CPU that wrote it */
	scene_end(&s);
}

static void test_odd_layout(void **state)
{
	(void)state;
	check_odd_layout(false);
	check_odd_layout(true);
}

static void add_dev_qos(struct scene *s, const char *device, int32_t value)
{
	struct blob event = fixture_event(s->pages.big_endian, 103, 9);
	uint32_t length = (uint32_t)strlen(device) + 1;

	blob_add_number(&event, length << 16 | 20, 4);
	blob_add_number(&event, 1, 4);
	blob_add_number(&event, (uint32_t)value, 4);
	blob_add_string(&event, device);
	scene_add(s, event);
}

static void check_device_names(bool big_endian)
{
	static const char *const formats[] = {fixture_dev_qos};
	static const char *const names[] = {"cpu3", "cpu12345",	    "cpu",
					    "cpux", "0000:00:1f.0", "cpu1234567"};
	static const int32_t cpus[] = {3, 12345, -1, -1, -1, -1};
	struct scene s;

	scene_begin(&s, big_endian, formats, 1);
	for (size_t i = 0; i < 6; i++)
		add_dev_qos(&s, names[i], (int32_t)i - 1);
	scene_start(&s, NULL);
	for (size_t i = 0; i < 6; i++) {
		struct event e = scene_next(&s);

		assert_int_equal(e.type, EV_DEV_PM_QOS_ADD);
		assert_int_equal(e.u.qos.cpu, cpus[i]);
		assert_int_equal(e.u.qos.kind, 1);
		assert_int_equal(e.u.qos.value_us, (int32_t)i - 1);
	}
	scene_end(&s);
}

static void test_device_names(void **state)
{
	(void)state;
	check_device_names(false);
	check_device_names(true);
}

/* A name that says it lies outside the record is no name. */
static void test_device_name_outside(void **state)
{
	static const char *const formats[] = {fixture_dev_qos};
	static const uint32_t places[] = {0x00050000 | 4000, 0xffff0000 | 20, 0xffffffff, 0};
	struct scene s;

	(void)state;
	scene_begin(&s, false, formats, 1);
	for (size_t i = 0; i < 4; i++) {
		struct blob event = fixture_event(false, 103, 9);

		blob_add_number(&event, places[i], 4);
		blob_add_number(&event, 1, 4);
		blob_add_number(&event, 5, 4);
		scene_add(&s, event);
	}
	scene_start(&s, NULL);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(scene_next(&s).u.qos.cpu, -1);
	scene_end(&s);
}

static void test_print(void **state)
{
	static const char *const formats[] = {fixture_print};
	struct blob event = fixture_event(false, 5, 44);
	struct scene s;
	struct event e;

	(void)state;
	scene_begin(&s, false, NULL, 0);
	s.fixture.ftrace_formats = formats;
	s.fixture.ftrace_format_count = 1;
	blob_add_number(&event, 0x1234, 8);
	blob_add_string(&event, "hello there");
	scene_add(&s, event);
	event = fixture_event(false, 5, 44);
	blob_add_number(&event, 0x1234, 8); /* and no text at all */
	scene_add(&s, event);
	scene_start(&s, NULL);
	e = scene_next(&s);
	assert_int_equal(e.type, EV_PRINT);
	assert_int_equal(e.u.print.len, 11);
	assert_memory_equal(e.u.print.text, "hello there", 11);
	e = scene_next(&s);
	assert_int_equal(e.u.print.len, 0);
	scene_end(&s);
}

static void check_tick(const char *kallsyms, bool expected)
{
	static const char *const formats[] = {fixture_hrtimer_start};
	static const char *const systems[] = {"timer"};
	struct blob event = fixture_event(false, 102, 0);
	struct scene s;
	struct event e;

	scene_begin(&s, false, formats, 1);
	s.fixture.systems = systems;
	s.fixture.kallsyms = kallsyms;
	blob_add_number(&event, 0xdead, 8);
	blob_add_number(&event, 0xc000, 8);
	blob_add_number(&event, (uint64_t)-7, 8);
	blob_add_number(&event, 0, 8);
	blob_add_number(&event, 2, 4);
	scene_add(&s, event);
	scene_start(&s, NULL);
	e = scene_next(&s);
	assert_int_equal(e.u.hrtimer.timer, 0xdead);
	assert_int_equal(e.u.hrtimer.function, 0xc000);
	assert_int_equal(e.u.hrtimer.expires_ns, -7);
	assert_int_equal(e.u.hrtimer.mode, 2);
	assert_int_equal(e.u.hrtimer.tick, expected);
	assert_int_equal(trace_info(s.trace)->has_symbols, kallsyms != NULL);
	if (kallsyms)
		assert_non_null(trace_function_name(s.trace, 0xc004));
	else
		assert_null(trace_function_name(s.trace, 0xc004));
	scene_end(&s);
}

static void test_tick(void **state)
{
	(void)state;
	check_tick("000000000000c000 t tick_sched_timer\n", true);
	check_tick("000000000000c000 t hrtimer_wakeup\n", false);
	check_tick(NULL, false);
}

/* Events not wanted are counted all the same. */
static void test_want(void **state)
{
	static const char *const formats[] = {fixture_cpu_idle, fixture_dev_qos};
	struct trace_options options = {.want = EVENT_BIT(EV_DEV_PM_QOS_ADD)};
	struct scene s;

	(void)state;
	scene_begin(&s, false, formats, 2);
	scene_add(&s, fixture_idle(false, 1, 0));
	add_dev_qos(&s, "cpu0", 1);
	scene_add(&s, fixture_idle(false, 1, 0));
	scene_add(&s, fixture_event(false, 999, 0)); /* an id nobody described */
	scene_start(&s, &options);
	assert_int_equal(scene_next(&s).type, EV_DEV_PM_QOS_ADD);
	assert_int_equal(trace_cursor_read(s.cursor, &(struct event){0}, 1, NULL), 0);
	assert_int_equal(trace_cursor_count(s.cursor, EV_CPU_IDLE), 2);
	assert_int_equal(trace_cursor_count(s.cursor, EV_DEV_PM_QOS_ADD), 1);
	assert_true(trace_info(s.trace)->has_event[EV_CPU_IDLE]);
	scene_end(&s);
}

static void test_raw(void **state)
{
	static const char own[] = "name: own_event\nID: 300\n" COMMON
				  "\tfield:u64 value;\toffset:8;\tsize:8;\tsigned:0;\n\n"
				  "print fmt: \"%d\", (((\n"; /* never looked at */
	static const char *const formats[] = {own};
	static const char *const systems[] = {"mine"};
	struct trace_options options = {.raw_system = "mine"};
	struct blob event = fixture_event(false, 300, 1);
	struct scene s;
	struct event e;

	(void)state;
	scene_begin(&s, false, formats, 1);
	s.fixture.systems = systems;
	blob_add_number(&event, 4711, 8);
	scene_add(&s, event);
	scene_start(&s, &options);
	assert_non_null(trace_tep(s.trace));
	e = scene_next(&s);
	assert_int_equal(e.type, EV_RAW);
	assert_int_equal(e.u.raw.id, 300);
	assert_int_equal(e.u.raw.size, 16);
	assert_int_equal(load_u64((const uint8_t *)e.u.raw.data + 8, HOST_BIG_ENDIAN), 4711);
	scene_end(&s);
}

static void test_short_record(void **state)
{
	struct cpir_error err = {0};
	struct event event;
	struct scene s;

	(void)state;
	scene_begin(&s, false, idle_formats, 1);
	scene_add(&s, fixture_idle(false, 1, 0));
	scene_add(&s, fixture_event(false, 100, 0)); /* a cpu_idle without its fields */
	scene_start(&s, NULL);
	assert_int_equal(scene_next(&s).type, EV_CPU_IDLE);
	for (int again = 0; again < 2; again++) { /* an error stays one */
		assert_int_equal(trace_cursor_read(s.cursor, &event, 1, &err), -EBADMSG);
		assert_non_null(strstr(err.text, "scene.dat: a record is shorter"));
	}
	trace_cursor_close(s.cursor);
	s.cursor = NULL;
	scene_end(&s);
}

static void check_refused(const char *format, int code)
{
	const char *const formats[] = {format};
	struct cpir_error err = {0};
	struct scene s;

	scene_begin(&s, false, formats, 1);
	assert_int_equal(scene_open(&s, NULL, &err), code);
	assert_int_equal(err.code, code);
	assert_non_null(strstr(err.text, "scene.dat: "));
	scene_end(&s);
}

static void test_bad_formats(void **state)
{
	(void)state;
	check_refused("name: cpu_idle\nID: 100\nformat:\n\tfield:u32 state;\toffset:8;\n",
		      -EBADMSG);
	check_refused("name: cpu_idle\nID: 100\nformat:\n\tnonsense\n", -EBADMSG);
	check_refused("name: cpu_idle\nID: 100\nformat:\n"
		      "\tfield:u32 \"state\";\toffset:8;\tsize:4;\tsigned:0;\n",
		      -EBADMSG);
	check_refused("name: cpu_idle\nID: 100\nformat:\n"
		      "\tfield:u32 state;\toffset:99999999999;\tsize:4;\tsigned:0;\n",
		      -EBADMSG);
	check_refused("name: cpu_idle\nID: 100\nformat:\n"
		      "\tfield:unsigned char common_type;\toffset:0;\tsize:1;\tsigned:0;\n\n",
		      -ENOTSUP);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_idle),	     cmocka_unit_test(test_odd_layout),
		cmocka_unit_test(test_device_names), cmocka_unit_test(test_device_name_outside),
		cmocka_unit_test(test_print),	     cmocka_unit_test(test_tick),
		cmocka_unit_test(test_want),	     cmocka_unit_test(test_raw),
		cmocka_unit_test(test_short_record), cmocka_unit_test(test_bad_formats),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
