// SPDX-License-Identifier: GPL-2.0-only
/*
 * Programs that use shorter or longer arguments and elements than the driver knows. exec.c tests
 * strides of EXEC, arm.c those of WAITSET_ARM, waitset.c and rendezvous_waitset.c those of records.
 */
#include "channel.h"
#include "vsm_test.h"

#define A AT(0, 0)
#define FILL 0xa5
#define LONGER 24

/* Makes the ioctl number for a program whose argument has another size. */
#define SIZED(request, size) \
	_IOC(_IOC_DIR(request), _IOC_TYPE(request), _IOC_NR(request), size)

struct world {
	struct cluster c;
	int set;
	uint32_t syncobj;
	uint32_t channel;
	struct drm_vsm_insn insn;
	struct drm_vsm_wait wait;
};

FIXTURE(sizes)
{
	struct world w;
};

FIXTURE_SETUP(sizes)
{
	int fd = vsm_open();

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, cluster_create(&self->w.c, fd, VSM_LAYOUT_SM_90, DRM_VSM_POLICY_STRICT));
	ASSERT_EQ(0, exec_at(&self->w.c, 0, i_init(A, 1000), NULL));
	self->w.set = waitset_create(fd, DRM_VSM_WAITSET_NONBLOCK);
	ASSERT_LE(0, self->w.set);
	self->w.syncobj = syncobj_create(fd);
	self->w.channel = channel_create(fd, 0);
	ASSERT_LT(0, (int)self->w.channel);
}

FIXTURE_TEARDOWN(sizes)
{
	close(self->w.set);
	drmSyncobjDestroy(self->w.c.fd, self->w.syncobj);
	EXPECT_EQ(0, cluster_close(&self->w.c));
}

static uint32_t pending(struct world *w)
{
	return vsm_mbarrier_pending(VSM_LAYOUT_SM_90, word(&w->c, A));
}

/* All ioctls that have an input. prepare() fills in an argument with which the call succeeds. */
enum {
	CLUSTER, BUFFER, OBJECT, EXEC, SUBMIT, WAITSET, ARM, CANCEL, HOLD, CHANNEL, UNCHANNEL,
	STATE, STATUS, JOB_HOLD, RELEASE, CALLS
};

union args {
	struct drm_vsm_cluster_create cluster;
	struct drm_vsm_buffer_create buffer;
	struct drm_vsm_object_info object;
	struct drm_vsm_exec exec;
	struct drm_vsm_submit submit;
	struct drm_vsm_waitset_create waitset;
	struct drm_vsm_waitset_arm arm;
	struct drm_vsm_waitset_cancel cancel;
	struct drm_vsm_cluster_hold hold;
	struct drm_vsm_channel_create channel;
	struct drm_vsm_channel_destroy unchannel;
	struct drm_vsm_cluster_state state;
	struct drm_vsm_channel_status status;
	struct drm_vsm_hold_create job_hold;
	struct drm_vsm_hold_release release;
	unsigned char bytes[256];
};

/*
 * struct call - An ioctl
 * @request: Number of the ioctl
 * @least: Smallest size of the argument with which the call can succeed
 */
static const struct call {
	const char *name;
	unsigned long request;
	size_t least;
} calls[CALLS] = {
	[CLUSTER] = { "CLUSTER_CREATE", DRM_IOCTL_VSM_CLUSTER_CREATE, 28 },
	[BUFFER] = { "BUFFER_CREATE", DRM_IOCTL_VSM_BUFFER_CREATE, 16 },
	[OBJECT] = { "OBJECT_INFO", DRM_IOCTL_VSM_OBJECT_INFO, 4 },
	[EXEC] = { "EXEC", DRM_IOCTL_VSM_EXEC, 28 },
	[SUBMIT] = { "SUBMIT", DRM_IOCTL_VSM_SUBMIT, 24 },
	[WAITSET] = { "WAITSET_CREATE", DRM_IOCTL_VSM_WAITSET_CREATE, 12 },
	[ARM] = { "WAITSET_ARM", DRM_IOCTL_VSM_WAITSET_ARM, 24 },
	[CANCEL] = { "WAITSET_CANCEL", DRM_IOCTL_VSM_WAITSET_CANCEL, 12 },
	[HOLD] = { "CLUSTER_HOLD", DRM_IOCTL_VSM_CLUSTER_HOLD, 4 },
	[CHANNEL] = { "CHANNEL_CREATE", DRM_IOCTL_VSM_CHANNEL_CREATE, 8 },
	[UNCHANNEL] = { "CHANNEL_DESTROY", DRM_IOCTL_VSM_CHANNEL_DESTROY, 4 },
	[STATE] = { "CLUSTER_STATE", DRM_IOCTL_VSM_CLUSTER_STATE, 28 },
	[STATUS] = { "CHANNEL_STATUS", DRM_IOCTL_VSM_CHANNEL_STATUS, 4 },
	[JOB_HOLD] = { "HOLD_CREATE", DRM_IOCTL_VSM_HOLD_CREATE, 28 },
	[RELEASE] = { "HOLD_RELEASE", DRM_IOCTL_VSM_HOLD_RELEASE, 4 },
};

