// SPDX-License-Identifier: GPL-2.0-only
/* From a finished study to the public result. */
#include "replay/result.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "replay/facts.h"
#include "replay/study.h"

const char *result_text(struct result_owner *owner, const char *fmt, ...)
{
	char **slot = array_add(&owner->strings);
	va_list args;
	int ret;

	if (!slot)
		return NULL;
	va_start(args, fmt);
	ret = vasprintf(slot, fmt, args);
	va_end(args);
	if (ret < 0)
		*slot = NULL;
	return *slot;
}

void cpir_result_free(struct cpir_result *result)
{
	struct result_owner *owner = (struct result_owner *)result;

	if (!owner)
		return;
	for (size_t i = 0; i < owner->strings.len; i++)
		free(owner->strings.ptr[i]);
	array_free(&owner->strings);
	array_free(&owner->facts);
	array_free(&owner->warnings);
	array_free(&owner->missing);
	for (size_t i = 0; result->runs && i < result->run_count; i++)
		free(result->runs[i].cpus);
	free(result->runs);
	for (size_t i = 0; result->platform.tables && i < result->platform.table_count; i++)
		free((void *)result->platform.tables[i].table);
	free(result->platform.tables);
	free(result->trace.events);
	free(result->delays);
	free(result->differences);
	for (size_t i = 0; i < result->explained_count; i++)
		explained_free(&result->explained[i]);
	free(result->explained);
	free(owner);
}

static int by_name(const void *a, const void *b)
{
	const struct cpir_event_count *x = a, *y = b;

	return strcmp(x->name, y->name);
}

/* What the sub-buffers say was lost before each, or what the recording machine's statistics say of all. */
static void fill_lost(const struct study *study, struct cpir_result *result)
{
	bool statistics = study->info->overrun > study->counts[EV_LOST];

	result->trace.lost = statistics ? study->info->overrun : study->counts[EV_LOST];
	result->trace.lost_uncounted = statistics ? 0 : study->uncounted;
}

static int fill_trace(const struct study *study, struct result_owner *owner)
{
	struct cpir_result *result = &owner->result;

	result->trace.file = result_text(owner, "%s", study->options->trace);
	result->trace.format = result_text(owner, "%s", study->info->format);
	result->trace.kernel = result_text(owner, "%s", study->info->kernel);
	result->trace.clock = result_text(owner, "%s", study->info->clock);
	result->trace.cpus = study->info->cpus;
	result->trace.begin_ns = study->begin_ns;
	result->trace.end_ns = study->end_ns;
	fill_lost(study, result);
	result->trace.events = calloc(EV_COUNT, sizeof(*result->trace.events));
	if (!result->trace.events || !result->trace.clock)
		return -ENOMEM;
	for (unsigned type = 0; type < EV_LOST; type++) {
		if (!study->counts[type])
			continue;
		result->trace.events[result->trace.event_count].name = event_name(type);
		result->trace.events[result->trace.event_count++].count = study->counts[type];
	}
	qsort(result->trace.events, result->trace.event_count, sizeof(*result->trace.events),
	      by_name);
	return 0;
}

/* The CPUs of the study that use one table of the platform, as a list. */
static char *cpus_of_table(const struct study *study, const struct cpir_table *table)
{
	struct cpu_set set = {0};

	for (uint32_t cpu = 0; cpu < study->info->cpus; cpu++) {
		if (cpu_set_test(&study->cpus, cpu) &&
		    cpir_platform_table(study->platform, cpu) == table)
			cpu_set_add(&set, cpu);
	}
	return cpu_list_format(&set);
}

static int fill_table(const struct study *study, struct result_owner *owner, uint32_t i)
{
	struct cpir_result *result = &owner->result;
	struct cpir_table_use *use = &result->platform.tables[result->platform.table_count];
	char *cpus = cpus_of_table(study, &study->platform->tables[i]);
	struct cpir_table *copy;

	if (!cpus)
		return -ENOMEM;
	if (!*cpus) {
		free(cpus);
		return 0;
	}
	copy = malloc(sizeof(*copy));
	if (copy)
		*copy = study->platform->tables[i];
	use->table = copy;
	use->cpus = result_text(owner, "%s", cpus);
	result->platform.table_count++;
	free(cpus);
	return copy && use->cpus ? 0 : -ENOMEM;
}

