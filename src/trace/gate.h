/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a CPU does decides whether what it writes is of use to who asks for idle CPUs: most of what it writes while a task runs
 * is not, and is passed by before it is decoded. For cursor.c.
 */
#ifndef TRACE_GATE_H
#define TRACE_GATE_H

#include "trace/source.h"

#define GATE_SLEEPERS 1024

/**
 * struct gate - of one CPU; zero-initialise
 * @closed: types that do not pass while @busy, bit per enum event_type; 0: everything passes
 * @softirqs_closed: neither does EV_SOFTIRQ_ENTRY, but of @softirq
 * @busy: a task runs, by the last sched_switch
 * @slept: by pid, tasks that went to sleep here as if they waited for a disk. None is forgotten, and who shares a place with
 *         one counts as one: then more passes than has to.
 */
struct gate {
	uint64_t closed;
	bool softirqs_closed;
	int32_t softirq;
	bool busy;
	bool slept[GATE_SLEEPERS];
};

static inline void gate_close(struct gate *gate, const struct trace_gate *asked)
{
	uint64_t softirqs = asked->types & EVENT_BIT(EV_SOFTIRQ_ENTRY);

	gate->closed = asked->types & ~softirqs;
	gate->softirqs_closed = softirqs;
	gate->softirq = asked->softirq;
}

static inline bool gate_closes_softirq(const struct gate *gate, int32_t softirq)
{
	return gate->busy && gate->softirqs_closed && softirq != gate->softirq;
}

/**
 * gate_switch - @prev_pid gives way to @next_pid
 * Returns: whether that is of use; from one task to another it is only if the first goes to sleep as if it waited for a disk,
 * or if nothing had told that a task runs: the switch that did is missing
 */
static inline bool gate_switch(struct gate *gate, int32_t prev_pid, int32_t next_pid,
			       uint32_t prev_state)
{
	bool waits = prev_state == EVENT_TASK_UNINTERRUPTIBLE;
	bool was_busy = gate->busy;

	gate->busy = next_pid != 0;
	if (waits)
		gate->slept[(uint32_t)prev_pid % GATE_SLEEPERS] = true;
	return waits || !next_pid || !prev_pid || !was_busy;
}

/** gate_slept - may somebody count @pid among those that wait for a disk here? */
static inline bool gate_slept(const struct gate *gate, int32_t pid)
{
	return gate->slept[(uint32_t)pid % GATE_SLEEPERS];
}

/** gate_note - of an event that is delivered */
static inline void gate_note(struct gate *gate, const struct event *event)
{
	if (event->type == EV_CPU_IDLE)
		gate->busy = false; /* its sched_switch was lost */
	if (event->type == EV_SCHED_SWITCH)
		(void)gate_switch(gate, event->u.sw.prev_pid, event->u.sw.next_pid,
				  event->u.sw.prev_state);
}

#endif
