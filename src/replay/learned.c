// SPDX-License-Identifier: GPL-2.0-only
/*
 * Learning a machine's constants from its recording.
 *
 * The idle entry time lies after sched_switch by a part of the way to cpu_idle; measured on machines that show it,
 * about 0.4 of that way.
 */
#include "replay/learned.h"

#include <errno.h>

#define MIN_SAMPLES 20
#define MIN_TICKS 10
#define TICK_EARLY_NS                                                                              \
	300000 /* so much before its tick may a period end: the grid is where the ends gather */
#define SWITCH_ENTRY_PERCENT 40
#define IRQ_ENTRY_PERCENT 50

struct learn {
	const struct cpir_platform *platform;
	struct hist entry_gap[ENTRY_KINDS][2]; /* event to cpu_idle, [1]: stopping the tick */
	struct hist wake_way
		[2]; /* last interrupt event to cpu_idle after a wake-up, [1]: stopping the tick */
	struct hist amid_way; /* the same where that event was written in its midst */
	struct hist gap_wake, gap_poll, poll_limit;
	struct hist wake[CPIR_STATES_MAX];
	struct hist tick[CPIR_STATES_MAX]; /* tick to the end of the period, + TICK_EARLY_NS */
};

struct learn *learn_new(const struct cpir_platform *platform)
{
	struct learn *learn = calloc(1, sizeof(*learn));

	if (!learn)
		return NULL;
	learn->platform = platform;
	return learn;
}

void learn_free(struct learn *learn)
{
	if (!learn)
		return;
	for (unsigned i = 0; i < ENTRY_KINDS; i++)
		for (unsigned stops = 0; stops < 2; stops++)
			hist_deinit(&learn->entry_gap[i][stops]);
	for (unsigned i = 0; i < CPIR_STATES_MAX; i++) {
		hist_deinit(&learn->wake[i]);
		hist_deinit(&learn->tick[i]);
	}
	hist_deinit(&learn->wake_way[0]);
	hist_deinit(&learn->wake_way[1]);
	hist_deinit(&learn->amid_way);
	hist_deinit(&learn->gap_wake);
	hist_deinit(&learn->gap_poll);
	hist_deinit(&learn->poll_limit);
	free(learn);
}

static int learn_gaps(struct learn *learn, const struct stretch *stretch, size_t i)
{
	const struct period *period = &stretch->periods.ptr[i];
	const struct period *before = i ? period - 1 : NULL;
	int ret = 0;

	if (before)
		ret = hist_add(before->poll_timeout ? &learn->gap_poll : &learn->gap_wake,
			       period->enter_ns - before->exit_ns);
	/* A poll time-out leaves the entry time where it was, the midst of an interrupt is not its end: nothing to learn there. */
	if (!ret && !(before && before->poll_timeout) && !period_amid_interrupt(period))
		ret = hist_add(&learn->entry_gap[period->entry_kind][period->stopped_tick],
			       period->enter_ns - period->entry_ns);
	if (!ret && period->after_wake && period->entry_kind == ENTRY_IRQ &&
	    !period_amid_interrupt(period))
		ret = hist_add(&learn->wake_way[period->stopped_tick],
			       period->enter_ns - period->entry_ns);
	if (!ret && period->after_wake && period_amid_interrupt(period) && !period->stopped_tick)
		ret = hist_add(&learn->amid_way, period->enter_ns - period->entry_ns);
	if (!ret && period->poll_timeout)
		ret = hist_add(&learn->poll_limit, period->exit_ns - period->enter_ns);
	return ret;
}

static int learn_tick(struct learn *learn, const struct cpir_table *table,
		      const struct period *period)
{
	int64_t late_ns = (int64_t)period->exit_ns + TICK_EARLY_NS - period->tick_ns;

	if (period->wake != CPIR_WAKE_TICK || period->tick_ns == TIME_NONE || late_ns < 0 ||
	    (uint32_t)period->state >= table->count || table->states[period->state].polling)
		return 0;
	return hist_add(&learn->tick[period->state], (uint64_t)late_ns);
}

/* One sample of a period, from what ended it: what came due while the CPU was late already says nothing of the state. */
static int learn_wake(struct learn *learn, const struct stretch *stretch,
		      const struct period *period)
{
	const struct happening *cause = stretch_cause(stretch, period);

	if (!cause || period->poll_timeout || !cause->due_known ||
	    cause->due_ns < period->enter_ns || cause->due_ns > period->exit_ns)
		return 0;
	return hist_add(&learn->wake[period->state], period->exit_ns - cause->due_ns);
}

int learn_stretch(struct learn *learn, const struct stretch *stretch)
{
	const struct cpir_table *table = cpir_platform_table(learn->platform, stretch->cpu);

	if (!table || stretch->lost)
		return 0;
	for (size_t i = 0; i < stretch->periods.len; i++) {
		const struct period *period = &stretch->periods.ptr[i];
		int ret;

		if (period->cut || period->state < 0)
			continue;
		ret = learn_gaps(learn, stretch, i);
		if (!ret)
			ret = learn_tick(learn, table, period);
		if (!ret)
			ret = learn_wake(learn, stretch, period);
		if (ret < 0)
			return ret;
	}
	return 0;
}

