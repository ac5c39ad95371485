// SPDX-License-Identifier: GPL-2.0-only
/* What versions 6 and 7 of the container have in common: the beginning, the options, the choice of an instance. */
#include "trace/tracedat.h"

#include "base/cleanup.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>

#define META_MAX                                                                                   \
	(UINT64_C(256)                                                                             \
	 << 20) /* bytes of unpacked meta data in one section; kallsyms has about 10 MB */
#define BUFFERS_MAX 4096

int tracedat_bad(const struct tracedat *file, uint64_t offset, const char *what,
		 struct cpir_error *err)
{
	return error_set(err, -EBADMSG,
			 "%s: %s (at byte %" PRIu64
			 " of %zu); the file is damaged or was cut short, "
			 "copy or record it again",
			 file->path, what, offset, file->file.size);
}

uint64_t tracedat_offset(const struct tracedat *file, const void *p)
{
	uintptr_t begin = (uintptr_t)file->file.data, at = (uintptr_t)p;

	return at >= begin && at - begin <= file->file.size ? at - begin : 0;
}

/* ---- sections ---------------------------------------------------------------------------------------------------- */

static int blob_unpack(const struct tracedat *file, struct span in, void *out, size_t size)
{
	struct unpacker *unpacker = NULL;
	int rc = unpacker_open(file->compression, &unpacker);

	if (rc < 0)
		return rc;
	rc = unpacker_run(unpacker, in, out, size);
	unpacker_close(unpacker);
	return rc;
}

int tracedat_unpack(struct tracedat *file, const struct tracedat_section *section,
		    struct span *ret_body, struct cpir_error *err)
{
	struct reader r = {.in = section->body, .swap = file->swap};
	uint64_t offset = tracedat_offset(file, section->body.data);
	uint32_t packed, unpacked;
	struct span in;
	void **blob;
	int rc;

	if (!section->packed) {
		*ret_body = section->body;
		return 0;
	}
	packed = reader_u32(&r);
	unpacked = reader_u32(&r);
	in = reader_bytes(&r, packed);
	if (r.failed)
		return tracedat_bad(file, offset, "a compressed section is cut short", err);
	if (!unpack_size_ok(packed, unpacked, META_MAX))
		return tracedat_bad(file, offset, "a compressed section claims an absurd size",
				    err);
	blob = array_add(&file->blobs);
	if (!blob)
		return error_oom(err);
	*blob = malloc((size_t)unpacked + 1);
	if (!*blob)
		return error_oom(err);
	rc = blob_unpack(file, in, *blob, unpacked);
	if (rc == -ENOMEM)
		return error_oom(err);
	if (rc < 0)
		return tracedat_bad(file, offset, "a section does not uncompress", err);
	*ret_body = (struct span){*blob, unpacked};
	return 0;
}

size_t tracedat_head(const struct tracedat *file, const struct tracedat_section *section, void *out,
		     size_t size)
{
	struct unpacker *unpacker = NULL;
	size_t got = section->body.size < size ? section->body.size : size;

	if (!section->packed) {
		if (got)
			memcpy(out, section->body.data, got);
		return got;
	}
	if (section->body.size <= 8 || unpacker_open(file->compression, &unpacker) < 0)
		return 0;
	got = unpacker_head(unpacker, (struct span){section->body.data + 8, section->body.size - 8},
			    out, size);
	unpacker_close(unpacker);
	return got;
}

/* ---- options ----------------------------------------------------------------------------------------------------- */

/* Option texts are numbers like "0x…" or "-12", NUL-terminated if the writer was kind. */
static int64_t text_number(struct span data)
{
	char copy[32] = "";

	memcpy(copy, data.data, data.size < sizeof(copy) ? data.size : sizeof(copy) - 1);
	return strtoll(copy, NULL, 0);
}

static const uint8_t *text_find(struct span text, const char *word)
{
	return memmem(text.data, text.size, word, strlen(word));
}

