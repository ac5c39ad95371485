/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which idle states were disabled when. No event says so, but the kernel's own verdicts do: it never calls a period "below"
 * when the deeper state it would have wanted is disabled, nor "above" when nothing shallower is enabled.
 */
#ifndef MODEL_MASKS_H
#define MODEL_MASKS_H

#include "base/array.h"
#include "cpuidle-replay.h"

/** struct mask_span - a state was disabled from @begin_ns until @end_ns */
struct mask_span {
	uint64_t begin_ns, end_ns;
	uint8_t state;
};

/** struct mask_doubt - evidence that a state is disabled, not yet contradicted by an entry */
struct mask_doubt {
	uint64_t first_entry_ns,
		last_entry_ns; /* the state was seen entered, so enabled; 0 never */
	uint32_t proofs;       /* verdicts since then that only make sense with it disabled */
};

/** struct masks - zero-initialise; masks_init(), feed in time order per CPU, masks_finish(), ask, masks_free() */
struct masks {
	uint32_t cpus;
	struct mask_lane {
		uint32_t initial; /* as the platform says */
		struct mask_doubt doubt[CPIR_STATES_MAX];
		ARRAY(struct mask_span) spans;
	} * lanes;
};

/** struct mask_evidence - one period of the record and the kernel's verdict on it */
struct mask_evidence {
	uint32_t cpu;
	int state;
	uint64_t enter_ns, duration_ns;
	uint64_t slack_ns; /* durations this close to a threshold prove nothing */
	bool above, below; /* the verdict */
};

/** masks_init - @platform may be NULL; 0 or -ENOMEM */
int masks_init(struct masks *masks, uint32_t cpus, const struct cpir_platform *platform);
void masks_free(struct masks *masks);

/** masks_feed - learn from one period; calls for different CPUs may come from different threads. 0 or -ENOMEM */
int masks_feed(struct masks *masks, const struct cpir_table *table,
	       const struct mask_evidence *evidence);

/**
 * masks_finish - the trace ended at @end_ns; 0 or -ENOMEM
 * @judged: it has verdicts. In one without any, those that are missing prove nothing.
 */
int masks_finish(struct masks *masks, uint64_t end_ns, bool judged);

/** masks_at - bit i = state i of @cpu was disabled at @time_ns */
uint32_t masks_at(const struct masks *masks, uint32_t cpu, uint64_t time_ns);

/** masks_spans - how many spans were found on all CPUs */
size_t masks_spans(const struct masks *masks);

#endif
