// SPDX-License-Identifier: GPL-2.0-only
/*
 * Explaining single decisions of the record.
 *
 * The verification run of the baseline offers every decision; each gets a rank, and the few of the highest ranks are kept
 * with all there is to say about them. The other policies run behind the baseline over the same recorded history, so that
 * their own memories are right when one of their decisions is asked for.
 */
#include "replay/explain.h"

#include <errno.h>

#include "replay/account.h"
#include "replay/moment.h"
#include "replay/study.h"

/* Times are often copied from output in whole microseconds; between two periods lies much more than half of one. */
#define ROUNDING_NS 500

/** struct rank - how much a decision deserves to be explained: by @major, then by @minor */
struct rank {
	uint64_t major, minor;
};

struct item {
	struct rank rank;
	struct cpir_explained explained;
};

/** struct witness - another policy, deciding behind the baseline */
struct witness {
	struct explain *explain;
	struct cpir_policy *policy;
	struct verify *verify;
};

/** struct memory - what a CPU has decided so far */
struct memory {
	bool decided;
	struct period last; /* valid when @decided */
	uint64_t end_ns;    /* of its last idle period, 0 none */
};

struct explain {
	const struct study *study;
	struct cpir_explain_query query;
	struct witness *witnesses;
	size_t witness_count;
	struct memory *memory; /* per CPU */
	ARRAY(struct item *) items;
	ARRAY(struct item *) fresh; /* those of the stretch at hand */
	bool done;		    /* nothing better can come */
	bool failed;		    /* no memory */
};

const char *cpir_origin_name(enum cpir_origin origin)
{
	static const char *const names[CPIR_ORIGIN_COUNT] = {
		[CPIR_ORIGIN_OBSERVED] = "observed", [CPIR_ORIGIN_DERIVED] = "derived",
		[CPIR_ORIGIN_INFERRED] = "inferred", [CPIR_ORIGIN_GIVEN] = "given",
		[CPIR_ORIGIN_UNKNOWN] = "unknown",
	};

	return (unsigned)origin < CPIR_ORIGIN_COUNT ? names[origin] : "unknown";
}

void explained_free(struct cpir_explained *explained)
{
	for (size_t i = 0; i < explained->decided_count; i++)
		free(explained->decided[i].steps);
	free(explained->decided);
	explained->decided = NULL;
	explained->decided_count = 0;
}

static void item_free(struct item *item)
{
	if (item)
		explained_free(&item->explained);
	free(item);
}

void explain_free(struct explain *explain)
{
	if (!explain)
		return;
	for (size_t i = 0; i < explain->items.len; i++)
		item_free(explain->items.ptr[i]);
	array_free(&explain->items);
	array_free(&explain->fresh);
	for (size_t i = 0; i < explain->witness_count; i++) {
		verify_free(explain->witnesses[i].verify);
		cpir_policy_free(explain->witnesses[i].policy);
	}
	free(explain->witnesses);
	free(explain->memory);
	free(explain);
}

/* ---- which decisions ---------------------------------------------------------------------------------------------- */

static uint64_t duration_ns(const struct explain *explain, const struct period *period)
{
	int64_t ns = (int64_t)(period->exit_ns - period->enter_ns) -
		     explain->study->learned.account_cost_ns;

	return ns > 0 ? (uint64_t)ns : 0;
}

static uint32_t index_of(const struct verified *verified)
{
	return (uint32_t)(verified->period - verified->stretch->periods.ptr);
}

/* From the moment a task was woken to the end of the period; 0: no task was, or not at a known moment. */
static uint64_t waiting_ns(const struct verified *verified)
{
	uint32_t index = index_of(verified);

	for (size_t i = 0; i < verified->stretch->happenings.len; i++) {
		const struct happening *happening = &verified->stretch->happenings.ptr[i];

		if (happening->period == index && happening->wakes_task && happening->due_known &&
		    happening->due_ns < verified->period->exit_ns)
			return verified->period->exit_ns - happening->due_ns;
	}
	return 0;
}

/* What is not explained comes first, then what lies farther apart, then what lasted longer. */
static struct rank disagreement(const struct explain *explain, const struct verified *verified)
{
	static const uint8_t weights[CPIR_CAUSE_COUNT] = {
		[CPIR_CAUSE_THRESHOLD] = 1, [CPIR_CAUSE_UNKNOWN_INPUT] = 2, [CPIR_CAUSE_REJECT] = 3,
		[CPIR_CAUSE_HISTORY] = 4,   [CPIR_CAUSE_REAL] = 5,
	};
	int apart = abs(verified->period->state - verified->decision->state);

