// SPDX-License-Identifier: GPL-2.0-only
/*
 * The yardstick: a process that opens a trace, passes by every record of every page, adding up its time, and does nothing
 * with it. Plain code for the usual format (64-bit, of this machine's byte order). Prints how many records there were.
 * Usage: page-walk FILE
 */
#include "trace/trace_state.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PADDING = 29, TIME_EXTEND = 30, TIME_STAMP = 31 };

#define SIZE_MASK 0xfffff /* of a page's commit word: the upper bits are flags */

struct sum {
	uint64_t records, times;
};

static uint32_t word(const uint8_t *at)
{
	uint32_t value;

	memcpy(&value, at, sizeof(value));
	return value;
}

static uint64_t long_word(const uint8_t *at)
{
	uint64_t value;

	memcpy(&value, at, sizeof(value));
	return value;
}

static void walk(const uint8_t *page, size_t size, struct sum *sum)
{
	uint64_t time = long_word(page), length = long_word(page + 8) & SIZE_MASK;
	const uint8_t *at = page + 16, *end = at + (length < size - 16 ? length : size - 16);

	while (at + 8 <= end) {
		uint32_t type = word(at) & 31, delta = word(at) >> 5;

		switch (type) {
		case PADDING:
			at = delta ? at + 4 + word(at + 4) : end;
			break;
		case TIME_EXTEND:
			time += delta + ((uint64_t)word(at + 4) << 27);
			at += 8;
			break;
		case TIME_STAMP:
			time = delta + ((uint64_t)word(at + 4) << 27);
			at += 8;
			break;
		default:
			time += delta;
			sum->records++;
			sum->times += time;
			at += 4 + (type ? 4 * type : word(at + 4));
		}
	}
}

static int walk_cpu(struct trace *trace, uint32_t cpu, struct sum *sum, struct cpir_error *err)
{
	struct pages pages;
	struct span page;
	int ret;

	ret = pages_open(&pages, &trace->file, cpu, trace->info.page_size, err);
	if (ret < 0)
		return ret;
	while ((ret = pages_next(&pages, &page, err)) > 0)
		walk(page.data, page.size, sum);
	pages_close(&pages);
	return ret;
}

int main(int argc, char **argv)
{
	const struct trace_options options = {0};
	struct trace *trace = NULL;
	struct cpir_error err = {0};
	struct sum sum = {0};
	int ret;

	if (argc != 2)
		return 2;
	ret = trace_open(argv[1], &options, &trace, &err);
	if (!ret) { /* a bare walk is one through the mapped file */
		(void)close(trace->file.fd);
		trace->file.fd = -1;
	}
	for (uint32_t cpu = 0; !ret && cpu < trace->info.cpus; cpu++)
		ret = walk_cpu(trace, cpu, &sum, &err);
	if (ret < 0)
		fprintf(stderr, "page-walk: %s\n", err.text);
	else
		printf("%" PRIu64 " records, times %" PRIx64 "\n", sum.records, sum.times);
	trace_close(trace);
	return ret < 0;
}