/* Fills @args with the argument of @call, and all bytes after the argument with FILL. */
static void prepare(struct world *w, int call, union args *args)
{
	memset(args, FILL, sizeof(*args));
	memset(args, 0, _IOC_SIZE(calls[call].request));
	switch (call) {
	case CLUSTER:
		args->cluster.ctas = 1;
		args->cluster.threads = 32;
		args->cluster.smem_bytes = 64;
		break;
	case BUFFER:
		args->buffer.size = 1;
		break;
	case OBJECT:
		args->object.handle = w->c.handle;
		break;
	case EXEC:
		w->insn = i_arrive(A);
		args->exec = exec_args(&w->c, &w->insn, 1);
		break;
	case SUBMIT:
		w->insn = i_sink(i_arrive(A));
		args->submit = submit_args(&w->c, &w->insn, 1);
		break;
	case WAITSET:
		args->waitset.record_stride = 24;
		args->waitset.fd = -1;
		break;
	case ARM:
		w->wait = wait_parity(&w->c, A, 0, -1, 1);
		args->arm = (struct drm_vsm_waitset_arm){
			.waits = (uintptr_t)&w->wait, .stride = sizeof(w->wait), .count = 1,
			.fd = w->set,
		};
		break;
	case CANCEL:
		w->wait = wait_parity(&w->c, A, 0, -1, 1);
		waitset_arm(w->c.fd, w->set, &w->wait, 1, NULL);
		args->cancel.id = w->wait.id;
		args->cancel.fd = w->set;
		break;
	case HOLD:
		args->hold.cluster = w->c.handle;
		break;
	case UNCHANNEL:
		args->unchannel.channel = w->channel;
		break;
	case STATUS:
		args->status.channel = w->channel;
		break;
	case STATE:
		args->state.handle = w->c.handle;
		args->state.stride = sizeof(struct drm_vsm_state_entry);
		break;
	case JOB_HOLD:
		args->job_hold.handle = w->syncobj;
		break;
	case RELEASE:
		args->release.hold = job_hold_create(w->c.fd, w->syncobj, 0, 0);
		break;
	}
}

/* Undoes what a call has done. */
static void undo(struct world *w, int call, const union args *args)
{
	switch (call) {
	case CLUSTER:
		gem_close(w->c.fd, args->cluster.handle);
		break;
	case BUFFER:
		gem_close(w->c.fd, args->buffer.handle);
		break;
	case WAITSET:
		close(args->waitset.fd);
		break;
	case CHANNEL:
		channel_destroy(w->c.fd, args->channel.channel);
		break;
	case UNCHANNEL:
		w->channel = channel_create(w->c.fd, 0);
		break;
	case JOB_HOLD:
		job_hold_release(w->c.fd, args->job_hold.hold, 0);
		break;
	}
}

static bool all(const unsigned char *bytes, size_t size, unsigned char value)
{
	while (size)
		if (bytes[--size] != value)
			return false;
	return true;
}

TEST_F(sizes, a_shorter_answer_is_its_beginning_and_a_longer_one_ends_with_zeros)
{
	struct drm_vsm_device_info info = vsm_info(self->w.c.fd);
	unsigned char bytes[256];
	size_t size, known;

	ASSERT_NE(0, info.max_ctas);
	for (size = 8; size < sizeof(bytes) - 8; size += 8) {
		known = size < sizeof(info) ? size : sizeof(info);
		memset(bytes, FILL, sizeof(bytes));
		ASSERT_EQ(0, vsm_ioctl(self->w.c.fd, SIZED(DRM_IOCTL_VSM_DEVICE_INFO, size),
				       bytes));
		EXPECT_EQ(0, memcmp(bytes, &info, known));
		EXPECT_TRUE(all(bytes + known, size - known, 0));
		EXPECT_TRUE(all(bytes + size, sizeof(bytes) - size, FILL));
	}
}

