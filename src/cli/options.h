/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Options that several sub-commands share, as argp parsers to be taken in as children. The input of study_argp is a
 * struct study_args, that of output_argp a struct output_args; misuse ends the program with status 2.
 */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include "cpuidle-replay.h"

#include <argp.h>

enum format { FORMAT_TABLE, FORMAT_JSON };
enum color { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

/** struct output_args - where to write, and how it looks */
struct output_args {
	const char *path; /* NULL: standard output */
	enum color color;
	bool quiet, verbose;
};

/** struct study_args - what to study, from which trace; start from study_args_default() */
struct study_args {
	struct output_args output;
	struct cpir_study_options study;
	enum format format;
	bool per_cpu;
};

/* Keys of long options without a letter; sub-commands number theirs from OPTION_OWN on. */
enum {
	OPTION_PLATFORM = 256,
	OPTION_KERNEL,
	OPTION_INSTANCE,
	OPTION_HZ,
	OPTION_CPUS,
	OPTION_FROM,
	OPTION_TO,
	OPTION_LATENCY_REQ,
	OPTION_DISABLE_STATE,
	OPTION_WARMUP,
	OPTION_THREADS,
	OPTION_PER_CPU,
	OPTION_FORMAT,
	OPTION_COLOR,
	OPTION_REQUIRE_AGREEMENT,
	OPTION_MAX_ABOVE,
	OPTION_MAX_BELOW,
	OPTION_OWN,
};

extern const struct argp output_argp;
extern const struct argp study_argp; /* takes in output_argp */

/** study_args_default - nothing asked for */
struct study_args study_args_default(enum cpir_mode mode);

/** options_end - what every parser does with keys of argp's own: -h, and too many or too few operands (@wanted) */
error_t options_end(int key, struct argp_state *state, const char *wanted);

/** options_kernel - @arg, which is a kernel release; anything else ends the program */
const char *options_kernel(struct argp_state *state, const char *arg);

/** color_wanted - whether text for standard output or @args->path may hold escape sequences */
bool color_wanted(const struct output_args *args);

#endif
