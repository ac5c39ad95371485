// SPDX-License-Identifier: GPL-2.0-only
/* Constants fitted to decisions, of a governor that is simple enough to tell what must come out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "replay/book.h"
#include "replay/fit.h"

#define THRESHOLD_NS 100000
#define WAY_NS 40000

static struct cpir_table table = {
	.count = 2,
	.states = {{.exit_latency_ns = 0},
		   {.target_residency_ns = THRESHOLD_NS, .exit_latency_ns = 10000}},
};
static int32_t cpu_table;
static const struct cpir_platform platform = {
	.cpu_count = 1,
	.cpu_table = &cpu_table,
	.table_count = 1,
	.tables = &table,
};

/* It takes the deeper state when the next timer, or the last period in whole microseconds, says so. */
struct simple {
	int64_t last_us;
};

static void simple_enable(const struct cpir_policy *policy, const struct cpir_table *states,
			  void *state)
{
	(void)policy;
	(void)states;
	memset(state, 0, sizeof(struct simple));
}

static void simple_select(const struct cpir_policy *policy, const struct cpir_table *states,
			  void *state, const struct policy_input *input,
			  struct policy_decision *ret_decision, struct policy_steps *steps)
{
	const struct simple *simple = state;

	(void)policy;
	(void)steps;
	*ret_decision = (struct policy_decision){
		.state = input->sleep_length_ns >= (int64_t)states->states[1].target_residency_ns ||
			 simple->last_us >= 500,
		.stop_tick = true,
	};
}

static void simple_reflect(const struct cpir_policy *policy, const struct cpir_table *states,
			   void *state, const struct policy_outcome *outcome)
{
	struct simple *simple = state;

	(void)policy;
	(void)states;
	simple->last_us = outcome->residency_ns / 1000;
}

static const struct policy_ops simple_ops = {
	.name = "simple",
	.state_size = sizeof(struct simple),
	.enable = simple_enable,
	.select = simple_select,
	.reflect = simple_reflect,
};
static const struct cpir_policy policy = {.ops = &simple_ops, .name = "simple"};

static struct book book; /* of all stretches */

static int book_gone(void **state)
{
	(void)state;
	book_free(&book);
	return 0;
}

/* A stretch of one period, entered WAY_NS after sched_switch, with a timer so long after that. */
static void add(struct fit_sample *sample, int state, int64_t timer_ns, uint64_t duration_ns)
{
	uint64_t begin_ns = 1000000 * (sample->stretches.len + 1);
	struct stretch stretch = {.begin_ns = begin_ns};
	struct period *period = array_add(&stretch.periods);

	assert_non_null(period);
	*period = (struct period){
		.state = (int16_t)state,
		.entry_ns = begin_ns,
		.entry_kind = ENTRY_SWITCH,
		.enter_ns = begin_ns + WAY_NS,
		.exit_ns = begin_ns + WAY_NS + duration_ns,
		.next_hrtimer_ns = (int64_t)begin_ns + timer_ns,
		.grid_ns = TIME_NONE,
		.stale_ns = TIME_NONE,
		.next_wheel_ns = TIME_NONE,
		.tick_ns = TIME_NONE,
		.latency_req_ns = INT64_MAX,
		.stopped_tick = true,
		.decided = true,
	};
	assert_int_equal(book_add(&book, &stretch), 0);
	array_free(&stretch.periods);
	assert_int_equal(fit_sample_add(sample, book_stretch(&book, book.stretches.len - 1)), 0);
}

static struct learned fit(struct fit_sample *sample, int64_t event_cost_ns)
{
	static const struct clocks clocks = {.tick_ns = 4000000, .hz = 250};
	struct learned learned = {
		.event_cost_ns = event_cost_ns,
		.account_cost_ns = event_cost_ns,
		.residency_cost_ns = event_cost_ns,
		.entry_delay_ns[ENTRY_SWITCH] = WAY_NS * 40 / 100,
		.entry_lead_ns[ENTRY_SWITCH] = WAY_NS * 60 / 100,
		.entry_samples[ENTRY_SWITCH] = 1000,
	};
	struct context context = {
		.clocks = &clocks,
		.learned = &learned,
		.platform = &platform,
		.known = {.sched_switch = true, .hrtimers = true, .tick = true},
		.cpus = 1,
		.latency_req_ns = INT64_MAX,
	};

	assert_int_equal(fit_constants(sample, &context, &policy, &learned, NULL), 0);
	assert_int_equal(learned.entry_delay_ns[ENTRY_SWITCH] + learned.entry_lead_ns[ENTRY_SWITCH],
			 WAY_NS);
	fit_sample_free(sample);
	return learned;
}

/* The record chose as if the idle entry time were @delay_ns after sched_switch. */
static void add_near_threshold(struct fit_sample *sample, int64_t delay_ns)
{
	for (int64_t off_ns = -20000; off_ns < 20000; off_ns += 100)
		add(sample, off_ns >= 0, THRESHOLD_NS + delay_ns + off_ns, 50000);
}

/* The decisions say it, whatever the events suggest. */
static void test_switch(void **state)
{
	struct fit_sample near = {0}, far = {0};
	struct learned learned;

	(void)state;
	add_near_threshold(&near, 15000);
	learned = fit(&near, 9000);
	assert_in_range(learned.entry_delay_ns[ENTRY_SWITCH], 14000, 16000);
	assert_true(learned.entry_fitted[ENTRY_SWITCH]);
	assert_in_range(learned.entry_delay_ns[ENTRY_IRQ], 11200, 12800);
	add_near_threshold(&far, 22000);
	learned = fit(&far, 9000);
	assert_in_range(learned.entry_delay_ns[ENTRY_SWITCH], 21000, 23000);
}

/* No decision hangs on the delay: what the cost of an event suggests, within what the way allows. */
static void test_flat(void **state)
{
	static const struct {
		int64_t cost_ns, expected_ns;
	} cases[] = {{10000, 16600}, {100, 14000}, {50000, 22000}, {0, 16000}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fit_sample sample = {0};
		struct learned learned;

		for (unsigned k = 0; k < 300; k++)
			add(&sample, k % 2, k % 2 ? 400000 : 50000, 50000);
		learned = fit(&sample, cases[i].cost_ns);
		assert_in_range(learned.entry_delay_ns[ENTRY_SWITCH],
				cases[i].expected_ns - cases[i].expected_ns / 50,
				cases[i].expected_ns + cases[i].expected_ns / 50);
		assert_int_equal(learned.residency_cost_ns, cases[i].cost_ns);
	}
}

/* What the governor remembered of each period shows in the next decision: 8000 ns are taken off what the trace has. */
static void test_cost(void **state)
{
	struct fit_sample sample = {0};
	struct learned learned;

	(void)state;
	for (uint64_t off_ns = 0; off_ns < 4000; off_ns += 20) {
		uint64_t residency_ns = 498000 + off_ns;

		add(&sample, 0, 50000, residency_ns + 8000);
		add(&sample, residency_ns >= 500000, 50000, 50000);
	}
	learned = fit(&sample, 8150);
	assert_in_range(learned.residency_cost_ns, 7980, 8020);
	assert_int_equal(learned.account_cost_ns, 8150);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_switch),
		cmocka_unit_test(test_flat),
		cmocka_unit_test(test_cost),
	};

	return cmocka_run_group_tests_name("fit", tests, NULL, book_gone);
}