TEST_F(sizes, a_longer_argument_with_zeros_is_as_good)
{
	union args args, same;
	int call;

	for (call = 0; call < CALLS; call++) {
		size_t known = _IOC_SIZE(calls[call].request);
		uint32_t before = pending(&self->w);

		prepare(&self->w, call, &same);
		EXPECT_EQ(0, vsm_ioctl(self->w.c.fd, calls[call].request, &same));
		undo(&self->w, call, &same);
		prepare(&self->w, call, &args);
		memset(args.bytes + known, 0, LONGER);
		EXPECT_EQ(0, vsm_ioctl(self->w.c.fd, SIZED(calls[call].request, known + LONGER),
				       &args))
			TH_LOG("%s", calls[call].name);
		undo(&self->w, call, &args);
		EXPECT_TRUE(all(args.bytes + known, LONGER, 0));
		EXPECT_TRUE(all(args.bytes + known + LONGER, sizeof(args) - known - LONGER, FILL));
		if (call == EXEC)
			EXPECT_EQ(before - 2, pending(&self->w));
	}
}

TEST_F(sizes, a_longer_argument_with_unknown_requests_is_refused)
{
	union args args, before;
	uint32_t arrivals;
	size_t at;
	int call;

	for (call = 0; call < CALLS; call++) {
		size_t known = _IOC_SIZE(calls[call].request);

		prepare(&self->w, call, &before);
		memset(before.bytes + known, 0, LONGER);
		arrivals = pending(&self->w);
		for (at = known; at < known + LONGER; at++) {
			args = before;
			args.bytes[at] = 1;
			EXPECT_EQ(-EINVAL, vsm_ioctl(self->w.c.fd,
						     SIZED(calls[call].request, known + LONGER),
						     &args))
				TH_LOG("%s, byte %zu", calls[call].name, at);
			args.bytes[at] = 0;
			EXPECT_EQ(0, memcmp(&args, &before, sizeof(args)));
		}
		EXPECT_EQ(arrivals, pending(&self->w));
	}
	/* The refused CHANNEL_DESTROY has not destroyed the channel. */
	EXPECT_EQ(0, channel_destroy(self->w.c.fd, self->w.channel));
}

TEST_F(sizes, a_longer_argument_that_cannot_be_read_is_efault)
{
	unsigned char *pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
				    -1, 0);
	union args args;
	int call;

	ASSERT_NE(MAP_FAILED, pages);
	ASSERT_EQ(0, munmap(pages + 4096, 4096));
	for (call = 0; call < CALLS; call++) {
		size_t known = _IOC_SIZE(calls[call].request);

		prepare(&self->w, call, &args);
		memcpy(pages + 4096 - known, &args, known);
		EXPECT_EQ(-EFAULT, vsm_ioctl(self->w.c.fd, SIZED(calls[call].request, known + 8),
					     pages + 4096 - known));
	}
	munmap(pages, 4096);
}

TEST_F(sizes, a_shorter_argument_counts_as_filled_up_with_zeros)
{
	union args args;
	size_t size;
	int call;

	for (call = 0; call < CALLS; call++) {
		size_t known = _IOC_SIZE(calls[call].request);

		for (size = calls[call].least; size < known; size += 4) {
			prepare(&self->w, call, &args);
			memset(args.bytes + size, FILL, known - size);
			EXPECT_EQ(0, vsm_ioctl(self->w.c.fd, SIZED(calls[call].request, size),
					       &args))
				TH_LOG("%s of %zu bytes", calls[call].name, size);
			EXPECT_TRUE(all(args.bytes + size, sizeof(args) - size, FILL))
				TH_LOG("%s of %zu bytes", calls[call].name, size);
			if (call == EXEC)
				EXPECT_EQ(1, args.exec.retired);
			undo(&self->w, call, &args);
		}
	}
}

