// SPDX-License-Identifier: GPL-2.0-only
/*
 * vsm trace record has the events that the flight recorder of a cluster keeps. The program is
 * build/tools/vsm. It records while its command runs; the command of these tests ends when they say
 * so.
 */
#include <libgen.h>
#include <sys/wait.h>

#include "fence.h"
#include "recorder.h"

#define A AT(0, 0x80)
#define MANY 4000	/* events of a test that loses some */
#define TRACE "/dev/shm/vsm-record.trace"
/* Kinds of chunks of a trace file. */
#define CHUNK_LOST 2
#define CHUNK_CLUSTER 3
#define CHUNK_EVENTS 6

/* A running vsm trace record */
struct recording {
	pid_t pid;
	int input;	/* its command ends when this is closed */
};

/* What a trace file has */
struct file {
	char *data;	/* the file */
	struct drm_vsm_trace_event *events;
	size_t count;	/* number of @events */
	uint64_t lost;	/* number of events that were lost */
	/*
	 * The shape of the cluster that the test asked for: its number, CTAs, threads, layout and
	 * policy; zeros if it is not there.
	 */
	uint32_t cluster[5];
};

/* Starts to record, with an option. Returns when it has begun. */
static bool record_begin(struct recording *recording, const char *option)
{
	char path[512] = "", vsm[640], byte;
	int in[2], out[2];

	if (readlink("/proc/self/exe", path, sizeof(path) - 1) < 0 || pipe(in) || pipe(out))
		return false;
	snprintf(vsm, sizeof(vsm), "%s/../tools/vsm", dirname(path));
	recording->pid = fork();
	if (!recording->pid) {
		dup2(in[0], 0);
		dup2(out[1], 1);
		close(in[0]);
		close(in[1]);
		close(out[0]);
		close(out[1]);
		execl(vsm, vsm, "trace", "record", option, "-o", TRACE, "sh", "-c",
		      "echo && cat >/dev/null && exit 5", NULL);
		_exit(127);
	}
	close(in[0]);
	close(out[1]);
	recording->input = in[1];
	byte = read(out[0], &byte, 1) == 1;
	close(out[0]);
	return byte;
}

/* Ends the command. Returns the exit status of vsm. */
static int record_end(struct recording *recording)
{
	int status;

	close(recording->input);
	if (waitpid(recording->pid, &status, 0) != recording->pid)
		return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Reads the trace. Drops the events of other clusters than that with this number. */
static bool read_trace(struct file *trace, uint32_t number)
{
	FILE *in = fopen(TRACE, "r");
	uint32_t head[2], shape[5];
	size_t size, i, all;
	uint64_t length;
	char *at;

	*trace = (struct file){};
	if (!in)
		return false;
	fseek(in, 0, SEEK_END);
	size = ftell(in);
	rewind(in);
	trace->data = malloc(size);
	if (fread(trace->data, 1, size, in) != size)
		size = 0;
	fclose(in);
	for (at = trace->data + 16; at < trace->data + size; at += 16 + length) {
		memcpy(head, at, 8);
		memcpy(&length, at + 8, 8);
		if (head[0] == CHUNK_LOST)
			memcpy(&trace->lost, at + 16, 8);
		memcpy(shape, at + 16, sizeof(shape));
		if (head[0] == CHUNK_CLUSTER && shape[0] == number)
			memcpy(trace->cluster, shape, sizeof(shape));
		if (head[0] != CHUNK_EVENTS || head[1] != sizeof(*trace->events))
			continue;
		trace->events = malloc(length);
		memcpy(trace->events, at + 16, length);
		all = length / sizeof(*trace->events);
		for (i = 0; i < all; i++)
			if (trace->events[i].cluster == number &&
			    trace->events[i].type != DRM_VSM_TRACE_CLUSTER_CREATE)
				trace->events[trace->count++] = trace->events[i];
	}
	return trace->events;
}

static void trace_free(struct file *trace)
{
	free(trace->data);
	free(trace->events);
	unlink(TRACE);
}

/* The times come from two readings of the clock. */
static bool is_same(const struct drm_vsm_trace_event *a, struct drm_vsm_trace_event b)
{
	b.time = a->time;
	return !memcmp(a, &b, sizeof(b));
}

/* An event of the task that executes. Those of a channel may come at any time. */
static bool is_of_task(const struct drm_vsm_trace_event *event)
{
	return event->type == DRM_VSM_TRACE_INSN || event->type == DRM_VSM_TRACE_COPY_ISSUE ||
	       event->type == DRM_VSM_TRACE_COMMIT || event->type == DRM_VSM_TRACE_ARRIVE ||
	       event->type == DRM_VSM_TRACE_SUSPEND || event->type == DRM_VSM_TRACE_RESUME ||
	       event->type == DRM_VSM_TRACE_FAULT;
}

FIXTURE(record)
{
	struct cluster c;
	struct buffer b;
	uint32_t number;
};

FIXTURE_SETUP(record)
{
	int fd = vsm_open();

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, cluster_make(&self->c, fd, .ctas = 2, .threads = 64, .smem_bytes = 4096,
				  .trace_events = MANY));
	ASSERT_EQ(0, buffer_create(&self->b, fd, 4096));
	self->number = cluster_number(&self->c);
	if (access("/sys/kernel/tracing/instances", W_OK))
		SKIP(return, "the kernel has no tracefs");
}

FIXTURE_TEARDOWN(record)
{
	munmap(self->b.map, self->b.size);
	EXPECT_EQ(0, cluster_close(&self->c));
}

