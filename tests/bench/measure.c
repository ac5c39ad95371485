// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs commands in turn, each some times, and prints a line for each: "WALL USER+SYS ANON RSS", the best times in seconds, and
 * how much memory it held at most in MB, with -m of its own (sampled every few ms, which disturbs the times; else 0) and with
 * the pages of files it mapped. In turn, because a machine that others use, too, is now faster and now slower. Their output
 * goes nowhere.
 * Usage: measure [-m] RUNS COMMAND… [-- COMMAND…]…
 */
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SAMPLE_NS 3000000
#define COMMANDS_MAX 8

struct measured {
	double wall, cpu, anon_mb, rss_mb;
};

static double now(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double anon_mb(pid_t pid)
{
	char path[64], line[128];
	double kb = 0;
	FILE *file;

	(void)snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	file = fopen(path, "r");
	while (file && fgets(line, sizeof(line), file)) {
		if (!strncmp(line, "RssAnon:", 8))
			kb = strtod(line + 8, NULL);
	}
	if (file)
		(void)fclose(file);
	return kb / 1024;
}

static pid_t start(char **command)
{
	pid_t pid = fork();
	int null;

	if (pid)
		return pid;
	null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	if (null >= 0)
		(void)dup2(null, STDOUT_FILENO);
	execvp(command[0], command);
	perror(command[0]);
	_exit(127);
}

static void sample_memory(pid_t pid, struct measured *m)
{
	struct timespec pause = {.tv_nsec = SAMPLE_NS};
	siginfo_t info = {0};

	while (!waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) && !info.si_pid) {
		double mb = anon_mb(pid);

		m->anon_mb = mb > m->anon_mb ? mb : m->anon_mb;
		(void)nanosleep(&pause, NULL);
	}
}

static struct measured run(char **command, bool memory)
{
	struct measured m = {.wall = now()};
	struct rusage usage;
	pid_t pid = start(command);
	int status = 0;

	if (memory)
		sample_memory(pid, &m);
	(void)wait4(pid, &status, 0, &usage);
	m.wall = now() - m.wall;
	if (status) {
		(void)fprintf(stderr, "measure: %s failed\n", command[0]);
		exit(1);
	}
	m.cpu = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
		(double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
	m.rss_mb = (double)usage.ru_maxrss / 1024;
	return m;
}

static void keep_best(struct measured *best, const struct measured *m)
{
	best->wall = m->wall < best->wall ? m->wall : best->wall;
	best->cpu = m->cpu < best->cpu ? m->cpu : best->cpu;
	best->anon_mb = m->anon_mb > best->anon_mb ? m->anon_mb : best->anon_mb;
	best->rss_mb = m->rss_mb > best->rss_mb ? m->rss_mb : best->rss_mb;
}

/* Cut @arguments at each "--"; how many commands that makes. */
static unsigned split(char **arguments, char **ret_commands[COMMANDS_MAX])
{
	unsigned count = 0;

	ret_commands[count++] = arguments;
	for (char **at = arguments; *at; at++) {
		if (strcmp(*at, "--") != 0 || count == COMMANDS_MAX)
			continue;
		*at = NULL;
		ret_commands[count++] = at + 1;
	}
	return count;
}

int main(int argc, char **argv)
{
	bool memory = argc > 1 && !strcmp(argv[1], "-m");
	char **commands[COMMANDS_MAX];
	struct measured best[COMMANDS_MAX];
	unsigned count;

	if (argc < 3 + memory)
		return 2;
	count = split(argv + 2 + memory, commands);
	for (unsigned i = 0; i < count; i++)
		best[i] = (struct measured){.wall = 1e9, .cpu = 1e9};
	for (long turns = strtol(argv[1 + memory], NULL, 10); turns > 0; turns--) {
		for (unsigned i = 0; i < count; i++) {
			struct measured m = run(commands[i], memory);

			keep_best(&best[i], &m);
		}
	}
	for (unsigned i = 0; i < count; i++)
		printf("%.3f %.3f %.1f %.1f\n", best[i].wall, best[i].cpu, best[i].anon_mb,
		       best[i].rss_mb);
	return 0;
}
