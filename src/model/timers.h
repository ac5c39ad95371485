/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pending timers per CPU: which expiry comes next. One instance for hrtimers (expiries in trace time), one for the
 * timer wheel (expiries in trace time of the bucket). A timer is known by its address and lies on one CPU.
 */
#ifndef MODEL_TIMERS_H
#define MODEL_TIMERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct timers;

/* Bits of a wheel timer's flags, as timer_start shows them (4.8 and later). */
#define TIMER_FLAG_CPU_MASK 0x0003ffffu
#define TIMER_FLAG_DEFERRABLE 0x00080000u
#define TIMER_FLAG_PINNED 0x00100000u
#define TIMER_FLAG_INDEX_SHIFT 22 /* the wheel's bucket */

/** struct timer_entry - one pending timer */
struct timer_entry {
	uint64_t address;
	int64_t expires_ns; /* as given to timers_start(), any clock the caller likes, one clock per instance */
	uint32_t cpu;
	uint32_t flags; /* the caller's */
	uint64_t started_ns;
	uint64_t function; /* what it calls, 0 unknown */
};

/* Timers lie at even addresses: odd ones stand for those of which no event names one. */
static inline uint64_t timer_unseen(uint64_t number)
{
	return number << 1 | 1;
}

static inline bool timer_is_unseen(uint64_t address)
{
	return address & 1;
}

/** struct timer_name - which timer: its address and what it calls, 0 unknown */
struct timer_name {
	uint64_t address, function;
};

/** timers_new - for CPUs 0 … @cpus-1; NULL: no memory */
struct timers *timers_new(uint32_t cpus);
void timers_free(struct timers *timers);

/** timers_start - arm @entry->address (again, on whichever CPU); 0 or -ENOMEM */
int timers_start(struct timers *timers, const struct timer_entry *entry);

/** timers_stop - the timer expired or was cancelled; false when it was not known */
bool timers_stop(struct timers *timers, uint64_t address);

/** timers_find - the pending timer at @address, NULL; valid until the next change */
const struct timer_entry *timers_find(const struct timers *timers, uint64_t address);

/** timers_count - pending timers of all CPUs */
size_t timers_count(const struct timers *timers);

/** timers_next - earliest pending timer of @cpu, NULL: none; valid until the next change */
const struct timer_entry *timers_next(const struct timers *timers, uint32_t cpu);

/** timers_drop_before - forget timers of @cpu that should have expired before @time_ns and were never seen to: how many */
size_t timers_drop_before(struct timers *timers, uint32_t cpu, int64_t time_ns);

/** timers_walk - call @fn for each pending timer of @cpu, in no order */
void timers_walk(const struct timers *timers, uint32_t cpu,
		 void (*fn)(void *arg, const struct timer_entry *entry), void *arg);

#endif
