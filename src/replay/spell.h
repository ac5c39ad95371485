/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Agreement over time, on one CPU: where another governor ran for a while, or another policy, its decisions stand together,
 * and are lost in the share of all.
 */
#ifndef REPLAY_SPELL_H
#define REPLAY_SPELL_H

#include <stdbool.h>
#include <stdint.h>

#define SPELL_DECISIONS 250

/** struct spell - so many decisions after each other, of which @wrong are not those of the record */
struct spell {
	uint64_t begin_ns, end_ns;
	uint32_t cpu, decisions, wrong;
};

/** struct spells - of one CPU; zero-initialise */
struct spells {
	struct spell now, worst;
};

/** spells_add - the next decision, of @time_ns */
static inline void spells_add(struct spells *spells, uint32_t cpu, uint64_t time_ns, bool wrong)
{
	struct spell *now = &spells->now;

	if (!now->decisions)
		*now = (struct spell){.begin_ns = time_ns, .cpu = cpu};
	now->end_ns = time_ns;
	now->wrong += wrong;
	if (++now->decisions < SPELL_DECISIONS)
		return;
	if (now->wrong > spells->worst.wrong)
		spells->worst = *now;
	now->decisions = 0;
}

/**
 * spell_stands_out - among decisions of which @wrong of @all are not those of the record: clearly more than chance would do, and
 * nine in ten are
 */
static inline bool spell_stands_out(const struct spell *spell, uint64_t wrong, uint64_t all)
{
	uint64_t usual = all ? wrong * SPELL_DECISIONS / all : 0;

	return wrong * 10 <= all && spell->wrong > 2 * usual + SPELL_DECISIONS / 6;
}

#endif
