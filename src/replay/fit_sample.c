// SPDX-License-Identifier: GPL-2.0-only
/* The stretches of a recording that constants are fitted to. */
#include "replay/fit.h"

#include <errno.h>

static int copy_array(void *ret_to, const void *from, size_t size)
{
	void *copy = NULL;

	if (size) {
		copy = malloc(size);
		if (!copy)
			return -ENOMEM;
		memcpy(copy, from, size);
	}
	memcpy(ret_to, &copy, sizeof(copy));
	return 0;
}

static int stretch_add(struct fit_sample *sample, const struct stretch *stretch)
{
	struct stretch *copy = array_add(&sample->stretches);

	if (!copy)
		return -ENOMEM;
	*copy = *stretch;
	copy->periods.ptr = NULL;
	copy->happenings.ptr = NULL;
	for (size_t i = 0; i < stretch->periods.len; i++)
		sample->periods += stretch->periods.ptr[i].state >= 0;
	if (copy_array(&copy->periods.ptr, stretch->periods.ptr,
		       stretch->periods.len * sizeof(*stretch->periods.ptr)) < 0)
		return -ENOMEM;
	return copy_array(&copy->happenings.ptr, stretch->happenings.ptr,
			  stretch->happenings.len * sizeof(*stretch->happenings.ptr));
}

int fit_sample_add(struct fit_sample *sample, const struct stretch *stretch)
{
	/* One stretch may be the whole trace, and tens of passes over it take too long. */
	if (sample->periods >= FIT_PERIODS || !stretch->periods.len ||
	    stretch->periods.len > FIT_PERIODS)
		return 0;
	return stretch_add(sample, stretch);
}

void fit_sample_free(struct fit_sample *sample)
{
	for (size_t i = 0; i < sample->stretches.len; i++) {
		array_free(&sample->stretches.ptr[i].periods);
		array_free(&sample->stretches.ptr[i].happenings);
	}
	array_free(&sample->stretches);
}
