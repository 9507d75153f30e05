// SPDX-License-Identifier: MIT
/*
 * vsm trace record: records what happens on a device while a command runs.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vsm.h>

#include "base.h"
#include "command.h"
#include "trace/export.h"
#include "trace/tracefs.h"
#include "vm.h"

#define COMMAND "trace record"
/* Exit statuses of shells for a command that cannot be executed. */
#define EXIT_NOT_EXECUTABLE 126
#define EXIT_NOT_FOUND 127
#define EXIT_SIGNAL 128

/* An event is 112 bytes in memory. */
#define MAX_EVENTS 9000000
#define MAX_BUFFER (1ULL << 30)
/* The kernel wakes the reader when a buffer is half full. This is for the rest, in ms. */
#define READ_INTERVAL 100

/**
 * struct options - What the user wants
 * @output: File to write
 * @config: What to record
 * @any_device: No --device: take the first one
 * @vm: Run in a virtual machine
 * @kernel: Its kernel, or NULL
 * @argv: The command
 */
struct options {
	const char *output;
	struct tracefs_config config;
	bool any_device;
	bool vm;
	const char *kernel;
	char **argv;
};

/* --- the command ---------------------------------------------------------- */

/* Signals that end programs. The command gets them, and recording ends when the command has. */
static const int passed_on[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };

/* Returns a file descriptor for signals, and blocks them. @old gets the previous mask. */
static int open_signals(sigset_t *old)
{
	sigset_t mask;
	size_t i;

	sigemptyset(&mask);
	sigaddset(&mask, SIGCHLD);
	for (i = 0; i < ARRAY_SIZE(passed_on); i++)
		sigaddset(&mask, passed_on[i]);
	sigprocmask(SIG_BLOCK, &mask, old);
	return signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* Starts the command. Returns its process, or prints an error, sets @status and returns -1. */
static pid_t start(char **argv, const sigset_t *mask, int *status)
{
	int report[2], err = 0;
	pid_t pid;

	if (pipe2(report, O_CLOEXEC)) {
		*status = failed(COMMAND ": %s", strerror(errno));
		return -1;
	}
	pid = fork();
	if (!pid) {
		sigprocmask(SIG_SETMASK, mask, NULL);
		execvp(argv[0], argv);
		err = errno;
		(void)!write(report[1], &err, sizeof(err));
		_exit(EXIT_NOT_FOUND);
	}
	if (pid < 0)
		*status = failed(COMMAND ": %s", strerror(errno));
	close(report[1]);
	/* The pipe is closed without a word when the command is executed. */
	if (pid > 0 && read(report[0], &err, sizeof(err)) == sizeof(err)) {
		failed(COMMAND ": %s: %s", argv[0], strerror(err));
		*status = err == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE;
		waitpid(pid, NULL, 0);
		pid = -1;
	}
	close(report[0]);
	return pid;
}

/* Passes signals on to the command. Has it ended? Then sets @status as shells do. */
static bool take_signals(int signals, pid_t pid, int *status)
{
	struct signalfd_siginfo info;
	int ended;

	while (read(signals, &info, sizeof(info)) == sizeof(info)) {
		/* The terminal sends its signals to the command as well. */
		if (info.ssi_signo != SIGCHLD && info.ssi_code <= 0)
			kill(pid, info.ssi_signo);
	}
	if (waitpid(pid, &ended, WNOHANG) != pid)
		return false;
	*status = WIFEXITED(ended) ? WEXITSTATUS(ended) : EXIT_SIGNAL + WTERMSIG(ended);
	return true;
}

/* Records until the command ends. Returns its status. */
static int await(struct tracefs *tracefs, int signals, pid_t pid)
{
	const struct pollfd *files;
	struct pollfd *fds;
	/* There may be more events, or a negative errno. */
	int more = 0;
	size_t count;
	int status;

	files = tracefs_files(tracefs, &count);
	fds = must(calloc(count + 1, sizeof(*fds)));
	memcpy(fds, files, count * sizeof(*fds));
	fds[count] = (struct pollfd){ .fd = signals, .events = POLLIN };
	while (!take_signals(signals, pid, &status)) {
		/* Only the signals are of interest after an error. */
		if (more < 0) {
			poll(fds + count, 1, -1);
			continue;
		}
		if (!more)
			poll(fds, count + 1, READ_INTERVAL);
		more = tracefs_read(tracefs);
		if (more < 0)
			failed(COMMAND ": events cannot be read any more: %s", strerror(-more));
	}
	free(fds);
	return status;
}

/* --- the trace ------------------------------------------------------------ */

/* Adds the clusters that exist before the recording begins. */
static void add_clusters(struct trace *trace, struct vsm_device *device)
{
	struct drm_vsm_cluster_state state = { };
	uint32_t number = 0;

	while (number != UINT32_MAX &&
	       !vsm_device_state(device, number, DRM_VSM_STATE_NEXT, &state, NULL, 0)) {
		struct trace_cluster cluster = {
			.number = state.number,
			.ctas = state.ctas,
			.threads = state.threads,
			.layout = state.layout,
			.policy = state.policy,
		};

		if (trace_add_cluster(trace, &cluster))
			return;
		number = state.number + 1;
	}
}

static char *join_words(char **argv)
{
	size_t size = 1, i;
	char *text, *to;

	for (i = 0; argv[i]; i++)
		size += strlen(argv[i]) + 1;
	text = must(malloc(size));
	to = text;
	for (i = 0; argv[i]; i++)
		to += sprintf(to, "%s%s", i ? " " : "", argv[i]);
	return text;
}

/*
 * Finds out before the command runs whether the file can be written. @made: It did not exist.
 * Returns a negative errno, or 0.
 */
static int try_output(const char *path, bool *made)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);

	*made = fd >= 0;
	if (fd < 0 && errno == EEXIST)
		fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

