/* SPDX-License-Identifier: GPL-2.0-only */
/* Candidates for the constants against the decisions of a tape: how many of these come out wrong? */
#ifndef REPLAY_FIT_PLAY_H
#define REPLAY_FIT_PLAY_H

#include "replay/fit_tape.h"

/** tape_hanging_wrong - how many hanging decisions are not the record's if @learned is true */
uint64_t tape_hanging_wrong(struct tape *tape, const struct learned *learned);

/** struct race - the best candidate played so far, lap by lap; race_start() before use */
struct race {
	uint64_t lead;		 /* whoever is further behind in a lap than this is out */
	uint64_t least;		 /* wrong decisions of the best */
	uint64_t lap[RACE_LAPS]; /* and how many of them it had when */
};

/** race_start - nobody has run yet */
void race_start(struct race *race, uint64_t lead);

/**
 * tape_play_wrong - how many decisions are not the record's if a governor lives through all of them, with the periods
 *                   between them shorter by @cost_ns than in the trace
 * @learned: the entry delays to build their inputs anew from; NULL: as they were built last
 * Candidates that fall behind in @race are not played to the end, and what follows is not built: RACE_OUT.
 */
uint64_t tape_play_wrong(struct tape *tape, const struct learned *learned, int64_t cost_ns,
			 struct race *race);

#define RACE_OUT                                                                                   \
	(UINT64_MAX / 2) /* more than any number of decisions, and sums of a few still fit */

#endif
