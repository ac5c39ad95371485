// SPDX-License-Identifier: GPL-2.0-only
/* One CPU's events: from page to page, from record to record, each decoded by its plan. */
#include "trace/source.h"

#include "trace/gate.h"
#include "trace/trace_state.h"

#include <errno.h>
#include <stdio.h>

/* So many records of a CPU tell the step of its clock. */
#define STEP_RECORDS 4096

/** struct stamps - of the records passed so far; @last: the highest; @step: the least between two of the first @count, 0: none differed */
struct stamps {
	uint64_t first, last, step;
	unsigned count; /* looked at one by one, at most STEP_RECORDS */
};

struct trace_cursor {
	struct trace *trace;
	const struct formats *formats;
	const struct symbols_ticks *ticks; /* NULL: not needed so far */
	struct ringbuf ring;
	struct pages pages;
	uint32_t cpu;
	bool plain_time; /* adding the offset is all there is to do */
	bool wants_lost;
	uint64_t offset_ns; /* what is to be added then */
	uint64_t want;	    /* types to deliver, of those the trace was opened for */
	struct gate gate;
	struct stamps stamps;
	struct ringbuf_loss loss; /* before the current page */
	uint64_t backward;	  /* pages that begin before the end of the one before */
	uint64_t gaps;		  /* pages before which events were lost, but the first */
	uint64_t uncounted;	  /* pages before which an unknown number of events was lost */
	const char *damage;	  /* why there is no going on, NULL: nothing wrong */
	uint64_t counts[EV_COUNT + 1];
};

/** struct stamped - a record and when it was written */
struct stamped {
	struct ringbuf_record bytes;
	uint64_t stamp;
};

/** struct room - where the next events go */
struct room {
	struct event *next, *end;
};

int trace_cursor_open(struct trace *trace, uint32_t cpu, struct trace_cursor **ret_cursor,
		      struct cpir_error *err)
{
	static const uint8_t nothing[1];
	struct trace_cursor *cursor;
	int rc;

	if (cpu >= trace->info.cpus)
		return error_set(err, -EINVAL, "%s: there is no CPU %u, only 0 to %u", trace->path,
				 cpu, trace->info.cpus - 1);
	cursor = calloc(1, sizeof(*cursor));
	if (!cursor)
		return error_oom(err);
	cursor->trace = trace;
	cursor->formats = &trace->formats;
	cursor->cpu = cpu;
	cursor->offset_ns = trace->file.timebase.offset_ns;
	cursor->plain_time = timebase_is_offset(&trace->file.timebase, cpu);
	cursor->wants_lost = trace->wants_lost;
	cursor->want = trace->formats.deliver;
	cursor->ring.pos = cursor->ring.end = nothing;
	rc = pages_open(&cursor->pages, &trace->file, cpu, trace->info.page_size, err);
	if (rc < 0) {
		trace_cursor_close(cursor);
		return rc;
	}
	*ret_cursor = cursor;
	return 0;
}

size_t trace_cursor_bytes(const struct trace_cursor *cursor)
{
	return pages_piece_bytes(&cursor->pages);
}

void trace_cursor_lend(struct trace_cursor *cursor, void *memory)
{
	pages_lend(&cursor->pages, memory);
}

int trace_cursor_clone(const struct trace_cursor *cursor, struct trace_cursor **ret_clone)
{
	struct trace_cursor *clone = malloc(sizeof(*clone));
	const uint8_t *page = cursor->pages.page;

	if (!clone)
		return -ENOMEM;
	*clone = *cursor;
	if (pages_clone(&cursor->pages, &clone->pages) < 0) {
		trace_cursor_close(clone);
		return -ENOMEM;
	}
	if (page) {
		clone->ring.pos = clone->pages.page + (cursor->ring.pos - page);
		clone->ring.end = clone->pages.page + (cursor->ring.end - page);
	}
	*ret_clone = clone;
	return 0;
}

void trace_cursor_close(struct trace_cursor *cursor)
{
	if (!cursor)
		return;
	pages_close(&cursor->pages);
	free(cursor);
}

/* ---- events -------------------------------------------------------------------------------------------------------- */

static inline uint64_t event_time(const struct trace_cursor *cursor, uint64_t stamp)
{
	if (cursor->plain_time)
		return stamp + cursor->offset_ns;
	return timebase_convert(&cursor->trace->file.timebase, cursor->cpu, stamp);
}

