// SPDX-License-Identifier: GPL-2.0-only
/* The timeline of a study: for its own runs, or for whoever else wants to see it. */
#include "replay/study.h"

#include "replay/reading.h"

void study_progress(struct study *study, enum study_step step, const struct trace_merge *merge)
{
	const struct cpir_study_options *options = study->options;
	unsigned permille;

	if (!options->progress)
		return;
	permille = (step * 1000 + trace_merge_permille(merge)) / STEPS;
	if (permille <= study->told)
		return;
	study->told = permille;
	options->progress(options->progress_arg, study->told);
}

int study_replay(struct study *study, struct cpir_error *err)
{
	return reading_replay(study->reading, err);
}

int study_timeline(struct study *study, int (*sink)(void *arg, struct stretch *stretch), void *arg,
		   struct cpir_error *err)
{
	return reading_walk(study->reading, sink, arg, err);
}
