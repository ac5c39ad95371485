// SPDX-License-Identifier: GPL-2.0-only
#include "replay/fit_play.h"

/* ---- deciding again -------------------------------------------------------------------------------------------------- */

/* struct heat - one candidate, or laps @first to before @end of it, the tracks shared out among @jobs; @wrong: by job and lap */
struct heat {
	struct tape *tape;
	bool build; /* the inputs anew */
	int64_t cost_ns;
	unsigned first, end, jobs;
	uint32_t wrong[CREW_MAX][RACE_LAPS];
};

static uint32_t hanging_wrong(const struct tape *tape, const struct track *track)
{
	uint32_t wrong = 0;

	for (size_t i = 0; i < track->hangings.len; i++) {
		const struct hanging *hanging = &track->hangings.ptr[i];
		const struct take *take = &track->takes[hanging->take];
		struct policy_input input;

		tape_input(&tape->context, take, &input);
		memcpy(track->state, hanging->state, policy_state_size(tape->policy));
		wrong += tape_decide(tape, take, &input, track->state) != take->state;
	}
	return wrong;
}

static void decide_hanging(void *arg, unsigned job)
{
	struct heat *heat = arg;

	for (size_t i = job; i < heat->tape->tracks.len; i += heat->jobs)
		heat->wrong[job][0] += hanging_wrong(heat->tape, &heat->tape->tracks.ptr[i]);
}

/* How many were wrong in @lap, all jobs together. */
static uint64_t lap_wrong(const struct heat *heat, unsigned lap)
{
	uint64_t wrong = 0;

	for (unsigned job = 0; job < heat->jobs; job++)
		wrong += heat->wrong[job][lap];
	return wrong;
}

uint64_t tape_hanging_wrong(struct tape *tape, const struct learned *learned)
{
	struct heat heat = {.tape = tape, .jobs = tape_jobs(tape)};

	tape->context.learned = learned;
	crew_run(tape->crew, heat.jobs, decide_hanging, &heat);
	return lap_wrong(&heat, 0);
}

/* ---- playing --------------------------------------------------------------------------------------------------------- */

void race_start(struct race *race, uint64_t lead)
{
	*race = (struct race){.lead = lead, .least = RACE_OUT};
	for (unsigned i = 0; i < RACE_LAPS; i++)
		race->lap[i] = RACE_OUT;
}

/* So many laps are run before anyone looks who is out; by then all that share the work must have come so far. */
#define LAPS_AT_ONCE 8

/* True: another state comes out than the record's. */
static bool play_take(const struct heat *heat, struct track *track, const struct take *take)
{
	const struct tape *tape = heat->tape;
	struct policy_outcome outcome = take->outcome;
	int decided = tape_decide(tape, take, &take->input, track->state);

	outcome.residency_ns -= heat->cost_ns;
	if (outcome.residency_ns < 0)
		outcome.residency_ns = 0;
	tape->policy->ops->reflect(tape->policy, take->table, track->state, &outcome);
	return take->state >= 0 && decided != take->state;
}

/* All of a lap at once: one's period can be fetched while another's input is built. */
static void build_lap(const struct heat *heat, struct track *track, unsigned lap)
{
	for (size_t i = track->lap[lap]; i < track->lap[lap + 1]; i++) {
		struct take *take = &track->takes[i];

		tape_input(&heat->tape->context, take, &take->input);
	}
}

static uint32_t play_lap(const struct heat *heat, struct track *track, unsigned lap)
{
	const struct cpir_policy *policy = heat->tape->policy;
	uint32_t wrong = 0;

	if (!lap && track->count)
		policy->ops->enable(policy, track->takes->table, track->state);
	if (heat->build)
		build_lap(heat, track, lap);
	for (size_t i = track->lap[lap]; i < track->lap[lap + 1]; i++)
		wrong += play_take(heat, track, &track->takes[i]);
	return wrong;
}

static void play_laps(void *arg, unsigned job)
{
	struct heat *heat = arg;

	for (unsigned lap = heat->first; lap < heat->end; lap++) {
		uint32_t wrong = 0;

		for (size_t i = job; i < heat->tape->tracks.len; i += heat->jobs)
			wrong += play_lap(heat, &heat->tape->tracks.ptr[i], lap);
		heat->wrong[job][lap] = wrong;
	}
}

uint64_t tape_play_wrong(struct tape *tape, const struct learned *learned, int64_t cost_ns,
			 struct race *race)
{
	struct heat heat = {
		.tape = tape, .build = learned, .cost_ns = cost_ns, .jobs = tape_jobs(tape)};
	uint64_t lap[RACE_LAPS], wrong = 0;

	if (learned)
		tape->context.learned = learned;
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
