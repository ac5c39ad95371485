// SPDX-License-Identifier: GPL-2.0-only
/* Makes trace.dat files in memory. */
#include "trace_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>

/* ---- bytes --------------------------------------------------------------------------------------------------------- */

void blob_add(struct blob *blob, const void *data, size_t size)
{
	if (blob->size + size > blob->room) {
		blob->room = (blob->size + size) * 2;
		blob->data = realloc(blob->data, blob->room);
		if (!blob->data)
			abort();
	}
	if (size)
		memcpy(blob->data + blob->size, data, size);
	blob->size += size;
}

static void number_store(uint8_t *out, uint64_t value, unsigned size, bool big_endian)
{
	for (unsigned i = 0; i < size; i++)
		out[big_endian ? size - 1 - i : i] = (uint8_t)(value >> 8 * i);
}

void blob_add_number(struct blob *blob, uint64_t value, unsigned size)
{
	uint8_t bytes[8];

	number_store(bytes, value, size, blob->big_endian);
	blob_add(blob, bytes, size);
}

void blob_set_number(struct blob *blob, size_t at, uint64_t value, unsigned size)
{
	number_store(blob->data + at, value, size, blob->big_endian);
}

void blob_add_text(struct blob *blob, const char *text)
{
	blob_add(blob, text, strlen(text));
}

void blob_add_string(struct blob *blob, const char *text)
{
	blob_add(blob, text, strlen(text) + 1);
}

void blob_pad(struct blob *blob, size_t size)
{
	while (blob->size < size)
		blob_add(blob, "", 1);
}

void blob_free(struct blob *blob)
{
	free(blob->data);
	*blob = (struct blob){.big_endian = blob->big_endian};
}

/* ---- pages --------------------------------------------------------------------------------------------------------- */

void page_begin(struct page_maker *maker, uint64_t time_ns)
{
	maker->begin = maker->out->size;
	blob_add_number(maker->out, time_ns, 8);
	blob_add_number(maker->out, 0, maker->long_size);
}

void page_word(struct page_maker *maker, uint32_t type, uint32_t delta)
{
	uint32_t word = maker->out->big_endian ? type << 27 | delta : delta << 5 | type;

	blob_add_number(maker->out, word, 4);
}

void page_record(struct page_maker *maker, uint32_t delta, const struct blob *event)
{
	page_word(maker, (uint32_t)(event->size + 3) / 4, delta);
	blob_add(maker->out, event->data, event->size);
	blob_pad(maker->out, maker->out->size + (4 - event->size % 4) % 4);
}

void page_record_long(struct page_maker *maker, uint32_t delta, const struct blob *event)
{
	page_word(maker, 0, delta);
	blob_add_number(maker->out, event->size + 4, 4);
	blob_add(maker->out, event->data, event->size);
	blob_pad(maker->out, maker->out->size + (4 - event->size % 4) % 4);
}

void page_extend(struct page_maker *maker, uint64_t delta)
{
	page_word(maker, 30, delta & ((1u << 27) - 1));
	blob_add_number(maker->out, delta >> 27, 4);
}

void page_stamp(struct page_maker *maker, uint64_t time_ns)
{
	page_word(maker, 31, time_ns & ((1u << 27) - 1));
	blob_add_number(maker->out, (time_ns >> 27) & UINT32_MAX, 4);
}

void page_discarded(struct page_maker *maker, uint32_t delta, uint32_t size)
{
	page_word(maker, 29, delta);
	blob_add_number(maker->out, size, 4);
	blob_pad(maker->out, maker->out->size + size - 4);
}

void page_end(struct page_maker *maker, uint32_t missed, uint64_t lost)
{
	size_t header = 8 + maker->long_size;
	size_t commit = maker->out->size - maker->begin - header;

	blob_set_number(maker->out, maker->begin + 8, commit | missed, maker->long_size);
	if (missed == PAGE_MISSED_STORED)
		blob_add_number(maker->out, lost, maker->long_size);
	blob_pad(maker->out, maker->begin + maker->page_size);
}

/* ---- meta data ----------------------------------------------------------------------------------------------------- */

static void add_sized(struct blob *out, const char *text)
{
	blob_add_number(out, strlen(text), 8);
	blob_add_text(out, text);
}

static void add_header_info(struct blob *out, const struct fixture *fixture)
{
	char text[512];

	(void)snprintf(text, sizeof(text),
		       "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
		       "\tfield: local_t commit;\toffset:8;\tsize:%u;\tsigned:1;\n"
		       "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
		       "\tfield: char data;\toffset:%u;\tsize:%u;\tsigned:1;\n",
		       fixture->long_size, 8 + fixture->long_size,
		       fixture->page_size - 8 - fixture->long_size);
	blob_add_string(out, "header_page");
	add_sized(out, text);
	blob_add_string(out, "header_event");
	add_sized(out, "# compressed entry header\n");
}

