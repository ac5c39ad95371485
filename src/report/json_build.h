/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Building JSON documents without error checks: when memory runs out an object is marked, and so is whatever it is put
 * into after that. Everything is put into its parent once it is complete, so that the document knows in the end.
 */
#ifndef REPORT_JSON_BUILD_H
#define REPORT_JSON_BUILD_H

#include "cpuidle-replay.h"

#include <json-c/json.h>

/** json_spoiled - whether something is missing from @object, or it is NULL */
bool json_spoiled(struct json_object *object);

/** json_text_new - a string of foreign origin: what is not UTF-8 in it becomes "?"; NULL counts as "" */
struct json_object *json_text_new(const char *text);

/* Put a value, which is owned from then on, into an object or at the end of an array. */
void json_add(struct json_object *to, const char *key, struct json_object *value);
void json_append(struct json_object *to, struct json_object *value);

void json_add_null(struct json_object *to, const char *key); /* what is not known */
void json_add_text(struct json_object *to, const char *key, const char *text);
void json_add_number(struct json_object *to, const char *key, uint64_t number);
void json_add_signed(struct json_object *to, const char *key, int64_t number);
void json_add_bool(struct json_object *to, const char *key, bool value);

/** json_add_percent - a share in per cent with four decimals, null when the whole is 0 */
void json_add_percent(struct json_object *to, const char *key, uint64_t part, uint64_t whole);

#endif
