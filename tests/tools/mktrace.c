// SPDX-License-Identifier: GPL-2.0-only
/*
 * Builds a trace from a story, a readable text (story_text.c says how it is written), for traces that no machine would
 * record.
 *
 *   mktrace [-s KEY:VALUE]… STORY OUTPUT     write a trace.dat; -s replaces a fact of the story
 *   mktrace [-s KEY:VALUE]… -l INSTANCE STORY    list what a reader must find there ("": the top one), in time order
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "story.h"

#define SETTINGS_MAX 16

static void file_write(const char *path, const struct buffer *data)
{
	FILE *file = fopen(path, "wb");

	if (!file)
		die("%s: %m", path);
	if (fwrite(data->ptr, 1, data->len, file) != data->len || fclose(file))
		die("%s: cannot write: %m", path);
}

int main(int argc, char **argv)
{
	char *settings[SETTINGS_MAX];
	size_t setting_count = 0;
	struct buffer out = {0};
	struct story story;
	const char *list = NULL;
	int opt;

	while ((opt = getopt(argc, argv, "l:s:")) != -1) {
		if (opt == 'l')
			list = optarg;
		else if (opt == 's' && setting_count < SETTINGS_MAX)
			settings[setting_count++] = optarg;
		else
			die("usage: mktrace [-s KEY:VALUE]… {-l INSTANCE STORY | STORY OUTPUT}");
	}
	if (argc - optind != (list ? 1 : 2))
		die("usage: mktrace [-s KEY:VALUE]… {-l INSTANCE STORY | STORY OUTPUT}");
	story_read(&story, argv[optind], settings, setting_count);
	out.big_endian = story.big_endian;
	if (list) {
		story_list(&story, list);
	} else {
		dat_write(&story, &out);
		file_write(argv[optind + 1], &out);
	}
	buffer_deinit(&out);
	story_deinit(&story);
	return 0;
}
