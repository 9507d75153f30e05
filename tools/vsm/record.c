// SPDX-License-Identifier: MIT
/* vsm trace record: records what happens on a device while a command runs. */
#include <ctype.h>
#include <errno.h>
#include <event-parse.h>
#include <fcntl.h>
#include <inttypes.h>
#include <kbuffer.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <tracefs.h>
#include <unistd.h>
#include <vsm.h>

#include "base.h"
#include "command.h"
#include "trace/export.h"
#include "trace/trace.h"
#include "vm.h"

/* --- tracefs -------------------------------------------------------------- */

/*
 * Reads the events of a device from its tracepoints, through tracefs.
 *
 * Each recording has an instance of tracefs: buffers and settings of its own, which other programs
 * do not change. It is a folder that stays when the program is killed. The next recording removes
 * it.
 */

/* What to read */
struct tracefs_config {
	uint32_t device;	/* instance number of the device */
	uint64_t buffer;	/* bytes of the kernel's buffer for each processor */
	size_t limit;		/* number of events that the trace keeps: the last ones */
};

/* Instances are named after their process. */
#define INSTANCE "vsm-"
/* Pages of events that are read from a processor in one go. */
#define PAGES 64
/* The system of the tracepoints. */
#define SYSTEM "vsm"

#define FIELD(name) { #name, offsetof(struct drm_vsm_trace_event, name), \
		      sizeof(((struct drm_vsm_trace_event *)NULL)->name) }

/* The fields that an event and its tracepoint have. */
static const struct {
	const char *name;
	unsigned int offset;
	unsigned int size;
} fields[] = {
	FIELD(id), FIELD(cause), FIELD(word), FIELD(next), FIELD(value), FIELD(cluster),
	FIELD(client), FIELD(addr), FIELD(mbar), FIELD(size), FIELD(lanes), FIELD(buffer),
	FIELD(channel), FIELD(serial), FIELD(error), FIELD(site), FIELD(info), FIELD(source),
	FIELD(fault), FIELD(mods), FIELD(op), FIELD(cta), FIELD(thread),
};

/* Where the kernel puts the fields of an event of one type */
struct format {
	int id;	/* the kernel's number of the type; -1 if it has none */
	/* Descriptions of the fields; NULL for those that the tracepoint does not have */
	struct tep_format_field *fields[ARRAY_SIZE(fields)];
};

/* Reads events while they happen */
struct tracefs {
	struct trace *trace;			/* gets the events */
	size_t limit;				/* number of events that the trace keeps */
	struct tracefs_instance *instance;	/* instance, or NULL */
	struct tep_handle *tep;			/* formats of the kernel's events */
	struct format formats[EVENT_TYPES];	/* formats of the types of events */
	unsigned int last_type;			/* type of the last event */
	struct kbuffer *kbuffer;		/* takes a page of events apart */
	void *page;				/* a page of events */
	size_t page_size;			/* bytes of @page */
	struct pollfd *files;			/* files of events, one for each processor */
	int *processors;			/* numbers of these processors */
	size_t count;				/* number of @files */
};

/* --- begin ---------------------------------------------------------------- */

static int no_rights(const char *command)
{
	return failed("%s: only root may read tracepoints (tracefs: %s)", command,
		      strerror(EACCES));
}

/* Checks that there are tracepoints, and that this process may read them. */
static bool is_possible(const char *command)
{
	const char *folder = tracefs_tracing_dir();
	char *path;

	if (!folder) {
		if (geteuid())
			no_rights(command);
		else
			failed("%s: tracefs cannot be mounted at /sys/kernel/tracing", command);
		return false;
	}
	if (asprintf(&path, "%s/events/" SYSTEM "/enable", folder) < 0)
		must(NULL);
	if (!access(path, W_OK)) {
		free(path);
		return true;
	}
	free(path);
	if (errno == ENOENT)
		failed("%s: the driver has no tracepoints in %s/events/" SYSTEM, command, folder);
	else
		no_rights(command);
	return false;
}

/*
 * Removes the instances of processes that were killed. The kernel does not remove one that is in
 * use, which may belong to a process that this one cannot see.
 */
static void remove_old(void)
{
	char **names = tracefs_instances("^" INSTANCE "[0-9][0-9]*$");
	size_t i;

	for (i = 0; names && names[i]; i++) {
		const char *dash = strrchr(names[i], '-');
		struct tracefs_instance *old;

		if (!kill(atoi(dash + 1), 0) || errno != ESRCH)
			continue;
		old = tracefs_instance_alloc(NULL, names[i]);
		if (!old)
			continue;
		tracefs_instance_destroy(old);
		tracefs_instance_free(old);
	}
	tracefs_list_free(names);
}

