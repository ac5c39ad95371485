/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cpuidle-replay: what a cpuidle governor did in a trace, and what another one would have done.
 *
 * Rules of the whole interface:
 *  - A function that can fail returns 0 or a negative errno and, when @err is not NULL, fills it in. Outputs are the
 *    parameters named ret_*; they are written on success only.
 *  - The caller owns what a ret_* parameter gives and frees it with the matching _free() (which takes NULL).
 *    Pointers found inside a returned object belong to that object.
 *  - Times and durations are in nanoseconds, in the trace's own clock. Nothing here prints, exits or keeps globals.
 *  - Objects are not locked: one thread at a time per object.
 */
#ifndef CPUIDLE_REPLAY_H
#define CPUIDLE_REPLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The library hides everything but what this header declares. */
#pragma GCC visibility push(default)

#define CPIR_STATES_MAX 16 /* idle states of one CPU; the kernel's own limit is 10 */
#define CPIR_CPUS_MAX 8192
#define CPIR_NAME_MAX 32 /* bytes of an idle state name, including the NUL */

/* ---- errors ---------------------------------------------------------------------------------------------------- */

/**
 * struct cpir_error - why a call failed
 * @code: negative errno
 * @text: one complete sentence for the user: "FILE: what is wrong (where); what to do", without a newline; what a compiler
 *        or patch(1) says about a policy's source may follow in lines of its own
 */
struct cpir_error {
	int code;
	char text[1024];
};

/* ---- platform (platform.c) --------------------------------------------------------------------------------------- */

struct cpir_platform;

/** struct cpir_state - one idle state as the governor sees it; times in ns, 0 … UINT32_MAX us */
struct cpir_state {
	char name[CPIR_NAME_MAX];
	uint64_t exit_latency_ns;
	uint64_t target_residency_ns;
	bool polling;
	bool disabled;
	int64_t power_mw; /* power drawn in this state, -1 unknown */
};

/** struct cpir_table - the idle states of one CPU, shallowest first */
struct cpir_table {
	uint32_t count; /* 1 … CPIR_STATES_MAX */
	struct cpir_state states[CPIR_STATES_MAX];
};

/**
 * cpir_platform_load - read a platform description
 * @spec: a JSON file (cpuidle-replay-platform(5)), a preset's name, a directory that is or holds a copy of
 *        /sys/devices/system/cpu, or a flat dump of one with `path:value` lines
 * Errors: -ENOENT (no such file or preset), -EINVAL (not a platform, or values out of range), -ENOMEM, any of open(2).
 */
int cpir_platform_load(const char *spec, struct cpir_platform **ret_platform,
		       struct cpir_error *err);

/**
 * cpir_platform_capture - describe the machine this runs on
 * @sysfs: root of the CPU devices, NULL for /sys/devices/system/cpu
 * Errors: -ENODEV when no cpuidle driver is active there.
 */
int cpir_platform_capture(const char *sysfs, struct cpir_platform **ret_platform,
			  struct cpir_error *err);

/** cpir_platform_free - free a platform; NULL is allowed */
void cpir_platform_free(struct cpir_platform *platform);

/** cpir_platform_to_json - the JSON document of a platform, a string the caller frees with free(); NULL: no memory */
char *cpir_platform_to_json(const struct cpir_platform *platform);

/** cpir_platform_table - state table of @cpu, NULL when this CPU has none */
const struct cpir_table *cpir_platform_table(const struct cpir_platform *platform, uint32_t cpu);

/** cpir_platform_source - the @spec it was loaded from, or "captured from …" */
const char *cpir_platform_source(const struct cpir_platform *platform);

/** cpir_platform_driver - cpuidle driver, "" unknown */
const char *cpir_platform_driver(const struct cpir_platform *platform);

/** cpir_platform_governor - governor in use when it was captured, "" unknown */
const char *cpir_platform_governor(const struct cpir_platform *platform);

