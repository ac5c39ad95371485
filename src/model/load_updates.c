// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which ways into idle hold a load update. Measured where the governor wrote its sleep lengths down (arm64, 7.3,
 * instruction-counted): of 149 delayed entries 119 were the first due one, 8 ticks of 4 ms after the last, and most others
 * came another 8 or 16 ticks later. So a belief about the phase is followed from one update to the next, as the scheduler
 * does; another is kept beside it, begun by a long way that came out of turn, and takes over once it fits better.
 */
#include "model/load_updates.h"

#define INTERVAL_NS 32000000 /* LOAD_AVG_PERIOD */
#define IDLE_SHORT_NS 500000 /* sysctl_sched_migration_cost */
#define IDLE_MAX_NS 1000000  /* twice that: what the average is limited to */
#define WAY_MAX_NS 100000000

/* In 1/1024: rates, and how long a way is against the usual one. */
#define ONE 1024
#define RATE_CLEAR (ONE / 2) /* that often at least, */
#define TIMES_USUAL 2	     /* and so many times as often as at any time */
#define RATE_OUT_OF_TURN (ONE * 4 / 10)
#define RATE_AHEAD (ONE / 10)
#define LONG_MIN (ONE / 8)
#define LONG_MAX (ONE * 5 / 4)

static void rate_move(int32_t *rate, bool hit, int32_t weight)
{
	*rate += ((hit ? ONE : 0) - *rate) / weight;
}

/* A median that follows: one step up or down each time. */
static void usual_move(int64_t *usual_ns, int64_t way_ns)
{
	int64_t step_ns = *usual_ns / 64 + 1;

	if (!*usual_ns)
		*usual_ns = way_ns;
	else if (way_ns > *usual_ns)
		*usual_ns += step_ns;
	else if (way_ns < *usual_ns)
		*usual_ns -= step_ns;
}

/* If an update is due by @phase it was done now, and the next is due an interval later. Half a tick: the grid moves a little. */
static bool phase_due(struct load_phase *phase, int64_t now_ns, int64_t tick_ns, bool hit)
{
	int64_t ticks = (INTERVAL_NS + tick_ns - 1) / tick_ns;

	if (now_ns + tick_ns / 2 < phase->due_ns)
		return false;
	rate_move(&phase->rate, hit, 16);
	phase->due_ns = now_ns + ticks * tick_ns;
	return true;
}

static bool shows_clearly(const struct load_updates *updates)
{
	return updates->belief.rate >= RATE_CLEAR &&
	       updates->belief.rate >= TIMES_USUAL * updates->usual_rate;
}

static void begin_other(struct load_phase *other, int64_t now_ns, int64_t tick_ns)
{
	*other = (struct load_phase){0};
	(void)phase_due(other, now_ns, tick_ns, true);
	other->rate = RATE_OUT_OF_TURN;
}

static void follow_better(struct load_updates *updates)
{
	struct load_phase belief = updates->belief;

	if (updates->other.rate <= belief.rate + RATE_AHEAD)
		return;
	updates->belief = updates->other;
	updates->other = belief;
}

int64_t load_updates_pass(struct load_updates *updates, const struct way_idle *way, int64_t tick_ns)
{
	int64_t *usual_ns = &updates->usual_way_ns[way->stops_tick];
	int64_t now_ns = way->last_tick_ns, usual_way_ns = updates->usual_way_ns[0], later_ns;
	bool is_long, clear, due, other_due;

	if (way->lasted_ns < 0 || way->lasted_ns > WAY_MAX_NS || now_ns < 0 ||
	    now_ns > INT64_MAX / 2)
		return 0; /* absurd */
	later_ns = way->lasted_ns - *usual_ns;
	is_long = later_ns > usual_way_ns * LONG_MIN / ONE &&
		  later_ns < usual_way_ns * LONG_MAX / ONE;
	usual_move(usual_ns, way->lasted_ns);
	if (way->wakes_up_soon || !tick_ns || !usual_way_ns)
		return 0;
	clear = shows_clearly(updates);
	rate_move(&updates->usual_rate, is_long, 64);
	due = phase_due(&updates->belief, now_ns, tick_ns, is_long);
	other_due = phase_due(&updates->other, now_ns, tick_ns, is_long);
	if (is_long && !due && !other_due && updates->other.rate < RATE_OUT_OF_TURN)
		begin_other(&updates->other, now_ns, tick_ns);
	follow_better(updates);
	return due && clear && is_long ? later_ns : 0;
}

int64_t load_idle_average(int64_t average_ns, int64_t idle_ns)
{
	if (idle_ns < 0) /* a clock that went back */
		return average_ns;
	average_ns += (idle_ns - average_ns) / 8;
	return average_ns < IDLE_MAX_NS ? average_ns : IDLE_MAX_NS;
}

bool load_wakes_up_soon(int64_t average_ns)
{
	return average_ns < IDLE_SHORT_NS;
}
