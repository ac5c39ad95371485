/* SPDX-License-Identifier: GPL-2.0-only */
/* Results made by hand, the input of the report tests. They share static storage and are not to be freed. */
#ifndef UNIT_REPORT_FIXTURE_H
#define UNIT_REPORT_FIXTURE_H

#include "cpuidle-replay.h"

const struct cpir_result *fixture_report(void);	 /* the record alone, two CPUs, all events */
const struct cpir_result *fixture_replay(void);	 /* with a verification run */
const struct cpir_result *fixture_compare(void); /* with a baseline and one policy */
const struct cpir_result *
fixture_several(void); /* with a baseline and two policies with short names */
const struct cpir_result *
fixture_bare(void); /* nothing but cpu_idle events, different tables, odd names */

#endif
