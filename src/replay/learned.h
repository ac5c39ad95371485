/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a recording teaches about its machine: the constant delays between what the kernel did and what the trace shows
 * of it, and how long each state takes to wake. Learned in one pass before the replay, printed with sample counts.
 */
#ifndef REPLAY_LEARNED_H
#define REPLAY_LEARNED_H

#include "base/hist.h"
#include "model/timeline.h"

/** struct learned - all in ns */
struct learned {
	int64_t event_cost_ns; /* of writing one, as the closest of them say; 0 unknown */
	/* A period in the trace is this much longer than the kernel's own reading: the cost of an event. */
	int64_t residency_cost_ns; /* as the decisions that follow from past residencies say */
	int64_t account_cost_ns;   /* as the kernel's verdicts of above and below say */
	uint64_t residency_samples;
	int64_t entry_delay_ns[ENTRY_KINDS]; /* from the traced event to the idle entry time */
	int64_t entry_lead_ns[ENTRY_KINDS];  /* from the idle entry time to cpu_idle */
	uint64_t entry_samples[ENTRY_KINDS];
	bool entry_fitted
		[ENTRY_KINDS];	/* to the decisions of the record, not only guessed from the gap */
	bool unseen_interrupts; /* interrupts end periods here without leaving an event */
	int64_t first_way_ns
		[2]; /* the usual way from sched_switch to cpu_idle, [1]: stopping the tick; 0 unknown */
	int64_t wake_way_ns
		[2]; /* shortest ways from an interrupt's last event to cpu_idle; [1]: stopping the tick */
	int64_t wake_usual_ns[2]; /* the usual of these ways */
	int64_t amid_way_ns; /* and the usual one from the midst of such an interrupt; 0 unknown */
	int64_t wake_lead_ns[2];   /* from such an interrupt to cpu_idle */
	int64_t gap_after_wake_ns; /* from one period to the next in a stretch */
	int64_t gap_after_poll_ns;
	int64_t wake_delay_ns[CPIR_STATES_MAX]; /* L(s): due time to the end of the period */
	uint64_t wake_samples[CPIR_STATES_MAX];
	enum cpir_delay_from wake_from[CPIR_STATES_MAX];
	int64_t poll_limit_ns; /* as observed, 0: never */
	uint64_t poll_samples;
};

struct learn;

/** learn_new - @platform gives the state tables and must outlive it; NULL: no memory */
struct learn *learn_new(const struct cpir_platform *platform);
void learn_free(struct learn *learn);

/** learn_stretch - take in one stretch; 0 or -ENOMEM */
int learn_stretch(struct learn *learn, const struct stretch *stretch);

/** learn_finish - the constants; states without enough samples get the exit latency of @table (may be NULL) */
void learn_finish(struct learn *learn, const struct cpir_table *table, struct learned *ret_learned);

#endif
