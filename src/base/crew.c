// SPDX-License-Identifier: GPL-2.0-only
#include "base/crew.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

/*
 * Lists follow one another at once, and to be woken takes longer than most waits: so look for the next one this often, and
 * then more often while nobody else wants the processor, before going to sleep.
 */
#define LOOKS 1000
#define YIELDS 2000

struct crew {
	pthread_mutex_t lock;
	pthread_cond_t begun, ended;
	pthread_t threads[CREW_MAX - 1];
	unsigned hired;
	/* the list at hand */
	void (*fn)(void *arg, unsigned job);
	void *arg;
	_Atomic(uint64_t)
		left; /* jobs nobody has begun: the first, in the upper half the one after the last */
	atomic_uint working; /* hired threads that have joined in and not finished */
	atomic_uint list;    /* number of lists begun so far */
	bool open, over;     /* with @lock held: a list may be joined; there will be no more */
};

#define HALF 32

static uint64_t left_of(unsigned first, unsigned end)
{
	return (uint64_t)end << HALF | first;
}

/* The next job, from the front or from the back; false: none is left. */
static bool begin_job(struct crew *crew, bool from_back, unsigned *ret_job)
{
	uint64_t left = atomic_load(&crew->left), rest;
	unsigned first, end;

	do {
		first = (unsigned)left;
		end = (unsigned)(left >> HALF);
		if (first == end)
			return false;
		rest = from_back ? left_of(first, end - 1) : left_of(first + 1, end);
	} while (!atomic_compare_exchange_weak(&crew->left, &left, rest));
	*ret_job = from_back ? end - 1 : first;
	return true;
}

static void work(struct crew *crew, bool from_back)
{
	unsigned job;

	while (begin_job(crew, from_back, &job))
		crew->fn(crew->arg, job);
}

static inline void pause_briefly(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#endif
}

static void look_for_change(atomic_uint *value, unsigned from)
{
	for (unsigned i = 0; i < LOOKS + YIELDS; i++) {
		if (atomic_load_explicit(value, memory_order_acquire) != from)
			return;
		if (i < LOOKS)
			pause_briefly();
		else
			(void)sched_yield();
	}
}

/* Wait for the list after @seen and join in; false: there will be none, or it was done without us. */
static bool join(struct crew *crew, unsigned *seen, bool *ret_over)
{
	bool joined;

	look_for_change(&crew->list, *seen);
	(void)pthread_mutex_lock(&crew->lock);
	while (!crew->over && atomic_load(&crew->list) == *seen)
		(void)pthread_cond_wait(&crew->begun, &crew->lock);
	*seen = atomic_load(&crew->list);
	*ret_over = crew->over;
	joined = crew->open && !crew->over;
	if (joined)
		atomic_fetch_add(&crew->working, 1);
	(void)pthread_mutex_unlock(&crew->lock);
	return joined;
}

static void *hired_run(void *arg)
{
	struct crew *crew = arg;
	unsigned seen = 0;
	bool over = false;

	while (!over) {
		if (!join(crew, &seen, &over))
			continue;
		work(crew, false);
		(void)pthread_mutex_lock(&crew->lock);
		if (atomic_fetch_sub(&crew->working, 1) == 1)
			(void)pthread_cond_signal(&crew->ended);
		(void)pthread_mutex_unlock(&crew->lock);
	}
	return NULL;
}

struct crew *crew_new(unsigned threads)
{
	struct crew *crew = calloc(1, sizeof(*crew));

	if (!crew)
		return NULL;
	(void)pthread_mutex_init(&crew->lock, NULL);
	(void)pthread_cond_init(&crew->begun, NULL);
	(void)pthread_cond_init(&crew->ended, NULL);
	while (crew->hired + 1 < threads && crew->hired < CREW_MAX - 1 &&
	       !pthread_create(&crew->threads[crew->hired], NULL, hired_run, crew))
		crew->hired++;
	return crew;
}

void crew_free(struct crew *crew)
{
	if (!crew)
		return;
	(void)pthread_mutex_lock(&crew->lock);
	crew->over = true;
	atomic_fetch_add(&crew->list, 1);
	(void)pthread_cond_broadcast(&crew->begun);
	(void)pthread_mutex_unlock(&crew->lock);
	for (unsigned i = 0; i < crew->hired; i++)
		(void)pthread_join(crew->threads[i], NULL);
	(void)pthread_cond_destroy(&crew->begun);
	(void)pthread_cond_destroy(&crew->ended);
	(void)pthread_mutex_destroy(&crew->lock);
	free(crew);
}

unsigned crew_size(const struct crew *crew)
{
	return crew ? crew->hired + 1 : 1;
}

static void list_begin(struct crew *crew, unsigned jobs, void (*fn)(void *arg, unsigned job),
		       void *arg)
{
	(void)pthread_mutex_lock(&crew->lock);
	crew->fn = fn;
	crew->arg = arg;
	atomic_store(&crew->left, left_of(1, jobs));
	crew->open = true;
	atomic_fetch_add(&crew->list, 1);
	(void)pthread_cond_broadcast(&crew->begun);
	(void)pthread_mutex_unlock(&crew->lock);
}

/* All jobs are begun: nobody need join in any more, and those who have will soon be done. */
static void list_end(struct crew *crew)
{
	unsigned working, before = 0;

	while ((working = atomic_load(&crew->working)) && working != before) {
		look_for_change(&crew->working, working);
		before = working;
	}
	(void)pthread_mutex_lock(&crew->lock);
	crew->open = false;
	while (atomic_load(&crew->working))
		(void)pthread_cond_wait(&crew->ended, &crew->lock);
	(void)pthread_mutex_unlock(&crew->lock);
}

void crew_run(struct crew *crew, unsigned jobs, void (*fn)(void *arg, unsigned job), void *arg)
{
	if (crew_size(crew) == 1 || jobs < 2) {
		for (unsigned job = 0; job < jobs; job++)
			fn(arg, job);
		return;
	}
	list_begin(crew, jobs, fn, arg);
	fn(arg, 0);
	work(crew, true);
	list_end(crew);
}
