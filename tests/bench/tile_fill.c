// SPDX-License-Identifier: GPL-2.0-only
/*
 * Events of busy CPUs: while a task runs in the source, it is interrupted, wakes another and takes turns with it. The idle
 * loop and all it does stay as recorded; the new events have the layout and the size of those in the source.
 */
#include "tile.h"

#include <stdlib.h>
#include <traceevent/event-parse.h>

#define RECORD_MAX 256
#define STEP_NS 60 /* between two of the new events */
#define OTHER_PID 61234

/* What happens while a task runs; in the end it runs again. */
static const struct {
	const char *system, *event;
} cycle[] = {
	{"irq", "irq_handler_entry"}, {"irq", "irq_handler_exit"}, {"irq", "softirq_entry"},
	{"irq", "softirq_exit"},      {"sched", "sched_waking"},   {"sched", "sched_wakeup"},
	{"sched", "sched_switch"},    {"sched", "sched_switch"},
};

#define CYCLE array_size(cycle)

struct model {
	int id; /* -1: the source has none */
	uint32_t size;
	uint8_t data[RECORD_MAX];
	struct tep_format_field *pid, *next_pid, *prev_pid, *prev_state, *target;
};

struct filler {
	const struct tile_plan *plan;
	struct model models[CYCLE];
	struct tep_format_field *common_pid;
	uint32_t cpu;
	bool busy; /* a task runs since @since_ns */
	uint64_t since_ns, task;
	uint64_t debt; /* events still to be written */
};

/* Remember the first record of each kind. */
static void model_take(void *arg, uint64_t time_ns, struct ringbuf_record record)
{
	struct filler *filler = arg;
	const struct tile_plan *plan = filler->plan;
	int id = (int)tile_number(plan, record.data + plan->trace->formats.id_offset, 2);

	(void)time_ns;
	for (unsigned i = 0; i < CYCLE; i++) {
		struct model *model = &filler->models[i];

		if (model->id != id || model->size || record.size > RECORD_MAX)
			continue;
		model->size = record.size;
		memcpy(model->data, record.data, record.size);
	}
}

struct filler *filler_new(const struct tile_plan *plan)
{
	struct filler *filler = calloc(1, sizeof(*filler));
	struct tep_handle *tep = trace_tep(plan->trace);

	if (!filler)
		tile_die("out of memory");
	filler->plan = plan;
	for (unsigned i = 0; i < CYCLE; i++) {
		struct model *model = &filler->models[i];
		struct tep_event *event =
			tep_find_event_by_name(tep, cycle[i].system, cycle[i].event);

		model->id = event ? event->id : -1;
		if (!event)
			continue;
		filler->common_pid = tep_find_common_field(event, "common_pid");
		model->pid = tep_find_field(event, "pid");
		model->next_pid = tep_find_field(event, "next_pid");
		model->prev_pid = tep_find_field(event, "prev_pid");
		model->prev_state = tep_find_field(event, "prev_state");
		model->target = tep_find_field(event, "target_cpu");
	}
	for (uint32_t cpu = 0; cpu < plan->trace->info.cpus; cpu++)
		tile_walk(plan, cpu, model_take, filler);
	return filler;
}

void filler_free(struct filler *filler)
{
	free(filler);
}

void filler_restart(struct filler *filler, uint32_t cpu)
{
	filler->cpu = cpu;
	filler->busy = false;
	filler->debt = 0;
}

static void set(const struct filler *filler, struct model *model,
		const struct tep_format_field *field, uint64_t value)
{
	if (field)
		tile_store(filler->plan, model->data + field->offset, (uint32_t)field->size, value);
}

/* One round; @time_ns moves on. */
static unsigned cycle_put(struct filler *filler, struct sink *sink, uint64_t *time_ns)
{
	unsigned written = 0;

	for (unsigned i = 0; i < CYCLE; i++) {
		struct model *model = &filler->models[i];
		bool back = i == CYCLE - 1;
		uint64_t other = OTHER_PID + filler->cpu, task = filler->task;

		if (!model->size)
			continue;
		set(filler, model, filler->common_pid, back ? other : task);
		set(filler, model, model->pid, other);
		set(filler, model, model->target, filler->cpu);
		set(filler, model, model->prev_pid, back ? other : task);
		set(filler, model, model->next_pid, back ? task : other);
		set(filler, model, model->prev_state, back);
		*time_ns += STEP_NS;
		sink_record(sink, *time_ns, (struct ringbuf_record){model->data, model->size});
		written++;
	}
	return written;
}

void filler_record(struct filler *filler, struct sink *sink, uint64_t time_ns, const uint8_t *data)
{
	const struct tile_plan *plan = filler->plan;
	const struct model *sw = &filler->models[CYCLE - 1];
	uint64_t now_ns = filler->since_ns;

	filler->debt += plan->fill;
	while (filler->busy && filler->debt >= CYCLE && now_ns + (CYCLE + 1) * STEP_NS < time_ns)
		filler->debt -= cycle_put(filler, sink, &now_ns);
	filler->busy = false;
	if ((int)tile_number(plan, data + plan->trace->formats.id_offset, 2) != sw->id ||
	    !sw->next_pid)
		return;
	filler->task = tile_number(plan, data + sw->next_pid->offset, (uint32_t)sw->next_pid->size);
	filler->busy = filler->task != 0;
	filler->since_ns = time_ns;
}
