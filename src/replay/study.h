/* SPDX-License-Identifier: GPL-2.0-only */
/* One study from open file to finished statistics; private to the replay floor. */
#ifndef REPLAY_STUDY_H
#define REPLAY_STUDY_H

#include "base/lines.h"
#include "base/parse.h"
#include "model/rcu.h"
#include "model/tick_guess.h"
#include "replay/differences.h"
#include "replay/explain.h"
#include "replay/fit.h"
#include "replay/idle_loop.h"
#include "replay/reading.h"
#include "replay/shard.h"
#include "replay/stats.h"
#include "replay/verify.h"
#include "trace/keep.h"
#include "trace/rounds.h"

/* Steps this long are a clock that counts ticks: nothing shorter can be told from it. */
#define COARSE_NS 500000

/** struct warm_up - of one CPU */
struct OWN_LINES warm_up {
	uint64_t decisions; /* of the record so far */
	uint64_t left_out;  /* decisions that were not counted for it */
	uint64_t end_ns;    /* of the last stretch of these */
	bool over;	    /* the what-if runs have the record's history */
};

/** struct span_ns - of time */
struct span_ns {
	uint64_t begin_ns, end_ns;
};

/** struct study - everything a study owns; study_deinit() frees a half-built one too */
struct study {
	const struct cpir_study_options *options;
	uint64_t want; /* bit per enum event_type to read, as if there were no others; 0: all */
	struct trace *trace;
	struct trace_keep *keep; /* what the first reading has decoded for that of the timeline */
	const struct trace_info *info;
	struct crew *crew;	 /* who does the work */
	struct reading *reading; /* of the timeline; made by study_learn() */
	struct cpir_platform *platform;
	char *kernel; /* release the record's policy is derived from */
	struct clocks clocks;
	struct learned learned;
	struct rcu_activity rcu;
	struct prelude prelude;
	struct moved moved;
	struct tick_guess guess;
	unsigned told;	    /* the progress told last; it never goes back */
	uint64_t step_ns;   /* smallest step between two time stamps */
	uint64_t backward;  /* sub-buffers whose clock went back */
	uint64_t gaps;	    /* sub-buffers, but the first of a CPU, before which events were lost */
	uint64_t uncounted; /* sub-buffers before which an unknown number of events was lost */
	struct {
		uint64_t last_ns, on, off; /* steps of step_ns and its multiples, and others */
	} grid;
	const char *coarse; /* why the trace clock cannot tell a period's length, NULL: it can */
	struct masks masks;
	struct qos_guess qos_guess;
	struct fit_sample sample;
	struct context context;
	uint64_t counts[EV_COUNT];
	uint64_t begin_ns, end_ns;
	struct cpu_set cpus;		       /* to study */
	struct cpir_policy *baseline;	       /* of the verification run; NULL in CPIR_REPORT */
	ARRAY(struct cpir_policy *) simulated; /* in what-if runs, the baseline's own copy first */
	struct shard *shards;
	unsigned shard_count;
	struct cpu_stats *record; /* per CPU */
	struct warm_up *warm_ups; /* per CPU */
	struct span_ns *spans; /* per CPU: from its first event to its last; both 0 without any */
	struct differences differences;
	struct explain *explain; /* CPIR_EXPLAIN */
};

/** study_prepare - everything before the runs: open, read once for clocks and the like, learn from the first stretches */
int study_prepare(struct study *study, struct cpir_error *err);

/**
 * study_clocks - read the trace once, each CPU for itself as far as can be, for what the timeline must know from its
 * beginning on: clocks, counts, timers that were pending, RCU, disabled states, whose latency limits were set
 */
int study_clocks(struct study *study, struct cpir_error *err);

/** study_learn - read the timeline until enough is learned of the machine's constants; what was read is kept */
int study_learn(struct study *study, struct cpir_error *err);

/** enum study_step - the readings of the trace, in order, each an equal part of the progress */
enum study_step { STEP_CLOCKS, STEP_TIMELINE, STEPS };

/** study_progress - tell the options' progress function how far @merge is in @step */
void study_progress(struct study *study, enum study_step step, const struct trace_merge *merge);

/** study_states - of the CPU of the platform that has most */
uint32_t study_states(const struct study *study);

/** study_parse_policy - a policy of the record's kernel where @spec names none; what it lacks is an error */
int study_parse_policy(const struct study *study, const char *spec, struct cpir_policy **ret_policy,
		       struct cpir_error *err);

/** study_baseline_spec - the policy that the record is held against: as asked for, else the platform's governor, else menu */
const char *study_baseline_spec(const struct study *study);

/** study_policies - make the policies and their runs */
int study_policies(struct study *study, struct cpir_error *err);

/** study_run - all of it on a @study with its options set; study_deinit() afterwards whatever comes of it */
int study_run(struct study *study, struct cpir_result **ret_result, struct cpir_error *err);

/** study_result - hand out what was found; 0 or -ENOMEM */
int study_result(const struct study *study, struct cpir_result **ret_result);
void study_deinit(struct study *study);

#endif
