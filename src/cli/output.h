/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where results go: standard output, or a file that appears whole or not at all. A regular file is written under a
 * temporary name beside it and renamed; what is not a regular file (/dev/full, a pipe) is written in place.
 */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include <stdio.h>

/** struct output - @file: where to write, owned */
struct output {
	FILE *file;
	const char *name; /* for messages, borrowed */
	char *target;	  /* what the temporary file is renamed to, NULL: written in place */
	char *temporary;
	int error; /* errno of the first write that failed, 0 none */
};

/** output_open - @path: NULL or "-" is standard output. Gives an exit status, having said what is wrong. */
int output_open(struct output *output, const char *path);

/** output_write - a string; failure shows when the output is closed */
void output_write(struct output *output, const char *text);

/** output_close - bring what was written to its place. Gives an exit status, having said what is wrong. */
int output_close(struct output *output);

/** output_discard - forget what was written; a file of that name stays as it was */
void output_discard(struct output *output);

#endif
