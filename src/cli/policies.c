// SPDX-License-Identifier: GPL-2.0-only
/* cpuidle-replay policies: what there is to replay with, and whether it decides as the kernel does. */
#include "base/array.h"
#include "base/cleanup.h"
#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/message.h"
#include "cli/page_out.h"
#include "cli/study.h"

#include <errno.h>
#include <inttypes.h>

enum { OPTION_CHECK = OPTION_OWN };

struct policies_args {
	struct output_args output;
	const char *kernel, *policy;
	bool check;
	ARRAY(const char *) operands;
};

static const struct argp_option options[] = {
	{"check", OPTION_CHECK, NULL, 0, "run the decision vectors in FILEs and say which differ",
	 0},
	{"policy", 'p', "POLICY", 0,
	 "with --check: the policy to test (default: the one each file names)", 0},
	{"kernel", OPTION_KERNEL, "RELEASE", 0, "kernel release of a POLICY that names none", 0},
	{0},
};

static error_t add_operand(struct policies_args *args, const char *operand)
{
	const char **added = array_add(&args->operands);

	if (!added)
		return ENOMEM;
	*added = operand;
	return 0;
}

static void check_operands(const struct policies_args *args, struct argp_state *state)
{
	if (args->check && !args->operands.len)
		arguments_error(state, "--check needs a FILE");
	if (!args->check && args->operands.len > 1)
		arguments_error(state, "one POLICY at a time");
	if (!args->check && args->policy)
		arguments_error(state, "-p goes with --check");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct policies_args *args = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &args->output;
		return 0;
	case OPTION_CHECK:
		args->check = true;
		return 0;
	case 'p':
		args->policy = arg;
		return 0;
	case OPTION_KERNEL:
		args->kernel = options_kernel(state, arg);
		return 0;
	case ARGP_KEY_ARG:
		return add_operand(args, arg);
	case ARGP_KEY_END:
		check_operands(args, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static int list(const struct policies_args *args)
{
	size_t count;
	const struct cpir_governor_info *governors = cpir_governor_list(&count);
	struct page page = {0};
	struct table *table = page_add_table(&page, NULL, 0);

	table_add_columns(table,
			  (const struct column[]){{"Policy", CELL_TEXT},
						  {"Kernels", CELL_TEXT},
						  {"What it is", CELL_TEXT}},
			  3);
	for (size_t i = 0; i < count; i++) {
		table_add_text(table, "%s", governors[i].name);
		table_add_text(table, "%s", *governors[i].kernels ? governors[i].kernels : "any");
		table_add_text(table, "%s", governors[i].help);
	}
	page_add_text(&page, "'" PROGRAM " policies NAME@KERNEL' shows patches and knobs of one. "
			     "Kernel source is a policy, too: src:FILE.c, git:REPO@REV:GOVERNOR.");
	return page_print(&page, &args->output);
}

/* The governor a policy is made of: the name before its kernel, patches and knobs. */
static const struct cpir_governor_info *find_governor(const char *spec)
{
	size_t count, len = strcspn(spec, "@+:");
	const struct cpir_governor_info *governors = cpir_governor_list(&count);

	for (size_t i = 0; i < count; i++) {
		size_t name = strlen(governors[i].name);

		/* "-" may belong to a name, or begin a patch that is taken out. */
		if (!strncmp(governors[i].name, spec, name) &&
		    (len == name || (name < len && spec[name] == '-')))
			return &governors[i];
	}
	return NULL;
}

static struct table *add_keys(struct page *page, const char *title)
{
	struct table *keys = page_add_table(page, title, TABLE_KEYS);

	table_add_columns(keys, (const struct column[]){{"Name", CELL_TEXT}, {"Value", CELL_TEXT}},
			  2);
	return keys;
}

static void add_patches(const struct cpir_governor_info *governor, struct page *page)
{
	struct table *keys;

	if (!governor->patch_count)
		return;
	keys = add_keys(page, "Patches, to add (+NAME) or to take out (-NAME):");
	for (size_t i = 0; i < governor->patch_count; i++) {
		const struct cpir_patch_info *patch = &governor->patches[i];

		table_add_key(keys, patch->name, "%s", patch->help);
		table_add_key(keys, "", "merged: %s%s%s", patch->merged, *patch->commit ? "; " : "",
			      patch->commit);
	}
}

/* 0, or a negative errno. */
static int add_knobs(const struct cpir_policy *policy, struct page *page)
{
	_cleanup_free_ struct cpir_knob_info *knobs = NULL;
	struct table *keys;
	size_t count;
	int err = cpir_policy_knobs(policy, &knobs, &count);

	if (err || !count)
		return err;
	keys = add_keys(page, "Knobs, to set (:KNOB=VALUE,...):");
	for (size_t i = 0; i < count; i++) {
		char name[128];

		(void)snprintf(name, sizeof(name), "%s=%s", knobs[i].name, knobs[i].value);
		table_add_key(keys, name, "%s", knobs[i].help);
	}
	return 0;
}

static void cleanup_policy(struct cpir_policy **policy)
{
	cpir_policy_free(*policy);
}

/* A bare name that needs a kernel still has patches to show. */
static bool names_governor_only(const char *spec, const struct cpir_governor_info *governor)
{
	return governor && !strcmp(spec, governor->name);
}

static int explain(const struct policies_args *args, const char *spec)
{
	_cleanup_(cleanup_policy) struct cpir_policy *policy = NULL;
	const struct cpir_governor_info *governor = find_governor(spec);
	struct cpir_error err = {0};
	struct page page = {0};
	int code = cpir_policy_parse(spec, args->kernel, &policy, &err);

	if (code && (code != -ENODATA || !names_governor_only(spec, governor))) {
		(void)message_error(&err);
		return EXIT_USAGE;
	}
	page_add_heading(&page, "%s", policy ? cpir_policy_name(policy) : spec);
	if (governor)
		page_add_text(&page, "%s%s%s", governor->help,
			      *governor->kernels ? "; kernels " : "", governor->kernels);
	if (policy && add_knobs(policy, &page))
		page.failed = true;
	if (!policy)
		page_add_text(&page, "Its knobs depend on the kernel: name one, as in %s@6.12.",
			      spec);
	if (governor)
		add_patches(governor, &page);
	return page_print(&page, &args->output);
}

static int check_file(const struct policies_args *args, const char *path, struct output *output)
{
	struct cpir_check check = {0};
	struct cpir_error err = {0};
	_cleanup_free_ char *line = NULL;
	int len;

	if (cpir_policy_check(path, args->policy, &check, &err))
		return message_error(&err);
	if (check.mismatches)
		len = asprintf(&line, "%s: %s, %" PRIu64 " steps, %" PRIu64 " differ: %s\n", path,
			       check.policy, check.steps, check.mismatches, check.first);
	else
		len = asprintf(&line, "%s: %s, %" PRIu64 " steps, all agree\n", path, check.policy,
			       check.steps);
	if (len < 0) {
		line = NULL;
		message("out of memory");
		return EXIT_FAILED;
	}
	output_write(output, line);
	return check.mismatches ? EXIT_FAILED : EXIT_DONE;
}

static int check_files(const struct policies_args *args)
{
	struct output output;
	int status = args->policy ? policy_check(args->policy, args->kernel) : EXIT_DONE;

	if (!status)
		status = output_open(&output, args->output.path);

	if (status)
		return status;
	for (size_t i = 0; i < args->operands.len; i++)
		if (check_file(args, args->operands.ptr[i], &output))
			status = EXIT_FAILED;
	return output_close(&output) ? EXIT_FAILED : status;
}

int command_policies(int argc, char **argv)
{
	static const struct argp_child children[] = {{&output_argp, 0, NULL, 0}, {0}};
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.args_doc = "[POLICY]\n--check FILE...",
		.doc = "List the policies; or show one with its patches, and its knobs with the "
		       "values they have in it; or check policies against decision vectors.\v"
		       "POLICY is NAME[@KERNEL][+PATCH|-PATCH...][:KNOB=VALUE,...], such as "
		       "menu@6.1.192+override-residency-threshold, or kernel source: "
		       "src:FILE.c, git:REPO@REV:GOVERNOR. --check prints a line for "
		       "each FILE; the exit status is 1 when any decision differs.",
		.children = children,
	};
	struct policies_args args = {0};
	int status = arguments_parse(&argp, argc, argv, &args);

	if (!status) {
		if (args.check)
			status = check_files(&args);
		else
			status = args.operands.len ? explain(&args, args.operands.ptr[0])
						   : list(&args);
	}
	array_free(&args.operands);
	return status;
}