TEST_F(record, has_the_events_that_the_flight_recorder_keeps)
{
	static bool taken[MAX_EVENTS];
	struct events events = {};
	struct recording recording;
	struct file trace;
	size_t i, j, last = 0;

	ASSERT_TRUE(record_begin(&recording, "--device=0"));
	EXPECT_EQ(0, cause_events(&self->c, self->b.handle));
	EXPECT_EQ(5, record_end(&recording));
	ASSERT_EQ(0, events_read(&self->c, &events));
	ASSERT_TRUE(read_trace(&trace, self->number));
	EXPECT_LE(20, events.count);
	EXPECT_EQ(events.count, trace.count);
	EXPECT_EQ(0, trace.lost);
	for (i = 0; i < events.count; i++) {
		for (j = 0; j < trace.count && j < MAX_EVENTS; j++)
			if (!taken[j] && is_same(&trace.events[j], events.at[i]))
				break;
		EXPECT_LT(j, trace.count) TH_LOG("event %zu is not in the trace", i);
		if (j >= trace.count)
			continue;
		taken[j] = true;
		EXPECT_LE(llabs((long long)(trace.events[j].time - events.at[i].time)),
			  1000000000LL);
		if (!is_of_task(&events.at[i]))
			continue;
		EXPECT_LE(last, j) TH_LOG("event %zu comes earlier in the trace", i);
		last = j;
	}
	for (i = 1; i < trace.count; i++)
		EXPECT_LE(trace.events[i - 1].time, trace.events[i].time);
	trace_free(&trace);
}

/* Both clusters that exist before and those that are created later. */
TEST_F(record, has_the_shapes_of_clusters)
{
	struct recording recording;
	uint32_t number;
	struct file trace;
	struct cluster c;

	ASSERT_TRUE(record_begin(&recording, "--device=0"));
	ASSERT_EQ(0, cluster_make(&c, self->c.fd, .ctas = 3, .threads = 96, .smem_bytes = 16,
				  .layout = VSM_LAYOUT_SM_80, .policy = DRM_VSM_POLICY_HARDWARE));
	number = cluster_number(&c);
	EXPECT_EQ(0, exec_one(&c, i_init(0, 1)));
	EXPECT_EQ(0, cluster_destroy(&c));
	EXPECT_EQ(5, record_end(&recording));
	ASSERT_TRUE(read_trace(&trace, number));
	EXPECT_EQ(number, trace.cluster[0]);
	EXPECT_EQ(3, trace.cluster[1]);
	EXPECT_EQ(96, trace.cluster[2]);
	EXPECT_EQ(VSM_LAYOUT_SM_80, trace.cluster[3]);
	EXPECT_EQ(DRM_VSM_POLICY_HARDWARE, trace.cluster[4]);
	free(trace.events);
	free(trace.data);
	ASSERT_TRUE(read_trace(&trace, self->number));
	EXPECT_EQ(self->number, trace.cluster[0]);
	EXPECT_EQ(2, trace.cluster[1]);
	EXPECT_EQ(64, trace.cluster[2]);
	trace_free(&trace);
}

/* Makes MANY events. */
static int make_many(const struct cluster *c)
{
	struct drm_vsm_insn insns[40];
	struct drm_vsm_exec args;
	int ret = exec_one(c, i_init(A, 1000000));
	int i;

	for (i = 0; i < ITEMS(insns); i++)
		insns[i] = i_test_parity(A, 0);
	for (i = 0; i < MANY / ITEMS(insns) && !ret; i++) {
		args = exec_args(c, insns, ITEMS(insns));
		ret = vsm_exec(c->fd, &args);
	}
	return ret;
}

/* A program that is stopped does not read, and the kernel's buffer is small. */
TEST_F(record, counts_the_events_that_are_lost)
{
	struct recording recording;
	struct file trace;
	int status;

	ASSERT_TRUE(record_begin(&recording, "--buffer=16K"));
	ASSERT_EQ(0, kill(recording.pid, SIGSTOP));
	ASSERT_EQ(recording.pid, waitpid(recording.pid, &status, WUNTRACED));
	EXPECT_EQ(0, make_many(&self->c));
	ASSERT_EQ(0, kill(recording.pid, SIGCONT));
	EXPECT_EQ(5, record_end(&recording));
	ASSERT_TRUE(read_trace(&trace, self->number));
	EXPECT_LT(0, trace.count);
	EXPECT_LT(0, trace.lost);
	EXPECT_EQ(MANY + 1, trace.count + trace.lost);
	trace_free(&trace);
}

TEST_F(record, keeps_the_last_events)
{
	struct events events = { .next = MANY + 1 - 100 };
	struct recording recording;
	struct file trace;
	size_t i;

	ASSERT_TRUE(record_begin(&recording, "--events=100"));
	EXPECT_EQ(0, make_many(&self->c));
	EXPECT_EQ(5, record_end(&recording));
	ASSERT_EQ(0, events_read(&self->c, &events));
	ASSERT_EQ(100, events.count);
	ASSERT_TRUE(read_trace(&trace, self->number));
	ASSERT_EQ(100, trace.count);
	EXPECT_EQ(MANY + 1 - 100, trace.lost);
	for (i = 0; i < 100; i++)
		EXPECT_TRUE(is_same(&trace.events[i], events.at[i]));
	trace_free(&trace);
}

TEST_HARNESS_MAIN
