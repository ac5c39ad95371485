// SPDX-License-Identifier: GPL-2.0-only
/* Knobs of teo. Most of what changed between releases came in bulk, so the generation is the main one. */
#include "policy/teo.h"

#include "base/array.h"
#include "policy/windows.h"

#define SWITCH(field, text) KNOB_SWITCH_ROW(struct teo_config, field, text)
#define NUMBER(field, low, high, text) KNOB_NUMBER_ROW(struct teo_config, field, low, high, text)

static const char *const generations[] = {
	[TEO_5_1] = "5.1",
	[TEO_5_5] = "5.5",
	[TEO_5_14] = "5.14",
	[TEO_6_3] = "6.3",
	[TEO_6_6] = "6.6",
	[TEO_6_11] = "6.11",
	[TEO_6_14] = "6.14",
	[TEO_6_19] = "6.19",
	[TEO_7_0] = "7.0",
	[TEO_7_1] = "7.1",
	NULL,
};

static const struct knob teo_knobs[] = {
	KNOB_CHOICE_ROW(struct teo_config, generation, generations,
			"the algorithm, by the first release that had it"),
	SWITCH(unsigned_times, "times are unsigned, so an overdue event counts as far away (up to "
			       "5.12)"),
	SWITCH(bins_from_zero, "a timer shorter than every state still belongs to state 0 (5.13)"),
	SWITCH(utilisation, "a utilised CPU takes a shallower state (6.3 to 6.10)"),
	SWITCH(early_results_keep_tick,
	       "an answer found before the scan ends keeps the tick (6.5)"),
	SWITCH(shallower_always, "a state the timer does not pay for gives way even if the tick is "
				 "stopped (6.19)"),
	SWITCH(limit_from_first, "the latency limit never leads to a disabled state"),
	NUMBER(residency_threshold_us, 0, 1000000,
	       "a state of less residency may need no timer look-up, in microseconds"),
	NUMBER(decay_shift, 1, 31, "metrics lose 1/2^N with each digest"),
	NUMBER(safe_range_ticks, 0, 1000,
	       "with the tick stopped a timer is far enough from this many "
	       "ticks on (7.1)"),
};

static const struct teo_config teo_defaults = {
	.generation = TEO_7_1,
	.utilisation = true,
	.residency_threshold_us = 15,
	.decay_shift = 3,
	.safe_range_ticks = 2,
};

static int teo_finish_config(struct cpir_policy *policy, struct cpir_error *err)
{
	struct teo_config *config = policy->config;

	(void)err;
	config->units_per_us = config->generation == TEO_5_1 ? 1 : 1000;
	config->threshold_ns = (int64_t)config->residency_threshold_us * 1000;
	return 0;
}

const struct governor teo_governor = {
	.info = &governor_infos[GOVERNOR_TEO],
	.ops = &teo_ops,
	.config_size = sizeof(struct teo_config),
	.defaults = &teo_defaults,
	.knobs = {teo_knobs, array_size(teo_knobs)},
	.windows = &teo_windows,
	.oldest = RELEASE_SERIES(5, 1),
	.needs_kernel = true,
	.finish = teo_finish_config,
};
