// SPDX-License-Identifier: GPL-2.0-only
/*
 * Beliefs about a governor's state.
 *
 * A decision can be read in two ways where something kept the tick from being stopped, as RCU does without a trace: with
 * the tick free to stop, or kept (then the sleep length is delta_next). Without timer events the next timer is either the
 * next interrupt of the stretch, or what ended the period, or far away; after polling to the limit, during which nothing
 * came, it is what it was. If none explains what the record chose, something that does is; such a contrived reading never
 * decides by itself. Every belief decides in every reading. The record judges: a tick stopped or not, and the state
 * chosen. What it contradicts costs; costs fade, because a governor's history does too. The cheapest few states that
 * differ live on.
 */
#include "replay/beliefs.h"

#include <errno.h>

#include "replay/trail.h"

/* What a contradiction costs: a state that was not chosen, a tick that was (not) stopped, a reading without support. */
#define COST_STATE 8
#define COST_TICK 6
#define COST_UNSUPPORTED 4
#define COST_CONTRIVED 6
#define TICK_LATE_PART 4
#define FADE_SHIFT 3 /* an eighth of the cost is forgotten with each decision */
#define FAVOUR_MAX 16
#define CHILDREN_MAX (BELIEFS_MAX * READINGS_MAX)

enum timer_reading {
	TIMER_NEAR,
	TIMER_FAR,
	TIMER_KEPT,
	TIMER_CONTRIVED,
	TIMER_AS_BEFORE,
	TIMER_OVERDUE,
	TIMER_READINGS
};

/* struct belief - the governor's state, how it came to it, and what speaks against it */
struct belief {
	char *state;
	unsigned cost;
	unsigned parent;
	enum timer_reading timer; /* how it was read */
	bool tick_stopped;	  /* followed by the decisions where no event tells */
	bool tick_needed;	  /* it could not be stopped, as the sight has it */
	struct sight sight;
	struct policy_input input;
	struct policy_decision decision;
	struct past *past; /* of those that are kept, if they are */
};

struct beliefs {
	const struct cpir_policy *policy;
	const struct cpir_table *table;
	size_t size, fixed; /* of one state, and of its part that does not change */
	unsigned count, child_count;
	bool split; /* the best belief's readings of the last decision led to different states */
	bool keep_past;
	bool unseen; /* no event tells of timers */
	int overdue_favour; /* how often the record spoke for a timer that is still overdue rather than against it */
	bool polled; /* to the limit, in the period before of this stretch: no timer came */
	int timer_favour
		[CPIR_WAKE_COUNT]; /* how often the record spoke for the near timer rather than the far, by wake event */
	/* Those that are kept, and those that a decision makes of them: they change places, not contents. */
	struct belief *belief[BELIEFS_MAX], *child[CHILDREN_MAX];
	struct belief all[BELIEFS_MAX + CHILDREN_MAX];
	struct trail trails[2][BELIEFS_MAX]; /* of those kept now, and before the last decision */
	unsigned now;			     /* which of the two */
	char *states;			     /* of all of them, @size each */
};

struct beliefs *beliefs_new(const struct cpir_policy *policy, const struct cpir_table *table)
{
	struct beliefs *beliefs = calloc(1, sizeof(*beliefs));

	if (!beliefs)
		return NULL;
	beliefs->policy = policy;
	beliefs->table = table;
	beliefs->size = policy_state_size(policy);
	beliefs->fixed = policy->ops->state_fixed;
	beliefs->states = calloc(array_size(beliefs->all), beliefs->size);
	if (!beliefs->states) {
		beliefs_free(beliefs);
		return NULL;
	}
	for (unsigned i = 0; i < array_size(beliefs->all); i++) {
		beliefs->all[i].state = beliefs->states + i * beliefs->size;
		policy->ops->enable(policy, table, beliefs->all[i].state);
	}
	for (unsigned i = 0; i < BELIEFS_MAX; i++)
		beliefs->belief[i] = &beliefs->all[i];
	for (unsigned i = 0; i < CHILDREN_MAX; i++)
		beliefs->child[i] = &beliefs->all[BELIEFS_MAX + i];
	beliefs->count = 1;
	return beliefs;
}

