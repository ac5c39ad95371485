// SPDX-License-Identifier: GPL-2.0-only
#include "model/pairs.h"

bool pairing_finish(struct pairing *pairing, struct pair *ret_pair)
{
	bool ended = pairing->ended;

	if (ended)
		*ret_pair = pairing->pair;
	pairing->ended = pairing->asleep = false;
	return ended;
}

bool pairing_feed(struct pairing *pairing, const struct event *event, struct pair *ret_pair)
{
	bool complete;

	if (event->type == EV_CPU_IDLE_MISS) {
		pairing->pair.kernel_miss = event->u.miss.below ? MISS_BELOW : MISS_ABOVE;
		return false;
	}
	if (event->type == EV_CPU_IDLE && event->u.idle.state == EVENT_STATE_EXIT) {
		if (pairing->asleep)
			pairing->pair.exit_ns = event->time_ns;
		pairing->ended |= pairing->asleep;
		pairing->asleep = false;
		return false;
	}
	complete = pairing_finish(pairing, ret_pair);
	if (event->type == EV_LOST)
		return complete;
	pairing->asleep = true;
	pairing->pair = (struct pair){
		.state = period_state(event->u.idle.state),
		.enter_ns = event->time_ns,
	};
	return complete;
}
