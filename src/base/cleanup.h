/* SPDX-License-Identifier: GPL-2.0-only */
/* Scope-owned resources: `_cleanup_free_ char *s = …;` and handing them over with take_ptr(). */
#ifndef BASE_CLEANUP_H
#define BASE_CLEANUP_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define _cleanup_(fn) __attribute__((cleanup(fn)))

static inline void cleanup_free(void *p)
{
	free(*(void **)p);
}

static inline void cleanup_fclose(FILE **f)
{
	if (*f)
		(void)fclose(*f);
}

static inline void cleanup_close(int *fd)
{
	if (*fd >= 0)
		(void)close(*fd);
}

#define _cleanup_free_ _cleanup_(cleanup_free)
#define _cleanup_fclose_ _cleanup_(cleanup_fclose)
#define _cleanup_close_ _cleanup_(cleanup_close)

/* take_ptr - give up ownership: the value of @p, which becomes NULL */
#define take_ptr(p)                                                                                \
	({                                                                                         \
		__auto_type __p = (p);                                                             \
		(p) = NULL;                                                                        \
		__p;                                                                               \
	})

#endif
