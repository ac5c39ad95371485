// SPDX-License-Identifier: GPL-2.0-only
/* One CPU's events: from page to page, from record to record, each decoded by its plan. */
#include "trace/source.h"

#include "trace/trace_state.h"

#include <errno.h>
#include <stdio.h>

struct trace_cursor {
	struct trace *trace;
	const struct formats *formats;
	const struct symbols_ticks *ticks; /* NULL: not needed so far */
	struct ringbuf ring;
	struct pages pages;
	uint32_t cpu;
	bool plain_time; /* adding the offset is all there is to do */
	bool wants_lost;
	struct ringbuf_loss loss; /* before the current page, not delivered yet */
	const char *damage;	  /* why there is no going on, NULL: nothing wrong */
	uint64_t counts[EV_COUNT + 1];
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
	cursor->plain_time = timebase_is_offset(&trace->file.timebase, cpu);
	cursor->wants_lost = trace->wants_lost;
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

static uint64_t event_time(const struct trace_cursor *cursor)
{
	const struct timebase *base = &cursor->trace->file.timebase;

	if (cursor->plain_time)
		return cursor->ring.time + base->offset_ns;
	return timebase_convert(base, cursor->cpu, cursor->ring.time);
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

/* Returns: 1 @event is filled in, 0 the record is none of the wanted ones or, with damage set, none at all */
static inline __attribute__((always_inline)) unsigned take_record(struct trace_cursor *cursor,
								  struct ringbuf_record record,
								  bool swap, struct event *event)
{
	const struct formats *formats = cursor->formats;
	const struct event_plan *plan;

	if (record.size < formats->need) {
		cursor->damage = "a record is too short for any event";
		return 0;
	}
	plan = formats_plan(formats, load_u16(record.data + formats->id_offset, swap));
	cursor->counts[plan->type]++;
	if (!plan->deliver)
		return 0;
	if (record.size < plan->need) {
		cursor->damage = "a record is shorter than its event's format";
		return 0;
	}
	event->time_ns = event_time(cursor);
	event->cpu = (uint16_t)cursor->cpu;
	event->type = plan->type;
	event->pid = (int32_t)field_number(formats->pid, record.data);
	event->flags = (uint8_t)field_number(formats->flags, record.data);
	plan->decode(plan, record, event);
	if (plan->is_hrtimer)
		mark_tick(cursor, event);
	return 1;
}

/* Returns: 1 @event tells of a loss, 0 nothing was lost or nobody wants to know */
static unsigned take_loss(struct trace_cursor *cursor, struct event *event)
{
	struct ringbuf_loss loss = cursor->loss;

	cursor->loss.any = false;
	if (!loss.any)
		return 0;
	cursor->counts[EV_LOST] += loss.count;
	if (!cursor->wants_lost)
		return 0;
	*event = (struct event){.time_ns = event_time(cursor),
				.cpu = (uint16_t)cursor->cpu,
				.type = EV_LOST,
				.u.lost.count = loss.count};
	return 1;
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
	struct span page;
	int rc = pages_next(&cursor->pages, &page, err);

	if (rc <= 0)
		return rc;
	cursor->damage = ringbuf_load(&cursor->ring, &cursor->formats->ring, page, &cursor->loss);
	return 1;
}

static inline __attribute__((always_inline)) int read_batch(struct trace_cursor *cursor,
							    struct event *events, unsigned max,
							    bool swap, struct cpir_error *err)
{
	const bool big_endian = swap != HOST_BIG_ENDIAN;
	unsigned count = 0;

	while (count < max && !cursor->damage) {
		struct ringbuf_record record;
		enum ringbuf_step step = ringbuf_next(&cursor->ring, swap, big_endian, &record);
		int rc;

		if (step == RINGBUF_RECORD) {
			count += take_record(cursor, record, swap, &events[count]);
			continue;
		}
		if (step == RINGBUF_DAMAGED) {
			cursor->damage = "a record goes beyond its sub-buffer";
			break;
		}
		if (count && !pages_keeps(&cursor->pages))
			break; /* the events given out point into the pages at hand */
		rc = page_turn(cursor, err);
		if (rc < 0 && !count)
			return rc;
		if (rc <= 0)
			break;
		if (!cursor->damage)
			count += take_loss(cursor, &events[count]);
	}
	if (!count && cursor->damage)
		return report_damage(cursor, err);
	return (int)count;
}

static int read_native(struct trace_cursor *cursor, struct event *events, unsigned max,
		       struct cpir_error *err)
{
	return read_batch(cursor, events, max, false, err);
}

static int read_swapped(struct trace_cursor *cursor, struct event *events, unsigned max,
			struct cpir_error *err)
{
	return read_batch(cursor, events, max, true, err);
}

int trace_cursor_read(struct trace_cursor *cursor, struct event *events, unsigned max,
		      struct cpir_error *err)
{
	return cursor->formats->ring.swap ? read_swapped(cursor, events, max, err)
					  : read_native(cursor, events, max, err);
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
