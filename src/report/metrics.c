// SPDX-License-Identifier: GPL-2.0-only
/* Numbers derived from totals. */
#include "report/metrics.h"

static struct cell count(uint64_t value)
{
	return (struct cell){.type = CELL_COUNT, .value = value};
}

static struct cell duration(uint64_t ns)
{
	return (struct cell){.type = CELL_DURATION, .value = ns};
}

static struct cell percent(uint64_t part, uint64_t whole)
{
	return (struct cell){.type = CELL_PERCENT, .percent = {part, whole}};
}

static struct cell none(void)
{
	return (struct cell){.type = CELL_NONE};
}

static struct cell mean(uint64_t sum_ns, uint64_t n)
{
	return n ? duration(sum_ns / n + (sum_ns % n >= n - n / 2)) : none();
}

/* A field of a struct, as a count or a duration. */
#define FIELD(name, type, field, make)                                                             \
	static struct cell name(const void *from)                                                  \
	{                                                                                          \
		return make(((const struct type *)from)->field);                                   \
	}

/* A field of a latency, undefined without samples. */
#define LATENCY_FIELD(name, field)                                                                 \
	static struct cell name(const void *from)                                                  \
	{                                                                                          \
		const struct cpir_latency *latency = from;                                         \
                                                                                                   \
		return latency->count ? duration(latency->field) : none();                         \
	}

/* A range, undefined when all inputs were known. */
#define RANGE_FIELD(name, field)                                                                   \
	static struct cell name(const void *from)                                                  \
	{                                                                                          \
		const struct cpir_totals *totals = from;                                           \
                                                                                                   \
		if (!totals->has_range)                                                            \
			return none();                                                             \
		return (struct cell){.type = CELL_RANGE, .range = totals->field};                  \
	}

FIELD(get_usage, cpir_totals, usage, count)
FIELD(get_idle, cpir_totals, idle_ns, duration)
FIELD(get_tick_wakeups, cpir_totals, tick_wakeups, count)
FIELD(get_latency_count, cpir_latency, count, count)
LATENCY_FIELD(get_latency_p50, p50_ns)
LATENCY_FIELD(get_latency_p90, p90_ns)
LATENCY_FIELD(get_latency_p99, p99_ns)
LATENCY_FIELD(get_latency_max, max_ns)
LATENCY_FIELD(get_latency_total, sum_ns)
RANGE_FIELD(get_range_usage, range_usage)
RANGE_FIELD(get_range_above, range_above)
RANGE_FIELD(get_range_below, range_below)

static struct cell get_tick_stops(const void *from)
{
	const struct cpir_totals *totals = from;

	return totals->tick_stops_unknown ? none() : count(totals->tick_stops);
}

static struct cell get_above(const void *from)
{
	const struct cpir_totals *totals = from;

	return totals->miss_unknown ? none() : count(totals->above);
}

static struct cell get_below(const void *from)
{
	const struct cpir_totals *totals = from;

	return totals->miss_unknown ? none() : count(totals->below);
}

static struct cell get_rejected(const void *from)
{
	const struct cpir_totals *totals = from;

	return totals->rejected_known ? count(totals->rejected) : none();
}

static struct cell get_above_percent(const void *from)
{
	const struct cpir_totals *totals = from;

	return totals->miss_unknown ? none() : percent(totals->above, totals->usage);
}

static struct cell get_below_percent(const void *from)
{
	const struct cpir_totals *totals = from;

	return totals->miss_unknown ? none() : percent(totals->below, totals->usage);
}

static struct cell get_miss_percent(const void *from)
{
	const struct cpir_totals *totals = from;

	return totals->miss_unknown ? none()
				    : percent(totals->above + totals->below, totals->usage);
}

static struct cell get_mean_idle(const void *from)
{
	const struct cpir_totals *totals = from;

	return mean(totals->idle_ns, totals->usage);
}

static struct cell get_latency_mean(const void *from)
{
	const struct cpir_latency *latency = from;