void beliefs_free(struct beliefs *beliefs)
{
	if (!beliefs)
		return;
	beliefs_keep_past(beliefs, false);
	free(beliefs->states);
	free(beliefs);
}

const struct past *beliefs_past(const struct beliefs *beliefs)
{
	return beliefs->belief[0]->past;
}

void beliefs_keep_past(struct beliefs *beliefs, bool keep)
{
	beliefs->keep_past = keep;
	for (unsigned i = 0; i < beliefs->count && !keep; i++) {
		past_unref(beliefs->belief[i]->past);
		beliefs->belief[i]->past = NULL;
	}
}

void beliefs_stretch(struct beliefs *beliefs)
{
	beliefs->polled = false;
	for (unsigned i = 0; i < beliefs->count; i++)
		beliefs->belief[i]->tick_stopped = false;
}

/* struct reading - one way to read the inputs of a decision, and what speaks against it */
struct reading {
	struct sight sight;
	enum timer_reading timer;
	unsigned cost;
};

/* What the record shows of the tick against what the decision did to it. */
static unsigned tick_cost(const struct context *context, const struct period *period,
			  const struct belief *belief)
{
	bool stops =
		belief->decision.stop_tick && !belief->sight.tick_stopped && !belief->tick_needed;

	if (!context->known.tick || stops == period->stopped_tick)
		return 0;
	return COST_TICK;
}

/* Without any event of the tick: one that runs would have ended the period, unless the CPU polls. Some come late. */
static unsigned span_cost(const struct beliefs *beliefs, const struct context *context,
			  const struct period *period, const struct belief *child)
{
	int64_t over_ns = (int64_t)period->exit_ns - child->sight.tick_ns;

	if (context->known.hrtimers || context->known.tick || child->tick_stopped ||
	    child->sight.tick_ns == TIME_NONE || period->state < 0 ||
	    beliefs->table->states[period->state].polling)
		return 0;
	return over_ns > context->clocks->tick_ns / TICK_LATE_PART ? COST_TICK : 0;
}

static void add_child(struct beliefs *beliefs, const struct context *context,
		      const struct period *period, unsigned parent, const struct reading *reading)
{
	const struct belief *from = beliefs->belief[parent];
	struct belief *child = beliefs->child[beliefs->child_count++];

	memcpy(child->state + beliefs->fixed, from->state + beliefs->fixed,
	       beliefs->size - beliefs->fixed);
	child->parent = parent;
	child->timer = reading->timer;
	child->tick_needed = inputs_tick_needed(context, &reading->sight);
	inputs_build(context, &reading->sight, child->tick_needed,
		     period->disabled_mask | context->disable_mask, &child->input);
	child->sight = reading->sight; /* not before: nobody waits for it then */
	beliefs->policy->ops->select(beliefs->policy, beliefs->table, child->state, &child->input,
				     &child->decision, NULL);
	child->cost = from->cost + reading->cost + tick_cost(context, period, child);
	child->tick_stopped =
		child->sight.tick_stopped || (child->decision.stop_tick && !child->tick_needed);
	child->cost += span_cost(beliefs, context, period, child);
}

/*
 * The next timer is overdue: idleness began later than is known, or an interrupt is late. Then a CPU that polls to its limit decides
 * the same again and again, as nothing changes.
 */
static void read_overdue(struct beliefs *beliefs, const struct context *context,
			 const struct period *period, const struct sight *sight, unsigned parent,
			 unsigned cost)
{
	struct reading reading = {.sight = *sight, .timer = TIMER_OVERDUE, .cost = cost};

	reading.sight.hrtimer_ns = reading.sight.entry_ns;
	add_child(beliefs, context, period, parent, &reading);
}

