/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of kernel functions from the kallsyms text of a trace: lines of "ADDRESS TYPE NAME". */
#ifndef TRACE_SYMBOLS_H
#define TRACE_SYMBOLS_H

#include "trace/bytes.h"

#define SYMBOLS_TICKS_MAX 8

/** struct symbols_ticks - addresses of the functions that are the scheduler tick's timer */
struct symbols_ticks {
	unsigned count;
	uint64_t address[SYMBOLS_TICKS_MAX];
};

struct symbols;

/** symbols_new - an index of @text, which is copied; 0 or -ENOMEM */
int symbols_new(struct span text, struct symbols **ret_symbols);
void symbols_free(struct symbols *symbols);

/** symbols_find - name of the last symbol not after @address, NULL when there is none; safe from several threads */
const char *symbols_find(const struct symbols *symbols, uint64_t address);

/** symbols_find_ticks - look for the tick's timer functions in @text; needs no index */
void symbols_find_ticks(struct span text, struct symbols_ticks *ret_ticks);

/** symbols_usable - is there any address but 0 in @text? A recorder that may not know them gets zeros. */
bool symbols_usable(struct span text);

#endif
