// SPDX-License-Identifier: GPL-2.0-only
/*
 * How true are the inputs we rebuild? For recordings in which the governor wrote its own inputs into the trace
 * (events rigmenu:menu_select and rigmenu:menu_update), compare them with what the model makes of the other events.
 * A developer's tool: the product never reads those events.
 *
 *   oracle TRACE PLATFORM [POLICY [WORST]]
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "replay/inputs.h"
#include "replay/study.h"
#include "rigmenu.h"

#define NOT_LOOKED_UP 4294967295ull
#define NEAR_NS 20000
#define SAME_NS 1500 /* two lengths are off by the same */

/* struct truth - one decision as the governor wrote it, with what it learned of the outcome at the next one */
struct truth {
	uint64_t time_ns;
	int64_t sleep_ns, delta_ns, latency_ns, residency_ns;
	int state;
	bool looked_up, stopped, got_tick, has_outcome, stop_tick;
	uint32_t updated, dismask, typical_us, timer_us, bucket, factor;
	char text[512];
};

struct cpu_truth {
	ARRAY(struct truth) decisions;
	size_t next;
};

/* struct error - how far one input is off */
struct error {
	uint64_t count, within, equal;
	struct hist distance;
};

enum input { SLEEP, DELTA, STOPPED, GOT_TICK, LATENCY, RESIDENCY, CHOSEN, INPUTS };

static const char *const input_names[INPUTS] = {
	[SLEEP] = "sleep length",  [DELTA] = "delta next",    [STOPPED] = "tick stopped",
	[GOT_TICK] = "got tick",   [LATENCY] = "latency req", [RESIDENCY] = "residency",
	[CHOSEN] = "chosen state",
};

/* What makes a sleep length wrong: the idle entry time, which all lengths count from; a kept tick not seen, or seen where none was. */
enum cause { BY_ENTRY, BY_TICK, BY_TIMER, CAUSES };

struct oracle {
	struct study study;
	struct cpu_truth *cpus;
	struct error errors[INPUTS];
	uint64_t periods, unmatched, cancelled_true, cancelled_found, cancelled_wrong;
	uint64_t updates, updates_nearer; /* load updates on the way into idle */
	uint64_t off[CAUSES];		  /* sleep lengths off by more than NEAR_NS */
	unsigned worst;
};

static void read_select(struct cpu_truth *cpu, const struct rigmenu_event *event)
{
	struct truth *truth = array_add(&cpu->decisions);

	if (!truth)
		return;
	truth->time_ns = event->time_ns;
	truth->state = (int)rigmenu_field(event, "idx");
	truth->sleep_ns = (int64_t)rigmenu_field(event, "next_timer_ns");
	truth->delta_ns = (int64_t)rigmenu_field(event, "delta_tick");
	truth->latency_ns = (int64_t)rigmenu_field(event, "latency_req");
	truth->looked_up = rigmenu_field(event, "timer_us") != NOT_LOOKED_UP;
	truth->stopped = rigmenu_field(event, "tick_stopped");
	truth->updated = (uint32_t)rigmenu_field(event, "updated");
	truth->dismask = (uint32_t)rigmenu_field(event, "dismask");
	truth->stop_tick = rigmenu_field(event, "stop_tick");
	(void)snprintf(
		truth->text, sizeof(truth->text),
		"pred %lld pred0 %lld typical %u timer_us %u bucket %u factor %u updated %u iow %u",
		(long long)rigmenu_field(event, "predicted_ns"),
		(long long)rigmenu_field(event, "pred0_ns"),
		(unsigned)rigmenu_field(event, "typical_us"),
		(unsigned)rigmenu_field(event, "timer_us"),
		(unsigned)rigmenu_field(event, "bucket"), (unsigned)rigmenu_field(event, "factor"),
		truth->updated, (unsigned)rigmenu_field(event, "iowaiters"));
}

static void read_update(struct cpu_truth *cpu, const struct rigmenu_event *event)
{
	struct truth *last =
		cpu->decisions.len ? &cpu->decisions.ptr[cpu->decisions.len - 1] : NULL;

	if (!last)
		return;
	last->has_outcome = true;
	last->residency_ns = (int64_t)rigmenu_field(event, "last_residency_ns");
	last->got_tick = rigmenu_field(event, "tick_wakeup");
}

