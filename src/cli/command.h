/* SPDX-License-Identifier: GPL-2.0-only */
/* The sub-commands. Each lives in a file of its own and parses its own arguments. */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#define PROGRAM "cpuidle-replay"

/** enum exit_status - what the program tells its caller */
enum exit_status {
	EXIT_DONE = 0,
	EXIT_FAILED = 1, /* the input or the system failed us */
	EXIT_USAGE = 2,
	EXIT_BELOW = 3, /* done, but below a threshold that was asked for */
};

/**
 * struct command - @run: argv[0] is "cpuidle-replay NAME"; gives an exit status, or does not return (--help, misuse)
 */
struct command {
	const char *name;
	const char *help;
	int (*run)(int argc, char **argv);
};

int command_report(int argc, char **argv);
int command_replay(int argc, char **argv);
int command_compare(int argc, char **argv);
int command_explain(int argc, char **argv);
int command_policies(int argc, char **argv);
int command_platforms(int argc, char **argv);
int command_platform(int argc, char **argv);

#endif
