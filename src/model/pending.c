// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which timers are pending on a CPU: hrtimers but the tick, and the timer wheel.
 *
 * A hrtimer lies on the CPU that started it, if it was not seen to expire on another one (moved.h). The wheel keeps whole buckets: a timer expires when jiffies
 * reaches the end of its bucket, whose width grows eightfold with each of the levels. From 6.9 timers that are not
 * pinned may be served by any active CPU: they count for a CPU only when they are due at once or when all others idle.
 */
#include "model/lane.h"

#include <errno.h>

#include "model/wheel.h"

/* hrtimer_start's mode: the tick and hrtick have both bits, and the tick is not kept among the timers here. */
#define MODE_PINNED_HARD 0x0au

/* An interrupt later than this has come and gone unseen. */
#define STALE_LATE_NS 100000

#define RELEASE(major, minor) ((uint32_t)(major) << 16 | (uint32_t)(minor) << 8)

static int start_hrtimer(struct timeline *timeline, struct lane *lane, const struct event *event)
{
	struct timer_entry entry = {
		.address = event->u.hrtimer.timer,
		.expires_ns = clocks_to_mono(timeline->options.clocks, event->u.hrtimer.expires_ns,
					     event->time_ns),
		.cpu = moved_cpu(timeline->options.moved, event),
		.flags = event->u.hrtimer.mode,
		.function = event->u.hrtimer.function,
		.started_ns = event->time_ns,
	};

	pending_take_off(timeline, lane, entry.address);
	return timers_start(timeline->hrtimers, &entry);
}

static int start_wheel(struct timeline *timeline, const struct event *event)
{
	struct timer_entry entry = {
		.address = event->u.timer.timer,
		.cpu = event->u.timer.flags & TIMER_FLAG_CPU_MASK,
		.flags = event->u.timer.flags,
		.function = event->u.timer.function,
		.started_ns = event->time_ns,
	};

	(void)timers_stop(timeline->wheel, entry.address);
	if (event->u.timer.flags & TIMER_FLAG_DEFERRABLE)
		return 0;
	entry.expires_ns = clocks_jiffy_to_mono(timeline->options.clocks, wheel_bucket(event));
	if (entry.expires_ns == TIME_NONE)
		return 0;
	return timers_start(timeline->wheel, &entry);
}

/* Since 7.1 the scheduler's hrtick, started and cancelled at nearly every switch, is cancelled without re-programming. */
static bool rearms_lazily(const struct timeline *timeline, const struct timer_entry *entry)
{
	return timeline->options.release >= RELEASE(7, 1) &&
	       (entry->flags & MODE_PINNED_HARD) == MODE_PINNED_HARD;
}

/*
 * A hrtimer is taken off without having expired. If it was what the clock device of its CPU was programmed for, the
 * device stays so when another CPU took it off, or when it is one of those that re-arm lazily. The interrupt then comes
 * for nothing, and until then it counts as the next event.
 */
void pending_take_off(struct timeline *timeline, const struct lane *lane, uint64_t address)
{
	const struct timer_entry *entry = timers_find(timeline->hrtimers, address);
	struct lane *owner;
	int64_t expires_ns;

	if (!entry)
		return;
	owner = &timeline->lanes[entry->cpu];
	expires_ns = entry->expires_ns;
	if (entry == timers_next(timeline->hrtimers, entry->cpu) &&
	    expires_ns < owner->tick.armed_ns && expires_ns < owner->stale_ns &&
	    (owner != lane || rearms_lazily(timeline, entry)))
		owner->stale_ns = expires_ns;
	(void)timers_stop(timeline->hrtimers, address);
}

int pending_feed(struct timeline *timeline, struct lane *lane, const struct event *event)
{
	switch (event->type) {
	case EV_HRTIMER_START:
		return start_hrtimer(timeline, lane, event);
	case EV_HRTIMER_EXPIRE_ENTRY:
		lane->last_irq_now_ns = (uint64_t)clocks_to_mono(
			timeline->options.clocks, event->u.hrtimer.expires_ns, event->time_ns);
		lane->stale_ns = TIME_NONE;
		(void)timers_stop(timeline->hrtimers, event->u.hrtimer.timer);
		return 0;
	case EV_HRTIMER_CANCEL:
		pending_take_off(timeline, lane, event->u.hrtimer.timer);
		return 0;
	case EV_TIMER_START:
		return start_wheel(timeline, event);
	case EV_TIMER_EXPIRE_ENTRY:
	case EV_TIMER_CANCEL:
		(void)timers_stop(timeline->wheel, event->u.timer.timer);
		return 0;
	default:
		return 0;
	}
}

