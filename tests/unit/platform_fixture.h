/* SPDX-License-Identifier: GPL-2.0-only */
/* Platforms in tests: reading and comparing them. */
#ifndef PLATFORM_FIXTURE_H
#define PLATFORM_FIXTURE_H

#include "model/platform.h"

/** platform_make - the platform of a text that must be one; its source is "test" */
struct cpir_platform *platform_make(const char *text);

/** assert_round_trip - a platform is the same after it was written as JSON and read again; frees it */
void assert_round_trip(struct cpir_platform *platform);

#endif
