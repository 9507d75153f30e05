// SPDX-License-Identifier: MIT
/*
 * Runs commands in a virtual machine that has the device (--vm).
 *
 * The virtual machine has the files of this machine at the same paths, but only files in one folder
 * come back from it. The command in the virtual machine therefore writes its files to that folder,
 * under their numbers. Then they are copied to the paths that vm_expect() had before: what ran in
 * the virtual machine chooses no path here. A file keeps the ending of its name, because that may
 * say its format.
 */
#include <dirent.h>
#include <errno.h>
#include <libgen.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base.h"
#include "vm.h"

/* Names the folder for files that come back. */
#define OUTPUT "VSM_VM_OUTPUT"
/* Names the program that starts virtual machines. */
#define RUNNER "VSM_VM_RUN"

/*
 * Where the runner is, seen from the folder of this program: in the tree that it was built in, and
 * installed. If it is in neither place, PATH is searched for the program INSTALLED_RUNNER.
 * Documentation/vm.rst has this rule, which vsm-ci and the plugin for pytest follow, too.
 */
#define INSTALLED_RUNNER "vsm-vm"
static const char *const from_here[] = { "../../tools/vm/run", INSTALLED_RUNNER };

/* The files that come back, by their numbers. */
static struct expected {
	size_t number;
	char *path;
} *expected;
static size_t expected_count;

bool vm_inside(void)
{
	return getenv("VSM_VM");
}

static char *join(const char *folder, const char *name)
{
	char *path;

	if (asprintf(&path, "%s/%s", folder, name) < 0)
		must(NULL);
	return path;
}

/* Returns the ending of a file's name, with the dot, or "". */
static const char *ending(const char *path)
{
	return strrchr(base_name(path), '.') ?: "";
}

/* Returns the path of the file with this number, which becomes the file @path. */
static char *file_in(const char *folder, size_t number, const char *path)
{
	char *file;

	if (asprintf(&file, "%s/file-%zu%s", folder, number, ending(path)) < 0)
		must(NULL);
	return file;
}

char *vm_output_path(const char *path, size_t number)
{
	const char *folder = getenv(OUTPUT);

	return folder && vm_inside() ? file_in(folder, number, path) : must(strdup(path));
}

/* --- around the virtual machine ------------------------------------------- */

void vm_expect(const char *path, size_t number)
{
	expected = must(realloc(expected, (expected_count + 1) * sizeof(*expected)));
	expected[expected_count++] = (struct expected){ number, must(strdup(path)) };
}

/* Returns the path of this program, or NULL. */
static char *own_path(void)
{
	char *path = realpath("/proc/self/exe", NULL);

	/* A bare chroot has no /proc. */
	if (!path && strchr(program_invocation_name, '/'))
		path = realpath(program_invocation_name, NULL);
	return path;
}

static char *find_runner(const char *program)
{
	const char *given = getenv(RUNNER);
	char *folder, *path = NULL;
	size_t i;

	if (given && *given)
		return must(strdup(given));
	folder = must(strdup(program));
	*strrchr(folder, '/') = '\0';
	for (i = 0; i < sizeof(from_here) / sizeof(*from_here); i++) {
		path = join(folder, from_here[i]);
		if (!access(path, X_OK))
			break;
		free(path);
		path = NULL;
	}
	free(folder);
	return path ?: must(strdup(INSTALLED_RUNNER));
}

/* Returns why a file cannot be written, or 0. If it opened a pipe, a reader would see the end. */
static int why_not_writable(const char *path)
{
	char *folder = must(strdup(path));
	struct stat info;
	int err = 0;

	if (!stat(path, &info))
		err = S_ISDIR(info.st_mode) ? EISDIR : access(path, W_OK) ? errno : 0;
	else if (access(dirname(folder), W_OK | X_OK))
		err = errno;
	free(folder);
	return err;
}

/* Finds out before the boot whether the files that come back can be written. */
static int try_expected(const char *command)
{
	size_t i;
	int err;

	for (i = 0; i < expected_count; i++) {
		err = why_not_writable(expected[i].path);
		if (err)
			return misused("%s: %s: %s", command, expected[i].path, strerror(err));
	}
	return EXIT_OK;
}