static void take(void *arg, const struct rigmenu_event *event)
{
	struct oracle *oracle = arg;

	if (event->kind == RIGMENU_SELECT)
		read_select(&oracle->cpus[event->cpu], event);
	else
		read_update(&oracle->cpus[event->cpu], event);
}

/* After the study is prepared: it knows how many CPUs there are. */
static int read_truth(struct oracle *oracle, struct cpir_error *err)
{
	oracle->cpus = calloc(oracle->study.info->cpus, sizeof(*oracle->cpus));
	if (!oracle->cpus)
		return error_oom(err);
	return rigmenu_read(oracle->study.options->trace, take, oracle, err);
}

static void note(struct oracle *oracle, enum input input, int64_t ours, int64_t theirs)
{
	struct error *error = &oracle->errors[input];
	uint64_t distance = ours > theirs ? (uint64_t)ours - (uint64_t)theirs
					  : (uint64_t)theirs - (uint64_t)ours;

	error->count++;
	error->equal += distance == 0;
	error->within += distance <= NEAR_NS;
	(void)hist_add(&error->distance, distance);
}

/* The last decision written before the period began, and not yet used. */
static struct truth *match(struct oracle *oracle, uint32_t cpu, uint64_t from_ns, uint64_t until_ns)
{
	struct cpu_truth *truths = &oracle->cpus[cpu];
	struct truth *found = NULL;

	while (truths->next < truths->decisions.len &&
	       truths->decisions.ptr[truths->next].time_ns <= until_ns) {
		if (truths->decisions.ptr[truths->next].time_ns >= from_ns)
			found = &truths->decisions.ptr[truths->next];
		truths->next++;
	}
	return found;
}

/* The governor writes down what it goes on with: a timer that is overdue is due now, and then so is the tick. */
static int64_t as_taken(const struct policy_input *input, int64_t length_ns)
{
	return input->sleep_length_ns < 0 ? 0 : length_ns;
}

static void rebuild(const struct context *context, const struct period *period,
		    struct sight *ret_sight, struct policy_input *ret_input)
{
	sight_of_period(context, period, ret_sight);
	inputs_build(context, ret_sight, inputs_tick_needed(context, ret_sight), 0, ret_input);
}

static void note_cause(struct oracle *oracle, int64_t sleep_ns, int64_t delta_ns,
		       const struct truth *truth)
{
	int64_t off = sleep_ns - truth->sleep_ns, delta_off = delta_ns - truth->delta_ns;

	if (llabs(off) <= NEAR_NS)
		return;
	if (llabs(off - delta_off) <= SAME_NS)
		oracle->off[BY_ENTRY]++;
	else if (truth->sleep_ns == truth->delta_ns || sleep_ns == delta_ns)
		oracle->off[BY_TICK]++;
	else
		oracle->off[BY_TIMER]++;
}

/* Is the sleep length nearer to the truth for having seen the load update? */
static void note_update(struct oracle *oracle, const struct period *period, int64_t off)
{
	if (!period->load_update)
		return;
	oracle->updates++;
	oracle->updates_nearer += llabs(off) < llabs(off + period->later_ns);
}

/* For a look at all idle entries: the event, how long after it the entry truly was, the way, and what came before. */
static void show_entry(const struct stretch *stretch, size_t index, const struct sight *sight,
		       const struct policy_input *input, const struct truth *truth)
{
	const struct period *period = &stretch->periods.ptr[index];

	printf("ENTRY %s %d %" PRId64 " %" PRIu64 " %.9f after %s %" PRId64 " off %" PRId64 "\n",
	       period->entry_kind == ENTRY_SWITCH ? "switch"
	       : period->entry_kind == ENTRY_EXIT ? "exit"
						  : event_name(period->entry_event),
	       period->stopped_tick,
	       sight->entry_ns - (int64_t)period->entry_ns + input->delta_next_ns - truth->delta_ns,
	       period->enter_ns - period->entry_ns, (double)period->enter_ns / 1e9,
	       !index			 ? "first"
	       : period[-1].poll_timeout ? "timeout"
	       : period[-1].resched	 ? "resched"
					 : "wake",
	       index ? sight->entry_ns + input->delta_next_ns - truth->delta_ns -
			       (int64_t)period[-1].exit_ns
		     : 0,
	       input->delta_next_ns - truth->delta_ns);
}

