// SPDX-License-Identifier: GPL-2.0-only
/*
 * Clusters, buffers and the device: creation, limits, mappings, sharing, and
 * ioctls of programs older and newer than the driver.
 */
#include <sys/socket.h>

#include "vsm_test.h"

#define A AT(0, 0x40)
#define PAGE 4096

FIXTURE(object) { int fd; };

FIXTURE_SETUP(object)
{
	self->fd = vsm_open();
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(object)
{
	close(self->fd);
}

TEST_F(object, device_info_tells_version_features_and_limits)
{
#define VSM_FEATURE(NAME, name) | DRM_VSM_FEATURE_##NAME
	static const uint64_t all = 0
#include <drm/vsm_features.h>
	;
	struct drm_vsm_device_info info = vsm_info(self->fd);
	drmVersionPtr version = drmGetVersion(self->fd);

	EXPECT_EQ(DRM_VSM_ABI_MAJOR, info.abi_major);
	EXPECT_EQ(DRM_VSM_ABI_MINOR, info.abi_minor);
	EXPECT_EQ(all, info.features);
	EXPECT_EQ(16, info.max_ctas);
	EXPECT_EQ(1024, info.max_threads);
	EXPECT_EQ(227 * 1024, info.max_smem);
	EXPECT_LT(0, info.max_exec);
	EXPECT_LT(0, info.max_submit);
	EXPECT_LT(0, info.max_syncs);
	EXPECT_LT(0, info.client_clusters);
	EXPECT_LE(100000, info.client_waits);
	EXPECT_LT(0, info.client_jobs);
	EXPECT_EQ(0, info.index);
	EXPECT_LT(0, info.client_bytes);
	EXPECT_LE(info.client_bytes, info.device_bytes);
	EXPECT_LT(0, info.try_wait_limit_ns);
	EXPECT_LT(1, info.max_channels);
	EXPECT_EQ(0, info.pad);
	ASSERT_NE(NULL, version);
	EXPECT_STREQ("vsm", version->name);
	EXPECT_EQ(DRM_VSM_ABI_MAJOR, version->version_major);
	EXPECT_EQ(DRM_VSM_ABI_MINOR, version->version_minor);
	drmFreeVersion(version);
}

TEST_F(object, impossible_clusters_are_refused)
{
	static const struct drm_vsm_cluster_create bad[] = {
		{ .ctas = 0, .threads = 1, .smem_bytes = 16 },
		{ .ctas = 17, .threads = 1, .smem_bytes = 16 },
		{ .ctas = 0xffffffff, .threads = 1, .smem_bytes = 16 },
		{ .ctas = 1, .threads = 0, .smem_bytes = 16 },
		{ .ctas = 1, .threads = 1025, .smem_bytes = 16 },
		{ .ctas = 1, .threads = 1, .smem_bytes = 0 },
		{ .ctas = 1, .threads = 1, .smem_bytes = 8 },
		{ .ctas = 1, .threads = 1, .smem_bytes = 24 },
		{ .ctas = 1, .threads = 1, .smem_bytes = 227 * 1024 + 16 },
		{ .ctas = 1, .threads = 1, .smem_bytes = 0xfffffff0 },
		{ .ctas = 1, .threads = 1, .smem_bytes = 16, .layout = 2 },
		{ .ctas = 1, .threads = 1, .smem_bytes = 16, .layout = 0x80000000 },
		{ .ctas = 1, .threads = 1, .smem_bytes = 16, .policy = 2 },
		{ .ctas = 1, .threads = 1, .smem_bytes = 16, .flags = 1 },
		{ .ctas = 1, .threads = 1, .smem_bytes = 16, .flags = 1U << 31 },
		{ .ctas = 1, .threads = 1, .smem_bytes = 16, .report = 1 },
		{ .ctas = 1, .threads = 1, .smem_bytes = 16, .report = 1ULL << 63 },
		{ .ctas = 1, .threads = 1, .smem_bytes = 16,
		  .report = DRM_VSM_RULE(DRM_VSM_FAULT_DEADLOCK) },
		{ .ctas = 1, .threads = 1, .smem_bytes = 16, .enforce = 1 },
		{ .ctas = 1, .threads = 1, .smem_bytes = 16, .enforce = 1ULL << 63 },
		{ .ctas = 1, .threads = 1, .smem_bytes = 16,
		  .enforce = DRM_VSM_RULE(DRM_VSM_FAULT_MISALIGNED) },
	};
	size_t i;

	for (i = 0; i < ITEMS(bad); i++) {
		struct drm_vsm_cluster_create args = bad[i];
		struct cluster c;

		EXPECT_EQ(-EINVAL, cluster_create_args(&c, self->fd, &args)) TH_LOG("%zu", i);
		EXPECT_EQ(POISON32, args.handle);
	}
}

TEST_F(object, clusters_of_all_shapes_are_mapped_and_zeroed)
{
	static const struct drm_vsm_cluster_create shapes[] = {
		{ .ctas = 1, .threads = 1, .smem_bytes = 16 },
		{ .ctas = 16, .threads = 1024, .smem_bytes = 227 * 1024 },
		{ .ctas = 3, .threads = 33, .smem_bytes = 4096 },
		{ .ctas = 5, .threads = 32, .smem_bytes = 4112, .layout = VSM_LAYOUT_SM_80 },
		{ .ctas = 2, .threads = 7, .smem_bytes = 48, .policy = DRM_VSM_POLICY_HARDWARE },
		{ .ctas = 1, .threads = 1, .smem_bytes = 16,
		  .enforce = DRM_VSM_RULE(DRM_VSM_FAULT_PHASE_UNOBSERVED) },
		{ .ctas = 1, .threads = 1, .smem_bytes = 16, .policy = DRM_VSM_POLICY_HARDWARE,
		  .enforce = DRM_VSM_RULE(DRM_VSM_FAULT_SHFL_SOURCE) },
	};
	size_t i;

	for (i = 0; i < ITEMS(shapes); i++) {
		struct drm_vsm_cluster_create args = shapes[i];
		struct drm_vsm_object_info info;
		struct cluster c;
		uint32_t rank;
		uint64_t j;

		ASSERT_EQ(0, cluster_create_args(&c, self->fd, &args));
		EXPECT_LE(args.smem_bytes, c.stride);
		EXPECT_EQ(0, c.stride % 16);
		EXPECT_LE((uint64_t)c.stride * (args.ctas - 1) + args.smem_bytes, c.size);
		EXPECT_EQ(0, args.mmap_offset % PAGE);
		for (j = 0; j < c.size; j += 8)
			ASSERT_EQ(0, *(uint64_t *)(c.map + j));

		/* The windows are one stride apart, and the last word of each is usable. */
		for (rank = 0; rank < args.ctas; rank++) {
			uint32_t last = AT(rank, args.smem_bytes - 8);

			ASSERT_EQ(0, exec_at(&c, rank, i_init(last, rank + 1), NULL));
			EXPECT_EQ(vsm_mbarrier_init(args.layout, rank + 1),
				  *(uint64_t *)(c.map + (uint64_t)rank * c.stride +
						args.smem_bytes - 8));
		}

		memset(&info, 0xa5, sizeof(info));
		info.handle = c.handle;
		ASSERT_EQ(0, vsm_ioctl(self->fd, DRM_IOCTL_VSM_OBJECT_INFO, &info));
		EXPECT_EQ(DRM_VSM_OBJECT_CLUSTER, info.kind);
		EXPECT_EQ(c.handle, info.handle);
		EXPECT_EQ(c.size, info.size);
		EXPECT_EQ(args.mmap_offset, info.mmap_offset);
		EXPECT_EQ(args.ctas, info.ctas);
		EXPECT_EQ(args.threads, info.threads);
		EXPECT_EQ(args.smem_bytes, info.smem_bytes);
		EXPECT_EQ(c.stride, info.window_stride);
		EXPECT_EQ(args.layout, info.layout);
		EXPECT_EQ(args.policy, info.policy);
		EXPECT_EQ(args.report, info.report);
		EXPECT_EQ(args.enforce, info.enforce);
		EXPECT_NE(0, info.number);
		EXPECT_NE(0, info.client);
		EXPECT_EQ(0, cluster_destroy(&c));
	}
}

TEST_F(object, clusters_and_clients_have_numbers_of_their_own)
{
	struct drm_vsm_object_info info[3], shared;
	int other = vsm_open();
	struct cluster c[3], d;
	size_t i;

	ASSERT_LE(0, other);
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(0, cluster_create(&c[i], i == 2 ? other : self->fd,
					    VSM_LAYOUT_SM_90, DRM_VSM_POLICY_STRICT));
		info[i] = (struct drm_vsm_object_info){ .handle = c[i].handle };
		ASSERT_EQ(0, vsm_ioctl(c[i].fd, DRM_IOCTL_VSM_OBJECT_INFO, &info[i]));
	}
	EXPECT_NE(info[0].number, info[1].number);
	EXPECT_NE(info[0].number, info[2].number);
	EXPECT_NE(info[1].number, info[2].number);
	EXPECT_EQ(info[0].client, info[1].client);
	EXPECT_NE(info[0].client, info[2].client);

	/* Both numbers are those of the creator for everybody who has a handle. */
	ASSERT_EQ(0, cluster_share(&d, other, &c[0]));
	shared = (struct drm_vsm_object_info){ .handle = d.handle };
	ASSERT_EQ(0, vsm_ioctl(other, DRM_IOCTL_VSM_OBJECT_INFO, &shared));
	EXPECT_EQ(info[0].number, shared.number);
	EXPECT_EQ(info[0].client, shared.client);

	/* A number is not used again at once. */
	EXPECT_EQ(0, cluster_destroy(&c[1]));
	ASSERT_EQ(0, cluster_create(&c[1], self->fd, VSM_LAYOUT_SM_90,
				    DRM_VSM_POLICY_STRICT));
	shared = (struct drm_vsm_object_info){ .handle = c[1].handle };
	ASSERT_EQ(0, vsm_ioctl(self->fd, DRM_IOCTL_VSM_OBJECT_INFO, &shared));
	for (i = 0; i < 3; i++)
		EXPECT_NE(info[i].number, shared.number);
	EXPECT_EQ(0, cluster_destroy(&d));
	EXPECT_EQ(0, cluster_destroy(&c[2]));
	close(other);
}

