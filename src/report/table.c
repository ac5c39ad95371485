// SPDX-License-Identifier: GPL-2.0-only
/* The typed column table. */
#include "report/table.h"

#include <stdarg.h>

struct table *table_new(const char *title, unsigned flags)
{
	struct table *table = calloc(1, sizeof(*table));

	if (!table)
		return NULL;
	table->flags = flags;
	if (title) {
		table->title = strdup(title);
		table->failed = !table->title;
	}
	return table;
}

void table_free(struct table *table)
{
	if (!table)
		return;
	for (size_t i = 0; i < table->columns.len; i++)
		free((char *)table->columns.ptr[i].name);
	for (size_t i = 0; i < table->cells.len; i++)
		if (table->cells.ptr[i].type == CELL_TEXT)
			free(table->cells.ptr[i].text);
	array_free(&table->columns);
	array_free(&table->cells);
	free(table->title);
	free(table);
}

void table_add_column(struct table *table, const struct column *column)
{
	struct column *added;
	char *name;

	if (!table || table->failed)
		return;
	name = strdup(column->name);
	added = name ? array_add(&table->columns) : NULL;
	if (!added) {
		free(name);
		table->failed = true;
		return;
	}
	*added = *column;
	added->name = name;
}

void table_add_columns(struct table *table, const struct column *columns, size_t count)
{
	for (size_t i = 0; i < count; i++)
		table_add_column(table, &columns[i]);
}

size_t table_rows(const struct table *table)
{
	if (!table || !table->columns.len)
		return 0;
	return (table->cells.len + table->columns.len - 1) / table->columns.len;
}

/* The next cell, empty; NULL when the table takes no more. */
static struct cell *next_cell(struct table *table)
{
	struct cell *cell;

	if (!table || table->failed)
		return NULL;
	cell = array_add(&table->cells);
	if (!cell)
		table->failed = true;
	return cell;
}

/* Make an empty cell a text cell that owns @text. */
static void own_text(struct table *table, struct cell *cell, char *text)
{
	if (!text) {
		table->failed = true;
		return;
	}
	cell->type = CELL_TEXT;
	cell->text = text;
}

void table_add_cell(struct table *table, const struct cell *from)
{
	struct cell *cell = next_cell(table);

	if (!cell)
		return;
	if (from->type != CELL_TEXT) {
		*cell = *from;
		return;
	}
	cell->tone = from->tone;
	cell->help = from->help;
	own_text(table, cell, strdup(from->text));
}

void table_add_none(struct table *table)
{
	table_add_cell(table, &(struct cell){.type = CELL_NONE});
}

void table_add_empty(struct table *table)
{
	(void)next_cell(table);
}

static void add_text(struct table *table, const char *fmt, va_list args)
{
	struct cell *cell = next_cell(table);
	char *text;

	if (!cell)
		return;
	if (vasprintf(&text, fmt, args) < 0)
		text = NULL;
	own_text(table, cell, text);
}

void table_add_text(struct table *table, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	add_text(table, fmt, args);
	va_end(args);
}

void table_add_count(struct table *table, uint64_t count)
{
	table_add_cell(table, &(struct cell){.type = CELL_COUNT, .value = count});
}

void table_add_percent(struct table *table, uint64_t part, uint64_t whole)
{
	table_add_cell(table, &(struct cell){.type = CELL_PERCENT, .percent = {part, whole}});
}

void table_add_duration(struct table *table, uint64_t ns)
{
	table_add_cell(table, &(struct cell){.type = CELL_DURATION, .value = ns});
}

void table_add_key(struct table *table, const char *key, const char *fmt, ...)
{
	va_list args;

	table_add_text(table, "%s", key);
	va_start(args, fmt);
	add_text(table, fmt, args);
	va_end(args);
}

void table_end_row(struct table *table)
{
	while (table && !table->failed && table->cells.len % table->columns.len)
		table_add_empty(table);
}