/** cpir_platform_kernel - kernel release when it was captured, "" unknown */
const char *cpir_platform_kernel(const struct cpir_platform *platform);

/** cpir_platform_hz - tick rate, 0 unknown */
uint32_t cpir_platform_hz(const struct cpir_platform *platform);

/** struct cpir_preset - one built-in platform; strings live as long as the program */
struct cpir_preset {
	const char *id;
	const char *description;
	const char *driver;
	const char *source;
};

/**
 * cpir_platform_presets - list the installed presets
 * @ret_presets: array the caller frees with cpir_presets_free()
 */
int cpir_platform_presets(struct cpir_preset **ret_presets, size_t *ret_count,
			  struct cpir_error *err);
void cpir_presets_free(struct cpir_preset *presets, size_t count);

/* ---- policies (registry.c) --------------------------------------------------------------------------------------- */

struct cpir_policy;

/**
 * cpir_policy_parse - make a policy out of NAME[@KERNEL][+PATCH|-PATCH…][:KNOB=VALUE,…], or compile a kernel governor's
 * source, src:PATH/menu.c or git:REPO@REV[:NAME], each with any number of +patch:FILE (cpuidle-replay-policies(7))
 *
 * Source is compiled into the user's cache directory and runs in this process. While such a policy lives there are handlers
 * for SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGVTALRM, which pass on what does not come from its code; what does ends the
 * run with -EFAULT.
 * @kernel: release used when @spec names none ("6.1.192", "6.12.94-amd64"); NULL or "": @spec must name one if the
 *          governor needs it
 * Errors: -EINVAL with a sentence that names the unknown governor, kernel, patch or knob and lists what there is;
 *         -ENODATA when all that is missing is the kernel; for source also what its files, programs and the cache give.
 */
int cpir_policy_parse(const char *spec, const char *kernel, struct cpir_policy **ret_policy,
		      struct cpir_error *err);
void cpir_policy_free(struct cpir_policy *policy);

/** cpir_policy_name - the policy as it is spelled in full, with its kernel: "menu@6.1.192+override-residency-threshold" */
const char *cpir_policy_name(const struct cpir_policy *policy);

/** struct cpir_knob_info - one adjustable number or switch of a governor; @value: as text, for the given policy */
struct cpir_knob_info {
	const char *name;
	const char *help;
	char value[32];
};

/** struct cpir_patch_info - a named change to a governor */
struct cpir_patch_info {
	const char *name;
	const char *help;
	const char *commit; /* kernel commit or mail it stands for, "" none */
	const char *merged; /* "6.19, 6.12.64" … or "no" */
};

/** struct cpir_governor_info - one governor; the arrays live as long as the program */
struct cpir_governor_info {
	const char *name;
	const char *help;
	const char *kernels; /* range of releases, "" when the release does not matter */
	const struct cpir_patch_info *patches;
	size_t patch_count;
};

/** cpir_governor_list - all governors, in a fixed order */
const struct cpir_governor_info *cpir_governor_list(size_t *ret_count);

/**
 * cpir_policy_knobs - the knobs of @policy with the values they have in it
 * @ret_knobs: array of *ret_count, freed by the caller with free()
 */
int cpir_policy_knobs(const struct cpir_policy *policy, struct cpir_knob_info **ret_knobs,
		      size_t *ret_count);

/** cpir_release_check - is @release one as `uname -r` prints it? 0, or -EINVAL with a sentence */
int cpir_release_check(const char *release, struct cpir_error *err);

/**
 * cpir_policy_note_levels - which other stable levels of a base release decide otherwise
 * @release: e.g. "6.1.0-57-arm64", whose stable level cannot be known
 * @ret_text: "" when the release is exact and known, else one sentence on what was assumed and which levels differ; free()
 * Errors: -EINVAL (no such governor, not a release), -ENOMEM
 */
int cpir_policy_note_levels(const char *governor, const char *release, char **ret_text);

