// SPDX-License-Identifier: GPL-2.0-only
/* The text back end, tables by libsmartcols. */
#include "report/text.h"

#include "base/cleanup.h"
#include "report/format.h"

#include <ctype.h>
#include <errno.h>
#include <libsmartcols.h>

#define TEXT_WIDTH 100 /* columns that sentences and long values are wrapped to */

static const char *const tone_colors[] = {
	[TONE_PLAIN] = NULL, [TONE_GOOD] = "green", [TONE_BAD] = "red"};

static void cleanup_scols(struct libscols_table **table)
{
	scols_unref_table(*table);
}

/* Names come from traces: no control characters reach the terminal. */
static void put_safe(const char *text, size_t len, FILE *out)
{
	for (size_t i = 0; i < len; i++)
		(void)fputc(iscntrl((unsigned char)text[i]) ? '?' : text[i], out);
}

/* Bytes of @text that fit in @width, cut at a blank when there is one. */
static size_t wrap_at(const char *text, size_t width)
{
	size_t cut = 0;

	if (strlen(text) <= width)
		return strlen(text);
	for (size_t i = 1; i <= width; i++)
		if (text[i] == ' ')
			cut = i;
	return cut ? cut : strcspn(text, " ");
}

/* @text from column @indent on, wrapped; the first line is already indented. */
static void put_wrapped(const char *text, size_t indent, FILE *out)
{
	while (true) {
		size_t len = wrap_at(text, TEXT_WIDTH - indent);

		put_safe(text, len, out);
		(void)fputc('\n', out);
		text += len + strspn(text + len, " ");
		if (!*text)
			return;
		(void)fprintf(out, "%*s", (int)indent, "");
	}
}

static void put_heading(const char *text, const struct text_style *style, FILE *out)
{
	(void)fputs(style->color ? "\033[1m" : "", out);
	put_safe(text, strlen(text), out);
	(void)fputs(style->color ? "\033[0m\n" : "\n", out);
}

static void put_keys(const struct table *table, const struct text_style *style, FILE *out)
{
	size_t width = 0;

	if (table->title)
		put_heading(table->title, style, out);
	for (size_t i = 0; i + 1 < table->cells.len; i += 2)
		if (strlen(table->cells.ptr[i].text) > width)
			width = strlen(table->cells.ptr[i].text);
	for (size_t i = 0; i + 1 < table->cells.len; i += 2) {
		(void)fprintf(out, "%-*s  ", (int)width, table->cells.ptr[i].text);
		put_wrapped(table->cells.ptr[i + 1].text, width + 2, out);
	}
}

static int fill_row(struct libscols_table *scols, const struct cell *cells, size_t count)
{
	struct libscols_line *line = scols_table_new_line(scols, NULL);

	if (!line)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		struct libscols_cell *cell = scols_line_get_cell(line, i);
		char buf[FORMAT_MAX];
		const char *text = format_cell(&cells[i], buf);

		if (*text && scols_cell_set_data(cell, text))
			return -ENOMEM;
		if (tone_colors[cells[i].tone] &&
		    scols_cell_set_color(cell, tone_colors[cells[i].tone]))
			return -ENOMEM;
	}
	return 0;
}

/* Our table as one of libsmartcols'. Widths never depend on the terminal: the same input gives the same bytes. */
static int to_scols(const struct table *table, const struct text_style *style,
		    struct libscols_table **ret_scols)
{
	_cleanup_(cleanup_scols) struct libscols_table *scols = scols_new_table();
	int err = 0;

	if (!scols)
		return -ENOMEM;
	scols_table_set_termforce(scols, SCOLS_TERMFORCE_NEVER);
	scols_table_enable_colors(scols, style->color);
	if (scols_table_set_column_separator(scols, table->flags & TABLE_GRID ? " | " : "  "))
		return -ENOMEM;
	for (size_t i = 0; i < table->columns.len; i++) {
		const struct column *column = &table->columns.ptr[i];
		bool left = column->type == CELL_TEXT || column->flags & COLUMN_LEFT;

		if (!scols_table_new_column(scols, column->name, 0, left ? 0 : SCOLS_FL_RIGHT))
			return -ENOMEM;
	}
	for (size_t i = 0; !err && i + table->columns.len <= table->cells.len;
	     i += table->columns.len)
		err = fill_row(scols, &table->cells.ptr[i], table->columns.len);
	if (err)
		return err;
	*ret_scols = take_ptr(scols);
	return 0;
}

