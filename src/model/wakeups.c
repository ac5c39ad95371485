// SPDX-License-Identifier: GPL-2.0-only
/*
 * What happens to an idle CPU, whoever governs it: tasks woken for it, its timers, its interrupts. Each becomes a
 * happening of the current stretch; the tick does not, for it is the governor's own doing.
 *
 * A waking on another CPU comes before the interrupt that carries it, so an interrupt is only a happening of its own
 * when no such waking waits to be served. An interrupt in which a timer expires is the timer's.
 */
#include "model/lane.h"

#include <errno.h>

/* Events further apart than this do not belong to one interrupt. */
#define BURST_NS 100000

static uint32_t current_period(const struct lane *lane)
{
	if (lane->phase == LANE_ASLEEP || lane->closing)
		return (uint32_t)lane->stretch.periods.len - 1;
	return NO_PERIOD;
}

static struct happening *happening_add(struct lane *lane, enum cpir_wake kind, uint64_t time_ns)
{
	struct happening *happening = array_add(&lane->stretch.happenings);

	if (!happening)
		return NULL;
	happening->due_ns = time_ns;
	happening->handled_ns = time_ns;
	happening->period = current_period(lane);
	happening->kind = kind;
	return happening;
}

/* The happening in whose handling we are, NULL none. */
static struct happening *happening_current(struct lane *lane, uint64_t time_ns)
{
	struct happening *last;

	if (!lane->stretch.happenings.len)
		return NULL;
	last = &lane->stretch.happenings.ptr[lane->stretch.happenings.len - 1];
	if (last->period != current_period(lane) || time_ns - last->handled_ns > BURST_NS)
		return NULL;
	return last;
}

/* An interrupt stayed unexplained: it was a device's or another CPU's. */
static int flush_irq(struct lane *lane)
{
	struct happening *happening;

	if (!lane->irq_ns)
		return 0;
	happening = happening_add(lane, CPIR_WAKE_IRQ, lane->irq_ns);
	lane->irq_ns = 0;
	if (!happening)
		return -ENOMEM;
	happening->due_known = lane->phase == LANE_ASLEEP;
	return 0;
}

static int irq_entry(struct lane *lane, const struct event *event)
{
	int ret = flush_irq(lane);

	if (lane->waking_ns && event->type != EV_VEC_TIMER_ENTRY)
		return ret;
	lane->irq_ns = event->time_ns;
	return ret;
}

static int timer_fired(struct timeline *timeline, struct lane *lane, const struct event *event,
		       int64_t expires_mono_ns)
{
	struct happening *happening;
	int64_t due_ns;

	happening = happening_add(lane, CPIR_WAKE_TIMER, event->time_ns);
	if (!happening)
		return -ENOMEM;
	due_ns = clocks_to_trace(timeline->options.clocks, expires_mono_ns, event->time_ns);
	if (due_ns == TIME_NONE || due_ns > (int64_t)event->time_ns)
		return 0;
	happening->due_ns = (uint64_t)due_ns;
	happening->due_known = true;
	return 0;
}

/* What was armed before events were lost may have been armed anew among them. Returns: CLOCK_MONOTONIC, TIME_NONE */
static int64_t armed_for(const struct timeline *timeline, const struct timer_entry *entry)
{
	return entry->started_ns < timeline->lost_ns ? TIME_NONE : entry->expires_ns;
}

static int hrtimer_fired(struct timeline *timeline, struct lane *lane, const struct event *event)
{
	const struct timer_entry *entry;
	int64_t expires_ns = TIME_NONE;

	lane->irq_ns = 0; /* it was the timer's */
	if (tick_owns(lane, event))
		return 0;
	entry = timers_find(timeline->hrtimers, event->u.hrtimer.timer);
	if (entry)
		expires_ns = armed_for(timeline, entry);
	if (expires_ns == TIME_NONE)
		expires_ns = clocks_to_mono(timeline->options.clocks, event->u.hrtimer.expires_ns,
					    event->time_ns);
	return timer_fired(timeline, lane, event, expires_ns);
}

/* Several wheel timers of one bucket are one happening. */
static int wheel_fired(struct timeline *timeline, struct lane *lane, const struct event *event)
{
	const struct timer_entry *entry = timers_find(timeline->wheel, event->u.timer.timer);
	const struct happening *current = happening_current(lane, event->time_ns);

	if (!entry || (current && current->kind == CPIR_WAKE_TIMER))
		return 0;
	return timer_fired(timeline, lane, event, armed_for(timeline, entry));
}

