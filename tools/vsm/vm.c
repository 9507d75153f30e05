// SPDX-License-Identifier: MIT
/*
 * Runs commands in a virtual machine that has the device (--vm).
 *
 * The virtual machine has the files of this machine at the same paths, but only files in one folder
 * come back from it. The command in the virtual machine therefore writes its files to that folder,
 * and the path of each to a file beside it. vm_run() then copies them. A file keeps the ending of
 * its name, because that may say its format.
 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base.h"
#include "file.h"
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

/* Begins of names in the folder: of files, and of files with their paths. A number follows. */
#define FILE_PREFIX "file-"
#define PATH_PREFIX "path-"

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

/* --- in the virtual machine ----------------------------------------------- */

static char *absolute(const char *path)
{
	char *here, *whole;

	if (*path == '/')
		return must(strdup(path));
	here = getcwd(NULL, 0);
	if (!here)
		return NULL;
	whole = join(here, path);
	free(here);
	return whole;
}

/* Writes the path of a file to another file. Returns 0 or a negative errno. */
static int note_path(const char *note, const char *path)
{
	FILE *file = fopen(note, "we");
	int err = 0;

	if (!file)
		return -errno;
	errno = 0;
	if (fputs(path, file) == EOF)
		err = -errno ?: -EIO;
	if (fclose(file) && !err)
		err = -errno ?: -EIO;
	return err;
}

char *vm_output_path(const char *path, size_t number)
{
	const char *folder = getenv(OUTPUT);
	char *copy, *note, *whole;
	int err;

	if (!folder || !vm_inside())
		return must(strdup(path));
	whole = absolute(path);
	if (!whole)
		return NULL;
	if (asprintf(&copy, "%s/" FILE_PREFIX "%zu%s", folder, number, ending(whole)) < 0 ||
	    asprintf(&note, "%s/" PATH_PREFIX "%zu", folder, number) < 0)
		must(NULL);
	err = note_path(note, whole);
	free(note);
	free(whole);
	if (!err)
		return copy;
	free(copy);
	errno = -err;
	return NULL;
}

/* --- around the virtual machine ------------------------------------------- */

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

static bool copy_file(const char *from, const char *to)
{
	size_t size, written;
	char *text = read_file(from, SIZE_MAX, &size);
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

/* Copies the file with this number to a path. */
static int copy_back(const char *folder, const char *number, const char *to)
{
	int status = EXIT_OK;
	struct stat info;
	char *from;

	if (asprintf(&from, "%s/" FILE_PREFIX "%s%s", folder, number, ending(to)) < 0)
		must(NULL);
	/*
	 * There is no file if the command could not write it, which it has reported. Anything else
	 * that is no regular file comes from another program in the virtual machine.
	 */
	if (!lstat(from, &info) && S_ISREG(info.st_mode) && !copy_file(from, to))
		status = failed("%s: %s", to, strerror(errno));
	free(from);
	return status;
}

/* Copies the file with this number to the path that the file @note holds. */
static int copy_noted(const char *folder, const char *note, const char *number)
{
	char *to;
	size_t size;
	int status;

	to = read_file(note, PATH_MAX, &size);
	if (!to)
		return EXIT_OK;
	status = copy_back(folder, number, to);
	free(to);
	return status;
}

/* Copies all files from the folder, or only the trace @trace, and removes the folder. */
static int collect(const char *folder, const char *trace)
{
	int status = EXIT_OK;
	struct dirent *entry;
	char number[24];
	DIR *dir;

	if (trace) {
		snprintf(number, sizeof(number), "%zu", VM_OUTPUT_TRACE);
		status = copy_back(folder, number, trace);
	}
	dir = opendir(folder);
	while (dir && !trace && (entry = readdir(dir))) {
		size_t prefix = strlen(PATH_PREFIX);
		char *path = join(folder, entry->d_name);

		if (!strncmp(entry->d_name, PATH_PREFIX, prefix))
			status |= copy_noted(folder, path, entry->d_name + prefix);
		free(path);
	}
	if (dir)
		rewinddir(dir);
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

/* Only @trace comes back, if it is not NULL. */
static int run_vm(const char *kernel, const char *trace, int argc, char *const *argv)
{
	char *folder = join(getenv("TMPDIR") ?: "/tmp", "vsm-XXXXXX");
	char *program = own_path(), *runner = NULL;
	int status = EXIT_FAILED, signal_number = 0;
	sighandler_t handler;
	pid_t pid;

	if (program)
		runner = find_runner(program);
	if (!runner) {
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
		if (collect(folder, trace) && !status)
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
	int status = run_vm(kernel, NULL, argc, argv);

	return status <= EXIT_USAGE ? status : EXIT_FAILED;
}

int vm_run_program(const char *kernel, const char *trace, int argc, char *const *argv)
{
	return run_vm(kernel, trace, argc, argv);
}