static bool still_overdue(const struct beliefs *beliefs, const struct belief *before,
			  const struct sight *sight)
{
	return beliefs->polled && before->timer == TIMER_OVERDUE &&
	       before->sight.entry_ns == sight->entry_ns;
}

/* With timer events the only doubt is whether something kept the tick, or whether the next timer is overdue. */
static void read_tick(struct beliefs *beliefs, const struct context *context,
		      const struct period *period, struct reading *reading, unsigned parent)
{
	bool overdue = still_overdue(beliefs, beliefs->belief[parent], &reading->sight);
	bool can_be_kept = context->known.tick && !period->tick_stopped && !period->stopped_tick;
	unsigned first;

	reading->sight.tick_kept = false;
	if (overdue)
		read_overdue(beliefs, context, period, &reading->sight, parent,
			     beliefs->overdue_favour < 0 ? COST_UNSUPPORTED : 0);
	first = beliefs->child_count;
	reading->cost = can_be_kept && period->rcu_busy ? COST_UNSUPPORTED : 0;
	if (overdue && beliefs->overdue_favour >= 0)
		reading->cost = COST_UNSUPPORTED;
	add_child(beliefs, context, period, parent, reading);
	if (!can_be_kept || beliefs->child[first]->tick_needed)
		return;
	/* Without a sign of RCU only a stop that did not happen speaks for it. */
	if (!period->rcu_busy && !tick_cost(context, period, beliefs->child[first]))
		return;
	reading->sight.tick_kept = true;
	reading->cost = period->rcu_busy ? 0 : COST_UNSUPPORTED;
	add_child(beliefs, context, period, parent, reading);
}

/*
 * A timer that came to nothing (cancelled, or its interrupt is late) but forbade the next deeper state. Where that left
 * polling alone it is overdue: a machine that delivers interrupts late to a CPU that polls does so again and again.
 */
static void read_contrived(struct beliefs *beliefs, const struct context *context,
			   const struct period *period, unsigned parent, struct reading reading)
{
	const struct cpir_state *states = beliefs->table->states;
	uint64_t length_ns = 0;

	if (period->state < 0 || period->state + 1 >= (int)beliefs->table->count)
		return;
	if (!states[period->state].polling)
		length_ns = (states[period->state].target_residency_ns +
			     states[period->state + 1].target_residency_ns) /
			    2;
	reading.sight.hrtimer_ns = reading.sight.entry_ns + (int64_t)length_ns;
	reading.timer = TIMER_CONTRIVED;
	reading.cost = COST_CONTRIVED;
	add_child(beliefs, context, period, parent, &reading);
	if (period->stopped_tick || period->tick_stopped ||
	    !tick_cost(context, period, beliefs->child[beliefs->child_count - 1]))
		return;
	/* It would have been stopped: then something kept it as well. */
	beliefs->child_count--;
	reading.sight.tick_kept = true;
	add_child(beliefs, context, period, parent, &reading);
}

/* What the record holds against the near (else the far) timer: until it has spoken, that another CPU did the waking. */
static unsigned timer_cost(const struct beliefs *beliefs, const struct period *period, bool near)
{
	int favour = beliefs->timer_favour[period->foreseen];

	if (!favour)
		favour = period->foreseen == CPIR_WAKE_TASK_REMOTE ? -1 : 1;
	return !beliefs->polled && near == (favour > 0) ? 0 : COST_UNSUPPORTED;
}

