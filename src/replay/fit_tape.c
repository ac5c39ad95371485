// SPDX-License-Identifier: GPL-2.0-only
/*
 * A verification run is dear, and tens of candidates are to be judged. But only a few decisions hang on where exactly
 * idleness began: they alone are decided again, each from the governor's state that the run had then. The cost of an
 * event changes what governors remember, and so every decision; then all are decided again, but from the inputs that the
 * run has settled on.
 */
#include "replay/fit_tape.h"

#include <errno.h>

#include "replay/verify.h"

/* Enough near every threshold. */
#define TAKES_MAX 8000

/* A thousandth of the decisions, but some at least. */
#define SLACK_SHARE 1000
#define SLACK_MIN 4

#define NO_CPU UINT32_MAX

/* struct recorder - what the watcher of the run needs */
struct recorder {
	struct tape *tape;
	const struct learned *probes;
	unsigned probe_count;
	uint32_t *cpus; /* index of each CPU in the tape, NO_CPU: not seen yet */
	char *trial;
	int ret;
};

/* What @take's decision sees if the constants of @context are true. */
static struct policy_input input_of(const struct context *context, const struct take *take)
{
	struct sight sight = sight_of_period(context, take->period);

	sight.hrtimer_ns = take->sight.hrtimer_ns;
	sight.tick_stopped = take->sight.tick_stopped;
	sight.tick_kept = take->sight.tick_kept;
	return inputs_build(context, &sight, inputs_tick_needed(context, &sight),
			    take->input.disabled_mask);
}

static int decide(const struct tape *tape, const struct take *take,
		  const struct policy_input *input, void *state)
{
	struct policy_decision decision;

	tape->policy->ops->select(tape->policy, take->table, state, input, &decision, NULL);
	return decision.state;
}

static bool hangs(struct recorder *recorder, const struct take *take,
		  const struct verified *verified)
{
	struct tape *tape = recorder->tape;
	struct context context = tape->context;

	for (unsigned i = 0; i < recorder->probe_count; i++) {
		struct policy_input input;

		context.learned = &recorder->probes[i];
		input = input_of(&context, take);
		if (input.clock_ns == verified->input->clock_ns)
			continue;
		memcpy(recorder->trial, verified->before, policy_state_size(tape->policy));
		if (decide(tape, take, &input, recorder->trial) != verified->decision->state)
			return true;
	}
	return false;
}

static int keep_hanging(struct tape *tape, const struct take *take, const void *state)
{
	struct hanging *hanging = array_add(&tape->hangings);

	if (!hanging)
		return -ENOMEM;
	hanging->take = *take;
	hanging->state = malloc(policy_state_size(tape->policy));
	if (!hanging->state)
		return -ENOMEM;
	memcpy(hanging->state, state, policy_state_size(tape->policy));
	return 0;
}

static void watch(void *arg, const struct verified *verified)
{
	struct recorder *recorder = arg;
	struct tape *tape = recorder->tape;
	uint32_t *cpu = &recorder->cpus[verified->stretch->cpu];
	struct take *take = array_add(&tape->takes);

	if (!take) {
		recorder->ret = -ENOMEM;
		return;
	}
	*take = (struct take){
		.first = *cpu == NO_CPU,
		.period = verified->period,
		.table = cpir_platform_table(tape->context.platform, verified->stretch->cpu),
		.sight = *verified->sight,
		.input = *verified->input,
	};
	if (take->first)
		*cpu = tape->cpus++;
	take->cpu = *cpu;
	if (verified->period->state >= 0 && hangs(recorder, take, verified) &&
	    keep_hanging(tape, take, verified->before) < 0)
		recorder->ret = -ENOMEM;
}

static int run(struct recorder *recorder, struct fit_sample *sample)
{
	struct tape *tape = recorder->tape;
	struct verify *verify = verify_new(&tape->context, tape->policy, tape->context.cpus);
	int ret = verify ? 0 : -ENOMEM;

	if (verify) {
		verify_skip_causes(verify);
		verify_watch(verify, watch, recorder);
	}
	for (size_t i = 0; i < sample->book.stretches.len && tape->takes.len < TAKES_MAX && !ret;
	     i++) {
		ret = verify_stretch(verify, book_stretch(&sample->book, i), true);
		ret = ret < 0 ? ret : recorder->ret;
	}
	verify_free(verify);
	return ret;
}

int tape_record(struct tape *tape, struct fit_sample *sample, const struct learned *learned,
		const struct learned *probes, unsigned probe_count)
{
	struct recorder recorder = {.tape = tape, .probes = probes, .probe_count = probe_count};
	uint32_t cpus = tape->context.cpus;
	int ret = -ENOMEM;

	tape->context.learned = learned;
	recorder.trial = malloc(policy_state_size(tape->policy));
	recorder.cpus = calloc(cpus ? cpus : 1, sizeof(*recorder.cpus));
	for (uint32_t cpu = 0; recorder.cpus && cpu < cpus; cpu++)
		recorder.cpus[cpu] = NO_CPU;
	if (recorder.trial && recorder.cpus)
		ret = run(&recorder, sample);
	free(recorder.trial);
	free(recorder.cpus);
	if (ret < 0)
		return ret;
	tape->slack = tape->takes.len / SLACK_SHARE > SLACK_MIN ? tape->takes.len / SLACK_SHARE
								: SLACK_MIN;
	tape->playing = calloc(tape->cpus ? tape->cpus : 1, policy_state_size(tape->policy));
	return tape->playing ? 0 : -ENOMEM;
}

