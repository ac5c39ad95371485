// SPDX-License-Identifier: GPL-2.0-only
/* cpuidle-replay platforms: the built-in machines. */
#include "base/cleanup.h"
#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/message.h"
#include "cli/page_out.h"
#include "report/report.h"

#define LAST_CPU (CPIR_CPUS_MAX - 1)

struct platforms_args {
	struct output_args output;
	const char *platform;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct platforms_args *args = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &args->output;
		return 0;
	case ARGP_KEY_ARG:
		if (args->platform)
			return options_end(key, state, NULL);
		args->platform = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static int list(const struct platforms_args *args)
{
	struct cpir_preset *presets;
	struct cpir_error err = {0};
	struct page page = {0};
	struct table *table;
	size_t count;

	if (cpir_platform_presets(&presets, &count, &err))
		return message_error(&err);
	table = page_add_table(&page, NULL, 0);
	table_add_columns(table,
			  (const struct column[]){{"Platform", CELL_TEXT},
						  {"Driver", CELL_TEXT},
						  {"What it is", CELL_TEXT}},
			  3);
	for (size_t i = 0; i < count; i++) {
		table_add_text(table, "%s", presets[i].id);
		table_add_text(table, "%s", presets[i].driver);
		table_add_text(table, "%s", presets[i].description);
	}
	if (args->output.verbose) {
		struct table *sources = page_add_table(&page, NULL, TABLE_KEYS);

		table_add_columns(
			sources, (const struct column[]){{"Name", CELL_TEXT}, {"Value", CELL_TEXT}},
			2);
		for (size_t i = 0; i < count; i++)
			table_add_key(sources, presets[i].id, "%s", presets[i].source);
	}
	cpir_presets_free(presets, count);
	return page_print(&page, &args->output);
}

static void add_key(struct table *keys, const char *key, const char *value)
{
	if (value && *value)
		table_add_key(keys, key, "%s", value);
}

/* Where the numbers of a built-in platform come from. */
static void add_source(const char *name, struct table *keys)
{
	struct cpir_preset *presets;
	size_t count;

	if (cpir_platform_presets(&presets, &count, NULL))
		return;
	for (size_t i = 0; i < count; i++) {
		if (!strcmp(presets[i].id, name))
			add_key(keys, "Source", presets[i].source);
	}
	cpir_presets_free(presets, count);
}

static void add_header(const struct cpir_platform *platform, const struct platforms_args *args,
		       struct page *page)
{
	struct table *keys = page_add_table(page, NULL, TABLE_KEYS);

	table_add_columns(keys, (const struct column[]){{"Name", CELL_TEXT}, {"Value", CELL_TEXT}},
			  2);
	add_key(keys, "Platform", cpir_platform_source(platform));
	add_key(keys, "Driver", cpir_platform_driver(platform));
	add_key(keys, "Governor", cpir_platform_governor(platform));
	add_key(keys, "Kernel", cpir_platform_kernel(platform));
	if (cpir_platform_hz(platform))
		table_add_key(keys, "HZ", "%u", cpir_platform_hz(platform));
	if (args->output.verbose)
		add_source(args->platform, keys);
}

/* The CPUs that have @table as a list; NULL: no memory. @first is the first of them. */
static char *list_cpus(const struct cpir_platform *platform, const struct cpir_table *table,
		       uint32_t first)
{
	char *text = strdup("");

	for (uint32_t cpu = first; text && cpu <= LAST_CPU; cpu++) {
		uint32_t last = cpu;
		char *longer = NULL;
		char end[16] = "";

		if (cpir_platform_table(platform, cpu) != table)
			continue;
		while (last < LAST_CPU && cpir_platform_table(platform, last + 1) == table)
			last++;
		if (last < LAST_CPU && last > cpu)
			(void)snprintf(end, sizeof(end), "-%u", last);
		/* Up to the highest number there may be: the default table of a platform. */
		if (asprintf(&longer, "%s%s%u%s", text, *text ? "," : "", cpu,
			     last == LAST_CPU ? " and up" : end) < 0)
			longer = NULL;
		free(text);
		text = longer;
		cpu = last;
	}
	return text;
}

/* A platform with one table for any CPU there may be. */
static bool is_for_all(const struct cpir_platform *platform)
{
	for (uint32_t cpu = 1; cpu <= LAST_CPU; cpu++)
		if (cpir_platform_table(platform, cpu) != cpir_platform_table(platform, 0))
			return false;
	return true;
}

static bool seen_before(const struct cpir_platform *platform, uint32_t cpu)
{
	for (uint32_t other = 0; other < cpu; other++)
		if (cpir_platform_table(platform, other) == cpir_platform_table(platform, cpu))
			return true;
	return false;
}

static void add_tables(const struct cpir_platform *platform, struct page *page)
{
	const struct cpir_table *before = NULL;

	for (uint32_t cpu = 0; cpu <= LAST_CPU; cpu++) {
		const struct cpir_table *table = cpir_platform_table(platform, cpu);
		_cleanup_free_ char *cpus = NULL;

		if (table == before)
			continue;
		before = table;
		if (!table || seen_before(platform, cpu))
			continue;
		cpus = is_for_all(platform) ? strdup("all") : list_cpus(platform, table, cpu);
		if (!cpus)
			page->failed = true;
		else
			report_add_states(page, cpus, table);
	}
}

static int show(const struct platforms_args *args)
{
	struct cpir_platform *platform;
	struct cpir_error err = {0};
	struct page page = {0};

	if (cpir_platform_load(args->platform, &platform, &err))
		return message_error(&err);
	add_header(platform, args, &page);
	add_tables(platform, &page);
	cpir_platform_free(platform);
	return page_print(&page, &args->output);
}

int command_platforms(int argc, char **argv)
{
	static const struct argp_child children[] = {{&output_argp, 0, NULL, 0}, {0}};
	static const struct argp argp = {
		.parser = parse,
		.args_doc = "[PLATFORM]",
		.doc = "List the built-in platforms; or show the idle states of one, of a JSON "
		       "file, "
		       "or of a copy or dump of /sys/devices/system/cpu.",
		.children = children,
	};
	struct platforms_args args = {0};
	int status = arguments_parse(&argp, argc, argv, &args);

	if (status)
		return status;
	return args.platform ? show(&args) : list(&args);
}
