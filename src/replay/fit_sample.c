// SPDX-License-Identifier: GPL-2.0-only
/* The stretches of a recording that constants are fitted to. */
#include "replay/fit.h"

#include <errno.h>

int fit_sample_add(struct fit_sample *sample, const struct stretch *stretch)
{
	const struct stretch **place;

	/* One stretch may be the whole trace, and tens of passes over it take too long. */
	if (sample->periods >= FIT_PERIODS || !stretch->periods.len ||
	    stretch->periods.len > FIT_PERIODS)
		return 0;
	for (size_t i = 0; i < stretch->periods.len; i++)
		sample->periods += stretch->periods.ptr[i].state >= 0;
	place = array_add_raw(&sample->stretches);
	if (!place)
		return -ENOMEM;
	*place = stretch;
	return 0;
}

void fit_sample_free(struct fit_sample *sample)
{
	array_free(&sample->stretches);
}
