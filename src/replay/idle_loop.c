// SPDX-License-Identifier: GPL-2.0-only
/*
 * The what-if run. Given, from the record: when the CPU ran out of work, and everything that then happened to it (tasks
 * woken, timers, interrupts). Simulated: the policy's decisions, its ticks, its polling time-outs and how late it wakes.
 *
 *  1. The stretch begins; the tick runs.
 *  2. The policy decides from what was pending at this point of the record.
 *  3. It may stop the tick, unless the wheel or the kernel needs it.
 *  4. The period ends at the earliest of: the next happening; the tick, if it runs; the polling limit. Happenings and
 *     ticks that wake no task do not end polling.
 *  5. A happening ends it with the delay it had in the record, corrected by what the state chosen now wakes slower or
 *     faster than the state recorded then; a tick with the state's own delay; a polling limit at once.
 *  6. Account as the kernel does and let the policy reflect. If a task was woken the stretch is over, else decide again.
 */
#include "replay/idle_loop.h"

#include <errno.h>

#include "replay/account.h"
#include "replay/inputs.h"

/* A stretch without an end in the record (the trace stopped) could tick for ever; nothing lives longer than this. */
#define MOVES_MAX 1000000

struct idle_loop {
	const struct context *context;
	const struct cpir_policy *policy;
	uint32_t cpus;
	char *states;
	bool *enabled;
	struct cpu_stats *stats;
	ARRAY(struct move) moves;
};

struct idle_loop *idle_loop_new(const struct context *context, const struct cpir_policy *policy,
				uint32_t cpus)
{
	struct idle_loop *loop = calloc(1, sizeof(*loop));

	if (!loop)
		return NULL;
	loop->context = context;
	loop->policy = policy;
	loop->cpus = cpus;
	loop->states = calloc(cpus ? cpus : 1, policy->ops->state_size);
	loop->enabled = calloc(cpus ? cpus : 1, sizeof(*loop->enabled));
	loop->stats = calloc(cpus ? cpus : 1, sizeof(*loop->stats));
	if (!loop->states || !loop->enabled || !loop->stats) {
		idle_loop_free(loop);
		return NULL;
	}
	return loop;
}

void idle_loop_free(struct idle_loop *loop)
{
	if (!loop)
		return;
	for (uint32_t cpu = 0; loop->stats && cpu < loop->cpus; cpu++)
		stats_deinit(&loop->stats[cpu]);
	free(loop->states);
	free(loop->enabled);
	free(loop->stats);
	array_free(&loop->moves);
	free(loop);
}

const struct move *idle_loop_moves(const struct idle_loop *loop, size_t *ret_count)
{
	*ret_count = loop->moves.len;
	return loop->moves.ptr;
}

const struct cpu_stats *idle_loop_stats(const struct idle_loop *loop, uint32_t cpu)
{
	return &loop->stats[cpu];
}

/* struct life - one CPU living through one stretch */
struct life {
	struct idle_loop *loop;
	const struct stretch *stretch;
	const struct cpir_table *table;
	struct cpu_stats *stats; /* NULL during warm-up */
	void *state;
	uint32_t disabled_mask;
	int64_t now_ns;	  /* when the period to be decided begins */
	int64_t entry_ns; /* idle entry time */
	int64_t tick_ns;  /* next tick, TIME_NONE: unknown tick rate */
	bool tick_stopped;
	uint32_t served; /* happenings served */
	uint32_t ordinal;
	size_t reference; /* the record's period whose pending timers hold now */
	bool over;
};

/* struct night - one simulated period */
struct night {
	struct policy_decision decision;
	uint32_t happenings,
		ordinal; /* where in the stretch it was decided, as struct move has it */
	int64_t end_ns;
	enum cpir_wake wake;
	bool got_tick, poll_timeout;
	const struct happening *ended_by; /* NULL: a tick or the polling limit */
};

static int64_t wake_delay_ns(const struct life *life, int state)
{
	return life->loop->context->learned->wake_delay_ns[state];
}

