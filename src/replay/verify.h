/* SPDX-License-Identifier: GPL-2.0-only */
/* The verification run: the recorded history, decided again, against what the record chose. */
#ifndef REPLAY_VERIFY_H
#define REPLAY_VERIFY_H

#include "replay/inputs.h"
#include "replay/spell.h"

/* How far the idle entry time may be off: the learned delay is a constant, the true one varies by interrupts. */
#define ENTRY_UNCERTAINTY_NS 5000

/* How far a residency may be off: what writing an event costs is learned as a constant, and is none. */
#define RESIDENCY_UNCERTAINTY_NS 3000

struct verify;

/** verify_new - @policy and @context must outlive it; @cpus CPUs; NULL: no memory */
struct verify *verify_new(const struct context *context, const struct cpir_policy *policy,
			  uint32_t cpus);
void verify_free(struct verify *verify);

/**
 * verify_stretch - decide every period of @stretch again
 * @counts: false during warm-up
 * Also marks, in the stretch, what the record proves about inputs that no event shows (the tick kept running, unknown
 * timers), so that a what-if run after it sees the same. 0 or -ENOMEM
 */
int verify_stretch(struct verify *verify, struct stretch *stretch, bool counts);

/** verify_settle - stretches decided so far will not be marked any more; without timer events they are, by what follows */
void verify_settle(struct verify *verify);

/** verify_decisions - how many decisions of @stretch a run with @context and as many CPUs looks at */
size_t verify_decisions(const struct context *context, const struct stretch *stretch);

/** verify_keep_past - remember on all CPUs what was decided; to be called before the first stretch */
void verify_keep_past(struct verify *verify);

/** verify_past - what the governor on @cpu has lived through so far, NULL nothing; valid until the next stretch */
const struct past *verify_past(const struct verify *verify, uint32_t cpu);

/** verify_forget_past - nobody will ask for the past of @cpu any more */
void verify_forget_past(struct verify *verify, uint32_t cpu);

/** struct verified - one decision of the record, decided again; pointers are valid during the call only */
struct verified {
	const struct stretch *stretch;
	const struct period *period;
	const struct sight *sight;
	const struct policy_input *input;
	const struct policy_decision *decision;
	const void *before, *state; /* the policy's, before and after the decision */
	bool undetermined;	    /* an unknown input could be so that another state comes out */
	enum cpir_cause cause;	    /* valid when a state was entered and another one decided */
	bool counts;
};

/**
 * verify_follow - @verify is for a policy that is not the record's own: the record is no evidence of its inputs, and
 * periods are taken as the run of the record's policy, which must come first, has marked them
 */
void verify_follow(struct verify *verify);

/** verify_skip_causes - nobody will ask why decisions differ, only how many do: do not look for the causes */
void verify_skip_causes(struct verify *verify);

/** verify_policy - the policy it was made for */
const struct cpir_policy *verify_policy(const struct verify *verify);

/** verify_watch - call @fn for each decision from now on */
void verify_watch(struct verify *verify, void (*fn)(void *arg, const struct verified *verified),
		  void *arg);

/** verify_steps - from within a watcher's call: the values met on the way to the decision it was called for */
void verify_steps(const struct verify *verify, const struct verified *verified,
		  struct policy_steps *ret_steps);

/** verify_worst_spell - @worst becomes the spell of any CPU in which more decisions than in @worst are not the record's */
void verify_worst_spell(const struct verify *verify, struct spell *worst);

/** verify_agreement - add the tally so far to @sum, which begins as zeroes */
void verify_agreement(const struct verify *verify, struct cpir_agreement *sum);

#endif
