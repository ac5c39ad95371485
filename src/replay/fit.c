// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fitting what no event shows: the idle entry delays and the cost of an event. The kernel takes the idle entry time
 * somewhere between the event that begins idleness and cpu_idle; where, no event tells. But decisions near a threshold
 * depend on it: see fit_entry.c. The cost of an event is searched around what the kernel's verdicts and the closest
 * events say of it.
 */
#include "replay/fit.h"

#include <errno.h>

#include "replay/fit_entry.h"
#include "replay/fit_play.h"

/* struct search - for the cost under which fewest decisions come out wrong */
struct search {
	struct tape *tape;
	const struct learned *build; /* the inputs from this first; NULL: they are built */
	int64_t cost_ns;
	uint64_t wrong;
	struct race race;
};

/* @gain: so many more decisions it must explain to be taken */
static void try_cost(struct search *search, int64_t cost_ns, uint64_t gain)
{
	uint64_t wrong;

	if (cost_ns < 0)
		return;
	wrong = tape_play_wrong(search->tape, search->build, cost_ns, &search->race);
	search->build = NULL;
	if (wrong == RACE_OUT || wrong + gain > search->wrong)
		return;
	search->cost_ns = cost_ns;
	search->wrong = wrong;
}

/* From the nearest on, so that of equally good ones it is taken. */
static void try_around(struct search *search, int64_t step_ns, int steps, uint64_t gain)
{
	int64_t from_ns = search->cost_ns;

	for (int k = 1; k <= steps; k++) {
		try_cost(search, from_ns - k * step_ns, gain);
		try_cost(search, from_ns + k * step_ns, gain);
	}
}

/*
 * The cost of a trace event within a period. The governor counts past periods in whole microseconds and compares their
 * spread, so the right cost, to a few nanoseconds where the recording machine is that regular, shows in a sharp peak.
 * So do others that mean nothing: what is further off must explain more.
 */
static void fit_cost(struct tape *tape, struct learned *learned)
{
	struct search search = {tape, learned, learned->residency_cost_ns, RACE_OUT, {0}};
	uint64_t chance = tape->slack;
	int64_t near_ns;

	race_start(&search.race, chance / 2);
	/* Nobody is ahead of the first, so that it is played to the end, and all inputs are built. */
	try_cost(&search, search.cost_ns, 0);
	/* Without timer events hardly more is known of it than a limit. */
	if (!tape->context.known.hrtimers)
		try_around(&search, learned->event_cost_ns / 4, 4, chance);
	try_around(&search, 60, 4, 1);
	for (int64_t step_ns = 30; step_ns >= 4; step_ns /= 2)
		try_around(&search, step_ns, 1, 1);
	near_ns = search.cost_ns;
	try_around(&search, 300, 5, chance / 2 + 1);
	if (search.cost_ns != near_ns)
		try_around(&search, 60, 2, 1);
	learned->residency_cost_ns = search.cost_ns;
}

int fit_constants(const struct fit_sample *sample, const struct context *context,
		  const struct cpir_policy *policy, struct learned *learned, struct crew *crew)
{
	int64_t *delay_ns = learned->entry_delay_ns, *lead_ns = learned->entry_lead_ns;
	struct tape tape = {.context = *context, .policy = policy};
	struct learned probes[ENTRY_PROBES];
	int64_t way_ns[ENTRY_KINDS];
	int ret;

	/* One compiled from source may keep things of which there is only one. */
	if (!policy->ops->from_source)
		tape.crew = crew;
	for (unsigned i = 0; i < ENTRY_KINDS; i++)
		way_ns[i] = delay_ns[i] + lead_ns[i];
	entry_expect(learned);
	entry_probes(learned, probes);
	ret = tape_record(&tape, sample, learned, probes, ENTRY_PROBES);
	if (!ret) {
		entry_fit(&tape, learned);
		fit_cost(&tape, learned);
	}
	tape_deinit(&tape);
	for (unsigned i = 0; i < ENTRY_KINDS; i++)
		lead_ns[i] = way_ns[i] - delay_ns[i];
	delay_ns[ENTRY_EXIT] = delay_ns[ENTRY_IRQ];
	return ret;
}
