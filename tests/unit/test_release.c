// SPDX-License-Identifier: GPL-2.0-only
/* Releases: what real machines print, the order of releases, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <errno.h>
#include <string.h>

#include "base/array.h"
#include "policy/release.h"

static void parses_what_uname_prints(void **state)
{
	static const struct {
		const char *text;
		uint32_t major, minor, level, rc;
		bool hidden;
		const char *canonical;
	} cases[] = {
		{"6.1.192", 6, 1, 192, 0, false, "6.1.192"},
		{"6.1.192-rig-base-instr", 6, 1, 192, 0, false, "6.1.192"},
		{"6.12.94-amd64", 6, 12, 94, 0, false, "6.12.94"},
		{"6.12.117+deb13-cloud-amd64", 6, 12, 117, 0, false, "6.12.117"},
		{"6.12.25+rpt-rpi-v8", 6, 12, 25, 0, false, "6.12.25"},
		{"6.1.0-50-powerpc64le", 6, 1, 0, 0, true, "6.1.0"},
		{"6.1.0-57-arm64", 6, 1, 0, 0, true, "6.1.0"},
		{"6.1.0-57-cloud-amd64", 6, 1, 0, 0, true, "6.1.0"},
		{"5.14.0-427.13.1.el9_4.x86_64", 5, 14, 0, 0, true, "5.14.0"},
		{"7.2", 7, 2, 0, 0, false, "7.2"},
		{"7.3.4-rig-base-instr", 7, 3, 4, 0, false, "7.3.4"},
		{"7.3.0-rig-base", 7, 3, 0, 0, false, "7.3.0"},
		{"6.17-rc3", 6, 17, 0, 3, false, "6.17-rc3"},
		{"6.17.0-rc3-00012-gabcdef", 6, 17, 0, 3, false, "6.17-rc3"},
		{"6.8.0+", 6, 8, 0, 0, false, "6.8.0"},
		{"5.15.153.1-microsoft-standard-WSL2", 5, 15, 153, 0, false, "5.15.153"},
	};

	(void)state;
	for (size_t i = 0; i < array_size(cases); i++) {
		struct release release;
		char text[32];

		assert_int_equal(release_parse(cases[i].text, &release, NULL), 0);
		assert_int_equal(release.major, cases[i].major);
		assert_int_equal(release.minor, cases[i].minor);
		assert_int_equal(release.level, cases[i].level);
		assert_int_equal(release.rc, cases[i].rc);
		assert_int_equal(release.level_hidden, cases[i].hidden);
		release_format(&release, text, sizeof(text));
		assert_string_equal(text, cases[i].canonical);
	}
}

static void refuses_what_is_no_release(void **state)
{
	static const char *const bad[] = {"",	    "6",     "6.",	  "6.1.",     "6.1.x",
					  "v6.1",   " 6.1",  "6.1 ",	  "6.1.0_57", "6..1",
					  "6.1.1.", "linux", "6.9999999", "6.1-a b",  "6.1.1.1.1"};

	(void)state;
	for (size_t i = 0; i < array_size(bad); i++) {
		struct release release;
		struct cpir_error err;

		assert_int_equal(release_parse(bad[i], &release, &err), -EINVAL);
		assert_int_equal(err.code, -EINVAL);
		assert_non_null(strstr(err.text, "kernel release"));
	}
}

static uint64_t key_of(const char *text)
{
	struct release release;

	assert_int_equal(release_parse(text, &release, NULL), 0);
	return release_key(&release);
}

static void sorts_like_releases(void **state)
{
	static const char *const sorted[] = {"4.19.87",	 "5.4",	   "5.10.262", "5.11",	 "6.6-rc1",
					     "6.6-rc12", "6.6",	   "6.6.2",    "6.6.10", "6.6.300",
					     "6.10",	 "6.12.8", "7.0-rc1",  "7.0",	 "7.3.4"};

	(void)state;
	for (size_t i = 1; i < array_size(sorted); i++)
		assert_true(key_of(sorted[i - 1]) < key_of(sorted[i]));
	assert_true(RELEASE_SERIES(6, 6) < key_of("6.6-rc1"));
	assert_true(key_of("6.5.99") < RELEASE_SERIES(6, 6));
	assert_true(key_of("6.6.300") == RELEASE_LEVEL(6, 6, 300));
}

static void packs_and_finds_series(void **state)
{
	struct release release;

	(void)state;
	assert_int_equal(release_parse("5.10.262", &release, NULL), 0);
	assert_int_equal(release_pack(&release), 5 << 16 | 10 << 8 | 255);
	assert_true(release_in_series(&release, RELEASE_LEVEL(5, 10, 3)));
	assert_false(release_in_series(&release, RELEASE_LEVEL(5, 11, 3)));
	assert_false(release_in_series(&release, RELEASE_LEVEL(6, 10, 3)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parses_what_uname_prints),
		cmocka_unit_test(refuses_what_is_no_release),
		cmocka_unit_test(sorts_like_releases),
		cmocka_unit_test(packs_and_finds_series),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
