// SPDX-License-Identifier: GPL-2.0-only
/* What the numbers of a study rest on. */
#include "replay/facts.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"

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

int fact_add(struct result_owner *owner, const struct cpir_fact *fact)
{
	struct cpir_fact *added;

	if (!fact->name || !fact->value || !fact->origin || !fact->effect)
		return -ENOMEM;
	added = array_add(&owner->facts);
	if (!added)
		return -ENOMEM;
	*added = *fact;
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
	ns += 5;
	return result_text(owner, "%" PRId64 ".%02d us", ns / 1000, (int)(ns % 1000 / 10));
}

static int hz_fact(const struct study *study, struct result_owner *owner)
{
	struct cpir_fact fact = {
		.name = "HZ", .origin = "platform", .effect = "the length of a tick"};

	fact.value = result_text(owner, "%u", study->clocks.hz);
	if (!study->clocks.hz) {
		fact.value = "unknown";
		fact.origin = "neither platform nor tick events";
		fact.effect = "no policy can decide";
	} else if (study->clocks.hz_origin == HZ_GATHERED) {
		fact.origin = result_text(owner, "inferred from the ends of %" PRIu64 " periods",
					  study->guess.samples);
	} else if (study->clocks.hz_origin == HZ_TICKS) {
		fact.origin = result_text(owner, "inferred from %" PRIu64 " tick timer starts",
					  study->clocks.tick_samples);
	} else if (study->options->hz) {
		fact.origin = "option";
	}
	return fact_add(owner, &fact);
}

/* Above and below are judged by one cost, what a governor is told by the other: each as the record shows it best. */
static int cost_fact(const struct study *study, struct result_owner *owner)
{
	const struct learned *learned = &study->learned;
	struct cpir_fact fact = {
		.name = "cost of a trace event in a period",
		.value = micros(owner, learned->account_cost_ns),
		.origin = "assumed: no cpu_idle_miss events",
		.effect = "off every period as the kernel measures it",
	};

	if (learned->residency_samples)
		fact.origin = result_text(owner, "learned from %" PRIu64 " cpu_idle_miss verdicts",
					  learned->residency_samples);
	else if (learned->event_cost_ns)
		fact.origin = "learned from how closely events follow each other";
	else if (study->context.known.miss)
		fact.origin = "assumed: no cpu_idle_miss verdict was close enough to tell";
	return fact_add(owner, &fact);
}

static int residency_fact(const struct study *study, struct result_owner *owner)
{
	const struct learned *learned = &study->learned;

	if (learned->residency_cost_ns == learned->account_cost_ns)
		return 0;
	return fact_add(owner, &(struct cpir_fact){
				       .name = "the same in what a governor is told",
				       .value = micros(owner, learned->residency_cost_ns),
				       .origin = "fitted to the record's decisions",
				       .effect = "off every last residency",
			       });
}

static int entry_fact(const struct study *study, struct result_owner *owner, enum entry_kind kind)
{
	const struct learned *learned = &study->learned;
	bool is_switch = kind == ENTRY_SWITCH;

	if (!learned->entry_samples[kind])
		return 0;
	return fact_add(owner,
			&(struct cpir_fact){
				.name = is_switch ? "idle entry after sched_switch"
						  : "idle entry after an interrupt's last event",
				.value = micros(owner, learned->entry_delay_ns[kind]),
				.origin = result_text(owner, "learned from %" PRIu64 " %s",
						      learned->entry_samples[kind],
						      is_switch ? "idle entries" : "interrupts"),
				.effect = "from then on sleep lengths count",
			});
}

static int poll_fact(const struct study *study, struct result_owner *owner)
{
	if (!study->learned.poll_samples)
		return 0;
	return fact_add(owner,
			&(struct cpir_fact){
				.name = "polling limit",
				.value = micros(owner, study->learned.poll_limit_ns),
				.origin = result_text(owner, "observed in %" PRIu64 " time-outs",
						      study->learned.poll_samples),
				.effect = "polling ends after it by itself",
			});
}

