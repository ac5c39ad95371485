// SPDX-License-Identifier: GPL-2.0-only
/* Building JSON documents. */
#include "report/json_build.h"

#include "base/array.h"

/* Bytes of the UTF-8 sequence at @text, 0 when it is none. */
static size_t utf8_length(const unsigned char *text)
{
	static const struct {
		unsigned char mask, lead, lowest;
	} forms[] = {{0x80, 0x00, 0}, {0xe0, 0xc0, 0xc2}, {0xf0, 0xe0, 0xe0}, {0xf8, 0xf0, 0xf0}};

	for (size_t i = 0; i < array_size(forms); i++) {
		if ((text[0] & forms[i].mask) != forms[i].lead)
			continue;
		if (text[0] < forms[i].lowest)
			return 0;
		for (size_t j = 1; j <= i; j++)
			if ((text[j] & 0xc0) != 0x80)
				return 0;
		return i + 1;
	}
	return 0;
}

struct json_object *json_text_new(const char *text)
{
	struct json_object *object;
	char *copy = strdup(text ? text : "");

	if (!copy)
		return NULL;
	for (char *at = copy; *at;) {
		size_t len = utf8_length((unsigned char *)at);

		if (!len)
			*at = '?';
		at += len ? len : 1;
	}
	object = json_object_new_string(copy);
	free(copy);
	return object;
}

/* The mark of an object that lacks something: its address. */
static const char incomplete;

static void spoil(struct json_object *object)
{
	if (object)
		json_object_set_userdata(object, (void *)&incomplete, NULL);
}

bool json_spoiled(struct json_object *object)
{
	return !object || json_object_get_userdata(object) == &incomplete;
}

void json_add(struct json_object *to, const char *key, struct json_object *value)
{
	if (json_spoiled(value))
		spoil(to);
	if (to && !json_object_object_add(to, key, value))
		return;
	spoil(to);
	json_object_put(value);
}

void json_add_null(struct json_object *to, const char *key)
{
	if (!to || json_object_object_add(to, key, NULL))
		spoil(to);
}

void json_append(struct json_object *to, struct json_object *value)
{
	if (json_spoiled(value))
		spoil(to);
	if (to && !json_object_array_add(to, value))
		return;
	spoil(to);
	json_object_put(value);
}

void json_add_text(struct json_object *to, const char *key, const char *text)
{
	json_add(to, key, json_text_new(text));
}

void json_add_number(struct json_object *to, const char *key, uint64_t number)
{
	json_add(to, key, json_object_new_uint64(number));
}

void json_add_signed(struct json_object *to, const char *key, int64_t number)
{
	json_add(to, key, json_object_new_int64(number));
}

void json_add_bool(struct json_object *to, const char *key, bool value)
{
	json_add(to, key, json_object_new_boolean(value));
}

void json_add_percent(struct json_object *to, const char *key, uint64_t part, uint64_t whole)
{
	double value = whole ? 100.0 * (double)part / (double)whole : 0;
	char digits[32];

	(void)snprintf(digits, sizeof(digits), "%.4f", value);
	if (whole)
		json_add(to, key, json_object_new_double_s(value, digits));
	else
		json_add_null(to, key);
}
