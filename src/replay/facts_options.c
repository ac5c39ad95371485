// SPDX-License-Identifier: GPL-2.0-only
/* What was asked for, and changes the numbers: who reads them elsewhere has not got the command line. */
#include "replay/facts.h"

#include <errno.h>
#include <inttypes.h>

#include "base/cleanup.h"
#include "replay/moment.h"

static int window_fact(const struct study *study, struct result_owner *owner)
{
	const struct cpir_study_options *options = study->options;
	uint64_t to_ns = options->to_ns ? options->to_ns : study->end_ns;
	struct cpir_fact fact = {
		.name = "window",
		.origin = "option",
		.effect = "only what lies in it counts; what came before is known to the governors",
	};

	if (!options->from_ns && !options->to_ns)
		return 0;
	fact.value =
		result_text(owner, MOMENT " to " MOMENT, SECONDS(options->from_ns), SECONDS(to_ns));
	return fact_add(owner, &fact);
}

static int limit_fact(const struct study *study, struct result_owner *owner)
{
	uint64_t limit_ns = study->options->latency_req_ns;
	struct cpir_fact fact = {
		.name = "latency limit",
		.origin = "option",
		.effect = "no decision here has a higher one; those of the record had their own",
	};

	if (limit_ns == UINT64_MAX || study->options->mode == CPIR_REPORT)
		return 0;
	fact.value = result_text(owner, "%" PRIu64 " ns", limit_ns);
	return fact_add(owner, &fact);
}

static char *states_text(uint32_t mask)
{
	struct cpu_set set = {0};

	for (uint32_t state = 0; state < CPIR_STATES_MAX; state++) {
		if (mask >> state & 1)
			cpu_set_add(&set, state);
	}
	return cpu_list_format(&set);
}

/* How often the record entered one of the states of @mask. */
static uint64_t entered(const struct cpir_result *result, uint32_t mask)
{
	uint64_t periods = 0;

	for (uint32_t state = 0; state < result->runs[0].total.state_count; state++)
		periods += mask >> state & 1 ? result->runs[0].total.states[state].usage : 0;
	return periods;
}

static int disabled_fact(const struct study *study, struct result_owner *owner)
{
	uint32_t mask = study->options->disable_mask;
	uint64_t periods = entered(&owner->result, mask);
	_cleanup_free_ char *states = NULL;
	struct cpir_fact fact = {
		.name = "disabled states",
		.origin = "option",
		.effect = "no policy enters them, and above and below are judged without them",
	};

	if (!mask)
		return 0;
	states = states_text(mask);
	if (!states)
		return -ENOMEM;
	fact.value = result_text(owner, "%s", states);
	if (periods)
		fact.effect = result_text(owner,
					  "%s; but the record entered them %" PRIu64
					  " times: what is said of it is not what its kernel said",
					  fact.effect, periods);
	return fact_add(owner, &fact);
}

int facts_options(const struct study *study, struct result_owner *owner)
{
	int ret = window_fact(study, owner);

	if (!ret)
		ret = limit_fact(study, owner);
	return ret ? ret : disabled_fact(study, owner);
}
