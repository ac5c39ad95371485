// SPDX-License-Identifier: GPL-2.0-only
/* The only place on disk that compiled policies touch. */
#include "policy/kernel_cache.h"

#include "base/cleanup.h"

#include <errno.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define FOLDER "cpuidle-replay"

/* mkdir -p, for the folders before the last '/' of @path, or with @whole for all of it. */
static int make_folders(char *path, bool whole)
{
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		int r;

		*slash = '\0';
		r = mkdir(path, 0700) && errno != EEXIST ? -errno : 0;
		*slash = '/';
		if (r)
			return r;
	}
	return whole && mkdir(path, 0700) && errno != EEXIST ? -errno : 0;
}

static char *find_path(void)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	char *path;
	int n;

	if (cache && *cache == '/')
		n = asprintf(&path, "%s/" FOLDER, cache);
	else if (home && *home == '/')
		n = asprintf(&path, "%s/.cache/" FOLDER, home);
	else
		return NULL;
	return n < 0 ? NULL : path;
}

int kernel_cache_open(char **ret_path, struct cpir_error *err)
{
	_cleanup_free_ char *path = find_path();
	struct stat info;
	int r;

	if (!path)
		return error_set(err, -ENOENT,
				 "no place for compiled policies; set XDG_CACHE_HOME to an "
				 "absolute path");
	r = make_folders(path, true);
	if (!r && stat(path, &info))
		r = -errno;
	if (r)
		return error_set(err, r,
				 "%s: cannot keep compiled policies there: %s; set XDG_CACHE_HOME",
				 path, strerror(-r));
	if (info.st_uid != geteuid() || info.st_mode & 022)
		return error_set(err, -EPERM,
				 "%s: others may write there, and what is in it is run; set "
				 "XDG_CACHE_HOME to a place of your own",
				 path);
	*ret_path = take_ptr(path);
	return 0;
}

int kernel_cache_work(const char *cache, char **ret_path, struct cpir_error *err)
{
	_cleanup_free_ char *path = NULL;
	int r;

	if (asprintf(&path, "%s/work-XXXXXX", cache) < 0) {
		path = NULL;
		return error_oom(err);
	}
	if (!mkdtemp(path)) {
		r = -errno;
		return error_set(err, r, "%s: no directory can be made there: %s", cache,
				 strerror(-r));
	}
	*ret_path = take_ptr(path);
	return 0;
}

static int remove_one(const char *path, const struct stat *info, int type, struct FTW *where)
{
	(void)info;
	(void)type;
	(void)where;
	(void)remove(path);
	return 0;
}

void kernel_cache_discard(char **work)
{
	if (*work)
		(void)nftw(*work, remove_one, 8, FTW_DEPTH | FTW_PHYS);
	free(take_ptr(*work));
}

int kernel_cache_write(const char *folder, const char *name, const char *text, size_t size,
		       struct cpir_error *err)
{
	_cleanup_free_ char *path = NULL;
	FILE *file;
	int r;

	if (asprintf(&path, "%s/%s", folder, name) < 0) {
		path = NULL;
		return error_oom(err);
	}
	r = make_folders(path, false);
	file = r ? NULL : fopen(path, "we");
	if (!r && !file)
		r = -errno;
	if (file && fwrite(text, 1, size, file) != size)
		r = -EIO;
	if (file && fclose(file) && !r)
		r = -errno;
	return r ? error_set(err, r, "%s: cannot be written: %s", path, strerror(-r)) : 0;
}
