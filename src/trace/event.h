/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Typed events: what every trace format is decoded into, and all that the model ever sees of a trace.
 */
#ifndef TRACE_EVENT_H
#define TRACE_EVENT_H

#include <stdbool.h>
#include <stdint.h>

/*
 * EVENT_LIST - every kind of event we decode: (enumerator, system, name). One table builds the enumeration and the
 * look-up by name, so a new event is one line here and one decoder in formats.c.
 */
#define EVENT_LIST(X)                                                                              \
	X(EV_CPU_IDLE, "power", "cpu_idle")                                                        \
	X(EV_CPU_IDLE_MISS, "power", "cpu_idle_miss")                                              \
	X(EV_GUEST_HALT_POLL, "power", "guest_halt_poll_ns")                                       \
	X(EV_PM_QOS_ADD, "power", "pm_qos_add_request")                                            \
	X(EV_PM_QOS_UPDATE, "power", "pm_qos_update_request")                                      \
	X(EV_PM_QOS_REMOVE, "power", "pm_qos_remove_request")                                      \
	X(EV_PM_QOS_TARGET, "power", "pm_qos_update_target")                                       \
	X(EV_DEV_PM_QOS_ADD, "power", "dev_pm_qos_add_request")                                    \
	X(EV_DEV_PM_QOS_UPDATE, "power", "dev_pm_qos_update_request")                              \
	X(EV_DEV_PM_QOS_REMOVE, "power", "dev_pm_qos_remove_request")                              \
	X(EV_SCHED_SWITCH, "sched", "sched_switch")                                                \
	X(EV_SCHED_WAKING, "sched", "sched_waking")                                                \
	X(EV_SCHED_WAKEUP, "sched", "sched_wakeup")                                                \
	X(EV_SCHED_WAKEUP_NEW, "sched", "sched_wakeup_new")                                        \
	X(EV_SCHED_WAKE_IDLE, "sched", "sched_wake_idle_without_ipi")                              \
	X(EV_SCHED_STAT_IOWAIT, "sched", "sched_stat_iowait")                                      \
	X(EV_HRTIMER_START, "timer", "hrtimer_start")                                              \
	X(EV_HRTIMER_CANCEL, "timer", "hrtimer_cancel")                                            \
	X(EV_HRTIMER_EXPIRE_ENTRY, "timer", "hrtimer_expire_entry")                                \
	X(EV_HRTIMER_EXPIRE_EXIT, "timer", "hrtimer_expire_exit")                                  \
	X(EV_HRTIMER_REARM, "timer", "hrtimer_rearm")                                              \
	X(EV_TIMER_START, "timer", "timer_start")                                                  \
	X(EV_TIMER_CANCEL, "timer", "timer_cancel")                                                \
	X(EV_TIMER_EXPIRE_ENTRY, "timer", "timer_expire_entry")                                    \
	X(EV_TIMER_EXPIRE_EXIT, "timer", "timer_expire_exit")                                      \
	X(EV_TIMER_BASE_IDLE, "timer", "timer_base_idle")                                          \
	X(EV_TICK_STOP, "timer", "tick_stop")                                                      \
	X(EV_IRQ_ENTRY, "irq", "irq_handler_entry")                                                \
	X(EV_IRQ_EXIT, "irq", "irq_handler_exit")                                                  \
	X(EV_SOFTIRQ_ENTRY, "irq", "softirq_entry")                                                \
	X(EV_SOFTIRQ_EXIT, "irq", "softirq_exit")                                                  \
	X(EV_VEC_TIMER_ENTRY, "irq_vectors", "local_timer_entry")                                  \
	X(EV_VEC_TIMER_EXIT, "irq_vectors", "local_timer_exit")                                    \
	X(EV_VEC_RESCHED_ENTRY, "irq_vectors", "reschedule_entry")                                 \
	X(EV_VEC_RESCHED_EXIT, "irq_vectors", "reschedule_exit")                                   \
	X(EV_VEC_CALL_ENTRY, "irq_vectors", "call_function_entry")                                 \
	X(EV_VEC_CALL_EXIT, "irq_vectors", "call_function_exit")                                   \
	X(EV_VEC_CALL1_ENTRY, "irq_vectors", "call_function_single_entry")                         \
	X(EV_VEC_CALL1_EXIT, "irq_vectors", "call_function_single_exit")                           \
	X(EV_VEC_WORK_ENTRY, "irq_vectors", "irq_work_entry")                                      \
	X(EV_VEC_WORK_EXIT, "irq_vectors", "irq_work_exit")                                        \
	X(EV_IPI_ENTRY, "ipi", "ipi_entry")                                                        \
	X(EV_IPI_EXIT, "ipi", "ipi_exit")                                                          \
	X(EV_IPI_SEND_CPU, "ipi", "ipi_send_cpu")                                                  \
	X(EV_PRINT, "ftrace", "print")

