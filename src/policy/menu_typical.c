// SPDX-License-Identifier: GPL-2.0-only
/*
 * DOC: the typical interval of menu
 *
 * Idea: recent idle intervals often repeat. If they lie close together, after leaving out a few outliers, their average
 * predicts the next one better than the timer does.
 *
 * Data: the last 8 (knob `intervals`) measured intervals in us, 32 bits each, and their sums. These are often all it takes:
 * the samples are put in order only when some have to be left out.
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

#include <string.h>

#include "base/array.h"
#include "base/inline.h"

#define USUAL_INTERVALS 8

/* ---- the samples --------------------------------------------------------------------------------------------------- */

void menu_recent_store(const struct menu_config *config, struct menu_recent *recent, uint32_t value)
{
	uint32_t former = recent->interval[recent->write_at];

	recent->interval[recent->write_at] = value;
	recent->write_at++;
	if (recent->write_at >= config->intervals)
		recent->write_at = 0;
	recent->sum += (uint64_t)value - former;
	recent->squares += (uint64_t)value * value - (uint64_t)former * former;
}

static inline void put_in_order(uint32_t *a, uint32_t *b)
{
	uint32_t lesser = *a < *b ? *a : *b;

	*b = *a < *b ? *b : *a;
	*a = lesser;
}

/* Batcher's network: the same comparisons whatever the samples are, for their order cannot be foretold. */
static void sort_usual(uint32_t samples[USUAL_INTERVALS])
{
	static const uint8_t pairs[][2] = {
		{0, 1}, {2, 3}, {4, 5}, {6, 7}, {0, 2}, {1, 3}, {4, 6}, {5, 7}, {1, 2}, {5, 6},
		{0, 4}, {1, 5}, {2, 6}, {3, 7}, {2, 4}, {3, 5}, {1, 2}, {3, 4}, {5, 6},
	};

#pragma GCC unroll 19
	for (unsigned i = 0; i < array_size(pairs); i++)
		put_in_order(&samples[pairs[i][0]], &samples[pairs[i][1]]);
}

static void sort_any(uint32_t *samples, uint32_t count)
{
	for (uint32_t i = 1; i < count; i++) {
		for (uint32_t k = i; k; k--)
			put_in_order(&samples[k - 1], &samples[k]);
	}
}

/* ---- the steps ----------------------------------------------------------------------------------------------------- */

/* struct sample_set - the samples still in, @first to before @end of those by size, and what step 1 finds out about them */
struct sample_set {
	const uint32_t *first, *end;
	uint64_t sum, squares;
	uint64_t average, variance;
};

static uint32_t count_of(const struct sample_set *set)
{
	return (uint32_t)(set->end - set->first);
}

/* The largest of none is 0, the smallest UINT32_MAX. */
static uint32_t largest(const struct sample_set *set)
{
	return count_of(set) ? set->end[-1] : 0;
}

static uint32_t smallest(const struct sample_set *set)
{
	return count_of(set) ? *set->first : UINT32_MAX;
}

static inline void leave_out(struct sample_set *set, uint32_t value)
{
	set->sum -= value;
	set->squares -= (uint64_t)value * value;
}

static inline void drop_above(struct sample_set *set, uint32_t highest)
{
	while (largest(set) > highest)
		leave_out(set, *--set->end);
}

/* The largest one, and all as large. */
static void drop_largest(struct sample_set *set)
{
	uint32_t value = largest(set);

	while (count_of(set) && largest(set) == value)
		leave_out(set, *--set->end);
}

static void drop_smallest(struct sample_set *set)
{
	uint32_t value = smallest(set);

	while (count_of(set) && smallest(set) == value)
		leave_out(set, *set->first++);
}

static uint32_t highest_of(const struct menu_config *config)
{
	if (config->typical == MENU_TWO_SIDED)
		return UINT32_MAX - 1;
	return config->typical_31bit ? INT32_MAX : UINT32_MAX;
}

/* All of them, which lie at @samples. */
static struct sample_set all_samples(const struct menu_config *config,
				     const struct menu_recent *recent, const uint32_t *samples)
{
	return (struct sample_set){
		.first = samples,
		.end = samples + config->intervals,
		.sum = recent->sum,
		.squares = recent->squares,
	};
}

/*
 * Those within the bounds; @sorted: room for all of them. Inline, so that the set is never in memory: to be copied from what
 * was just written to it took half the time of this.
 */