/* The record's last period that was decided with no more served than we have, and not later than now. */
static const struct period *reference_period(struct life *life)
{
	const struct stretch *stretch = life->stretch;

	while (life->reference + 1 < stretch->periods.len) {
		const struct period *next = &stretch->periods.ptr[life->reference + 1];
		const struct period *here = &stretch->periods.ptr[life->reference];

		if (next->happenings_before > life->served)
			break;
		if (here->happenings_before == life->served &&
		    (int64_t)next->enter_ns > life->now_ns)
			break;
		life->reference++;
	}
	return &stretch->periods.ptr[life->reference];
}

static struct sight see(struct life *life)
{
	const struct period *period = reference_period(life);
	struct sight sight = sight_of_period(life->loop->context, period);

	sight.entry_ns = life->entry_ns;
	sight.tick_stopped = life->tick_stopped;
	/* A stopped tick's timer is programmed for the wheel. */
	sight.tick_ns = life->tick_stopped ? sight.wheel_ns : life->tick_ns;
	return sight;
}

static void decide(struct life *life, struct night *night)
{
	const struct cpir_policy *policy = life->loop->policy;
	struct sight sight = see(life);
	struct policy_input input = inputs_build(life->loop->context, &sight, life->disabled_mask);

	policy->ops->select(policy, life->table, life->state, &input, &night->decision, NULL);
	if (!night->decision.stop_tick || life->tick_stopped ||
	    inputs_tick_needed(life->loop->context, &sight))
		return;
	life->tick_stopped = true;
	if (life->stats)
		life->stats->tick_stops++;
}

static const struct happening *happening_at(const struct life *life, uint32_t index)
{
	return index < life->stretch->happenings.len ? &life->stretch->happenings.ptr[index] : NULL;
}

/* When the period ends if @happening wakes it in @state. */
static int64_t end_by(const struct life *life, const struct happening *happening, int state)
{
	int64_t due_ns = (int64_t)happening->due_ns, delay_ns = 0;
	const struct period *then;

	if (happening->period != NO_PERIOD) {
		then = &life->stretch->periods.ptr[happening->period];
		delay_ns = (int64_t)then->exit_ns - due_ns;
		/* Handled in the middle of polling: the polling went on after it. */
		if (delay_ns > (int64_t)(happening->handled_ns - happening->due_ns) &&
		    life->table->states[then->state].polling && !happening->wakes_task)
			delay_ns = (int64_t)(happening->handled_ns - happening->due_ns);
		delay_ns -= wake_delay_ns(life, then->state);
	}
	delay_ns += wake_delay_ns(life, state);
	if (due_ns < life->now_ns)
		due_ns = life->now_ns;
	return delay_ns > 0 ? due_ns + delay_ns : due_ns;
}

static void serve_ticks(struct life *life, int64_t until_ns, struct night *night)
{
	while (!life->tick_stopped && life->tick_ns <= until_ns) {
		life->tick_ns += life->loop->context->clocks->tick_ns;
		life->entry_ns = until_ns;
		night->got_tick = true;
	}
}

/* Everything due by the end of the period is served by the one wake-up. */
static void serve_happenings(struct life *life, const struct night *night)
{
	const struct happening *happening;

	while ((happening = happening_at(life, life->served)) &&
	       ((int64_t)happening->due_ns <= night->end_ns || happening == night->ended_by)) {
		life->served++;
		life->ordinal = 0;
		life->over |= happening->wakes_task;
	}
}

static int64_t poll_limit_ns(const struct life *life, const struct policy_decision *decision)
{
	const struct context *context = life->loop->context;

	if (decision->poll_limit_ns >= 0)
		return decision->poll_limit_ns;
	if (context->platform->poll_limit_ns >= 0)
		return context->platform->poll_limit_ns;
	if (context->learned->poll_samples)
		return context->learned->poll_limit_ns;
	return policy_poll_limit_ns(life->loop->policy, life->table, life->disabled_mask);
}

