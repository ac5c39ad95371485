// SPDX-License-Identifier: GPL-2.0-only
/*
 * The verification run, per period of the record:
 *  1. rebuild what the governor saw;
 *  2. let the policy decide, in every belief about its history and every reading of what is uncertain (beliefs.c);
 *  3. compare the best with the recorded state, and look for the cause of a difference;
 *  4. let the record speak for or against the beliefs, and tell them what came of the decision.
 */
#include "replay/verify.h"

#include <errno.h>

#include "replay/account.h"
#include "replay/beliefs.h"
#include "replay/inputs.h"
#include "replay/recent.h"

/* Shorter than this in a state with a longer exit latency looks like an entry the hardware refused. */
#define REJECT_LIKE_PERCENT 25
#define HISTORY_STEP_NS 1000 /* governors count in microseconds */

struct verify {
	const struct context *context;
	const struct cpir_policy *policy;
	uint32_t cpus;
	struct beliefs **beliefs; /* per CPU, made when it is first seen */
	struct recent **recent;	  /* likewise, while causes are looked for */
	bool keep_past;
	char *trial; /* a governor's state, for decisions that are only tried */
	struct cpir_agreement agreement;
	struct spells *spells; /* per CPU */
	bool skip_causes;
	bool follows; /* the record's decisions are another policy's */
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
	verify->beliefs = calloc(cpus ? cpus : 1, sizeof(*verify->beliefs));
	verify->recent = calloc(cpus ? cpus : 1, sizeof(*verify->recent));
	verify->trial = malloc(policy_state_size(policy));
	verify->spells = calloc(cpus ? cpus : 1, sizeof(*verify->spells));
	if (!verify->beliefs || !verify->recent || !verify->trial || !verify->spells) {
		verify_free(verify);
		return NULL;
	}
	verify->agreement.policy = policy->name;
	return verify;
}

void verify_free(struct verify *verify)
{
	if (!verify)
		return;
	for (uint32_t cpu = 0; verify->beliefs && cpu < verify->cpus; cpu++)
		beliefs_free(verify->beliefs[cpu]);
	for (uint32_t cpu = 0; verify->recent && cpu < verify->cpus; cpu++)
		recent_free(verify->recent[cpu]);
	free(verify->beliefs);
	free(verify->recent);
	free(verify->trial);
	free(verify->spells);
	free(verify);
}

/* struct judged - one decision of the record, as it is decided again */
struct judged {
	const struct cpir_table *table;
	struct period *period;
	uint32_t disabled_mask;
	struct recent *recent; /* NULL: causes are not looked for */
	struct belief_decision best;
	enum cpir_cause cause;
};

const struct past *verify_past(const struct verify *verify, uint32_t cpu)
{
	if (cpu >= verify->cpus || !verify->beliefs[cpu])
		return NULL;
	return beliefs_past(verify->beliefs[cpu]);
}

void verify_keep_past(struct verify *verify)
{
	verify->keep_past = true;
}

void verify_forget_past(struct verify *verify, uint32_t cpu)
{
	if (cpu < verify->cpus && verify->beliefs[cpu])
		beliefs_keep_past(verify->beliefs[cpu], false);
}

void verify_follow(struct verify *verify)
{
	verify->follows = true;
}

void verify_skip_causes(struct verify *verify)
{
	verify->skip_causes = true;
}

const struct cpir_policy *verify_policy(const struct verify *verify)
{
	return verify->policy;
}

void verify_watch(struct verify *verify, void (*fn)(void *arg, const struct verified *verified),
		  void *arg)
{
	verify->watch = fn;
	verify->watch_arg = arg;
}

/* How @verify's trial state decides from what was seen, the idle entry time moved by @shift_ns. */
static int try_state(struct verify *verify, const struct judged *judged, int64_t shift_ns)
{
	struct sight sight = *judged->best.sight;
	struct policy_decision decision;
	struct policy_input input;

	sight.entry_ns += shift_ns;
	inputs_build(verify->context, &sight, inputs_tick_needed(verify->context, &sight),
		     judged->disabled_mask, &input);
	verify->policy->ops->select(verify->policy, judged->table, verify->trial, &input, &decision,
				    NULL);
	return decision.state;
}

/* Would the record's state come out if the idle entry time were a little different? */
static bool near_threshold(struct verify *verify, const struct judged *judged)
{
	static const int64_t shifts[] = {-ENTRY_UNCERTAINTY_NS, ENTRY_UNCERTAINTY_NS};

	for (size_t i = 0; i < array_size(shifts); i++) {
		memcpy(verify->trial, judged->best.before, policy_state_size(verify->policy));
		if (try_state(verify, judged, shifts[i]) == judged->period->state)
			return true;
	}
	return false;
}

/* In so many steps the idle entry is looked for, where the way to cpu_idle is so much longer than usual. */
#define LATER_STEPS 8
#define LONG_WAY_PERCENT 150

/*
 * On a way to cpu_idle that was longer than usual something held the kernel up, before or after it read its clock. If the
 * record's state comes out only with a later reading, that is evidence: what other policies would have seen hangs on it too.
 */
