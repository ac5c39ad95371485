// SPDX-License-Identifier: GPL-2.0-only
/* The events in which an instrumented menu wrote what it saw, thought and chose. */
#include "rigmenu.h"

#include <string.h>

#include <traceevent/event-parse.h>

#include "trace/merge.h"

/* struct walk - where events go */
struct walk {
	struct trace *trace;
	void (*take)(void *arg, const struct rigmenu_event *event);
	void *arg;
};

static void take_raw(const struct walk *walk, const struct event *raw)
{
	struct rigmenu_event event = {
		.kind = RIGMENU_SELECT,
		.cpu = raw->cpu,
		.time_ns = raw->time_ns,
		.format = tep_find_event(trace_tep(walk->trace), raw->u.raw.id),
		.data = raw->u.raw.data,
	};

	if (!event.format)
		return;
	if (!strcmp(event.format->name, "menu_update"))
		event.kind = RIGMENU_UPDATE;
	else if (strcmp(event.format->name, "menu_select"))
		return;
	walk->take(walk->arg, &event);
}

int rigmenu_read(const char *path, void (*take)(void *arg, const struct rigmenu_event *event),
		 void *arg, struct cpir_error *err)
{
	struct trace_options options = {.raw_system = "rigmenu", .want = EVENT_BIT(EV_RAW)};
	struct walk walk = {.take = take, .arg = arg};
	struct trace_merge *merge = NULL;
	const struct event *raw;
	int ret = trace_open(path, &options, &walk.trace, err);

	if (ret < 0)
		return ret;
	ret = trace_merge_open(walk.trace, NULL, &merge, err);
	while (ret >= 0 && (ret = trace_merge_next(merge, &raw, err)) > 0) {
		if (raw->type == EV_RAW)
			take_raw(&walk, raw);
	}
	trace_merge_close(merge);
	trace_close(walk.trace);
	return ret;
}

int64_t rigmenu_field(const struct rigmenu_event *event, const char *name)
{
	struct tep_format_field *found = tep_find_any_field(event->format, name);
	unsigned long long value = 0;

	if (!found || tep_read_number_field(found, event->data, &value))
		return 0;
	if (found->flags & TEP_FIELD_IS_SIGNED && found->size == 4)
		return (int32_t)value;
	return (int64_t)value;
}
