// SPDX-License-Identifier: GPL-2.0-only
/*
 * A study before its runs: open the trace, find the platform, let study_clocks.c read the trace once and study_learn.c its
 * beginning, and refuse what cannot be replayed.
 */
#include "replay/study.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#define NS_PER_S UINT64_C(1000000000)

static int open_trace(struct study *study, struct cpir_error *err)
{
	struct trace_options options = {
		.instance = study->options->instance,
		.want = study->want,
	};
	int ret = trace_open(study->options->trace, &options, &study->trace, err);

	if (ret < 0)
		return ret;
	study->info = trace_info(study->trace);
	study->kernel =
		strdup(study->options->kernel ? study->options->kernel : study->info->kernel);
	return study->kernel ? 0 : error_oom(err);
}

static unsigned threads_of(const struct cpir_study_options *options)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	if (options->threads)
		return options->threads;
	return cpus > 0 ? (unsigned)cpus : 1;
}

static int gather_crew(struct study *study, struct cpir_error *err)
{
	unsigned threads = threads_of(study->options);

	study->crew = crew_new(threads < CREW_MAX ? threads : CREW_MAX);
	return study->crew ? 0 : error_oom(err);
}

static int choose_cpus(struct study *study, struct cpir_error *err)
{
	if (!study->options->cpus) {
		for (uint32_t cpu = 0; cpu < study->info->cpus; cpu++)
			cpu_set_add(&study->cpus, cpu);
		return 0;
	}
	if (parse_cpu_list(study->options->cpus, &study->cpus) < 0)
		return error_set(err, -EINVAL, "'%s' is no list of CPUs; give one like 0-3,8",
				 study->options->cpus);
	if (cpu_set_next(&study->cpus, 0) >= study->info->cpus)
		return error_set(err, -EINVAL,
				 "%s: none of the CPUs %s is in the trace (it has %u)",
				 study->options->trace, study->options->cpus, study->info->cpus);
	return 0;
}

static int load_platform(struct study *study, struct cpir_error *err)
{
	const char *spec = study->options->platform;

	if (!spec)
		return error_set(err, -ENODATA,
				 "%s: the trace does not tell the idle states of its machine; give "
				 "them with --platform (a preset, a JSON file or a copy of "
				 "/sys/devices/system/cpu)",
				 study->options->trace);
	return cpir_platform_load(spec, &study->platform, err);
}

/* A state that can be disabled, and CPUs that have states, must be there. */
static int check_platform(const struct study *study, struct cpir_error *err)
{
	const char *name = study->options->platform;
	uint32_t cpu = cpu_set_next(&study->cpus, 0), most = 0;

	for (; cpu < study->info->cpus; cpu = cpu_set_next(&study->cpus, cpu + 1)) {
		const struct cpir_table *table = cpir_platform_table(study->platform, cpu);

		if (table && table->count > most)
			most = table->count;
	}
	if (!most)
		return error_set(err, -ENODATA,
				 "%s: no idle states for the CPUs of the trace; give the platform "
				 "of the machine that was traced",
				 name);
	if (study->options->disable_mask >> most)
		return error_set(err, -EINVAL, "%s: there is no state %d to disable, only 0 to %u",
				 name, 31 - __builtin_clz(study->options->disable_mask), most - 1);
	return 0;
}

/* Fewer steps that are multiples of the smallest one may be so by chance. */
#define COARSE_STEPS_MIN 8

/* Some trace clocks do not count nanoseconds, or not finely enough for idle periods. */
static const char *clock_flaw(const struct study *study)
{
	static const struct {
		const char *clock, *flaw;
	} flaws[] = {
		{"uptime", "counts ticks, not nanoseconds"},
		{"counter", "counts events, not time"},
		{"x86-tsc", "counts cycles, not nanoseconds"},
		{"ppc-tb", "counts cycles, not nanoseconds"},
	};

	for (size_t i = 0; i < array_size(flaws); i++) {
		if (!strcmp(study->info->clock, flaws[i].clock) && !study->info->clock_converted)
			return flaws[i].flaw;
	}
	return study->step_ns >= COARSE_NS && !study->grid.off && study->grid.on >= COARSE_STEPS_MIN
		       ? "counts in steps longer than idle periods"
		       : NULL;
}

/* Part of the trace was asked for: is it part of it? */
static int check_window(const struct study *study, struct cpir_error *err)
{
	const struct cpir_study_options *options = study->options;

	if (options->from_ns <= study->end_ns &&
	    (!options->to_ns || options->to_ns >= study->begin_ns))
		return 0;
	return error_set(err, -EINVAL,
			 "%s: nothing of it lies there; --from and --to are times from %" PRIu64
			 ".%09" PRIu64 " to %" PRIu64 ".%09" PRIu64,
			 options->trace, study->begin_ns / NS_PER_S, study->begin_ns % NS_PER_S,
			 study->end_ns / NS_PER_S, study->end_ns % NS_PER_S);
}

static int check_content(struct study *study, struct cpir_error *err)
{
	study->coarse = clock_flaw(study);
	if (study->counts[EV_CPU_IDLE] && study->coarse && study->options->mode != CPIR_REPORT)
		return error_set(err, -ENODATA,
				 "%s: its clock '%s' %s: decisions cannot be replayed; record with "
				 "trace-cmd record -C local or -C mono",
				 study->options->trace, study->info->clock, study->coarse);
	if (study->counts[EV_CPU_IDLE])
		return check_window(study, err);
	return error_set(err, -ENODATA,
			 "%s: no power:cpu_idle events in it; record with -e power:cpu_idle",
			 study->options->trace);
}

int study_prepare(struct study *study, struct cpir_error *err)
{
	const struct cpir_study_options *options = study->options;
	int ret = open_trace(study, err);

	if (!ret)
		ret = gather_crew(study, err);
	if (!ret)
		ret = choose_cpus(study, err);
	if (!ret)
		ret = load_platform(study, err);
	if (!ret)
		ret = check_platform(study, err);
	if (!ret && (rcu_init(&study->rcu, study->info->cpus) < 0 ||
		     prelude_init(&study->prelude, study->info->cpus) < 0 ||
		     moved_init(&study->moved) < 0 ||
		     qos_guess_init(&study->qos_guess, study->info->cpus) < 0 ||
		     tick_guess_init(&study->guess, study->info->cpus) < 0 ||
		     masks_init(&study->masks, study->info->cpus, study->platform) < 0))
		ret = error_oom(err);
	if (!ret)
		ret = study_clocks(study, err);
	if (!ret)
		ret = check_content(study, err);
	if (ret < 0)
		return ret;
	study->context = (struct context){
		.clocks = &study->clocks,
		.learned = &study->learned,
		.platform = study->platform,
		.known = timeline_known_from(study->counts),
		.cpus = study->info->cpus,
		.disable_mask = options->disable_mask,
		.from_ns = options->from_ns,
		.to_ns = options->to_ns,
		.latency_req_ns = options->latency_req_ns > INT64_MAX
					  ? INT64_MAX
					  : (int64_t)options->latency_req_ns,
		.warmup = options->warmup == UINT32_MAX ? 64 : options->warmup,
	};
	study->record = calloc(study->info->cpus ? study->info->cpus : 1, sizeof(*study->record));
	study->warm_ups =
		lines_calloc(study->info->cpus ? study->info->cpus : 1, sizeof(*study->warm_ups));
	if (!study->record || !study->warm_ups)
		return error_oom(err);
	return study_learn(study, err);
}
