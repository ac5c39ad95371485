/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The idle timeline of every CPU: events in, stretches out. A stretch is what lies between the CPU running out of work
 * and its next task; it holds the periods the record had (each a decision of the recorded governor) and the happenings
 * that no governor can change: wake-ups, timers, interrupts.
 */
#ifndef MODEL_TIMELINE_H
#define MODEL_TIMELINE_H

#include "base/array.h"
#include "cpuidle-replay.h"
#include "model/clock.h"
#include "model/masks.h"
#include "model/platform.h"
#include "model/moved.h"
#include "model/prelude.h"
#include "model/qos_guess.h"
#include "model/rcu.h"
#include "model/timers.h"
#include "trace/source.h"

#define NO_STATE (-1)
#define NO_PERIOD UINT32_MAX
#define NO_HAPPENING UINT32_MAX

/** enum entry_kind - which event tells when the idle entry time was last taken */
enum entry_kind {
	ENTRY_SWITCH,  /* sched_switch to the idle task */
	ENTRY_IRQ,     /* the last event of an interrupt handled while idle */
	ENTRY_EXIT,    /* the end of the period before, whose interrupt left no event */
	ENTRY_UNKNOWN, /* neither was traced: the period's own begin stands in */
	ENTRY_KINDS
};

enum miss { MISS_NONE, MISS_ABOVE, MISS_BELOW };

/**
 * struct period - one decision and the idle period that followed. All times in ns of the trace clock; expiries are
 * TIME_NONE when nothing is pending.
 */
struct period {
	uint64_t enter_ns, exit_ns;
	uint64_t entry_ns;	 /* the event @entry_kind speaks of */
	int64_t next_hrtimer_ns; /* earliest pending hrtimer but the tick, at the decision */
	int64_t grid_ns;  /* the tick of the grid at or before @enter_ns; TIME_NONE unknown */
	int64_t stale_ns; /* what the clock device may still be programmed for, its timer gone */
	int64_t near_timer_ns,
		far_timer_ns; /* bounds of next_hrtimer_ns where no event tells, set by the verification run */
	int64_t later_ns; /* the idle entry came so much later: for a load update, or, set by the verification run, as the record's choice shows */
	int64_t next_wheel_ns; /* earliest wheel timer that counts for this CPU */
	int64_t tick_ns;       /* armed expiry of the tick timer before this decision touched it */
	int64_t latency_req_ns;
	struct timer_name hrtimer, wheel; /* those that next_hrtimer_ns and next_wheel_ns are of */
	uint32_t
		happenings_before; /* happenings of the stretch served when this decision was taken */
	uint32_t
		cause; /* index of the happening that ended it, the first due; NO_HAPPENING: the tick, a polling limit, unknown */
	uint32_t iowaiters;
	uint32_t disabled_mask; /* states disabled on this CPU then */
	int16_t state;		/* one of the platform's; NO_STATE: decided, but never entered */
	uint8_t entry_event;	/* enum event_type of that event */
	uint8_t entry_kind;	/* enum entry_kind */
	uint8_t wake;		/* enum cpir_wake */
	uint8_t foreseen; /* without timer events: enum cpir_wake of what next_hrtimer_ns is taken from */
	uint8_t kernel_miss; /* enum miss, by cpu_idle_miss */
	bool rcu_busy;	     /* RCU callbacks kept the tick, as far as its softirqs tell */
	bool first;	     /* of its stretch */
	bool load_update;    /* the scheduler's, on the way into idle, is what made it @later_ns */
	bool after_wake;     /* the period before in this stretch was ended by an interrupt */
	bool tick_stopped;   /* before this decision */
	bool stopped_tick;   /* this decision stopped the tick */
	bool got_tick;
	bool poll_timeout; /* ended without a reschedule while polling */
	bool resched;	   /* a reschedule was pending when the period ended */
	bool overdue; /* set by the verification run: the next timer was overdue, as the record polled on and on, whatever next_hrtimer_ns is */
	bool tick_kept; /* set by the verification run: the record kept a tick it could stop */
	bool cut;	/* begin, end or state not known: not a decision to judge */
	bool foreign;	/* the platform has no such state: @cut, and @state is NO_STATE */
	bool decided; /* entered, or proven to be decided (state NO_STATE) by what it did to the tick */
};

