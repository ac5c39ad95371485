/* SPDX-License-Identifier: GPL-2.0-only */
/* Which kernel releases have which version of a governor. */
#ifndef POLICY_WINDOWS_H
#define POLICY_WINDOWS_H

#include "policy/governor.h"

/* Nothing is known of releases from here on: they are taken for the last one before. */
#define WINDOWS_END RELEASE_SERIES(7, 4)

extern const struct window_table menu_windows, teo_windows, haltpoll_windows;
extern const struct window_table no_windows; /* for governors that never changed */

/**
 * windows_apply - set the knobs of @config as release @key has them; rows of the table apply in order
 * Errors: -EINVAL (a row that does not fit the knobs: a mistake in the table)
 */
int windows_apply(const struct governor *governor, uint64_t key, void *config,
		  struct cpir_error *err);

/**
 * windows_newest_level - newest stable level of the series of @release that something is known of
 * Returns: the level, 0 when only the release itself is known
 */
uint32_t windows_newest_level(const struct release *release);

#endif
