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

/**
 * struct take - one decision. Tens of plays go through all of them: what each needs lies together and in their order, since
 * to fetch it from the stretches takes as long as to decide.
 */
struct take {
	struct policy_input input;     /* as the run came to see it; playing may build it anew */
	struct policy_outcome outcome; /* as the trace shows it, whatever an event costs */
	const struct cpir_table *table;
	int64_t hrtimer_ns; /* of what it saw then, what the period does not tell */
	bool tick_stopped, tick_kept;
	int16_t state;		     /* the record's */
	const struct period *period; /* as the run has marked it */
};

/** struct hanging - a decision that comes out otherwise somewhere within what a candidate may be */
struct hanging {
	size_t take; /* which of the track's */
	void *state; /* the governor's before it */
};

#define RACE_LAPS 64 /* of a play: as many parts of the sample, one after the other */

/** struct track - the decisions of one CPU in their order */
struct track {
	uint32_t cpu;
	struct take *takes; /* in the memory of the tape, as their periods are */
	struct period *periods;
	size_t count, room;
	ARRAY(struct hanging) hangings;
	size_t lap[RACE_LAPS + 1]; /* the first take of each lap; last the end */
	unsigned laps;		   /* that have begun so far */
	void *state;		   /* the governor's, while it is played */
};

/** struct tape - all zero is empty; tape_deinit() at the end */
struct tape {
	struct context context; /* its @learned changes with each candidate */
	const struct cpir_policy *policy;
	struct crew *crew; /* to share the work, each with some of the CPUs; NULL: alone */
	ARRAY(struct track) tracks;
	void *memory;
	size_t takes;	/* of all of them */
	uint64_t slack; /* so many wrong decisions more or less are chance */
};

/**
 * tape_record - decide @sample once with the constants @learned
 * @probes: @probe_count others; decisions that differ under one of them are kept as hanging
 * Returns 0 or -ENOMEM.
 */
int tape_record(struct tape *tape, const struct fit_sample *sample, const struct learned *learned,
		const struct learned *probes, unsigned probe_count);
void tape_deinit(struct tape *tape);

/** tape_jobs - among how many the tracks are shared out: track i is job i modulo that one's */
unsigned tape_jobs(const struct tape *tape);

/** tape_input - what @take's decision sees if the constants of @context are true */
void tape_input(const struct context *context, const struct take *take,
		struct policy_input *ret_input);

/** tape_decide - the state that comes out, which @state, the governor's, has then decided */
int tape_decide(const struct tape *tape, const struct take *take, const struct policy_input *input,
		void *state);

#endif
