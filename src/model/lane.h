/* SPDX-License-Identifier: GPL-2.0-only */
/* One CPU of the timeline: the state machine that turns its events into stretches. Private to the model floor. */
#ifndef MODEL_LANE_H
#define MODEL_LANE_H

#include "model/load_updates.h"
#include "model/qos.h"
#include "model/timeline.h"
#include "model/timers.h"

/** struct lane_tick - the tick timer of one CPU; expiries in CLOCK_MONOTONIC */
struct lane_tick {
	uint64_t timer;	     /* its address, 0 not seen yet */
	int64_t armed_ns;    /* TIME_NONE: not armed or unknown */
	int64_t before_ns;   /* armed_ns before the decision now being taken changed it */
	bool stopped;	     /* now */
	bool stopped_before; /* before the decision now being taken */
	bool stopping;	     /* the decision now being taken stopped it */
	bool expiring;	     /* its handler runs: the next start is its own re-arming */
};

enum lane_phase {
	LANE_BUSY,   /* a task runs (or nothing is known yet) */
	LANE_AWAKE,  /* in the idle loop, between periods */
	LANE_ASLEEP, /* between the two cpu_idle events of a period */
};

struct lane {
	uint32_t cpu;
	enum lane_phase phase;
	struct stretch stretch;
	bool open;    /* stretch holds something */
	bool closing; /* the last period ended; what interrupted it may still be handled */
	struct lane_tick tick;
	uint64_t entry_ns;
	uint8_t entry_kind;
	uint8_t entry_event;
	bool after_wake;
	uint64_t waking_ns; /* a remote waking whose wake-up has not been seen yet, 0 none */
	uint64_t irq_ns;    /* an interrupt whose purpose is not known yet, 0 none */
	int64_t stale_ns; /* the clock device may still be programmed for this: a timer another CPU took away; TIME_NONE */
	uint64_t last_irq_now_ns; /* CLOCK_MONOTONIC of the last timer interrupt here */
	struct timer_name next_hrtimer,
		next_wheel; /* found by the last look at the pending timers */
	bool soft_woken; /* the last task woken here since the period began was so in a softirq */
	bool reflected;	 /* the governor has been told of the last period by now */
	uint32_t iowaiters;
	int64_t idle_average_ns; /* as the scheduler has it */
};

/** struct blocked - a task asleep in the state that waiting for a disk leaves it in, and the CPU that counts it */
struct blocked {
	int32_t pid; /* 0 none */
	uint32_t cpu;
};

#define BLOCKED 1024 /* direct-mapped by pid: a collision forgets one sleeper */

/** struct waking - the last waking of a task, until its wake-up tells on which CPU */
struct waking {
	int32_t pid;
	uint32_t cpu;
	uint64_t time_ns;
};

#define WAKINGS 4096 /* direct-mapped by pid: a collision costs the exact time of one wake-up */

struct timeline {
	struct timeline_options options;
	struct lane *lanes;
	struct timers *hrtimers; /* expiries in CLOCK_MONOTONIC */
	struct timers *wheel;
	struct qos qos;
	struct load_updates load_updates;
	struct waking wakings[WAKINGS];
	uint64_t
		lost_ns; /* the last time events were lost: wakings before may have lost their wake-up; 0 never */
	struct blocked blocked[BLOCKED];
};

/* timeline.c */
bool timeline_polls(const struct timeline *timeline, uint32_t cpu, int state);

/* tick.c */
bool tick_owns(const struct lane *lane, const struct event *event);
void tick_start(struct timeline *timeline, struct lane *lane, const struct event *event);
/* tick_restarts - @event, a start of the tick, shows that the idle loop is left */
bool tick_restarts(const struct timeline *timeline, const struct lane *lane,
		   const struct event *event);
void tick_cancel(struct lane *lane);
void tick_expire(struct lane *lane);
void tick_stop(struct lane *lane, const struct event *event);
void tick_decided(struct lane *lane);
void tick_leave(struct lane *lane);

/* pending.c */
/* pending_shares_wheel - does the recording kernel let other CPUs serve a CPU's timers? */
bool pending_shares_wheel(const struct timeline *timeline);
/* pending_programmed - the CPU stops its tick, and programs it for @expires_ns: no timer that counts comes before */
void pending_programmed(struct timeline *timeline, const struct lane *lane, int64_t expires_ns);
void pending_take_off(struct timeline *timeline, const struct lane *lane, uint64_t address);
int pending_feed(struct timeline *timeline, struct lane *lane, const struct event *event);
int64_t pending_hrtimer_ns(struct timeline *timeline, struct lane *lane, uint64_t now_ns);
int64_t pending_stale_ns(struct timeline *timeline, struct lane *lane, uint64_t now_ns);
int64_t pending_wheel_ns(struct timeline *timeline, struct lane *lane, uint64_t now_ns);

/* iowait.c */
void iowait_switch(struct timeline *timeline, struct lane *lane, const struct event *event);
void iowait_woken(struct timeline *timeline, int32_t pid);

/* wakeups.c */
int wakeups_feed(struct timeline *timeline, struct lane *lane, const struct event *event);
int wakeups_task(struct timeline *timeline, const struct event *event);
int wakeups_close(const struct timeline *timeline, struct lane *lane, bool polling);
/* wakeups_are_seen - else what ended a period must be taken from the period itself */
bool wakeups_are_seen(const struct timeline *timeline);
/* wakeups_stand_in - something unseen ended the last period: its end stands for the cause. -ENOMEM */
int wakeups_stand_in(struct lane *lane, bool wakes_task);
int wakeups_end(const struct timeline *timeline, struct lane *lane);

/* unseen.c: where no event tells of timers */
int unseen_close(const struct timeline *timeline, struct lane *lane, bool polling);
bool unseen_wakes(struct stretch *stretch, bool wakings_told);
void unseen_foresee(struct stretch *stretch);

#endif
