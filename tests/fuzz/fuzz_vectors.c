// SPDX-License-Identifier: GPL-2.0-only
/* Vector files: also drives a governor with inputs that no kernel would give it. */
#include "fuzz.h"

#include "cpuidle-replay.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cpir_check check;
	struct cpir_error err;

	(void)cpir_policy_check(fuzz_file(data, size), "menu@6.1", &check, &err);
	(void)cpir_policy_check(fuzz_file(data, size), NULL, &check, &err);
	return 0;
}
