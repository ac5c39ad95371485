/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Idle periods from cpu_idle alone, for what asks no more of them than state, length and the kernel's verdict. The verdict
 * comes after the end, so a period is complete only when the next one begins.
 */
#ifndef MODEL_PAIRS_H
#define MODEL_PAIRS_H

#include "model/timeline.h"

/** struct pair - a period whose begin and end are in the trace */
struct pair {
	uint64_t enter_ns, exit_ns;
	int16_t state;
	uint8_t kernel_miss; /* enum miss */
};

/** struct pairing - one CPU's; zero-initialise */
struct pairing {
	struct pair pair;
	bool asleep, ended;
};

/** pairing_feed - the CPU's next cpu_idle, cpu_idle_miss or lost event; true: @ret_pair is a period complete by now */
bool pairing_feed(struct pairing *pairing, const struct event *event, struct pair *ret_pair);

/** pairing_finish - the trace is over; true as above */
bool pairing_finish(struct pairing *pairing, struct pair *ret_pair);

#endif
