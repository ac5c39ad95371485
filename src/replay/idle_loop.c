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
#include "replay/life.h"

/*
 * Between two things that happen in the record, a CPU whose tick runs on decides at every tick. So many more decisions than
 * there are things may come on average, beside some to begin with; more (times in the trace are absurd) nobody waits for.
 */
#define PATIENCE 100000
#define PATIENCE_EACH 1000

struct idle_loop {
	const struct context *context;
	const struct cpir_policy *policy;
	uint32_t cpus;
	enum bound bound;
	char *states;
	bool *enabled;
	uint64_t *patience; /* per CPU: so many more decisions */
	struct cpu_stats *stats;
	uint64_t cut; /* stretches that were not lived to their end */
	ARRAY(struct move) moves;
};

struct idle_loop *idle_loop_new(const struct context *context, const struct cpir_policy *policy,
				enum bound bound)
{
	uint32_t cpus = context->cpus;
	struct idle_loop *loop = calloc(1, sizeof(*loop));

	if (!loop)
		return NULL;
	loop->context = context;
	loop->policy = policy;
	loop->cpus = cpus;
	loop->bound = bound;
	loop->states = calloc(cpus ? cpus : 1, policy_state_size(policy));
	loop->enabled = calloc(cpus ? cpus : 1, sizeof(*loop->enabled));
	loop->patience = calloc(cpus ? cpus : 1, sizeof(*loop->patience));
	loop->stats = calloc(cpus ? cpus : 1, sizeof(*loop->stats));
	if (!loop->states || !loop->enabled || !loop->patience || !loop->stats) {
		idle_loop_free(loop);
		return NULL;
	}
	for (uint32_t cpu = 0; cpu < cpus; cpu++)
		loop->patience[cpu] = PATIENCE;
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
	free(loop->patience);
	free(loop->stats);
	array_free(&loop->moves);
	free(loop);
}

const struct move *idle_loop_moves(const struct idle_loop *loop, size_t *ret_count)
{
	*ret_count = loop->moves.len;
	return loop->moves.ptr;
}

uint64_t idle_loop_cut(const struct idle_loop *loop)
{
	return loop->cut;
}

const struct cpu_stats *idle_loop_stats(const struct idle_loop *loop, uint32_t cpu)
{
	return &loop->stats[cpu];
}

static void reflect(struct life *life, const struct night *night, int64_t residency_ns)
{
	int state = night->decision.state;
	struct policy_outcome outcome = {
		.entered = state,
		.residency_ns = residency_ns,
		.poll_time_limit = life->table->states[state].polling ? night->poll_timeout : -1,
		.got_tick = night->got_tick,
		.clock_ns = night->end_ns,
	};

	life->policy->ops->reflect(life->policy, life->table, life->state, &outcome);
}

static int count_latency(const struct life *life, const struct night *night,
			 struct cpu_stats *stats)
{
	const struct happening *by = night->ended_by;
	uint64_t latency_ns, first_task_ns = life->stretch->first_task_ns;
	int ret;

	if (!by || !by->due_known || night->end_ns < (int64_t)by->due_ns)
		return 0;
	latency_ns = (uint64_t)night->end_ns - by->due_ns;
	ret = hist_add(&stats->exit_latency, latency_ns);
	if (ret < 0 || !by->wakes_task || !first_task_ns || by->period == NO_PERIOD)
		return ret;
	/* From the idle exit to the task the same time passes as did in the record. */
	latency_ns += first_task_ns - life->stretch->periods.ptr[by->period].exit_ns;
	return hist_add(&stats->task_latency, latency_ns);
}

static int note_move(struct idle_loop *loop, const struct night *night, enum miss miss)
{
	struct move *move = array_add(&loop->moves);

	if (!move)
		return -ENOMEM;
	move->happenings = night->happenings;
	move->ordinal = night->ordinal;
	move->state = (int8_t)night->decision.state;
	move->miss = (uint8_t)miss;
	return 0;
}

/* @stats is NULL during warm-up. */
static int count(struct idle_loop *loop, const struct life *life, const struct night *night,
		 struct cpu_stats *stats, uint64_t duration_ns)
{
	int state = night->decision.state;
	struct outcome outcome = {
		.state = state,
		.duration_ns = duration_ns,
		.miss = account_miss(life->table, life->disabled_mask, state, duration_ns),
		.wake = night->wake,
		.power_mw = life->table->states[state].power_mw,
	};
	int ret = note_move(loop, night, outcome.miss);

