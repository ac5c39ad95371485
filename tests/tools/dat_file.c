// SPDX-License-Identifier: GPL-2.0-only
/* The containers of trace.dat around the sub-buffers: version 6, one thing after another, and version 7, sections. */
#include "dat_pages.h"
#include "story.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

enum option_id {
	OPTION_DONE = 0,
	OPTION_CPUSTAT = 2,
	OPTION_BUFFER = 3,
	OPTION_TRACECLOCK = 4,
	OPTION_UNAME = 5,
	OPTION_OFFSET = 7,
	OPTION_CPUCOUNT = 8,
	OPTION_TSC2NSEC = 14,
	OPTION_STRINGS = 15,
	OPTION_HEADER_INFO = 16,
	OPTION_FTRACE_EVENTS = 17,
	OPTION_EVENT_FORMATS = 18,
	OPTION_KALLSYMS = 19,
	OPTION_PRINTK = 20,
	OPTION_CMDLINES = 21,
};

#define SECTION_BUFFER 3
#define SECTION_PACKED 1

/* ---- the parts both versions have -------------------------------------------------------------------------------- */

/* sized - append a size of @width bytes and the bytes of @part, which is freed */
static void sized(struct buffer *out, struct buffer *part, size_t width)
{
	buffer_number(out, part->len, width);
	buffer_bytes(out, part->ptr, part->len);
	buffer_deinit(part);
}

static void put_header_info(const struct story *story, struct buffer *out)
{
	struct buffer part = {.big_endian = story->big_endian};

	buffer_string(out, "header_page");
	dat_header_page(story, &part);
	sized(out, &part, 8);
	buffer_string(out, "header_event");
	dat_header_event(&part);
	sized(out, &part, 8);
}

/* put_system - the formats of the events of one system, behind their number */
static void put_system(const struct story *story, const char *system, struct buffer *out)
{
	struct buffer part = {.big_endian = story->big_endian};
	size_t count_at = out->len, count = 0;

	buffer_number(out, 0, 4);
	for (size_t i = 0; i < story->events.len; i++) {
		const struct story_event *event = &story->events.ptr[i];

		if (event->omitted || strcmp(event->system, system))
			continue;
		story_format(event, &part);
		sized(out, &part, 8);
		count++;
	}
	buffer_set(out, count_at, count, 4);
}

static void put_ftrace_formats(const struct story *story, struct buffer *out)
{
	put_system(story, "ftrace", out);
}

static void put_event_formats(const struct story *story, struct buffer *out)
{
	size_t count_at = out->len, count = 0;

	buffer_number(out, 0, 4);
	for (size_t i = 0; i < story->events.len; i++) {
		const char *system = story->events.ptr[i].system;
		size_t first = 0;

		while (strcmp(story->events.ptr[first].system, system))
			first++;
		if (first < i || !strcmp(system, "ftrace"))
			continue;
		buffer_string(out, system);
		put_system(story, system, out);
		count++;
	}
	buffer_set(out, count_at, count, 4);
}

static void put_kallsyms(const struct story *story, struct buffer *out)
{
	struct buffer part = {.big_endian = story->big_endian};

	for (size_t i = 0; i < story->symbols.len; i++)
		buffer_printf(&part, "%0*" PRIx64 " t %s\n", (int)story->long_size * 2,
			      story->symbols.ptr[i].value, story->symbols.ptr[i].name);
	sized(out, &part, 4);
}

static void put_printk(const struct story *story, struct buffer *out)
{
	(void)story;
	buffer_number(out, 0, 4);
}

static void put_cmdlines(const struct story *story, struct buffer *out)
{
	struct buffer part = {.big_endian = story->big_endian};

	for (size_t i = 0; i < story->tasks.len; i++)
		buffer_printf(&part, "%" PRIu64 " %s\n", story->tasks.ptr[i].value,
			      story->tasks.ptr[i].name);
	sized(out, &part, 8);
}

static void option(struct buffer *out, enum option_id id, const void *data, size_t size)
{
	buffer_number(out, id, 2);
	buffer_number(out, size, 4);
	buffer_bytes(out, data, size);
}

static void option_text(struct buffer *out, enum option_id id, const char *text)
{
	option(out, id, text, strlen(text) + 1);
}

static void option_tsc(const struct story *story, struct buffer *out)
{
	if (!story->tsc_mult)
		return;
	buffer_number(out, OPTION_TSC2NSEC, 2);
	buffer_number(out, 16, 4);
	buffer_number(out, story->tsc_mult, 4);
	buffer_number(out, story->tsc_shift, 4);
	buffer_number(out, story->tsc_offset, 8);
}

