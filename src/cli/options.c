// SPDX-License-Identifier: GPL-2.0-only
/* Options that several sub-commands share. */
#include "cli/options.h"

#include "base/array.h"
#include "base/parse.h"
#include "cli/arguments.h"

#include <unistd.h>

#define HZ_MIN 24
#define HZ_MAX 10000
#define THREADS_MAX 1024

/* Groups of the help text, after those of the command itself. */
enum { GROUP_PART = 1, GROUP_MACHINE, GROUP_OUTPUT };

static const struct argp_option output_options[] = {
	{.doc = "Output:", .group = GROUP_OUTPUT},
	{"output", 'o', "FILE", 0, "write to FILE, whole or not at all", 0},
	{"color", OPTION_COLOR, "WHEN", 0, "colour: auto (default), always or never", 0},
	{"quiet", 'q', NULL, 0, "tables only: no header, no progress", 0},
	{"verbose", 'v', NULL, 0, "explain rows and columns", 0},
	{0},
};

static const struct argp_option study_options[] = {
	{.doc = "Part of the trace:", .group = GROUP_PART},
	{"instance", OPTION_INSTANCE, "NAME", 0, "buffer instance to read", 0},
	{"cpus", OPTION_CPUS, "LIST", 0, "only these CPUs, such as 0-3,8", 0},
	{"from", OPTION_FROM, "TIME", 0, "begin at TIME, seconds in the trace's clock", 0},
	{"to", OPTION_TO, "TIME", 0, "end at TIME", 0},
	{"warmup", OPTION_WARMUP, "N", 0, "decisions per CPU that do not count (default 64)", 0},
	{.doc = "What the trace does not hold:", .group = GROUP_MACHINE},
	{"platform", OPTION_PLATFORM, "PLATFORM", 0,
	 "idle states and HZ: a JSON file, a preset, a copy or a dump of sysfs (required: no "
	 "trace tells them)",
	 0},
	{"kernel", OPTION_KERNEL, "RELEASE", 0, "release that ran (default: as in the trace)", 0},
	{"hz", OPTION_HZ, "N", 0, "tick rate (default: platform, else inferred)", 0},
	{"latency-req", OPTION_LATENCY_REQ, "US", 0, "latency limit, besides those in the trace",
	 0},
	{"disable-state", OPTION_DISABLE_STATE, "N", 0,
	 "state N is disabled everywhere; repeatable", 0},
	{"per-cpu", OPTION_PER_CPU, NULL, 0, "tables for each CPU, too", GROUP_OUTPUT},
	{"format", OPTION_FORMAT, "FORMAT", 0, "table (default) or json", GROUP_OUTPUT},
	{"threads", OPTION_THREADS, "N", 0, "threads (default: one per CPU)", -1},
	{0},
};

/** struct word - one of the values an option takes */
struct word {
	const char *name;
	int value;
};

static int parse_word(struct argp_state *state, const char *arg, const struct word *words)
{
	char list[128] = "";

	for (const struct word *word = words; word->name; word++) {
		size_t used = strlen(list);

		if (!strcmp(arg, word->name))
			return word->value;
		(void)snprintf(list + used, sizeof(list) - used, "%s%s", used ? ", " : "",
			       word->name);
	}
	arguments_value_error(state, arg, "'%s' is none of %s", arg, list);
}

static uint32_t parse_number(struct argp_state *state, const char *arg, uint32_t min, uint32_t max)
{
	uint32_t number = 0;

	if (parse_u32(arg, min, max, &number))
		arguments_value_error(state, arg, "'%s' is not a number from %u to %u", arg, min,
				      max);
	return number;
}

static uint64_t parse_time(struct argp_state *state, const char *arg)
{
	uint64_t ns = 0;

	if (parse_time_s(arg, &ns))
		arguments_value_error(state, arg,
				      "'%s' is not a time in seconds, such as 33.904322976", arg);
	return ns;
}

static uint64_t parse_latency(struct argp_state *state, const char *arg)
{
	uint64_t ns = 0;

	if (parse_duration_ns(arg, 1000, &ns))
		arguments_value_error(state, arg, "'%s' is not a latency in microseconds", arg);
	return ns;
}

static const char *check_cpus(struct argp_state *state, const char *arg)
{
	struct cpu_set set;

	if (!*arg || parse_cpu_list(arg, &set))
		arguments_value_error(state, arg, "'%s' is not a list of CPUs, such as 0-3,8", arg);
	return arg;
}

