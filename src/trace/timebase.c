// SPDX-License-Identifier: GPL-2.0-only
/* From the time stamps of the ring buffer to the times of the events. */
#include "trace/timebase.h"

#include <errno.h>
#include <stdlib.h>

#define FLAG_INTERPOLATE 1u

static int sample_compare(const void *a, const void *b)
{
	const struct timebase_sample *left = a, *right = b;

	return (left->time > right->time) - (left->time < right->time);
}

/* Only the first of several samples with one time counts. */
static void cpu_sort(struct timebase_cpu *cpu)
{
	uint32_t kept = 0;

	if (!cpu->count)
		return;
	qsort(cpu->samples, cpu->count, sizeof(*cpu->samples), sample_compare);
	for (uint32_t i = 0; i < cpu->count; i++) {
		if (kept && cpu->samples[kept - 1].time == cpu->samples[i].time)
			continue;
		cpu->samples[kept++] = cpu->samples[i];
	}
	cpu->count = kept;
}

static int cpu_parse(struct timebase_cpu *cpu, struct reader *r)
{
	uint32_t count = reader_u32(r);

	if (r->failed || count > (r->in.size - r->pos) / 24)
		return -EBADMSG;
	if (!count)
		return 0;
	cpu->samples = calloc(count, sizeof(*cpu->samples));
	if (!cpu->samples)
		return -ENOMEM;
	cpu->count = count;
	for (uint32_t i = 0; i < count; i++)
		cpu->samples[i].time = reader_u64(r);
	for (uint32_t i = 0; i < count; i++)
		cpu->samples[i].offset = (int64_t)reader_u64(r);
	for (uint32_t i = 0; i < count; i++)
		cpu->samples[i].scaling = reader_u64(r);
	return 0;
}

static int cpus_parse(struct timebase *base, struct reader *r)
{
	uint32_t count = reader_u32(r);

	if (r->failed || count > CPIR_CPUS_MAX || count > (r->in.size - r->pos) / 4)
		return -EBADMSG;
	if (!count)
		return 0;
	base->cpus = calloc(count, sizeof(*base->cpus));
	if (!base->cpus)
		return -ENOMEM;
	base->cpu_count = count;
	for (uint32_t i = 0; i < count; i++) {
		int rc = cpu_parse(&base->cpus[i], r);

		if (rc < 0)
			return rc;
	}
	return 0;
}

/* Files of newer recorders say by how many bits the scaled time is to be shifted; without, it is 0. */
static int fractions_parse(struct timebase *base, struct reader *r)
{
	if (r->pos == r->in.size)
		return 0;
	for (uint32_t i = 0; i < base->cpu_count; i++) {
		for (uint32_t k = 0; k < base->cpus[i].count; k++)
			base->cpus[i].samples[k].fraction = reader_u64(r);
	}
	return r->failed ? -EBADMSG : 0;
}

int timebase_parse_shift(struct timebase *base, struct span option, bool swap)
{
	struct reader r = {.in = option, .swap = swap};
	int rc;

	timebase_free(base);
	(void)reader_u64(&r); /* which session it was measured against */
	base->interpolate = reader_u32(&r) & FLAG_INTERPOLATE;
	rc = cpus_parse(base, &r);
	if (rc < 0)
		return rc;
	rc = fractions_parse(base, &r);
	if (rc < 0)
		return rc;
	for (uint32_t i = 0; i < base->cpu_count; i++)
		cpu_sort(&base->cpus[i]);
	return 0;
}

void timebase_free(struct timebase *base)
{
	for (uint32_t i = 0; i < base->cpu_count; i++)
		free(base->cpus[i].samples);
	free(base->cpus);
	base->cpus = NULL;
	base->cpu_count = 0;
}

/* The last sample not after @time that has a successor; the first and last pairs reach beyond the ends. */
static const struct timebase_sample *sample_find(const struct timebase_cpu *cpu, uint64_t time)
{
	uint32_t low = 0, high = cpu->count - 2;

	while (low < high) {
		uint32_t mid = low + (high - low + 1) / 2;

		if (cpu->samples[mid].time <= time)
			low = mid;
		else
			high = mid - 1;
	}
	return &cpu->samples[low];
}

/* How much the offset has changed from the sample @s to @time on its way to the next one, rounded. */
static int64_t offset_between(const struct timebase_sample *s, uint64_t time)
{
	__int128 span = (__int128)s[1].time - s[0].time;
	__int128 into = (__int128)time - s[0].time;
	__int128 drift = (__int128)s[1].offset - s[0].offset;
	__int128 product;

	if (__builtin_mul_overflow(into, drift, &product))
		return 0; /* no clock drifts like that */
	if (__builtin_add_overflow(product, span / 2, &product))
		return 0;
	return (int64_t)(product / span);
}

static uint64_t guest_to_host(const struct timebase *base, const struct timebase_cpu *cpu,
			      uint64_t time)
{
	const struct timebase_sample *s;
	uint64_t correction;

	if (cpu->count == 1)
		return time + (uint64_t)cpu->samples[0].offset;
	s = sample_find(cpu, time);
	correction = (uint64_t)s->offset;
	if (base->interpolate)
		correction += (uint64_t)offset_between(s, time);
	return (time * s->scaling >> (s->fraction & 63)) + correction;
}

static const struct timebase_cpu *cpu_find(const struct timebase *base, uint32_t cpu)
{
	return cpu < base->cpu_count && base->cpus[cpu].count ? &base->cpus[cpu] : NULL;
}

bool timebase_is_offset(const struct timebase *base, uint32_t cpu)
{
	return !base->mult && !cpu_find(base, cpu);
}

uint64_t timebase_convert(const struct timebase *base, uint32_t cpu, uint64_t time)
{
	const struct timebase_cpu *shift = cpu_find(base, cpu);

	if (shift)
		time = guest_to_host(base, shift, time);
	if (base->mult)
		time = (uint64_t)((unsigned __int128)time * base->mult >> (base->shift & 127));
	return time + base->offset_ns;
}
