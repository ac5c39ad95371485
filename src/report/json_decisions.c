// SPDX-License-Identifier: GPL-2.0-only
/* Single decisions in the JSON document. */
#include "report/json_decisions.h"

/* A prediction is a number of ns; INT64_MAX stands for none. */
static void add_predicted(struct json_object *to, int64_t predicted_ns)
{
	if (predicted_ns == INT64_MAX)
		json_add_null(to, "predicted_ns");
	else
		json_add_signed(to, "predicted_ns", predicted_ns);
}

static struct json_object *difference_new(const struct cpir_difference *difference)
{
	struct json_object *object = json_object_new_object();

	json_add_number(object, "cpu", difference->cpu);
	json_add_number(object, "time_ns", difference->time_ns);
	json_add_number(object, "duration_ns", difference->duration_ns);
	json_add_signed(object, "recorded", difference->recorded);
	json_add_signed(object, "decided", difference->decided);
	json_add_text(object, "cause", cpir_cause_name(difference->cause));
	add_predicted(object, difference->predicted_ns);
	json_add_signed(object, "sleep_length_ns", difference->sleep_length_ns);
	json_add_signed(object, "delta_next_ns", difference->delta_next_ns);
	json_add_bool(object, "looked_up", difference->looked_up);
	json_add_bool(object, "tick_stopped", difference->tick_stopped);
	json_add_text(object, "reason", difference->reason);
	return object;
}

static struct json_object *differences_new(const struct cpir_result *result)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < result->difference_count; i++)
		json_append(array, difference_new(&result->differences[i]));
	return array;
}

void json_add_decisions(struct json_object *document, const struct cpir_result *result)
{
	if (!result->has_differences)
		return;
	json_add_number(document, "difference_total", result->difference_total);
	json_add(document, "differences", differences_new(result));
}