/*
 * A program written for ABI 0.4 knows only the first 48 bytes of drm_vsm_cluster_create and of
 * drm_vsm_object_info.
 */
TEST_F(object, a_program_that_knows_no_rules_gets_none)
{
	union {
		struct drm_vsm_cluster_create create;
		struct drm_vsm_object_info info;
		char old[48];
	} args;

	memset(&args, 0xff, sizeof(args));
	memset(args.old, 0, sizeof(args.old));
	args.create.ctas = 1;
	args.create.threads = 1;
	args.create.smem_bytes = 16;
	ASSERT_EQ(0, vsm_ioctl(self->fd, DRM_IOWR(DRM_COMMAND_BASE + DRM_VSM_CLUSTER_CREATE,
						  args.old), &args));
	EXPECT_NE(0, args.create.handle);
	EXPECT_EQ(PAGE, args.create.size);
	/* The driver neither reads nor writes the bytes after the first 48. */
	EXPECT_EQ(~0ULL, args.create.report & args.create.enforce);
	args.info.handle = args.create.handle;
	ASSERT_EQ(0, vsm_ioctl(self->fd, DRM_IOWR(DRM_COMMAND_BASE + DRM_VSM_OBJECT_INFO, args.old),
			       &args));
	EXPECT_EQ(PAGE, args.info.size);
	EXPECT_EQ(16, args.info.smem_bytes);
	EXPECT_EQ(~0ULL, args.info.report & args.info.enforce);
	ASSERT_EQ(0, vsm_ioctl(self->fd, DRM_IOCTL_VSM_OBJECT_INFO, &args));
	EXPECT_EQ(0, args.info.report | args.info.enforce);
	EXPECT_EQ(0, gem_close(self->fd, args.info.handle));
}

