/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From the time stamps of the ring buffer to the times of the events: the conversions that the options of a trace file
 * ask for, in the order trace-cmd applies them (guest to host, cycles to nanoseconds, offset).
 */
#ifndef TRACE_TIMEBASE_H
#define TRACE_TIMEBASE_H

#include "base/error.h"
#include "trace/bytes.h"

/** struct timebase_sample - one measured correction of a guest CPU's clock; applies from @time on */
struct timebase_sample {
	uint64_t time, scaling, fraction;
	int64_t offset;
};

struct timebase_cpu {
	struct timebase_sample *samples; /* in time order */
	uint32_t count;
};

/** struct timebase - zero-initialised: times stay as they are */
struct timebase {
	uint64_t offset_ns;   /* added last, modulo 2^64 */
	uint32_t mult, shift; /* cycles × mult >> shift, mult 0: none */
	bool interpolate;
	struct timebase_cpu *cpus;
	uint32_t cpu_count;
};

/**
 * timebase_parse_shift - take in a TIME_SHIFT option
 * @swap: the option has the other byte order
 * Returns: 0, -EBADMSG (it does not hold what it announces), -ENOMEM
 */
int timebase_parse_shift(struct timebase *base, struct span option, bool swap);
void timebase_free(struct timebase *base);

/** timebase_is_offset - nothing to do for events of @cpu but adding offset_ns */
bool timebase_is_offset(const struct timebase *base, uint32_t cpu);

/** timebase_convert - time stamp @time of @cpu in the trace's clock */
uint64_t timebase_convert(const struct timebase *base, uint32_t cpu, uint64_t time);

#endif
