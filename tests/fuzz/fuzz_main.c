// SPDX-License-Identifier: GPL-2.0-only
/* Runs a fuzz target over saved inputs: files, or directories of files. It passes when it does not crash. */
#include "fuzz.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

static bool run_file(const char *path)
{
	FILE *file = fopen(path, "rb");
	struct stat st;
	uint8_t *data;
	bool whole;

	if (!file || fstat(fileno(file), &st) < 0)
		return false;
	data = malloc((size_t)st.st_size + 1);
	whole = data && fread(data, 1, (size_t)st.st_size, file) == (size_t)st.st_size;
	if (whole)
		(void)LLVMFuzzerTestOneInput(data, (size_t)st.st_size);
	free(data);
	return fclose(file) == 0 && whole;
}

static bool run_directory(const char *path)
{
	struct dirent **entries;
	int count = scandir(path, &entries, NULL, alphasort);
	bool good = count >= 0;

	for (int i = 0; i < count; i++) {
		char file[4096];

		(void)snprintf(file, sizeof(file), "%s/%s", path, entries[i]->d_name);
		if (entries[i]->d_name[0] != '.' && !run_file(file)) {
			(void)fprintf(stderr, "%s: cannot be read\n", file);
			good = false;
		}
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
	return good;
}

int main(int argc, char **argv)
{
	bool good = true;

	/* The empty input is always worth a try. */
	(void)LLVMFuzzerTestOneInput((const uint8_t *)"", 0);
	for (int i = 1; i < argc; i++) {
		struct stat st;

		if (stat(argv[i], &st) < 0)
			continue;
		good &= S_ISDIR(st.st_mode) ? run_directory(argv[i]) : run_file(argv[i]);
	}
	return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