/* The number behind "@label" in the text of a per-CPU statistics file, 0 when it is not there. */
static uint64_t stat_number(struct span text, const char *label)
{
	const uint8_t *at = text_find(text, label);
	const uint8_t *end = text.data + text.size;
	uint64_t value = 0;

	if (!at)
		return 0;
	for (at += strlen(label); at < end && *at == ' '; at++)
		;
	for (; at < end && *at >= '0' && *at <= '9' && value < UINT64_MAX / 16; at++)
		value = value * 10 + (uint64_t)(*at - '0');
	return value;
}

/* From @at to the end of its line. */
static struct span line_rest(struct span text, const uint8_t *at)
{
	size_t left = text.size - (size_t)(at - text.data);
	const uint8_t *end = memchr(at, '\n', left);

	return (struct span){at, end ? (size_t)(end - at) : left};
}

/*
 * The statistics of an instance's CPUs follow an option that only names it, "\nBuffer: NAME\n\n"; those of the top one
 * come first.
 */
static int option_cpustat(struct tracedat *file, struct span text, struct cpir_error *err)
{
	const uint8_t *name = text_find(text, "Buffer: ");
	struct tracedat_loss *loss;

	if ((name || !file->losses.len) && !array_add(&file->losses))
		return error_oom(err);
	if (name) {
		loss = &file->losses.ptr[file->losses.len - 1];
		loss->name = line_rest(text, name + strlen("Buffer: "));
		return 0;
	}
	loss = &file->losses.ptr[file->losses.len - 1];
	loss->count += stat_number(text, "\noverrun: ") + stat_number(text, "commit overrun: ") +
		       stat_number(text, "dropped events: ");
	return 0;
}

static int option_buffer(struct tracedat *file, uint16_t id, struct span data,
			 struct cpir_error *err)
{
	struct reader r = {.in = data, .swap = file->swap};
	struct tracedat_buffer buffer = {.text = id == OPTION_BUFFER_TEXT};
	struct tracedat_buffer *added;

	buffer.offset = reader_u64(&r);
	buffer.name = reader_string(&r);
	if (r.failed)
		return tracedat_bad(file, tracedat_offset(file, data.data),
				    "the description of a buffer instance is cut short", err);
	if (file->version >= 7) {
		int rc = tracedat_v7_buffer(file, &r, &buffer, err);

		if (rc < 0)
			return rc;
	}
	if (file->buffers.len >= BUFFERS_MAX)
		return tracedat_bad(file, tracedat_offset(file, data.data),
				    "there are more buffer instances than we can take", err);
	added = array_add(&file->buffers);
	if (!added)
		return error_oom(err);
	*added = buffer;
	return 0;
}

static int option_time_shift(struct tracedat *file, struct span data, struct cpir_error *err)
{
	int rc;

	if (data.size < 16)
		return 0;
	rc = timebase_parse_shift(&file->timebase, data, file->swap);
	if (rc == -ENOMEM)
		return error_oom(err);
	if (rc < 0)
		return tracedat_bad(file, tracedat_offset(file, data.data),
				    "the time corrections are cut short", err);
	return 0;
}

static void option_tsc(struct tracedat *file, struct span data)
{
	struct reader r = {.in = data, .swap = file->swap};

	if (data.size < 16)
		return;
	file->timebase.mult = reader_u32(&r);
	file->timebase.shift = reader_u32(&r);
}

int tracedat_option(struct tracedat *file, uint16_t id, struct span data, struct cpir_error *err)
{
	switch (id) {
	case OPTION_DATE: /* microseconds */
		file->timebase.offset_ns += (uint64_t)text_number(data) * 1000;
		return 0;
	case OPTION_OFFSET:
		file->timebase.offset_ns += (uint64_t)text_number(data);
		return 0;
	case OPTION_CPUSTAT:
		return option_cpustat(file, data, err);
	case OPTION_BUFFER:
	case OPTION_BUFFER_TEXT:
		return option_buffer(file, id, data, err);
	case OPTION_TRACECLOCK:
		file->clock = data;
		return 0;
	case OPTION_UNAME:
		file->uname = data;
		return 0;
	case OPTION_CPUCOUNT:
		if (data.size >= 4)
			file->cpu_option = load_u32(data.data, file->swap);
		return 0;
	case OPTION_TIME_SHIFT:
		return option_time_shift(file, data, err);
	case OPTION_TSC2NSEC:
		option_tsc(file, data);
		return 0;
	default:
		return 0;
	}
}

