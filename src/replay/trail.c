// SPDX-License-Identifier: GPL-2.0-only
#include "replay/trail.h"

void trail_add(struct trail *trail, struct period *period, const struct sight *sight)
{
	trail->marks[trail->end].period = period;
	trail->marks[trail->end].hrtimer_ns = sight->hrtimer_ns;
	trail->marks[trail->end].tick_kept = sight->tick_kept;
	trail->marks[trail->end].tick_stopped = sight->tick_stopped;
	trail->end = (trail->end + 1) % TRAIL_LENGTH;
	trail->length += trail->length < TRAIL_LENGTH;
}

void trail_mark(const struct trail *trail)
{
	for (unsigned i = 0; i < trail->length; i++) {
		struct period *period = trail->marks[i].period;

		period->next_hrtimer_ns = trail->marks[i].hrtimer_ns;
		period->tick_kept = trail->marks[i].tick_kept;
		period->tick_stopped = trail->marks[i].tick_stopped;
	}
}

/* From the beginning again, as the marks there are lie at the beginning. */
void trail_clear(struct trail *trail)
{
	trail->end = trail->length = 0;
}
