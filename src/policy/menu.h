/* SPDX-License-Identifier: GPL-2.0-only */
/* Parts of the menu governor shared by its files. menu.c explains the algorithm. */
#ifndef POLICY_MENU_H
#define POLICY_MENU_H

#include "policy/governor.h"

#define MENU_INTERVALS_MAX 32
#define MENU_BUCKETS 6 /* per iowait class */
#define MENU_NO_TYPICAL UINT32_MAX

enum menu_layout { MENU_LAYOUT_4_19, MENU_LAYOUT_4_20 };
enum menu_typical_kind { MENU_ONE_SIDED, MENU_TWO_SIDED };
enum menu_override {
	MENU_OVERRIDE_DELTA,
	MENU_OVERRIDE_SLEEP,
	MENU_OVERRIDE_MIN,
	MENU_OVERRIDE_MARGIN
};

/** struct menu_config - the knobs; menu_knobs.c explains each */
struct menu_config {
	uint32_t layout;
	uint32_t typical;
	uint32_t stopped_override;
	bool microseconds;
	bool unsigned_times;
	bool iowait;
	bool clamp_negative;
	bool skip_lookup;
	bool stopped_lookup;
	bool typical_discard;
	bool typical_zero;
	bool typical_31bit;
	bool max_typical;
	bool reject_interval;
	bool latency_first;
	bool latency_break;
	bool early_exit_stops_tick;
	bool early_exit_state0;
	bool polling_override;
	bool override_exit_latency;
	bool override_residency_threshold;
	bool override_finite_timer;
	bool stopped_override_inside;
	bool safe_timer_range;
	bool nohz_full_override;
	uint32_t residency_threshold_us;
	uint32_t margin_shift;
	uint32_t safe_range_ticks;
	uint32_t intervals;
	uint32_t decay;
	uint32_t max_interval_ms;
	uint32_t stddev_us;
	uint32_t avg_stddev_ratio;
	/* Worked out from the above; a unit is the governor's own: 1 ns, or 1 us up to 5.4. */
	uint64_t units_per_us;
	uint64_t threshold;    /* residency threshold, units */
	uint64_t max_interval; /* units */
	uint64_t tick_cut;     /* length that counts for a sleep cut short by the tick, units */
	uint64_t variance_limit, variance_narrow, variance_ratio;
	uint64_t unity; /* correction factor that corrects nothing */
};

/**
 * struct menu_recent - the last intervals in us
 * @write_at: the oldest, which the next one replaces
 * @sum, @squares: of all of them, modulo 2^64
 */
struct menu_recent {
	uint64_t sum, squares;
	uint32_t write_at;
	uint32_t interval[MENU_INTERVALS_MAX];
};

/**
 * struct menu_state - one CPU
 * @latency, @residency: the state table in units; @polling: bit per polling state
 * @next: sleep length at the last decision, units; @bucket: correction factor that belongs to it
 * @update: an outcome waits to be digested: @entered, @measured (units), @tick_woke
 * @poll_limit_hit: the polling state's time-out flag, which outlives a period without polling
 * @recent: last, as what the knob `intervals` leaves of it is not used
 */
struct menu_state {
	uint32_t count, polling;
	uint64_t latency[CPIR_STATES_MAX], residency[CPIR_STATES_MAX];
	uint64_t next;
	uint32_t bucket;
	uint32_t entered;
	uint64_t measured;
	bool update, tick_woke, poll_limit_hit;
	uint32_t factor[2 * MENU_BUCKETS];
	struct menu_recent recent;
};

/** struct menu_run - one decision on its way; all lengths in units */
struct menu_run {
	const struct cpir_policy *policy;
	const struct menu_config *config;
	struct menu_state *state;
	const struct policy_input *input;
	struct policy_steps *steps;
	const char *reason;
	int64_t tick;
	int64_t latency_req;
	uint64_t next;	    /* sleep length, INT64_MAX when not looked up */
	int64_t delta_scan; /* time to the next event including the tick, as the scan compares it … */
	int64_t delta_tick; /* … and as the last step does */
	uint64_t predicted;
	uint32_t typical;
	int idx; /* -1: nothing chosen yet */
	bool looked_up;
	bool predicted_valid;
	bool final; /* the scan returned at once: the tick step is left out */
};

/** menu_recent_store - @value_us replaces the oldest interval; all zero is a history of zeros */
void menu_recent_store(const struct menu_config *config, struct menu_recent *recent,
		       uint32_t value_us);

/**
 * menu_typical - typical of the recent intervals in us, MENU_NO_TYPICAL when they do not agree
 * @expected: what the timer and the correction factor promise, us; only `typical_discard` looks at it
 */
uint32_t menu_typical(const struct menu_config *config, const struct menu_recent *recent,
		      uint32_t expected);

/* Steps of menu.c that the 4.19 layout shares; they change @run and its state. */
void menu_look_up_timers(struct menu_run *run);
uint32_t menu_corrected_us(const struct menu_run *run);
void menu_tick_step(struct menu_run *run, uint64_t limit, struct policy_decision *decision);

/** menu_4_19_decide - the decision of the 4.19 layout, after the digest */
void menu_4_19_decide(struct menu_run *run, struct policy_decision *ret_decision);

/** menu_is_disabled - by the table or since */
static inline bool menu_is_disabled(const struct menu_run *run, uint32_t state)
{
	return run->input->disabled_mask >> state & 1;
}

/** menu_is_polling - does state number @state poll? */
static inline bool menu_is_polling(const struct menu_run *run, uint32_t state)
{
	return run->state->polling >> state & 1;
}

extern const struct policy_ops menu_ops;

#endif