/* An empty name is a variable of the caller's that was not set, and opening it gives errors that name nothing. */
static const char *options_file(struct argp_state *state, const char *arg)
{
	if (!*arg)
		arguments_value_error(state, arg, "the name is empty");
	return arg;
}

const char *options_kernel(struct argp_state *state, const char *arg)
{
	struct cpir_error err = {0};

	if (cpir_release_check(arg, &err))
		arguments_value_error(state, arg, "%s", err.text);
	return arg;
}

error_t options_end(int key, struct argp_state *state, const char *wanted)
{
	switch (key) {
	case ARGP_KEY_NO_ARGS:
		arguments_error(state, "%s is missing", wanted);
	case ARGP_KEY_ARG:
		arguments_error(state, "unexpected argument '%s'", state->argv[state->next - 1]);
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static error_t parse_output(int key, char *arg, struct argp_state *state)
{
	static const struct word colors[] = {
		{"auto", COLOR_AUTO}, {"always", COLOR_ALWAYS}, {"never", COLOR_NEVER}, {0}};
	struct output_args *args = state->input;

	switch (key) {
	case 'o':
		args->path = options_file(state, arg);
		return 0;
	case OPTION_COLOR:
		args->color = (enum color)parse_word(state, arg, colors);
		return 0;
	case 'q':
		args->quiet = true;
		return 0;
	case 'v':
		args->verbose = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* Options that narrow what of the trace is studied. */
static error_t parse_part(int key, char *arg, struct argp_state *state)
{
	struct cpir_study_options *study = &((struct study_args *)state->input)->study;

	switch (key) {
	case OPTION_INSTANCE:
		study->instance = arg;
		return 0;
	case OPTION_CPUS:
		study->cpus = check_cpus(state, arg);
		return 0;
	case OPTION_FROM:
		study->from_ns = parse_time(state, arg);
		return 0;
	case OPTION_TO:
		study->to_ns = parse_time(state, arg);
		if (!study->to_ns)
			arguments_error(state, "nothing of the trace lies before --to 0");
		return 0;
	case OPTION_WARMUP:
		study->warmup = parse_number(state, arg, 0, UINT32_MAX - 1);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* Options that say what the trace cannot. */
static error_t parse_machine(int key, char *arg, struct argp_state *state)
{
	struct cpir_study_options *study = &((struct study_args *)state->input)->study;

	switch (key) {
	case OPTION_PLATFORM:
		study->platform = options_file(state, arg);
		return 0;
	case OPTION_KERNEL:
		study->kernel = options_kernel(state, arg);
		return 0;
	case OPTION_HZ:
		study->hz = parse_number(state, arg, HZ_MIN, HZ_MAX);
		return 0;
	case OPTION_LATENCY_REQ:
		study->latency_req_ns = parse_latency(state, arg);
		return 0;
	case OPTION_DISABLE_STATE:
		study->disable_mask |= 1U << parse_number(state, arg, 0, CPIR_STATES_MAX - 1);
		return 0;
	case OPTION_THREADS:
		study->threads = parse_number(state, arg, 1, THREADS_MAX);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static error_t parse_study(int key, char *arg, struct argp_state *state)
{
	static const struct word formats[] = {{"table", FORMAT_TABLE}, {"json", FORMAT_JSON}, {0}};
	struct study_args *args = state->input;
	error_t err;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &args->output;
		return 0;
	case OPTION_PER_CPU:
		args->per_cpu = true;
		return 0;
	case OPTION_FORMAT:
		args->format = (enum format)parse_word(state, arg, formats);
		return 0;
	case ARGP_KEY_END:
		if (args->study.to_ns && args->study.from_ns >= args->study.to_ns)
			arguments_error(state, "--from must lie before --to");
		return 0;
	default:
		err = parse_part(key, arg, state);
		return err == ARGP_ERR_UNKNOWN ? parse_machine(key, arg, state) : err;
	}
}

static const struct argp_child study_children[] = {{&output_argp, 0, NULL, 0}, {0}};

const struct argp output_argp = {.options = output_options, .parser = parse_output};
const struct argp study_argp = {
	.options = study_options, .parser = parse_study, .children = study_children};

struct study_args study_args_default(enum cpir_mode mode)
{
	return (struct study_args){
		.study = {.mode = mode, .latency_req_ns = UINT64_MAX, .warmup = UINT32_MAX}};
}

bool color_wanted(const struct output_args *args)
{
	const char *no_color = getenv("NO_COLOR");

	if (args->color != COLOR_AUTO)
		return args->color == COLOR_ALWAYS;
	return !args->path && isatty(STDOUT_FILENO) && !(no_color && *no_color);
}
