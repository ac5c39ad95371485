// SPDX-License-Identifier: GPL-2.0-only
/*
 * The idle entry delays. The delay under which the recording governor's policy explains most decisions is taken. A few
 * more or less are chance, so the centre of all values about as good as the best is what counts; and where hardly any
 * decision hangs on it, what is expected.
 */
#include "replay/fit_entry.h"

#include "replay/fit_play.h"

#define STEPS 16 /* from nothing to what is expected; as many above */
#define VALUES (2 * STEPS + 1)
#define UNTRIED UINT64_MAX

/* Steps from the best value of the coarse look that are looked at more closely. */
static const int close_by[] = {0, -1, 1, -2, 2}, further[] = {0, 2, 4, -4, 8};

#define ROUNDS_MAX 3

#define DELAY_MAX_NS 10000000 /* what lies longer before cpu_idle has nothing to do with it */

/*
 * From sched_switch to the idle entry time the kernel writes that event and does about as much again: on machines that
 * show both, measured in instructions, 1.55 to 1.85 times the cost of an event. Elsewhere its own share may be larger:
 * the delay stays within what the way to cpu_idle allows.
 */
#define COST_PERCENT 166
#define WAY_PERCENT_MIN 35
#define WAY_PERCENT_MAX 55

static int64_t within(int64_t value, int64_t least, int64_t most)
{
	if (value < least)
		return least;
	return value < most ? value : most;
}

static int64_t switch_expected_ns(const struct learned *learned)
{
	int64_t delay_ns = learned->entry_delay_ns[ENTRY_SWITCH];
	int64_t way_ns = delay_ns + learned->entry_lead_ns[ENTRY_SWITCH];

	if (!learned->event_cost_ns)
		return delay_ns;
	return within(learned->event_cost_ns * COST_PERCENT / 100, way_ns / 100 * WAY_PERCENT_MIN,
		      way_ns / 100 * WAY_PERCENT_MAX);
}

/* Both delays, and what follows from them for interrupts that leave no event. */
static void set_delays(struct learned *learned, int64_t switch_ns, int64_t interrupt_ns)
{
	learned->entry_delay_ns[ENTRY_SWITCH] = switch_ns;
	learned->entry_delay_ns[ENTRY_IRQ] = interrupt_ns;
	for (unsigned i = 0; i < 2; i++)
		learned->wake_lead_ns[i] = learned->wake_way_ns[i] - interrupt_ns;
}

/* The way out of an interrupt is much like the way into idle, a little shorter. */
static int64_t interrupt_expected_ns(int64_t switch_ns)
{
	return switch_ns / 10 * 8;
}

void entry_expect(struct learned *learned)
{
	int64_t switch_ns = within(switch_expected_ns(learned), 0, DELAY_MAX_NS);
	int64_t interrupt_ns = interrupt_expected_ns(switch_ns);

	if (!learned->entry_samples[ENTRY_SWITCH])
		interrupt_ns = within(learned->entry_delay_ns[ENTRY_IRQ], 0, DELAY_MAX_NS);
	set_delays(learned, switch_ns, interrupt_ns);
}

void entry_probes(const struct learned *learned, struct learned ret_probes[ENTRY_PROBES])
{
	const int64_t *delay_ns = learned->entry_delay_ns;

	for (unsigned i = 0; i < ENTRY_PROBES; i++)
		ret_probes[i] = *learned;
	ret_probes[0].entry_delay_ns[ENTRY_SWITCH] = 0;
	ret_probes[0].entry_delay_ns[ENTRY_IRQ] = 0;
	ret_probes[1].entry_delay_ns[ENTRY_SWITCH] = delay_ns[ENTRY_SWITCH] * 2;
	ret_probes[1].entry_delay_ns[ENTRY_IRQ] = delay_ns[ENTRY_IRQ] * 2;
	ret_probes[2].unseen_interrupts = true;
}

/* struct curve - how many decisions come out wrong with each of the values tried for one delay, in steps */
struct curve {
	enum entry_kind kind;
	int64_t expected_ns;
	uint64_t slack;
	uint64_t wrong[VALUES]; /* UNTRIED, RACE_OUT */
	struct race race;
};

static struct curve curve_of(const struct tape *tape, const struct learned *learned,
			     enum entry_kind kind)
{
	struct curve curve = {
		.kind = kind,
		.expected_ns = learned->entry_delay_ns[kind],
		.slack = tape->slack,
	};

	race_start(&curve.race, tape->slack);
	for (int i = 0; i < VALUES; i++)
		curve.wrong[i] = UNTRIED;
	return curve;
}

/*
 * What is to be less than that of others, in fractions: wrong decisions, and how unexpected the value is. None of what
 * is expected, or twice as much, weighs twice as much as chance does, half or half as much again a quarter of that.
 */
#define FRACTION (STEPS * STEPS)