static int64_t median(const struct hist *hist)
{
	return (int64_t)hist_quantile(hist, 5000);
}

/* A quantile of both kinds of @ways. To stop the tick on one takes about half as long again. */
static void two_ways(const struct hist ways[2], unsigned quantile, int64_t ret_ns[2])
{
	ret_ns[0] = (int64_t)hist_quantile(&ways[0], quantile);
	ret_ns[1] = ways[1].count >= MIN_SAMPLES ? (int64_t)hist_quantile(&ways[1], quantile)
						 : ret_ns[0] * 3 / 2;
}

/* The shortest ways are those that hide nothing. */
static void learn_ways(const struct learn *learn, struct learned *learned)
{
	two_ways(learn->wake_way, 1000, learned->wake_way_ns);
	two_ways(learn->wake_way, 5000, learned->wake_usual_ns);
	two_ways(learn->entry_gap[ENTRY_SWITCH], 5000, learned->first_way_ns);
	learned->amid_way_ns = learn->amid_way.count >= MIN_SAMPLES ? median(&learn->amid_way) : 0;
}

/* ---- wake delays ----------------------------------------------------------------------------------------------------- */

static void delay_is(struct learned *learned, unsigned state, int64_t delay_ns, uint64_t samples,
		     enum cpir_delay_from from)
{
	learned->wake_delay_ns[state] = delay_ns;
	learned->wake_samples[state] = samples;
	learned->wake_from[state] = from;
}

/* Returns: whether any state's is known. */
static bool delays_of_wakings(const struct learn *learn, struct learned *learned)
{
	bool any = false;

	for (unsigned i = 0; i < CPIR_STATES_MAX; i++) {
		if (learn->wake[i].count < MIN_SAMPLES)
			continue;
		delay_is(learned, i, median(&learn->wake[i]), learn->wake[i].count,
			 CPIR_DELAY_WAKINGS);
		any = true;
	}
	return any;
}

/* No time of any waking is known. When the tick ended a period shows at least what one state takes longer than another. */
static void delays_of_ticks(const struct learn *learn, struct learned *learned)
{
	int64_t least_ns = INT64_MAX;

	for (unsigned i = 0; i < CPIR_STATES_MAX; i++) {
		if (learn->tick[i].count >= MIN_TICKS && median(&learn->tick[i]) < least_ns)
			least_ns = median(&learn->tick[i]);
	}
	for (unsigned i = 0; i < CPIR_STATES_MAX; i++) {
		if (learn->tick[i].count >= MIN_TICKS)
			delay_is(learned, i, median(&learn->tick[i]) - least_ns,
				 learn->tick[i].count, CPIR_DELAY_TICKS);
	}
}

/* A state of which nothing is known takes longer than the next shallower one by what its driver claims. */
static void delays_of_table(const struct cpir_table *table, struct learned *learned)
{
	int64_t delay_ns = 0, latency_ns = 0;

	for (unsigned i = 0; table && i < table->count; i++) {
		int64_t own_ns = (int64_t)table->states[i].exit_latency_ns;

		if (learned->wake_from[i] == CPIR_DELAY_TABLE)
			learned->wake_delay_ns[i] = delay_ns + own_ns - latency_ns;
		delay_ns = learned->wake_delay_ns[i];
		latency_ns = own_ns;
	}
}

static void learn_delays(const struct learn *learn, const struct cpir_table *table,
			 struct learned *learned)
{
	if (!delays_of_wakings(learn, learned))
		delays_of_ticks(learn, learned);
	delays_of_table(table, learned);
}

void learn_finish(struct learn *learn, const struct cpir_table *table, struct learned *ret_learned)
{
	struct learned learned = {0};
	static const int percent[ENTRY_KINDS] = {
		[ENTRY_SWITCH] = SWITCH_ENTRY_PERCENT,
		[ENTRY_IRQ] = IRQ_ENTRY_PERCENT,
	};

	for (unsigned i = 0; i < ENTRY_KINDS; i++) {
		const struct hist *gaps = learn->entry_gap[i];
		bool some = gaps[0].count >= MIN_SAMPLES || gaps[0].count >= gaps[1].count;
		/* Stopping the tick comes after the entry and makes the way longer: better no part in it. */
		int64_t way_ns = median(&gaps[!some]);

		learned.entry_samples[i] = gaps[0].count + gaps[1].count;
		learned.entry_delay_ns[i] = way_ns * percent[i] / 100;
		learned.entry_lead_ns[i] = way_ns - learned.entry_delay_ns[i];
	}
	learn_ways(learn, &learned);
	learned.gap_after_wake_ns = median(&learn->gap_wake);
	learned.gap_after_poll_ns = median(&learn->gap_poll);
	learned.poll_limit_ns = median(&learn->poll_limit);
	learned.poll_samples = learn->poll_limit.count;
	learn_delays(learn, table, &learned);
	*ret_learned = learned;
}
