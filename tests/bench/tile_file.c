// SPDX-License-Identifier: GPL-2.0-only
/* The containers, versions 6 and 7, around the sub-buffers. What describes the events is the source's, byte by byte. */
#include "tile.h"

#include <stdlib.h>
#include <zstd.h>

#define SECTION_BUFFER 3

struct writer {
	const struct tile_plan *plan;
	FILE *file;
	uint32_t cpus;
	uint64_t *begin, *size; /* per CPU: where its pages are */
	void (*write_cpu)(void *arg, uint32_t cpu, struct sink *sink);
	void *arg;
};

static void put(struct writer *w, const void *data, size_t size)
{
	if (fwrite(data, 1, size, w->file) != size)
		tile_die("cannot write: %m");
}

static void put_number(struct writer *w, uint64_t value, uint32_t size)
{
	uint8_t bytes[8];

	tile_store(w->plan, bytes, size, value);
	put(w, bytes, size);
}

static void put_string(struct writer *w, const char *text)
{
	put(w, text, strlen(text) + 1);
}

static uint64_t position(struct writer *w)
{
	long at = ftell(w->file);

	if (at < 0)
		tile_die("cannot tell: %m");
	return (uint64_t)at;
}

/* Write @value where it has been left out. */
static void put_back(struct writer *w, uint64_t at, uint64_t value)
{
	if (fseek(w->file, (long)at, SEEK_SET))
		tile_die("cannot seek: %m");
	put_number(w, value, 8);
	if (fseek(w->file, 0, SEEK_END))
		tile_die("cannot seek: %m");
}

static void align_page(struct writer *w)
{
	uint64_t page = w->plan->trace->info.page_size;

	while (position(w) % page)
		put(w, "", 1);
}

static struct span unpacked(struct writer *w, const struct tracedat_section *section)
{
	struct cpir_error err;
	struct span body;

	if (tracedat_unpack(&w->plan->trace->file, section, &body, &err) < 0)
		tile_die("%s", err.text);
	return body;
}

static void put_cpus(struct writer *w, bool aligned)
{
	for (uint32_t cpu = 0; cpu < w->cpus; cpu++) {
		struct sink *sink;

		if (aligned)
			align_page(w);
		w->begin[cpu] = position(w);
		sink = sink_new(w->plan, w->file);
		w->write_cpu(w->arg, cpu, sink);
		(void)sink_finish(sink);
		w->size[cpu] = position(w) - w->begin[cpu];
	}
}

static void put_start(struct writer *w)
{
	const struct trace_info *info = &w->plan->trace->info;

	put(w, "\x17\x08\x44tracing", 10);
	put_string(w, w->plan->version == 7 ? "7" : "6");
	put_number(w, info->big_endian, 1);
	put_number(w, info->long_size, 1);
	put_number(w, info->page_size, 4);
}

static void put_option(struct writer *w, enum tracedat_option_id id, struct span text)
{
	put_number(w, id, 2);
	put_number(w, text.size, 4);
	put(w, text.data, text.size);
}

static void put_texts(struct writer *w)
{
	const struct tracedat *source = &w->plan->trace->file;

	if (source->uname.size)
		put_option(w, OPTION_UNAME, source->uname);
	if (source->clock.size)
		put_option(w, OPTION_TRACECLOCK, source->clock);
}

static void write_v6(struct writer *w)
{
	const struct tracedat *source = &w->plan->trace->file;
	struct span kallsyms = unpacked(w, &source->kallsyms);
	uint64_t table;
	char clock[64];

	put(w, source->header_info.data, source->header_info.size);
	put(w, source->ftrace_formats.data, source->ftrace_formats.size);
	put(w, source->event_formats.data, source->event_formats.size);
	put_number(w, kallsyms.size, 4);
	put(w, kallsyms.data, kallsyms.size);
	put_number(w, 0, 4); /* printk */
	put_number(w, 0, 8); /* command lines */
	put_number(w, w->cpus, 4);
	put_string(w, "options  ");
	put_texts(w);
	put_number(w, OPTION_DONE, 2);
	put_string(w, "flyrecord");
	table = position(w);
	for (uint32_t i = 0; i < w->cpus * 2; i++)
		put_number(w, 0, 8);
	(void)snprintf(clock, sizeof(clock), "[%s]", w->plan->trace->info.clock);
	put_number(w, strlen(clock) + 1, 8);
	put_string(w, clock);
	put_cpus(w, true);
	for (uint32_t cpu = 0; cpu < w->cpus; cpu++) {
		put_back(w, table + cpu * 16, w->begin[cpu]);
		put_back(w, table + cpu * 16 + 8, w->size[cpu]);
	}
}

