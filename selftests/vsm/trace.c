// SPDX-License-Identifier: GPL-2.0-only
/* What an administrator sees of the device: tracepoints, and counters of misuse in debugfs. */
#include <dirent.h>
#include <sys/mount.h>

#include "fence.h"
#include "recorder.h"

#define A AT(0, 0x80)
#define NOTHING AT(0, 0x200)	/* no object */

FIXTURE(trace)
{
	struct cluster c;
	struct buffer b;
};

FIXTURE_SETUP(trace)
{
	int fd = vsm_open();

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, cluster_make(&self->c, fd, .ctas = 4, .threads = 64, .smem_bytes = 4096,
				  .enforce = DRM_VSM_RULE(DRM_VSM_FAULT_SHFL_SOURCE)));
	ASSERT_EQ(0, buffer_create(&self->b, fd, 4096));
	ASSERT_EQ(0, exec_one(&self->c, i_init(A, 1)));
}

FIXTURE_TEARDOWN(trace)
{
	munmap(self->b.map, self->b.size);
	EXPECT_EQ(0, cluster_close(&self->c));
}

/* --- tracepoints ---------------------------------------------------------- */

#define TRACING "/sys/kernel/tracing/"
#define LINE 512

static const char *const tracepoints[] = {
	"",
#define VSM_TRACE(NAME, name) "vsm_" #name ": ",
#include <drm/vsm_trace_types.h>
};

/*
 * Without record-cmd, the kernel does not switch tracepoints of its scheduler on and off as well.
 * An emulated processor may execute a breakpoint of such a change after the change, and panic.
 */
static bool tracing_starts(void)
{
	if (access(TRACING "trace", W_OK))
		mount("tracefs", TRACING, "tracefs", 0, NULL);
	write_file(TRACING "options/record-cmd", "0");
	return !write_file(TRACING "trace", "") && !write_file(TRACING "events/vsm/enable", "1");
}

/* Writes what the trace says of an event: the name of the tracepoint and its fields. */
static void event_format(char *line, const struct drm_vsm_trace_event *e)
{
	snprintf(line, LINE,
		 "%sdevice=0 cluster=%u client=%u thread=%u.%u lanes=%#x site=%u op=%u mods=%#x addr=%#x mbar=%#x size=%u buffer=%u channel=%u word=%#llx next=%#llx value=%#llx serial=%u id=%llu cause=%llu error=%d fault=%u info=%#x source=%u",
		 tracepoints[e->type], e->cluster, e->client, e->cta, e->thread, e->lanes, e->site,
		 e->op, e->mods, e->addr, e->mbar, e->size, e->buffer, e->channel, e->word, e->next,
		 e->value, e->serial, e->id, e->cause, e->error, e->fault, e->info, e->source);
}

/* printk() writes %#x of 0 as 0x0, and printf() writes it as 0. */
static void format_zeros(char *line)
{
	char *from, *to = line;

	for (from = line; *from; from++, to++) {
		*to = *from;
		if (from[0] == '=' && from[1] == '0' && from[2] == 'x' && from[3] == '0' &&
		    (from[4] == ' ' || !from[4])) {
			*++to = '0';
			from += 3;
		}
	}
	*to = 0;
}

/* Reads the trace. Returns the number of lines about vsm. */
static int trace_read(char lines[][LINE], int max)
{
	FILE *file = fopen(TRACING "trace", "r");
	char *line = NULL;
	size_t size = 0;
	int n = 0;

	while (file && getline(&line, &size, file) > 0) {
		char *at = strstr(line, "vsm_");

		if (*line == '#' || !at || n == max)
			continue;
		at[strcspn(at, "\n")] = 0;
		snprintf(lines[n], LINE, "%s", at);
		format_zeros(lines[n++]);
	}
	free(line);
	if (file)
		fclose(file);
	return n;
}

TEST_F(trace, the_tracepoints_show_what_the_flight_recorder_keeps)
{
	static char lines[MAX_EVENTS][LINE];
	struct events events = {};
	char expected[LINE];
	struct cluster c;
	int i, j, n;

	ASSERT_EQ(0, cluster_make(&c, self->c.fd, .ctas = 2, .threads = 64, .smem_bytes = 4096,
				  .trace_events = MAX_EVENTS));
	if (!tracing_starts())
		SKIP(return, "the kernel has no tracefs");
	ASSERT_EQ(0, cause_events(&c, self->b.handle));
	ASSERT_EQ(0, write_file(TRACING "events/vsm/enable", "0"));
	ASSERT_EQ(0, events_read(&c, &events));
	n = trace_read(lines, MAX_EVENTS);
	EXPECT_LE(20, events.count);
	EXPECT_EQ(events.count, n);
	for (i = 0; i < events.count; i++) {
		event_format(expected, &events.at[i]);
		for (j = 0; j < n && strcmp(expected, lines[j]); j++)
			;
		EXPECT_LT(j, n) TH_LOG("not in the trace: %s", expected);
	}
	write_file(TRACING "trace", "");
	EXPECT_EQ(0, cluster_destroy(&c));
}

