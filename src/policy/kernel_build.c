// SPDX-License-Identifier: GPL-2.0-only
/*
 * DOC: compiling a governor
 *
 *  1. The key: a digest of the tool's version, the compiler, its options, the shim, the source and the patches. An object
 *     of that name in the cache is what would come out; take it.
 *  2. Else, in a fresh directory of the cache: lay down the source and the shim; apply the patches; make an empty file of
 *     every <header> that is included, since the shim replaces them all; compile.
 *  3. See which functions the object calls that it does not have, and refuse it if there are any.
 *  4. Rename it to its key. Two that build the same at once both succeed.
 */
#include "policy/kernel_build.h"

#include "base/cleanup.h"
#include "base/command.h"
#include "policy/digest.h"
#include "policy/kernel_cache.h"
#include "policy/kernel_object.h"
#include "policy/kernel_patch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define SHIM_VARIABLE "CPUIDLE_REPLAY_SHIM"
#define COMPILER_WORDS_MAX 16
#define OBJECT "governor.so"

/* As the kernel is compiled where that matters for what code means; and nothing of the system's own headers. */
static const char *const options[] = {
	"-std=gnu11",
	"-O2",
	"-w",
	"-Wno-error=implicit-function-declaration",
	"-fPIC",
	"-shared",
	"-ffreestanding",
	"-nostdinc",
	"-nostdlib",
	"-fno-strict-aliasing",
	"-fwrapv",
	"-fno-delete-null-pointer-checks",
	"-fno-stack-protector",
	"-fno-asynchronous-unwind-tables",
	"-fvisibility=hidden",
	"-Wl,-z,now",
	"-iquote",
	"shim",
	"-isystem",
	"include",
	"-include",
	"shim/shim.h",
};

/* struct build - one at work */
struct build {
	const struct kernel_source *source;
	struct kernel_file shim[8];
	size_t shim_count;
	char *compiler; /* $CC, cut into words */
	const char *words[COMPILER_WORDS_MAX + array_size(options) + 8];
	size_t word_count;
	char *cache, *work;
	char key[33];
};

static void build_deinit(struct build *build)
{
	for (size_t i = 0; i < build->shim_count; i++)
		kernel_file_free(&build->shim[i]);
	free(build->compiler);
	kernel_cache_discard(&build->work);
	free(build->cache);
}

/* ---- what goes in ------------------------------------------------------------------------------------------------- */

const char *kernel_shim_place(void)
{
	const char *place = getenv(SHIM_VARIABLE);

	return place && *place ? place : SHIM_DIR;
}

/* The user's copy of a file of the shim, if there is one; abi.h is a contract with this library. */
static int load_shim_file(const struct kernel_shim *shim, struct kernel_file *ret_file,
			  struct cpir_error *err)
{
	const char *place = getenv(SHIM_VARIABLE);
	_cleanup_free_ char *path = NULL;
	int r = -ENOENT;

	if (place && *place && strcmp(shim->name, "abi.h") != 0) {
		if (asprintf(&path, "%s/%s", place, shim->name) < 0) {
			path = NULL;
			return error_oom(err);
		}
		r = kernel_file_read(path, ret_file, err);
	}
	if (r != -ENOENT)
		return r;
	ret_file->name = strdup(shim->name);
	ret_file->text = strdup(shim->text);
	ret_file->size = strlen(shim->text);
	if (ret_file->name && ret_file->text)
		return 0;
	kernel_file_free(ret_file);
	return error_oom(err);
}

static int load_shim(struct build *build, struct cpir_error *err)
{
	const char *place = getenv(SHIM_VARIABLE);
	struct stat info;

	if (place && *place && (stat(place, &info) || !S_ISDIR(info.st_mode)))
		return error_set(err, -ENOTDIR, "%s: no directory; " SHIM_VARIABLE " names it",
				 place);
	for (size_t i = 0; i < kernel_shim_count && i < array_size(build->shim); i++) {
		int r = load_shim_file(&kernel_shims[i], &build->shim[i], err);

		if (r)
			return r;
		build->shim_count++;
	}
	return 0;
}

