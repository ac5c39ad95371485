/* SPDX-License-Identifier: GPL-2.0-only */
/* The platforms that come with the library, as text; presets/embed.py makes the list. */
#ifndef MODEL_PRESETS_H
#define MODEL_PRESETS_H

#include "cpuidle-replay.h"

/** struct preset - @text: the JSON document, as in the file of that name in presets/ */
struct preset {
	struct cpir_preset info;
	const char *text;
};

extern const struct preset preset_list[]; /* by id */
extern const size_t preset_count;

/** preset_find - the preset called @id, NULL when there is none */
const struct preset *preset_find(const char *id);

#endif