/* Events of clusters without a flight recorder are traced as well, until the tracepoint is off. */
TEST_F(trace, a_tracepoint_shows_events_while_it_is_enabled)
{
	char lines[8][LINE], expected[LINE];
	struct drm_vsm_object_info info = { .handle = self->c.handle };
	struct drm_vsm_trace_event fault = {
		.type = DRM_VSM_TRACE_FAULT, .fault = DRM_VSM_FAULT_INIT_OVER_LIVE,
		.op = DRM_VSM_OP_MBARRIER_INIT, .addr = A, .word = 0x7ffff800001ffffe,
		.error = -EPROTO, .lanes = 1,
	};

	if (!tracing_starts())
		SKIP(return, "the kernel has no tracefs");
	ASSERT_EQ(0, vsm_ioctl(self->c.fd, DRM_IOCTL_VSM_OBJECT_INFO, &info));
	fault.cluster = info.number;
	fault.client = info.client;
	EXPECT_EQ(-EPROTO, exec_one(&self->c, i_init(A, 3)));
	ASSERT_EQ(0, write_file(TRACING "events/vsm/enable", "0"));
	EXPECT_EQ(-EPROTO, exec_one(&self->c, i_init(A, 3)));
	ASSERT_EQ(1, trace_read(lines, 8));
	event_format(expected, &fault);
	EXPECT_STREQ(expected, lines[0]);
	write_file(TRACING "trace", "");
}

TEST_F(trace, a_tracepoint_shows_the_shape_of_a_new_cluster)
{
	struct drm_vsm_object_info info = {};
	char lines[8][LINE], expected[LINE];
	struct events events = {};
	struct cluster c;

	if (!tracing_starts())
		SKIP(return, "the kernel has no tracefs");
	ASSERT_EQ(0, cluster_make(&c, self->c.fd, .ctas = 2, .threads = 1024, .smem_bytes = 4096,
				  .layout = VSM_LAYOUT_SM_80, .policy = DRM_VSM_POLICY_HARDWARE,
				  .trace_events = 64));
	ASSERT_EQ(0, write_file(TRACING "events/vsm/enable", "0"));
	ASSERT_EQ(1, trace_read(lines, 8));
	info.handle = c.handle;
	ASSERT_EQ(0, vsm_ioctl(c.fd, DRM_IOCTL_VSM_OBJECT_INFO, &info));
	event_format(expected, &(struct drm_vsm_trace_event){
		.type = DRM_VSM_TRACE_CLUSTER_CREATE, .cluster = info.number, .client = info.client,
		.cta = 2, .thread = 1024, .size = 4096, .mods = VSM_LAYOUT_SM_80,
		.info = DRM_VSM_POLICY_HARDWARE,
	});
	EXPECT_STREQ(expected, lines[0]);
	/* A flight recorder does not have this event. */
	EXPECT_EQ(0, events_read(&c, &events));
	EXPECT_EQ(0, events.count);
	write_file(TRACING "trace", "");
	EXPECT_EQ(0, cluster_destroy(&c));
}

TEST_F(trace, a_tracepoint_shows_what_is_only_reported)
{
	char lines[8][LINE];
	struct cluster c;

	ASSERT_EQ(0, cluster_make(&c, self->c.fd, .ctas = 1, .threads = 1, .smem_bytes = 4096,
				  .report = DRM_VSM_RULE(DRM_VSM_FAULT_INIT_OVER_LIVE)));
	ASSERT_EQ(0, exec_one(&c, i_init(A, 1)));
	if (!tracing_starts())
		SKIP(return, "the kernel has no tracefs");
	EXPECT_EQ(0, exec_one(&c, i_init(A, 3)));
	ASSERT_EQ(0, write_file(TRACING "events/vsm/enable", "0"));
	ASSERT_EQ(2, trace_read(lines, 8));
	/* The instruction was executed, and the fault has no error. */
	EXPECT_EQ(0, strncmp(lines[0], "vsm_insn: ", 10));
	EXPECT_EQ(0, strncmp(lines[1], "vsm_fault: ", 11));
	EXPECT_NE(NULL, strstr(lines[1], " error=0 fault=4 "));
	write_file(TRACING "trace", "");
	EXPECT_EQ(0, cluster_destroy(&c));
}