static void add_ftrace_formats(struct blob *out, const struct fixture *fixture)
{
	blob_add_number(out, fixture->ftrace_format_count, 4);
	for (unsigned i = 0; i < fixture->ftrace_format_count; i++)
		add_sized(out, fixture->ftrace_formats[i]);
}

static void add_event_formats(struct blob *out, const struct fixture *fixture)
{
	blob_add_number(out, fixture->format_count, 4);
	for (unsigned i = 0; i < fixture->format_count; i++) {
		blob_add_string(out, fixture->systems ? fixture->systems[i] : "power");
		blob_add_number(out, 1, 4);
		add_sized(out, fixture->formats[i]);
	}
}

static void add_kallsyms(struct blob *out, const struct fixture *fixture)
{
	const char *text = fixture->kallsyms ? fixture->kallsyms : "";

	blob_add_number(out, strlen(text), 4);
	blob_add_text(out, text);
}

static void add_option(struct blob *out, uint16_t id, const void *data, uint32_t size)
{
	blob_add_number(out, id, 2);
	blob_add_number(out, size, 4);
	blob_add(out, data, size);
}

static void add_extra_options(struct blob *out, const struct fixture *fixture)
{
	static const char uname[] = "Linux box 6.1.2-test ppc64le";

	add_option(out, 5, uname, sizeof(uname));
	for (unsigned i = 0; i < fixture->option_count; i++)
		add_option(out, fixture->options[i].id, fixture->options[i].data,
			   fixture->options[i].size);
}

static struct blob new_blob(const struct fixture *fixture)
{
	return (struct blob){.big_endian = fixture->big_endian};
}

static void add_beginning(struct blob *out, const struct fixture *fixture)
{
	blob_add(out, "\x17\x08\x44tracing", 10);
	blob_add_string(out, fixture->version == 6 ? "6" : "7");
	blob_add_number(out, fixture->big_endian, 1);
	blob_add_number(out, fixture->long_size, 1);
	blob_add_number(out, fixture->page_size, 4);
}

static void pad_to_page(struct blob *out, const struct fixture *fixture)
{
	blob_pad(out,
		 (out->size + fixture->page_size - 1) / fixture->page_size * fixture->page_size);
}

/* ---- version 6 ----------------------------------------------------------------------------------------------------- */

/* A table of CPUs with places still to be filled in; returns where it begins. */
static size_t add_table_v6(struct blob *out, const struct fixture_buffer *buffer)
{
	size_t table;

	blob_add_string(out, "flyrecord");
	table = out->size;
	blob_pad(out, out->size + buffer->cpu_count * 16);
	blob_add_number(out, 8, 8);
	blob_add_string(out, "[local]");
	return table;
}

static void add_pages_v6(struct blob *out, const struct fixture *fixture,
			 const struct fixture_buffer *buffer, size_t table)
{
	for (uint32_t cpu = 0; cpu < buffer->cpu_count; cpu++) {
		const struct blob *pages = &buffer->cpus[cpu];

		pad_to_page(out, fixture);
		blob_set_number(out, table + cpu * 16, out->size, 8);
		blob_set_number(out, table + cpu * 16 + 8, pages->size, 8);
		blob_add(out, pages->data, pages->size);
	}
}

static void add_meta_v6(struct blob *out, const struct fixture *fixture)
{
	add_beginning(out, fixture);
	add_header_info(out, fixture);
	add_ftrace_formats(out, fixture);
	add_event_formats(out, fixture);
	add_kallsyms(out, fixture);
	blob_add_number(out, 0, 4); /* trace_printk */
	blob_add_number(out, 0, 8); /* task names */
	blob_add_number(out, fixture->buffers[0].cpu_count, 4);
}

/* An option that names an instance; returns where its offset has to go. */
static size_t add_instance_option(struct blob *out, const struct fixture *fixture,
				  const struct fixture_buffer *buffer)
{
	struct blob option = new_blob(fixture);
	size_t at = out->size + 6;

	blob_add_number(&option, 0, 8);
	blob_add_string(&option, buffer->name);
	add_option(out, 3, option.data, (uint32_t)option.size);
	blob_free(&option);
	return at;
}

static struct blob build_v6(const struct fixture *fixture)
{
	struct blob out = new_blob(fixture);
	size_t tables[8], where[8];

