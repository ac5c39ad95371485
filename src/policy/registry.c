// SPDX-License-Identifier: GPL-2.0-only
/* All governors there are, and policies made of them. */
#include "policy/governor.h"
#include "policy/kernel_policy.h"
#include "policy/kernel_source.h"
#include "policy/patches.h"
#include "policy/spec.h"
#include "policy/windows.h"

#include "base/array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const struct cpir_governor_info governor_infos[GOVERNOR_COUNT] = {
	[GOVERNOR_MENU] = {.name = "menu",
			   .help = "next timer, corrected by experience, against the typical "
				   "recent interval",
			   .kernels = "4.19 - 7.3",
			   .patches = menu_patches,
			   .patch_count = MENU_PATCHES},
	[GOVERNOR_TEO] = {.name = "teo",
			  .help = "next timer, unless earlier wake-ups have lately been the rule",
			  .kernels = "5.1 - 7.3"},
	[GOVERNOR_LADDER] =
		{.name = "ladder",
		 .help = "one state deeper after some long periods, one shallower after a "
			 "short one",
		 .kernels = "5.5 - 7.3"},
	[GOVERNOR_HALTPOLL] = {.name = "haltpoll",
			       .help = "poll first, halt when polling has run into its limit",
			       .kernels = "5.5 - 7.3"},
	[GOVERNOR_FIXED] = {.name = "fixed",
			    .help = "always the same state: fixed:state=N",
			    .kernels = ""},
	[GOVERNOR_ORACLE] = {.name = "oracle",
			     .help = "best enabled state in hindsight: the bound of any policy",
			     .kernels = ""},
};

static const struct governor *const governors[GOVERNOR_COUNT + 1] = {
	[GOVERNOR_MENU] = &menu_governor,     [GOVERNOR_TEO] = &teo_governor,
	[GOVERNOR_LADDER] = &ladder_governor, [GOVERNOR_HALTPOLL] = &haltpoll_governor,
	[GOVERNOR_FIXED] = &fixed_governor,   [GOVERNOR_ORACLE] = &oracle_governor,
};

bool policy_same(const struct cpir_policy *a, const struct cpir_policy *b)
{
	for (size_t i = 0; i < GOVERNOR_COUNT && a->ops == b->ops; i++) {
		if (governors[i]->ops == a->ops)
			return !memcmp(a->config, b->config, governors[i]->config_size);
	}
	return false;
}

/* ---- making a policy ---------------------------------------------------------------------------------------------- */

/* struct making - what cpir_policy_parse() works on */
struct making {
	struct policy_spec spec;
	struct release release;
	bool has_release;
	struct cpir_policy *policy;
};

/* A distribution's release does not tell its stable level: take the newest one that is known. */
static void assume_level(struct release *release)
{
	if (!release->level_hidden)
		return;
	release->level = windows_newest_level(release);
	release->level_hidden = false;
}

static int choose_release(struct making *making, const char *kernel, struct cpir_error *err)
{
	const struct governor *governor = making->spec.governor;
	const char *text = *making->spec.kernel ? making->spec.kernel : kernel;
	char oldest[32];
	int r;

	if (!text || !*text) {
		if (!governor->needs_kernel)
			return 0;
		return error_set(err, -ENODATA,
				 "policy %s: which kernel's? write %s@RELEASE, for example %s@6.12",
				 governor->info->name, governor->info->name, governor->info->name);
	}
	r = release_parse(text, &making->release, err);
	if (r)
		return r;
	assume_level(&making->release);
	making->has_release = true;
	if (!governor->needs_kernel || release_key(&making->release) >= governor->oldest)
		return 0;
	release_key_format(governor->oldest, oldest, sizeof(oldest));
	return error_set(err, -EINVAL,
			 "policy %s@%.64s: kernels before %s are not known; choose "
			 "one of %s",
			 governor->info->name, text, oldest, governor->info->kernels);
}

/* Config of the release, then patches in the order given, then single knobs, then what follows from all. */
static int configure(struct making *making, struct cpir_error *err)
{
	const struct governor *governor = making->spec.governor;
	void *config = making->policy->config;
	int r = 0;

	memcpy(config, governor->defaults, governor->config_size);
	if (making->has_release)
		r = windows_apply(governor, release_key(&making->release), config, err);
	for (unsigned i = 0; i < making->spec.patch_count && !r; i++)
		r = patch_apply(governor, making->spec.patches[i].patch,
				making->spec.patches[i].sign, config, err);
	if (!r)
		r = knob_set_list(&governor->knobs, config, making->spec.knobs, err);
	if (!r && governor->finish)
		r = governor->finish(making->policy, err);
	return r;
}

