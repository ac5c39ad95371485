// SPDX-License-Identifier: GPL-2.0-only
/*
 * Decision vectors: CSV files that say what a real governor decided on given inputs, and what came of it. A policy passes
 * when it decides the same in every step.
 *
 * A file is a run of sequences. A sequence is a line `#{json}` with the policy, the tick rate and the states, a line
 * `#step,…` with the names of the columns, and one line of integers per step. Each begins with a freshly enabled governor.
 */
#include "policy/kernel_source.h"
#include "policy/policy.h"

#include "base/array.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/parse.h"

#include <errno.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#define LINE_MAX_BYTES 65536
#define COLUMNS_MAX 32
#define MAX_NS (INT64_C(1) << 62)

enum column {
	STEP,
	SLEEP_LENGTH,
	DELTA_NEXT,
	TICK_STOPPED,
	LATENCY_REQ,
	NR_IOWAIT,
	DISABLED_MASK,
	SELECT_CLOCK,
	OUT_STATE,
	OUT_STOP_TICK,
	OUT_LOOKED_UP,
	ENTERED,
	RESIDENCY,
	POLL_TIME_LIMIT,
	GOT_TICK,
	REFLECT_CLOCK,
	OUT_POLL_LIMIT,
	REQUIRED_COLUMNS,
	LOAD_WEIGHT = REQUIRED_COLUMNS,
	COLUMN_COUNT
};

/* Name and range of each column. */
static const struct {
	const char *name;
	int64_t min, max;
} columns[COLUMN_COUNT] = {
	[STEP] = {"step", 0, UINT32_MAX},
	[SLEEP_LENGTH] = {"sleep_length_ns", INT64_MIN, INT64_MAX},
	[DELTA_NEXT] = {"delta_next_ns", INT64_MIN, INT64_MAX},
	[TICK_STOPPED] = {"tick_stopped", 0, 1},
	[LATENCY_REQ] = {"latency_req_ns", 0, INT64_MAX},
	[NR_IOWAIT] = {"nr_iowait", 0, UINT32_MAX},
	[DISABLED_MASK] = {"disabled_mask", 0, UINT32_MAX},
	[SELECT_CLOCK] = {"select_clock_ns", 0, MAX_NS},
	[OUT_STATE] = {"out_state", 0, CPIR_STATES_MAX - 1},
	[OUT_STOP_TICK] = {"out_stop_tick", 0, 1},
	[OUT_LOOKED_UP] = {"out_looked_up_timers", 0, 1},
	[ENTERED] = {"entered", -1, CPIR_STATES_MAX - 1},
	[RESIDENCY] = {"residency_ns", 0, MAX_NS},
	[POLL_TIME_LIMIT] = {"poll_time_limit", -1, 1},
	[GOT_TICK] = {"got_tick", 0, 1},
	[REFLECT_CLOCK] = {"reflect_clock_ns", 0, MAX_NS},
	[OUT_POLL_LIMIT] = {"out_poll_limit_ns", 0, MAX_NS},
	[LOAD_WEIGHT] = {"load_weight", 0, UINT32_MAX},
};

/* struct check - one file being checked */
struct check {
	const char *path;
	const char *spec; /* NULL: the policy each sequence names */
	FILE *file;
	char *line;
	uint64_t line_number;
	/* The sequence at hand. */
	struct cpir_policy *policy;
	struct cpir_table table;
	void *state;
	uint32_t order[COLUMNS_MAX]; /* column of each field of a line */
	uint32_t field_count;
	struct cpir_check result;
};

static int bad_line(const struct check *check, struct cpir_error *err, const char *what)
{
	return error_set(err, -EINVAL, "%s: %s (line %llu)", check->path, what,
			 (unsigned long long)check->line_number);
}

