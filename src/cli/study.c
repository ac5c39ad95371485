// SPDX-License-Identifier: GPL-2.0-only
/* The common way of report, replay and compare. */
#include "cli/study.h"

#include "base/cleanup.h"
#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/message.h"
#include "cli/page_out.h"
#include "cli/progress.h"
#include "report/report.h"

#include <errno.h>
#include <sys/stat.h>

void study_cleanup(struct cpir_result **result)
{
	cpir_result_free(*result);
}

error_t parse_trace(int key, char *arg, struct argp_state *state, struct study_args *args)
{
	if (key == ARGP_KEY_INIT) {
		state->child_inputs[0] = args;
		return 0;
	}
	if (key != ARGP_KEY_ARG || args->study.trace)
		return options_end(key, state, "TRACE");
	if (!*arg)
		arguments_error(state, "the name of TRACE is empty");
	args->study.trace = arg;
	return 0;
}

int policy_check(const char *spec, const char *kernel)
{
	struct cpir_policy *policy = NULL;
	struct cpir_error err = {0};
	int code = cpir_policy_parse(spec, kernel, &policy, &err);

	cpir_policy_free(policy);
	if (!code || code == -ENODATA)
		return EXIT_DONE;
	(void)message_error(&err);
	return code == -ENOMEM ? EXIT_FAILED : EXIT_USAGE;
}

/* Misspelt policies are misuse, and no reason to read a trace first. */
static int check_policies(const struct cpir_study_options *study)
{
	bool verifies = study->mode == CPIR_REPLAY && study->policy_count;
	const char *baseline = study->baseline;
	int status;

	/* Which governor ran is not known before the trace is read, but none goes back further than menu. */
	if (!baseline && study->kernel && study->mode != CPIR_REPORT && !verifies)
		baseline = "menu";
	status = baseline ? policy_check(baseline, study->kernel) : EXIT_DONE;
	for (size_t i = 0; !status && i < study->policy_count; i++)
		status = policy_check(study->policies[i], study->kernel);
	return status;
}

static bool same_file(const char *a, const char *b)
{
	struct stat x, y;

	return !stat(a, &x) && !stat(b, &y) && S_ISREG(x.st_mode) && x.st_dev == y.st_dev &&
	       x.st_ino == y.st_ino;
}

/* One letter too few, and a trace that cannot be recorded again were gone. */
static int check_output(const struct study_args *args)
{
	const char *path = args->output.path, *platform = args->study.platform;

	if (!path ||
	    !(same_file(path, args->study.trace) || (platform && same_file(path, platform))))
		return EXIT_DONE;
	message("%s: is what the study reads; name another file with -o", path);
	return EXIT_USAGE;
}

static int write_page(const struct study_args *args, const struct cpir_result *result,
		      struct output *output)
{
	struct report_options options = {.per_cpu = args->per_cpu, .quiet = args->output.quiet};
	struct page page = {0};
	int status = EXIT_FAILED;

	if (report_build(result, &options, &page))
		message("out of memory");
	else
		status = page_write(&page, &args->output, output);
	page_free(&page);
	return status;
}

static int write_json(const struct cpir_result *result, struct output *output)
{
	_cleanup_free_ char *text = report_json(result);

	if (!text) {
		message("out of memory");
		return EXIT_FAILED;
	}
	output_write(output, text);
	return EXIT_DONE;
}

static int study(struct study_args *args, struct cpir_result **ret_result)
{
	struct progress progress = {.name = args->study.trace};
	struct cpir_error err = {0};
	int code;

	if (!args->output.quiet && progress_wanted()) {
		args->study.progress = progress_show;
		args->study.progress_arg = &progress;
	}
	code = cpir_study_run(&args->study, ret_result, &err);
	progress_clear(&progress);
	return code ? message_error(&err) : EXIT_DONE;
}

int study_run(struct study_args *args, struct cpir_result **ret_result)
{
	_cleanup_(study_cleanup) struct cpir_result *result = NULL;
	struct output output;
	int status = check_policies(&args->study);

	if (!status)
		status = check_output(args);
	/* Opened first: hours of work must not end at a directory that cannot be written to. */
	if (!status)
		status = output_open(&output, args->output.path);
	if (status)
		return status;
	status = study(args, &result);
	if (!status)
		status = args->format == FORMAT_JSON ? write_json(result, &output)
						     : write_page(args, result, &output);
	if (status)
		output_discard(&output);
	else
		status = output_close(&output);
	if (!status)
		*ret_result = take_ptr(result);
	return status;
}
