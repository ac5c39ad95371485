/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Strict parsers for text that people and files give us. All take the whole string: no leading or trailing blanks, no
 * trailing characters, decimal digits only. They return 0, -EINVAL (not of that form) or -ERANGE (of that form, but out
 * of range), and write their result on success only. NULL counts as an empty string.
 */
#ifndef BASE_PARSE_H
#define BASE_PARSE_H

#include "cpuidle-replay.h"

/** parse_u64 - a number from @min to @max: "190" */
int parse_u64(const char *text, uint64_t min, uint64_t max, uint64_t *ret_value);

/** parse_u32 - like parse_u64() for 32 bits */
int parse_u32(const char *text, uint32_t min, uint32_t max, uint32_t *ret_value);

/** parse_i64 - a number with an optional sign from @min to @max: "-1" */
int parse_i64(const char *text, int64_t min, int64_t max, int64_t *ret_value);

/**
 * parse_duration_ns - "190", "100us", "1.5ms", with the unit ns, us (or µs), ms or s
 * @unit_ns: what a number without a unit counts, e.g. 1000 for microseconds; at least 1
 * @ret_ns: 0 … UINT64_MAX. A fraction finer than a nanosecond is -EINVAL.
 */
int parse_duration_ns(const char *text, uint64_t unit_ns, uint64_t *ret_ns);

/** parse_time_s - a time stamp in seconds with up to nine decimals, "33.904322976", as nanoseconds */
int parse_time_s(const char *text, uint64_t *ret_ns);

/** parse_onoff - "on", "yes", "true", "1" or "off", "no", "false", "0" */
int parse_onoff(const char *text, bool *ret_on);

/** struct cpu_set - which of the CPUs 0 … CPIR_CPUS_MAX-1; a value, may be copied */
struct cpu_set {
	uint64_t bits[CPIR_CPUS_MAX / 64];
};

/**
 * parse_cpu_list - "0-3,8" into a set. Ranges may overlap and come in any order; an empty string is the empty set.
 * A CPU beyond CPIR_CPUS_MAX-1 is -ERANGE, a range that runs downwards -EINVAL.
 */
int parse_cpu_list(const char *text, struct cpu_set *ret_set);

/** cpu_list_format - the shortest list of a set, "0-3,8", "" for the empty set; free() it. NULL: no memory */
char *cpu_list_format(const struct cpu_set *set);

/** cpu_set_test - is @cpu in the set; any number may be asked for */
static inline bool cpu_set_test(const struct cpu_set *set, uint32_t cpu)
{
	return cpu < CPIR_CPUS_MAX && (set->bits[cpu / 64] >> (cpu % 64) & 1);
}

/** cpu_set_add - put @cpu (below CPIR_CPUS_MAX, others are ignored) into the set */
static inline void cpu_set_add(struct cpu_set *set, uint32_t cpu)
{
	if (cpu < CPIR_CPUS_MAX)
		set->bits[cpu / 64] |= UINT64_C(1) << (cpu % 64);
}

/** cpu_set_next - the lowest CPU of the set that is at least @from, CPIR_CPUS_MAX when there is none */
uint32_t cpu_set_next(const struct cpu_set *set, uint32_t from);

/** cpu_set_count - number of CPUs in the set */
uint32_t cpu_set_count(const struct cpu_set *set);

#endif
