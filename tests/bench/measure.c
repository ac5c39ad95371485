// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs a command some times and prints "WALL USER+SYS ANON RSS": the best times in seconds, and how much memory it held at
 * most in MB, of its own (sampled every few ms) and with the pages of files it mapped. Its output goes nowhere.
 * Usage: measure RUNS COMMAND…
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SAMPLE_NS 3000000

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

static struct measured run(char **command)
{
	struct measured m = {.wall = now()};
	struct timespec pause = {.tv_nsec = SAMPLE_NS};
	struct rusage usage;
	pid_t pid = start(command);
	int status = 0;

	while (wait4(pid, &status, WNOHANG, &usage) == 0) {
		double mb = anon_mb(pid);

		m.anon_mb = mb > m.anon_mb ? mb : m.anon_mb;
		(void)nanosleep(&pause, NULL);
	}
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

int main(int argc, char **argv)
{
	struct measured best = {.wall = 1e9, .cpu = 1e9};

	if (argc < 3)
		return 2;
	for (long i = strtol(argv[1], NULL, 10); i > 0; i--) {
		struct measured m = run(argv + 2);

		best.wall = m.wall < best.wall ? m.wall : best.wall;
		best.cpu = m.cpu < best.cpu ? m.cpu : best.cpu;
		best.anon_mb = m.anon_mb > best.anon_mb ? m.anon_mb : best.anon_mb;
		best.rss_mb = m.rss_mb > best.rss_mb ? m.rss_mb : best.rss_mb;
	}
	printf("%.3f %.3f %.1f %.1f\n", best.wall, best.cpu, best.anon_mb, best.rss_mb);
	return 0;
}
