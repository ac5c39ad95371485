// SPDX-License-Identifier: GPL-2.0-only
/*
 * One simulated period.
 *
 * What ends it also ended some period of the record: this pairs the two. The delay between the cause and the end is the
 * recorded one, corrected by what the state chosen now wakes slower or faster than the state recorded then; the time
 * from the end to the next decision, in which the cause is handled, is the recorded one. Causes without a counterpart
 * (a tick where the record had none) take the learned values.
 */
#include "replay/life.h"

#include "replay/inputs.h"

/* So many polling time-outs in the record tell more about the limit than any rule. */
#define POLL_SAMPLES_MIN 10

static int64_t wake_delay_ns(const struct life *life, int state)
{
	return life->context->learned->wake_delay_ns[state];
}

static int64_t later(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static const struct happening *happening_at(const struct life *life, uint32_t index)
{
	return index < life->stretch->happenings.len ? &life->stretch->happenings.ptr[index] : NULL;
}

const struct happening *life_next(const struct life *life)
{
	return happening_at(life, life->served);
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
	struct sight sight = sight_pending(period);

	/* Where it stands itself, the record does not tell. */
	sight.entry_ns = life->entry_ns;
	sight.tick_stopped = life->tick_stopped;
	if (period->overdue)
		sight.hrtimer_ns = entry_of_period(life->context, period);
	if (life->bound == BOUND_NEAR)
		sight.hrtimer_ns = period->near_timer_ns;
	if (life->bound == BOUND_FAR)
		sight.hrtimer_ns = period->far_timer_ns;
	/* A stopped tick's timer is programmed for the wheel. */
	sight.tick_ns = life->tick_stopped ? sight.wheel_ns : life->tick_ns;
	return sight;
}

/* The period of the record in which @happening came, NULL: the CPU was awake. */
static const struct period *period_of(const struct life *life, const struct happening *happening)
{
	const struct period *period;

	if (happening->period == NO_PERIOD)
		return NULL;
	period = &life->stretch->periods.ptr[happening->period];
	return period->state >= 0 && !period->cut ? period : NULL;
}

/* When a period in @state ends by something due at @due_ns that ended @period of the record. */
static int64_t paired_end(const struct life *life, int64_t due_ns, const struct period *period,
			  int state)
{
	int64_t delay_ns = wake_delay_ns(life, state);

	if (period)
		delay_ns += (int64_t)period->exit_ns - due_ns - wake_delay_ns(life, period->state);
	return later(life->now_ns, due_ns + later(delay_ns, 0));
}

static int64_t end_by(const struct life *life, const struct happening *happening, int state)
{
	const struct period *period = period_of(life, happening);

	/* It came in the middle of polling, which went on: the end of that period has nothing to do with it. */
	if (period && life->table->states[period->state].polling && !happening->wakes_task)
		period = NULL;
	return paired_end(life, (int64_t)happening->due_ns, period, state);
}

/* The record's period that the next tick ended, NULL: there was no such tick, or it came in the midst of polling. */
static const struct period *tick_period(const struct life *life)
{
	const struct stretch *stretch = life->stretch;

	for (size_t i = life->reference; i < stretch->periods.len; i++) {
		const struct period *period = &stretch->periods.ptr[i];

		if ((int64_t)period->enter_ns > later(life->tick_ns, life->now_ns))
			break;
		if (period->got_tick && period->tick_ns == life->tick_ns && period->state >= 0)
			return life->table->states[period->state].polling ? NULL : period;
	}
	return NULL;
}

static bool tick_runs(const struct life *life)
{
	return !life->tick_stopped && life->tick_ns != TIME_NONE;
}

/*
 * How long the CPU would sleep in each state from now: until the next happening, or until the tick where it may not be
 * stopped. As the kernel's clock would have it, for the oracle to choose by.
 */
static void look_ahead(const struct life *life, bool tick_needed, int64_t ret_ns[CPIR_STATES_MAX])
{
	const struct happening *happening = life_next(life);

	for (uint32_t i = 0; i < life->table->count; i++) {
		int64_t end_ns = happening ? end_by(life, happening, (int)i)
					   : (int64_t)life->stretch->end_ns;

		if (tick_needed && tick_runs(life)) {
			int64_t tick_end_ns =
				paired_end(life, life->tick_ns, tick_period(life), (int)i);

			end_ns = end_ns < tick_end_ns ? end_ns : tick_end_ns;
		}
		ret_ns[i] = end_ns - life->now_ns - life->context->learned->account_cost_ns;
	}
}

void night_decide(struct life *life, struct night *night)
{
	struct sight sight = see(life);
	bool tick_needed = inputs_tick_needed(life->context, &sight);
	int64_t hindsight_ns[CPIR_STATES_MAX];
	struct policy_input input;

	inputs_build(life->context, &sight, tick_needed, life->disabled_mask, &input);
	if (life->policy->ops->hindsight) {
		look_ahead(life, tick_needed, hindsight_ns);
		input.hindsight_ns = hindsight_ns;
	}

	life->policy->ops->select(life->policy, life->table, life->state, &input, &night->decision,
				  NULL);
	night->stopped_tick = night->decision.stop_tick && !life->tick_stopped && !tick_needed;
	life->tick_stopped |= night->stopped_tick;
}

static int64_t poll_limit_ns(const struct life *life, const struct policy_decision *decision)
{
	const struct learned *learned = life->context->learned;

	/* The trace shows a period longer than the kernel's own clock does. */
	if (decision->poll_limit_ns >= 0)
		return decision->poll_limit_ns + learned->residency_cost_ns;
	if (learned->poll_samples >= POLL_SAMPLES_MIN)
		return learned->poll_limit_ns;
	if (life->context->platform->poll_limit_ns >= 0)
		return life->context->platform->poll_limit_ns + learned->residency_cost_ns;
	return policy_poll_limit_ns(life->policy, life->table, life->disabled_mask) +
	       learned->residency_cost_ns;
}

static void end_night(const struct life *life, struct night *night,
		      const struct happening *happening, int64_t end_ns)
{
	night->end_ns = end_ns;
	night->wake = happening->kind;
	night->ended_by = happening;
	night->paired = period_of(life, happening);
}

/*
 * When a polling CPU notices that it is wanted: at once when another CPU says so, else with the interrupt, which a
 * recorded polling period may have delayed.
 */
static int64_t noticed_ns(const struct life *life, const struct happening *happening)
{
	const struct period *period = period_of(life, happening);

	if (happening->kind != CPIR_WAKE_TASK_REMOTE && period &&
	    life->table->states[period->state].polling)
		return (int64_t)happening->handled_ns;
	return (int64_t)happening->due_ns;
}

static bool polls(const struct life *life, const struct night *night)
{
	return life->table->states[night->decision.state].polling;
}

/*
 * Was the tick of the record's @period as ours is now that both are decided? Where no event tells that it was stopped, one that did
 * not come may have been; where none tells of timers, nothing tells, and what the record shows is the best there is.
 */
static bool same_tick(const struct life *life, const struct period *period)
{
	bool stopped = period->tick_stopped || period->stopped_tick;
	bool came = period->got_tick || period->tick_ns >= (int64_t)period->exit_ns;

	if (!life->context->known.hrtimers)
		return true;
	if (life->tick_stopped)
		return stopped;
	return !stopped && period->tick_ns == life->tick_ns && (came || life->context->known.tick);
}

/* Could the record's @period have lasted as long under the polling limit of our policy, if it has one? */
static bool same_limit(const struct night *night, const struct period *period)
{
	int64_t limit_ns = night->decision.poll_limit_ns;

	return limit_ns < 0 ||
	       (!period->poll_timeout && (int64_t)(period->exit_ns - period->enter_ns) <= limit_ns);
}

/* What ended the record's @period, in which our policy polls or sleeps as the record did. */
static const struct happening *recorded_end(const struct life *life, const struct night *night,
					    const struct period *period)
{
	uint32_t index = (uint32_t)(period - life->stretch->periods.ptr);
	const struct happening *happening;

	if (!polls(life, night))
		return stretch_cause(life->stretch, period);
	for (uint32_t i = life->served; (happening = happening_at(life, i)); i++) {
		if (happening->period == index && happening->wakes_task)
			return happening;
	}
	return NULL;
}

/* The record did the same from the very same moment: then it shows what came of it, late interrupts and all. */
static bool live_as_recorded(struct life *life, struct night *night)
{
	const struct period *period = reference_period(life);

	if (period->cut || period->state != night->decision.state ||
	    period->happenings_before != life->served || (int64_t)period->enter_ns != life->now_ns)
		return false;
	if (polls(life, night) ? !same_limit(night, period) : !same_tick(life, period))
		return false;
	night->ended_by = recorded_end(life, night, period);
	if (polls(life, night) && !period->poll_timeout && !night->ended_by)
		return false;
	night->end_ns = (int64_t)period->exit_ns;
	night->poll_timeout = period->poll_timeout;
	night->got_tick = period->got_tick;
	night->wake = stretch_woken_by(life->stretch, period);
	night->paired = period;
	night->as_recorded = true;
	return true;
}

/* Polling goes on through interrupts until a task is woken or the limit is reached. */
static void poll(struct life *life, struct night *night)
{
	int64_t limit_ns = life->now_ns + poll_limit_ns(life, &night->decision);
	const struct happening *happening;

	night->end_ns = limit_ns;
	night->wake = CPIR_WAKE_POLL_LIMIT;
	night->poll_timeout = true;
	for (uint32_t i = life->served; (happening = happening_at(life, i)); i++) {
		int64_t end_ns = end_by(life, happening, night->decision.state);

		if (noticed_ns(life, happening) > limit_ns)
			break;
		if (!happening->wakes_task) {
			life->entry_ns = end_ns;
			continue;
		}
		end_night(life, night, happening, end_ns);
		night->poll_timeout = false;
		break;
	}
}

/* Asleep: the first thing that is due ends it. */
static void sleep_until_woken(struct life *life, struct night *night)
{
	const struct happening *happening = life_next(life);
	int state = night->decision.state;

	if (tick_runs(life) && (!happening || life->tick_ns < (int64_t)happening->due_ns)) {
		night->paired = tick_period(life);
		night->end_ns = paired_end(life, life->tick_ns, night->paired, state);
		night->wake = CPIR_WAKE_TICK;
		return;
	}
	if (happening)
		end_night(life, night, happening, end_by(life, happening, state));
	else
		night->end_ns = later(life->now_ns, (int64_t)life->stretch->end_ns);
}

/* The record's next period after the one that ended by the same cause, NULL none. */
static const struct period *next_recorded(const struct life *life, const struct night *night)
{
	const struct period *end = life->stretch->periods.ptr + life->stretch->periods.len;

	return night->paired && night->paired + 1 < end ? night->paired + 1 : NULL;
}

/* When the CPU decides next, and what its idle entry time is then. */
static void stand_after(struct life *life, const struct night *night)
{
	const struct learned *learned = life->context->learned;
	const struct period *next = next_recorded(life, night);

	if (night->poll_timeout && !night->paired) {
		life->now_ns = night->end_ns + learned->gap_after_poll_ns;
		return;
	}
	if (next) {
		life->now_ns = night->end_ns + (int64_t)(next->enter_ns - night->paired->exit_ns);
		life->entry_ns = life->now_ns -
				 ((int64_t)next->enter_ns - entry_of_period(life->context, next));
		return;
	}
	life->now_ns = night->end_ns + learned->gap_after_wake_ns;
	life->entry_ns = life->now_ns - learned->entry_lead_ns[ENTRY_IRQ];
}

/*
 * Did one of the ticks from life->tick_ns to @last_ns wake the CPU, as the governor is told? So it did when due by the end of the
 * period, and when the record has it handled after the end of the paired one before the governor was told.
 */
static bool tick_woke(const struct life *life, const struct night *night, int64_t last_ns)
{
	const struct period *paired = night->paired;

	if (life->tick_ns <= night->end_ns)
		return true;
	return paired && paired->got_tick && paired->tick_ns >= life->tick_ns &&
	       paired->tick_ns <= last_ns && night->end_ns >= (int64_t)paired->exit_ns;
}

/* The tick that the record has next; where no event tells, the one after that which woke the CPU, if one did. */
static void take_over_tick(struct life *life, const struct night *night)
{
	const struct period *next = next_recorded(life, night);
	int64_t tick_ns = life->context->clocks->tick_ns;

	if (next && next->tick_ns != TIME_NONE)
		life->tick_ns = next->tick_ns;
	else if (life->tick_ns <= life->now_ns)
		life->tick_ns += (life->now_ns - life->tick_ns) / tick_ns * tick_ns + tick_ns;
	else if (night->got_tick)
		life->tick_ns += tick_ns;
}

/* All at once: there may be any number of them in a long period. */
static void serve_ticks(struct life *life, struct night *night)
{
	int64_t tick_ns = life->context->clocks->tick_ns, last_ns;

	if (!tick_runs(life) || life->tick_ns > life->now_ns)
		return;
	last_ns = life->tick_ns + (life->now_ns - life->tick_ns) / tick_ns * tick_ns;
	night->got_tick |= tick_woke(life, night, last_ns);
	if (night->poll_timeout)
		life->entry_ns = later(life->entry_ns, last_ns);
	life->tick_ns = last_ns + tick_ns;
}

/* When the record's wake-up of the same cause, no sooner than this one, left to @period what was due then: its interrupt was late. */
static bool came_later(const struct night *night, const struct period *period)
{
	return period && night->paired && period > night->paired &&
	       night->end_ns <= (int64_t)night->paired->exit_ns;
}

/*
 * A wake-up serves what is due by then, and of what comes due while it is handled that which the record served then too:
 * the rest stays pending, and ends the next period at once.
 */
static bool served_by(const struct life *life, const struct night *night,
		      const struct happening *happening)
{
	const struct period *period = period_of(life, happening);

	if (night->ended_by && happening <= night->ended_by)
		return true;
	if (night->as_recorded)
		return period == night->paired;
	if (night->poll_timeout)
		return !happening->wakes_task && (int64_t)happening->due_ns <= life->now_ns;
	if (came_later(night, period))
		return false;
	if ((int64_t)happening->due_ns <= night->end_ns)
		return true;
	return (int64_t)happening->due_ns <= life->now_ns && (!period || period == night->paired);
}

/* Everything due until the next decision is served by this wake-up; as in the record, if it is the record's. */
static void serve_happenings(struct life *life, const struct night *night)
{
	const struct period *next = night->as_recorded ? next_recorded(life, night) : NULL;
	const struct happening *happening;

	life->over |= night->as_recorded && !next;
	while ((happening = life_next(life)) &&
	       (night->as_recorded ? !next || life->served < next->happenings_before
				   : served_by(life, night, happening))) {
		life->served++;
		life->ordinal = 0;
		life->over |= happening->wakes_task;
	}
}

void night_live(struct life *life, struct night *night)
{
	night->wake = CPIR_WAKE_UNKNOWN;
	if (!live_as_recorded(life, night)) {
		if (polls(life, night))
			poll(life, night);
		else
			sleep_until_woken(life, night);
	}
	stand_after(life, night);
	if (!night->as_recorded)
		serve_ticks(life, night);
	else if (tick_runs(life))
		take_over_tick(life, night);
	serve_happenings(life, night);
}
