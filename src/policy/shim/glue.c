// SPDX-License-Identifier: GPL-2.0-only
/* Compiled together with a governor: takes the tool's calls and does to the governor what the cpuidle core does. */
#include "shim.h"

#define BOOT_SIZE (1 << 18)

__thread struct shim_cpu *cpir_shim_cpu __attribute__((tls_model("initial-exec")));
extern int (*const cpir_shim_initcall)(void) __attribute__((weak));

static DEFINE_PER_CPU(int, anchor) __attribute__((used)); /* some governors keep nothing per CPU */
static struct cpuidle_governor *registered;

int cpuidle_register_governor(struct cpuidle_governor *governor)
{
	registered = governor;
	return 0;
}

static size_t per_cpu_size(void)
{
	/* cppcheck-suppress comparePointers ; two ends of one section */
	return (size_t)(__stop_shim_per_cpu - __start_shim_per_cpu);
}

static char *per_cpu_memory(struct shim_machine *machine)
{
	return (char *)machine + SHIM_PER_CPU_OFFSET;
}

static const char *shim_name(void)
{
	return registered->name ? registered->name : "";
}

static unsigned long shim_state_size(void)
{
	return SHIM_PER_CPU_OFFSET + ((per_cpu_size() + 15) & ~15UL);
}

/* What the initcall stores per CPU is what every CPU begins with. */
static int shim_init(void)
{
	static char boot[BOOT_SIZE] __attribute__((aligned(16)));
	struct shim_machine *machine = (struct shim_machine *)boot;

	if (registered)
		return registered->select ? 0 : -1;
	if (!&cpir_shim_initcall || shim_state_size() > BOOT_SIZE)
		return -1;
	cpir_shim_cpu = &machine->cpu;
	machine->cpu.tick_ns = NSEC_PER_MSEC;
	memcpy(per_cpu_memory(machine), __start_shim_per_cpu, per_cpu_size());
	cpir_shim_initcall();
	memcpy(__start_shim_per_cpu, per_cpu_memory(machine), per_cpu_size());
	return registered && registered->select ? 0 : -1;
}

static void fill_driver(struct cpuidle_driver *drv, const struct shim_table *table)
{
	drv->state_count = (int)table->count;
	for (unsigned int i = 0; i < table->count; i++) {
		struct cpuidle_state *state = &drv->states[i];

		state->exit_latency_ns = (s64)table->states[i].exit_latency_ns;
		state->target_residency_ns = (s64)table->states[i].target_residency_ns;
		state->exit_latency = (unsigned int)(state->exit_latency_ns / NSEC_PER_USEC);
		state->target_residency =
			(unsigned int)(state->target_residency_ns / NSEC_PER_USEC);
		state->flags = table->states[i].polling ? CPUIDLE_FLAG_POLLING : 0;
	}
}

static void take_poll_limit(struct shim_cpu *cpu, const struct cpuidle_device *dev)
{
	cpu->poll_limit_ns = dev->poll_limit_ns;
	if (dev->poll_limit_ns)
		cpu->sets_poll_limit = 1;
}

static int shim_enable(struct shim_cpu *cpu, const struct shim_table *table)
{
	struct shim_machine *machine = (struct shim_machine *)cpu;
	struct cpuidle_device *dev = &machine->dev;
	int error = 0;

	memset(dev, 0, sizeof(*dev));
	memset(&machine->drv, 0, sizeof(machine->drv));
	machine->disabled_mask = 0;
	fill_driver(&machine->drv, table);
	memcpy(per_cpu_memory(machine), __start_shim_per_cpu, per_cpu_size());
	cpir_shim_cpu = cpu;
	dev->poll_limit_ns = U64_MAX;
	if (registered->enable)
		error = registered->enable(&machine->drv, dev);
	cpu->sets_poll_limit = dev->poll_limit_ns != U64_MAX;
	if (!cpu->sets_poll_limit)
		dev->poll_limit_ns = 0;
	take_poll_limit(cpu, dev);
	return error;
}

static void disable_states(struct shim_machine *machine, unsigned int mask)
{
	for (unsigned int i = 0; i < CPUIDLE_STATE_MAX; i++)
		machine->dev.states_usage[i].disable = mask >> i & 1;
	machine->disabled_mask = mask;
}

static int shim_select(struct shim_cpu *cpu)
{
	struct shim_machine *machine = (struct shim_machine *)cpu;
	bool stop_tick = true;
	int state;

	if (cpu->ask.disabled_mask != machine->disabled_mask)
		disable_states(machine, cpu->ask.disabled_mask);
	cpir_shim_cpu = cpu;
	state = registered->select(&machine->drv, &machine->dev, &stop_tick);
	cpu->ask.stop_tick = stop_tick;
	take_poll_limit(cpu, &machine->dev);
	return state;
}

static void shim_reflect(struct shim_cpu *cpu)
{
	struct cpuidle_device *dev = &((struct shim_machine *)cpu)->dev;

	if (cpu->ask.poll_time_limit >= 0)
		dev->poll_time_limit = cpu->ask.poll_time_limit;
	dev->last_residency_ns = cpu->ask.entered < 0 ? 0 : (u64)cpu->ask.residency_ns;
	cpir_shim_cpu = cpu;
	if (cpu->ask.entered >= 0 && registered->reflect)
		registered->reflect(dev, cpu->ask.entered);
	take_poll_limit(cpu, dev);
}

__attribute__((visibility("default"))) const struct shim_governor cpir_shim_governor = {
	.init = shim_init,
	.name = shim_name,
	.state_size = shim_state_size,
	.enable = shim_enable,
	.select = shim_select,
	.reflect = shim_reflect,
};