/*
 * Reads the formats of the events. tracefs_local_events_system() would do that as well, but it also
 * reads the names of all functions of the kernel, which takes seconds in a virtual machine.
 */
static void read_formats(struct tracefs *tracefs)
{
	struct tep_event *event;
	char name[64], *text;
	size_t type, i;
	int size;

	for (type = 0; type < EVENT_TYPES; type++) {
		struct format *format = &tracefs->formats[type];

		format->id = -1;
		if (!event_type_name(type))
			continue;
		snprintf(name, sizeof(name), SYSTEM "_%s", event_type_name(type));
		text = tracefs_event_file_read(NULL, SYSTEM, name, "format", &size);
		if (text)
			tep_parse_event(tracefs->tep, text, size, SYSTEM);
		free(text);
		event = tep_find_event_by_name(tracefs->tep, SYSTEM, name);
		if (!event)
			continue;
		format->id = event->id;
		for (i = 0; i < ARRAY_SIZE(fields); i++)
			format->fields[i] = tep_find_field(event, fields[i].name);
	}
}

/* Opens the file of each processor. */
static int open_files(struct tracefs *tracefs)
{
	long processors = sysconf(_SC_NPROCESSORS_CONF), i;
	char path[64];
	int fd;

	tracefs->files = must(calloc(processors, sizeof(*tracefs->files)));
	tracefs->processors = must(calloc(processors, sizeof(*tracefs->processors)));
	for (i = 0; i < processors; i++) {
		snprintf(path, sizeof(path), "per_cpu/cpu%ld/trace_pipe_raw", i);
		fd = tracefs_instance_file_open(tracefs->instance, path,
						O_RDONLY | O_NONBLOCK | O_CLOEXEC);
		if (fd < 0 && errno == ENOENT)
			continue;
		if (fd < 0)
			return -errno;
		tracefs->files[tracefs->count].fd = fd;
		tracefs->files[tracefs->count].events = POLLIN;
		tracefs->processors[tracefs->count++] = i;
	}
	return tracefs->count ? 0 : -ENOENT;
}

/* Writes a setting. Returns 0 or a negative errno. */
static int set(struct tracefs *tracefs, const char *file, const char *value)
{
	errno = 0;
	if (tracefs_instance_file_write(tracefs->instance, file, value) < 0)
		return -errno ?: -EIO;
	return 0;
}

/* Makes the instance and sets it up. Returns 0 or a negative errno. */
static int make_instance(struct tracefs *tracefs, const struct tracefs_config *config)
{
	char name[32], size[32], filter[32];
	int err;

	snprintf(name, sizeof(name), INSTANCE "%d", getpid());
	snprintf(size, sizeof(size), "%" PRIu64, (config->buffer + 1023) / 1024);
	snprintf(filter, sizeof(filter), "device == %" PRIu32, config->device);
	errno = 0;
	tracefs->instance = tracefs_instance_create(name);
	if (!tracefs->instance)
		return -errno ?: -EIO;
	err = set(tracefs, "buffer_size_kb", size);
	/* The times of events are those of CLOCK_MONOTONIC. */
	err = err ?: set(tracefs, "trace_clock", "mono");
	err = err ?: set(tracefs, "events/" SYSTEM "/filter", filter);
	return err ?: open_files(tracefs);
}

static void close_all(struct tracefs *tracefs)
{
	size_t i;

	/* The kernel does not remove an instance whose files are open. */
	for (i = 0; i < tracefs->count; i++)
		close(tracefs->files[i].fd);
	if (tracefs->instance) {
		tracefs_instance_destroy(tracefs->instance);
		tracefs_instance_free(tracefs->instance);
	}
	if (tracefs->kbuffer)
		kbuffer_free(tracefs->kbuffer);
	tep_free(tracefs->tep);
	free(tracefs->files);
	free(tracefs->processors);
	free(tracefs->page);
	free(tracefs);
}

/*
 * Begins to record events into @trace, which stays the caller's. The kernel keeps them in a buffer
 * of its own, which no other program uses. Prints an error, which begins with the name of @command,
 * and returns NULL if that is not possible.
 */
