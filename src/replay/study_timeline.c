// SPDX-License-Identifier: GPL-2.0-only
/* The trace of a study, read as a timeline. */
#include "replay/study.h"

#include "policy/release.h"

static uint32_t timeline_release(const char *kernel)
{
	struct release release;

	if (release_parse(kernel, &release, NULL) < 0)
		return 0;
	return release.major << 16 | release.minor << 8;
}

/* So many events pass between two words about the progress. */
#define PROGRESS_EVENTS 65536

void study_progress(struct study *study, enum study_step step, const struct trace_merge *merge)
{
	const struct cpir_study_options *options = study->options;
	unsigned permille;

	if (++study->read % PROGRESS_EVENTS || !options->progress)
		return;
	permille = (step * 1000 + trace_merge_permille(merge)) / STEPS;
	if (permille > study->told)
		study->told = permille;
	options->progress(options->progress_arg, study->told);
}

int study_timeline(struct study *study, int (*sink)(void *arg, struct stretch *stretch), void *arg,
		   struct cpir_error *err)
{
	struct timeline_options options = {
		.cpus = study->info->cpus,
		.clocks = &study->clocks,
		.rcu = &study->rcu,
		.prelude = &study->prelude,
		.qos_guess = study->masks_known ? &study->qos_guess : NULL,
		.masks = study->masks_known ? &study->masks : NULL,
		.platform = study->platform,
		.known = study->context.known,
		.release = timeline_release(study->kernel),
		.sink = sink,
		.arg = arg,
	};
	struct timeline *timeline = timeline_new(&options);
	struct trace_merge *merge = NULL;
	const struct event *event;
	int ret;

	if (!timeline)
		return error_oom(err);
	ret = trace_merge_open(study->trace, &merge, err);
	study->enough = false;
	while (ret >= 0 && !study->enough && (ret = trace_merge_next(merge, &event, err)) > 0) {
		study_progress(study, study->masks_known ? STEP_REPLAY : STEP_LEARN, merge);
		ret = study->event_gaps ? event_gap_add(&study->event_gaps[event->cpu], event) : 0;
		ret = ret < 0 ? ret : timeline_feed(timeline, event);
		if (ret < 0) {
			(void)error_oom(err);
			break;
		}
	}
	if (study->enough && ret > 0)
		ret = 0;
	else if (!ret)
		ret = timeline_finish(timeline);
	trace_merge_close(merge);
	timeline_free(timeline);
	return ret;
}