	add_meta_v6(&out, fixture);
	blob_add_string(&out, "options  ");
	add_option(&out, 4, "[local] global\n", 16);
	add_extra_options(&out, fixture);
	for (unsigned i = 1; i < fixture->buffer_count; i++)
		where[i] = add_instance_option(&out, fixture, &fixture->buffers[i]);
	blob_add_number(&out, 0, 2);
	if (fixture->latency) {
		blob_add_string(&out, "latency  ");
		blob_add_text(&out, "# tracer: wakeup\n");
		return out;
	}
	for (unsigned i = 0; i < fixture->buffer_count; i++) {
		if (i)
			blob_set_number(&out, where[i], out.size, 8);
		tables[i] = add_table_v6(&out, &fixture->buffers[i]);
	}
	for (unsigned i = 0; i < fixture->buffer_count; i++)
		add_pages_v6(&out, fixture, &fixture->buffers[i], tables[i]);
	return out;
}

/* ---- version 7 ----------------------------------------------------------------------------------------------------- */

static void add_packed(struct blob *out, const struct fixture *fixture, const uint8_t *data,
		       size_t size)
{
	uLongf packed = compressBound(size) + ZSTD_compressBound(size);
	uint8_t *buffer = malloc(packed);

	if (!buffer)
		abort();
	if (fixture->compression == COMPRESSION_ZSTD)
		packed = ZSTD_compress(buffer, packed, data, size, 3);
	else if (compress(buffer, &packed, data, size) != Z_OK)
		abort();
	blob_add_number(out, packed, 4);
	blob_add_number(out, size, 4);
	blob_add(out, buffer, packed);
	free(buffer);
}

/* A section around @body, which is freed; returns its offset. */
static uint64_t add_section(struct blob *out, const struct fixture *fixture, uint16_t id,
			    struct blob *body)
{
	bool packed = fixture->compression != COMPRESSION_NONE;
	size_t begin = out->size;

	blob_add_number(out, id, 2);
	blob_add_number(out, packed, 2);
	blob_add_number(out, 0, 4);
	blob_add_number(out, 0, 8);
	if (packed)
		add_packed(out, fixture, body->data, body->size);
	else
		blob_add(out, body->data, body->size);
	blob_set_number(out, begin + 8, out->size - begin - 16, 8);
	blob_free(body);
	return begin;
}

static void add_chunks(struct blob *out, const struct fixture *fixture, const struct blob *pages)
{
	size_t chunk =
		(fixture->chunk_pages ? fixture->chunk_pages : 2) * (size_t)fixture->page_size;

	blob_add_number(out, (pages->size + chunk - 1) / chunk, 4);
	for (size_t at = 0; at < pages->size; at += chunk)
		add_packed(out, fixture, pages->data + at,
			   pages->size - at < chunk ? pages->size - at : chunk);
}

/* The section of an instance's pages, and the option that describes it. */
static void add_buffer_v7(struct blob *out, const struct fixture *fixture,
			  const struct fixture_buffer *buffer, struct blob *options)
{
	bool packed = fixture->compression != COMPRESSION_NONE;
	struct blob option = new_blob(fixture);
	size_t begin = out->size;

	blob_add_number(&option, begin, 8);
	blob_add_string(&option, buffer->name);
	blob_add_string(&option, "mono");
	blob_add_number(&option, fixture->page_size, 4);
	blob_add_number(&option, buffer->cpu_count, 4);
	blob_add_number(out, 3, 2);
	blob_add_number(out, packed, 2);
	blob_pad(out, begin + 16);
	for (uint32_t cpu = 0; cpu < buffer->cpu_count; cpu++) {
		const struct blob *pages = &buffer->cpus[cpu];
		size_t at;

		pad_to_page(out, fixture);
		at = out->size;
		if (packed && pages->size)
			add_chunks(out, fixture, pages);
		else
			blob_add(out, pages->data, pages->size);
		blob_add_number(&option, cpu, 4);
		blob_add_number(&option, at, 8);
		blob_add_number(&option, out->size - at - (packed && pages->size ? 4 : 0), 8);
	}
	blob_set_number(out, begin + 8, out->size - begin - 16, 8);
	add_option(options, 3, option.data, (uint32_t)option.size);
	blob_free(&option);
}

static void add_section_option(struct blob *out, const struct fixture *fixture, uint16_t id,
			       void (*add)(struct blob *, const struct fixture *),
			       struct blob *options)
{
	struct blob body = new_blob(fixture), where = new_blob(fixture);

	add(&body, fixture);
	blob_add_number(&where, add_section(out, fixture, id, &body), 8);
	add_option(options, id, where.data, 8);
	blob_free(&where);
}

