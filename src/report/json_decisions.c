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

static struct json_object *input_new(const struct cpir_input *input)
{
	static const char *const units[] = {
		[CPIR_UNIT_TIME] = "time_ns", [CPIR_UNIT_LENGTH] = "ns",
		[CPIR_UNIT_YES_NO] = "bool",  [CPIR_UNIT_COUNT] = "count",
		[CPIR_UNIT_STATE] = "state",  [CPIR_UNIT_STATES] = "states",
	};
	struct json_object *object = json_object_new_object();

	json_add_text(object, "name", input->name);
	json_add_text(object, "unit", units[input->unit]);
	if (!input->has_value)
		json_add_null(object, "value");
	else if (input->unit == CPIR_UNIT_YES_NO)
		json_add_bool(object, "value", input->value);
	else
		json_add_signed(object, "value", input->value);
	json_add_text(object, "origin", cpir_origin_name(input->origin));
	if (input->uncertainty_ns < 0)
		json_add_null(object, "uncertainty_ns");
	else
		json_add_signed(object, "uncertainty_ns", input->uncertainty_ns);
	json_add_text(object, "source", input->source);
	return object;
}

/* A step of its own, or all of a list from @at on. */
static struct json_object *step_new(const struct cpir_decided *decided, size_t at)
{
	struct json_object *object = json_object_new_object();
	const struct cpir_step *step = &decided->steps[at];
	struct json_object *values;

	json_add_text(object, "name", step->name);
	if (step->index < 0) {
		if (step->value == INT64_MAX)
			json_add_null(object, "value");
		else
			json_add_signed(object, "value", step->value);
		return object;
	}
	values = json_object_new_array();
	for (; at < decided->step_count && decided->steps[at].name == step->name; at++)
		json_append(values, json_object_new_int64(decided->steps[at].value));
	json_add(object, "values", values);
	return object;
}

static const char *const verdicts[] = {
	[CPIR_VERDICT_RIGHT] = "right",
	[CPIR_VERDICT_ABOVE] = "above",
	[CPIR_VERDICT_BELOW] = "below",
};

static struct json_object *decided_new(const struct cpir_explained *explained, size_t index)
{
	const struct cpir_decided *decided = &explained->decided[index];
	struct json_object *object = json_object_new_object();
	struct json_object *steps = json_object_new_array();

	json_add_text(object, "policy", decided->policy);
	json_add_text(object, "role", index ? "patched" : "baseline");
	json_add_signed(object, "state", decided->state);
	json_add_bool(object, "stop_tick", decided->stop_tick);
	json_add_bool(object, "looked_up", decided->looked_up);
	add_predicted(object, decided->predicted_ns);
	json_add_text(object, "reason", decided->reason);
	if (index || decided->state == explained->state)
		json_add_null(object, "cause");
	else
		json_add_text(object, "cause", cpir_cause_name(decided->cause));
	if (!index)
		json_add_bool(object, "undetermined", decided->undetermined);
	json_add_text(object, "verdict", verdicts[decided->verdict]);
	for (size_t i = 0; i < decided->step_count; i++) {
		if (decided->steps[i].index <= 0)
			json_append(steps, step_new(decided, i));
	}
	json_add(object, "steps", steps);
	return object;
}

static void add_moment(struct json_object *to, const char *key, bool known, uint64_t ns)
{
	if (known)
		json_add_number(to, key, ns);
	else
		json_add_null(to, key);
}

static void add_record(struct json_object *to, const struct cpir_explained *explained)
{
	json_add_number(to, "cpu", explained->cpu);
	json_add_number(to, "enter_ns", explained->enter_ns);
	json_add_number(to, "exit_ns", explained->exit_ns);
	json_add_number(to, "duration_ns", explained->duration_ns);
	json_add_signed(to, "state", explained->state);
	json_add_bool(to, "counts", explained->counts);
	json_add_bool(to, "stopped_tick", explained->stopped_tick);
	json_add_bool(to, "got_tick", explained->got_tick);
	json_add_bool(to, "poll_timeout", explained->poll_timeout);
	json_add_text(to, "wake", cpir_wake_name(explained->wake));
	add_moment(to, "wake_ns", explained->wake_known, explained->wake_ns);
	add_moment(to, "first_task_ns", explained->task_known, explained->task_ns);
	json_add_text(to, "verdict", verdicts[explained->verdict]);
	if (explained->kernel_verdict_known)
		json_add_text(to, "kernel_verdict", verdicts[explained->kernel_verdict]);
	else
		json_add_null(to, "kernel_verdict");
}

static struct json_object *explained_new(const struct cpir_explained *explained)
{
	struct json_object *object = json_object_new_object();
	struct json_object *inputs = json_object_new_array();
	struct json_object *policies = json_object_new_array();

	add_record(object, explained);
	for (size_t i = 0; i < explained->input_count; i++)
		json_append(inputs, input_new(&explained->inputs[i]));
	json_add(object, "inputs", inputs);
	for (size_t i = 0; i < explained->decided_count; i++)
		json_append(policies, decided_new(explained, i));
	json_add(object, "decided", policies);
	return object;
}

static struct json_object *explanations_new(const struct cpir_result *result)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < result->explained_count; i++)
		json_append(array, explained_new(&result->explained[i]));
	return array;
}

void json_add_decisions(struct json_object *document, const struct cpir_result *result)
{
	if (result->mode == CPIR_EXPLAIN)
		json_add(document, "explained", explanations_new(result));
	if (!result->has_differences)
		return;
	json_add_number(document, "difference_total", result->difference_total);
	json_add(document, "differences", differences_new(result));
}
