// SPDX-License-Identifier: GPL-2.0-only
/*
 * A verification run is dear, and tens of candidates are to be judged. But only a few decisions hang on where exactly
 * idleness began: they alone are decided again, each from the governor's state that the run had then. The cost of an
 * event changes what governors remember, and so every decision; then all are decided again, but from the inputs that the
 * run has settled on (fit_play.c).
 */
#include "replay/fit_tape.h"

#include <errno.h>

#include "base/large.h"
#include "replay/verify.h"

/* Enough near every threshold. */
#define TAKES_MAX 8000

/* A thousandth of the decisions, but some at least. */
#define SLACK_SHARE 1000
#define SLACK_MIN 4

/* struct planned - one stretch of the sample, and where its decisions come in the order of all */
struct planned {
	size_t stretch, first, decisions;
	uint32_t track;
};

/* struct recording - what the jobs share; each has some of the tracks */
struct recording {
	struct tape *tape;
	const struct fit_sample *sample;
	const struct learned *probes;
	unsigned probe_count, jobs;
	ARRAY(struct planned) plan;
	int ret[CREW_MAX]; /* of each job */
};

/* struct recorder - what the watcher of one job's run needs */
struct recorder {
	const struct recording *recording;
	struct track *track;	/* of the stretch at hand */
	size_t next;		/* place of its next decision in the order of all */
	struct period *periods; /* copies of the stretch's, to be marked */
	size_t room;
	void *trial;
	int ret;
};

/* ---- recording ------------------------------------------------------------------------------------------------------- */

void tape_input(const struct context *context, const struct take *take,
		struct policy_input *ret_input)
{
	struct sight sight;

	sight_of_period(context, take->period, &sight);
	sight.hrtimer_ns = take->hrtimer_ns;
	sight.tick_stopped = take->tick_stopped;
	sight.tick_kept = take->tick_kept;
	inputs_build(context, &sight, inputs_tick_needed(context, &sight),
		     take->input.disabled_mask, ret_input);
}

int tape_decide(const struct tape *tape, const struct take *take, const struct policy_input *input,
		void *state)
{
	struct policy_decision decision;

	tape->policy->ops->select(tape->policy, take->table, state, input, &decision, NULL);
	return decision.state;
}

static bool hangs(struct recorder *recorder, const struct take *take,
		  const struct verified *verified)
{
	const struct recording *recording = recorder->recording;
	const struct tape *tape = recording->tape;
	struct context context = tape->context;

	for (unsigned i = 0; i < recording->probe_count; i++) {
		struct policy_input input;

		context.learned = &recording->probes[i];
		tape_input(&context, take, &input);
		if (input.clock_ns == verified->input->clock_ns)
			continue;
		memcpy(recorder->trial, verified->before, policy_state_size(tape->policy));
		if (tape_decide(tape, take, &input, recorder->trial) != verified->decision->state)
			return true;
	}
	return false;
}

static int keep_hanging(const struct tape *tape, struct track *track, const void *state)
{
	struct hanging *hanging = array_add(&track->hangings);

	if (!hanging)
		return -ENOMEM;
	hanging->take = track->count - 1;
	hanging->state = malloc(policy_state_size(tape->policy));
	if (!hanging->state)
		return -ENOMEM;
	memcpy(hanging->state, state, policy_state_size(tape->policy));
	return 0;
}

/* The laps that begin with the decision at place @at in the order of all, or before. */
static void begin_laps(const struct tape *tape, struct track *track, size_t at)
{
	while (track->laps <= RACE_LAPS && tape->takes * track->laps / RACE_LAPS <= at)
		track->lap[track->laps++] = track->count;
}

static void watch(void *arg, const struct verified *verified)
{
	struct recorder *recorder = arg;
	const struct tape *tape = recorder->recording->tape;
	const struct cpir_table *table =
		cpir_platform_table(tape->context.platform, verified->stretch->cpu);
	struct track *track = recorder->track;
	struct take *take;

	begin_laps(tape, track, recorder->next++);
	if (track->count == track->room) {
		recorder->ret = -ENOMEM;
		return;
	}
	take = &track->takes[track->count++];
	*take = (struct take){
		.input = *verified->input,
		.outcome = outcome_of_period(table, verified->period, 0),
		.table = table,
		.hrtimer_ns = verified->sight->hrtimer_ns,
		.tick_stopped = verified->sight->tick_stopped,
		.tick_kept = verified->sight->tick_kept,
		.state = verified->period->state,
		.period = verified->period,
	};
	if (take->state >= 0 && hangs(recorder, take, verified) &&
	    keep_hanging(tape, track, verified->before) < 0)
		recorder->ret = -ENOMEM;
}

/* A copy of @stretch with periods that can be marked; what happened is that of @stretch. */
static int copy_stretch(struct recorder *recorder, const struct stretch *stretch,
			struct stretch *ret_copy)
{
	size_t count = stretch->periods.len;

	if (count > recorder->room) {
		struct period *more = realloc(recorder->periods, count * sizeof(*more));

		if (!more)
			return -ENOMEM;
		recorder->periods = more;
		recorder->room = count;
	}
	memcpy(recorder->periods, stretch->periods.ptr, count * sizeof(*recorder->periods));
	*ret_copy = *stretch;
	ret_copy->periods.ptr = recorder->periods;
	return 0;
}

/* The periods of the takes from @first on, now that they are marked. */
static void keep_periods(struct track *track, size_t first)
{
	for (size_t i = first; i < track->count; i++) {
		track->periods[i] = *track->takes[i].period;
		track->takes[i].period = &track->periods[i];
	}
}