TEST_F(object, buffers_are_whole_pages_mapped_and_zeroed)
{
	static const uint64_t sizes[] = { 1, 16, 4095, 4096, 4097, 1 << 20 };
	size_t i;

	for (i = 0; i < ITEMS(sizes); i++) {
		struct drm_vsm_object_info info;
		struct buffer b;
		uint64_t j;

		ASSERT_EQ(0, buffer_create(&b, self->fd, sizes[i]));
		EXPECT_EQ((sizes[i] + PAGE - 1) / PAGE * PAGE, b.size);
		for (j = 0; j < b.size; j += 8)
			ASSERT_EQ(0, *(uint64_t *)(b.map + j));
		memset(&info, 0xa5, sizeof(info));
		info.handle = b.handle;
		ASSERT_EQ(0, vsm_ioctl(self->fd, DRM_IOCTL_VSM_OBJECT_INFO, &info));
		EXPECT_EQ(DRM_VSM_OBJECT_BUFFER, info.kind);
		EXPECT_EQ(b.size, info.size);
		EXPECT_EQ(0, info.ctas | info.threads | info.smem_bytes | info.window_stride |
			     info.layout | info.policy | info.report | info.enforce |
			     info.number);
		EXPECT_NE(0, info.client);
		EXPECT_EQ(0, gem_close(self->fd, b.handle));
		/* A mapping stays valid after its handle is closed. */
		b.map[b.size - 1] = 1;
		munmap(b.map, b.size);
	}
}

