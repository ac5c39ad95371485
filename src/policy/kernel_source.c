// SPDX-License-Identifier: GPL-2.0-only
/* Reading a governor's source, from a file or out of a git revision. Nothing is written and nothing is fetched. */
#include "policy/kernel_source.h"

#include "base/cleanup.h"
#include "base/command.h"
#include "policy/digest.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define GOVERNORS "drivers/cpuidle/governors"
#define PATCH "+patch:"
#define DIGEST_DIGITS 8
#define NAME_MAX_BYTES 128

/* struct place - where files come from: a folder, or (with @repo) a folder in a revision */
struct place {
	char *repo;   /* NULL: the file system */
	char *commit; /* revision */
	char *folder;
	const char *label;
};

/* ---- files -------------------------------------------------------------------------------------------------------- */

void kernel_file_free(struct kernel_file *file)
{
	free(file->name);
	free(file->text);
	*file = (struct kernel_file){0};
}

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static int open_regular(const char *path, FILE **ret_file, struct cpir_error *err)
{
	_cleanup_fclose_ FILE *file = fopen(path, "re");
	struct stat info;
	int r;

	if (!file || fstat(fileno(file), &info)) {
		r = -errno;
		return error_set(err, r, "%s: cannot be opened: %s", path, strerror(-r));
	}
	if (S_ISDIR(info.st_mode))
		return error_set(err, -EISDIR, "%s: is a directory; name a governor's source file",
				 path);
	*ret_file = take_ptr(file);
	return 0;
}

static void shrink(struct kernel_file *file)
{
	char *smaller = realloc(file->text, file->size + 1);

	if (smaller)
		file->text = smaller;
}

int kernel_file_read(const char *path, struct kernel_file *ret_file, struct cpir_error *err)
{
	_cleanup_fclose_ FILE *stream = NULL;
	struct kernel_file file = {0};
	int r = open_regular(path, &stream, err);

	if (r)
		return r;
	file.name = strdup(last_part(path));
	file.text = malloc(KERNEL_FILE_MAX + 1);
	if (!file.name || !file.text) {
		kernel_file_free(&file);
		return error_oom(err);
	}
	file.size = fread(file.text, 1, KERNEL_FILE_MAX + 1, stream);
	if (ferror(stream))
		r = error_set(err, -EIO, "%s: cannot be read", path);
	else if (file.size > KERNEL_FILE_MAX)
		r = error_set(err, -EFBIG, "%s: more than %u MiB; is it a source file?", path,
			      KERNEL_FILE_MAX >> 20);
	if (r) {
		kernel_file_free(&file);
		return r;
	}
	file.text[file.size] = '\0';
	shrink(&file);
	*ret_file = file;
	return 0;
}

/* ---- out of git --------------------------------------------------------------------------------------------------- */

/* What git prints for cat-file: plumbing, so no pager, filter or text conversion of the user's comes in. */
static int git_show(const struct place *place, const char *path, struct command_result *ret_result,
		    struct cpir_error *err)
{
	_cleanup_free_ char *object = NULL;
	const char *const argv[] = {"env",
				    "GIT_NO_LAZY_FETCH=1",
				    "GIT_TERMINAL_PROMPT=0",
				    "git",
				    "--no-optional-locks",
				    "-C",
				    NULL,
				    "cat-file",
				    "blob",
				    NULL,
				    NULL};
	const char *filled[array_size(argv)];
	struct command command = {.argv = filled};

	if (asprintf(&object, "%s:%s", place->commit, path) < 0) {
		object = NULL;
		return error_oom(err);
	}
	memcpy(filled, argv, sizeof(argv));
	filled[6] = place->repo;
	filled[9] = object;
	return command_run(&command, ret_result, err);
}

static int git_read(const struct place *place, const char *path, struct kernel_file *ret_file,
		    struct cpir_error *err)
{
	struct command_result result;
	int r = git_show(place, path, &result, err);

	if (r)
		return r;
	if (result.status) {
		r = error_set(err, -ENOENT, "policy %s: git has no %s: %.400s", place->label, path,
			      result.said_size ? result.said : "no reason given");
	} else {
		ret_file->name = strdup(last_part(path));
		ret_file->text = take_ptr(result.out);
		ret_file->size = result.out_size;
		if (!ret_file->name) {
			kernel_file_free(ret_file);
			r = error_oom(err);
		}
	}
	command_result_free(&result);
	if (r && err && *err->text && err->text[strlen(err->text) - 1] == '\n')
		err->text[strlen(err->text) - 1] = '\0';
	return r;
}

