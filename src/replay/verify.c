// SPDX-License-Identifier: GPL-2.0-only
/*
 * The verification run, per period of the record:
 *  1. rebuild what the governor saw;
 *  2. let the policy decide;
 *  3. if it would have stopped the tick and the record shows the tick was not stopped, then it could not be: the sleep
 *     length the governor saw was delta_next. Decide again with that;
 *  4. compare with the recorded state, and look for the cause of a difference;
 *  5. tell the policy what the record says came of it.
 */
#include "replay/verify.h"

#include <errno.h>

#include "replay/account.h"
#include "replay/inputs.h"

/* How far the idle entry time may be off: the learned delay is a constant, the true one varies by interrupts. */
#define ENTRY_UNCERTAINTY_NS 5000
/* Shorter than this in a state with a longer exit latency looks like an entry the hardware refused. */
#define REJECT_LIKE_PERCENT 25

struct verify {
	const struct context *context;
	const struct cpir_policy *policy;
	uint32_t cpus;
	char *states; /* per CPU, ops->state_size each */
	bool *enabled;
	char *before; /* a copy of one state, to decide twice from the same */
	char *trial;  /* another, for decisions that are only tried */
	struct cpir_agreement agreement;
	void (*watch)(void *arg, const struct verified *verified);
	void *watch_arg;
};

struct verify *verify_new(const struct context *context, const struct cpir_policy *policy,
			  uint32_t cpus)
{
	struct verify *verify = calloc(1, sizeof(*verify));

	if (!verify)
		return NULL;
	verify->context = context;
	verify->policy = policy;
	verify->cpus = cpus;
	verify->states = calloc(cpus ? cpus : 1, policy->ops->state_size);
	verify->enabled = calloc(cpus ? cpus : 1, sizeof(*verify->enabled));
	verify->before = malloc(policy->ops->state_size);
	verify->trial = malloc(policy->ops->state_size);
	if (!verify->states || !verify->enabled || !verify->before || !verify->trial) {
		verify_free(verify);
		return NULL;
	}
	verify->agreement.valid = true;
	verify->agreement.policy = policy->name;
	return verify;
}

void verify_free(struct verify *verify)
{
	if (!verify)
		return;
	free(verify->states);
	free(verify->enabled);
	free(verify->before);
	free(verify->trial);
	free(verify);
}

/* struct judged - one decision of the record, as it is decided again */
struct judged {
	const struct cpir_table *table;
	struct period *period;
	uint32_t disabled_mask;
	void *state;
	struct policy_input input;
	struct policy_decision decision;
};

void verify_watch(struct verify *verify, void (*fn)(void *arg, const struct verified *verified),
		  void *arg)
{
	verify->watch = fn;
	verify->watch_arg = arg;
}

/* Decide from the state as it was before this period, leaving the governor's new state in @state. */
static void decide(struct verify *verify, struct judged *judged, const struct sight *sight,
		   void *state)
{
	judged->input = inputs_build(verify->context, sight, judged->disabled_mask);
	memcpy(state, verify->before, verify->policy->ops->state_size);
	verify->policy->ops->select(verify->policy, judged->table, state, &judged->input,
				    &judged->decision, NULL);
}

static void decide_period(struct verify *verify, struct judged *judged)
{
	struct period *period = judged->period;
	struct sight sight = sight_of_period(verify->context, period);

	memcpy(verify->before, judged->state, verify->policy->ops->state_size);
	decide(verify, judged, &sight, judged->state);
	if (!judged->decision.stop_tick || period->tick_stopped || period->stopped_tick ||
	    (getenv("NOKEPT") ? !period->rcu_busy : 0) || !verify->context->known.tick ||
	    inputs_tick_needed(verify->context, &sight))
		return;
	period->tick_kept = sight.tick_kept = true;
	decide(verify, judged, &sight, judged->state);
}

/* Would the record's state come out if the idle entry time were a little different? */
static bool near_threshold(struct verify *verify, const struct judged *judged)
{
	static const int64_t shifts[] = {-ENTRY_UNCERTAINTY_NS, ENTRY_UNCERTAINTY_NS};

	for (size_t i = 0; i < array_size(shifts); i++) {
		struct sight sight = sight_of_period(verify->context, judged->period);
		struct judged shifted = *judged;

		sight.entry_ns += shifts[i];
		decide(verify, &shifted, &sight, verify->trial);
		if (shifted.decision.state == judged->period->state)
			return true;
	}
	return false;
}

