// SPDX-License-Identifier: GPL-2.0-only
/*
 * DOC: the typical interval of menu
 *
 * Idea: recent idle intervals often repeat. If they lie close together, after leaving out a few outliers, their average
 * predicts the next one better than the timer does.
 *
 * Data: the last 8 (knob `intervals`) measured intervals in us, 32 bits each. They change one at a time, so their order by
 * size and their sums are kept from one decision to the next, and no step has to look at all of them.
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

/* ---- the samples --------------------------------------------------------------------------------------------------- */

/* Those of one CPU lie behind each other twice: in the order they came in, and by size. */
static const uint32_t *by_size(const struct menu_config *config, const struct menu_recent *recent)
{
	return recent->interval + config->intervals;
}

static inline uint32_t lesser(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static inline uint32_t greater(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

/*
 * @value takes the place of @former among the @count @sorted ones. Each of the places gets the middle one of three: the
 * new value, and its neighbours once the former one is gone. No branches: where the two lie cannot be foretold.
 */
static inline __attribute__((always_inline)) void replace_sorted(uint32_t *sorted, uint32_t count,
								 uint32_t former, uint32_t value)
{
	uint32_t below = 0, above;

	for (uint32_t i = 0; i < count; i++, below = above) {
		above = UINT32_MAX;
		if (i + 1 < count)
			above = sorted[i] < former ? sorted[i] : sorted[i + 1];
		sorted[i] = greater(below, lesser(value, above));
	}
}

void menu_recent_store(const struct menu_config *config, struct menu_recent *recent, uint32_t value)
{
	uint32_t former = recent->interval[recent->write_at];

	recent->interval[recent->write_at] = value;
	recent->write_at++;
	if (recent->write_at >= config->intervals)
		recent->write_at = 0;
	if (config->intervals == USUAL_INTERVALS) /* lets the compiler unroll */
		replace_sorted(recent->interval + USUAL_INTERVALS, USUAL_INTERVALS, former, value);
	else
		replace_sorted(recent->interval + config->intervals, config->intervals, former,
			       value);
	recent->sum += (uint64_t)value - former;
	recent->squares += (uint64_t)value * value - (uint64_t)former * former;
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

static struct sample_set samples_to(const struct menu_config *config,
				    const struct menu_recent *recent, uint32_t highest)
{
	const uint32_t *first = by_size(config, recent);
	struct sample_set set = {
		.first = first,
		.end = first + config->intervals,
		.sum = recent->sum,
		.squares = recent->squares,
	};

	drop_above(&set, highest);
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
	struct sample_set set =
		samples_to(config, recent, config->typical_31bit ? INT32_MAX : UINT32_MAX);

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
	struct sample_set set = samples_to(config, recent, UINT32_MAX - 1);

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

uint32_t menu_typical(const struct menu_config *config, const struct menu_recent *recent,
		      uint32_t expected)
{
	if (config->typical == MENU_TWO_SIDED)
		return typical_two_sided(config, recent);
	return typical_one_sided(config, recent, expected);
}