static int learned_facts(const struct study *study, struct result_owner *owner)
{
	int ret = cost_fact(study, owner);

	if (ret < 0 || study->options->mode == CPIR_REPORT)
		return ret;
	ret = residency_fact(study, owner);
	if (!ret)
		ret = entry_fact(study, owner, ENTRY_SWITCH);
	if (!ret)
		ret = entry_fact(study, owner, ENTRY_IRQ);
	return ret ? ret : poll_fact(study, owner);
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
		{known->wakings, "sched:sched_waking",
		 known->wakeups
			 ? "wake-up latency is unknown; tasks that another CPU woke count as "
			   "woken here"
			 : "task wake-ups and their latency are unknown"},
		{known->hrtimers, "timer:hrtimer_*",
		 "the next timer of each decision, and with it the sleep length, is unknown"},
		{known->wheel, "timer:timer_*",
		 "timer wheel expiries are unknown: sleep lengths may be too long"},
		{known->tick, "timer:tick_stop", "whether the tick was stopped is inferred"},
		{known->irq, "irq:irq_handler_entry",
		 "none recorded, or none came: device interrupts are not told apart"},
		{known->miss, "power:cpu_idle_miss",
		 "none recorded, or no miss: the kernel's own verdicts cannot be checked against"},
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

static int warn_once(struct result_owner *owner, const char *text)
{
	for (size_t i = 0; i < owner->warnings.len; i++) {
		if (!strcmp(owner->warnings.ptr[i], text))
			return 0;
	}
	return warn(owner, result_text(owner, "%s", text));
}

/* What was assumed about the release of the policy @spec, its own or else that of the kernel that ran. */
static int release_warning(const struct study *study, struct result_owner *owner, const char *spec)
{
	const char *at = strchr(spec, '@');
	_cleanup_free_ char *governor = strndup(spec, strcspn(spec, "@+-:"));
	_cleanup_free_ char *release =
		at ? strndup(at + 1, strcspn(at + 1, "+:")) : strdup(study->kernel);
	_cleanup_free_ char *text = NULL;
	int ret;

	if (!governor || !release)
		return -ENOMEM;
	ret = cpir_policy_note_levels(governor, release, &text);
	if (ret < 0) /* source brings its release along */
		return ret == -EINVAL ? 0 : ret;
	return *text ? warn_once(owner, text) : 0;
}

static int release_warnings(const struct study *study, struct result_owner *owner)
{
	const struct cpir_study_options *options = study->options;
	int ret;

	if (options->mode == CPIR_REPORT)
		return 0;
	ret = release_warning(study, owner, study_baseline_spec(study));
	for (size_t i = 0; i < options->policy_count && !ret; i++)
		ret = release_warning(study, owner, options->policies[i]);
	return ret;
}

/* A patch that the kernel has, or has not, already. */
static int same_warnings(const struct study *study, struct result_owner *owner)
{
	int ret = 0;

	for (size_t i = 1; i < study->simulated.len && !ret; i++) {
		const struct cpir_policy *policy = study->simulated.ptr[i];

		if (policy_same(study->simulated.ptr[0], policy))
			ret = warn(owner, result_text(owner,
						      "%s decides as the baseline: it is the same "
						      "governor with the same knobs",
						      policy->name));
	}
	return ret;
}

/* CPUs that were asked for and are not there. */
static int cpus_warning(const struct study *study, struct result_owner *owner)
{
	_cleanup_free_ char *list = NULL;
	struct cpu_set absent = {0};
	uint32_t cpu = cpu_set_next(&study->cpus, study->info->cpus);

	if (cpu >= CPIR_CPUS_MAX)
		return 0;
	for (; cpu < CPIR_CPUS_MAX; cpu = cpu_set_next(&study->cpus, cpu + 1))
		cpu_set_add(&absent, cpu);
	list = cpu_list_format(&absent);
	return list ? warn(owner,
			   result_text(
				   owner,
				   "of the CPUs asked for, %s are not in the trace, which has %u",
				   list, study->info->cpus))
		    : -ENOMEM;
}

/* A wrong tick rate shifts every sleep length. */
static int hz_warning(const struct study *study, struct result_owner *owner)
{
	const struct clocks *clocks = &study->clocks;

	if (!clocks->hz_seen || clocks->hz_seen == clocks->hz)
		return 0;
	return warn(owner,
		    result_text(owner,
				"HZ is %u by the %s, but %u by the tick timers in the trace; leave "
				"it out, or mend the platform",
				clocks->hz, study->options->hz ? "option" : "platform",
				clocks->hz_seen));
}

static int patience_warning(const struct study *study, struct result_owner *owner)
{
	uint64_t cut = 0;

	for (unsigned i = 0; i < study->shard_count; i++) {
		const struct shard *shard = &study->shards[i];

		for (size_t k = 0; k < shard->what_ifs.len; k++)
			cut += idle_loop_cut(shard->what_ifs.ptr[k].loops[BOUND_BEST]);
	}
	if (!cut)
		return 0;
	return warn(
		owner,
		result_text(owner,
			    "%" PRIu64
			    " simulated idle times tick on for longer than the record gives "
			    "reason to and were not followed to their end: are the trace's times "
			    "right?",
			    cut));
}

#define LOST_ADVICE "; record with a larger buffer (trace-cmd record -b)"

static int lost_warning(const struct study *study, struct result_owner *owner)
{
	uint64_t lost = owner->result.trace.lost, places = owner->result.trace.lost_uncounted;
	const char *plural = places == 1 ? "" : "s";

	if (lost && places)
		return warn(owner,
			    result_text(owner,
					"%" PRIu64 " events were lost, and an unknown number "
					"at %" PRIu64 " place%s" LOST_ADVICE,
					lost, places, plural));
	if (places)
		return warn(owner, result_text(owner,
					       "an unknown number of events was lost, at %" PRIu64
					       " place%s" LOST_ADVICE,
					       places, plural));
	if (lost && !study->gaps)
		return warn(owner,
			    result_text(owner,
					"%" PRIu64 " events were overwritten before the first "
					"that was kept of each CPU; nothing is missing in "
					"between",
					lost));
	if (lost)
		return warn(owner,
			    result_text(owner, "%" PRIu64 " events were lost" LOST_ADVICE, lost));
	return 0;
}

static int damage_warnings(const struct study *study, struct result_owner *owner)
{
	uint64_t foreign_states = 0;
	int ret = lost_warning(study, owner);

	for (unsigned i = 0; i < study->shard_count; i++)
		foreign_states += study->shards[i].foreign_states;

	if (!ret && study->backward)
		ret = warn(
			owner,
			result_text(owner,
				    "the clock goes back between sub-buffers, %" PRIu64
				    " time%s: order and lengths near there are wrong; record with "
				    "trace-cmd record -C mono",
				    study->backward, study->backward == 1 ? "" : "s"));
	if (!ret && study->clocks.mono.foreign)
		ret = warn(owner, result_text(owner,
					      "%" PRIu64
					      " timers expired in a clock ahead of CLOCK_MONOTONIC "
					      "(CLOCK_BOOTTIME on a machine that was suspended?): "
					      "when such timers "
					      "are due is not known",
					      study->clocks.mono.foreign));
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
	if (!ret && foreign_states)
		ret = warn(owner,
			   result_text(owner,
				       "%" PRIu64
				       " periods are in states that the platform does not have and "
				       "were left out; is it the right --platform?",
				       foreign_states));
	return ret;
}

/* Another governor, or another policy, for a while? */
static int spell_warning(const struct study *study, struct result_owner *owner)
{
	const struct cpir_agreement *agreement = &owner->result.agreement;
	struct spell worst = {0};

	for (unsigned i = 0; i < study->shard_count; i++) {
		if (study->shards[i].verify)
			verify_worst_spell(study->shards[i].verify, &worst);
	}
	if (!spell_stands_out(&worst, agreement->decisions - agreement->agreed,
			      agreement->decisions))
		return 0;
	return warn(owner,
		    result_text(owner,
				"from %" PRIu64 ".%06" PRIu64 " to %" PRIu64 ".%06" PRIu64
				" on CPU %u %u of %u decisions are not the record's, far more than "
				"elsewhere: was it another governor then, or did a limit or a "
				"state change? See replay --differences, --from and --to",
				worst.begin_ns / 1000000000, worst.begin_ns / 1000 % 1000000,
				worst.end_ns / 1000000000, worst.end_ns / 1000 % 1000000, worst.cpu,
				worst.wrong, worst.decisions));
}

int facts_fill(const struct study *study, struct result_owner *owner)
{
	int ret = hz_fact(study, owner);

	if (!ret)
		ret = facts_options(study, owner);
	if (!ret)
		ret = learned_facts(study, owner);
	if (!ret)
		ret = facts_inferred(study, owner);
	if (!ret)
		ret = missing_events(study, owner);
	if (!ret)
		ret = release_warnings(study, owner);
	if (!ret)
		ret = same_warnings(study, owner);
	if (!ret)
		ret = cpus_warning(study, owner);
	if (!ret)
		ret = hz_warning(study, owner);
	if (!ret)
		ret = damage_warnings(study, owner);
	if (!ret)
		ret = spell_warning(study, owner);
	if (!ret)
		ret = patience_warning(study, owner);
	owner->result.facts = owner->facts.ptr;
	owner->result.fact_count = owner->facts.len;
	owner->result.warnings = owner->warnings.ptr;
	owner->result.warning_count = owner->warnings.len;
	owner->result.trace.missing = owner->missing.ptr;
	owner->result.trace.missing_count = owner->missing.len;
	return ret;
}
