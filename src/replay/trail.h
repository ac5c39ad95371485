/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How the last periods were read on the way to a belief. When another belief becomes the best one, they are marked as it has
 * read them: what is simulated then sees inputs that go together.
 */
#ifndef REPLAY_TRAIL_H
#define REPLAY_TRAIL_H

#include "replay/inputs.h"

#define TRAIL_LENGTH 32 /* a governor remembers less */

/** struct trail - a ring, to be copied as a whole; all zero is empty */
struct trail {
	struct {
		struct period *period;
		int64_t hrtimer_ns;
		bool tick_kept, tick_stopped;
	} marks[TRAIL_LENGTH];
	unsigned end, length;
};

/** trail_add - @period, which must outlive the trail, was read as @sight; the oldest one is forgotten */
void trail_add(struct trail *trail, struct period *period, const struct sight *sight);

/** trail_mark - mark all of them as they were read */
void trail_mark(const struct trail *trail);

/** trail_clear - none of them will be marked any more */
void trail_clear(struct trail *trail);

#endif
