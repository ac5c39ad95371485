// SPDX-License-Identifier: GPL-2.0-only
/* Knobs: the switches and numbers of a governor. */
#include "policy/knob.h"

#include "base/parse.h"

#include <errno.h>
#include <string.h>

#define PAIR_MAX 96   /* bytes of one "name=value" with its NUL */
#define NAMES_MAX 800 /* bytes of a list of names in an error sentence */

const struct knob *knob_find(const struct knob_table *table, const char *name)
{
	for (size_t i = 0; i < table->count; i++)
		if (!strcmp(table->knobs[i].name, name))
			return &table->knobs[i];
	return NULL;
}

static int set_switch(const struct knob *knob, void *field, const char *value,
		      struct cpir_error *err)
{
	bool on;

	if (parse_onoff(value, &on))
		return error_set(err, -EINVAL, "knob %s=%.40s: expected on or off", knob->name,
				 value);
	*(bool *)field = on;
	return 0;
}

static int set_number(const struct knob *knob, void *field, const char *value,
		      struct cpir_error *err)
{
	uint32_t number;

	if (parse_u32(value, knob->min, knob->max, &number))
		return error_set(err, -EINVAL, "knob %s=%.40s: expected a number from %u to %u",
				 knob->name, value, knob->min, knob->max);
	*(uint32_t *)field = number;
	return 0;
}

static int set_choice(const struct knob *knob, void *field, const char *value,
		      struct cpir_error *err)
{
	char names[256] = "";
	size_t used = 0;

	for (uint32_t i = 0; knob->choices[i]; i++) {
		if (!strcmp(knob->choices[i], value)) {
			*(uint32_t *)field = i;
			return 0;
		}
		if (used < sizeof(names))
			used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s",
						 i ? ", " : "", knob->choices[i]);
	}
	return error_set(err, -EINVAL, "knob %s=%.40s: expected one of %s", knob->name, value,
			 names);
}

int knob_set(const struct knob *knob, void *config, const char *value, struct cpir_error *err)
{
	void *field = (char *)config + knob->offset;

	if (knob->type == KNOB_SWITCH)
		return set_switch(knob, field, value, err);
	if (knob->type == KNOB_NUMBER)
		return set_number(knob, field, value, err);
	return set_choice(knob, field, value, err);
}

static int unknown_knob(const struct knob_table *table, const char *name, struct cpir_error *err)
{
	char names[NAMES_MAX] = "";
	size_t used = 0;

	for (size_t i = 0; i < table->count && used < sizeof(names); i++)
		used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s", i ? ", " : "",
					 table->knobs[i].name);
	return error_set(err, -EINVAL, "unknown knob '%.40s'; there are: %s", name,
			 table->count ? names : "none");
}

/*
 * Copy the next "name=value" of *@list into @pair and cut it in two: @pair is the name, *@ret_value the value.
 * Returns 1, 0 at the end of the list, or -EINVAL.
 */
static int next_pair(const char **list, char pair[PAIR_MAX], char **ret_value)
{
	size_t length = strcspn(*list, ",");
	char *equals;

	if (!**list)
		return 0;
	if (length >= PAIR_MAX)
		return -EINVAL;
	memcpy(pair, *list, length);
	pair[length] = '\0';
	equals = strchr(pair, '=');
	if (!equals || equals == pair || !equals[1])
		return -EINVAL;
	*equals = '\0';
	*ret_value = equals + 1;
	*list += length;
	if (**list == ',' && !*++*list)
		return -EINVAL; /* a comma with nothing behind it */
	return 1;
}

int knob_set_list(const struct knob_table *table, void *config, const char *list,
		  struct cpir_error *err)
{
	const char *at = list;
	char pair[PAIR_MAX], *value;
	int more;

	while ((more = next_pair(&at, pair, &value)) > 0) {
		const struct knob *knob = knob_find(table, pair);
		int r = knob ? knob_set(knob, config, value, err) : unknown_knob(table, pair, err);

		if (r)
			return r;
	}
	if (more < 0)
		return error_set(err, -EINVAL,
				 "knobs '%.80s': not understood; write NAME=VALUE,NAME=VALUE",
				 list);
	return 0;
}

bool knob_list_holds(const struct knob_table *table, const void *config, const char *list)
{
	char pair[PAIR_MAX], *value, now[32];
	int more;

	while ((more = next_pair(&list, pair, &value)) > 0) {
		const struct knob *knob = knob_find(table, pair);

		if (!knob)
			return false;
		knob_format(knob, config, now, sizeof(now));
		if (strcmp(now, value))
			return false;
	}
	return more == 0;
}

void knob_format(const struct knob *knob, const void *config, char *buffer, size_t size)
{
	const void *field = (const char *)config + knob->offset;

	if (knob->type == KNOB_SWITCH)
		(void)snprintf(buffer, size, "%s", *(const bool *)field ? "on" : "off");
	else if (knob->type == KNOB_NUMBER)
		(void)snprintf(buffer, size, "%u", *(const uint32_t *)field);
	else
		(void)snprintf(buffer, size, "%s", knob->choices[*(const uint32_t *)field]);
}
