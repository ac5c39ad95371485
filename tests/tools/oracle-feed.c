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

#include "base/parse.h"
#include "policy/menu.h"
#include "rigmenu.h"

#define INTERVALS 8

struct feed {
	struct cpir_platform *platform;
	struct cpir_policy *policy;
	struct menu_state state;
	uint64_t decisions, state_differs, tick_differs, unlooked;
};

/* The governor's state as it was after digesting the last outcome. */
static void take_state(struct feed *feed, const struct cpir_table *table,
		       const struct rigmenu_event *event)
{
	char name[8];

	feed->policy->ops->enable(feed->policy, table, &feed->state);
	for (int i = 0; i < INTERVALS; i++) {
		(void)snprintf(name, sizeof(name), "i%d", i);
		menu_recent_store(feed->policy->config, &feed->state.recent,
				  (uint32_t)rigmenu_field(event, name));
	}
	feed->state.factor[rigmenu_field(event, "bucket")] =
		(uint32_t)rigmenu_field(event, "factor");
	feed->state.update = false;
	feed->state.measured = 1; /* nothing to digest, and not a rejected entry either */
}

static void decide(void *arg, const struct rigmenu_event *event)
{
	struct feed *feed = arg;
	const struct cpir_table *table = cpir_platform_table(feed->platform, event->cpu);
	struct policy_decision decision;
	struct policy_input input = {
		.sleep_length_ns = rigmenu_field(event, "next_timer_ns"),
		.delta_next_ns = rigmenu_field(event, "delta_tick"),
		.tick_stopped = rigmenu_field(event, "tick_stopped"),
		.latency_req_ns = rigmenu_field(event, "latency_req"),
		.nr_iowait = (uint32_t)rigmenu_field(event, "iowaiters"),
		.disabled_mask = (uint32_t)rigmenu_field(event, "dismask"),
	};

	if (!table || event->kind != RIGMENU_SELECT)
		return;
	take_state(feed, table, event);
	feed->policy->ops->select(feed->policy, table, &feed->state, &input, &decision, NULL);
	feed->decisions++;
	feed->unlooked += !decision.looked_up_timers;
	feed->state_differs += decision.state != rigmenu_field(event, "idx");
	feed->tick_differs += decision.stop_tick != (rigmenu_field(event, "stop_tick") != 0);
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
		ret = rigmenu_read(argv[1], decide, &feed, &err);
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
