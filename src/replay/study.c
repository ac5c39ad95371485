// SPDX-License-Identifier: GPL-2.0-only
/* A study: prepare, then one pass over the timeline in which every run takes each stretch, then the result. */
#include "replay/study.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "policy/kernel_source.h"
#include "replay/account.h"

/* Two readings of a duration this close to a threshold may lie on its two sides: clock granularity and event cost. */
#define BOUNDARY_NS 3000

int study_parse_policy(const struct study *study, const char *spec, struct cpir_policy **ret_policy,
		       struct cpir_error *err)
{
	int ret = cpir_policy_parse(spec, study->kernel, ret_policy, err);

	if (ret < 0)
		return ret;
	if (!study->clocks.hz)
		return error_set(err, -ENODATA,
				 "%s: the tick rate is neither in the platform nor visible in the "
				 "trace; give --hz",
				 study->options->trace);
	policy_set_hz(*ret_policy, study->clocks.hz);
	return 0;
}

/* The user named no policy: an error has to say where this one comes from. */
static int parse_platform_policy(struct study *study, struct cpir_policy **ret_policy,
				 struct cpir_error *err)
{
	const char *spec = study->platform->governor;
	struct cpir_error why = {0};
	int ret = study_parse_policy(study, spec, ret_policy, &why);

	/* Its release and the tick rate are nothing that the platform's word for the governor could help. */
	if (ret < 0 && ret != -ENODATA)
		return error_set(err, ret,
				 "%s: the governor that ran, %.40s: %.300s; name a policy",
				 study->platform->source, spec, why.text);
	if (ret < 0)
		*err = why;
	return ret;
}

static int parse_baseline(struct study *study, struct cpir_policy **ret_policy,
			  struct cpir_error *err)
{
	const struct cpir_study_options *options = study->options;
	const char *spec = options->baseline;

	if (!spec && options->mode == CPIR_REPLAY && options->policy_count)
		spec = options->policies[0];
	/* A file may name the governor that ran, but not what to compile and run here. */
	if (!spec && *study->platform->governor && !kernel_source_claims(study->platform->governor))
		return parse_platform_policy(study, ret_policy, err);
	if (!spec)
		spec = "menu";
	return study_parse_policy(study, spec, ret_policy, err);
}

static int add_what_if(struct study *study, struct cpir_policy *policy, struct cpir_error *err)
{
	struct what_if *what_if = array_add(&study->what_ifs);

	if (!what_if) {
		cpir_policy_free(policy);
		return error_oom(err);
	}
	what_if->policy = policy;
	for (int bound = 0; bound < (study->context.known.hrtimers ? 1 : BOUNDS); bound++) {
		what_if->loops[bound] = idle_loop_new(&study->context, policy, bound);
		if (!what_if->loops[bound])
			return error_oom(err);
	}
	return 0;
}

static int add_patched(struct study *study, struct cpir_error *err)
{
	for (size_t i = 0; i < study->options->policy_count; i++) {
		struct cpir_policy *policy = NULL;
		int ret = study_parse_policy(study, study->options->policies[i], &policy, err);

		if (ret < 0) {
			cpir_policy_free(policy);
			return ret;
		}
		ret = add_what_if(study, policy, err);
		if (ret < 0)
			return ret;
	}
	return 0;
}

static int prepare_explain(struct study *study, struct cpir_error *err)
{
	int ret = explain_new(study, &study->explain, err);

	if (!ret)
		verify_watch(study->verify, explain_watch, study->explain);
	return ret;
}

int study_policies(struct study *study, struct cpir_error *err)
{
	struct cpir_policy *baseline = NULL;
	int ret;

	if (study->options->mode == CPIR_REPORT)
		return 0;
	ret = parse_baseline(study, &study->baseline, err);
	if (ret < 0)
		return ret;
	if (fit_constants(&study->sample, &study->context, study->baseline, &study->learned) < 0)
		return error_oom(err);
	fit_sample_free(&study->sample);
	study->verify = verify_new(&study->context, study->baseline, study->info->cpus);
	if (!study->verify)
		return error_oom(err);
	study->differences.limit = study->options->differences;
	if (study->differences.limit)
		verify_watch(study->verify, differences_watch, &study->differences);
	if (study->options->mode == CPIR_EXPLAIN)
		return prepare_explain(study, err);
	if (study->options->mode != CPIR_COMPARE)
		return 0;
	verify_keep_past(study->verify);
	ret = study_parse_policy(study, study->baseline->name, &baseline, err);
	if (ret < 0) {
		cpir_policy_free(baseline);
		return ret;
	}
	ret = add_what_if(study, baseline, err);
	return ret < 0 ? ret : add_patched(study, err);
}

static void check_miss(struct study *study, const struct period *period, enum miss miss,
		       uint64_t distance_ns)
{
	struct cpir_miss_check *check = &study->miss_check;

	check->periods++;
	if (period->kernel_miss == (uint8_t)miss)
		check->equal++;
	else if (distance_ns <= BOUNDARY_NS)
		check->boundary++;
	else
		check->other++;
}

