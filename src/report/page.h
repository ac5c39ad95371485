/* SPDX-License-Identifier: GPL-2.0-only */
/* A page: headings, sentences and tables in the order they are to be read. What a back end renders. */
#ifndef REPORT_PAGE_H
#define REPORT_PAGE_H

#include "report/table.h"

enum block_type { BLOCK_HEADING, BLOCK_TEXT, BLOCK_TABLE };

struct block {
	enum block_type type;
	union {
		char *text;
		struct table *table;
	};
};

/** struct page - like a table, a page that ran out of memory remembers it in @failed */
struct page {
	bool failed;
	ARRAY(struct block) blocks;
};

/** page_free - free what a page holds (the struct itself is the caller's) */
void page_free(struct page *page);

void page_add_heading(struct page *page, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void page_add_text(struct page *page, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/** page_add_table - an empty table at the end of the page, which owns it; NULL when there is no memory */
struct table *page_add_table(struct page *page, const char *title, unsigned flags);

/** page_ok - whether the page and all its tables are complete */
bool page_ok(const struct page *page);

#endif
