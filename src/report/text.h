/* SPDX-License-Identifier: GPL-2.0-only */
/* The text back end: a page as plain text for terminals and mails. */
#ifndef REPORT_TEXT_H
#define REPORT_TEXT_H

#include "report/page.h"

/** struct text_style - @color: bold headings, green and red changes; @explain: say below each table what it means */
struct text_style {
	bool color;
	bool explain;
};

/** text_print - write @page to @out; -ENOMEM, or the error of the stream as a negative errno */
int text_print(const struct page *page, const struct text_style *style, FILE *out);

#endif
