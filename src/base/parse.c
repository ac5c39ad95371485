// SPDX-License-Identifier: GPL-2.0-only
/* Strict parsers for numbers, durations, time stamps, switches and CPU lists. */
#include "base/parse.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NS_PER_S UINT64_C(1000000000)

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/*
 * digits_read - read the digits at *@text and move it behind them
 * Reads on after an overflow, so that "of the form, but out of range" can be told from "not of the form".
 */
static int digits_read(const char **text, uint64_t *ret_value)
{
	uint64_t value = 0;
	bool overflow = false;

	if (!is_digit(**text))
		return -EINVAL;
	for (; is_digit(**text); (*text)++) {
		overflow |= __builtin_mul_overflow(value, 10, &value);
		overflow |= __builtin_add_overflow(value, (uint64_t)(**text - '0'), &value);
	}
	*ret_value = overflow ? UINT64_MAX : value;
	return overflow ? -ERANGE : 0;
}

int parse_u64(const char *text, uint64_t min, uint64_t max, uint64_t *ret_value)
{
	const char *p = text ? text : "";
	uint64_t value;
	int r = digits_read(&p, &value);

	if (r == -EINVAL || *p)
		return -EINVAL;
	if (r || value < min || value > max)
		return -ERANGE;
	*ret_value = value;
	return 0;
}

int parse_u32(const char *text, uint32_t min, uint32_t max, uint32_t *ret_value)
{
	uint64_t value;
	int r = parse_u64(text, min, max, &value);

	if (!r)
		*ret_value = (uint32_t)value;
	return r;
}

int parse_i64(const char *text, int64_t min, int64_t max, int64_t *ret_value)
{
	const char *p = text ? text : "";
	bool negative = *p == '-';
	uint64_t magnitude;
	int64_t value;
	int r;

	if (*p == '-' || *p == '+')
		p++;
	r = parse_u64(p, 0, (uint64_t)INT64_MAX + negative, &magnitude);
	if (r)
		return r;
	value = negative ? (int64_t)(0 - magnitude) : (int64_t)magnitude;
	if (value < min || value > max)
		return -ERANGE;
	*ret_value = value;
	return 0;
}

/* fraction_read - the digits behind a point, each worth a tenth of the one before, in whole ns */
static int fraction_read(const char **text, uint64_t unit_ns, uint64_t *ret_ns)
{
	uint64_t worth = unit_ns, ns = 0;

	if (!is_digit(**text))
		return -EINVAL;
	for (; is_digit(**text); (*text)++) {
		unsigned digit = (unsigned)(**text - '0');

		if (worth % 10) {
			if (digit)
				return -EINVAL;
			continue;
		}
		worth /= 10;
		ns += digit * worth;
	}
	*ret_ns = ns;
	return 0;
}

/* unit_parse - nanoseconds of the unit that is the rest of the text */
static int unit_parse(const char *text, uint64_t default_ns, uint64_t *ret_ns)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = {
		{"ns", 1},	     {"us", 1000},    {"\xc2\xb5s", 1000}, /* MICRO SIGN */
		{"\xce\xbcs", 1000}, /* GREEK SMALL LETTER MU */
		{"ms", 1000000},     {"s", NS_PER_S},
	};

	if (!*text) {
		*ret_ns = default_ns;
		return 0;
	}
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(text, units[i].name))
			continue;
		*ret_ns = units[i].ns;
		return 0;
	}
	return -EINVAL;
}

int parse_duration_ns(const char *text, uint64_t unit_ns, uint64_t *ret_ns)
{
	const char *p = text ? text : "", *point;
	uint64_t whole, ns, unit, fraction = 0;
	int r = digits_read(&p, &whole), range = r == -ERANGE ? r : 0;

	if (r == -EINVAL)
		return r;
	/* The unit stands last, but the fraction needs it. */
	point = *p == '.' ? p + 1 : NULL;
	r = unit_parse(point ? point + strspn(point, "0123456789") : p, unit_ns, &unit);
	if (!r && point)
		r = fraction_read(&point, unit, &fraction);
	if (r)
		return r;
	if (range || __builtin_mul_overflow(whole, unit, &ns) ||
	    __builtin_add_overflow(ns, fraction, &ns))
		return -ERANGE;
	*ret_ns = ns;
	return 0;
}

int parse_time_s(const char *text, uint64_t *ret_ns)
{
	if (text && text[strspn(text, "0123456789.")])
		return -EINVAL;
	return parse_duration_ns(text, NS_PER_S, ret_ns);
}

int parse_onoff(const char *text, bool *ret_on)
{
	static const char *const words[][2] = {
		{"off", "on"}, {"no", "yes"}, {"false", "true"}, {"0", "1"}};

	for (size_t i = 0; text && i < sizeof(words) / sizeof(words[0]); i++) {
		for (int on = 0; on < 2; on++) {
			if (strcmp(text, words[i][on]))
				continue;
			*ret_on = on;
			return 0;
		}
	}
	return -EINVAL;
}

/* cpu_range_read - one "N" or "N-M" at *@text, which moves behind it */
static int cpu_range_read(const char **text, struct cpu_set *set)
{
	uint64_t first = 0, last;
	int r = digits_read(text, &first);

	last = first;
	if (r != -EINVAL && **text == '-') {
		(*text)++;
		r = digits_read(text, &last);
	}
	if (r == -EINVAL)
		return r;
	if (r || first >= CPIR_CPUS_MAX || last >= CPIR_CPUS_MAX)
		return -ERANGE;
	if (last < first)
		return -EINVAL;
	for (uint64_t cpu = first; cpu <= last; cpu++)
		cpu_set_add(set, (uint32_t)cpu);
	return 0;
}

int parse_cpu_list(const char *text, struct cpu_set *ret_set)
{
	const char *p = text ? text : "";
	struct cpu_set set = {0};

	while (*p) {
		int r = cpu_range_read(&p, &set);

		if (r)
			return r;
		if (!*p)
			break;
		if (*p != ',' || !p[1])
			return -EINVAL;
		p++;
	}
	*ret_set = set;
	return 0;
}

uint32_t cpu_set_next(const struct cpu_set *set, uint32_t from)
{
	uint32_t cpu = from;

	while (cpu < CPIR_CPUS_MAX) {
		uint64_t rest = set->bits[cpu / 64] >> (cpu % 64);

		if (rest)
			return cpu + (uint32_t)__builtin_ctzll(rest);
		cpu = (cpu / 64 + 1) * 64;
	}
	return CPIR_CPUS_MAX;
}

uint32_t cpu_set_count(const struct cpu_set *set)
{
	uint32_t count = 0;

	for (size_t i = 0; i < CPIR_CPUS_MAX / 64; i++)
		count += (uint32_t)__builtin_popcountll(set->bits[i]);
	return count;
}

char *cpu_list_format(const struct cpu_set *set)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	uint32_t first, end;
	bool failed;

	if (!out)
		return NULL;
	for (first = cpu_set_next(set, 0); first < CPIR_CPUS_MAX; first = cpu_set_next(set, end)) {
		for (end = first + 1; cpu_set_test(set, end);)
			end++;
		(void)fprintf(out, "%s%u", ftell(out) ? "," : "", first);
		if (end - first > 1)
			(void)fprintf(out, "-%u", end - 1);
	}
	failed = ferror(out);
	if (fclose(out) || failed) {
		free(text);
		return NULL;
	}
	return text;
}
