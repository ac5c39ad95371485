/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Putting the events of all CPUs that are at hand in the order of time, whatever the number of CPUs: their times are sorted
 * by digits.
 */
#ifndef TRACE_MERGE_ORDER_H
#define TRACE_MERGE_ORDER_H

#include "trace/event.h"

#include <stddef.h>

/** struct merge_order - merge_order_settle(), then for each round _begin(), _add() event after event, _sort(), _next() */
struct merge_order {
	const struct event **events; /* as added */
	uint64_t *entries, *spare;   /* time since the base << 32 | index into events */
	uint64_t base_ns, spread;    /* bits that are not the same in all times since then */
	size_t count, next;
};

/** merge_order_bytes - of memory that rounds of up to @room events take */
size_t merge_order_bytes(size_t room);

/** merge_order_settle - have them in the merge_order_bytes() at @memory, which is aligned to 8 and remains the caller's */
void merge_order_settle(struct merge_order *order, void *memory, size_t room);

/** merge_order_begin - with events of times from @base_ns to @base_ns + UINT32_MAX */
void merge_order_begin(struct merge_order *order, uint64_t base_ns);

/** merge_order_add - @event stays where it is, and takes part as if of @time_ns */
static inline void merge_order_add(struct merge_order *order, const struct event *event,
				   uint64_t time_ns)
{
	uint64_t since_ns = time_ns - order->base_ns;

	order->spread |= since_ns;
	order->events[order->count] = event;
	order->entries[order->count] = since_ns << 32 | order->count;
	order->count++;
}

/** merge_order_sort - by time; of equal times in the order they were added in */
void merge_order_sort(struct merge_order *order);

/* Events lie all over the place, but it is known where: have those on their way that will be asked for soon. */
#define MERGE_ORDER_AHEAD 8

/** merge_order_next - the next event, NULL: that was the last */
static inline const struct event *merge_order_next(struct merge_order *order)
{
	if (order->next + MERGE_ORDER_AHEAD < order->count)
		__builtin_prefetch(
			order->events[(uint32_t)order->entries[order->next + MERGE_ORDER_AHEAD]]);
	if (order->next >= order->count)
		return NULL;
	return order->events[(uint32_t)order->entries[order->next++]];
}

#endif