/* ---- the beginning, and the end ---------------------------------------------------------------------------------- */

static int read_version(struct tracedat *file, struct reader *r, struct cpir_error *err)
{
	const char *version;
	uint8_t big;

	(void)reader_bytes(r, 10); /* the magic, checked by who called */
	version = reader_string(r);
	if (!version)
		return tracedat_bad(file, 10, "the header ends in the version", err);
	if (strcmp(version, "6") != 0 && strcmp(version, "7") != 0)
		return error_set(
			err, -ENOTSUP,
			"%s: trace.dat version \"%.8s\" is none we know (at byte 10); convert it "
			"to version 6 or 7 with trace-cmd convert",
			file->path, version);
	file->version = (unsigned)(*version - '0');
	big = reader_u8(r);
	if (big > 1)
		return tracedat_bad(file, r->pos - 1, "the byte order is neither 0 nor 1", err);
	file->big_endian = big;
	file->swap = file->big_endian != HOST_BIG_ENDIAN;
	r->swap = file->swap;
	file->long_size = reader_u8(r);
	if (!r->failed && file->long_size != 4 && file->long_size != 8)
		return tracedat_bad(file, r->pos - 1, "the size of a long is neither 4 nor 8", err);
	return 0;
}

int tracedat_open(struct tracedat *file, struct cpir_error *err)
{
	struct reader r = {.in = file->file};
	int rc = read_version(file, &r, err);

	if (rc < 0)
		return rc;
	file->page_size = reader_u32(&r);
	if (r.failed)
		return tracedat_bad(file, r.pos, "the file ends in its header", err);
	return file->version == 7 ? tracedat_v7_read(file, &r, err)
				  : tracedat_v6_read(file, &r, err);
}

void tracedat_close(struct tracedat *file)
{
	for (size_t i = 0; i < file->blobs.len; i++)
		free(file->blobs.ptr[i]);
	array_free(&file->blobs);
	array_free(&file->buffers);
	array_free(&file->losses);
	timebase_free(&file->timebase);
	free(file->cpus);
	file->cpus = NULL;
}

/* ---- instances --------------------------------------------------------------------------------------------------- */

static int buffer_load(struct tracedat *file, const struct tracedat_buffer *buffer,
		       struct cpir_error *err)
{
	free(file->cpus);
	file->cpus = NULL;
	file->cpu_count = 0;
	file->chosen = buffer;
	if (buffer->text)
		return 0;
	return file->version == 7 ? tracedat_v7_cpus(file, buffer, err)
				  : tracedat_v6_cpus(file, buffer, err);
}

static bool buffer_has_events(const struct tracedat *file)
{
	for (uint32_t i = 0; i < file->cpu_count; i++) {
		if (file->cpus[i].size)
			return true;
	}
	return false;
}

static int instance_error(const struct tracedat *file, const char *what, struct cpir_error *err)
{
	char names[256] = "";
	size_t len = 0;

	for (size_t i = 0; i < file->buffers.len && len < sizeof(names) - 1; i++) {
		const char *name = file->buffers.ptr[i].name;

		len += (size_t)snprintf(names + len, sizeof(names) - len, "%s%.40s",
					len ? ", " : "", *name ? name : "\"\" (the top one)");
	}
	return error_set(err, -EINVAL, "%s: %s; it holds these: %s; pick one with --instance",
			 file->path, what, *names ? names : "none");
}

static int instance_by_name(struct tracedat *file, const char *name, struct cpir_error *err)
{
	char what[128];

	for (size_t i = 0; i < file->buffers.len; i++) {
		if (strcmp(file->buffers.ptr[i].name, name) == 0)
			return buffer_load(file, &file->buffers.ptr[i], err);
	}
	(void)snprintf(what, sizeof(what), "there is no buffer instance \"%.64s\"", name);
	return instance_error(file, what, err);
}