/* Anything that happens on the idle CPU itself, before the timers forget what expired. */
int wakeups_feed(struct timeline *timeline, struct lane *lane, const struct event *event)
{
	if (lane->phase == LANE_BUSY)
		return 0;
	switch (event->type) {
	case EV_IRQ_ENTRY:
	case EV_IPI_ENTRY:
	case EV_VEC_TIMER_ENTRY:
	case EV_VEC_RESCHED_ENTRY:
	case EV_VEC_CALL_ENTRY:
	case EV_VEC_CALL1_ENTRY:
	case EV_VEC_WORK_ENTRY:
		return irq_entry(lane, event);
	case EV_HRTIMER_EXPIRE_ENTRY:
		return hrtimer_fired(timeline, lane, event);
	case EV_TIMER_EXPIRE_ENTRY:
		return wheel_fired(timeline, lane, event);
	default:
		return 0;
	}
}

static int task_woken(struct lane *lane, const struct event *event, const struct waking *waking)
{
	bool remote = waking->cpu != lane->cpu;
	struct happening *happening = NULL;

	if (!remote)
		happening = happening_current(lane, event->time_ns);
	if (!happening)
		happening =
			happening_add(lane, remote ? CPIR_WAKE_TASK_REMOTE : CPIR_WAKE_TASK_LOCAL,
				      event->time_ns);
	if (!happening)
		return -ENOMEM;
	happening->wakes_task = true;
	lane->soft_woken = !remote && (event->flags & EVENT_FLAG_SOFTIRQ) &&
			   !(event->flags & EVENT_FLAG_HARDIRQ);
	if (remote) {
		happening->due_ns = happening->handled_ns = waking->time_ns;
		happening->due_known = true;
		lane->irq_ns = 0;
	} else if (lane->irq_ns) {
		happening->due_ns = happening->handled_ns = lane->irq_ns;
		happening->due_known = lane->phase == LANE_ASLEEP;
		lane->irq_ns = 0;
	}
	lane->waking_ns = 0;
	return 0;
}

static int woken_on(struct timeline *timeline, const struct event *event,
		    const struct waking *waking)
{
	struct lane *lane;

	if (event->u.wake.target_cpu >= timeline->options.cpus)
		return 0;
	lane = &timeline->lanes[event->u.wake.target_cpu];
	return lane->phase == LANE_BUSY ? 0 : task_woken(lane, event, waking);
}

/* sched_waking names the CPU the task was on, sched_wakeup the one it will run on; the first has the better time. */
int wakeups_task(struct timeline *timeline, const struct event *event)
{
	struct waking *waking = &timeline->wakings[(uint32_t)event->u.wake.pid % WAKINGS];
	struct waking seen = {event->u.wake.pid, event->cpu, event->time_ns};

	iowait_woken(timeline, event->u.wake.pid);

	if (event->type == EV_SCHED_WAKING) {
		*waking = seen;
		if (!timeline->options.known.wakeups)
			return woken_on(timeline, event, &seen);
		if (event->u.wake.target_cpu < timeline->options.cpus &&
		    event->u.wake.target_cpu != event->cpu)
			timeline->lanes[event->u.wake.target_cpu].waking_ns = event->time_ns;
		return 0;
	}
	if (waking->pid == seen.pid && waking->time_ns && waking->time_ns >= timeline->lost_ns)
		seen = *waking;
	waking->time_ns = 0;
	return woken_on(timeline, event, &seen);
}

/*
 * What ended a period was due by its end, though it is handled only after it. A task woken in the tick's own handler was
 * due with the tick.
 */
static void date_happenings(struct lane *lane, uint32_t index)
{
	const struct period *period = &lane->stretch.periods.ptr[index];

	for (size_t i = lane->stretch.happenings.len; i-- > 0;) {
		struct happening *happening = &lane->stretch.happenings.ptr[i];

		if (happening->period != index)
			break;
		if (happening->due_known || happening->due_ns <= period->exit_ns)
			continue;
		happening->due_ns = period->exit_ns;
		if (happening->kind == CPIR_WAKE_TASK_LOCAL && period->got_tick &&
		    period->tick_ns != TIME_NONE && period->tick_ns < (int64_t)period->exit_ns &&
		    period->tick_ns > (int64_t)period->enter_ns)
			happening->due_ns = (uint64_t)period->tick_ns;
	}
}

static enum cpir_wake strongest(const struct lane *lane, uint32_t index)
{
	const struct stretch *stretch = &lane->stretch;
	enum cpir_wake best = CPIR_WAKE_UNKNOWN;

	for (size_t i = stretch->happenings.len; i-- > 0;) {
		const struct happening *happening = &stretch->happenings.ptr[i];

		if (happening->period != index)
			break;
		if (happening->kind < best)
			best = happening->kind;
	}
	return best;
}

