// SPDX-License-Identifier: GPL-2.0-only
/* Mergeable statistics of one run. */
#include "replay/stats.h"

void stats_period(struct cpu_stats *stats, const struct outcome *outcome)
{
	struct cpir_state_totals *state = &stats->states[outcome->state];

	stats->usage++;
	stats->idle_ns += outcome->duration_ns;
	stats->wakes[outcome->wake]++;
	stats->tick_wakeups += outcome->wake == CPIR_WAKE_TICK;
	state->usage++;
	state->time_ns += outcome->duration_ns;
	stats->above += outcome->miss == MISS_ABOVE;
	state->above += outcome->miss == MISS_ABOVE;
	stats->below += outcome->miss == MISS_BELOW;
	state->below += outcome->miss == MISS_BELOW;
	if (outcome->power_mw >= 0)
		stats->energy_pj += (uint64_t)outcome->power_mw * outcome->duration_ns;
}

int stats_merge(struct cpu_stats *stats, const struct cpu_stats *from)
{
	int ret;

	stats->usage += from->usage;
	stats->above += from->above;
	stats->below += from->below;
	stats->rejected += from->rejected;
	stats->idle_ns += from->idle_ns;
	stats->tick_wakeups += from->tick_wakeups;
	stats->tick_stops += from->tick_stops;
	stats->kernel_above += from->kernel_above;
	stats->kernel_below += from->kernel_below;
	stats->energy_pj += from->energy_pj;
	for (unsigned i = 0; i < CPIR_STATES_MAX; i++) {
		stats->states[i].usage += from->states[i].usage;
		stats->states[i].time_ns += from->states[i].time_ns;
		stats->states[i].above += from->states[i].above;
		stats->states[i].below += from->states[i].below;
	}
	for (unsigned i = 0; i < CPIR_WAKE_COUNT; i++)
		stats->wakes[i] += from->wakes[i];
	ret = hist_merge(&stats->exit_latency, &from->exit_latency);
	return ret < 0 ? ret : hist_merge(&stats->task_latency, &from->task_latency);
}

void stats_deinit(struct cpu_stats *stats)
{
	hist_deinit(&stats->exit_latency);
	hist_deinit(&stats->task_latency);
}

static struct cpir_latency latency_of(const struct hist *hist)
{
	return (struct cpir_latency){
		.count = hist->count,
		.sum_ns = hist->sum,
		.p50_ns = hist_quantile(hist, 5000),
		.p90_ns = hist_quantile(hist, 9000),
		.p99_ns = hist_quantile(hist, 9900),
		.max_ns = hist->max,
	};
}

void stats_totals(const struct cpu_stats *stats, uint32_t state_count,
		  struct cpir_totals *ret_totals)
{
	*ret_totals = (struct cpir_totals){
		.usage = stats->usage,
		.above = stats->above,
		.below = stats->below,
		.rejected = stats->rejected,
		.idle_ns = stats->idle_ns,
		.tick_wakeups = stats->tick_wakeups,
		.tick_stops = stats->tick_stops,
		.state_count = state_count,
		.exit_latency = latency_of(&stats->exit_latency),
		.task_latency = latency_of(&stats->task_latency),
		.kernel_above = stats->kernel_above,
		.kernel_below = stats->kernel_below,
		.energy_nj = stats->energy_pj / 1000,
	};
	for (unsigned i = 0; i < CPIR_STATES_MAX; i++)
		ret_totals->states[i] = stats->states[i];
	for (unsigned i = 0; i < CPIR_WAKE_COUNT; i++)
		ret_totals->wakes[i] = stats->wakes[i];
}
