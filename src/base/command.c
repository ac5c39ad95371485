// SPDX-License-Identifier: GPL-2.0-only
/* Both output streams go to files in memory, so neither can block the other and nothing touches a disk. */
#include "base/command.h"

#include "base/cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define NOT_FOUND 127 /* exit status when there is nothing to run */

extern char **environ;

static int spawn(const struct command *command, int out, int said, pid_t *ret_pid)
{
	posix_spawn_file_actions_t actions;
	int r = posix_spawn_file_actions_init(&actions);

	if (r)
		return -r;
	r = posix_spawn_file_actions_addopen(
		&actions, STDIN_FILENO, command->input ? command->input : "/dev/null", O_RDONLY, 0);
	if (!r)
		r = posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
	if (!r)
		r = posix_spawn_file_actions_adddup2(&actions, said, STDERR_FILENO);
	if (!r && command->directory)
		r = posix_spawn_file_actions_addchdir_np(&actions, command->directory);
	if (!r)
		r = posix_spawnp(ret_pid, command->argv[0], &actions, NULL,
				 (char *const *)command->argv, environ);
	(void)posix_spawn_file_actions_destroy(&actions);
	return -r;
}

static int wait_for(pid_t pid, int *ret_status)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	*ret_status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	return 0;
}

static int take_output(int fd, char **ret_text, size_t *ret_size)
{
	_cleanup_free_ char *text = NULL;
	struct stat info;
	ssize_t n;

	if (fstat(fd, &info))
		return -errno;
	if (info.st_size > COMMAND_OUTPUT_MAX)
		return -EFBIG;
	text = malloc((size_t)info.st_size + 1);
	if (!text)
		return -ENOMEM;
	n = pread(fd, text, (size_t)info.st_size, 0);
	if (n < 0)
		return -errno;
	text[n] = '\0';
	*ret_text = take_ptr(text);
	*ret_size = (size_t)n;
	return 0;
}

static int run(const struct command *command, struct command_result *result)
{
	_cleanup_close_ int out = memfd_create("out", MFD_CLOEXEC);
	_cleanup_close_ int said = memfd_create("said", MFD_CLOEXEC);
	pid_t pid = -1;
	int r;

	if (out < 0 || said < 0)
		return -errno;
	r = spawn(command, out, said, &pid);
	if (!r)
		r = wait_for(pid, &result->status);
	if (!r)
		r = take_output(out, &result->out, &result->out_size);
	if (!r)
		r = take_output(said, &result->said, &result->said_size);
	/* Where a new process is not made the usual way (valgrind, qemu) a program that is missing shows up only here. */
	if (!r && result->status == NOT_FOUND && !result->out_size && !result->said_size)
		r = -ENOENT;
	return r;
}

int command_run(const struct command *command, struct command_result *ret_result,
		struct cpir_error *err)
{
	struct command_result result = {0};
	int r = run(command, &result);

	if (!r) {
		*ret_result = result;
		return 0;
	}
	command_result_free(&result);
	if (r == -ENOENT)
		return error_set(err, r, "%s: no such program; install it or name another",
				 command->argv[0]);
	return error_set(err, r, "%s: cannot be run: %s", command->argv[0], strerror(-r));
}

void command_result_free(struct command_result *result)
{
	free(result->out);
	free(result->said);
	*result = (struct command_result){0};
}