	if (!apart)
		return (struct rank){0};
	return (struct rank){
		.major = (uint64_t)weights[verified->cause] << 8 | (uint64_t)apart,
		.minor = duration_ns(explain, verified->period),
	};
}

static bool holds_time(const struct explain *explain, const struct verified *verified)
{
	return verified->stretch->cpu == explain->query.cpu &&
	       verified->period->exit_ns + ROUNDING_NS >= explain->query.at_ns;
}

static struct rank rank_of(const struct explain *explain, const struct verified *verified)
{
	if (verified->period->state < 0 || explain->done)
		return (struct rank){0};
	switch (explain->query.pick) {
	case CPIR_PICK_TIME:
		return (struct rank){.major = holds_time(explain, verified)};
	case CPIR_PICK_LATENCY:
		return (struct rank){.major = verified->counts ? waiting_ns(verified) : 0};
	case CPIR_PICK_DISAGREEMENT:
		return verified->counts ? disagreement(explain, verified) : (struct rank){0};
	}
	return (struct rank){0};
}

static bool outranks(const struct rank *a, const struct rank *b)
{
	return a->major != b->major ? a->major > b->major : a->minor > b->minor;
}

static size_t lowest(const struct explain *explain)
{
	size_t found = 0;

	for (size_t i = 1; i < explain->items.len; i++) {
		if (outranks(&explain->items.ptr[found]->rank, &explain->items.ptr[i]->rank))
			found = i;
	}
	return found;
}

static void drop(struct explain *explain, size_t index)
{
	struct item *item = explain->items.ptr[index];

	for (size_t i = 0; i < explain->fresh.len; i++) {
		if (explain->fresh.ptr[i] == item)
			explain->fresh.ptr[i] = explain->fresh.ptr[--explain->fresh.len];
	}
	item_free(item);
	explain->items.ptr[index] = explain->items.ptr[--explain->items.len];
}

/* Room for a decision of this rank; NULL when there are enough better ones, or no memory. */
static struct item *admit(struct explain *explain, const struct rank *rank)
{
	struct item **slot, **fresh;
	struct item *item;

	if (explain->items.len >= explain->query.count) {
		size_t worst = lowest(explain);

		if (!outranks(rank, &explain->items.ptr[worst]->rank))
			return NULL;
		drop(explain, worst);
	}
	item = calloc(1, sizeof(*item));
	slot = item ? array_add(&explain->items) : NULL;
	if (!slot) {
		free(item);
		explain->failed = true;
		return NULL;
	}
	*slot = item;
	item->rank = *rank;
	fresh = array_add(&explain->fresh);
	if (fresh)
		*fresh = item;
	else
		explain->failed = true;
	return item;
}

/* ---- what is said of one ------------------------------------------------------------------------------------------- */

static int add_steps(const struct verify *verify, const struct verified *verified,
		     struct cpir_decided *decided)
{
	struct policy_steps steps;

	verify_steps(verify, verified, &steps);
	/* The last one repeats the rule and the state. */
	if (steps.count && steps.step[steps.count - 1].name == verified->decision->reason)
		steps.count--;
	decided->steps = calloc(steps.count ? steps.count : 1, sizeof(*decided->steps));
	if (!decided->steps)
		return -ENOMEM;
	for (unsigned i = 0; i < steps.count; i++)
		decided->steps[decided->step_count++] = (struct cpir_step){
			.name = steps.step[i].name,
			.index = steps.step[i].index,
			.value = steps.step[i].value,
		};
	return 0;
}

static enum cpir_verdict verdict_of(enum miss miss)
{
	return miss == MISS_ABOVE   ? CPIR_VERDICT_ABOVE
	       : miss == MISS_BELOW ? CPIR_VERDICT_BELOW
				    : CPIR_VERDICT_RIGHT;
}

static enum cpir_verdict judge(const struct explain *explain, const struct verified *verified,
			       int state)
{
	const struct cpir_table *table =
		cpir_platform_table(explain->study->platform, verified->stretch->cpu);

	return verdict_of(account_miss(table, verified->input->disabled_mask, state,
				       duration_ns(explain, verified->period)));
}

/* What the policy behind @verify decided. Names are lent by the policy; the result makes them its own. */
static void add_decided(struct explain *explain, struct cpir_explained *explained,
			const struct verify *verify, const struct verified *verified)
{
	const struct policy_decision *decision = verified->decision;
	struct cpir_decided *decided = &explained->decided[explained->decided_count++];

	*decided = (struct cpir_decided){
		.policy = verify_policy(verify)->name,
		.state = decision->state,
		.stop_tick = decision->stop_tick,
		.looked_up = decision->looked_up_timers,
		.predicted_ns = decision->predicted_ns,
		.reason = decision->reason,
		.cause = verified->cause,
		.undetermined = verified->undetermined,
		.verdict = judge(explain, verified, decision->state),
	};
	if (add_steps(verify, verified, decided) < 0)
		explain->failed = true;
}

