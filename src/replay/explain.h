/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Single decisions of the record, step by step: which ones are to be explained, what they saw, what the baseline and other
 * policies make of them, and what followed.
 */
#ifndef REPLAY_EXPLAIN_H
#define REPLAY_EXPLAIN_H

#include "base/error.h"
#include "model/timeline.h"
#include "replay/verify.h"

struct study;
struct explain;

/**
 * explain_new - after study_prepare(), with the baseline's verification run made; @study must outlive it
 * Errors: -EINVAL (the query is none, its CPU or time is not in the trace), those of making the policies, -ENOMEM
 */
int explain_new(const struct study *study, struct explain **ret_explain, struct cpir_error *err);
void explain_free(struct explain *explain);

/** explain_watch - fits verify_watch(): a decision of the baseline */
void explain_watch(void *arg, const struct verified *verified);

/** explain_stretch - after the baseline's verification of @stretch: the other policies decide it; 0 or -ENOMEM */
int explain_stretch(struct explain *explain, struct stretch *stretch, bool counts);

/**
 * explain_finish - when the trace is over
 * Errors: -ENODATA when the decision asked for does not exist, -EFAULT when a policy of foreign code failed
 */
int explain_finish(struct explain *explain, struct cpir_error *err);

/** explain_take - hand over what was explained, the worst first; explained_free() each, and free() the array. 0 or -ENOMEM */
int explain_take(struct explain *explain, struct cpir_explained **ret_explained, size_t *ret_count);

/** explained_free - free what @explained holds */
void explained_free(struct cpir_explained *explained);

/* explain_inputs.c */

/**
 * explain_inputs - what the governor saw at @verified, and where each thing comes from
 * @before: the decision before it on that CPU, NULL: none known
 */
void explain_inputs(const struct study *study, const struct verified *verified,
		    const struct period *before, struct cpir_explained *explained);

#endif
