// SPDX-License-Identifier: GPL-2.0-only
/*
 * DOC: the typical interval of menu
 *
 * Idea: recent idle intervals often repeat. If they lie close together, after leaving out a few outliers, their average
 * predicts the next one better than the timer does.
 *
 * Data: the last 8 (knob `intervals`) measured intervals in us, 32 bits each.
 *
 * Steps, repeated with fewer and fewer samples:
 *  1. Take the samples inside the bounds; find smallest, largest, average and variance.
 *  2. Give up early when the samples cannot help (see the two kinds).
 *  3. Accept the average when the spread is small: under 20 us, or under a sixth of the average with at least three
 *     quarters of the samples still in.
 *  4. Give up when three quarters or fewer are left. `max_typical` then returns the largest one left, if that is half
 *     of all or more.
 *  5. Drop an extreme, with all samples equal to it, and start again.
 *
 * Two kinds: one-sided (up to 6.14) always drops the largest; two-sided (6.15 on) drops the one farther from the
 * average and rounds the variance differently. All arithmetic is modulo 2^64, as the governor's own: one huge sample
 * may well wrap the variance around, and then the wrapped value decides.
 */
#include "policy/menu.h"

/* struct sample_set - what step 1 finds out about the samples inside the bounds */
struct sample_set {
	uint32_t count;
	uint32_t min, max;
	uint64_t sum;
	uint64_t average, variance;
};

static uint32_t menu_typical_fallback(const struct menu_config *config,
				      const struct sample_set *set)
{
	bool half_left = set->count * 2 >= config->intervals;

	return config->max_typical && half_left ? set->max : MENU_NO_TYPICAL;
}

/* Step 3. The squares are compared, so that no root has to be taken. */
static bool menu_typical_accept(const struct menu_config *config, const struct sample_set *set)
{
	uint64_t ratio = (uint64_t)config->avg_stddev_ratio * config->avg_stddev_ratio;
	uint64_t narrow = (uint64_t)config->stddev_us * config->stddev_us;

	if (set->variance > UINT64_MAX / ratio)
		return false;
	if (set->variance <= narrow)
		return true;
	return set->average * set->average > set->variance * ratio &&
	       set->count * 4 >= config->intervals * 3;
}

static bool too_few_left(const struct menu_config *config, const struct sample_set *set)
{
	return set->count * 4 <= config->intervals * 3;
}

/* Samples up to @ceiling; the variance is left for later, as it needs the average. */
static struct sample_set samples_below(const struct menu_config *config, const uint32_t *intervals,
				       uint32_t ceiling)
{
	struct sample_set set = {.min = UINT32_MAX};

	for (uint32_t i = 0; i < config->intervals; i++) {
		uint32_t value = intervals[i];

		if (value > ceiling)
			continue;
		set.count++;
		set.sum += value;
		if (value > set.max)
			set.max = value;
		if (value < set.min)
			set.min = value;
	}
	return set;
}

/* Average first, then the mean of the squared distances from it. */
static void spread_two_pass(struct sample_set *set, const struct menu_config *config,
			    const uint32_t *intervals, uint32_t ceiling)
{
	uint64_t squares = 0;

	set->average = (uint32_t)(set->sum / set->count);
	for (uint32_t i = 0; i < config->intervals; i++) {
		uint64_t distance = intervals[i] - set->average;

		if (intervals[i] <= ceiling)
			squares += distance * distance;
	}
	set->variance = squares / set->count;
}

static uint32_t typical_one_sided(const struct menu_config *config, const uint32_t *intervals,
				  uint32_t expected)
{
	uint32_t ceiling = config->typical_31bit ? INT32_MAX : UINT32_MAX;

	for (;;) {
		struct sample_set set = samples_below(config, intervals, ceiling);

		if (config->typical_discard && set.min >= expected)
			return MENU_NO_TYPICAL;
		if (!set.count || (config->typical_zero && !set.max))
			return MENU_NO_TYPICAL;
		spread_two_pass(&set, config, intervals, ceiling);
		if (menu_typical_accept(config, &set))
			return (uint32_t)set.average;
		if (too_few_left(config, &set))
			return menu_typical_fallback(config, &set);
		ceiling = set.max - 1;
	}
}

/* Samples strictly between the bounds, with the variance from the sum of squares in the same pass. */
static struct sample_set samples_between(const struct menu_config *config,
					 const uint32_t *intervals, int64_t low, int64_t high)
{
	struct sample_set set = {.min = UINT32_MAX};
	uint64_t squares = 0;

	for (uint32_t i = 0; i < config->intervals; i++) {
		uint32_t value = intervals[i];

		if (value <= low || value >= high)
			continue;
		set.count++;
		set.sum += value;
		squares += (uint64_t)value * value;
		if (value > set.max)
			set.max = value;
		if (value < set.min)
			set.min = value;
	}
	if (set.count) {
		set.average = set.sum / set.count;
		set.variance = squares / set.count - set.average * set.average;
	}
	return set;
}

static uint32_t typical_two_sided(const struct menu_config *config, const uint32_t *intervals)
{
	int64_t low = -1, high = UINT32_MAX;

	for (;;) {
		struct sample_set set = samples_between(config, intervals, low, high);

		if (!set.max)
			return MENU_NO_TYPICAL;
		if (menu_typical_accept(config, &set))
			return (uint32_t)set.average;
		if (too_few_left(config, &set))
			return menu_typical_fallback(config, &set);
		if (set.average - set.min > set.max - set.average)
			low = set.min;
		else
			high = set.max;
	}
}

uint32_t menu_typical(const struct menu_config *config, const uint32_t *intervals,
		      uint32_t expected)
{
	if (config->typical == MENU_TWO_SIDED)
		return typical_two_sided(config, intervals);
	return typical_one_sided(config, intervals, expected);
}
