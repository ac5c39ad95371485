// SPDX-License-Identifier: GPL-2.0-only
/* Kinds of events: those the program knows, with the fields that kernels give them, and how formats describe them. */
#include "story.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/event.h"

#define COMMON_SIZE 8 /* bytes of the fields that every record begins with */
#define FIRST_ID 300

/* The fields of recent kernels; a story that wants those of another one redefines the event. */
static const char *const known_fields[EV_COUNT] = {
	[EV_CPU_IDLE] = "u32 state, u32 cpu_id",
	[EV_CPU_IDLE_MISS] = "u32 cpu_id, u32 state, bool below",
	[EV_GUEST_HALT_POLL] = "bool grow, uint new, uint old",
	[EV_PM_QOS_ADD] = "s32 value",
	[EV_PM_QOS_UPDATE] = "s32 value",
	[EV_PM_QOS_REMOVE] = "s32 value",
	[EV_PM_QOS_TARGET] = "u32 action, int prev_value, int curr_value",
	[EV_DEV_PM_QOS_ADD] = "string name, u32 type, s32 new_value",
	[EV_DEV_PM_QOS_UPDATE] = "string name, u32 type, s32 new_value",
	[EV_DEV_PM_QOS_REMOVE] = "string name, u32 type, s32 new_value",
	[EV_SCHED_SWITCH] = "comm prev_comm, int prev_pid, int prev_prio, long prev_state, "
			    "comm next_comm, int next_pid, int next_prio",
	[EV_SCHED_WAKING] = "comm comm, int pid, int prio, int target_cpu",
	[EV_SCHED_WAKEUP] = "comm comm, int pid, int prio, int target_cpu",
	[EV_SCHED_WAKEUP_NEW] = "comm comm, int pid, int prio, int target_cpu",
	[EV_SCHED_WAKE_IDLE] = "int cpu",
	[EV_SCHED_STAT_IOWAIT] = "comm comm, int pid, u64 delay",
	[EV_HRTIMER_START] = "ptr hrtimer, ptr function, s64 expires, s64 softexpires, u32 mode",
	[EV_HRTIMER_CANCEL] = "ptr hrtimer",
	[EV_HRTIMER_EXPIRE_ENTRY] = "ptr hrtimer, s64 now, ptr function",
	[EV_HRTIMER_EXPIRE_EXIT] = "ptr hrtimer",
	[EV_HRTIMER_REARM] = "s64 next_event, bool deferred",
	[EV_TIMER_START] = "ptr timer, ptr function, ulong expires, ulong bucket_expiry, "
			   "ulong now, uint flags",
	[EV_TIMER_CANCEL] = "ptr timer",
	[EV_TIMER_EXPIRE_ENTRY] = "ptr timer, ulong now, ptr function, ulong baseclk",
	[EV_TIMER_EXPIRE_EXIT] = "ptr timer",
	[EV_TIMER_BASE_IDLE] = "bool is_idle, uint cpu",
	[EV_TICK_STOP] = "int success, int dependency",
	[EV_IRQ_ENTRY] = "int irq, string name",
	[EV_IRQ_EXIT] = "int irq, int ret",
	[EV_SOFTIRQ_ENTRY] = "uint vec",
	[EV_SOFTIRQ_EXIT] = "uint vec",
	[EV_VEC_TIMER_ENTRY] = "int vector",
	[EV_VEC_TIMER_EXIT] = "int vector",
	[EV_VEC_RESCHED_ENTRY] = "int vector",
	[EV_VEC_RESCHED_EXIT] = "int vector",
	[EV_VEC_CALL_ENTRY] = "int vector",
	[EV_VEC_CALL_EXIT] = "int vector",
	[EV_VEC_CALL1_ENTRY] = "int vector",
	[EV_VEC_CALL1_EXIT] = "int vector",
	[EV_VEC_WORK_ENTRY] = "int vector",
	[EV_VEC_WORK_EXIT] = "int vector",
	[EV_IPI_ENTRY] = "ptr reason",
	[EV_IPI_EXIT] = "ptr reason",
	[EV_IPI_SEND_CPU] = "uint cpu, ptr callsite, ptr callback",
	[EV_PRINT] = "ulong ip, tail buf",
};

