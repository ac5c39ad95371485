// SPDX-License-Identifier: GPL-2.0-only
/* A study: prepare, then make the policies and their runs, replay, and hand out the result. */
#include "replay/study.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "policy/kernel_source.h"

#define SHARDS_PER_THREAD 4

void study_progress(struct study *study, enum study_step step, const struct trace_merge *merge)
{
	const struct cpir_study_options *options = study->options;
	unsigned permille;

	if (!options->progress)
		return;
	permille = (step * 1000 + trace_merge_permille(merge)) / STEPS;
	if (permille <= study->told)
		return;
	study->told = permille;
	options->progress(options->progress_arg, study->told);
}

uint32_t study_states(const struct study *study)
{
	uint32_t most = 0;

	for (uint32_t i = 0; i < study->platform->table_count; i++) {
		if (study->platform->tables[i].count > most)
			most = study->platform->tables[i].count;
	}
	return most;
}

/* The policy may name a state, which some CPU must have. */
static int check_state(const struct study *study, const struct cpir_policy *policy,
		       struct cpir_error *err)
{
	uint32_t asked, most = study_states(study);

	if (!policy->ops->asks_for)
		return 0;
	asked = policy->ops->asks_for(policy);
	if (asked < most)
		return 0;
	return error_set(err, -EINVAL, "%s: %s has no state %u, only 0 to %u", policy->name,
			 study->options->platform, asked, most - 1);
}

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
	return check_state(study, *ret_policy, err);
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

const char *study_baseline_spec(const struct study *study)
{
	const struct cpir_study_options *options = study->options;
	const char *governor = study->platform->governor;

	if (options->baseline)
		return options->baseline;
	if (options->mode == CPIR_REPLAY && options->policy_count)
		return options->policies[0];
	/* A file may name the governor that ran, but not what to compile and run here. */
	return *governor && !kernel_source_claims(governor) ? governor : "menu";
}

static int parse_baseline(struct study *study, struct cpir_policy **ret_policy,
			  struct cpir_error *err)
{
	const char *spec = study_baseline_spec(study);

	if (spec == study->platform->governor)
		return parse_platform_policy(study, ret_policy, err);
	return study_parse_policy(study, spec, ret_policy, err);
}

static int add_simulated(struct study *study, const char *spec, struct cpir_error *err)
{
	struct cpir_policy **policy = array_add(&study->simulated);

	return policy ? study_parse_policy(study, spec, policy, err) : error_oom(err);
}

static int add_all_simulated(struct study *study, struct cpir_error *err)
{
	int ret;

	if (study->options->mode != CPIR_COMPARE)
		return 0;
	ret = add_simulated(study, study->baseline->name, err);
	for (size_t i = 0; i < study->options->policy_count && !ret; i++)
		ret = add_simulated(study, study->options->policies[i], err);
	return ret;
}

/*
 * One shard where all CPUs must be seen in one order of time, or where a governor compiled from source may keep things of
 * which there is only one; else a few for each thread, since CPUs differ in how much they have to do.
 */
static unsigned shards_wanted(const struct study *study)
{
	unsigned shards = crew_size(study->crew) * SHARDS_PER_THREAD;

	if (study->options->mode == CPIR_EXPLAIN || study->options->differences ||
	    (study->baseline && study->baseline->ops->from_source))
		return 1;
	for (size_t i = 0; i < study->simulated.len; i++) {
		if (study->simulated.ptr[i]->ops->from_source)
			return 1;
	}
	return shards < study->info->cpus ? shards : study->info->cpus;
}

static int make_shards(struct study *study, struct cpir_error *err)
{
	unsigned count = shards_wanted(study);

	study->shards = lines_calloc(count, sizeof(*study->shards));
	if (!study->shards)
		return error_oom(err);
	study->shard_count = count;
	for (unsigned i = 0; i < count; i++) {
		if (shard_init(&study->shards[i], study) < 0)
			return error_oom(err);
	}
	return 0;
}

static int watch_decisions(struct study *study, struct cpir_error *err)
{
	struct verify *verify = study->shards[0].verify;
	int ret;

	study->differences.limit = study->options->differences;
	if (study->differences.limit)
		verify_watch(verify, differences_watch, &study->differences);
	if (study->options->mode != CPIR_EXPLAIN)
		return 0;
	ret = explain_new(study, &study->explain, err);
	if (!ret)
		verify_watch(verify, explain_watch, study->explain);
	return ret;
}

int study_policies(struct study *study, struct cpir_error *err)
{
	int ret;

	if (study->options->mode == CPIR_REPORT)
		return make_shards(study, err);
	ret = parse_baseline(study, &study->baseline, err);
	if (ret < 0)
		return ret;
	if (fit_constants(&study->sample, &study->context, study->baseline, &study->learned,
			  study->crew) < 0)
		return error_oom(err);
	fit_sample_free(&study->sample);
	ret = add_all_simulated(study, err);
	if (!ret)
		ret = make_shards(study, err);
	return ret ? ret : watch_decisions(study, err);
}

void study_deinit(struct study *study)
{
	for (unsigned i = 0; i < study->shard_count; i++)
		shard_deinit(&study->shards[i]);
	free(study->shards);
	for (size_t i = 0; i < study->simulated.len; i++)
		cpir_policy_free(study->simulated.ptr[i]);
	array_free(&study->simulated);
	differences_deinit(&study->differences);
	explain_free(study->explain);
	cpir_policy_free(study->baseline);
	for (uint32_t cpu = 0; study->record && cpu < study->info->cpus; cpu++)
		stats_deinit(&study->record[cpu]);
	free(study->record);
	free(study->warm_ups);
	free(study->spans);
	free(study->kernel);
	reading_free(study->reading);
	trace_keep_free(study->keep);
	crew_free(study->crew);
	clocks_free(&study->clocks);
	rcu_free(&study->rcu);
	prelude_free(&study->prelude);
	moved_free(&study->moved);
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

	for (size_t i = 0; i < study->simulated.len && !ret; i++)
		ret = policy_failure(study->simulated.ptr[i], err);
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
		ret = reading_replay(study->reading, err);
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
