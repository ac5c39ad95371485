/* SPDX-License-Identifier: GPL-2.0-only */
/* The common way of report, replay and compare: study the trace, write what was found. */
#ifndef CLI_STUDY_H
#define CLI_STUDY_H

#include "cli/options.h"

/**
 * study_run - study, and write the result as the options say
 * @ret_result: freed by the caller; set when the exit status is 0
 * Returns: an exit status, having said what is wrong
 */
int study_run(struct study_args *args, struct cpir_result **ret_result);

/** policy_check - whether @spec can be a policy, its kernel given or still to come from a trace: an exit status */
int policy_check(const char *spec, const char *kernel);

/** study_cleanup - for _cleanup_() */
void study_cleanup(struct cpir_result **result);

/** parse_trace - the common end of an argp parser: one operand, the trace, into @args */
error_t parse_trace(int key, char *arg, struct argp_state *state, struct study_args *args);

#endif
