// SPDX-License-Identifier: GPL-2.0-only
/*
 * A fault jumps back to the call. Time is watched without a system call per call: a timer on the thread's CPU time looks
 * once in a while whether the same call is still running, and sleeps when no calls are made.
 */
#include "policy/guard.h"

#include "base/array.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif
#define STACK_SIZE (64 << 10) /* for the handler, when the thread's own stack is used up */

/* struct guard - one thread's */
struct guard {
	sigjmp_buf escape;
	volatile sig_atomic_t inside, watched;
	volatile unsigned long calls, seen;
	timer_t timer;
	void *stack; /* NULL: the thread had one */
	struct guard *next;
};

static const struct {
	int number;
	const char *reason;
} signals[] = {
	{SIGSEGV, "accesses memory that is not its own (SIGSEGV)"},
	{SIGBUS, "accesses memory that is not there (SIGBUS)"},
	{SIGFPE, "divides by zero or the like (SIGFPE)"},
	{SIGILL, "stops at a BUG_ON() or an invalid instruction (SIGILL)"},
	{SIGVTALRM, "does not come back: more than a second of CPU time in one call"},
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static int key_error;
static unsigned holders;
static struct sigaction before[array_size(signals)];
static struct guard *guards;
static __thread struct guard *own __attribute__((tls_model("initial-exec")));

/* ---- in the handlers ---------------------------------------------------------------------------------------------- */

static void watch(const struct guard *guard)
{
	const struct itimerspec time = {.it_value.tv_sec = GUARD_SECONDS};

	(void)timer_settime(guard->timer, 0, &time, NULL);
}

static void pass_on(int number, siginfo_t *info, void *context)
{
	size_t i = 0;

	while (signals[i].number != number)
		i++;
	if (before[i].sa_flags & SA_SIGINFO) {
		before[i].sa_sigaction(number, info, context);
	} else if (before[i].sa_handler == SIG_DFL) {
		/* The fault repeats, now without us. */
		(void)sigaction(number, &before[i], NULL);
		if (info->si_code <= 0)
			(void)raise(number);
	} else if (before[i].sa_handler != SIG_IGN) {
		before[i].sa_handler(number);
	}
}

static void handle_fault(int number, siginfo_t *info, void *context)
{
	struct guard *guard = own;

	if (guard && guard->inside)
		siglongjmp(guard->escape, number);
	pass_on(number, info, context);
}

static void handle_time(int number, siginfo_t *info, void *context)
{
	struct guard *guard = own;
	int saved = errno;

	if (info->si_code != SI_TIMER || !guard || info->si_value.sival_ptr != guard) {
		pass_on(number, info, context);
		return;
	}
	if (guard->inside && guard->calls == guard->seen) {
		guard->watched = 0;
		siglongjmp(guard->escape, number);
	}
	guard->seen = guard->calls;
	guard->watched = guard->inside;
	if (guard->inside)
		watch(guard);
	errno = saved;
}

/* ---- one thread --------------------------------------------------------------------------------------------------- */

static void thread_ends(void *arg)
{
	struct guard *guard = arg, **at = &guards;
	const stack_t none = {.ss_flags = SS_DISABLE};

	(void)pthread_mutex_lock(&lock);
	while (*at != guard)
		at = &(*at)->next;
	*at = guard->next;
	(void)pthread_mutex_unlock(&lock);
	(void)timer_delete(guard->timer);
	if (guard->stack)
		(void)sigaltstack(&none, NULL);
	free(guard->stack);
	free(guard);
	own = NULL;
}

static void make_key(void)
{
	key_error = -pthread_key_create(&key, thread_ends);
}

static int give_stack(struct guard *guard)
{
	stack_t stack;

	if (sigaltstack(NULL, &stack) || !(stack.ss_flags & SS_DISABLE))
		return 0;
	guard->stack = malloc(STACK_SIZE);
	if (!guard->stack)
		return -ENOMEM;
	stack = (stack_t){.ss_sp = guard->stack, .ss_size = STACK_SIZE};
	return sigaltstack(&stack, NULL) ? -errno : 0;
}

static int give_timer(struct guard *guard)
{
	struct sigevent event = {
		.sigev_notify = SIGEV_THREAD_ID,
		.sigev_signo = SIGVTALRM,
		.sigev_value.sival_ptr = guard,
	};

	event.sigev_notify_thread_id = gettid();
	return timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &guard->timer) ? -errno : 0;
}

static int thread_begins(void)
{
	struct guard *guard = calloc(1, sizeof(*guard));
	int r;

	if (!guard)
		return -ENOMEM;
	r = give_timer(guard);
	if (r) {
		free(guard);
		return r;
	}
	(void)pthread_mutex_lock(&lock);
	guard->next = guards;
	guards = guard;
	(void)pthread_mutex_unlock(&lock);
	r = give_stack(guard);
	if (!r)
		r = -pthread_setspecific(key, guard);
	if (r)
		thread_ends(guard);
	else
		own = guard;
	return r;
}

static int call_inside(struct guard *guard, void (*fn)(void *arg), void *arg)
{
	int signal = sigsetjmp(guard->escape, 0);

	if (!signal) {
		guard->inside = 1;
		fn(arg);
	}
	guard->inside = 0;
	return signal;
}

int guard_call(void (*fn)(void *arg), void *arg)
{
	int r = own ? 0 : thread_begins();

	if (r)
		return r;
	own->calls++;
	if (!own->watched) {
		own->watched = 1;
		watch(own);
	}
	return call_inside(own, fn, arg);
}

const char *guard_reason(int signal)
{
	for (size_t i = 0; i < array_size(signals); i++)
		if (signals[i].number == signal)
			return signals[i].reason;
	return "cannot be watched";
}

/* ---- the process -------------------------------------------------------------------------------------------------- */

static void set_handlers(void)
{
	for (size_t i = 0; i < array_size(signals); i++) {
		struct sigaction action = {.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER |
						       SA_RESTART};

		action.sa_sigaction = signals[i].number == SIGVTALRM ? handle_time : handle_fault;
		(void)sigaction(signals[i].number, &action, &before[i]);
	}
}

/* Timers first: a late one must not meet the default action. */
static void restore_handlers(void)
{
	const struct itimerspec never = {0};

	for (struct guard *guard = guards; guard; guard = guard->next) {
		(void)timer_settime(guard->timer, 0, &never, NULL);
		guard->watched = 0;
	}
	for (size_t i = 0; i < array_size(signals); i++)
		(void)sigaction(signals[i].number, &before[i], NULL);
}

int guard_acquire(void)
{
	(void)pthread_once(&once, make_key);
	if (key_error)
		return key_error;
	(void)pthread_mutex_lock(&lock);
	if (!holders++)
		set_handlers();
	(void)pthread_mutex_unlock(&lock);
	return 0;
}

void guard_release(void)
{
	(void)pthread_mutex_lock(&lock);
	if (!--holders)
		restore_handlers();
	(void)pthread_mutex_unlock(&lock);
}