static struct tracefs *tracefs_begin(const char *command, const struct tracefs_config *config,
				     struct trace *trace)
{
	struct tracefs *tracefs;
	int err;

	/* The libraries are not to print anything themselves. */
	tracefs_set_loglevel(TEP_LOG_NONE);
	if (!is_possible(command))
		return NULL;
	remove_old();
	tracefs = must(calloc(1, sizeof(*tracefs)));
	tracefs->trace = trace;
	tracefs->limit = config->limit;
	tracefs->tep = must(tep_alloc());
	read_formats(tracefs);
	tracefs->kbuffer = must(kbuffer_alloc(KBUFFER_LSIZE_8, KBUFFER_ENDIAN_SAME_AS_HOST));
	/* A page of events has the size of a page of memory. Newer kernels may have larger ones. */
	tracefs->page_size = 1 << 16;
	tracefs->page = must(malloc(tracefs->page_size));
	err = make_instance(tracefs, config);
	err = err ?: set(tracefs, "events/" SYSTEM "/enable", "1");
	if (err) {
		if (err == -ENOMEM)
			failed("%s: the kernel has no memory for buffers of %" PRIu64
			       " bytes for each processor; try --buffer", command, config->buffer);
		else
			failed("%s: tracefs: %s", command, strerror(-err));
		close_all(tracefs);
		return NULL;
	}
	return tracefs;
}

/* --- events --------------------------------------------------------------- */

/* Returns file descriptors to poll for events, and sets @count to their number. */
static const struct pollfd *tracefs_files(const struct tracefs *tracefs, size_t *count)
{
	*count = tracefs->count;
	return tracefs->files;
}

/* Returns the type of an event of the kernel, or 0 if it is of no known type. */
static unsigned int find_type(struct tracefs *tracefs, int id)
{
	unsigned int type = tracefs->last_type;

	/* Many events are of the same type as the one before. */
	if (tracefs->formats[type].id == id)
		return type;
	for (type = 1; type < EVENT_TYPES; type++) {
		if (tracefs->formats[type].id == id) {
			tracefs->last_type = type;
			return type;
		}
	}
	return 0;
}

/*
 * Reads the fields, wherever the tracepoint has them. There may be millions of events, so the usual
 * sizes of fields have a short way.
 */
static void decode(struct tracefs *tracefs, unsigned int type, const void *data, size_t size,
		   struct drm_vsm_trace_event *event)
{
	const struct format *format = &tracefs->formats[type];
	unsigned long long value;
	size_t i;

	*event = (struct drm_vsm_trace_event){ .type = type };
	for (i = 0; i < ARRAY_SIZE(fields); i++) {
		const struct tep_format_field *field = format->fields[i];
		char *to = (char *)event + fields[i].offset;
		const char *from;

		if (!field || field->offset < 0 || (size_t)field->offset + field->size > size)
			continue;
		from = (const char *)data + field->offset;
		if (field->size == 4 && fields[i].size == 4) {
			memcpy(to, from, 4);
		} else if (field->size == 8 && fields[i].size == 8) {
			memcpy(to, from, 8);
		} else {
			value = tep_read_number(tracefs->tep, from, field->size);
			memcpy(to, &value, fields[i].size);
		}
	}
}

/*
 * Forgets the oldest events when there are twice as many as the trace may keep. To forget them
 * earlier would mean to move the others more often.
 */
static void forget(struct tracefs *tracefs, size_t most)
{
	struct trace *trace = tracefs->trace;
	size_t lost;

	if (trace->count <= most)
		return;
	trace_sort(trace);
	lost = trace->count - tracefs->limit;
	memmove(trace->events, trace->events + lost, tracefs->limit * sizeof(*trace->events));
	trace->count = tracefs->limit;
	trace->lost += lost;
}

static int add_event(struct tracefs *tracefs, void *data, size_t size, uint64_t time)
{
	struct tep_record record = { .data = data, .size = size };
	unsigned int type = find_type(tracefs, tep_data_type(tracefs->tep, &record));
	struct drm_vsm_trace_event event;
	int err = 0;

	if (!type)
		return 0;
	decode(tracefs, type, data, size, &event);
	event.time = time;
	if (type == DRM_VSM_TRACE_CLUSTER_CREATE)
		err = trace_add_cluster(tracefs->trace, &(struct trace_cluster){
			.number = event.cluster,
			.ctas = event.cta,
			.threads = event.thread,
			.layout = event.mods,
			.policy = event.info,
		});
	return err ?: trace_add_events(tracefs->trace, &event, 1);
}

