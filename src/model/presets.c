// SPDX-License-Identifier: GPL-2.0-only
/* Looking up the platforms that come with the library. */
#include "model/presets.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

const struct preset *preset_find(const char *id)
{
	for (size_t i = 0; i < preset_count; i++) {
		if (!strcmp(preset_list[i].info.id, id))
			return &preset_list[i];
	}
	return NULL;
}

int cpir_platform_presets(struct cpir_preset **ret_presets, size_t *ret_count,
			  struct cpir_error *err)
{
	struct cpir_preset *presets = calloc(preset_count, sizeof(*presets));

	if (!presets)
		return error_oom(err);
	for (size_t i = 0; i < preset_count; i++)
		presets[i] = preset_list[i].info;
	*ret_presets = presets;
	*ret_count = preset_count;
	return 0;
}

void cpir_presets_free(struct cpir_preset *presets, size_t count)
{
	(void)count; /* the strings are the library's own */
	free(presets);
}
