// SPDX-License-Identifier: GPL-2.0-only
/* Platforms from JSON, flat dumps and presets; and back to JSON. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/array.h"
#include "model/presets.h"
#include "platform_fixture.h"

#define STATE(name, latency, residency)                                                            \
	"{\"name\": \"" name "\", \"exit_latency_us\": " #latency                                  \
	", \"target_residency_us\": " #residency "}"

/* assert_refused - @text is no platform, and the sentence names @what */
static void assert_refused(const char *text, const char *what)
{
	struct cpir_platform *platform = NULL;
	struct cpir_error err = {0};

	assert_int_equal(platform_parse(text, strlen(text), "FILE", &platform, &err), -EINVAL);
	assert_null(platform);
	assert_int_equal(err.code, -EINVAL);
	if (strncmp(err.text, "FILE", 4) || !strstr(err.text, what))
		fail_msg("\"%s\" does not name the file and \"%s\"", err.text, what);
}

static void test_json_one_table(void **state)
{
	struct cpir_platform *p = platform_make(
		"{\"hz\": 250, \"driver\": \"acpi_idle\", \"kernel\": \"6.1.0-57-amd64\", "
		"\"governor\": "
		"\"menu\", \"states\": [" STATE("POLL", 0, 0) ", " STATE("C1", 1, 2) "]}");
	const struct cpir_table *table = cpir_platform_table(p, 4000000000u);

	(void)state;
	assert_non_null(table);
	assert_ptr_equal(table, cpir_platform_table(p, 0));
	assert_int_equal(table->count, 2);
	assert_true(table->states[0].polling);
	assert_false(table->states[1].polling);
	assert_int_equal(table->states[1].exit_latency_ns, 1000);
	assert_int_equal(table->states[1].target_residency_ns, 2000);
	assert_int_equal(table->states[1].power_mw, -1);
	assert_int_equal(cpir_platform_hz(p), 250);
	assert_string_equal(cpir_platform_driver(p), "acpi_idle");
	assert_string_equal(cpir_platform_kernel(p), "6.1.0-57-amd64");
	assert_string_equal(cpir_platform_governor(p), "menu");
	assert_string_equal(cpir_platform_source(p), "test");
	assert_int_equal(p->poll_limit_ns, -1);
	assert_round_trip(p);
}

static void test_json_everything(void **state)
{
	struct cpir_platform *p = platform_make(
		"{\"schema\": \"cpuidle-replay/platform\", \"version\": 1, \"hz\": 1000,\n"
		" \"nohz\": \"full\", \"nohz_full_cpus\": \"2,1\", \"poll_limit_us\": 7,\n"
		" \"tables\": [{\"cpus\": \"0-1\", \"states\": [" STATE(
			"WFI", 1,
			1) ",\n"
			   "  {\"name\": \"c6 \\\"\u00b5\\\\\", \"exit_latency_ns\": 1500,\n"
			   "   \"target_residency_ns\": 4294967295000, \"disabled\": true, "
			   "\"power_mw\": 12}]},\n"
			   "  {\"states\": [" STATE(
				   "WFI", 1,
				   1) "]},\n"
				      "  {\"cpus\": \"5\", \"states\": [" STATE(
					      "big", 3,
					      4) "]}],\n"
						 " \"resume_latencies\": [{\"cpus\": \"0,6\", "
						 "\"latency_us\": 0},\n"
						 "  {\"cpus\": \"1\", \"latency_us\": null}],\n"
						 " \"counters\": [{\"cpu\": 3, \"states\": "
						 "[{\"usage\": 9223372036854775806}]}]}");

	(void)state;
	assert_int_equal(p->table_count, 3);
	assert_int_equal(p->cpu_count, 7);
	assert_int_equal(p->poll_limit_ns, 7000);
	assert_string_equal(p->nohz_full_cpus, "1-2");
	assert_int_equal(cpir_platform_table(p, 1)->count, 2);
	assert_string_equal(cpir_platform_table(p, 0)->states[1].name, "c6 \"\u00b5\\");
	assert_int_equal(cpir_platform_table(p, 0)->states[1].exit_latency_ns, 1500);
	assert_true(cpir_platform_table(p, 0)->states[1].disabled);
	assert_int_equal(cpir_platform_table(p, 0)->states[1].power_mw, 12);
	assert_int_equal(cpir_platform_table(p, 4)->count, 1);
	assert_string_equal(cpir_platform_table(p, 5)->states[0].name, "big");
	assert_string_equal(cpir_platform_table(p, 99)->states[0].name, "WFI");
	assert_int_equal(p->resume_latency_us[0], 0);
	assert_int_equal(p->resume_latency_us[1], INT32_MAX);
	assert_int_equal(p->resume_latency_us[6], 0);
	assert_true(p->counters[3 * CPIR_STATES_MAX].usage == INT64_MAX - 1);
	assert_round_trip(p);
}

