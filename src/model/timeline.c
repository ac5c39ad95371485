// SPDX-License-Identifier: GPL-2.0-only
/*
 * The idle timeline: each CPU is a lane with three phases (busy, awake in the idle loop, asleep in an idle state) and
 * this file moves lanes between them. What the interrupts in between mean is left to wakeups.c, tick.c and pending.c.
 *
 *   sched_switch to idle      busy -> awake    a stretch begins
 *   cpu_idle S                awake -> asleep  a decision becomes visible: capture what it saw
 *   cpu_idle exit             asleep -> awake  the period is over, but x86 and arm64 handle its interrupt only now,
 *                                              so it is closed by the next cpu_idle or sched_switch
 *   sched_switch from idle    awake -> busy    the stretch is complete and goes to the sink
 */
#include "model/lane.h"

#include <errno.h>

/* Without sched_switch: two periods further apart than this had a task between them. */
#define GAP_WITHOUT_SWITCH_NS 200000

struct timeline *timeline_new(const struct timeline_options *options)
{
	struct timeline *timeline = calloc(1, sizeof(*timeline));

	if (!timeline)
		return NULL;
	timeline->options = *options;
	timeline->lanes = calloc(options->cpus ? options->cpus : 1, sizeof(*timeline->lanes));
	timeline->hrtimers = timers_new(options->cpus);
	timeline->wheel = timers_new(options->cpus);
	if (!timeline->lanes || !timeline->hrtimers || !timeline->wheel ||
	    qos_init(&timeline->qos, options->cpus, options->platform) < 0 ||
	    prelude_seed(options->prelude, options->clocks, pending_shares_wheel(timeline),
			 timeline->hrtimers, timeline->wheel) < 0) {
		timeline_free(timeline);
		return NULL;
	}
	timeline->qos.guess = options->qos_guess;
	for (uint32_t cpu = 0; cpu < options->cpus; cpu++) {
		timeline->lanes[cpu].cpu = cpu;
		timeline->lanes[cpu].stretch.cpu = cpu;
		timeline->lanes[cpu].stale_ns = TIME_NONE;
		timeline->lanes[cpu].tick.armed_ns = TIME_NONE;
		timeline->lanes[cpu].tick.before_ns = TIME_NONE;
	}
	return timeline;
}

void timeline_free(struct timeline *timeline)
{
	if (!timeline)
		return;
	for (uint32_t cpu = 0; timeline->lanes && cpu < timeline->options.cpus; cpu++) {
		array_free(&timeline->lanes[cpu].stretch.periods);
		array_free(&timeline->lanes[cpu].stretch.happenings);
	}
	free(timeline->lanes);
	timers_free(timeline->hrtimers);
	timers_free(timeline->wheel);
	qos_deinit(&timeline->qos);
	free(timeline);
}

struct timeline_known timeline_known_from(const uint64_t counts[EV_COUNT])
{
	return (struct timeline_known){
		.sched_switch = counts[EV_SCHED_SWITCH],
		.wakings = counts[EV_SCHED_WAKING],
		.wakeups = counts[EV_SCHED_WAKEUP],
		.hrtimers = counts[EV_HRTIMER_START] && counts[EV_HRTIMER_EXPIRE_ENTRY],
		.wheel = counts[EV_TIMER_START],
		.tick = counts[EV_TICK_STOP],
		.irq = counts[EV_IRQ_ENTRY] || counts[EV_IPI_ENTRY] || counts[EV_VEC_TIMER_ENTRY],
		.miss = counts[EV_CPU_IDLE_MISS],
		.qos = counts[EV_PM_QOS_TARGET],
	};
}

static struct period *last_period(struct lane *lane)
{
	return lane->stretch.periods.len ? &lane->stretch.periods.ptr[lane->stretch.periods.len - 1]
					 : NULL;
}

static const struct cpir_table *table_of(const struct timeline *timeline, uint32_t cpu)
{
	return timeline->options.platform ? cpir_platform_table(timeline->options.platform, cpu)
					  : NULL;
}

bool timeline_polls(const struct timeline *timeline, uint32_t cpu, int state)
{
	const struct cpir_table *table = table_of(timeline, cpu);

	return table && state >= 0 && (uint32_t)state < table->count &&
	       table->states[state].polling;
}