	if (ret < 0 || !stats)
		return ret;
	stats_period(stats, &outcome);
	stats->tick_stops += night->stopped_tick;
	return count_latency(life, night, stats);
}

/* A task was woken while the CPU was awake: the governor may have been asked, but nothing is entered any more. */
static bool cancelled(struct life *life)
{
	const struct happening *next = life_next(life);
	struct policy_outcome outcome = {.entered = -1, .poll_time_limit = -1};
	struct night night;

	if (!next || !next->wakes_task || (int64_t)next->due_ns > life->now_ns ||
	    next->period != NO_PERIOD)
		return false;
	life->over = true;
	if ((int64_t)next->due_ns <= life->entry_ns)
		return true;
	night_decide(life, &night);
	life->policy->ops->reflect(life->policy, life->table, life->state, &outcome);
	return true;
}

/* The record ends with nothing known to wake the CPU: it is not known how this period would have ended. */
static bool unfinished(const struct life *life, const struct night *night)
{
	return !night->ended_by && !life_next(life) && !life->over &&
	       night->end_ns >= (int64_t)life->stretch->end_ns;
}

/* What the kernel's clock shows of a period that lasts @elapsed_ns in the trace. */
static int64_t kernel_time(int64_t elapsed_ns, int64_t cost_ns)
{
	return elapsed_ns > cost_ns ? elapsed_ns - cost_ns : 0;
}

static int live_one_night(struct idle_loop *loop, struct life *life, struct cpu_stats *stats)
{
	struct night night = {.happenings = life->served, .ordinal = life->ordinal++};
	int64_t begin_ns = life->now_ns, elapsed_ns;

	night_decide(life, &night);
	night_live(life, &night);
	if (unfinished(life, &night)) {
		life->over = true;
		return 0;
	}
	elapsed_ns = night.end_ns - begin_ns;
	reflect(life, &night, kernel_time(elapsed_ns, life->context->learned->residency_cost_ns));
	if (!context_counts(life->context, (uint64_t)begin_ns, (uint64_t)night.end_ns))
		return 0;
	return count(loop, life, &night, stats,
		     (uint64_t)kernel_time(elapsed_ns, life->context->learned->account_cost_ns));
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

	if (!table || stretch->cpu >= loop->cpus || !stretch->periods.len || first->cut ||
	    !first->decided || stretch->lost)
		return false;
	*life = (struct life){
		.context = loop->context,
		.policy = loop->policy,
		.bound = loop->bound,
		.stretch = stretch,
		.table = table,
		.state = loop->states + stretch->cpu * policy_state_size(loop->policy),
		.disabled_mask = first->disabled_mask | loop->context->disable_mask,
		.now_ns = (int64_t)first->enter_ns,
		.entry_ns = entry_of_period(loop->context, first),
		.tick_ns = first_tick(loop->context, first),
		.tick_stopped = first->tick_stopped,
		.served = first->happenings_before,
		.ordinal = 0,
		.reference = 0,
		.over = false,
	};
	if (!loop->enabled[stretch->cpu]) {
		loop->policy->ops->enable(loop->policy, table, life->state);
		loop->enabled[stretch->cpu] = true;
	}
	return true;
}

int idle_loop_seed(struct idle_loop *loop, uint32_t cpu, const struct cpir_policy *policy,
		   const struct past *past)
{
	const struct cpir_table *table = cpir_platform_table(loop->context->platform, cpu);
	char *state = loop->states + cpu * policy_state_size(loop->policy);

	if (!table || !past || cpu >= loop->cpus ||
	    strcmp(policy->ops->name, loop->policy->ops->name) != 0)
		return 0;
	loop->enabled[cpu] = true;
	return past_live(past, loop->policy, table, state);
}

int idle_loop_stretch(struct idle_loop *loop, const struct stretch *stretch, bool counts)
{
	struct life life;
	uint64_t *patience;
	int ret = 0;

	array_clear(&loop->moves);
	if (!life_begin(&life, loop, stretch))
		return 0;
	patience = &loop->patience[stretch->cpu];
	*patience += PATIENCE_EACH * (stretch->periods.len + stretch->happenings.len);
	for (; !life.over && !ret && *patience; --*patience) {
		if (!cancelled(&life))
			ret = live_one_night(loop, &life,
					     counts ? &loop->stats[stretch->cpu] : NULL);
	}
	loop->cut += !life.over && !ret;
	return ret;
}
