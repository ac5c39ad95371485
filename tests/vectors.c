// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs decision vector files: every *.csv of the directories given as arguments, or the files themselves. TAP on
 * standard output. A directory that does not exist is skipped; with nothing to run at all TAP says so.
 */
#include "cpuidle-replay.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static unsigned tests, failures;

static void run_file(const char *path)
{
	struct cpir_check check;
	struct cpir_error err;
	const char *problem = NULL;

	if (cpir_policy_check(path, NULL, &check, &err))
		problem = err.text;
	else if (check.mismatches)
		problem = check.first;
	tests++;
	if (!problem) {
		printf("ok %u - %s: %llu decisions\n", tests, path,
		       (unsigned long long)check.steps);
		return;
	}
	failures++;
	printf("not ok %u - %s: %s\n", tests, path, problem);
}

static int is_csv(const struct dirent *entry)
{
	const char *dot = strrchr(entry->d_name, '.');

	return dot && !strcmp(dot, ".csv");
}

static void run_directory(const char *directory)
{
	struct dirent **entries;
	int count = scandir(directory, &entries, is_csv, alphasort);
	char path[4096];

	for (int i = 0; i < count; i++) {
		(void)snprintf(path, sizeof(path), "%s/%s", directory, entries[i]->d_name);
		run_file(path);
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
}

int main(int argc, char **argv)
{
	struct stat info;

	for (int i = 1; i < argc; i++) {
		if (stat(argv[i], &info))
			printf("# %s: %s, skipped\n", argv[i], strerror(errno));
		else if (S_ISDIR(info.st_mode))
			run_directory(argv[i]);
		else
			run_file(argv[i]);
	}
	if (!tests) {
		printf("1..0 # SKIP no vector files here\n");
		return 0;
	}
	printf("1..%u\n", tests);
	return failures ? 1 : 0;
}