/* A state that the platform does not have says nothing of what the CPU did: nobody after this need look out for one. */
static void set_state(const struct timeline *timeline, struct period *period, uint32_t cpu,
		      uint32_t state)
{
	const struct cpir_table *table = table_of(timeline, cpu);

	period->foreign = timeline->options.platform && (!table || state >= table->count);
	period->cut = period->foreign;
	period->state = period->foreign ? NO_STATE : period_state(state);
}

static void stretch_begin(struct lane *lane, uint64_t time_ns, bool known)
{
	array_clear(&lane->stretch.periods);
	array_clear(&lane->stretch.happenings);
	lane->stretch.begin_ns = time_ns;
	lane->stretch.begin_known = known;
	lane->stretch.end_ns = 0;
	lane->stretch.first_task_ns = 0;
	lane->stretch.end_known = false;
	lane->stretch.lost = false;
	lane->open = true;
	lane->closing = false;
	lane->phase = LANE_AWAKE;
	lane->entry_ns = time_ns;
	lane->entry_kind = known ? ENTRY_SWITCH : ENTRY_UNKNOWN;
	lane->after_wake = false;
	lane->waking_ns = 0;
	lane->irq_ns = 0;
}

/* Close the period that ended: only now is known whether a task was waiting for it. */
static int period_close(struct timeline *timeline, struct lane *lane, bool task_follows)
{
	struct period *period = last_period(lane);
	bool polling;
	int ret;

	if (!lane->closing || !period)
		return 0;
	polling = timeline_polls(timeline, lane->cpu, period->state);
	period->poll_timeout = polling && !period->resched && !task_follows;
	ret = wakeups_close(timeline, lane, polling);
	lane->closing = false;
	return ret;
}

static int stretch_end(struct timeline *timeline, struct lane *lane, uint64_t time_ns, bool known)
{
	int ret;

	if (!lane->open)
		return 0;
	ret = period_close(timeline, lane, known);
	lane->stretch.end_ns = time_ns;
	lane->stretch.end_known = known;
	lane->open = false;
	if (!ret && (lane->stretch.periods.len || known))
		ret = wakeups_end(timeline, lane);
	if (!timeline->options.known.hrtimers)
		unseen_foresee(&lane->stretch);
	if (!ret && timeline->options.sink)
		ret = timeline->options.sink(timeline->options.arg, &lane->stretch);
	return ret;
}

/* All members are named, and what is not at hand is looked for before: nothing is cleared or copied to be written again. */
static struct period *capture(struct timeline *timeline, struct lane *lane, uint64_t time_ns)
{
	const struct timeline_options *options = &timeline->options;
	const struct clocks *clocks = options->clocks;
	int64_t hrtimer_ns, wheel_ns, stale_ns, grid_ns, tick_ns;
	struct period *period;
	uint32_t disabled_mask;

	hrtimer_ns = pending_hrtimer_ns(timeline, lane, time_ns);
	stale_ns = pending_stale_ns(timeline, lane, time_ns);
	wheel_ns = pending_wheel_ns(timeline, lane, time_ns);
	grid_ns = clocks_tick_base(clocks, (int64_t)time_ns);
	tick_ns = clocks_to_trace(clocks, lane->tick.before_ns, time_ns);
	disabled_mask = options->masks ? masks_at(options->masks, lane->cpu, time_ns) : 0;
	period = array_add_raw(&lane->stretch.periods);
	if (!period)
		return NULL;
	*period = (struct period){
		.enter_ns = time_ns,
		.exit_ns = time_ns,
		.entry_ns = lane->entry_ns,
		.next_hrtimer_ns = hrtimer_ns,
		.grid_ns = grid_ns,
		.stale_ns = stale_ns,
		.near_timer_ns = 0,
		.far_timer_ns = 0,
		.later_ns = 0,
		.next_wheel_ns = wheel_ns,
		.tick_ns = tick_ns,
		.latency_req_ns = qos_latency_ns(&timeline->qos, lane->cpu),
		.hrtimer = lane->next_hrtimer, /* these two of the looks at the timers above */
		.wheel = lane->next_wheel,
		.happenings_before = (uint32_t)lane->stretch.happenings.len,
		.cause = NO_HAPPENING,
		.iowaiters = lane->iowaiters,
		.disabled_mask = disabled_mask,
		.state = NO_STATE,
		.entry_event = lane->entry_event,
		.entry_kind = lane->entry_kind,
		.wake = CPIR_WAKE_UNKNOWN,
		.foreseen = 0,
		.kernel_miss = MISS_NONE,
		.rcu_busy = rcu_keeps_tick(options->rcu, lane->cpu, time_ns, clocks->tick_ns),
		.first = period == lane->stretch.periods.ptr,
		.load_update = false,
		.after_wake = lane->after_wake,
		.tick_stopped = lane->tick.stopped_before,
		.stopped_tick = lane->tick.stopping,
		.got_tick = false,
		.poll_timeout = false,
		.resched = false,
		.tick_kept = false,
		.overdue = false,
		.cut = false,
		.foreign = false,
		.decided = lane->tick.stopping,
	};
	lane->soft_woken = false;
	return period;
}

