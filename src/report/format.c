// SPDX-License-Identifier: GPL-2.0-only
/* Cells and numbers as people read them. */
#include "report/format.h"

#include <inttypes.h>
#include <math.h>

struct unit {
	const char *name;
	uint64_t size;
};

static const struct unit time_units[] = {
	{"ns", 1},
	{"us", 1000},
	{"ms", 1000000},
	{"s", 1000000000},
};

static const struct unit energy_units[] = {
	{"nJ", 1},
	{"uJ", 1000},
	{"mJ", 1000000},
	{"J", 1000000000},
};

const char *format_count(uint64_t count, char buf[FORMAT_MAX])
{
	char digits[24];
	int len = snprintf(digits, sizeof(digits), "%" PRIu64, count);
	char *out = buf;

	for (int i = 0; i < len; i++) {
		if (i && (len - i) % 3 == 0)
			*out++ = ',';
		*out++ = digits[i];
	}
	*out = '\0';
	return buf;
}

/*
 * Four significant digits, rounded in integers; whole multiples of the unit get no decimals, so that a table's 10 us stays
 * "10 us". Rounding may lift a value into the next unit (999,950 ns is "1.000 ms").
 */
static const char *format_unit(uint64_t value, const struct unit units[4], char buf[FORMAT_MAX])
{
	static const struct {
		unsigned decimals;
		uint64_t scale;
	} steps[] = {{3, 1000}, {2, 100}, {1, 10}};

	if (value < 1000) {
		(void)snprintf(buf, FORMAT_MAX, "%" PRIu64 " %s", value, units[0].name);
		return buf;
	}
	for (size_t u = 1; u < 4; u++) {
		uint64_t whole = value / units[u].size, rest = value % units[u].size;

		if (!rest && (whole < 1000 || u == 3)) {
			(void)snprintf(buf, FORMAT_MAX, "%" PRIu64 " %s", whole, units[u].name);
			return buf;
		}
		for (size_t s = 0; s < array_size(steps); s++) {
			uint64_t scale = steps[s].scale;
			uint64_t scaled;

			if (whole >= 1000)
				break;
			scaled = whole * scale + (rest * scale + units[u].size / 2) / units[u].size;
			if (scaled >= 10000)
				continue;
			(void)snprintf(buf, FORMAT_MAX, "%" PRIu64 ".%0*" PRIu64 " %s",
				       scaled / scale, (int)steps[s].decimals, scaled % scale,
				       units[u].name);
			return buf;
		}
	}
	(void)snprintf(buf, FORMAT_MAX, "%" PRIu64 " %s",
		       value / units[3].size + (value % units[3].size >= units[3].size / 2),
		       units[3].name);
	return buf;
}

const char *format_duration(uint64_t ns, char buf[FORMAT_MAX])
{
	return format_unit(ns, time_units, buf);
}

const char *format_length(int64_t ns, char buf[FORMAT_MAX])
{
	char digits[FORMAT_MAX];

	if (ns >= 0)
		return format_duration((uint64_t)ns, buf);
	(void)snprintf(buf, FORMAT_MAX, "-%.60s", format_duration(-(uint64_t)ns, digits));
	return buf;
}

const char *format_time(uint64_t ns, char buf[FORMAT_MAX])
{
	const uint64_t second = 1000000000;

	(void)snprintf(buf, FORMAT_MAX, "%" PRIu64 ".%09" PRIu64, ns / second, ns % second);
	return buf;
}

static double percent_of(struct ratio ratio)
{
	return 100.0 * (double)ratio.part / (double)ratio.whole;
}

const char *format_percent(struct ratio ratio, char buf[FORMAT_MAX])
{
	if (!ratio.whole)
		return "-";
	(void)snprintf(buf, FORMAT_MAX, "%.2f%%", percent_of(ratio));
	return buf;
}

/* A signed number with two decimals; what rounds to nothing has no sign. */
static const char *format_signed(double value, const char *unit, char buf[FORMAT_MAX])
{
	if (fabs(value) < 0.005)
		(void)snprintf(buf, FORMAT_MAX, "0.00%s", unit);
	else
		(void)snprintf(buf, FORMAT_MAX, "%+.2f%s", value, unit);
	return buf;
}

static const char *format_change(uint64_t before, uint64_t after, char buf[FORMAT_MAX])
{
	if (before == after)
		return "0.00%";
	if (!before)
		return "-";
	return format_signed(100.0 * ((double)after - (double)before) / (double)before, "%", buf);
}

static const char *format_points(struct ratio before, struct ratio after, char buf[FORMAT_MAX])
{
	if (!before.whole || !after.whole)
		return "-";
	return format_signed(percent_of(after) - percent_of(before), " pp", buf);
}

static const char *format_range(struct cpir_range range, char buf[FORMAT_MAX])
{
	char lo[FORMAT_MAX], hi[FORMAT_MAX];

	(void)snprintf(buf, FORMAT_MAX, "%.30s .. %.28s", format_count(range.lo, lo),
		       format_count(range.hi, hi));
	return buf;
}

const char *format_cell(const struct cell *cell, char buf[FORMAT_MAX])
{
	switch (cell->type) {
	case CELL_EMPTY:
		return "";
	case CELL_NONE:
		return "-";
	case CELL_TEXT:
		return cell->text;
	case CELL_COUNT:
		return format_count(cell->value, buf);
	case CELL_PERCENT:
		return format_percent(cell->percent, buf);
	case CELL_DURATION:
		return format_duration(cell->value, buf);
	case CELL_ENERGY:
		return format_unit(cell->value, energy_units, buf);
	case CELL_RANGE:
		return format_range(cell->range, buf);
	case CELL_CHANGE:
		return format_change(cell->change.before, cell->change.after, buf);
	case CELL_POINTS:
		return format_points(cell->points.before, cell->points.after, buf);
	}
	return "";
}