static const struct {
	const char *type, *word;
	enum field_type kind;
	uint32_t size; /* 0: that of a long */
	bool is_signed;
} types[] = {
	{"u8", "u8", FIELD_NUMBER, 1, false},
	{"s8", "s8", FIELD_NUMBER, 1, true},
	{"u16", "u16", FIELD_NUMBER, 2, false},
	{"s16", "s16", FIELD_NUMBER, 2, true},
	{"u32", "u32", FIELD_NUMBER, 4, false},
	{"s32", "s32", FIELD_NUMBER, 4, true},
	{"u64", "u64", FIELD_NUMBER, 8, false},
	{"s64", "s64", FIELD_NUMBER, 8, true},
	{"bool", "bool", FIELD_NUMBER, 1, false},
	{"int", "int", FIELD_NUMBER, 4, true},
	{"uint", "unsigned int", FIELD_NUMBER, 4, false},
	{"long", "long", FIELD_NUMBER, 0, true},
	{"ulong", "unsigned long", FIELD_NUMBER, 0, false},
	{"ptr", "void *", FIELD_POINTER, 0, false},
	{"comm", "char", FIELD_COMM, 16, false},
	{"string", "char[]", FIELD_STRING, 4, false},
	{"tail", "char", FIELD_TAIL, 0, false},
};

static const char *field_parse(const char *type, const char *name, struct story_field *ret_field)
{
	for (size_t i = 0; i < array_size(types); i++) {
		if (strcmp(types[i].type, type))
			continue;
		*ret_field = (struct story_field){.type = types[i].kind,
						  .size = types[i].size,
						  .is_signed = types[i].is_signed};
		(void)snprintf(ret_field->name, sizeof(ret_field->name), "%s", name);
		(void)snprintf(ret_field->word, sizeof(ret_field->word), "%s", types[i].word);
		return NULL;
	}
	return "unknown type of a field";
}

static struct story_event *event_slot(struct story *story, const char *system, const char *name)
{
	struct story_event *event;

	for (size_t i = 0; i < story->events.len; i++) {
		event = &story->events.ptr[i];
		if (!strcmp(event->system, system) && !strcmp(event->name, name))
			return event;
	}
	event = array_add(&story->events);
	if (!event)
		die("out of memory");
	event->id = (uint16_t)(FIRST_ID + story->events.len);
	if (!strcmp(system, "ftrace") && !strcmp(name, "print"))
		event->id = STORY_PRINT_ID;
	(void)snprintf(event->system, sizeof(event->system), "%s", system);
	(void)snprintf(event->name, sizeof(event->name), "%s", name);
	return event;
}

const char *story_define(struct story *story, const char *system, const char *name,
			 const char *fields)
{
	struct story_event *event = event_slot(story, system, name);
	char *copy = strdup(fields), *rest = copy, *one;
	const char *error = NULL;

	event->field_count = 0;
	while (!error && (one = strsep(&rest, ","))) {
		char type[16], field[STORY_NAME];

		if (sscanf(one, " %15s %47s", type, field) != 2)
			error = "a field is not TYPE NAME";
		else if (event->field_count == STORY_FIELDS)
			error = "too many fields";
		else
			error = field_parse(type, field, &event->fields[event->field_count++]);
	}
	free(copy);
	return error;
}

void story_add_known(struct story *story)
{
	static const struct {
		const char *system, *name;
	} names[] = {
#define X(type, system, name) [type] = {system, name},
		EVENT_LIST(X)
#undef X
	};

	for (size_t i = 0; i < array_size(names); i++) {
		const char *error = known_fields[i] ? story_define(story, names[i].system,
								   names[i].name, known_fields[i])
						    : "no fields known";

		if (error)
			die("%s:%s: %s", names[i].system, names[i].name, error);
	}
}

void story_layout(struct story *story)
{
	for (size_t i = 0; i < story->events.len; i++) {
		struct story_event *event = &story->events.ptr[i];
		uint32_t offset = COMMON_SIZE;

		for (uint32_t k = 0; k < event->field_count; k++) {
			struct story_field *field = &event->fields[k];
			uint32_t align;

			if (!field->size && field->type != FIELD_TAIL)
				field->size = story->long_size;
			align = field->type == FIELD_COMM || !field->size ? 1 : field->size;
			offset = (offset + align - 1) / align * align;
			field->offset = offset;
			offset += field->size;
		}
		event->size = (offset + 3) / 4 * 4;
	}
}

