/* SPDX-License-Identifier: GPL-2.0-only */
/* Times of the trace in sentences: a format and its arguments. */
#ifndef REPLAY_MOMENT_H
#define REPLAY_MOMENT_H

#include <inttypes.h>

#define MOMENT "%" PRIu64 ".%09" PRIu64
#define SECONDS(ns) (uint64_t)(ns) / 1000000000, (uint64_t)(ns) % 1000000000

#endif
