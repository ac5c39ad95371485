// SPDX-License-Identifier: GPL-2.0-only
/* Results made by hand. */
#include "report_fixture.h"

#include "base/array.h"

static const struct cpir_table pseries = {
	.count = 2,
	.states = {{.name = "snooze", .polling = true, .power_mw = -1},
		   {.name = "Shared Cede",
		    .exit_latency_ns = 10000,
		    .target_residency_ns = 100000,
		    .power_mw = -1}},
};

static const struct cpir_table big = {
	.count = 3,
	.states = {{.name = "WFI",
		    .exit_latency_ns = 1000,
		    .target_residency_ns = 1000,
		    .power_mw = 250},
		   {.name = "cpu-sleep",
		    .exit_latency_ns = 1500500,
		    .target_residency_ns = 2000000,
		    .power_mw = 40},
		   {.name = "cluster\033[2J\xff",
		    .exit_latency_ns = 1600000,
		    .target_residency_ns = UINT64_C(4294967295000),
		    .disabled = true,
		    .power_mw = 4}},
};

static struct cpir_event_count events[] = {
	{"power:cpu_idle", 37634},
	{"power:cpu_idle_miss", 8854},
	{"sched:sched_switch", 29282},
	{"sched:sched_waking", 14101},
	{"timer:hrtimer_expire_entry", 2210},
	{"timer:hrtimer_start", 4410},
	{"timer:tick_stop", 311},
};

static const char *missing[] = {
	"irq:irq_handler_entry: device interrupts are not told apart",
	"power:pm_qos_update_target: latency limits set while recording are not seen"};
static const char *bare_missing[] = {
	"sched:sched_switch: where one idle stretch ends and the next begins is guessed",
	"timer:hrtimer_*: the next timer of a decision is unknown, and so is the sleep length",
	"timer:tick_stop"};

static struct cpir_fact facts[] = {
	{"idle entry delay", "17.42 us", "learned from 9214 decisions",
	 "from then on sleep lengths count"},
	{"clock offset", "0 ns", "clock mono", "expiries of timers in trace time"},
};

static struct cpir_delay delays[] = {{"snooze", 812, 310, CPIR_DELAY_WAKINGS},
				     {"Shared Cede", 14210, 7715, CPIR_DELAY_TICKS}};
static struct cpir_table_use pseries_use[] = {{"0-1", &pseries}};
static struct cpir_table_use mixed_use[] = {{"0", &pseries}, {"1,4-5", &big}};
static const char *warnings[] = {("6.1.0-57-powerpc64le does not tell the stable level; menu as of "
				  "6.1.192 is assumed, levels below 6.1.176 decide "
				  "otherwise; --kernel sets it")};

#define LATENCY(n, sum, p50, p90, p99, max)                                                        \
	{                                                                                          \
		n, sum, p50, p90, p99, max                                                         \
	}

static struct cpir_cpu_totals record_cpus[] = {
	{0,
	 {.span_ns = 6012999025,
	  .usage = 9400,
	  .above = 4240,
	  .below = 180,
	  .idle_ns = 5200000000,
	  .tick_wakeups = 40,
	  .tick_stops = 155,
	  .state_count = 2,
	  .states = {{220, 90000000, 0, 180}, {9180, 5110000000, 4240, 0}},
	  .exit_latency = LATENCY(9000, 126000000, 13800, 18100, 41000, 2100400),
	  .task_latency = LATENCY(8000, 160000000, 19000, 25000, 61000, 2150000),
	  .wakes = {5000, 100, 3800, 40, 400, 20, 40},
	  .kernel_miss = true,
	  .kernel_above = 4240,
	  .kernel_below = 181}},
	{1,
	 {.span_ns = 6012999025,
	  .usage = 9417,
	  .above = 4246,
	  .below = 187,
	  .rejected_known = true,
	  .rejected = 3,
	  .idle_ns = 5300000000,
	  .tick_wakeups = 42,
	  .tick_stops = 156,
	  .state_count = 2,
	  .states = {{227, 95000000, 0, 187}, {9190, 5205000000, 4246, 0}},
	  .exit_latency = LATENCY(9100, 130000000, 13900, 18300, 42000, 999950),
	  .wakes = {5017, 100, 3800, 42, 400, 20, 38},
	  .kernel_miss = true,
	  .kernel_above = 4246,
	  .kernel_below = 187}},
};