/* The last period is over and all it caused has been handled: say what ended it. */
int wakeups_close(const struct timeline *timeline, struct lane *lane, bool polling)
{
	uint32_t index = (uint32_t)lane->stretch.periods.len - 1;
	struct period *period = &lane->stretch.periods.ptr[index];

	(void)flush_irq(lane);
	lane->waking_ns = 0;
	date_happenings(lane, index);
	period->wake = (uint8_t)strongest(lane, index);
	if (polling && period->poll_timeout)
		period->wake = CPIR_WAKE_POLL_LIMIT;
	else if (period->wake == CPIR_WAKE_UNKNOWN && period->got_tick)
		period->wake = CPIR_WAKE_TICK;
	if (!timeline->options.known.hrtimers)
		return unseen_close(timeline, lane, polling);
	/* Whatever it was, it would have come in any state. */
	if (period->wake == CPIR_WAKE_UNKNOWN && period->state >= 0 && !period->cut)
		return wakeups_stand_in(lane, false);
	return 0;
}

static int by_due(const void *a, const void *b)
{
	const struct happening *x = a, *y = b;

	return x->due_ns < y->due_ns ? -1 : x->due_ns > y->due_ns;
}

/* Those of one period by when they were due. One that came periods later was not served before: its interrupt was late. */
static void sort_happenings(struct stretch *stretch)
{
	struct happening *happenings = stretch->happenings.ptr;

	for (size_t begin = 0, end; begin < stretch->happenings.len; begin = end) {
		end = begin + 1;
		while (end < stretch->happenings.len &&
		       happenings[end].period == happenings[begin].period)
			end++;
		if (end - begin > 1)
			qsort(happenings + begin, end - begin, sizeof(*happenings), by_due);
	}
}

bool wakeups_are_seen(const struct timeline *timeline)
{
	const struct timeline_known *known = &timeline->options.known;

	return known->sched_switch || known->wakings || known->wakeups;
}

int wakeups_stand_in(struct lane *lane, bool wakes_task)
{
	struct stretch *stretch = &lane->stretch;
	uint32_t index = (uint32_t)stretch->periods.len - 1;
	const struct period *last = &stretch->periods.ptr[index];
	struct happening *happening = array_add(&stretch->happenings);

	if (!happening)
		return -ENOMEM;
	happening->due_ns = happening->handled_ns = last->exit_ns;
	happening->kind = CPIR_WAKE_UNKNOWN;
	happening->period = last->state == NO_STATE ? NO_PERIOD : index;
	happening->wakes_task = wakes_task;
	return 0;
}

bool period_ended_by_tick(const struct period *period, int64_t before_ns)
{
	return !period->tick_stopped && !period->stopped_tick && period->tick_ns != TIME_NONE &&
	       period->tick_ns > (int64_t)period->enter_ns &&
	       period->tick_ns <= (int64_t)period->exit_ns && period->tick_ns < before_ns;
}

/* As the what-if runs tell it: what was due first. */
enum cpir_wake stretch_woken_by(const struct stretch *stretch, const struct period *period)
{
	const struct happening *cause = stretch_cause(stretch, period);

	if (cause)
		return cause->kind;
	if (period->wake != CPIR_WAKE_POLL_LIMIT && period_ended_by_tick(period, TIME_NONE))
		return CPIR_WAKE_TICK;
	return period->wake;
}

/* What came in a period and was due first ended it, if not the tick did; polling ends when a task is woken. */
static void find_causes(const struct timeline *timeline, struct lane *lane)
{
	struct stretch *stretch = &lane->stretch;

	for (size_t i = stretch->happenings.len; i-- > 0;) {
		const struct happening *happening = &stretch->happenings.ptr[i];
		struct period *period;

		if (happening->period == NO_PERIOD)
			continue;
		period = &stretch->periods.ptr[happening->period];
		if (!timeline_polls(timeline, lane->cpu, period->state))
			period->cause = period_ended_by_tick(period, (int64_t)happening->due_ns)
						? NO_HAPPENING
						: (uint32_t)i;
		else if (happening->wakes_task)
			period->cause = (uint32_t)i;
	}
}

/* A task followed, so something woke it; if nothing was seen to, the end of the last period stands in. */
int wakeups_end(const struct timeline *timeline, struct lane *lane)
{
	const struct timeline_known *known = &timeline->options.known;
	struct stretch *stretch = &lane->stretch;
	bool woken = false;

	for (size_t i = 0; i < stretch->happenings.len; i++)
		woken |= stretch->happenings.ptr[i].wakes_task;
	if (!woken && stretch->end_known)
		woken = unseen_wakes(stretch, known->wakings || known->wakeups);
	if (!woken && stretch->periods.len && stretch->end_known &&
	    wakeups_stand_in(lane, true) < 0)
		return -ENOMEM;
	sort_happenings(stretch);
	find_causes(timeline, lane);
	return 0;
}
