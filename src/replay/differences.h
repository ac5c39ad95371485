/* SPDX-License-Identifier: GPL-2.0-only */
/* The decisions of the record that a verification run takes otherwise, one by one. */
#ifndef REPLAY_DIFFERENCES_H
#define REPLAY_DIFFERENCES_H

#include "base/array.h"
#include "replay/verify.h"

/** struct differences - @limit: how many of the first in time to keep; zero-initialise the rest */
struct differences {
	uint32_t limit;
	uint64_t total;
	bool failed; /* no memory for some */
	ARRAY(struct cpir_difference) rows;
};

/** differences_watch - fits verify_watch() with a struct differences; decisions of the warm-up are left out */
void differences_watch(void *arg, const struct verified *verified);

/** differences_finish - bring the rows into time order; 0 or -ENOMEM when some had no room */
int differences_finish(struct differences *differences);
void differences_deinit(struct differences *differences);

#endif
