// SPDX-License-Identifier: GPL-2.0-only
/* A page to where the user wants it. */
#include "cli/page_out.h"

#include "base/cleanup.h"
#include "cli/command.h"
#include "cli/message.h"
#include "report/text.h"

/* The text of a page in memory, NULL when there is none. */
static char *page_text(const struct page *page, const struct output_args *args)
{
	struct text_style style = {.color = color_wanted(args), .explain = args->verbose};
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	int err;

	if (!out)
		return NULL;
	err = page_ok(page) ? text_print(page, &style, out) : -1;
	if (fclose(out) || err) {
		free(text);
		return NULL;
	}
	return text;
}

int page_write(const struct page *page, const struct output_args *args, struct output *output)
{
	_cleanup_free_ char *text = page_text(page, args);

	if (!text) {
		message("out of memory");
		return EXIT_FAILED;
	}
	output_write(output, text);
	return EXIT_DONE;
}

int page_print(struct page *page, const struct output_args *args)
{
	struct output output;
	int status = output_open(&output, args->path);

	if (!status) {
		status = page_write(page, args, &output);
		if (status)
			output_discard(&output);
		else
			status = output_close(&output);
	}
	page_free(page);
	return status;
}
