// SPDX-License-Identifier: GPL-2.0-only
/*
 * Governors of our own, written as a kernel's are, through the compiler and back. All files, the cache too, are in a
 * directory of their own.
 */
#include "policy/kernel_source.h"
#include "policy/policy.h"

#include "base/array.h"

#include <errno.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* Each CPU counts its own decisions; a module's global counts all. */
#define HEAD                                                                                       \
	"#include <linux/cpuidle.h>\n#include <asm/made-up.h>\n"                                   \
	"struct mine { int decisions; u64 slept_ns; };\n"                                          \
	"static DEFINE_PER_CPU(struct mine, mine);\n"                                              \
	"static int mine_enable(struct cpuidle_driver *drv, struct cpuidle_device *dev)\n"         \
	"{\n\tmemset(&per_cpu(mine, dev->cpu), 0, sizeof(struct mine));\n\treturn 0;\n}\n"         \
	"static void mine_reflect(struct cpuidle_device *dev, int index)\n"                        \
	"{\n\tthis_cpu_ptr(&mine)->slept_ns += dev->last_residency_ns;\n}\n"                       \
	"static int mine_select(struct cpuidle_driver *drv, struct cpuidle_device *dev, "          \
	"bool *stop_tick)\n{\n\tstruct mine *data = this_cpu_ptr(&mine);\n"                        \
	"\ts64 limit = cpuidle_governor_latency_req(dev->cpu);\n\tktime_t next;\n"                 \
	"\tdata->decisions++;\n"
#define TAIL                                                                                       \
	"}\n"                                                                                      \
	"static struct cpuidle_governor mine_governor = {\n\t.name = \"mine\",\n"                  \
	"\t.enable = mine_enable,\n\t.select = mine_select,\n\t.reflect = mine_reflect,\n};\n"     \
	"static int __init mine_init(void)\n"                                                      \
	"{\n\treturn cpuidle_register_governor(&mine_governor);\n}\n"                              \
	"postcore_initcall(mine_init);\n"
#define COUNTS HEAD "\treturn data->decisions & 1;\n" TAIL

static char directory[64];

static char *path_of(const char *name)
{
	static char path[128];

	(void)snprintf(path, sizeof(path), "%s/%s", directory, name);
	return path;
}