/* Without them the next timer is unknown: the next interrupt of the stretch, or else the period's end, or far away. */
static void read_timer(struct beliefs *beliefs, const struct context *context,
		       const struct period *period, const struct sight *sight, unsigned parent)
{
	struct reading reading = {.sight = *sight};
	int64_t near_ns = period->next_hrtimer_ns;

	if (!context->known.tick)
		reading.sight.tick_stopped = beliefs->belief[parent]->tick_stopped;
	if (reading.sight.tick_stopped)
		reading.sight.tick_ns = reading.sight.wheel_ns;
	if (beliefs->polled) {
		reading.timer = TIMER_AS_BEFORE;
		reading.sight.hrtimer_ns = beliefs->belief[parent]->sight.hrtimer_ns;
		add_child(beliefs, context, period, parent, &reading);
	}
	reading.timer = TIMER_NEAR;
	reading.sight.hrtimer_ns = near_ns == TIME_NONE ? (int64_t)period->exit_ns : near_ns;
	reading.cost = timer_cost(beliefs, period, true);
	add_child(beliefs, context, period, parent, &reading);
	reading.timer = TIMER_FAR;
	reading.sight.hrtimer_ns = TIME_NONE;
	reading.cost = timer_cost(beliefs, period, false);
	add_child(beliefs, context, period, parent, &reading);
	read_contrived(beliefs, context, period, parent, reading);
	if (period->wake != CPIR_WAKE_TICK || reading.sight.tick_stopped)
		return;
	reading.timer = TIMER_KEPT;
	reading.sight.tick_kept = true;
	reading.cost = COST_UNSUPPORTED;
	add_child(beliefs, context, period, parent, &reading);
}

static unsigned cheapest(const struct beliefs *beliefs)
{
	unsigned best = 0;

	for (unsigned i = 1; i < beliefs->child_count; i++) {
		if (beliefs->child[i]->cost < beliefs->child[best]->cost)
			best = i;
	}
	return best;
}

static bool readings_differ(const struct beliefs *beliefs, unsigned best)
{
	for (unsigned i = 0; i < beliefs->child_count; i++) {
		if (beliefs->child[i]->parent == beliefs->child[best]->parent &&
		    beliefs->child[i]->decision.state != beliefs->child[best]->decision.state)
			return true;
	}
	return false;
}

static void best_child(const struct beliefs *beliefs, struct belief_decision *ret_best)
{
	const struct belief *best = beliefs->child[cheapest(beliefs)];

	*ret_best = (struct belief_decision){
		.sight = &best->sight,
		.input = &best->input,
		.decision = &best->decision,
		.split = beliefs->split,
		.state = best->state,
		.before = beliefs->belief[best->parent]->state,
	};
}

void beliefs_follow(struct beliefs *beliefs, const struct context *context,
		    const struct period *period, struct belief_decision *ret_best)
{
	struct reading reading = {.timer = TIMER_NEAR};

	sight_of_period(context, period, &reading.sight);
	beliefs->child_count = 0;
	beliefs->split = false;
	add_child(beliefs, context, period, 0, &reading);
	best_child(beliefs, ret_best);
}

void beliefs_decide(struct beliefs *beliefs, const struct context *context,
		    const struct period *period, struct belief_decision *ret_best)
{
	struct reading reading = {.timer = TIMER_NEAR};

	sight_of_period(context, period, &reading.sight);
	beliefs->unseen = !context->known.hrtimers;
	beliefs->child_count = 0;
	for (unsigned i = 0; i < beliefs->count; i++) {
		if (context->known.hrtimers)
			read_tick(beliefs, context, period, &reading, i);
		else
			read_timer(beliefs, context, period, &reading.sight, i);
	}
	beliefs->split = beliefs->unseen && readings_differ(beliefs, cheapest(beliefs));
	best_child(beliefs, ret_best);
}

static bool same_as_kept(const struct beliefs *beliefs, const struct belief *child)
{
	for (unsigned i = 0; i < beliefs->count; i++) {
		if (beliefs->belief[i]->tick_stopped == child->tick_stopped &&
		    !memcmp(beliefs->belief[i]->state + beliefs->fixed,
			    child->state + beliefs->fixed, beliefs->size - beliefs->fixed))
			return true;
	}
	return false;
}

