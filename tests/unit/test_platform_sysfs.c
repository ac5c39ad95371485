// SPDX-License-Identifier: GPL-2.0-only
/* Platforms from directories, from a copy of a system, and from the snapshots of real machines. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/array.h"
#include "platform_fixture.h"

static char tree[] = "/tmp/test_platform.XXXXXX";

/* put - write a file below the tree, with its directories */
static void put(const char *path, const char *value)
{
	char full[512];
	FILE *file;

	assert_true((size_t)snprintf(full, sizeof(full), "%s/%s", tree, path) < sizeof(full));
	for (char *p = full + strlen(tree) + 1; (p = strchr(p, '/')); p++) {
		*p = '\0';
		(void)mkdir(full, 0700);
		*p = '/';
	}
	file = fopen(full, "w");
	assert_non_null(file);
	assert_true(fputs(value, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

#define DEVICES "sys/devices/system/cpu/"

static void put_state(unsigned cpu, unsigned index, const char *name, const char *latency)
{
	static const char *const files[] = {"name", "latency", "residency"};
	const char *values[] = {name, latency, latency};
	char path[256];

	for (size_t i = 0; i < array_size(files); i++) {
		(void)snprintf(path, sizeof(path), DEVICES "cpu%u/cpuidle/state%u/%s", cpu, index,
			       files[i]);
		put(path, values[i]);
	}
}

static int tree_make(void **state)
{
	(void)state;
	assert_non_null(mkdtemp(tree));
	put_state(0, 0, "POLL\n", "0\n");
	put_state(0, 1, "C1\n", "3\n");
	put_state(11, 0, "WFI\n", "1\n");
	put(DEVICES "cpuidle/current_driver", "acpi_idle\n");
	put(DEVICES "cpuidle/current_governor", "teo\n");
	put(DEVICES "cpu0/cpuidle/state1/disable", "1\n");
	put(DEVICES "cpu0/cpuidle/state1/s2idle/usage", "5\n");
	put(DEVICES "cpu0/power/pm_qos_resume_latency_us", "20\n");
	put(DEVICES "cpufreq/boost", "1\n");
	put(DEVICES "nohz_full", "1-3\n");
	put("proc/sys/kernel/osrelease", "6.12.9-test\n");
	put("proc/cmdline", "quiet nohz_full=1-3\n");
	put("boot/config-6.12.9-test", "CONFIG_HZ_100=y\nCONFIG_HZ=100\nCONFIG_NO_HZ_COMMON=y\n");
	return 0;
}

static int tree_remove(void **state)
{
	char command[64];

	(void)state;
	(void)snprintf(command, sizeof(command), "rm -r %s", tree);
	return system(command);
}

static void assert_tree(struct cpir_platform *p)
{
	assert_int_equal(cpir_platform_table(p, 0)->count, 2);
	assert_true(cpir_platform_table(p, 0)->states[0].polling);
	assert_true(cpir_platform_table(p, 0)->states[1].disabled);
	assert_null(cpir_platform_table(p, 1));
	assert_string_equal(cpir_platform_table(p, 11)->states[0].name, "WFI");
	assert_string_equal(cpir_platform_driver(p), "acpi_idle");
	assert_string_equal(cpir_platform_governor(p), "teo");
	assert_int_equal(p->resume_latency_us[0], 20);
	assert_int_equal(p->resume_latency_us[11], INT32_MAX);
	assert_string_equal(p->nohz_full_cpus, "1-3");
	assert_string_equal(p->nohz, "full");
	assert_string_equal(cpir_platform_kernel(p), "6.12.9-test");
	assert_int_equal(cpir_platform_hz(p), 100);
	assert_null(p->counters);
}

static void test_directory(void **state)
{
	static const char *const below[] = {"",
					    "/sys",
					    "/sys/devices",
					    "/sys/devices/system",
					    "/sys/devices/system/cpu",
					    "/sys/devices/system/cpu/"};
	struct cpir_error err;

	(void)state;
	for (size_t i = 0; i < array_size(below); i++) {
		struct cpir_platform *platform;
		char path[256];

		(void)snprintf(path, sizeof(path), "%s%s", tree, below[i]);
		if (cpir_platform_load(path, &platform, &err))
			fail_msg("%s", err.text);
		assert_string_equal(cpir_platform_source(platform), path);
		assert_tree(platform);
		assert_round_trip(platform);
	}
}

static void test_capture(void **state)
{
	char path[256], source[300];
	struct cpir_platform *platform;
	struct cpir_error err;

	(void)state;
	(void)snprintf(path, sizeof(path), "%s/sys/devices/system/cpu", tree);
	(void)snprintf(source, sizeof(source), "captured from %s", path);
	assert_int_equal(cpir_platform_capture(path, &platform, &err), 0);
	assert_string_equal(cpir_platform_source(platform), source);
	assert_tree(platform);
	assert_round_trip(platform);
	(void)snprintf(path, sizeof(path), "%s/proc", tree);
	assert_int_equal(cpir_platform_capture(path, &platform, &err), -ENODEV);
	assert_non_null(strstr(err.text, "no cpuidle driver"));
}

static void test_directory_refused(void **state)
{
	struct cpir_platform *platform;
	struct cpir_error err;

	(void)state;
	put(DEVICES "cpu0/cpuidle/state1/latency", "much\n");
	assert_int_equal(cpir_platform_load(tree, &platform, &err), -EINVAL);
	assert_non_null(strstr(err.text, "/cpu0/cpuidle/state1/latency: not a number"));
	put(DEVICES "cpu0/cpuidle/state1/latency", "3\n");
}

/* ---- the snapshots of real machines --------------------------------------------------------------------------------- */

/* state_line - compare one line "  stateN: name='X' … latency_us=A residency_us=B default_status=…" with the table */
static void assert_state_line(const struct cpir_table *table, const char *line, const char *trace)
{
	unsigned index, latency, residency;
	const char *numbers = strstr(line, "latency_us=");
	char name[CPIR_NAME_MAX] = "";

	assert_int_equal(sscanf(line, " state%u: name='%31[^']'", &index, name), 2);
	assert_non_null(numbers);
	assert_int_equal(sscanf(numbers, "latency_us=%u residency_us=%u", &latency, &residency), 2);
	if (index >= table->count || strcmp(table->states[index].name, name) ||
	    table->states[index].exit_latency_ns != latency * UINT64_C(1000) ||
	    table->states[index].target_residency_ns != residency * UINT64_C(1000))
		fail_msg("%s: state %u differs from its README", trace, index);
}

static void assert_readme(const struct cpir_platform *p, const char *dir, const char *name)
{
	char path[1024], line[8192];
	unsigned states = 0;
	FILE *file;

	(void)snprintf(path, sizeof(path), "%s/%s/README.txt", dir, name);
	file = fopen(path, "r");
	assert_non_null(file);
	while (fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = '\0';
		if (!strncmp(line, "driver: ", 8))
			assert_string_equal(line + 8, cpir_platform_driver(p));
		if (!strncmp(line, "governor: ", 10))
			assert_string_equal(line + 10, cpir_platform_governor(p));
		if (strncmp(line, "  state", 7) || !strstr(line, "latency_us="))
			continue;
		assert_state_line(cpir_platform_table(p, 0), line, name);
		states++;
	}
	assert_int_equal(fclose(file), 0);
	assert_int_equal(states, cpir_platform_table(p, 0)->count);
}

/* assert_disabled - the disable flags against a plain search through the dump */
static void assert_disabled(const struct cpir_platform *p, const char *path)
{
	FILE *file = fopen(path, "r");
	char line[1024];

	assert_non_null(file);
	while (fgets(line, sizeof(line), file)) {
		unsigned cpu, state, value;

		if (sscanf(line, "/sys/devices/system/cpu/cpu%u/cpuidle/state%u/disable:%u", &cpu,
			   &state, &value) != 3)
			continue;
		assert_int_equal(cpir_platform_table(p, cpu)->states[state].disabled, value != 0);
	}
	assert_int_equal(fclose(file), 0);
}

static void test_snapshots(void **state)
{
	char dir[512], path[1024];
	const char *shared = getenv("CPIR_SHARED"), *source = getenv("CPIR_SOURCE_ROOT");
	struct dirent *entry;
	unsigned seen = 0;
	DIR *stream;

	(void)state;
	(void)snprintf(dir, sizeof(dir), "%s%s/traces",
		       shared	? shared
		       : source ? source
				: ".",
		       shared ? "" : "/../shared");
	stream = opendir(dir);
	if (!stream) {
		/* Not skip(): cmocka's TAP calls that "not ok". */
		print_message("# no recorded snapshots in %s\n", dir);
		return;
	}
	while ((entry = readdir(stream))) {
		struct cpir_platform *platform;
		struct cpir_error err;

		(void)snprintf(path, sizeof(path), "%s/%s/before.txt", dir, entry->d_name);
		if (entry->d_name[0] == '.' || access(path, R_OK))
			continue;
		if (cpir_platform_load(path, &platform, &err))
			fail_msg("%s", err.text);
		assert_readme(platform, dir, entry->d_name);
		assert_disabled(platform, path);
		assert_non_null(platform->counters);
		assert_round_trip(platform);
		seen++;
	}
	(void)closedir(stream);
	assert_true(seen > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_directory),
		cmocka_unit_test(test_capture),
		cmocka_unit_test(test_directory_refused),
		cmocka_unit_test(test_snapshots),
	};

	return cmocka_run_group_tests(tests, tree_make, tree_remove);
}