/* A program that opens and closes clusters with flight recorders does not change the code often. */
TEST_F(trace, tracing_goes_on_and_off_with_clusters)
{
	struct cluster c;
	int i;

	for (i = 0; i < repeat(40); i++) {
		if (tracing_starts() && i % 2)
			ASSERT_EQ(0, write_file(TRACING "events/vsm/enable", "0"));
		ASSERT_EQ(0, cluster_make(&c, self->c.fd, .ctas = 1, .threads = 1, .smem_bytes = 16,
					  .trace_events = 64));
		ASSERT_EQ(0, exec_one(&c, i_init(0, 1)));
		ASSERT_EQ(0, cluster_destroy(&c));
	}
	write_file(TRACING "events/vsm/enable", "0");
	write_file(TRACING "trace", "");
}

/* --- counters ------------------------------------------------------------- */

#define DEBUGFS "/sys/kernel/debug/"

static const struct {
	uint32_t code;
	const char *name;
} names[] = {
#define VSM_FAULT(NAME, name, enforced) { DRM_VSM_FAULT_##NAME, #NAME },
#include <drm/vsm_faults.h>
};

/*
 * Opens the counters of the device. Each DRM minor of the device has a file with the same counters.
 */
static FILE *counters_open(void)
{
	DIR *dir = opendir(DEBUGFS "dri");
	struct dirent *entry;
	FILE *file = NULL;

	while (dir && !file && (entry = readdir(dir))) {
		char path[sizeof(DEBUGFS) + 300];

		snprintf(path, sizeof(path), DEBUGFS "dri/%s/vsm_faults", entry->d_name);
		file = fopen(path, "r");
	}
	if (dir)
		closedir(dir);
	return file;
}

/* Reads the counters. Returns 0 unless the file has each name once and no other name. */
static int counters_read(long long *counters)
{
	FILE *file = counters_open();
	unsigned int i, lines = 0;
	uint64_t seen = 0;
	long long count;
	char name[64];

	while (file && fscanf(file, "%63s %lld", name, &count) == 2) {
		lines++;
		for (i = 0; i < ITEMS(names); i++) {
			if (!strcmp(names[i].name, name)) {
				counters[i] = count;
				seen |= 1ULL << i;
			}
		}
	}
	if (file)
		fclose(file);
	return lines == ITEMS(names) && seen == (1ULL << ITEMS(names)) - 1;
}

/* Expects one breach of this rule since @before, or none if @code is 0, and none of another. */
static void expect_counted(struct __test_metadata *_metadata, const long long *before,
			   uint32_t code, size_t row)
{
	long long after[ITEMS(names)];
	size_t i;

	ASSERT_TRUE(counters_read(after));
	for (i = 0; i < ITEMS(names); i++)
		EXPECT_EQ(before[i] + (names[i].code == code), after[i])
			TH_LOG("case %zu: fault %u", row, names[i].code);
}

static bool debugfs_mount(void)
{
	if (access(DEBUGFS "dri", X_OK))
		mount("debugfs", DEBUGFS, "debugfs", 0, NULL);
	return !access(DEBUGFS "dri", X_OK);
}

