/* SPDX-License-Identifier: GPL-2.0-only */
/* The public result and the memory behind it. */
#ifndef REPLAY_RESULT_H
#define REPLAY_RESULT_H

#include "base/array.h"
#include "cpuidle-replay.h"

/** struct result_owner - a result (first member, so that the public pointer finds its owner) and all its strings */
struct result_owner {
	struct cpir_result result;
	ARRAY(char *) strings;
	ARRAY(struct cpir_fact) facts;
	ARRAY(const char *) warnings;
	ARRAY(const char *) missing;
};

/** result_text - a formatted string that lives as long as the result; NULL: no memory */
const char *result_text(struct result_owner *owner, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif
