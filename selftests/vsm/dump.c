// SPDX-License-Identifier: GPL-2.0-only
/* The dumps that the device makes of guilty jobs and lost clusters, as devcoredump shows them. */
#include <dirent.h>

#include <drm/vsm_dump.h>

#include "channel.h"
#include "driver.h"
#include "model.h"
#include "recorder.h"

#define A AT(0, 0x40)		/* counts arrivals */
#define B AT(0, 0x48)		/* counts the bytes of a job */
#define NONE AT(0, 0x60)	/* not initialised */
#define DATA 0x400
#define DUMPS "/sys/class/devcoredump"

/*
 * struct seen - A dump that was read
 * @path: Its folder; empty if there is none
 * @size: Bytes
 * @bytes: The dump
 */
struct seen {
	char path[300];
	size_t size;
	union {
		struct drm_vsm_dump head;
		char bytes[1 << 17];
	};
};

/* Is this the dump of a vsm device? A device that is gone is not named any more. */
static bool is_ours(const char *name)
{
	char path[300], target[300] = "";

	if (strncmp(name, "devcd", 5))
		return false;
	snprintf(path, sizeof(path), DUMPS "/%s/failing_device", name);
	return readlink(path, target, sizeof(target) - 1) < 0 || strstr(target, "/vsm.");
}

/* Looks for a dump and reads it. */
static bool dump_find(struct seen *seen)
{
	DIR *dir = opendir(DUMPS);
	struct dirent *entry;
	char path[320];
	ssize_t size = 0;
	int fd;

	seen->path[0] = '\0';
	while (dir && !seen->path[0] && (entry = readdir(dir)))
		if (is_ours(entry->d_name))
			snprintf(seen->path, sizeof(seen->path), DUMPS "/%s", entry->d_name);
	if (dir)
		closedir(dir);
	if (!seen->path[0])
		return false;
	snprintf(path, sizeof(path), "%s/data", seen->path);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	memset(&seen->head, 0, sizeof(seen->head));
	seen->size = 0;
	while (fd >= 0 && (size = read(fd, seen->bytes + seen->size,
				       sizeof(seen->bytes) - seen->size)) > 0)
		seen->size += size;
	close(fd);
	return fd >= 0 && size == 0;
}

/* Waits for a dump, which comes after the fence of the job has signalled. */
static bool dump_wait(struct seen *seen)
{
	int64_t until = now_ns() + AMPLE;

	while (!dump_find(seen)) {
		if (now_ns() > until)
			return false;
		poll(NULL, 0, 1);
	}
	return true;
}

/* Removes all dumps of vsm devices. */
static void dumps_clear(void)
{
	struct seen *seen = malloc(sizeof(*seen));
	char path[320];

	while (dump_find(seen)) {
		snprintf(path, sizeof(path), "%s/data", seen->path);
		write_file(path, "0");
		/* The kernel removes it in a work. */
		while (!access(seen->path, F_OK))
			poll(NULL, 0, 1);
	}
	free(seen);
}

FIXTURE(dump)
{
	struct seen seen;
	struct cluster c;
	struct buffer b;
	int fd;
	int channel;
};

FIXTURE_SETUP(dump)
{
	if (access(DUMPS, F_OK))
		SKIP(return, "the kernel has no devcoredump (CONFIG_DEV_COREDUMP)");
	dumps_clear();
	ASSERT_EQ(0, device_renew());
	self->fd = vsm_open();
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, cluster_make(&self->c, self->fd, .ctas = 1, .threads = 2, .smem_bytes = 8192,
				  .trace_events = 64));
	ASSERT_EQ(0, buffer_create(&self->b, self->fd, 0x1000));
	ASSERT_EQ(0, exec_one(&self->c, i_init(A, 5)));
	ASSERT_EQ(0, exec_one(&self->c, i_init(B, 1)));
	self->channel = channel_create(self->fd, 0);
}

FIXTURE_TEARDOWN(dump)
{
	dumps_clear();
	munmap(self->b.map, self->b.size);
	cluster_destroy(&self->c);
	close(self->fd);
}

/* The dump has only whole parts, which lie one behind the other and end with it. */
static bool is_whole(const struct seen *seen)
{
	const struct drm_vsm_dump *h = &seen->head;

	return seen->size >= sizeof(*h) && h->magic == DRM_VSM_DUMP_MAGIC &&
	       h->size == sizeof(*h) && h->insns.offset == sizeof(*h) &&
	       h->insns.stride == sizeof(struct drm_vsm_insn) &&
	       h->words.stride == sizeof(struct drm_vsm_dump_word) &&
	       h->events.stride == sizeof(struct drm_vsm_trace_event) &&
	       h->insns.offset + h->insns.count * h->insns.stride <= h->words.offset &&
	       h->words.offset + h->words.count * h->words.stride <= h->events.offset &&
	       h->events.offset + h->events.count * h->events.stride == seen->size;
}

static const struct drm_vsm_insn *dumped_insn(const struct seen *seen, int i)
{
	return (const void *)(seen->bytes + seen->head.insns.offset +
			      i * sizeof(struct drm_vsm_insn));
}

static const struct drm_vsm_dump_word *dumped_word(const struct seen *seen, int i)
{
	return (const void *)(seen->bytes + seen->head.words.offset +
			      i * sizeof(struct drm_vsm_dump_word));
}

static const struct drm_vsm_trace_event *dumped_event(const struct seen *seen, int i)
{
	return (const void *)(seen->bytes + seen->head.events.offset +
			      i * sizeof(struct drm_vsm_trace_event));
}

static bool dumped_fault(const struct seen *seen)
{
	bool faulted = false;
	int i;

	for (i = 0; i < seen->head.events.count; i++)
		faulted |= dumped_event(seen, i)->type == DRM_VSM_TRACE_FAULT;
	return faulted;
}

TEST_F(dump, a_job_that_faults_is_shown_with_its_fault)
{
	struct drm_vsm_insn insns[] = {
		i_sink(i_arrive(A)), i_sink(i_arrive(NONE)), i_sink(i_arrive(B)),
	};
	const struct drm_vsm_dump *h = &self->seen.head;

	ASSERT_EQ(-EIO, job_end(job_start_site(&self->c, self->channel, insns, 3, 55)));
	ASSERT_TRUE(dump_wait(&self->seen));
	ASSERT_TRUE(is_whole(&self->seen));
	EXPECT_EQ(DRM_VSM_DUMP_FAULT, h->reason);
	EXPECT_EQ(DRM_VSM_ABI_MINOR, h->abi_minor);
	EXPECT_EQ(vsm_info(self->fd).index, h->device);
	EXPECT_EQ(getpid(), h->pid);
	EXPECT_STREQ("dump", h->comm);
	EXPECT_EQ(1, h->ctas);
	EXPECT_EQ(2, h->threads);
	EXPECT_EQ(8192, h->smem_bytes);
	EXPECT_EQ(0, h->lost);
	EXPECT_EQ(self->channel, h->channel);
	EXPECT_EQ(-EIO, h->error);
	EXPECT_EQ(1, h->job);
	EXPECT_EQ(55, h->site);
	EXPECT_EQ(2, h->issued);
	EXPECT_EQ(0, h->first);
	ASSERT_EQ(3, h->insns.count);
	EXPECT_EQ(3, h->insns.total);
	EXPECT_EQ(DRM_VSM_FAULT_NONE, dumped_insn(&self->seen, 0)->fault);
	EXPECT_EQ(DRM_VSM_FAULT_NOT_AN_MBARRIER, dumped_insn(&self->seen, 1)->fault);
	EXPECT_EQ(B, dumped_insn(&self->seen, 2)->u.mbarrier.addr);
	/* The word of an instruction that was not issued is not shown. */
	ASSERT_EQ(2, h->words.count);
	EXPECT_EQ(A, dumped_word(&self->seen, 0)->addr);
	EXPECT_EQ(word(&self->c, A), dumped_word(&self->seen, 0)->word);
	EXPECT_EQ(NONE, dumped_word(&self->seen, 1)->addr);
	EXPECT_TRUE(dumped_fault(&self->seen));
}