/* ---- the governor and the headers beside it ------------------------------------------------------------------------- */

static void place_deinit(struct place *place)
{
	free(place->repo);
	free(place->commit);
	free(place->folder);
}

static int place_read(const struct place *place, const char *name, struct kernel_file *ret_file,
		      struct cpir_error *err)
{
	_cleanup_free_ char *path = NULL;

	if (asprintf(&path, "%s/%s", place->folder, name) < 0) {
		path = NULL;
		return error_oom(err);
	}
	if (place->repo)
		return git_read(place, path, ret_file, err);
	return kernel_file_read(path, ret_file, err);
}

char kernel_include_next(const char **at, char *ret_name, size_t size)
{
	while (**at) {
		const char *line = *at, *end = line + strcspn(line, "\n");
		size_t length;
		char open;

		*at = *end ? end + 1 : end;
		line += strspn(line, " \t");
		if (*line++ != '#')
			continue;
		line += strspn(line, " \t");
		if (strncmp(line, "include", 7) != 0)
			continue;
		line += 7 + strspn(line + 7, " \t");
		open = *line++;
		if (line > end || (open != '"' && open != '<'))
			continue;
		length = strcspn(line, "\">\n");
		if (line + length >= end || !length)
			continue;
		(void)snprintf(ret_name, size, "%.*s", (int)length, line);
		return open;
	}
	return 0;
}

static bool has_file(const struct kernel_source *source, const char *name)
{
	for (size_t i = 0; i < source->files.len; i++)
		if (!strcmp(source->files.ptr[i].name, name))
			return true;
	return false;
}

/* A name that is safe to make a file of. */
static bool is_plain(const char *name)
{
	if (*name == '.' || *name == '-' || !*name || strlen(name) >= NAME_MAX_BYTES)
		return false;
	for (; *name; name++)
		if (!isalnum((unsigned char)*name) && !strchr("._-+", *name))
			return false;
	return true;
}

/* Headers that are not there are left to the compiler: a stand-in of the shim may do. */
static int add_header(struct kernel_source *source, const struct place *place, const char *name)
{
	struct kernel_file file = {0}, *added;
	int r;

	if (!is_plain(name) || has_file(source, name) || source->files.len >= KERNEL_FILES_MAX)
		return 0;
	r = place_read(place, name, &file, NULL);
	if (r == -ENOMEM)
		return r;
	if (r)
		return 0;
	added = array_add(&source->files);
	if (!added) {
		kernel_file_free(&file);
		return -ENOMEM;
	}
	*added = file;
	return 0;
}

static int add_headers(struct kernel_source *source, const struct place *place)
{
	char name[NAME_MAX_BYTES + 1], open;
	int r = add_header(source, place, "gov.h"); /* a patch may begin to include it */

	for (size_t i = 0; i < source->files.len && !r; i++) {
		const char *at = source->files.ptr[i].text;

		while (!r && (open = kernel_include_next(&at, name, sizeof(name))))
			if (open == '"')
				r = add_header(source, place, name);
	}
	return r;
}

/* "VERSION = 6", "PATCHLEVEL = 1", "SUBLEVEL = 192" of the tree's Makefile. */
static unsigned makefile_number(const char *text, const char *name)
{
	size_t length = strlen(name);

	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (!strncmp(line, name, length) && !strncmp(line + length, " = ", 3))
			return (unsigned)strtoul(line + length + 3, NULL, 10);
	}
	return 0;
}

/* Only a file where the kernel has its governors belongs to the Makefile above. */
static int read_makefile(const struct place *place, struct kernel_file *ret_file)
{
	_cleanup_free_ char *folder = NULL, *path = NULL;
	size_t length;

	if (place->repo)
		return git_read(place, "Makefile", ret_file, NULL);
	folder = realpath(place->folder, NULL);
	length = folder ? strlen(folder) : 0;
	if (length < strlen("/" GOVERNORS) ||
	    strcmp(folder + length - strlen("/" GOVERNORS), "/" GOVERNORS) != 0)
		return -ENOENT;
	if (asprintf(&path, "%s/../../../Makefile", folder) < 0) {
		path = NULL;
		return -ENOMEM;
	}
	return kernel_file_read(path, ret_file, NULL);
}