static void find_entry(struct verify *verify, const struct judged *judged)
{
	struct period *period = judged->period;
	int64_t way_ns = (int64_t)period->enter_ns - judged->best.sight->entry_ns;
	int64_t usual_ns = verify->context->learned->entry_lead_ns[period->entry_kind];

	if (way_ns <= usual_ns / 100 * LONG_WAY_PERCENT || period->stopped_tick)
		return;
	for (int i = 1; i <= LATER_STEPS && !period->later_ns; i++) {
		int64_t later_ns = way_ns * i / LATER_STEPS;

		memcpy(verify->trial, judged->best.before, policy_state_size(verify->policy));
		if (try_state(verify, judged, later_ns) == period->state)
			period->later_ns = later_ns;
	}
}

static bool explained_by(struct verify *verify, const struct judged *judged,
			 const struct recent_shift *shift)
{
	return recent_live(judged->recent, shift, verify->trial) &&
	       try_state(verify, judged, 0) == judged->period->state;
}

/*
 * Would it if what the governor remembers were a little different? It remembers how long it slept, but never more than
 * the timers had left, which hangs on the idle entry times of then.
 */
static bool history_may_differ(struct verify *verify, const struct judged *judged)
{
	static const int64_t steps_ns[] = {HISTORY_STEP_NS, RESIDENCY_UNCERTAINTY_NS,
					   ENTRY_UNCERTAINTY_NS};

	for (size_t i = 0; i < 2 * array_size(steps_ns); i++) {
		int64_t by_ns = steps_ns[i / 2];
		struct recent_shift entry = {.sleep_length_ns = i % 2 ? by_ns : -by_ns};
		struct recent_shift residency = {.residency_ns = entry.sleep_length_ns};

		if (explained_by(verify, judged, &entry))
			return true;
		if (by_ns <= RESIDENCY_UNCERTAINTY_NS && explained_by(verify, judged, &residency))
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
	if (history_may_differ(verify, judged))
		return CPIR_CAUSE_HISTORY;
	/* The kernel passes no verdict on what was refused. */
	if (duration_ns * 100 < state->exit_latency_ns * REJECT_LIKE_PERCENT &&
	    period->kernel_miss == MISS_NONE)
		return CPIR_CAUSE_REJECT;
	return CPIR_CAUSE_REAL;
}

static void tally(struct verify *verify, uint32_t cpu, const struct judged *judged)
{
	struct cpir_agreement *agreement = &verify->agreement;
	int recorded = judged->period->state, decided = judged->best.decision->state;

	agreement->decisions++;
	agreement->undetermined += judged->best.split;
	agreement->by_state[recorded][decided]++;
	spells_add(&verify->spells[cpu], cpu, judged->period->enter_ns, recorded != decided);
	if (recorded == decided) {
		agreement->agreed++;
		return;
	}
	agreement->by_cause[judged->cause]++;
}

/* What the governor was told came of it, as the record has it. */
static int learn(const struct verify *verify, const struct judged *judged, struct beliefs *beliefs)
{
	struct period *period = judged->period;
	struct policy_outcome outcome = outcome_of_period(
		judged->table, period, verify->context->learned->residency_cost_ns);

	if (judged->recent)
		recent_add(judged->recent, judged->best.before, judged->best.input, &outcome);
	return beliefs_learn(beliefs, verify->context, period, &outcome);
}

/* The governor was asked although nothing was entered, if the reschedule came only after the idle loop began. */
static bool was_decided(const struct context *context, const struct stretch *stretch,
			const struct period *period)
{
	int64_t from_ns =
		(int64_t)period->entry_ns + context->learned->entry_delay_ns[period->entry_kind];

	if (period->decided)
		return true;
	for (size_t i = 0; i < stretch->happenings.len; i++) {
		if (stretch->happenings.ptr[i].wakes_task)
			return (int64_t)stretch->happenings.ptr[i].handled_ns > from_ns;
	}
	return false;
}

size_t verify_decisions(const struct context *context, const struct stretch *stretch)
{
	size_t decisions = 0;

	if (!cpir_platform_table(context->platform, stretch->cpu) || stretch->cpu >= context->cpus)
		return 0;
	for (size_t i = 0; i < stretch->periods.len; i++) {
		const struct period *period = &stretch->periods.ptr[i];

		decisions += !period->cut && was_decided(context, stretch, period);
	}
	return decisions;
}

static void watch(const struct verify *verify, const struct stretch *stretch,
		  const struct judged *judged, bool counts)
{
	struct verified verified = {
		.stretch = stretch,
		.period = judged->period,
		.sight = judged->best.sight,
		.input = judged->best.input,
		.decision = judged->best.decision,
		.before = judged->best.before,
		.state = judged->best.state,
		.undetermined = judged->best.split,
		.cause = judged->cause,
		.counts = counts,
	};

	verify->watch(verify->watch_arg, &verified);
}

void verify_steps(const struct verify *verify, const struct verified *verified,
		  struct policy_steps *ret_steps)
{
	const struct policy_ops *ops = verify->policy->ops;
	const struct cpir_table *table =
		cpir_platform_table(verify->context->platform, verified->stretch->cpu);
	struct policy_decision decision;

	ret_steps->count = 0;
	memcpy(verify->trial, verified->before, policy_state_size(verify->policy));
	ops->select(verify->policy, table, verify->trial, verified->input, &decision, ret_steps);
}

static struct beliefs *beliefs_of(struct verify *verify, uint32_t cpu,
				  const struct cpir_table *table)
{
	if (verify->beliefs[cpu])
		return verify->beliefs[cpu];
	verify->beliefs[cpu] = beliefs_new(verify->policy, table);
	if (verify->beliefs[cpu])
		beliefs_keep_past(verify->beliefs[cpu], verify->keep_past);
	return verify->beliefs[cpu];
}

static int recent_of(struct verify *verify, uint32_t cpu, const struct cpir_table *table,
		     struct recent **ret_recent)
{
	if (!verify->recent[cpu] && !verify->follows && !verify->skip_causes) {
		verify->recent[cpu] = recent_new(verify->policy, table);
		if (!verify->recent[cpu])
			return -ENOMEM;
	}
	*ret_recent = verify->recent[cpu];
	return 0;
}

static int verify_period(struct verify *verify, const struct stretch *stretch,
			 struct judged *judged, bool counts)
{
	struct beliefs *beliefs = verify->beliefs[stretch->cpu];
	struct period *period = judged->period;

	period->decided = was_decided(verify->context, stretch, period);
	if (period->cut || !period->decided)
		return 0;
	counts = counts && context_counts(verify->context, period->enter_ns, period->exit_ns);
	if (verify->follows)
		beliefs_follow(beliefs, verify->context, period, &judged->best);
	else
		beliefs_decide(beliefs, verify->context, period, &judged->best);
	if (judged->recent && period->state >= 0 && period->state != judged->best.decision->state)
		judged->cause = find_cause(verify, judged);
	if (verify->keep_past && period->state >= 0 &&
	    period->state != judged->best.decision->state)
		find_entry(verify, judged);
	if (verify->watch)
		watch(verify, stretch, judged, counts);
	if (period->state >= 0 && counts)
		tally(verify, stretch->cpu, judged);
	return learn(verify, judged, beliefs);
}

/* A timer that is overdue forbids all but polling: if the record leaves it before any interrupt came, none of the spell had one. */
static void take_back_overdue(const struct cpir_table *table, struct stretch *stretch, size_t last)
{
	const struct period *period = &stretch->periods.ptr[last];

	if (period->state < 0 || table->states[period->state].polling)
		return;
	for (size_t i = last + 1; i > 0 && stretch->periods.ptr[i - 1].overdue; i--)
		stretch->periods.ptr[i - 1].overdue = false;
}

int verify_stretch(struct verify *verify, struct stretch *stretch, bool counts)
{
	const struct cpir_table *table =
		cpir_platform_table(verify->context->platform, stretch->cpu);
	struct judged judged = {.table = table};
	struct beliefs *beliefs;
	int ret;

	if (!table || stretch->cpu >= verify->cpus)
		return 0;
	beliefs = beliefs_of(verify, stretch->cpu, table);
	if (!beliefs)
		return -ENOMEM;
	ret = recent_of(verify, stretch->cpu, table, &judged.recent);

	beliefs_stretch(beliefs);
	for (size_t i = 0; i < stretch->periods.len && !ret; i++) {
		judged.period = &stretch->periods.ptr[i];
		judged.disabled_mask = judged.period->disabled_mask | verify->context->disable_mask;
		ret = verify_period(verify, stretch, &judged, counts);
		take_back_overdue(table, stretch, i);
	}
	return ret;
}

void verify_settle(struct verify *verify)
{
	for (uint32_t cpu = 0; cpu < verify->cpus; cpu++) {
		if (verify->beliefs[cpu])
			beliefs_settle(verify->beliefs[cpu]);
	}
}

void verify_worst_spell(const struct verify *verify, struct spell *worst)
{
	for (uint32_t cpu = 0; cpu < verify->cpus; cpu++) {
		if (verify->spells[cpu].worst.wrong > worst->wrong)
			*worst = verify->spells[cpu].worst;
	}
}

void verify_agreement(const struct verify *verify, struct cpir_agreement *sum)
{
	const struct cpir_agreement *agreement = &verify->agreement;

	sum->valid = true;
	sum->policy = agreement->policy;
	sum->decisions += agreement->decisions;
	sum->agreed += agreement->agreed;
	sum->undetermined += agreement->undetermined;
	for (unsigned i = 0; i < CPIR_CAUSE_COUNT; i++)
		sum->by_cause[i] += agreement->by_cause[i];
	for (unsigned from = 0; from < CPIR_STATES_MAX; from++) {
		for (unsigned to = 0; to < CPIR_STATES_MAX; to++)
			sum->by_state[from][to] += agreement->by_state[from][to];
	}
	for (uint32_t i = 0; i < verify->context->platform->table_count; i++) {
		if (verify->context->platform->tables[i].count > sum->state_count)
			sum->state_count = verify->context->platform->tables[i].count;
	}
}
