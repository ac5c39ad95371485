// SPDX-License-Identifier: GPL-2.0-only
/* The version of the library. */
#include "cpuidle-replay.h"

const char *cpir_version(void)
{
	return VERSION;
}