static int fill_platform(const struct study *study, struct result_owner *owner)
{
	struct cpir_result *result = &owner->result;
	const struct cpir_platform *platform = study->platform;
	int ret = 0;

	result->platform.source = result_text(owner, "%s", platform->source);
	result->platform.driver = result_text(owner, "%s", platform->driver);
	result->platform.governor = result_text(owner, "%s", platform->governor);
	result->platform.hz = study->clocks.hz;
	result->platform.tables = calloc(platform->table_count ? platform->table_count : 1,
					 sizeof(*result->platform.tables));
	if (!result->platform.tables || !result->platform.governor)
		return -ENOMEM;
	for (uint32_t i = 0; i < platform->table_count && !ret; i++)
		ret = fill_table(study, owner, i);
	return ret;
}

static bool has_power(const struct study *study)
{
	for (uint32_t i = 0; i < study->platform->table_count; i++) {
		const struct cpir_table *table = &study->platform->tables[i];

		for (uint32_t state = 0; state < table->count; state++) {
			if (table->states[state].power_mw < 0)
				return false;
		}
	}
	return study->platform->table_count;
}

/* struct run_source - one run: the record, or a simulated policy as each shard has it */
struct run_source {
	bool record;
	size_t index; /* of the policy */
	enum bound bound;
};

static const struct shard *shard_with(const struct study *study, uint32_t cpu)
{
	return &study->shards[shard_of(cpu, study->info->cpus, study->shard_count)];
}

static const struct cpu_stats *source_cpu(const struct study *study,
					  const struct run_source *source, uint32_t cpu)
{
	if (source->record)
		return &study->record[cpu];
	return idle_loop_stats(
		shard_with(study, cpu)->what_ifs.ptr[source->index].loops[source->bound], cpu);
}

/* A clock that cannot tell how long periods were leaves the kernel's verdicts, if there are any. */
static void fill_known(const struct study *study, const struct run_source *source,
		       struct cpir_totals *totals)
{
	totals->kernel_miss = source->record && study->context.known.miss;
	totals->tick_stops_unknown = source->record && !study->context.known.tick;
	totals->rejected_known = totals->kernel_miss && !study->coarse;
	totals->miss_unknown = study->coarse && !study->context.known.miss;
}

/* The time of a CPU of which the runs tell. */
static uint64_t span_of(const struct study *study, uint32_t cpu)
{
	const struct cpir_study_options *options = study->options;
	uint64_t begin_ns = study->spans[cpu].begin_ns, end_ns = study->spans[cpu].end_ns;

	if (begin_ns < study->warm_ups[cpu].end_ns)
		begin_ns = study->warm_ups[cpu].end_ns;
	if (begin_ns < options->from_ns)
		begin_ns = options->from_ns;
	if (options->to_ns && end_ns > options->to_ns)
		end_ns = options->to_ns;
	return end_ns > begin_ns ? end_ns - begin_ns : 0;
}

static int fill_run(const struct study *study, const struct run_source *source,
		    struct cpir_run *run)
{
	struct cpu_stats total = {0};
	uint32_t states = study_states(study), cpu;
	int ret = 0;

	run->cpus = calloc(cpu_set_count(&study->cpus) + 1, sizeof(*run->cpus));
	if (!run->cpus)
		return -ENOMEM;
	for (cpu = cpu_set_next(&study->cpus, 0); cpu < study->info->cpus && !ret;
	     cpu = cpu_set_next(&study->cpus, cpu + 1)) {
		struct cpir_cpu_totals *out = &run->cpus[run->cpu_count++];

		out->cpu = cpu;
		stats_totals(source_cpu(study, source, cpu), states, &out->totals);
		out->totals.span_ns = span_of(study, cpu);
		fill_known(study, source, &out->totals);
		out->totals.has_energy = has_power(study);
		ret = stats_merge(&total, source_cpu(study, source, cpu));
	}
	stats_totals(&total, states, &run->total);
	for (size_t i = 0; i < run->cpu_count; i++)
		run->total.span_ns += run->cpus[i].totals.span_ns;
	fill_known(study, source, &run->total);
	run->total.has_energy = has_power(study);
	stats_deinit(&total);
	return ret;
}

static void widen(struct cpir_range *range, uint64_t value)
{
	range->lo = value < range->lo ? value : range->lo;
	range->hi = value > range->hi ? value : range->hi;
}