static uint64_t cost_of(const struct curve *curve, int i)
{
	uint64_t against = 2 * (uint64_t)((i - STEPS) * (i - STEPS));

	if (curve->wrong[i] >= RACE_OUT)
		return UNTRIED;
	return curve->wrong[i] * FRACTION + curve->slack * against;
}

static uint64_t least_cost(const struct curve *curve)
{
	uint64_t least = UNTRIED;

	for (int i = 0; i < VALUES; i++)
		least = cost_of(curve, i) < least ? cost_of(curve, i) : least;
	return least;
}

/* The centre of the values that are as good as the best but for chance, each weighed by how good it is. */
static int64_t centre_ns(const struct curve *curve)
{
	uint64_t limit = least_cost(curve) + curve->slack * FRACTION;
	int64_t sum = 0, weights = 0;

	for (int i = 0; i < VALUES; i++) {
		if (cost_of(curve, i) >= limit)
			continue;
		sum += (int64_t)(limit - cost_of(curve, i)) * i;
		weights += (int64_t)(limit - cost_of(curve, i));
	}
	return curve->expected_ns * sum / (weights * STEPS);
}

static struct learned candidate_of(const struct curve *curve, const struct learned *learned, int i)
{
	struct learned candidate = *learned;

	candidate.entry_delay_ns[curve->kind] = curve->expected_ns * i / STEPS;
	return candidate;
}

/* Every other value by the hanging decisions alone: where the best are. */
static struct curve look_around(struct tape *tape, const struct learned *learned,
				enum entry_kind kind)
{
	struct curve curve = curve_of(tape, learned, kind);

	for (int i = 0; i < VALUES; i += 2) {
		struct learned candidate = candidate_of(&curve, learned, i);

		curve.wrong[i] = tape_hanging_wrong(tape, &candidate);
	}
	return curve;
}

/* One value by all decisions: a wrong sleep length once may be remembered by many of them. */
static void play(struct tape *tape, const struct learned *learned, struct curve *curve, int i)
{
	struct learned candidate;

	if (i < 0 || i >= VALUES || curve->wrong[i] != UNTRIED)
		return;
	candidate = candidate_of(curve, learned, i);
	curve->wrong[i] =
		tape_play_wrong(tape, &candidate, learned->residency_cost_ns, &curve->race);
}

static int nearest(const struct curve *curve, int64_t value_ns)
{
	return (int)((value_ns * STEPS + curve->expected_ns / 2) / curve->expected_ns);
}

static void fit_switch(struct tape *tape, struct learned *learned)
{
	struct curve coarse = look_around(tape, learned, ENTRY_SWITCH);
	struct curve fine = curve_of(tape, learned, ENTRY_SWITCH);
	int64_t found_ns = centre_ns(&coarse);

	for (int round = 0; round < ROUNDS_MAX; round++) {
		int middle = nearest(&fine, found_ns);

		for (size_t k = 0; k < array_size(close_by); k++)
			play(tape, learned, &fine, middle + close_by[k]);
		found_ns = centre_ns(&fine);
		if (nearest(&fine, found_ns) == middle)
			break;
	}
	set_delays(learned, found_ns, interrupt_expected_ns(found_ns));
	learned->entry_fitted[ENTRY_SWITCH] = true;
}

/* Do periods end by interrupts that leave no event? Only where the record is clearly better explained so. */
static void fit_unseen(struct tape *tape, struct learned *learned)
{
	struct learned seen = *learned, unseen = *learned;

	seen.unseen_interrupts = false;
	unseen.unseen_interrupts = true;
	learned->unseen_interrupts =
		tape_hanging_wrong(tape, &unseen) + tape->slack < tape_hanging_wrong(tape, &seen);
}

/* The delay after interrupts is better known from that after sched_switch, unless the record clearly says otherwise. */
static void fit_interrupts(struct tape *tape, struct learned *learned)
{
	struct curve coarse = look_around(tape, learned, ENTRY_IRQ);
	struct curve fine = curve_of(tape, learned, ENTRY_IRQ);
	int middle = nearest(&fine, centre_ns(&coarse));

	fine.race.lead = tape->slack / 2;
	play(tape, learned, &fine, STEPS);
	for (size_t k = 0; k < array_size(further); k++)
		play(tape, learned, &fine, middle + further[k]);
	if (least_cost(&fine) / FRACTION + fine.slack >= fine.wrong[STEPS])
		return;
	learned->entry_delay_ns[ENTRY_IRQ] = centre_ns(&fine);
	learned->entry_fitted[ENTRY_IRQ] = true;
}

void entry_fit(struct tape *tape, struct learned *learned)
{
	bool interrupts = learned->entry_samples[ENTRY_IRQ];

	/* Both before, lest decisions that hang on it blur the curve, and after. */
	if (interrupts)
		fit_unseen(tape, learned);
	if (learned->entry_delay_ns[ENTRY_SWITCH] > 0)
		fit_switch(tape, learned);
	if (interrupts)
		fit_unseen(tape, learned);
	if (interrupts && learned->entry_delay_ns[ENTRY_IRQ] > 0)
		fit_interrupts(tape, learned);
}
