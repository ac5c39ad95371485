// SPDX-License-Identifier: GPL-2.0-only
/* What stands above the numbers: where they come from and how far to believe them. */
#include "report/format.h"
#include "report/metrics.h"
#include "report/sections.h"

#include <inttypes.h>

static const struct metric *const error_metrics[] = {&metric_usage, &metric_above_percent,
						     &metric_below_percent};
static const char *const error_names[] = {"usage", "above", "below"};

/* Printable form of a time stamp: seconds with all nine decimals. */
static void add_time(const struct cpir_result *result, struct table *keys)
{
	char span[FORMAT_MAX], begin[FORMAT_MAX], end[FORMAT_MAX];

	table_add_key(keys, "Time", "%s on %u CPU%s, clock %s, %s to %s",
		      format_duration(result_span_ns(result), span), result->trace.cpus,
		      result->trace.cpus == 1 ? "" : "s", result->trace.clock,
		      format_time(result->trace.begin_ns, begin),
		      format_time(result->trace.end_ns, end));
}

static const char *known(const char *text)
{
	return text && *text ? text : "unknown";
}

static void add_platform(const struct cpir_result *result, struct table *keys)
{
	const char *driver = result->platform.driver, *governor = result->platform.governor;

	char hz[16] = "unknown";

	if (result->platform.hz)
		(void)snprintf(hz, sizeof(hz), "%u", result->platform.hz);
	table_add_key(keys, "Platform", "%s (driver %s, governor %s, HZ %s)",
		      result->platform.source, known(driver), known(governor), hz);
}

/* Append to a list that grows: "a, b, c". -1 when there is no memory. */
static int append(char **list, const char *item)
{
	char *longer;

	if (asprintf(&longer, "%s%s%s", *list ? *list : "", *list ? ", " : "", item) < 0)
		return -1;
	free(*list);
	*list = longer;
	return 0;
}

/* "sched:sched_switch", or only "sched_switch" when it follows an event of the same system. */
static const char *event_name(const char *event, const char *before)
{
	size_t system = strcspn(event, ":");

	if (event[system] && !strncmp(event, before, system + 1))
		return event + system + 1;
	return event;
}

static void add_events(const struct cpir_result *result, struct table *keys)
{
	const char *system = "";
	char *list = NULL;

	for (size_t i = 0; i < result->trace.event_count; i++) {
		const struct cpir_event_count *event = &result->trace.events[i];
		const char *name = event_name(event->name, system);
		char number[FORMAT_MAX], item[256];

		system = event->name;
		(void)snprintf(item, sizeof(item), "%s %s", name,
			       format_count(event->count, number));
		if (append(&list, item)) {
			keys->failed = true;
			break;
		}
	}
	table_add_key(keys, "Events", "%s", list ? list : "none");
	free(list);
}

/* Each with what that costs, in the words of the study. */
static void add_missing(const struct cpir_result *result, struct table *keys)
{
	for (size_t i = 0; i < result->trace.missing_count; i++)
		table_add_key(keys, i ? "" : "Missing", "%s", result->trace.missing[i]);
}

static void add_facts(const struct cpir_result *result, struct table *keys)
{
	for (size_t i = 0; i < result->fact_count; i++) {
		const struct cpir_fact *fact = &result->facts[i];

		table_add_key(keys, i ? "" : "Basis", "%s: %s (%s); %s", fact->name, fact->value,
			      fact->origin, fact->effect);
	}
}

static void add_causes(const struct cpir_agreement *agreement, struct table *keys)
{
	char *list = NULL;

	for (unsigned cause = 0; cause < CPIR_CAUSE_COUNT; cause++) {
		char number[FORMAT_MAX], item[160];

		if (!agreement->by_cause[cause])
			continue;
		(void)snprintf(item, sizeof(item), "%s %s", cpir_cause_name(cause),
			       format_count(agreement->by_cause[cause], number));
		if (append(&list, item))
			keys->failed = true;
	}
	if (list)
		table_add_key(keys, "", "the others by cause: %s", list);
	free(list);
}

/* Agreement, in per cent, below which the reader is told to be careful. */
#define AGREEMENT_POOR 95

static void add_caution(const struct cpir_agreement *agreement, struct table *keys)
{
	if (agreement->agreed * 100 < agreement->decisions * AGREEMENT_POOR)
		table_add_key(keys, "",
			      "below %d%%: the differences shown here deserve little belief",
			      AGREEMENT_POOR);
}

static void add_agreement(const struct cpir_result *result, struct table *keys)
{
	const struct cpir_agreement *agreement = &result->agreement;
	char share[FORMAT_MAX], all[FORMAT_MAX], open[FORMAT_MAX], warmup[FORMAT_MAX];

	if (!agreement->valid)
		return;
	table_add_key(
		keys, "Agreement", "%s of %s decisions of %s are those of the record",
		format_percent((struct ratio){agreement->agreed, agreement->decisions}, share),
		format_count(agreement->decisions, all), agreement->policy);
	if (agreement->undetermined)
		table_add_key(keys, "", "%s rest on inputs the trace does not hold",
			      format_count(agreement->undetermined, open));
	if (agreement->warmup)
		table_add_key(keys, "", "%s warm-up decisions left out",
			      format_count(agreement->warmup, warmup));
	add_causes(agreement, keys);
	add_caution(agreement, keys);
}

