// SPDX-License-Identifier: GPL-2.0-only
/*
 * Prints what the trace floor makes of a file. Usage: trace-events [-i INSTANCE] [-p|-m] FILE, or trace-events -l
 * Default: "CPU EVENT COUNT" lines; -p: "CPU TIME_NS STATE" of each power:cpu_idle, CPU by CPU; -m: the same merged;
 * -l: the names of all events it knows.
 */
#include "trace/merge.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define BATCH 256

static int fail(const struct cpir_error *err)
{
	(void)fprintf(stderr, "trace-events: %s\n", err->text);
	return 1;
}

static void print_idle(const struct event *event)
{
	if (event->type == EV_CPU_IDLE)
		printf("%u %" PRIu64 " %" PRIu32 "\n", event->cpu, event->time_ns,
		       event->u.idle.state);
}

static void print_counts(const struct trace_cursor *cursor, uint32_t cpu)
{
	for (unsigned type = 0; type < EV_COUNT; type++) {
		uint64_t count = trace_cursor_count(cursor, type);

		if (count)
			printf("%u %s %" PRIu64 "\n", cpu, event_name(type), count);
	}
}

static int print_cpu(struct trace *trace, uint32_t cpu, bool periods)
{
	struct event events[BATCH];
	struct trace_cursor *cursor;
	struct cpir_error err;
	int n;

	if (trace_cursor_open(trace, cpu, &cursor, &err) < 0)
		return fail(&err);
	while ((n = trace_cursor_read(cursor, events, BATCH, &err)) > 0) {
		for (int i = 0; periods && i < n; i++)
			print_idle(&events[i]);
	}
	if (!periods)
		print_counts(cursor, cpu);
	trace_cursor_close(cursor);
	return n < 0 ? fail(&err) : 0;
}

static int print_merged(struct trace *trace)
{
	const struct event *event;
	struct trace_merge *merge;
	struct cpir_error err;
	int rc;

	if (trace_merge_open(trace, NULL, &merge, &err) < 0)
		return fail(&err);
	while ((rc = trace_merge_next(merge, &event, &err)) > 0)
		print_idle(event);
	trace_merge_close(merge);
	return rc < 0 ? fail(&err) : 0;
}

static int print_names(void)
{
	for (unsigned type = 0; type < EV_LOST; type++)
		puts(event_name(type));
	return 0;
}

int main(int argc, char **argv)
{
	struct trace_options options = {0};
	bool periods = false, merged = false;
	struct cpir_error err;
	struct trace *trace;
	int opt, rc = 0;

	while ((opt = getopt(argc, argv, "i:lpm")) != -1) {
		if (opt == 'i')
			options.instance = optarg;
		if (opt == 'l')
			return print_names();
		periods |= opt == 'p';
		merged |= opt == 'm';
	}
	if (optind + 1 != argc)
		return 2;
	if (periods || merged)
		options.want = EVENT_BIT(EV_CPU_IDLE);
	if (trace_open(argv[optind], &options, &trace, &err) < 0)
		return fail(&err);
	if (merged)
		rc = print_merged(trace);
	for (uint32_t cpu = 0; !merged && !rc && cpu < trace_info(trace)->cpus; cpu++)
		rc = print_cpu(trace, cpu, periods);
	trace_close(trace);
	return rc;
}
