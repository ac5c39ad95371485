// SPDX-License-Identifier: GPL-2.0-only
/* Stretches lived through under a policy that never stops the tick: how long it is followed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "replay/idle_loop.h"
#include "policy_fixture.h"

#define TICK_NS 4000000

static void select_one(const struct cpir_policy *policy, const struct cpir_table *table,
		       void *state, const struct policy_input *input,
		       struct policy_decision *ret_decision, struct policy_steps *steps)
{
	(void)policy;
	(void)table;
	(void)state;
	(void)input;
	(void)steps;
	*ret_decision = (struct policy_decision){.state = 1, .poll_limit_ns = -1, .reason = "one"};
}

static const struct policy_ops ops = FIXTURE_OPS("one", select_one);
static const struct cpir_policy policy = {.ops = &ops, .tick_ns = TICK_NS};
static struct cpir_table table = {.count = 2,
				  .states = {{.polling = true}, {.exit_latency_ns = 1000}}};
static const struct cpir_platform platform = {.table_count = 1, .tables = &table};
static const struct clocks clocks = {.tick_ns = TICK_NS};
static const struct learned learned = {.wake_delay_ns = {0, 1000}, .gap_after_wake_ns = 2000};
static const struct context context = {
	.known = {.hrtimers = true},
	.clocks = &clocks,
	.learned = &learned,
	.platform = &platform,
	.cpus = 1,
	.latency_req_ns = INT64_MAX,
};

/* One recorded period, whose timer wakes a task so many ticks later. */
static struct idle_loop *live(uint64_t ticks)
{
	struct idle_loop *loop = idle_loop_new(&context, &policy, BOUND_BEST);
	uint64_t due_ns = 1000000 + ticks * TICK_NS;
	struct period period = {.enter_ns = 1000000,
				.exit_ns = due_ns + 1000,
				.entry_ns = 1000000,
				.next_hrtimer_ns = (int64_t)due_ns,
				.grid_ns = TIME_NONE,
				.stale_ns = TIME_NONE,
				.next_wheel_ns = TIME_NONE,
				.tick_ns = 3000000,
				.latency_req_ns = INT64_MAX,
				.state = 1,
				.decided = true};
	struct happening waking = {.due_ns = due_ns,
				   .handled_ns = due_ns,
				   .kind = CPIR_WAKE_TIMER,
				   .due_known = true,
				   .wakes_task = true};
	struct stretch stretch = {.begin_ns = 900000, .end_ns = due_ns + 5000};

	assert_non_null(loop);
	stretch.periods.ptr = &period;
	stretch.happenings.ptr = &waking;
	stretch.periods.len = stretch.happenings.len = 1;
	assert_int_equal(idle_loop_stretch(loop, &stretch, true), 0);
	return loop;
}

/* The tick at 3 ms and the next nine end a period each, the timer the last. */
static void test_ticks(void **state)
{
	struct idle_loop *loop = live(10);

	(void)state;
	assert_int_equal(idle_loop_stats(loop, 0)->usage, 11);
	assert_int_equal(idle_loop_cut(loop), 0);
	idle_loop_free(loop);
}

/* A hundred seconds are followed, a hundred years are not, and that is told. */
static void test_patience(void **state)
{
	struct idle_loop *loop = live(25000);

	(void)state;
	assert_int_equal(idle_loop_stats(loop, 0)->usage, 25001);
	assert_int_equal(idle_loop_cut(loop), 0);
	idle_loop_free(loop);
	loop = live(100ull * 365 * 86400 * 250);
	assert_int_equal(idle_loop_stats(loop, 0)->usage, 102000);
	assert_int_equal(idle_loop_cut(loop), 1);
	idle_loop_free(loop);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ticks),
		cmocka_unit_test(test_patience),
	};

	return cmocka_run_group_tests_name("idle_loop", tests, NULL, NULL);
}