/** struct cpir_check - result of running a policy over a vector file */
struct cpir_check {
	uint64_t sequences;
	uint64_t steps;
	uint64_t mismatches;
	char policy[128];
	char first[512]; /* sentence on the first mismatch, "" none */
};

/**
 * cpir_policy_check - run the decision vectors of @path
 * @spec: policy to test; NULL: the one the file names
 */
int cpir_policy_check(const char *path, const char *spec, struct cpir_check *ret_check,
		      struct cpir_error *err);

/* ---- studies: a trace, a platform and policies in; statistics out (study.c) -------------------------------------- */

enum cpir_mode {
	CPIR_REPORT,  /* the record alone */
	CPIR_REPLAY,  /* + verification run of one policy with the recorded history */
	CPIR_COMPARE, /* + what-if runs: baseline and policies */
	CPIR_EXPLAIN, /* + single decisions step by step, by the baseline and the policies */
};

/** enum cpir_pick - which decisions to explain */
enum cpir_pick {
	CPIR_PICK_TIME,		/* the one whose period holds a time, or the next one */
	CPIR_PICK_LATENCY,	/* those after which a woken task waited longest for the CPU */
	CPIR_PICK_DISAGREEMENT, /* those in which the baseline is farthest from the record */
};

/** struct cpir_explain_query - for CPIR_EXPLAIN; picks other than by time obey the other options */
struct cpir_explain_query {
	enum cpir_pick pick;
	uint32_t cpu;	/* CPIR_PICK_TIME */
	uint64_t at_ns; /* CPIR_PICK_TIME: in the trace's clock */
	uint32_t count; /* other picks: how many at most, 1 … CPIR_EXPLAIN_MAX */
};

#define CPIR_EXPLAIN_MAX 10000

/**
 * struct cpir_study_options - what to study; zero-initialise, then set. Strings are borrowed for the call.
 * @progress: called now and then with the share of the trace done (0 … 1000); may be NULL
 */
struct cpir_study_options {
	enum cpir_mode mode;
	const char *trace; /* path */
	const char
		*instance; /* buffer instance, NULL: the top one, else the only one with events */
	const char *platform; /* cpir_platform_load() spec, NULL: what the trace holds */
	const char *kernel;   /* release that recorded the trace, NULL: the trace's uname */
	const char *baseline; /* policy spec, NULL: governor and kernel of the record */
	const char *const *policies;
	size_t policy_count;
	const char *cpus;	 /* CPU list "0-3,8", NULL: all */
	uint64_t from_ns;	 /* in the trace's clock; 0: its begin */
	uint64_t to_ns;		 /* 0: its end */
	uint32_t hz;		 /* 0: platform, else inferred */
	uint64_t latency_req_ns; /* constraint added to what the trace shows; UINT64_MAX: none */
	uint32_t disable_mask;	 /* states disabled for every CPU, bit i = state i */
	uint32_t warmup;	 /* decisions per CPU that do not count; UINT32_MAX: default 64 */
	uint32_t threads;	 /* 0: one per CPU of this machine */
	uint32_t
		differences; /* CPIR_REPLAY: disagreements to list, the first ones; UINT32_MAX: all */
	struct cpir_explain_query explain; /* CPIR_EXPLAIN */
	void (*progress)(void *arg, unsigned permille);
	void *progress_arg;
};

struct cpir_latency {
	uint64_t count, sum_ns, p50_ns, p90_ns, p99_ns, max_ns;
};

struct cpir_state_totals {
	uint64_t usage, time_ns, above, below;
};

struct cpir_range {
	uint64_t lo, hi;
};

