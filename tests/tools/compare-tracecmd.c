// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads every FILE twice, with libtracecmd and with the trace floor, and compares event by event: CPU, order, time, type,
 * task and fields. Prints one TAP line per file. Usage: compare-tracecmd FILE…; with no FILE all traces of
 * $CPIR_SHARED/traces (default: ../shared beside the source, given as $CPIR_SOURCE_ROOT).
 */
#include "trace/source.h"

#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <trace-cmd.h>

#define BATCH 64

/** struct check - a field of an event: its name in the format, and our value of it */
struct check {
	enum event_type type;
	const char *field;
	uint64_t (*ours)(const struct event *event);
};

#define OURS(name, expression)                                                                     \
	static uint64_t name(const struct event *e)                                                \
	{                                                                                          \
		return (uint64_t)(expression);                                                     \
	}
OURS(idle_state, e->u.idle.state)
OURS(idle_cpu, e->u.idle.cpu)
OURS(miss_below, e->u.miss.below)
OURS(miss_state, e->u.miss.state)
OURS(qos_value, (int64_t)e->u.qos.value_us)
OURS(qos_kind, e->u.qos.kind)
OURS(target_now, (int64_t)e->u.qos_target.curr_us)
OURS(switch_prev, e->u.sw.prev_pid)
OURS(switch_next, e->u.sw.next_pid)
OURS(wake_pid, e->u.wake.pid)
OURS(wake_cpu, e->u.wake.target_cpu)
OURS(hrtimer_timer, e->u.hrtimer.timer)
OURS(hrtimer_function, e->u.hrtimer.function)
OURS(hrtimer_expires, e->u.hrtimer.expires_ns)
OURS(hrtimer_mode, e->u.hrtimer.mode)
OURS(rearm_next, e->u.rearm.next_event_ns)
OURS(timer_timer, e->u.timer.timer)
OURS(timer_function, e->u.timer.function)
OURS(timer_expires, e->u.timer.expires)
OURS(timer_now, e->u.timer.now)
OURS(timer_flags, e->u.timer.flags)
OURS(base_idle, e->u.base_idle.is_idle)
OURS(tick_success, e->u.tick_stop.success)
OURS(tick_dependency, e->u.tick_stop.dependency)
OURS(irq_number, e->u.irq.number)
OURS(ipi_cpu, e->u.ipi.target_cpu)

static const struct check checks[] = {
	{EV_CPU_IDLE, "state", idle_state},
	{EV_CPU_IDLE, "cpu_id", idle_cpu},
	{EV_CPU_IDLE_MISS, "below", miss_below},
	{EV_CPU_IDLE_MISS, "state", miss_state},
	{EV_PM_QOS_ADD, "value", qos_value},
	{EV_PM_QOS_UPDATE, "value", qos_value},
	{EV_PM_QOS_TARGET, "curr_value", target_now},
	{EV_DEV_PM_QOS_ADD, "new_value", qos_value},
	{EV_DEV_PM_QOS_UPDATE, "new_value", qos_value},
	{EV_DEV_PM_QOS_UPDATE, "type", qos_kind},
	{EV_SCHED_SWITCH, "prev_pid", switch_prev},
	{EV_SCHED_SWITCH, "next_pid", switch_next},
	{EV_SCHED_WAKING, "pid", wake_pid},
	{EV_SCHED_WAKING, "target_cpu", wake_cpu},
	{EV_SCHED_WAKEUP, "pid", wake_pid},
	{EV_SCHED_WAKEUP, "target_cpu", wake_cpu},
	{EV_SCHED_WAKE_IDLE, "cpu", ipi_cpu},
	{EV_HRTIMER_START, "hrtimer", hrtimer_timer},
	{EV_HRTIMER_START, "function", hrtimer_function},
	{EV_HRTIMER_START, "expires", hrtimer_expires},
	{EV_HRTIMER_START, "mode", hrtimer_mode},
	{EV_HRTIMER_EXPIRE_ENTRY, "now", hrtimer_expires},
	{EV_HRTIMER_EXPIRE_ENTRY, "function", hrtimer_function},
	{EV_HRTIMER_CANCEL, "hrtimer", hrtimer_timer},
	{EV_HRTIMER_REARM, "next_event", rearm_next},
	{EV_TIMER_START, "timer", timer_timer},
	{EV_TIMER_START, "function", timer_function},
	{EV_TIMER_START, "expires", timer_expires},
	{EV_TIMER_START, "flags", timer_flags},
	{EV_TIMER_EXPIRE_ENTRY, "now", timer_now},
	{EV_TIMER_BASE_IDLE, "is_idle", base_idle},
	{EV_TICK_STOP, "success", tick_success},
	{EV_TICK_STOP, "dependency", tick_dependency},
	{EV_IRQ_ENTRY, "irq", irq_number},
	{EV_SOFTIRQ_ENTRY, "vec", irq_number},
	{EV_VEC_TIMER_ENTRY, "vector", irq_number},
	{EV_IPI_SEND_CPU, "cpu", ipi_cpu},
};