/* Each element is followed by data of the program, which the driver must not change. */
TEST_F(sizes, bytes_beyond_the_known_elements_of_a_job_are_left_alone)
{
	static const uint32_t strides[] = { 64, 72, 256, 1024 };
	static const uint32_t sync_strides[] = { 16, 24, 128, 512 };
	static unsigned char insns[4 * 1024], syncs[2 * 512], copy[4 * 1024];
	struct drm_vsm_submit args;
	uint32_t i, n, before;
	uint64_t point;

	for (i = 0; i < ITEMS(strides); i++) {
		memset(insns, FILL, sizeof(insns));
		memset(syncs, FILL, sizeof(syncs));
		for (n = 0; n < 4; n++)
			*(struct drm_vsm_insn *)(insns + n * strides[i]) = i_sink(i_arrive(A));
		for (n = 0; n < 2; n++)
			*(struct drm_vsm_sync *)(syncs + n * sync_strides[i]) =
				sync_signal(self->w.syncobj, 2 * i + n + 1);
		memcpy(copy, insns, sizeof(copy));
		args = submit_args(&self->w.c, (struct drm_vsm_insn *)insns, 4);
		args.stride = strides[i];
		args.syncs = (uintptr_t)syncs;
		args.sync_stride = sync_strides[i];
		args.sync_count = 2;
		before = pending(&self->w);
		ASSERT_EQ(0, vsm_submit(self->w.c.fd, &args));
		point = 2 * i + 2;
		EXPECT_EQ(0, drmSyncobjTimelineWait(self->w.c.fd, &self->w.syncobj, &point, 1,
						    now_ns() + AMPLE, 0, NULL));
		EXPECT_EQ(before - 4, pending(&self->w));
		EXPECT_EQ(0, memcmp(insns, copy, sizeof(copy)));

		/*
		 * The second instruction is refused. The driver writes only the outputs of this
		 * instruction.
		 */
		*(struct drm_vsm_insn *)(insns + strides[i]) = i_sink(i_arrive(A + 4));
		memcpy(copy, insns, sizeof(copy));
		args.sync_count = 0;
		EXPECT_EQ(-EPROTO, vsm_submit(self->w.c.fd, &args));
		EXPECT_EQ(1, args.refused);
		EXPECT_EQ(DRM_VSM_FAULT_MISALIGNED,
			  ((struct drm_vsm_insn *)(insns + strides[i]))->fault);
		memset(insns + strides[i] + 48, 0, 16);
		memset(copy + strides[i] + 48, 0, 16);
		EXPECT_EQ(0, memcmp(insns, copy, sizeof(copy)));
		fault_drain(self->w.c.fd);
	}
}

#ifdef __x86_64__
/* Calls ioctl() as a 32-bit program does. @arg is below 4 GiB. */
static int ioctl_32(int fd, uint32_t request, void *arg)
{
	long ret;

	asm volatile("int $0x80" : "=a" (ret) :
		     "a" (54), "b" ((long)fd), "c" ((long)request), "d" (arg) :
		     "r8", "r9", "r10", "r11", "memory");
	return ret;
}

static void no_32_bit_calls(int signum)
{
	_exit(1);
}

/*
 * Returns whether the kernel has the 32-bit ABI. Without this ABI, the child gets SIGSEGV. It
 * handles the signal, because the kernel would log it otherwise.
 */
static bool has_32_bit_calls(void)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		signal(SIGSEGV, no_32_bit_calls);
		ioctl_32(-1, 0, NULL);
		_exit(0);
	}
	return pid > 0 && waitpid(pid, &status, 0) == pid && !status;
}

TEST_F(sizes, programs_of_32_bits_are_served_alike)
{
	struct world *w = mmap(NULL, 8192, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	union args *args = (union args *)((char *)w + 4096);
	struct drm_vsm_device_info info = vsm_info(self->w.c.fd);
	int call;

	ASSERT_NE(MAP_FAILED, w);
	if (!has_32_bit_calls())
		SKIP(return, "the kernel has no 32-bit calls");
	memset(args, FILL, 4096);
	ASSERT_EQ(0, ioctl_32(self->w.c.fd, DRM_IOCTL_VSM_DEVICE_INFO, args));
	EXPECT_EQ(0, memcmp(args, &info, sizeof(info)));
	EXPECT_TRUE(all(args->bytes + sizeof(info), 4096 - sizeof(info), FILL));

	/* The instruction and the wait to which arguments point must also lie below 4 GiB. */
	*w = self->w;
	for (call = 0; call < CALLS; call++) {
		uint32_t request = calls[call].request;
		size_t known = _IOC_SIZE(request);

		prepare(w, call, args);
		EXPECT_EQ(0, ioctl_32(w->c.fd, request, args))
			TH_LOG("%s", calls[call].name);
		undo(w, call, args);
		prepare(w, call, args);
		memset(args->bytes + known, 0, LONGER);
		EXPECT_EQ(0, ioctl_32(w->c.fd, SIZED(request, known + LONGER), args));
		undo(w, call, args);
		prepare(w, call, args);
		EXPECT_EQ(-EINVAL, ioctl_32(w->c.fd, SIZED(request, known + LONGER), args))
			TH_LOG("%s", calls[call].name);
	}
	self->w.channel = w->channel;
	munmap(w, 8192);
}
#endif

TEST_HARNESS_MAIN