static uint32_t find_release(const struct place *place)
{
	struct kernel_file file = {0};
	unsigned major, minor, level;
	uint32_t release = 0;

	if (read_makefile(place, &file))
		return 0;
	major = makefile_number(file.text, "VERSION");
	minor = makefile_number(file.text, "PATCHLEVEL");
	level = makefile_number(file.text, "SUBLEVEL");
	if (major && major < 256 && minor < 256)
		release = major << 16 | minor << 8 | (level < 255 ? level : 255);
	kernel_file_free(&file);
	return release;
}

static int read_files(struct kernel_source *source, const struct place *place, const char *name,
		      struct cpir_error *err)
{
	struct kernel_file *governor;
	int r;

	if (!is_plain(name))
		return error_set(err, -EINVAL,
				 "policy %s: '%.80s' is no name for a governor's source file",
				 source->label, name);
	governor = array_add(&source->files);
	if (!governor)
		return error_oom(err);
	r = place_read(place, name, governor, err);
	if (r) {
		source->files.len = 0;
		return r;
	}
	if (add_headers(source, place))
		return error_oom(err);
	source->release = find_release(place);
	return 0;
}

/* ---- the grammar -------------------------------------------------------------------------------------------------- */

bool kernel_source_claims(const char *spec)
{
	return !strncmp(spec, "src:", 4) || !strncmp(spec, "git:", 4) ||
	       !strncmp(spec, "patch:", 6);
}

/* No shell stands between the user and a path behind "src:". */
static char *expand_home(const char *path)
{
	const char *home = getenv("HOME");
	char *expanded;

	if (strncmp(path, "~/", 2) != 0 || !home)
		return strdup(path);
	return asprintf(&expanded, "%s%s", home, path + 1) < 0 ? NULL : expanded;
}

static int split_path(const char *path, struct place *place, char **ret_name)
{
	const char *slash = strrchr(path, '/');

	place->folder = slash ? strndup(path, (size_t)(slash - path)) : strdup(".");
	if (slash == path) {
		free(place->folder);
		place->folder = strdup("/");
	}
	*ret_name = strdup(slash ? slash + 1 : path);
	return place->folder && *ret_name ? 0 : -ENOMEM;
}

static int read_src(struct kernel_source *source, const char *rest, struct cpir_error *err)
{
	_cleanup_(place_deinit) struct place place = {.label = source->label};
	_cleanup_free_ char *path = expand_home(rest);
	_cleanup_free_ char *name = NULL;
	struct stat info;

	if (!path)
		return error_oom(err);
	if (!*path)
		return error_set(err, -EINVAL,
				 "policy %s: no file behind 'src:'; write src:PATH/menu.c",
				 source->label);
	if (!stat(path, &info) && S_ISDIR(info.st_mode))
		return error_set(err, -EISDIR,
				 "%s: is a directory; name the governor's source file in it", path);
	if (split_path(path, &place, &name))
		return error_oom(err);
	return read_files(source, &place, name, err);
}

/* The repository ends at the first '@' that has a directory before it: both sides may hold more of them. */
static char *find_repo(const char *rest, const char **ret_behind)
{
	struct stat info;

	for (const char *at = strchr(rest, '@'); at; at = strchr(at + 1, '@')) {
		_cleanup_free_ char *part = strndup(rest, (size_t)(at - rest));
		char *repo = part ? expand_home(part) : NULL;

		if (repo && !stat(*repo ? repo : ".", &info) && S_ISDIR(info.st_mode)) {
			*ret_behind = at + 1;
			return repo;
		}
		free(repo);
	}
	return NULL;
}

/* NAME of git:REPO@REV[:NAME]: a governor, or a path in the tree. */
static int name_in_git(const char *name, struct place *place, char **ret_name)
{
	_cleanup_free_ char *path = NULL;
	size_t length = strlen(name);
	bool suffix = length > 2 && !strcmp(name + length - 2, ".c");

	if (strchr(name, '/'))
		return split_path(name, place, ret_name);
	if (asprintf(&path, GOVERNORS "/%s%s", name, suffix ? "" : ".c") < 0) {
		path = NULL;
		return -ENOMEM;
	}
	return split_path(path, place, ret_name);
}

