// SPDX-License-Identifier: GPL-2.0-only
/* Learning how the clocks of a recording relate. */
#include "model/clock.h"

#include <errno.h>
#include <stdlib.h>

/* Offsets drift by some hundred ppm between a free-running trace clock and a disciplined CLOCK_MONOTONIC. */
#define WINDOW_NS 250000000ULL
/* Expiries of CLOCK_REALTIME lie decades after boot: anything beyond 20 years of ns is no uptime. */
#define REALTIME_FROM_NS (20LL * 365 * 86400 * 1000000000LL)
/* CLOCK_BOOTTIME is ahead of CLOCK_MONOTONIC by the time spent suspended; what is closer is a late handler. */
#define FOREIGN_NS 1000000000LL
#define JIFFIES_SAMPLES 4096
#define HZ_VOTES_MIN 3

static const uint32_t hz_candidates[8] = {100, 128, 200, 250, 256, 300, 1000, 1024};

static int64_t tick_period_ns(uint32_t hz)
{
	return (1000000000 + hz / 2) / hz;
}

/* The tick counts in CLOCK_MONOTONIC for certain: what was taken before it showed and is far beyond was another clock's. */
static void line_tick(struct clock_line *line, int64_t offset_ns)
{
	if (!line->ticked) {
		for (size_t i = 0; i < line->windows.len; i++) {
			if (line->windows.ptr[i].offset_ns <= offset_ns + FOREIGN_NS)
				continue;
			line->foreign += line->windows.ptr[i].samples;
			line->windows.ptr[i].offset_ns = offset_ns;
		}
	}
	line->ticked = true;
	line->tick_offset_ns = offset_ns;
}

static int line_feed(struct clock_line *line, uint64_t time_ns, int64_t offset_ns)
{
	uint64_t begin_ns = time_ns - time_ns % WINDOW_NS;
	size_t i = line->windows.len;
	struct clock_window *window;

	if (line->ticked && offset_ns > line->tick_offset_ns + FOREIGN_NS) {
		line->foreign++;
		return 0;
	}
	while (i > 0 && line->windows.ptr[i - 1].begin_ns > begin_ns)
		i--;
	if (i > 0 && line->windows.ptr[i - 1].begin_ns == begin_ns) {
		window = &line->windows.ptr[i - 1];
		if (offset_ns > window->offset_ns)
			window->offset_ns = offset_ns;
		window->samples++;
		return 0;
	}
	if (i < line->windows.len)
		return 0; /* a straggler of a window that had no sample when it passed: the neighbours serve */
	window = array_add(&line->windows);
	if (!window)
		return -ENOMEM;
	*window = (struct clock_window){begin_ns, offset_ns, 1};
	return 0;
}

