/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The clocks of a recording: timers expire in CLOCK_MONOTONIC (or CLOCK_REALTIME), the timer wheel counts jiffies,
 * events carry the trace clock. All three are learned from the events themselves in a first pass and then only asked.
 */
#ifndef MODEL_CLOCK_H
#define MODEL_CLOCK_H

#include "base/array.h"
#include "trace/event.h"

#define TIME_NONE INT64_MAX /* no such time */

/* Half of what fits, 146 years: sums with the offsets of other clocks and with expiries still fit. */
#define TIME_MAX_NS (INT64_MAX / 2)

/** struct clock_window - the best offset seen in one stretch of trace time */
struct clock_window {
	uint64_t begin_ns;
	int64_t offset_ns; /* timer clock minus trace clock: the largest seen, delays only lower it */
	uint32_t samples;
};

/**
 * struct clock_line - offset of one timer clock over the whole trace
 * @ticked: the tick, of which it is known what clock it counts in, has told an offset
 * @tick_offset_ns: the last that it told
 * @foreign: samples of another clock that is ahead of this one (CLOCK_BOOTTIME where the machine was suspended), not taken
 */
struct clock_line {
	bool ticked;
	int64_t tick_offset_ns;
	uint64_t foreign;
	/* By time; each begins at a multiple of the same step. */
	ARRAY(struct clock_window) windows;
	/* By steps since the first one's begin: which window; NULL: search. */
	uint32_t *index;
	size_t index_len;
};

/** struct clocks - zero-initialise, feed, finish, then ask; clocks_free() at the end */
struct clocks {
	struct clock_line mono, real;
	uint64_t hz_votes[8]; /* by candidate of clocks_hz_candidates */
	uint64_t tick_samples;
	uint32_t hz_seen; /* as the tick timers say, 0 they do not */
	uint32_t hz;	  /* result, or what was set beforehand; 0 unknown */
	enum hz_origin {
		HZ_UNKNOWN,
		HZ_GIVEN,    /* by the platform or an option */
		HZ_TICKS,    /* inferred from the tick timer's expiries */
		HZ_GATHERED, /* inferred from where periods end */
	} hz_origin;
	int64_t tick_ns;       /* 0 unknown */
	int64_t tick_phase_ns; /* CLOCK_MONOTONIC time of a tick modulo tick_ns */
	bool tick_phase_known;
	uint64_t jiffies_seen; /* samples of (jiffies, time) */
	int64_t jiffies_zero_ns; /* CLOCK_MONOTONIC time at which jiffies was 0, modulo nothing; valid if jiffies_seen */
	ARRAY(struct {
		uint64_t timer; /* 0: none was armed */
		int64_t expires_ns;
	})
	last_tick; /* by CPU, the tick armed last */
	ARRAY(struct {
		uint64_t jiffies;
		uint64_t time_ns;
	})
	jiffies; /* bounded sample, resolved by clocks_finish() */
};

/** clocks_feed - learn from one event; any order of CPUs, time order within each. 0 or -ENOMEM */
int clocks_feed(struct clocks *clocks, const struct event *event);

/** clocks_finish - settle HZ (unless @hz is not 0), tick grid and jiffies; call once after the last event */
void clocks_finish(struct clocks *clocks, uint32_t hz);

/** clocks_take_grid - no timer events told the tick rate: @hz with ticks at @phase_ns of the trace clock; 0 or -ENOMEM */
int clocks_take_grid(struct clocks *clocks, uint32_t hz, int64_t phase_ns);
void clocks_free(struct clocks *clocks);

/** clocks_to_mono - an hrtimer's expiry in CLOCK_MONOTONIC, whatever clock it counts in; TIME_NONE when unknown */
int64_t clocks_to_mono(const struct clocks *clocks, int64_t expires_ns, uint64_t near_ns);

/** clocks_to_trace - trace time (ns) of an expiry of an hrtimer; TIME_NONE when no offset is known */
int64_t clocks_to_trace(const struct clocks *clocks, int64_t expires_ns, uint64_t near_ns);

/** clocks_jiffy_to_mono - CLOCK_MONOTONIC time at which jiffies becomes @jiffies; TIME_NONE when unknown */
int64_t clocks_jiffy_to_mono(const struct clocks *clocks, uint64_t jiffies);

/** clocks_mono_to_jiffy - the jiffy closest to @mono_ns of CLOCK_MONOTONIC; 0 when unknown */
uint64_t clocks_mono_to_jiffy(const struct clocks *clocks, int64_t mono_ns);

/** clocks_tick_base - trace time of the last tick of the grid at or before @time_ns; TIME_NONE when unknown */
int64_t clocks_tick_base(const struct clocks *clocks, int64_t time_ns);

/** clocks_mono_offset - CLOCK_MONOTONIC minus trace clock around @near_ns; false when unknown */
bool clocks_mono_offset(const struct clocks *clocks, uint64_t near_ns, int64_t *ret_offset_ns);

#endif
