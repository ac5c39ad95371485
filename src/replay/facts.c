// SPDX-License-Identifier: GPL-2.0-only
/* What the numbers of a study rest on. */
#include "replay/facts.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

const char *cpir_wake_name(enum cpir_wake wake)
{
	static const char *const names[CPIR_WAKE_COUNT] = {
		[CPIR_WAKE_TASK_REMOTE] = "task (remote)",
		[CPIR_WAKE_TASK_LOCAL] = "task (local)",
		[CPIR_WAKE_TIMER] = "timer",
		[CPIR_WAKE_TICK] = "tick",
		[CPIR_WAKE_IRQ] = "interrupt",
		[CPIR_WAKE_POLL_LIMIT] = "poll limit",
		[CPIR_WAKE_UNKNOWN] = "unknown",
	};

	return (unsigned)wake < CPIR_WAKE_COUNT ? names[wake] : "unknown";
}

const char *cpir_cause_name(enum cpir_cause cause)
{
	static const char *const names[CPIR_CAUSE_COUNT] = {
		[CPIR_CAUSE_THRESHOLD] = "near a threshold",
		[CPIR_CAUSE_UNKNOWN_INPUT] = "unknown input",
		[CPIR_CAUSE_REJECT] = "suspected reject",
		[CPIR_CAUSE_HISTORY] = "unseen history",
		[CPIR_CAUSE_REAL] = "unexplained",
	};

	return (unsigned)cause < CPIR_CAUSE_COUNT ? names[cause] : "unexplained";
}

static int fact(struct result_owner *owner, const char *name, const char *value, const char *origin)
{
	struct cpir_fact *fact = array_add(&owner->facts);

	if (!fact || !value || !origin)
		return -ENOMEM;
	fact->name = name;
	fact->value = value;
	fact->origin = origin;
	return 0;
}

static int warn(struct result_owner *owner, const char *text)
{
	const char **slot = array_add(&owner->warnings);

	if (!slot || !text)
		return -ENOMEM;
	*slot = text;
	return 0;
}

static const char *micros(struct result_owner *owner, int64_t ns)
{
	return result_text(owner, "%" PRId64 ".%02d us", ns / 1000, (int)(ns % 1000 / 10));
}

static int hz_fact(const struct study *study, struct result_owner *owner)
{
	const char *origin = "platform";

	if (!study->clocks.hz)
		return fact(owner, "HZ", "unknown", "neither platform nor tick events");
	if (study->clocks.hz_origin == HZ_GATHERED)
		origin = result_text(owner, "inferred from the ends of %" PRIu64 " periods",
				     study->guess.samples);
	else if (study->clocks.hz_origin == HZ_TICKS)
		origin = result_text(owner, "inferred from %" PRIu64 " tick timer starts",
				     study->clocks.tick_samples);
	else if (study->options->hz)
		origin = "option";
	return fact(owner, "HZ", result_text(owner, "%u", study->clocks.hz), origin);
}

static const char *cost_origin(const struct study *study, struct result_owner *owner)
{
	if (study->learned.residency_samples)
		return result_text(owner, "learned from %" PRIu64 " cpu_idle_miss verdicts",
				   study->learned.residency_samples);
	return study->learned.event_cost_ns ? "learned from how closely events follow each other"
					    : "assumed: no cpu_idle_miss events";
}

static int learned_facts(const struct study *study, struct result_owner *owner)
{
	const struct learned *learned = &study->learned;
	int ret;

	ret = fact(owner, "cost of a trace event in a period",
		   micros(owner, learned->residency_cost_ns), cost_origin(study, owner));
	if (ret < 0 || study->options->mode == CPIR_REPORT)
		return ret;
	if (learned->entry_samples[ENTRY_SWITCH])
		ret = fact(owner, "idle entry after sched_switch",
			   micros(owner, learned->entry_delay_ns[ENTRY_SWITCH]),
			   result_text(owner, "learned from %" PRIu64 " idle entries",
				       learned->entry_samples[ENTRY_SWITCH]));
	if (!ret && learned->entry_samples[ENTRY_IRQ])
		ret = fact(owner, "idle entry after an interrupt's last event",
			   micros(owner, learned->entry_delay_ns[ENTRY_IRQ]),
			   result_text(owner, "learned from %" PRIu64 " interrupts",
				       learned->entry_samples[ENTRY_IRQ]));
	if (!ret && learned->poll_samples)
		ret = fact(owner, "polling limit", micros(owner, learned->poll_limit_ns),
			   result_text(owner, "observed in %" PRIu64 " time-outs",
				       learned->poll_samples));
	return ret;
}