static void mark_tick(struct trace_cursor *cursor, struct event *event)
{
	uint64_t function = event->u.hrtimer.function;

	if (!function)
		return;
	if (!cursor->ticks)
		cursor->ticks = trace_ticks(cursor->trace);
	for (unsigned i = 0; i < cursor->ticks->count; i++)
		event->u.hrtimer.tick |= cursor->ticks->address[i] == function;
}

/* Stamps stand still within one tick of a coarse clock, and go back only in damaged traces. */
static force_inline void stamps_take(struct stamps *stamps, uint64_t stamp)
{
	uint64_t step = stamp - stamps->last;

	/* One less, so that no step is the longest. */
	if (stamp > stamps->last) {
		if (step - 1 < stamps->step - 1 && stamps->count)
			stamps->step = step;
		stamps->last = stamp;
	}
	if (!stamps->count++)
		stamps->first = stamp;
}

static force_inline void take_common(const struct formats *formats, const uint8_t *data,
				     struct event *event)
{
	if (formats->usual_common) {
		event->flags = data[USUAL_FLAGS];
		event->pid = (int32_t)load_u32(data + USUAL_PID, formats->ring.swap);
		return;
	}
	event->flags = (uint8_t)field_number(&formats->flags, data);
	event->pid = (int32_t)field_number(&formats->pid, data);
}

/* Decode @record, written at @stamp, into @event; false when it is too short. */
static force_inline bool decode_record(struct trace_cursor *cursor, const struct event_plan *plan,
				       const struct stamped *record, struct event *event)
{
	if (record->bytes.size < plan->need) {
		cursor->damage = "a record is shorter than its event's format";
		return false;
	}
	event->time_ns = event_time(cursor, record->stamp);
	event->cpu = (uint16_t)cursor->cpu;
	event->type = plan->type;
	take_common(cursor->formats, record->bytes.data, event);
	plan->decode(plan, record->bytes, event);
	if (plan->is_hrtimer)
		mark_tick(cursor, event);
	return true;
}

static force_inline uint64_t types_wanted(const struct trace_cursor *cursor)
{
	return cursor->gate.busy ? cursor->want & ~cursor->gate.closed : cursor->want;
}

/* struct next - the next record that is wanted, and what it is */
struct next {
	const struct event_plan *plan;
	struct stamped record;
};

/* struct kind - of reading: constants, so that the loop over records is made for each */
struct kind {
	bool swap;  /* as in struct ringbuf_format */
	bool track; /* the clock's steps are looked at */
	bool gated;
};

static force_inline enum ringbuf_step next_record(struct ringbuf *ring, struct kind kind,
						  struct ringbuf_record *ret_record)
{
	return ringbuf_next(ring, kind.swap, kind.swap != HOST_BIG_ENDIAN, ret_record);
}

/* field_number() of a number @i, with what its byte order asks for known beforehand. */
static force_inline int32_t field(struct kind kind, const struct event_plan *plan, int i,
				  const uint8_t *data)
{
	const struct field_plan *field = &plan->fields[i];

	if (kind.swap || HOST_BIG_ENDIAN)
		return (int32_t)field_number(field, data);
	return (int32_t)(((int64_t)load_u64(data + field->load, false) >> field->down) &
			 (int64_t)field->mask);
}

/*
 * A task that ran on this busy CPU is woken, and is to run here again: pass by the two events that tell so, of which @waking is
 * the first. Where it slept as if it waited for a disk, somebody counts it.
 */
static force_inline bool passes_local_wake(struct trace_cursor *cursor, struct kind kind,
					   struct ringbuf *ring, const struct next *waking)
{
	const struct formats *formats = cursor->formats;
	const uint8_t *data = waking->record.bytes.data;
	int32_t pid = field(kind, waking->plan, 0, data), cpu = (int32_t)cursor->cpu;
	const struct event_plan *plan;
	struct ringbuf ahead = *ring;
	struct ringbuf_record bytes;

	if (field(kind, waking->plan, 1, data) != cpu || gate_slept(&cursor->gate, pid) ||
	    next_record(&ahead, kind, &bytes) != RINGBUF_RECORD || bytes.size < formats->need)
		return false;
	plan = formats_plan(formats, load_u16(bytes.data + formats->id_offset, kind.swap));
	if (plan->type != EV_SCHED_WAKEUP || bytes.size < plan->need ||
	    field(kind, plan, 0, bytes.data) != pid || field(kind, plan, 1, bytes.data) != cpu)
		return false;
	cursor->counts[EV_SCHED_WAKEUP]++;
	if (kind.track)
		stamps_take(&cursor->stamps, ahead.time);
	*ring = ahead;
	return true;
}

