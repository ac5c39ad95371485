/* SPDX-License-Identifier: GPL-2.0-only */
/* How the readers of the different sources put a platform together. For the platform_*.c files only. */
#ifndef MODEL_PLATFORM_BUILD_H
#define MODEL_PLATFORM_BUILD_H

#include "model/platform.h"

#define PLATFORM_TEXT_MAX 255 /* bytes of a driver's, governor's or kernel's name */
#define PLATFORM_TIME_MAX_US                                                                       \
	UINT32_MAX /* the kernel keeps latencies and residencies in 32 bits of us */
#define PLATFORM_COUNTER_MAX (INT64_MAX - 1)
#define PLATFORM_HZ_MIN 24
#define PLATFORM_HZ_MAX 10000

/** platform_new - an empty platform: nothing known, no tables. NULL: no memory */
struct cpir_platform *platform_new(const char *source);

/** platform_set_text - replace one of the platform's strings by a copy of @text; 0 or -ENOMEM */
int platform_set_text(char **field, const char *text);

/** text_is_utf8 - is the whole string well-formed UTF-8? */
bool text_is_utf8(const char *text);

/** text_is_clean - UTF-8 without control characters of at most @max bytes: fit to be shown and to be written as JSON */
bool text_is_clean(const char *text, size_t max);

/**
 * platform_add_table - store a copy of @table, or find the equal one
 * Returns: its index, or -ENOMEM
 */
int32_t platform_add_table(struct cpir_platform *platform, const struct cpir_table *table);

/**
 * platform_reserve_cpus - make cpu_table hold at least @count CPUs (up to CPIR_CPUS_MAX); new ones have no table
 * Must not be called after the counters or latencies were made, which have the same length.
 */
int platform_reserve_cpus(struct cpir_platform *platform, uint32_t count);

/** platform_make_counters - all-zero counters for the CPUs reserved so far, once; 0 or -ENOMEM */
int platform_make_counters(struct cpir_platform *platform);

/** platform_make_latencies - "no constraint" for the CPUs reserved so far, once; 0 or -ENOMEM */
int platform_make_latencies(struct cpir_platform *platform);

/**
 * platform_finish - settle what follows from the rest, once all was read: the default table for CPUs that have no other,
 * the poll time limit of drivers with one of their own, and the shortest CPU array that says the same.
 */
void platform_finish(struct cpir_platform *platform);

/**
 * state_polls - does the kernel flag this state as polling? Not shown in sysfs; follows from the name, the description
 * ("" unknown) and the driver.
 */
bool state_polls(const char *driver, const char *name, const char *description);

/* The readers. Each gives a new platform in @ret_platform; errors as in platform_parse(). @text ends with a NUL. */
int platform_read_json(const char *text, const char *name, struct cpir_platform **ret_platform,
		       struct cpir_error *err);
int platform_read_flat(char *text, const char *name, struct cpir_platform **ret_platform,
		       struct cpir_error *err);

/**
 * platform_read_sysfs - read a directory that is, or has below it, a copy of /sys/devices/system/cpu
 * If it is part of the copy of a whole system, kernel release, tick rate and NO_HZ mode come from its proc and boot.
 * Errors: -ENODEV when there are no idle states, -EINVAL values out of range, or what open(2) gave
 */
int platform_read_sysfs(const char *path, struct cpir_platform **ret_platform,
			struct cpir_error *err);

#endif