static enum cpir_cause find_cause(struct verify *verify, const struct judged *judged)
{
	const struct period *period = judged->period;
	const struct cpir_state *state = &judged->table->states[period->state];
	uint64_t duration_ns = period->exit_ns - period->enter_ns;

	if (near_threshold(verify, judged))
		return CPIR_CAUSE_THRESHOLD;
	if (!verify->context->known.hrtimers || !verify->context->known.sched_switch)
		return CPIR_CAUSE_UNKNOWN_INPUT;
	if (duration_ns * 100 < state->exit_latency_ns * REJECT_LIKE_PERCENT)
		return CPIR_CAUSE_REJECT;
	return CPIR_CAUSE_REAL;
}

static void tally(struct verify *verify, const struct judged *judged)
{
	struct cpir_agreement *agreement = &verify->agreement;
	int recorded = judged->period->state, decided = judged->decision.state;

	agreement->decisions++;
	agreement->by_state[recorded][decided]++;
	if (recorded == decided) {
		agreement->agreed++;
		return;
	}
	agreement->by_cause[find_cause(verify, judged)]++;
}

static void reflect(const struct verify *verify, const struct judged *judged)
{
	const struct period *period = judged->period;
	int64_t residency_ns = (int64_t)(period->exit_ns - period->enter_ns) -
			       verify->context->learned->residency_cost_ns;
	bool entered = period->state >= 0;
	struct policy_outcome outcome = {
		.entered = entered ? period->state : -1,
		.residency_ns = entered && residency_ns > 0 ? residency_ns : 0,
		.poll_time_limit = -1,
		.got_tick = period->got_tick,
		.clock_ns = (int64_t)period->exit_ns,
	};

	if (entered && judged->table->states[period->state].polling)
		outcome.poll_time_limit = period->poll_timeout;
	verify->policy->ops->reflect(verify->policy, judged->table, judged->state, &outcome);
}

/* The governor was asked although nothing was entered, if the reschedule came only after the idle loop began. */
static bool was_decided(const struct verify *verify, const struct stretch *stretch,
			const struct period *period)
{
	int64_t from_ns = (int64_t)period->entry_ns +
			  verify->context->learned->entry_delay_ns[period->entry_kind];

	if (period->decided)
		return true;
	for (size_t i = 0; i < stretch->happenings.len; i++) {
		if (stretch->happenings.ptr[i].wakes_task)
			return (int64_t)stretch->happenings.ptr[i].handled_ns > from_ns;
	}
	return false;
}

static void watch(const struct verify *verify, const struct stretch *stretch,
		  const struct judged *judged, bool counts)
{
	struct verified verified = {
		.stretch = stretch,
		.period = judged->period,
		.input = &judged->input,
		.decision = &judged->decision,
		.state = judged->state,
		.counts = counts,
	};

	verify->watch(verify->watch_arg, &verified);
}

int verify_stretch(struct verify *verify, struct stretch *stretch, bool counts)
{
	const struct cpir_table *table =
		cpir_platform_table(verify->context->platform, stretch->cpu);
	struct judged judged = {.table = table};

	if (!table || stretch->cpu >= verify->cpus)
		return 0;
	judged.disabled_mask = context_disabled(verify->context, table);
	judged.state = verify->states + stretch->cpu * verify->policy->ops->state_size;
	if (!verify->enabled[stretch->cpu]) {
		verify->policy->ops->enable(verify->policy, table, judged.state);
		verify->enabled[stretch->cpu] = true;
	}
	for (size_t i = 0; i < stretch->periods.len; i++) {
		judged.period = &stretch->periods.ptr[i];
		judged.period->decided = was_decided(verify, stretch, judged.period);
		if (judged.period->cut || judged.period->state >= (int)table->count ||
		    !judged.period->decided)
			continue;
		decide_period(verify, &judged);
		if (verify->watch)
			watch(verify, stretch, &judged, counts);
		if (judged.period->state >= 0 && counts)
			tally(verify, &judged);
		else if (judged.period->state >= 0)
			verify->agreement.warmup++;
		reflect(verify, &judged);
	}
	return 0;
}

void verify_agreement(const struct verify *verify, struct cpir_agreement *ret_agreement)
{
	*ret_agreement = verify->agreement;
	for (uint32_t i = 0; i < verify->context->platform->table_count; i++) {
		if (verify->context->platform->tables[i].count > ret_agreement->state_count)
			ret_agreement->state_count = verify->context->platform->tables[i].count;
	}
}