enum event_type {
#define X(type, system, name) type,
	EVENT_LIST(X)
#undef X
		EV_LOST, /* the ring buffer dropped events here: u.lost */
	EV_RAW,		 /* an event of the system asked for in trace_options.raw_system: u.raw */
	EV_COUNT
};

#define EVENT_STATE_EXIT 4294967295u /* cpu_idle state of a period's end */

/* prev_state of a sched_switch whose task waits for a disk or the like; idle kernel threads have another bit as well. */
#define EVENT_TASK_UNINTERRUPTIBLE 2

/* Bits of event.flags: the context an event was written in, as common_flags has it. */
#define EVENT_FLAG_NEED_RESCHED 0x04
#define EVENT_FLAG_HARDIRQ 0x08
#define EVENT_FLAG_SOFTIRQ 0x10

/** struct event - one decoded event, 64 bytes; @time_ns in the trace's clock, @cpu that wrote it */
struct event {
	uint64_t time_ns;
	uint16_t cpu;
	uint8_t type;  /* enum event_type */
	uint8_t flags; /* common_flags: EVENT_FLAG_*, 0 when the format has none */
	int32_t pid;   /* common_pid: the task it ran under, 0 idle */
	union {
		struct {
			uint32_t state; /* EVENT_STATE_EXIT at the end */
			uint32_t cpu;	/* cpu_id field; normally event.cpu */
		} idle;
		struct {
			uint32_t state, cpu;
			bool below;
		} miss;
		struct {
			bool grow;
			uint32_t now_ns, old_ns;
		} halt_poll;
		struct {
			int32_t value_us; /* -1: the default */
			int32_t cpu; /* dev_pm_qos: N of device "cpuN", -1 any other device; pm_qos: -1 */
			uint32_t
				kind; /* dev_pm_qos: request type (1 = resume latency); pm_qos: class on old kernels */
		} qos;
		struct {
			uint32_t action;
			int32_t prev_us, curr_us;
		} qos_target;
		struct {
			int32_t prev_pid, next_pid;
			uint32_t prev_state;
		} sw;
		struct {
			int32_t pid;
			uint32_t target_cpu; /* UINT32_MAX where there is none: sched_stat_iowait */
		} wake;
		struct {
			uint64_t timer, function;
			int64_t expires_ns; /* start: expiry; expire_entry: `now`; CLOCK_MONOTONIC (or the timer's own base) */
			uint32_t
				mode; /* start: HRTIMER_MODE_* bits, 1 relative, 2 pinned, 4 soft, 8 hard; 0 if not traced */
			bool tick; /* function is the scheduler tick's */
		} hrtimer;
		struct {
			int64_t next_event_ns;
			bool deferred;
		} rearm;
		struct {
			uint64_t timer, function;
			uint64_t expires, now; /* jiffies; expire_entry: now only */
			uint64_t
				bucket; /* start: bucket_expiry; expire_entry: baseclk, the same of the bucket that expires; 0 not traced */
			uint32_t
				flags; /* low bits CPU; 0x00040000 and up by kernel, see timers.c */
		} timer;
		struct {
			bool is_idle;
			uint32_t cpu;
		} base_idle;
		struct {
			bool success;
			uint32_t dependency;
		} tick_stop;
		struct {
			int32_t number; /* irq, vec or vector number; 0 none */
		} irq;
		struct {
			uint32_t target_cpu; /* of ipi_send_cpu and sched_wake_idle_without_ipi */
		} ipi;
		struct {
			const char *
				text; /* not NUL terminated; valid until the cursor is read again */
			uint32_t len;
		} print;
		struct {
			uint64_t count; /* 0: unknown */
		} lost;
		struct {
			const void *data;
			uint32_t size;
			int id;
		} raw;
	} u;
};

_Static_assert(sizeof(struct event) == 64, "an event is a line of the cache");

#endif
