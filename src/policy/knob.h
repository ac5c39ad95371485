/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Knobs: the switches and numbers of a governor, described once. The same table serves `:KNOB=VALUE` on the command
 * line, the settings of each kernel release, the patches, listings and the man page.
 */
#ifndef POLICY_KNOB_H
#define POLICY_KNOB_H

#include "base/error.h"

enum knob_type {
	KNOB_SWITCH, /* bool */
	KNOB_NUMBER, /* uint32_t, @min … @max */
	KNOB_CHOICE, /* uint32_t, index into @choices */
};

/** struct knob - @offset: of the field in the governor's config; @choices: NULL-terminated, KNOB_CHOICE only */
struct knob {
	const char *name;
	const char *help;
	enum knob_type type;
	size_t offset;
	uint32_t min, max;
	const char *const *choices;
};

struct knob_table {
	const struct knob *knobs;
	size_t count;
};

/** knob_find - the knob called @name, NULL when there is none */
const struct knob *knob_find(const struct knob_table *table, const char *name);

/**
 * knob_set - store @value, given as text, in @config
 * Errors: -EINVAL with a sentence that says what would be allowed
 */
int knob_set(const struct knob *knob, void *config, const char *value, struct cpir_error *err);

/**
 * knob_set_list - store "name=value,name=value…"; what precedes a failing entry stays set
 * @list: may be ""
 * Errors: -EINVAL (unknown knob, bad value, malformed)
 */
int knob_set_list(const struct knob_table *table, void *config, const char *list,
		  struct cpir_error *err);

/** knob_list_holds - does @config have all values of "name=value,…"? Unknown names and values count as no. */
bool knob_list_holds(const struct knob_table *table, const void *config, const char *list);

/** knob_format - current value as text, cut to @size */
void knob_format(const struct knob *knob, const void *config, char *buffer, size_t size);

#endif
