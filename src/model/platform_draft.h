/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A platform in the making out of files below /sys, /proc and /boot, whether they come from a directory or from a flat
 * dump: one path and one value at a time, in any order. For the platform_*.c files only.
 */
#ifndef MODEL_PLATFORM_DRAFT_H
#define MODEL_PLATFORM_DRAFT_H

#include "model/platform.h"

struct draft;

/** struct draft_item - one file; @path in full or from the cpuN part on; @line: in the dump, 0: the path says where */
struct draft_item {
	const char *path, *value;
	size_t line;
};

/** draft_new - start with nothing known. @name (borrowed): what messages call the source. NULL: no memory */
struct draft *draft_new(const char *name);
void draft_free(struct draft *draft);

/**
 * draft_put - take in one file, if it is one of interest; others are ignored
 * Known are cpuN/cpuidle/stateM/ with name, desc, latency, residency, disable, default_status, power, usage, time, above,
 * below and rejected; cpuN/power/pm_qos_resume_latency_us; cpuidle/current_driver and current_governor; cpu/nohz_full;
 * /proc/sys/kernel/osrelease, /proc/cmdline, and single lines of a kernel configuration as values of …/config-RELEASE.
 * Errors: -EINVAL (not a value of that file, out of range, or given twice), -ENOMEM
 */
int draft_put(struct draft *draft, const struct draft_item *item, struct cpir_error *err);

/**
 * draft_finish - make the platform
 * Errors: -ENODEV (no idle states), -EINVAL (incomplete: a state number or an attribute is missing), -ENOMEM
 */
int draft_finish(const struct draft *draft, struct cpir_platform **ret_platform,
		 struct cpir_error *err);

#endif
