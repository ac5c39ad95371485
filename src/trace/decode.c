// SPDX-License-Identifier: GPL-2.0-only
/*
 * One small decoder per kind of event, and the names of the fields it reads. plan->fields[i] belongs to the rule's
 * name number i; a field that the recording kernel did not have reads as 0.
 */
#include "trace/formats.h"

static inline int64_t number(const struct event_plan *plan, struct ringbuf_record record, int i)
{
	return field_number(&plan->fields[i], record.data);
}

/* A text field, cut at the end of the record or at a NUL. */
static struct span text(const struct field_plan *field, struct ringbuf_record record)
{
	uint32_t begin = field->offset, size = UINT32_MAX;
	const uint8_t *nul;

	if (field->kind != FIELD_TEXT) {
		uint32_t where = (uint32_t)field_number(field, record.data);

		begin = (where & 0xffff) + (field->kind == FIELD_TEXT_BEHIND ? begin + 4 : 0);
		size = where >> 16;
	}
	if (begin >= record.size)
		return (struct span){NULL, 0};
	if (size > record.size - begin)
		size = record.size - begin;
	nul = memchr(record.data + begin, 0, size);
	return (struct span){record.data + begin,
			     nul ? (size_t)(nul - (record.data + begin)) : size};
}

/* "cpu12" → 12, anything else → -1 */
static int32_t cpu_of_device(struct span name)
{
	int32_t cpu = 0;

	if (name.size < 4 || name.size > 8 || memcmp(name.data, "cpu", 3) != 0)
		return -1;
	for (size_t i = 3; i < name.size; i++) {
		if (name.data[i] < '0' || name.data[i] > '9')
			return -1;
		cpu = cpu * 10 + (name.data[i] - '0');
	}
	return cpu;
}

static void decode_idle(const struct event_plan *plan, struct ringbuf_record record,
			struct event *event)
{
	event->u.idle.state = (uint32_t)number(plan, record, 0);
	event->u.idle.cpu = plan->fields[1].kind ? (uint32_t)number(plan, record, 1) : event->cpu;
}

static void decode_miss(const struct event_plan *plan, struct ringbuf_record record,
			struct event *event)
{
	event->u.miss.state = (uint32_t)number(plan, record, 0);
	event->u.miss.cpu = plan->fields[1].kind ? (uint32_t)number(plan, record, 1) : event->cpu;
	event->u.miss.below = number(plan, record, 2) != 0;
}

static void decode_halt_poll(const struct event_plan *plan, struct ringbuf_record record,
			     struct event *event)
{
	event->u.halt_poll.grow = number(plan, record, 0) != 0;
	event->u.halt_poll.now_ns = (uint32_t)number(plan, record, 1);
	event->u.halt_poll.old_ns = (uint32_t)number(plan, record, 2);
}

static void decode_qos(const struct event_plan *plan, struct ringbuf_record record,
		       struct event *event)
{
	event->u.qos.value_us = (int32_t)number(plan, record, 0);
	event->u.qos.kind = (uint32_t)number(plan, record, 1);
	event->u.qos.cpu = -1;
}

static void decode_dev_qos(const struct event_plan *plan, struct ringbuf_record record,
			   struct event *event)
{
	event->u.qos.value_us = (int32_t)number(plan, record, 0);
	event->u.qos.kind = (uint32_t)number(plan, record, 1);
	event->u.qos.cpu = plan->fields[2].kind < FIELD_TEXT
				   ? -1
				   : cpu_of_device(text(&plan->fields[2], record));
}

static void decode_qos_target(const struct event_plan *plan, struct ringbuf_record record,
			      struct event *event)
{
	event->u.qos_target.action = (uint32_t)number(plan, record, 0);
	event->u.qos_target.prev_us = (int32_t)number(plan, record, 1);
	event->u.qos_target.curr_us = (int32_t)number(plan, record, 2);
}

