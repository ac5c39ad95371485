/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Kernel releases: what `uname -r` says, made comparable. A release becomes one number, its key, in which release
 * candidates sort before the release and stable levels after it.
 */
#ifndef POLICY_RELEASE_H
#define POLICY_RELEASE_H

#include "base/error.h"

#define RELEASE_PART_MAX 999999u

/* Keys for tables: a stable level, a release candidate, and "from the first development kernel of this series on". */
#define RELEASE_KEY(major, minor, low) ((uint64_t)(major) << 44 | (uint64_t)(minor) << 24 | (low))
#define RELEASE_LEVEL(major, minor, level) RELEASE_KEY(major, minor, 1000 + (uint64_t)(level))
#define RELEASE_RC(major, minor, rc) RELEASE_KEY(major, minor, (uint64_t)(rc))
#define RELEASE_SERIES(major, minor) RELEASE_KEY(major, minor, 0)
#define RELEASE_LATEST UINT64_MAX

/**
 * struct release - one kernel release
 * @rc: release candidate, 0 none
 * @has_level: a level was given, be it 0
 * @level_hidden: a distribution's own counter stands where the stable level would be ("6.1.0-57-arm64")
 */
struct release {
	uint32_t major, minor, level, rc;
	bool has_level, level_hidden;
};

/**
 * release_parse - read a release as `uname -r` prints it: "6.1.192", "6.17-rc3", "6.12.94-amd64", "6.1.0-57-arm64"
 * @text: the whole string; anything that may follow the numbers starts with '-' or '+'
 * Errors: -EINVAL
 */
int release_parse(const char *text, struct release *ret_release, struct cpir_error *err);

/** release_key - one number that sorts like releases do */
uint64_t release_key(const struct release *release);

/** release_pack - major << 16 | minor << 8 | min(level, 255), for struct cpir_policy */
uint32_t release_pack(const struct release *release);

/** release_in_series - does @key (not RELEASE_LATEST) belong to major.minor of @release? */
bool release_in_series(const struct release *release, uint64_t key);

/** release_format - canonical text as given, but without any suffix: "6.1.192", "7.3", "6.17-rc3"; @size of at least 32 bytes */
void release_format(const struct release *release, char *buffer, size_t size);

/** release_key_format - the same from a key; level 0 and RELEASE_SERIES give "6.17" */
void release_key_format(uint64_t key, char *buffer, size_t size);

#endif