/* Judged by wrong residencies, many come out otherwise; a few periods tell nothing. */
#define MISS_CHECK_POOR 95
#define MISS_CHECK_PERIODS 100

static void add_miss_check(const struct cpir_result *result, struct table *keys)
{
	const struct cpir_miss_check *check = &result->miss_check;
	char share[FORMAT_MAX], all[FORMAT_MAX];

	if (!check->valid)
		return;
	if (check->equal == check->periods) {
		table_add_key(keys, "Miss check",
			      "all %s periods judged as by the kernel (cpu_idle_miss)",
			      format_count(check->periods, all));
		return;
	}
	table_add_key(keys, "Miss check",
		      "%s of %s periods judged as by the kernel (cpu_idle_miss); differ: %" PRIu64
		      " at a boundary, %" PRIu64 " other",
		      format_percent((struct ratio){check->equal, check->periods}, share),
		      format_count(check->periods, all), check->boundary, check->other);
	if (check->periods >= MISS_CHECK_PERIODS &&
	    check->equal * 100 < check->periods * MISS_CHECK_POOR)
		table_add_key(keys, "", "below %d%%: is that the --platform of this machine?",
			      MISS_CHECK_POOR);
}

static void add_runs(const struct cpir_result *result, struct table *keys)
{
	static const char *const kinds[] = {
		[CPIR_RUN_RECORD] = "what the traced kernel did",
		[CPIR_RUN_VERIFICATION] = "decided again with the recorded history",
		[CPIR_RUN_WHAT_IF] = "simulated",
	};

	for (size_t i = 1; i < result->run_count; i++) {
		const struct cpir_run *run = &result->runs[i];
		char label[LABEL_MAX];

		table_add_key(keys, run_label(result, i, label), "%s, %s", run->name,
			      kinds[run->kind]);
	}
}

/* The error of the method: the baseline as simulated against what was recorded. */
static void add_model_error(const struct cpir_result *result, struct table *keys)
{
	const struct cpir_run *baseline = NULL;
	char *list = NULL;

	for (size_t i = 0; i < result->run_count; i++)
		if (result->runs[i].role == CPIR_ROLE_BASELINE &&
		    result->runs[i].kind == CPIR_RUN_WHAT_IF)
			baseline = &result->runs[i];
	if (!baseline)
		return;
	for (size_t m = 0; m < array_size(error_metrics); m++) {
		struct cell before = error_metrics[m]->get(&result->runs[0].total);
		struct cell after = error_metrics[m]->get(&baseline->total);
		struct cell change = metric_change(error_metrics[m], &before, &after);
		char number[FORMAT_MAX], item[2 * FORMAT_MAX];

		(void)snprintf(item, sizeof(item), "%s %s", error_names[m],
			       format_cell(&change, number));
		if (append(&list, item))
			keys->failed = true;
	}
	if (list)
		table_add_key(keys, "Model error", "baseline simulated against the record: %s",
			      list);
	free(list);
}

static void add_warnings(const struct cpir_result *result, struct table *keys)
{
	for (size_t i = 0; i < result->warning_count; i++)
		table_add_key(keys, i ? "" : "Warning", "%s", result->warnings[i]);
}

/* A table of names and values. */
static struct table *add_keys(struct page *page)
{
	struct table *keys = page_add_table(page, NULL, TABLE_KEYS);

	table_add_columns(keys, (const struct column[]){{"Name", CELL_TEXT}, {"Value", CELL_TEXT}},
			  2);
	return keys;
}

void section_runs(const struct cpir_result *result, struct page *page)
{
	if (result->run_count > 1)
		add_runs(result, add_keys(page));
}

static void add_lost(const struct cpir_result *result, struct table *keys)
{
	uint64_t places = result->trace.lost_uncounted;
	char lost[FORMAT_MAX], where[FORMAT_MAX];

	if (!places)
		table_add_key(keys, "Lost events", "%s", format_count(result->trace.lost, lost));
	else
		table_add_key(keys, "Lost events", "%s, and an unknown number at %s place%s",
			      format_count(result->trace.lost, lost), format_count(places, where),
			      places == 1 ? "" : "s");
}

void section_header(const struct cpir_result *result, struct page *page)
{
	struct table *keys = add_keys(page);

	if (!keys)
		return;
	table_add_key(keys, "Trace", "%s (%s)", result->trace.file, result->trace.format);
	table_add_key(keys, "Kernel", "%s", known(result->trace.kernel));
	add_time(result, keys);
	add_platform(result, keys);
	add_events(result, keys);
	add_missing(result, keys);
	add_lost(result, keys);
	add_facts(result, keys);
	add_runs(result, keys);
	add_agreement(result, keys);
	add_miss_check(result, keys);
	add_model_error(result, keys);
	add_warnings(result, keys);
}