/* Polling goes on through interrupts until a task is woken or the limit is reached. */
static void poll(struct life *life, struct night *night)
{
	int64_t limit_ns = life->now_ns + poll_limit_ns(life, &night->decision);
	const struct happening *happening;
	int64_t end_ns;

	night->end_ns = limit_ns;
	night->wake = CPIR_WAKE_POLL_LIMIT;
	night->poll_timeout = true;
	for (uint32_t i = life->served; (happening = happening_at(life, i)); i++) {
		end_ns = end_by(life, happening, night->decision.state);
		if ((int64_t)happening->due_ns > limit_ns)
			break;
		if (!happening->wakes_task) {
			life->entry_ns = end_ns;
			continue;
		}
		night->end_ns = end_ns;
		night->wake = happening->kind;
		night->poll_timeout = false;
		night->ended_by = happening;
		break;
	}
	serve_ticks(life, night->end_ns, night);
	serve_happenings(life, night);
}

/* Asleep: the first thing that happens ends it. */
static void sleep_until_woken(struct life *life, struct night *night)
{
	const struct happening *happening = happening_at(life, life->served);
	int64_t due_ns = happening ? (int64_t)happening->due_ns : TIME_NONE;
	int state = night->decision.state;

	if (!life->tick_stopped && life->tick_ns != TIME_NONE && life->tick_ns < due_ns) {
		due_ns = life->tick_ns > life->now_ns ? life->tick_ns : life->now_ns;
		night->end_ns = due_ns + wake_delay_ns(life, state);
		night->wake = CPIR_WAKE_TICK;
	} else if (happening) {
		night->end_ns = end_by(life, happening, state);
		night->wake = happening->kind;
		night->ended_by = happening;
	} else {
		night->end_ns = (int64_t)life->stretch->end_ns;
		night->wake = CPIR_WAKE_UNKNOWN;
		life->over = true;
	}
	if (night->end_ns < life->now_ns)
		night->end_ns = life->now_ns;
	serve_ticks(life, night->end_ns, night);
	serve_happenings(life, night);
}

static void reflect(struct life *life, const struct night *night, int64_t residency_ns)
{
	const struct cpir_policy *policy = life->loop->policy;
	int state = night->decision.state;
	struct policy_outcome outcome = {
		.entered = state,
		.residency_ns = residency_ns,
		.poll_time_limit = life->table->states[state].polling ? night->poll_timeout : -1,
		.got_tick = night->got_tick,
		.clock_ns = night->end_ns,
	};

	policy->ops->reflect(policy, life->table, life->state, &outcome);
}

static int count_latency(struct life *life, const struct night *night)
{
	const struct happening *by = night->ended_by;
	uint64_t latency_ns, first_task_ns = life->stretch->first_task_ns;
	int ret;

	if (!by || !by->due_known || night->end_ns < (int64_t)by->due_ns)
		return 0;
	latency_ns = (uint64_t)night->end_ns - by->due_ns;
	ret = hist_add(&life->stats->exit_latency, latency_ns);
	if (ret < 0 || !by->wakes_task || !first_task_ns || by->period == NO_PERIOD)
		return ret;
	/* From the idle exit to the task the same time passes as did in the record. */
	latency_ns += first_task_ns - life->stretch->periods.ptr[by->period].exit_ns;
	return hist_add(&life->stats->task_latency, latency_ns);
}

static int count(struct life *life, const struct night *night, uint64_t duration_ns)
{
	int state = night->decision.state;
	struct outcome outcome = {
		.state = state,
		.duration_ns = duration_ns,
		.miss = account_miss(life->table, life->disabled_mask, state, duration_ns),
		.wake = night->wake,
		.power_mw = life->table->states[state].power_mw,
	};
	struct move *move = array_add(&life->loop->moves);

	if (!move)
		return -ENOMEM;
	move->happenings = night->happenings;
	move->ordinal = night->ordinal;
	move->state = (int8_t)state;
	move->miss = (uint8_t)outcome.miss;
	if (!life->stats)
		return 0;
	stats_period(life->stats, &outcome);
	return count_latency(life, night);
}

