// SPDX-License-Identifier: GPL-2.0-only
/* A page: headings, sentences and tables. */
#include "report/page.h"

#include <stdarg.h>

void page_free(struct page *page)
{
	for (size_t i = 0; i < page->blocks.len; i++) {
		struct block *block = &page->blocks.ptr[i];

		if (block->type == BLOCK_TABLE)
			table_free(block->table);
		else
			free(block->text);
	}
	array_free(&page->blocks);
}

static void add_text(struct page *page, enum block_type type, const char *fmt, va_list args)
{
	struct block *block = NULL;
	char *text;

	if (vasprintf(&text, fmt, args) < 0)
		text = NULL;
	if (text)
		block = array_add(&page->blocks);
	if (!block) {
		free(text);
		page->failed = true;
		return;
	}
	block->type = type;
	block->text = text;
}

void page_add_heading(struct page *page, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	add_text(page, BLOCK_HEADING, fmt, args);
	va_end(args);
}

void page_add_text(struct page *page, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	add_text(page, BLOCK_TEXT, fmt, args);
	va_end(args);
}

struct table *page_add_table(struct page *page, const char *title, unsigned flags)
{
	struct table *table = table_new(title, flags);
	struct block *block = table ? array_add(&page->blocks) : NULL;

	if (!block) {
		table_free(table);
		page->failed = true;
		return NULL;
	}
	block->type = BLOCK_TABLE;
	block->table = table;
	return table;
}

bool page_ok(const struct page *page)
{
	if (page->failed)
		return false;
	for (size_t i = 0; i < page->blocks.len; i++) {
		const struct block *block = &page->blocks.ptr[i];

		if (block->type == BLOCK_TABLE && block->table->failed)
			return false;
	}
	return true;
}