/** struct pair - the two readers of one file */
struct pair {
	struct tracecmd_input *theirs;
	struct tep_handle *tep;
	struct trace *ours;
	uint64_t compared, fields, lost, others;
	char why[256];
};

/** struct feed - our events of one CPU */
struct feed {
	struct trace_cursor *cursor;
	struct event batch[BATCH];
	int next, end;
};

static const struct event *feed_next(struct feed *feed, struct pair *pair)
{
	struct cpir_error err;

	if (feed->next == feed->end) {
		feed->next = 0;
		feed->end = trace_cursor_read(feed->cursor, feed->batch, BATCH, &err);
		if (feed->end < 0)
			(void)snprintf(pair->why, sizeof(pair->why), "%.200s", err.text);
		if (feed->end <= 0) {
			feed->end = 0;
			return NULL;
		}
	}
	return &feed->batch[feed->next++];
}

static unsigned type_of(const struct tep_event *format)
{
	char name[128];

	(void)snprintf(name, sizeof(name), "%s:%s", format->system, format->name);
	for (unsigned type = 0; type < EV_LOST; type++) {
		if (strcmp(name, event_name(type)) == 0)
			return type;
	}
	return EV_COUNT;
}

/* libtraceevent does not extend the sign of what is narrower than 64 bits. */
static bool same_number(uint64_t theirs, uint64_t ours)
{
	return theirs == ours || (theirs <= UINT32_MAX && theirs == (uint32_t)ours);
}

static bool compare_fields(struct pair *pair, struct tep_event *format, struct tep_record *record,
			   const struct event *event)
{
	for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++) {
		unsigned long long value;

		if (checks[i].type != event->type ||
		    tep_get_field_val(NULL, format, checks[i].field, record, &value, 0) < 0)
			continue;
		pair->fields++;
		if (same_number(value, checks[i].ours(event)))
			continue;
		(void)snprintf(pair->why, sizeof(pair->why), "CPU %u at %llu: %s.%s is %llu",
			       event->cpu, record->ts, format->name, checks[i].field, value);
		return false;
	}
	return true;
}