/** period_ended_by_tick - did the running tick end @period, which it did if it was due before @before_ns (TIME_NONE: at all)? */
bool period_ended_by_tick(const struct period *period, int64_t before_ns);

/**
 * struct happening - something that would have woken the CPU in any state; in the order they were handled within a stretch, those of
 * one period sorted by @due_ns
 */
struct happening {
	uint64_t
		due_ns; /* waking, expiry or interrupt; the time of its handling where nothing better is known */
	uint64_t handled_ns; /* first event of its handling, or the waking */
	uint32_t period;     /* index of the period it came in, NO_PERIOD: the CPU was awake */
	uint8_t kind;	     /* enum cpir_wake */
	bool due_known;	     /* due_ns is the true time */
	bool wakes_task;
};

/** struct stretch - everything between two tasks on one CPU */
struct stretch {
	uint32_t cpu;
	uint64_t begin_ns,
		end_ns; /* sched_switch to and from idle; guessed from the periods when not traced */
	uint64_t first_task_ns; /* 0: unknown */
	bool begin_known, end_known;
	bool lost; /* events were lost in it */
	ARRAY(struct period) periods;
	ARRAY(struct happening) happenings;
};

/** stretch_cause - the happening that ended one of its periods; NULL: the tick did, a polling limit, or nothing known */
static inline const struct happening *stretch_cause(const struct stretch *stretch,
						    const struct period *period)
{
	return period->cause == NO_HAPPENING ? NULL : &stretch->happenings.ptr[period->cause];
}

/** stretch_woken_by - what ended one of its periods: the kind of what was due first */
enum cpir_wake stretch_woken_by(const struct stretch *stretch, const struct period *period);

/** period_amid_interrupt - the last event before it was not written at the end of an interrupt: more was to be done */
static inline bool period_amid_interrupt(const struct period *period)
{
	return period->entry_kind == ENTRY_IRQ && period->entry_event == EV_HRTIMER_START;
}

/** period_state - a cpu_idle event's state as a period has it: numbers no machine has stay none, whatever their bits */
static inline int16_t period_state(uint32_t state)
{
	return state < INT16_MAX ? (int16_t)state : INT16_MAX;
}

/** struct timeline_known - which kinds of input the trace holds */
struct timeline_known {
	bool sched_switch, wakings, wakeups, hrtimers, wheel, tick, irq, miss, qos;
};

/**
 * struct timeline_options - @sink takes each finished stretch (valid during the call, its arrays reused after);
 * a negative return ends the run with that error.
 */
struct timeline_options {
	uint32_t cpus;
	const struct clocks *clocks;
	const struct rcu_activity *rcu;
	const struct prelude *prelude;
	const struct moved *moved;
	const struct qos_guess *qos_guess;    /* NULL: not known yet */
	const struct masks *masks;	      /* NULL: not known yet, the platform's */
	const struct cpir_platform *platform; /* initial latency constraints; may be NULL */
	struct timeline_known known;
	uint32_t
		release; /* of the recording kernel, major << 16 | minor << 8 | stable; 0 unknown */
	int (*sink)(void *arg, struct stretch *stretch);
	void *arg;
};

struct timeline;

/** timeline_new - @options are copied; NULL: no memory */
struct timeline *timeline_new(const struct timeline_options *options);
void timeline_free(struct timeline *timeline);

/** timeline_feed - the next event of the merged stream. 0, -ENOMEM, or what the sink returned */
int timeline_feed(struct timeline *timeline, const struct event *event);

/** timeline_idle_types - events that mean nothing to the timeline while a task runs, if sched_switch tells so; bit per type */
uint64_t timeline_idle_types(void);

/** timeline_finish - the trace ended: hand out what is open, marked cut where its end is not known */
int timeline_finish(struct timeline *timeline);

/** timeline_known_from - what the event formats of a trace allow to know */
struct timeline_known timeline_known_from(const uint64_t counts[EV_COUNT]);

#endif