static void summarise(const struct trace *trace, const struct options *options)
{
	fprintf(stderr, "vsm: %zu events in %s", trace->count, options->output);
	if (trace->lost)
		fprintf(stderr, "; %" PRIu64 " earlier ones are lost (see --buffer and --events)",
			trace->lost);
	putc('\n', stderr);
}

/* Records, and writes the file. Sets @written if it did. Returns the exit status. */
static int record(struct options *options, struct vsm_device *device, const char *path,
		  bool *written)
{
	char *title = join_words(options->argv);
	int signals, status = EXIT_FAILED, err;
	struct tracefs *tracefs;
	struct trace trace;
	sigset_t mask;
	pid_t pid;

	trace_init(&trace, title);
	free(title);
	add_clusters(&trace, device);
	signals = open_signals(&mask);
	tracefs = tracefs_begin(COMMAND, &options->config, &trace);
	if (tracefs) {
		pid = start(options->argv, &mask, &status);
		if (pid > 0)
			status = await(tracefs, signals, pid);
		err = tracefs_end(tracefs);
		if (err)
			failed(COMMAND ": %s", strerror(-err));
		if (pid > 0) {
			*written = export_trace(&trace, path, NULL);
			if (*written)
				summarise(&trace, options);
			if ((err || !*written) && !status)
				status = EXIT_FAILED;
		}
	}
	close(signals);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	trace_free(&trace);
	return status;
}

static int record_here(struct options *options)
{
	bool made = false, written = false;
	struct vsm_device *device;
	int status, err;
	char *path;

	err = options->any_device ? vsm_device_open(NULL, &device) :
				    vsm_device_open_index(options->config.device, &device);
	if (err && !options->any_device)
		return failed(COMMAND ": device %" PRIu32 ": %s", options->config.device,
			      strerror(-err));
	if (err)
		return failed_to_open(COMMAND, err, true);
	options->config.device = vsm_device_info(device).index;
	path = vm_output_path(options->output, VM_OUTPUT_TRACE);
	err = try_output(path, &made);
	if (err)
		status = misused(COMMAND ": %s: %s", options->output, strerror(-err));
	else
		status = record(options, device, path, &written);
	if (made && !written)
		unlink(path);
	free(path);
	vsm_device_close(device);
	return status;
}

/* --- options -------------------------------------------------------------- */

/* Reads a number, which may end in K, M or G. */
static bool parse_size(const char *text, uint64_t most, uint64_t *size)
{
	static const char units[] = "KMG";
	const char *unit;
	char *end;

	errno = 0;
	*size = strtoull(text, &end, 10);
	if (!isdigit((unsigned char)*text) || errno || *size > most)
		return false;
	unit = *end ? strchr(units, *end) : NULL;
	if (unit) {
		*size <<= 10 * (unit - units + 1);
		end++;
	}
	return !*end && *size && *size <= most;
}

static int take_option(struct options *options, const struct args *args)
{
	const char *value = args->value;
	uint64_t number;
	char *end;

	switch (args->option) {
	case OPT_OUTPUT:
		options->output = value;
		return EXIT_OK;
	case OPT_BUFFER:
		if (parse_size(value, MAX_BUFFER, &options->config.buffer))
			return EXIT_OK;
		return misused(COMMAND ": --buffer %s: expected 1 to 1G bytes, such as 4M", value);
	case OPT_EVENTS:
		if (!parse_size(value, MAX_EVENTS, &number))
			return misused(COMMAND ": --events %s: expected 1 to %u", value,
				       MAX_EVENTS);
		options->config.limit = number;
		return EXIT_OK;
	case OPT_DEVICE:
		errno = 0;
		number = strtoul(value, &end, 10);
		if (!isdigit((unsigned char)*value) || *end || errno || number > UINT32_MAX)
			return misused(COMMAND ": --device %s: expected a number", value);
		options->config.device = number;
		options->any_device = false;
		return EXIT_OK;
	default:
		options->vm = !vm_inside();
		options->kernel = value;
		return EXIT_OK;
	}
}

int command_record(struct args *args)
{
	struct options options = {
		.output = "vsm.trace",
		.config = { .buffer = 4 << 20, .limit = 1000000 },
		.any_device = true,
	};
	int status;

	while (args_next(args)) {
		status = take_option(&options, args);
		if (status)
			return status;
	}
	if (args->ended)
		return args->status;
	if (!export_is_possible(COMMAND, options.output, NULL))
		return EXIT_USAGE;
	options.argv = args->operands;
	if (options.vm) {
		vm_expect(options.output, VM_OUTPUT_TRACE);
		return vm_run_program(options.kernel, args->argc, args->argv);
	}
	return record_here(&options);
}