/* struct lack - an event whose absence costs something */
struct lack {
	bool here;
	const char *events, *cost;
};

static int missing_events(const struct study *study, struct result_owner *owner)
{
	const struct timeline_known *known = &study->context.known;
	const struct lack lacks[] = {
		{known->sched_switch, "sched:sched_switch",
		 "where one idle stretch ends and the next begins is guessed"},
		{known->wakings || known->wakeups, "sched:sched_waking",
		 "task wake-ups and their latency are unknown"},
		{known->hrtimers, "timer:hrtimer_*",
		 "the next timer of each decision, and with it the sleep length, is unknown"},
		{known->wheel, "timer:timer_*",
		 "timer wheel expiries are unknown: sleep lengths may be too long"},
		{known->tick, "timer:tick_stop", "whether the tick was stopped is inferred"},
		{known->irq, "irq:irq_handler_entry", "device interrupts are not told apart"},
		{known->miss, "power:cpu_idle_miss",
		 "the kernel's own verdicts cannot be checked against"},
	};

	for (size_t i = 0; i < array_size(lacks); i++) {
		const char **slot;

		if (lacks[i].here)
			continue;
		slot = array_add(&owner->missing);
		if (!slot)
			return -ENOMEM;
		*slot = result_text(owner, "%s: %s", lacks[i].events, lacks[i].cost);
		if (!*slot)
			return -ENOMEM;
	}
	return 0;
}

static int level_warning(const struct study *study, struct result_owner *owner)
{
	char *text = NULL;
	int ret;

	if (!study->baseline || study->baseline->ops->from_source || study->options->kernel)
		return 0;
	ret = cpir_policy_note_levels(study->baseline->ops->name, study->kernel, &text);
	if (!ret && *text)
		ret = warn(owner, result_text(owner, "%s", text));
	free(text);
	return ret;
}

static int damage_warnings(const struct study *study, struct result_owner *owner)
{
	int ret = 0;

	if (owner->result.trace.lost)
		ret = warn(owner,
			   result_text(owner,
				       "%" PRIu64 " events were lost; record with a larger buffer "
				       "(trace-cmd record -b)",
				       owner->result.trace.lost));
	if (!ret && study->coarse)
		ret = warn(
			owner,
			result_text(
				owner,
				"the trace clock '%s' %s: times and latencies mean nothing, above "
				"and below are %s",
				study->info->clock, study->coarse,
				study->context.known.miss
					? "the kernel's own verdicts (cpu_idle_miss)"
					: "unknown"));
	if (!ret && !owner->result.runs[0].total.usage)
		ret = warn(owner, result_text(owner, "no period was counted: none is complete, "
						     "within --from and --to and past --warmup"));
	if (!ret && study->foreign_states)
		ret = warn(owner,
			   result_text(owner,
				       "%" PRIu64
				       " periods are in states that the platform does not have and "
				       "were left out; is it the right --platform?",
				       study->foreign_states));
	return ret;
}

int facts_fill(const struct study *study, struct result_owner *owner)
{
	int ret = hz_fact(study, owner);

	if (!ret)
		ret = learned_facts(study, owner);
	if (!ret)
		ret = missing_events(study, owner);
	if (!ret)
		ret = level_warning(study, owner);
	if (!ret)
		ret = damage_warnings(study, owner);
	owner->result.facts = owner->facts.ptr;
	owner->result.fact_count = owner->facts.len;
	owner->result.warnings = owner->warnings.ptr;
	owner->result.warning_count = owner->warnings.len;
	owner->result.trace.missing = owner->missing.ptr;
	owner->result.trace.missing_count = owner->missing.len;
	return ret;
}
