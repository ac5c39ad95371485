// SPDX-License-Identifier: GPL-2.0-only
/* Version 6 of the container: one thing after another, sizes in front, pages at the end. */
#include "trace/tracedat.h"

#include <errno.h>

/* A size in front, then that many bytes. */
static struct span take_sized(struct reader *r)
{
	return reader_bytes(r, reader_u64(r));
}

/* The bytes from @begin to where @r is now. */
static struct span taken_since(const struct reader *r, size_t begin)
{
	return (struct span){r->in.data + begin, r->pos - begin};
}

static int read_header_info(struct tracedat *file, struct reader *r, struct cpir_error *err)
{
	size_t begin = r->pos;

	if (!reader_expect(r, "header_page"))
		return tracedat_bad(file, r->pos, "the header of the ring buffer is missing", err);
	(void)take_sized(r);
	if (r->failed || !reader_expect(r, "header_event"))
		return tracedat_bad(file, r->pos, "the header of the ring buffer is cut short",
				    err);
	(void)take_sized(r);
	file->header_info = taken_since(r, begin);
	return 0;
}

static void read_ftrace_formats(struct tracedat *file, struct reader *r)
{
	size_t begin = r->pos;
	uint32_t count = reader_u32(r);

	for (uint32_t i = 0; i < count && !r->failed; i++)
		(void)take_sized(r);
	file->ftrace_formats = taken_since(r, begin);
}

static void read_event_formats(struct tracedat *file, struct reader *r)
{
	size_t begin = r->pos;
	uint32_t systems = reader_u32(r);

	for (uint32_t i = 0; i < systems && !r->failed; i++) {
		uint32_t events;

		(void)reader_string(r);
		events = reader_u32(r);
		for (uint32_t k = 0; k < events && !r->failed; k++)
			(void)take_sized(r);
	}
	file->event_formats = taken_since(r, begin);
}

static int read_meta(struct tracedat *file, struct reader *r, struct cpir_error *err)
{
	int rc = read_header_info(file, r, err);

	if (rc < 0)
		return rc;
	read_ftrace_formats(file, r);
	if (r->failed)
		return tracedat_bad(file, r->pos,
				    "the formats of ftrace's own events are cut short", err);
	read_event_formats(file, r);
	if (r->failed)
		return tracedat_bad(file, r->pos, "the event formats are cut short", err);
	file->kallsyms.body = reader_bytes(r, reader_u32(r));
	if (r->failed)
		return tracedat_bad(file, r->pos, "the kernel's symbols are cut short", err);
	(void)reader_bytes(r, reader_u32(r)); /* trace_printk formats */
	(void)take_sized(r);		      /* task names */
	if (r->failed)
		return tracedat_bad(file, r->pos, "the names of tasks are cut short", err);
	return 0;
}

static int read_options(struct tracedat *file, struct reader *r, struct cpir_error *err)
{
	if (!reader_expect(r, "options  "))
		return 0;
	for (;;) {
		uint16_t id = reader_u16(r);
		struct span data = {NULL, 0};
		int rc;

		if (!r->failed && id == OPTION_DONE)
			return 0;
		data = reader_bytes(r, reader_u32(r));
		if (r->failed)
			return tracedat_bad(file, r->pos, "the options are cut short", err);
		rc = tracedat_option(file, id, data, err);
		if (rc < 0)
			return rc;
	}
}

/* What the table of CPUs begins with says whether it is one at all. */
static int read_kind(struct tracedat *file, struct reader *r, struct tracedat_buffer *buffer,
		     struct cpir_error *err)
{
	if (reader_expect(r, "latency  ")) {
		buffer->text = true;
		return 0;
	}
	if (r->failed || !reader_expect(r, "flyrecord"))
		return tracedat_bad(file, r->pos, "the table of per-CPU data is missing", err);
	buffer->cpus = reader_bytes(r, (uint64_t)buffer->cpu_count * 16);
	if (r->failed)
		return tracedat_bad(file, r->pos, "the table of per-CPU data is cut short", err);
	return 0;
}

/* The clock follows the table when there is a TRACECLOCK option; early recorders left it out or broken. */
static void read_clock(struct tracedat *file, struct reader *r)
{
	struct span clock;

	if (!file->clock.data)
		return;
	clock = take_sized(r);
	if (!r->failed && clock.size && clock.size < 4096)
		file->clock = clock;
}

/* The top instance is described by the end of the header itself. */
static int read_top(struct tracedat *file, struct reader *r, uint32_t cpus, struct cpir_error *err)
{
	struct tracedat_buffer *top = array_add(&file->buffers);
	int rc;

	if (!top)
		return error_oom(err);
	top->name = "";
	top->cpu_count = cpus;
	rc = read_kind(file, r, top, err);
	if (rc == 0 && !top->text)
		read_clock(file, r);
	return rc;
}

static int read_instance(struct tracedat *file, struct tracedat_buffer *buffer, uint32_t cpus,
			 struct cpir_error *err)
{
	struct reader r = {.in = file->file, .swap = file->swap};

	(void)reader_bytes(&r, buffer->offset);
	buffer->cpu_count = cpus;
	return read_kind(file, &r, buffer, err);
}

int tracedat_v6_read(struct tracedat *file, struct reader *r, struct cpir_error *err)
{
	uint32_t cpus;
	int rc = read_meta(file, r, err);

	if (rc < 0)
		return rc;
	cpus = reader_u32(r);
	rc = read_options(file, r, err);
	if (rc < 0)
		return rc;
	if (file->cpu_option)
		cpus = file->cpu_option;
	if (!r->failed && cpus > CPIR_CPUS_MAX)
		return tracedat_bad(file, r->pos, "there are more CPUs than we can take", err);
	for (size_t i = 0; i < file->buffers.len; i++) {
		rc = read_instance(file, &file->buffers.ptr[i], cpus, err);
		if (rc < 0)
			return rc;
	}
	return read_top(file, r, cpus, err);
}

int tracedat_v6_cpus(struct tracedat *file, const struct tracedat_buffer *buffer,
		     struct cpir_error *err)
{
	struct reader r = {.in = buffer->cpus, .swap = file->swap};

	file->cpus = calloc(buffer->cpu_count + 1, sizeof(*file->cpus));
	if (!file->cpus)
		return error_oom(err);
	file->cpu_count = buffer->cpu_count;
	for (uint32_t i = 0; i < buffer->cpu_count; i++) {
		file->cpus[i].offset = reader_u64(&r);
		file->cpus[i].size = reader_u64(&r);
	}
	return 0;
}