static void add_wake(const struct verified *verified, struct cpir_explained *explained)
{
	const struct stretch *stretch = verified->stretch;
	uint32_t index = index_of(verified);

	explained->wake = stretch_woken_by(stretch, verified->period);
	for (size_t i = 0; i < stretch->happenings.len && !explained->wake_known; i++) {
		const struct happening *happening = &stretch->happenings.ptr[i];

		if (happening->period != index || happening->kind != explained->wake ||
		    !happening->due_known || happening->due_ns > verified->period->exit_ns)
			continue;
		explained->wake_known = true;
		explained->wake_ns = happening->due_ns;
	}
	explained->task_known = stretch->first_task_ns && index + 1 == stretch->periods.len;
	explained->task_ns = stretch->first_task_ns;
}

static void add_record(struct explain *explain, const struct verified *verified,
		       struct cpir_explained *explained)
{
	const struct period *period = verified->period;

	explained->cpu = verified->stretch->cpu;
	explained->enter_ns = period->enter_ns;
	explained->exit_ns = period->exit_ns;
	explained->duration_ns = duration_ns(explain, period);
	explained->state = period->state;
	explained->counts = verified->counts;
	explained->stopped_tick = period->stopped_tick;
	explained->got_tick = period->got_tick;
	explained->poll_timeout = period->poll_timeout;
	explained->verdict = judge(explain, verified, period->state);
	explained->kernel_verdict_known = explain->study->context.known.miss;
	explained->kernel_verdict = verdict_of((enum miss)period->kernel_miss);
	add_wake(verified, explained);
}

static void explain_decision(struct explain *explain, const struct verified *verified,
			     struct cpir_explained *explained)
{
	const struct memory *memory = &explain->memory[verified->stretch->cpu];

	explained->decided = calloc(explain->witness_count + 1, sizeof(*explained->decided));
	if (!explained->decided) {
		explain->failed = true;
		return;
	}
	add_record(explain, verified, explained);
	explain_inputs(explain->study, verified, memory->decided ? &memory->last : NULL, explained);
	add_decided(explain, explained, explain->study->shards[0].verify, verified);
}

void explain_watch(void *arg, const struct verified *verified)
{
	struct explain *explain = arg;
	struct memory *memory = &explain->memory[verified->stretch->cpu];
	struct rank rank = rank_of(explain, verified);
	struct item *item = rank.major ? admit(explain, &rank) : NULL;

	if (item)
		explain_decision(explain, verified, &item->explained);
	explain->done |= item && explain->query.pick == CPIR_PICK_TIME;
	memory->decided = true;
	memory->last = *verified->period;
	if (verified->period->state >= 0)
		memory->end_ns = verified->period->exit_ns;
}

static void witness_watch(void *arg, const struct verified *verified)
{
	struct witness *witness = arg;
	struct explain *explain = witness->explain;

	for (size_t i = 0; i < explain->fresh.len; i++) {
		struct cpir_explained *explained = &explain->fresh.ptr[i]->explained;

		if (explained->enter_ns == verified->period->enter_ns && explained->decided &&
		    verified->period->state >= 0)
			add_decided(explain, explained, witness->verify, verified);
	}
}

int explain_stretch(struct explain *explain, struct stretch *stretch, bool counts)
{
	int ret = 0;

	for (size_t i = 0; i < explain->witness_count && !ret; i++)
		ret = verify_stretch(explain->witnesses[i].verify, stretch, counts);
	array_clear(&explain->fresh);
	return explain->failed ? -ENOMEM : ret;
}

/* ---- beginning and end --------------------------------------------------------------------------------------------- */

static int check_time(const struct study *study, const struct cpir_explain_query *query,
		      struct cpir_error *err)
{
	if (query->cpu >= study->info->cpus)
		return error_set(err, -EINVAL, "%s: has no CPU %u; it has 0 to %u",
				 study->options->trace, query->cpu, study->info->cpus - 1);
	if (!cpir_platform_table(study->platform, query->cpu))
		return error_set(err, -ENODATA, "%s: no idle states are known for CPU %u",
				 study->options->trace, query->cpu);
	if (query->at_ns + ROUNDING_NS >= study->begin_ns &&
	    query->at_ns <= study->end_ns + ROUNDING_NS)
		return 0;
	return error_set(err, -EINVAL,
			 "%s: " MOMENT " lies outside the trace, which runs from " MOMENT
			 " to " MOMENT "; give a time in seconds of its clock (%s)",
			 study->options->trace, SECONDS(query->at_ns), SECONDS(study->begin_ns),
			 SECONDS(study->end_ns), study->info->clock);
}

