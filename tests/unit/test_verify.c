// SPDX-License-Identifier: GPL-2.0-only
/* What the verification run finds out about a period for the what-if runs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "replay/verify.h"
#include "policy_fixture.h"

#define US 1000

/* State 2 is for sleeps of 50 us and more, state 0 for none. */
static void select_by_sleep(const struct cpir_policy *policy, const struct cpir_table *table,
			    void *state, const struct policy_input *input,
			    struct policy_decision *ret_decision, struct policy_steps *steps)
{
	(void)policy;
	(void)table;
	(void)state;
	(void)steps;
	*ret_decision = (struct policy_decision){
		.state = input->sleep_length_ns >= 50 * US ? 2 : input->sleep_length_ns > 0,
		.poll_limit_ns = -1,
		.reason = "sleep length",
	};
}

static const struct policy_ops ops = FIXTURE_OPS("by-sleep", select_by_sleep);
static const struct cpir_policy policy = {.ops = &ops, .tick_ns = 4000 * US};
static struct cpir_table table = {.count = 3, .states = {{.polling = true}}};
static const struct cpir_platform platform = {.table_count = 1, .tables = &table};
static const struct clocks clocks = {.tick_ns = 4000 * US};

/* Entered by sched_switch at 1000 us, cpu_idle at 1080 us in state 1, a timer at 1100 us. */
static struct period period_make(void)
{
	return (struct period){.enter_ns = 1080 * US,
			       .exit_ns = 1090 * US,
			       .entry_ns = 1000 * US,
			       .entry_kind = ENTRY_SWITCH,
			       .next_hrtimer_ns = 1100 * US,
			       .grid_ns = TIME_NONE,
			       .stale_ns = TIME_NONE,
			       .next_wheel_ns = TIME_NONE,
			       .tick_ns = 3000 * US,
			       .latency_req_ns = INT64_MAX,
			       .state = 1,
			       .decided = true};
}

static const struct learned nothing = {0};

static struct context context_make(const struct learned *learned)
{
	return (struct context){
		.clocks = &clocks,
		.learned = learned,
		.platform = &platform,
		.known = {.sched_switch = true, .hrtimers = true, .tick = true},
		.cpus = 1,
		.latency_req_ns = INT64_MAX,
	};
}

/* What the run says of @period where the way to cpu_idle usually takes @usual_ns. */
static int64_t later(struct period period, int64_t usual_ns, bool simulated)
{
	const struct learned learned = {.entry_lead_ns = {[ENTRY_SWITCH] = usual_ns}};
	const struct context context = context_make(&learned);
	struct verify *verify = verify_new(&context, &policy, 1);
	struct stretch stretch = {.begin_ns = 1000 * US, .end_ns = 1095 * US};

	assert_non_null(verify);
	stretch.periods.ptr = &period;
	stretch.periods.len = 1;
	if (simulated)
		verify_keep_past(verify);
	assert_int_equal(verify_stretch(verify, &stretch, true), 0);
	verify_free(verify);
	return period.later_ns;
}

/* 100 us would be state 2; from 1060 us on, the sixth of eight steps of 10 us, they are less than 50. */
static void test_held_up(void **state)
{
	(void)state;
	assert_int_equal(later(period_make(), 20 * US, true), 60 * US);
	assert_int_equal(later(period_make(), 20 * US, false), 0); /* nobody wants to know */
}

/* The way is no longer than usual; was to stop the tick on; the state is right as it is; or no time makes it so. */
static void test_not_held_up(void **state)
{
	struct period stopping = period_make(), right = period_make(), wrong = period_make();

	(void)state;
	stopping.stopped_tick = true;
	right.state = 2;
	wrong.state = 0;
	assert_int_equal(later(period_make(), 60 * US, true), 0);
	assert_int_equal(later(stopping, 20 * US, true), 0);
	assert_int_equal(later(right, 20 * US, true), 0);
	assert_int_equal(later(wrong, 20 * US, true), 0);
}

#define POLLS 4

/* Polls to the limit, though the timer is far; after the third an interrupt comes. */
static void polls_make(struct period periods[POLLS])
{
	for (unsigned i = 0; i < POLLS; i++) {
		periods[i] = period_make();
		periods[i].enter_ns = (1080 + 20 * i) * US;
		periods[i].exit_ns = (1090 + 20 * i) * US;
		periods[i].next_hrtimer_ns = 2000 * US;
		periods[i].state = 0;
		periods[i].poll_timeout = true;
	}
	periods[3].entry_ns = 1135 * US; /* nothing is known of what follows */
}

static struct cpir_agreement overdue(const struct context *context, struct period periods[POLLS])
{
	struct verify *verify = verify_new(context, &policy, 1);
	struct stretch stretch = {.begin_ns = 1000 * US, .end_ns = 2000 * US};
	struct cpir_agreement agreement = {0};

	assert_non_null(verify);
	stretch.periods.ptr = periods;
	stretch.periods.len = POLLS;
	assert_int_equal(verify_stretch(verify, &stretch, true), 0);
	verify_agreement(verify, &agreement);
	verify_free(verify);
	return agreement;
}

/* Only the first time is a surprise. */
static void test_overdue(void **state)
{
	const struct context context = context_make(&nothing);
	struct period periods[POLLS];
	struct cpir_agreement agreement;
	struct sight sight;

	(void)state;
	polls_make(periods);
	agreement = overdue(&context, periods);
	assert_int_equal(agreement.decisions, 4);
	assert_int_equal(agreement.by_state[0][0], 2);
	assert_int_equal(agreement.by_state[0][2], 2);
	for (unsigned i = 0; i < 3; i++) {
		assert_true(periods[i].overdue);
		sight_of_period(&context, &periods[i], &sight);
		assert_int_equal(sight.hrtimer_ns, 1000 * US);
	}
}

/* The record goes on to a deeper state, with nothing having come: no timer was overdue. */
static void test_not_overdue(void **state)
{
	const struct context context = context_make(&nothing);
	struct period periods[POLLS];

	(void)state;
	polls_make(periods);
	periods[2].state = 1;
	periods[2].poll_timeout = false;
	(void)overdue(&context, periods);
	for (unsigned i = 0; i < 3; i++)
		assert_false(periods[i].overdue);
	assert_true(periods[3].overdue);
}

/* Decisions that are not the record's stand together, or are spread. */
static void test_spell(void **state)
{
	struct spells together = {0}, spread = {0};

	(void)state;
	for (uint64_t i = 0; i < 10000; i++) {
		spells_add(&together, 3, i * US, i >= 5000 && i < 5200);
		spells_add(&spread, 3, i * US, i % 50 == 0);
	}
	assert_int_equal(together.worst.wrong, 200);
	assert_int_equal(together.worst.begin_ns, 5000 * US);
	assert_int_equal(together.worst.end_ns, 5249 * US);
	assert_int_equal(together.worst.cpu, 3);
	assert_true(spell_stands_out(&together.worst, 200, 10000));
	assert_false(spell_stands_out(&together.worst, 2000, 10000)); /* nothing does */
	assert_int_equal(spread.worst.wrong, 5);
	assert_false(spell_stands_out(&spread.worst, 200, 10000));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_held_up), cmocka_unit_test(test_not_held_up),
		cmocka_unit_test(test_overdue), cmocka_unit_test(test_not_overdue),
		cmocka_unit_test(test_spell),
	};

	return cmocka_run_group_tests_name("verify", tests, NULL, NULL);
}