static void compare(struct oracle *oracle, const struct stretch *stretch, size_t index,
		    const struct truth *truth)
{
	const struct period *period = &stretch->periods.ptr[index];
	int64_t sleep_ns, delta_ns, off;
	int64_t residency = (int64_t)(period->exit_ns - period->enter_ns) -
			    oracle->study.learned.residency_cost_ns;
	struct policy_input input;
	struct sight sight;

	rebuild(&oracle->study.context, period, &sight, &input);
	sleep_ns = as_taken(&input, input.sleep_length_ns);
	delta_ns = as_taken(&input, input.delta_next_ns);
	off = sleep_ns - truth->sleep_ns;
	if (truth->looked_up) {
		note(oracle, SLEEP, sleep_ns, truth->sleep_ns);
		note(oracle, DELTA, delta_ns, truth->delta_ns);
		note_cause(oracle, sleep_ns, delta_ns, truth);
		note_update(oracle, period, off);
	}
	if (truth->looked_up && getenv("ENTRY"))
		show_entry(stretch, index, &sight, &input, truth);
	note(oracle, STOPPED, input.tick_stopped, truth->stopped);
	note(oracle, LATENCY, input.latency_req_ns, truth->latency_ns);
	note(oracle, CHOSEN, period->state, truth->state);
	if (truth->has_outcome) {
		note(oracle, GOT_TICK, period->got_tick, truth->got_tick);
		note(oracle, RESIDENCY, residency, truth->residency_ns);
	}
	if (oracle->worst && !getenv("DIFF") &&
	    ((truth->looked_up && llabs(off) > NEAR_NS) || truth->stopped != input.tick_stopped ||
	     (truth->has_outcome && period->got_tick != truth->got_tick))) {
		oracle->worst--;
		printf("cpu %u enter %.9f #%zu of %zu entry %s -%" PRIu64 " S %" PRId64
		       " true %" PRId64 " D %" PRId64 " true %" PRId64 " hr %" PRId64
		       " wheel %" PRId64 " tick %" PRId64
		       " stopped %d true %d stopping %d kept %d gottick %d true %d state %d\n",
		       stretch->cpu, (double)period->enter_ns / 1e9, index, stretch->periods.len,
		       period->entry_kind == ENTRY_SWITCH ? "switch" : "irq",
		       period->enter_ns - period->entry_ns, input.sleep_length_ns, truth->sleep_ns,
		       input.delta_next_ns, truth->delta_ns,
		       sight.hrtimer_ns == TIME_NONE ? -1 : sight.hrtimer_ns - sight.entry_ns,
		       sight.wheel_ns == TIME_NONE ? -1 : sight.wheel_ns - sight.entry_ns,
		       sight.tick_ns == TIME_NONE ? -1 : sight.tick_ns - sight.entry_ns,
		       sight.tick_stopped, truth->stopped, period->stopped_tick, period->tick_kept,
		       period->got_tick, truth->got_tick, period->state);
	}
}

/* A decision that came out otherwise: what we fed and got, and what the governor says it had. */
static void watch(void *arg, const struct verified *verified)
{
	struct oracle *oracle = arg;
	struct cpu_truth *truths = &oracle->cpus[verified->stretch->cpu];
	struct truth *truth = NULL;

	if (verified->period->state == verified->decision->state || verified->period->state < 0 ||
	    !oracle->worst)
		return;
	for (size_t i = truths->next; i < truths->decisions.len; i++) {
		if (truths->decisions.ptr[i].time_ns > verified->period->enter_ns)
			break;
		truth = &truths->decisions.ptr[i];
	}
	if (!truth)
		return;
	oracle->worst--;
	printf("DIFF cpu %u enter %.9f recorded %d decided %d (%s, predicted %" PRId64
	       ") S %" PRId64 " true %" PRId64 " D %" PRId64 " true %" PRId64
	       " stopped %d/%d lat %" PRId64 "/%" PRId64 " rcu %d kept %d | true %s stop %d\n",
	       verified->stretch->cpu, (double)verified->period->enter_ns / 1e9,
	       verified->period->state, verified->decision->state, verified->decision->reason,
	       verified->decision->predicted_ns, verified->input->sleep_length_ns, truth->sleep_ns,
	       verified->input->delta_next_ns, truth->delta_ns, verified->input->tick_stopped,
	       truth->stopped, verified->input->latency_req_ns, truth->latency_ns,
	       verified->period->rcu_busy, verified->period->tick_kept, truth->text,
	       truth->stop_tick);
}