/* Read the next line, without its end. Returns 1, 0 at the end of the file, or a negative errno. */
static int next_line(struct check *check, struct cpir_error *err)
{
	size_t length;

	if (!fgets(check->line, LINE_MAX_BYTES, check->file)) {
		if (ferror(check->file))
			return error_set(err, -EIO, "%s: cannot be read: %s", check->path,
					 strerror(errno));
		return 0;
	}
	check->line_number++;
	length = strlen(check->line);
	if (!length || check->line[length - 1] != '\n')
		return bad_line(check, err, "a line is cut short, too long or has a NUL in it");
	check->line[--length] = '\0';
	if (length && check->line[length - 1] == '\r')
		check->line[length - 1] = '\0';
	return 1;
}

/* ---- the head of a sequence --------------------------------------------------------------------------------------- */

static int json_number(struct json_object *object, const char *name, uint64_t max,
		       uint64_t *ret_value)
{
	struct json_object *value;
	int64_t number;

	if (!json_object_object_get_ex(object, name, &value) ||
	    !json_object_is_type(value, json_type_int))
		return -EINVAL;
	number = json_object_get_int64(value);
	if (number < 0 || (uint64_t)number > max)
		return -EINVAL;
	*ret_value = (uint64_t)number;
	return 0;
}

static int read_state(struct json_object *object, struct cpir_state *state)
{
	uint64_t max = UINT64_C(1000) * UINT32_MAX, polling;
	struct json_object *name;

	if (!json_object_is_type(object, json_type_object) ||
	    !json_object_object_get_ex(object, "name", &name) ||
	    json_number(object, "exit_latency_ns", max, &state->exit_latency_ns) ||
	    json_number(object, "target_residency_ns", max, &state->target_residency_ns) ||
	    json_number(object, "polling", 1, &polling))
		return -EINVAL;
	(void)snprintf(state->name, sizeof(state->name), "%s", json_object_get_string(name));
	state->polling = polling;
	state->power_mw = -1;
	return 0;
}

static int read_table(struct json_object *head, struct cpir_table *table)
{
	struct json_object *states;
	size_t count;

	if (!json_object_object_get_ex(head, "states", &states) ||
	    !json_object_is_type(states, json_type_array))
		return -EINVAL;
	count = json_object_array_length(states);
	if (!count || count > CPIR_STATES_MAX)
		return -EINVAL;
	memset(table, 0, sizeof(*table));
	table->count = (uint32_t)count;
	for (size_t i = 0; i < count; i++)
		if (read_state(json_object_array_get_idx(states, i), &table->states[i]))
			return -EINVAL;
	return 0;
}

static int start_policy(struct check *check, struct json_object *head, struct cpir_error *err)
{
	struct json_object *name;
	struct cpir_error why;
	uint64_t hz;
	int r;

	if (json_number(head, "hz", 10000, &hz) || hz < 24)
		return bad_line(check, err, "the sequence gives no tick rate (hz, 24 to 10000)");
	if (!json_object_object_get_ex(head, "policy", &name) ||
	    !json_object_is_type(name, json_type_string))
		return bad_line(check, err, "the sequence names no policy");
	/* What runs is the user's choice, not a file's. */
	if (!check->spec && kernel_source_claims(json_object_get_string(name)))
		return bad_line(check, err,
				"the sequence names kernel source as its policy; give that "
				"yourself (-p)");
	r = cpir_policy_parse(check->spec ? check->spec : json_object_get_string(name), NULL,
			      &check->policy, &why);
	if (r)
		return error_set(err, r, "%s: %.900s", check->path, why.text);
	policy_set_hz(check->policy, (uint32_t)hz);
	(void)snprintf(check->result.policy, sizeof(check->result.policy), "%.127s",
		       check->policy->name);
	check->state = calloc(1, check->policy->ops->state_size);
	if (!check->state)
		return error_oom(err);
	check->policy->ops->enable(check->policy, &check->table, check->state);
	return 0;
}

/* What has failed has decided nothing. */
static int end_sequence(struct check *check, struct cpir_error *err)
{
	int r = check->policy ? policy_failure(check->policy, err) : 0;

	free(check->state);
	check->state = NULL;
	cpir_policy_free(check->policy);
	check->policy = NULL;
	check->field_count = 0;
	return r;
}