static bool verdicts_known(const struct study *study)
{
	return study->context.known.miss && !study->coarse;
}

/*
 * An entry that the driver gave back leaves both cpu_idle events, but the kernel passes no verdict on it, where it calls
 * every other one "above" that ends before even the exit latency is over. Longer periods without a verdict prove nothing:
 * while cpuidle is paused, as in CPU hotplug, idle CPUs are not judged either.
 */
static bool is_rejected(const struct cpir_state *state, const struct period *period,
			const struct outcome *outcome, uint64_t distance_ns)
{
	return outcome->miss == MISS_ABOVE && period->kernel_miss == MISS_NONE &&
	       outcome->duration_ns < state->exit_latency_ns && distance_ns > BOUNDARY_NS;
}

static void record_period(struct study *study, const struct cpir_table *table, uint32_t cpu,
			  const struct period *period)
{
	struct cpu_stats *stats = &study->record[cpu];
	uint32_t mask = period->disabled_mask | study->context.disable_mask;
	int64_t ns = (int64_t)(period->exit_ns - period->enter_ns) - study->learned.account_cost_ns;
	uint64_t duration_ns = ns > 0 ? (uint64_t)ns : 0;
	struct outcome outcome = {
		.state = period->state,
		.duration_ns = duration_ns,
		.miss = account_miss(table, mask, period->state, duration_ns),
		.wake = period->wake,
		.power_mw = table->states[period->state].power_mw,
	};
	uint64_t distance_ns = account_distance(table, mask, period->state, duration_ns);

	if (verdicts_known(study) &&
	    is_rejected(&table->states[period->state], period, &outcome, distance_ns)) {
		stats->rejected++;
		return;
	}
	/* Where the clock cannot tell how long a period was, only the kernel's verdict can. */
	if (study->coarse)
		outcome.miss = period->kernel_miss;
	stats_period(stats, &outcome);
	stats->tick_stops += period->stopped_tick;
	stats->kernel_above += period->kernel_miss == MISS_ABOVE;
	stats->kernel_below += period->kernel_miss == MISS_BELOW;
	if (verdicts_known(study))
		check_miss(study, period, outcome.miss, distance_ns);
}

static int record_latency(struct study *study, const struct stretch *stretch)
{
	struct cpu_stats *stats = &study->record[stretch->cpu];
	int ret = 0;

	for (size_t i = 0; i < stretch->happenings.len && !ret; i++) {
		const struct happening *happening = &stretch->happenings.ptr[i];
		const struct period *period;

		if (happening->period == NO_PERIOD || !happening->due_known)
			continue;
		period = &stretch->periods.ptr[happening->period];
		if (period->cut || period->exit_ns < happening->due_ns)
			continue;
		ret = hist_add(&stats->exit_latency, period->exit_ns - happening->due_ns);
		if (!ret && happening->wakes_task && stretch->first_task_ns > happening->due_ns)
			ret = hist_add(&stats->task_latency,
				       stretch->first_task_ns - happening->due_ns);
	}
	return ret;
}

int study_record_stretch(struct study *study, const struct stretch *stretch)
{
	const struct cpir_table *table = cpir_platform_table(study->platform, stretch->cpu);

	for (size_t i = 0; i < stretch->periods.len; i++) {
		const struct period *period = &stretch->periods.ptr[i];

		if (period->cut)
			study->cut_periods++;
		else if (period->state >= (table ? (int)table->count : 0))
			study->foreign_states++;
		else if (period->state >= 0)
			record_period(study, table, stretch->cpu, period);
	}
	return table ? record_latency(study, stretch) : 0;
}

/* Decisions are comparable where both policies stood at the same point of the record. */
static void compare_moves(struct what_if *base, struct what_if *patched)
{
	size_t a = 0, b = 0, a_count, b_count;
	const struct move *x = idle_loop_moves(base->loops[BOUND_BEST], &a_count);
	const struct move *y = idle_loop_moves(patched->loops[BOUND_BEST], &b_count);
	struct cpir_changes *changes = &patched->changes;

	while (a < a_count && b < b_count) {
		uint64_t at_x = (uint64_t)x[a].happenings << 32 | x[a].ordinal;
		uint64_t at_y = (uint64_t)y[b].happenings << 32 | y[b].ordinal;

		if (at_x == at_y) {
			changes->decisions++;
			changes->matrix[(int)x[a].state][(int)y[b].state]++;
			if (x[a].state != y[b].state) {
				changes->changed++;
				changes->better += x[a].miss && !y[b].miss;
				changes->worse += !x[a].miss && y[b].miss;
				changes->same += !x[a].miss == !y[b].miss;
			}
		}
		a += at_x <= at_y;
		b += at_y <= at_x;
	}
}

