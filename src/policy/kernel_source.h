/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The text of a governor that is to be compiled: src:PATH/menu.c or git:REPO@REV[:NAME], each with +patch:FILE any number
 * of times, and all that with #DIGEST behind it.
 */
#ifndef POLICY_KERNEL_SOURCE_H
#define POLICY_KERNEL_SOURCE_H

#include "base/array.h"
#include "base/error.h"

#define KERNEL_FILE_MAX (4u << 20) /* bytes of one source or patch file */
#define KERNEL_FILES_MAX 32

/** struct kernel_file - @name: without folders; @text: ends with a NUL behind @size bytes */
struct kernel_file {
	char *name;
	char *text;
	size_t size;
};

/**
 * struct kernel_source
 * @label: the policy as the user spelled it, without #DIGEST
 * @files: the governor first, then the headers beside it that it includes in quotes
 * @patches: in the order in which they apply; their names are paths
 * @digest: of all text
 * @release: of the kernel tree it is part of, as struct cpir_policy has it; 0 unknown
 */
struct kernel_source {
	char *label;
	ARRAY(struct kernel_file) files;
	ARRAY(struct kernel_file) patches;
	uint32_t digest;
	uint32_t release;
};

/** kernel_source_claims - does @spec name kernel source? */
bool kernel_source_claims(const char *spec);

/**
 * kernel_source_read - find and read what @spec names
 * Errors: -EINVAL (malformed, or the text has another digest), -ENOENT and others of open(2), -EFBIG, -ENOMEM
 */
int kernel_source_read(const char *spec, struct kernel_source *ret_source, struct cpir_error *err);
void kernel_source_free(struct kernel_source *source);

/**
 * kernel_file_read - read the file at @path whole
 * @ret_file: its name is the last part of @path; owned by the caller
 */
int kernel_file_read(const char *path, struct kernel_file *ret_file, struct cpir_error *err);
void kernel_file_free(struct kernel_file *file);

/**
 * kernel_include_next - the next #include line of a text
 * @at: where to look, moved behind what was found
 * @ret_name, @size: the header's name, cut if need be
 * Returns: '"' or '<' as the line has it, 0 when there is none left
 */
char kernel_include_next(const char **at, char *ret_name, size_t size);

#endif