static bool compare_event(struct pair *pair, struct feed *feed, struct tep_record *record)
{
	struct tep_event *format = tep_find_event_by_record(pair->tep, record);
	unsigned type = format ? type_of(format) : EV_COUNT;
	const struct event *event;

	if (record->missed_events) {
		event = feed_next(feed, pair);
		pair->lost++;
		if (!event || event->type != EV_LOST ||
		    event->u.lost.count !=
			    (record->missed_events > 0 ? (uint64_t)record->missed_events : 0)) {
			(void)snprintf(pair->why, sizeof(pair->why),
				       "CPU %d at %llu: no loss of %lld", record->cpu, record->ts,
				       record->missed_events);
			return false;
		}
	}
	if (type == EV_COUNT) {
		pair->others++;
		return true;
	}
	event = feed_next(feed, pair);
	if (!event || event->time_ns != record->ts || event->type != type ||
	    event->pid != tep_data_pid(pair->tep, record) || event->cpu != record->cpu) {
		if (!*pair->why)
			(void)snprintf(pair->why, sizeof(pair->why),
				       "CPU %d: theirs %llu %s, ours %" PRIu64 " %s", record->cpu,
				       record->ts, format->name, event ? event->time_ns : 0,
				       event ? event_name(event->type) : "nothing");
		return false;
	}
	pair->compared++;
	return compare_fields(pair, format, record, event);
}

static bool compare_cpu(struct pair *pair, uint32_t cpu)
{
	struct tep_record *record;
	struct cpir_error err;
	struct feed feed = {0};
	bool same = true;

	if (trace_cursor_open(pair->ours, cpu, &feed.cursor, &err) < 0) {
		(void)snprintf(pair->why, sizeof(pair->why), "%.200s", err.text);
		return false;
	}
	while (same && (record = tracecmd_read_data(pair->theirs, (int)cpu))) {
		same = compare_event(pair, &feed, record);
		tracecmd_free_record(record);
	}
	if (same && feed_next(&feed, pair)) {
		(void)snprintf(pair->why, sizeof(pair->why), "CPU %u: we have more events", cpu);
		same = false;
	}
	trace_cursor_close(feed.cursor);
	return same && !*pair->why;
}

static bool compare_file(const char *path, struct pair *pair)
{
	struct trace_options options = {0};
	struct cpir_error err;
	bool same = true;

	pair->theirs = tracecmd_open(path, 0);
	if (!pair->theirs) {
		(void)snprintf(pair->why, sizeof(pair->why), "libtracecmd cannot open it");
		return false;
	}
	pair->tep = tracecmd_get_tep(pair->theirs);
	if (trace_open(path, &options, &pair->ours, &err) < 0) {
		(void)snprintf(pair->why, sizeof(pair->why), "%.200s", err.text);
		same = false;
	}
	for (uint32_t cpu = 0; same && cpu < trace_info(pair->ours)->cpus; cpu++)
		same = compare_cpu(pair, cpu);
	trace_close(pair->ours);
	tracecmd_close(pair->theirs);
	return same;
}

static int find_traces(glob_t *found)
{
	const char *shared = getenv("CPIR_SHARED"), *root = getenv("CPIR_SOURCE_ROOT");
	char pattern[4096];

	(void)snprintf(pattern, sizeof(pattern), "%s%s/traces/*/trace.dat",
		       shared ? shared : (root ? root : "."), shared ? "" : "/../shared");
	return glob(pattern, 0, NULL, found);
}

int main(int argc, char **argv)
{
	char **paths = argv + 1;
	size_t count = (size_t)argc - 1;
	glob_t found = {0};
	int failed = 0;

	if (!count) {
		if (find_traces(&found) != 0) {
			printf("1..0 # SKIP no shared traces\n");
			return 0;
		}
		paths = found.gl_pathv;
		count = found.gl_pathc;
	}
	tracecmd_set_loglevel(TEP_LOG_NONE);
	printf("1..%zu\n", count);
	for (size_t i = 0; i < count; i++) {
		struct pair pair = {0};
		bool same = compare_file(paths[i], &pair);

		failed += !same;
		printf("%s %zu - %s: %" PRIu64 " events, %" PRIu64 " fields, %" PRIu64
		       " losses, %" PRIu64 " others%s%s\n",
		       same ? "ok" : "not ok", i + 1, paths[i], pair.compared, pair.fields,
		       pair.lost, pair.others, same ? "" : ": ", pair.why);
		(void)fflush(stdout);
	}
	globfree(&found);
	return failed ? 1 : 0;
}
