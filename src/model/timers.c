// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pending timers: an open-addressing table from address to node, and per CPU a binary heap of nodes by expiry.
 * Nodes keep their place in the heap, so that starting and stopping cost a logarithm and no search.
 */
#include "model/timers.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"

#define NO_NODE UINT32_MAX
#define SLOT_BITS_MIN 8

struct node {
	struct timer_entry entry;
	uint32_t heap_index; /* NO_NODE: free */
};

/* struct slot - with its timer's address, so that a search looks at the one line that its slot is in */
struct slot {
	uint64_t address;
	uint32_t node; /* + 1, 0 empty */
};

struct heap {
	uint32_t *nodes;
	size_t len, cap;
};

struct timers {
	uint32_t cpus;
	struct heap *heaps;
	struct node *nodes;
	size_t node_count, node_cap;
	uint32_t *free_nodes;
	size_t free_count, free_cap;
	struct slot *slots; /* 1 << slot_bits of them */
	unsigned slot_bits;
	size_t used;
};

static size_t slot_count(const struct timers *timers)
{
	return (size_t)1 << timers->slot_bits;
}

struct timers *timers_new(uint32_t cpus)
{
	struct timers *timers = calloc(1, sizeof(*timers));

	if (!timers)
		return NULL;
	timers->cpus = cpus;
	timers->heaps = calloc(cpus ? cpus : 1, sizeof(*timers->heaps));
	timers->slot_bits = SLOT_BITS_MIN;
	timers->slots = calloc(slot_count(timers), sizeof(*timers->slots));
	if (!timers->heaps || !timers->slots) {
		timers_free(timers);
		return NULL;
	}
	return timers;
}

void timers_free(struct timers *timers)
{
	if (!timers)
		return;
	for (uint32_t cpu = 0; timers->heaps && cpu < timers->cpus; cpu++)
		free(timers->heaps[cpu].nodes);
	free(timers->heaps);
	free(timers->nodes);
	free(timers->free_nodes);
	free(timers->slots);
	free(timers);
}

/*
 * Addresses are aligned and close together, or those of one CPU far from the next one's: multiply, and take the highest
 * bits, in which all of an address's are.
 */
static size_t slot_of(const struct timers *timers, uint64_t address)
{
	return address * 0x9e3779b97f4a7c15ULL >> (64 - timers->slot_bits);
}

static size_t slot_find(const struct timers *timers, uint64_t address)
{
	size_t slot = slot_of(timers, address);

	while (timers->slots[slot].node && timers->slots[slot].address != address)
		slot = (slot + 1) & (slot_count(timers) - 1);
	return slot;
}

static int slots_double(struct timers *timers)
{
	struct slot *old = timers->slots;
	size_t old_count = slot_count(timers);
	struct slot *slots = calloc(old_count * 2, sizeof(*slots));

	if (!slots)
		return -ENOMEM;
	timers->slots = slots;
	timers->slot_bits++;
	for (size_t i = 0; i < old_count; i++) {
		if (old[i].node)
			slots[slot_find(timers, old[i].address)] = old[i];
	}
	free(old);
	return 0;
}

/* Close the gap that removing @slot leaves, so that later probes still find what had been pushed past it. */
static void slot_remove(struct timers *timers, size_t slot)
{
	size_t mask = slot_count(timers) - 1;
	size_t next = slot;

	timers->slots[slot].node = 0;
	timers->used--;
	for (;;) {
		size_t home;

		next = (next + 1) & mask;
		if (!timers->slots[next].node)
			return;
		home = slot_of(timers, timers->slots[next].address);
		if (((next - home) & mask) < ((next - slot) & mask))
			continue;
		timers->slots[slot] = timers->slots[next];
		timers->slots[next].node = 0;
		slot = next;
	}
}

static bool sooner(const struct timers *timers, uint32_t a, uint32_t b)
{
	return timers->nodes[a].entry.expires_ns < timers->nodes[b].entry.expires_ns;
}

static void heap_put(struct timers *timers, struct heap *heap, size_t index, uint32_t node)
{
	heap->nodes[index] = node;
	timers->nodes[node].heap_index = (uint32_t)index;
}

static void heap_up(struct timers *timers, struct heap *heap, size_t index)
{
	uint32_t node = heap->nodes[index];

	while (index > 0 && sooner(timers, node, heap->nodes[(index - 1) / 2])) {
		heap_put(timers, heap, index, heap->nodes[(index - 1) / 2]);
		index = (index - 1) / 2;
	}
	heap_put(timers, heap, index, node);
}