/*
 * Moves events of one processor to the trace, but not more than PAGES pages of them, so that the
 * other processors have their turn. Returns as tracefs_read().
 */
static int read_file(struct tracefs *tracefs, int fd)
{
	unsigned long long time;
	unsigned int pages;
	ssize_t size = 0;
	void *data;
	int err = 0;

	for (pages = 0; pages < PAGES && !err; pages++) {
		size = read(fd, tracefs->page, tracefs->page_size);
		if (size <= 0)
			break;
		kbuffer_load_subbuffer(tracefs->kbuffer, tracefs->page);
		for (data = kbuffer_read_event(tracefs->kbuffer, &time); data && !err;
		     data = kbuffer_next_event(tracefs->kbuffer, &time))
			err = add_event(tracefs, data, kbuffer_event_size(tracefs->kbuffer), time);
		forget(tracefs, 2 * tracefs->limit);
	}
	if (!err && size < 0 && errno != EAGAIN && errno != EINTR)
		err = -errno;
	return err ?: pages == PAGES;
}

/*
 * Moves events to the trace. Returns 1 if there may be more, 0 if there are none, or a negative
 * errno.
 */
static int tracefs_read(struct tracefs *tracefs)
{
	int err, more = 0;
	size_t i;

	for (i = 0; i < tracefs->count; i++) {
		err = read_file(tracefs, tracefs->files[i].fd);
		if (err < 0)
			return err;
		more |= err;
	}
	return more;
}

/* --- end ------------------------------------------------------------------ */

/* Returns how many events of a processor the kernel has overwritten or dropped. */
static uint64_t count_lost(struct tracefs *tracefs, int processor)
{
	static const char *const names[] = { "\noverrun: ", "\ncommit overrun: ",
					     "\ndropped events: " };
	uint64_t lost = 0;
	char path[64], *text, *at;
	size_t i;

	snprintf(path, sizeof(path), "per_cpu/cpu%d/stats", processor);
	text = tracefs_instance_file_read(tracefs->instance, path, NULL);
	for (i = 0; text && i < ARRAY_SIZE(names); i++) {
		at = strstr(text, names[i]);
		if (at)
			lost += strtoull(at + strlen(names[i]), NULL, 10);
	}
	free(text);
	return lost;
}

/*
 * Ends recording: moves the last events to the trace, counts those that are lost, sorts them, and
 * frees @tracefs. Returns 0 or a negative errno.
 */
static int tracefs_end(struct tracefs *tracefs)
{
	size_t i;
	int err, more;

	err = set(tracefs, "events/" SYSTEM "/enable", "0");
	while ((more = tracefs_read(tracefs)) > 0)
		;
	err = err ?: more;
	for (i = 0; i < tracefs->count; i++)
		tracefs->trace->lost += count_lost(tracefs, tracefs->processors[i]);
	trace_sort(tracefs->trace);
	forget(tracefs, tracefs->limit);
	close_all(tracefs);
	return err;
}

/* --- the command ---------------------------------------------------------- */

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

/* What the user wants */
struct options {
	const char *output;		/* file to write */
	struct tracefs_config config;	/* what to record */
	bool any_device;		/* no --device: take the first one */
	bool quiet;			/* --quiet */
	bool vm;			/* run in a virtual machine */
	const char *kernel;		/* its kernel, or NULL */
	char **argv;			/* the command */
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
			if (*written && !options->quiet)
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
	case OPT_QUIET:
		options->quiet = true;
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

/* Is there no file with the name of the command? */
static bool is_missing(const char *command)
{
	const char *folders = getenv("PATH");
	char *rest, *folder, *path, *copy;
	bool missing = true;

	if (strchr(command, '/') || !folders)
		return strchr(command, '/') && access(command, F_OK);
	copy = must(strdup(folders));
	rest = copy;
	while (missing && (folder = strsep(&rest, ":"))) {
		if (asprintf(&path, "%s/%s", *folder ? folder : ".", command) < 0)
			must(NULL);
		missing = access(path, F_OK);
		free(path);
	}
	free(copy);
	return missing;
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
		if (is_missing(options.argv[0])) {
			failed(COMMAND ": %s: %s", options.argv[0], strerror(ENOENT));
			return EXIT_NOT_FOUND;
		}
		vm_expect(options.output, VM_OUTPUT_TRACE);
		return vm_run_program(options.kernel, args->argc, args->argv);
	}
	return record_here(&options);
}
