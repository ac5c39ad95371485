// SPDX-License-Identifier: GPL-2.0-only
#include "trace/rounds.h"

#include <stdlib.h>

/*
 * struct round - the jobs of one: taking, those of the caller, decoding; then the last of the caller's, if there are few. Who takes
 * the events begins at the end: it had best decode them, too, as long as there is enough else to do for others.
 */
struct round {
	struct trace_merge *merge;
	const struct trace_rounds *rounds;
	uint32_t *cpus;	     /* to decode ahead, those with room for several batches as often */
	unsigned batches;    /* of these */
	unsigned first_jobs; /* of the caller's before them in the list */
	int ret;	     /* of taking */
};

static void take(struct round *round)
{
	const struct trace_rounds *rounds = round->rounds;
	const struct event *event;

	while (!round->ret && (event = trace_merge_take(round->merge)))
		round->ret = rounds->take(rounds->arg, event);
}

static void run_job(void *arg, unsigned job)
{
	struct round *round = arg;
	const struct trace_rounds *rounds = round->rounds;

	if (!job)
		take(round);
	else if (job <= round->first_jobs)
		rounds->job(rounds->arg, job - 1);
	else if (job <= round->first_jobs + round->batches)
		trace_merge_ahead(round->merge, round->cpus[job - 1 - round->first_jobs]);
	else
		rounds->job(rounds->arg, job - 1 - round->batches);
}

/* Batch by batch, so that nobody is left with much to do when all others are done. */
static unsigned list_behind(const struct round *round, uint32_t cpus)
{
	unsigned count = 0;

	for (unsigned batch = 0; batch < TRACE_MERGE_AHEAD; batch++) {
		for (uint32_t cpu = 0; cpu < cpus; cpu++) {
			if (trace_merge_behind(round->merge, cpu) > batch)
				round->cpus[count++] = cpu;
		}
	}
	return count;
}

int trace_rounds_run(struct trace_merge *merge, struct crew *crew,
		     const struct trace_rounds *rounds, struct cpir_error *err)
{
	uint32_t cpus = trace_merge_cpus(merge);
	struct round round = {
		.merge = merge,
		.rounds = rounds,
		.cpus = calloc(cpus * TRACE_MERGE_AHEAD + 1, sizeof(*round.cpus)),
		.first_jobs = rounds->jobs - (rounds->jobs > 1 && rounds->jobs <= crew_size(crew)),
	};
	int ret;

	if (!round.cpus)
		return error_oom(err);
	while ((ret = trace_merge_turn(merge, err)) > 0) {
		round.batches = list_behind(&round, cpus);
		crew_run(crew, 1 + rounds->jobs + round.batches, run_job, &round);
		ret = round.ret;
		if (!ret && rounds->turn)
			ret = rounds->turn(rounds->arg);
		if (ret)
			break;
	}
	free(round.cpus);
	return ret;
}
