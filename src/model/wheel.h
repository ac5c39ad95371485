/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The timer wheel keeps whole buckets: a timer expires when jiffies reaches the end of its bucket, whose width grows
 * eightfold with each of the levels.
 */
#ifndef MODEL_WHEEL_H
#define MODEL_WHEEL_H

#include "trace/event.h"

/** wheel_bucket - the jiffy at which the bucket expires that a timer_start @event puts its timer in */
uint64_t wheel_bucket(const struct event *event);

#endif
