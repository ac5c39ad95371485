// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which kernel releases have which version of a governor. A change merged in a release holds from that series on; one
 * that went to stable trees holds in each series from the level that took it. Levels marked assumed are bracketed by
 * what is known (changelogs, sources of single levels) but not proven; a knob or a patch name puts right what is wrong.
 */
#include "policy/windows.h"

#include "base/array.h"

#include <errno.h>

/* From a mainline series, or one of its release candidates, on. */
#define SINCE(major, minor, knobs, commit)                                                         \
	{                                                                                          \
		RELEASE_SERIES(major, minor), RELEASE_LATEST, knobs, commit, false,                \
	}
#define SINCE_RC(major, minor, rc, knobs, commit)                                                  \
	{                                                                                          \
		RELEASE_RC(major, minor, rc), RELEASE_LATEST, knobs, commit, false,                \
	}
/* From a stable level to the end of its series. */
#define STABLE(major, minor, level, knobs, commit)                                                 \
	{                                                                                          \
		RELEASE_LEVEL(major, minor, level), RELEASE_SERIES(major, (minor) + 1), knobs,     \
			commit, false,                                                             \
	}
#define ASSUMED(major, minor, level, knobs, commit)                                                \
	{                                                                                          \
		RELEASE_LEVEL(major, minor, level), RELEASE_SERIES(major, (minor) + 1), knobs,     \
			commit, true,                                                              \
	}

static const struct window menu_rows[] = {
	/* Mainline. */
	{RELEASE_SERIES(4, 19), RELEASE_SERIES(4, 20), "layout=4.19", "757ab15c3f49", false},
	SINCE(4, 20, "typical_discard=on", "5f26bdceb9c0, 8b007ebec9a5, 53812cdc9100"),
	{RELEASE_SERIES(5, 1), RELEASE_LATEST, "typical_31bit=on", "814b8797f986", true},
	SINCE(5, 4, "latency_break=off,early_exit_stops_tick=on", "32b91ca15353"),
	SINCE(5, 5, "microseconds=off,unsigned_times=on", "c1d51f684c72"),
	SINCE(5, 13, "unsigned_times=off", "2ab80d46fead"),
	SINCE(5, 13, "clamp_negative=on,stopped_override=sleep-length", "060e3535adf5"),
	SINCE(6, 6, "skip_lookup=on,typical_discard=off,typical_zero=on", "5484e31bbbff"),
	SINCE(6, 13, "iowait=off", "38f83090f515"),
	SINCE(6, 15, "typical=two-sided,typical_zero=off",
	      "d2cd195b57cf, 13982929fb08, 60256e458e1c, 8de7606f0fe2"),
	SINCE(6, 15, "max_typical=on", "85975daeaa4d"),
	SINCE(6, 17, "latency_first=on", "779b1a1cb13a"),
	SINCE_RC(6, 17, 3, "reject_interval=on", "fa3fa55de0d6"),
	SINCE_RC(6, 18, 3, "max_typical=off", "10fad4012234"),
	SINCE_RC(6, 18, 4, "override_exit_latency=on", "db86f55bf81a"),
	SINCE(6, 19, "override_residency_threshold=on", "07d815701274"),
	SINCE(7, 0, "stopped_lookup=on,stopped_override_inside=on", "80606f4eb8d7"),
	SINCE(7, 1, "safe_timer_range=on", "e57c2bf2e89d"),

	/* Stable trees. */
	ASSUMED(5, 4, 294, "max_typical=on", "85975daeaa4d"),
	ASSUMED(5, 4, 301, "max_typical=off", "10fad4012234"),

	STABLE(5, 10, 238, "max_typical=on", "85975daeaa4d"),
	STABLE(5, 10, 241, "reject_interval=on", "fa3fa55de0d6"),
	STABLE(5, 10, 246, "max_typical=off", "10fad4012234"),

	ASSUMED(5, 15, 185, "max_typical=on", "85975daeaa4d"),
	STABLE(5, 15, 190, "reject_interval=on", "fa3fa55de0d6"),
	STABLE(5, 15, 196, "max_typical=off", "10fad4012234"),

	STABLE(6, 1, 141, "max_typical=on", "85975daeaa4d"),
	STABLE(6, 1, 157, "reject_interval=on", "fa3fa55de0d6"),
	STABLE(6, 1, 158, "max_typical=off", "10fad4012234"),

	STABLE(6, 6, 93, "max_typical=on", "85975daeaa4d"),
	STABLE(6, 6, 103, "reject_interval=on", "fa3fa55de0d6"),
	STABLE(6, 6, 103, "iowait=off", "38f83090f515"),
	STABLE(6, 6, 103, "latency_first=on", "779b1a1cb13a"),
	STABLE(6, 6, 115, "max_typical=off", "10fad4012234"),
	STABLE(6, 6, 117, "override_exit_latency=on", "db86f55bf81a"),
	ASSUMED(6, 6, 120, "override_residency_threshold=on", "07d815701274"),
	ASSUMED(6, 6, 128, "stopped_lookup=on,stopped_override_inside=on", "80606f4eb8d7"),

	STABLE(6, 12, 31, "max_typical=on", "85975daeaa4d"),
	STABLE(6, 12, 43, "reject_interval=on", "fa3fa55de0d6"),
	STABLE(6, 12, 44, "iowait=off", "38f83090f515"),
	STABLE(6, 12, 44, "latency_first=on", "779b1a1cb13a"),
	STABLE(6, 12, 56, "max_typical=off", "10fad4012234"),
	STABLE(6, 12, 58, "override_exit_latency=on", "db86f55bf81a"),
	STABLE(6, 12, 64, "override_residency_threshold=on", "07d815701274"),
	STABLE(6, 12, 75, "stopped_lookup=on,stopped_override_inside=on", "80606f4eb8d7"),

	/*
	 * 6.17 to 6.17.5 should have the change that 10fad4012234 takes out. The decision vectors of
	 * 6.17.0 do not, and they are what we can test; +max-typical puts it in.
	 */
	{RELEASE_LEVEL(6, 17, 0), RELEASE_LEVEL(6, 17, 1), "max_typical=off", "decision vectors",
	 true},
	STABLE(6, 17, 6, "max_typical=off", "10fad4012234"),
	STABLE(6, 17, 8, "override_exit_latency=on", "db86f55bf81a"),

	STABLE(6, 18, 3, "override_residency_threshold=on", "07d815701274"),
	STABLE(6, 18, 14, "stopped_lookup=on,stopped_override_inside=on", "80606f4eb8d7"),

	STABLE(6, 19, 4, "stopped_lookup=on,stopped_override_inside=on", "80606f4eb8d7"),
};

