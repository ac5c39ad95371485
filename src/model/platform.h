/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The machine a trace was recorded on: idle states, tick rate, driver. The type is public (opaque there); this header
 * shows it to the floors above.
 */
#ifndef MODEL_PLATFORM_H
#define MODEL_PLATFORM_H

#include "base/error.h"

/** struct cpir_platform - CPUs map to tables; @cpu_table[cpu] is an index, or @default_table for CPUs beyond @cpu_count */
struct cpir_platform {
	char *source;
	char *driver, *governor, *kernel;
	uint32_t hz;	       /* 0 unknown */
	int64_t poll_limit_ns; /* time limit of the polling state, -1: the kernel's rule for its version */
	char *nohz;	       /* "idle", "full", "off", "" unknown */
	char *nohz_full_cpus; /* CPU list, "" none */
	uint32_t cpu_count;
	int32_t *cpu_table;    /* -1: this CPU has no table */
	int32_t default_table; /* -1: none */
	uint32_t table_count;
	struct cpir_table *tables;
	/* Counters found in a snapshot, for cross-checks; [cpu * CPIR_STATES_MAX + state], NULL when there are none. */
	struct platform_counters *counters;
	/* Latency constraint of a snapshot, per CPU in us (pm_qos_resume_latency_us; INT32_MAX none), NULL unknown. */
	int32_t *resume_latency_us;
};

struct platform_counters {
	uint64_t usage, time_us, above, below, rejected;
};

/**
 * platform_parse - a platform from text in memory: the JSON document or the flat `path:value` dump, told apart by the
 * first character. For files, and for a snapshot that was written into a trace.
 * @size: bytes of @text, which needs no NUL at its end
 * @name: what messages and cpir_platform_source() call the text
 * Errors: -EINVAL (no platform, or values out of range; says which line or key), -EFBIG above PLATFORM_SIZE_MAX, -ENOMEM
 */
int platform_parse(const char *text, size_t size, const char *name,
		   struct cpir_platform **ret_platform, struct cpir_error *err);

#define PLATFORM_SIZE_MAX (16u << 20) /* bytes of a platform file */

#endif