/** enum cpir_wake - what ended a period */
enum cpir_wake {
	CPIR_WAKE_TASK_REMOTE, /* a task was woken from another CPU */
	CPIR_WAKE_TASK_LOCAL,  /* a task was woken by an interrupt taken here, other than a timer */
	CPIR_WAKE_TIMER,       /* a timer other than the tick expired */
	CPIR_WAKE_TICK,	       /* the scheduler tick alone */
	CPIR_WAKE_IRQ,	       /* a device interrupt or IPI that woke no task */
	CPIR_WAKE_POLL_LIMIT,  /* the polling state ran into its time limit */
	CPIR_WAKE_UNKNOWN,
	CPIR_WAKE_COUNT
};

/** cpir_wake_name - short name for tables and JSON: "task (remote)", … */
const char *cpir_wake_name(enum cpir_wake wake);

/**
 * struct cpir_totals - what one run did on one CPU or on all
 * @span_ns: time of which it tells: from the CPU's first event, the end of its warm-up or the begin of what was asked for, to its
 *           last event or the end of that; of all CPUs their sum
 * @usage: periods that count; @rejected: entries that the driver gave back, which are in no other total; valid when
 *         @rejected_known, in the record of a trace with cpu_idle_miss events
 * @miss_unknown: above and below, here and of states, mean nothing: the clock is too coarse, and no verdicts were traced
 * @tick_stops_unknown: tick_stops means nothing: in the record of a trace without tick_stop events
 * @exit_latency: wake event → idle exit; @task_latency: wake event → first task on the CPU
 * @kernel_above, @kernel_below: from the trace's own cpu_idle_miss events, valid when @kernel_miss
 * @range_*: lowest and highest total over the inputs the trace leaves unknown, valid when @has_range
 */
struct cpir_totals {
	uint64_t span_ns, usage, above, below, rejected, idle_ns, tick_wakeups, tick_stops;
	uint32_t state_count;
	struct cpir_state_totals states[CPIR_STATES_MAX];
	struct cpir_latency exit_latency, task_latency;
	uint64_t wakes[CPIR_WAKE_COUNT];
	bool miss_unknown, rejected_known, tick_stops_unknown;
	bool kernel_miss;
	uint64_t kernel_above, kernel_below;
	bool has_energy;
	uint64_t energy_nj;
	bool has_range;
	struct cpir_range range_usage, range_above, range_below;
};

struct cpir_cpu_totals {
	uint32_t cpu;
	struct cpir_totals totals;
};

/**
 * struct cpir_changes - decisions of a run against the baseline run, matched by the same idle period of the record
 * @matrix: [baseline state][patched state]; @better, @worse, @same: of the changed ones, by miss class
 */
struct cpir_changes {
	uint64_t decisions, changed, better, worse, same;
	uint64_t matrix[CPIR_STATES_MAX][CPIR_STATES_MAX];
};

enum cpir_role { CPIR_ROLE_RECORD, CPIR_ROLE_BASELINE, CPIR_ROLE_PATCHED };
enum cpir_run_kind { CPIR_RUN_RECORD, CPIR_RUN_VERIFICATION, CPIR_RUN_WHAT_IF };

struct cpir_run {
	const char *name; /* "record" or the policy in full */
	enum cpir_role role;
	enum cpir_run_kind kind;
	struct cpir_totals total;
	size_t cpu_count;
	struct cpir_cpu_totals *cpus; /* sorted by CPU number */
	bool has_changes;
	struct cpir_changes changes;
};

/** enum cpir_cause - why a verified decision differs from the record */
enum cpir_cause {
	CPIR_CAUSE_THRESHOLD, /* would agree if an input moved by its stated uncertainty */
	CPIR_CAUSE_UNKNOWN_INPUT,
	CPIR_CAUSE_REJECT,  /* the record looks like a rejected entry */
	CPIR_CAUSE_HISTORY, /* would agree if what the governor remembers moved by its uncertainty */
	CPIR_CAUSE_REAL,    /* unexplained */
	CPIR_CAUSE_COUNT
};
const char *cpir_cause_name(enum cpir_cause cause);