/* The first decision's way from sched_switch: was the idle entry delayed by a load update? */
static int64_t load_update_ns(struct timeline *timeline, const struct lane *lane,
			      const struct period *period)
{
	const struct clocks *clocks = timeline->options.clocks;
	struct way_idle way = {
		.lasted_ns = (int64_t)(period->enter_ns - period->entry_ns),
		.stops_tick = period->stopped_tick,
		.wakes_up_soon = load_wakes_up_soon(lane->idle_average_ns),
	};

	if (!period->first || period->entry_kind != ENTRY_SWITCH)
		return 0;
	way.last_tick_ns = clocks_tick_base(clocks, (int64_t)period->entry_ns);
	if (way.last_tick_ns == TIME_NONE)
		return 0;
	return load_updates_pass(&timeline->load_updates, &way, clocks->tick_ns);
}

/* Only an interrupt ends a period that does not poll. If none was seen since it began, its end stands in. */
static void entry_by_exit(const struct timeline *timeline, struct lane *lane)
{
	const struct period *before = last_period(lane);

	lane->after_wake = before && !timeline_polls(timeline, lane->cpu, before->state);
	if (!lane->after_wake || lane->entry_ns > before->enter_ns)
		return;
	lane->entry_ns = before->exit_ns;
	lane->entry_kind = ENTRY_EXIT;
}

/*
 * Without sched_switch a stretch ends where something was woken or much time, so a task, came between two periods. Where no
 * event tells of wake-ups, a reschedule that was pending at a period's end does.
 */
static int guess_end(struct timeline *timeline, struct lane *lane, uint64_t next_enter_ns)
{
	struct period *period = last_period(lane);
	bool blind = !wakeups_are_seen(timeline);
	bool task = next_enter_ns - period->exit_ns > GAP_WITHOUT_SWITCH_NS ||
		    (blind && period->resched);

	if (period_close(timeline, lane, false) < 0)
		return -ENOMEM;
	if (blind && !task && period->wake == CPIR_WAKE_UNKNOWN &&
	    wakeups_stand_in(lane, false) < 0)
		return -ENOMEM;
	if (task || period->wake <= CPIR_WAKE_TASK_LOCAL)
		return stretch_end(timeline, lane, period->exit_ns, blind && task);
	return 0;
}

static int idle_enter(struct timeline *timeline, struct lane *lane, const struct event *event)
{
	struct period *period = last_period(lane);
	int ret = 0;

	if (lane->phase == LANE_ASLEEP)
		period->cut = true; /* its end was lost */
	if (!timeline->options.known.sched_switch && lane->open && period)
		ret = guess_end(timeline, lane, event->time_ns);
	if (ret < 0)
		return ret;
	if (!lane->open || lane->phase == LANE_BUSY)
		stretch_begin(lane, event->time_ns, false);
	if (period_close(timeline, lane, false) < 0)
		return -ENOMEM;
	entry_by_exit(timeline, lane);
	period = capture(timeline, lane, event->time_ns);
	if (!period)
		return -ENOMEM;
	set_state(timeline, period, lane->cpu, event->u.idle.state);
	period->later_ns = load_update_ns(timeline, lane, period);
	period->load_update = period->later_ns != 0;
	period->decided = true;
	tick_decided(lane);
	lane->reflected = false;
	lane->phase = LANE_ASLEEP;
	return 0;
}

