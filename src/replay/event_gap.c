// SPDX-License-Identifier: GPL-2.0-only
#include "replay/event_gap.h"

#define SAMPLES_MIN 200

#define COST_MAX_NS 100000 /* what is further apart than this is not one event's cost */

/* The very closest are freaks of a clock; one in a hundred follows with next to nothing in between. */
#define CLOSEST_PER_MYRIAD 100

void event_gap_deinit(struct event_gap *gap)
{
	hist_deinit(&gap->distance_ns);
	*gap = (struct event_gap){0};
}

int event_gap_add(struct event_gap *gap, const struct event *event)
{
	uint64_t before_ns = gap->last_ns;
	bool follows = gap->follows && event->time_ns >= before_ns;

	gap->last_ns = event->time_ns;
	gap->follows = event->type != EV_LOST;
	return follows && gap->follows ? hist_add(&gap->distance_ns, event->time_ns - before_ns)
				       : 0;
}

int event_gap_merge(struct event_gap *gap, const struct event_gap *from)
{
	return hist_merge(&gap->distance_ns, &from->distance_ns);
}

int64_t event_gap_cost_ns(const struct event_gap *gap)
{
	uint64_t closest_ns = hist_quantile(&gap->distance_ns, CLOSEST_PER_MYRIAD);

	if (gap->distance_ns.count < SAMPLES_MIN || closest_ns > COST_MAX_NS)
		return 0;
	return (int64_t)(closest_ns - closest_ns / HIST_ROW); /* which it may be too large by */
}
