/* SPDX-License-Identifier: GPL-2.0-only */
/* Fitting the constants that no event shows to the decisions the record took. */
#ifndef REPLAY_FIT_H
#define REPLAY_FIT_H

#include "base/crew.h"
#include "replay/context.h"

#define FIT_PERIODS 12000 /* enough verdicts near every threshold, and bounded */

/** struct fit_sample - the first stretches of a recording, bounded; they are another's. fit_sample_free() at the end */
struct fit_sample {
	ARRAY(const struct stretch *) stretches;
	size_t periods;
};

/** fit_sample_add - let @stretch, which stays where it is, take part, unless there are enough; 0 or -ENOMEM */
int fit_sample_add(struct fit_sample *sample, const struct stretch *stretch);
void fit_sample_free(struct fit_sample *sample);

/**
 * fit_account_cost - the cost of a trace event by the kernel's own verdicts in @sample, into @learned, whose event_cost_ns
 *                    decides where they leave it open
 * Only for recordings with cpu_idle_miss events. Returns 0 or -ENOMEM.
 */
int fit_account_cost(const struct fit_sample *sample, const struct cpir_platform *platform,
		     struct learned *learned);

/**
 * fit_constants - choose the idle entry delays and the event cost under which @policy decides most of @sample as the
 *                 record did; where that tells little, those that the cost of an event suggests
 * @context: its @learned is what is fitted, starting from what it holds
 * @learned: the same, writable
 * @crew: to share the work, NULL: alone; what is chosen does not depend on it
 * Returns 0 or -ENOMEM.
 */
int fit_constants(const struct fit_sample *sample, const struct context *context,
		  const struct cpir_policy *policy, struct learned *learned, struct crew *crew);

#endif
