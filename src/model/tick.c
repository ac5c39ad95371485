// SPDX-License-Identifier: GPL-2.0-only
/*
 * The scheduler tick of one CPU. Its timer re-arms itself after each expiry; a decision may stop it (tick_stop, then a
 * start at a far expiry or a cancel); leaving the idle loop restarts it. What a decision saw is the state before it
 * touched the tick, so changes made between two periods are held back until the period begins.
 */
#include "model/lane.h"

bool tick_owns(const struct lane *lane, const struct event *event)
{
	if (event->u.hrtimer.tick)
		return true;
	if (lane->tick.timer)
		return lane->tick.timer == event->u.hrtimer.timer;
	/* Without symbols: what is started right after the tick stopped is the tick. */
	return event->type == EV_HRTIMER_START && lane->tick.stopping;
}

void tick_start(struct timeline *timeline, struct lane *lane, const struct event *event)
{
	/* It was taken for another timer before it was known to be the tick. */
	if (lane->tick.timer != event->u.hrtimer.timer)
		(void)timers_stop(timeline->hrtimers, event->u.hrtimer.timer);
	/* A stopped tick is touched by the next decision, or on the way out: past the point where the governor was told. */
	lane->reflected |= lane->tick.stopped && !lane->tick.expiring && lane->phase == LANE_AWAKE;
	if (lane->tick.stopping)
		pending_programmed(timeline, lane, event->u.hrtimer.expires_ns);
	lane->tick.timer = event->u.hrtimer.timer;
	lane->tick.armed_ns = event->u.hrtimer.expires_ns;
	/* Re-armed by its own handler, or by a task's or an interrupt's doing: there before the next decision. */
	if (lane->tick.expiring || lane->phase != LANE_AWAKE || !lane->tick.stopped)
		lane->tick.before_ns = lane->tick.armed_ns;
	lane->tick.expiring = false;
}

/* Out of idle a stopped tick is started for the next of its times; while it stays stopped, for a timer's. */
bool tick_restarts(const struct timeline *timeline, const struct lane *lane,
		   const struct event *event)
{
	int64_t due_ns = clocks_to_trace(timeline->options.clocks, event->u.hrtimer.expires_ns,
					 event->time_ns);

	return lane->phase == LANE_AWAKE && lane->tick.stopped && !lane->tick.stopping &&
	       !lane->tick.expiring &&
	       due_ns - (int64_t)event->time_ns <= timeline->options.clocks->tick_ns;
}

void tick_cancel(struct lane *lane)
{
	lane->tick.armed_ns = TIME_NONE;
	if (lane->phase != LANE_AWAKE || !lane->tick.stopped)
		lane->tick.before_ns = TIME_NONE;
}

void tick_expire(struct lane *lane)
{
	lane->tick.armed_ns = TIME_NONE;
	lane->tick.before_ns = TIME_NONE;
	/* A stopped tick that fires after all does not re-arm itself. */
	lane->tick.expiring = !lane->tick.stopped;
}

void tick_stop(struct lane *lane, const struct event *event)
{
	if (!event->u.tick_stop.success)
		return;
	lane->tick.stopped = true;
	lane->tick.stopping = true;
}

/* A period begins: the decision is taken, what it did to the tick counts for the next one. */
void tick_decided(struct lane *lane)
{
	lane->tick.before_ns = lane->tick.armed_ns;
	lane->tick.stopped_before = lane->tick.stopped;
	lane->tick.stopping = false;
	lane->tick.expiring = false;
}

/* The idle loop is left: the tick runs again. */
void tick_leave(struct lane *lane)
{
	lane->tick.stopped = false;
	tick_decided(lane);
}
