// SPDX-License-Identifier: GPL-2.0-only
/* Platforms as JSON or as a flat dump. What is understood must be the same after it was written and read again. */
#include "fuzz.h"

#include "model/platform.h"

#include <stdlib.h>
#include <string.h>

/* document_of - the JSON of a platform under a fixed source, so that two can be compared */
static char *document_of(struct cpir_platform *platform)
{
	char *json;

	free(platform->source);
	platform->source = strdup("fuzz");
	json = cpir_platform_to_json(platform);
	if (!platform->source || !json)
		abort();
	return json;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cpir_platform *platform, *again;
	struct cpir_error err = {0};
	char *json, *json_again;
	int r = platform_parse((const char *)data, size, "fuzz", &platform, &err);

	if (r) {
		if (r != err.code || !*err.text)
			abort();
		return 0;
	}
	json = document_of(platform);
	if (platform_parse(json, strlen(json), "fuzz", &again, &err))
		abort();
	json_again = document_of(again);
	if (strcmp(json, json_again))
		abort();
	free(json);
	free(json_again);
	cpir_platform_free(platform);
	cpir_platform_free(again);
	return 0;
}
