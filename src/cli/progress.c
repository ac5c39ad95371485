// SPDX-License-Identifier: GPL-2.0-only
/* How far a long run is. */
#include "cli/progress.h"

#include "cli/command.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define QUIET_MS 1000 /* shorter runs show nothing */
#define REDRAW_MS 200

static int64_t now_ms(void)
{
	struct timespec now;

	if (clock_gettime(CLOCK_MONOTONIC, &now))
		return 0;
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int progress_wanted(void)
{
	return isatty(STDERR_FILENO);
}

void progress_show(void *arg, unsigned permille)
{
	struct progress *progress = arg;
	int64_t now = now_ms();

	if (!progress->start_ms)
		progress->start_ms = now;
	if (now - progress->start_ms < QUIET_MS || now - progress->shown_ms < REDRAW_MS)
		return;
	progress->shown_ms = now;
	(void)fprintf(stderr, "\r" PROGRAM ": %s: %u%%\033[K", progress->name, permille / 10);
}

void progress_clear(const struct progress *progress)
{
	if (progress->shown_ms)
		(void)fputs("\r\033[K", stderr);
}