TEST_F(trace, the_counters_of_the_device_count_them)
{
	static const struct drm_vsm_tensor_map map __attribute__((aligned(64))) = {
		.rank = 1, .mode = DRM_VSM_TENSOR_TILED,	/* without elements */
	};
	uint32_t buffer = self->b.handle;
	const struct {
		uint32_t code;
		struct drm_vsm_insn insn;
		int job;	/* status of the job's fence, or error of SUBMIT; 0 for EXEC */
	} bad[] = {
		{ DRM_VSM_FAULT_MISALIGNED, i_arrive(A + 1) },
		{ DRM_VSM_FAULT_OUT_OF_WINDOW, i_arrive(4096) },
		{ DRM_VSM_FAULT_NOT_AN_MBARRIER, i_arrive(NOTHING) },
		{ DRM_VSM_FAULT_INIT_OVER_LIVE, i_init(A, 1) },
		{ DRM_VSM_FAULT_BAD_COUNT, i_init(NOTHING, 0) },
		{ DRM_VSM_FAULT_ARRIVAL_OVERFLOW, i_arrive_n(A, 2) },
		{ DRM_VSM_FAULT_NOCOMPLETE_COMPLETES, i_arrive_nocomplete(A, 1) },
		{ DRM_VSM_FAULT_DROP_TO_ZERO, i_drop(i_arrive(A)) },
		{ DRM_VSM_FAULT_TX_RANGE, i_expect_tx(A, 1 << 20) },
		{ DRM_VSM_FAULT_REMOTE_FORBIDDEN, i_arrive(AT(1, 0)) },
		{ DRM_VSM_FAULT_STALE_TOKEN, i_test_wait(A, 0) },
		{ DRM_VSM_FAULT_BAD_PARITY, i_test_parity(A, 2) },
		{ DRM_VSM_FAULT_NOT_A_PENDING_TOKEN, i_pending_count(0) },
		{ DRM_VSM_FAULT_WRITE_OVER_LIVE, i_cp_async(A, 8, buffer, 0) },
		{ DRM_VSM_FAULT_COPY_SIZE, i_src_size(i_cp_async(0x400, 8, buffer, 0), 9) },
		{ DRM_VSM_FAULT_COPY_BOUNDS, i_cp_async(0x400, 8, buffer, 4096) },
		{ DRM_VSM_FAULT_COPY_MBARRIER, i_g2s(AT(1, 0x400), A, 16, buffer, 0), -EPROTO },
		{ DRM_VSM_FAULT_COPY_SIZE, i_s2g(0x400, 8, buffer, 0), -EPROTO },
		{ DRM_VSM_FAULT_INIT_NOT_FENCED, i_expect_tx(AT(1, 0x80), 0), -EIO },
		{ DRM_VSM_FAULT_COPY_OVERLAP, i_cp_async(0x800, 4, buffer, 0) },
		{ DRM_VSM_FAULT_COPY_INCOMPLETE, i_s2g(0x7f0, 32, buffer, 1024), -EIO },
		{ DRM_VSM_FAULT_TENSOR_MAP, i_tensor(TENSOR_G2S, &map, .addr = 0x400, .mbar = A) },
		{ DRM_VSM_FAULT_NOT_IN_MASK, i_elect(2) },
		{ DRM_VSM_FAULT_SHFL_SOURCE, i_shfl(DRM_VSM_MODE_IDX, 0, 1, 31, 1) },
		{ DRM_VSM_FAULT_BARRIER_ID, i_barrier_sync(16) },
		{ DRM_VSM_FAULT_BARRIER_COUNT, i_barrier_sync_n(0, 33) },
		{ DRM_VSM_FAULT_CLUSTER_NOT_ARRIVED, i_cluster_wait() },
	};
	long long before[ITEMS(names)];
	size_t i;

	if (!debugfs_mount())
		SKIP(return, "the kernel has no debugfs");
	ASSERT_EQ(0, exec_at(&self->c, 1, i_init(AT(1, 0x80), 1), NULL));
	ASSERT_EQ(0, cluster_hold(&self->c, DRM_VSM_HOLD));
	ASSERT_EQ(0, exec_one(&self->c, i_cp_async(0x800, 8, buffer, 0)));
	for (i = 0; i < ITEMS(bad); i++) {
		struct drm_vsm_insn insn = bad[i].insn;

		ASSERT_TRUE(counters_read(before));
		ASSERT_EQ(bad[i].job ? bad[i].job : -EPROTO,
			  bad[i].job ? job_status(&self->c, 0, insn)
				     : exec_stream(&self->c, 0, &insn, 1, NULL))
			TH_LOG("case %zu", i);
		expect_counted(_metadata, before, bad[i].code, i);
	}
	fault_drain(self->c.fd);
}

/* The counters also count breaches of rules that are only reported, or not even that. */
TEST_F(trace, the_counters_count_rules_that_are_not_enforced)
{
	const struct {
		uint32_t code;
		struct drm_vsm_insn insn;
		bool warp;
	} rows[] = {
		{ DRM_VSM_FAULT_SHFL_SOURCE, i_shfl(DRM_VSM_MODE_IDX, 0, 1, 31, 1) },
		{ 0, i_barrier_arrive(0, 96), true },
		{ DRM_VSM_FAULT_BARRIER_OVERFLOW, i_barrier_arrive(0, 96), true },
		{ DRM_VSM_FAULT_BARRIER_OVERFLOW, i_barrier_sync_n(0, 96), true },
		{ 0, i_init(A, 1) },
		{ DRM_VSM_FAULT_INIT_OVER_LIVE, i_init(A, 1) },
	};
	long long before[ITEMS(names)];
	struct drm_vsm_exec args;
	struct cluster c;
	size_t i;

	if (!debugfs_mount())
		SKIP(return, "the kernel has no debugfs");
	ASSERT_EQ(0, cluster_make(&c, self->c.fd, .ctas = 4, .threads = 64, .smem_bytes = 4096,
				  .report = RULE(INIT_OVER_LIVE)));
	for (i = 0; i < ITEMS(rows); i++) {
		struct drm_vsm_insn insn = rows[i].insn;

		/* Only a breach of the last row is reported. */
		EXPECT_EQ(0, poll_events(c.fd));
		ASSERT_TRUE(counters_read(before));
		args = play_args(&c, 0, 0, rows[i].warp ? DRM_VSM_EXEC_WARP : 0, &insn, 1);
		ASSERT_EQ(0, vsm_exec(c.fd, &args)) TH_LOG("case %zu", i);
		EXPECT_EQ(0, insn.fault);
		EXPECT_EQ(0, insn.info);
		expect_counted(_metadata, before, rows[i].code, i);
	}
	fault_drain(c.fd);
	EXPECT_EQ(0, cluster_destroy(&c));
}

TEST_HARNESS_MAIN
