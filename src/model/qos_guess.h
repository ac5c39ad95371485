/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whose latency limit was it? Writing a CPU's resume latency limit leaves one event that tells the limit but not the CPU
 * (unless dev_pm_qos events are recorded). The CPU that from then on keeps away from all slower states, alone, is the one.
 */
#ifndef MODEL_QOS_GUESS_H
#define MODEL_QOS_GUESS_H

#include "base/array.h"
#include "trace/event.h"

/** struct qos_window - between two changes of some CPU's limit */
struct qos_window {
	uint64_t begin_ns;
	int32_t limit_us; /* INT32_MAX: no limit from here on */
	int32_t cpu;	  /* after qos_guess_finish(): whose, -1 not known */
};

/** struct qos_use - what a CPU did in a window */
struct qos_use {
	uint32_t entries;
	uint64_t slowest_ns; /* exit latency of the slowest state entered */
};

/** struct qos_guess - zero-initialise, qos_guess_init(), feed, finish, then look at the windows; qos_guess_free() */
struct qos_guess {
	uint32_t cpus;
	ARRAY(struct qos_window) windows;
	ARRAY(struct qos_use) uses; /* cpus for each window */
	int32_t *request_pid;	    /* by CPU: the task whose request event came last, 0 none */
};

/** qos_guess_init - 0 or -ENOMEM */
int qos_guess_init(struct qos_guess *guess, uint32_t cpus);
void qos_guess_free(struct qos_guess *guess);

/** qos_guess_event - follow the pm_qos events; 0 or -ENOMEM */
int qos_guess_event(struct qos_guess *guess, const struct event *event);

/** qos_guess_entry - @cpu entered a state with @exit_latency_ns at @time_ns; any order */
void qos_guess_entry(struct qos_guess *guess, uint32_t cpu, uint64_t time_ns,
		     uint64_t exit_latency_ns);

/** qos_guess_finish - decide whose the limits were */
void qos_guess_finish(struct qos_guess *guess);

/** qos_guess_limit - after qos_guess_finish(): @cpu's limit at @time_ns in us, as far as it was guessed; INT32_MAX none */
int32_t qos_guess_limit(const struct qos_guess *guess, uint32_t cpu, uint64_t time_ns);

#endif