TEST_F(object, impossible_buffers_are_refused)
{
	struct drm_vsm_buffer_create args = { .size = 0 };
	struct drm_vsm_object_info info = { .handle = 0 };

	EXPECT_EQ(-EINVAL, vsm_ioctl(self->fd, DRM_IOCTL_VSM_BUFFER_CREATE, &args));
	args = (struct drm_vsm_buffer_create){ .size = PAGE, .flags = 1 };
	EXPECT_EQ(-EINVAL, vsm_ioctl(self->fd, DRM_IOCTL_VSM_BUFFER_CREATE, &args));
	args = (struct drm_vsm_buffer_create){ .size = ~0ULL };
	EXPECT_EQ(-ENOSPC, vsm_ioctl(self->fd, DRM_IOCTL_VSM_BUFFER_CREATE, &args));
	args = (struct drm_vsm_buffer_create){ .size = 1ULL << 63 };
	EXPECT_EQ(-ENOSPC, vsm_ioctl(self->fd, DRM_IOCTL_VSM_BUFFER_CREATE, &args));
	EXPECT_EQ(-ENOENT, vsm_ioctl(self->fd, DRM_IOCTL_VSM_OBJECT_INFO, &info));
	info.handle = 0xffffffff;
	EXPECT_EQ(-ENOENT, vsm_ioctl(self->fd, DRM_IOCTL_VSM_OBJECT_INFO, &info));
}

TEST_F(object, unknown_ioctls_are_einval)
{
	char args[64] = "";
	unsigned int nr;

	for (nr = DRM_VSM_HOLD_RELEASE + 1; nr < 0x60; nr++)
		EXPECT_EQ(-EINVAL,
			  vsm_ioctl(self->fd, DRM_IOWR(DRM_COMMAND_BASE + nr, args), args));
}

TEST_F(object, a_mapping_is_its_file_s_and_no_larger_than_the_object)
{
	struct drm_vsm_buffer_create args = { .size = 2 * PAGE };
	int other = vsm_open(), readonly;
	char path[64];
	void *map;

	ASSERT_EQ(0, vsm_ioctl(self->fd, DRM_IOCTL_VSM_BUFFER_CREATE, &args));
	EXPECT_EQ(MAP_FAILED, mmap(NULL, PAGE, PROT_READ, MAP_SHARED, other, args.mmap_offset));
	EXPECT_EQ(EACCES, errno);
	EXPECT_EQ(MAP_FAILED, mmap(NULL, 3 * PAGE, PROT_READ, MAP_SHARED, self->fd,
				   args.mmap_offset));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(MAP_FAILED, mmap(NULL, PAGE, PROT_READ, MAP_SHARED, self->fd, 0));
	map = mmap(NULL, 2 * PAGE, PROT_READ, MAP_SHARED, self->fd, args.mmap_offset);
	EXPECT_NE(MAP_FAILED, map);
	munmap(map, 2 * PAGE);

	/* A file that is open only for reading cannot be mapped for writing. */
	snprintf(path, sizeof(path), "/proc/self/fd/%d", self->fd);
	readonly = open(path, O_RDONLY | O_CLOEXEC);
	ASSERT_LE(0, readonly);
	ASSERT_EQ(0, vsm_ioctl(readonly, DRM_IOCTL_VSM_BUFFER_CREATE, &args));
	EXPECT_EQ(MAP_FAILED, mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, readonly,
				   args.mmap_offset));
	EXPECT_EQ(EACCES, errno);
	close(readonly);
	close(other);
}

TEST_F(object, a_closed_handle_names_nothing)
{
	struct cluster c;
	struct drm_vsm_insn insn = i_init(A, 1);

	ASSERT_EQ(0, cluster_create(&c, self->fd, 0, 0));
	ASSERT_EQ(0, cluster_destroy(&c));
	EXPECT_EQ(-ENOENT, exec_one(&c, insn));
	EXPECT_EQ(-EINVAL, gem_close(self->fd, c.handle));
}

