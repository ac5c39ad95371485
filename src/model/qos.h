/* SPDX-License-Identifier: GPL-2.0-only */
/* The latency limit of each CPU over time: the tighter of the global CPU latency request and the CPU's own. */
#ifndef MODEL_QOS_H
#define MODEL_QOS_H

#include "base/error.h"
#include "model/qos_guess.h"
#include "model/platform.h"
#include "trace/event.h"

#define QOS_NONE_US INT32_MAX

/** struct qos - in us, QOS_NONE_US without a constraint */
struct qos {
	int32_t global_us;
	uint32_t cpus;
	int32_t *cpu_us;
	const struct qos_guess *guess; /* limits without a name, NULL none */
	size_t next_guess;
	struct {
		int32_t pid; /* task of the last request event there */
		int8_t kind; /* what that request was, enum in qos.c */
		int32_t cpu; /* which device, for a device's request */
	} * last;	     /* per CPU that wrote it */
};

/** qos_init - from a platform snapshot (NULL: no constraints); 0 or -ENOMEM */
int qos_init(struct qos *qos, uint32_t cpus, const struct cpir_platform *platform);
void qos_deinit(struct qos *qos);

/** qos_feed - follow one pm_qos or dev_pm_qos event; others are ignored */
void qos_feed(struct qos *qos, const struct event *event);

/** qos_latency_ns - limit of @cpu in ns, as the governor computes it; 2e12 when nothing constrains it */
int64_t qos_latency_ns(const struct qos *qos, uint32_t cpu);

#endif
