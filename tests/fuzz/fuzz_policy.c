// SPDX-License-Identifier: GPL-2.0-only
/* Policy names. The full name of a policy that is understood must be understood again, as the same policy. */
#include "fuzz.h"

#include "cpuidle-replay.h"

#include <stdlib.h>
#include <string.h>

static void check_name(const struct cpir_policy *policy)
{
	struct cpir_policy *again;

	if (cpir_policy_parse(cpir_policy_name(policy), NULL, &again, NULL) ||
	    strcmp(cpir_policy_name(policy), cpir_policy_name(again)) != 0)
		abort();
	cpir_policy_free(again);
}

static void check_knobs(const struct cpir_policy *policy)
{
	struct cpir_knob_info *knobs;
	size_t count;

	if (!cpir_policy_knobs(policy, &knobs, &count))
		free(knobs);
}

/* Names of kernel source start programs and make files; what they are made of is not for chance to choose. */
static int names_source(const char *text)
{
	return !strncmp(text, "src:", 4) || !strncmp(text, "git:", 4) ||
	       !strncmp(text, "patch:", 6);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cpir_policy *policy;
	struct cpir_error err;
	char text[512], *note;

	if (size >= sizeof(text))
		return -1;
	memcpy(text, data, size);
	text[size] = '\0';
	if (!cpir_policy_note_levels("menu", text, &note))
		free(note);
	if (names_source(text))
		return -1;
	if (cpir_policy_parse(text, "6.12.94", &policy, &err))
		return 0;
	check_name(policy);
	check_knobs(policy);
	cpir_policy_free(policy);
	return 0;
}
