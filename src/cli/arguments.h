/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The command line of a sub-command: argp, with errors of one line each, and with help that is not taken for printed when
 * it could not be written.
 */
#ifndef CLI_ARGUMENTS_H
#define CLI_ARGUMENTS_H

#include <argp.h>

/**
 * arguments_parse - argp_parse() with --help, --usage and --version of our own
 * Returns: 0, or an exit status after saying what is wrong; misuse that a parser finds, and help, end the program
 */
int arguments_parse(const struct argp *argp, int argc, char **argv, void *input);

/** arguments_error - say what is wrong with the arguments and which help to turn to; ends the program with status 2 */
void arguments_error(const struct argp_state *state, const char *fmt, ...)
	__attribute__((format(printf, 2, 3), noreturn));

/** arguments_value_error - the same about the option that @value was just given to, whose name comes first */
void arguments_value_error(const struct argp_state *state, const char *value, const char *fmt, ...)
	__attribute__((format(printf, 3, 4), noreturn));

/** arguments_version - what --version prints; an exit status */
int arguments_version(void);

#endif