static void test_json_refused(void **state)
{
	static const struct {
		const char *text, *what;
	} cases[] = {
		{"{", "FILE:1: not valid JSON: unexpected end of data"},
		{"{\"hz\": 250,\n\n nonsense}", "FILE:3: not valid JSON"},
		{"{\"states\": []} x", "FILE:1: not valid JSON"},
		{"{}", "neither states nor tables"},
		{"{\"states\": [], \"tables\": []}", "both"},
		{"{\"states\": {}}", "states is not of type array"},
		{"{\"states\": [7]}", "states[0] is not an object"},
		{"{\"hz\": 0, \"states\": []}", "hz is out of range"},
		{"{\"hz\": 250.5, \"states\": []}", "hz is not of type int"},
		{"{\"hz\": null, \"states\": []}", "hz is null"},
		{"{\"nohz\": \"on\", \"states\": []}", "nohz is none of"},
		{"{\"version\": 2, \"states\": []}", "version is out of range"},
		{"{\"schema\": \"x\", \"states\": []}", "schema is not"},
		{"{\"state\": []}", "state is not a known key"},
		{"{\"driver\": \"a\\u0000b\", \"states\": []}", "driver is longer"},
		{"{\"driver\": \"a\\nb\", \"states\": []}", "driver is longer"},
		{"{\"states\": [{\"name\": \"a\", \"exit_latency_us\": 1}]}",
		 "states[0].target_residency_us is missing"},
		{"{\"states\": [{\"name\": \"\", \"exit_latency_us\": 1}]}",
		 "states[0].name is missing"},
		{"{\"states\": [" STATE("a", 1, 4294967296) "]}",
		 "states[0].target_residency_us is out of range"},
		{"{\"states\": [" STATE("a", 99999999999999999999, 1) "]}",
		 "states[0].exit_latency_us is out of range"},
		{"{\"states\": [" STATE("a", -1, 1) "]}", "states[0].exit_latency_us is out of"},
		{"{\"states\": [{\"exit_latency_us\": 1, \"exit_latency_ns\": 1}]}",
		 "states[0].exit_latency_ns is given twice"},
		{"{\"states\": [" STATE("a23456789012345678901234567890123", 1, 1) "]}",
		 "states[0].name is longer than 31"},
		{"{\"tables\": [{\"cpus\": \"0\"}]}", "tables[0].states is missing"},
		{"{\"tables\": [{\"cpus\": \"0-8192\", \"states\": [" STATE("a", 1, 1) "]}]}",
		 "tables[0].cpus is not a CPU list"},
		{"{\"tables\": [{\"cpus\": \"\", \"states\": [" STATE("a", 1, 1) "]}]}",
		 "tables[0].cpus is not a CPU list"},
		{"{\"tables\": [{\"cpus\": \"0-3\", \"states\": [" STATE(
			 "a", 1, 1) "]}, {\"cpus\": \"3\", \"states\": [" STATE("a", 1, 1) "]}]}",
		 "tables[1].cpus names CPU 3"},
		{"{\"tables\": [{\"states\": [" STATE("a", 1, 1) "]}, {\"states\": [" STATE(
			 "b", 1, 1) "]}]}",
		 "tables[1].cpus is missing"},
		{"{\"states\": [], \"resume_latencies\": [{\"cpus\": \"1\", \"latency_us\": -1}]}",
		 "resume_latencies[0].latency_us"},
		{"{\"states\": [], \"counters\": [{\"cpu\": 1, \"states\": []}]}",
		 "counters[0].states must have as many"},
		{"{\"states\": [" STATE("a", 1, 1) "], \"counters\": [{\"states\": []}]}",
		 "counters[0].cpu is missing"},
	};

	(void)state;
	for (size_t i = 0; i < array_size(cases); i++)
		assert_refused(cases[i].text, cases[i].what);
}