static bool copy_file(const char *from, const char *to)
{
	size_t size, written;
	char *text = file_read(from, SIZE_MAX, &size);
	FILE *file;

	if (!text)
		return false;
	file = fopen(to, "we");
	if (!file) {
		free(text);
		return false;
	}
	errno = 0;
	written = fwrite(text, 1, size, file);
	free(text);
	return !fclose(file) && written == size;
}

/* Copies a file from the folder to its path. */
static int copy_back(const char *folder, const struct expected *file)
{
	char *from = file_in(folder, file->number, file->path);
	int status = EXIT_OK;
	struct stat info;

	/*
	 * There is no file if the command could not write it, which it has reported. Anything else
	 * that is no regular file comes from another program in the virtual machine.
	 */
	if (!lstat(from, &info) && S_ISREG(info.st_mode) && !copy_file(from, file->path))
		status = failed("%s: %s", file->path, strerror(errno));
	free(from);
	return status;
}

/* Copies the files from the folder, and removes it. */
static int collect(const char *folder)
{
	DIR *dir = opendir(folder);
	int status = EXIT_OK;
	struct dirent *entry;
	size_t i;

	for (i = 0; i < expected_count; i++) {
		status |= copy_back(folder, &expected[i]);
		free(expected[i].path);
	}
	free(expected);
	expected = NULL;
	expected_count = 0;
	while (dir && (entry = readdir(dir))) {
		char *path = join(folder, entry->d_name);

		unlink(path);
		free(path);
	}
	if (dir)
		closedir(dir);
	rmdir(folder);
	return status;
}

static void exec_runner(const char *runner, const char *program, const char *kernel,
			const char *folder, int argc, char *const *argv)
{
	const char **args = must(calloc(argc + 16, sizeof(*args)));
	int count = 0, i;

	args[count++] = runner;
	if (kernel) {
		args[count++] = "--kernel";
		args[count++] = kernel;
	}
	args[count++] = "--out";
	args[count++] = folder;
	/* The command has its own limits. */
	args[count++] = "--timeout";
	args[count++] = "0";
	args[count++] = "--";
	args[count++] = program;
	for (i = 0; i < argc; i++)
		args[count++] = argv[i];
	setenv(OUTPUT, folder, 1);
	execvp(runner, (char *const *)args);
	_exit(failed("--vm needs " INSTALLED_RUNNER ": %s: %s; " RUNNER "=PATH names it", runner,
		     strerror(errno)));
}

/* Waits for the runner. It dies of a signal that it gets, and then so does this program. */
static int await_runner(pid_t pid, int *signal_number)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return failed("%s", strerror(errno));
	if (WIFSIGNALED(status)) {
		*signal_number = WTERMSIG(status);
		return EXIT_FAILED;
	}
	return WEXITSTATUS(status);
}

int vm_run_program(const char *kernel, int argc, char *const *argv)
{
	char *folder = join(getenv("TMPDIR") ?: "/tmp", "vsm-XXXXXX");
	char *program = own_path(), *runner = NULL;
	int status = try_expected(argv[0]), signal_number = 0;
	sighandler_t handler;
	pid_t pid;

	if (program)
		runner = find_runner(program);
	if (status) {
		/* A file that has to come back cannot be written. */
	} else if (!runner) {
		status = failed("%s: --vm: call this program with its path", argv[0]);
	} else if (!mkdtemp(folder)) {
		status = failed("%s: %s: %s", argv[0], folder, strerror(errno));
	} else {
		fflush(stdout);
		/* A terminal sends SIGINT to both. Only the runner ends at once. */
		handler = signal(SIGINT, SIG_IGN);
		pid = fork();
		if (!pid) {
			signal(SIGINT, handler);
			exec_runner(runner, program, kernel, folder, argc, argv);
		}
		if (pid < 0)
			status = failed("%s: %s", argv[0], strerror(errno));
		else
			status = await_runner(pid, &signal_number);
		signal(SIGINT, handler);
		/* A file that could not be copied is a failure too. */
		if (collect(folder) && !status)
			status = EXIT_FAILED;
	}
	free(folder);
	free(runner);
	free(program);
	if (signal_number) {
		signal(signal_number, SIG_DFL);
		raise(signal_number);
	}
	return status;
}

int vm_run(const char *kernel, int argc, char *const *argv)
{
	int status = vm_run_program(kernel, argc, argv);

	return status <= EXIT_USAGE ? status : EXIT_FAILED;
}