static int start_sequence(struct check *check, struct cpir_error *err)
{
	struct json_object *head;
	int r = end_sequence(check, err);

	if (r)
		return r;
	head = json_tokener_parse(check->line + 1);
	if (!head || !json_object_is_type(head, json_type_object))
		r = bad_line(check, err, "the head of a sequence is not a JSON object");
	else if (read_table(head, &check->table))
		r = bad_line(check, err, "the sequence has no usable table of states");
	else
		r = start_policy(check, head, err);
	json_object_put(head);
	if (!r)
		check->result.sequences++;
	return r;
}

/* ---- columns and rows --------------------------------------------------------------------------------------------- */

static int find_column(const char *name)
{
	for (int i = 0; i < COLUMN_COUNT; i++)
		if (!strcmp(columns[i].name, name))
			return i;
	return -1;
}

/* The line `#step,…`: which field is which column. */
static int read_columns(struct check *check, struct cpir_error *err)
{
	char *at = check->line + 1, *name;
	uint32_t seen = 0;

	check->field_count = 0;
	while ((name = strsep(&at, ","))) {
		int column = find_column(name);

		if (column < 0 || seen >> column & 1)
			return error_set(err, -EINVAL,
					 "%s: column '%.40s' is unknown or there twice (line %llu)",
					 check->path, name, (unsigned long long)check->line_number);
		seen |= UINT32_C(1) << column;
		check->order[check->field_count++] = (uint32_t)column;
	}
	for (int i = 0; i < REQUIRED_COLUMNS; i++)
		if (!(seen >> i & 1))
			return error_set(err, -EINVAL, "%s: column %s is missing (line %llu)",
					 check->path, columns[i].name,
					 (unsigned long long)check->line_number);
	return 0;
}

static int read_row(struct check *check, int64_t row[COLUMN_COUNT], struct cpir_error *err)
{
	char *at = check->line, *field;
	uint32_t count = 0;

	memset(row, 0, COLUMN_COUNT * sizeof(*row));
	for (; (field = strsep(&at, ",")); count++) {
		uint32_t column;

		if (count >= check->field_count)
			return bad_line(check, err, "more fields than columns");
		column = check->order[count];
		if (parse_i64(field, columns[column].min, columns[column].max, &row[column]))
			return error_set(err, -EINVAL,
					 "%s: column %s: '%.40s' is not a number from %lld to %lld "
					 "(line %llu)",
					 check->path, columns[column].name, field,
					 (long long)columns[column].min,
					 (long long)columns[column].max,
					 (unsigned long long)check->line_number);
	}
	if (count < check->field_count)
		return bad_line(check, err, "fewer fields than columns");
	if (row[OUT_STATE] >= check->table.count || row[ENTERED] >= (int64_t)check->table.count)
		return bad_line(check, err, "a state that the table does not have");
	return 0;
}

/* ---- one step ----------------------------------------------------------------------------------------------------- */

static const struct {
	enum column column;
	const char *what;
} outputs[] = {
	{OUT_STATE, "state"},
	{OUT_STOP_TICK, "stop the tick"},
	{OUT_LOOKED_UP, "look at the timers"},
	{OUT_POLL_LIMIT, "poll limit"},
};

static void describe_mismatch(struct check *check, const int64_t *row, const int64_t *got,
			      const char *reason)
{
	char *text = check->result.first;
	size_t used, size = sizeof(check->result.first);

	used = (size_t)snprintf(text, size,
				"line %llu, sequence %llu, step %lld: the policy decides otherwise",
				(unsigned long long)check->line_number,
				(unsigned long long)check->result.sequences, (long long)row[STEP]);
	for (size_t i = 0; i < array_size(outputs) && used < size; i++)
		if (row[outputs[i].column] != got[i])
			used += (size_t)snprintf(text + used, size - used,
						 ", %s %lld instead of %lld", outputs[i].what,
						 (long long)got[i],
						 (long long)row[outputs[i].column]);
	if (used < size)
		(void)snprintf(text + used, size - used, " (its reason: %s)", reason);
}