static force_inline struct sample_set sort_samples(const struct menu_config *config,
						   const struct menu_recent *recent,
						   uint32_t sorted[MENU_INTERVALS_MAX])
{
	struct sample_set set = all_samples(config, recent, sorted);

	if (config->intervals == USUAL_INTERVALS) {
		memcpy(sorted, recent->interval, USUAL_INTERVALS * sizeof(*sorted));
		sort_usual(sorted);
	} else {
		memcpy(sorted, recent->interval, config->intervals * sizeof(*sorted));
		sort_any(sorted, config->intervals);
	}
	drop_above(&set, highest_of(config));
	return set;
}

static uint32_t menu_typical_fallback(const struct menu_config *config,
				      const struct sample_set *set)
{
	bool half_left = count_of(set) * 2 >= config->intervals;

	return config->max_typical && half_left ? largest(set) : MENU_NO_TYPICAL;
}

/* Step 3. The squares are compared, so that no root has to be taken. */
static bool menu_typical_accept(const struct menu_config *config, const struct sample_set *set)
{
	if (set->variance > config->variance_limit)
		return false;
	if (set->variance <= config->variance_narrow)
		return true;
	return set->average * set->average > set->variance * config->variance_ratio &&
	       count_of(set) * 4 >= config->intervals * 3;
}

static bool too_few_left(const struct menu_config *config, const struct sample_set *set)
{
	return count_of(set) * 4 <= config->intervals * 3;
}

/* Short numbers are the rule, and divide much faster as such. */
static inline uint64_t divide(uint64_t number, uint32_t by)
{
	return number >> 32 ? number / by : (uint32_t)number / by;
}

/*
 * One-sided: the mean of the squared distances from the average, which is rounded down first. Modulo 2^64 the sum of
 * (v - a)^2 is the sum of v^2 less 2a times the sum of v plus n times a^2, so the sums do.
 */
static void spread_about_average(struct sample_set *set)
{
	uint32_t count = count_of(set);
	uint64_t average = (uint32_t)divide(set->sum, count);
	uint64_t squares = set->squares - 2 * average * set->sum + count * average * average;

	set->average = average;
	set->variance = divide(squares, count);
}

static uint32_t typical_one_sided(const struct menu_config *config,
				  const struct menu_recent *recent, uint32_t expected)
{
	uint32_t sorted[MENU_INTERVALS_MAX];
	struct sample_set set = sort_samples(config, recent, sorted);

	for (;;) {
		if (config->typical_discard && smallest(&set) >= expected)
			return MENU_NO_TYPICAL;
		if (!count_of(&set) || (config->typical_zero && !largest(&set)))
			return MENU_NO_TYPICAL;
		spread_about_average(&set);
		if (menu_typical_accept(config, &set))
			return (uint32_t)set.average;
		if (too_few_left(config, &set))
			return menu_typical_fallback(config, &set);
		drop_largest(&set);
	}
}

/* Two-sided: the mean of the squares less the square of the mean, each rounded down. */
static void spread_from_squares(struct sample_set *set)
{
	uint32_t count = count_of(set);

	set->average = divide(set->sum, count);
	set->variance = divide(set->squares, count) - set->average * set->average;
}

static uint32_t typical_two_sided(const struct menu_config *config,
				  const struct menu_recent *recent)
{
	uint32_t sorted[MENU_INTERVALS_MAX];
	struct sample_set set = sort_samples(config, recent, sorted);

	for (;;) {
		if (!largest(&set))
			return MENU_NO_TYPICAL;
		spread_from_squares(&set);
		if (menu_typical_accept(config, &set))
			return (uint32_t)set.average;
		if (too_few_left(config, &set))
			return menu_typical_fallback(config, &set);
		if (set.average - smallest(&set) > largest(&set) - set.average)
			drop_smallest(&set);
		else
			drop_largest(&set);
	}
}

/*
 * Is the average of all accepted? While the sum is within the bounds every sample is; and while the average is less than
 * what is expected, not all can be more.
 */
static bool all_accepted(const struct menu_config *config, const struct menu_recent *recent,
			 uint32_t expected, uint32_t *ret_typical)
{
	struct sample_set set = all_samples(config, recent, recent->interval);

	if (!set.sum || set.sum > highest_of(config))
		return false;
	if (config->typical == MENU_TWO_SIDED)
		spread_from_squares(&set);
	else
		spread_about_average(&set);
	*ret_typical = (uint32_t)set.average;
	return menu_typical_accept(config, &set) &&
	       !(config->typical_discard && set.average >= expected);
}

uint32_t menu_typical(const struct menu_config *config, const struct menu_recent *recent,
		      uint32_t expected)
{
	uint32_t typical;

	if (all_accepted(config, recent, expected, &typical))
		return typical;
	if (config->typical == MENU_TWO_SIDED)
		return typical_two_sided(config, recent);
	return typical_one_sided(config, recent, expected);
}