/* The chain of options ends with one that gives the offset of the next section of options. */
static void add_done(struct blob *options, uint64_t next)
{
	blob_add_number(options, 0, 2);
	blob_add_number(options, 8, 4);
	blob_add_number(options, next, 8);
}

static struct blob build_v7(const struct fixture *fixture)
{
	static const char *const names[] = {"none", "zlib", "zstd"};
	struct blob out = new_blob(fixture), first = new_blob(fixture), second = new_blob(fixture);
	size_t start;
	uint64_t at;

	add_beginning(&out, fixture);
	blob_add_string(&out, names[fixture->compression]);
	blob_add_string(&out, "1.0");
	start = out.size;
	blob_add_number(&out, 0, 8);
	add_section_option(&out, fixture, 16, add_header_info, &first);
	add_section_option(&out, fixture, 17, add_ftrace_formats, &first);
	add_section_option(&out, fixture, 18, add_event_formats, &first);
	if (fixture->kallsyms)
		add_section_option(&out, fixture, 19, add_kallsyms, &first);
	add_extra_options(&first, fixture);
	for (unsigned i = 0; i < fixture->buffer_count; i++)
		add_buffer_v7(&out, fixture, &fixture->buffers[i], &second);
	if (fixture->latency)
		add_option(&second, 22, "\0\0\0\0\0\0\0\0\0local", 15);
	add_done(&second, 0);
	at = add_section(&out, fixture, 0, &second);
	add_done(&first, at);
	blob_set_number(&out, start, add_section(&out, fixture, 0, &first), 8);
	return out;
}

struct blob fixture_build(const struct fixture *fixture)
{
	return fixture->version == 6 ? build_v6(fixture) : build_v7(fixture);
}

/* ---- events -------------------------------------------------------------------------------------------------------- */

const char fixture_cpu_idle[] = "name: cpu_idle\nID: 100\n" FIXTURE_COMMON
				"\tfield:u32 state;\toffset:8;\tsize:4;\tsigned:0;\n"
				"\tfield:u32 cpu_id;\toffset:12;\tsize:4;\tsigned:0;\n\n"
				"print fmt: \"state=%lu\", (unsigned long)REC->state\n";

const char fixture_wakeup[] = "name: sched_wakeup\nID: 101\n" FIXTURE_COMMON
			      "\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
			      "\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n"
			      "\tfield:int prio;\toffset:28;\tsize:4;\tsigned:1;\n"
			      "\tfield:int target_cpu;\toffset:32;\tsize:4;\tsigned:1;\n\n"
			      "print fmt: \"comm=%s\", REC->comm\n";

const char fixture_hrtimer_start[] =
	"name: hrtimer_start\nID: 102\n" FIXTURE_COMMON
	"\tfield:void * hrtimer;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:void * function;\toffset:16;\tsize:8;\tsigned:0;\n"
	"\tfield:s64 expires;\toffset:24;\tsize:8;\tsigned:1;\n"
	"\tfield:s64 softexpires;\toffset:32;\tsize:8;\tsigned:1;\n"
	"\tfield:enum hrtimer_mode mode;\toffset:40;\tsize:4;\tsigned:0;\n\n"
	"print fmt: \"hrtimer=%p\", REC->hrtimer\n";

const char fixture_dev_qos[] =
	"name: dev_pm_qos_add_request\nID: 103\n" FIXTURE_COMMON
	"\tfield:__data_loc char[] name;\toffset:8;\tsize:4;\tsigned:0;\n"
	"\tfield:enum dev_pm_qos_req_type type;\toffset:12;\tsize:4;\tsigned:0;\n"
	"\tfield:s32 new_value;\toffset:16;\tsize:4;\tsigned:1;\n\n"
	"print fmt: \"device=%s\", __get_str(name)\n";

const char fixture_print[] = "name: print\nID: 5\n" FIXTURE_COMMON
			     "\tfield:unsigned long ip;\toffset:8;\tsize:8;\tsigned:0;\n"
			     "\tfield:char buf[];\toffset:16;\tsize:0;\tsigned:0;\n\n"
			     "print fmt: \"%ps: %s\", (void *)REC->ip, REC->buf\n";

struct blob fixture_event(bool big_endian, uint16_t id, int32_t pid)
{
	struct blob event = {.big_endian = big_endian};

	blob_add_number(&event, id, 2);
	blob_add_number(&event, 0, 2);
	blob_add_number(&event, (uint32_t)pid, 4);
	return event;
}

struct blob fixture_idle(bool big_endian, uint32_t state, uint32_t cpu)
{
	struct blob event = fixture_event(big_endian, 100, 0);

	blob_add_number(&event, state, 4);
	blob_add_number(&event, cpu, 4);
	return event;
}
