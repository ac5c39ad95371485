/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * All runs over a share of the CPUs. What one CPU does to another is in the timeline, so from there on each share can be
 * replayed by itself, on a thread of its own, and the results added up.
 */
#ifndef REPLAY_SHARD_H
#define REPLAY_SHARD_H

#include "base/lines.h"
#include "replay/book.h"
#include "replay/idle_loop.h"
#include "replay/stats.h"
#include "replay/verify.h"

struct study;

/** struct what_if - one policy of a comparison, on the CPUs of a shard */
struct what_if {
	struct cpir_policy *policy; /* the study's */
	struct idle_loop *loops
		[BOUNDS]; /* [BOUND_BEST], and where timers are unknown the two bounds; else NULL */
	struct cpir_changes changes; /* against the first one */
};

/** struct shard - what its CPUs have come to so far; statistics of the record and other things by CPU are the study's */
struct OWN_LINES shard {
	struct study *study;
	struct verify *verify;		/* NULL: nothing is decided again */
	ARRAY(struct what_if) what_ifs; /* the baseline first */
	struct cpir_miss_check miss_check;
	uint64_t foreign_states; /* periods in states that the platform does not have */
	ARRAY(const struct stretch *)
	later; /* decided again, not lived through yet by the what-if runs */
	int failure;
};

/** shard_init - the runs of @study's mode and policies; 0 or -ENOMEM, shard_deinit() in any case */
int shard_init(struct shard *shard, struct study *study);
void shard_deinit(struct shard *shard);

/** shard_stretch - replay one stretch, which must be of a CPU of this shard, in its time order; 0 or -ENOMEM */
int shard_stretch(struct shard *shard, struct stretch *stretch);

/** shard_of - which of @shards has @cpu of @cpus: each has CPUs that are neighbours */
static inline unsigned shard_of(uint32_t cpu, uint32_t cpus, unsigned shards)
{
	return (unsigned)((uint64_t)cpu * shards / cpus);
}

/** shard_book - replay what @book has of the CPUs of shard @index; a failure is remembered */
void shard_book(struct study *study, unsigned index, struct book *book);

#endif
