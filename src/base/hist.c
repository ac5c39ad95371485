// SPDX-License-Identifier: GPL-2.0-only
/*
 * Log-linear histogram.
 *
 * Row 0 holds the values 0 … 63, one per bucket. Row r > 0 holds 2^(r+5) … 2^(r+6)-1 in 64 buckets of 2^(r-1) values:
 * the leading one bit of the value gives the row, the six bits behind it the bucket.
 */
#include "base/hist.h"

#include <errno.h>
#include <stdlib.h>

#define ROW_BITS 6

_Static_assert(1 << ROW_BITS == HIST_ROW && 64 - ROW_BITS + 1 == HIST_ROWS, "rows cover 64 bits");

struct place {
	unsigned row, bucket;
};

static struct place place_of(uint64_t value)
{
	unsigned row;

	if (value < HIST_ROW)
		return (struct place){0, (unsigned)value};
	row = (unsigned)(63 - __builtin_clzll(value)) - ROW_BITS + 1;
	return (struct place){row, (unsigned)(value >> (row - 1)) & (HIST_ROW - 1)};
}

/* highest_value - the largest value counted in a bucket */
static uint64_t highest_value(unsigned row, unsigned bucket)
{
	if (!row)
		return bucket;
	return ((uint64_t)(HIST_ROW + bucket) << (row - 1)) + ((UINT64_C(1) << (row - 1)) - 1);
}

static uint64_t add_saturated(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static int row_make(struct hist *hist, unsigned row)
{
	if (!hist->rows[row])
		hist->rows[row] = calloc(HIST_ROW, sizeof(*hist->rows[row]));
	return hist->rows[row] ? 0 : -ENOMEM;
}

/* totals_add - widen count, sum, minimum and maximum by those of another non-empty set of values */
static void totals_add(struct hist *hist, const struct hist *more)
{
	if (!hist->count || more->min < hist->min)
		hist->min = more->min;
	if (more->max > hist->max)
		hist->max = more->max;
	hist->count = add_saturated(hist->count, more->count);
	hist->sum = add_saturated(hist->sum, more->sum);
}

void hist_deinit(struct hist *hist)
{
	if (!hist)
		return;
	for (unsigned row = 0; row < HIST_ROWS; row++)
		free(hist->rows[row]);
	*hist = (struct hist){0};
}

int hist_add(struct hist *hist, uint64_t value)
{
	struct place place = place_of(value);
	int r = row_make(hist, place.row);

	if (r)
		return r;
	hist->rows[place.row][place.bucket]++;
	if (!hist->count || value < hist->min)
		hist->min = value;
	if (value > hist->max)
		hist->max = value;
	hist->count++;
	hist->sum = add_saturated(hist->sum, value);
	return 0;
}

int hist_merge(struct hist *hist, const struct hist *from)
{
	if (!from->count)
		return 0;
	/* Rows first: a row of zeros changes nothing, so running out of memory here does no harm. */
	for (unsigned row = 0; row < HIST_ROWS; row++) {
		int r = from->rows[row] ? row_make(hist, row) : 0;

		if (r)
			return r;
	}
	for (unsigned row = 0; row < HIST_ROWS; row++) {
		for (unsigned i = 0; from->rows[row] && i < HIST_ROW; i++)
			hist->rows[row][i] += from->rows[row][i];
	}
	totals_add(hist, from);
	return 0;
}

uint64_t hist_quantile(const struct hist *hist, unsigned per_myriad)
{
	uint64_t share = per_myriad < 10000 ? per_myriad : 10000;
	/* ceil(count * share / 10000) without overflow */
	uint64_t rank = hist->count / 10000 * share + (hist->count % 10000 * share + 9999) / 10000;
	uint64_t seen = 0, value;

	if (!rank)
		rank = 1;
	for (unsigned row = 0; row < HIST_ROWS; row++) {
		for (unsigned i = 0; hist->rows[row] && i < HIST_ROW; i++) {
			seen += hist->rows[row][i];
			if (seen < rank)
				continue;
			value = highest_value(row, i);
			return value < hist->max ? value : hist->max;
		}
	}
	return hist->max;
}

uint64_t hist_mean(const struct hist *hist)
{
	return hist->count ? hist->sum / hist->count : 0;
}
