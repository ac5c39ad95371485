// SPDX-License-Identifier: GPL-2.0-only
/* Buckets of the timer wheel. */
#include "model/wheel.h"

#include "model/timers.h"

#define LEVEL_BUCKETS 64
#define LEVEL_SHIFT 3 /* log2 of the step in granularity between levels */

/* As traced, else from its level, which its index tells. */
uint64_t wheel_bucket(const struct event *event)
{
	uint32_t index = event->u.timer.flags >> TIMER_FLAG_INDEX_SHIFT;
	uint32_t shift = index / LEVEL_BUCKETS * LEVEL_SHIFT;
	uint64_t bucket = (event->u.timer.expires >> shift) + 1;

	if (event->u.timer.bucket)
		return event->u.timer.bucket;
	/* An expiry already past lands in the bucket of now instead. */
	if (shift == 0 && bucket % LEVEL_BUCKETS != index)
		bucket = event->u.timer.now + (index - event->u.timer.now) % LEVEL_BUCKETS;
	return bucket << shift;
}
