// SPDX-License-Identifier: GPL-2.0-only
/*
 * Event formats to plans. libtraceevent gets to see only the formats of events we decode, each checked and with its print
 * format taken out: that part is a C expression, long to parse, and nothing here prints. What is malformed never gets
 * there, as the library leaks memory over it.
 */
#include "trace/formats.h"

#include "base/cleanup.h"
#include "trace/format_text.h"

#include <errno.h>
#include <stdlib.h>
#include <traceevent/event-parse.h>

#define FORMAT_MAX 65536u /* bytes of one event's format; the kernel's own are below 8 KiB */
#define SUBBUF_MIN 64u
#define SUBBUF_MAX (1u << 20) /* the kernel's own limit */

#define ALL_TYPES ((UINT64_C(1) << EV_COUNT) - 1)

/** struct parse - what the functions below hand on to each other */
struct parse {
	struct formats *formats;
	const struct tracedat *file;
	const struct trace_options *options;
	struct cpir_error *err;
};

static int bad_format(const struct parse *parse, const char *what, struct span name)
{
	return error_set(parse->err, -EBADMSG,
			 "%s: %s \"%.*s\" (in the event formats); the file is damaged, copy or "
			 "record it again",
			 parse->file->path, what, (int)(name.size < 64 ? name.size : 64),
			 name.data ? (const char *)name.data : "");
}

/* ---- header_page --------------------------------------------------------------------------------------------------- */

/* The line of @text that declares @name, e.g. " commit;" */
static bool page_field(struct span text, const char *name, uint32_t *ret_offset, uint32_t *ret_size)
{
	const uint8_t *at = memmem(text.data, text.size, name, strlen(name));
	const uint8_t *end;
	struct span line;

	if (!at)
		return false;
	line = (struct span){at, text.size - (size_t)(at - text.data)};
	end = memchr(at, '\n', line.size);
	if (end)
		line.size = (size_t)(end - at);
	return format_number(line, "offset:", ret_offset) && format_number(line, "size:", ret_size);
}

/* The layout of a sub-buffer; a file without header_page gets what kernels have had since 2.6.31. */
static int header_page_parse(const struct parse *parse)
{
	const struct tracedat *file = parse->file;
	struct ringbuf_format *ring = &parse->formats->ring;
	struct reader r = {.in = file->header_info, .swap = file->swap};
	uint32_t data_size = 0;
	struct span text = {NULL, 0};

	*ring = (struct ringbuf_format){
		.swap = file->swap,
		.big_endian = file->big_endian,
		.commit_offset = 8,
		.commit_size = file->long_size,
		.data_offset = 8 + file->long_size,
	};
	if (reader_expect(&r, "header_page"))
		text = reader_bytes(&r, reader_u64(&r));
	if (!text.size)
		return 0;
	if (!page_field(text, " commit;", &ring->commit_offset, &ring->commit_size) ||
	    !page_field(text, " data;", &ring->data_offset, &data_size))
		return bad_format(parse, "no sense in",
				  (struct span){(const uint8_t *)"header_page", 11});
	if ((ring->commit_size != 4 && ring->commit_size != 8) || ring->commit_offset > 64 ||
	    ring->data_offset > 256 || ring->data_offset < 12)
		return bad_format(parse, "odd sizes in",
				  (struct span){(const uint8_t *)"header_page", 11});
	parse->formats->subbuf_size = ring->data_offset + data_size;
	return 0;
}

uint32_t formats_subbuf_size(const struct formats *formats, const struct tracedat *file)
{
	uint32_t size = file->chosen->page_size;

	if (!size)
		size = formats->subbuf_size;
	if (!size)
		size = file->page_size;
	if (size < SUBBUF_MIN || size > SUBBUF_MAX || size % 8 || size <= formats->ring.data_offset)
		return 0;
	return size;
}

/* ---- plans ----------------------------------------------------------------------------------------------------------- */

struct field_plan field_integer(uint16_t offset, uint32_t size, bool is_signed,
				const struct ringbuf_format *ring)
{
	uint8_t spare = (uint8_t)(64 - 8 * size);

	return (struct field_plan){
		.mask = is_signed ? UINT64_MAX : UINT64_MAX >> spare,
		.load = (int32_t)(offset + size) - 8,
		.offset = offset,
		.kind = FIELD_NUMBER,
		.up = ring->big_endian ? spare : 0,
		.swap = ring->swap,
		.down = spare,
	};
}

