// SPDX-License-Identifier: GPL-2.0-only
/*
 * A platform out of a directory: the CPU devices of sysfs, or a copy of them, and around them what the rest of the
 * system tells about the kernel. Only finds and reads files; platform_draft.c knows what they mean.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "model/platform_build.h"
#include "model/platform_draft.h"

#define CPU_DEVICES "/sys/devices/system/cpu"
#define VALUE_MAX 4096 /* a sysfs file is one page */
#define CONFIG_MAX (16u << 20)

/* struct walk - @base: directory that the relative paths start from */
struct walk {
	const char *base;
	struct draft *draft;
	struct cpir_error *err;
};

typedef int (*visit_fn)(const struct walk *walk, const char *path);

static char *path_join(const char *dir, const char *name)
{
	char *path;

	return asprintf(&path, "%s/%s", dir, name) < 0 ? NULL : path;
}

/* dir_visit - call @visit for each entry of @dir (relative); an absent directory has none */
static int dir_visit(const struct walk *walk, const char *dir, visit_fn visit)
{
	_cleanup_free_ char *full = path_join(walk->base, dir);
	DIR *stream = full ? opendir(full) : NULL;
	struct dirent *entry;
	int r = 0;

	if (!full)
		return error_oom(walk->err);
	if (!stream && (errno == ENOENT || errno == ENOTDIR))
		return 0;
	if (!stream)
		return error_set(walk->err, -errno, "%s: cannot open directory: %m", full);
	while (!r && (entry = readdir(stream))) {
		_cleanup_free_ char *path = NULL;

		if (entry->d_name[0] == '.')
			continue;
		path = *dir ? path_join(dir, entry->d_name) : strdup(entry->d_name);
		r = path ? visit(walk, path) : error_oom(walk->err);
	}
	(void)closedir(stream);
	return r;
}

/* value_read - content of a small file without blanks at its end; 0, or negative errno */
static int value_read(const char *path, char value[VALUE_MAX])
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	ssize_t len = fd < 0 ? -1 : read(fd, value, VALUE_MAX - 1);

	if (len < 0)
		return -errno;
	while (len && isspace((unsigned char)value[len - 1]))
		len--;
	value[len] = '\0';
	return 0;
}

static int file_visit(const struct walk *walk, const char *path)
{
	_cleanup_free_ char *full = path_join(walk->base, path);
	char value[VALUE_MAX];
	int r;

	if (!full)
		return error_oom(walk->err);
	r = value_read(full, value);
	/* Not there, a directory, or a file that this kernel cannot fill: as if it did not exist. */
	if (r == -ENOENT || r == -EISDIR || r == -ENODEV || r == -EINVAL || r == -ENODATA)
		return 0;
	if (r)
		return error_set(walk->err, r, "%s: cannot read: %s", full, strerror(-r));
	return draft_put(walk->draft, &(struct draft_item){.path = path, .value = value},
			 walk->err);
}

static int state_visit(const struct walk *walk, const char *path)
{
	if (strncmp(strrchr(path, '/') + 1, "state", 5))
		return 0;
	return dir_visit(walk, path, file_visit);
}

static bool is_cpu(const char *name)
{
	return !strncmp(name, "cpu", 3) && isdigit((unsigned char)name[3]);
}

static int cpu_visit(const struct walk *walk, const char *path)
{
	_cleanup_free_ char *cpuidle = path_join(path, "cpuidle");
	_cleanup_free_ char *latency = path_join(path, "power/pm_qos_resume_latency_us");
	int r;

	if (!is_cpu(path))
		return 0;
	if (!cpuidle || !latency)
		return error_oom(walk->err);
	r = dir_visit(walk, cpuidle, state_visit);
	return r ? r : file_visit(walk, latency);
}

static bool has_cpus(const char *path)
{
	DIR *stream = opendir(path);
	struct dirent *entry;
	bool found = false;

	while (stream && !found && (entry = readdir(stream)))
		found = is_cpu(entry->d_name) || !strcmp(entry->d_name, "cpuidle");
	if (stream)
		(void)closedir(stream);
	return found;
}