static void put(const char *name, const char *text)
{
	FILE *file = fopen(path_of(name), "w");

	assert_non_null(file);
	(void)fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

static int parse(const char *spec, struct cpir_policy **ret_policy, struct cpir_error *err)
{
	memset(err, 0, sizeof(*err));
	return cpir_policy_parse(spec, NULL, ret_policy, err);
}

static struct cpir_policy *make(const char *name, const char *text)
{
	struct cpir_policy *policy;
	struct cpir_error err;
	char spec[128];

	put(name, text);
	(void)snprintf(spec, sizeof(spec), "src:%s/%s", directory, name);
	if (parse(spec, &policy, &err))
		fail_msg("%s", err.text);
	policy_set_hz(policy, 250);
	return policy;
}

/* The source must be refused, with @code and these words. */
static void refuse(const char *spec, int code, const char *words)
{
	struct cpir_policy *policy;
	struct cpir_error err;

	assert_int_equal(parse(spec, &policy, &err), code);
	if (!strstr(err.text, words))
		fail_msg("no '%s' in: %s", words, err.text);
}

static void refuse_source(const char *text, int code, const char *words)
{
	char spec[128];

	put("bad.c", text);
	(void)snprintf(spec, sizeof(spec), "src:%s/bad.c", directory);
	refuse(spec, code, words);
}

static const struct cpir_table table = {
	.count = 2,
	.states = {{.exit_latency_ns = 1000, .target_residency_ns = 1000, .polling = true},
		   {.exit_latency_ns = 50000, .target_residency_ns = 100000}},
};

static struct policy_decision decide(const struct cpir_policy *policy, void *state)
{
	const struct policy_input input = {
		.sleep_length_ns = 3000000,
		.delta_next_ns = 2000000,
		.latency_req_ns = POLICY_NO_LIMIT_NS,
		.clock_ns = 77,
	};
	struct policy_decision decision;

	policy->ops->select(policy, &table, state, &input, &decision, NULL);
	return decision;
}

/* ---- what works --------------------------------------------------------------------------------------------------- */

static void test_cpus_and_copies(void **state)
{
	struct cpir_policy *policy = make("counts.c", COUNTS), *again = make("counts.c", COUNTS);
	size_t size = policy->ops->state_size;
	char *a = calloc(4, size), *b = a + size, *c = b + size, *d = c + size;

	(void)state;
	assert_non_null(a);
	assert_string_equal(policy->ops->name, "mine");
	policy->ops->enable(policy, &table, a);
	policy->ops->enable(policy, &table, b);
	again->ops->enable(again, &table, d);
	assert_int_equal(decide(policy, a).state, 1);
	assert_int_equal(decide(policy, b).state, 1);
	assert_int_equal(decide(policy, a).state, 0);
	memcpy(c, a, size);
	assert_int_equal(decide(policy, a).state, 1);
	assert_int_equal(decide(policy, c).state, 1);
	assert_memory_equal(a, c, size);
	assert_int_equal(decide(again, d).state, 1);
	assert_memory_equal(b, d, size);
	free(a);
	cpir_policy_free(policy);
	assert_null(policy_failure(again, NULL));
	cpir_policy_free(again);
}

static void test_answers(void **state)
{
	struct cpir_policy *policy = make(
		"asks.c", HEAD "\t*stop_tick = false;\n\tdev->poll_limit_ns = TICK_NSEC / HZ;\n"
			       "\treturn tick_nohz_get_sleep_length(&next) == 3000000 &&\n"
			       "\t\tnext == 2000000 && limit == 2000000000000LL &&\n"
			       "\t\tlocal_clock() == 77 && !tick_nohz_tick_stopped() &&\n"
			       "\t\tdrv->state_count == 2 &&\n"
			       "\t\tdrv->states[0].flags & CPUIDLE_FLAG_POLLING;\n" TAIL);
	char *memory = calloc(1, policy->ops->state_size);
	struct policy_decision decision;

	(void)state;
	policy->ops->enable(policy, &table, memory);
	decision = decide(policy, memory);
	assert_int_equal(decision.state, 1);
	assert_false(decision.stop_tick);
	assert_true(decision.looked_up_timers);
	assert_int_equal(decision.poll_limit_ns, 16000);
	free(memory);
	cpir_policy_free(policy);
}

/* The name in full means the same source, or is refused. */
static void test_name(void **state)
{
	struct cpir_policy *policy = make("counts.c", COUNTS), *again;
	char name[256], words[64];
	struct cpir_error err;

	(void)state;
	(void)snprintf(name, sizeof(name), "%s", cpir_policy_name(policy));
	cpir_policy_free(policy);
	assert_non_null(strstr(name, "counts.c#"));
	assert_int_equal(parse(name, &again, &err), 0);
	assert_string_equal(cpir_policy_name(again), name);
	cpir_policy_free(again);
	put("counts.c", COUNTS "\n");
	(void)snprintf(words, sizeof(words), "the source has changed");
	refuse(name, -EINVAL, words);
}

static int count_objects(const char *path, const struct stat *info, int type, struct FTW *where)
{
	size_t length = strlen(path);

	(void)info;
	(void)where;
	/* 1 would end the walk: 2 objects are enough to know. */
	return type == FTW_F && length > 3 && !strcmp(path + length - 3, ".so") ? 1 : 0;
}

static void test_cache(void **state)
{
	struct cpir_policy *policy = make("cached.c", COUNTS "/* once */\n");
	char place[128];

	(void)state;
	cpir_policy_free(policy);
	(void)snprintf(place, sizeof(place), "%s/cache/cpuidle-replay", directory);
	assert_int_equal(nftw(place, count_objects, 4, FTW_PHYS), 1);
	/* No compiler: what is there must do, and is not there for other text or another compiler. */
	policy = make("cached.c", COUNTS "/* once */\n");
	cpir_policy_free(policy);
	(void)setenv("CC", "no-such-compiler", 1);
	refuse_source(COUNTS, -ENOENT, "no-such-compiler");
	(void)unsetenv("CC");
	/* Where others may write there is nothing to run. */
	assert_int_equal(chmod(place, 0777), 0);
	refuse_source(COUNTS, -EPERM, "others may write there");
	assert_int_equal(chmod(place, 0700), 0);
}

static int damage(const char *path, const struct stat *info, int type, struct FTW *where)
{
	size_t length = strlen(path);

	(void)info;
	(void)where;
	if (type == FTW_F && length > 3 && !strcmp(path + length - 3, ".so"))
		assert_int_equal(truncate(path, 100), 0);
	return 0;
}

static void test_damaged_cache(void **state)
{
	struct cpir_policy *policy = make("counts.c", COUNTS "/* damaged */\n");
	char place[128];

	(void)state;
	cpir_policy_free(policy);
	(void)snprintf(place, sizeof(place), "%s/cache", directory);
	assert_int_equal(nftw(place, damage, 4, FTW_PHYS), 0);
	cpir_policy_free(make("counts.c", COUNTS "/* damaged */\n"));
}

/* A header beside the source comes before the shim's own. */
static void test_header(void **state)
{
	static const char text[] =
		"#include \"gov.h\"\n" HEAD "\treturn RESIDENCY_THRESHOLD_NS == 15000;\n" TAIL;
	struct cpir_policy *ours = make("header.c", text), *beside;
	char *memory = calloc(1, ours->ops->state_size);

	(void)state;
	ours->ops->enable(ours, &table, memory);
	assert_int_equal(decide(ours, memory).state, 1);
	put("gov.h", "#define RESIDENCY_THRESHOLD_NS 16000\n");
	beside = make("header.c", text);
	beside->ops->enable(beside, &table, memory);
	assert_int_equal(decide(beside, memory).state, 0);
	assert_int_equal(unlink(path_of("gov.h")), 0);
	free(memory);
	cpir_policy_free(ours);
	cpir_policy_free(beside);
}

/* ---- what does not ------------------------------------------------------------------------------------------------ */

static void test_spec_errors(void **state)
{
	char spec[160];

	(void)state;
	refuse("src:", -EINVAL, "no file behind 'src:'");
	refuse("src:/no/such/menu.c", -ENOENT, "/no/such/menu.c: cannot be opened");
	refuse("patch:a.patch", -EINVAL, "a patch of what?");
	refuse("git:/no/such@HEAD", -EINVAL, "no repository there");
	(void)snprintf(spec, sizeof(spec), "src:%s", directory);
	refuse(spec, -EISDIR, "is a directory");
	(void)snprintf(spec, sizeof(spec), "git:%s@-x", directory);
	refuse(spec, -EINVAL, "no revision");
	put("a b.c", "");
	(void)snprintf(spec, sizeof(spec), "src:%s/a b.c", directory);
	refuse(spec, -EINVAL, "is no name");
}

static void test_compiler_errors(void **state)
{
	(void)state;
	refuse_source(HEAD "\treturn broken;\n" TAIL, -EINVAL, "bad.c:");
	refuse_source(HEAD "\treturn broken;\n" TAIL, -EINVAL, "shim");
	refuse_source(HEAD "\treturn sched_mood(dev->cpu) + rq_weather();\n" TAIL, -EINVAL,
		      "does not have: sched_mood, rq_weather");
	refuse_source(HEAD "\textern int system(const char *);\n\treturn system(\"true\");\n" TAIL,
		      -EINVAL, "does not have: system");
	refuse_source("int nothing;\n", -EINVAL, "registers no governor");
	refuse_source("#include <linux/cpuidle.h>\nstatic int boom(void)\n{\n"
		      "\tBUG_ON(1);\n\treturn 0;\n}\npostcore_initcall(boom);\n",
		      -EFAULT, "initcall");
}

static void test_user_shim(void **state)
{
	char place[128];
	struct cpir_policy *policy;

	(void)state;
	(void)snprintf(place, sizeof(place), "%s/shim", directory);
	(void)setenv("CPUIDLE_REPLAY_SHIM", place, 1);
	refuse_source(COUNTS, -ENOTDIR, "no directory");
	assert_int_equal(mkdir(place, 0700), 0);
	put("shim/gov.h", "#define ADDED 1\n");
	policy = make("added.c", "#include \"gov.h\"\n" HEAD "\treturn ADDED;\n" TAIL);
	cpir_policy_free(policy);
	(void)unsetenv("CPUIDLE_REPLAY_SHIM");
}

/* A governor that fails while it runs: it answers state 0 from then on, and says why. */
static void check_failure(const char *body, const char *words)
{
	char text[2048];
	struct cpir_policy *policy;
	struct cpir_error err = {0};
	char *memory;

	(void)snprintf(text, sizeof(text), "%s%s%s", HEAD, body, TAIL);
	policy = make("fails.c", text);
	memory = calloc(1, policy->ops->state_size);
	policy->ops->enable(policy, &table, memory);
	assert_int_equal(policy_failure(policy, NULL), 0);
	assert_int_equal(decide(policy, memory).state, 1);
	for (int i = 0; i < 3; i++)
		assert_int_equal(decide(policy, memory).state, 0);
	assert_int_equal(policy_failure(policy, &err), -EFAULT);
	if (!strstr(err.text, words))
		fail_msg("no '%s' in: %s", words, err.text);
	free(memory);
	cpir_policy_free(policy);
}

static void test_run_time_failures(void **state)
{
	(void)state;
	check_failure("\tif (data->decisions > 1)\n\t\t*(volatile int *)16 = 1;\n\treturn 1;\n",
		      "SIGSEGV");
	check_failure("\tBUG_ON(data->decisions > 1);\n\treturn 1;\n", "SIGILL");
	check_failure("\twhile (READ_ONCE(data->decisions) > 1)\n\t\t;\n\treturn 1;\n",
		      "does not come back");
	check_failure("\treturn data->decisions;\n", "returns state 2, and there are 2");
	check_failure("\treturn data->decisions > 1 ? -16 : 1;\n", "returns state -16");
}

static void test_vectors_name_no_source(void **state)
{
	struct cpir_check check;
	struct cpir_error err = {0};

	(void)state;
	put("counts.c", COUNTS);
	put("evil.csv", "#{\"policy\": \"src:counts.c\", \"hz\": 250, \"states\": [{\"name\": "
			"\"C1\", \"exit_latency_ns\": 1, \"target_residency_ns\": 1, \"polling\": "
			"0}]}\n");
	assert_int_equal(cpir_policy_check(path_of("evil.csv"), NULL, &check, &err), -EINVAL);
	assert_non_null(strstr(err.text, "names kernel source"));
}

/* ---- patches and git ---------------------------------------------------------------------------------------------- */

#define PATCH_HEAD "Subject: of a mail\n\n--- a/Documentation/x.rst\n+++ b/Documentation/x.rst\n"
#define PATCH_OTHER "@@ -1,2 +1,2 @@\n-old\n+new\n same\n"
#define PATCH_OURS                                                                                 \
	"diff --git a/drivers/cpuidle/governors/counts.c b/drivers/cpuidle/governors/counts.c\n"   \
	"--- a/drivers/cpuidle/governors/counts.c\n+++ b/drivers/cpuidle/governors/counts.c\n"     \
	"@@ -24,3 +24,3 @@\n \tdata->decisions++;\n-\treturn data->decisions & 1;\n"               \
	"+\treturn !(data->decisions & 1);\n }\n-- \n2.39\n"

static void patched_spec(char spec[300], const char *patch)
{
	put("counts.c", COUNTS);
	put("change.patch", patch);
	(void)snprintf(spec, 300, "src:%s/counts.c+patch:%s/change.patch", directory, directory);
}

static void test_patch(void **state)
{
	struct cpir_policy *policy;
	struct cpir_error err;
	char spec[300], *memory;

	(void)state;
	patched_spec(spec, PATCH_HEAD PATCH_OTHER PATCH_OURS);
	if (parse(spec, &policy, &err))
		fail_msg("%s", err.text);
	memory = calloc(1, policy->ops->state_size);
	policy->ops->enable(policy, &table, memory);
	assert_int_equal(decide(policy, memory).state, 0);
	assert_int_equal(decide(policy, memory).state, 1);
	free(memory);
	cpir_policy_free(policy);
	patched_spec(spec, PATCH_HEAD PATCH_OTHER);
	refuse(spec, -EINVAL, "changes nothing in counts.c");
	patched_spec(spec, "--- counts.c\n+++ counts.c\n@@ -3,1 +3,1 @@\n-not there\n+at all\n");
	refuse(spec, -EINVAL, "does not fit counts.c");
	(void)snprintf(spec, sizeof(spec), "src:%s/counts.c+patch:/no/such.patch", directory);
	refuse(spec, -ENOENT, "/no/such.patch");
}

static void test_git(void **state)
{
	struct cpir_policy *policy;
	struct cpir_error err;
	char command[700], spec[160];

	(void)state;
	put("counts.c", COUNTS);
	(void)snprintf(command, sizeof(command),
		       "cd %s && git init -q repo@home && cd repo@home && "
		       "mkdir -p drivers/cpuidle/governors && "
		       "mv ../counts.c drivers/cpuidle/governors && "
		       "printf 'VERSION = 6\\nPATCHLEVEL = 1\\nSUBLEVEL = 7\\n' >Makefile && "
		       "git add . && git -c user.name=n -c user.email=e commit -qm first && "
		       "git tag v1 && git rm -q drivers/cpuidle/governors/counts.c && "
		       "git -c user.name=n -c user.email=e commit -qm second",
		       directory);
	if (system(command)) {
		print_message("# no git that commits\n");
		return;
	}
	(void)snprintf(spec, sizeof(spec), "git:%s/repo@home@v1:counts", directory);
	if (parse(spec, &policy, &err))
		fail_msg("%s", err.text);
	assert_int_equal(policy->release, 6 << 16 | 1 << 8 | 7);
	cpir_policy_free(policy);
	(void)snprintf(spec, sizeof(spec), "git:%s/repo@home@v1:drivers/cpuidle/governors/counts.c",
		       directory);
	assert_int_equal(parse(spec, &policy, &err), 0);
	cpir_policy_free(policy);
	(void)snprintf(spec, sizeof(spec), "git:%s/repo@home@HEAD:counts", directory);
	refuse(spec, -ENOENT, "git has no drivers/cpuidle/governors/counts.c");
	(void)snprintf(spec, sizeof(spec), "git:%s/repo@home@v1", directory);
	refuse(spec, -ENOENT, "git has no drivers/cpuidle/governors/menu.c");
}

static void test_includes(void **state)
{
	const char *at =
		"#include <a/b.h>\n # include \"c.h\" \n#include MACRO\n#include\n#includes\n"
		"// #include <no.h>\n#include <open\n#include \"\"\n#include <end.h>";
	char name[64];

	(void)state;
	assert_int_equal(kernel_include_next(&at, name, sizeof(name)), '<');
	assert_string_equal(name, "a/b.h");
	assert_int_equal(kernel_include_next(&at, name, sizeof(name)), '"');
	assert_string_equal(name, "c.h");
	assert_int_equal(kernel_include_next(&at, name, sizeof(name)), '<');
	assert_string_equal(name, "end.h");
	assert_int_equal(kernel_include_next(&at, name, sizeof(name)), 0);
	assert_int_equal(*at, '\0');
}

/* ---- the directory ------------------------------------------------------------------------------------------------ */

static int make_directory(void **state)
{
	char cache[128];

	(void)state;
	(void)snprintf(directory, sizeof(directory), "/tmp/cpir-test-XXXXXX");
	if (!mkdtemp(directory))
		return -1;
	(void)snprintf(cache, sizeof(cache), "%s/cache", directory);
	(void)setenv("XDG_CACHE_HOME", cache, 1);
	(void)unsetenv("CC");
	(void)unsetenv("CPUIDLE_REPLAY_SHIM");
	return 0;
}

static int remove_one(const char *path, const struct stat *info, int type, struct FTW *where)
{
	(void)info;
	(void)type;
	(void)where;
	return remove(path);
}

static int remove_directory(void **state)
{
	(void)state;
	return nftw(directory, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cpus_and_copies),
		cmocka_unit_test(test_answers),
		cmocka_unit_test(test_name),
		cmocka_unit_test(test_cache),
		cmocka_unit_test(test_damaged_cache),
		cmocka_unit_test(test_header),
		cmocka_unit_test(test_spec_errors),
		cmocka_unit_test(test_compiler_errors),
		cmocka_unit_test(test_user_shim),
		cmocka_unit_test(test_run_time_failures),
		cmocka_unit_test(test_vectors_name_no_source),
		cmocka_unit_test(test_patch),
		cmocka_unit_test(test_git),
		cmocka_unit_test(test_includes),
	};

	return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
