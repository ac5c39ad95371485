// SPDX-License-Identifier: GPL-2.0-only
/* What was concluded from the trace without an event that says so, in sentences. */
#include "replay/facts.h"

#include <errno.h>
#include <inttypes.h>

#include "base/cleanup.h"

/* Parts of a time for "%" PRIu64 ".%03u s". */
#define SECONDS(ns) (ns) / 1000000000, (unsigned)((ns) / 1000000 % 1000)

/* "CPUs 0-3,8" */
static const char *cpus_text(struct result_owner *owner, const struct cpu_set *cpus)
{
	_cleanup_free_ char *list = cpu_list_format(cpus);

	return list ? result_text(owner, "CPU%s %s", cpu_set_count(cpus) == 1 ? "" : "s", list)
		    : NULL;
}

/* ---- disabled states ------------------------------------------------------------------------------------------------- */

/** struct disabled - where and for how long one state was, over all CPUs studied */
struct disabled {
	struct cpu_set cpus;
	uint64_t times, ns;
	bool by_verdict; /* else: as the platform says, until an entry tells otherwise */
};

/* The platform's own word on the whole trace is no conclusion of ours. */
static bool is_given(const struct study *study, const struct mask_lane *lane,
		     const struct mask_span *span)
{
	return !span->begin_ns && lane->initial >> span->state & 1 && span->end_ns > study->end_ns;
}

static void add_span(const struct study *study, uint32_t cpu, const struct mask_span *span,
		     struct disabled *disabled)
{
	uint64_t begin_ns = span->begin_ns > study->begin_ns ? span->begin_ns : study->begin_ns;
	uint64_t end_ns = span->end_ns < study->end_ns ? span->end_ns : study->end_ns;

	cpu_set_add(&disabled->cpus, cpu);
	disabled->times++;
	disabled->ns += end_ns > begin_ns ? end_ns - begin_ns : 0;
	disabled->by_verdict |=
		span->begin_ns || !(study->masks.lanes[cpu].initial >> span->state & 1);
}

static void collect(const struct study *study, uint8_t state, struct disabled *disabled)
{
	uint32_t cpu = cpu_set_next(&study->cpus, 0);

	for (; cpu < study->masks.cpus; cpu = cpu_set_next(&study->cpus, cpu + 1)) {
		const struct mask_lane *lane = &study->masks.lanes[cpu];

		for (size_t i = 0; i < lane->spans.len; i++) {
			const struct mask_span *span = &lane->spans.ptr[i];

			if (span->state == state && !is_given(study, lane, span))
				add_span(study, cpu, span, disabled);
		}
	}
}

static const char *state_name(const struct study *study, const struct disabled *disabled,
			      uint8_t state)
{
	const struct cpir_table *table =
		cpir_platform_table(study->platform, cpu_set_next(&disabled->cpus, 0));

	return table && state < table->count ? table->states[state].name : "?";
}

static int disabled_fact(const struct study *study, struct result_owner *owner, uint8_t state)
{
	struct disabled disabled = {.times = 0};

	collect(study, state, &disabled);
	if (!disabled.times)
		return 0;
	return fact_add(
		owner,
		&(struct cpir_fact){
			.name = result_text(owner, "state %u disabled", state),
			.value = result_text(
				owner, "%s on %s, %" PRIu64 " time%s, %" PRIu64 ".%03u s in all",
				state_name(study, &disabled, state),
				cpus_text(owner, &disabled.cpus), disabled.times,
				disabled.times == 1 ? "" : "s", SECONDS(disabled.ns)),
			.origin = disabled.by_verdict
					  ? "inferred from entries and cpu_idle_miss verdicts"
					  : "platform, until an entry tells otherwise",
			.effect = "meanwhile it is neither chosen nor a reason for a miss",
		});
}

/* ---- latency limits -------------------------------------------------------------------------------------------------- */

static int limits_fact(const struct study *study, struct result_owner *owner)
{
	const struct qos_guess *guess = &study->qos_guess;
	struct cpu_set cpus = {0};
	uint64_t known = 0, unknown = 0;
	const char *value;

	for (size_t i = 0; i < guess->windows.len; i++) {
		const struct qos_window *window = &guess->windows.ptr[i];

		if (window->limit_us == INT32_MAX)
			continue;
		known += window->cpu >= 0;
		unknown += window->cpu < 0;
		if (window->cpu >= 0)
			cpu_set_add(&cpus, (uint32_t)window->cpu);
	}
	if (!known && !unknown)
		return 0;
	value = known ? result_text(owner, "%" PRIu64 " of %s", known, cpus_text(owner, &cpus))
		      : "none";
	if (unknown)
		value = result_text(owner, "%s, %" PRIu64 " of a CPU that cannot be told", value,
				    unknown);
	return fact_add(owner, &(struct cpir_fact){
				       .name = "latency limits of single CPUs",
				       .value = value,
				       .origin = "inferred: the one CPU that kept away from all "
						 "slower states",
				       .effect = unknown ? "no slower state is chosen there; the "
							   "others have no effect"
							 : "no slower state is chosen there",
			       });
}

/* ---- tick and timers ------------------------------------------------------------------------------------------------- */

/* The grid of the tick is looked for in the ends of periods only where no tick timer shows it. */
static int grid_fact(const struct study *study, struct result_owner *owner)
{
	const struct clocks *clocks = &study->clocks;
	uint64_t phase_ns = (uint64_t)clocks->tick_phase_ns;

	if (!study->guess.samples || !clocks->tick_phase_known)
		return 0;
	return fact_add(
		owner,
		&(struct cpir_fact){
			.name = "grid of the tick",
			.value = result_text(
				owner, "%" PRIu64 ".%03u ms into every %" PRId64 ".%03d ms",
				phase_ns / 1000000, (unsigned)(phase_ns / 1000 % 1000),
				clocks->tick_ns / 1000000, (int)(clocks->tick_ns / 1000 % 1000)),
			.origin =
				result_text(owner, "inferred from the ends of %" PRIu64 " periods",
					    study->guess.samples),
			.effect = "when the next tick of each decision is due",
		});
}

static int prelude_fact(const struct study *study, struct result_owner *owner)
{
	const struct prelude *prelude = &study->prelude;
	uint64_t unseen = prelude_unseen(prelude, &study->clocks);
	uint64_t hrtimers = 0, wheel = 0;

	for (size_t i = 0; i < prelude->timers.len; i++) {
		const struct prelude_timer *timer = &prelude->timers.ptr[i];

		hrtimers += !timer->wheel;
		wheel += timer->wheel && !(timer->flags & TIMER_FLAG_DEFERRABLE);
	}
	wheel += unseen;
	if (!hrtimers && !wheel)
		return 0;
	return fact_add(owner,
			&(struct cpir_fact){
				.name = "timers pending at the beginning",
				.value = result_text(owner,
						     "%" PRIu64 " hrtimer%s, %" PRIu64
						     " of the timer wheel",
						     hrtimers, hrtimers == 1 ? "" : "s", wheel),
				.origin = unseen ? "derived: they expire without having been "
						   "started, or stopped ticks were programmed for "
						   "them"
						 : "derived: they expire without having been "
						   "started",
				.effect = "they are among the next timers of decisions",
			});
}

int facts_inferred(const struct study *study, struct result_owner *owner)
{
	int ret = grid_fact(study, owner);

	if (!ret)
		ret = prelude_fact(study, owner);
	for (uint8_t state = 0; state < CPIR_STATES_MAX && !ret; state++)
		ret = disabled_fact(study, owner, state);
	return ret ? ret : limits_fact(study, owner);
}