/* devices_find - where at or below @path the CPU devices are; a path to free(), NULL: no memory */
static char *devices_find(const char *path)
{
	static const char *const below[] = {"", CPU_DEVICES, "/devices/system/cpu", "/system/cpu",
					    "/cpu"};

	for (size_t i = 0; i < array_size(below); i++) {
		char *base;

		if (asprintf(&base, "%s%s", path, below[i]) < 0)
			return NULL;
		if (has_cpus(base))
			return base;
		free(base);
	}
	return strdup(path);
}

/* root_find - the root of the system that CPU devices belong to, "" for /; NULL when they stand alone */
static char *root_find(const char *devices)
{
	char *full = realpath(devices, NULL);
	size_t len = full ? strlen(full) : 0, tail = strlen(CPU_DEVICES);

	if (len >= tail && !strcmp(full + len - tail, CPU_DEVICES)) {
		full[len - tail] = '\0';
		return full;
	}
	free(full);
	return NULL;
}

/* config_put - the lines about the tick of one kernel configuration, compressed or not; returns 1 when there was one */
static int config_put(const struct walk *walk, const char *path)
{
	_cleanup_free_ char *full = path_join(walk->base, path);
	gzFile file = full ? gzopen(full, "rb") : NULL;
	size_t seen = 0;
	char line[256];
	int r = 0;

	if (!full)
		return error_oom(walk->err);
	if (!file)
		return 0;
	while (!r && seen < CONFIG_MAX && gzgets(file, line, sizeof(line))) {
		struct draft_item item = {.path = "config", .value = line};

		seen += strlen(line);
		line[strcspn(line, "\r\n")] = '\0';
		if (!strncmp(line, "CONFIG_HZ", 9) || !strncmp(line, "CONFIG_NO_HZ", 12))
			r = draft_put(walk->draft, &item, walk->err);
	}
	(void)gzclose(file);
	return r ? r : 1;
}

/* kernel_put - what a system's proc and boot tell about the kernel that runs on it */
static int kernel_put(const struct walk *walk)
{
	static const char *const configs[] = {"boot/config-%s", "lib/modules/%s/config",
					      "usr/lib/modules/%s/config"};
	_cleanup_free_ char *osrelease = path_join(walk->base, "proc/sys/kernel/osrelease");
	char release[VALUE_MAX], path[VALUE_MAX + 64];
	int r = file_visit(walk, "proc/sys/kernel/osrelease");

	if (!r)
		r = file_visit(walk, "proc/cmdline");
	if (!r)
		r = config_put(walk, "proc/config.gz");
	if (!osrelease)
		return error_oom(walk->err);
	if (r || value_read(osrelease, release) || strchr(release, '/'))
		return r < 0 ? r : 0;
	for (size_t i = 0; !r && i < array_size(configs); i++) {
		(void)snprintf(path, sizeof(path), configs[i], release);
		r = config_put(walk, path);
	}
	return r < 0 ? r : 0;
}

static int walk_all(const char *path, struct draft *draft, struct cpir_error *err)
{
	static const char *const shared[] = {"cpuidle/current_driver", "cpuidle/current_governor",
					     "cpuidle/current_governor_ro", "nohz_full"};
	_cleanup_free_ char *devices = devices_find(path);
	_cleanup_free_ char *root = devices ? root_find(devices) : NULL;
	struct walk walk = {.base = devices, .draft = draft, .err = err};
	int r;

	if (!devices)
		return error_oom(err);
	r = dir_visit(&walk, "", cpu_visit);
	for (size_t i = 0; !r && i < array_size(shared); i++)
		r = file_visit(&walk, shared[i]);
	if (r || !root)
		return r;
	walk.base = root;
	return kernel_put(&walk);
}

int platform_read_sysfs(const char *path, struct cpir_platform **ret_platform,
			struct cpir_error *err)
{
	struct draft *draft = draft_new(path);
	int r;

	if (!draft)
		return error_oom(err);
	r = walk_all(path, draft, err);
	if (!r)
		r = draft_finish(draft, ret_platform, err);
	draft_free(draft);
	return r;
}
