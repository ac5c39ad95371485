// SPDX-License-Identifier: GPL-2.0-only
/* Sorting events by time, digit by digit from the lowest. */
#include "trace/merge_order.h"

/* The counters of a digit fit the first cache, and the times of a round take three digits. */
#define DIGIT_BITS 10
#define DIGITS (1u << DIGIT_BITS)

size_t merge_order_bytes(size_t room)
{
	const struct merge_order *order;

	return room * (sizeof(*order->events) + sizeof(*order->entries) + sizeof(*order->spare));
}

void merge_order_settle(struct merge_order *order, void *memory, size_t room)
{
	order->entries = memory;
	order->spare = order->entries + room;
	order->events = (const struct event **)(order->spare + room);
}

void merge_order_begin(struct merge_order *order, uint64_t base_ns)
{
	order->base_ns = base_ns;
	order->spread = 0;
	order->count = order->next = 0;
}

/* One digit: count, find where each value's entries begin, and move them there, keeping their order. */
static void sort_digit(struct merge_order *order, unsigned shift)
{
	uint32_t begins[DIGITS] = {0}, sum = 0;
	uint64_t *sorted = order->spare;

	for (size_t i = 0; i < order->count; i++)
		begins[order->entries[i] >> shift & (DIGITS - 1)]++;
	for (unsigned i = 0; i < DIGITS; i++) {
		uint32_t count = begins[i];

		begins[i] = sum;
		sum += count;
	}
	for (size_t i = 0; i < order->count; i++)
		sorted[begins[order->entries[i] >> shift & (DIGITS - 1)]++] = order->entries[i];
	order->spare = order->entries;
	order->entries = sorted;
}

void merge_order_sort(struct merge_order *order)
{
	for (unsigned bit = 0; order->spread >> bit; bit += DIGIT_BITS)
		sort_digit(order, 32 + bit);
}