static void idle_exit(struct lane *lane, const struct event *event)
{
	struct period *period = last_period(lane);

	if (lane->phase != LANE_ASLEEP || !period)
		return; /* the trace began in it */
	period->exit_ns = event->time_ns;
	period->resched = event->flags & EVENT_FLAG_NEED_RESCHED;
	lane->phase = LANE_AWAKE;
	lane->closing = true;
	lane->reflected = false;
	if (lane->entry_kind == ENTRY_UNKNOWN)
		lane->entry_ns = event->time_ns;
}

/* The idle loop ended without another period: if the governor was asked, nothing came of it. */
static int note_cancelled(struct timeline *timeline, struct lane *lane, uint64_t time_ns)
{
	const struct period *period = last_period(lane);

	if (lane->phase != LANE_AWAKE || (period && period->resched))
		return 0;
	if (period_close(timeline, lane, !period || !period->poll_timeout) < 0)
		return -ENOMEM;
	return capture(timeline, lane, time_ns) ? 0 : -ENOMEM;
}

static void note_idle(struct lane *lane, uint64_t end_ns)
{
	if (lane->stretch.begin_known)
		lane->idle_average_ns = load_idle_average(
			lane->idle_average_ns, (int64_t)(end_ns - lane->stretch.begin_ns));
}

static int switch_event(struct timeline *timeline, struct lane *lane, const struct event *event)
{
	int ret = 0;

	iowait_switch(timeline, lane, event);

	if (event->u.sw.next_pid == 0) {
		if (lane->open)
			ret = stretch_end(timeline, lane, event->time_ns, false);
		tick_leave(lane);
		stretch_begin(lane, event->time_ns, true);
		return ret;
	}
	if (event->u.sw.prev_pid == 0 && lane->open) {
		if (lane->phase == LANE_ASLEEP)
			last_period(lane)->cut = true;
		ret = note_cancelled(timeline, lane, event->time_ns);
		lane->stretch.first_task_ns = event->time_ns;
		note_idle(lane, event->time_ns);
		if (!ret)
			ret = stretch_end(timeline, lane, event->time_ns, true);
	}
	lane->phase = LANE_BUSY;
	tick_leave(lane);
	return ret;
}

static int lost_event(struct timeline *timeline, struct lane *lane, uint64_t time_ns)
{
	int ret;

	/* Wake-ups may be among them: what waits for its own is not to meet a later one. */
	timeline->lost_ns = time_ns;
	if (!lane->open)
		return 0;
	lane->stretch.lost = true;
	if (lane->phase == LANE_ASLEEP)
		last_period(lane)->cut = true;
	ret = stretch_end(timeline, lane, time_ns, false);
	lane->phase = LANE_BUSY;
	return ret;
}

static void miss_event(struct lane *lane, const struct event *event)
{
	struct period *period = last_period(lane);

	if (lane->phase == LANE_AWAKE && period)
		period->kernel_miss = event->u.miss.below ? MISS_BELOW : MISS_ABOVE;
}

/* Interrupts taken while idle move the idle entry time to their end. */
static bool from_interrupt(const struct event *event)
{
	if (event->flags & (EVENT_FLAG_HARDIRQ | EVENT_FLAG_SOFTIRQ))
		return true;
	switch (event->type) {
	case EV_IRQ_ENTRY ... EV_IPI_EXIT:
	case EV_HRTIMER_EXPIRE_ENTRY:
	case EV_HRTIMER_EXPIRE_EXIT:
	case EV_TIMER_EXPIRE_ENTRY:
	case EV_TIMER_EXPIRE_EXIT:
		return true;
	default:
		return false;
	}
}

/* Without sched_switch: something shows that the idle loop was left. */
static int leave(struct timeline *timeline, struct lane *lane, uint64_t time_ns)
{
	int ret = stretch_end(timeline, lane, time_ns, !wakeups_are_seen(timeline));

	lane->phase = LANE_BUSY;
	tick_leave(lane);
	return ret;
}

