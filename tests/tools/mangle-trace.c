// SPDX-License-Identifier: GPL-2.0-only
/*
 * Real traces cut short and damaged in many ways: always a clear error or events, never a crash, a hang, or a read out of
 * bounds (run it with the address sanitizer). Usage: mangle-trace [-n COUNT] FILE…; a TAP line per file and kind of damage.
 * With no readable FILE it is skipped.
 */
#include "trace/merge.h"
#include "trace/trace_state.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/** struct subject - a file in memory, and places in it where structure is */
struct subject {
	const char *path;
	uint8_t *data;
	size_t size;
	uint64_t end; /* of what is needed (version 7) */
	ARRAY(uint64_t) places;
	unsigned count; /* of damages to do */
	uint64_t seed;
	char why[1200];
};

static uint64_t random_next(struct subject *s)
{
	s->seed = s->seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return s->seed >> 24;
}

/* Open and read everything; the first error. */
static int read_all(struct span bytes, struct cpir_error *err)
{
	struct trace_options options = {0};
	const struct event *event;
	struct trace_merge *merge;
	struct trace *trace;
	int rc = trace_open_memory("subject", bytes, &options, &trace, err);

	if (rc < 0)
		return rc;
	rc = trace_merge_open(trace, NULL, &merge, err);
	if (rc == 0) {
		while ((rc = trace_merge_next(merge, &event, err)) > 0)
			;
		trace_merge_close(merge);
	}
	(void)trace_function_name(trace, UINT64_C(0xc000000000100000));
	trace_close(trace);
	return rc;
}

/* ---- where it hurts ------------------------------------------------------------------------------------------------ */

static void place_add(struct subject *s, uint64_t place)
{
	uint64_t *added = place <= s->size ? array_add(&s->places) : NULL;

	if (added)
		*added = place;
}

static void places_of_chunks(struct subject *s, const struct tracedat *file,
			     const struct tracedat_cpu *cpu)
{
	struct reader r = {.in = file->file, .swap = file->swap, .pos = cpu->offset};
	uint32_t chunks = reader_u32(&r);

	for (uint32_t i = 0; i < chunks && !r.failed; i++) {
		uint32_t packed;

		place_add(s, r.pos);
		packed = reader_u32(&r);
		(void)reader_u32(&r);
		(void)reader_bytes(&r, packed);
	}
}

/* Begin of the file, of the pages of each CPU, of chunks, and its end. */
static bool places_find(struct subject *s)
{
	struct span bytes = {s->data, s->size};
	struct trace_options options = {0};
	struct cpir_error err;
	struct trace *trace;

	if (trace_open_memory("subject", bytes, &options, &trace, &err) < 0) {
		(void)snprintf(s->why, sizeof(s->why), "%s", err.text);
		return false;
	}
	place_add(s, 0);
	for (uint32_t i = 0; i < trace->file.cpu_count; i++) {
		const struct tracedat_cpu *cpu = &trace->file.cpus[i];

		place_add(s, cpu->offset);
		place_add(s, cpu->offset + cpu->size);
		if (trace->file.pages_packed && cpu->size)
			places_of_chunks(s, &trace->file, cpu);
	}
	place_add(s, s->size - 64);
	s->end = trace->file.end;
	place_add(s, s->end);
	trace_close(trace);
	return true;
}

/* A place near structure, or anywhere. */
static size_t place_choose(struct subject *s)
{
	uint64_t at = s->places.ptr[random_next(s) % s->places.len] + random_next(s) % 32;

	return random_next(s) % 4 && at < s->size ? at : random_next(s) % s->size;
}

/* ---- damage ---------------------------------------------------------------------------------------------------------- */

