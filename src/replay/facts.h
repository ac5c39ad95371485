/* SPDX-License-Identifier: GPL-2.0-only */
/* What the numbers of a study rest on, in sentences: assumptions, learned constants, missing events and warnings. */
#ifndef REPLAY_FACTS_H
#define REPLAY_FACTS_H

#include "replay/result.h"
#include "replay/study.h"

/** fact_add - a copy of @fact, whose strings live as long as the result; 0, or -ENOMEM, also when a string is NULL */
int fact_add(struct result_owner *owner, const struct cpir_fact *fact);

/** facts_inferred - disabled states, limits, ticks and timers that no event tells; part of facts_fill() */
int facts_inferred(const struct study *study, struct result_owner *owner);

/** facts_options - options that change the numbers; part of facts_fill() */
int facts_options(const struct study *study, struct result_owner *owner);

/** facts_fill - add facts, missing events and warnings to @owner's result; 0 or -ENOMEM */
int facts_fill(const struct study *study, struct result_owner *owner);

#endif
