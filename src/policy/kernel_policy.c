// SPDX-License-Identifier: GPL-2.0-only
/*
 * DOC: a policy out of a kernel's own source
 *
 * The state of a CPU is the memory that the shim (shim/abi.h) asks for: what the governor may ask stands in front, its
 * device, driver and per-CPU variables behind. Its accessors for per-CPU variables address that memory, so any number of
 * CPUs, runs and threads use the same code at once, and a copy of the state is a copy of all the governor knows.
 * Variables that are not per CPU are shared, as they are in a kernel.
 *
 * Every call is guarded. One that crashes or does not come back ends the policy: the sentence that says so is kept, and
 * from then on it answers state 0 without being asked; whoever runs it looks at policy_failure() in the end.
 */
#include "policy/kernel_policy.h"

#include "base/cleanup.h"
#include "policy/governor.h"
#include "policy/guard.h"
#include "policy/kernel_build.h"
#include "policy/release.h"
#include "policy/shim/abi.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <string.h>

_Static_assert(SHIM_STATES_MAX >= CPIR_STATES_MAX, "the shim holds every table");

/* struct kernel_policy - config of the policy */
struct kernel_policy {
	struct policy_ops ops;
	void *object;
	bool guarded;
	const struct shim_governor *governor;
	char label[200];
	atomic_int failed; /* 1 being written down, 2 done */
	char failure[512];
};

/* struct call - a guarded call, in and out */
struct call {
	const struct shim_governor *governor;
	struct shim_cpu *cpu;
	const struct shim_table *table;
	int result;
};

static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;

/* ---- failure ------------------------------------------------------------------------------------------------------ */

/* The first one counts. */
__attribute__((format(printf, 2, 3))) static void fail(struct kernel_policy *kernel,
						       const char *format, ...)
{
	int none = 0;
	va_list args;

	if (!atomic_compare_exchange_strong(&kernel->failed, &none, 1))
		return;
	va_start(args, format);
	(void)vsnprintf(kernel->failure, sizeof(kernel->failure), format, args);
	va_end(args);
	atomic_store(&kernel->failed, 2);
}

static bool has_failed(const struct kernel_policy *kernel)
{
	return atomic_load_explicit(&kernel->failed, memory_order_relaxed);
}

/* Make a guarded call; false when the policy cannot go on. */
static bool guarded(struct kernel_policy *kernel, void (*fn)(void *arg), struct call *call,
		    const char *what)
{
	int r = guard_call(fn, call);

	if (r > 0)
		fail(kernel, "its %s() %s", what, guard_reason(r));
	else if (r < 0)
		fail(kernel, "its %s() cannot be watched: %s", what, strerror(-r));
	return !r;
}

static int kernel_failure(const struct cpir_policy *policy, struct cpir_error *err)
{
	struct kernel_policy *kernel = policy->config;

	if (atomic_load(&kernel->failed) != 2)
		return 0;
	return error_set(err, -EFAULT, "policy %s: %s", kernel->label, kernel->failure);
}

/* ---- the calls ---------------------------------------------------------------------------------------------------- */

static void call_init(void *arg)
{
	struct call *call = arg;

	call->result = call->governor->init();
}

static void call_enable(void *arg)
{
	struct call *call = arg;

	call->result = call->governor->enable(call->cpu, call->table);
}

static void call_select(void *arg)
{
	struct call *call = arg;

	call->result = call->governor->select(call->cpu);
}

static void call_reflect(void *arg)
{
	struct call *call = arg;

	call->governor->reflect(call->cpu);
}

static void kernel_enable(const struct cpir_policy *policy, const struct cpir_table *table,
			  void *state)
{
	struct kernel_policy *kernel = policy->config;
	struct shim_table states = {.count = table->count};
	struct shim_cpu *cpu = state;
	struct call call = {.governor = kernel->governor, .cpu = cpu, .table = &states};

	for (uint32_t i = 0; i < table->count; i++) {
		states.states[i].exit_latency_ns = table->states[i].exit_latency_ns;
		states.states[i].target_residency_ns = table->states[i].target_residency_ns;
		states.states[i].polling = table->states[i].polling;
	}
	memset(cpu, 0, sizeof(*cpu));
	cpu->tick_ns = policy->tick_ns;
	if (has_failed(kernel) || !guarded(kernel, call_enable, &call, "enable"))
		return;
	if (call.result)
		fail(kernel, "its enable() refuses with %d", call.result);
}

