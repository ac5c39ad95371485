/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The tick rate of a recording without timer events. Where a period ends without a task being woken, mostly the tick ended
 * it: the ends then gather on a grid, whose step is one of the rates kernels are built with.
 */
#ifndef MODEL_TICK_GUESS_H
#define MODEL_TICK_GUESS_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/event.h"

#define TICK_GUESS_RATES 4

/** struct tick_guess - zero-initialise, tick_guess_init(), feed in time order, ask, tick_guess_free() */
struct tick_guess {
	uint32_t cpus;
	struct tick_guess_lane {
		uint64_t enter_ns, exit_ns;
		bool woken;
	} * lanes;
	uint64_t samples;
	double cosine[TICK_GUESS_RATES], sine[TICK_GUESS_RATES];
};

/** tick_guess_init - 0 or -ENOMEM */
int tick_guess_init(struct tick_guess *guess, uint32_t cpus);
void tick_guess_free(struct tick_guess *guess);

/** tick_guess_feed - take in cpu_idle and wake-up events, ignore others */
void tick_guess_feed(struct tick_guess *guess, const struct event *event);

/**
 * tick_guess_rate - the tick rate, 0 when the ends of periods show none
 * @ret_phase_ns: trace time of a tick modulo the period, as the ends show it (a little late), when a rate is returned
 */
uint32_t tick_guess_rate(const struct tick_guess *guess, int64_t *ret_phase_ns);

#endif
