/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From the event formats a trace holds to plans: for each event we decode, where its fields are. The formats are parsed
 * once, with libtraceevent; decoding an event by its plan needs neither that library nor memory.
 */
#ifndef TRACE_FORMATS_H
#define TRACE_FORMATS_H

#include "base/array.h"
#include "trace/event.h"
#include "trace/ringbuf.h"
#include "trace/source.h"
#include "trace/tracedat.h"

#define USUAL_FLAGS 2 /* offset of common_flags, one byte */
#define USUAL_PID 4   /* and of common_pid, four */
#define PLAN_FIELDS 6
#define EV_OTHER EV_COUNT /* type of a plan for events we do not know */

/** enum field_kind - what a field is */
enum field_kind {
	FIELD_NONE, /* the kernel that recorded did not have it */
	FIELD_NUMBER,
	FIELD_TEXT, /* bytes from the offset to the end of the record */
	FIELD_TEXT_AT, /* a number says where the text is: length in the upper, place in the lower 16 bits */
	FIELD_TEXT_BEHIND, /* the same, counted from behind the number */
};

/**
 * struct field_plan - where a field is and how to read it without branches: the eight bytes that end where the number
 * ends, swapped, shifted up and down again (which extends the sign), and masked. FIELD_NONE reads as 0.
 */
struct field_plan {
	uint64_t mask;
	int32_t load;	 /* offset of those eight bytes, at least -8 */
	uint16_t offset; /* of the field itself */
	uint8_t kind;	 /* enum field_kind */
	uint8_t up : 7, swap : 1;
	uint8_t down;
};

struct event_plan;

/* event_decoder - fill in @event's union from a record of at least plan->need bytes */
typedef void event_decoder(const struct event_plan *plan, struct ringbuf_record record,
			   struct event *event);

/** struct event_plan - how to decode the events of one id */
struct event_plan {
	uint8_t type;	 /* enum event_type, or EV_OTHER */
	bool is_hrtimer; /* u.hrtimer.function may be the tick's */
	uint32_t need;	 /* shortest record */
	int id;
	event_decoder *decode;
	struct field_plan fields[PLAN_FIELDS]; /* in the order of the decoder's names */
};

/** struct formats - what the trace says about its ring buffer and events; formats_open(), formats_close() */
struct formats {
	struct tep_handle *tep;
	struct ringbuf_format ring;
	uint32_t subbuf_size;		/* bytes, 0: the trace does not say */
	ARRAY(struct event_plan) plans; /* [0] is that of all other events */
	uint16_t *plan_of_id;		/* index into plans, 0: none */
	uint32_t id_count;
	uint8_t type_of_id[UINT16_MAX + 1]; /* plan's type: most records are passed by for it */
	uint64_t deliver; /* types that the trace was opened for, bit per enum event_type */
	uint32_t need;	  /* bytes that any record has: the common fields */
	uint16_t id_offset;
	struct field_plan pid;
	struct field_plan flags;
	bool usual_common; /* flags and pid are where all kernels have had them so far */
	bool has_event[EV_COUNT];
};

/**
 * formats_open - parse what @file holds, make plans for the events that @options want
 * Returns: 0, -EBADMSG, -ENOTSUP (a kernel whose common fields we cannot read), -ENOMEM; close it in any case
 */
int formats_open(struct formats *formats, const struct tracedat *file,
		 const struct trace_options *options, struct cpir_error *err);
void formats_close(struct formats *formats);

/** formats_subbuf_size - bytes of the sub-buffers of the chosen instance of @file, 0 when it makes no sense */
uint32_t formats_subbuf_size(const struct formats *formats, const struct tracedat *file);

/* formats_plan - the plan for events of @id */
static inline const struct event_plan *formats_plan(const struct formats *formats, uint16_t id)
{
	return &formats->plans.ptr[id < formats->id_count ? formats->plan_of_id[id] : 0];
}

/* ---- decode.c ---------------------------------------------------------------------------------------------------- */

/** struct decode_rule - which fields of an event are decoded, by name, and how */
struct decode_rule {
	event_decoder *decode;
	const char *fields[PLAN_FIELDS];
};

/** decode_rule - the rule for events of @type */
const struct decode_rule *decode_rule(enum event_type type);

/* decode_raw - decoder of EV_RAW */
event_decoder decode_raw;

/* field_none - plan of a field that is not there */
static inline struct field_plan field_none(void)
{
	return (struct field_plan){.kind = FIELD_NONE, .load = -8};
}

/* field_integer - plan of an integer of @size 1, 2, 4 or 8 bytes; @ring: byte orders */
struct field_plan field_integer(uint16_t offset, uint32_t size, bool is_signed,
				const struct ringbuf_format *ring);

/*
 * field_number - value of a field, 0 when the event has none. The record must reach to the field's end, and have eight
 * bytes before it, as every record in a sub-buffer has.
 */
static inline int64_t field_number(const struct field_plan *field, const uint8_t *data)
{
	uint64_t raw = load_u64(data + field->load, false);

	if (field->swap)
		raw = bswap_64(raw);
	return (int64_t)((uint64_t)((int64_t)(raw << field->up) >> field->down) & field->mask);
}

#endif
