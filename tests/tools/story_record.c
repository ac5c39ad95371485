// SPDX-License-Identifier: GPL-2.0-only
/* One event's record: from "FIELD=VALUE" words to bytes, and back for the listing. */
#include "story.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"

#define CODE_BEGIN UINT64_C(0xffffffff81000000)
#define CODE_BEGIN_32 UINT64_C(0xc0100000)
#define OBJECT_BEGIN UINT64_C(0xffff888000000000)
#define OBJECT_BEGIN_32 UINT64_C(0xc8000000)

/* name_address - the address of a function or object, made up when it is named for the first time */
static uint64_t name_address(struct story *story, const char *name, bool code)
{
	bool wide = story->long_size == 8;
	uint64_t begin = code ? (wide ? CODE_BEGIN : CODE_BEGIN_32)
			      : (wide ? OBJECT_BEGIN : OBJECT_BEGIN_32);
	struct story_name *entry;
	size_t count = code ? story->symbols.len : story->objects.len;

	for (size_t i = 0; i < count; i++) {
		entry = code ? &story->symbols.ptr[i] : &story->objects.ptr[i];
		if (!strcmp(entry->name, name))
			return entry->value;
	}
	entry = code ? array_add(&story->symbols) : array_add(&story->objects);
	if (!entry)
		die("out of memory");
	(void)snprintf(entry->name, sizeof(entry->name), "%s", name);
	entry->value = begin + count * 256;
	return entry->value;
}

static bool hex_parse(const char *text, uint64_t *ret_value)
{
	char *end;

	if (strncmp(text, "0x", 2) || !text[2])
		return false;
	*ret_value = strtoull(text + 2, &end, 16);
	return !*end;
}

/* pointer_parse - 0x…, 0, or a name; fields that hold functions get addresses that the symbol table knows */
static uint64_t pointer_parse(struct story *story, const struct story_field *field,
			      const char *text)
{
	static const char *const code[] = {"function", "reason", "callsite", "callback"};
	uint64_t value;

	if (hex_parse(text, &value) || !parse_u64(text, 0, UINT64_MAX, &value))
		return value;
	for (size_t i = 0; i < array_size(code); i++) {
		if (!strcmp(field->name, code[i]))
			return name_address(story, text, true);
	}
	return name_address(story, text, false);
}

/* number_parse - decimal, 0x…, a duration like 1.5ms in ns, "exit" (the state of an idle period's end), "max" */
static const char *number_parse(const char *text, uint64_t *ret_value)
{
	bool negative = *text == '-';

	if (!strcmp(text, "exit"))
		*ret_value = UINT32_MAX;
	else if (!strcmp(text, "max"))
		*ret_value = INT64_MAX;
	else if (hex_parse(text, ret_value))
		return NULL;
	else if (parse_duration_ns(text + negative, 1, ret_value))
		return "not a number";
	if (negative)
		*ret_value = 0 - *ret_value;
	return NULL;
}

/* default_number - what a field holds that the story does not mention */
static uint64_t default_number(const struct story_field *field, const struct story_context *context)
{
	if (!strcmp(field->name, "cpu_id") || !strcmp(field->name, "target_cpu") ||
	    !strcmp(field->name, "cpu"))
		return context->cpu;
	if (strstr(field->name, "prio"))
		return 120;
	return 0;
}

/* task_name - the comm of the task whose pid stands in the field beside a comm field */
static const char *task_name(const struct story *story, uint64_t pid)
{
	if (!pid)
		return "swapper";
	for (size_t i = 0; i < story->tasks.len; i++) {
		if (story->tasks.ptr[i].value == pid)
			return story->tasks.ptr[i].name;
	}
	return "task";
}

/* word_find - the value of "NAME=VALUE" among the words, NULL when it is not there */
static const char *word_find(char *const *words, size_t count, const char *name)
{
	size_t len = strlen(name);

	for (size_t i = 0; i < count; i++) {
		if (!strncmp(words[i], name, len) && words[i][len] == '=')
			return words[i] + len + 1;
	}
	return NULL;
}