static const struct tracedat_buffer *buffer_top(const struct tracedat *file)
{
	for (size_t i = 0; i < file->buffers.len; i++) {
		if (!*file->buffers.ptr[i].name)
			return &file->buffers.ptr[i];
	}
	return NULL;
}

/* The top instance when it has events, else the only one that does, else the top one as it is. */
static int instance_default(struct tracedat *file, struct cpir_error *err)
{
	const struct tracedat_buffer *top = buffer_top(file), *only = NULL;
	int rc = top ? buffer_load(file, top, err) : 0;

	if (rc < 0 || (top && (top->text || buffer_has_events(file))))
		return rc;
	for (size_t i = 0; i < file->buffers.len; i++) {
		const struct tracedat_buffer *buffer = &file->buffers.ptr[i];

		rc = buffer_load(file, buffer, err);
		if (rc < 0)
			return rc;
		if (!buffer_has_events(file))
			continue;
		if (only)
			return instance_error(file, "several buffer instances hold events", err);
		only = buffer;
	}
	if (!only)
		only = top;
	if (!only)
		return tracedat_bad(file, file->file.size, "there is no trace data in it", err);
	return buffer_load(file, only, err);
}

static int cpu_compare(const void *a, const void *b)
{
	const struct tracedat_cpu *left = a, *right = b;

	return (left->offset > right->offset) - (left->offset < right->offset);
}

/* Pages that two CPUs share cannot be; they would let a small file keep us busy for long. */
static int check_overlap(const struct tracedat *file, struct cpir_error *err)
{
	_cleanup_free_ struct tracedat_cpu *sorted = calloc(file->cpu_count + 1, sizeof(*sorted));
	uint64_t end = 0;
	uint32_t used = 0;

	if (!sorted)
		return error_oom(err);
	for (uint32_t i = 0; i < file->cpu_count; i++) {
		if (file->cpus[i].size)
			sorted[used++] = file->cpus[i];
	}
	qsort(sorted, used, sizeof(*sorted), cpu_compare);
	for (uint32_t i = 0; i < used; i++) {
		if (sorted[i].offset < end)
			return tracedat_bad(file, sorted[i].offset, "the data of two CPUs overlap",
					    err);
		end = sorted[i].offset + sorted[i].size;
	}
	return 0;
}

static int check_cpus(const struct tracedat *file, struct cpir_error *err)
{
	char what[120];

	for (uint32_t i = 0; i < file->cpu_count; i++) {
		const struct tracedat_cpu *cpu = &file->cpus[i];

		if (!cpu->size ||
		    (cpu->offset <= file->file.size && cpu->size <= file->file.size - cpu->offset))
			continue;
		(void)snprintf(what, sizeof(what),
			       "the data of CPU %u, %" PRIu64
			       " bytes, goes beyond the end of the file",
			       i, cpu->size);
		return tracedat_bad(file, cpu->offset, what, err);
	}
	return check_overlap(file, err);
}

int tracedat_choose(struct tracedat *file, const char *instance, struct cpir_error *err)
{
	int rc = instance ? instance_by_name(file, instance, err) : instance_default(file, err);

	if (rc < 0)
		return rc;
	if (file->chosen->text)
		return error_set(
			err, -ENOTSUP,
			"%s: this is a latency trace, text without per-CPU data; record events "
			"with trace-cmd record -e",
			file->path);
	return check_cpus(file, err);
}

uint64_t tracedat_overrun(const struct tracedat *file)
{
	const char *name = file->chosen->name;
	size_t len = strlen(name);
	uint64_t sum = 0;

	for (size_t i = 0; i < file->losses.len; i++) {
		const struct tracedat_loss *loss = &file->losses.ptr[i];

		if (loss->name.size == len && (!len || memcmp(loss->name.data, name, len) == 0))
			sum += loss->count;
	}
	return sum;
}