/* --- sharing objects ------------------------------------------------------ */

TEST_F(object, a_cluster_is_one_object_for_two_files)
{
	struct cluster first, second;
	struct drm_vsm_object_info info;
	uint64_t token;

	ASSERT_EQ(0, cluster_create(&first, self->fd, 0, 0));
	ASSERT_EQ(0, cluster_share(&second, vsm_open(), &first));
	info = (struct drm_vsm_object_info){ .handle = second.handle };
	ASSERT_EQ(0, vsm_ioctl(second.fd, DRM_IOCTL_VSM_OBJECT_INFO, &info));
	EXPECT_EQ(DRM_VSM_OBJECT_CLUSTER, info.kind);
	EXPECT_EQ(4, info.ctas);
	EXPECT_EQ(64, info.threads);
	EXPECT_EQ(4096, info.smem_bytes);

	ASSERT_EQ(0, exec_one(&first, i_init(A, 1)));
	ASSERT_EQ(0, exec_at(&second, 0, i_arrive(A), &token));
	EXPECT_EQ(1, exec_result(&first, i_test_wait(A, token)));
	EXPECT_EQ(word(&first, A), word(&second, A));

	/* The cluster outlives the file that created it and was charged for it. */
	ASSERT_EQ(0, cluster_destroy(&first));
	close(self->fd);
	self->fd = second.fd;
	EXPECT_EQ(0, exec_one(&second, i_arrive(A)));
	EXPECT_EQ(0, cluster_destroy(&second));
}

TEST_F(object, an_object_imported_twice_has_one_handle)
{
	struct cluster c;
	uint32_t handle;
	int dmabuf;

	ASSERT_EQ(0, cluster_create(&c, self->fd, 0, 0));
	ASSERT_EQ(0, drmPrimeHandleToFD(c.fd, c.handle, DRM_CLOEXEC | DRM_RDWR, &dmabuf));
	ASSERT_EQ(0, drmPrimeFDToHandle(self->fd, dmabuf, &handle));
	EXPECT_EQ(c.handle, handle);
	close(dmabuf);
	EXPECT_EQ(0, cluster_destroy(&c));
}

TEST_F(object, an_exported_buffer_can_be_mapped_as_a_dma_buf)
{
	struct buffer b;
	unsigned char *map;
	int dmabuf;

	ASSERT_EQ(0, buffer_create(&b, self->fd, 2 * PAGE));
	ASSERT_EQ(0, drmPrimeHandleToFD(self->fd, b.handle, DRM_CLOEXEC | DRM_RDWR, &dmabuf));
	map = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, dmabuf, 0);
	ASSERT_NE(MAP_FAILED, map);
	b.map[PAGE + 5] = 77;
	EXPECT_EQ(77, map[PAGE + 5]);
	map[3] = 78;
	EXPECT_EQ(78, b.map[3]);
	/* Both mappings and the buffer outlive the file and the handle. */
	close(dmabuf);
	EXPECT_EQ(0, gem_close(self->fd, b.handle));
	map[PAGE + 5] = 79;
	EXPECT_EQ(79, b.map[PAGE + 5]);
}

static int send_fd(int socket, int fd)
{
	char control[CMSG_SPACE(sizeof(int))] = "", byte = 0;
	struct iovec iov = { &byte, 1 };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1, .msg_control = control,
		.msg_controllen = sizeof(control),
	};
	struct cmsghdr *cmsg = CMSG_FIRSTHDR(&msg);

	cmsg->cmsg_level = SOL_SOCKET;
	cmsg->cmsg_type = SCM_RIGHTS;
	cmsg->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(cmsg), &fd, sizeof(int));
	return sendmsg(socket, &msg, 0) == 1 ? 0 : -errno;
}

static int receive_fd(int socket)
{
	char control[CMSG_SPACE(sizeof(int))], byte;
	struct iovec iov = { &byte, 1 };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1, .msg_control = control,
		.msg_controllen = sizeof(control),
	};
	int fd = -1;

	if (recvmsg(socket, &msg, 0) == 1 && CMSG_FIRSTHDR(&msg))
		memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&msg)), sizeof(int));
	return fd;
}

/*
 * Runs in a child process. Opens the device, receives the cluster as a dma-buf and arrives on its
 * mbarrier.
 */