	return mean(latency->sum_ns, latency->count);
}

static struct cell get_energy(const void *from)
{
	const struct cpir_totals *totals = from;

	if (!totals->has_energy)
		return none();
	return (struct cell){.type = CELL_ENERGY, .value = totals->energy_nj};
}

const struct metric metric_usage = {"Total usage", "idle periods, one per governor decision", false,
				    get_usage};
const struct metric metric_above = {
	"Above usage", "state too deep: left before its target residency, a shallower one enabled",
	true, get_above};
const struct metric metric_below = {
	"Below usage", "state too shallow: the next deeper enabled one would have fitted", true,
	get_below};
const struct metric metric_rejected = {
	"Rejected", "entries the driver gave back, which are in no other number; record only", true,
	get_rejected};
const struct metric metric_above_percent = {"Above % (Above/Total)",
					    "share of the idle periods whose state was too deep",
					    true, get_above_percent};
const struct metric metric_below_percent = {"Below % (Below/Total)",
					    "share of the idle periods whose state was too shallow",
					    true, get_below_percent};
const struct metric metric_miss_percent = {"Total cpuidle miss (%)", "above and below together",
					   true, get_miss_percent};
const struct metric metric_idle = {"Idle time", "sum of all idle periods that count", false,
				   get_idle};
const struct metric metric_mean_idle = {"Mean idle period", "idle time per idle period", false,
					get_mean_idle};
const struct metric metric_tick_wakeups = {
	"Tick wake-ups", "idle periods that the scheduler tick ended, due before anything else",
	true, get_tick_wakeups};
const struct metric metric_tick_stops = {"Tick stops", "decisions that stopped a running tick",
					 false, get_tick_stops};
const struct metric metric_energy = {
	"Idle energy", "power of each state in the platform times the time spent there", true,
	get_energy};
const struct metric metric_range_usage = {"Total usage", NULL, false, get_range_usage};
const struct metric metric_range_above = {"Above usage", NULL, false, get_range_above};
const struct metric metric_range_below = {"Below usage", NULL, false, get_range_below};

const struct metric metric_latency_count = {"Wake-ups measured",
					    "idle periods whose wake event has a known time", false,
					    get_latency_count};
const struct metric metric_latency_mean = {"Mean", NULL, true, get_latency_mean};
const struct metric metric_latency_p50 = {"p50", "half of the wake-ups were at most this late",
					  true, get_latency_p50};
const struct metric metric_latency_p90 = {"p90", NULL, true, get_latency_p90};
const struct metric metric_latency_p99 = {"p99", NULL, true, get_latency_p99};
const struct metric metric_latency_max = {"Max", NULL, true, get_latency_max};
const struct metric metric_latency_total = {"Total", "sum over all wake-ups measured", true,
					    get_latency_total};

static enum tone change_tone(const struct metric *metric, double before, double after)
{
	if (!metric->lower_is_better || before == after)
		return TONE_PLAIN;
	return after < before ? TONE_GOOD : TONE_BAD;
}

static struct cell change_points(const struct metric *metric, struct ratio before,
				 struct ratio after)
{
	struct cell cell = {.type = CELL_POINTS, .points = {before, after}};

	if (!before.whole || !after.whole)
		return none();
	cell.tone = change_tone(metric, (double)before.part / (double)before.whole,
				(double)after.part / (double)after.whole);
	return cell;
}

struct cell metric_change(const struct metric *metric, const struct cell *before,
			  const struct cell *after)
{
	struct cell cell = {.type = CELL_CHANGE, .change = {before->value, after->value}};

	if (before->type != after->type)
		return none();
	switch (before->type) {
	case CELL_PERCENT:
		return change_points(metric, before->percent, after->percent);
	case CELL_COUNT:
	case CELL_DURATION:
	case CELL_ENERGY:
		cell.tone = change_tone(metric, (double)before->value, (double)after->value);
		return cell;
	default:
		return none();
	}
}