static struct field_plan field_place(const struct tep_format_field *field,
				     const struct ringbuf_format *ring)
{
	unsigned long flags = field->flags;
	uint16_t offset = (uint16_t)field->offset;
	struct field_plan plan = field_none();

	if (flags & TEP_FIELD_IS_DYNAMIC && field->size == 4) {
		plan = field_integer(offset, 4, false, ring);
		plan.kind = flags & TEP_FIELD_IS_RELATIVE ? FIELD_TEXT_BEHIND : FIELD_TEXT_AT;
	} else if (flags & TEP_FIELD_IS_ARRAY) {
		plan.offset = offset;
		plan.kind = FIELD_TEXT;
	} else if (field->size == 1 || field->size == 2 || field->size == 4 || field->size == 8) {
		plan = field_integer(offset, (uint32_t)field->size, flags & TEP_FIELD_IS_SIGNED,
				     ring);
	}
	return plan;
}

/* Take @name's place out of the format; @need grows so that it lies inside a record. */
static struct field_plan field_bind(const struct parse *parse, struct tep_event *event,
				    const char *name, uint32_t *need)
{
	const struct tep_format_field *field = name ? tep_find_any_field(event, name) : NULL;
	struct field_plan plan;
	uint32_t end;

	if (!field || field->offset < 0 || field->offset > 32768 || field->size < 0)
		return field_none();
	plan = field_place(field, &parse->formats->ring);
	end = plan.offset + (plan.kind == FIELD_TEXT ? 0 : (uint32_t)field->size);
	if (plan.kind != FIELD_NONE && end > *need)
		*need = end;
	return plan;
}

static bool is_integer_at(const struct field_plan *field, uint32_t offset, uint32_t size)
{
	return field->kind == FIELD_NUMBER && field->offset == offset &&
	       field->load + 8 == (int32_t)(offset + size);
}

/* The common fields are the same in all formats; the first one tells. */
static int common_bind(const struct parse *parse, struct tep_event *event)
{
	struct formats *formats = parse->formats;
	struct field_plan id;
	uint32_t need = 0;

	if (formats->need)
		return 0;
	id = field_bind(parse, event, "common_type", &need);
	if (id.kind != FIELD_NUMBER || need != id.offset + 2u)
		return error_set(parse->err, -ENOTSUP,
				 "%s: the kernel's event numbers are not 16 bits wide (in the "
				 "event formats); "
				 "such old kernels are not supported",
				 parse->file->path);
	formats->id_offset = id.offset;
	formats->pid = field_bind(parse, event, "common_pid", &need);
	formats->flags = field_bind(parse, event, "common_flags", &need);
	formats->need = need;
	formats->usual_common = is_integer_at(&formats->flags, USUAL_FLAGS, 1) &&
				is_integer_at(&formats->pid, USUAL_PID, 4);
	return 0;
}

static int id_table_reserve(struct formats *formats, uint32_t id)
{
	uint32_t count = (id | 1023) + 1;
	uint16_t *table;

	if (id < formats->id_count)
		return 0;
	table = realloc(formats->plan_of_id, count * sizeof(*table));
	if (!table)
		return -ENOMEM;
	memset(table + formats->id_count, 0, (count - formats->id_count) * sizeof(*table));
	formats->plan_of_id = table;
	formats->id_count = count;
	return 0;
}

static int plan_add(const struct parse *parse, struct tep_event *event, unsigned type)
{
	const struct decode_rule *rule = type == EV_RAW ? NULL : decode_rule(type);
	struct formats *formats = parse->formats;
	struct event_plan *plan;

	if (event->id < 0 || event->id > UINT16_MAX || formats->plans.len > UINT16_MAX)
		return 0;
	if (id_table_reserve(formats, (uint32_t)event->id) < 0)
		return error_oom(parse->err);
	plan = array_add(&formats->plans);
	if (!plan)
		return error_oom(parse->err);
	formats->plan_of_id[event->id] = (uint16_t)(formats->plans.len - 1);
	formats->type_of_id[event->id] = (uint8_t)type;
	plan->type = (uint8_t)type;
	plan->need = formats->need;
	plan->id = event->id;
	plan->decode = rule ? rule->decode : decode_raw;
	plan->is_hrtimer = type == EV_HRTIMER_START || type == EV_HRTIMER_EXPIRE_ENTRY;
	for (int i = 0; rule && i < PLAN_FIELDS; i++)
		plan->fields[i] = field_bind(parse, event, rule->fields[i], &plan->need);
	return 0;
}

/* ---- walking over all formats ---------------------------------------------------------------------------------------- */

static bool span_equals(struct span s, const char *text)
{
	return s.size == strlen(text) && memcmp(s.data, text, s.size) == 0;
}

