// SPDX-License-Identifier: GPL-2.0-only
/* Stand-ins for the names the library gives, for a test of report/ alone. */
#include "cpuidle-replay.h"

__attribute__((weak)) const char *cpir_wake_name(enum cpir_wake wake)
{
	static const char *const names[CPIR_WAKE_COUNT] = {
		[CPIR_WAKE_TASK_REMOTE] = "task (remote)",
		[CPIR_WAKE_TASK_LOCAL] = "task (local)",
		[CPIR_WAKE_TIMER] = "timer",
		[CPIR_WAKE_TICK] = "tick",
		[CPIR_WAKE_IRQ] = "interrupt",
		[CPIR_WAKE_POLL_LIMIT] = "poll limit",
		[CPIR_WAKE_UNKNOWN] = "unknown",
	};

	return names[wake];
}

__attribute__((weak)) const char *cpir_origin_name(enum cpir_origin origin)
{
	static const char *const names[CPIR_ORIGIN_COUNT] = {
		[CPIR_ORIGIN_OBSERVED] = "observed", [CPIR_ORIGIN_DERIVED] = "derived",
		[CPIR_ORIGIN_INFERRED] = "inferred", [CPIR_ORIGIN_GIVEN] = "given",
		[CPIR_ORIGIN_UNKNOWN] = "unknown",
	};

	return names[origin];
}

__attribute__((weak)) const char *cpir_cause_name(enum cpir_cause cause)
{
	static const char *const names[CPIR_CAUSE_COUNT] = {
		[CPIR_CAUSE_THRESHOLD] = "threshold", [CPIR_CAUSE_UNKNOWN_INPUT] = "unknown input",
		[CPIR_CAUSE_REJECT] = "reject",	      [CPIR_CAUSE_HISTORY] = "history",
		[CPIR_CAUSE_REAL] = "real",
	};

	return names[cause];
}