/* A record is wanted for its type; is it of no use where the CPU is busy? */
static force_inline bool passes_by(struct trace_cursor *cursor, struct kind kind,
				   struct ringbuf *ring, const struct next *next)
{
	const struct event_plan *plan = next->plan;
	const uint8_t *data = next->record.bytes.data;

	if (!cursor->gate.closed || next->record.bytes.size < plan->need)
		return false;
	switch (plan->type) {
	case EV_SCHED_SWITCH:
		return !gate_switch(&cursor->gate, field(kind, plan, 0, data),
				    field(kind, plan, 1, data),
				    (uint32_t)field(kind, plan, 2, data));
	case EV_SOFTIRQ_ENTRY:
		return gate_closes_softirq(&cursor->gate, field(kind, plan, 0, data));
	case EV_SCHED_WAKING:
		return cursor->gate.busy && passes_local_wake(cursor, kind, ring, next);
	default:
		return false;
	}
}

/*
 * Pass by records up to the first one that is wanted. What comes by at the rate of a hundred millions a second stays in
 * registers; so nobody here gets the address of what changes.
 */
static force_inline enum ringbuf_step find_wanted(struct trace_cursor *cursor, struct kind kind,
						  struct ringbuf *ring, struct next *ret_next)
{
	const struct formats *formats = cursor->formats;
	const uint32_t need = formats->need, id_offset = formats->id_offset;
	uint64_t want = types_wanted(cursor);

	for (;;) {
		struct ringbuf_record bytes;
		enum ringbuf_step step = next_record(ring, kind, &bytes);
		struct next next;
		uint16_t id;
		uint8_t type;

		if (step != RINGBUF_RECORD)
			return step;
		if (bytes.size < need) {
			cursor->damage = "a record is too short for any event";
			return RINGBUF_RECORD;
		}
		id = load_u16(bytes.data + id_offset, kind.swap);
		type = formats->type_of_id[id];
		cursor->counts[type]++;
		if (kind.track)
			stamps_take(&cursor->stamps, ring->time);
		if (!(want >> type & 1))
			continue;
		next = (struct next){formats_plan(formats, id), {bytes, ring->time}};
		if (kind.gated && passes_by(cursor, kind, ring, &next)) {
			want = types_wanted(cursor);
			continue;
		}
		*ret_next = next;
		return RINGBUF_RECORD;
	}
}

/* Decode what is left of the current page into the room at @events. */
static force_inline enum ringbuf_step read_page(struct trace_cursor *cursor, struct kind kind,
						struct room *room)
{
	struct ringbuf ring = cursor->ring;
	struct event *event = room->next;
	enum ringbuf_step step = RINGBUF_RECORD;

	while (event < room->end) {
		struct next next;

		step = find_wanted(cursor, kind, &ring, &next);
		if (step != RINGBUF_RECORD || cursor->damage ||
		    !decode_record(cursor, next.plan, &next.record, event))
			break;
		gate_note(&cursor->gate, event++);
	}
	if (ring.time > cursor->stamps.last)
		cursor->stamps.last = ring.time;
	cursor->ring = ring;
	room->next = event;
	return step;
}

/* What was lost before the page just begun comes before its first event. */
static void take_loss(struct trace_cursor *cursor, struct room *room)
{
	struct ringbuf_loss loss = cursor->loss;

	if (!loss.any)
		return;
	cursor->counts[EV_LOST] += loss.count;
	cursor->gaps += cursor->stamps.count > 0;
	cursor->uncounted += !loss.count;
	cursor->gate.busy = false; /* until a sched_switch says otherwise */
	if (!cursor->wants_lost || !(cursor->want >> EV_LOST & 1))
		return;
	*room->next++ = (struct event){.time_ns = event_time(cursor, cursor->ring.time),
				       .cpu = (uint16_t)cursor->cpu,
				       .type = EV_LOST,
				       .u.lost.count = loss.count};
}

/* ---- reading ------------------------------------------------------------------------------------------------------- */

static int report_damage(const struct trace_cursor *cursor, struct cpir_error *err)
{
	const struct pages *pages = &cursor->pages;
	char text[160];

	(void)snprintf(text, sizeof(text), "%s, %s the data of CPU %u", cursor->damage,
		       pages->file->pages_packed ? "in the compressed chunk here of" : "in",
		       cursor->cpu);
	return tracedat_bad(pages->file, pages_offset(pages), text, err);
}

