// SPDX-License-Identifier: MIT
/*
 * Reads the events of a device from its tracepoints, through tracefs.
 *
 * Each recording has an instance of tracefs: buffers and settings of its own, which other programs
 * do not change. It is a folder that stays when the program is killed. The next recording removes
 * it.
 */
#include <errno.h>
#include <event-parse.h>
#include <inttypes.h>
#include <kbuffer.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <tracefs.h>
#include <unistd.h>

#include "base.h"
#include "trace/event.h"
#include "trace/tracefs.h"

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

/**
 * struct format - Where the kernel puts the fields of an event of one type
 * @id: The kernel's number of the type; -1 if it has none
 * @fields: Descriptions of the fields; NULL for those that the tracepoint does not have
 */
struct format {
	int id;
	struct tep_format_field *fields[ARRAY_SIZE(fields)];
};

/**
 * struct tracefs - Reads events while they happen
 * @trace: Gets the events
 * @limit: Number of events that the trace keeps
 * @instance: Instance, or NULL
 * @tep: Formats of the kernel's events
 * @formats: Formats of the types of events
 * @last_type: Type of the last event
 * @kbuffer: Takes a page of events apart
 * @page: A page of events
 * @page_size: Bytes of @page
 * @files: Files of events, one for each processor
 * @processors: Numbers of these processors
 * @count: Number of @files
 */
struct tracefs {
	struct trace *trace;
	size_t limit;
	struct tracefs_instance *instance;
	struct tep_handle *tep;
	struct format formats[EVENT_TYPES];
	unsigned int last_type;
	struct kbuffer *kbuffer;
	void *page;
	size_t page_size;
	struct pollfd *files;
	int *processors;
	size_t count;
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

struct tracefs *tracefs_begin(const char *command, const struct tracefs_config *config,
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

const struct pollfd *tracefs_files(const struct tracefs *tracefs, size_t *count)
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

int tracefs_read(struct tracefs *tracefs)
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

int tracefs_end(struct tracefs *tracefs)
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