/* After the outcome: the poll limit of a row is the one it led to. */
static void compare(struct check *check, const int64_t *row, const struct policy_decision *decision)
{
	int64_t (*poll_limit_ns)(const struct cpir_policy *, const void *) =
		check->policy->ops->poll_limit_ns;
	const int64_t got[array_size(outputs)] = {
		decision->state,
		decision->stop_tick,
		decision->looked_up_timers,
		poll_limit_ns ? poll_limit_ns(check->policy, check->state) : 0,
	};

	check->result.steps++;
	for (size_t i = 0; i < array_size(outputs); i++) {
		if (row[outputs[i].column] == got[i])
			continue;
		if (!check->result.mismatches++)
			describe_mismatch(check, row, got, decision->reason);
		return;
	}
}

static void run_step(struct check *check, const int64_t *row)
{
	const struct cpir_policy *policy = check->policy;
	const struct policy_input input = {
		.sleep_length_ns = row[SLEEP_LENGTH],
		.delta_next_ns = row[DELTA_NEXT],
		.tick_stopped = row[TICK_STOPPED],
		.nohz_full =
			true, /* only one patch asks; its vectors have every CPU in that list */
		.latency_req_ns = row[LATENCY_REQ],
		.nr_iowait = (uint32_t)row[NR_IOWAIT],
		.disabled_mask = (uint32_t)row[DISABLED_MASK],
		.load_weight = (uint64_t)row[LOAD_WEIGHT],
		.clock_ns = row[SELECT_CLOCK],
	};
	const struct policy_outcome outcome = {
		.entered = (int)row[ENTERED],
		.residency_ns = row[RESIDENCY],
		.poll_time_limit = (int)row[POLL_TIME_LIMIT],
		.got_tick = row[GOT_TICK],
		.clock_ns = row[REFLECT_CLOCK],
	};
	struct policy_decision decision;

	policy->ops->select(policy, &check->table, check->state, &input, &decision, NULL);
	policy->ops->reflect(policy, &check->table, check->state, &outcome);
	compare(check, row, &decision);
}

/* ---- the file ----------------------------------------------------------------------------------------------------- */

static int check_line(struct check *check, struct cpir_error *err)
{
	int64_t row[COLUMN_COUNT];
	int r;

	if (!strncmp(check->line, "#{", 2))
		return start_sequence(check, err);
	if (!check->policy)
		return bad_line(check, err, "a decision vector file begins with a line #{…}");
	if (check->line[0] == '#')
		return read_columns(check, err);
	if (!check->field_count)
		return bad_line(check, err, "a row before the line with the names of the columns");
	r = read_row(check, row, err);
	if (r)
		return r;
	run_step(check, row);
	return 0;
}

static int check_file(struct check *check, struct cpir_error *err)
{
	int r;

	while ((r = next_line(check, err)) > 0) {
		r = check_line(check, err);
		if (r)
			return r;
	}
	if (r)
		return r;
	if (!check->result.steps)
		return error_set(err, -ENODATA, "%s: no decisions in it; is it a vector file?",
				 check->path);
	return 0;
}

int cpir_policy_check(const char *path, const char *spec, struct cpir_check *ret_check,
		      struct cpir_error *err)
{
	_cleanup_free_ char *line = malloc(LINE_MAX_BYTES);
	_cleanup_fclose_ FILE *file = NULL;
	struct check check = {.path = path, .spec = spec, .line = line};
	int r, failed;

	if (!line)
		return error_oom(err);
	file = fopen(path, "re");
	if (!file) {
		r = -errno;
		return error_set(err, r, "%s: cannot be opened: %s", path, strerror(-r));
	}
	check.file = file;
	r = check_file(&check, err);
	failed = end_sequence(&check, r ? NULL : err);
	if (!r)
		r = failed;
	if (!r)
		*ret_check = check.result;
	return r;
}
