// SPDX-License-Identifier: GPL-2.0-only
/*
 * An event is kept as the nanoseconds since the one before, then its bytes from the CPU on to the end of what its type has in
 * the union. Always as much is copied as the longest one has, for that is a handful of moves and no choice; what comes
 * next then overwrites what was too much.
 */
#include "trace/keep.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/large.h"
#include "base/lines.h"

#define SKIPPED offsetof(struct event, cpu) /* the time */
#define COPIED (sizeof(struct event) - SKIPPED)
#define SINCE_BYTES sizeof(uint32_t)

/* In between where the time since the last event has more than 32 bits, or is negative: u.lost.count is that event's time. */
#define JUMP EV_COUNT

/* An event with a jump before it, and what is copied beyond its end. */
#define MOST_BYTES (2 * (SINCE_BYTES + COPIED))

#define BYTES(member)                                                                              \
	(SINCE_BYTES + offsetof(struct event, u) - SKIPPED +                                       \
	 sizeof(((const struct event *)NULL)->u.member))

/* Bytes of each type when kept. */
static const uint8_t bytes_of[EV_COUNT + 1] = {
	[EV_CPU_IDLE] = BYTES(idle),
	[EV_CPU_IDLE_MISS] = BYTES(miss),
	[EV_GUEST_HALT_POLL] = BYTES(halt_poll),
	[EV_PM_QOS_ADD... EV_PM_QOS_REMOVE] = BYTES(qos),
	[EV_PM_QOS_TARGET] = BYTES(qos_target),
	[EV_DEV_PM_QOS_ADD... EV_DEV_PM_QOS_REMOVE] = BYTES(qos),
	[EV_SCHED_SWITCH] = BYTES(sw),
	[EV_SCHED_WAKING... EV_SCHED_WAKEUP_NEW] = BYTES(wake),
	[EV_SCHED_WAKE_IDLE] = BYTES(ipi),
	[EV_SCHED_STAT_IOWAIT] = BYTES(wake),
	[EV_HRTIMER_START... EV_HRTIMER_EXPIRE_ENTRY] = BYTES(hrtimer),
	[EV_HRTIMER_EXPIRE_EXIT] = BYTES(hrtimer.timer),
	[EV_HRTIMER_REARM] = BYTES(rearm),
	[EV_TIMER_START... EV_TIMER_EXPIRE_ENTRY] = BYTES(timer),
	[EV_TIMER_EXPIRE_EXIT] = BYTES(timer.timer),
	[EV_TIMER_BASE_IDLE] = BYTES(base_idle),
	[EV_TICK_STOP] = BYTES(tick_stop),
	[EV_IRQ_ENTRY... EV_IPI_EXIT] = BYTES(irq),
	[EV_IPI_SEND_CPU] = BYTES(ipi),
	[EV_PRINT] = BYTES(print),
	[EV_LOST] = BYTES(lost),
	[EV_RAW] = BYTES(raw),
	[JUMP] = BYTES(lost),
};

/** struct kept - of one CPU */
struct OWN_LINES kept {
	uint8_t *begin, *end, *limit; /* of its share; @end: of what is in it */
	const uint8_t *next;	      /* to be read */
	uint64_t last_ns, next_ns;    /* of the event added last, of that read last */
	struct trace_cursor *cursor;  /* what follows */
	bool ended;
};

struct trace_keep {
	uint32_t cpus;
	uint8_t *bytes;
	struct kept *kept;
};

struct trace_keep *trace_keep_new(uint32_t cpus, size_t bytes)
{
	struct trace_keep *keep = calloc(1, sizeof(*keep));
	size_t share = bytes / (cpus ? cpus : 1);

