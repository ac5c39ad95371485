// SPDX-License-Identifier: GPL-2.0-only
/* Timers that were pending before the trace began. */
#include "model/prelude.h"

#include <errno.h>
#include <stdlib.h>

#include "model/wheel.h"

/* Long enough for nearly every timer of a machine to be re-armed once; bounds the memory for addresses. */
#define SEARCH_NS 120000000000ULL
#define STARTED_MAX 200000
#define FOUND_MAX 20000

int prelude_init(struct prelude *prelude, uint32_t cpus)
{
	prelude->started = timers_new(1);
	prelude->buckets = timers_new(1);
	if (!prelude->started || !prelude->buckets)
		return -ENOMEM;
	return tick_stops_init(&prelude->stops, cpus);
}

static void prelude_stop(struct prelude *prelude)
{
	timers_free(prelude->started);
	prelude->started = NULL;
}

void prelude_free(struct prelude *prelude)
{
	prelude_stop(prelude);
	timers_free(prelude->buckets);
	prelude->buckets = NULL;
	tick_stops_free(&prelude->stops);
	array_free(&prelude->timers);
}

/* @found: 1 + index of what was found out about it, 0 nothing */
static int note_start(struct prelude *prelude, uint64_t address, size_t found)
{
	struct timer_entry entry = {.address = address, .flags = (uint32_t)found};

	if (timers_find(prelude->started, address))
		return 0;
	return timers_start(prelude->started, &entry);
}

/* A timer that counts waits for @jiffy since @since_ns, 0: since before the trace. */
static int note_bucket(struct prelude *prelude, uint64_t jiffy, uint64_t since_ns)
{
	struct timer_entry entry = {.address = jiffy, .started_ns = since_ns};
	const struct timer_entry *known = timers_find(prelude->buckets, jiffy);

	if (known && known->started_ns <= since_ns)
		return 0;
	return timers_start(prelude->buckets, &entry);
}

/* When a timer that was found is started again, its flags tell whether it counts at all. */
static int note_wheel_start(struct prelude *prelude, const struct event *event)
{
	const struct timer_entry *entry = timers_find(prelude->started, event->u.timer.timer);
	struct prelude_timer *timer;

	if (!entry)
		return note_start(prelude, event->u.timer.timer, 0);
	if (!entry->flags)
		return 0;
	timer = &prelude->timers.ptr[entry->flags - 1];
	if (!timer->flags_known)
		timer->flags = event->u.timer.flags;
	timer->flags_known = true;
	return 0;
}

/* A bucket this many jiffies late has waited for the CPU to wake for something else: deferrable timers do, and do not count. */
#define LATE_MAX 2

/* A bucket may expire late; on older kernels only that shows. */
static uint64_t bucket_of(const struct event *event)
{
	return event->u.timer.bucket ? event->u.timer.bucket : event->u.timer.now;
}

static int note_expiry(struct prelude *prelude, const struct event *event, bool wheel)
{
	uint64_t address = wheel ? event->u.timer.timer : event->u.hrtimer.timer;
	struct prelude_timer *timer;

	if (timers_find(prelude->started, address))
		return 0;
	if (wheel && event->u.timer.now > bucket_of(event) + LATE_MAX)
		return note_start(prelude, address, 0);
	timer = array_add(&prelude->timers);
	if (!timer)
		return -ENOMEM;
	*timer = (struct prelude_timer){
		.address = address,
		.cpu = event->cpu,
		.wheel = wheel,
		.when = wheel ? (int64_t)bucket_of(event) : event->u.hrtimer.expires_ns,
		.programmed_ns = tick_stops_latest(&prelude->stops, event->cpu),
		.seen_ns = event->time_ns,
	};
	if (wheel && note_bucket(prelude, bucket_of(event), 0) < 0)
		return -ENOMEM;
	return note_start(prelude, address, prelude->timers.len);
}

