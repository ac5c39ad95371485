// SPDX-License-Identifier: GPL-2.0-only
/* Whose latency limit was it? */
#include "model/qos_guess.h"

#include <errno.h>
#include <stdlib.h>

#define NO_LIMIT_US                                                                                \
	INT32_MAX      /* "no constraint" of a device; the global request's is another number */
#define ENTRIES_MIN 20 /* fewer say nothing about what a CPU keeps away from */
#define WINDOWS_MAX 4096

int qos_guess_init(struct qos_guess *guess, uint32_t cpus)
{
	guess->cpus = cpus;
	guess->request_pid = calloc(cpus ? cpus : 1, sizeof(*guess->request_pid));
	return guess->request_pid ? 0 : -ENOMEM;
}

void qos_guess_free(struct qos_guess *guess)
{
	array_free(&guess->windows);
	array_free(&guess->uses);
	free(guess->request_pid);
	guess->request_pid = NULL;
}

static int window_add(struct qos_guess *guess, const struct event *event)
{
	struct qos_window *window;

	if (guess->windows.len >= WINDOWS_MAX)
		return 0;
	window = array_add(&guess->windows);
	if (!window)
		return -ENOMEM;
	*window = (struct qos_window){event->time_ns, event->u.qos_target.curr_us, -1};
	for (uint32_t cpu = 0; cpu < guess->cpus; cpu++) {
		if (!array_add(&guess->uses))
			return -ENOMEM;
	}
	return 0;
}

int qos_guess_event(struct qos_guess *guess, const struct event *event)
{
	int32_t *request_pid;

	if (event->cpu >= guess->cpus)
		return 0;
	request_pid = &guess->request_pid[event->cpu];
	switch (event->type) {
	case EV_PM_QOS_ADD ... EV_PM_QOS_REMOVE:
	case EV_DEV_PM_QOS_ADD ... EV_DEV_PM_QOS_REMOVE:
		*request_pid = event->pid;
		return 0;
	case EV_PM_QOS_TARGET:
		/* A request before it, by the same task, has told whose it is. */
		if (*request_pid == event->pid) {
			*request_pid = 0;
			return 0;
		}
		if (event->u.qos_target.prev_us != NO_LIMIT_US &&
		    event->u.qos_target.curr_us != NO_LIMIT_US)
			return 0;
		return window_add(guess, event);
	default:
		return 0;
	}
}

void qos_guess_entry(struct qos_guess *guess, uint32_t cpu, uint64_t time_ns,
		     uint64_t exit_latency_ns)
{
	struct qos_use *use;
	size_t i = guess->windows.len;

	while (i > 0 && guess->windows.ptr[i - 1].begin_ns > time_ns)
		i--;
	if (!i || cpu >= guess->cpus)
		return;
	use = &guess->uses.ptr[(i - 1) * guess->cpus + cpu];
	use->entries++;
	if (exit_latency_ns > use->slowest_ns)
		use->slowest_ns = exit_latency_ns;
}

/* The only CPU that kept away from what the limit forbids, -1 none or several. */
static int32_t obedient(const struct qos_guess *guess, size_t index)
{
	uint64_t limit_ns = (uint64_t)guess->windows.ptr[index].limit_us * 1000;
	int32_t found = -1;

	for (uint32_t cpu = 0; cpu < guess->cpus; cpu++) {
		const struct qos_use *use = &guess->uses.ptr[index * guess->cpus + cpu];

		if (use->entries < ENTRIES_MIN || use->slowest_ns > limit_ns)
			continue;
		if (found >= 0)
			return -1;
		found = (int32_t)cpu;
	}
	return found;
}

void qos_guess_finish(struct qos_guess *guess)
{
	int32_t cpu = -1;

	for (size_t i = 0; i < guess->windows.len; i++) {
		if (guess->windows.ptr[i].limit_us != NO_LIMIT_US)
			cpu = obedient(guess, i);
		guess->windows.ptr[i].cpu = cpu;
	}
}

int32_t qos_guess_limit(const struct qos_guess *guess, uint32_t cpu, uint64_t time_ns)
{
	int32_t limit_us = NO_LIMIT_US;

	for (size_t i = 0; i < guess->windows.len; i++) {
		const struct qos_window *window = &guess->windows.ptr[i];

		if (window->begin_ns <= time_ns && window->cpu == (int32_t)cpu)
			limit_us = window->limit_us;
	}
	return limit_us;
}
