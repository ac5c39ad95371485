// SPDX-License-Identifier: GPL-2.0-only
/* cpuidle-replay platform: a machine as JSON, read from a description or captured where we run. */
#include "base/cleanup.h"
#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/message.h"
#include "cli/options.h"
#include "cli/output.h"

#include <string.h>

enum { OPTION_SYSFS = OPTION_OWN };

struct platform_args {
	struct output_args output;
	const char *what, *sysfs;
};

static const struct argp_option options[] = {
	{"sysfs", OPTION_SYSFS, "DIR", 0, "with capture: read DIR, not /sys/devices/system/cpu", 0},
	{0},
};

static bool is_capture(const char *what)
{
	return !strcmp(what, "capture");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct platform_args *args = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &args->output;
		return 0;
	case OPTION_SYSFS:
		args->sysfs = arg;
		return 0;
	case ARGP_KEY_ARG:
		if (args->what)
			return options_end(key, state, NULL);
		args->what = arg;
		return 0;
	case ARGP_KEY_END:
		if (args->what && args->sysfs && !is_capture(args->what))
			arguments_error(state, "--sysfs goes with capture");
		return 0;
	default:
		return options_end(key, state, "'capture' or PLATFORM");
	}
}

static int write_text(const char *text, const char *path)
{
	struct output output;
	int status = output_open(&output, path);

	if (status)
		return status;
	output_write(&output, text);
	if (*text && text[strlen(text) - 1] != '\n')
		output_write(&output, "\n");
	return output_close(&output);
}

int command_platform(int argc, char **argv)
{
	static const struct argp_child children[] = {{&output_argp, 0, NULL, 0}, {0}};
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.args_doc = "capture\nPLATFORM",
		.doc = "Describe this machine as JSON, or convert another description to it: a "
		       "preset, "
		       "or a copy or dump of /sys/devices/system/cpu.",
		.children = children,
	};
	struct platform_args args = {0};
	struct cpir_platform *platform;
	struct cpir_error err = {0};
	_cleanup_free_ char *text = NULL;
	int status = arguments_parse(&argp, argc, argv, &args);
	int code;

	if (status)
		return status;
	code = is_capture(args.what) ? cpir_platform_capture(args.sysfs, &platform, &err)
				     : cpir_platform_load(args.what, &platform, &err);
	if (code)
		return message_error(&err);
	text = cpir_platform_to_json(platform);
	cpir_platform_free(platform);
	if (text)
		return write_text(text, args.output.path);
	message("out of memory");
	return EXIT_FAILED;
}