static bool cut_at(struct subject *s, size_t size)
{
	uint8_t *copy = malloc(size + !size); /* just as long, so that a read beyond it is seen */
	struct cpir_error err = {0};
	int rc;

	if (!copy)
		return false;
	memcpy(copy, s->data, size);
	rc = read_all((struct span){copy, size}, &err);
	free(copy);
	if (rc == 0 && size == s->end)
		return true; /* all that is gone is a section we have no use for */
	if (rc == -EBADMSG && strstr(err.text, "subject: ") && strstr(err.text, "(at byte "))
		return true;
	(void)snprintf(s->why, sizeof(s->why), "cut at %zu: %d %s", size, rc, err.text);
	return false;
}

static bool cut_everywhere(struct subject *s)
{
	for (size_t i = 0; i < s->places.len; i++) {
		for (uint64_t size = s->places.ptr[i] < 2 ? 0 : s->places.ptr[i] - 2;
		     size < s->places.ptr[i] + 12 && size < s->size; size++) {
			if (!cut_at(s, size))
				return false;
		}
	}
	for (unsigned i = 0; i < s->count / 4; i++) {
		if (!cut_at(s, random_next(s) % s->size))
			return false;
	}
	return true;
}

static bool is_known(int rc)
{
	return rc == 0 || rc == -EBADMSG || rc == -ENOTSUP || rc == -EINVAL;
}

/* Change up to four bytes, read, and put them right again. */
static bool flip(struct subject *s)
{
	unsigned bytes = 1 + random_next(s) % 4;
	struct cpir_error err = {0};
	uint8_t before[4];
	size_t at[4];
	int rc;

	for (unsigned i = 0; i < bytes; i++) {
		at[i] = place_choose(s);
		before[i] = s->data[at[i]];
		s->data[at[i]] = random_next(s) % 2 ? (uint8_t)random_next(s)
						    : before[i] ^ (1u << random_next(s) % 8);
	}
	rc = read_all((struct span){s->data, s->size}, &err);
	for (unsigned i = bytes; i-- > 0;)
		s->data[at[i]] = before[i];
	if (is_known(rc) && (rc == 0 || strncmp(err.text, "subject: ", 9) == 0))
		return true;
	(void)snprintf(s->why, sizeof(s->why), "byte %zu and so on: %d %s", at[0], rc, err.text);
	return false;
}

static bool flip_often(struct subject *s)
{
	for (unsigned i = 0; i < s->count; i++) {
		if (!flip(s))
			return false;
	}
	return true;
}

/* ---- the program ------------------------------------------------------------------------------------------------------ */

static bool subject_load(struct subject *s)
{
	FILE *file = fopen(s->path, "rb");
	long size;

	if (!file)
		return false;
	if (fseek(file, 0, SEEK_END) == 0 && (size = ftell(file)) > 0) {
		rewind(file);
		s->data = malloc((size_t)size);
		s->size = s->data ? fread(s->data, 1, (size_t)size, file) : 0;
	}
	(void)fclose(file);
	return s->size > 64;
}

static unsigned report(unsigned *number, const struct subject *s, const char *what, bool good)
{
	printf("%s %u - %s: %s%s%s\n", good ? "ok" : "not ok", ++*number, s->path, what,
	       good ? "" : ": ", good ? "" : s->why);
	(void)fflush(stdout);
	return !good;
}

int main(int argc, char **argv)
{
	unsigned count = 400, number = 0, failed = 0;
	int opt;

	while ((opt = getopt(argc, argv, "n:")) != -1)
		count = opt == 'n' ? (unsigned)strtoul(optarg, NULL, 10) : count;
	for (int i = optind; i < argc; i++) {
		struct subject s = {.path = argv[i], .count = count, .seed = 1};

		if (subject_load(&s)) {
			bool good = places_find(&s);

			failed += report(&number, &s, "cut short", good && cut_everywhere(&s));
			failed += report(&number, &s, "damaged", good && flip_often(&s));
		}
		free(s.data);
		array_free(&s.places);
	}
	printf("1..%u%s\n", number, number ? "" : " # SKIP no traces");
	return failed ? 1 : 0;
}
