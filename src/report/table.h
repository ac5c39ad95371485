/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The typed column table: every number that is shown is a cell that knows what it is. Back ends turn cells into text,
 * so a table is built once and rendered any way.
 *
 * Building never needs error checks: cells are appended row by row, left to right; when memory runs out the table
 * remembers it (@failed), takes no more, and the back end reports it. All functions take a NULL table and do nothing.
 */
#ifndef REPORT_TABLE_H
#define REPORT_TABLE_H

#include "base/array.h"
#include "cpuidle-replay.h"

/** enum cell_type - what a cell, or most cells of a column, hold */
enum cell_type {
	CELL_EMPTY,    /* nothing to say */
	CELL_NONE,     /* a number that is not defined: "-" */
	CELL_TEXT,     /* text, owned by the cell */
	CELL_COUNT,    /* a count of anything */
	CELL_PERCENT,  /* part of a whole; undefined when the whole is 0 */
	CELL_DURATION, /* nanoseconds */
	CELL_ENERGY,   /* nanojoules */
	CELL_RANGE,    /* lowest … highest count */
	CELL_CHANGE,   /* a count or duration against another, in per cent of the other */
	CELL_POINTS,   /* a percentage against another, in percentage points */
};

/** enum tone - how a change is to be taken */
enum tone { TONE_PLAIN, TONE_GOOD, TONE_BAD };

struct ratio {
	uint64_t part, whole;
};

/** struct cell - one value; @help: static sentence on what a row of this label means, NULL none */
struct cell {
	enum cell_type type;
	enum tone tone;
	const char *help;
	union {
		char *text;
		uint64_t value; /* count, ns, nJ */
		struct ratio percent;
		struct cpir_range range;
		struct {
			uint64_t before, after;
		} change;
		struct {
			struct ratio before, after;
		} points;
	};
};

/* Flags of a column. */
enum { COLUMN_LEFT = 1 }; /* align to the left; default for text, numbers stand to the right */

/** struct column - @name: heading, copied by table_add_column(); @help: static sentence, NULL none */
struct column {
	const char *name;
	enum cell_type type;
	unsigned flags;
	const char *help;
};

/* Flags of a table. */
enum {
	TABLE_GRID = 1, /* ruled, as in the tables of patch mails */
	TABLE_KEYS =
		2, /* two text columns, name and value, without headings; long values may be wrapped */
};

/** struct table - @cells holds the rows one after the other, each as long as @columns */
struct table {
	char *title; /* NULL none */
	unsigned flags;
	bool failed;
	ARRAY(struct column) columns;
	ARRAY(struct cell) cells;
};

/** table_new - a table without columns; @title may be NULL. NULL when there is no memory. */
struct table *table_new(const char *title, unsigned flags);
void table_free(struct table *table);

/** table_add_column, table_add_columns - must precede the first cell */
void table_add_column(struct table *table, const struct column *column);
void table_add_columns(struct table *table, const struct column *columns, size_t count);

/** table_rows - number of rows, the unfinished one included */
size_t table_rows(const struct table *table);

/* Append one cell each. */
void table_add_cell(struct table *table,
		    const struct cell *cell); /* a text cell's text is copied */
void table_add_none(struct table *table);
void table_add_empty(struct table *table);
void table_add_text(struct table *table, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void table_add_count(struct table *table, uint64_t count);
void table_add_percent(struct table *table, uint64_t part, uint64_t whole);
void table_add_duration(struct table *table, uint64_t ns);

/** table_add_key - a whole row of a TABLE_KEYS table */
void table_add_key(struct table *table, const char *key, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/** table_end_row - fill the rest of the row with empty cells */
void table_end_row(struct table *table);

#endif