/* The cheapest children that differ become the beliefs, the cheapest first and at cost 0. */
static void select_best(struct beliefs *beliefs)
{
	unsigned lowest = beliefs->child[cheapest(beliefs)]->cost;

	beliefs->count = 0;
	while (beliefs->child_count && beliefs->count < BELIEFS_MAX) {
		unsigned best = cheapest(beliefs), last = --beliefs->child_count;
		struct belief *child = beliefs->child[best], *former;

		beliefs->child[best] = beliefs->child[last];
		beliefs->child[last] = child;
		if (same_as_kept(beliefs, child))
			continue;
		former = beliefs->belief[beliefs->count];
		beliefs->belief[beliefs->count++] = child;
		beliefs->child[last] = former;
		child->cost -= lowest;
		child->cost -= child->cost >> FADE_SHIFT;
		child->past = NULL;
	}
}

/* The kept ones' pasts: their parents', and this decision. @before: those of the beliefs there were. */
static int extend_pasts(struct beliefs *beliefs, struct past *const before[BELIEFS_MAX],
			const struct policy_outcome *outcome)
{
	for (unsigned i = 0; i < beliefs->count; i++) {
		struct belief *belief = beliefs->belief[i];

		belief->past = past_add(before[belief->parent], &belief->input);
		if (!belief->past)
			return -ENOMEM;
		past_reflect(belief->past, outcome);
	}
	return 0;
}

/* Which of two readings, if there are both, does the record speak for? Only where they differ does it tell. */
static void favour(const struct beliefs *beliefs, const struct period *period,
		   enum timer_reading one, enum timer_reading other, int *count)
{
	bool read[TIMER_READINGS] = {false}, right[TIMER_READINGS] = {false};

	for (unsigned i = 0; i < beliefs->child_count; i++) {
		const struct belief *child = beliefs->child[i];

		read[child->timer] = true;
		right[child->timer] |= child->decision.state == period->state;
	}
	if (!read[one] || !read[other])
		return;
	if (right[one] && !right[other] && *count < FAVOUR_MAX)
		(*count)++;
	if (right[other] && !right[one] && *count > -FAVOUR_MAX)
		(*count)--;
}

/* The readings of the decision just judged that share the best belief's history: which explain what the record chose? */
static void explained_by(const struct beliefs *beliefs, const struct period *period,
			 bool ret_explains[TIMER_READINGS])
{
	unsigned best = cheapest(beliefs);

	for (unsigned i = 0; i < beliefs->child_count; i++) {
		const struct belief *child = beliefs->child[i];

		if (child->parent == beliefs->child[best]->parent)
			ret_explains[child->timer] |= child->decision.state == period->state;
	}
}

/*
 * Between which times the next timer of @period may have been. It did not expire before the period's end; and where only
 * one end of all that is left explains the record's choice, it lay on that side of what the choice depends on. To be
 * called before the best readings are selected.
 */
static void note_bounds(const struct beliefs *beliefs, struct period *period)
{
	const struct belief *best = beliefs->child[cheapest(beliefs)];
	const struct cpir_table *table = beliefs->table;
	bool explains[TIMER_READINGS] = {false};
	int64_t exit_ns = (int64_t)period->exit_ns, bound_ns = best->sight.entry_ns;

	period->near_timer_ns = exit_ns;
	period->far_timer_ns = TIME_NONE;
	if (period->state < 0)
		return;
	explained_by(beliefs, period, explains);
	if (explains[TIMER_NEAR] == explains[TIMER_FAR])
		return;
	if (explains[TIMER_NEAR] && period->state + 1 < (int)table->count) {
		bound_ns += (int64_t)table->states[period->state + 1].target_residency_ns - 1;
		period->far_timer_ns = bound_ns > exit_ns ? bound_ns : exit_ns;
	}
	if (explains[TIMER_FAR]) {
		bound_ns += (int64_t)table->states[period->state].target_residency_ns;
		period->near_timer_ns = bound_ns > exit_ns ? bound_ns : exit_ns;
	}
}