/** struct cpir_agreement - verification of a policy against the record, warm-up left out */
struct cpir_agreement {
	bool valid;
	const char *policy;
	uint64_t decisions, agreed, undetermined, warmup;
	uint64_t by_cause[CPIR_CAUSE_COUNT];
	uint32_t state_count;
	uint64_t by_state[CPIR_STATES_MAX][CPIR_STATES_MAX]; /* [recorded][decided] */
};

/** struct cpir_difference - one decision of the record that the verified policy takes otherwise */
struct cpir_difference {
	uint32_t cpu;
	uint64_t time_ns, duration_ns; /* the recorded period */
	int recorded, decided;	       /* states */
	enum cpir_cause cause;
	int64_t predicted_ns; /* INT64_MAX: none */
	int64_t sleep_length_ns, delta_next_ns;
	bool looked_up; /* the policy asked for these two */
	bool tick_stopped;
	const char *reason; /* the rule that fired */
};

/** struct cpir_miss_check - our above/below against the trace's cpu_idle_miss events, period by period */
struct cpir_miss_check {
	bool valid;
	uint64_t periods, equal, boundary, other;
};

/** enum cpir_origin - where an input of a decision comes from */
enum cpir_origin {
	CPIR_ORIGIN_OBSERVED, /* an event says so */
	CPIR_ORIGIN_DERIVED,  /* computed from what events say */
	CPIR_ORIGIN_INFERRED, /* learned from the recording or concluded from what it did */
	CPIR_ORIGIN_GIVEN,    /* by the platform or an option */
	CPIR_ORIGIN_UNKNOWN,  /* the trace does not hold it, a default stands in */
	CPIR_ORIGIN_COUNT
};
const char *cpir_origin_name(enum cpir_origin origin);

/** enum cpir_unit - what an input's number is */
enum cpir_unit {
	CPIR_UNIT_TIME,	  /* ns, a moment in the trace's clock */
	CPIR_UNIT_LENGTH, /* ns */
	CPIR_UNIT_YES_NO,
	CPIR_UNIT_COUNT,
	CPIR_UNIT_STATE,
	CPIR_UNIT_STATES, /* bit i = state i */
};

/** struct cpir_input - one thing the governor saw, as rebuilt from the trace */
struct cpir_input {
	const char *name;
	enum cpir_unit unit;
	bool has_value; /* false: there is none, such as no timer pending */
	int64_t value;
	enum cpir_origin origin;
	int64_t uncertainty_ns; /* 0 exact as far as is known, -1 not known */
	char source[192];	/* what it was made from */
};

/** struct cpir_step - one value met on the way to a decision; @index: in a list of values of that name, -1 alone */
struct cpir_step {
	const char *name; /* ends in its unit, if it has one: " ns", " us" */
	int32_t index;
	int64_t value; /* INT64_MAX: none */
};

enum cpir_verdict { CPIR_VERDICT_RIGHT, CPIR_VERDICT_ABOVE, CPIR_VERDICT_BELOW };

/** struct cpir_decided - what one policy makes of the decision, with the recorded history behind it */
struct cpir_decided {
	const char *policy;
	int state;
	bool stop_tick, looked_up;
	int64_t predicted_ns; /* INT64_MAX: none */
	const char *reason;   /* the rule that fired */
	enum cpir_cause
		cause;	   /* why it may differ from the record; baseline only, if state differs */
	bool undetermined; /* baseline only: unknown inputs could make it another state */
	enum cpir_verdict verdict; /* had it been entered and lasted as long */
	struct cpir_step *steps;
	size_t step_count;
};

#define CPIR_INPUTS_MAX 24

