/* SPDX-License-Identifier: GPL-2.0-only */
/* Running another program and keeping what it says. */
#ifndef BASE_COMMAND_H
#define BASE_COMMAND_H

#include "base/error.h"

#define COMMAND_OUTPUT_MAX (16u << 20) /* bytes kept of either stream */

/**
 * struct command - @argv: ends with NULL; the program is looked up in PATH, no shell is involved
 * @directory: where it runs, NULL here; @input: file it reads, NULL nothing
 */
struct command {
	const char *const *argv;
	const char *directory;
	const char *input;
};

/** struct command_result - @status: exit status, 128 + signal when a signal ended it; both texts end with a NUL */
struct command_result {
	int status;
	char *out, *said; /* standard output, standard error */
	size_t out_size, said_size;
};

/**
 * command_run - run @command to its end
 * @ret_result: freed with command_result_free()
 * Errors: -ENOENT (no such program, with a sentence), -EFBIG (says too much), -ENOMEM, what pipe and process calls give.
 *         A program that fails is no error: see the status.
 */
int command_run(const struct command *command, struct command_result *ret_result,
		struct cpir_error *err);
void command_result_free(struct command_result *result);

#endif
