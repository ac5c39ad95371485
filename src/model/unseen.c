// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where no event tells of timers, the ends of periods do. An end on the tick's grid for which nothing else is known to be
 * the cause was the tick's; any other end without a cause is an interrupt's, which would have come in any state. And a task
 * woken here at the end of a stretch shows the timer that was next in all of its periods.
 */
#include "model/lane.h"

/* The grid is where ends gather: most lie close to it, some late. As parts of a tick, and at most. */
#define EARLY_PART 8
#define EARLY_MAX_NS 300000
#define LATE_PART 4
#define LATE_MAX_NS 500000

static int64_t part_of(int64_t tick_ns, int64_t part, int64_t most_ns)
{
	return tick_ns / part < most_ns ? tick_ns / part : most_ns;
}

/* The last tick of the grid that may have come in @period, TIME_NONE: none. */
static int64_t last_tick(const struct clocks *clocks, const struct period *period)
{
	int64_t early_ns = part_of(clocks->tick_ns, EARLY_PART, EARLY_MAX_NS);
	int64_t tick_ns = clocks_tick_base(clocks, (int64_t)period->exit_ns + early_ns);

	return tick_ns != TIME_NONE && tick_ns > (int64_t)period->enter_ns ? tick_ns : TIME_NONE;
}

static bool is_close(const struct clocks *clocks, const struct period *period, int64_t tick_ns)
{
	return tick_ns != TIME_NONE && (int64_t)period->exit_ns - tick_ns <
					       part_of(clocks->tick_ns, LATE_PART, LATE_MAX_NS);
}

/*
 * The CPU did not sleep on over the grid before: the tick ran. Else it was stopped, and what its timer was programmed for comes in
 * any state.
 */
static bool tick_ran(const struct clocks *clocks, const struct period *period, int64_t tick_ns)
{
	return tick_ns - (int64_t)period->enter_ns <= clocks->tick_ns;
}

static void take_tick(const struct clocks *clocks, struct period *period, int64_t tick_ns)
{
	period->got_tick = true;
	if (tick_ran(clocks, period, tick_ns))
		period->tick_ns = tick_ns;
}

/* An interrupt that woke no task: the running tick's, if on the grid. */
static int interrupted(const struct timeline *timeline, struct lane *lane, int64_t tick_ns)
{
	const struct clocks *clocks = timeline->options.clocks;
	struct stretch *stretch = &lane->stretch;
	struct period *period = &stretch->periods.ptr[stretch->periods.len - 1];
	bool on_grid = is_close(clocks, period, tick_ns);

	if (on_grid)
		take_tick(clocks, period, tick_ns);
	if (on_grid && tick_ran(clocks, period, tick_ns)) {
		if (period->wake == CPIR_WAKE_IRQ)
			stretch->happenings.len--;
		period->wake = CPIR_WAKE_TICK;
		return 0;
	}
	return period->wake == CPIR_WAKE_UNKNOWN && wakeups_are_seen(timeline)
		       ? wakeups_stand_in(lane, false)
		       : 0;
}

/* The last period is over. */
int unseen_close(const struct timeline *timeline, struct lane *lane, bool polling)
{
	const struct clocks *clocks = timeline->options.clocks;
	struct period *period = &lane->stretch.periods.ptr[lane->stretch.periods.len - 1];
	int64_t tick_ns;

	if (period->state < 0 || period->cut)
		return 0;
	tick_ns = last_tick(clocks, period);
	if (polling) {
		period->got_tick = tick_ns != TIME_NONE;
		return 0;
	}
	if (period->wake >= CPIR_WAKE_IRQ)
		return interrupted(timeline, lane, tick_ns);
	/* The timer wheel's softirq comes with the tick. */
	if (lane->soft_woken && is_close(clocks, period, tick_ns))
		take_tick(clocks, period, tick_ns);
	return 0;
}

/*
 * A task follows, and nothing is known to have woken it: an interrupt that stands at the very end did. Where no event tells of
 * wake-ups, so did all that came in the last period: whichever of them is served first ends idleness.
 */
bool unseen_wakes(struct stretch *stretch, bool wakings_told)
{
	bool woken = false;

	for (size_t i = stretch->happenings.len; i-- > 0;) {
		struct happening *happening = &stretch->happenings.ptr[i];

		if (happening->period + 1 != stretch->periods.len ||
		    (wakings_told && (woken || happening->kind != CPIR_WAKE_UNKNOWN)))
			break;
		happening->wakes_task = woken = true;
	}
	return woken;
}

static bool by_interrupt(const struct happening *happening)
{
	return happening->kind != CPIR_WAKE_TASK_REMOTE && happening->period != NO_PERIOD;
}

/* The first interrupt that still was to come in the stretch may have been a timer's, in all periods up to it. */
void unseen_foresee(struct stretch *stretch)
{
	size_t left = stretch->happenings.len;
	int64_t next_ns = TIME_NONE;
	uint8_t kind = CPIR_WAKE_COUNT;

	for (size_t i = stretch->periods.len; i-- > 0;) {
		struct period *period = &stretch->periods.ptr[i];

		for (; left && (stretch->happenings.ptr[left - 1].period == NO_PERIOD ||
				stretch->happenings.ptr[left - 1].period >= i);
		     left--) {
			if (!by_interrupt(&stretch->happenings.ptr[left - 1]))
				continue;
			next_ns = (int64_t)period->exit_ns;
			kind = stretch->happenings.ptr[left - 1].kind;
		}
		period->next_hrtimer_ns = next_ns;
		period->foreseen = kind == CPIR_WAKE_COUNT ? period->wake : kind;
	}
}
