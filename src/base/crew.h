/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A crew: a few threads that do one list of jobs after the other, together with the one that hands them out. Between two
 * lists nobody works, so what a list has written the next may read.
 */
#ifndef BASE_CREW_H
#define BASE_CREW_H

struct crew;

#define CREW_MAX 64 /* threads: more would only wait for memory */

/**
 * crew_new - @threads of them, the caller's included, 1 … CREW_MAX; where the system gives fewer, fewer
 * Returns: NULL: no memory
 */
struct crew *crew_new(unsigned threads);
void crew_free(struct crew *crew);

/** crew_size - threads that will share the work, the caller's included; 1 for the crew NULL, which is the caller alone */
unsigned crew_size(const struct crew *crew);

/**
 * crew_run - call @fn for each job 0 … @jobs-1 and wait for all; not from within a job
 * The caller does the first and then begins at the end of the list, the others after the first: so that who did some job in one list
 * mostly does it in the next, and finds in its cache what it is about.
 */
void crew_run(struct crew *crew, unsigned jobs, void (*fn)(void *arg, unsigned job), void *arg);

#endif
