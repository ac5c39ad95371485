// SPDX-License-Identifier: GPL-2.0-only
/* Vector files: what a mismatch is called, and what is refused, with the line it is on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "cpuidle-replay.h"

#define HEAD                                                                                       \
	"#{\"policy\": \"menu@6.1\", \"hz\": 250, \"states\": [{\"name\": \"POLL\", "              \
	"\"exit_latency_ns\": 0, \"target_residency_ns\": 0, \"polling\": 1}, {\"name\": \"C1\", " \
	"\"exit_latency_ns\": 2000, \"target_residency_ns\": 2000, \"polling\": 0}]}\n"
#define COLUMNS                                                                                    \
	"#step,sleep_length_ns,delta_next_ns,tick_stopped,latency_req_ns,nr_iowait,"               \
	"disabled_mask,select_clock_ns,out_state,out_stop_tick,out_looked_up_timers,entered,"      \
	"residency_ns,poll_time_limit,got_tick,reflect_clock_ns,out_poll_limit_ns\n"
#define ROW "0,1000,1000,0,2000000000000,0,0,1,0,0,1,0,900,0,0,2,0\n"

static int check_text(const char *text, const char *spec, struct cpir_check *check,
		      struct cpir_error *err)
{
	char path[] = "/tmp/test_vectors.XXXXXX";
	int fd = mkstemp(path), r;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	assert_int_equal(close(fd), 0);
	r = cpir_policy_check(path, spec, check, err);
	assert_int_equal(unlink(path), 0);
	return r;
}

static void a_right_row_passes(void **state)
{
	struct cpir_check check;
	struct cpir_error err;

	(void)state;
	if (check_text(HEAD COLUMNS ROW ROW HEAD COLUMNS ROW, NULL, &check, &err))
		fail_msg("%s", err.text);
	assert_int_equal(check.sequences, 2);
	assert_int_equal(check.steps, 3);
	assert_int_equal(check.mismatches, 0);
	assert_string_equal(check.first, "");
	assert_string_equal(check.policy, "menu@6.1");
}

static void a_mismatch_is_described(void **state)
{
	struct cpir_check check;
	struct cpir_error err;

	(void)state;
	assert_int_equal(check_text(HEAD COLUMNS ROW, "fixed:state=1", &check, &err), 0);
	assert_int_equal(check.mismatches, 1);
	assert_non_null(strstr(check.first, "line 3"));
	assert_non_null(strstr(check.first, "step 0"));
	assert_non_null(strstr(check.first, "state 1 instead of 0"));
	assert_non_null(strstr(check.first, "stop the tick 1 instead of 0"));
	assert_non_null(strstr(check.first, "look at the timers 0 instead of 1"));
	assert_string_equal(check.policy, "fixed:state=1");
}

static void malformed_files_are_refused(void **state)
{
	static const struct {
		const char *text, *words;
	} cases[] = {
		{"", "no decisions"},
		{HEAD COLUMNS, "no decisions"},
		{ROW, "begins with a line #{"},
		{HEAD ROW, "before the line with the names (line 2"},
		{"#{\"policy\": 1\n", "not a JSON object (line 1)"},
		{"#{}\n", "table of states (line 1)"},
		{"#{\"hz\": 5, \"states\": []}\n", "table of states"},
		{HEAD "#step,step\n", "'step' is unknown or there twice (line 2)"},
		{HEAD "#step,color\n", "'color' is unknown"},
		{HEAD "#step\n", "column sleep_length_ns is missing"},
		{HEAD COLUMNS "0,1\n", "fewer fields (line 3)"},
		{HEAD COLUMNS "\n", "step"},
		{HEAD COLUMNS "0,1000,1000,0,2000000000000,0,0,1,0,0,1,0,900,0,0,2,0,0\n",
		 "more fields"},
		{HEAD COLUMNS "0,1000,1000,0,2000000000000,0,0,1,0,0,1,2,900,0,0,2,0\n",
		 "does not have (line 3)"},
		{HEAD COLUMNS "0,1000,1000,0,2000000000000,0,0,1,0,0,1,99,900,0,0,2,0\n",
		 "column entered: '99'"},
		{HEAD COLUMNS "0,1e3,1000,0,2000000000000,0,0,1,0,0,1,0,900,0,0,2,0\n",
		 "column sleep_length_ns: '1e3'"},
		{HEAD COLUMNS "0,1000,1000,0,2000000000000,0,0,1,0,0,1,0,900,0,0,2,0", "cut short"},
	};

	(void)state;
	for (size_t i = 0; i < array_size(cases); i++) {
		struct cpir_check check;
		struct cpir_error err = {0};
		char words[64], *paren;

		assert_true(check_text(cases[i].text, NULL, &check, &err) < 0);
		assert_true(strlen(cases[i].words) < sizeof(words));
		strcpy(words, cases[i].words);
		paren = strstr(words, " (line");
		if (paren) {
			if (!strstr(err.text, paren + 1))
				fail_msg("case %zu: no '%s' in: %s", i, paren + 1, err.text);
			*paren = '\0';
		}
		if (!strstr(err.text, words))
			fail_msg("case %zu: no '%s' in: %s", i, words, err.text);
	}
}

static void a_missing_file_is_named(void **state)
{
	struct cpir_check check;
	struct cpir_error err;

	(void)state;
	assert_int_equal(cpir_policy_check("/no/such/file.csv", NULL, &check, &err), -ENOENT);
	assert_non_null(strstr(err.text, "/no/such/file.csv"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_right_row_passes),
		cmocka_unit_test(a_mismatch_is_described),
		cmocka_unit_test(malformed_files_are_refused),
		cmocka_unit_test(a_missing_file_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
