/* SPDX-License-Identifier: GPL-2.0-only */
/* Limits on a result that decide the exit status: for scripts that watch a machine, a model or a patch. */
#ifndef CLI_THRESHOLD_H
#define CLI_THRESHOLD_H

#include "cpuidle-replay.h"

#include <argp.h>

/** struct thresholds - in per cent; negative: not asked for. Start from thresholds_none. */
struct thresholds {
	double agreement;    /* least share of decisions that agree with the record */
	double above, below; /* highest share of periods of the judged run */
};

extern const struct thresholds thresholds_none;

/* Parsers to be taken in as children; the input is a struct thresholds. */
extern const struct argp miss_threshold_argp; /* above and below */
extern const struct argp threshold_argp;      /* agreement, too */

/**
 * thresholds_judge - 0, or exit status 3 after one line on standard error that says which limits do not hold
 * Above and below are judged in the last run of @result: the last policy of a comparison, else the record.
 */
int thresholds_judge(const struct thresholds *thresholds, const struct cpir_result *result);

#endif