static unsigned type_find(const char *system, struct span name)
{
	static const struct {
		const char *system, *name;
	} known[] = {
#define X(type, system, name) [type] = {system, name},
		EVENT_LIST(X)
#undef X
	};

	for (unsigned i = 0; i < array_size(known); i++) {
		if (span_equals(name, known[i].name) && strcmp(system, known[i].system) == 0)
			return i;
	}
	return EV_OTHER;
}

static int event_parse(const struct parse *parse, const char *system, struct span text,
		       unsigned type)
{
	struct formats *formats = parse->formats;
	struct span name = format_name(text);
	_cleanup_free_ char *stripped = NULL;
	struct tep_event *event = NULL;
	size_t size = 0;
	int rc;

	rc = text.size > FORMAT_MAX ? -EBADMSG : format_strip(text, &stripped, &size);
	if (rc == -ENOMEM)
		return error_oom(parse->err);
	if (rc < 0)
		return bad_format(parse, "no sense in the format of", name);
	if (tep_parse_format(formats->tep, &event, stripped, size, system) != 0 || !event)
		return bad_format(parse, "libtraceevent cannot read the format of", name);
	rc = common_bind(parse, event);
	return rc < 0 ? rc : plan_add(parse, event, type);
}

static int event_visit(const struct parse *parse, const char *system, struct span text)
{
	struct span name = format_name(text);
	const char *raw = parse->options->raw_system;
	unsigned type = name.data ? type_find(system, name) : EV_OTHER;

	if (type == EV_OTHER && raw && name.data && strcmp(system, raw) == 0)
		type = EV_RAW;
	if (type == EV_OTHER || (type < EV_RAW && parse->formats->has_event[type]))
		return 0;
	parse->formats->has_event[type] = true;
	return event_parse(parse, system, text, type);
}

static int ftrace_walk(const struct parse *parse)
{
	struct reader r = {.in = parse->file->ftrace_formats, .swap = parse->file->swap};
	uint32_t count = r.in.data ? reader_u32(&r) : 0;

	for (uint32_t i = 0; i < count && !r.failed; i++) {
		struct span text = reader_bytes(&r, reader_u64(&r));
		int rc = r.failed ? 0 : event_visit(parse, "ftrace", text);

		if (rc < 0)
			return rc;
	}
	return r.failed ? bad_format(parse,
				     "cut short:", (struct span){(const uint8_t *)"ftrace", 6})
			: 0;
}

static int systems_walk(const struct parse *parse)
{
	struct reader r = {.in = parse->file->event_formats, .swap = parse->file->swap};
	uint32_t systems = reader_u32(&r);

	for (uint32_t i = 0; i < systems && !r.failed; i++) {
		const char *system = reader_string(&r);
		uint32_t events = reader_u32(&r);

		for (uint32_t k = 0; k < events && !r.failed; k++) {
			struct span text = reader_bytes(&r, reader_u64(&r));
			int rc = r.failed ? 0 : event_visit(parse, system, text);

			if (rc < 0)
				return rc;
		}
	}
	return r.failed ? bad_format(parse,
				     "cut short:", (struct span){(const uint8_t *)"systems", 7})
			: 0;
}

int formats_open(struct formats *formats, const struct tracedat *file,
		 const struct trace_options *options, struct cpir_error *err)
{
	struct parse parse = {formats, file, options, err};
	struct event_plan *others = array_add(&formats->plans);
	int rc;

	if (!others)
		return error_oom(err);
	others->type = EV_OTHER;
	memset(formats->type_of_id, EV_OTHER, sizeof(formats->type_of_id));
	formats->deliver = options->want ? options->want & ALL_TYPES : ALL_TYPES;
	(void)tep_set_loglevel(TEP_LOG_NONE);
	formats->tep = tep_alloc();
	if (!formats->tep)
		return error_oom(err);
	tep_set_file_bigendian(formats->tep, file->big_endian ? TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN);
	tep_set_local_bigendian(formats->tep, HOST_BIG_ENDIAN ? TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN);
	tep_set_long_size(formats->tep, (int)file->long_size);
	rc = header_page_parse(&parse);
	if (rc == 0)
		rc = ftrace_walk(&parse);
	if (rc == 0)
		rc = systems_walk(&parse);
	return rc;
}

void formats_close(struct formats *formats)
{
	tep_free(formats->tep);
	formats->tep = NULL;
	free(formats->plan_of_id);
	formats->plan_of_id = NULL;
	array_free(&formats->plans);
}
