/* SPDX-License-Identifier: GPL-2.0-only */
/* One study from open file to finished statistics; private to the replay floor. */
#ifndef REPLAY_STUDY_H
#define REPLAY_STUDY_H

#include "base/parse.h"
#include "model/rcu.h"
#include "model/tick_guess.h"
#include "replay/differences.h"
#include "replay/event_gap.h"
#include "replay/explain.h"
#include "replay/fit.h"
#include "replay/idle_loop.h"
#include "replay/stats.h"
#include "replay/verify.h"
#include "trace/merge.h"

/** struct what_if - one policy of a comparison */
struct what_if {
	struct cpir_policy *policy;
	struct idle_loop *loops
		[BOUNDS]; /* [BOUND_BEST], and where timers are unknown the two bounds; else NULL */
	struct cpir_changes changes; /* against the first one */
};

/** struct study - everything a study owns; study_deinit() frees a half-built one too */
struct study {
	const struct cpir_study_options *options;
	uint64_t want; /* bit per enum event_type to read, as if there were no others; 0: all */
	struct trace *trace;
	const struct trace_info *info;
	struct cpir_platform *platform;
	char *kernel; /* release the record's policy is derived from */
	struct clocks clocks;
	struct learned learned;
	struct rcu_activity rcu;
	struct prelude prelude;
	struct tick_guess guess;
	uint64_t read;	    /* events, for the progress */
	unsigned told;	    /* the progress told last; it never goes back */
	uint64_t step_ns;   /* smallest step between two time stamps */
	const char *coarse; /* why the trace clock cannot tell a period's length, NULL: it can */
	struct masks masks;
	struct qos_guess qos_guess;
	bool masks_known;
	bool enough; /* set by a sink of study_timeline(): it need not see the rest */
	struct event_gap *event_gaps; /* per CPU, while learning; else NULL */
	struct fit_sample sample;
	struct context context;
	uint64_t counts[EV_COUNT];
	uint64_t begin_ns, end_ns;
	struct cpu_set cpus; /* to study */
	struct verify *verify;
	ARRAY(struct what_if) what_ifs; /* the baseline first */
	struct cpir_policy *baseline;	/* owned here when there are no what-ifs */
	struct cpu_stats *record;	/* per CPU */
	bool *seeded;			/* per CPU: the what-if runs have the record's history */
	uint64_t *decisions;		/* per CPU, for the warm-up */
	struct cpir_miss_check miss_check;
	struct differences differences;
	struct explain *explain; /* CPIR_EXPLAIN */
	uint64_t lost_stretches, cut_periods, foreign_states;
};

/** study_prepare - open, read once for clocks and counts, once to learn; then everything but the runs is known */
int study_prepare(struct study *study, struct cpir_error *err);

/** study_learn - learn the machine's constants, disabled states and limits from the opened trace; part of preparing it */
int study_learn(struct study *study, struct cpir_error *err);

/** enum study_step - the readings of the trace, in order, each a third of the progress */
enum study_step { STEP_CLOCKS, STEP_LEARN, STEP_REPLAY, STEPS };

/** study_progress - tell the options' progress function how far @merge is in @step; cheap to call for every event */
void study_progress(struct study *study, enum study_step step, const struct trace_merge *merge);

/** study_timeline - read the trace as a timeline into @sink, whose negative return ends it; 0 or negative errno */
int study_timeline(struct study *study, int (*sink)(void *arg, struct stretch *stretch), void *arg,
		   struct cpir_error *err);

/** study_parse_policy - a policy of the record's kernel where @spec names none; what it lacks is an error */
int study_parse_policy(const struct study *study, const char *spec, struct cpir_policy **ret_policy,
		       struct cpir_error *err);

/** study_policies - make the policies and their runs */
int study_policies(struct study *study, struct cpir_error *err);

/** study_record_stretch - count what the record did in one stretch; 0 or -ENOMEM */
int study_record_stretch(struct study *study, const struct stretch *stretch);

/** study_run - all of it on a @study with its options set; study_deinit() afterwards whatever comes of it */
int study_run(struct study *study, struct cpir_result **ret_result, struct cpir_error *err);

/** study_result - hand out what was found; 0 or -ENOMEM */
int study_result(const struct study *study, struct cpir_result **ret_result);
void study_deinit(struct study *study);

#endif
