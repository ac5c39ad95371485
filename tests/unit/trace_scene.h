/* SPDX-License-Identifier: GPL-2.0-only */
/* A made-up trace of two CPUs, and what must come out of it. */
#ifndef TRACE_SCENE_H
#define TRACE_SCENE_H

#include "trace/trace_state.h"
#include "trace_fixture.h"

#define PAGES 5
#define EVENTS 7 /* per page */

/** struct scene - a file with a top instance of two CPUs, and perhaps a second instance */
struct scene {
	struct fixture fixture;
	struct blob cpus[2], others[2];
	struct fixture_buffer buffers[2];
	struct blob file;
};

/* scene_fixture - a file with power:cpu_idle, one symbol and pages of 256 bytes */
struct fixture scene_fixture(unsigned version, bool big_endian, unsigned long_size,
			     enum compression compression);

/* scene_pages - pages of CPU @cpu: event number i has state i and comes at @begin + 10 i; before page 3 42 events are lost */
struct blob scene_pages(const struct fixture *fixture, uint32_t cpu, uint64_t begin);

/* scene_begin - CPU 0 begins at 1000, CPU 1 at 1005; then change what is to be different, scene_build(), scene_end() */
void scene_begin(struct scene *s, struct fixture fixture);
void scene_build(struct scene *s);
void scene_end(struct scene *s);

int scene_open(const struct scene *s, const char *instance, struct trace **ret_trace,
	       struct cpir_error *err);
struct trace *scene_must_open(const struct scene *s, const char *instance);

/* scene_expect_error - opening fails with @code and a sentence that has @text in it */
void scene_expect_error(const struct scene *s, const char *instance, int code, const char *text);

/* scene_check_cpu - all events of @cpu, in batches of @batch, are those of scene_pages() */
void scene_check_cpu(struct trace *trace, uint32_t cpu, uint64_t begin, unsigned batch);

#endif