static int choose_compiler(struct build *build, struct cpir_error *err)
{
	const char *cc = getenv("CC");
	char *at, *word;

	build->compiler = strdup(cc && *cc ? cc : "cc");
	if (!build->compiler)
		return error_oom(err);
	at = build->compiler;
	while ((word = strsep(&at, " ")))
		if (*word && build->word_count < COMPILER_WORDS_MAX)
			build->words[build->word_count++] = word;
	if (!build->word_count)
		return error_set(err, -EINVAL, "the environment variable CC names no compiler");
	for (size_t i = 0; i < array_size(options); i++)
		build->words[build->word_count++] = options[i];
	return 0;
}

/* Another compiler under the same name has another size or date. */
static void digest_compiler(struct digest *digest, const char *name)
{
	const char *path = getenv("PATH");
	_cleanup_free_ char *copy = strdup(strchr(name, '/') || !path ? "" : path);
	char *at = copy, *folder;
	struct stat info;

	while (copy && (folder = strsep(&at, ":"))) {
		_cleanup_free_ char *file = NULL;

		if (asprintf(&file, "%s%s%s", folder, *folder ? "/" : "", name) < 0) {
			file = NULL;
			continue;
		}
		if (stat(file, &info))
			continue;
		digest_add(digest, &info.st_size, sizeof(info.st_size));
		digest_add(digest, &info.st_mtim.tv_sec, sizeof(info.st_mtim.tv_sec));
		return;
	}
}

static void digest_file(struct digest *digest, const struct kernel_file *file)
{
	digest_add(digest, file->name, strlen(file->name));
	digest_add(digest, file->text, file->size);
}

static void choose_key(struct build *build)
{
	const struct kernel_source *source = build->source;
	struct digest digest = DIGEST_INIT;

	digest_add(&digest, VERSION, strlen(VERSION));
	digest_compiler(&digest, build->words[0]);
	for (size_t i = 0; i < build->word_count; i++)
		digest_add(&digest, build->words[i], strlen(build->words[i]));
	for (size_t i = 0; i < build->shim_count; i++)
		digest_file(&digest, &build->shim[i]);
	for (size_t i = 0; i < source->files.len; i++)
		digest_file(&digest, &source->files.ptr[i]);
	for (size_t i = 0; i < source->patches.len; i++)
		digest_add(&digest, source->patches.ptr[i].text, source->patches.ptr[i].size);
	(void)snprintf(build->key, sizeof(build->key), "%016llx%016llx",
		       (unsigned long long)digest.a, (unsigned long long)digest.b);
}

/* ---- the work directory ------------------------------------------------------------------------------------------- */

static int lay_down(const struct build *build, struct cpir_error *err)
{
	const struct kernel_source *source = build->source;
	int r = 0;

	for (size_t i = 0; i < source->files.len && !r; i++)
		r = kernel_cache_write(build->work, source->files.ptr[i].name,
				       source->files.ptr[i].text, source->files.ptr[i].size, err);
	for (size_t i = 0; i < build->shim_count && !r; i++) {
		char name[80];

		(void)snprintf(name, sizeof(name), "shim/%.64s", build->shim[i].name);
		r = kernel_cache_write(build->work, name, build->shim[i].text, build->shim[i].size,
				       err);
	}
	for (size_t i = 0; i < source->patches.len && !r; i++)
		r = kernel_patch_apply(source, &source->patches.ptr[i], build->work, err);
	return r;
}

static bool is_header_path(const char *name)
{
	return *name != '/' && !strstr(name, "..") && strlen(name) < 200;
}

static int add_empty_headers(const struct build *build, const char *text, struct cpir_error *err)
{
	char name[256], path[300], open;
	int r = 0;

	while (!r && (open = kernel_include_next(&text, name, sizeof(name)))) {
		if (open != '<' || !is_header_path(name))
			continue;
		(void)snprintf(path, sizeof(path), "include/%s", name);
		r = kernel_cache_write(build->work, path, "", 0, err);
	}
	return r;
}

