// SPDX-License-Identifier: GPL-2.0-only
/* Names of kernel functions from the kallsyms text of a trace. */
#include "trace/symbols.h"

#include "base/array.h"
#include "base/cleanup.h"

#include <errno.h>

struct symbol {
	uint64_t address;
	size_t name; /* offset in the text */
};

struct symbols {
	char *text;
	ARRAY(struct symbol) index; /* by address, then as in the text */
};

/** struct line - one line taken apart */
struct line {
	uint64_t address;
	char type;
	struct span name;
};

static int hex_digit(uint8_t c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The line that begins at @pos; false when it is none of ours. */
static bool line_parse(struct span text, size_t pos, struct line *ret_line)
{
	const uint8_t *p = text.data + pos, *end = text.data + text.size;
	const uint8_t *name;

	ret_line->address = 0;
	for (; p < end && hex_digit(*p) >= 0; p++)
		ret_line->address = ret_line->address << 4 | (unsigned)hex_digit(*p);
	if (end - p < 4 || p[0] != ' ' || p[2] != ' ')
		return false;
	ret_line->type = (char)p[1];
	name = p + 3;
	for (p = name; p<end && * p> ' '; p++)
		;
	ret_line->name = (struct span){name, (size_t)(p - name)};
	return p > name;
}

static size_t line_end(struct span text, size_t pos)
{
	const uint8_t *end = memchr(text.data + pos, '\n', text.size - pos);

	return end ? (size_t)(end - text.data) + 1 : text.size;
}

static int symbol_compare(const void *a, const void *b)
{
	const struct symbol *left = a, *right = b;

	if (left->address != right->address)
		return left->address < right->address ? -1 : 1;
	return (left->name > right->name) - (left->name < right->name);
}

/* Absolute symbols are offsets of per-CPU data, not places where code is. */
static bool line_is_code(const struct line *line)
{
	return line->address && line->type != 'a' && line->type != 'A';
}

static int index_build(struct symbols *symbols, struct span text)
{
	bool sorted = true;

	for (size_t pos = 0, next; pos < text.size; pos = next) {
		struct symbol *symbol;
		struct line line;

		next = line_end(text, pos);
		if (!line_parse(text, pos, &line) || !line_is_code(&line))
			continue;
		symbol = array_add(&symbols->index);
		if (!symbol)
			return -ENOMEM;
		symbol->address = line.address;
		symbol->name = (size_t)(line.name.data - text.data);
		symbols->text[symbol->name + line.name.size] = '\0';
		if (symbol > symbols->index.ptr && symbol[-1].address > symbol->address)
			sorted = false;
	}
	if (!sorted)
		qsort(symbols->index.ptr, symbols->index.len, sizeof(*symbols->index.ptr),
		      symbol_compare);
	return 0;
}

int symbols_new(struct span text, struct symbols **ret_symbols)
{
	struct symbols *symbols = calloc(1, sizeof(*symbols));

	if (!symbols)
		return -ENOMEM;
	symbols->text = malloc(text.size + 1);
	if (symbols->text && text.size)
		memcpy(symbols->text, text.data, text.size);
	if (!symbols->text || index_build(symbols, text) < 0) {
		symbols_free(symbols);
		return -ENOMEM;
	}
	*ret_symbols = symbols;
	return 0;
}

void symbols_free(struct symbols *symbols)
{
	if (!symbols)
		return;
	array_free(&symbols->index);
	free(symbols->text);
	free(symbols);
}

const char *symbols_find(const struct symbols *symbols, uint64_t address)
{
	const struct symbol *all = symbols->index.ptr;
	size_t low = 0, high = symbols->index.len;

	while (low < high) { /* the first one behind @address */
		size_t mid = low + (high - low) / 2;

		if (all[mid].address <= address)
			low = mid + 1;
		else
			high = mid;
	}
	if (!low)
		return NULL;
	for (low--; low > 0 && all[low - 1].address == all[low].address; low--)
		;
	return symbols->text + all[low].name;
}

/* Is @name the function @wanted, perhaps a compiler's copy ("name.isra.0") or an entry point (".name")? */
static bool name_matches(struct span name, const char *wanted)
{
	size_t len = strlen(wanted);

	if (name.size && *name.data == '.') {
		name.data++;
		name.size--;
	}
	return name.size >= len && memcmp(name.data, wanted, len) == 0 &&
	       (name.size == len || name.data[len] == '.');
}

static void ticks_find(struct span text, const char *wanted, struct symbols_ticks *ticks)
{
	size_t pos = 0;

	while (pos < text.size && ticks->count < SYMBOLS_TICKS_MAX) {
		const uint8_t *hit =
			memmem(text.data + pos, text.size - pos, wanted, strlen(wanted));
		const uint8_t *begin;
		struct line line;

		if (!hit)
			return;
		begin = memrchr(text.data, '\n', (size_t)(hit - text.data));
		begin = begin ? begin + 1 : text.data;
		if (line_parse(text, (size_t)(begin - text.data), &line) && line_is_code(&line) &&
		    name_matches(line.name, wanted))
			ticks->address[ticks->count++] = line.address;
		pos = line_end(text, (size_t)(hit - text.data));
	}
}

void symbols_find_ticks(struct span text, struct symbols_ticks *ret_ticks)
{
	ret_ticks->count = 0;
	ticks_find(text, "tick_sched_timer", ret_ticks);
	ticks_find(text, "tick_nohz_handler", ret_ticks);
}

bool symbols_usable(struct span text)
{
	for (size_t pos = 0; pos < text.size; pos = line_end(text, pos)) {
		struct line line;

		if (line_parse(text, pos, &line) && line.address)
			return true;
	}
	return false;
}
