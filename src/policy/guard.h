/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Calling code that may crash or never come back, and surviving it. While a guard is held, the process has handlers for
 * SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGVTALRM; outside guarded calls they pass signals on to what was there before.
 * The guarded code must hold no lock and own no memory: it is left where it stands.
 */
#ifndef POLICY_GUARD_H
#define POLICY_GUARD_H

#define GUARD_SECONDS                                                                              \
	1 /* of its thread's CPU time a call may take; it is noticed before twice that */

/** guard_acquire - set up the handlers, or share those of another holder; 0 or a negative errno */
int guard_acquire(void);

/** guard_release - undo one guard_acquire(); no guarded call may be under way */
void guard_release(void);

/**
 * guard_call - call @fn(@arg) in this thread; needs a guard that is held
 * Returns: 0 it came back; the signal that ended it, SIGVTALRM for taking too long; -ENOMEM, -EAGAIN no means to watch it
 */
int guard_call(void (*fn)(void *arg), void *arg);

/** guard_reason - what a positive result of guard_call() means: "accesses memory that is not there (SIGSEGV)" */
const char *guard_reason(int signal);

#endif