/* The state, or -1 when there is no valid one. */
static int decide(struct kernel_policy *kernel, const struct cpir_table *table,
		  struct shim_cpu *cpu)
{
	struct call call = {.governor = kernel->governor, .cpu = cpu};

	if (has_failed(kernel) || !guarded(kernel, call_select, &call, "select"))
		return -1;
	if (call.result >= 0 && call.result < (int)table->count)
		return call.result;
	fail(kernel, "its select() returns state %d, and there are %u", call.result, table->count);
	return -1;
}

/* What was asked is no memory of the governor: states that differ in that alone are the same. */
static void forget_question(struct shim_cpu *cpu)
{
	memset(&cpu->ask, 0, sizeof(cpu->ask));
}

static void kernel_select(const struct cpir_policy *policy, const struct cpir_table *table,
			  void *state, const struct policy_input *input,
			  struct policy_decision *ret_decision, struct policy_steps *steps)
{
	struct shim_cpu *cpu = state;
	int chosen;

	cpu->ask.clock_ns = input->clock_ns;
	cpu->ask.sleep_length_ns = input->sleep_length_ns;
	cpu->ask.delta_next_ns = input->delta_next_ns;
	cpu->ask.latency_req_ns = input->latency_req_ns;
	cpu->ask.nr_iowait = input->nr_iowait;
	cpu->ask.disabled_mask = input->disabled_mask;
	cpu->ask.tick_stopped = input->tick_stopped;
	cpu->ask.utilised = input->utilised;
	cpu->ask.nohz_full = input->nohz_full;
	chosen = decide(policy->config, table, cpu);
	*ret_decision = (struct policy_decision){
		.state = chosen < 0 ? 0 : chosen,
		.stop_tick = chosen >= 0 && cpu->ask.stop_tick,
		.looked_up_timers = chosen >= 0 && cpu->ask.looked_up,
		.predicted_ns = INT64_MAX,
		.poll_limit_ns = cpu->sets_poll_limit ? (int64_t)cpu->poll_limit_ns : -1,
		.reason = chosen < 0 ? "the governor has failed" : "as the source has it",
	};
	forget_question(cpu);
	policy_note(steps, "asked for the sleep length", ret_decision->looked_up_timers);
	if (!ret_decision->looked_up_timers)
		return;
	policy_note(steps, "sleep length ns", input->sleep_length_ns);
	policy_note(steps, "next event with the tick ns", input->delta_next_ns);
}

static void kernel_reflect(const struct cpir_policy *policy, const struct cpir_table *table,
			   void *state, const struct policy_outcome *outcome)
{
	struct kernel_policy *kernel = policy->config;
	struct shim_cpu *cpu = state;
	struct call call = {.governor = kernel->governor, .cpu = cpu};

	(void)table;
	if (has_failed(kernel))
		return;
	cpu->ask.clock_ns = outcome->clock_ns;
	cpu->ask.entered = outcome->entered;
	cpu->ask.residency_ns = outcome->residency_ns;
	cpu->ask.got_tick = outcome->got_tick;
	cpu->ask.poll_time_limit = outcome->poll_time_limit;
	(void)guarded(kernel, call_reflect, &call, "reflect");
	forget_question(cpu);
}

static int64_t kernel_poll_limit_ns(const struct cpir_policy *policy, const void *state)
{
	const struct shim_cpu *cpu = state;

	(void)policy;
	return cpu->sets_poll_limit ? (int64_t)cpu->poll_limit_ns : 0;
}

static void kernel_dispose(struct cpir_policy *policy)
{
	struct kernel_policy *kernel = policy->config;

	if (kernel->guarded)
		guard_release();
	if (kernel->object)
		(void)dlclose(kernel->object);
}

/* ---- loading ------------------------------------------------------------------------------------------------------ */

