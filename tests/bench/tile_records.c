// SPDX-License-Identifier: GPL-2.0-only
/* What changes in a record from copy to copy: times move on, and other CPUs have other numbers, tasks and timers. */
#include "tile.h"

#include <stdlib.h>
#include <traceevent/event-parse.h>

#define PATCHES_MAX 8
#define GROUP_PIDS 65536 /* a group's tasks are numbered from its number times this */
#define GROUP_ADDRESS_SHIFT 36
#define TIMER_CPU_MASK 0x3ffffu

enum patch_kind { PATCH_NS, PATCH_JIFFIES, PATCH_CPU, PATCH_CPU_BITS, PATCH_PID, PATCH_ADDRESS };

struct patch {
	uint16_t offset;
	uint8_t size, kind;
};

struct event_patches {
	unsigned count;
	struct patch patches[PATCHES_MAX];
};

struct patches {
	const struct tile_plan *plan;
	struct event_patches of_id[65536];
};

/* Fields by the beginning of their event's name; the first match counts, "" any event. */
static const struct {
	const char *event, *field;
	enum patch_kind kind;
} rules[] = {
	{"", "common_pid", PATCH_PID},
	{"hrtimer_", "hrtimer", PATCH_ADDRESS},
	{"hrtimer_", "expires", PATCH_NS},
	{"hrtimer_", "softexpires", PATCH_NS},
	{"hrtimer_", "now", PATCH_NS},
	{"hrtimer_", "next_event", PATCH_NS},
	{"timer_base_idle", "cpu", PATCH_CPU},
	{"timer_", "timer", PATCH_ADDRESS},
	{"timer_", "expires", PATCH_JIFFIES},
	{"timer_", "now", PATCH_JIFFIES},
	{"timer_", "bucket_expiry", PATCH_JIFFIES},
	{"timer_", "baseclk", PATCH_JIFFIES},
	{"timer_", "flags", PATCH_CPU_BITS},
	{"cpu_idle", "cpu_id", PATCH_CPU},
	{"sched_switch", "prev_pid", PATCH_PID},
	{"sched_switch", "next_pid", PATCH_PID},
	{"sched_wak", "pid", PATCH_PID},
	{"sched_wak", "target_cpu", PATCH_CPU},
	{"sched_wake_idle", "cpu", PATCH_CPU},
	{"sched_stat_iowait", "pid", PATCH_PID},
	{"ipi_send_cpu", "cpu", PATCH_CPU},
};

static void patch_find(struct event_patches *patches, struct tep_event *event, unsigned rule)
{
	struct tep_format_field *field = tep_find_any_field(event, rules[rule].field);

	if (strncmp(event->name, rules[rule].event, strlen(rules[rule].event)) != 0 || !field ||
	    field->size > 8 || patches->count == PATCHES_MAX)
		return;
	patches->patches[patches->count++] = (struct patch){
		.offset = (uint16_t)field->offset,
		.size = (uint8_t)field->size,
		.kind = (uint8_t)rules[rule].kind,
	};
}

struct patches *patches_new(const struct tile_plan *plan)
{
	struct tep_handle *tep = trace_tep(plan->trace);
	struct patches *patches = calloc(1, sizeof(*patches));

	if (!patches)
		tile_die("out of memory");
	patches->plan = plan;
	for (int i = 0; i < tep_get_events_count(tep); i++) {
		struct tep_event *event = tep_get_event(tep, i);

		for (unsigned rule = 0; rule < array_size(rules); rule++)
			patch_find(&patches->of_id[event->id & 0xffff], event, rule);
	}
	return patches;
}

void patches_free(struct patches *patches)
{
	free(patches);
}

static uint64_t patched(const struct tile_plan *plan, enum patch_kind kind, uint64_t value,
			uint64_t tile_group)
{
	uint64_t tile = tile_group >> 32, group = tile_group & UINT32_MAX, cpu;

	switch (kind) {
	case PATCH_NS:
		return value + tile * plan->span_ns;
	case PATCH_JIFFIES:
		return value + tile * (plan->span_ns / (1000000000 / plan->hz));
	case PATCH_CPU:
		return value + group * plan->trace->info.cpus;
	case PATCH_CPU_BITS:
		cpu = (value & TIMER_CPU_MASK) + group * plan->trace->info.cpus;
		return (value & ~(uint64_t)TIMER_CPU_MASK) | (cpu & TIMER_CPU_MASK);
	case PATCH_PID:
		return value ? value + group * GROUP_PIDS : 0;
	case PATCH_ADDRESS:
		return value ^ group << GROUP_ADDRESS_SHIFT;
	}
	return value;
}

void patches_apply(const struct patches *patches, uint8_t *data, uint32_t tile, uint32_t group)
{
	const struct tile_plan *plan = patches->plan;
	uint64_t id = tile_number(plan, data + plan->trace->formats.id_offset, 2);
	const struct event_patches *found = &patches->of_id[id];

	for (unsigned i = 0; i < found->count; i++) {
		const struct patch *patch = &found->patches[i];
		uint64_t value = tile_number(plan, data + patch->offset, patch->size);

		tile_store(plan, data + patch->offset, patch->size,
			   patched(plan, patch->kind, value, (uint64_t)tile << 32 | group));
	}
}
