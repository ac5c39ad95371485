/* SPDX-License-Identifier: GPL-2.0-only */
/* What the numbers of a study rest on, in sentences: assumptions, learned constants, missing events and warnings. */
#ifndef REPLAY_FACTS_H
#define REPLAY_FACTS_H

#include "replay/result.h"
#include "replay/study.h"

/** facts_fill - add facts, missing events and warnings to @owner's result; 0 or -ENOMEM */
int facts_fill(const struct study *study, struct result_owner *owner);

#endif
