/* SPDX-License-Identifier: GPL-2.0-only */
/* Single decisions in the JSON document. */
#ifndef REPORT_JSON_DECISIONS_H
#define REPORT_JSON_DECISIONS_H

#include "report/json_build.h"

/** json_add_decisions - what @result holds of single decisions: differences, explanations; nothing if it holds none */
void json_add_decisions(struct json_object *document, const struct cpir_result *result);

#endif
