// SPDX-License-Identifier: GPL-2.0-only
/* Where results go. */
#include "cli/output.h"

#include "base/cleanup.h"
#include "cli/command.h"
#include "cli/message.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>

#define TRIES 100 /* temporary names tried before giving up */

/* The temporary file that a signal must not leave behind. */
static char *volatile doomed;

static void remove_doomed(int number)
{
	if (doomed)
		(void)unlink(doomed);
	(void)raise(number); /* the default action is back in force: SA_RESETHAND */
}

static void guard(char *temporary)
{
	static const int signals[] = {SIGHUP,  SIGINT,	SIGQUIT, SIGTERM,
				      SIGALRM, SIGUSR1, SIGUSR2, SIGXCPU};
	struct sigaction action = {.sa_handler = remove_doomed,
				   .sa_flags = (int)(SA_RESETHAND | SA_NODEFER)};
	struct sigaction old;

	doomed = temporary;
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		if (!sigaction(signals[i], NULL, &old) && old.sa_handler == SIG_DFL)
			(void)sigaction(signals[i], &action, NULL);
}

static int failed(const struct output *output, const char *what, int error)
{
	if (error != EPIPE)
		message("%s: %s: %s", output->name, what, strerror(error));
	return EXIT_FAILED;
}

/* Names that stand for something else than a file of their own. */
static bool is_device(const char *path)
{
	return !strncmp(path, "/dev/", 5) || !strncmp(path, "/proc/", 6);
}

static bool is_stdout(const struct stat *file)
{
	struct stat out;

	return !fstat(STDOUT_FILENO, &out) && out.st_dev == file->st_dev &&
	       out.st_ino == file->st_ino;
}

static int open_in_place(struct output *output, const char *path)
{
	int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC | O_NOCTTY);

	output->file = fd < 0 ? NULL : fdopen(fd, "w");
	return output->file ? EXIT_DONE : failed(output, "cannot open for writing", errno);
}

/* A name beside @target that is not in use, opened with @mode; -1 with errno set. Its length is no matter of @target's. */
static int open_beside(const char *target, mode_t mode, char **ret_temporary)
{
	const char *slash = strrchr(target, '/');
	int folder = slash ? (int)(slash + 1 - target) : 0;

	for (unsigned i = 0; i < TRIES; i++) {
		_cleanup_free_ char *name = NULL;
		int fd;

		if (asprintf(&name, "%.*s." PROGRAM "-%ld-%u.tmp", folder, target, (long)getpid(),
			     i) < 0) {
			name = NULL;
			errno = ENOMEM;
			return -1;
		}
		fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
		if (fd >= 0) {
			*ret_temporary = take_ptr(name);
			return fd;
		}
		if (errno != EEXIST)
			return -1;
	}
	return -1;
}

/* The temporary file; a signal that comes before anybody knows of it has to wait until somebody does. */
static int open_guarded(struct output *output)
{
	sigset_t all, before;
	int fd, error;

	(void)sigfillset(&all);
	(void)sigprocmask(SIG_BLOCK, &all, &before);
	fd = open_beside(output->target, 0666, &output->temporary);
	error = errno;
	if (fd >= 0)
		guard(output->temporary);
	(void)sigprocmask(SIG_SETMASK, &before, NULL);
	errno = error;
	return fd;
}

static int open_temporary(struct output *output, const char *path, const struct stat *old)
{
	int fd;

	/* Through a symbolic link it is the file behind it that is replaced. */
	output->target = old ? realpath(path, NULL) : strdup(path);
	if (!output->target)
		return failed(output, "cannot write there", errno);
	fd = open_guarded(output);
	if (fd < 0)
		return failed(output, "cannot write there", errno);
	if (old)
		(void)fchmod(fd, old->st_mode & 07777);
	output->file = fdopen(fd, "w");
	return output->file ? EXIT_DONE : failed(output, "cannot open for writing", errno);
}

int output_open(struct output *output, const char *path)
{
	bool is_standard = !path || !strcmp(path, "-");
	struct stat old;
	int status;

	*output = (struct output){.name = is_standard ? "standard output" : path};
	if (is_standard) {
		output->file = stdout;
		return EXIT_DONE;
	}
	if (stat(path, &old)) {
		status = errno == ENOENT ? open_temporary(output, path, NULL)
					 : failed(output, "cannot write there", errno);
	} else if (is_device(path) && is_stdout(&old)) {
		output->file = stdout;
		return EXIT_DONE;
	} else if (!S_ISREG(old.st_mode) || is_device(path)) {
		status = open_in_place(output, path);
	} else {
		status = open_temporary(output, path, &old);
	}
	if (status)
		output_discard(output);
	return status;
}

void output_write(struct output *output, const char *text)
{
	if (fputs(text, output->file) < 0 && !output->error)
		output->error = errno;
}

/* Everything written is out of our hands: 0, else an errno. */
static int finish(struct output *output)
{
	FILE *file = take_ptr(output->file);
	int error = output->error;

	if (fflush(file) && !error)
		error = errno;
	if (file == stdout)
		return error;
	if (!error && output->temporary && fsync(fileno(file)))
		error = errno;
	if (fclose(file) && !error)
		error = errno;
	return error;
}

int output_close(struct output *output)
{
	int error = finish(output);
	int status = EXIT_DONE;

	if (!error && output->temporary && rename(output->temporary, output->target))
		error = errno;
	if (error)
		status = failed(output, "cannot write", error);
	else
		doomed = NULL; /* it bears its final name */
	output_discard(output);
	return status;
}

void output_discard(struct output *output)
{
	if (output->file && output->file != stdout)
		(void)fclose(output->file);
	output->file = NULL;
	if (output->temporary && doomed)
		(void)unlink(output->temporary);
	doomed = NULL;
	free(take_ptr(output->temporary));
	free(take_ptr(output->target));
}
