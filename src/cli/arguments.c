// SPDX-License-Identifier: GPL-2.0-only
/* The command line of a sub-command. */
#include "cli/arguments.h"

#include "base/cleanup.h"
#include "cli/command.h"
#include "cli/message.h"
#include "cpuidle-replay.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { KEY_USAGE = 0x10000 };

#define MISUSE_MAX 256

/** struct arguments - @input: of the sub-command; @misuse: what argp itself found wrong */
struct arguments {
	void *input;
	char misuse[MISUSE_MAX];
};

static const struct argp_option help_options[] = {
	{"help", 'h', NULL, 0, "give this help list", -1},
	{NULL, '?', NULL, OPTION_HIDDEN, NULL, -1},
	{"usage", KEY_USAGE, NULL, 0, "give a short usage message", -1},
	{"version", 'V', NULL, 0, "print the version", -1},
	{0},
};

int arguments_version(void)
{
	(void)printf(PROGRAM " %s\n", cpir_version());
	return message_flush_stdout();
}

/* ---- errors -------------------------------------------------------------------------------------------------------- */

static void say(const struct argp_state *state, const char *what)
{
	message("%s; try '%s --help'", what, state->name);
}

void arguments_error(const struct argp_state *state, const char *fmt, ...)
{
	char text[512];
	va_list args;

	va_start(args, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	say(state, text);
	exit(EXIT_USAGE);
}

/* The option as it was written: the word before @value, or what stands before it in the same word. */
static const char *option_before(const struct argp_state *state, const char *value, int *ret_length)
{
	const char *word = state->argv[state->next - 1];

	if (word == value) {
		word = state->argv[state->next - 2];
		*ret_length = (int)strlen(word);
		return word;
	}
	*ret_length = (int)(value - word);
	if (word[*ret_length - 1] == '=')
		(*ret_length)--;
	return word;
}

void arguments_value_error(const struct argp_state *state, const char *value, const char *fmt, ...)
{
	char text[512];
	int length;
	const char *option = option_before(state, value, &length);
	va_list args;

	va_start(args, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	arguments_error(state, "%.*s: %s", length, option, text);
}

/* ---- what argp finds wrong, and would take three lines to say ------------------------------------------------------- */

/** struct lookup - of an option by its name, or the beginning of it; @key: by its letter, when there is no name */
struct lookup {
	const char *name;
	size_t length;
	int key;
	const struct argp_option
		*found; /* the last that fits, and for good the one that fits in full */
	unsigned matches;
};

static bool is_full(const struct lookup *lookup)
{
	return lookup->found && (!lookup->name || !lookup->found->name[lookup->length]);
}

static void look_up(const struct argp *argp, struct lookup *lookup)
{
	const struct argp_option *option = argp->options;

	for (; option && (option->name || option->key || option->doc || option->group); option++) {
		if (is_full(lookup))
			return;
		if (lookup->name
			    ? option->name && !strncmp(option->name, lookup->name, lookup->length)
			    : option->key == lookup->key) {
			lookup->found = option;
			lookup->matches++;
		}
	}
	for (const struct argp_child *child = argp->children; child && child->argp; child++)
		if (!is_full(lookup))
			look_up(child->argp, lookup);
}

static bool needs_value(const struct argp_option *option)
{
	return option->arg && !(option->flags & OPTION_ARG_OPTIONAL);
}

/* What is wrong with "--NAME" or "--NAME=VALUE", NULL: nothing. */
static const char *long_flaw(const struct argp *argp, const char *word, bool is_last)
{
	struct lookup lookup = {.name = word + 2, .length = strcspn(word + 2, "=")};

	look_up(argp, &lookup);
	if (!lookup.found)
		return "there is no such option";
	if (lookup.matches > 1 && !is_full(&lookup))
		return "several options begin like this";
	if (word[2 + lookup.length])
		return lookup.found->arg ? NULL : "the option takes no value";
	return is_last && needs_value(lookup.found) ? "the option needs a value" : NULL;
}

/* What is wrong with "-LETTERS", NULL: nothing. */
static const char *short_flaw(const struct argp *argp, const char *word, bool is_last)
{
	for (const char *letter = word + 1; *letter; letter++) {
		struct lookup lookup = {.key = (unsigned char)*letter};

		look_up(argp, &lookup);
		if (!lookup.found)
			return "there is no such option";
		if (!lookup.found->arg)
			continue;
		return !letter[1] && is_last && needs_value(lookup.found)
			       ? "the option needs a value"
			       : NULL;
	}
	return NULL;
}

static bool describe(const struct argp_state *state, int index, struct arguments *arguments)
{
	const char *word = index > 0 && index < state->argc ? state->argv[index] : "";
	bool is_last = index == state->argc - 1;
	const char *flaw = NULL;

	if (word[0] == '-' && word[1])
		flaw = (word[1] == '-' ? long_flaw : short_flaw)(state->root_argp, word, is_last);
	if (flaw)
		(void)snprintf(arguments->misuse, sizeof(arguments->misuse), "%.*s: %s",
			       (int)(word[1] == '-' ? strcspn(word, "=") : strlen(word)), word,
			       flaw);
	return flaw;
}

/* getopt has stepped over the word that it stumbled on, but not over a heap of letters it is still in. */
static void note_misuse(const struct argp_state *state, struct arguments *arguments)
{
	if (!describe(state, state->next - 1, arguments) &&
	    !describe(state, state->next, arguments))
		(void)snprintf(arguments->misuse, sizeof(arguments->misuse),
			       "the options are not understood");
}

/* ---- parsing ------------------------------------------------------------------------------------------------------- */

static void help(const struct argp_state *state, unsigned what)
{
	argp_help(state->root_argp, stdout, what, state->name);
	exit(message_flush_stdout());
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *arguments = state->input;

	(void)arg;
	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = arguments->input;
		return 0;
	case 'h':
	case '?':
		help(state, ARGP_HELP_SHORT_USAGE | ARGP_HELP_LONG | ARGP_HELP_DOC);
		return 0;
	case KEY_USAGE:
		help(state, ARGP_HELP_USAGE);
		return 0;
	case 'V':
		exit(arguments_version());
	case ARGP_KEY_ERROR:
		note_misuse(state, arguments);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

int arguments_parse(const struct argp *argp, int argc, char **argv, void *input)
{
	const struct argp_child children[] = {{argp, 0, NULL, 0}, {0}};
	const struct argp whole = {.options = help_options, .parser = parse, .children = children};
	struct arguments arguments = {.input = input};
	error_t err = argp_parse(&whole, argc, argv, ARGP_NO_ERRS | ARGP_NO_HELP, NULL, &arguments);

	if (!err)
		return EXIT_DONE;
	if (err == ENOMEM) {
		message("out of memory");
		return EXIT_FAILED;
	}
	message("%s; try '%s --help'", arguments.misuse, argv[0]);
	return EXIT_USAGE;
}
