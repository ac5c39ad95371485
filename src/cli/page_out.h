/* SPDX-License-Identifier: GPL-2.0-only */
/* A page to where the user wants it. */
#ifndef CLI_PAGE_OUT_H
#define CLI_PAGE_OUT_H

#include "cli/options.h"
#include "cli/output.h"
#include "report/page.h"

/** page_write - add the text of @page to @output; an exit status, having said what is wrong */
int page_write(const struct page *page, const struct output_args *args, struct output *output);

/** page_print - the whole job for a command whose result is one page: open, write, close; frees what @page holds */
int page_print(struct page *page, const struct output_args *args);

#endif
