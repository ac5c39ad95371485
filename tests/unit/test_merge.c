// SPDX-License-Identifier: GPL-2.0-only
/* Merging: against a sort of all events, and the rule for equal times. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "trace/merge.h"
#include "trace/trace_state.h"
#include "trace_fixture.h"

#define CPUS 5
#define PAGE 1024

static const char *const formats[] = {fixture_cpu_idle};

static uint64_t random_next(uint64_t *seed)
{
	*seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return *seed >> 33;
}

/* struct shape - of a trace: how many CPUs have how many events, and how long all are silent before each page */
struct shape {
	uint32_t cpus;
	uint32_t counts[CPUS];
	uint64_t silence_ns;
};

/* A CPU's pages: steps of 0 … 3 so that equal times are common; state counts the events. */
static struct blob pages_make(const struct shape *shape, uint32_t cpu, uint64_t *seed)
{
	uint32_t count = shape->counts[cpu];
	struct blob pages = {0};
	struct page_maker maker = {&pages, 8, PAGE, 0};
	uint64_t now = 100;

	for (uint32_t i = 0; i < count; i++) {
		struct blob event = fixture_idle(false, i, cpu);
		uint32_t step = (uint32_t)(random_next(seed) % 4);

		now += step;
		if (i % 30 == 0) {
			now += shape->silence_ns;
			page_begin(&maker, now);
		}
		page_record(&maker, i % 30 ? step : 0, &event);
		if (i % 30 == 29 || i == count - 1)
			page_end(&maker, 0, 0);
		blob_free(&event);
	}
	return pages;
}

static void check_order(struct trace *trace, const uint32_t *counts)
{
	uint32_t next[CPUS] = {0};
	struct event before = {0};
	const struct event *event;
	struct cpir_error err;
	struct trace_merge *merge;
	uint64_t total = 0;

	assert_int_equal(trace_merge_open(trace, NULL, &merge, &err), 0);
	while (trace_merge_next(merge, &event, &err) > 0) {
		assert_true(event->time_ns > before.time_ns ||
			    (event->time_ns == before.time_ns && event->cpu >= before.cpu));
		assert_int_equal(event->u.idle.state, next[event->cpu]++);
		before = *event;
		total++;
	}
	for (uint32_t cpu = 0; cpu < CPUS; cpu++)
		assert_int_equal(next[cpu], counts[cpu]);
	assert_int_equal(trace_merge_count(merge, EV_CPU_IDLE), total);
	assert_int_equal(trace_merge_permille(merge), 1000);
	assert_int_equal(trace_merge_next(merge, &event, &err), 0);
	trace_merge_close(merge);
}

/* Where a CPU's pages begin and end, and its least step, as pages_make() made them. */
static struct trace_span span_of(struct trace *trace)
{
	struct trace_span span = {.begin_ns = UINT64_MAX};
	uint64_t last[CPUS] = {0};
	const struct event *event;
	struct cpir_error err;
	struct trace_merge *merge;

	assert_int_equal(trace_merge_open(trace, NULL, &merge, &err), 0);
	while (trace_merge_next(merge, &event, &err) > 0) {
		uint64_t now = event->time_ns, step = now - last[event->cpu];

		if (last[event->cpu] && step && (!span.step_ns || step < span.step_ns))
			span.step_ns = step;
		last[event->cpu] = now;
		span.begin_ns = now < span.begin_ns ? now : span.begin_ns;
		span.end_ns = now;
	}
	trace_merge_close(merge);
	return span;
}

/* What is not asked for is counted, and makes up the span of the trace, all the same. */
static void check_only(struct trace *trace, const uint32_t *counts)
{
	const struct trace_merge_options options = {.want = EVENT_BIT(EV_TICK_STOP)};
	struct trace_span expected = span_of(trace), span;
	uint64_t total = 0;
	const struct event *event;
	struct cpir_error err;
	struct trace_merge *merge;

	for (uint32_t cpu = 0; cpu < CPUS; cpu++)
		total += counts[cpu];
	assert_int_equal(trace_merge_open(trace, &options, &merge, &err), 0);
	assert_int_equal(trace_merge_next(merge, &event, &err), 0);
	assert_int_equal(trace_merge_count(merge, EV_CPU_IDLE), total);
	assert_int_equal(trace_merge_span(merge, &span), total > 0);
	if (total) {
		assert_int_equal(span.begin_ns, expected.begin_ns);
		assert_int_equal(span.end_ns, expected.end_ns);
		assert_int_equal(span.step_ns, expected.step_ns);
	}
	trace_merge_close(merge);
}

static void check_merge(enum compression compression, const struct shape *shape)
{
	struct trace_options options = {0};
	struct cpir_error err = {0};
	struct blob cpus[CPUS], file;
	struct fixture_buffer top = {"", cpus, shape->cpus};
	struct trace *trace = NULL;
	uint64_t seed = 7;

	for (uint32_t cpu = 0; cpu < shape->cpus; cpu++)
		cpus[cpu] = pages_make(shape, cpu, &seed);
	file = fixture_build(&(struct fixture){.version = 7,
					       .long_size = 8,
					       .page_size = PAGE,
					       .compression = compression,
					       .formats = formats,
					       .format_count = 1,
					       .buffers = &top,
					       .buffer_count = 1});
	if (trace_open_memory("x", (struct span){file.data, file.size}, &options, &trace, &err) < 0)
		fail_msg("%s", err.text);
	check_order(trace, shape->counts);
	check_only(trace, shape->counts);
	trace_close(trace);
	for (uint32_t cpu = 0; cpu < shape->cpus; cpu++)
		blob_free(&cpus[cpu]);
	blob_free(&file);
}

/* Few CPUs are merged in another way than many; silence of more than 32 bits of ns ends a round. */
static void test_order(void **state)
{
	static const struct shape shapes[] = {
		{CPUS, {1000, 3, 0, 700, 129}, 0},
		{CPUS, {0, 0, 0, 0, 1}, 0},
		{CPUS, {128, 128, 128, 128, 128}, 0},
		{CPUS, {0, 0, 0, 0, 0}, 0},
		{CPUS, {400, 3, 0, 700, 129}, 6000000000},
		{3, {1000, 3, 700}, 0},
		{3, {400, 0, 700}, 6000000000},
		{1, {128}, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		check_merge(COMPRESSION_NONE, &shapes[i]);
		check_merge(COMPRESSION_ZSTD, &shapes[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_order)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