static int arrive_elsewhere(int socket)
{
	int fd = vsm_open(), dmabuf = receive_fd(socket);
	struct cluster c = { .fd = fd };
	char byte;

	if (drmPrimeFDToHandle(fd, dmabuf, &c.handle) || read(socket, &byte, 1) != 1)
		return 1;
	return exec_one(&c, i_arrive(A)) ? 2 : 0;
}

TEST_F(object, one_process_waits_for_another_s_arrival)
{
	struct drm_vsm_insn wait = i_try_parity(A, 0, LONG_HINT);
	int dmabuf, status, sockets[2];
	struct exec_thread t;
	struct cluster c;
	pid_t pid;

	ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets));
	pid = fork_child();
	if (!pid)
		_exit(arrive_elsewhere(sockets[1]));
	ASSERT_EQ(0, cluster_create(&c, self->fd, 0, 0));
	ASSERT_EQ(0, exec_one(&c, i_init(A, 1)));
	ASSERT_EQ(0, drmPrimeHandleToFD(c.fd, c.handle, DRM_CLOEXEC | DRM_RDWR, &dmabuf));
	ASSERT_EQ(0, send_fd(sockets[0], dmabuf));
	ASSERT_TRUE(suspend_as(&t, &c, 0, 0, 0, &wait, 1));
	EXPECT_FALSE(atomic_load(&t.done));
	ASSERT_EQ(1, write(sockets[0], "", 1));
	EXPECT_EQ(0, exec_thread_join(&t));
	EXPECT_EQ(1, wait.result);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_TRUE(WIFEXITED(status) && !WEXITSTATUS(status));
	close(dmabuf);
	EXPECT_EQ(0, cluster_destroy(&c));
}

/* --- limits of clusters and memory ---------------------------------------- */

TEST_F(object, clusters_are_limited_per_client_and_free_again_once_closed)
{
	uint32_t i, limit = vsm_info(self->fd).client_clusters;
	struct drm_vsm_cluster_create args = { .ctas = 1, .threads = 1, .smem_bytes = 16 };
	uint32_t *handles = calloc(limit, sizeof(uint32_t));
	int other = vsm_open();
	struct buffer b;

	for (i = 0; i < limit; i++) {
		ASSERT_EQ(0, vsm_ioctl(self->fd, DRM_IOCTL_VSM_CLUSTER_CREATE, &args));
		handles[i] = args.handle;
	}
	EXPECT_EQ(-ENOSPC, vsm_ioctl(self->fd, DRM_IOCTL_VSM_CLUSTER_CREATE, &args));
	EXPECT_EQ(0, vsm_ioctl(other, DRM_IOCTL_VSM_CLUSTER_CREATE, &args));
	EXPECT_EQ(0, buffer_create(&b, self->fd, PAGE));
	EXPECT_EQ(0, gem_close(self->fd, handles[limit / 2]));
	EXPECT_EQ(0, vsm_ioctl(self->fd, DRM_IOCTL_VSM_CLUSTER_CREATE, &args));
	EXPECT_EQ(-ENOSPC, vsm_ioctl(self->fd, DRM_IOCTL_VSM_CLUSTER_CREATE, &args));
	close(other);
	free(handles);
}

TEST_F(object, bytes_are_limited_and_free_again_once_closed)
{
	struct drm_vsm_device_info info = vsm_info(self->fd);
	struct drm_vsm_buffer_create args = { .size = info.client_bytes / 2 & ~(PAGE - 1ULL) };
	uint64_t half = args.size;
	struct cluster c;
	uint32_t handle;
	int other;

	/* The test touches no page. The two buffers therefore use no real memory. */
	ASSERT_EQ(0, vsm_ioctl(self->fd, DRM_IOCTL_VSM_BUFFER_CREATE, &args));
	handle = args.handle;
	ASSERT_EQ(0, vsm_ioctl(self->fd, DRM_IOCTL_VSM_BUFFER_CREATE, &args));
	args.size = 2 * PAGE;
	EXPECT_EQ(-ENOSPC, vsm_ioctl(self->fd, DRM_IOCTL_VSM_BUFFER_CREATE, &args));
	EXPECT_EQ(-ENOSPC, cluster_create(&c, self->fd, 0, 0));
	args.size = info.client_bytes + PAGE;
	EXPECT_EQ(-ENOSPC, vsm_ioctl(self->fd, DRM_IOCTL_VSM_BUFFER_CREATE, &args));

	EXPECT_EQ(0, gem_close(self->fd, handle));
	ASSERT_EQ(0, cluster_create(&c, self->fd, 0, 0));
	EXPECT_EQ(0, cluster_destroy(&c));
	/* Closing a file frees all that was charged to it. */
	close(self->fd);
	other = vsm_open();
	args.size = half;
	EXPECT_EQ(0, vsm_ioctl(other, DRM_IOCTL_VSM_BUFFER_CREATE, &args));
	EXPECT_EQ(0, vsm_ioctl(other, DRM_IOCTL_VSM_BUFFER_CREATE, &args));
	self->fd = other;
}

