// SPDX-License-Identifier: GPL-2.0-only
/* Every job of every list is done once, whatever the number of threads, and a list sees what the one before it wrote. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/crew.h"

#define JOBS 37
#define LISTS 2000

struct board {
	unsigned values[2][JOBS];
	unsigned list;
};

/* What the list before wrote here, and at the neighbour's place, plus one. */
static void job(void *arg, unsigned index)
{
	struct board *board = arg;
	const unsigned *before = board->values[!(board->list % 2)];
	unsigned other = before[(index + 1) % JOBS];

	board->values[board->list % 2][index] = before[index] == other ? other + 1 : UINT32_MAX / 2;
}

static void check(unsigned threads)
{
	struct crew *crew = crew_new(threads);
	struct board board = {0};

	assert_non_null(crew);
	assert_in_range(crew_size(crew), 1, threads);
	for (board.list = 0; board.list < LISTS; board.list++)
		crew_run(crew, JOBS, job, &board);
	for (unsigned i = 0; i < JOBS; i++) {
		assert_int_equal(board.values[0][i], LISTS - 1);
		assert_int_equal(board.values[1][i], LISTS);
	}
	crew_run(crew, 0, job, NULL);
	crew_free(crew);
}

static void test_lists(void **state)
{
	(void)state;
	check(1);
	check(2);
	check(7);
}

/* A crew that never had work goes home, too. */
static void test_idle(void **state)
{
	(void)state;
	crew_free(crew_new(5));
	crew_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lists),
		cmocka_unit_test(test_idle),
	};

	return cmocka_run_group_tests_name("crew", tests, NULL, NULL);
}
