// SPDX-License-Identifier: GPL-2.0-only
/* Kernel releases: parsing and ordering. */
#include "policy/release.h"

#include <errno.h>
#include <string.h>

/* Low part of a key: release candidates first, then the levels, of which the release itself is number 0. */
#define KEY_LEVEL_BASE 1000u
#define KEY_LOW_MASK 0xffffffu
#define KEY_MINOR_MASK 0xfffffu

/* Read decimal digits at *@text into @ret_value and step over them; false when there are none or too many. */
static bool take_number(const char **text, uint32_t *ret_value)
{
	const char *at = *text;
	uint32_t value = 0;

	while (*at >= '0' && *at <= '9') {
		value = value * 10 + (uint32_t)(*at - '0');
		if (value > RELEASE_PART_MAX)
			return false;
		at++;
	}
	if (at == *text)
		return false;
	*text = at;
	*ret_value = value;
	return true;
}

/* "-rc3": a release candidate; the kernel spells it after ".0" too. */
static bool take_candidate(const char **text, uint32_t *ret_rc)
{
	const char *at = *text;

	if (strncmp(at, "-rc", 3))
		return false;
	at += 3;
	if (!take_number(&at, ret_rc) || *ret_rc == 0 || *ret_rc >= KEY_LEVEL_BASE)
		return false;
	*text = at;
	return true;
}

/* Distributions that keep ".0" count their own builds behind it: "-57-arm64", "-427.13.1.el9". */
static bool is_build_counter(const char *suffix)
{
	return suffix[0] == '-' && suffix[1] >= '0' && suffix[1] <= '9';
}

static bool suffix_is_sane(const char *suffix)
{
	if (*suffix && *suffix != '-' && *suffix != '+')
		return false;
	for (; *suffix; suffix++)
		if (*suffix <= ' ' || *suffix > '~')
			return false;
	return true;
}

static int release_error(const char *text, struct cpir_error *err)
{
	return error_set(err, -EINVAL,
			 "kernel release '%.64s': not understood; give it as uname -r does, for "
			 "example 6.1.192 or 6.17-rc3",
			 text);
}

int release_parse(const char *text, struct release *ret_release, struct cpir_error *err)
{
	struct release release = {0};
	const char *at = text;

	if (!take_number(&at, &release.major) || *at++ != '.' || !take_number(&at, &release.minor))
		return release_error(text, err);
	if (*at == '.') {
		at++;
		release.has_level = true;
		if (!take_number(&at, &release.level))
			return release_error(text, err);
		if (*at == '.') { /* vendor trees count on: 5.15.153.1 */
			uint32_t ignored;

			at++;
			if (!take_number(&at, &ignored))
				return release_error(text, err);
		}
	}
	if (!release.level)
		(void)take_candidate(&at, &release.rc);
	if (!suffix_is_sane(at))
		return release_error(text, err);
	release.level_hidden =
		release.has_level && !release.level && !release.rc && is_build_counter(at);
	*ret_release = release;
	return 0;
}

uint64_t release_key(const struct release *release)
{
	if (release->rc)
		return RELEASE_RC(release->major, release->minor, release->rc);
	return RELEASE_LEVEL(release->major, release->minor, release->level);
}

uint32_t release_pack(const struct release *release)
{
	uint32_t level = release->level < 255 ? release->level : 255;

	return (release->major & 0xffff) << 16 | (release->minor & 0xff) << 8 | level;
}

bool release_in_series(const struct release *release, uint64_t key)
{
	return key >> 24 == RELEASE_SERIES(release->major, release->minor) >> 24;
}

void release_format(const struct release *release, char *buffer, size_t size)
{
	if (release->has_level && !release->level && !release->rc)
		(void)snprintf(buffer, size, "%u.%u.0", release->major, release->minor);
	else
		release_key_format(release_key(release), buffer, size);
}

void release_key_format(uint64_t key, char *buffer, size_t size)
{
	uint32_t major = (uint32_t)(key >> 44), minor = (uint32_t)(key >> 24 & KEY_MINOR_MASK);
	uint32_t low = (uint32_t)(key & KEY_LOW_MASK);

	if (low > KEY_LEVEL_BASE)
		(void)snprintf(buffer, size, "%u.%u.%u", major, minor, low - KEY_LEVEL_BASE);
	else if (low && low < KEY_LEVEL_BASE)
		(void)snprintf(buffer, size, "%u.%u-rc%u", major, minor, low);
	else
		(void)snprintf(buffer, size, "%u.%u", major, minor);
}
