// SPDX-License-Identifier: GPL-2.0-only
/*
 * Do two policies decide alike? `differential POLICY POLICY [STEPS [SEED]]` runs both on random sequences and stops at the
 * first difference. For a built-in governor against its kernel's source, but any two will do.
 *
 * A sequence has its own table of states and tick rate; its CPUs take turns at random, and their states are moved about in
 * memory, as those who run policies do. Inputs are of every plausible size and of some that are not; outcomes mostly follow
 * from the decision.
 */
#include "base/array.h"
#include "policy/policy.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CPUS 4
#define SEQUENCE_STEPS 2000
#define KEEP 12 /* steps shown before a difference */

static uint64_t seed = 1;

/* ---- chance ------------------------------------------------------------------------------------------------------- */

static uint64_t chance(void)
{
	uint64_t z = seed += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

static uint64_t below(uint64_t limit)
{
	return chance() % limit;
}

static bool one_in(unsigned n)
{
	return !below(n);
}

/* From 2^low to 2^high ns, every order of magnitude as likely. */
static int64_t duration_ns(unsigned low, unsigned high)
{
	uint64_t base = UINT64_C(1) << (low + below(high - low));

	return (int64_t)(base + below(base));
}

/* ---- machines ----------------------------------------------------------------------------------------------------- */

static void add_state(struct cpir_table *table, uint64_t exit_us, uint64_t residency_us,
		      bool polling)
{
	struct cpir_state *state = &table->states[table->count++];

	state->exit_latency_ns = exit_us * 1000;
	state->target_residency_ns = residency_us * 1000;
	state->polling = polling;
}

static struct cpir_table random_table(void)
{
	struct cpir_table table = {0};
	uint64_t residency_us = 0;
	unsigned count = 2 + (unsigned)below(8);

	if (!one_in(3))
		add_state(&table, 0, 0, !one_in(4));
	while (table.count < count) {
		residency_us += 1 + (uint64_t)duration_ns(0, table.count > 3 ? 14 : 9);
		add_state(&table, 1 + below(residency_us), residency_us, false);
	}
	return table;
}

static uint32_t random_hz(void)
{
	static const uint32_t rates[] = {100, 250, 300, 1000};

	return rates[below(array_size(rates))];
}

/* ---- one step ----------------------------------------------------------------------------------------------------- */

/* struct step - what a governor is asked and told */
struct step {
	unsigned cpu;
	struct policy_input input;
	struct policy_outcome outcome;
};

static struct policy_input random_input(const struct cpir_table *table, int64_t now_ns)
{
	struct policy_input input = {.latency_req_ns = POLICY_NO_LIMIT_NS, .clock_ns = now_ns};

	input.sleep_length_ns = one_in(40) ? -duration_ns(1, 20) : duration_ns(8, 34);
	input.delta_next_ns = one_in(3) ? input.sleep_length_ns : duration_ns(8, 22);
	if (input.delta_next_ns > input.sleep_length_ns)
		input.delta_next_ns = input.sleep_length_ns;
	if (one_in(60))
		input.sleep_length_ns = INT64_MAX - now_ns;
	input.tick_stopped = one_in(4);
	if (one_in(8))
		input.latency_req_ns = one_in(3) ? 0 : (int64_t)(1000 * below(1000));
	input.nr_iowait = one_in(5) ? (uint32_t)below(4) : 0;
	if (one_in(10))
		input.disabled_mask = (uint32_t)below(UINT64_C(1) << table->count);
	return input;
}

static struct policy_outcome random_outcome(const struct cpir_table *table, int decided,
					    const struct policy_input *input)
{
	struct policy_outcome outcome = {.entered = decided, .poll_time_limit = -1};
	int64_t most = input->sleep_length_ns > 0 ? input->sleep_length_ns : 1000;

	if (one_in(30))
		outcome.entered = -1;
	else if (one_in(30))
		outcome.entered = (int)below(table->count);
	outcome.residency_ns = one_in(3) ? most : duration_ns(7, 30);
	if (outcome.residency_ns > most && !one_in(20))
		outcome.residency_ns = most;
	if (outcome.entered < 0)
		outcome.residency_ns = 0;
	else if (table->states[outcome.entered].polling)
		outcome.poll_time_limit = one_in(3);
	outcome.got_tick = one_in(6);
	outcome.clock_ns = input->clock_ns + outcome.residency_ns % (INT64_C(1) << 40) + 2000;
	return outcome;
}

/* ---- two policies side by side ------------------------------------------------------------------------------------ */

/* struct side - one of the two, with a state per CPU */
struct side {
	struct cpir_policy *policy;
	char *states[CPUS];
};

struct pair {
	struct side side[2];
	struct cpir_table table;
	int64_t now_ns;
	struct step steps[KEEP];
	uint64_t count; /* steps in the sequence */
};

static void begin(struct pair *pair)
{
	uint32_t hz = random_hz();

	pair->table = random_table();
	pair->now_ns = INT64_C(1) << 40;
	pair->count = 0;
	for (unsigned i = 0; i < 2; i++) {
		const struct cpir_policy *policy = pair->side[i].policy;

		policy_set_hz(pair->side[i].policy, hz);
		for (unsigned cpu = 0; cpu < CPUS; cpu++)
			policy->ops->enable(policy, &pair->table, pair->side[i].states[cpu]);
	}
}

/* The next block that is free takes the state over; the old one is wiped. */
static void move_state(struct side *side, unsigned cpu)
{
	size_t size = side->policy->ops->state_size;
	char *moved = malloc(size);

	if (!moved)
		exit(1);
	memcpy(moved, side->states[cpu], size);
	memset(side->states[cpu], 0x5a, size);
	free(side->states[cpu]);
	side->states[cpu] = moved;
}

static int64_t poll_limit_ns(const struct side *side, unsigned cpu)
{
	const struct policy_ops *ops = side->policy->ops;

	return ops->poll_limit_ns ? ops->poll_limit_ns(side->policy, side->states[cpu]) : 0;
}

static void print_step(const struct step *step)
{
	const struct policy_input *in = &step->input;
	const struct policy_outcome *out = &step->outcome;

	printf("#   cpu %u sleep %" PRId64 " next %" PRId64 " stopped %d latency %" PRId64
	       " iowait %u disabled %x -> entered %d for %" PRId64 " limit %d tick %d\n",
	       step->cpu, in->sleep_length_ns, in->delta_next_ns, in->tick_stopped,
	       in->latency_req_ns, in->nr_iowait, in->disabled_mask, out->entered,
	       out->residency_ns, out->poll_time_limit, out->got_tick);
}

static void print_difference(const struct pair *pair, const struct policy_decision decision[2])
{
	uint64_t first = pair->count > KEEP ? pair->count - KEEP : 0;

	printf("# they differ in step %" PRIu64 " of a sequence; the states (exit latency, target "
	       "residency):\n",
	       pair->count);
	for (uint32_t i = 0; i < pair->table.count; i++)
		printf("#   %u: %" PRIu64 " %" PRIu64 "%s\n", i,
		       pair->table.states[i].exit_latency_ns,
		       pair->table.states[i].target_residency_ns,
		       pair->table.states[i].polling ? " polling" : "");
	for (uint64_t i = first; i < pair->count; i++)
		print_step(&pair->steps[i % KEEP]);
	print_step(&pair->steps[pair->count % KEEP]);
	for (unsigned i = 0; i < 2; i++)
		printf("# %s: state %d, stop the tick %d, looked up timers %d, poll limit %" PRId64
		       "\n",
		       pair->side[i].policy->name, decision[i].state, decision[i].stop_tick,
		       decision[i].looked_up_timers,
		       poll_limit_ns(&pair->side[i], pair->steps[pair->count % KEEP].cpu));
}

static bool step(struct pair *pair)
{
	struct step *step = &pair->steps[pair->count % KEEP];
	struct policy_decision decision[2];
	bool same;

	step->cpu = (unsigned)below(CPUS);
	pair->now_ns += duration_ns(10, 24);
	step->input = random_input(&pair->table, pair->now_ns);
	for (unsigned i = 0; i < 2; i++) {
		struct side *side = &pair->side[i];

		if (one_in(16))
			move_state(side, step->cpu);
		side->policy->ops->select(side->policy, &pair->table, side->states[step->cpu],
					  &step->input, &decision[i], NULL);
	}
	step->outcome = random_outcome(&pair->table, decision[0].state, &step->input);
	for (unsigned i = 0; i < 2; i++)
		pair->side[i].policy->ops->reflect(pair->side[i].policy, &pair->table,
						   pair->side[i].states[step->cpu], &step->outcome);
	pair->now_ns = step->outcome.clock_ns;
	same = decision[0].state == decision[1].state &&
	       decision[0].stop_tick == decision[1].stop_tick &&
	       decision[0].looked_up_timers == decision[1].looked_up_timers &&
	       poll_limit_ns(&pair->side[0], step->cpu) == poll_limit_ns(&pair->side[1], step->cpu);
	if (!same)
		print_difference(pair, decision);
	pair->count++;
	return same;
}

static bool run(struct pair *pair, uint64_t steps)
{
	for (uint64_t i = 0; i < steps; i++) {
		if (i % SEQUENCE_STEPS == 0)
			begin(pair);
		if (!step(pair))
			return false;
	}
	return true;
}

/* ---- ends --------------------------------------------------------------------------------------------------------- */

static bool open_side(struct side *side, const char *spec)
{
	struct cpir_error err;

	if (cpir_policy_parse(spec, NULL, &side->policy, &err)) {
		printf("# %s\n", err.text);
		return false;
	}
	for (unsigned cpu = 0; cpu < CPUS; cpu++) {
		side->states[cpu] = calloc(1, side->policy->ops->state_size);
		if (!side->states[cpu])
			return false;
	}
	return true;
}

static void close_side(struct side *side)
{
	for (unsigned cpu = 0; cpu < CPUS; cpu++)
		free(side->states[cpu]);
	cpir_policy_free(side->policy);
}

static bool has_failed(const struct side *side)
{
	struct cpir_error err;

	if (!policy_failure(side->policy, &err))
		return false;
	printf("# %s\n", err.text);
	return true;
}

int main(int argc, char **argv)
{
	uint64_t steps = argc > 3 ? strtoull(argv[3], NULL, 10) : 100000;
	struct pair pair = {0};
	bool good;

	if (argc < 3) {
		(void)fprintf(stderr, "usage: %s POLICY POLICY [STEPS [SEED]]\n", argv[0]);
		return 2;
	}
	seed = argc > 4 ? strtoull(argv[4], NULL, 10) : 1;
	good = open_side(&pair.side[0], argv[1]) && open_side(&pair.side[1], argv[2]);
	if (good)
		good = run(&pair, steps) && !has_failed(&pair.side[0]) &&
		       !has_failed(&pair.side[1]);
	if (good)
		printf("# %s and %s decide alike in %" PRIu64 " steps\n", argv[1], argv[2], steps);
	close_side(&pair.side[0]);
	close_side(&pair.side[1]);
	return good ? 0 : 1;
}
