// SPDX-License-Identifier: GPL-2.0-only
/*
 * Flat dumps of sysfs, one `path:value` per line, as grep -r "" DIRECTORY writes them. Lines that begin with # are
 * comments; paths that say nothing about cpuidle are passed over.
 */
#include <errno.h>
#include <string.h>

#include "model/platform_build.h"
#include "model/platform_draft.h"

static int line_put(struct draft *draft, const char *name, char *line, struct draft_item item,
		    struct cpir_error *err)
{
	char *colon = strchr(line, ':');
	size_t len = strlen(line);

	while (len && strchr(" \t\r", line[len - 1]))
		line[--len] = '\0';
	if (!len || *line == '#')
		return 0;
	if (!colon)
		return error_set(err, -EINVAL,
				 "%s:%zu: not a platform: no path:value in this line; give a JSON "
				 "file, a preset's name, or a copy of /sys/devices/system/cpu",
				 name, item.line);
	*colon = '\0';
	item.path = line;
	item.value = colon + 1;
	return draft_put(draft, &item, err);
}

static int lines_put(struct draft *draft, const char *name, char *text, struct cpir_error *err)
{
	size_t number = 0;
	char *line;

	while ((line = strsep(&text, "\n"))) {
		int r = line_put(draft, name, line, (struct draft_item){.line = ++number}, err);

		if (r)
			return r;
	}
	return 0;
}

int platform_read_flat(char *text, const char *name, struct cpir_platform **ret_platform,
		       struct cpir_error *err)
{
	struct draft *draft = draft_new(name);
	int r;

	if (!draft)
		return error_oom(err);
	r = lines_put(draft, name, text, err);
	if (!r)
		r = draft_finish(draft, ret_platform, err);
	if (r == -ENODEV)
		r = -EINVAL;
	if (r && err)
		err->code = r;
	draft_free(draft);
	return r;
}
