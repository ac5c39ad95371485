/* SPDX-License-Identifier: GPL-2.0-only */
/* Fitting the idle entry delays. */
#ifndef REPLAY_FIT_ENTRY_H
#define REPLAY_FIT_ENTRY_H

#include "replay/fit_tape.h"

#define ENTRY_PROBES 3

/** entry_expect - set the delays of @learned to what is expected of them before any decision was looked at */
void entry_expect(struct learned *learned);

/** entry_probes - the ends of what the delays may be: decisions that are the same there do not hang on them */
void entry_probes(const struct learned *learned, struct learned ret_probes[ENTRY_PROBES]);

/** entry_fit - by the hanging decisions of @tape, recorded with @learned as entry_expect() has set it */
void entry_fit(struct tape *tape, struct learned *learned);

#endif
