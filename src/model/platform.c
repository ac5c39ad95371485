// SPDX-License-Identifier: GPL-2.0-only
/* The platform object: which reader understands a specification, and what the object says. */
#include "model/platform.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "model/platform_build.h"
#include "model/presets.h"

/* text_scan - length of the leading blanks, or -EINVAL with @err if there is a NUL byte anywhere */
static ssize_t text_scan(const char *text, size_t size, const char *name, struct cpir_error *err)
{
	const char *nul = memchr(text, 0, size);
	size_t blanks = 0;

	if (nul)
		return error_set(
			err, -EINVAL,
			"%s: not a platform: NUL byte (offset %zu); give a JSON file, a preset's "
			"name, or a copy of /sys/devices/system/cpu",
			name, (size_t)(nul - text));
	while (blanks < size && strchr(" \t\r\n", text[blanks]))
		blanks++;
	if (blanks == size)
		return error_set(err, -EINVAL, "%s: empty; a platform needs a state table", name);
	return (ssize_t)blanks;
}

int platform_parse(const char *text, size_t size, const char *name,
		   struct cpir_platform **ret_platform, struct cpir_error *err)
{
	_cleanup_free_ char *copy = NULL;
	ssize_t blanks;

	if (size > PLATFORM_SIZE_MAX)
		return error_set(
			err, -EFBIG,
			"%s: too large for a platform (more than %u MiB); is it the right file?",
			name, PLATFORM_SIZE_MAX >> 20);
	blanks = text_scan(text, size, name, err);
	if (blanks < 0)
		return (int)blanks;
	copy = strndup(text, size);
	if (!copy)
		return error_oom(err);
	if (copy[blanks] == '{')
		return platform_read_json(copy, name, ret_platform, err);
	return platform_read_flat(copy, name, ret_platform, err);
}

/* file_read - all of an open file up to one byte more than a platform may have */
static int file_read(int fd, const char *name, char **ret_text, size_t *ret_size,
		     struct cpir_error *err)
{
	_cleanup_free_ char *text = NULL;
	size_t size = 0, room = 0;

	for (;;) {
		ssize_t got;

		if (size == room) {
			size_t more = room ? room * 2 : 65536;
			char *bigger = realloc(text, more);

			if (!bigger)
				return error_oom(err);
			text = bigger;
			room = more;
		}
		got = read(fd, text + size, room - size);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return error_set(err, -errno, "%s: cannot read: %m", name);
		size += (size_t)got;
		if (!got || size > PLATFORM_SIZE_MAX)
			break;
	}
	*ret_text = take_ptr(text);
	*ret_size = size;
	return 0;
}

static int load_file(int fd, const char *path, struct cpir_platform **ret_platform,
		     struct cpir_error *err)
{
	_cleanup_free_ char *text = NULL;
	size_t size = 0;
	int r = file_read(fd, path, &text, &size, err);

	return r ? r : platform_parse(text, size, path, ret_platform, err);
}

static int load_path(const char *path, struct cpir_platform **ret_platform, struct cpir_error *err)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	struct stat st;
	int r;

	if (fd < 0 && errno == ENOENT && !strchr(path, '/'))
		return error_set(
			err, -ENOENT,
			"%s: no such preset or file; cpuidle-replay platforms lists the presets",
			path);
	if (fd < 0 || fstat(fd, &st))
		return error_set(err, -errno, "%s: cannot open platform: %m", path);
	if (!S_ISDIR(st.st_mode))
		return load_file(fd, path, ret_platform, err);
	r = platform_read_sysfs(path, ret_platform, err);
	return r == -ENODEV ? -EINVAL : r;
}

int cpir_platform_load(const char *spec, struct cpir_platform **ret_platform,
		       struct cpir_error *err)
{
	const struct preset *preset = preset_find(spec);
	int r;

	if (preset)
		r = platform_parse(preset->text, strlen(preset->text), spec, ret_platform, err);
	else
		r = load_path(spec, ret_platform, err);
	if (r && err)
		err->code = r;
	return r;
}

void cpir_platform_free(struct cpir_platform *platform)
{
	if (!platform)
		return;
	free(platform->source);
	free(platform->driver);
	free(platform->governor);
	free(platform->kernel);
	free(platform->nohz);
	free(platform->nohz_full_cpus);
	free(platform->cpu_table);
	free(platform->tables);
	free(platform->counters);
	free(platform->resume_latency_us);
	free(platform);
}

const struct cpir_table *cpir_platform_table(const struct cpir_platform *platform, uint32_t cpu)
{
	int32_t index = platform->default_table;

	if (cpu < platform->cpu_count)
		index = platform->cpu_table[cpu];
	return index < 0 ? NULL : &platform->tables[index];
}

const char *cpir_platform_source(const struct cpir_platform *platform)
{
	return platform->source;
}

const char *cpir_platform_driver(const struct cpir_platform *platform)
{
	return platform->driver;
}

const char *cpir_platform_governor(const struct cpir_platform *platform)
{
	return platform->governor;
}

const char *cpir_platform_kernel(const struct cpir_platform *platform)
{
	return platform->kernel;
}

uint32_t cpir_platform_hz(const struct cpir_platform *platform)
{
	return platform->hz;
}