	if (!keep)
		return NULL;
	keep->cpus = cpus;
	keep->bytes = large_alloc(bytes);
	keep->kept = lines_calloc(cpus ? cpus : 1, sizeof(*keep->kept));
	if (!keep->bytes || !keep->kept) {
		trace_keep_free(keep);
		return NULL;
	}
	for (uint32_t cpu = 0; cpu < cpus; cpu++) {
		struct kept *kept = &keep->kept[cpu];

		kept->begin = kept->end = keep->bytes + share * cpu;
		kept->limit = kept->begin + share;
		kept->next = kept->begin;
	}
	return keep;
}

void trace_keep_free(struct trace_keep *keep)
{
	if (!keep)
		return;
	for (uint32_t cpu = 0; keep->kept && cpu < keep->cpus; cpu++)
		trace_cursor_close(keep->kept[cpu].cursor);
	free(keep->kept);
	free(keep->bytes);
	free(keep);
}

/* ---- adding ---------------------------------------------------------------------------------------------------------- */

bool trace_keep_has_room(const struct trace_keep *keep, uint32_t cpu, unsigned count)
{
	const struct kept *kept = &keep->kept[cpu];

	return (size_t)(kept->limit - kept->end) / MOST_BYTES >= count;
}

static uint8_t *put(uint8_t *at, const struct event *event, uint32_t since_ns)
{
	memcpy(at, &since_ns, SINCE_BYTES);
	memcpy(at + SINCE_BYTES, (const uint8_t *)event + SKIPPED, COPIED);
	return at + bytes_of[event->type];
}

void trace_keep_add(struct trace_keep *keep, uint32_t cpu, const struct event *events,
		    unsigned count)
{
	struct kept *kept = &keep->kept[cpu];
	uint64_t last_ns = kept->last_ns;
	uint8_t *end = kept->end;

	for (unsigned i = 0; i < count; i++) {
		uint64_t since_ns = events[i].time_ns - last_ns;

		last_ns = events[i].time_ns;
		if (since_ns > UINT32_MAX) {
			struct event jump = {.type = JUMP, .u.lost.count = last_ns};

			end = put(end, &jump, 0);
			since_ns = 0;
		}
		end = put(end, &events[i], (uint32_t)since_ns);
	}
	kept->last_ns = last_ns;
	kept->end = end;
}

void trace_keep_end(struct trace_keep *keep, uint32_t cpu, struct trace_cursor *cursor)
{
	keep->kept[cpu].ended = true;
	keep->kept[cpu].cursor = cursor;
}

bool trace_keep_ended(const struct trace_keep *keep, uint32_t cpu)
{
	return keep->kept[cpu].ended;
}

/* ---- reading --------------------------------------------------------------------------------------------------------- */

unsigned trace_keep_read(struct trace_keep *keep, uint32_t cpu, struct event *events, unsigned max)
{
	struct kept *kept = &keep->kept[cpu];
	const uint8_t *next = kept->next, *end = kept->end;
	uint64_t now_ns = kept->next_ns;
	struct event *event = events;

	while (event < events + max && next < end) {
		uint32_t since_ns;

		memcpy(&since_ns, next, SINCE_BYTES);
		memcpy((uint8_t *)event + SKIPPED, next + SINCE_BYTES, COPIED);
		next += bytes_of[event->type];
		if (event->type == JUMP) {
			now_ns = event->u.lost.count;
			continue;
		}
		now_ns += since_ns;
		event->time_ns = now_ns;
		event++;
	}
	kept->next = next;
	kept->next_ns = now_ns;
	return (unsigned)(event - events);
}

unsigned trace_keep_permille(const struct trace_keep *keep, uint32_t cpu)
{
	const struct kept *kept = &keep->kept[cpu];

	if (kept->end == kept->begin)
		return 1000;
	return (unsigned)((size_t)(kept->next - kept->begin) * 1000 /
			  (size_t)(kept->end - kept->begin));
}

struct trace_cursor *trace_keep_cursor(struct trace_keep *keep, uint32_t cpu)
{
	return take_ptr(keep->kept[cpu].cursor);
}
