// SPDX-License-Identifier: GPL-2.0-only
/*
 * A patch is cut into its files; those that are ours, by their last name, go to patch(1) one by one with the file named
 * outright. So it does not matter from which folder the patch was made, or what else it changes.
 */
#include "policy/kernel_patch.h"

#include "base/cleanup.h"
#include "base/command.h"
#include "policy/kernel_cache.h"

#include <errno.h>
#include <string.h>

#define PART "part.patch"

/* struct part - what a patch has for one file */
struct part {
	const char *text;
	size_t size;
	char name[128]; /* of the file, without folders; "" when it is removed */
	bool makes;	/* the file is new */
};

static const char *next_line(const char *line)
{
	const char *end = strchr(line, '\n');

	return end ? end + 1 : line + strlen(line);
}

/* "--- A", "+++ B", "@@": where the part of a file begins. */
static bool begins_part(const char *line)
{
	const char *second = next_line(line), *third = next_line(second);

	return !strncmp(line, "--- ", 4) && !strncmp(second, "+++ ", 4) &&
	       !strncmp(third, "@@ ", 3);
}

static void take_name(const char *line, struct part *part)
{
	size_t length = strcspn(line, "\t\r\n");

	*part->name = '\0';
	if (length == strlen("/dev/null") && !strncmp(line, "/dev/null", length))
		return;
	for (size_t i = length; i > 0; i--) {
		if (line[i - 1] != '/')
			continue;
		line += i;
		length -= i;
		break;
	}
	if (length < sizeof(part->name))
		(void)snprintf(part->name, sizeof(part->name), "%.*s", (int)length, line);
}

static bool next_part(const char **at, struct part *ret_part)
{
	const char *line = *at;

	while (*line && !begins_part(line))
		line = next_line(line);
	if (!*line)
		return false;
	ret_part->text = line;
	ret_part->makes = !strncmp(line + 4, "/dev/null", 9);
	take_name(next_line(line) + 4, ret_part);
	line = next_line(line);
	while (*line && !begins_part(line) && strncmp(line, "diff --git ", 11) != 0)
		line = next_line(line);
	ret_part->size = (size_t)(line - ret_part->text);
	*at = line;
	return true;
}

/* A header that the patch brings along belongs to the governor as well. */
static bool is_ours(const struct kernel_source *source, const struct part *part)
{
	size_t length = strlen(part->name);

	for (size_t i = 0; i < source->files.len; i++)
		if (!strcmp(source->files.ptr[i].name, part->name))
			return true;
	return part->makes && length > 2 && *part->name != '-' &&
	       !strcmp(part->name + length - 2, ".h");
}

static int apply_part(const struct part *part, const struct kernel_file *patch, const char *work,
		      struct cpir_error *err)
{
	const char *const argv[] = {"patch",
				    "--batch",
				    "--forward",
				    "--unified",
				    "--reject-file=-",
				    "--no-backup-if-mismatch",
				    part->name,
				    PART,
				    NULL};
	struct command command = {.argv = argv, .directory = work};
	struct command_result result;
	int r = kernel_cache_write(work, PART, part->text, part->size, err);

	if (!r)
		r = command_run(&command, &result, err);
	if (r)
		return r;
	if (result.status)
		r = error_set(err, -EINVAL, "%s: does not fit %s:\n%.600s%.200s", patch->name,
			      part->name, result.out, result.said);
	command_result_free(&result);
	return r;
}

static int changes_nothing(const struct kernel_source *source, const struct kernel_file *patch,
			   struct cpir_error *err)
{
	char names[256] = "";
	size_t used = 0;

	for (size_t i = 0; i < source->files.len && used < sizeof(names); i++)
		used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s", i ? ", " : "",
					 source->files.ptr[i].name);
	return error_set(err, -EINVAL,
			 "%s: changes nothing in %s; is it a unified diff, and the right one?",
			 patch->name, names);
}

int kernel_patch_apply(const struct kernel_source *source, const struct kernel_file *patch,
		       const char *work, struct cpir_error *err)
{
	const char *at = patch->text;
	unsigned applied = 0;
	struct part part;
	int r = 0;

	while (!r && next_part(&at, &part)) {
		if (!*part.name || !is_ours(source, &part))
			continue;
		r = apply_part(&part, patch, work, err);
		applied++;
	}
	if (!r && !applied)
		r = changes_nothing(source, patch, err);
	return r;
}