static void decode_switch(const struct event_plan *plan, struct ringbuf_record record,
			  struct event *event)
{
	event->u.sw.prev_pid = (int32_t)number(plan, record, 0);
	event->u.sw.next_pid = (int32_t)number(plan, record, 1);
	event->u.sw.prev_state = (uint32_t)number(plan, record, 2);
}

static void decode_wake(const struct event_plan *plan, struct ringbuf_record record,
			struct event *event)
{
	event->u.wake.pid = (int32_t)number(plan, record, 0);
	event->u.wake.target_cpu =
		plan->fields[1].kind ? (uint32_t)number(plan, record, 1) : UINT32_MAX;
}

static void decode_hrtimer(const struct event_plan *plan, struct ringbuf_record record,
			   struct event *event)
{
	event->u.hrtimer.timer = (uint64_t)number(plan, record, 0);
	event->u.hrtimer.function = (uint64_t)number(plan, record, 1);
	event->u.hrtimer.expires_ns = number(plan, record, 2);
	event->u.hrtimer.mode = (uint32_t)number(plan, record, 3);
	event->u.hrtimer.tick = false;
}

static void decode_rearm(const struct event_plan *plan, struct ringbuf_record record,
			 struct event *event)
{
	event->u.rearm.next_event_ns = number(plan, record, 0);
	event->u.rearm.deferred = number(plan, record, 1) != 0;
}

static void decode_timer(const struct event_plan *plan, struct ringbuf_record record,
			 struct event *event)
{
	event->u.timer.timer = (uint64_t)number(plan, record, 0);
	event->u.timer.function = (uint64_t)number(plan, record, 1);
	event->u.timer.expires = (uint64_t)number(plan, record, 2);
	event->u.timer.now = (uint64_t)number(plan, record, 3);
	event->u.timer.bucket = (uint64_t)number(plan, record, 4);
	event->u.timer.flags = (uint32_t)number(plan, record, 5);
}

static void decode_base_idle(const struct event_plan *plan, struct ringbuf_record record,
			     struct event *event)
{
	event->u.base_idle.is_idle = number(plan, record, 0) != 0;
	event->u.base_idle.cpu =
		plan->fields[1].kind ? (uint32_t)number(plan, record, 1) : event->cpu;
}

static void decode_tick_stop(const struct event_plan *plan, struct ringbuf_record record,
			     struct event *event)
{
	event->u.tick_stop.success = number(plan, record, 0) != 0;
	event->u.tick_stop.dependency = (uint32_t)number(plan, record, 1);
}

static void decode_irq(const struct event_plan *plan, struct ringbuf_record record,
		       struct event *event)
{
	event->u.irq.number = (int32_t)number(plan, record, 0);
}

static void decode_ipi(const struct event_plan *plan, struct ringbuf_record record,
		       struct event *event)
{
	event->u.ipi.target_cpu = (uint32_t)number(plan, record, 0);
}

static void decode_print(const struct event_plan *plan, struct ringbuf_record record,
			 struct event *event)
{
	struct span found = {NULL, 0};

	if (plan->fields[0].kind >= FIELD_TEXT)
		found = text(&plan->fields[0], record);
	event->u.print.text = (const char *)found.data;
	event->u.print.len = (uint32_t)found.size;
}

void decode_raw(const struct event_plan *plan, struct ringbuf_record record, struct event *event)
{
	event->u.raw.data = record.data;
	event->u.raw.size = (uint32_t)record.size;
	event->u.raw.id = plan->id;
}

