// SPDX-License-Identifier: GPL-2.0-only
/* Hrtimers that lie on another CPU than the one that started them. */
#include "model/moved.h"

#include <errno.h>
#include <stdlib.h>

#define STARTED 4096 /* direct-mapped by address: a collision costs one timer its place */
#define MOVED_MAX 100000

#define MODE_PINNED 2u /* hrtimer_start's mode: to stay where it was started */

int moved_init(struct moved *moved)
{
	moved->started = calloc(STARTED, sizeof(*moved->started));
	return moved->started ? 0 : -ENOMEM;
}

void moved_free(struct moved *moved)
{
	free(moved->started);
	moved->started = NULL;
	array_free(&moved->timers);
}

/* Addresses are aligned and close together: multiply to spread them over the table. */
static struct moved_timer *start_of(struct moved *moved, uint64_t address)
{
	return &moved->started[address * 0x9e3779b97f4a7c15ULL >> 52];
}

/* Only an idle CPU gives its timers away. */
static bool may_move(const struct event *event)
{
	return !event->pid && !(event->u.hrtimer.mode & MODE_PINNED);
}

static int note_expiry(struct moved *moved, const struct event *event)
{
	struct moved_timer *start = start_of(moved, event->u.hrtimer.timer);
	struct moved_timer *timer;

	if (start->address != event->u.hrtimer.timer || start->cpu == event->cpu ||
	    moved->timers.len >= MOVED_MAX)
		return 0;
	timer = array_add(&moved->timers);
	if (!timer)
		return -ENOMEM;
	*timer = *start;
	timer->cpu = event->cpu;
	start->address = 0;
	return 0;
}

int moved_feed(struct moved *moved, const struct event *event)
{
	struct moved_timer *start;

	if (event->type == EV_HRTIMER_EXPIRE_ENTRY && !event->u.hrtimer.tick)
		return note_expiry(moved, event);
	if (event->type != EV_HRTIMER_START || event->u.hrtimer.tick)
		return 0;
	start = start_of(moved, event->u.hrtimer.timer);
	*start = (struct moved_timer){0};
	if (may_move(event))
		*start = (struct moved_timer){event->u.hrtimer.timer, event->time_ns, event->cpu};
	return 0;
}

static int by_start(const void *a, const void *b)
{
	const struct moved_timer *x = a, *y = b;

	return x->started_ns < y->started_ns ? -1 : x->started_ns > y->started_ns;
}

void moved_finish(struct moved *moved)
{
	free(moved->started);
	moved->started = NULL;
	if (moved->timers.len > 1)
		qsort(moved->timers.ptr, moved->timers.len, sizeof(*moved->timers.ptr), by_start);
}

uint32_t moved_cpu(const struct moved *moved, const struct event *event)
{
	const struct moved_timer *timers = moved->timers.ptr;
	size_t lo = 0, hi = moved->timers.len;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (timers[mid].started_ns < event->time_ns)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (; lo < moved->timers.len && timers[lo].started_ns == event->time_ns; lo++) {
		if (timers[lo].address == event->u.hrtimer.timer)
			return timers[lo].cpu;
	}
	return event->cpu;
}
