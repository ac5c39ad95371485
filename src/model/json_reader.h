/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reading a JSON document by tables: one row per key of an object says which type and range it has and where its value
 * goes. A key without a row is an error, because a misspelt one would otherwise silently mean the default.
 */
#ifndef MODEL_JSON_READER_H
#define MODEL_JSON_READER_H

#include <json-c/json.h>
#include <stddef.h>

#include "base/error.h"

#define JSON_UNSET INT64_MIN /* what a number or switch holds that the document may set */

/** struct json_reader - @where: the object being read, e.g. "tables[1].states[0]"; @page: manual page for messages */
struct json_reader {
	const char *file, *page;
	struct cpir_error *err;
	char where[96];
};

/** struct json_key - one row; json_type_null takes any type, null too. Made with the macros below. */
struct json_key {
	const char *name;
	enum json_type type;
	int (*read)(struct json_reader *reader, const struct json_key *key,
		    struct json_object *value, void *target);
	size_t offset;	  /* of the value's place in the target */
	int64_t min, max; /* range of a number; max: bytes of a text */
	int64_t scale;	  /* a number is stored times this */
};

/** JSON_NUMBER - an integer from @lowest to @highest into an int64_t that is JSON_UNSET before, times @factor */
#define JSON_NUMBER(key, object, member, lowest, highest, factor)                                  \
	{                                                                                          \
		key, json_type_int, json_read_number, offsetof(object, member), lowest, highest,   \
			factor                                                                     \
	}

/** JSON_BOOL - true or false into an int64_t */
#define JSON_BOOL(key, object, member)                                                             \
	{                                                                                          \
		key, json_type_boolean, json_read_bool, offsetof(object, member)                   \
	}

/** JSON_TEXT - a string without control characters of at most @longest bytes, borrowed from the document */
#define JSON_TEXT(key, object, member, longest)                                                    \
	{                                                                                          \
		key, json_type_string, json_read_text, offsetof(object, member), 0, longest        \
	}

/** JSON_VALUE - a value of any of json-c's types, as a struct json_object * borrowed from the document */
#define JSON_VALUE(key, object, member, kind)                                                      \
	{                                                                                          \
		key, kind, json_read_value, offsetof(object, member)                               \
	}

/** JSON_IGNORED - a string for human readers */
#define JSON_IGNORED(key)                                                                          \
	{                                                                                          \
		key, json_type_string, json_read_nothing                                           \
	}

int json_read_number(struct json_reader *reader, const struct json_key *key,
		     struct json_object *value, void *target);
int json_read_bool(struct json_reader *reader, const struct json_key *key,
		   struct json_object *value, void *target);
int json_read_text(struct json_reader *reader, const struct json_key *key,
		   struct json_object *value, void *target);
int json_read_value(struct json_reader *reader, const struct json_key *key,
		    struct json_object *value, void *target);
int json_read_nothing(struct json_reader *reader, const struct json_key *key,
		      struct json_object *value, void *target);

/** json_value_error - "FILE: WHERE.KEY what is wrong; see PAGE"; @key may be ""; returns -EINVAL */
int json_value_error(struct json_reader *reader, const char *key, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/**
 * json_read_object - all members of @object by the rows of @keys (the last without a name) into @target
 * Errors: -EINVAL (not an object, an unknown key, a value of wrong type or out of range)
 */
int json_read_object(struct json_reader *reader, struct json_object *object,
		     const struct json_key *keys, void *target);

/** json_read_list - call @read for each element of the array @list (may be NULL), with reader->where naming it */
int json_read_list(struct json_reader *reader, const char *name, struct json_object *list,
		   int (*read)(struct json_reader *reader, struct json_object *element,
			       void *target),
		   void *target);

/**
 * json_document_parse - NUL-terminated JSON text to json-c's tree, freed with json_object_put()
 * Errors: -EINVAL with the line, -ENOMEM
 */
int json_document_parse(struct json_reader *reader, const char *text,
			struct json_object **ret_root);

#endif