/*
 * The driver's own state of each mbarrier is also charged. It is allocated for a row of mbarriers
 * at a time.
 */
TEST_F(object, objects_are_charged_to_the_client_of_their_cluster)
{
	struct drm_vsm_buffer_create args = { .size = 0 };
	struct cluster c, again;
	int i, ret = 0, other;

	ASSERT_EQ(0, cluster_create(&c, self->fd, 0, 0));
	/*
	 * Use all bytes except one page. This page has the state that the cluster allocated at its
	 * creation.
	 */
	args.size = (vsm_info(self->fd).client_bytes - c.size - PAGE) & ~(PAGE - 1ULL);
	ASSERT_EQ(0, vsm_ioctl(self->fd, DRM_IOCTL_VSM_BUFFER_CREATE, &args));
	for (i = 0; !ret && i < 512; i++)
		ret = exec_one(&c, i_init(8 * i, 1));
	EXPECT_EQ(-ENOSPC, ret);
	EXPECT_EQ(0, word(&c, 8 * (i - 1)));
	/* Another client that executes the init also gets this error. */
	other = vsm_open();
	ASSERT_EQ(0, cluster_share(&again, other, &c));
	EXPECT_EQ(-ENOSPC, exec_one(&again, i_init(8 * (i - 1), 1)));

	ASSERT_EQ(0, gem_close(self->fd, args.handle));
	for (; i <= 512; i++)
		ASSERT_EQ(0, exec_one(&again, i_init(8 * (i - 1), 1)));
	/* Destroying the cluster frees all that was charged for it. */
	ASSERT_EQ(-ENOSPC, vsm_ioctl(self->fd, DRM_IOCTL_VSM_BUFFER_CREATE, &args));
	ASSERT_EQ(0, cluster_destroy(&again));
	ASSERT_EQ(0, cluster_destroy(&c));
	args.size = vsm_info(self->fd).client_bytes & ~(PAGE - 1ULL);
	EXPECT_EQ(0, vsm_ioctl(self->fd, DRM_IOCTL_VSM_BUFFER_CREATE, &args));
	close(other);
}

/* The state of a fence is also charged. A fence that gets no memory changes nothing. */
TEST_F(object, a_fence_is_charged_to_the_client_of_the_cluster)
{
	struct drm_vsm_cluster_create shape = { .ctas = 2, .threads = 1024, .smem_bytes = 4096 };
	struct drm_vsm_buffer_create args = { .size = 0 };
	uint32_t handles[32] = { 0 };
	struct cluster c;
	int i, ret = 0;

	ASSERT_EQ(0, cluster_create_args(&c, self->fd, &shape));
	ASSERT_EQ(0, exec_one(&c, i_init(0, 1)));
	/* Fill the client's limit until less than a page is left. */
	args.size = (vsm_info(self->fd).client_bytes - c.size - 16 * PAGE) & ~(PAGE - 1ULL);
	for (i = 0; !ret && i < ITEMS(handles); i++) {
		ret = vsm_ioctl(self->fd, DRM_IOCTL_VSM_BUFFER_CREATE, &args);
		handles[i] = args.handle;
		args.size = PAGE;
	}
	ASSERT_EQ(-ENOSPC, ret);
	EXPECT_EQ(-ENOSPC, exec_one(&c, i_fence()));
	EXPECT_FAULT(INIT_NOT_FENCED, exec_fault(&c, 1, i_expect_tx(0, 0), NULL));

	for (i--; i > 0; i--)
		ASSERT_EQ(0, gem_close(self->fd, handles[i - 1]));
	EXPECT_EQ(0, exec_one(&c, i_fence()));
	EXPECT_EQ(0, exec_at(&c, 1, i_expect_tx(0, 0), NULL));
	ASSERT_EQ(0, cluster_destroy(&c));
	args.size = vsm_info(self->fd).client_bytes & ~(PAGE - 1ULL);
	EXPECT_EQ(0, vsm_ioctl(self->fd, DRM_IOCTL_VSM_BUFFER_CREATE, &args));
}