static const struct decode_rule rules[EV_COUNT] = {
	[EV_CPU_IDLE] = {decode_idle, {"state", "cpu_id"}},
	[EV_CPU_IDLE_MISS] = {decode_miss, {"state", "cpu_id", "below"}},
	[EV_GUEST_HALT_POLL] = {decode_halt_poll, {"grow", "new", "old"}},
	[EV_PM_QOS_ADD] = {decode_qos, {"value", "pm_qos_class"}},
	[EV_PM_QOS_UPDATE] = {decode_qos, {"value", "pm_qos_class"}},
	[EV_PM_QOS_REMOVE] = {decode_qos, {"value", "pm_qos_class"}},
	[EV_PM_QOS_TARGET] = {decode_qos_target, {"action", "prev_value", "curr_value"}},
	[EV_DEV_PM_QOS_ADD] = {decode_dev_qos, {"new_value", "type", "name"}},
	[EV_DEV_PM_QOS_UPDATE] = {decode_dev_qos, {"new_value", "type", "name"}},
	[EV_DEV_PM_QOS_REMOVE] = {decode_dev_qos, {"new_value", "type", "name"}},
	[EV_SCHED_SWITCH] = {decode_switch, {"prev_pid", "next_pid", "prev_state"}},
	[EV_SCHED_WAKING] = {decode_wake, {"pid", "target_cpu"}},
	[EV_SCHED_WAKEUP] = {decode_wake, {"pid", "target_cpu"}},
	[EV_SCHED_WAKEUP_NEW] = {decode_wake, {"pid", "target_cpu"}},
	[EV_SCHED_WAKE_IDLE] = {decode_ipi, {"cpu"}},
	[EV_SCHED_STAT_IOWAIT] = {decode_wake, {"pid"}},
	[EV_HRTIMER_START] = {decode_hrtimer, {"hrtimer", "function", "expires", "mode"}},
	[EV_HRTIMER_CANCEL] = {decode_hrtimer, {"hrtimer"}},
	[EV_HRTIMER_EXPIRE_ENTRY] = {decode_hrtimer, {"hrtimer", "function", "now"}},
	[EV_HRTIMER_EXPIRE_EXIT] = {decode_hrtimer, {"hrtimer"}},
	[EV_HRTIMER_REARM] = {decode_rearm, {"next_event", "deferred"}},
	[EV_TIMER_START] = {decode_timer,
			    {"timer", "function", "expires", "now", "bucket_expiry", "flags"}},
	[EV_TIMER_CANCEL] = {decode_timer, {"timer"}},
	[EV_TIMER_EXPIRE_ENTRY] = {decode_timer, {"timer", "function", NULL, "now", "baseclk"}},
	[EV_TIMER_EXPIRE_EXIT] = {decode_timer, {"timer"}},
	[EV_TIMER_BASE_IDLE] = {decode_base_idle, {"is_idle", "cpu"}},
	[EV_TICK_STOP] = {decode_tick_stop, {"success", "dependency"}},
	[EV_IRQ_ENTRY] = {decode_irq, {"irq"}},
	[EV_IRQ_EXIT] = {decode_irq, {"irq"}},
	[EV_SOFTIRQ_ENTRY] = {decode_irq, {"vec"}},
	[EV_SOFTIRQ_EXIT] = {decode_irq, {"vec"}},
	[EV_VEC_TIMER_ENTRY] = {decode_irq, {"vector"}},
	[EV_VEC_TIMER_EXIT] = {decode_irq, {"vector"}},
	[EV_VEC_RESCHED_ENTRY] = {decode_irq, {"vector"}},
	[EV_VEC_RESCHED_EXIT] = {decode_irq, {"vector"}},
	[EV_VEC_CALL_ENTRY] = {decode_irq, {"vector"}},
	[EV_VEC_CALL_EXIT] = {decode_irq, {"vector"}},
	[EV_VEC_CALL1_ENTRY] = {decode_irq, {"vector"}},
	[EV_VEC_CALL1_EXIT] = {decode_irq, {"vector"}},
	[EV_VEC_WORK_ENTRY] = {decode_irq, {"vector"}},
	[EV_VEC_WORK_EXIT] = {decode_irq, {"vector"}},
	[EV_IPI_ENTRY] = {decode_irq, {NULL}},
	[EV_IPI_EXIT] = {decode_irq, {NULL}},
	[EV_IPI_SEND_CPU] = {decode_ipi, {"cpu"}},
	[EV_PRINT] = {decode_print, {"buf"}},
};

const struct decode_rule *decode_rule(enum event_type type)
{
	return &rules[type];
}