static uint64_t decisions_in(const struct stretch *stretch)
{
	uint64_t decisions = 0;

	for (size_t i = 0; i < stretch->periods.len; i++)
		decisions += stretch->periods.ptr[i].state >= 0;
	return decisions;
}

static bool wanted(const struct study *study, const struct stretch *stretch)
{
	const struct cpir_study_options *options = study->options;

	return cpu_set_test(&study->cpus, stretch->cpu) && stretch->begin_ns >= options->from_ns &&
	       (!options->to_ns || stretch->end_ns <= options->to_ns);
}

/* The warm-up is over: the what-if runs go on from the history that the recording governor has by now. */
static int seed(struct study *study, uint32_t cpu)
{
	int ret = 0;

	study->seeded[cpu] = true;
	if (!study->what_ifs.len)
		return 0;
	for (size_t i = 0; i < study->what_ifs.len; i++) {
		struct idle_loop *const *loops = study->what_ifs.ptr[i].loops;

		for (int bound = 0; bound < BOUNDS && loops[bound] && !ret; bound++)
			ret = idle_loop_seed(loops[bound], cpu, study->baseline,
					     verify_past(study->verify, cpu));
	}
	verify_forget_past(study->verify, cpu);
	return ret;
}

static int replay_sink(void *arg, struct stretch *stretch)
{
	struct study *study = arg;
	bool counts = study->options->mode == CPIR_REPORT ||
		      study->decisions[stretch->cpu] >= study->context.warmup;
	int ret = 0;

	counts = counts && wanted(study, stretch);
	study->decisions[stretch->cpu] += decisions_in(stretch);
	study->lost_stretches += stretch->lost;
	if (counts)
		ret = study_record_stretch(study, stretch);
	if (counts && !study->seeded[stretch->cpu] && !ret)
		ret = seed(study, stretch->cpu);
	if (study->verify && !ret)
		ret = verify_stretch(study->verify, stretch, counts);
	if (study->explain && !ret)
		ret = explain_stretch(study->explain, stretch, counts);
	for (size_t i = 0; i < study->what_ifs.len && !ret; i++) {
		struct what_if *what_if = &study->what_ifs.ptr[i];

		for (int bound = 0; bound < BOUNDS && what_if->loops[bound] && !ret; bound++)
			ret = idle_loop_stretch(what_if->loops[bound], stretch, counts);
		if (i && counts && !ret)
			compare_moves(&study->what_ifs.ptr[0], what_if);
	}
	return ret;
}

void study_deinit(struct study *study)
{
	for (size_t i = 0; i < study->what_ifs.len; i++) {
		for (int bound = 0; bound < BOUNDS; bound++)
			idle_loop_free(study->what_ifs.ptr[i].loops[bound]);
		cpir_policy_free(study->what_ifs.ptr[i].policy);
	}
	array_free(&study->what_ifs);
	differences_deinit(&study->differences);
	explain_free(study->explain);
	verify_free(study->verify);
	cpir_policy_free(study->baseline);
	for (uint32_t cpu = 0; study->record && cpu < study->info->cpus; cpu++)
		stats_deinit(&study->record[cpu]);
	free(study->record);
	free(study->decisions);
	free(study->seeded);
	free(study->kernel);
	clocks_free(&study->clocks);
	rcu_free(&study->rcu);
	prelude_free(&study->prelude);
	tick_guess_free(&study->guess);
	masks_free(&study->masks);
	qos_guess_free(&study->qos_guess);
	fit_sample_free(&study->sample);
	cpir_platform_free(study->platform);
	trace_close(study->trace);
}

/* A policy out of foreign code may have come to an end on the way. */
static int check_policies(const struct study *study, struct cpir_error *err)
{
	int ret = study->baseline ? policy_failure(study->baseline, err) : 0;

	for (size_t i = 0; i < study->what_ifs.len && !ret; i++)
		ret = policy_failure(study->what_ifs.ptr[i].policy, err);
	return ret;
}

int study_run(struct study *study, struct cpir_result **ret_result, struct cpir_error *err)
{
	int ret;

	if (!study->options->trace)
		return error_set(err, -EINVAL, "no trace given");
	ret = study->options->kernel ? cpir_release_check(study->options->kernel, err) : 0;
	if (!ret)
		ret = study_prepare(study, err);
	if (!ret)
		ret = study_policies(study, err);
	if (!ret)
		ret = study_timeline(study, replay_sink, study, err);
	if (!ret)
		ret = check_policies(study, err);
	if (ret < 0)
		return ret;
	ret = study->explain ? explain_finish(study->explain, err) : 0;
	if (ret < 0)
		return ret;
	ret = differences_finish(&study->differences);
	if (!ret)
		ret = study_result(study, ret_result);
	return ret < 0 ? error_oom(err) : 0;
}

int cpir_study_run(const struct cpir_study_options *options, struct cpir_result **ret_result,
		   struct cpir_error *err)
{
	_cleanup_(study_deinit) struct study study = {.options = options};

	return study_run(&study, ret_result, err);
}
