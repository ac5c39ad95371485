// SPDX-License-Identifier: GPL-2.0-only
/* The text of an event's format, taken apart strictly. */
#include "trace/format_text.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define NUMBER_MAX (1u << 24)

/** struct writer - puts the stripped format together; @out has room for all of it */
struct writer {
	char *out;
	size_t size;
};

/* Take one line off @text, without its end. */
static struct span line_take(struct span *text)
{
	const uint8_t *end = memchr(text->data, '\n', text->size);
	struct span line = {text->data, end ? (size_t)(end - text->data) : text->size};

	text->data += line.size + (end ? 1 : 0);
	text->size -= line.size + (end ? 1 : 0);
	return line;
}

/* Take @prefix off @text; false when it begins otherwise. */
static bool prefix_take(struct span *text, const char *prefix)
{
	size_t size = strlen(prefix);

	if (text->size < size || memcmp(text->data, prefix, size) != 0)
		return false;
	text->data += size;
	text->size -= size;
	return true;
}

static bool number_take(struct span *text, uint32_t *ret_value)
{
	uint32_t value = 0;
	size_t i = 0;

	for (; i < text->size && isdigit(text->data[i]); i++) {
		if (value > NUMBER_MAX / 10)
			return false;
		value = value * 10 + (uint32_t)(text->data[i] - '0');
	}
	text->data += i;
	text->size -= i;
	*ret_value = value;
	return i > 0;
}

bool format_number(struct span text, const char *label, uint32_t *ret_value)
{
	const uint8_t *at = memmem(text.data, text.size, label, strlen(label));

	if (!at)
		return false;
	text.size -= (size_t)(at - text.data);
	text.data = at;
	return prefix_take(&text, label) && number_take(&text, ret_value);
}

static bool is_word(uint8_t c)
{
	return isalnum(c) || c == '_';
}

struct span format_name(struct span text)
{
	size_t size = 0;

	if (!prefix_take(&text, "name: "))
		return (struct span){NULL, 0};
	while (size < text.size && is_word(text.data[size]))
		size++;
	return (struct span){text.data, size};
}

/* Nothing but words and what @others names; returns how many words, 0 when there is something else. */
static unsigned words_count(struct span text, const char *others)
{
	unsigned words = 0;

	for (size_t i = 0; i < text.size; i++) {
		uint8_t c = text.data[i];

		if (!is_word(c) && (!c || !strchr(others, c)))
			return 0;
		words += is_word(c) && (!i || !is_word(text.data[i - 1]));
	}
	return words;
}

static bool is_dynamic(struct span text)
{
	return prefix_take(&text, "__data_loc ") || prefix_take(&text, "__rel_loc ");
}

/*
 * "TYPE NAME", "TYPE NAME[LENGTH]" or "__data_loc TYPE[] NAME", where a type is words and stars: what event fields are
 * declared with. LOCAL_PR_FMT is a slip of ancient kernels that libtraceevent works around, at the price of a leak.
 */
static bool declaration_ok(struct span text)
{
	const uint8_t *open = memchr(text.data, '[', text.size);
	const uint8_t *close = memchr(text.data, ']', text.size);
	struct span before = {text.data, open ? (size_t)(open - text.data) : text.size};
	struct span inside = {NULL, 0}, behind = {NULL, 0};

	if (memmem(text.data, text.size, "LOCAL_PR_FMT", 12) || words_count(before, " *") < 2)
		return false;
	if (!open || !close)
		return !open && !close && !is_dynamic(text);
	if (close < open)
		return false;
	inside = (struct span){open + 1, (size_t)(close - open) - 1};
	behind = (struct span){close + 1, text.size - (size_t)(close + 1 - text.data)};
	if (inside.size && words_count(inside, "") != 1)
		return false;
	return is_dynamic(text) ? words_count(behind, " ") == 1 : !behind.size;
}

/* Does the declaration declare a common field? Its name is the last word outside brackets. */
static bool declares_common(struct span text)
{
	return memmem(text.data, text.size, " common_", 8) != NULL;
}

/* "\tfield:DECLARATION;\toffset:N;\tsize:N;" and perhaps "\tsigned:N;" */
static bool field_parse(struct span line, struct span *ret_declaration)
{
	const uint8_t *end;
	uint32_t number;

	if (!prefix_take(&line, "\tfield:"))
		return false;
	end = memchr(line.data, ';', line.size);
	if (!end)
		return false;
	*ret_declaration = (struct span){line.data, (size_t)(end - line.data)};
	line.size -= ret_declaration->size;
	line.data = end;
	if (!declaration_ok(*ret_declaration) || !prefix_take(&line, ";\toffset:") ||
	    !number_take(&line, &number) || !prefix_take(&line, ";\tsize:") ||
	    !number_take(&line, &number) || !prefix_take(&line, ";"))
		return false;
	return !line.size || (prefix_take(&line, "\tsigned:") && number_take(&line, &number) &&
			      prefix_take(&line, ";") && !line.size);
}

static void write_span(struct writer *writer, struct span text)
{
	memcpy(writer->out + writer->size, text.data, text.size);
	writer->size += text.size;
	writer->out[writer->size++] = '\n';
}

/* Write the common fields, or the others; false when a line is no field. */
static bool write_fields(struct writer *writer, struct span text, bool common)
{
	while (text.size) {
		struct span line = line_take(&text), declaration;

		if (line.size >= 5 && memcmp(line.data, "print", 5) == 0)
			break;
		if (!line.size)
			continue;
		if (!field_parse(line, &declaration))
			return false;
		if (declares_common(declaration) == common)
			write_span(writer, line);
	}
	write_span(writer, (struct span){(const uint8_t *)"", 0});
	return true;
}

int format_strip(struct span text, char **ret_format, size_t *ret_size)
{
	static const char tail[] = "print fmt: \"\"";
	struct span name = format_name(text), rest = text, line;
	struct writer writer = {malloc(text.size + 128), 0};
	uint32_t id;

	if (!writer.out)
		return -ENOMEM;
	(void)line_take(&rest);
	line = line_take(&rest);
	if (!name.size || name.size > 64 || !prefix_take(&line, "ID: ") ||
	    !number_take(&line, &id) || line.size)
		goto bad;
	line = line_take(&rest);
	if (!prefix_take(&line, "format:") || line.size)
		goto bad;
	writer.size = (size_t)snprintf(writer.out, 128, "name: %.*s\nID: %u\nformat:\n",
				       (int)name.size, (const char *)name.data, id);
	if (!write_fields(&writer, rest, true) || !write_fields(&writer, rest, false))
		goto bad;
	write_span(&writer, (struct span){(const uint8_t *)tail, sizeof(tail) - 1});
	*ret_format = writer.out;
	*ret_size = writer.size;
	return 0;
bad:
	free(writer.out);
	return -EBADMSG;
}
