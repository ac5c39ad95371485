// SPDX-License-Identifier: GPL-2.0-only
/* The grammar of policy names. */
#include "policy/spec.h"

#include "policy/patches.h"

#include <errno.h>
#include <string.h>

static int unknown_governor(const struct governor *const *governors, const char *text,
			    struct cpir_error *err)
{
	char names[256] = "";
	size_t used = 0;

	for (size_t i = 0; governors[i] && used < sizeof(names); i++)
		used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s", i ? ", " : "",
					 governors[i]->info->name);
	return error_set(err, -EINVAL, "policy '%.80s': unknown governor; there are: %s", text,
			 names);
}

static int unknown_patch(const struct governor *governor, const char *text, struct cpir_error *err)
{
	int length = (int)strcspn(text + 1, "+:") + 1;
	char names[640] = "none";
	size_t used = 0;

	if (length == 1)
		return error_set(err, -EINVAL,
				 "policy: nothing is named behind '%c'; write for example "
				 "%s@6.12%cPATCH, or leave it out",
				 *text, governor->info->name, *text);

	for (size_t i = 0; i < governor->info->patch_count && used < sizeof(names); i++)
		used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s", i ? ", " : "",
					 governor->info->patches[i].name);
	return error_set(err, -EINVAL, "unknown patch '%.*s' for %s; there are: %s",
			 length < 60 ? length : 60, text, governor->info->name, names);
}

/* Does @text begin with the first word of some patch name, "override-" for one? Then it is a misspelt patch. */
static bool resembles_patch(const struct governor *governor, const char *text)
{
	for (size_t i = 0; i < governor->info->patch_count; i++) {
		const char *name = governor->info->patches[i].name;
		size_t word = strcspn(name, "-");

		if (!strncmp(text, name, word) && (!text[word] || strchr("-+:", text[word])))
			return true;
	}
	return false;
}

/*
 * A release goes on behind '-' with nearly anything ("-rig-base", "-57-arm64") and behind '+' with what distributions
 * are known to put there: a word with a number ("+deb13-cloud-amd64", "+rpt-rpi-v8"). The lone '+' of a kernel built from
 * changed sources is taken for a patch that was forgotten: it says nothing about the release.
 */
static bool release_goes_on(const struct governor *governor, const char *text)
{
	const char *word = text + 1;
	size_t length = strcspn(word, "+-:");

	if (patch_find(governor, word) || resembles_patch(governor, word))
		return false;
	if (!length)
		return false;
	if (*text == '-' || !strncmp(word, "rpt", 3))
		return true;
	return word[length - 1] >= '0' && word[length - 1] <= '9';
}

/* Where the release at @text ends. */
static size_t release_length(const struct governor *governor, const char *text)
{
	size_t length = strcspn(text, "+-:");

	while (text[length] && text[length] != ':' && release_goes_on(governor, text + length))
		length += 1 + strcspn(text + length + 1, "+-:");
	return length;
}

static int take_kernel(const char **at, struct policy_spec *spec, struct cpir_error *err)
{
	size_t length;

	if (**at != '@')
		return 0;
	(*at)++;
	length = release_length(spec->governor, *at);
	if (!length || length >= sizeof(spec->kernel))
		return error_set(err, -EINVAL,
				 "policy: no kernel release behind '@'; write for example %s@6.12",
				 spec->governor->info->name);
	memcpy(spec->kernel, *at, length);
	spec->kernel[length] = '\0';
	*at += length;
	return 0;
}

static int take_patches(const char **at, struct policy_spec *spec, struct cpir_error *err)
{
	while (**at == '+' || **at == '-') {
		const struct cpir_patch_info *patch = patch_find(spec->governor, *at + 1);

		if (!patch)
			return unknown_patch(spec->governor, *at, err);
		if (spec->patch_count == SPEC_PATCHES_MAX)
			return error_set(err, -E2BIG, "policy: more than %d patches",
					 SPEC_PATCHES_MAX);
		spec->patches[spec->patch_count].sign = **at;
		spec->patches[spec->patch_count].patch = patch;
		spec->patch_count++;
		*at += 1 + strlen(patch->name);
	}
	return 0;
}

int spec_parse(const struct governor *const *governors, const char *text,
	       struct policy_spec *ret_spec, struct cpir_error *err)
{
	size_t length = strcspn(text, "@+-:");
	struct policy_spec spec = {.knobs = ""};
	const char *at = text + length;
	int r;

	for (size_t i = 0; governors[i] && !spec.governor; i++)
		if (strlen(governors[i]->info->name) == length &&
		    !strncmp(governors[i]->info->name, text, length))
			spec.governor = governors[i];
	if (!spec.governor)
		return unknown_governor(governors, text, err);
	r = take_kernel(&at, &spec, err);
	if (r)
		return r;
	r = take_patches(&at, &spec, err);
	if (r)
		return r;
	if (*at == ':' && !at[1])
		return error_set(err, -EINVAL,
				 "policy '%.80s': nothing behind ':'; write KNOB=VALUE,... there, "
				 "or leave it out",
				 text);
	if (*at == ':')
		spec.knobs = at + 1;
	else if (*at)
		return error_set(err, -EINVAL,
				 "policy '%.80s': not understood from '%.40s' on; write "
				 "NAME@KERNEL+PATCH:KNOB=VALUE",
				 text, at);
	*ret_spec = spec;
	return 0;
}
