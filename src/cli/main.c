// SPDX-License-Identifier: GPL-2.0-only
/* The program: picks the sub-command and turns its result into an exit status. */
#include "cli/command.h"

#include "base/array.h"
#include "cli/arguments.h"
#include "cli/message.h"

#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <unistd.h>

static const struct command commands[] = {
	{"report", "what happened: misses, states, wake-ups, latency", command_report},
	{"replay", "decide every recorded period again: how far to trust this", command_replay},
	{"compare", "before and after: what another policy would have done", command_compare},
	{"explain", "one decision step by step, or the worst ones", command_explain},
	{"policies", "list and explain policies, check one against vectors", command_policies},
	{"platforms", "list the built-in platforms, or show one", command_platforms},
	{"platform", "a platform as JSON, or capture the one of this machine", command_platform},
};

static void print_usage(FILE *out)
{
	(void)fputs("Usage: " PROGRAM " COMMAND [OPTION...] [ARGUMENT...]\n"
		    "Try '" PROGRAM " --help' for the commands.\n",
		    out);
}

static int print_help(void)
{
	(void)puts("Usage: " PROGRAM " COMMAND [OPTION...] [ARGUMENT...]\n"
		   "Replay the decisions of a cpuidle governor from a trace.\n");
	for (size_t i = 0; i < array_size(commands); i++)
		(void)printf("  %-10s %s\n", commands[i].name, commands[i].help);
	(void)puts("\n"
		   "  -h, --help     this text; 'COMMAND --help' for the options of a command\n"
		   "      --usage    a short usage\n"
		   "  -V, --version  the version\n\n"
		   "Exit status: 0 done; 1 the input or the system failed; 2 usage; 3 done, but\n"
		   "below a threshold that was asked for. Manual: cpuidle-replay(1).");
	return message_flush_stdout();
}

static const struct command *find_command(const char *name)
{
	for (size_t i = 0; i < array_size(commands); i++)
		if (!strcmp(commands[i].name, name))
			return &commands[i];
	return NULL;
}

static int run_command(const struct command *command, int argc, char **argv)
{
	char name[64];

	/* argp names the program by argv[0] in all it says. */
	(void)snprintf(name, sizeof(name), PROGRAM " %s", command->name);
	argv[0] = name;
	return command->run(argc, argv);
}

/* 'help COMMAND' is 'COMMAND --help'. */
static int help_on(const char *name)
{
	const struct command *command = find_command(name);
	char help[] = "--help";
	char *argv[] = {NULL, help, NULL};

	if (command)
		return run_command(command, 2, argv);
	message("unknown command '%s'; try '" PROGRAM " --help'", name);
	return EXIT_USAGE;
}

static bool is_one_of(const char *text, const char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(text, words[i]))
			return true;
	return false;
}

/* What may stand in place of a command; -1 when @arg is nothing of that kind. */
static int run_option(const char *arg)
{
	static const char *const help[] = {"--help", "-h", "-?", "help"};
	static const char *const version[] = {"--version", "-V"};

	if (is_one_of(arg, help, array_size(help)))
		return print_help();
	if (is_one_of(arg, version, array_size(version)))
		return arguments_version();
	if (!strcmp(arg, "--usage")) {
		print_usage(stdout);
		return message_flush_stdout();
	}
	return -1;
}

/* A file opened in the place of a standard stream that is closed would get what is meant for the stream. */
static void occupy_standard_streams(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDONLY); /* so that writing there still fails */
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd > STDERR_FILENO)
		(void)close(fd);
}

int main(int argc, char **argv)
{
	const struct command *command;
	int status;

	occupy_standard_streams();
	(void)signal(
		SIGXFSZ,
		SIG_IGN); /* a file that gets too large is an error to report, no reason to die */
	(void)setlocale(LC_CTYPE, "");
	(void)setenv("ARGP_HELP_FMT", "no-dup-args-note", 0);
	if (argc < 2) {
		print_usage(stderr);
		return EXIT_USAGE;
	}
	if (argc > 2 && !strcmp(argv[1], "help"))
		return help_on(argv[2]);
	status = run_option(argv[1]);
	if (status >= 0)
		return status;
	command = find_command(argv[1]);
	if (command)
		return run_command(command, argc - 1, argv + 1);
	message("%s '%s'; try '" PROGRAM " --help'",
		argv[1][0] == '-' ? "unknown option" : "unknown command", argv[1]);
	return EXIT_USAGE;
}
