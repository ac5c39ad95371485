// SPDX-License-Identifier: GPL-2.0-only
#include "base/command.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct command_result run(const char *script, const char *directory)
{
	const char *const argv[] = {"sh", "-c", script, NULL};
	const struct command command = {.argv = argv, .directory = directory};
	struct command_result result;
	struct cpir_error err = {0};

	if (command_run(&command, &result, &err))
		fail_msg("%s", err.text);
	return result;
}

static void test_streams(void **state)
{
	struct command_result result = run("echo out; echo said >&2; read x; exit 3", NULL);

	(void)state;
	assert_int_equal(result.status, 3);
	assert_string_equal(result.out, "out\n");
	assert_string_equal(result.said, "said\n");
	assert_int_equal(result.out_size, 4);
	command_result_free(&result);
	assert_null(result.out);
}

static void test_directory(void **state)
{
	struct command_result result = run("pwd", "/usr");

	(void)state;
	assert_string_equal(result.out, "/usr\n");
	command_result_free(&result);
}

static void test_signal(void **state)
{
	struct command_result result = run("kill -9 $$", NULL);

	(void)state;
	assert_int_equal(result.status, 128 + 9);
	command_result_free(&result);
}

/* More than a pipe holds, on both streams. */
static void test_much(void **state)
{
	struct command_result result =
		run("head -c 300000 /dev/zero >&2; head -c 200000 /dev/zero", NULL);

	(void)state;
	assert_int_equal(result.out_size, 200000);
	assert_int_equal(result.said_size, 300000);
	command_result_free(&result);
}

static void test_no_program(void **state)
{
	const char *const argv[] = {"no-such-program-anywhere", NULL};
	const struct command command = {.argv = argv};
	struct command_result result;
	struct cpir_error err = {0};

	(void)state;
	assert_int_equal(command_run(&command, &result, &err), -ENOENT);
	assert_non_null(strstr(err.text, "no-such-program-anywhere: no such program"));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_streams),	   cmocka_unit_test(test_directory),
		cmocka_unit_test(test_signal),	   cmocka_unit_test(test_much),
		cmocka_unit_test(test_no_program),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
