/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the tool and a governor compiled from its source tell each other. Included by both sides; plain types only, times
 * in ns. A simulated CPU is one piece of memory: struct shim_cpu, and behind it what the governor keeps per CPU. Nothing
 * in it points into it, so one memcpy() saves it or takes it elsewhere.
 */
#ifndef SHIM_ABI_H
#define SHIM_ABI_H

#define SHIM_STATES_MAX 16

/** struct shim_table - the idle states */
struct shim_table {
	unsigned int count;
	struct {
		unsigned long long exit_latency_ns, target_residency_ns;
		unsigned char polling;
	} states[SHIM_STATES_MAX];
};

/** struct shim_question - what the governor may ask; filled in for a call and zeroed after it */
struct shim_question {
	long long clock_ns;
	/* In select(). */
	long long sleep_length_ns, delta_next_ns, latency_req_ns;
	unsigned int nr_iowait, disabled_mask;
	unsigned char tick_stopped, utilised, nohz_full;
	unsigned char looked_up; /* its answer: the sleep length was asked for */
	unsigned char stop_tick; /* its answer */
	/* In reflect(). */
	unsigned char got_tick;
	int poll_time_limit; /* -1: the flag stays as it is */
	int entered;	     /* -1: nothing was entered */
	long long residency_ns;
};

/**
 * struct shim_cpu - head of a simulated CPU
 * @tick_ns: set before enable()
 * @sets_poll_limit: the governor does such a thing at all; @poll_limit_ns: to what
 */
struct shim_cpu {
	long long tick_ns;
	unsigned long long poll_limit_ns;
	unsigned long long sets_poll_limit;
	struct shim_question ask;
};

/**
 * struct shim_governor - what the object exports under the name cpir_shim_governor
 * @init: run the governor's initcall, once; 0 when it has registered a governor with a select()
 * @name: of the governor, after init()
 * @state_size: bytes of a simulated CPU
 * @enable: start over with @table; returns what the governor returns
 * @select: returns the state
 */
struct shim_governor {
	int (*init)(void);
	const char *(*name)(void);
	unsigned long (*state_size)(void);
	int (*enable)(struct shim_cpu *cpu, const struct shim_table *table);
	int (*select)(struct shim_cpu *cpu);
	void (*reflect)(struct shim_cpu *cpu);
};

#endif