int64_t pending_hrtimer_ns(struct timeline *timeline, struct lane *lane, uint64_t now_ns)
{
	const struct timer_entry *next;

	/* What a later timer interrupt has passed by was cancelled without a trace: it would stay overdue for ever. */
	(void)timers_drop_before(timeline->hrtimers, lane->cpu, (int64_t)lane->last_irq_now_ns);
	next = timers_next(timeline->hrtimers, lane->cpu);
	if (!next)
		return TIME_NONE;
	lane->next_hrtimer = (struct timer_name){next->address, next->function};
	return clocks_to_trace(timeline->options.clocks, next->expires_ns, now_ns);
}

bool pending_shares_wheel(const struct timeline *timeline)
{
	return timeline->options.release >= RELEASE(6, 9);
}

void pending_programmed(struct timeline *timeline, const struct lane *lane, int64_t expires_ns)
{
	const struct timer_entry *next;
	int64_t before_ns;

	if (__builtin_sub_overflow(expires_ns, timeline->options.clocks->tick_ns / 2, &before_ns))
		return;
	while ((next = timers_next(timeline->wheel, lane->cpu)) && next->expires_ns < before_ns &&
	       (timer_is_unseen(next->address) || !pending_shares_wheel(timeline)))
		(void)timers_stop(timeline->wheel, next->address);
}

struct wheel_search {
	bool global_counts;
	int64_t global_until_ns; /* unpinned timers due by then count in any case */
	int64_t best_ns;
	struct timer_name best;
};

static void consider_wheel(void *arg, const struct timer_entry *entry)
{
	struct wheel_search *search = arg;
	bool counts = (entry->flags & TIMER_FLAG_PINNED) || search->global_counts ||
		      entry->expires_ns <= search->global_until_ns;

	if (!counts || entry->expires_ns >= search->best_ns)
		return;
	search->best_ns = entry->expires_ns;
	search->best = (struct timer_name){entry->address, entry->function};
}

static bool others_idle(const struct timeline *timeline, uint32_t cpu)
{
	for (uint32_t other = 0; other < timeline->options.cpus; other++) {
		if (other != cpu && !timeline->lanes[other].tick.stopped)
			return false;
	}
	return true;
}

/* Before 6.9 all timers of a CPU are its own: the soonest is it. */
static int64_t next_of_own(struct timeline *timeline, struct lane *lane)
{
	const struct timer_entry *next = timers_next(timeline->wheel, lane->cpu);

	lane->next_wheel =
		next ? (struct timer_name){next->address, next->function} : (struct timer_name){0};
	return next ? next->expires_ns : TIME_NONE;
}

static int64_t next_wheel_mono(struct timeline *timeline, struct lane *lane, uint64_t now_ns)
{
	const struct clocks *clocks = timeline->options.clocks;
	int64_t base_ns = clocks_tick_base(clocks, (int64_t)now_ns), offset_ns;
	struct wheel_search search = {.best_ns = TIME_NONE};

	if (base_ns == TIME_NONE || !clocks_mono_offset(clocks, now_ns, &offset_ns))
		return TIME_NONE;
	if (!pending_shares_wheel(timeline))
		return next_of_own(timeline, lane);
	search.global_until_ns = base_ns + offset_ns + clocks->tick_ns;
	timers_walk(timeline->wheel, lane->cpu, consider_wheel, &search);
	if (others_idle(timeline, lane->cpu)) {
		search.global_counts = true;
		for (uint32_t cpu = 0; cpu < timeline->options.cpus; cpu++)
			timers_walk(timeline->wheel, cpu, consider_wheel, &search);
	}
	lane->next_wheel = search.best;
	return search.best_ns;
}

int64_t pending_stale_ns(struct timeline *timeline, struct lane *lane, uint64_t now_ns)
{
	int64_t stale_ns = clocks_to_trace(timeline->options.clocks, lane->stale_ns, now_ns);

	/* Its interrupt left no event, but must have come. */
	if (stale_ns != TIME_NONE && stale_ns < (int64_t)now_ns - STALE_LATE_NS)
		lane->stale_ns = stale_ns = TIME_NONE;
	return stale_ns;
}

int64_t pending_wheel_ns(struct timeline *timeline, struct lane *lane, uint64_t now_ns)
{
	int64_t offset_ns;

	/* Timers are served within a tick or two of their bucket; what is older was lost from sight. */
	if (clocks_mono_offset(timeline->options.clocks, now_ns, &offset_ns))
		(void)timers_drop_before(timeline->wheel, lane->cpu,
					 (int64_t)now_ns + offset_ns - 1000000000LL);
	return clocks_to_trace(timeline->options.clocks, next_wheel_mono(timeline, lane, now_ns),
			       now_ns);
}
