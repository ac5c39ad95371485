// SPDX-License-Identifier: GPL-2.0-only
/*
 * Is the policy the governor? For recordings in which menu wrote its inputs, its state and its choice into the trace
 * (event rigmenu:menu_select), put that state into our menu, feed it those inputs and compare the choice: nothing of the
 * model is in between. A developer's tool: the product never reads those events.
 *
 *   oracle-feed TRACE PLATFORM POLICY HZ
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <traceevent/event-parse.h>

#include "base/parse.h"
#include "policy/menu.h"
#include "trace/merge.h"

#define INTERVALS 8

struct feed {
	struct cpir_platform *platform;
	struct cpir_policy *policy;
	struct menu_state state;
	uint64_t decisions, state_differs, tick_differs, unlooked;
};

static int64_t field(const struct tep_handle *tep, const struct event *raw, const char *name)
{
	struct tep_event *event = tep_find_event((struct tep_handle *)tep, raw->u.raw.id);
	struct tep_format_field *found = event ? tep_find_any_field(event, name) : NULL;
	unsigned long long value = 0;

	if (!found || tep_read_number_field(found, raw->u.raw.data, &value))
		return 0;
	if (found->flags & TEP_FIELD_IS_SIGNED && found->size == 4)
		return (int32_t)value;
	return (int64_t)value;
}

/* The governor's state as it was after digesting the last outcome. */
static void take_state(struct feed *feed, const struct cpir_table *table,
		       const struct tep_handle *tep, const struct event *raw)
{
	char name[8];

	feed->policy->ops->enable(feed->policy, table, &feed->state);
	for (int i = 0; i < INTERVALS; i++) {
		(void)snprintf(name, sizeof(name), "i%d", i);
		feed->state.interval[i] = (uint32_t)field(tep, raw, name);
	}
	feed->state.factor[field(tep, raw, "bucket")] = (uint32_t)field(tep, raw, "factor");
	feed->state.update = false;
	feed->state.measured = 1; /* nothing to digest, and not a rejected entry either */
}

static void decide(struct feed *feed, const struct tep_handle *tep, const struct event *raw)
{
	const struct cpir_table *table = cpir_platform_table(feed->platform, raw->cpu);
	struct policy_decision decision;
	struct policy_input input = {
		.sleep_length_ns = field(tep, raw, "next_timer_ns"),
		.delta_next_ns = field(tep, raw, "delta_tick"),
		.tick_stopped = field(tep, raw, "tick_stopped"),
		.latency_req_ns = field(tep, raw, "latency_req"),
		.nr_iowait = (uint32_t)field(tep, raw, "iowaiters"),
		.disabled_mask = (uint32_t)field(tep, raw, "dismask"),
	};

	if (!table)
		return;
	take_state(feed, table, tep, raw);
	feed->policy->ops->select(feed->policy, table, &feed->state, &input, &decision, NULL);
	feed->decisions++;
	feed->unlooked += !decision.looked_up_timers;
	feed->state_differs += decision.state != field(tep, raw, "idx");
	feed->tick_differs += decision.stop_tick != (field(tep, raw, "stop_tick") != 0);
}

static int run(struct feed *feed, const char *path, struct cpir_error *err)
{
	struct trace_options options = {.raw_system = "rigmenu", .want = 1ull << EV_RAW};
	struct trace_merge *merge = NULL;
	const struct event *raw;
	struct trace *trace;
	int ret = trace_open(path, &options, &trace, err);

	if (ret < 0)
		return ret;
	ret = trace_merge_open(trace, &merge, err);
	while (ret >= 0 && (ret = trace_merge_next(merge, &raw, err)) > 0) {
		struct tep_event *event = raw->type == EV_RAW
						  ? tep_find_event(trace_tep(trace), raw->u.raw.id)
						  : NULL;

		if (event && !strcmp(event->name, "menu_select"))
			decide(feed, trace_tep(trace), raw);
	}
	trace_merge_close(merge);
	trace_close(trace);
	return ret;
}

int main(int argc, char **argv)
{
	struct feed feed = {0};
	struct cpir_error err = {0};
	uint32_t hz;
	int ret;

	if (argc != 5 || parse_u32(argv[4], 24, 10000, &hz) < 0)
		return 2;
	ret = cpir_platform_load(argv[2], &feed.platform, &err);
	if (!ret)
		ret = cpir_policy_parse(argv[3], NULL, &feed.policy, &err);
	if (!ret && feed.policy->ops != &menu_ops)
		ret = error_set(&err, -1, "'%s' is not menu", argv[3]);
	if (!ret) {
		policy_set_hz(feed.policy, hz);
		ret = run(&feed, argv[1], &err);
	}
	if (ret < 0)
		fprintf(stderr, "oracle-feed: %s\n", err.text);
	else
		printf("%" PRIu64 " decisions (%" PRIu64 " without looking at timers): %" PRIu64
		       " other states, %" PRIu64 " other tick choices\n",
		       feed.decisions, feed.unlooked, feed.state_differs, feed.tick_differs);
	cpir_policy_free(feed.policy);
	cpir_platform_free(feed.platform);
	return ret < 0 || feed.state_differs || feed.tick_differs;
}
