// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reports of results made by hand against what is stored in testdata/golden/report/. CPIR_BLESS=1 stores what comes out now:
 * read the difference before it is committed.
 */
#include "report/report.h"
#include "report/text.h"

#include "base/cleanup.h"
#include "report_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include <json-c/json.h>

struct golden {
	const char *name;
	const struct cpir_result *(*fixture)(void);
	struct report_options options;
	struct text_style style;
};

static char *print(const struct golden *golden)
{
	struct page page = {0};
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	assert_int_equal(report_build(golden->fixture(), &golden->options, &page), 0);
	assert_int_equal(text_print(&page, &golden->style, out), 0);
	page_free(&page);
	assert_int_equal(fclose(out), 0);
	return text;
}

static char *slurp(const char *path)
{
	_cleanup_fclose_ FILE *in = fopen(path, "r");
	char *text = NULL;
	size_t size = 0;

	if (!in)
		return NULL;
	if (getdelim(&text, &size, '\0', in) < 0) {
		free(text);
		return NULL;
	}
	return text;
}

static void check(const char *name, const char *suffix, const char *text)
{
	_cleanup_free_ char *path = NULL, *expected = NULL;

	assert_true(asprintf(&path, "%s/%s.%s", GOLDEN_DIR, name, suffix) > 0);
	if (getenv("CPIR_BLESS")) {
		FILE *out = fopen(path, "w");

		assert_non_null(out);
		assert_true(fputs(text, out) >= 0);
		assert_int_equal(fclose(out), 0);
	}
	expected = slurp(path);
	assert_non_null(expected);
	assert_string_equal(text, expected);
}

static void check_text(const struct golden *golden)
{
	_cleanup_free_ char *text = print(golden);

	check(golden->name, "txt", text);
}

static void report_text(void **state)
{
	(void)state;
	check_text(&(struct golden){"report", fixture_report});
}

static void report_per_cpu(void **state)
{
	(void)state;
	check_text(&(struct golden){
		"report-per-cpu", fixture_report, {.per_cpu = true}, {.explain = true}});
}

static void replay_text(void **state)
{
	(void)state;
	check_text(&(struct golden){"replay", fixture_replay});
}

static void compare_text(void **state)
{
	(void)state;
	check_text(&(struct golden){"compare", fixture_compare});
}

static void compare_per_cpu(void **state)
{
	(void)state;
	check_text(&(struct golden){
		"compare-per-cpu", fixture_compare, {.per_cpu = true, .quiet = true}});
}

static void several_text(void **state)
{
	(void)state;
	check_text(&(struct golden){"several", fixture_several, {.quiet = true}});
}

static void bare_text(void **state)
{
	(void)state;
	check_text(&(struct golden){"bare", fixture_bare});
}

/* Colour adds escape sequences and changes nothing else. */
static void color_only_adds(void **state)
{
	struct golden golden = {"", fixture_compare, {.per_cpu = true}, {.color = true}};
	_cleanup_free_ char *colored = print(&golden), *plain = NULL;
	char *to = colored;

	(void)state;
	golden.style.color = false;
	plain = print(&golden);
	assert_non_null(strstr(colored, "\033[32m"));
	assert_non_null(strstr(colored, "\033[31m"));
	for (const char *from = colored; *from;) {
		if (*from == '\033')
			from += strcspn(from, "m") + 1;
		else
			*to++ = *from++;
	}
	*to = '\0';
	assert_string_equal(colored, plain);
}

static void widths_fit(void **state)
{
	const struct golden goldens[] = {
		{"", fixture_report, {.per_cpu = true}},
		{"", fixture_replay, {.per_cpu = true}},
		{"", fixture_compare, {.per_cpu = true}, {.explain = true}},
	};

	(void)state;
	for (size_t i = 0; i < array_size(goldens); i++) {
		_cleanup_free_ char *text = print(&goldens[i]);

		for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
			assert_in_range(strlen(line), 0, 100);
	}
}

static void json(void **state)
{
	const struct golden goldens[] = {{"report", fixture_report},
					 {"replay", fixture_replay},
					 {"compare", fixture_compare},
					 {"bare", fixture_bare}};

	(void)state;
	for (size_t i = 0; i < array_size(goldens); i++) {
		_cleanup_free_ char *text = report_json(goldens[i].fixture());
		struct json_object *document = json_tokener_parse(text);

		assert_non_null(document);
		json_object_put(document);
		check(goldens[i].name, "json", text);
	}
}

/* A result without runs has nothing to report. */
static void no_runs(void **state)
{
	struct cpir_result empty = {0};
	struct page page = {0};

	(void)state;
	assert_true(report_build(&empty, &(struct report_options){0}, &page) < 0);
	page_free(&page);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(report_text),	   cmocka_unit_test(report_per_cpu),
		cmocka_unit_test(replay_text),	   cmocka_unit_test(compare_text),
		cmocka_unit_test(compare_per_cpu), cmocka_unit_test(several_text),
		cmocka_unit_test(bare_text),	   cmocka_unit_test(color_only_adds),
		cmocka_unit_test(widths_fit),	   cmocka_unit_test(json),
		cmocka_unit_test(no_runs),
	};

	return cmocka_run_group_tests_name("report", tests, NULL, NULL);
}
