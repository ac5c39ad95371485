// SPDX-License-Identifier: GPL-2.0-only
/* One CPU's events: from page to page, from record to record, each decoded by its plan. */
#include "trace/source.h"

#include "trace/trace_state.h"

#include <errno.h>
#include <stdio.h>

/** struct stamps - of the records passed so far; @any: there were some; @last: the highest; @step: the least between two, 0: none differed */
struct stamps {
	uint64_t first, last, step;
	bool any;
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
	cursor->want = UINT64_MAX;
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
		if (step - 1 < stamps->step - 1 && stamps->any)
			stamps->step = step;
		stamps->last = stamp;
	}
	if (stamps->any)
		return;
	stamps->first = stamp;
	stamps->any = true;
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
	event->pid = (int32_t)field_number(&cursor->formats->pid, record->bytes.data);
	event->flags = (uint8_t)field_number(&cursor->formats->flags, record->bytes.data);
	plan->decode(plan, record->bytes, event);
	if (plan->is_hrtimer)
		mark_tick(cursor, event);
	return true;
}

/*
 * Decode what is left of the current page into the room at @events. The position is a local variable, so that it need
 * not go through memory between records.
 */
static force_inline enum ringbuf_step read_page(struct trace_cursor *cursor, bool swap,
						struct room *room)
{
	const struct formats *formats = cursor->formats;
	struct ringbuf ring = cursor->ring;
	struct stamps stamps = cursor->stamps;
	struct event *event = room->next;
	enum ringbuf_step step = RINGBUF_RECORD;

	while (event < room->end) {
		const struct event_plan *plan;
		struct stamped record;

		step = ringbuf_next(&ring, swap, swap != HOST_BIG_ENDIAN, &record.bytes);
		if (step != RINGBUF_RECORD)
			break;
		if (record.bytes.size < formats->need) {
			cursor->damage = "a record is too short for any event";
			break;
		}
		record.stamp = ring.time;
		plan = formats_plan(formats,
				    load_u16(record.bytes.data + formats->id_offset, swap));
		cursor->counts[plan->type]++;
		if (!plan->deliver)
			continue;
		stamps_take(&stamps, record.stamp);
		if (!(cursor->want >> plan->type & 1))
			continue;
		if (!decode_record(cursor, plan, &record, event))
			break;
		event++;
	}
	cursor->ring = ring;
	cursor->stamps = stamps;
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
	if (cursor->wants_lost)
		stamps_take(&cursor->stamps, cursor->ring.time);
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

/* Out of line and once per byte order, so that the loop over records is made of constants. */
static enum ringbuf_step read_native(struct trace_cursor *cursor, struct room *room)
{
	return read_page(cursor, false, room);
}

static enum ringbuf_step read_swapped(struct trace_cursor *cursor, struct room *room)
{
	return read_page(cursor, true, room);
}

int trace_cursor_read(struct trace_cursor *cursor, struct event *events, unsigned max,
		      struct cpir_error *err)
{
	struct room room = {events, events + max};

	while (room.next < room.end && !cursor->damage) {
		bool swap = cursor->formats->ring.swap;
		enum ringbuf_step step = (swap ? read_swapped : read_native)(cursor, &room);
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
	cursor->want = want ? want : UINT64_MAX;
}

bool trace_cursor_span(const struct trace_cursor *cursor, struct trace_span *ret_span)
{
	const struct stamps *stamps = &cursor->stamps;
	uint64_t last_ns = event_time(cursor, stamps->last);

	if (!stamps->any)
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
