/* SPDX-License-Identifier: GPL-2.0-only */
/* The events in which an instrumented menu wrote what it saw, thought and chose; for developer's tools only. */
#ifndef TOOLS_RIGMENU_H
#define TOOLS_RIGMENU_H

#include "base/error.h"

struct tep_event;

enum rigmenu_kind { RIGMENU_SELECT, RIGMENU_UPDATE };

/** struct rigmenu_event - one of them; valid during the call that gets it */
struct rigmenu_event {
	enum rigmenu_kind kind;
	uint32_t cpu;
	uint64_t time_ns;
	struct tep_event *format;
	const void *data;
};

/** rigmenu_read - give all of them in the trace at @path to @take, in time order; 0 or negative errno */
int rigmenu_read(const char *path, void (*take)(void *arg, const struct rigmenu_event *event),
		 void *arg, struct cpir_error *err);

/** rigmenu_field - a number of @event by its name, signed as its format says, 0 when there is no such field */
int64_t rigmenu_field(const struct rigmenu_event *event, const char *name);

#endif
