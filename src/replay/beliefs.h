/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the recording governor of one CPU may have had in mind. Its history before the trace is unknown, and so is, now and
 * then, an input of a decision; so a few beliefs are kept side by side, each a governor's state and how badly the record
 * contradicts it. Each decision is read in every way its inputs allow; what the record then shows keeps the good beliefs.
 */
#ifndef REPLAY_BELIEFS_H
#define REPLAY_BELIEFS_H

#include "replay/inputs.h"
#include "replay/past.h"

#define BELIEFS_MAX 4
#define READINGS_MAX 5 /* ways to read one decision's inputs */

struct beliefs;

/** struct belief_decision - how the best belief decides, before the record's choice is looked at; valid until the outcome is told */
struct belief_decision {
	const struct sight *sight;
	const struct policy_input *input;
	const struct policy_decision *decision;
	bool split;	    /* an unknown input could be so that another state comes out */
	const void *state;  /* the policy's after the decision */
	const void *before; /* and before it */
};

/** beliefs_new - a freshly enabled governor; @policy and @table must outlive it; NULL: no memory */
struct beliefs *beliefs_new(const struct cpir_policy *policy, const struct cpir_table *table);
void beliefs_free(struct beliefs *beliefs);

/** beliefs_keep_past - remember from now on what was decided, or forget it */
void beliefs_keep_past(struct beliefs *beliefs, bool keep);

/** beliefs_past - what the governor has lived through as the best belief has it, NULL nothing; valid until the next call */
const struct past *beliefs_past(const struct beliefs *beliefs);

/** beliefs_stretch - a stretch begins: the tick runs */
void beliefs_stretch(struct beliefs *beliefs);

/** beliefs_decide - decide @period in all beliefs and readings */
void beliefs_decide(struct beliefs *beliefs, const struct context *context,
		    const struct period *period, struct belief_decision *ret_best);

/** beliefs_follow - the same for a policy that is not the record's: @period is taken as another run marked it */
void beliefs_follow(struct beliefs *beliefs, const struct context *context,
		    const struct period *period, struct belief_decision *ret_best);

/**
 * beliefs_learn - look at what the record chose, keep the beliefs it speaks for, tell them the outcome
 * @period: its tick_kept and overdue, and where no event tells also next_hrtimer_ns and tick_stopped, become what the best belief
 *          now holds to be true
 * Returns: 0 or -ENOMEM
 */
int beliefs_learn(struct beliefs *beliefs, const struct context *context, struct period *period,
		  const struct policy_outcome *outcome);

/** beliefs_settle - the marks of all periods so far stay as they are: they are used, or gone */
void beliefs_settle(struct beliefs *beliefs);

#endif