static int timer_event(struct timeline *timeline, struct lane *lane, const struct event *event)
{
	bool hrtimer = event->type >= EV_HRTIMER_START && event->type <= EV_HRTIMER_EXPIRE_ENTRY;
	struct period *period = last_period(lane);
	int ret = 0;

	if (!hrtimer || !tick_owns(lane, event))
		return pending_feed(timeline, lane, event);
	if (event->type == EV_HRTIMER_START && !timeline->options.known.sched_switch &&
	    tick_restarts(timeline, lane, event))
		ret = leave(timeline, lane, event->time_ns);
	if (ret < 0)
		return ret;
	if (event->type == EV_HRTIMER_START)
		tick_start(timeline, lane, event);
	if (event->type == EV_HRTIMER_CANCEL)
		tick_cancel(lane);
	if (event->type != EV_HRTIMER_EXPIRE_ENTRY)
		return 0;
	tick_expire(lane);
	if (lane->open && period && !lane->reflected)
		period->got_tick = true;
	return pending_feed(timeline, lane, event);
}

static int lane_feed(struct timeline *timeline, struct lane *lane, const struct event *event)
{
	int ret = 0;

	/* Written under a task. */
	if (!timeline->options.known.sched_switch && event->pid != 0 && lane->phase == LANE_AWAKE)
		ret = leave(timeline, lane, event->time_ns);
	if (!ret)
		ret = wakeups_feed(timeline, lane, event);
	if (ret < 0)
		return ret;
	switch (event->type) {
	case EV_CPU_IDLE:
		if (event->u.idle.state != EVENT_STATE_EXIT)
			return idle_enter(timeline, lane, event);
		idle_exit(lane, event);
		return 0;
	case EV_CPU_IDLE_MISS:
		miss_event(lane, event);
		return 0;
	case EV_SCHED_SWITCH:
		return switch_event(timeline, lane, event);
	case EV_SCHED_WAKEUP:
		/* Woken by the idle loop itself, on its way out. */
		if (lane->closing && !(event->flags & (EVENT_FLAG_HARDIRQ | EVENT_FLAG_SOFTIRQ)))
			lane->reflected = true;
		return wakeups_task(timeline, event);
	case EV_SCHED_WAKING:
	case EV_SCHED_WAKEUP_NEW:
		return wakeups_task(timeline, event);
	case EV_HRTIMER_START ... EV_HRTIMER_EXPIRE_EXIT:
	case EV_TIMER_START ... EV_TIMER_EXPIRE_EXIT:
		return timer_event(timeline, lane, event);
	case EV_VEC_TIMER_ENTRY:
		lane->stale_ns = TIME_NONE;
		return 0;
	case EV_TICK_STOP:
		tick_stop(lane, event);
		return 0;
	case EV_LOST:
		return lost_event(timeline, lane, event->time_ns);
	default:
		qos_feed(&timeline->qos, event);
		return 0;
	}
}

/* Interrupts, but that of the clock device: it has fired whoever runs. Timers expire then, too, but that they end is nothing. */
uint64_t timeline_idle_types(void)
{
	uint64_t types = EVENT_BIT(EV_HRTIMER_EXPIRE_EXIT) | EVENT_BIT(EV_TIMER_EXPIRE_EXIT);

	for (unsigned type = EV_IRQ_ENTRY; type <= EV_IPI_EXIT; type++)
		types |= EVENT_BIT(type);
	return types & ~EVENT_BIT(EV_VEC_TIMER_ENTRY);
}

int timeline_feed(struct timeline *timeline, const struct event *event)
{
	struct lane *lane;
	int ret;

	if (event->cpu >= timeline->options.cpus)
		return 0;
	lane = &timeline->lanes[event->cpu];
	ret = lane_feed(timeline, lane, event);
	if (lane->phase != LANE_BUSY && from_interrupt(event)) {
		lane->entry_ns = event->time_ns;
		lane->entry_kind = ENTRY_IRQ;
		lane->entry_event = event->type;
	}
	return ret;
}

int timeline_finish(struct timeline *timeline)
{
	int ret = 0;

	for (uint32_t cpu = 0; cpu < timeline->options.cpus && !ret; cpu++) {
		struct lane *lane = &timeline->lanes[cpu];
		struct period *period = last_period(lane);
		uint64_t end_ns = lane->stretch.begin_ns;
		bool ended = period && lane->phase != LANE_ASLEEP;

		if (period) {
			end_ns = period->exit_ns;
			period->cut |= !ended;
		}
		ret = stretch_end(timeline, lane, end_ns, ended && !wakeups_are_seen(timeline));
	}
	return ret;
}
