// SPDX-License-Identifier: GPL-2.0-only
/* Version 7 of the container: sections, found through a chain of option sections. */
#include "trace/tracedat.h"

#include <errno.h>
#include <stdio.h>

#define SECTION_PACKED 1u
#define SECTION_BUFFER 3

int tracedat_section_read(struct tracedat *file, uint64_t offset, uint16_t id,
			  struct tracedat_section *ret_section, struct cpir_error *err)
{
	struct reader r = {.in = file->file, .swap = file->swap};
	uint16_t found, flags;
	char what[80];

	(void)reader_bytes(&r, offset);
	found = reader_u16(&r);
	flags = reader_u16(&r);
	(void)reader_u32(&r); /* description */
	if (!r.failed && found != id) {
		(void)snprintf(what, sizeof(what), "there is section %u where %u should be", found,
			       id);
		return tracedat_bad(file, offset, what, err);
	}
	ret_section->body = reader_bytes(&r, reader_u64(&r));
	ret_section->packed = flags & SECTION_PACKED;
	if (r.failed) {
		(void)snprintf(what, sizeof(what), "section %u lies beyond the end of the file",
			       id);
		return tracedat_bad(file, offset, what, err);
	}
	if (file->end < r.pos)
		file->end = r.pos;
	return 0;
}

/*
 * What follows the last section that options lead to, as texts do that describe the sections, is of no use here, but tells
 * whether the end of the file is its end.
 */
static int check_tail(struct tracedat *file, struct cpir_error *err)
{
	struct reader r = {.in = file->file, .swap = file->swap, .pos = file->end};

	while (r.pos < r.in.size && !r.failed) {
		(void)reader_u64(&r); /* what section it is */
		(void)reader_bytes(&r, reader_u64(&r));
	}
	return r.failed ? tracedat_bad(file, r.pos, "the last section is cut short", err) : 0;
}

static int option_section(struct tracedat *file, uint16_t id, struct span data,
			  struct cpir_error *err)
{
	struct tracedat_section section;
	struct span *target = id == OPTION_HEADER_INFO	   ? &file->header_info
			      : id == OPTION_FTRACE_EVENTS ? &file->ftrace_formats
							   : &file->event_formats;
	int rc;

	if (data.size < 8)
		return 0;
	rc = tracedat_section_read(file, load_u64(data.data, file->swap), id, &section, err);
	if (rc < 0)
		return rc;
	if (id == OPTION_KALLSYMS) { /* large and seldom needed: unpacked on demand */
		file->kallsyms = section;
		return 0;
	}
	return target->data ? 0 : tracedat_unpack(file, &section, target, err);
}

/* One section of options; @ret_next: offset of the next one, 0 at the end. */
static int read_options(struct tracedat *file, struct span body, uint64_t *ret_next,
			struct cpir_error *err)
{
	struct reader r = {.in = body, .swap = file->swap};

	for (;;) {
		uint16_t id = reader_u16(&r);
		struct span data = reader_bytes(&r, reader_u32(&r));
		int rc;

		if (r.failed)
			return tracedat_bad(file, tracedat_offset(file, body.data) + r.pos,
					    "the options are cut short", err);
		if (id == OPTION_DONE) {
			*ret_next = data.size >= 8 ? load_u64(data.data, file->swap) : 0;
			return 0;
		}
		rc = id >= OPTION_HEADER_INFO && id <= OPTION_KALLSYMS
			     ? option_section(file, id, data, err)
			     : tracedat_option(file, id, data, err);
		if (rc < 0)
			return rc;
	}
}

/* Follow the chain; a chain that passes more bytes than the file has goes round in a circle. */
static int read_option_chain(struct tracedat *file, uint64_t offset, struct cpir_error *err)
{
	uint64_t passed = 0;

	while (offset) {
		struct tracedat_section section;
		struct span body;
		int rc = tracedat_section_read(file, offset, OPTION_DONE, &section, err);

		if (rc < 0)
			return rc;
		passed += section.body.size + 16;
		if (passed > file->file.size)
			return tracedat_bad(file, offset, "the options go round in a circle", err);
		rc = tracedat_unpack(file, &section, &body, err);
		if (rc < 0)
			return rc;
		rc = read_options(file, body, &offset, err);
		if (rc < 0)
			return rc;
	}
	return 0;
}

int tracedat_v7_read(struct tracedat *file, struct reader *r, struct cpir_error *err)
{
	const char *name = reader_string(r);
	uint64_t offset;
	int rc;

	(void)reader_string(r); /* version of the compressing library */
	offset = reader_u64(r);
	if (r->failed)
		return tracedat_bad(file, r->pos, "the file ends in its header", err);
	if (compression_find(name, &file->compression) < 0)
		return error_set(
			err, -ENOTSUP,
			"%s: it is compressed with \"%.32s\", which we cannot read (at byte 18); "
			"convert it with trace-cmd convert --compression zstd",
			file->path, name);
	if (!offset)
		return tracedat_bad(file, r->pos - 8,
				    "the recording was not finished: there are no options", err);
	rc = read_option_chain(file, offset, err);
	if (rc < 0)
		return rc;
	if (!file->header_info.data || !file->event_formats.data)
		return tracedat_bad(file, offset, "there are no event formats", err);
	return check_tail(file, err);
}

/* ---- instances --------------------------------------------------------------------------------------------------- */

int tracedat_v7_buffer(struct tracedat *file, struct reader *r, struct tracedat_buffer *buffer,
		       struct cpir_error *err)
{
	buffer->clock = reader_string(r);
	if (!buffer->text) {
		buffer->page_size = reader_u32(r);
		buffer->cpu_count = reader_u32(r);
		buffer->cpus = reader_bytes(r, (uint64_t)buffer->cpu_count * 20);
	}
	if (r->failed)
		return tracedat_bad(file, tracedat_offset(file, r->in.data),
				    "the description of a buffer instance is cut short", err);
	return 0;
}

/* CPUs may be missing from the table; its highest number tells how many there are. */
static int table_size(struct tracedat *file, struct reader r, uint32_t entries,
		      struct cpir_error *err)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < entries; i++) {
		uint32_t cpu = reader_u32(&r);

		(void)reader_bytes(&r, 16);
		if (cpu >= CPIR_CPUS_MAX)
			return tracedat_bad(file, tracedat_offset(file, r.in.data) + r.pos - 20,
					    "a CPU has too high a number", err);
		if (cpu >= count)
			count = cpu + 1;
	}
	file->cpu_count = count;
	return 0;
}

int tracedat_v7_cpus(struct tracedat *file, const struct tracedat_buffer *buffer,
		     struct cpir_error *err)
{
	struct reader r = {.in = buffer->cpus, .swap = file->swap};
	struct tracedat_section section;
	int rc = table_size(file, r, buffer->cpu_count, err);

	if (rc < 0)
		return rc;
	rc = tracedat_section_read(file, buffer->offset, SECTION_BUFFER, &section, err);
	if (rc < 0)
		return rc;
	file->pages_packed = section.packed;
	file->cpus = calloc(file->cpu_count + 1, sizeof(*file->cpus));
	if (!file->cpus)
		return error_oom(err);
	for (uint32_t i = 0; i < buffer->cpu_count; i++) {
		struct tracedat_cpu *cpu = &file->cpus[reader_u32(&r)];

		cpu->offset = reader_u64(&r);
		cpu->size = reader_u64(&r);
	}
	return 0;
}