/* The loss of the cluster makes no dump of its own, which would take the place of this one. */
TEST_F(dump, a_job_that_traps_is_shown_with_its_fault)
{
	const struct drm_vsm_dump *h = &self->seen.head;
	struct drm_vsm_insn arrive = i_sink(i_arrive_n(A, 2));
	struct cluster c;

	ASSERT_EQ(0, cluster_make(&c, self->fd, .ctas = 1, .threads = 1, .smem_bytes = 4096,
				  .trace_events = 64, .policy = DRM_VSM_POLICY_HARDWARE));
	ASSERT_EQ(0, exec_one(&c, i_init(A, 1)));
	ASSERT_EQ(-EIO, job_end(job_start(&c, 0, &arrive, 1, 0)));
	ASSERT_TRUE(dump_wait(&self->seen));
	ASSERT_TRUE(is_whole(&self->seen));
	EXPECT_EQ(DRM_VSM_DUMP_FAULT, h->reason);
	EXPECT_EQ(1, h->lost);
	EXPECT_EQ(0, h->missed);
	ASSERT_EQ(1, h->insns.count);
	EXPECT_EQ(DRM_VSM_FAULT_ARRIVAL_OVERFLOW, dumped_insn(&self->seen, 0)->fault);
	EXPECT_TRUE(dumped_fault(&self->seen));
	EXPECT_EQ(0, cluster_destroy(&c));
}

TEST_F(dump, a_late_job_is_shown_with_the_bytes_that_its_mbarrier_lacks)
{
	struct drm_vsm_insn load[] = {
		i_expect_tx(B, 256), i_g2s(DATA, B, 256, self->b.handle, 0),
	};
	const struct drm_vsm_dump *h = &self->seen.head;

	if (model_set(self->fd, "latency_ns", NEVER))
		SKIP(return, "needs debugfs");
	ASSERT_EQ(0, model_set(self->fd, "job_timeout_ms", 20));
	EXPECT_EQ(-ETIMEDOUT, job_end(job_start_site(&self->c, 0, load, 2, 0)));
	ASSERT_EQ(0, model_reset(self->fd));
	ASSERT_TRUE(dump_wait(&self->seen));
	ASSERT_TRUE(is_whole(&self->seen));
	EXPECT_EQ(DRM_VSM_DUMP_RESET, h->reason);
	EXPECT_EQ(-ETIMEDOUT, h->error);
	EXPECT_EQ(2, h->issued);
	ASSERT_EQ(1, h->words.count);
	EXPECT_EQ(B, dumped_word(&self->seen, 0)->addr);
	EXPECT_EQ(256, vsm_mbarrier_tx(VSM_LAYOUT_SM_90, dumped_word(&self->seen, 0)->word));
}

/* The part of a job around the instruction that faulted. */
TEST_F(dump, a_large_job_is_shown_in_part)
{
	enum { COUNT = 4096, BAD = 3000 };
	struct drm_vsm_insn *insns = calloc(COUNT, sizeof(*insns));
	const struct drm_vsm_dump *h = &self->seen.head;
	int i;

	for (i = 0; i < COUNT; i++)
		insns[i] = i_sink(i_arrive(i == BAD ? NONE : B));
	ASSERT_EQ(0, exec_one(&self->c, i_inval(B)));
	ASSERT_EQ(0, exec_one(&self->c, i_init(B, 100000)));
	ASSERT_EQ(-EIO, job_end(job_start(&self->c, 0, insns, COUNT, 0)));
	ASSERT_TRUE(dump_wait(&self->seen));
	ASSERT_TRUE(is_whole(&self->seen));
	EXPECT_EQ(COUNT, h->insns.total);
	EXPECT_GT(COUNT, h->insns.count);
	ASSERT_LE(h->first, BAD);
	ASSERT_GT(h->first + h->insns.count, BAD);
	EXPECT_EQ(DRM_VSM_FAULT_NOT_AN_MBARRIER, dumped_insn(&self->seen, BAD - h->first)->fault);
	EXPECT_EQ(2, h->words.count);
	free(insns);
}