int prelude_feed(struct prelude *prelude, const struct event *event)
{
	if (!prelude->started)
		return 0;
	if (!prelude->begin_ns)
		prelude->begin_ns = event->time_ns;
	if (event->time_ns - prelude->begin_ns > SEARCH_NS ||
	    timers_count(prelude->started) > STARTED_MAX || prelude->timers.len > FOUND_MAX) {
		prelude_stop(prelude);
		return 0;
	}
	switch (event->type) {
	/* Cancels tell nothing: an expiring timer is cancelled first, and a cancelled one does not expire unstarted. */
	case EV_TICK_STOP:
		return tick_stops_feed(&prelude->stops, event);
	case EV_HRTIMER_START:
		if (tick_stops_feed(&prelude->stops, event) < 0)
			return -ENOMEM;
		return note_start(prelude, event->u.hrtimer.timer, 0);
	case EV_TIMER_START:
		if (!(event->u.timer.flags & TIMER_FLAG_DEFERRABLE) &&
		    note_bucket(prelude, wheel_bucket(event), event->time_ns) < 0)
			return -ENOMEM;
		return note_wheel_start(prelude, event);
	case EV_HRTIMER_EXPIRE_ENTRY:
		return event->u.hrtimer.tick ? 0 : note_expiry(prelude, event, false);
	case EV_TIMER_EXPIRE_ENTRY:
		return note_expiry(prelude, event, true);
	default:
		return 0;
	}
}

/* Expiries of the wheel lie on the grid of the tick, give or take this part of one. */
#define GRID_PART 8

/* A jiffy's timer that the tick of a CPU was programmed for, and that no event tells of. */
static bool is_unseen(const struct prelude *prelude, const struct clocks *clocks,
		      const struct tick_stop *stop)
{
	uint64_t jiffy = clocks_mono_to_jiffy(clocks, stop->expires_ns);
	const struct timer_entry *started = timers_find(prelude->buckets, jiffy);

	if (!stop->stayed || !jiffy ||
	    llabs(clocks_jiffy_to_mono(clocks, jiffy) - stop->expires_ns) >
		    clocks->tick_ns / GRID_PART)
		return false;
	return !started || started->started_ns >= stop->first_ns;
}

size_t prelude_unseen(const struct prelude *prelude, const struct clocks *clocks)
{
	size_t count = 0;

	for (size_t i = 0; i < prelude->stops.seen.len; i++)
		count += is_unseen(prelude, clocks, &prelude->stops.seen.ptr[i]);
	return count;
}

static int seed_unseen(const struct prelude *prelude, const struct clocks *clocks,
		       struct timers *wheel)
{
	for (size_t i = 0; i < prelude->stops.seen.len; i++) {
		const struct tick_stop *stop = &prelude->stops.seen.ptr[i];
		struct timer_entry entry = {
			.address = timer_unseen(i),
			.cpu = stop->cpu,
			.flags = TIMER_FLAG_PINNED,
			.expires_ns = stop->expires_ns,
		};

		if (is_unseen(prelude, clocks, stop) && timers_start(wheel, &entry) < 0)
			return -ENOMEM;
	}
	return 0;
}

/* Does it count? The tick of its CPU was never programmed for anything later while a timer that counts was pending. */
static bool counts(const struct prelude_timer *timer, int64_t expires_ns, int64_t tick_ns,
		   bool shared_wheel)
{
	if (!timer->wheel)
		return true;
	if (timer->flags & TIMER_FLAG_DEFERRABLE)
		return false;
	return shared_wheel || timer->programmed_ns <= expires_ns + tick_ns / 2;
}

int prelude_seed(const struct prelude *prelude, const struct clocks *clocks, bool shared_wheel,
		 struct timers *hrtimers, struct timers *wheel)
{
	for (size_t i = 0; i < prelude->timers.len; i++) {
		const struct prelude_timer *timer = &prelude->timers.ptr[i];
		struct timer_entry entry = {
			.address = timer->address,
			.cpu = timer->cpu,
			.flags = timer->flags,
		};
		int ret;

		entry.expires_ns = timer->wheel
					   ? clocks_jiffy_to_mono(clocks, (uint64_t)timer->when)
					   : clocks_to_mono(clocks, timer->when, timer->seen_ns);
		if (entry.expires_ns == TIME_NONE ||
		    !counts(timer, entry.expires_ns, clocks->tick_ns, shared_wheel))
			continue;
		ret = timers_start(timer->wheel ? wheel : hrtimers, &entry);
		if (ret < 0)
			return ret;
	}
	return seed_unseen(prelude, clocks, wheel);
}
