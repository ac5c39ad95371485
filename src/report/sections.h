/* SPDX-License-Identifier: GPL-2.0-only */
/* The sections of a report; each adds its blocks to the page, or nothing when it has nothing to say. */
#ifndef REPORT_SECTIONS_H
#define REPORT_SECTIONS_H

#include "report/page.h"
#include "report/runs.h"

/* header.c, platform.c */
void section_header(const struct cpir_result *result, struct page *page);
void section_runs(const struct cpir_result *result, struct page *page); /* the names alone */
void section_platform(const struct cpir_result *result, struct page *page);

/* summary.c: a row per number, a column per run */
void section_usage(const struct cpir_result *result, struct page *page);
void section_latency(const struct cpir_result *result, struct page *page);
void section_wakes(const struct cpir_result *result, struct page *page);
void section_tick(const struct cpir_result *result, struct page *page);

/* states.c, per_cpu.c */
void section_states(const struct cpir_result *result, struct page *page);
void section_per_cpu(const struct cpir_result *result, struct page *page);
void section_per_cpu_states(const struct cpir_result *result, struct page *page);

/* decisions.c */
void section_agreement(const struct cpir_result *result, struct page *page);
void section_changes(const struct cpir_result *result, struct page *page);

/* explain.c */
void section_explained(const struct cpir_result *result, struct page *page);

/* differences.c */
void section_differences(const struct cpir_result *result, struct page *page);

#endif
