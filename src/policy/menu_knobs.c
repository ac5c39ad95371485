// SPDX-License-Identifier: GPL-2.0-only
/* Knobs of menu: one row each, in the order of the steps in menu.c. */
#include "policy/menu.h"

#include "base/array.h"
#include "policy/patches.h"
#include "policy/windows.h"

#include <errno.h>

#define SWITCH(field, text) KNOB_SWITCH_ROW(struct menu_config, field, text)
#define NUMBER(field, low, high, text) KNOB_NUMBER_ROW(struct menu_config, field, low, high, text)
#define CHOICE(field, names, text) KNOB_CHOICE_ROW(struct menu_config, field, names, text)

static const char *const layouts[] = {
	[MENU_LAYOUT_4_19] = "4.19", [MENU_LAYOUT_4_20] = "4.20", NULL};
static const char *const typicals[] = {
	[MENU_ONE_SIDED] = "one-sided", [MENU_TWO_SIDED] = "two-sided", NULL};
static const char *const overrides[] = {
	[MENU_OVERRIDE_DELTA] = "next-event",
	[MENU_OVERRIDE_SLEEP] = "sleep-length",
	[MENU_OVERRIDE_MIN] = "min",
	[MENU_OVERRIDE_MARGIN] = "margin",
	NULL,
};

static const struct knob menu_knobs[] = {
	CHOICE(layout, layouts, "order of the steps: as in 4.19, or as from 4.20 on"),
	SWITCH(microseconds, "compute in microseconds (up to 5.4), not in nanoseconds"),
	SWITCH(unsigned_times, "state times are unsigned, so an overdue event counts as far away "
			       "(5.5 to 5.12)"),
	SWITCH(iowait, "tasks waiting for I/O pick other correction factors and tighten the "
		       "latency limit (up to 6.12)"),
	NUMBER(intervals, 2, MENU_INTERVALS_MAX, "recent idle intervals that are remembered"),
	NUMBER(decay, 2, 1024,
	       "weight of the past in a correction factor: 1/N is replaced each "
	       "time"),
	NUMBER(max_interval_ms, 1, 60000,
	       "sleeps from this length on count as fully predicted, "
	       "in milliseconds"),
	SWITCH(reject_interval, "an entry that was rejected counts as an endless interval (6.17)"),
	SWITCH(clamp_negative, "an overdue timer counts as a sleep of 0 (5.13)"),
	SWITCH(skip_lookup, "look at the timers only when the typical interval is long enough "
			    "(6.6)"),
	NUMBER(residency_threshold_us, 0, 1000000,
	       "a typical interval up to this length needs no "
	       "timer look-up, and with override_residency_"
	       "threshold a state from this residency on is "
	       "never preferred to polling, in microseconds"),
	SWITCH(stopped_lookup, "always look at the timers when the tick is stopped (7.0)"),
	CHOICE(typical, typicals,
	       "outliers among the recent intervals: drop the largest ones, or "
	       "(6.15) whichever are farther off"),
	SWITCH(typical_31bit, "leave out intervals of 2^31 us and more (5.1)"),
	SWITCH(typical_discard, "no typical interval when all exceed the corrected timer (4.20 to "
				"6.5)"),
	SWITCH(typical_zero, "no typical interval when all are 0 (6.6 to 6.14)"),
	SWITCH(max_typical, "without a typical interval take the largest of those left (6.15 to "
			    "6.17, some stable levels)"),
	NUMBER(stddev_us, 0, 100000,
	       "intervals agree when their standard deviation is at most "
	       "this, in microseconds"),
	NUMBER(avg_stddev_ratio, 1, 1000,
	       "or when their average is more than this many standard "
	       "deviations"),
	SWITCH(early_exit_stops_tick, "leaving early with a state that does not poll stops the "
				      "tick (5.4)"),
	SWITCH(early_exit_state0, "never leave early with a disabled state 0"),
	CHOICE(stopped_override, overrides,
	       "a short prediction with the tick stopped becomes: the "
	       "time to the next event or timer, the lesser of both "
	       "predictions, or that with a margin"),
	NUMBER(margin_shift, 0, 31, "the margin is the prediction shifted right by this"),
	SWITCH(stopped_override_inside, "override only where the timers were looked up (7.0)"),
	SWITCH(safe_timer_range, "override only when the next timer is far enough away (7.1)"),
	NUMBER(safe_range_ticks, 0, 1000, "far enough is more than this many ticks"),
	SWITCH(nohz_full_override, "override on nohz_full CPUs too"),
	SWITCH(latency_first, "the latency limit is tested before the residency (6.17)"),
	SWITCH(latency_break, "a state that is too slow caps the prediction (up to 5.3)"),
	SWITCH(polling_override, "prefer the first deeper state to polling if the next timer "
				 "allows it"),
	SWITCH(override_finite_timer, "polling_override: only if there is a next timer"),
	SWITCH(override_exit_latency,
	       "polling_override: only if its exit latency is within the prediction (6.18)"),
	SWITCH(override_residency_threshold, "polling_override: only if its residency is under "
					     "residency_threshold_us (6.19)"),
};

/* As in 4.20, the oldest release with these steps; windows.c has what changed when. */
static const struct menu_config menu_defaults = {
	.layout = MENU_LAYOUT_4_20,
	.typical = MENU_ONE_SIDED,
	.stopped_override = MENU_OVERRIDE_DELTA,
	.microseconds = true,
	.iowait = true,
	.latency_break = true,
	.polling_override = true,
	.nohz_full_override = true,
	.residency_threshold_us = 15,
	.margin_shift = 2,
	.safe_range_ticks = 2,
	.intervals = 8,
	.decay = 8,
	.max_interval_ms = 50,
	.stddev_us = 20,
	.avg_stddev_ratio = 6,
};

/* RESOLUTION of a correction factor; with the default decay 1 is 8192. */
#define FACTOR_RESOLUTION 1024u

static int menu_finish(struct cpir_policy *policy, struct cpir_error *err)
{
	struct menu_config *config = policy->config;

	if (config->layout == MENU_LAYOUT_4_19 && !config->microseconds)
		return error_set(err, -EINVAL,
				 "knobs layout=4.19 and microseconds=off do not go together; add "
				 "microseconds=on");
	config->units_per_us = config->microseconds ? 1 : 1000;
	config->threshold = config->residency_threshold_us * config->units_per_us;
	config->max_interval = config->max_interval_ms * 1000 * config->units_per_us;
	config->tick_cut = config->max_interval / 10 * 9;
	config->variance_ratio = (uint64_t)config->avg_stddev_ratio * config->avg_stddev_ratio;
	config->variance_limit = UINT64_MAX / config->variance_ratio;
	config->variance_narrow = (uint64_t)config->stddev_us * config->stddev_us;
	config->unity = (uint64_t)FACTOR_RESOLUTION * config->decay;
	/* The end of menu_recent, down to what its alignment asks for. */
	policy->state_unused = (MENU_INTERVALS_MAX - config->intervals) / 2 * sizeof(uint64_t);
	return 0;
}

const struct governor menu_governor = {
	.info = &governor_infos[GOVERNOR_MENU],
	.effects = menu_patch_effects,
	.ops = &menu_ops,
	.config_size = sizeof(struct menu_config),
	.defaults = &menu_defaults,
	.knobs = {menu_knobs, array_size(menu_knobs)},
	.windows = &menu_windows,
	.oldest = RELEASE_SERIES(4, 19),
	.needs_kernel = true,
	.finish = menu_finish,
};
