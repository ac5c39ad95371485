// SPDX-License-Identifier: GPL-2.0-only
/*
 * The tick rate from the ends of periods: for each candidate every end is a point on a circle of one tick's circumference;
 * the longer their mean vector, the better they gather. A slower rate whose ends gather shows as well at its multiples, so
 * the slowest that gathers nearly as well as the best is the rate.
 */
#include "model/tick_guess.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define SAMPLES_MIN 30
#define GATHER_MIN 0.5 /* of 1: ends spread evenly give 0 */
#define GATHER_OF_BEST 0.8
#define SHORTEST_NS 300000    /* shorter periods are mostly polling time-outs */
#define NEXT_WITHIN_NS 300000 /* a task did not run between two periods this close */

static const uint32_t rates[TICK_GUESS_RATES] = {100, 250, 300, 1000};

int tick_guess_init(struct tick_guess *guess, uint32_t cpus)
{
	guess->cpus = cpus;
	guess->lanes = calloc(cpus ? cpus : 1, sizeof(*guess->lanes));
	return guess->lanes ? 0 : -ENOMEM;
}

void tick_guess_free(struct tick_guess *guess)
{
	free(guess->lanes);
	guess->lanes = NULL;
}

static double period_ns(unsigned rate)
{
	return 1e9 / rates[rate];
}

static void sample(struct tick_guess *guess, uint64_t time_ns)
{
	guess->samples++;
	for (unsigned i = 0; i < TICK_GUESS_RATES; i++) {
		double angle = 2 * M_PI * fmod((double)time_ns, period_ns(i)) / period_ns(i);

		guess->cosine[i] += cos(angle);
		guess->sine[i] += sin(angle);
	}
}

static void idle(struct tick_guess *guess, const struct event *event)
{
	struct tick_guess_lane *lane = &guess->lanes[event->cpu];

	if (event->u.idle.state == EVENT_STATE_EXIT) {
		lane->exit_ns = event->time_ns;
		return;
	}
	if (lane->exit_ns > lane->enter_ns && lane->enter_ns && !lane->woken &&
	    lane->exit_ns - lane->enter_ns >= SHORTEST_NS &&
	    event->time_ns - lane->exit_ns <= NEXT_WITHIN_NS)
		sample(guess, lane->exit_ns);
	lane->enter_ns = event->time_ns;
	lane->woken = false;
}

void tick_guess_feed(struct tick_guess *guess, const struct event *event)
{
	switch (event->type) {
	case EV_CPU_IDLE:
		if (event->cpu < guess->cpus)
			idle(guess, event);
		break;
	case EV_SCHED_WAKING:
	case EV_SCHED_WAKEUP:
	case EV_SCHED_WAKEUP_NEW:
		if (event->u.wake.target_cpu < guess->cpus)
			guess->lanes[event->u.wake.target_cpu].woken = true;
		break;
	default:
		break;
	}
}

static double gathered(const struct tick_guess *guess, unsigned rate)
{
	return hypot(guess->cosine[rate], guess->sine[rate]) / (double)guess->samples;
}

uint32_t tick_guess_rate(const struct tick_guess *guess, int64_t *ret_phase_ns)
{
	double best = 0, angle;
	unsigned rate = 0;

	if (guess->samples < SAMPLES_MIN)
		return 0;
	for (unsigned i = 0; i < TICK_GUESS_RATES; i++)
		best = fmax(best, gathered(guess, i));
	if (best < GATHER_MIN)
		return 0;
	while (gathered(guess, rate) < best * GATHER_OF_BEST)
		rate++;
	angle = atan2(guess->sine[rate], guess->cosine[rate]);
	if (angle < 0)
		angle += 2 * M_PI;
	*ret_phase_ns = (int64_t)(angle / (2 * M_PI) * period_ns(rate));
	return rates[rate];
}