static const struct cpir_totals record_total = {
	.span_ns = 12025998050,
	.usage = 18817,
	.above = 8486,
	.below = 367,
	.rejected_known = true,
	.rejected = 3,
	.idle_ns = 10500000000,
	.tick_wakeups = 82,
	.tick_stops = 311,
	.state_count = 2,
	.states = {{447, 185000000, 0, 367}, {18370, 10315000000, 8486, 0}},
	.exit_latency = LATENCY(18100, 256000000, 13850, 18200, 41500, 2100400),
	.task_latency = LATENCY(8000, 160000000, 19000, 25000, 61000, 2150000),
	.wakes = {10017, 200, 7600, 82, 800, 40, 78},
	.kernel_miss = true,
	.kernel_above = 8486,
	.kernel_below = 368};

static const struct cpir_totals baseline_total = {
	.span_ns = 12025998050,
	.usage = 19042,
	.above = 8530,
	.below = 386,
	.idle_ns = 10490000000,
	.tick_wakeups = 90,
	.tick_stops = 320,
	.state_count = 2,
	.states = {{480, 190000000, 0, 386}, {18562, 10300000000, 8530, 0}},
	.exit_latency = LATENCY(18100, 257000000, 13850, 18300, 41600, 2100400),
	.task_latency = LATENCY(8000, 160000000, 19000, 25000, 61000, 2150000),
	.wakes = {10017, 200, 7600, 90, 800, 55, 280},
	.has_range = true,
	.range_usage = {19000, 19100},
	.range_above = {8400, 8600},
	.range_below = {386, 386}};

static const struct cpir_totals patched_total = {
	.span_ns = 12025998050,
	.usage = 20155,
	.above = 2836,
	.below = 1935,
	.idle_ns = 10440000000,
	.tick_wakeups = 0,
	.tick_stops = 211,
	.state_count = 2,
	.states = {{14118, 4190000000, 0, 1935}, {6037, 6250000000, 2836, 0}},
	.exit_latency = LATENCY(18100, 97000000, 1850, 14300, 21600, 2100400),
	.task_latency = LATENCY(8000, 80000000, 9000, 21000, 31000, 2150000),
	.wakes = {10017, 200, 7600, 0, 800, 1400, 138},
	.has_range = true,
	.range_usage = {20100, 20300},
	.range_above = {2800, 12835820},
	.range_below = {1900, 1990}};

static struct cpir_cpu_totals baseline_cpus[2], patched_cpus[2];

static struct cpir_agreement agreement = {
	.valid = true,
	.policy = "menu@6.1.192",
	.decisions = 18689,
	.agreed = 18462,
	.undetermined = 12,
	.warmup = 128,
	.by_cause = {[CPIR_CAUSE_THRESHOLD] = 201, [CPIR_CAUSE_REAL] = 26},
	.state_count = 2,
	.by_state = {{400, 27}, {200, 18062}},
};

static struct cpir_run runs[4];
static struct cpir_result result;

static void start(enum cpir_mode mode)
{
	result = (struct cpir_result){
		.mode = mode,
		.trace = {.file = "trace.dat",
			  .format = "trace.dat v7, zstd",
			  .kernel = "6.1.0-57-powerpc64le",
			  .clock = "mono",
			  .cpus = 2,
			  .begin_ns = 33904322976,
			  .end_ns = 39917322001,
			  .events = events,
			  .event_count = array_size(events),
			  .missing = missing,
			  .missing_count = array_size(missing)},
		.platform = {.source = "before.txt",
			     .driver = "pseries_idle",
			     .governor = "menu",
			     .hz = 250,
			     .tables = pseries_use,
			     .table_count = array_size(pseries_use)},
		.miss_check = {true, 18817, 18812, 4, 1},
		.runs = runs,
		.run_count = 1,
		.facts = facts,
		.fact_count = array_size(facts),
		.warnings = warnings,
		.warning_count = array_size(warnings),
	};
	runs[0] = (struct cpir_run){"record", CPIR_ROLE_RECORD, CPIR_RUN_RECORD, record_total,
				    2,	      record_cpus};
}

