/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A governor as the registry sees it: its operations and the data that makes one policy of it, namely knobs, what each
 * kernel release sets them to, and named patches.
 */
#ifndef POLICY_GOVERNOR_H
#define POLICY_GOVERNOR_H

#include "policy/knob.h"
#include "policy/policy.h"
#include "policy/release.h"

/**
 * struct window - from release @from up to, not including, @until a governor has these knob values
 * @set: "knob=value,…"; rows apply in order, so a later row overrides an earlier one
 * @origin: commit or reason
 * @assumed: the bounds are bracketed by what is known, not proven
 */
struct window {
	uint64_t from, until;
	const char *set;
	const char *origin;
	bool assumed;
};

struct window_table {
	const struct window *rows;
	size_t count;
};

/**
 * struct patch_effect - what a named patch does to the knobs; the lists are "knob=value,…"
 * @needs: must hold before, else the release has no such step; "" always
 * @without: said when it does not hold
 */
struct patch_effect {
	const char *on, *off;
	const char *needs, *without;
};

struct governor {
	const struct cpir_governor_info *info;
	const struct patch_effect *effects; /* info->patch_count, same order as info->patches */
	const struct policy_ops *ops;
	size_t config_size;
	const void *defaults; /* config before any window row */
	struct knob_table knobs;
	const struct window_table *windows;
	uint64_t oldest;   /* key of the first release that is understood */
	bool needs_kernel; /* the release decides what it does, and is part of the name */
	/* Check the knobs against each other and work out what follows from them; may be NULL. */
	int (*finish)(struct cpir_policy *policy, struct cpir_error *err);
};

/* Order of every list of governors. */
enum governor_id {
	GOVERNOR_MENU,
	GOVERNOR_TEO,
	GOVERNOR_LADDER,
	GOVERNOR_HALTPOLL,
	GOVERNOR_FIXED,
	GOVERNOR_ORACLE,
	GOVERNOR_COUNT
};

extern const struct cpir_governor_info governor_infos[GOVERNOR_COUNT];
extern const struct governor menu_governor, teo_governor, ladder_governor, haltpoll_governor,
	fixed_governor, oracle_governor;

/** policy_note_item - add a value of a list to the explanation, if one is asked for */
static inline void policy_note_item(struct policy_steps *steps, const char *name, uint32_t index,
				    int64_t value)
{
	if (steps && steps->count < POLICY_STEPS_MAX)
		steps->step[steps->count++] = (struct policy_step){name, (int32_t)index, value};
}

/** policy_note - add a named value to the explanation, if one is asked for */
static inline void policy_note(struct policy_steps *steps, const char *name, int64_t value)
{
	policy_note_item(steps, name, UINT32_MAX, value);
}

/* Rows of a knob table: @config is the governor's own struct, @field the member of the knob's name. */
#define KNOB_SWITCH_ROW(config, field, text)                                                       \
	{                                                                                          \
		.name = #field, .help = text, .type = KNOB_SWITCH,                                 \
		.offset = offsetof(config, field),                                                 \
	}
#define KNOB_NUMBER_ROW(config, field, low, high, text)                                            \
	{                                                                                          \
		.name = #field, .help = text, .type = KNOB_NUMBER,                                 \
		.offset = offsetof(config, field), .min = low, .max = high,                        \
	}
#define KNOB_CHOICE_ROW(config, field, names, text)                                                \
	{                                                                                          \
		.name = #field, .help = text, .type = KNOB_CHOICE,                                 \
		.offset = offsetof(config, field), .choices = names,                               \
	}

/** governor_find - the governor called @name, NULL when there is none */
const struct governor *governor_find(const char *name);

#endif
