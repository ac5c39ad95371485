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

/** struct shim_cpu - what the governor may ask, and what it answered */
struct shim_cpu {
	long long tick_ns;  /* set before enable() */
	long long clock_ns; /* set before select() and reflect() */
	/* Set before select(). */
	long long sleep_length_ns, delta_next_ns, latency_req_ns;
	unsigned int nr_iowait, disabled_mask;
	unsigned char tick_stopped, utilised, nohz_full;
	/* Set before reflect(). */
	unsigned char got_tick;
	int poll_time_limit; /* -1: the flag stays as it is */
	int entered;	     /* -1: nothing was entered */
	long long residency_ns;
	/* Answers of select(); the poll limit also of enable() and reflect(). */
	unsigned char stop_tick, looked_up;
	unsigned char sets_poll_limit; /* the governor does such a thing at all */
	unsigned long long poll_limit_ns;
};

/**
 * struct shim_governor - what the object exports under the name cpir_shim_governor
 * @init: run the governor's initcall, once; 0 when it has registered a governor with a select()
 * @state_size: bytes of a simulated CPU
 * @enable: start over with @table; returns what the governor returns
 * @select: returns the state
 */
struct shim_governor {
	int (*init)(void);
	unsigned long (*state_size)(void);
	int (*enable)(struct shim_cpu *cpu, const struct shim_table *table);
	int (*select)(struct shim_cpu *cpu);
	void (*reflect)(struct shim_cpu *cpu);
};

#endif