/* --- arguments shorter or longer than the driver's ------------------------ */

#define RESIZED(request, size) _IOC(_IOC_DIR(request), _IOC_TYPE(request), _IOC_NR(request), size)

TEST_F(object, a_newer_program_s_larger_structures_are_taken)
{
	struct { struct drm_vsm_device_info info; uint64_t more[4]; } info;
	struct { struct drm_vsm_cluster_create create; uint64_t more[4]; } create = {
		.create = { .ctas = 1, .threads = 1, .smem_bytes = 16 },
	};
	struct { struct drm_vsm_exec exec; uint64_t more[4]; } exec;
	struct drm_vsm_insn insn = i_init(0, 1);

	memset(&info, 0xa5, sizeof(info));
	ASSERT_EQ(0, vsm_ioctl(self->fd, RESIZED(DRM_IOCTL_VSM_DEVICE_INFO, sizeof(info)), &info));
	EXPECT_EQ(1024, info.info.max_threads);
	/* Fields that the driver does not know are filled with 0. */
	EXPECT_EQ(0, info.more[0]);
	EXPECT_EQ(0, info.more[3]);

	ASSERT_EQ(0, vsm_ioctl(self->fd, RESIZED(DRM_IOCTL_VSM_CLUSTER_CREATE, sizeof(create)),
			       &create));
	exec.exec = (struct drm_vsm_exec){
		.cluster = create.create.handle,
		.insns = (uintptr_t)&insn,
		.stride = 64,
		.count = 1,
	};
	memset(exec.more, 0, sizeof(exec.more));
	EXPECT_EQ(0, vsm_ioctl(self->fd, RESIZED(DRM_IOCTL_VSM_EXEC, sizeof(exec)), &exec));
	EXPECT_EQ(1, exec.exec.retired);
}

TEST_F(object, an_older_program_s_smaller_structures_are_filled_up)
{
	struct drm_vsm_device_info info;
	struct cluster c;
	struct drm_vsm_insn insn = i_init(A, 1);
	struct drm_vsm_exec exec;

	memset(&info, 0xa5, sizeof(info));
	ASSERT_EQ(0, vsm_ioctl(self->fd, RESIZED(DRM_IOCTL_VSM_DEVICE_INFO, 24), &info));
	EXPECT_EQ(16, info.max_ctas);
	EXPECT_EQ(1024, info.max_threads);
	EXPECT_EQ(0xa5a5a5a5, info.max_smem);

	/* The program's structure ends before the deadline. The driver takes 0 for the deadline. */
	ASSERT_EQ(0, cluster_create(&c, self->fd, 0, 0));
	exec = exec_args(&c, &insn, 1);
	exec.deadline = -1;
	EXPECT_EQ(0, vsm_ioctl(self->fd, RESIZED(DRM_IOCTL_VSM_EXEC, 32), &exec));
	EXPECT_EQ(1, exec.retired);
	EXPECT_EQ(-1, exec.deadline);
	EXPECT_EQ(0, cluster_destroy(&c));
}

TEST_F(object, inaccessible_arguments_are_efault)
{
	static const unsigned long requests[] = {
		DRM_IOCTL_VSM_DEVICE_INFO,    DRM_IOCTL_VSM_CLUSTER_CREATE,
		DRM_IOCTL_VSM_BUFFER_CREATE,  DRM_IOCTL_VSM_OBJECT_INFO,
		DRM_IOCTL_VSM_EXEC,	      DRM_IOCTL_VSM_SUBMIT,
		DRM_IOCTL_VSM_WAITSET_CREATE, DRM_IOCTL_VSM_WAITSET_ARM,
		DRM_IOCTL_VSM_WAITSET_CANCEL, DRM_IOCTL_VSM_CLUSTER_HOLD,
		DRM_IOCTL_VSM_HOLD_CREATE,    DRM_IOCTL_VSM_HOLD_RELEASE,
	};
	size_t i;

	for (i = 0; i < ITEMS(requests); i++) {
		EXPECT_EQ(-EFAULT, vsm_ioctl(self->fd, requests[i], NULL));
		EXPECT_EQ(-EFAULT, vsm_ioctl(self->fd, requests[i], (void *)0xffff888000000000));
	}
}

TEST_HARNESS_MAIN
