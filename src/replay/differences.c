// SPDX-License-Identifier: GPL-2.0-only
/*
 * The decisions of the record that a verification run takes otherwise. Stretches come in the order of their ends, so the
 * first rows in time are only known when all have come; what can no longer be among them is thrown out now and then.
 */
#include "replay/differences.h"

#include <errno.h>

static int by_time(const void *a, const void *b)
{
	const struct cpir_difference *x = a, *y = b;

	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? -1 : 1;
	return x->cpu < y->cpu ? -1 : x->cpu > y->cpu;
}

static void keep_first(struct differences *differences)
{
	if (differences->rows.len)
		qsort(differences->rows.ptr, differences->rows.len, sizeof(*differences->rows.ptr),
		      by_time);
	if (differences->rows.len > differences->limit)
		differences->rows.len = differences->limit;
}

void differences_watch(void *arg, const struct verified *verified)
{
	struct differences *differences = arg;
	const struct period *period = verified->period;
	struct cpir_difference *row;

	if (!verified->counts || period->state < 0 || period->state == verified->decision->state)
		return;
	differences->total++;
	if (differences->rows.len / 2 > differences->limit + (size_t)1024)
		keep_first(differences);
	row = array_add(&differences->rows);
	if (!row) {
		differences->failed = true;
		return;
	}
	*row = (struct cpir_difference){
		.cpu = verified->stretch->cpu,
		.time_ns = period->enter_ns,
		.duration_ns = period->exit_ns - period->enter_ns,
		.recorded = period->state,
		.decided = verified->decision->state,
		.cause = verified->cause,
		.predicted_ns = verified->decision->predicted_ns,
		.sleep_length_ns = verified->input->sleep_length_ns,
		.delta_next_ns = verified->input->delta_next_ns,
		.looked_up = verified->decision->looked_up_timers,
		.tick_stopped = verified->input->tick_stopped,
		.reason = verified->decision->reason,
	};
}

int differences_finish(struct differences *differences)
{
	keep_first(differences);
	return differences->failed ? -ENOMEM : 0;
}

void differences_deinit(struct differences *differences)
{
	array_free(&differences->rows);
}
