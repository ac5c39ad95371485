// SPDX-License-Identifier: GPL-2.0-only
/* Named changes to governors. */
#include "policy/patches.h"

#include <errno.h>
#include <string.h>

enum menu_patch {
	NO_POLLING_OVERRIDE,
	OVERRIDE_FINITE_TIMER,
	OVERRIDE_RESIDENCY_THRESHOLD,
	OVERRIDE_EXIT_LATENCY,
	MAX_TYPICAL,
	STOPPED_TICK_MIN,
	STOPPED_TICK_MARGIN25,
	NOHZ_FULL_NO_OVERRIDE,
	STOPPED_TICK_CHECK_TIMERS,
	SAFE_TIMER_RANGE,
	EARLY_EXIT_STATE0,
};

const struct cpir_patch_info menu_patches[MENU_PATCHES] = {
	[NO_POLLING_OVERRIDE] = {"no-polling-override",
				 "never prefer a deeper state to polling on the strength of the "
				 "next timer alone",
				 "20240809073120.250974-1, 20250317060357.29451-1", "no"},
	[OVERRIDE_FINITE_TIMER] = {"override-finite-timer",
				   "prefer a deeper state to polling only if there is a next timer",
				   "reply to 20240809073120.250974-1", "no"},
	[OVERRIDE_RESIDENCY_THRESHOLD] = {"override-residency-threshold",
					  "prefer a deeper state to polling only if its target "
					  "residency is under 15 us",
					  "07d815701274", "6.19, 6.18.3, 6.12.64"},
	[OVERRIDE_EXIT_LATENCY] = {"override-exit-latency",
				   "prefer a deeper state to polling only if its exit latency is "
				   "within the prediction",
				   "db86f55bf81a", "6.18, 6.17.8, 6.12.58, 6.6.117"},
	[MAX_TYPICAL] = {"max-typical",
			 "without a typical interval take the largest of the recent ones left",
			 "85975daeaa4d", "6.15, taken out again in 6.18; stable levels between"},
	[STOPPED_TICK_MIN] = {"stopped-tick-min",
			      "with the tick stopped a short prediction becomes the lesser of "
			      "itself and the next timer",
			      "20260122080937.22347-4", "no"},
	[STOPPED_TICK_MARGIN25] = {"stopped-tick-margin25",
				   "the same with a quarter of the prediction added "
				   "(margin_shift)",
				   "mail of 20 Jan 2026", "no"},
	[NOHZ_FULL_NO_OVERRIDE] = {"nohz-full-no-override",
				   "let a short prediction stand on nohz_full CPUs with the tick "
				   "stopped",
				   "7bcc8bbeca35", "no"},
	[STOPPED_TICK_CHECK_TIMERS] = {"stopped-tick-check-timers",
				       "with the tick stopped always look at the timers, and "
				       "override only then",
				       "80606f4eb8d7", "7.0, 6.19.4, 6.18.14, 6.12.75"},
	[SAFE_TIMER_RANGE] = {"safe-timer-range",
			      "with the tick stopped override only when the next timer is more "
			      "than two ticks away",
			      "e57c2bf2e89d", "7.1"},
	[EARLY_EXIT_STATE0] = {"early-exit-state0", "never leave early with a disabled state 0",
			       "d594187cafd5", "no"},
};

#define NEEDS_OVERRIDE                                                                             \
	.needs = "layout=4.20,polling_override=on", .without = "a polling override (4.20 and "     \
							       "later)"
#define NEEDS_LAYOUT .needs = "layout=4.20", .without = "the steps of 4.20 and later"

const struct patch_effect menu_patch_effects[MENU_PATCHES] = {
	[NO_POLLING_OVERRIDE] = {.on = "polling_override=off",
				 .off = "polling_override=on",
				 NEEDS_LAYOUT},
	[OVERRIDE_FINITE_TIMER] = {.on = "override_finite_timer=on",
				   .off = "override_finite_timer=off",
				   NEEDS_OVERRIDE},
	[OVERRIDE_RESIDENCY_THRESHOLD] = {.on = "override_residency_threshold=on",
					  .off = "override_residency_threshold=off",
					  NEEDS_OVERRIDE},
	[OVERRIDE_EXIT_LATENCY] = {.on = "override_exit_latency=on",
				   .off = "override_exit_latency=off",
				   NEEDS_OVERRIDE},
	[MAX_TYPICAL] = {.on = "max_typical=on", .off = "max_typical=off", .needs = ""},
	[STOPPED_TICK_MIN] = {.on = "stopped_override=min",
			      .off = "stopped_override=sleep-length",
			      NEEDS_LAYOUT},
	[STOPPED_TICK_MARGIN25] = {.on = "stopped_override=margin",
				   .off = "stopped_override=sleep-length",
				   NEEDS_LAYOUT},
	[NOHZ_FULL_NO_OVERRIDE] = {.on = "nohz_full_override=off",
				   .off = "nohz_full_override=on",
				   .needs = ""},
	[STOPPED_TICK_CHECK_TIMERS] = {.on = "stopped_lookup=on,stopped_override_inside=on",
				       .off = "stopped_lookup=off,stopped_override_inside=off",
				       .needs = "layout=4.20,skip_lookup=on",
				       .without = "decisions without a timer look-up (6.6 and "
						  "later)"},
	[SAFE_TIMER_RANGE] = {.on = "safe_timer_range=on",
			      .off = "safe_timer_range=off",
			      .needs = "stopped_override_inside=on",
			      .without = "stopped-tick-check-timers (7.0 and later, or add it "
					 "first)"},
	[EARLY_EXIT_STATE0] = {.on = "early_exit_state0=on",
			       .off = "early_exit_state0=off",
			       NEEDS_LAYOUT},
};

const struct cpir_patch_info *patch_find(const struct governor *governor, const char *text)
{
	const struct cpir_patch_info *best = NULL;
	size_t best_length = 0;

	for (size_t i = 0; i < governor->info->patch_count; i++) {
		const struct cpir_patch_info *patch = &governor->info->patches[i];
		size_t length = strlen(patch->name);

		if (length <= best_length || strncmp(text, patch->name, length))
			continue;
		if (text[length] && !strchr("+-:", text[length]))
			continue;
		best = patch;
		best_length = length;
	}
	return best;
}

int patch_apply(const struct governor *governor, const struct cpir_patch_info *patch, char sign,
		void *config, struct cpir_error *err)
{
	const struct patch_effect *effect = &governor->effects[patch - governor->info->patches];

	if (!knob_list_holds(&governor->knobs, config, effect->needs))
		return error_set(err, -EINVAL,
				 "patch %c%s does not apply: this %s is without %s; choose another "
				 "kernel",
				 sign, patch->name, governor->info->name, effect->without);
	if (sign == '+')
		return knob_set_list(&governor->knobs, config, effect->on, err);
	if (!knob_list_holds(&governor->knobs, config, effect->on))
		return error_set(err, -EINVAL,
				 "patch -%s: this %s does not have it, so there is nothing to take "
				 "out (merged: %s)",
				 patch->name, governor->info->name, patch->merged);
	return knob_set_list(&governor->knobs, config, effect->off, err);
}
