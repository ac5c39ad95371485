/* SPDX-License-Identifier: GPL-2.0-only */
/* How far a long run is, on a terminal that shows standard error. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdint.h>

/** struct progress - @name: what is worked on; zero-initialise the rest */
struct progress {
	const char *name;
	int64_t start_ms, shown_ms; /* monotonic; 0: not yet */
};

/** progress_wanted - whether anybody could see it */
int progress_wanted(void);

/** progress_show - fits cpir_study_options.progress; @arg is a struct progress. Quiet during the first second. */
void progress_show(void *arg, unsigned permille);

/** progress_clear - remove the line again */
void progress_clear(const struct progress *progress);

#endif