static void field_format(const struct story_field *field, struct buffer *out)
{
	static const char *const before[] = {[FIELD_NUMBER] = "",
					     [FIELD_POINTER] = "",
					     [FIELD_COMM] = "",
					     [FIELD_STRING] = "__data_loc ",
					     [FIELD_TAIL] = ""};
	static const char *const after[] = {[FIELD_NUMBER] = "",
					    [FIELD_POINTER] = "",
					    [FIELD_COMM] = "[16]",
					    [FIELD_STRING] = "",
					    [FIELD_TAIL] = "[]"};

	buffer_printf(out, "\tfield:%s%s %s%s;\toffset:%u;\tsize:%u;\tsigned:%d;\n",
		      before[field->type], field->word, field->name, after[field->type],
		      field->offset, field->size, field->is_signed);
}

/* field_print - conversion and argument of a field in the print format */
static void field_print(const struct story_field *field, struct buffer *fmt, struct buffer *args)
{
	const char *number = field->size == 8 ? (field->is_signed ? "%lld" : "%llu")
					      : (field->is_signed ? "%d" : "%u");

	buffer_printf(fmt, "%s%s=%s", fmt->len ? " " : "", field->name,
		      field->type == FIELD_NUMBER    ? number
		      : field->type == FIELD_POINTER ? "0x%llx"
						     : "%s");
	if (field->type == FIELD_STRING)
		buffer_printf(args, ", __get_str(%s)", field->name);
	else if (field->type == FIELD_NUMBER || field->type == FIELD_POINTER)
		buffer_printf(args, ", (%s)REC->%s",
			      field->size == 8 || field->type == FIELD_POINTER
				      ? (field->is_signed ? "long long" : "unsigned long long")
				      : (field->is_signed ? "int" : "unsigned int"),
			      field->name);
	else
		buffer_printf(args, ", REC->%s", field->name);
}

void story_format(const struct story_event *event, struct buffer *out)
{
	struct buffer fmt = {0}, args = {0};

	buffer_printf(out,
		      "name: %s\nID: %u\nformat:\n"
		      "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
		      "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
		      "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
		      "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n",
		      event->name, event->id);
	for (uint32_t i = 0; i < event->field_count; i++) {
		field_format(&event->fields[i], out);
		field_print(&event->fields[i], &fmt, &args);
	}
	buffer_printf(out, "\nprint fmt: \"%.*s\"%.*s\n", (int)fmt.len, (char *)fmt.ptr,
		      (int)args.len, args.ptr ? (char *)args.ptr : "");
	buffer_deinit(&fmt);
	buffer_deinit(&args);
}

/* ---- listing ----------------------------------------------------------------------------------------------------- */

static void list_field(const struct story *story, const struct story_field *field,
		       const uint8_t *record)
{
	uint64_t number;

	if (field->type != FIELD_NUMBER && field->type != FIELD_POINTER) {
		printf(" %s=%s", field->name, story_field_text(story, field, record));
		return;
	}
	number = story_field_number(story, field, record);
	if (field->type == FIELD_POINTER)
		printf(" %s=0x%" PRIx64, field->name, number);
	else if (field->is_signed)
		printf(" %s=%" PRId64, field->name, (int64_t)number);
	else
		printf(" %s=%" PRIu64, field->name, number);
}

static void list_entry(const struct story *story, const struct story_entry *entry)
{
	const struct story_event *event = &story->events.ptr[entry->event];

	if (entry->kind == ENTRY_LOST)
		printf("%u lost %" PRIu64 "\n", entry->cpu, entry->value);
	if (entry->kind != ENTRY_EVENT)
		return;
	printf("%u %" PRIu64 ".%09" PRIu64 " %s", entry->cpu, entry->time_ns / 1000000000,
	       entry->time_ns % 1000000000, event->name);
	for (uint32_t i = 0; i < event->field_count; i++)
		list_field(story, &event->fields[i], story->records.ptr + entry->data);
	printf("\n");
}

static const struct story *sorted_story;

static int entry_compare(const void *a, const void *b)
{
	const struct story_entry *x = &sorted_story->entries.ptr[*(const size_t *)a];
	const struct story_entry *y = &sorted_story->entries.ptr[*(const size_t *)b];

	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? -1 : 1;
	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	return x < y ? -1 : x > y;
}

void story_list(const struct story *story, const char *instance)
{
	size_t *order = calloc(story->entries.len + 1, sizeof(*order));

	if (!order)
		die("out of memory");
	for (size_t i = 0; i < story->entries.len; i++)
		order[i] = i;
	sorted_story = story;
	qsort(order, story->entries.len, sizeof(*order), entry_compare);
	for (size_t i = 0; i < story->entries.len; i++) {
		const struct story_entry *entry = &story->entries.ptr[order[i]];

		if (!strcmp(story->instances.ptr[entry->instance].name, instance))
			list_entry(story, entry);
	}
	free(order);
}