TEST_F(dump, a_lost_cluster_is_shown_with_its_objects)
{
	const struct drm_vsm_dump *h = &self->seen.head;
	struct cluster c;

	ASSERT_EQ(0, cluster_make(&c, self->fd, .ctas = 1, .threads = 1, .smem_bytes = 4096,
				  .policy = DRM_VSM_POLICY_HARDWARE));
	ASSERT_EQ(0, exec_one(&c, i_init(B, 3)));
	atomic_store(word_at(&c, A), POISONED_WORD);
	EXPECT_EQ(-EPROTO, exec_one(&c, i_arrive(A)));
	ASSERT_TRUE(dump_wait(&self->seen));
	ASSERT_TRUE(is_whole(&self->seen));
	EXPECT_EQ(DRM_VSM_DUMP_CLUSTER_LOST, h->reason);
	EXPECT_EQ(1, h->lost);
	EXPECT_EQ(-EIO, h->error);
	EXPECT_EQ(0, h->job);
	EXPECT_EQ(0, h->insns.count);
	EXPECT_EQ(0, h->events.count);
	EXPECT_EQ(DRM_VSM_POLICY_HARDWARE, h->policy);
	EXPECT_EQ(0, cluster_destroy(&c));
}

/* A good job, an innocent job and a job of a lost cluster make no dump. */
TEST_F(dump, only_guilty_jobs_make_dumps)
{
	struct drm_vsm_insn arrive = i_sink(i_arrive(A)), fault = i_sink(i_arrive(NONE));
	int failed = job_start_site(&self->c, self->channel, &fault, 1, 1);

	EXPECT_EQ(-EIO, job_end(job_start(&self->c, 0, &arrive, 1,
					  syncobj_import(self->fd, failed))));
	EXPECT_EQ(1, job_end(job_start(&self->c, 0, &arrive, 1, 0)));
	close(failed);
	ASSERT_TRUE(dump_wait(&self->seen));
	EXPECT_EQ(self->channel, self->seen.head.channel);
	EXPECT_EQ(1, self->seen.head.site);
	dumps_clear();
	/* The next dump is that of the next guilty job. */
	EXPECT_EQ(-EIO, job_end(job_start_site(&self->c, 0, &fault, 1, 2)));
	ASSERT_TRUE(dump_wait(&self->seen));
	EXPECT_EQ(2, self->seen.head.site);
	EXPECT_EQ(3, self->seen.head.job);
	EXPECT_EQ(0, self->seen.head.missed);
}

/* The kernel keeps one dump. A program that fails all the time makes few more. */
TEST_F(dump, dumps_that_are_given_up_are_counted)
{
	struct drm_vsm_insn fault = i_sink(i_arrive(NONE));
	uint64_t missed = 0;
	int i, round;

	for (round = 0; round < 50 && !missed; round++) {
		for (i = 0; i < 200; i++)
			ASSERT_EQ(-EIO, job_end(job_start(&self->c, 0, &fault, 1, 0)));
		dumps_clear();
		/* Until a dump is made again, those that are not made are counted. */
		do {
			job_end(job_start(&self->c, 0, &fault, 1, 0));
		} while (!dump_find(&self->seen));
		missed = self->seen.head.missed;
	}
	EXPECT_LT(0, missed);
}

TEST_F(dump, only_root_can_read_it)
{
	struct drm_vsm_insn fault = i_sink(i_arrive(NONE));
	char path[320];
	struct stat st;
	pid_t child;
	int status;

	EXPECT_EQ(-EIO, job_end(job_start(&self->c, 0, &fault, 1, 0)));
	ASSERT_TRUE(dump_wait(&self->seen));
	snprintf(path, sizeof(path), "%s/data", self->seen.path);
	ASSERT_EQ(0, stat(path, &st));
	EXPECT_EQ(0, st.st_uid);
	EXPECT_EQ(0, st.st_mode & 077);
	child = fork();
	if (!child)
		_exit(setuid(65534) || open(path, O_RDONLY) >= 0);
	waitpid(child, &status, 0);
	EXPECT_EQ(0, status);
}