/** struct cpir_explained - one decision of the record, what it saw, what policies make of it, and what followed */
struct cpir_explained {
	uint32_t cpu;
	uint64_t enter_ns, exit_ns;
	uint64_t duration_ns; /* as the kernel measured it, as far as is known */
	int state;	      /* recorded */
	bool counts;	      /* false: of the warm-up, or outside of the times studied */
	struct cpir_input inputs[CPIR_INPUTS_MAX];
	size_t input_count;
	struct cpir_decided *decided; /* the baseline first */
	size_t decided_count;
	bool stopped_tick, got_tick, poll_timeout;
	enum cpir_wake wake;
	bool wake_known; /* when it was due: */
	uint64_t wake_ns;
	bool task_known; /* when the first task ran: */
	uint64_t task_ns;
	enum cpir_verdict verdict;
	bool kernel_verdict_known; /* by cpu_idle_miss events */
	enum cpir_verdict kernel_verdict;
};

/** struct cpir_fact - something assumed, learned or read that the numbers rest on, for the header of every output */
struct cpir_fact {
	const char *name;   /* "HZ", "clock offset", "idle entry delay" … */
	const char *value;  /* with unit */
	const char *origin; /* "platform", "inferred from 1203 ticks", "assumed" … */
	const char *effect; /* what it does to the numbers */
};

/**
 * enum cpir_delay_from - what a wake delay was learned from
 * @CPIR_DELAY_TABLE: nothing; the exit latency of the table, beyond that of the next shallower state
 * @CPIR_DELAY_WAKINGS: what is known to have been due at a certain time
 * @CPIR_DELAY_TICKS: when ticks ended periods, as nothing else is known: what the state takes longer than the fastest
 */
enum cpir_delay_from { CPIR_DELAY_TABLE, CPIR_DELAY_WAKINGS, CPIR_DELAY_TICKS };

/** struct cpir_delay - wake delay of a state */
struct cpir_delay {
	const char *state;
	uint64_t latency_ns;
	uint64_t samples; /* 0 if from the table */
	enum cpir_delay_from from;
};

struct cpir_event_count {
	const char *name; /* "power:cpu_idle" */
	uint64_t count;
};

struct cpir_table_use {
	const char *cpus; /* CPU list */
	const struct cpir_table *table;
};

/** struct cpir_result - all a study found; free with cpir_result_free() */
struct cpir_result {
	enum cpir_mode mode;
	struct {
		const char *file, *format, *kernel, *clock;
		uint32_t cpus;
		uint64_t begin_ns, end_ns, lost;
		uint64_t lost_uncounted; /* places where as many more were lost as nobody counted */
		struct cpir_event_count *events; /* sorted by name */
		size_t event_count;
		const char **
			missing; /* events that would have helped: "NAME: what their absence costs" */
		size_t missing_count;
	} trace;
	struct {
		const char *source, *driver, *governor;
		uint32_t hz;
		struct cpir_table_use *tables;
		size_t table_count;
	} platform;
	struct cpir_agreement agreement;
	struct cpir_miss_check miss_check;
	struct cpir_run
		*runs; /* record first, then baseline, then the policies in the order given */
	size_t run_count;
	struct cpir_delay *delays;
	size_t delay_count;
	struct cpir_fact *facts;
	size_t fact_count;
	const char **warnings;
	size_t warning_count;
	bool has_differences;		     /* were they asked for? */
	uint64_t difference_total;	     /* all there are, listed or not */
	struct cpir_difference *differences; /* in time order */
	size_t difference_count;
	struct cpir_explained *explained; /* CPIR_EXPLAIN: the worst first */
	size_t explained_count;
};

/**
 * cpir_study_run - read a trace once, replay it under the policies, give the statistics
 * Errors: -EINVAL (options, policy, platform), -ENODATA (no cpu_idle events, no state table), -EBADMSG (corrupt trace),
 *         -ENOMEM, or what open(2)/read(2) gave.
 */
int cpir_study_run(const struct cpir_study_options *options, struct cpir_result **ret_result,
		   struct cpir_error *err);
void cpir_result_free(struct cpir_result *result);

/** cpir_version - version of this library, "0.1.0" */
const char *cpir_version(void);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif
#endif
