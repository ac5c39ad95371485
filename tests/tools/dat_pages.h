/* SPDX-License-Identifier: GPL-2.0-only */
/* The ring buffer of one CPU as the kernel hands it out: sub-buffers of compressed records. */
#ifndef TOOLS_DAT_PAGES_H
#define TOOLS_DAT_PAGES_H

#include "story.h"

/** dat_pages - append the sub-buffers of @cpu in @instance to @out, all of story->page_size bytes */
void dat_pages(const struct story *story, uint32_t instance, uint32_t cpu, struct buffer *out);

/** dat_header_page, dat_header_event - append the kernel's descriptions of sub-buffer and record headers */
void dat_header_page(const struct story *story, struct buffer *out);
void dat_header_event(struct buffer *out);

#endif
