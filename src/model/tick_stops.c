// SPDX-License-Identifier: GPL-2.0-only
/* What stopped ticks were programmed for. */
#include "model/tick_stops.h"

#include <errno.h>
#include <stdlib.h>

#include "model/timers.h"

/* No tick is longer: what is the same after this time has not moved with it. */
#define TICK_MAX_NS 10000000

/* Bounds the memory: limits that move with the tick are as many as ticks. */
#define SEEN_MAX 20000

int tick_stops_init(struct tick_stops *stops, uint32_t cpus)
{
	stops->cpus = cpus;
	stops->lanes = calloc(cpus ? cpus : 1, sizeof(*stops->lanes));
	stops->known = timers_new(1);
	return stops->lanes && stops->known ? 0 : -ENOMEM;
}

void tick_stops_free(struct tick_stops *stops)
{
	free(stops->lanes);
	stops->lanes = NULL;
	timers_free(stops->known);
	stops->known = NULL;
	array_free(&stops->seen);
}

static int note(struct tick_stops *stops, uint32_t cpu, int64_t expires_ns, uint64_t time_ns)
{
	struct timer_entry entry = {
		.address = (uint64_t)expires_ns * stops->cpus + cpu,
		.flags = (uint32_t)stops->seen.len,
	};
	const struct timer_entry *known = timers_find(stops->known, entry.address);
	struct tick_stop *stop;

	if (known) {
		stop = &stops->seen.ptr[known->flags];
		stop->last_ns = time_ns;
		stop->stayed |= time_ns - stop->first_ns > TICK_MAX_NS;
		return 0;
	}
	if (stops->seen.len >= SEEN_MAX)
		return 0;
	stop = array_add(&stops->seen);
	if (!stop)
		return -ENOMEM;
	*stop = (struct tick_stop){
		.cpu = cpu, .expires_ns = expires_ns, .first_ns = time_ns, .last_ns = time_ns};
	return timers_start(stops->known, &entry);
}

int tick_stops_feed(struct tick_stops *stops, const struct event *event)
{
	struct tick_stops_lane *lane;

	if (event->cpu >= stops->cpus)
		return 0;
	lane = &stops->lanes[event->cpu];
	if (event->type == EV_TICK_STOP)
		lane->stopping = event->u.tick_stop.success;
	if (event->type != EV_HRTIMER_START || !lane->stopping)
		return 0;
	/* With symbols or without: what is started right after the tick stopped is the tick. */
	lane->stopping = false;
	if (event->u.hrtimer.expires_ns > lane->latest_ns)
		lane->latest_ns = event->u.hrtimer.expires_ns;
	return note(stops, event->cpu, event->u.hrtimer.expires_ns, event->time_ns);
}

int64_t tick_stops_latest(const struct tick_stops *stops, uint32_t cpu)
{
	return cpu < stops->cpus ? stops->lanes[cpu].latest_ns : 0;
}
