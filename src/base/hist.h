/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Mergeable histogram of uint64_t values (durations in ns, but any unit will do) with a fixed relative error.
 *
 * Values below HIST_ROW have a bucket of their own. Above, every power of two is cut into HIST_ROW equal buckets, so a
 * bucket is at most 1/HIST_ROW of its lowest value wide. Count, sum, minimum and maximum are exact. Two histograms of
 * parts of the data merge into exactly the histogram of the whole, in any order.
 *
 * A struct hist that is all zero is an empty histogram. Rows of buckets come when a value needs them: an empty one costs
 * its own size, a used one 512 bytes more for each power of two its values span. One thread at a time.
 */
#ifndef BASE_HIST_H
#define BASE_HIST_H

#include <stdint.h>

#define HIST_ROW 64  /* buckets of a row; a quantile is at most 1/64 too large */
#define HIST_ROWS 59 /* one row for 0 … 63, then one for each power of two up to 2^63 */

/** struct hist - read the four numbers freely; change them through the functions only */
struct hist {
	uint64_t count;
	uint64_t sum; /* UINT64_MAX when it would be larger */
	uint64_t min; /* 0 when empty */
	uint64_t max; /* 0 when empty */
	uint64_t *rows[HIST_ROWS];
};

/** hist_deinit - free the buckets and leave an empty histogram; NULL is allowed */
void hist_deinit(struct hist *hist);

/**
 * hist_add - count one @value (0 … UINT64_MAX)
 * Returns: 0, or -ENOMEM and the histogram is as before
 */
int hist_add(struct hist *hist, uint64_t value);

/**
 * hist_merge - add all that @from holds to @hist; @from stays as it is and must be another histogram
 * Returns: 0, or -ENOMEM and @hist is as before
 */
int hist_merge(struct hist *hist, const struct hist *from);

/**
 * hist_quantile - the value that @per_myriad ten-thousandths of the values do not exceed (5000: the median)
 * @per_myriad: 0 … 10000, larger counts as 10000
 * Returns: the highest value of the bucket that holds the value of that rank (nearest rank: number
 * ceil(count * per_myriad / 10000) in ascending order, at least the first), at most the maximum. It is never below the
 * true one and at most 1/HIST_ROW of it above. 0 when empty.
 */
uint64_t hist_quantile(const struct hist *hist, unsigned per_myriad);

/** hist_mean - sum / count rounded down, 0 when empty */
uint64_t hist_mean(const struct hist *hist);

#endif