void tape_deinit(struct tape *tape)
{
	for (size_t i = 0; i < tape->hangings.len; i++)
		free(tape->hangings.ptr[i].state);
	array_free(&tape->takes);
	array_free(&tape->hangings);
	free(tape->playing);
	tape->playing = NULL;
}

uint64_t tape_hanging_wrong(struct tape *tape, const struct learned *learned)
{
	uint64_t wrong = 0;

	tape->context.learned = learned;
	for (size_t i = 0; i < tape->hangings.len; i++) {
		const struct hanging *hanging = &tape->hangings.ptr[i];
		struct policy_input input = input_of(&tape->context, &hanging->take);

		memcpy(tape->playing, hanging->state, policy_state_size(tape->policy));
		wrong += decide(tape, &hanging->take, &input, tape->playing) !=
			 hanging->take.period->state;
	}
	return wrong;
}

void tape_build(struct tape *tape, const struct learned *learned)
{
	tape->context.learned = learned;
	for (size_t i = 0; i < tape->takes.len; i++) {
		struct take *take = &tape->takes.ptr[i];

		take->input = input_of(&tape->context, take);
	}
}

void race_start(struct race *race, uint64_t lead)
{
	*race = (struct race){.lead = lead, .least = RACE_OUT};
	for (unsigned i = 0; i < RACE_LAPS; i++)
		race->lap[i] = RACE_OUT;
}

/* So many laps are run before anyone looks who is out; by then all that share the work must have come so far. */
#define LAPS_AT_ONCE 8

/* struct heat - laps @first to before @end, the CPUs shared out among @jobs; @wrong: by job and lap */
struct heat {
	struct tape *tape;
	int64_t cost_ns;
	unsigned first, end, jobs;
	uint32_t wrong[CREW_MAX][RACE_LAPS];
};

static size_t lap_begin(const struct tape *tape, unsigned lap)
{
	return tape->takes.len * lap / RACE_LAPS;
}

/* True: another state comes out than the record's. */
static bool play_take(struct tape *tape, const struct take *take, int64_t cost_ns)
{
	char *state = tape->playing + take->cpu * policy_state_size(tape->policy);
	struct policy_outcome outcome = outcome_of_period(take->table, take->period, cost_ns);
	int decided;

	if (take->first)
		tape->policy->ops->enable(tape->policy, take->table, state);
	decided = decide(tape, take, &take->input, state);
	tape->policy->ops->reflect(tape->policy, take->table, state, &outcome);
	return take->period->state >= 0 && decided != take->period->state;
}

static void play_laps(void *arg, unsigned job)
{
	struct heat *heat = arg;
	struct tape *tape = heat->tape;

	for (unsigned lap = heat->first; lap < heat->end; lap++) {
		uint32_t wrong = 0;

		for (size_t i = lap_begin(tape, lap); i < lap_begin(tape, lap + 1); i++) {
			const struct take *take = &tape->takes.ptr[i];

			if (take->cpu % heat->jobs == job)
				wrong += play_take(tape, take, heat->cost_ns);
		}
		heat->wrong[job][lap] = wrong;
	}
}

/* How many were wrong in @lap, all jobs together. */
static uint64_t lap_wrong(const struct heat *heat, unsigned lap)
{
	uint64_t wrong = 0;

	for (unsigned job = 0; job < heat->jobs; job++)
		wrong += heat->wrong[job][lap];
	return wrong;
}

static unsigned jobs_of(const struct tape *tape)
{
	unsigned jobs = crew_size(tape->crew);

	return jobs < tape->cpus || !tape->cpus ? jobs : tape->cpus;
}

uint64_t tape_play_wrong(struct tape *tape, int64_t cost_ns, struct race *race)
{
	struct heat heat = {.tape = tape, .cost_ns = cost_ns, .jobs = jobs_of(tape)};
	uint64_t lap[RACE_LAPS], wrong = 0;

	for (unsigned i = 0; i < RACE_LAPS; i++) {
		if (i == heat.end) {
			heat.first = i;
			heat.end = i + LAPS_AT_ONCE;
			crew_run(tape->crew, heat.jobs, play_laps, &heat);
		}
		wrong += lap_wrong(&heat, i);
		lap[i] = wrong;
		if (wrong > race->lap[i] + race->lead)
			return RACE_OUT;
	}
	if (wrong < race->least) {
		race->least = wrong;
		memcpy(race->lap, lap, sizeof(lap));
	}
	return wrong;
}
