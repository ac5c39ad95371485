// SPDX-License-Identifier: GPL-2.0-only
/*
 * A study before its runs: open the trace, find the platform, read the trace once for its clocks and event counts, and let
 * study_learn.c read it once more for what it teaches about the machine.
 */
#include "replay/study.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

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

/* What tells about the tick's grid where no timer events do. */
#define WANT_GUESS                                                                                 \
	(EVENT_BIT(EV_CPU_IDLE) | EVENT_BIT(EV_SCHED_WAKING) | EVENT_BIT(EV_SCHED_WAKEUP) |        \
	 EVENT_BIT(EV_SCHED_WAKEUP_NEW))

/* What the first pass looks at; the others are counted. */
#define WANT_CLOCKS                                                                                \
	(EVENT_BIT(EV_HRTIMER_START) | EVENT_BIT(EV_HRTIMER_EXPIRE_ENTRY) |                        \
	 EVENT_BIT(EV_TIMER_START) | EVENT_BIT(EV_TIMER_EXPIRE_ENTRY) |                            \
	 EVENT_BIT(EV_SOFTIRQ_ENTRY) | EVENT_BIT(EV_PM_QOS_ADD) | EVENT_BIT(EV_PM_QOS_UPDATE) |    \
	 EVENT_BIT(EV_PM_QOS_REMOVE) | EVENT_BIT(EV_PM_QOS_TARGET) |                               \
	 EVENT_BIT(EV_DEV_PM_QOS_ADD) | EVENT_BIT(EV_DEV_PM_QOS_UPDATE) |                          \
	 EVENT_BIT(EV_DEV_PM_QOS_REMOVE))

static int clock_pass_event(struct study *study, const struct event *event)
{
	if (rcu_feed(&study->rcu, event) < 0 || prelude_feed(&study->prelude, event) < 0 ||
	    qos_guess_event(&study->qos_guess, event) < 0)
		return -ENOMEM;
	return clocks_feed(&study->clocks, event);
}

static int guess_pass_event(struct study *study, const struct event *event)
{
	tick_guess_feed(&study->guess, event);
	return 0;
}

/* Half of what fits, 146 years: sums with the offsets of other clocks and with expiries still fit. */
#define TIME_MAX_NS (INT64_MAX / 2)

static int check_time(const struct study *study, uint32_t cpu, uint64_t time_ns,
		      struct cpir_error *err)
{
	if (time_ns <= TIME_MAX_NS)
		return 0;
	return error_set(err, -EBADMSG,
			 "%s: CPU %u has an event at %" PRIu64
			 " ns, more than 146 years after the clock began; the file is damaged, or "
			 "its time offset is wrong: record it again",
			 study->options->trace, cpu, time_ns);
}

/* Feed every event of the types in @want to @take; counts and the span of the trace on the way. */
static int pass(struct study *study, uint64_t want,
		int (*take)(struct study *study, const struct event *event), struct cpir_error *err)
{
	struct trace_merge *merge;
	const struct event *event;
	struct trace_span span = {0};
	int ret = trace_merge_open_only(study->trace, want, &merge, err);

	if (ret < 0)
		return ret;
	(void)trace_merge_span(merge, &span);
	study->begin_ns = study->prelude.begin_ns = span.begin_ns;
	while ((ret = trace_merge_next(merge, &event, err)) > 0) {
		study_progress(study, STEP_CLOCKS, merge);
		ret = check_time(study, event->cpu, event->time_ns, err);
		if (!ret && take(study, event) < 0)
			ret = error_oom(err);
		if (ret < 0)
			break;
	}
	for (unsigned type = 0; type < EV_COUNT; type++) {
		if (!study->want || study->want >> type & 1)
			study->counts[type] = trace_merge_count(merge, type);
	}
	(void)trace_merge_span(merge, &span);
	if (!ret)
		ret = check_time(study, span.end_cpu, span.end_ns, err);
	study->end_ns = span.end_ns;
	study->step_ns = span.step_ns;
	study->backward = span.backward;
	trace_merge_close(merge);
	return ret;
}

/* Without timer events the grid of the tick shows in where periods end, if anywhere. */
static int settle_clocks(struct study *study, struct cpir_error *err)
{
	int64_t phase_ns;
	uint32_t hz;
	int ret;

	clocks_finish(&study->clocks,
		      study->options->hz ? study->options->hz : study->platform->hz);
	if (study->clocks.tick_phase_known)
		return 0;
	ret = pass(study, WANT_GUESS, guess_pass_event, err);
	if (ret < 0)
		return ret;
	hz = tick_guess_rate(&study->guess, &phase_ns);
	if (hz && (!study->clocks.hz || study->clocks.hz == hz) &&
	    clocks_take_grid(&study->clocks, hz, phase_ns) < 0)
		return error_oom(err);
	return 0;
}

/* Steps this long are a clock that counts ticks: nothing shorter can be told from it. */
#define COARSE_NS 500000

/* Fewer steps that are multiples of the smallest one may be so by chance. */
#define COARSE_STEPS_MIN 8

/* Long steps alone may be a quiet machine's; on a coarse clock all are multiples of one, give or take some rounding. */
static int grid_pass_event(struct study *study, const struct event *event)
{
	uint64_t step_ns = event->time_ns - study->grid.last_ns;
	uint64_t off_ns = step_ns % study->step_ns;

	if (off_ns > study->step_ns / 2)
		off_ns = study->step_ns - off_ns;
	if (study->grid.last_ns && off_ns > study->step_ns / 64)
		study->grid.off++;
	else if (study->grid.last_ns && step_ns)
		study->grid.on++;
	study->grid.last_ns = event->time_ns;
	return 0;
}

/* One pass for the clocks, the event counts and the span of the trace. */
static int clock_pass(struct study *study, struct cpir_error *err)
{
	int ret = pass(study, WANT_CLOCKS, clock_pass_event, err);

	if (!ret && study->step_ns >= COARSE_NS)
		ret = pass(study, EVENT_BIT(EV_CPU_IDLE), grid_pass_event, err);
	return ret < 0 ? ret : settle_clocks(study, err);
}

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
		ret = choose_cpus(study, err);
	if (!ret)
		ret = load_platform(study, err);
	if (!ret)
		ret = check_platform(study, err);
	if (!ret &&
	    (rcu_init(&study->rcu, study->info->cpus) < 0 || prelude_init(&study->prelude) < 0 ||
	     qos_guess_init(&study->qos_guess, study->info->cpus) < 0 ||
	     tick_guess_init(&study->guess, study->info->cpus) < 0 ||
	     masks_init(&study->masks, study->info->cpus, study->platform) < 0))
		ret = error_oom(err);
	if (!ret)
		ret = clock_pass(study, err);
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
		.latency_req_ns = options->latency_req_ns > INT64_MAX
					  ? INT64_MAX
					  : (int64_t)options->latency_req_ns,
		.warmup = options->warmup == UINT32_MAX ? 64 : options->warmup,
	};
	study->record = calloc(study->info->cpus ? study->info->cpus : 1, sizeof(*study->record));
	study->decisions =
		calloc(study->info->cpus ? study->info->cpus : 1, sizeof(*study->decisions));
	study->seeded = calloc(study->info->cpus ? study->info->cpus : 1, sizeof(*study->seeded));
	if (!study->record || !study->decisions || !study->seeded)
		return error_oom(err);
	return study_learn(study, err);
}
