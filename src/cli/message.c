// SPDX-License-Identifier: GPL-2.0-only
/* Messages to the user. */
#include "cli/message.h"

#include "cli/command.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* Quoted text may have any byte in it. Its further lines are set in, so that none looks like a message of ours. */
static void write_text(const char *text)
{
	(void)fputs(PROGRAM ": ", stderr);
	for (; *text; text++) {
		if (*text == '\n')
			(void)fputs("\n  ", stderr);
		else
			(void)fputc(iscntrl((unsigned char)*text) ? '?' : *text, stderr);
	}
	(void)fputc('\n', stderr);
}

void message(const char *fmt, ...)
{
	char *text;
	va_list args;
	int len;

	va_start(args, fmt);
	len = vasprintf(&text, fmt, args);
	va_end(args);
	if (len < 0) {
		(void)fputs(PROGRAM ": out of memory\n", stderr);
		return;
	}
	write_text(text);
	free(text);
}

int message_error(const struct cpir_error *err)
{
	message("%s", err->text);
	return EXIT_FAILED;
}

int message_flush_stdout(void)
{
	if (!fflush(stdout) && !ferror(stdout))
		return EXIT_DONE;
	if (errno != EPIPE)
		message("standard output: cannot write: %s", strerror(errno));
	return EXIT_FAILED;
}
