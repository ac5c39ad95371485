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

#define USUAL_INTERVALS 8

/* struct bounds - samples in use: @lowest to @highest, both included */
struct bounds {
	uint32_t lowest, highest;
};

/* struct sample_set - what step 1 finds out about the samples inside the bounds */
struct sample_set {
	uint32_t count;
	uint32_t min, max;
	uint64_t sum, squares;
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
	if (set->variance > config->variance_limit)
		return false;
	if (set->variance <= config->variance_narrow)
		return true;
	return set->average * set->average > set->variance * config->variance_ratio &&
	       set->count * 4 >= config->intervals * 3;
}

static bool too_few_left(const struct menu_config *config, const struct sample_set *set)
{
	return set->count * 4 <= config->intervals * 3;
}

/* Short numbers are the rule, and divide much faster as such. */
static inline uint64_t divide(uint64_t number, uint32_t by)
{
	return number >> 32 ? number / by : (uint32_t)number / by;
}

/*
 * Sums and extremes of the samples inside @bounds, with masks for branches: what the samples are cannot be foretold.
 * The largest of none is 0, the smallest UINT32_MAX.
 */
static inline __attribute__((always_inline)) void take_samples(struct sample_set *set,
							       const uint32_t *intervals,
							       uint32_t count, struct bounds bounds)
{
	*set = (struct sample_set){.min = UINT32_MAX};
	for (uint32_t i = 0; i < count; i++) {
		uint32_t inside = intervals[i] - bounds.lowest <= bounds.highest - bounds.lowest;
		uint32_t value = intervals[i] & -inside, or_huge = intervals[i] | (inside - 1);

		set->count += inside;
		set->sum += value;
		set->squares += (uint64_t)value * value;
		set->max = value > set->max ? value : set->max;
		set->min = or_huge < set->min ? or_huge : set->min;
	}
}

static struct sample_set samples_inside(const struct menu_config *config, const uint32_t *intervals,
					struct bounds bounds)
{
	struct sample_set set;

	if (config->intervals == USUAL_INTERVALS) /* lets the compiler unroll */
		take_samples(&set, intervals, USUAL_INTERVALS, bounds);
	else
		take_samples(&set, intervals, config->intervals, bounds);
	return set;
}

/*
 * One-sided: the mean of the squared distances from the average, which is rounded down first. Modulo 2^64 the sum of
 * (v - a)^2 is the sum of v^2 less 2a times the sum of v plus n times a^2, so the sums of one pass do.
 */
static void spread_about_average(struct sample_set *set)
{
	uint64_t average = (uint32_t)divide(set->sum, set->count);
	uint64_t squares = set->squares - 2 * average * set->sum + set->count * average * average;

	set->average = average;
	set->variance = divide(squares, set->count);
}

static uint32_t typical_one_sided(const struct menu_config *config, const uint32_t *intervals,
				  uint32_t expected)
{
	struct bounds bounds = {0, config->typical_31bit ? INT32_MAX : UINT32_MAX};

	for (;;) {
		struct sample_set set = samples_inside(config, intervals, bounds);

		if (config->typical_discard && set.min >= expected)
			return MENU_NO_TYPICAL;
		if (!set.count || (config->typical_zero && !set.max))
			return MENU_NO_TYPICAL;
		spread_about_average(&set);
		if (menu_typical_accept(config, &set))
			return (uint32_t)set.average;
		if (too_few_left(config, &set))
			return menu_typical_fallback(config, &set);
		bounds.highest = set.max - 1;
	}
}

/* Two-sided: the mean of the squares less the square of the mean, each rounded down. */
static void spread_from_squares(struct sample_set *set)
{
	set->average = divide(set->sum, set->count);
	set->variance = divide(set->squares, set->count) - set->average * set->average;
}

static uint32_t typical_two_sided(const struct menu_config *config, const uint32_t *intervals)
{
	struct bounds bounds = {0, UINT32_MAX - 1};

	for (;;) {
		struct sample_set set = samples_inside(config, intervals, bounds);

		if (!set.max)
			return MENU_NO_TYPICAL;
		spread_from_squares(&set);
		if (menu_typical_accept(config, &set))
			return (uint32_t)set.average;
		if (too_few_left(config, &set))
			return menu_typical_fallback(config, &set);
		if (set.average - set.min > set.max - set.average)
			bounds.lowest = set.min + 1;
		else
			bounds.highest = set.max - 1;
	}
}

uint32_t menu_typical(const struct menu_config *config, const uint32_t *intervals,
		      uint32_t expected)
{
	if (config->typical == MENU_TWO_SIDED)
		return typical_two_sided(config, intervals);
	return typical_one_sided(config, intervals, expected);
}
