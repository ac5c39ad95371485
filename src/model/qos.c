// SPDX-License-Identifier: GPL-2.0-only
/*
 * Latency limits from events. A request event carries the value asked for but not who asked; the target event that
 * follows it at once, by the same task on the same CPU, carries the new aggregate. Target events also follow requests
 * that are none of the idle loop's business (device and frequency limits), so the request before decides.
 */
#include "model/qos.h"

#include <errno.h>
#include <stdlib.h>

#define GLOBAL_DEFAULT_US 2000000000 /* the global request's "no constraint" */
#define DEV_RESUME_LATENCY 1	     /* type of a device request that limits its resume latency */

enum { LAST_NONE, LAST_GLOBAL, LAST_DEVICE, LAST_OTHER };

int qos_init(struct qos *qos, uint32_t cpus, const struct cpir_platform *platform)
{
	qos->global_us = QOS_NONE_US;
	qos->cpus = cpus;
	qos->cpu_us = calloc(cpus ? cpus : 1, sizeof(*qos->cpu_us));
	qos->last = calloc(cpus ? cpus : 1, sizeof(*qos->last));
	if (!qos->cpu_us || !qos->last)
		return -ENOMEM;
	for (uint32_t cpu = 0; cpu < cpus; cpu++) {
		qos->cpu_us[cpu] = QOS_NONE_US;
		if (platform && platform->resume_latency_us && cpu < platform->cpu_count)
			qos->cpu_us[cpu] = platform->resume_latency_us[cpu];
	}
	return 0;
}

void qos_deinit(struct qos *qos)
{
	free(qos->cpu_us);
	free(qos->last);
	qos->cpu_us = NULL;
	qos->last = NULL;
}

static void remember(struct qos *qos, const struct event *event, int8_t kind, int32_t cpu)
{
	qos->last[event->cpu].pid = event->pid;
	qos->last[event->cpu].kind = kind;
	qos->last[event->cpu].cpu = cpu;
}

static void set_device(struct qos *qos, int32_t cpu, int32_t value_us)
{
	if (cpu >= 0 && (uint32_t)cpu < qos->cpus)
		qos->cpu_us[cpu] = value_us < 0 ? QOS_NONE_US : value_us;
}

static void device_request(struct qos *qos, const struct event *event)
{
	bool latency = event->u.qos.kind == DEV_RESUME_LATENCY && event->u.qos.cpu >= 0;

	remember(qos, event, latency ? LAST_DEVICE : LAST_OTHER, event->u.qos.cpu);
	if (!latency)
		return;
	/* Until the target event corrects it: the only request of a CPU is nearly always the sysfs file's. */
	set_device(qos, event->u.qos.cpu,
		   event->type == EV_DEV_PM_QOS_REMOVE ? -1 : event->u.qos.value_us);
}

static void target(struct qos *qos, const struct event *event)
{
	int32_t curr_us = event->u.qos_target.curr_us;

	if (qos->last[event->cpu].pid != event->pid)
		return;
	if (qos->last[event->cpu].kind == LAST_GLOBAL)
		qos->global_us =
			curr_us < 0 || curr_us >= GLOBAL_DEFAULT_US ? QOS_NONE_US : curr_us;
	if (qos->last[event->cpu].kind == LAST_DEVICE)
		set_device(qos, qos->last[event->cpu].cpu, curr_us);
	qos->last[event->cpu].kind = LAST_NONE;
}

/* Limits whose event does not tell the CPU take effect when their time has come. */
static void follow_guess(struct qos *qos, uint64_t time_ns)
{
	while (qos->guess && qos->next_guess < qos->guess->windows.len &&
	       qos->guess->windows.ptr[qos->next_guess].begin_ns <= time_ns) {
		const struct qos_window *window = &qos->guess->windows.ptr[qos->next_guess++];

		set_device(qos, window->cpu, window->limit_us);
	}
}

void qos_feed(struct qos *qos, const struct event *event)
{
	follow_guess(qos, event->time_ns);
	if (event->cpu >= qos->cpus)
		return;
	switch (event->type) {
	case EV_PM_QOS_ADD:
	case EV_PM_QOS_UPDATE:
	case EV_PM_QOS_REMOVE:
		remember(qos, event, LAST_GLOBAL, -1);
		break;
	case EV_DEV_PM_QOS_ADD:
	case EV_DEV_PM_QOS_UPDATE:
	case EV_DEV_PM_QOS_REMOVE:
		device_request(qos, event);
		break;
	case EV_PM_QOS_TARGET:
		target(qos, event);
		break;
	default:
		break;
	}
}

int64_t qos_latency_ns(const struct qos *qos, uint32_t cpu)
{
	int32_t device_us = cpu < qos->cpus ? qos->cpu_us[cpu] : QOS_NONE_US;
	int32_t limit_us = device_us < qos->global_us ? device_us : qos->global_us;

	return (limit_us == QOS_NONE_US ? GLOBAL_DEFAULT_US : (int64_t)limit_us) * 1000;
}