/* The range reaches further by an error of the model, a share of all periods, and by the chance that is in any count. */
static void add_error(struct cpir_range *range, double error, uint64_t usage)
{
	uint64_t by = (uint64_t)(error * (double)usage + sqrt((double)range->hi) + 0.5);

	range->lo -= by < range->lo ? by : range->lo;
	range->hi += by;
}

static void limit(struct cpir_range *range, uint64_t most)
{
	range->hi = range->hi < most ? range->hi : most;
}

/* How far the simulated baseline is off the record, as a share of all periods: above or below, whichever is worse. */
static double model_error(const struct cpir_totals *record, const struct cpir_totals *baseline)
{
	double above, below;

	if (!baseline->usage || !record->usage)
		return 0;
	above = fabs((double)baseline->above / (double)baseline->usage -
		     (double)record->above / (double)record->usage);
	below = fabs((double)baseline->below / (double)baseline->usage -
		     (double)record->below / (double)record->usage);
	return above > below ? above : below;
}

static uint64_t apart(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

/* How far the runs of policy @index at the bounds of the timers that no event tells are from @run. */
static void range_of_bounds(const struct study *study, size_t index, struct cpir_run *run)
{
	struct cpir_totals *total = &run->total;

	for (int bound = BOUND_NEAR; bound < BOUNDS; bound++) {
		struct run_source source = {.index = index, .bound = (enum bound)bound};
		uint64_t usage = 0, above = 0, below = 0;

		for (size_t i = 0; i < run->cpu_count; i++) {
			const struct cpu_stats *stats =
				source_cpu(study, &source, run->cpus[i].cpu);

			usage += stats->usage;
			above += stats->above;
			below += stats->below;
		}
		widen(&total->range_usage, usage);
		widen(&total->range_above, above);
		widen(&total->range_below, below);
	}
}

/*
 * How far the totals of @run, of policy @index, may be off where timers are unknown: what the runs at their bounds came to,
 * and as much more as the simulated baseline, whose truth is known, misses that. @runs: the record and the baseline come
 * first.
 */
static void fill_ranges(const struct study *study, size_t index, const struct cpir_run *runs,
			struct cpir_run *run)
{
	const struct cpir_totals *record = &runs[0].total, *baseline = &runs[1].total;
	double error = model_error(record, baseline), usage_error = 0;
	struct cpir_totals *total = &run->total;

	if (study->context.known.hrtimers)
		return;
	if (record->usage)
		usage_error = (double)apart(record->usage, baseline->usage) / (double)record->usage;
	total->has_range = true;
	total->range_usage = (struct cpir_range){total->usage, total->usage};
	total->range_above = (struct cpir_range){total->above, total->above};
	total->range_below = (struct cpir_range){total->below, total->below};
	range_of_bounds(study, index, run);
	add_error(&total->range_usage, usage_error, total->usage);
	add_error(&total->range_above, error, total->usage);
	add_error(&total->range_below, error, total->usage);
	limit(&total->range_above, total->range_usage.hi);
	limit(&total->range_below, total->range_usage.hi);
}

static struct cpir_changes changes_of(const struct study *study, size_t index)
{
	struct cpir_changes sum = {0};

	for (unsigned i = 0; i < study->shard_count; i++) {
		const struct cpir_changes *changes = &study->shards[i].what_ifs.ptr[index].changes;

		sum.decisions += changes->decisions;
		sum.changed += changes->changed;
		sum.better += changes->better;
		sum.worse += changes->worse;
		sum.same += changes->same;
		for (unsigned from = 0; from < CPIR_STATES_MAX; from++) {
			for (unsigned to = 0; to < CPIR_STATES_MAX; to++)
				sum.matrix[from][to] += changes->matrix[from][to];
		}
	}
	return sum;
}

static int fill_simulated(const struct study *study, struct result_owner *owner, size_t index)
{
	struct cpir_result *result = &owner->result;
	struct run_source source = {.index = index, .bound = BOUND_BEST};
	struct cpir_run *run = &result->runs[result->run_count++];
	int ret;

	run->name = result_text(owner, "%s", cpir_policy_name(study->simulated.ptr[index]));
	run->role = index ? CPIR_ROLE_PATCHED : CPIR_ROLE_BASELINE;
	run->kind = CPIR_RUN_WHAT_IF;
	run->has_changes = index > 0;
	run->changes = changes_of(study, index);
	ret = run->name ? fill_run(study, &source, run) : -ENOMEM;
	if (!ret)
		fill_ranges(study, index, result->runs, run);
	return ret;
}

static int fill_runs(const struct study *study, struct result_owner *owner)
{
	struct cpir_result *result = &owner->result;
	struct run_source record = {.record = true};
	int ret;

	result->runs = calloc(study->simulated.len + 1, sizeof(*result->runs));
	if (!result->runs)
		return -ENOMEM;
	result->run_count = 1;
	result->runs[0].name = "record";
	ret = fill_run(study, &record, &result->runs[0]);
	for (size_t i = 0; i < study->simulated.len && !ret; i++)
		ret = fill_simulated(study, owner, i);
	return ret;
}

static int fill_delays(const struct study *study, struct result_owner *owner)
{
	struct cpir_result *result = &owner->result;
	const struct cpir_table *table =
		cpir_platform_table(study->platform, cpu_set_next(&study->cpus, 0));

	if (!table)
		return 0;
	result->delays = calloc(table->count, sizeof(*result->delays));
	if (!result->delays)
		return -ENOMEM;
	for (uint32_t i = 0; i < table->count; i++) {
		result->delays[i].state = result_text(owner, "%s", table->states[i].name);
		result->delays[i].latency_ns = (uint64_t)study->learned.wake_delay_ns[i];
		result->delays[i].samples = study->learned.wake_samples[i];
		result->delays[i].from = study->learned.wake_from[i];
	}
	result->delay_count = table->count;
	return 0;
}

static int fill_differences(const struct study *study, struct cpir_result *result)
{
	const struct differences *from = &study->differences;

	result->has_differences = from->limit > 0;
	result->difference_total = from->total;
	if (!from->rows.len)
		return 0;
	result->differences = malloc(from->rows.len * sizeof(*result->differences));
	if (!result->differences)
		return -ENOMEM;
	memcpy(result->differences, from->rows.ptr, from->rows.len * sizeof(*result->differences));
	result->difference_count = from->rows.len;
	return 0;
}

/* Policies do not outlive the study: their names become the result's. */
static int fill_explained(const struct study *study, struct result_owner *owner)
{
	struct cpir_result *result = &owner->result;

	if (!study->explain)
		return 0;
	if (explain_take(study->explain, &result->explained, &result->explained_count) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < result->explained_count; i++) {
		struct cpir_explained *explained = &result->explained[i];

		for (size_t k = 0; k < explained->decided_count; k++) {
			struct cpir_decided *decided = &explained->decided[k];

			decided->policy = result_text(owner, "%s", decided->policy);
			if (!decided->policy)
				return -ENOMEM;
		}
	}
	return 0;
}

static void add_miss_check(struct cpir_miss_check *sum, const struct cpir_miss_check *check)
{
	sum->periods += check->periods;
	sum->equal += check->equal;
	sum->boundary += check->boundary;
	sum->other += check->other;
}

static void add_shard(const struct shard *shard, struct cpir_result *result)
{
	add_miss_check(&result->miss_check, &shard->miss_check);
	if (shard->verify)
		verify_agreement(shard->verify, &result->agreement);
}

int study_result(const struct study *study, struct cpir_result **ret_result)
{
	struct result_owner *owner = calloc(1, sizeof(*owner));
	int ret;

	if (!owner)
		return -ENOMEM;
	owner->result.mode = study->options->mode;
	for (unsigned i = 0; i < study->shard_count; i++)
		add_shard(&study->shards[i], &owner->result);
	for (uint32_t cpu = 0; study->baseline && cpu < study->info->cpus; cpu++)
		owner->result.agreement.warmup += study->warm_ups[cpu].left_out;
	owner->result.miss_check.valid = study->context.known.miss && !study->coarse;
	if (study->baseline)
		owner->result.agreement.policy = result_text(owner, "%s", study->baseline->name);
	ret = fill_trace(study, owner);
	if (!ret)
		ret = fill_platform(study, owner);
	if (!ret)
		ret = fill_runs(study, owner);
	if (!ret && study->options->mode != CPIR_REPORT)
		ret = fill_delays(study, owner);
	if (!ret)
		ret = fill_differences(study, &owner->result);
	if (!ret)
		ret = fill_explained(study, owner);
	if (!ret)
		ret = facts_fill(study, owner);
	if (ret < 0) {
		cpir_result_free(&owner->result);
		return ret;
	}
	*ret_result = &owner->result;
	return 0;
}
