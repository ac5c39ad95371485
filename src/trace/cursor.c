// SPDX-License-Identifier: GPL-2.0-only
/* One CPU's events: from page to page, from record to record, each decoded by its plan. */
#include "trace/source.h"

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

/** struct cursor_gate - types not to deliver while a task runs, by the last sched_switch */
struct cursor_gate {
	uint64_t closed; /* 0: there is no gate */
	bool busy;
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
	struct cursor_gate gate;
	struct stamps stamps;
	struct ringbuf_loss loss; /* before the current page */
	uint64_t backward;	  /* pages that begin before the end of the one before */
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

/*
 * What a CPU does decides whether what it writes is of use. A switch from one task to another is of none, unless the first
 * one goes to sleep as if it waited for a disk.
 */
static bool passes_gate(struct cursor_gate *gate, const struct event *event)
{
	if (event->type == EV_CPU_IDLE)
		gate->busy = false; /* its sched_switch was lost */
	if (event->type != EV_SCHED_SWITCH)
		return true;
	gate->busy = event->u.sw.next_pid != 0;
	return !event->u.sw.next_pid || !event->u.sw.prev_pid ||
	       event->u.sw.prev_state == EVENT_TASK_UNINTERRUPTIBLE;
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

static force_inline uint64_t types_wanted(const struct trace_cursor *cursor,
					  const struct cursor_gate *gate)
{
	return gate->busy ? cursor->want & ~gate->closed : cursor->want;
}

/* struct next - the next record that is wanted, and what it is */
struct next {
	const struct event_plan *plan;
	struct stamped record;
};

/*
 * Pass by records up to the first one whose type is in @want. What comes by at the rate of a hundred millions a second
 * stays in registers; so nobody here gets the address of what changes.
 */
static force_inline enum ringbuf_step find_wanted(struct trace_cursor *cursor, bool swap,
						  bool track, struct ringbuf *ring, uint64_t want,
						  struct next *ret_next)
{
	const struct formats *formats = cursor->formats;
	const uint32_t need = formats->need, id_offset = formats->id_offset;

	for (;;) {
		struct ringbuf_record bytes;
		enum ringbuf_step step = ringbuf_next(ring, swap, swap != HOST_BIG_ENDIAN, &bytes);
		uint16_t id;
		uint8_t type;

		if (step != RINGBUF_RECORD)
			return step;
		if (bytes.size < need) {
			cursor->damage = "a record is too short for any event";
			return RINGBUF_RECORD;
		}
		id = load_u16(bytes.data + id_offset, swap);
		type = formats->type_of_id[id];
		cursor->counts[type]++;
		if (track)
			stamps_take(&cursor->stamps, ring->time);
		if (!(want >> type & 1))
			continue;
		*ret_next = (struct next){formats_plan(formats, id), {bytes, ring->time}};
		return RINGBUF_RECORD;
	}
}

/* Decode what is left of the current page into the room at @events. */
static force_inline enum ringbuf_step read_page(struct trace_cursor *cursor, bool swap, bool track,
						struct room *room)
{
	struct ringbuf ring = cursor->ring;
	struct cursor_gate gate = cursor->gate;
	struct event *event = room->next;
	enum ringbuf_step step = RINGBUF_RECORD;

	while (event < room->end) {
		struct next next;

		step = find_wanted(cursor, swap, track, &ring, types_wanted(cursor, &gate), &next);
		if (step != RINGBUF_RECORD || cursor->damage ||
		    !decode_record(cursor, next.plan, &next.record, event))
			break;
		event += !gate.closed || passes_gate(&gate, event);
	}
	if (ring.time > cursor->stamps.last)
		cursor->stamps.last = ring.time;
	cursor->ring = ring;
	cursor->gate = gate;
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
		       pages->chunk ? "in the compressed chunk here of" : "in", cursor->cpu);
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

/* Out of line and once for each kind, so that the loop over records is made of constants. */
static enum ringbuf_step read_native(struct trace_cursor *cursor, struct room *room)
{
	return read_page(cursor, false, false, room);
}

static enum ringbuf_step read_swapped(struct trace_cursor *cursor, struct room *room)
{
	return read_page(cursor, true, false, room);
}

static enum ringbuf_step read_first(struct trace_cursor *cursor, struct room *room)
{
	return cursor->formats->ring.swap ? read_page(cursor, true, true, room)
					  : read_page(cursor, false, true, room);
}

static enum ringbuf_step read_some(struct trace_cursor *cursor, struct room *room)
{
	if (cursor->stamps.count < STEP_RECORDS)
		return read_first(cursor, room);
	return (cursor->formats->ring.swap ? read_swapped : read_native)(cursor, room);
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

void trace_cursor_gate(struct trace_cursor *cursor, uint64_t types)
{
	cursor->gate.closed = types;
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
	};
	return true;
}

uint64_t trace_cursor_count(const struct trace_cursor *cursor, enum event_type type)
{
	return cursor->counts[type];
}

void trace_cursor_progress(const struct trace_cursor *cursor, uint64_t *ret_done,
			   uint64_t *ret_total)
{
	*ret_total = cursor->trace->file.cpus[cursor->cpu].size;
	*ret_done = *ret_total - pages_left(&cursor->pages);
}