static void put_rule(struct libscols_table *scols, size_t columns, FILE *out)
{
	for (size_t i = 0; i < columns; i++) {
		size_t width = scols_column_get_width(scols_table_get_column(scols, i));

		(void)fputc('+', out);
		for (size_t j = 0; j < width + 2; j++)
			(void)fputc('-', out);
	}
	(void)fputs("+\n", out);
}

/* libsmartcols lays the cells out; the frame around them is ours. */
static void put_grid(struct libscols_table *scols, size_t columns, char *lines, FILE *out)
{
	bool heading = true;

	put_rule(scols, columns, out);
	for (char *line = lines, *end; *line; line = end) {
		end = strchrnul(line, '\n');
		(void)fprintf(out, "| %.*s |\n", (int)(end - line), line);
		if (heading)
			put_rule(scols, columns, out);
		heading = false;
		end += *end == '\n';
	}
	put_rule(scols, columns, out);
}

/* Columns without frame leave no blanks at the end of a line. */
static void put_lines(const char *lines, FILE *out)
{
	while (*lines) {
		size_t len = strcspn(lines, "\n"), used = len;

		while (used && lines[used - 1] == ' ')
			used--;
		(void)fprintf(out, "%.*s\n", (int)used, lines);
		lines += len + (lines[len] == '\n');
	}
}

static void put_help(const char *name, const char *help, FILE *out)
{
	(void)fprintf(out, "  %s: ", name);
	put_wrapped(help, 4, out);
}

static void put_explanations(const struct table *table, FILE *out)
{
	for (size_t i = 0; i < table->columns.len; i++) {
		const struct column *column = &table->columns.ptr[i];
		bool seen = !column->help;

		for (size_t j = 0; j < i; j++)
			seen = seen || !strcmp(table->columns.ptr[j].name, column->name);
		if (!seen)
			put_help(column->name, column->help, out);
	}
	for (size_t i = 0; i < table->cells.len; i += table->columns.len)
		if (table->cells.ptr[i].type == CELL_TEXT && table->cells.ptr[i].help)
			put_help(table->cells.ptr[i].text, table->cells.ptr[i].help, out);
}

static int put_table(const struct table *table, const struct text_style *style, FILE *out)
{
	_cleanup_(cleanup_scols) struct libscols_table *scols = NULL;
	_cleanup_free_ char *lines = NULL;
	int err;

	if (table->title)
		put_heading(table->title, style, out);
	if (!table_rows(table)) {
		(void)fputs("  none\n", out);
		return 0;
	}
	err = to_scols(table, style, &scols);
	if (!err)
		err = scols_print_table_to_string(scols, &lines);
	if (err)
		return err;
	if (table->flags & TABLE_GRID) {
		put_grid(scols, table->columns.len, lines, out);
	} else {
		put_lines(lines, out);
	}
	if (style->explain)
		put_explanations(table, out);
	return 0;
}

static int put_block(const struct block *block, const struct text_style *style, FILE *out)
{
	switch (block->type) {
	case BLOCK_HEADING:
		put_heading(block->text, style, out);
		return 0;
	case BLOCK_TEXT:
		put_wrapped(block->text, 0, out);
		return 0;
	case BLOCK_TABLE:
		if (!(block->table->flags & TABLE_KEYS))
			return put_table(block->table, style, out);
		put_keys(block->table, style, out);
		return 0;
	}
	return 0;
}

int text_print(const struct page *page, const struct text_style *style, FILE *out)
{
	for (size_t i = 0; i < page->blocks.len; i++) {
		const struct block *block = &page->blocks.ptr[i];
		int err;

		/* What belongs to the table above follows it at once. */
		if (i && block->type != BLOCK_TEXT)
			(void)fputc('\n', out);
		err = put_block(block, style, out);
		if (err)
			return err < 0 ? err : -ENOMEM;
		if (ferror(out))
			return -EIO;
	}
	return 0;
}