static void test_too_many_states(void **state)
{
	char text[4096] = "{\"states\": [";

	(void)state;
	for (int i = 0; i <= CPIR_STATES_MAX; i++) {
		strcat(text, i ? "," : "");
		strcat(text, STATE("a", 1, 1));
	}
	strcat(text, "]}");
	assert_refused(text, "states[16] is one state too many");
}

#define S0 "/sys/devices/system/cpu/cpu0/cpuidle/state0/"
#define S1 "/sys/devices/system/cpu/cpu0/cpuidle/state1/"

static void test_flat(void **state)
{
	struct cpir_platform *p = platform_make(
		"# uptime 3.2\n\n"
		"/sys/devices/system/cpu/cpuidle/current_driver:pseries_idle\r\n"
		"/sys/devices/system/cpu/cpuidle/current_governor_ro:menu \n" S0 "name:snooze\n" S0
		"latency:0\n" S0 "residency:0\n" S0 "power:0\n" S0 "usage:17\n" S0 "time:99\n" S1
		"name:Shared Cede\n" S1 "latency:10\n" S1 "residency:100\n" S1 "disable:2\n" S1
		"power:4294967295\n" S1 "unknown:x:y\n"
		"./cpu2/cpuidle/state0/name:only\n./cpu2/cpuidle/state0/latency:1\n"
		"./cpu2/cpuidle/state0/residency:1\n./cpu2/cpuidle/state0/default_status:disabled\n"
		"/sys/devices/system/cpu/cpu0/power/pm_qos_resume_latency_us:0\n"
		"/sys/devices/system/cpu/cpu1/power/pm_qos_resume_latency_us:n/a\n"
		"/sys/devices/system/cpu/cpu2/power/pm_qos_resume_latency_us:55\n"
		"/sys/devices/system/cpu/nohz_full:(null)\n"
		"/proc/sys/kernel/osrelease:6.1.0-50-powerpc64le\n"
		"/proc/cmdline:quiet xnohz=off nohz=offset\n"
		"/boot/config-6.1.0-50-powerpc64le:CONFIG_HZ=250\n"
		"/boot/config-6.1.0-50-powerpc64le:CONFIG_NO_HZ_COMMON=y\n");
	const struct cpir_table *table = cpir_platform_table(p, 0);

	(void)state;
	assert_int_equal(table->count, 2);
	assert_true(table->states[0].polling);
	assert_string_equal(table->states[1].name, "Shared Cede");
	assert_false(table->states[0].disabled);
	assert_true(table->states[1].disabled);
	assert_int_equal(table->states[1].power_mw, -1);
	assert_int_equal(p->poll_limit_ns, 100000);
	assert_int_equal(p->counters[0].usage, 17);
	assert_int_equal(p->counters[0].time_us, 99);
	assert_null(cpir_platform_table(p, 1));
	assert_true(cpir_platform_table(p, 2)->states[0].disabled);
	assert_null(cpir_platform_table(p, 3));
	assert_int_equal(p->resume_latency_us[0], INT32_MAX);
	assert_int_equal(p->resume_latency_us[1], 0);
	assert_int_equal(p->resume_latency_us[2], 55);
	assert_string_equal(p->nohz_full_cpus, "");
	assert_string_equal(p->nohz, "idle");
	assert_string_equal(p->governor, "menu");
	assert_string_equal(p->kernel, "6.1.0-50-powerpc64le");
	assert_int_equal(p->hz, 250);
	assert_round_trip(p);
}

