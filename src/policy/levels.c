// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is not known about a kernel release. Distributions that keep "6.1.0" in the name and count their own builds behind
 * it do not tell the stable level, and the level decides what the governor does. Such a release is taken for the newest
 * known level of its series; this file says so and names the levels that would decide otherwise.
 */
#include "policy/governor.h"
#include "policy/windows.h"

#include "base/array.h"
#include "base/cleanup.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define BOUNDS_MAX 32 /* stable levels of one series at which something changes */
#define NOTE_MAX 4096

/* struct note - the sentence under construction; what does not fit is left out */
struct note {
	char text[NOTE_MAX];
	size_t used;
	bool listed; /* a range of levels has been named */
};

/* struct level_range - levels @first to @last of one series, which all decide alike */
struct level_range {
	uint32_t first, last;
};

__attribute__((format(printf, 2, 3))) static void note_add(struct note *note, const char *format,
							   ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(note->text + note->used, sizeof(note->text) - note->used, format, args);
	va_end(args);
	if (n > 0 && (size_t)n < sizeof(note->text) - note->used)
		note->used += (size_t)n;
	note->text[note->used] = '\0';
}

static int compare_levels(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

/* Levels of the series of @release at which a row begins or ends, sorted, each once. */
static size_t find_bounds(const struct governor *governor, const struct release *release,
			  uint32_t bounds[BOUNDS_MAX])
{
	uint64_t base = RELEASE_LEVEL(release->major, release->minor, 0);
	size_t count = 0, kept = 0;

	for (size_t i = 0; i < 2 * governor->windows->count; i++) {
		const struct window *row = &governor->windows->rows[i / 2];
		uint64_t key = i % 2 ? row->until : row->from;

		if (key != RELEASE_LATEST && release_in_series(release, key) && key > base &&
		    count < BOUNDS_MAX)
			bounds[count++] = (uint32_t)(key - base);
	}
	qsort(bounds, count, sizeof(*bounds), compare_levels);
	for (size_t i = 0; i < count; i++)
		if (!kept || bounds[kept - 1] != bounds[i])
			bounds[kept++] = bounds[i];
	return kept;
}

/* Config of @governor in level @level of the series of @release; free() it. NULL: no memory. */
static void *config_at(const struct governor *governor, const struct release *release,
		       uint32_t level)
{
	uint64_t key = RELEASE_LEVEL(release->major, release->minor, level);
	void *config = malloc(governor->config_size ? governor->config_size : 1);

	if (!config)
		return NULL;
	memcpy(config, governor->defaults, governor->config_size);
	if (windows_apply(governor, key, config, NULL)) {
		free(config);
		return NULL;
	}
	return config;
}

/* "(max_typical=on, reject_interval=off)": what @config has otherwise than @reference; false when nothing */
static bool note_differences(struct note *note, const struct governor *governor, const void *config,
			     const void *reference)
{
	bool any = false;

	for (size_t i = 0; i < governor->knobs.count; i++) {
		const struct knob *knob = &governor->knobs.knobs[i];
		char value[32], other[32];

		knob_format(knob, config, value, sizeof(value));
		knob_format(knob, reference, other, sizeof(other));
		if (!strcmp(value, other))
			continue;
		note_add(note, "%s%s=%s", any ? ", " : " (", knob->name, value);
		any = true;
	}
	if (any)
		note_add(note, ")");
	return any;
}

static void format_range(const struct release *release, struct level_range range, char *buffer,
			 size_t size)
{
	char first[32], last[32];

	release_key_format(RELEASE_LEVEL(release->major, release->minor, range.first), first,
			   sizeof(first));
	release_key_format(RELEASE_LEVEL(release->major, release->minor, range.last), last,
			   sizeof(last));
	if (range.first == range.last)
		(void)snprintf(buffer, size, "%s", first);
	else if (range.last == UINT32_MAX)
		(void)snprintf(buffer, size, "%s and later", first);
	else
		(void)snprintf(buffer, size, "%s to %s", first, last);
}

/* Add the range if its levels decide otherwise than @reference. Returns 0 or -ENOMEM. */
static int note_range(struct note *note, const struct governor *governor,
		      const struct release *release, struct level_range range)
{
	_cleanup_free_ void *config = config_at(governor, release, range.first);
	_cleanup_free_ void *reference = config_at(governor, release, release->level);
	struct note differences = {0};
	char text[80];

	if (!config || !reference)
		return -ENOMEM;
	if (!note_differences(&differences, governor, config, reference))
		return 0;
	format_range(release, range, text, sizeof(text));
	if (!note->listed)
		note_add(note, "; these have another %s:", governor->ops->name);
	note_add(note, "%s %s%s", note->listed ? "," : "", text, differences.text);
	note->listed = true;
	return 0;
}

/* Ranges of levels that decide otherwise than the assumed one, release->level. */
static int note_ranges(struct note *note, const struct governor *governor,
		       const struct release *release)
{
	uint32_t bounds[BOUNDS_MAX];
	size_t count = find_bounds(governor, release, bounds);
	uint32_t first = 0;

	for (size_t i = 0; i < count; i++) {
		int r = note_range(note, governor, release,
				   (struct level_range){first, bounds[i] - 1});

		if (r)
			return r;
		first = bounds[i];
	}
	return note_range(note, governor, release, (struct level_range){first, UINT32_MAX});
}

/* Is some bound in the series of @release bracketed only? */
static bool bounds_assumed(const struct governor *governor, const struct release *release)
{
	for (size_t i = 0; i < governor->windows->count; i++) {
		const struct window *row = &governor->windows->rows[i];

		if (row->assumed && release_in_series(release, row->from))
			return true;
	}
	return false;
}

static int note_hidden(struct note *note, const struct governor *governor, struct release *release,
		       const char *text)
{
	char assumed[32];
	int r;

	release->level = windows_newest_level(release);
	release_format(release, assumed, sizeof(assumed));
	note_add(note, "%.64s does not tell its stable level; %s was assumed, the newest one known",
		 text, assumed);
	r = note_ranges(note, governor, release);
	if (r)
		return r;
	if (!note->listed)
		note_add(note, "; no other level of the series is known to have another %s",
			 governor->ops->name);
	if (bounds_assumed(governor, release))
		note_add(note, " (some of these bounds are assumed)");
	note_add(note, "; give the real one with --kernel %u.%u.N", release->major, release->minor);
	return 0;
}

static void note_newer(struct note *note, const struct governor *governor, const char *text)
{
	note_add(note,
		 "%.64s is newer than the releases that are known (%s); its %s was taken for the "
		 "last of them",
		 text, governor->info->kernels, governor->info->name);
}

int cpir_policy_note_levels(const char *governor_name, const char *release_text, char **ret_text)
{
	const struct governor *governor = governor_find(governor_name);
	struct note *note;
	struct release release;
	char *text;
	int r;

	if (!governor)
		return -EINVAL;
	r = release_parse(release_text, &release, NULL);
	if (r)
		return r;
	note = calloc(1, sizeof(*note));
	if (!note)
		return -ENOMEM;
	if (governor->needs_kernel && release.level_hidden)
		r = note_hidden(note, governor, &release, release_text);
	else if (governor->needs_kernel && release_key(&release) >= WINDOWS_END)
		note_newer(note, governor, release_text);
	text = r ? NULL : strdup(note->text);
	free(note);
	if (!text)
		return r ? r : -ENOMEM;
	*ret_text = text;
	return 0;
}