static int read_git(struct kernel_source *source, const char *rest, struct cpir_error *err)
{
	_cleanup_(place_deinit) struct place place = {.label = source->label};
	_cleanup_free_ char *name = NULL;
	const char *behind, *colon;

	place.repo = find_repo(rest, &behind);
	if (!place.repo)
		return error_set(err, -EINVAL,
				 "policy %s: no repository there; write git:REPO@REV[:GOVERNOR] "
				 "with the directory of a git repository",
				 source->label);
	colon = strrchr(behind, ':');
	place.commit = strndup(behind, colon ? (size_t)(colon - behind) : strlen(behind));
	if (!*place.repo) {
		free(place.repo);
		place.repo = strdup(".");
	}
	if (!place.repo || !place.commit || name_in_git(colon ? colon + 1 : "menu", &place, &name))
		return error_oom(err);
	if (!*place.commit || *place.commit == '-')
		return error_set(err, -EINVAL,
				 "policy %s: no revision behind '@'; write git:REPO@REV[:GOVERNOR]",
				 source->label);
	return read_files(source, &place, name, err);
}

/* All of "+patch:FILE+patch:FILE". */
static int read_patches(struct kernel_source *source, const char *at, struct cpir_error *err)
{
	while (at) {
		const char *begin = at + strlen(PATCH), *next = strstr(begin, PATCH);
		_cleanup_free_ char *part =
			strndup(begin, next ? (size_t)(next - begin) : strlen(begin));
		_cleanup_free_ char *path = part ? expand_home(part) : NULL;
		struct kernel_file *patch;
		int r;

		if (!path)
			return error_oom(err);
		if (source->patches.len >= KERNEL_FILES_MAX)
			return error_set(err, -E2BIG, "policy %s: more than %d patches",
					 source->label, KERNEL_FILES_MAX);
		patch = array_add(&source->patches);
		if (!patch)
			return error_oom(err);
		r = kernel_file_read(path, patch, err);
		if (r) {
			source->patches.len--;
			return r;
		}
		free(patch->name);
		patch->name = take_ptr(path);
		at = next;
	}
	return 0;
}

static void digest_text(struct kernel_source *source)
{
	struct digest digest = DIGEST_INIT;

	for (size_t i = 0; i < source->files.len; i++)
		digest_add(&digest, source->files.ptr[i].text, source->files.ptr[i].size);
	for (size_t i = 0; i < source->patches.len; i++)
		digest_add(&digest, source->patches.ptr[i].text, source->patches.ptr[i].size);
	source->digest = (uint32_t)digest.a;
}

/* "#1a2b3c4d" at the end of @spec; NULL when there is none. */
static const char *find_digest(const char *spec)
{
	size_t length = strlen(spec);
	const char *at = spec + length - DIGEST_DIGITS;

	if (length <= DIGEST_DIGITS || at[-1] != '#' ||
	    strspn(at, "0123456789abcdef") < DIGEST_DIGITS)
		return NULL;
	return at;
}

static int read_all(struct kernel_source *source, struct cpir_error *err)
{
	const char *patches = strstr(source->label, PATCH);
	_cleanup_free_ char *base = strndup(
		source->label, patches ? (size_t)(patches - source->label) : strlen(source->label));
	int r;

	if (!base)
		return error_oom(err);
	if (!strncmp(base, "src:", 4))
		r = read_src(source, base + 4, err);
	else if (!strncmp(base, "git:", 4))
		r = read_git(source, base + 4, err);
	else
		return error_set(err, -EINVAL,
				 "policy %s: a patch of what? write src:PATH/menu.c+%s or "
				 "git:REPO@REV:menu+%s",
				 source->label, base, base);
	return r ? r : read_patches(source, patches, err);
}

int kernel_source_read(const char *spec, struct kernel_source *ret_source, struct cpir_error *err)
{
	const char *digest = find_digest(spec);
	struct kernel_source source = {0};
	int r;

	source.label = digest ? strndup(spec, (size_t)(digest - 1 - spec)) : strdup(spec);
	if (!source.label)
		return error_oom(err);
	r = read_all(&source, err);
	if (!r)
		digest_text(&source);
	if (!r && digest && strtoul(digest, NULL, 16) != source.digest)
		r = error_set(
			err, -EINVAL,
			"policy %s: the source has changed, it is #%08x now; leave the #… out "
			"to take it as it is",
			spec, source.digest);
	if (r) {
		kernel_source_free(&source);
		return r;
	}
	*ret_source = source;
	return 0;
}

void kernel_source_free(struct kernel_source *source)
{
	for (size_t i = 0; i < source->files.len; i++)
		kernel_file_free(&source->files.ptr[i]);
	for (size_t i = 0; i < source->patches.len; i++)
		kernel_file_free(&source->patches.ptr[i]);
	array_free(&source->files);
	array_free(&source->patches);
	free(source->label);
	*source = (struct kernel_source){0};
}