/* From the end of a period to the next decision, as long as the record took for the like. */
static void wake_up(struct life *life, const struct night *night)
{
	const struct learned *learned = life->loop->context->learned;

	if (night->poll_timeout) {
		life->now_ns = night->end_ns + learned->gap_after_poll_ns;
		return;
	}
	life->now_ns = night->end_ns + learned->gap_after_wake_ns;
	life->entry_ns = life->now_ns - learned->entry_lead_ns[ENTRY_IRQ];
}

/* A task was woken while the CPU was awake: the governor may have been asked, but nothing is entered any more. */
static bool cancelled(struct life *life)
{
	const struct happening *next = happening_at(life, life->served);
	struct policy_outcome outcome = {.entered = -1, .poll_time_limit = -1};
	const struct cpir_policy *policy = life->loop->policy;
	struct night night;

	if (!next || !next->wakes_task || (int64_t)next->due_ns > life->now_ns ||
	    next->period != NO_PERIOD)
		return false;
	life->over = true;
	if ((int64_t)next->due_ns <= life->entry_ns)
		return true;
	decide(life, &night);
	policy->ops->reflect(policy, life->table, life->state, &outcome);
	return true;
}

static int live_one_night(struct life *life)
{
	struct night night = {
		.wake = CPIR_WAKE_UNKNOWN, .happenings = life->served, .ordinal = life->ordinal++};
	int64_t duration_ns;
	int ret;

	decide(life, &night);
	if (life->table->states[night.decision.state].polling)
		poll(life, &night);
	else
		sleep_until_woken(life, &night);
	duration_ns = night.end_ns - life->now_ns - life->loop->context->learned->residency_cost_ns;
	if (duration_ns < 0)
		duration_ns = 0;
	ret = count(life, &night, (uint64_t)duration_ns);
	reflect(life, &night, duration_ns);
	wake_up(life, &night);
	return ret;
}

/* The first tick of the stretch: as armed, else the next of the grid. */
static int64_t first_tick(const struct context *context, const struct period *first)
{
	int64_t base_ns;

	if (!first->tick_stopped && first->tick_ns != TIME_NONE)
		return first->tick_ns;
	base_ns = clocks_tick_base(context->clocks, (int64_t)first->enter_ns);
	return base_ns == TIME_NONE ? TIME_NONE : base_ns + context->clocks->tick_ns;
}

static bool life_begin(struct life *life, struct idle_loop *loop, const struct stretch *stretch)
{
	const struct cpir_table *table = cpir_platform_table(loop->context->platform, stretch->cpu);
	const struct period *first = stretch->periods.ptr;
	struct sight sight;

	if (!table || stretch->cpu >= loop->cpus || !stretch->periods.len || first->cut ||
	    !first->decided || stretch->lost)
		return false;
	sight = sight_of_period(loop->context, first);
	*life = (struct life){
		.loop = loop,
		.stretch = stretch,
		.table = table,
		.state = loop->states + stretch->cpu * loop->policy->ops->state_size,
		.disabled_mask = context_disabled(loop->context, table),
		.now_ns = (int64_t)first->enter_ns,
		.entry_ns = sight.entry_ns,
		.tick_ns = first_tick(loop->context, first),
		.tick_stopped = first->tick_stopped,
		.served = first->happenings_before,
	};
	if (!loop->enabled[stretch->cpu]) {
		loop->policy->ops->enable(loop->policy, table, life->state);
		loop->enabled[stretch->cpu] = true;
	}
	return true;
}

int idle_loop_stretch(struct idle_loop *loop, const struct stretch *stretch, bool counts)
{
	struct life life;
	int ret = 0;

	array_clear(&loop->moves);
	if (!life_begin(&life, loop, stretch))
		return 0;
	if (counts)
		life.stats = &loop->stats[stretch->cpu];
	while (!life.over && !ret && loop->moves.len < MOVES_MAX) {
		if (!cancelled(&life))
			ret = live_one_night(&life);
	}
	return ret;
}