/* put_options - those that say something about the whole trace */
static void put_options(const struct story *story, struct buffer *out)
{
	char text[512];

	(void)snprintf(text, sizeof(text), "[%s] other\n", story->clock);
	option_text(out, OPTION_TRACECLOCK, text);
	option_text(out, OPTION_UNAME, story->uname);
	if (*story->offset)
		option_text(out, OPTION_OFFSET, story->offset);
	option_tsc(story, out);
	for (uint32_t cpu = 0; cpu < story->cpus; cpu++) {
		(void)snprintf(text, sizeof(text), "CPU: %u\nentries: 0\noverrun: %" PRIu64 "\n",
			       cpu, story->overrun ? story->overrun[cpu] : 0);
		option_text(out, OPTION_CPUSTAT, text);
	}
	buffer_number(out, OPTION_CPUCOUNT, 2);
	buffer_number(out, 4, 4);
	buffer_number(out, story->cpus, 4);
}

static void put_start(const struct story *story, struct buffer *out)
{
	buffer_bytes(out, "\x17\x08\x44tracing", 10);
	buffer_string(out, story->v7 ? "7" : "6");
	buffer_number(out, story->big_endian, 1);
	buffer_number(out, story->long_size, 1);
	buffer_number(out, story->page_size, 4);
}

/* ---- version 6 --------------------------------------------------------------------------------------------------- */

/* v6_table - "flyrecord", a place and a size for each CPU to be filled in later, the clock; returns where they are */
static size_t v6_table(const struct story *story, struct buffer *out)
{
	char clock[STORY_NAME + 2];
	size_t at;

	buffer_string(out, "flyrecord");
	at = out->len;
	buffer_bytes(out, NULL, (size_t)story->cpus * 16);
	(void)snprintf(clock, sizeof(clock), "[%s]", story->clock);
	buffer_number(out, strlen(clock) + 1, 8);
	buffer_string(out, clock);
	return at;
}

static void v6_pages(const struct story *story, uint32_t instance, size_t table, struct buffer *out)
{
	for (uint32_t cpu = 0; cpu < story->cpus; cpu++) {
		size_t begin;

		buffer_align(out, story->page_size);
		begin = out->len;
		dat_pages(story, instance, cpu, out);
		buffer_set(out, table + cpu * 16, begin, 8);
		buffer_set(out, table + cpu * 16 + 8, out->len - begin, 8);
	}
}

/* v6_instances - an option for each instance but the top one; @places: where their offsets are to be filled in */
static void v6_instances(const struct story *story, size_t *places, struct buffer *out)
{
	for (uint32_t i = 1; i < story->instances.len; i++) {
		const char *name = story->instances.ptr[i].name;

		buffer_number(out, OPTION_BUFFER, 2);
		buffer_number(out, 8 + strlen(name) + 1, 4);
		places[i] = out->len;
		buffer_number(out, 0, 8);
		buffer_string(out, name);
	}
}

static void v6_write(const struct story *story, struct buffer *out)
{
	size_t *places = calloc(story->instances.len, sizeof(*places)), top;

	if (!places)
		die("out of memory");
	put_header_info(story, out);
	put_ftrace_formats(story, out);
	put_event_formats(story, out);
	put_kallsyms(story, out);
	put_printk(story, out);
	put_cmdlines(story, out);
	buffer_number(out, story->cpus, 4);
	buffer_string(out, "options  ");
	put_options(story, out);
	v6_instances(story, places, out);
	buffer_number(out, OPTION_DONE, 2);
	top = v6_table(story, out);
	v6_pages(story, 0, top, out);
	for (uint32_t i = 1; i < story->instances.len; i++) {
		buffer_set(out, places[i], out->len, 8);
		v6_pages(story, i, v6_table(story, out), out);
	}
	free(places);
}

/* ---- version 7 --------------------------------------------------------------------------------------------------- */

static bool is_packed(const struct story *story)
{
	return strcmp(story->compression, "none") != 0;
}

/* pack - append sizes before and after, and the compressed bytes */
static void pack(const struct story *story, const uint8_t *data, size_t size, struct buffer *out)
{
	bool zlib = !strcmp(story->compression, "zlib");
	size_t bound = zlib ? compressBound(size) : ZSTD_compressBound(size);
	uint8_t *packed = malloc(bound + 1);
	uLongf zlib_size = bound;

	if (!packed)
		die("out of memory");
	if (zlib && compress(packed, &zlib_size, data, size) != Z_OK)
		die("zlib fails");
	bound = zlib ? zlib_size : ZSTD_compress(packed, bound, data, size, 3);
	if (!zlib && ZSTD_isError(bound))
		die("zstd fails");
	buffer_number(out, bound, 4);
	buffer_number(out, size, 4);
	buffer_bytes(out, packed, bound);
	free(packed);
}