static int load(struct kernel_policy *kernel, const char *path, struct cpir_error *err)
{
	kernel->object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (kernel->object)
		kernel->governor = dlsym(kernel->object, "cpir_shim_governor");
	if (kernel->governor)
		return 0;
	if (kernel->object)
		(void)dlclose(take_ptr(kernel->object));
	return error_set(err, -EBADMSG, "policy %s: cannot be loaded: %.600s", kernel->label,
			 dlerror());
}

/* What is in the cache may be damaged. */
static int build_and_load(struct kernel_policy *kernel, const struct kernel_source *source,
			  struct cpir_error *err)
{
	_cleanup_free_ char *path = NULL;
	int r = kernel_build(source, false, &path, err);

	if (r || !load(kernel, path, err))
		return r;
	free(take_ptr(path));
	r = kernel_build(source, true, &path, err);
	return r ? r : load(kernel, path, err);
}

static int start(struct kernel_policy *kernel, struct cpir_error *err)
{
	struct call call = {.governor = kernel->governor};
	bool came_back;
	int r = guard_acquire();

	if (r)
		return error_set(err, r, "policy %s: cannot be watched: %s", kernel->label,
				 strerror(-r));
	kernel->guarded = true;
	(void)pthread_mutex_lock(&loading);
	came_back = guarded(kernel, call_init, &call, "initcall");
	(void)pthread_mutex_unlock(&loading);
	if (!came_back)
		return error_set(err, -EFAULT, "policy %s: %s", kernel->label, kernel->failure);
	if (call.result)
		return error_set(
			err, -EINVAL,
			"policy %s: registers no governor; its initcall must pass one with "
			"a select() to cpuidle_register_governor()",
			kernel->label);
	kernel->ops.name = kernel->governor->name();
	kernel->ops.state_size = kernel->governor->state_size();
	return 0;
}

static int name(struct cpir_policy *policy, const struct kernel_source *source,
		struct cpir_error *err)
{
	int n = snprintf(policy->name, sizeof(policy->name), "%s#%08x", source->label,
			 source->digest);

	if (n < 0 || (size_t)n >= sizeof(policy->name))
		return error_set(err, -ENAMETOOLONG, "policy: the name is longer than %zu bytes",
				 sizeof(policy->name) - 1);
	return 0;
}

static int policy_make(struct cpir_policy *policy, const struct kernel_source *source,
		       const char *kernel_release, struct cpir_error *err)
{
	static const struct policy_ops ops = {
		.from_source = true,
		.enable = kernel_enable,
		.select = kernel_select,
		.reflect = kernel_reflect,
		.poll_limit_ns = kernel_poll_limit_ns,
		.failure = kernel_failure,
		.dispose = kernel_dispose,
	};
	struct kernel_policy *kernel = policy->config;
	struct release release;
	int r = name(policy, source, err);

	if (r)
		return r;
	kernel->ops = ops;
	(void)snprintf(kernel->label, sizeof(kernel->label), "%.199s", source->label);
	policy->ops = &kernel->ops;
	policy->word_bits = 8 * sizeof(long);
	policy->release = source->release;
	if (!policy->release && kernel_release && !release_parse(kernel_release, &release, NULL))
		policy->release = release_pack(&release);
	policy_set_hz(policy, POLICY_DEFAULT_HZ);
	r = build_and_load(kernel, source, err);
	return r ? r : start(kernel, err);
}

int kernel_policy_parse(const char *spec, const char *kernel_release,
			struct cpir_policy **ret_policy, struct cpir_error *err)
{
	struct kernel_source source;
	struct cpir_policy *policy;
	int r = kernel_source_read(spec, &source, err);

	if (r)
		return r;
	policy = calloc(1, sizeof(*policy));
	if (policy)
		policy->config = calloc(1, sizeof(struct kernel_policy));
	if (policy && policy->config)
		r = policy_make(policy, &source, kernel_release, err);
	else
		r = error_oom(err);
	kernel_source_free(&source);
	if (!r) {
		*ret_policy = policy;
		return 0;
	}
	if (policy && policy->ops)
		kernel_dispose(policy);
	if (policy)
		free(policy->config);
	free(policy);
	return r;
}
