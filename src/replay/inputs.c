// SPDX-License-Identifier: GPL-2.0-only
/*
 * A decision's inputs.
 *
 * delta_next is the distance from the idle entry time to whatever the clock event device is programmed for: the nearest
 * hrtimer, the tick included. The sleep length leaves the tick out and brings the timer wheel in, which the tick would
 * have served. If the tick must run on (the wheel has something within a period, or the kernel needs it for a reason no
 * event shows) there is nothing to gain from stopping it, and the sleep length is delta_next.
 */
#include "replay/inputs.h"

static int64_t later(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static int64_t soonest(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/*
 * How much longer than after an interrupt's last event it takes from one in its midst. Where the CPU polled on, neither end of
 * the way shows it: it is what those that woke the CPU took longer.
 */
static int64_t rest_of_interrupt_ns(const struct learned *learned, const struct period *period)
{
	bool polled = !period->first && !period->after_wake;

	if (polled && learned->amid_way_ns)
		return later(learned->amid_way_ns - learned->wake_usual_ns[0], 0);
	return learned->entry_delay_ns[ENTRY_IRQ] / 4;
}

/* An interrupt on the way into idle, with more to do after its last event: nothing of it is left once cpu_idle is near. */
static bool interrupted_on_the_way(const struct learned *learned, const struct period *period)
{
	return period->first && period->entry_kind == ENTRY_IRQ && learned->first_way_ns[0] &&
	       (period_amid_interrupt(period) || period->entry_event == EV_VEC_TIMER_EXIT);
}

/*
 * The event that began idleness, and the delay from it. After a wake-up the interrupt that ended the period may have left
 * no event; where the recording's decisions say so, the way back to cpu_idle then bounds the entry time from below. So it
 * does where the last event was written in the midst of an interrupt, as what was left to do then may take any time.
 */
static int64_t entry_time(const struct context *context, const struct period *period)
{
	const struct learned *learned = context->learned;
	int64_t entry_ns = (int64_t)period->entry_ns + learned->entry_delay_ns[period->entry_kind];
	int64_t delay_ns = learned->entry_delay_ns[ENTRY_IRQ], latest_ns = entry_ns;

	if (period->entry_kind == ENTRY_UNKNOWN)
		return (int64_t)period->enter_ns -
		       later(learned->wake_usual_ns[period->stopped_tick] - delay_ns, 0);
	if (interrupted_on_the_way(learned, period))
		return later(entry_ns, (int64_t)period->enter_ns +
					       learned->entry_delay_ns[ENTRY_SWITCH] -
					       learned->first_way_ns[period->stopped_tick]);
	if (period_amid_interrupt(period)) {
		entry_ns += rest_of_interrupt_ns(learned, period);
		latest_ns = (int64_t)period->enter_ns + delay_ns -
			    learned->wake_usual_ns[period->stopped_tick];
	} else if (learned->unseen_interrupts) {
		latest_ns = (int64_t)period->enter_ns - learned->wake_lead_ns[period->stopped_tick];
	}
	return (period->after_wake ? later(entry_ns, latest_ns) : entry_ns) + period->later_ns;
}

/* A few subtractions are cheaper than a division. */
#define TICKS_CLOSE 4

/* The last tick of the grid at or before @time_ns; @grid_ns is one of them, mostly close by. */
static int64_t last_tick(const struct context *context, int64_t grid_ns, int64_t time_ns)
{
	int64_t tick_ns = context->clocks->tick_ns;

	if (grid_ns == TIME_NONE)
		return TIME_NONE;
	if (grid_ns > time_ns + TICKS_CLOSE * tick_ns || grid_ns < time_ns - TICKS_CLOSE * tick_ns)
		grid_ns += (time_ns - grid_ns) / tick_ns * tick_ns;
	while (grid_ns > time_ns)
		grid_ns -= tick_ns;
	while (grid_ns + tick_ns <= time_ns)
		grid_ns += tick_ns;
	return grid_ns;
}

/* A running tick whose arming was not traced (the trace had just begun) comes at the next point of the grid. */
static int64_t tick_time(const struct context *context, const struct period *period,
			 int64_t entry_ns)
{
	int64_t base_ns;

	if (period->tick_ns != TIME_NONE || period->tick_stopped)
		return period->tick_ns;
	base_ns = last_tick(context, period->grid_ns, entry_ns);
	return base_ns == TIME_NONE ? TIME_NONE : base_ns + context->clocks->tick_ns;
}

int64_t entry_of_period(const struct context *context, const struct period *period)
{
	return soonest(entry_time(context, period), (int64_t)period->enter_ns);
}

void sight_of_period(const struct context *context, const struct period *period,
		     struct sight *ret_sight)
{
	int64_t entry_ns = entry_time(context, period);

	*ret_sight = sight_pending(period);
	ret_sight->entry_ns = soonest(entry_ns, (int64_t)period->enter_ns);
	if (period->overdue)
		ret_sight->hrtimer_ns = ret_sight->entry_ns;
	ret_sight->tick_ns = tick_time(context, period, entry_ns);
	ret_sight->tick_stopped = period->tick_stopped;
}

struct policy_outcome outcome_of_period(const struct cpir_table *table, const struct period *period,
					int64_t cost_ns)
{
	int64_t residency_ns = (int64_t)(period->exit_ns - period->enter_ns) - cost_ns;
	struct policy_outcome outcome = {
		.entered = -1,
		.poll_time_limit = -1,
		.got_tick = period->got_tick,
		.clock_ns = (int64_t)period->exit_ns,
	};

	if (period->state < 0)
		return outcome;
	outcome.entered = period->state;
	outcome.residency_ns = residency_ns > 0 ? residency_ns : 0;
	if (table->states[period->state].polling)
		outcome.poll_time_limit = period->poll_timeout;
	return outcome;
}

bool inputs_tick_needed(const struct context *context, const struct sight *sight)
{
	int64_t base_ns = last_tick(context, sight->grid_ns, sight->entry_ns);

	if (sight->tick_stopped)
		return false;
	if (sight->tick_kept)
		return true;
	if (base_ns == TIME_NONE || sight->wheel_ns == TIME_NONE)
		return false;
	return sight->wheel_ns - base_ns <= context->clocks->tick_ns;
}

/* Without a timer the governor subtracts the time since boot, which no clock can be before, from the end of time. */
static int64_t until(const struct context *context, int64_t time_ns, int64_t entry_ns)
{
	int64_t offset_ns = 0;

	if (time_ns != TIME_NONE)
		return time_ns - entry_ns;
	(void)clocks_mono_offset(context->clocks, (uint64_t)entry_ns, &offset_ns);
	return INT64_MAX - later(entry_ns + offset_ns, 0);
}

void inputs_build(const struct context *context, const struct sight *sight, bool tick_needed,
		  uint32_t disabled_mask, struct policy_input *ret_input)
{
	int64_t programmed_ns =
		soonest(soonest(sight->hrtimer_ns, sight->tick_ns), sight->stale_ns);
	int64_t delta_ns = until(context, programmed_ns, sight->entry_ns);
	int64_t sleep_ns = delta_ns;

	if (!tick_needed)
		sleep_ns = until(context, soonest(sight->hrtimer_ns, sight->wheel_ns),
				 sight->entry_ns);
	*ret_input = (struct policy_input){
		.sleep_length_ns = sleep_ns,
		.delta_next_ns = delta_ns,
		.tick_stopped = sight->tick_stopped,
		.latency_req_ns = soonest(sight->latency_req_ns, context->latency_req_ns),
		.nr_iowait = sight->iowaiters,
		.disabled_mask = disabled_mask,
		.clock_ns = sight->entry_ns,
	};
}