/* Returns: 1 there is a new page, 0 the end, negative errno; with damage set the page is unusable. */
static int page_turn(struct trace_cursor *cursor, struct cpir_error *err)
{
	uint64_t left = cursor->ring.time;
	struct span page;
	int rc = pages_next(&cursor->pages, &page, err);

	if (rc <= 0)
		return rc;
	cursor->damage = ringbuf_load(&cursor->ring, &cursor->formats->ring, page, &cursor->loss);
	if (!cursor->damage && cursor->ring.pos < cursor->ring.end)
		cursor->backward += cursor->ring.time < left;
	return 1;
}

/* Out of line and once for each kind. */
static enum ringbuf_step read_native(struct trace_cursor *cursor, struct room *room)
{
	return read_page(cursor, (struct kind){.swap = false}, room);
}

static enum ringbuf_step read_swapped(struct trace_cursor *cursor, struct room *room)
{
	return read_page(cursor, (struct kind){.swap = true}, room);
}

static enum ringbuf_step read_native_gated(struct trace_cursor *cursor, struct room *room)
{
	return read_page(cursor, (struct kind){.swap = false, .gated = true}, room);
}

static enum ringbuf_step read_swapped_gated(struct trace_cursor *cursor, struct room *room)
{
	return read_page(cursor, (struct kind){.swap = true, .gated = true}, room);
}

static enum ringbuf_step read_first(struct trace_cursor *cursor, struct room *room)
{
	struct kind kind = {.track = true, .gated = true};

	if (!cursor->formats->ring.swap)
		return read_page(cursor, kind, room);
	kind.swap = true;
	return read_page(cursor, kind, room);
}

static enum ringbuf_step read_some(struct trace_cursor *cursor, struct room *room)
{
	bool swap = cursor->formats->ring.swap;

	if (cursor->stamps.count < STEP_RECORDS)
		return read_first(cursor, room);
	if (cursor->gate.closed)
		return (swap ? read_swapped_gated : read_native_gated)(cursor, room);
	return (swap ? read_swapped : read_native)(cursor, room);
}

int trace_cursor_read(struct trace_cursor *cursor, struct event *events, unsigned max,
		      struct cpir_error *err)
{
	struct room room = {events, events + max};

	while (room.next < room.end && !cursor->damage) {
		enum ringbuf_step step = read_some(cursor, &room);
		int rc;

		if (step == RINGBUF_DAMAGED)
			cursor->damage = "a record goes beyond its sub-buffer";
		if (step != RINGBUF_END)
			continue;
		if (room.next > events && !pages_keeps(&cursor->pages))
			break; /* the events given out point into the pages at hand */
		rc = page_turn(cursor, err);
		if (rc < 0 && room.next == events)
			return rc;
		if (rc <= 0)
			break;
		if (!cursor->damage)
			take_loss(cursor, &room);
	}
	if (room.next == events && cursor->damage)
		return report_damage(cursor, err);
	return (int)(room.next - events);
}

void trace_cursor_want(struct trace_cursor *cursor, uint64_t want)
{
	cursor->want = (want ? want : UINT64_MAX) & cursor->trace->formats.deliver;
}

void trace_cursor_gate(struct trace_cursor *cursor, const struct trace_gate *gate)
{
	gate_close(&cursor->gate, gate);
}

bool trace_cursor_span(const struct trace_cursor *cursor, struct trace_span *ret_span)
{
	const struct stamps *stamps = &cursor->stamps;
	uint64_t last_ns = event_time(cursor, stamps->last);

	if (!stamps->count)
		return false;
	*ret_span = (struct trace_span){
		.begin_ns = event_time(cursor, stamps->first),
		.end_ns = last_ns,
		.end_cpu = cursor->cpu,
		.step_ns = last_ns - event_time(cursor, stamps->last - stamps->step),
		.backward = cursor->backward,
		.gaps = cursor->gaps,
		.uncounted = cursor->uncounted,
	};
	return true;
}

uint64_t trace_cursor_count(const struct trace_cursor *cursor, enum event_type type)
{
	return cursor->counts[type];
}

uint64_t trace_cursor_passed(const struct trace_cursor *cursor)
{
	uint64_t passed = 0;

	for (unsigned type = 0; type <= EV_OTHER; type++)
		passed += type == EV_LOST ? 0 : cursor->counts[type];
	return passed;
}

void trace_cursor_progress(const struct trace_cursor *cursor, uint64_t *ret_done,
			   uint64_t *ret_total)
{
	*ret_total = cursor->trace->file.cpus[cursor->cpu].size;
	*ret_done = *ret_total - pages_left(&cursor->pages);
}
