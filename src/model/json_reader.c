// SPDX-License-Identifier: GPL-2.0-only
/* Reading a JSON document by tables. */
#include "model/json_reader.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "model/platform_build.h"

int json_value_error(struct json_reader *reader, const char *key, const char *fmt, ...)
{
	char what[256];
	va_list args;

	va_start(args, fmt);
	(void)vsnprintf(what, sizeof(what), fmt, args);
	va_end(args);
	return error_set(reader->err, -EINVAL, "%s: %s%s%.64s %s; see %s", reader->file,
			 reader->where, *reader->where && *key ? "." : "", key, what, reader->page);
}

int json_read_number(struct json_reader *reader, const struct json_key *key,
		     struct json_object *value, void *target)
{
	int64_t number = json_object_get_int64(value),
		*place = (void *)((char *)target + key->offset);

	if (number < key->min || number > key->max)
		return json_value_error(reader, key->name,
					"is out of range (%" PRId64 " to %" PRId64 ")", key->min,
					key->max);
	if (*place != JSON_UNSET)
		return json_value_error(reader, key->name, "is given twice, in different units");
	*place = number * key->scale;
	return 0;
}

int json_read_bool(struct json_reader *reader, const struct json_key *key,
		   struct json_object *value, void *target)
{
	(void)reader;
	*(int64_t *)(void *)((char *)target + key->offset) = json_object_get_boolean(value);
	return 0;
}

/* json_read_text - borrow the string from the document */
int json_read_text(struct json_reader *reader, const struct json_key *key,
		   struct json_object *value, void *target)
{
	const char *text = json_object_get_string(value);

	if (strlen(text) != (size_t)json_object_get_string_len(value) ||
	    !text_is_clean(text, (size_t)key->max))
		return json_value_error(reader, key->name,
					"is longer than %" PRId64
					" bytes or has control characters in it",
					key->max);
	*(const char **)(void *)((char *)target + key->offset) = text;
	return 0;
}

int json_read_nothing(struct json_reader *reader, const struct json_key *key,
		      struct json_object *value, void *target)
{
	(void)reader;
	(void)key;
	(void)value;
	(void)target;
	return 0;
}

/* json_read_value - keep the value itself, to be read when the rest of its object is known */
int json_read_value(struct json_reader *reader, const struct json_key *key,
		    struct json_object *value, void *target)
{
	(void)reader;
	*(struct json_object **)(void *)((char *)target + key->offset) = value;
	return 0;
}

static const struct json_key *key_find(const struct json_key *keys, const char *name)
{
	for (; keys->name; keys++) {
		if (!strcmp(keys->name, name))
			return keys;
	}
	return NULL;
}

/* json_read_object - all members of @object by the rows of @keys (the last without a name) into @target */
int json_read_object(struct json_reader *reader, struct json_object *object,
		     const struct json_key *keys, void *target)
{
	if (!json_object_is_type(object, json_type_object))
		return json_value_error(reader, "", "is not an object");
	json_object_object_foreach(object, name, value)
	{
		const struct json_key *key = key_find(keys, name);
		int r;

		if (!key && !text_is_clean(name, 64))
			return json_value_error(reader, "", "has a key that is not one of ours");
		if (!key)
			return json_value_error(reader, name, "is not a known key");
		if (!value && key->read != json_read_nothing && key->type != json_type_null)
			return json_value_error(reader, name, "is null");
		if (value && key->type != json_type_null && !json_object_is_type(value, key->type))
			return json_value_error(reader, name, "is not of type %s",
						json_type_to_name(key->type));
		r = key->read(reader, key, value, target);
		if (r)
			return r;
	}
	return 0;
}

/* json_read_list - @read for each element of the array @list, with reader->where naming it */
int json_read_list(struct json_reader *reader, const char *name, struct json_object *list,
		   int (*read)(struct json_reader *reader, struct json_object *element,
			       void *target),
		   void *target)
{
	size_t count = list ? json_object_array_length(list) : 0, outer = strlen(reader->where);
	int r = 0;

	for (size_t i = 0; !r && i < count; i++) {
		(void)snprintf(reader->where + outer, sizeof(reader->where) - outer, "%s%s[%zu]",
			       outer ? "." : "", name, i);
		r = read(reader, json_object_array_get_idx(list, i), target);
	}
	reader->where[outer] = '\0';
	return r;
}

/* line_of - number of the line that holds byte @offset */
static size_t line_of(const char *text, size_t offset)
{
	size_t line = 1;

	for (size_t i = 0; i < offset && text[i]; i++)
		line += text[i] == '\n';
	return line;
}

int json_document_parse(struct json_reader *reader, const char *text, struct json_object **ret_root)
{
	struct json_tokener *tokener = json_tokener_new();
	struct json_object *root;
	enum json_tokener_error code;
	size_t line;

	if (!tokener)
		return error_oom(reader->err);
	json_tokener_set_flags(tokener, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
	/* With the NUL, so that a number or word at the very end is known to be complete. */
	root = json_tokener_parse_ex(tokener, text, (int)strlen(text) + 1);
	code = json_tokener_get_error(tokener);
	line = line_of(text, json_tokener_get_parse_end(tokener));
	json_tokener_free(tokener);
	if (code == json_tokener_success && root) {
		*ret_root = root;
		return 0;
	}
	json_object_put(root);
	return error_set(reader->err, -EINVAL, "%s:%zu: not valid JSON: %s; see %s", reader->file,
			 line, json_tokener_error_desc(code), reader->page);
}
