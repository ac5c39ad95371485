// SPDX-License-Identifier: GPL-2.0-only
/* A whole trace.dat: open it, read every event of every CPU, name a function. */
#include "fuzz.h"

#include "trace/merge.h"
#include "trace/trace_state.h"

#include <stdlib.h>

static void read_events(struct trace *trace)
{
	const struct event *event;
	struct trace_merge *merge;
	uint64_t functions = 0;

	if (trace_merge_open(trace, NULL, &merge, NULL) < 0)
		return;
	while (trace_merge_next(merge, &event, NULL) > 0) {
		if (event->type >= EV_COUNT || event->cpu >= trace_info(trace)->cpus)
			abort();
		if (event->type == EV_HRTIMER_START)
			functions ^= event->u.hrtimer.function;
	}
	(void)trace_function_name(trace, functions);
	trace_merge_close(merge);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct trace_options options = {.raw_system = "sched"};
	struct trace *trace;

	if (trace_open_memory("input", (struct span){data, size}, &options, &trace, NULL) < 0)
		return 0;
	read_events(trace);
	trace_close(trace);
	return 0;
}