static int make_witness(struct explain *explain, const char *spec, struct cpir_error *err)
{
	struct witness *witness = &explain->witnesses[explain->witness_count++];
	int ret = study_parse_policy(explain->study, spec, &witness->policy, err);

	witness->explain = explain;
	if (ret < 0)
		return ret;
	witness->verify =
		verify_new(&explain->study->context, witness->policy, explain->study->info->cpus);
	if (!witness->verify)
		return error_oom(err);
	verify_follow(witness->verify);
	verify_watch(witness->verify, witness_watch, witness);
	return 0;
}

static int make_witnesses(struct explain *explain, struct cpir_error *err)
{
	const struct cpir_study_options *options = explain->study->options;
	int ret = 0;

	explain->witnesses = calloc(options->policy_count + 1, sizeof(*explain->witnesses));
	if (!explain->witnesses)
		return error_oom(err);
	for (size_t i = 0; i < options->policy_count && !ret; i++)
		ret = make_witness(explain, options->policies[i], err);
	return ret;
}

int explain_new(const struct study *study, struct explain **ret_explain, struct cpir_error *err)
{
	const struct cpir_explain_query *query = &study->options->explain;
	struct explain *explain = calloc(1, sizeof(*explain));
	int ret;

	if (!explain)
		return error_oom(err);
	explain->study = study;
	explain->query = *query;
	explain->memory = calloc(study->info->cpus + 1, sizeof(*explain->memory));
	if (query->pick == CPIR_PICK_TIME)
		explain->query.count = 1;
	if (!explain->memory)
		ret = error_oom(err);
	else if (!explain->query.count || explain->query.count > CPIR_EXPLAIN_MAX)
		ret = error_set(err, -EINVAL, "can explain 1 to %u decisions, not %u",
				CPIR_EXPLAIN_MAX, explain->query.count);
	else
		ret = query->pick == CPIR_PICK_TIME ? check_time(study, query, err) : 0;
	if (!ret)
		ret = make_witnesses(explain, err);
	if (ret < 0)
		explain_free(explain);
	else
		*ret_explain = explain;
	return ret;
}

static int by_rank(const void *a, const void *b)
{
	const struct item *x = *(struct item *const *)a, *y = *(struct item *const *)b;

	if (outranks(&x->rank, &y->rank))
		return -1;
	if (outranks(&y->rank, &x->rank))
		return 1;
	if (x->explained.enter_ns != y->explained.enter_ns)
		return x->explained.enter_ns < y->explained.enter_ns ? -1 : 1;
	return x->explained.cpu < y->explained.cpu ? -1 : x->explained.cpu > y->explained.cpu;
}

int explain_finish(struct explain *explain, struct cpir_error *err)
{
	const struct cpir_explain_query *query = &explain->query;

	for (size_t i = 0; i < explain->witness_count; i++) {
		int ret = policy_failure(explain->witnesses[i].policy, err);

		if (ret < 0)
			return ret;
	}
	if (explain->items.len) {
		qsort(explain->items.ptr, explain->items.len, sizeof(*explain->items.ptr), by_rank);
		return 0;
	}
	if (query->pick != CPIR_PICK_TIME)
		return 0;
	if (!explain->memory[query->cpu].end_ns)
		return error_set(err, -ENODATA, "%s: CPU %u has no complete idle period",
				 explain->study->options->trace, query->cpu);
	return error_set(err, -ENODATA,
			 "%s: CPU %u has no complete idle period at or after " MOMENT
			 "; its last one ends at " MOMENT,
			 explain->study->options->trace, query->cpu, SECONDS(query->at_ns),
			 SECONDS(explain->memory[query->cpu].end_ns));
}

int explain_take(struct explain *explain, struct cpir_explained **ret_explained, size_t *ret_count)
{
	size_t count = explain->items.len;
	struct cpir_explained *taken = calloc(count ? count : 1, sizeof(*taken));

	if (!taken)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		struct item *item = explain->items.ptr[i];

		taken[i] = item->explained;
		item->explained = (struct cpir_explained){0};
	}
	*ret_explained = taken;
	*ret_count = count;
	return 0;
}
