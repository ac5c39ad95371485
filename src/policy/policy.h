/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a policy is: the twin of the kernel's struct cpuidle_governor, with every hidden input made a field.
 * A policy neither reads clocks nor keeps anything outside its per-CPU state.
 */
#ifndef POLICY_POLICY_H
#define POLICY_POLICY_H

#include "cpuidle-replay.h"

#define POLICY_NO_LIMIT_NS 2000000000000LL /* latency_req without any constraint: 2e9 us */
#define POLICY_STEPS_MAX 64
#define POLICY_DEFAULT_HZ 250 /* until policy_set_hz() says better */

/** struct policy_input - what the governor's select() would see. Times in ns; lengths may be negative (overdue). */
struct policy_input {
	int64_t sleep_length_ns; /* to the next event if the tick were stopped */
	int64_t delta_next_ns;	 /* to the next event, the tick included */
	bool tick_stopped;
	bool nohz_full; /* this CPU is in the nohz_full list */
	bool utilised;	/* runqueue utilisation above capacity/64 (teo 6.3-6.10) */
	int64_t latency_req_ns;
	uint32_t nr_iowait;
	uint32_t disabled_mask; /* bit i = state i disabled, by table or later */
	uint64_t load_weight;	/* run queue load (menu 4.17-4.19) */
	int64_t clock_ns;	/* time of the decision */
	const int64_t *
		hindsight_ns; /* per state, how long the CPU would sleep in it; NULL: nobody knows */
};

#define POLICY_STEP_NONE INT64_MAX /* value of a step that gave nothing */

/**
 * struct policy_step - one line of an explanation: a named value met on the way to the decision
 * @name: static; ends in its unit, if it has one: " ns", " us"
 * @index: in a list of values of that name, which follow each other; -1 alone
 */
struct policy_step {
	const char *name;
	int32_t index;
	int64_t value;
};

/** struct policy_steps - filled by select() only when asked for; the policy stops at POLICY_STEPS_MAX */
struct policy_steps {
	unsigned count;
	struct policy_step step[POLICY_STEPS_MAX];
};

/** struct policy_decision - what select() decided */
struct policy_decision {
	int state; /* index in the table */
	bool stop_tick;
	bool looked_up_timers; /* asked for the sleep length */
	int64_t predicted_ns;  /* final prediction, INT64_MAX none */
	int64_t poll_limit_ns; /* poll limit the governor set, -1 the idle loop's own */
	const char *reason;    /* static sentence: the rule that fired */
};

/** struct policy_outcome - what the governor's reflect() is told */
struct policy_outcome {
	int entered; /* state, -1: rejected or cancelled (reflect is not called; last residency is 0) */
	int64_t residency_ns;
	int poll_time_limit; /* 1 the polling state hit its limit, 0 not, -1 flag unchanged (not a polling state) */
	bool got_tick;
	int64_t clock_ns;
};

struct cpir_policy;

/**
 * struct policy_ops - a governor. @config holds the knobs, made once by the registry; @state is per CPU.
 * enable:  start from a freshly enabled governor
 * select:  digest the last outcome, decide. @steps may be NULL.
 * reflect: take the outcome of the period just ended (also for cancelled ones: entered = -1)
 * poll_limit_ns: time limit of the polling state as the governor has set it by now; NULL: it sets none
 * asks_for: the number of a state that the knobs name, which the platform must have; NULL: none
 * failure: why the policy has come to an end while it ran (-EFAULT), or 0; NULL: it cannot
 * dispose: free what the config refers to, not the config; NULL: nothing
 */
struct policy_ops {
	const char *name;
	bool hindsight; /* reads policy_input.hindsight_ns */
	bool from_source; /* compiled from a kernel's source, which may do anything; no built-in of that name */
	size_t state_size;
	size_t state_fixed; /* bytes at its front that enable() sets for good */
	void (*enable)(const struct cpir_policy *policy, const struct cpir_table *table,
		       void *state);
	void (*select)(const struct cpir_policy *policy, const struct cpir_table *table,
		       void *state, const struct policy_input *input,
		       struct policy_decision *ret_decision, struct policy_steps *steps);
	void (*reflect)(const struct cpir_policy *policy, const struct cpir_table *table,
			void *state, const struct policy_outcome *outcome);
	int64_t (*poll_limit_ns)(const struct cpir_policy *policy, const void *state);
	uint32_t (*asks_for)(const struct cpir_policy *policy);
	int (*failure)(const struct cpir_policy *policy, struct cpir_error *err);
	void (*dispose)(struct cpir_policy *policy);
};

/** struct cpir_policy - a governor with its knobs, shared read-only by all CPUs and threads */
struct cpir_policy {
	const struct policy_ops *ops;
	char name[256];
	uint32_t
		release; /* kernel of the policy as major << 16 | minor << 8 | min(stable, 255), 0 none */
	int64_t tick_ns; /* set by policy_set_hz() before use */
	int64_t tick_us;
	uint32_t word_bits; /* 32 or 64 */
	void *config;	    /* the governor's own knobs, owned */
	size_t state_unused; /* bytes at the end of ops->state_size that with these knobs nobody reads or writes */
};

/** policy_state_size - bytes of one CPU's state under @policy; a multiple of what its alignment asks for */
static inline size_t policy_state_size(const struct cpir_policy *policy)
{
	return policy->ops->state_size - policy->state_unused;
}

/**
 * policy_failure - to be asked after a run: 0, or -EFAULT and why the policy's decisions are worth nothing, which can
 * happen to one that is made of foreign code
 */
static inline int policy_failure(const struct cpir_policy *policy, struct cpir_error *err)
{
	return policy->ops->failure ? policy->ops->failure(policy, err) : 0;
}

/** policy_same - both decide alike whatever happens: the same built-in governor with the same knobs */
bool policy_same(const struct cpir_policy *a, const struct cpir_policy *b);

/** policy_set_hz - tell the policy the tick rate of the machine (24 … 10000); must precede enable */
void policy_set_hz(struct cpir_policy *policy, uint32_t hz);

/** policy_poll_limit_ns - time limit of the polling state by kernel version (governors.md f2), for a table and mask */
int64_t policy_poll_limit_ns(const struct cpir_policy *policy, const struct cpir_table *table,
			     uint32_t disabled_mask);

#endif