static int sink(void *arg, struct stretch *stretch)
{
	struct oracle *oracle = arg;
	uint64_t from_ns = stretch->begin_ns;

	if (oracle->study.shards[0].verify)
		(void)verify_stretch(oracle->study.shards[0].verify, stretch, true);
	for (size_t i = 0; i < stretch->periods.len; i++) {
		const struct period *period = &stretch->periods.ptr[i];
		const struct truth *truth = match(oracle, stretch->cpu, from_ns, period->enter_ns);

		if (period->state == NO_STATE) {
			oracle->cancelled_true += truth != NULL;
			oracle->cancelled_found += truth && period->decided;
			oracle->cancelled_wrong += !truth && period->decided;
			if (oracle->worst && !truth != !period->decided && !getenv("NOCANCEL")) {
				oracle->worst--;
				printf("cancelled cpu %u begin %.9f end +%" PRIu64
				       " true %d decided %d\n",
				       stretch->cpu, (double)stretch->begin_ns / 1e9,
				       period->enter_ns - stretch->begin_ns, truth != NULL,
				       period->decided);
			}
			continue;
		}
		from_ns = period->exit_ns;
		oracle->periods++;
		if (!truth)
			oracle->unmatched++;
		else if (!period->cut)
			compare(oracle, stretch, i, truth);
	}
	return 0;
}

static void print(struct oracle *oracle)
{
	printf("periods %" PRIu64 ", without a decision %" PRIu64 "; cancelled decisions %" PRIu64
	       ", found %" PRIu64 ", wrongly assumed %" PRIu64 "\n",
	       oracle->periods, oracle->unmatched, oracle->cancelled_true, oracle->cancelled_found,
	       oracle->cancelled_wrong);
	printf("sleep lengths off by more than 20 us: %" PRIu64 " by the idle entry, %" PRIu64
	       " by a kept tick, %" PRIu64 " by the timer\n",
	       oracle->off[BY_ENTRY], oracle->off[BY_TICK], oracle->off[BY_TIMER]);
	printf("load updates %" PRIu64 ", sleep lengths nearer for them %" PRIu64 "\n",
	       oracle->updates, oracle->updates_nearer);
	for (unsigned i = 0; i < INPUTS; i++) {
		struct error *error = &oracle->errors[i];

		if (!error->count)
			continue;
		printf("%-14s %7" PRIu64 " equal %6.2f %% within 20 us %6.2f %% p50 %" PRIu64
		       " p90 %" PRIu64 " p99 %" PRIu64 " max %" PRIu64 " ns\n",
		       input_names[i], error->count,
		       100.0 * (double)error->equal / (double)error->count,
		       100.0 * (double)error->within / (double)error->count,
		       hist_quantile(&error->distance, 5000), hist_quantile(&error->distance, 9000),
		       hist_quantile(&error->distance, 9900), error->distance.max);
		hist_deinit(&error->distance);
	}
}

int main(int argc, char **argv)
{
	struct cpir_study_options options = {
		.mode = CPIR_REPLAY, .latency_req_ns = UINT64_MAX, .warmup = 0};
	struct oracle oracle = {.study = {.options = &options}};
	struct cpir_agreement agreement = {0};
	struct cpir_error err = {0};
	int ret;

	if (argc < 3)
		return 2;
	options.trace = argv[1];
	options.platform = argv[2];
	options.baseline = argc > 3 ? argv[3] : NULL;
	oracle.worst = argc > 4 ? (unsigned)atoi(argv[4]) : 0;
	ret = study_prepare(&oracle.study, &err);
	if (!ret)
		ret = read_truth(&oracle, &err);
	if (!ret)
		ret = study_policies(&oracle.study, &err);
	if (!ret && getenv("DIFF"))
		verify_watch(oracle.study.shards[0].verify, watch, &oracle);
	if (!ret)
		ret = reading_walk(oracle.study.reading, sink, &oracle, &err);
	if (ret < 0) {
		fprintf(stderr, "oracle: %s\n", err.text);
		return 1;
	}
	verify_agreement(oracle.study.shards[0].verify, &agreement);
	print(&oracle);
	printf("agreement %.3f %% of %" PRIu64 "\n",
	       100.0 * (double)agreement.agreed / (double)agreement.decisions, agreement.decisions);
	for (uint32_t cpu = 0; cpu < oracle.study.info->cpus; cpu++)
		array_free(&oracle.cpus[cpu].decisions);
	free(oracle.cpus);
	study_deinit(&oracle.study);
	return 0;
}
