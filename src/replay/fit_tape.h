/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The decisions of a sample as one verification run found them, kept so that they can be decided again under many
 * candidates for the constants without another run.
 */
#ifndef REPLAY_FIT_TAPE_H
#define REPLAY_FIT_TAPE_H

#include "base/crew.h"
#include "replay/fit.h"
#include "replay/inputs.h"

/** struct take - one decision; in the order of the sample */
struct take {
	const struct period *period;
	const struct cpir_table *table;
	struct sight sight;	   /* as the run came to see it */
	struct policy_input input; /* built from it; tape_build() does so anew */
	uint32_t cpu;		   /* index of those in the tape */
	bool first;		   /* of its CPU */
};

/** struct hanging - a decision that comes out otherwise somewhere within what a candidate may be */
struct hanging {
	struct take take;
	void *state; /* the governor's before it */
};

/** struct tape - all zero is empty; tape_deinit() at the end */
struct tape {
	struct context context; /* its @learned changes with each candidate */
	const struct cpir_policy *policy;
	struct crew *crew; /* to share the playing, each with some of the CPUs; NULL: alone */
	ARRAY(struct take) takes;
	ARRAY(struct hanging) hangings;
	char *playing; /* the state of each CPU */
	uint32_t cpus;
	uint64_t slack; /* so many wrong decisions more or less are chance */
};

/**
 * tape_record - decide @sample, whose periods it marks, once with the constants @learned
 * @probes: @probe_count others; decisions that differ under one of them are kept as hanging
 * Returns 0 or -ENOMEM.
 */
int tape_record(struct tape *tape, struct fit_sample *sample, const struct learned *learned,
		const struct learned *probes, unsigned probe_count);
void tape_deinit(struct tape *tape);

/** tape_hanging_wrong - how many hanging decisions are not the record's if @learned is true */
uint64_t tape_hanging_wrong(struct tape *tape, const struct learned *learned);

/** tape_build - the inputs of all decisions if the entry delays of @learned are true */
void tape_build(struct tape *tape, const struct learned *learned);

#define RACE_LAPS 64

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
 * Candidates that fall behind in @race are not played to the end: RACE_OUT.
 */
uint64_t tape_play_wrong(struct tape *tape, int64_t cost_ns, struct race *race);

#define RACE_OUT                                                                                   \
	(UINT64_MAX / 2) /* more than any number of decisions, and sums of a few still fit */

#endif
