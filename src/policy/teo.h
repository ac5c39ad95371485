/* SPDX-License-Identifier: GPL-2.0-only */
/* Parts of the teo governor shared by its files. teo.c explains the idea and which file has which generation. */
#ifndef POLICY_TEO_H
#define POLICY_TEO_H

#include "policy/governor.h"

#define TEO_PULSE 1024u
#define TEO_INTERVALS 8 /* measured lengths kept up to 5.13 */
#define TEO_RECENT 9	/* intercepts kept in 5.14 to 6.10 */
#define TEO_NO_SLEEP INT64_MAX

/* Named after the first release of each. */
enum teo_generation {
	TEO_5_1,
	TEO_5_5,
	TEO_5_14,
	TEO_6_3,
	TEO_6_6,
	TEO_6_11,
	TEO_6_14,
	TEO_6_19,
	TEO_7_0,
	TEO_7_1,
};

/** struct teo_config - the knobs; teo_knobs.c explains each */
struct teo_config {
	uint32_t generation;
	bool unsigned_times;
	bool bins_from_zero;
	bool utilisation;
	bool early_results_keep_tick;
	bool shallower_always;
	bool limit_from_first;
	uint32_t residency_threshold_us;
	uint32_t decay_shift;
	uint32_t safe_range_ticks;
	/* Worked out: a unit is 1 ns, or 1 us up to 5.4. */
	uint64_t units_per_us;
	int64_t threshold_ns;
};

/**
 * struct teo_state - one CPU. Metrics are 32 bits wide and wrap, as the governor's own.
 * @hits, @intercepts: per state; "misses" up to 5.13
 * @early, @interval, @next_interval: up to 5.13
 * @recent, @recent_bin, @next_recent: 5.14 to 6.10
 * @tick_hits: 6.6 to 6.13; @tick_intercepts, @short_idles: 6.14 on; @tick_wakeups: 6.19 on
 * @sleep_ns: sleep length at the last decision, TEO_NO_SLEEP when it was not looked up
 * @sleep, @span_ns, @span_all: the same in units; length of the last period by the clock, or that it lasted all of it
 * @entered: state to digest, -1 none
 */
struct teo_state {
	uint32_t count, polling;
	uint64_t latency[CPIR_STATES_MAX], residency[CPIR_STATES_MAX]; /* units */
	uint32_t hits[CPIR_STATES_MAX], intercepts[CPIR_STATES_MAX];
	uint32_t early[CPIR_STATES_MAX];
	uint32_t recent[CPIR_STATES_MAX];
	uint32_t total, tick_hits, tick_intercepts, short_idles, tick_wakeups;
	uint64_t interval[TEO_INTERVALS];
	uint32_t next_interval;
	int recent_bin[TEO_RECENT];
	uint32_t next_recent;
	int64_t sleep_ns, span_ns, decided_ns;
	uint64_t sleep;
	int64_t measured_ns;
	int entered;
	bool poll_limit_hit, tick_woke, cut_short;
};

/** struct teo_run - one decision on its way; lengths in units */
struct teo_run {
	const struct cpir_policy *policy;
	const struct teo_config *config;
	struct teo_state *state;
	const struct policy_input *input;
	struct policy_steps *steps;
	const char *reason;
	int64_t tick;
	int64_t latency_req;
	int64_t delta;	  /* to the next event, the tick included */
	int64_t duration; /* expected */
	int idx;	  /* -1: nothing chosen yet */
	int first;	  /* shallowest enabled state */
	int limit;	  /* deepest state that the latency limit allows */
	bool looked_up;
	bool stop_tick;
};

/** struct teo_sums - of the metrics of all states shallower than the candidate; wrap at 32 bits */
struct teo_sums {
	uint32_t intercepts, hits, recent;
};

/* Digests, by file. */
void teo_intervals_update(struct teo_run *run); /* up to 5.13 */
void teo_bins_update(struct teo_run *run);	/* 5.14 to 6.13 */
void teo_wakeups_update(struct teo_run *run);	/* 6.14 on */

/* Decisions, by file: they set idx, stop_tick, duration and reason. */
void teo_intervals_decide(struct teo_run *run); /* up to 5.13 */
void teo_bins_decide(struct teo_run *run);	/* 5.14 to 6.5 */
void teo_deferred_decide(struct teo_run *run);	/* 6.6 to 6.13 */
void teo_wakeups_decide(struct teo_run *run);	/* 6.14 on */

/* Parts of a decision (teo.c). */

/** teo_settle - the answer is @idx, without the last step */
void teo_settle(struct teo_run *run, int idx, bool stop_tick, const char *reason);

/** teo_finish - last step: keep the tick if the sleep is short, and then no state that the tick would cut */
void teo_finish(struct teo_run *run);

/** teo_shallower - the deepest enabled state above @idx worth @length, else the shallowest enabled one, else @idx */
int teo_shallower(const struct teo_run *run, int idx, int64_t length);

/** teo_look_up_timers - sleep length into duration and the state, time to the next event into delta */
void teo_look_up_timers(struct teo_run *run);

/** teo_scan_all - first and limit, and the deepest enabled state into idx with the sums above it */
struct teo_sums teo_scan_all(struct teo_run *run);

/** teo_decay - take the part out of a metric that each digest forgets */
static inline void teo_decay(const struct teo_run *run, uint32_t *metric)
{
	uint32_t part = *metric >> run->config->decay_shift;

	if (part || run->config->generation < TEO_6_19)
		*metric -= part;
	else
		*metric = 0;
}

static inline bool teo_is_disabled(const struct teo_run *run, int state)
{
	return run->input->disabled_mask >> state & 1;
}

static inline bool teo_is_polling(const struct teo_run *run, int state)
{
	return run->state->polling >> state & 1;
}

/** teo_tick_allows - would a sleep of @length do without the tick? Yes while it runs. */
static inline bool teo_tick_allows(const struct teo_run *run, int64_t length)
{
	return !run->input->tick_stopped || length >= run->tick;
}

/** teo_fits - is @residency at most @length? An overdue length counts as huge while times are unsigned. */
static inline bool teo_fits(const struct teo_run *run, uint64_t residency, int64_t length)
{
	if (run->config->unsigned_times)
		return residency <= (uint64_t)length;
	return (int64_t)residency <= length;
}

static inline bool teo_too_slow(const struct teo_run *run, int state)
{
	return (int64_t)run->state->latency[state] > run->latency_req;
}

/** teo_residency - target residency of @state, signed */
static inline int64_t teo_residency(const struct teo_run *run, int state)
{
	return (int64_t)run->state->residency[state];
}

extern const struct policy_ops teo_ops;

#endif
