// SPDX-License-Identifier: GPL-2.0-only
/* What a decision saw, one input after the other, each with where it comes from and how sure it is. */
#include "replay/explain.h"

#include <inttypes.h>
#include <stdarg.h>

#include "replay/account.h"
#include "replay/moment.h"
#include "replay/study.h"

/** struct view - what the inputs of one decision are told from */
struct view {
	const struct study *study;
	const struct period *period;
	const struct sight *sight;
	const struct policy_input *input;
	struct cpir_explained *explained;
};

static struct cpir_input *add(const struct view *view, const char *name, enum cpir_unit unit,
			      enum cpir_origin origin)
{
	struct cpir_explained *explained = view->explained;
	struct cpir_input *input = &explained->inputs[explained->input_count];

	/* The list is shorter than the room for it; if it ever is not, the last entry gives way. */
	if (explained->input_count < CPIR_INPUTS_MAX - 1)
		explained->input_count++;
	*input = (struct cpir_input){.name = name, .unit = unit, .origin = origin};
	return input;
}

static void set(struct cpir_input *input, int64_t value)
{
	input->has_value = true;
	input->value = value;
}

static void say(struct cpir_input *input, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void say(struct cpir_input *input, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	(void)vsnprintf(input->source, sizeof(input->source), fmt, args);
	va_end(args);
}

/* Parts of a moment for "%" PRIu64 ".%09" PRIu64. */

/* ---- when ------------------------------------------------------------------------------------------------------------ */

static const char *entry_event(const struct period *period)
{
	switch ((enum entry_kind)period->entry_kind) {
	case ENTRY_SWITCH:
		return "sched:sched_switch";
	case ENTRY_IRQ:
		return event_name(period->entry_event);
	case ENTRY_EXIT:
		return "the cpu_idle exit before, whose interrupt left no event";
	default:
		return "power:cpu_idle";
	}
}

static void add_entry(const struct view *view)
{
	const struct period *period = view->period;
	const struct learned *learned = &view->study->learned;
	int64_t entry_ns = view->sight->entry_ns;
	int64_t after_ns = entry_ns - (int64_t)period->entry_ns;
	struct cpir_input *input =
		add(view, "idle entry time", CPIR_UNIT_TIME, CPIR_ORIGIN_INFERRED);

	set(input, entry_ns);
	input->uncertainty_ns = ENTRY_UNCERTAINTY_NS;
	if (period->entry_kind == ENTRY_UNKNOWN && entry_ns == (int64_t)period->enter_ns) {
		input->origin = CPIR_ORIGIN_UNKNOWN;
		input->uncertainty_ns = -1;
		say(input, "no event tells when idleness began: the begin of the period stands in");
	} else if (period->entry_kind == ENTRY_UNKNOWN) {
		say(input,
		    "%" PRId64
		    " ns before cpu_idle, as usual after an interrupt; no event tells when "
		    "idleness began",
		    (int64_t)period->enter_ns - entry_ns);
	} else if (entry_ns == (int64_t)period->enter_ns) {
		say(input, "cpu_idle itself, as it cannot be later");
	} else if (period->load_update) {
		say(input,
		    "%" PRId64 " ns after %s at " MOMENT ", %" PRId64
		    " of them for an update of the scheduler's load that was due",
		    after_ns, entry_event(period), SECONDS(period->entry_ns), period->later_ns);
	} else if (after_ns != learned->entry_delay_ns[period->entry_kind]) {
		say(input, "%" PRId64 " ns before cpu_idle, %" PRId64 " ns after %s",
		    (int64_t)period->enter_ns - entry_ns, after_ns, entry_event(period));
	} else {
		say(input, "%" PRId64 " ns after %s at " MOMENT "; the delay is %s", after_ns,
		    entry_event(period), SECONDS(period->entry_ns),
		    learned->entry_fitted[period->entry_kind] ? "fitted to the record" : "guessed");
	}
}

/* ---- timers ---------------------------------------------------------------------------------------------------------- */

/* "hrtimer_wakeup, hrtimer 0xc000000001234567, expires 5071072154 ns" */
static void say_timer(const struct view *view, struct cpir_input *input, const char *kind,
		      const struct timer_name *timer)
{
	const char *function = NULL;
	int64_t offset_ns = 0;

	if (timer->function)
		function = trace_function_name(view->study->trace, timer->function);
	(void)clocks_mono_offset(&view->study->clocks, view->period->enter_ns, &offset_ns);
	if (timer_is_unseen(timer->address))
		say(input,
		    "a timer from before the trace, of which only the programming of stopped ticks "
		    "tells, expires %" PRId64 " ns of CLOCK_MONOTONIC",
		    input->value + offset_ns);
	else if (!timer->address)
		say(input, "expires %" PRId64 " ns of CLOCK_MONOTONIC", input->value + offset_ns);
	else
		say(input, "%s 0x%" PRIx64 ", %s, expires %" PRId64 " ns of CLOCK_MONOTONIC", kind,
		    timer->address, function ? function : "unnamed function",
		    input->value + offset_ns);
}

static void add_hrtimer(const struct view *view)
{
	int64_t at_ns = view->sight->hrtimer_ns;
	struct cpir_input *input = add(view, "next hrtimer", CPIR_UNIT_TIME, CPIR_ORIGIN_DERIVED);

	if (at_ns != TIME_NONE)
		set(input, at_ns);
	if (!view->study->context.known.hrtimers) {
		input->origin = CPIR_ORIGIN_UNKNOWN;
		input->uncertainty_ns = -1;
		say(input, "no hrtimer events; taken to be %s",
		    at_ns == TIME_NONE ? "far away" : "what ended the period");
	} else if (view->period->overdue && at_ns == view->sight->entry_ns) {
		input->origin = CPIR_ORIGIN_INFERRED;
		say(input, "overdue, or idleness began later than is known: the record polls to "
			   "the limit again and again");
	} else if (at_ns == TIME_NONE) {
		say(input, "none pending on this CPU, the tick aside");
	} else {
		say_timer(view, input, "hrtimer", &view->period->hrtimer);
	}
}

static void add_stale(const struct view *view)
{
	struct cpir_input *input;

	if (view->sight->stale_ns == TIME_NONE)
		return;
	input = add(view, "clock device still set to", CPIR_UNIT_TIME, CPIR_ORIGIN_DERIVED);
	set(input, view->sight->stale_ns);
	say(input, "a hrtimer taken off since");
}

static void add_wheel(const struct view *view)
{
	int64_t at_ns = view->sight->wheel_ns;
	struct cpir_input *input =
		add(view, "next wheel timer", CPIR_UNIT_TIME, CPIR_ORIGIN_DERIVED);

	if (at_ns != TIME_NONE)
		set(input, at_ns);
	if (!view->study->context.known.wheel) {
		input->origin = CPIR_ORIGIN_UNKNOWN;
		input->uncertainty_ns = -1;
		say(input, "no timer events; taken to be none");
	} else if (at_ns == TIME_NONE) {
		say(input, "none pending that counts for this CPU");
	} else {
		say_timer(view, input, "timer", &view->period->wheel);
	}
}

static void add_tick(const struct view *view)
{
	const struct period *period = view->period;
	int64_t at_ns = view->sight->tick_ns;
	struct cpir_input *input = add(view, "tick", CPIR_UNIT_TIME, CPIR_ORIGIN_DERIVED);

	if (at_ns != TIME_NONE)
		set(input, at_ns);
	if (at_ns == TIME_NONE) {
		say(input, "its timer is not armed");
	} else if (at_ns == period->tick_ns) {
		say(input, "its timer as it was armed last");
	} else {
		input->origin = CPIR_ORIGIN_INFERRED;
		say(input, "its arming was not seen: the next point of the tick grid");
	}
}

static void add_stopped(const struct view *view)
{
	bool known = view->study->context.known.tick;
	struct cpir_input *input = add(view, "tick stopped", CPIR_UNIT_YES_NO,
				       known ? CPIR_ORIGIN_OBSERVED : CPIR_ORIGIN_INFERRED);

	set(input, view->sight->tick_stopped);
	if (!known)
		say(input, "followed from decision to decision: no tick_stop events");
	else
		say(input, "%s",
		    view->sight->tick_stopped ? "tick_stop earlier in this stretch of idleness"
					      : "no tick_stop since the idle loop was entered");
}

/* The wheel is served by the tick: what is due in it within a period keeps the tick. */
static void add_needed(const struct view *view)
{
	const struct context *context = &view->study->context;
	bool needed = inputs_tick_needed(context, view->sight);
	int64_t base_ns = clocks_tick_base(&view->study->clocks, view->sight->entry_ns);
	struct cpir_input *input;

	if (view->sight->tick_stopped)
		return;
	input = add(view, "tick must go on", CPIR_UNIT_YES_NO, CPIR_ORIGIN_DERIVED);
	set(input, needed);
	if (view->sight->tick_kept) {
		input->origin = CPIR_ORIGIN_INFERRED;
		say(input, "%s",
		    view->period->rcu_busy
			    ? "RCU softirqs come tick after tick"
			    : "the record kept it although it would have been stopped");
	} else if (base_ns == TIME_NONE) {
		input->origin = CPIR_ORIGIN_UNKNOWN;
		say(input, "the tick grid is not known; taken to be free to stop");
	} else if (view->sight->wheel_ns == TIME_NONE) {
		say(input, "no wheel timer is known");
	} else {
		say(input, "the next wheel timer is %s a tick of " MOMENT,
		    needed ? "within" : "not within", SECONDS(base_ns));
	}
}

/* ---- what the governor computes with ----------------------------------------------------------------------------------- */

/* What a distance is measured to: which of the events above is the one. */
static const char *nearest(const struct sight *sight, bool with_tick)
{
	int64_t other_ns = with_tick ? sight->tick_ns : sight->wheel_ns;

	if (with_tick && sight->stale_ns < other_ns && sight->stale_ns < sight->hrtimer_ns)
		return "what the clock device is set to, less the idle entry time";
	if (sight->hrtimer_ns == TIME_NONE && other_ns == TIME_NONE)
		return "nothing pending: the end of time less the time since boot";
	if (sight->hrtimer_ns <= other_ns)
		return "next hrtimer less idle entry time";
	return with_tick ? "tick less idle entry time" : "next wheel timer less idle entry time";
}

static void add_lengths(const struct view *view)
{
	const struct context *context = &view->study->context;
	enum cpir_origin origin =
		context->known.hrtimers ? CPIR_ORIGIN_DERIVED : CPIR_ORIGIN_UNKNOWN;
	int64_t uncertainty_ns =
		context->known.hrtimers && view->period->entry_kind != ENTRY_UNKNOWN
			? ENTRY_UNCERTAINTY_NS
			: -1;
	struct cpir_input *input = add(view, "sleep length", CPIR_UNIT_LENGTH, origin);

	set(input, view->input->sleep_length_ns);
	input->uncertainty_ns = uncertainty_ns;
	say(input, "%s",
	    inputs_tick_needed(context, view->sight)
		    ? "as the tick must go on: the same as the next event with the tick"
		    : nearest(view->sight, false));
	input = add(view, "next event with the tick", CPIR_UNIT_LENGTH, origin);
	set(input, view->input->delta_next_ns);
	input->uncertainty_ns = uncertainty_ns;
	say(input, "%s", nearest(view->sight, true));
}

static void add_mask_origin(const struct view *view, struct cpir_input *input)
{
	const struct cpir_table *table =
		cpir_platform_table(view->study->platform, view->explained->cpu);
	uint32_t given = table_disabled_mask(table) | view->study->context.disable_mask;

	if (view->input->disabled_mask == given) {
		say(input, "the platform%s",
		    view->study->context.disable_mask ? " and the option" : "");
		return;
	}
	input->origin = CPIR_ORIGIN_INFERRED;
	say(input, "the kernel's verdicts make sense only so");
}

static void add_iowait(const struct view *view)
{
	bool seen = view->study->context.known.sched_switch;
	struct cpir_input *input = add(view, "tasks waiting for I/O", CPIR_UNIT_COUNT,
				       seen ? CPIR_ORIGIN_INFERRED : CPIR_ORIGIN_UNKNOWN);

	set(input, view->input->nr_iowait);
	say(input, "%s; menu up to 6.12 looks at it",
	    seen ? "asleep uninterruptibly since this CPU left them"
		 : "no sched_switch events; taken to be none");
}

/* The event of such a limit tells its number, but not the CPU. */
static bool is_guessed_limit(const struct view *view, int64_t limit_ns)
{
	int32_t limit_us = qos_guess_limit(&view->study->qos_guess, view->explained->cpu,
					   view->period->enter_ns);

	return limit_us != INT32_MAX && limit_ns == (int64_t)limit_us * 1000;
}

static void add_limits(const struct view *view)
{
	const struct study *study = view->study;
	int64_t limit_ns = view->input->latency_req_ns;
	struct cpir_input *input =
		add(view, "latency limit", CPIR_UNIT_LENGTH,
		    study->context.known.qos ? CPIR_ORIGIN_OBSERVED : CPIR_ORIGIN_GIVEN);

	set(input, limit_ns);
	if (limit_ns < view->sight->latency_req_ns) {
		input->origin = CPIR_ORIGIN_GIVEN;
		say(input, "by option");
	} else if (is_guessed_limit(view, limit_ns)) {
		input->origin = CPIR_ORIGIN_INFERRED;
		say(input, "a pm_qos event that does not tell the CPU; this one alone kept away "
			   "from all slower states");
	} else if (limit_ns >= POLICY_NO_LIMIT_NS) {
		say(input, "no constraint%s",
		    study->context.known.qos ? "" : " in the platform, no pm_qos events");
	} else {
		say(input, "%s",
		    study->context.known.qos ? "pm_qos events" : "the platform's snapshot");
	}
	input = add(view, "states disabled", CPIR_UNIT_STATES, CPIR_ORIGIN_GIVEN);
	set(input, view->input->disabled_mask);
	add_mask_origin(view, input);
	add_iowait(view);
}

/* ---- what came before ------------------------------------------------------------------------------------------------- */

static void add_residency(const struct view *view, const struct period *before)
{
	int64_t cost_ns = view->study->learned.residency_cost_ns;
	int64_t ns = (int64_t)(before->exit_ns - before->enter_ns) - cost_ns;
	struct cpir_input *input =
		add(view, "last residency", CPIR_UNIT_LENGTH, CPIR_ORIGIN_DERIVED);

	set(input, before->state >= 0 && ns > 0 ? ns : 0);
	input->uncertainty_ns = -1;
	if (before->state < 0)
		say(input, "decided, but nothing was entered: a task came first");
	else
		say(input, "cpu_idle " MOMENT " to " MOMENT ", less %" PRId64 " ns of tracing",
		    SECONDS(before->enter_ns), SECONDS(before->exit_ns), cost_ns);
}

static void add_before(const struct view *view, const struct period *before)
{
	const struct timeline_known *known = &view->study->context.known;
	struct cpir_input *input = add(view, "last state", CPIR_UNIT_STATE,
				       before ? CPIR_ORIGIN_OBSERVED : CPIR_ORIGIN_UNKNOWN);

	if (!before) {
		input->uncertainty_ns = -1;
		say(input, "the first decision in the trace: as after the governor's start");
		return;
	}
	if (before->state >= 0)
		set(input, before->state);
	else
		input->origin = CPIR_ORIGIN_INFERRED;
	add_residency(view, before);
	input = add(view, "last woken by the tick", CPIR_UNIT_YES_NO,
		    known->hrtimers ? CPIR_ORIGIN_OBSERVED : CPIR_ORIGIN_UNKNOWN);
	set(input, before->got_tick);
	say(input, "%s",
	    !known->hrtimers   ? "no hrtimer events; taken to be not so"
	    : before->got_tick ? "the tick timer expired"
			       : "the tick timer did not expire");
	input = add(view, "last ran into the poll limit", CPIR_UNIT_YES_NO, CPIR_ORIGIN_INFERRED);
	set(input, before->poll_timeout);
	say(input, "%s",
	    before->poll_timeout ? "a polling state left without a task to run"
				 : "no polling state, or a task was to run");
}

void explain_inputs(const struct study *study, const struct verified *verified,
		    const struct period *before, struct cpir_explained *explained)
{
	struct view view = {
		.study = study,
		.period = verified->period,
		.sight = verified->sight,
		.input = verified->input,
		.explained = explained,
	};

	add_entry(&view);
	add_hrtimer(&view);
	add_stale(&view);
	add_wheel(&view);
	add_tick(&view);
	add_stopped(&view);
	add_needed(&view);
	add_lengths(&view);
	add_limits(&view);
	add_before(&view, before);
}