/* comm_default - comm belongs to pid, prev_comm to prev_pid, next_comm to next_pid */
static const char *comm_default(const struct story *story, const struct story_field *field,
				char *const *words, size_t count)
{
	char name[STORY_NAME + 4];
	const char *text;
	uint64_t pid = 0;

	(void)snprintf(name, sizeof(name), "%.*spid", (int)(strlen(field->name) - strlen("comm")),
		       field->name);
	text = word_find(words, count, name);
	if (text)
		(void)parse_u64(text, 0, UINT32_MAX, &pid);
	return task_name(story, pid);
}

/* put_text - a text field of the record that begins at @base */
static const char *put_text(struct story *story, const struct story_field *field, size_t base,
			    const char *text)
{
	struct buffer *out = &story->records;
	size_t len = strlen(text), at = out->len - base;

	if (field->type == FIELD_COMM) {
		if (len >= field->size)
			return "a task's name is too long";
		memcpy(out->ptr + base + field->offset, text, len);
		return NULL;
	}
	/* A tail begins at its offset, which may lie inside the rounded fixed part. */
	if (field->type == FIELD_TAIL)
		out->len = base + field->offset;
	if (len + at > 0xff00)
		return "a text is too long";
	buffer_string(out, text);
	if (field->type == FIELD_STRING)
		buffer_set(out, base + field->offset, at | (len + 1) << 16, 4);
	return NULL;
}

static const char *put_field(struct story *story, const struct story_field *field, size_t base,
			     const char *text, uint64_t number)
{
	const char *error = NULL;

	if (field->type == FIELD_POINTER && text)
		number = pointer_parse(story, field, text);
	else if (text)
		error = number_parse(text, &number);
	if (!error && field->size < 8 && number >> (8 * field->size) &&
	    (int64_t)number >> (8 * field->size - 1) != -1)
		return "a number does not fit its field";
	if (!error)
		buffer_set(&story->records, base + field->offset, number, field->size);
	return error;
}

/* words_check - every word must be a field of the event */
static const char *words_check(const struct story_event *event, char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		bool known = false;

		for (uint32_t k = 0; !known && k < event->field_count; k++)
			known = word_find(&words[i], 1, event->fields[k].name) != NULL;
		if (!known)
			return "no such field";
	}
	return NULL;
}

const char *story_encode(struct story *story, const struct story_event *event,
			 const struct story_context *context, char *const *words, size_t count)
{
	const char *error = words_check(event, words, count);
	size_t base = story->records.len;

	buffer_number(&story->records, event->id, 2);
	buffer_number(&story->records, context->flags, 1);
	buffer_number(&story->records, context->preempt_count, 1);
	buffer_number(&story->records, (uint32_t)context->pid, 4);
	buffer_bytes(&story->records, NULL, event->size - 8);
	for (uint32_t i = 0; !error && i < event->field_count; i++) {
		const struct story_field *field = &event->fields[i];
		const char *text = word_find(words, count, field->name);

		if (field->type == FIELD_NUMBER || field->type == FIELD_POINTER) {
			error = put_field(story, field, base, text, default_number(field, context));
			continue;
		}
		if (!text)
			text = field->type == FIELD_COMM ? comm_default(story, field, words, count)
							 : "";
		error = put_text(story, field, base, text);
	}
	return error;
}

uint64_t story_field_number(const struct story *story, const struct story_field *field,
			    const uint8_t *record)
{
	uint64_t value = 0;

	for (uint32_t i = 0; i < field->size; i++) {
		uint32_t at = story->big_endian ? i : field->size - 1 - i;

		value = value << 8 | record[field->offset + at];
	}
	if (field->is_signed && field->size < 8 && value >> (8 * field->size - 1))
		value -= UINT64_C(1) << (8 * field->size);
	return value;
}

const char *story_field_text(const struct story *story, const struct story_field *field,
			     const uint8_t *record)
{
	uint64_t where = field->offset;

	if (field->type == FIELD_STRING)
		where = story_field_number(story, field, record) & 0xffff;
	return (const char *)record + where;
}