const struct window_table menu_windows = {menu_rows, array_size(menu_rows)};

static const struct window teo_rows[] = {
	SINCE(5, 1, "generation=5.1,unsigned_times=on", "first release of teo"),
	SINCE(5, 5, "generation=5.5", "c1d51f684c72"),
	SINCE(5, 13, "unsigned_times=off,bins_from_zero=on", "2ab80d46fead"),
	SINCE(5, 14, "generation=5.14", "c410a9a142f1, 77577558f25d"),
	SINCE(6, 3, "generation=6.3", "utilisation"),
	/* From 6.5.4 on; what 6.5 to 6.5.3 did has not been tested. */
	{RELEASE_SERIES(6, 5), RELEASE_LATEST, "early_results_keep_tick=on", "6.5.4", true},
	SINCE(6, 6, "generation=6.6", "timer look-up deferred"),
	SINCE(6, 11, "generation=6.11", "0a2998fa48f0, 449914398083, 4b20b07ce72f"),
	SINCE(6, 14, "generation=6.14", "13ed5c4a6d9c, ddcfa7964677, 65e18e654475, 16c8d7586c19"),
	SINCE(6, 19, "generation=6.19,shallower_always=on", "a03b2011808a, b54df61c7428"),
	SINCE(7, 0, "generation=7.0", "4bd2221f231d, 60836533b4c7, 475ca3470b37, f36de72673ad"),
	SINCE(7, 1, "generation=7.1", "106a2662e655"),

	STABLE(6, 12, 64, "shallower_always=on", "stable"),
	ASSUMED(6, 18, 3, "shallower_always=on", "stable"),
};

const struct window_table teo_windows = {teo_rows, array_size(teo_rows)};

static const struct window haltpoll_rows[] = {
	/* Between 6.1.187, which has not got it, and 6.12.8, which has. */
	{RELEASE_SERIES(6, 6), RELEASE_LATEST, "shrink_to_zero=on", "before 6.12.8", true},
};

const struct window_table haltpoll_windows = {haltpoll_rows, array_size(haltpoll_rows)};

const struct window_table no_windows = {NULL, 0};

/* Newest stable level of each series that something is known of. */
static const struct {
	uint32_t major, minor, level;
} newest_levels[] = {
	{4, 19, 87}, {5, 4, 301}, {5, 10, 262}, {5, 15, 196}, {6, 1, 187}, {6, 6, 128},
	{6, 12, 94}, {6, 17, 8},  {6, 18, 15},	{6, 19, 8},   {7, 1, 13},  {7, 2, 6},
};

int windows_apply(const struct governor *governor, uint64_t key, void *config,
		  struct cpir_error *err)
{
	for (size_t i = 0; i < governor->windows->count; i++) {
		const struct window *row = &governor->windows->rows[i];
		int r;

		if (key < row->from || key >= row->until)
			continue;
		r = knob_set_list(&governor->knobs, config, row->set, err);
		if (r)
			return r;
	}
	return 0;
}

uint32_t windows_newest_level(const struct release *release)
{
	for (size_t i = 0; i < array_size(newest_levels); i++)
		if (newest_levels[i].major == release->major &&
		    newest_levels[i].minor == release->minor)
			return newest_levels[i].level;
	return 0;
}