/* Where the tick is only guessed to have come while the CPU polled, it did so only where it runs. */
static void reflect(struct beliefs *beliefs, unsigned i, const struct policy_outcome *outcome)
{
	struct policy_outcome told = *outcome;

	if (beliefs->unseen && outcome->poll_time_limit >= 0 && beliefs->belief[i]->tick_stopped)
		told.got_tick = false;
	beliefs->policy->ops->reflect(beliefs->policy, beliefs->table, beliefs->belief[i]->state,
				      &told);
}

/* The record polled to the limit, and no reading says why. */
static void explain_polling(struct beliefs *beliefs, const struct context *context,
			    const struct period *period)
{
	const struct belief *best = beliefs->child[cheapest(beliefs)];

	for (unsigned i = 0; i < beliefs->child_count; i++) {
		if (beliefs->child[i]->decision.state == period->state)
			return;
	}
	read_overdue(beliefs, context, period, &best->sight, best->parent, COST_CONTRIVED);
}

/* The trails of the kept: their parents', and this decision. If another way has led to the best one, it is the true one now. */
static void extend_trails(struct beliefs *beliefs, struct period *period)
{
	const struct trail *before = beliefs->trails[beliefs->now];
	struct trail *trails = beliefs->trails[!beliefs->now];

	for (unsigned i = 0; i < beliefs->count; i++) {
		trails[i] = before[beliefs->belief[i]->parent];
		trail_add(&trails[i], period, &beliefs->belief[i]->sight);
	}
	beliefs->now = !beliefs->now;
	if (beliefs->belief[0]->parent)
		trail_mark(&trails[0]);
}

void beliefs_settle(struct beliefs *beliefs)
{
	for (unsigned i = 0; i < BELIEFS_MAX; i++)
		trail_clear(&beliefs->trails[beliefs->now][i]);
}

int beliefs_learn(struct beliefs *beliefs, const struct context *context, struct period *period,
		  const struct policy_outcome *outcome)
{
	struct past *before[BELIEFS_MAX] = {NULL};
	int ret = 0;

	if (!beliefs->unseen)
		favour(beliefs, period, TIMER_OVERDUE, TIMER_NEAR, &beliefs->overdue_favour);
	if (!beliefs->unseen && outcome->poll_time_limit > 0)
		explain_polling(beliefs, context, period);
	for (unsigned i = 0; i < beliefs->count; i++)
		before[i] = beliefs->belief[i]->past;
	for (unsigned i = 0; i < beliefs->child_count; i++) {
		if (period->state >= 0 && beliefs->child[i]->decision.state != period->state)
			beliefs->child[i]->cost += COST_STATE;
	}
	if (beliefs->unseen && period->state >= 0)
		favour(beliefs, period, TIMER_NEAR, TIMER_FAR,
		       &beliefs->timer_favour[period->foreseen]);
	if (beliefs->unseen)
		note_bounds(beliefs, period);
	select_best(beliefs);
	beliefs->polled = outcome->poll_time_limit > 0;
	for (unsigned i = 0; i < beliefs->count; i++)
		reflect(beliefs, i, outcome);
	if (beliefs->unseen)
		extend_trails(beliefs, period);
	period->tick_kept = beliefs->belief[0]->sight.tick_kept;
	period->tick_stopped = beliefs->belief[0]->sight.tick_stopped;
	if (beliefs->unseen)
		period->next_hrtimer_ns = beliefs->belief[0]->sight.hrtimer_ns;
	period->overdue = beliefs->belief[0]->timer == TIMER_OVERDUE;
	if (beliefs->keep_past)
		ret = extend_pasts(beliefs, before, outcome);
	for (unsigned i = 0; i < BELIEFS_MAX; i++)
		past_unref(before[i]);
	return ret;
}
