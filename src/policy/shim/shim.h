/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel as a cpuidle governor sees it, as far as governors look. It comes before the governor's source, whose own
 * <headers> are all empty: what is not here, a governor cannot use. To let it use more, write that here as a macro or a
 * static inline function, answered from cpir_shim_cpu (abi.h says what is known); the environment variable
 * CPUIDLE_REPLAY_SHIM names the directory with the changed copy.
 */
#ifndef SHIM_H
#define SHIM_H

#include "abi.h"

/* ---- types and compiler ------------------------------------------------------------------------------------------- */

typedef _Bool bool;
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32, uint32_t;
typedef int s32, int32_t;
typedef unsigned long long u64;
typedef long long s64, ktime_t;
typedef __UINT64_TYPE__ uint64_t;
typedef __INT64_TYPE__ int64_t;
typedef __SIZE_TYPE__ size_t;
enum { false, true };

#define NULL ((void *)0)
#define INT_MAX ((int)(~0U >> 1))
#define UINT_MAX (~0U)
#define U32_MAX UINT_MAX
#define LONG_MAX ((long)(~0UL >> 1))
#define ULONG_MAX (~0UL)
#define S64_MAX ((s64)(~0ULL >> 1))
#define U64_MAX ((u64)~0ULL)

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#define fallthrough __attribute__((fallthrough))
#define __always_inline inline __attribute__((always_inline))
#define __maybe_unused __attribute__((unused))
#define __init
#define __read_mostly
#define __ro_after_init
#define READ_ONCE(x) (*(const volatile __typeof__(x) *)&(x))
#define WRITE_ONCE(x, value) (*(volatile __typeof__(x) *)&(x) = (value))
#define BIT(n) (1UL << (n))
#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define BUILD_BUG_ON(x) _Static_assert(!(x), #x)
#define BUG_ON(x) ((x) ? __builtin_trap() : (void)0)
#define WARN_ON(x) (!!(x))
#define WARN_ON_ONCE(x) (!!(x))
#define pr_debug(...) ((void)0)
#define pr_info(...) ((void)0)
#define pr_warn(...) ((void)0)
#define pr_err(...) ((void)0)
void *memset(void *to, int byte, size_t size);
void *memcpy(void *to, const void *from, size_t size);

/* ---- arithmetic --------------------------------------------------------------------------------------------------- */

#define SHIM_PICK(a, op, b)                                                                        \
	({                                                                                         \
		__auto_type shim_a = (a);                                                          \
		__auto_type shim_b = (b);                                                          \
		shim_a op shim_b ? shim_a : shim_b;                                                \
	})
#define min(a, b) SHIM_PICK(a, <, b)
#define max(a, b) SHIM_PICK(a, >, b)
#define min_t(type, a, b) SHIM_PICK((type)(a), <, (type)(b))
#define max_t(type, a, b) SHIM_PICK((type)(a), >, (type)(b))
#define clamp(x, low, high) min(max(x, low), high)
#define clamp_t(type, x, low, high) min_t(type, max_t(type, x, low), high)
#define abs(x) SHIM_PICK(x, >, -shim_a)
#define DIV_ROUND_UP(n, d) (((n) + (d)-1) / (d))
#define div_u64(n, d) ((u64)(n) / (u32)(d))
#define div_s64(n, d) ((s64)(n) / (s32)(d))
#define div64_u64(n, d) ((u64)(n) / (u64)(d))
#define div64_s64(n, d) ((s64)(n) / (s64)(d))
#define do_div(n, d)                                                                               \
	({                                                                                         \
		u32 shim_d = (d), shim_rest = (u64)(n) % shim_d;                                   \
		(n) = (u64)(n) / shim_d;                                                           \
		shim_rest;                                                                         \
	})

/* ---- the simulated CPU: number 0, and whatever a governor keeps per CPU lies behind struct shim_machine ------------- */

extern __thread struct shim_cpu *cpir_shim_cpu
	__attribute__((tls_model("initial-exec"), visibility("hidden")));
/* What it begins with; the linker makes these two names. */
extern char __start_shim_per_cpu[] __attribute__((visibility("hidden")));
extern char __stop_shim_per_cpu[] __attribute__((visibility("hidden")));

#define SHIM_PER_CPU_OFFSET ((sizeof(struct shim_machine) + 15) & ~15UL)
#define DEFINE_PER_CPU(type, name) __attribute__((section("shim_per_cpu"))) __typeof__(type) name
#define DEFINE_PER_CPU_ALIGNED(type, name) DEFINE_PER_CPU(type, name)
#define DEFINE_PER_CPU_SHARED_ALIGNED(type, name) DEFINE_PER_CPU(type, name)
#define this_cpu_ptr(p)                                                                            \
	((__typeof__(p))((char *)cpir_shim_cpu + SHIM_PER_CPU_OFFSET +                             \
			 ((char *)(p)-__start_shim_per_cpu)))
#define per_cpu_ptr(p, cpu) ((void)(cpu), this_cpu_ptr(p))
#define per_cpu(name, cpu) (*per_cpu_ptr(&(name), cpu))
#define this_cpu_read(name) (*this_cpu_ptr(&(name)))
#define this_cpu_write(name, value) ((void)(*this_cpu_ptr(&(name)) = (value)))
#define smp_processor_id() 0
#define for_each_possible_cpu(cpu) for ((cpu) = 0; (cpu) < 1; (cpu)++)

/* ---- time; the tick is that of the machine replayed ----------------------------------------------------------------- */