/* Append to the name of @policy; false when it gets too long. */
static bool name_append(struct cpir_policy *policy, const char *separator, const char *text)
{
	size_t used = strlen(policy->name);
	int n = snprintf(policy->name + used, sizeof(policy->name) - used, "%s%s", separator, text);

	return n >= 0 && (size_t)n < sizeof(policy->name) - used;
}

static int name_policy(struct making *making, struct cpir_error *err)
{
	struct cpir_policy *policy = making->policy;
	char kernel[32] = "", sign[2] = "";
	bool fits = name_append(policy, "", making->spec.governor->info->name);

	if (making->has_release && (making->spec.governor->needs_kernel || *making->spec.kernel)) {
		release_format(&making->release, kernel, sizeof(kernel));
		fits = fits && name_append(policy, "@", kernel);
	}
	for (unsigned i = 0; i < making->spec.patch_count; i++) {
		sign[0] = making->spec.patches[i].sign;
		fits = fits && name_append(policy, sign, making->spec.patches[i].patch->name);
	}
	if (*making->spec.knobs)
		fits = fits && name_append(policy, ":", making->spec.knobs);
	if (!fits)
		return error_set(err, -ENAMETOOLONG, "policy: the name is longer than %zu bytes",
				 sizeof(policy->name) - 1);
	return 0;
}

static int policy_new(const struct governor *governor, struct cpir_policy **ret_policy,
		      struct cpir_error *err)
{
	struct cpir_policy *policy = calloc(1, sizeof(*policy));

	if (!policy)
		return error_oom(err);
	policy->config = calloc(1, governor->config_size ? governor->config_size : 1);
	if (!policy->config) {
		free(policy);
		return error_oom(err);
	}
	policy->ops = governor->ops;
	policy->word_bits = 64;
	policy_set_hz(policy, POLICY_DEFAULT_HZ);
	*ret_policy = policy;
	return 0;
}

int cpir_policy_parse(const char *spec, const char *kernel, struct cpir_policy **ret_policy,
		      struct cpir_error *err)
{
	struct making making = {0};
	int r;

	if (kernel_source_claims(spec))
		return kernel_policy_parse(spec, kernel, ret_policy, err);
	r = spec_parse(governors, spec, &making.spec, err);
	if (r)
		return r;
	r = choose_release(&making, kernel, err);
	if (r)
		return r;
	r = policy_new(making.spec.governor, &making.policy, err);
	if (r)
		return r;
	if (making.has_release)
		making.policy->release = release_pack(&making.release);
	r = configure(&making, err);
	if (!r)
		r = name_policy(&making, err);
	if (r) {
		cpir_policy_free(making.policy);
		return r;
	}
	*ret_policy = making.policy;
	return 0;
}

void cpir_policy_free(struct cpir_policy *policy)
{
	if (!policy)
		return;
	if (policy->ops->dispose)
		policy->ops->dispose(policy);
	free(policy->config);
	free(policy);
}

const char *cpir_policy_name(const struct cpir_policy *policy)
{
	return policy->name;
}

int cpir_release_check(const char *release, struct cpir_error *err)
{
	struct release parsed;

	return release_parse(release, &parsed, err);
}

/* ---- lists -------------------------------------------------------------------------------------------------------- */

const struct cpir_governor_info *cpir_governor_list(size_t *ret_count)
{
	*ret_count = GOVERNOR_COUNT;
	return governor_infos;
}

static const struct governor *governor_of(const struct cpir_policy *policy)
{
	for (size_t i = 0; governors[i]; i++)
		if (governors[i]->ops == policy->ops)
			return governors[i];
	return NULL;
}

const struct governor *governor_find(const char *name)
{
	for (size_t i = 0; governors[i]; i++)
		if (!strcmp(governors[i]->info->name, name))
			return governors[i];
	return NULL;
}

int cpir_policy_knobs(const struct cpir_policy *policy, struct cpir_knob_info **ret_knobs,
		      size_t *ret_count)
{
	const struct governor *governor = governor_of(policy);
	size_t count = governor ? governor->knobs.count : 0;
	struct cpir_knob_info *infos;

	infos = calloc(count ? count : 1, sizeof(*infos));
	if (!infos)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		const struct knob *knob = &governor->knobs.knobs[i];

		infos[i].name = knob->name;
		infos[i].help = knob->help;
		knob_format(knob, policy->config, infos[i].value, sizeof(infos[i].value));
	}
	*ret_knobs = infos;
	*ret_count = count;
	return 0;
}
