/* SPDX-License-Identifier: GPL-2.0-only */
/* Numbers derived from totals, each defined once: what it is called, what it means, how it is reckoned. */
#ifndef REPORT_METRICS_H
#define REPORT_METRICS_H

#include "report/table.h"

/** struct metric - @get: the number as a cell, from the struct the metric is about (see the tables below) */
struct metric {
	const char *label, *help;
	bool lower_is_better;
	struct cell (*get)(const void *from);
};

/** metric_change - how @after differs from @before, both gotten by @metric: per cent, or points for percentages */
struct cell metric_change(const struct metric *metric, const struct cell *before,
			  const struct cell *after);

/* From a struct cpir_totals. */
extern const struct metric metric_usage, metric_above, metric_below, metric_rejected;
extern const struct metric metric_above_percent, metric_below_percent, metric_miss_percent;
extern const struct metric metric_idle, metric_mean_idle, metric_tick_wakeups, metric_tick_stops;
extern const struct metric metric_energy;
extern const struct metric metric_range_usage, metric_range_above, metric_range_below;

/* From a struct cpir_latency. */
extern const struct metric metric_latency_count, metric_latency_mean, metric_latency_p50;
extern const struct metric metric_latency_p90, metric_latency_p99, metric_latency_max;
extern const struct metric metric_latency_total;

#endif