#define NSEC_PER_USEC 1000L
#define NSEC_PER_MSEC 1000000L
#define NSEC_PER_SEC 1000000000L
#define USEC_PER_MSEC 1000L
#define USEC_PER_SEC 1000000L
#define MSEC_PER_SEC 1000L
#define KTIME_MAX S64_MAX
#define TICK_NSEC ((long)cpir_shim_cpu->tick_ns)
#define HZ ((NSEC_PER_SEC + TICK_NSEC / 2) / TICK_NSEC)
#define TICK_USEC ((USEC_PER_SEC + HZ / 2) / HZ)
#define jiffies ((unsigned long)(cpir_shim_cpu->ask.clock_ns / TICK_NSEC))
#define ktime_to_ns(t) ((s64)(t))
#define ktime_to_us(t) ((s64)(t) / NSEC_PER_USEC)
#define ns_to_ktime(ns) ((ktime_t)(ns))
#define us_to_ktime(us) ((ktime_t)(us)*NSEC_PER_USEC)
#define ktime_add(a, b) ((ktime_t)(a) + (ktime_t)(b))
#define ktime_sub(a, b) ((ktime_t)(a) - (ktime_t)(b))
#define ktime_before(a, b) ((ktime_t)(a) < (ktime_t)(b))
#define ktime_after(a, b) ((ktime_t)(a) > (ktime_t)(b))
#define local_clock() ((u64)cpir_shim_cpu->ask.clock_ns)
#define sched_clock() local_clock()
#define ktime_get_ns() local_clock()
#define ktime_get() ((ktime_t)local_clock())

/* ---- cpuidle ------------------------------------------------------------------------------------------------------ */

#define CPUIDLE_STATE_MAX SHIM_STATES_MAX
#define CPUIDLE_FLAG_POLLING BIT(0)

struct cpuidle_state {
	s64 exit_latency_ns, target_residency_ns;
	unsigned int exit_latency, target_residency; /* us */
	unsigned int flags;
};

struct cpuidle_state_usage {
	unsigned long long disable;
};

struct cpuidle_device {
	unsigned int cpu;
	bool poll_time_limit;
	int last_state_idx;
	u64 last_residency_ns, poll_limit_ns;
	struct cpuidle_state_usage states_usage[CPUIDLE_STATE_MAX];
};

struct cpuidle_driver {
	int state_count;
	struct cpuidle_state states[CPUIDLE_STATE_MAX + 1]; /* some governors look one too far */
};

struct cpuidle_governor {
	const char *name;
	unsigned int rating;
	int (*enable)(struct cpuidle_driver *drv, struct cpuidle_device *dev);
	void (*disable)(struct cpuidle_driver *drv, struct cpuidle_device *dev);
	int (*select)(struct cpuidle_driver *drv, struct cpuidle_device *dev, bool *stop_tick);
	void (*reflect)(struct cpuidle_device *dev, int index);
};

struct shim_machine {
	struct shim_cpu cpu;
	unsigned int disabled_mask; /* as it is in dev.states_usage */
	struct cpuidle_device dev;
	struct cpuidle_driver drv;
};

int cpuidle_register_governor(struct cpuidle_governor *governor);
#define cpuidle_governor_latency_req(cpu) ((void)(cpu), (s64)cpir_shim_cpu->ask.latency_req_ns)

/* ---- tick and scheduler ------------------------------------------------------------------------------------------- */

#define tick_nohz_enabled 1
#define tick_nohz_tick_stopped() ((bool)cpir_shim_cpu->ask.tick_stopped)
#define tick_nohz_full_cpu(cpu) ((void)(cpu), (bool)cpir_shim_cpu->ask.nohz_full)
static inline ktime_t tick_nohz_get_sleep_length(ktime_t *delta_next)
{
	cpir_shim_cpu->ask.looked_up = 1;
	*delta_next = cpir_shim_cpu->ask.delta_next_ns;
	return cpir_shim_cpu->ask.sleep_length_ns;
}
static inline bool tick_nohz_idle_got_tick(void)
{
	bool got = cpir_shim_cpu->ask.got_tick;

	cpir_shim_cpu->ask.got_tick = 0;
	return got;
}
#define nr_iowait_cpu(cpu) ((void)(cpu), cpir_shim_cpu->ask.nr_iowait)
#define SCHED_CAPACITY_SCALE 1024UL
#define arch_scale_cpu_capacity(cpu) ((void)(cpu), SCHED_CAPACITY_SCALE)
#define sched_cpu_util(cpu) ((void)(cpu), cpir_shim_cpu->ask.utilised ? SCHED_CAPACITY_SCALE : 0)

/* ---- modules, virtual machines, trace events ------------------------------------------------------------------------ */

extern int (*const cpir_shim_initcall)(void);
#define SHIM_INITCALL(function) int (*const cpir_shim_initcall)(void) = (function)
#define postcore_initcall(function) SHIM_INITCALL(function)
#define module_init(function) SHIM_INITCALL(function)
#define SHIM_NOTHING extern int cpir_shim_nothing
#define module_param(name, type, mode) SHIM_NOTHING
#define MODULE_PARM_DESC(name, text) SHIM_NOTHING
#define MODULE_DESCRIPTION(text) SHIM_NOTHING
#define MODULE_AUTHOR(text) SHIM_NOTHING
#define MODULE_LICENSE(text) SHIM_NOTHING
#define CONFIG_SMP 1
#define kvm_para_available() 1
#define trace_guest_halt_poll_ns_grow(now, before) ((void)(now), (void)(before))
#define trace_guest_halt_poll_ns_shrink(now, before) ((void)(now), (void)(before))

#endif