/* section_begin - a section's header; section_end() fills in its size */
static size_t section_begin(uint16_t id, bool packed, struct buffer *out)
{
	size_t at = out->len;

	buffer_number(out, id, 2);
	buffer_number(out, packed ? SECTION_PACKED : 0, 2);
	buffer_number(out, 0, 4);
	buffer_number(out, 0, 8);
	return at;
}

static void section_end(struct buffer *out, size_t section)
{
	buffer_set(out, section + 8, out->len - section - 16, 8);
}

/* section - a whole section made of @body, which is freed; returns where it begins */
static size_t section(const struct story *story, uint16_t id, struct buffer *body,
		      struct buffer *out)
{
	size_t at = section_begin(id, is_packed(story), out);

	if (is_packed(story))
		pack(story, body->ptr, body->len, out);
	else
		buffer_bytes(out, body->ptr, body->len);
	section_end(out, at);
	buffer_deinit(body);
	return at;
}

/* v7_cpu_pages - the sub-buffers of one CPU, in chunks when they are compressed */
static void v7_cpu_pages(const struct story *story, uint32_t instance, uint32_t cpu,
			 struct buffer *out)
{
	struct buffer pages = {.big_endian = story->big_endian};
	size_t chunk = (size_t)story->chunk_pages * story->page_size;

	if (!is_packed(story)) {
		dat_pages(story, instance, cpu, out);
		return;
	}
	dat_pages(story, instance, cpu, &pages);
	if (pages.len)
		buffer_number(out, (pages.len + chunk - 1) / chunk, 4);
	for (size_t at = 0; at < pages.len; at += chunk)
		pack(story, pages.ptr + at, pages.len - at < chunk ? pages.len - at : chunk, out);
	buffer_deinit(&pages);
}

/* v7_instance - the section with an instance's pages, and the option that describes it */
static void v7_instance(const struct story *story, uint32_t instance, struct buffer *options,
			struct buffer *out)
{
	const char *name = story->instances.ptr[instance].name;
	size_t at = section_begin(SECTION_BUFFER, is_packed(story), out);
	struct buffer data = {.big_endian = story->big_endian};

	buffer_number(&data, at, 8);
	buffer_string(&data, name);
	buffer_string(&data, story->clock);
	buffer_number(&data, story->page_size, 4);
	buffer_number(&data, story->cpus, 4);
	for (uint32_t cpu = 0; cpu < story->cpus; cpu++) {
		size_t begin;

		if (!is_packed(story))
			buffer_align(out, story->page_size);
		begin = out->len;
		v7_cpu_pages(story, instance, cpu, out);
		buffer_number(&data, cpu, 4);
		buffer_number(&data, begin, 8);
		buffer_number(&data, out->len - begin, 8);
	}
	section_end(out, at);
	option(options, OPTION_BUFFER, data.ptr, data.len);
	buffer_deinit(&data);
}

static void option_section(struct buffer *options, uint16_t id, size_t at)
{
	buffer_number(options, id, 2);
	buffer_number(options, 8, 4);
	buffer_number(options, at, 8);
}

/* v7_options - a section of options that points to the one at @next, 0 if it is the last; returns where it begins */
static size_t v7_options(const struct story *story, struct buffer *options, size_t next,
			 struct buffer *out)
{
	option_section(options, OPTION_DONE, next);
	return section(story, OPTION_DONE, options, out);
}

static void v7_write(const struct story *story, struct buffer *out)
{
	static const struct {
		uint16_t id;
		void (*put)(const struct story *story, struct buffer *out);
	} parts[] = {
		{OPTION_HEADER_INFO, put_header_info},
		{OPTION_FTRACE_EVENTS, put_ftrace_formats},
		{OPTION_EVENT_FORMATS, put_event_formats},
		{OPTION_KALLSYMS, put_kallsyms},
		{OPTION_PRINTK, put_printk},
		{OPTION_CMDLINES, put_cmdlines},
	};
	struct buffer options = {.big_endian = story->big_endian};
	struct buffer part = {.big_endian = story->big_endian};
	size_t start, last;

	buffer_string(out, story->compression);
	buffer_string(out, is_packed(story) ? "1" : "");
	start = out->len;
	buffer_number(out, 0, 8);
	for (uint32_t i = 0; i < story->instances.len; i++)
		v7_instance(story, i, &options, out);
	last = v7_options(story, &options, 0, out);
	for (size_t i = 0; i < array_size(parts); i++) {
		parts[i].put(story, &part);
		option_section(&options, parts[i].id, section(story, parts[i].id, &part, out));
	}
	put_options(story, &options);
	buffer_set(out, start, v7_options(story, &options, last, out), 8);
	buffer_number(&part, 0, 1);
	(void)section(story, OPTION_STRINGS, &part, out);
}

void dat_write(const struct story *story, struct buffer *out)
{
	put_start(story, out);
	if (story->v7)
		v7_write(story, out);
	else
		v6_write(story, out);
}
