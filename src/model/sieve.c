// SPDX-License-Identifier: GPL-2.0-only
#include "model/sieve.h"

#include "model/lane.h"

/* On the way out of a task and into another: only who sleeps uninterruptibly is of interest. */
static bool switch_matters(struct sieve *sieve, const struct event *event)
{
	bool idle = !event->u.sw.prev_pid || !event->u.sw.next_pid;

	sieve->busy = event->u.sw.next_pid != 0;
	return idle || iowait_is_sleep(event);
}

static bool matters(struct sieve *sieve, const struct event *event)
{
	switch (event->type) {
	case EV_SCHED_SWITCH:
		return switch_matters(sieve, event);
	case EV_CPU_IDLE:
	case EV_LOST:
		sieve->busy = false; /* until a sched_switch says otherwise */
		return true;
	case EV_VEC_TIMER_ENTRY: /* the clock device has fired, whoever runs */
		return true;
	case EV_HRTIMER_EXPIRE_EXIT:
	case EV_TIMER_EXPIRE_EXIT:
	case EV_IRQ_ENTRY ... EV_VEC_TIMER_ENTRY - 1:
	case EV_VEC_TIMER_ENTRY + 1 ... EV_IPI_EXIT:
		return !sieve->busy;
	default:
		return true;
	}
}

unsigned sieve_run(struct sieve *sieve, struct event *events, unsigned count)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < count; i++) {
		if (!matters(sieve, &events[i]))
			continue;
		if (kept != i)
			events[kept] = events[i];
		kept++;
	}
	return kept;
}
