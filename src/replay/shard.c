// SPDX-License-Identifier: GPL-2.0-only
/* One share of the CPUs: each stretch goes through the count of the record, the verification run and the what-if runs. */
#include "replay/shard.h"

#include <errno.h>

#include "replay/account.h"
#include "replay/study.h"

/* Two readings of a duration this close to a threshold may lie on its two sides: clock granularity and event cost. */
#define BOUNDARY_NS 3000

static void check_miss(struct shard *shard, const struct period *period, enum miss miss,
		       uint64_t distance_ns)
{
	struct cpir_miss_check *check = &shard->miss_check;

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

static void record_period(struct shard *shard, const struct cpir_table *table,
			  const struct stretch *stretch, const struct period *period)
{
	const struct study *study = shard->study;
	struct cpu_stats *stats = &study->record[stretch->cpu];
	uint32_t mask = period->disabled_mask | study->context.disable_mask;
	int64_t ns = (int64_t)(period->exit_ns - period->enter_ns) - study->learned.account_cost_ns;
	uint64_t duration_ns = ns > 0 ? (uint64_t)ns : 0;
	struct outcome outcome = {
		.state = period->state,
		.duration_ns = duration_ns,
		.miss = account_miss(table, mask, period->state, duration_ns),
		.wake = stretch_woken_by(stretch, period),
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
		check_miss(shard, period, outcome.miss, distance_ns);
}

/* As the what-if runs measure it: from what ended the period, if that is known, to its end. */
static int record_latency(struct cpu_stats *stats, const struct stretch *stretch,
			  const struct period *period)
{
	const struct happening *cause = stretch_cause(stretch, period);
	int ret;

	if (!cause || !cause->due_known || period->exit_ns < cause->due_ns)
		return 0;
	ret = hist_add(&stats->exit_latency, period->exit_ns - cause->due_ns);
	if (!ret && cause->wakes_task && stretch->first_task_ns > cause->due_ns)
		ret = hist_add(&stats->task_latency, stretch->first_task_ns - cause->due_ns);
	return ret;
}

/* What the record did in one stretch. */
static int record_stretch(struct shard *shard, const struct stretch *stretch)
{
	const struct study *study = shard->study;
	const struct cpir_table *table = cpir_platform_table(study->platform, stretch->cpu);

	int ret = 0;

	for (size_t i = 0; i < stretch->periods.len && !ret; i++) {
		const struct period *period = &stretch->periods.ptr[i];

		shard->foreign_states += period->foreign;
		if (period->cut || period->state < 0 ||
		    !context_counts(&study->context, period->enter_ns, period->exit_ns))
			continue;
		record_period(shard, table, stretch, period);
		if (!study->coarse)
			ret = record_latency(&study->record[stretch->cpu], stretch, period);
	}
	return ret;
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

/* Some of it may count. */
static bool wanted(const struct study *study, const struct stretch *stretch)
{
	const struct context *context = &study->context;

	return cpu_set_test(&study->cpus, stretch->cpu) && stretch->end_ns >= context->from_ns &&
	       (!context->to_ns || stretch->begin_ns <= context->to_ns);
}

/* The warm-up is over: the what-if runs go on from the history that the recording governor has by now. */
static int seed(struct shard *shard, uint32_t cpu)
{
	struct study *study = shard->study;
	int ret = 0;

	study->warm_ups[cpu].over = true;
	if (!shard->what_ifs.len)
		return 0;
	for (size_t i = 0; i < shard->what_ifs.len; i++) {
		struct idle_loop *const *loops = shard->what_ifs.ptr[i].loops;

		for (int bound = 0; bound < BOUNDS && loops[bound] && !ret; bound++)
			ret = idle_loop_seed(loops[bound], cpu, study->baseline,
					     verify_past(shard->verify, cpu));
	}
	verify_forget_past(shard->verify, cpu);
	return ret;
}

static int live_what_ifs(struct shard *shard, const struct stretch *stretch, bool counts)
{
	int ret = 0;

	for (size_t i = 0; i < shard->what_ifs.len && !ret; i++) {
		struct what_if *what_if = &shard->what_ifs.ptr[i];

		for (int bound = 0; bound < BOUNDS && what_if->loops[bound] && !ret; bound++)
			ret = idle_loop_stretch(what_if->loops[bound], stretch, counts);
		if (i && counts && !ret)
			compare_moves(&shard->what_ifs.ptr[0], what_if);
	}
	return ret;
}

/* Without timer events what follows may tell more of a decision's inputs. */
static int put_off(struct shard *shard, const struct stretch *stretch)
{
	const struct stretch **place = array_add_raw(&shard->later);

	if (!place)
		return -ENOMEM;
	*place = stretch;
	return 0;
}

int shard_stretch(struct shard *shard, struct stretch *stretch)
{
	struct study *study = shard->study;
	struct warm_up *warm_up = &study->warm_ups[stretch->cpu];
	bool counts =
		study->options->mode == CPIR_REPORT || warm_up->decisions >= study->context.warmup;
	uint64_t decisions = decisions_in(stretch);
	int ret = 0;

	if (!counts) {
		warm_up->left_out += decisions;
		warm_up->end_ns = stretch->end_ns;
	}
	counts = counts && wanted(study, stretch);
	warm_up->decisions += decisions;
	if (counts)
		ret = record_stretch(shard, stretch);
	if (counts && !warm_up->over && !ret)
		ret = seed(shard, stretch->cpu);
	if (shard->verify && !ret)
		ret = verify_stretch(shard->verify, stretch, counts);
	if (study->explain && !ret)
		ret = explain_stretch(study->explain, stretch, counts);
	if (!ret && warm_up->over && !study->context.known.hrtimers)
		return put_off(shard, stretch);
	return ret ? ret : live_what_ifs(shard, stretch, counts);
}

/* All that the record says of them is known. */
static int live_later(struct shard *shard)
{
	int ret = 0;

	for (size_t i = 0; i < shard->later.len && !ret; i++)
		ret = live_what_ifs(shard, shard->later.ptr[i],
				    wanted(shard->study, shard->later.ptr[i]));
	array_clear(&shard->later);
	if (shard->verify)
		verify_settle(shard->verify);
	return ret;
}

void shard_book(struct study *study, unsigned index, struct book *book)
{
	struct shard *shard = &study->shards[index];

	for (size_t i = 0; i < book->stretches.len && !shard->failure; i++) {
		uint32_t cpu = book->stretches.ptr[i].cpu;

		if (shard_of(cpu, study->info->cpus, study->shard_count) == index)
			shard->failure = shard_stretch(shard, book_stretch(book, i));
	}
	if (!shard->failure)
		shard->failure = live_later(shard);
}

/* ---- making and freeing -------------------------------------------------------------------------------------------- */

static int add_what_if(struct shard *shard, struct cpir_policy *policy)
{
	const struct context *context = &shard->study->context;
	struct what_if *what_if = array_add(&shard->what_ifs);

	if (!what_if)
		return -ENOMEM;
	what_if->policy = policy;
	for (int bound = 0; bound < (context->known.hrtimers ? 1 : BOUNDS); bound++) {
		what_if->loops[bound] = idle_loop_new(context, policy, bound);
		if (!what_if->loops[bound])
			return -ENOMEM;
	}
	return 0;
}

int shard_init(struct shard *shard, struct study *study)
{
	shard->study = study;
	if (!study->baseline)
		return 0;
	shard->verify = verify_new(&study->context, study->baseline, study->info->cpus);
	if (!shard->verify)
		return -ENOMEM;
	if (study->simulated.len)
		verify_keep_past(shard->verify);
	for (size_t i = 0; i < study->simulated.len; i++) {
		if (add_what_if(shard, study->simulated.ptr[i]) < 0)
			return -ENOMEM;
	}
	return 0;
}

void shard_deinit(struct shard *shard)
{
	for (size_t i = 0; i < shard->what_ifs.len; i++) {
		for (int bound = 0; bound < BOUNDS; bound++)
			idle_loop_free(shard->what_ifs.ptr[i].loops[bound]);
	}
	array_free(&shard->what_ifs);
	array_free(&shard->later);
	verify_free(shard->verify);
}