/* The command is beside the tests. */
TEST_F(dump, vsm_dump_prints_it)
{
	struct drm_vsm_insn insns[] = { i_sink(i_arrive(A)), i_sink(i_arrive(NONE)) };
	char command[640], program[200], text[4096] = "";
	ssize_t size = readlink("/proc/self/exe", program, sizeof(program) - 1);
	FILE *out;

	ASSERT_LT(0, size);
	program[size] = '\0';
	*strrchr(program, '/') = '\0';
	snprintf(command, sizeof(command), "%s/../tools/vsm", program);
	if (access(command, X_OK))
		SKIP(return, "needs the command vsm beside the tests");
	EXPECT_EQ(-EIO, job_end(job_start_site(&self->c, self->channel, insns, 2, 63)));
	ASSERT_TRUE(dump_wait(&self->seen));
	snprintf(command, sizeof(command), "%s/../tools/vsm dump %s/data 2>&1", program,
		 self->seen.path);
	out = popen(command, "r");
	ASSERT_NE(NULL, out);
	size = fread(text, 1, sizeof(text) - 1, out);
	EXPECT_EQ(0, pclose(out)) TH_LOG("%s", text);
	EXPECT_NE(NULL, strstr(text, "faulted (EIO)")) TH_LOG("%s", text);
	EXPECT_NE(NULL, strstr(text, "site 63"));
	EXPECT_NE(NULL, strstr(text, "mbarrier.arrive.b64 _, [0x60]: NOT_AN_MBARRIER"));
	EXPECT_NE(NULL, strstr(text, "mbarriers (2 of 2)"));
	EXPECT_NE(NULL, strstr(text, "expected 5"));
	EXPECT_NE(NULL, strstr(text, "fault: mbarrier.arrive"));
}

/* The dump stays when its device goes. */
TEST_F(dump, a_dump_outlives_its_device)
{
	struct drm_vsm_insn fault = i_sink(i_arrive(NONE));

	EXPECT_EQ(-EIO, job_end(job_start_site(&self->c, 0, &fault, 1, 9)));
	ASSERT_TRUE(dump_wait(&self->seen));
	ASSERT_EQ(0, device_unbind());
	EXPECT_TRUE(dump_find(&self->seen));
	EXPECT_EQ(9, self->seen.head.site);
	ASSERT_EQ(0, device_bind());
	EXPECT_TRUE(dump_find(&self->seen));
}

/* Without the fixture, which has the device open. */
TEST(the_module_can_be_removed_while_there_is_a_dump)
{
	struct drm_vsm_insn fault = i_sink(i_arrive(NONE));
	struct seen *seen = calloc(1, sizeof(*seen));
	struct cluster c;

	if (access(DUMPS, F_OK))
		SKIP(return, "the kernel has no devcoredump (CONFIG_DEV_COREDUMP)");
	if (!getenv("VSM_MODULE"))
		SKIP(return, "VSM_MODULE does not name the module");
	dumps_clear();
	ASSERT_EQ(0, device_renew());
	ASSERT_EQ(0, cluster_create(&c, vsm_open(), VSM_LAYOUT_SM_90, DRM_VSM_POLICY_STRICT));
	EXPECT_EQ(-EIO, job_end(job_start_site(&c, 0, &fault, 1, 31)));
	ASSERT_TRUE(dump_wait(seen));
	EXPECT_EQ(0, cluster_close(&c));
	ASSERT_EQ(0, module_reload(""));
	EXPECT_TRUE(dump_find(seen));
	EXPECT_EQ(31, seen->head.site);
	dumps_clear();
	EXPECT_FALSE(dump_find(seen));
	free(seen);
}

TEST_HARNESS_MAIN