/* The last window that begins at or before @time_ns, else the first. */
static size_t line_search(const struct clock_line *line, uint64_t time_ns)
{
	size_t lo = 0, hi = line->windows.len;

	while (hi - lo > 1) {
		size_t mid = lo + (hi - lo) / 2;

		if (line->windows.ptr[mid].begin_ns <= time_ns)
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}

/* An absurd time stamp must not make the index large. */
#define SLOTS_PER_WINDOW 16
#define SLOTS_SPARE 4096

/* Where to find the window of a time without searching: asked several times for each decision. */
static void line_index(struct clock_line *line)
{
	const struct clock_window *windows = line->windows.ptr;
	size_t len = line->windows.len;
	uint64_t slots;

	if (!len)
		return;
	slots = (windows[len - 1].begin_ns - windows[0].begin_ns) / WINDOW_NS + 1;
	if (slots > len * SLOTS_PER_WINDOW + SLOTS_SPARE)
		return;
	line->index = malloc(slots * sizeof(*line->index));
	if (!line->index)
		return; /* slower, no worse */
	line->index_len = (size_t)slots;
	for (size_t slot = 0, i = 0; slot < slots; slot++) {
		while (i + 1 < len &&
		       windows[i + 1].begin_ns <= windows[0].begin_ns + slot * WINDOW_NS)
			i++;
		line->index[slot] = (uint32_t)i;
	}
}

static const struct clock_window *line_window(const struct clock_line *line, uint64_t time_ns)
{
	const struct clock_window *windows = line->windows.ptr;
	uint64_t slot;

	if (!line->windows.len)
		return NULL;
	if (!line->index)
		return &windows[line_search(line, time_ns)];
	if (time_ns < windows[0].begin_ns)
		return windows;
	slot = (time_ns - windows[0].begin_ns) / WINDOW_NS;
	return &windows[line->index[slot < line->index_len ? slot : line->index_len - 1]];
}

static void line_free(struct clock_line *line)
{
	array_free(&line->windows);
	free(line->index);
	line->index = NULL;
}

/* The tick re-arms itself one period later: the step between its expiries votes for HZ. */
static int vote_hz(struct clocks *clocks, const struct event *event)
{
	__typeof__(clocks->last_tick.ptr) last;
	int64_t step = 0;
	bool same;

	while (clocks->last_tick.len <= event->cpu) {
		if (!array_add(&clocks->last_tick))
			return -ENOMEM;
	}
	last = &clocks->last_tick.ptr[event->cpu];
	same = last->timer == event->u.hrtimer.timer &&
	       !__builtin_sub_overflow(event->u.hrtimer.expires_ns, last->expires_ns, &step);
	last->timer = event->u.hrtimer.timer;
	last->expires_ns = event->u.hrtimer.expires_ns;
	if (!same)
		return 0;
	for (size_t i = 0; i < array_size(hz_candidates); i++) {
		if (step != tick_period_ns(hz_candidates[i]))
			continue;
		clocks->hz_votes[i]++;
		clocks->tick_samples++;
	}
	return 0;
}

static int sample_jiffies(struct clocks *clocks, uint64_t jiffies, uint64_t time_ns)
{
	__typeof__(clocks->jiffies.ptr) sample;

	if (!jiffies || clocks->jiffies.len >= JIFFIES_SAMPLES)
		return 0;
	sample = array_add(&clocks->jiffies);
	if (!sample)
		return -ENOMEM;
	sample->jiffies = jiffies;
	sample->time_ns = time_ns;
	return 0;
}

/* What a timer's handler says about its clock. */
static int sample_now(struct clocks *clocks, const struct event *event)
{
	int64_t now = event->u.hrtimer.expires_ns;
	struct clock_line *line = now < REALTIME_FROM_NS ? &clocks->mono : &clocks->real;
	int64_t offset_ns;

	if (now < 0 || now > TIME_MAX_NS || event->time_ns > TIME_MAX_NS)
		return 0;
	offset_ns = now - (int64_t)event->time_ns;
	if (event->u.hrtimer.tick && line == &clocks->mono)
		line_tick(line, offset_ns);
	return line_feed(line, event->time_ns, offset_ns);
}

int clocks_feed(struct clocks *clocks, const struct event *event)
{
	switch (event->type) {
	case EV_HRTIMER_EXPIRE_ENTRY:
		return sample_now(clocks, event);
	case EV_HRTIMER_START:
		return event->u.hrtimer.tick ? vote_hz(clocks, event) : 0;
	case EV_TIMER_START:
	case EV_TIMER_EXPIRE_ENTRY:
		return sample_jiffies(clocks, event->u.timer.now, event->time_ns);
	default:
		return 0;
	}
}

static void settle_hz(struct clocks *clocks, uint32_t hz)
{
	size_t best = 0;

	for (size_t i = 1; i < array_size(hz_candidates); i++) {
		if (clocks->hz_votes[i] > clocks->hz_votes[best])
			best = i;
	}
	if (clocks->hz_votes[best] >= HZ_VOTES_MIN &&
	    clocks->hz_votes[best] * 2 > clocks->tick_samples)
		clocks->hz_seen = hz_candidates[best];
	clocks->hz = hz ? hz : clocks->hz_seen;
	clocks->hz_origin = hz ? HZ_GIVEN : clocks->hz_seen ? HZ_TICKS : HZ_UNKNOWN;
	clocks->tick_ns = clocks->hz ? tick_period_ns(clocks->hz) : 0;
}

/* The grid: expiries of all tick timers modulo the period; a majority vote, because CPUs may be skewed on purpose. */
static void settle_phase(struct clocks *clocks)
{
	uint64_t votes = 0;

	if (!clocks->tick_ns)
		return;
	for (size_t i = 0; i < clocks->last_tick.len; i++) {
		int64_t phase;

		if (!clocks->last_tick.ptr[i].timer)
			continue;
		phase = clocks->last_tick.ptr[i].expires_ns % clocks->tick_ns;
		if (!votes)
			clocks->tick_phase_ns = phase;
		votes += clocks->tick_phase_ns == phase ? 1 : (uint64_t)-1;
		clocks->tick_phase_known = true;
	}
}

/* What jiffies was at a known time gives the time at which it was 0; now and then it is updated late, so: majority. */
static void settle_jiffies(struct clocks *clocks)
{
	uint64_t votes = 0;

	if (!clocks->tick_phase_known)
		return;
	for (size_t i = 0; i < clocks->jiffies.len; i++) {
		uint64_t time_ns = clocks->jiffies.ptr[i].time_ns;
		int64_t offset_ns, mono_ns, zero_ns;

		if (!clocks_mono_offset(clocks, time_ns, &offset_ns))
			return;
		mono_ns = (int64_t)time_ns + offset_ns;
		mono_ns -= (mono_ns - clocks->tick_phase_ns) % clocks->tick_ns;
		if (__builtin_mul_overflow((int64_t)clocks->jiffies.ptr[i].jiffies, clocks->tick_ns,
					   &zero_ns))
			continue;
		zero_ns = mono_ns - zero_ns;
		clocks->jiffies_seen++;
		if (!votes)
			clocks->jiffies_zero_ns = zero_ns;
		votes += clocks->jiffies_zero_ns == zero_ns ? 1 : (uint64_t)-1;
	}
}

void clocks_finish(struct clocks *clocks, uint32_t hz)
{
	line_index(&clocks->mono);
	line_index(&clocks->real);
	settle_hz(clocks, hz);
	settle_phase(clocks);
	settle_jiffies(clocks);
	array_free(&clocks->last_tick);
	array_free(&clocks->jiffies);
}

int clocks_take_grid(struct clocks *clocks, uint32_t hz, int64_t phase_ns)
{
	if (!clocks->hz) {
		clocks->hz = hz;
		clocks->hz_origin = HZ_GATHERED;
		clocks->tick_ns = tick_period_ns(hz);
	}
	clocks->tick_phase_ns = phase_ns;
	clocks->tick_phase_known = true;
	/* Nothing tells CLOCK_MONOTONIC from the trace clock, and nothing needs to. */
	return line_feed(&clocks->mono, 0, 0);
}

void clocks_free(struct clocks *clocks)
{
	line_free(&clocks->mono);
	line_free(&clocks->real);
	array_free(&clocks->last_tick);
	array_free(&clocks->jiffies);
}

bool clocks_mono_offset(const struct clocks *clocks, uint64_t near_ns, int64_t *ret_offset_ns)
{
	const struct clock_window *window = line_window(&clocks->mono, near_ns);

	if (!window)
		return false;
	*ret_offset_ns = window->offset_ns;
	return true;
}

int64_t clocks_to_mono(const struct clocks *clocks, int64_t expires_ns, uint64_t near_ns)
{
	int64_t trace_ns, offset_ns;

	if (expires_ns < REALTIME_FROM_NS)
		return expires_ns;
	trace_ns = clocks_to_trace(clocks, expires_ns, near_ns);
	if (trace_ns == TIME_NONE || !clocks_mono_offset(clocks, near_ns, &offset_ns) ||
	    __builtin_add_overflow(trace_ns, offset_ns, &trace_ns))
		return TIME_NONE;
	return trace_ns;
}

int64_t clocks_to_trace(const struct clocks *clocks, int64_t expires_ns, uint64_t near_ns)
{
	const struct clock_line *line =
		expires_ns < REALTIME_FROM_NS ? &clocks->mono : &clocks->real;
	const struct clock_window *window = line_window(line, near_ns);
	int64_t result;

	if (expires_ns == TIME_NONE || !window ||
	    __builtin_sub_overflow(expires_ns, window->offset_ns, &result))
		return TIME_NONE;
	return result;
}

int64_t clocks_jiffy_to_mono(const struct clocks *clocks, uint64_t jiffies)
{
	int64_t mono_ns;

	if (!clocks->jiffies_seen || !clocks->tick_ns ||
	    __builtin_mul_overflow((int64_t)jiffies, clocks->tick_ns, &mono_ns) ||
	    __builtin_add_overflow(mono_ns, clocks->jiffies_zero_ns, &mono_ns) ||
	    mono_ns > TIME_MAX_NS)
		return TIME_NONE;
	return mono_ns;
}

uint64_t clocks_mono_to_jiffy(const struct clocks *clocks, int64_t mono_ns)
{
	int64_t since_ns;

	if (!clocks->jiffies_seen || !clocks->tick_ns ||
	    __builtin_sub_overflow(mono_ns, clocks->jiffies_zero_ns, &since_ns) || since_ns < 0 ||
	    since_ns > INT64_MAX - clocks->tick_ns)
		return 0;
	return (uint64_t)((since_ns + clocks->tick_ns / 2) / clocks->tick_ns);
}

int64_t clocks_tick_base(const struct clocks *clocks, int64_t time_ns)
{
	int64_t offset_ns, into_ns;

	if (!clocks->tick_phase_known || !clocks_mono_offset(clocks, (uint64_t)time_ns, &offset_ns))
		return TIME_NONE;
	into_ns = (time_ns + offset_ns - clocks->tick_phase_ns) % clocks->tick_ns;
	return time_ns - into_ns;
}