/* Read again: a patch may have changed what is included. */
static int replace_headers(const struct build *build, struct cpir_error *err)
{
	int r = kernel_cache_write(build->work, "include/none.h", "", 0, err);

	for (size_t i = 0; i < build->source->files.len && !r; i++) {
		_cleanup_free_ char *path = NULL;
		struct kernel_file file;

		if (asprintf(&path, "%s/%s", build->work, build->source->files.ptr[i].name) < 0) {
			path = NULL;
			return error_oom(err);
		}
		r = kernel_file_read(path, &file, err);
		if (r)
			return r;
		r = add_empty_headers(build, file.text, err);
		kernel_file_free(&file);
	}
	return r;
}

/* ---- compiling ---------------------------------------------------------------------------------------------------- */

/* All the compiler says may be more than fits a message. */
static int compiler_error(const struct build *build, const struct command_result *result,
			  struct cpir_error *err)
{
	char name[40];

	(void)snprintf(name, sizeof(name), "%s.log", build->key);
	(void)kernel_cache_write(build->cache, name, result->said, result->said_size, NULL);
	return error_set(err, -EINVAL,
			 "policy %.200s: %s does not compile it against the shim in place of the "
			 "kernel's headers (%s; cpuidle-replay-policies(7) says how to add to it). "
			 "All it says is in %s/%s:\n%.*s",
			 build->source->label, build->words[0], kernel_shim_place(), build->cache,
			 name, (int)result->said_size - 1, result->said);
}

static int compile(struct build *build, struct cpir_error *err)
{
	struct command command = {.argv = build->words, .directory = build->work};
	struct command_result result;
	size_t n = build->word_count;
	int r;

	build->words[n++] = build->source->files.ptr[0].name;
	build->words[n++] = "shim/glue.c";
	build->words[n++] = "-o";
	build->words[n++] = OBJECT;
	build->words[n] = NULL;
	r = command_run(&command, &result, err);
	if (r)
		return r;
	if (result.status)
		r = compiler_error(build, &result, err);
	command_result_free(&result);
	return r;
}

static int check_calls(const struct build *build, const char *object, struct cpir_error *err)
{
	char missing[400];
	int r = kernel_object_missing(object, missing, sizeof(missing), err);

	if (r == -EBADMSG)
		return error_set(err, -EINVAL,
				 "policy %.200s: %s does not compile for this machine; set CC",
				 build->source->label, build->words[0]);
	if (r || !*missing)
		return r;
	return error_set(
		err, -EINVAL,
		"policy %.200s: it calls what the shim does not have: %s; write it as a "
		"macro or static inline function into shim.h of a copy of %s, and name the "
		"copy in " SHIM_VARIABLE " (see cpuidle-replay-policies(7))",
		build->source->label, missing, kernel_shim_place());
}

static int build_anew(struct build *build, const char *path, struct cpir_error *err)
{
	_cleanup_free_ char *object = NULL;
	int r = kernel_cache_work(build->cache, &build->work, err);

	if (!r)
		r = lay_down(build, err);
	if (!r)
		r = replace_headers(build, err);
	if (!r)
		r = compile(build, err);
	if (r)
		return r;
	if (asprintf(&object, "%s/" OBJECT, build->work) < 0) {
		object = NULL;
		return error_oom(err);
	}
	r = check_calls(build, object, err);
	if (r)
		return r;
	if (rename(object, path)) {
		r = -errno;
		return error_set(err, r, "%s: cannot be written: %s", path, strerror(-r));
	}
	return 0;
}

int kernel_build(const struct kernel_source *source, bool anew, char **ret_path,
		 struct cpir_error *err)
{
	_cleanup_(build_deinit) struct build build = {.source = source};
	_cleanup_free_ char *path = NULL;
	int r = load_shim(&build, err);

	if (!r)
		r = choose_compiler(&build, err);
	if (!r)
		r = kernel_cache_open(&build.cache, err);
	if (r)
		return r;
	choose_key(&build);
	if (asprintf(&path, "%s/%s.so", build.cache, build.key) < 0) {
		path = NULL;
		return error_oom(err);
	}
	if (anew || access(path, R_OK))
		r = build_anew(&build, path, err);
	if (!r)
		*ret_path = take_ptr(path);
	return r;
}