static void add_run(const struct cpir_run *run)
{
	runs[result.run_count++] = *run;
}

/* Move a tenth of @from to @to. */
static void move(uint64_t *from, uint64_t *to)
{
	*to = *from / 10;
	*from -= *to;
}

/* The CPUs of a simulated run: the second has a tenth of @total, the first the rest. */
static struct cpir_cpu_totals *split(struct cpir_cpu_totals cpus[2],
				     const struct cpir_totals *total)
{
	struct cpir_totals *first = &cpus[0].totals, *second = &cpus[1].totals;

	cpus[0] = (struct cpir_cpu_totals){0, *total};
	cpus[1] = (struct cpir_cpu_totals){1, {.state_count = total->state_count}};
	first->span_ns = second->span_ns = total->span_ns / 2;
	move(&first->usage, &second->usage);
	move(&first->above, &second->above);
	move(&first->below, &second->below);
	move(&first->idle_ns, &second->idle_ns);
	for (uint32_t s = 0; s < total->state_count; s++) {
		move(&first->states[s].usage, &second->states[s].usage);
		move(&first->states[s].time_ns, &second->states[s].time_ns);
		move(&first->states[s].above, &second->states[s].above);
		move(&first->states[s].below, &second->states[s].below);
	}
	return cpus;
}

const struct cpir_result *fixture_report(void)
{
	start(CPIR_REPORT);
	return &result;
}

const struct cpir_result *fixture_replay(void)
{
	start(CPIR_REPLAY);
	result.agreement = agreement;
	add_run(&(struct cpir_run){.name = "menu@6.1.192",
				   .role = CPIR_ROLE_BASELINE,
				   .kind = CPIR_RUN_VERIFICATION,
				   .total = baseline_total,
				   .cpu_count = 2,
				   .cpus = split(baseline_cpus, &baseline_total)});
	return &result;
}

const struct cpir_result *fixture_compare(void)
{
	start(CPIR_COMPARE);
	result.agreement = agreement;
	result.delays = delays;
	result.delay_count = array_size(delays);
	add_run(&(struct cpir_run){.name = "menu@6.1.192",
				   .role = CPIR_ROLE_BASELINE,
				   .kind = CPIR_RUN_WHAT_IF,
				   .total = baseline_total,
				   .cpu_count = 2,
				   .cpus = split(baseline_cpus, &baseline_total)});
	add_run(&(struct cpir_run){
		.name = "menu@6.1.192+override-residency-threshold",
		.role = CPIR_ROLE_PATCHED,
		.kind = CPIR_RUN_WHAT_IF,
		.total = patched_total,
		.cpu_count = 2,
		.cpus = split(patched_cpus, &patched_total),
		.has_changes = true,
		.changes = {18689, 12400, 8100, 1700, 2600, {{398, 0}, {12400, 5891}}}});
	return &result;
}

const struct cpir_result *fixture_several(void)
{
	(void)fixture_compare();
	runs[2].name = "teo@6.1.192";
	add_run(&(struct cpir_run){.name = "fixed:state=1",
				   .role = CPIR_ROLE_PATCHED,
				   .kind = CPIR_RUN_WHAT_IF,
				   .total = {.usage = 9000,
					     .above = 9000,
					     .state_count = 2,
					     .states = {{0}, {9000, 10000000000, 9000, 0}},
					     .idle_ns = 10000000000}});
	return &result;
}

const struct cpir_result *fixture_bare(void)
{
	start(CPIR_REPORT);
	result.trace.file = "dir/b\xff"
			    "d \033[31m.dat";
	result.trace.kernel = "";
	result.trace.event_count = 1;
	result.trace.missing = bare_missing;
	result.trace.missing_count = array_size(bare_missing);
	result.trace.lost = 1234567;
	result.trace.lost_uncounted = 2;
	result.platform.tables = mixed_use;
	result.platform.table_count = array_size(mixed_use);
	result.platform.driver = "";
	result.platform.governor = "";
	result.miss_check.valid = false;
	result.fact_count = 0;
	result.warning_count = 0;
	runs[0].cpu_count = 0;
	runs[0].total =
		(struct cpir_totals){.state_count = 3, .has_energy = true, .energy_nj = 12345};
	return &result;
}