static int record_planned(struct recorder *recorder, struct verify *verify,
			  const struct planned *planned)
{
	const struct recording *recording = recorder->recording;
	struct track *track = &recording->tape->tracks.ptr[planned->track];
	size_t first = track->count;
	struct stretch copy;
	int ret = copy_stretch(recorder, recording->sample->stretches.ptr[planned->stretch], &copy);

	if (ret < 0)
		return ret;
	recorder->track = track;
	recorder->next = planned->first;
	ret = verify_stretch(verify, &copy, true);
	verify_settle(verify);
	keep_periods(track, first);
	return ret < 0 ? ret : recorder->ret;
}

static void record_tracks(void *arg, unsigned job)
{
	struct recording *recording = arg;
	const struct tape *tape = recording->tape;
	struct verify *verify = verify_new(&tape->context, tape->policy, tape->context.cpus);
	struct recorder recorder = {.recording = recording};
	int ret;

	recorder.trial = malloc(policy_state_size(tape->policy));
	ret = verify && recorder.trial ? 0 : -ENOMEM;
	if (verify) {
		verify_skip_causes(verify);
		verify_watch(verify, watch, &recorder);
	}
	for (size_t i = 0; i < recording->plan.len && !ret; i++) {
		const struct planned *planned = &recording->plan.ptr[i];

		if (planned->track % recording->jobs == job)
			ret = record_planned(&recorder, verify, planned);
	}
	free(recorder.periods);
	free(recorder.trial);
	verify_free(verify);
	recording->ret[job] = ret;
}

#define NO_TRACK UINT32_MAX

static int track_of(struct tape *tape, uint32_t *tracks, uint32_t cpu)
{
	struct track *track;

	if (tracks[cpu] != NO_TRACK)
		return 0;
	track = array_add(&tape->tracks);
	if (!track)
		return -ENOMEM;
	*track = (struct track){.cpu = cpu};
	track->state = calloc(1, policy_state_size(tape->policy));
	tracks[cpu] = (uint32_t)tape->tracks.len - 1;
	return track->state ? 0 : -ENOMEM;
}

/* Which stretches are recorded, and how many decisions that makes. @tracks: the track of each CPU */
static int make_plan(struct recording *recording, uint32_t *tracks)
{
	const struct fit_sample *sample = recording->sample;
	struct tape *tape = recording->tape;

	for (size_t i = 0; i < sample->stretches.len && tape->takes < TAKES_MAX; i++) {
		const struct stretch *stretch = sample->stretches.ptr[i];
		size_t decisions = verify_decisions(&tape->context, stretch);
		struct planned *planned;

		if (!decisions)
			continue;
		planned = array_add(&recording->plan);
		if (!planned || track_of(tape, tracks, stretch->cpu) < 0)
			return -ENOMEM;
		*planned = (struct planned){i, tape->takes, decisions, tracks[stretch->cpu]};
		tape->takes += decisions;
	}
	return 0;
}

unsigned tape_jobs(const struct tape *tape)
{
	size_t jobs = crew_size(tape->crew);

	if (jobs > tape->tracks.len)
		jobs = tape->tracks.len;
	return jobs ? (unsigned)jobs : 1;
}

/* One piece for what all tracks are going to hold. */
static int make_room(const struct recording *recording)
{
	struct tape *tape = recording->tape;
	struct take *takes = large_alloc(tape->takes * (sizeof(*takes) + sizeof(struct period)));
	struct period *periods;

	if (!takes)
		return -ENOMEM;
	tape->memory = takes;
	periods = (struct period *)(takes + tape->takes);
	for (size_t i = 0; i < recording->plan.len; i++) {
		const struct planned *planned = &recording->plan.ptr[i];

		tape->tracks.ptr[planned->track].room += planned->decisions;
	}
	for (size_t i = 0; i < tape->tracks.len; i++) {
		struct track *track = &tape->tracks.ptr[i];

		track->takes = takes;
		track->periods = periods;
		takes += track->room;
		periods += track->room;
	}
	return 0;
}

static int record_plan(struct recording *recording)
{
	struct tape *tape = recording->tape;

	if (tape->takes && make_room(recording) < 0)
		return -ENOMEM;
	recording->jobs = tape_jobs(tape);
	crew_run(tape->crew, recording->jobs, record_tracks, recording);
	for (size_t i = 0; i < tape->tracks.len; i++)
		begin_laps(tape, &tape->tracks.ptr[i], tape->takes);
	for (unsigned job = 0; job < recording->jobs; job++) {
		if (recording->ret[job] < 0)
			return recording->ret[job];
	}
	return 0;
}

int tape_record(struct tape *tape, const struct fit_sample *sample, const struct learned *learned,
		const struct learned *probes, unsigned probe_count)
{
	uint32_t cpus = tape->context.cpus;
	uint32_t *tracks = malloc((cpus ? cpus : 1) * sizeof(*tracks));
	struct recording recording = {tape, sample, probes, probe_count};
	int ret = tracks ? 0 : -ENOMEM;

	tape->context.learned = learned;
	for (uint32_t cpu = 0; tracks && cpu < cpus; cpu++)
		tracks[cpu] = NO_TRACK;
	if (!ret)
		ret = make_plan(&recording, tracks);
	if (!ret)
		ret = record_plan(&recording);
	array_free(&recording.plan);
	free(tracks);
	tape->slack = tape->takes / SLACK_SHARE > SLACK_MIN ? tape->takes / SLACK_SHARE : SLACK_MIN;
	return ret;
}

static void track_deinit(struct track *track)
{
	for (size_t i = 0; i < track->hangings.len; i++)
		free(track->hangings.ptr[i].state);
	array_free(&track->hangings);
	free(track->state);
}

void tape_deinit(struct tape *tape)
{
	for (size_t i = 0; i < tape->tracks.len; i++)
		track_deinit(&tape->tracks.ptr[i]);
	array_free(&tape->tracks);
	free(tape->memory);
}