/* A section's header; the size is put back by section_end(). */
static uint64_t section_begin(struct writer *w, uint16_t id)
{
	uint64_t at = position(w);

	put_number(w, id, 2);
	put_number(w, id == SECTION_BUFFER && w->plan->packed, 2);
	put_number(w, 0, 4);
	put_number(w, 0, 8);
	return at;
}

static void section_end(struct writer *w, uint64_t at)
{
	put_back(w, at + 8, position(w) - at - 16);
}

static uint64_t section_put(struct writer *w, uint16_t id, struct span body)
{
	uint64_t at = section_begin(w, id);

	if (id == OPTION_KALLSYMS)
		put_number(w, body.size, 4);
	put(w, body.data, body.size);
	section_end(w, at);
	return at;
}

static void put_buffer_option(struct writer *w, uint64_t section)
{
	const char *clock = w->plan->trace->info.clock;

	put_number(w, OPTION_BUFFER, 2);
	put_number(w, 8 + 1 + strlen(clock) + 1 + 8 + (uint64_t)w->cpus * 20, 4);
	put_number(w, section, 8);
	put_string(w, "");
	put_string(w, clock);
	put_number(w, w->plan->trace->info.page_size, 4);
	put_number(w, w->cpus, 4);
	for (uint32_t cpu = 0; cpu < w->cpus; cpu++) {
		put_number(w, cpu, 4);
		put_number(w, w->begin[cpu], 8);
		put_number(w, w->size[cpu], 8);
	}
}

static void put_place(struct writer *w, uint16_t id, uint64_t at)
{
	put_number(w, id, 2);
	put_number(w, 8, 4);
	put_number(w, at, 8);
}

static void write_v7(struct writer *w)
{
	const struct tracedat *source = &w->plan->trace->file;
	uint64_t start, buffer, header, ftrace, events, kallsyms, options;

	put_string(w, w->plan->packed ? "zstd" : "none");
	put_string(w, w->plan->packed ? "1" : "");
	start = position(w);
	put_number(w, 0, 8);
	header = section_put(w, OPTION_HEADER_INFO, source->header_info);
	ftrace = section_put(w, OPTION_FTRACE_EVENTS, source->ftrace_formats);
	events = section_put(w, OPTION_EVENT_FORMATS, source->event_formats);
	kallsyms = section_put(w, OPTION_KALLSYMS, unpacked(w, &source->kallsyms));
	buffer = section_begin(w, SECTION_BUFFER);
	put_cpus(w, !w->plan->packed);
	section_end(w, buffer);
	options = section_begin(w, OPTION_DONE);
	put_place(w, OPTION_HEADER_INFO, header);
	put_place(w, OPTION_FTRACE_EVENTS, ftrace);
	put_place(w, OPTION_EVENT_FORMATS, events);
	put_place(w, OPTION_KALLSYMS, kallsyms);
	put_texts(w);
	put_number(w, OPTION_CPUCOUNT, 2);
	put_number(w, 4, 4);
	put_number(w, w->cpus, 4);
	put_buffer_option(w, buffer);
	put_place(w, OPTION_DONE, 0);
	section_end(w, options);
	put_back(w, start, options);
}

void tile_write(const struct tile_plan *plan, FILE *file,
		void (*write_cpu)(void *arg, uint32_t cpu, struct sink *sink), void *arg)
{
	struct writer w = {.plan = plan, .file = file, .write_cpu = write_cpu, .arg = arg};

	w.cpus = plan->trace->info.cpus * plan->groups;
	w.begin = calloc(w.cpus, sizeof(*w.begin));
	w.size = calloc(w.cpus, sizeof(*w.size));
	if (!w.begin || !w.size)
		tile_die("out of memory");
	put_start(&w);
	if (plan->version == 7)
		write_v7(&w);
	else
		write_v6(&w);
	free(w.begin);
	free(w.size);
}
