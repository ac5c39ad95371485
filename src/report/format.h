/* SPDX-License-Identifier: GPL-2.0-only */
/* Cells and numbers as people read them. The same in every locale. */
#ifndef REPORT_FORMAT_H
#define REPORT_FORMAT_H

#include "report/table.h"

#define FORMAT_MAX 64 /* bytes that hold any formatted number */

/** format_count - digits in groups of three: "12,735,820" */
const char *format_count(uint64_t count, char buf[FORMAT_MAX]);

/** format_duration - @ns with the unit that suits it, four significant digits: "950 ns", "10 us", "12.34 ms" */
const char *format_duration(uint64_t ns, char buf[FORMAT_MAX]);

/** format_length - a duration that may be negative: "-950 ns" */
const char *format_length(int64_t ns, char buf[FORMAT_MAX]);

/** format_time - a moment in seconds with all nine decimals: "33.904322976" */
const char *format_time(uint64_t ns, char buf[FORMAT_MAX]);

/** format_percent - "45.10%", "-" when the whole is 0 */
const char *format_percent(struct ratio ratio, char buf[FORMAT_MAX]);

/** format_cell - any cell; for text cells the cell's own text, else @buf */
const char *format_cell(const struct cell *cell, char buf[FORMAT_MAX]);

#endif