static void test_flat_refused(void **state)
{
	(void)state;
	assert_refused("", "empty");
	assert_refused(" \n\t", "empty");
	assert_refused("hello", "FILE:1: not a platform");
	assert_refused("/sys/x:1\n", "no idle states");
	assert_refused(S0 "name:a\n" S0 "latency:1\n", "state0 has no residency");
	assert_refused(S1 "name:a\n" S1 "latency:1\n" S1 "residency:1\n", "state1 but no state0");
	assert_refused(S0 "name:a\n\n" S0 "name:a\n", "FILE:3: given twice");
	assert_refused(S0 "latency:4294967296\n", "FILE:1: not a number");
	assert_refused(S0 "latency: 1\n", "FILE:1: not a number");
	assert_refused(S0 "usage:-1\n", "FILE:1: not a number");
	assert_refused(S0 "name:\n", "not a state name");
	assert_refused(S0 "name:a\x01\n", "not a state name");
	assert_refused(S0 "name:a\xff\n", "not a state name");
	assert_refused(S0 "name:a2345678901234567890123456789012\n", "not a state name");
	assert_refused("cpu8192/cpuidle/state0/name:a\n", "more CPUs");
	assert_refused("cpu99999999999999999999/cpuidle/state0/name:a\n", "more CPUs");
	assert_refused("cpu1/cpuidle/state16/name:a\n", "more states");
	assert_refused("cpu1/power/pm_qos_resume_latency_us:x\n", "neither microseconds");
	assert_refused("cpu/nohz_full:3-1\n", "not a CPU list");
	assert_refused("config-1:CONFIG_HZ=7\n", "not a tick rate");
}

static void test_bytes_refused(void **state)
{
	struct cpir_platform *platform = NULL;
	struct cpir_error err;

	(void)state;
	assert_int_equal(platform_parse("{\0}", 3, "F", &platform, &err), -EINVAL);
	assert_non_null(strstr(err.text, "NUL byte (offset 1)"));
	assert_int_equal(platform_parse("{", PLATFORM_SIZE_MAX + 1u, "F", &platform, &err), -EFBIG);
	assert_int_equal(cpir_platform_load("no-such-machine", &platform, &err), -ENOENT);
	assert_non_null(strstr(err.text, "no-such-machine: no such preset or file"));
	assert_int_equal(cpir_platform_load("/nonexistent/x", &platform, NULL), -ENOENT);
	assert_int_equal(cpir_platform_load("/proc", &platform, &err), -EINVAL);
	assert_non_null(strstr(err.text, "no idle states"));
	assert_null(platform);
}

static void test_presets(void **state)
{
	struct cpir_preset *presets;
	size_t count;

	(void)state;
	assert_int_equal(cpir_platform_presets(&presets, &count, NULL), 0);
	assert_true(count > 50);
	for (size_t i = 0; i < count; i++) {
		struct cpir_platform *platform;
		struct cpir_error err;

		if (cpir_platform_load(presets[i].id, &platform, &err))
			fail_msg("%s", err.text);
		assert_string_equal(cpir_platform_driver(platform), presets[i].driver);
		assert_string_equal(cpir_platform_source(platform), presets[i].id);
		assert_true(*presets[i].description && *presets[i].source);
		/* Every machine but the one without a driver has states. */
		assert_int_equal(!cpir_platform_table(platform, 0),
				 !strcmp(presets[i].driver, "none"));
		assert_true(!i || strcmp(presets[i - 1].id, presets[i].id) < 0);
		assert_round_trip(platform);
	}
	cpir_presets_free(presets, count);
	assert_null(preset_find("no-such-machine"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_json_one_table), cmocka_unit_test(test_json_everything),
		cmocka_unit_test(test_json_refused),   cmocka_unit_test(test_too_many_states),
		cmocka_unit_test(test_flat),	       cmocka_unit_test(test_flat_refused),
		cmocka_unit_test(test_bytes_refused),  cmocka_unit_test(test_presets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