static void heap_down(struct timers *timers, struct heap *heap, size_t index)
{
	uint32_t node = heap->nodes[index];

	for (;;) {
		size_t child = index * 2 + 1;

		if (child >= heap->len)
			break;
		if (child + 1 < heap->len &&
		    sooner(timers, heap->nodes[child + 1], heap->nodes[child]))
			child++;
		if (!sooner(timers, heap->nodes[child], node))
			break;
		heap_put(timers, heap, index, heap->nodes[child]);
		index = child;
	}
	heap_put(timers, heap, index, node);
}

static void heap_remove(struct timers *timers, struct heap *heap, size_t index)
{
	uint32_t last = heap->nodes[--heap->len];

	if (index == heap->len)
		return;
	heap_put(timers, heap, index, last);
	heap_up(timers, heap, index);
	heap_down(timers, heap, timers->nodes[last].heap_index);
}

static int node_new(struct timers *timers, uint32_t *ret_node)
{
	if (timers->free_count) {
		*ret_node = timers->free_nodes[--timers->free_count];
		return 0;
	}
	if (timers->node_count >= NO_NODE - 1)
		return -ENOMEM;
	/* Room to give every node back is made when it is made, so that giving back cannot fail. */
	if (array_grow((void **)&timers->nodes, &timers->node_cap, timers->node_count,
		       sizeof(*timers->nodes)) ||
	    array_grow((void **)&timers->free_nodes, &timers->free_cap, timers->node_count,
		       sizeof(*timers->free_nodes)))
		return -ENOMEM;
	*ret_node = (uint32_t)timers->node_count++;
	return 0;
}

static void stop_at(struct timers *timers, size_t slot)
{
	uint32_t node = timers->slots[slot].node - 1;

	heap_remove(timers, &timers->heaps[timers->nodes[node].entry.cpu],
		    timers->nodes[node].heap_index);
	slot_remove(timers, slot);
	timers->free_nodes[timers->free_count++] = node;
}

int timers_start(struct timers *timers, const struct timer_entry *entry)
{
	struct heap *heap;
	uint32_t node;
	size_t slot;

	if (entry->cpu >= timers->cpus)
		return 0;
	if (timers->used * 2 >= slot_count(timers) && slots_double(timers) < 0)
		return -ENOMEM;
	slot = slot_find(timers, entry->address);
	if (timers->slots[slot].node) {
		stop_at(timers, slot);
		slot = slot_find(timers, entry->address);
	}
	heap = &timers->heaps[entry->cpu];
	if (array_grow((void **)&heap->nodes, &heap->cap, heap->len, sizeof(*heap->nodes)) ||
	    node_new(timers, &node) < 0)
		return -ENOMEM;
	timers->nodes[node].entry = *entry;
	timers->slots[slot] = (struct slot){entry->address, node + 1};
	timers->used++;
	heap->nodes[heap->len++] = node;
	heap_up(timers, heap, heap->len - 1);
	return 0;
}

bool timers_stop(struct timers *timers, uint64_t address)
{
	size_t slot = slot_find(timers, address);

	if (!timers->slots[slot].node)
		return false;
	stop_at(timers, slot);
	return true;
}

const struct timer_entry *timers_find(const struct timers *timers, uint64_t address)
{
	size_t slot = slot_find(timers, address);

	return timers->slots[slot].node ? &timers->nodes[timers->slots[slot].node - 1].entry : NULL;
}

size_t timers_count(const struct timers *timers)
{
	return timers->used;
}

const struct timer_entry *timers_next(const struct timers *timers, uint32_t cpu)
{
	const struct heap *heap = &timers->heaps[cpu];

	return heap->len ? &timers->nodes[heap->nodes[0]].entry : NULL;
}

size_t timers_drop_before(struct timers *timers, uint32_t cpu, int64_t time_ns)
{
	const struct timer_entry *entry;
	size_t dropped = 0;

	while ((entry = timers_next(timers, cpu)) && entry->expires_ns < time_ns) {
		(void)timers_stop(timers, entry->address);
		dropped++;
	}
	return dropped;
}

void timers_walk(const struct timers *timers, uint32_t cpu,
		 void (*fn)(void *arg, const struct timer_entry *entry), void *arg)
{
	const struct heap *heap = &timers->heaps[cpu];

	for (size_t i = 0; i < heap->len; i++)
		fn(arg, &timers->nodes[heap->nodes[i]].entry);
}
