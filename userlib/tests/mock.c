// SPDX-License-Identifier: MIT
#include "mock.h"

#include <inttypes.h>
#include <linux/sync_file.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>

#define NODE_BYTES 1048576
#define MAP_BYTES 65536

struct mock mock;
struct vsm_device *device;
struct vsm_cluster *cluster;

static char directory[32];

static int fails(int error)
{
	errno = error;
	return -1;
}

static int read_node(int fd, char *driver, uint32_t *index, uint32_t *abi_major)
{
	char text[64] = "";

	if (pread(fd, text, sizeof(text) - 1, 0) <= 0)
		return -1;
	return sscanf(text, "%31s %" SCNu32 " %" SCNu32, driver, index, abi_major) == 3 ? 0 : -1;
}

void mock_node(const char *path, const char *driver, uint32_t index, uint32_t abi_major)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fprintf(file, "%s %u %u\n", driver, index, abi_major);
	fclose(file);
	assert_int_equal(truncate(path, NODE_BYTES), 0);
}

void mock_add_node(int bustype, const char *driver, uint32_t index, uint32_t abi_major)
{
	char *path = mock.nodes[mock.node_count];

	snprintf(path, sizeof(mock.nodes[0]), "%s/node%d", directory, mock.node_count);
	mock_node(path, driver, index, abi_major);
	mock.bustypes[mock.node_count++] = bustype;
}

static int device_info(int fd, struct drm_vsm_device_info *info)
{
	char driver[32];

	assert_int_equal(read_node(fd, driver, &info->index, &info->abi_major), 0);
	info->max_ctas = 16;
	info->features = mock.no_rules ? 0 : DRM_VSM_FEATURE_RULES;
	if (!mock.no_lanes)
		info->features |= DRM_VSM_FEATURE_LANES | DRM_VSM_FEATURE_STATE;
	if (!mock.no_trace)
		info->features |= DRM_VSM_FEATURE_TRACE;
	if (!mock.no_reset)
		info->features |= DRM_VSM_FEATURE_RESET | DRM_VSM_FEATURE_INJECT |
				  DRM_VSM_FEATURE_PRIORITY | DRM_VSM_FEATURE_GROUP;
	return 0;
}

static uint32_t new_handle(uint32_t kind)
{
	uint32_t handle = 1;

	while (mock.handles[handle].kind)
		handle++;
	assert_true(handle < MOCK_HANDLES);
	mock.handles[handle].kind = kind;
	mock.handles[handle].open = 1;
	mock.open_handles++;
	return handle;
}

static int cluster_create(struct drm_vsm_cluster_create *args)
{
	mock.cluster_create = *args;
	args->handle = new_handle(DRM_VSM_OBJECT_CLUSTER);
	args->window_stride = 4096;
	args->size = (uint64_t)args->ctas * args->window_stride;
	args->mmap_offset = (uint64_t)args->handle * MAP_BYTES;
	return 0;
}

static int buffer_create(struct drm_vsm_buffer_create *args)
{
	args->size = (args->size + 4095) & ~4095ULL;
	args->handle = new_handle(DRM_VSM_OBJECT_BUFFER);
	args->mmap_offset = (uint64_t)args->handle * MAP_BYTES;
	return 0;
}

static int object_info(struct drm_vsm_object_info *info)
{
	uint32_t handle = info->handle;

	assert_true(handle < MOCK_HANDLES && mock.handles[handle].open);
	info->kind = mock.handles[handle].kind;
	info->size = 2 * 4096;
	info->mmap_offset = (uint64_t)handle * MAP_BYTES;
	if (info->kind == DRM_VSM_OBJECT_CLUSTER) {
		info->ctas = 2;
		info->threads = 64;
		info->smem_bytes = 1024;
		info->window_stride = 4096;
		info->layout = VSM_LAYOUT_SM_80;
		info->policy = DRM_VSM_POLICY_HARDWARE;
		info->report = DRM_VSM_RULE(DRM_VSM_FAULT_STALE_TOKEN);
		info->enforce = DRM_VSM_RULE(DRM_VSM_FAULT_SHFL_SOURCE);
	}
	return 0;
}

static void *element(uint64_t array, uint32_t stride, uint32_t index)
{
	return (void *)(uintptr_t)(array + (uint64_t)index * stride);
}

static void note_insns(uint64_t insns, uint32_t stride, uint32_t count)
{
	uint32_t i;

	assert_true(stride >= sizeof(struct drm_vsm_insn) && stride % 8 == 0);
	assert_true(count <= MOCK_INSNS);
	memset(mock.insns, 0, sizeof(mock.insns));
	for (i = 0; i < count; i++)
		memcpy(&mock.insns[i], element(insns, stride, i), sizeof(mock.insns[0]));
}

static int exec(struct drm_vsm_exec *args)
{
	struct drm_vsm_insn *insn;
	uint32_t end = mock.retire ? args->retired + mock.retire : args->count;

	if (mock.fault && end == args->count)
		end--;
	mock.exec = *args;
	if (args->flags & DRM_VSM_EXEC_LANES)
		args->suspended = mock.suspended;
	note_insns(args->insns, args->stride, args->count);
	for (; args->retired < end; args->retired++) {
		insn = element(args->insns, args->stride, args->retired);
		insn->result = mock.results[mock.next_result++ % MOCK_INSNS];
	}
	if (!mock.fault)
		return 0;
	insn = element(args->insns, args->stride, args->retired);
	insn->fault = mock.fault;
	insn->result = 0x1234;
	return fails(EPROTO);
}

/* The calls of a batch, until one fails. */
static int exec_batch(struct drm_vsm_exec *args)
{
	int ret = 0;

	mock.batch = *args;
	assert_true(args->stride >= sizeof(*args) && args->stride % 8 == 0);
	while (!ret && args->retired < args->count) {
		ret = exec(element(args->insns, args->stride, args->retired));
		args->retired += !ret;
	}
	return ret;
}

static int submit(struct drm_vsm_submit *args)
{
	struct drm_vsm_insn *insn;
	uint32_t i;

	mock.submit = *args;
	note_insns(args->insns, args->stride, args->count);
	assert_true(!args->sync_count || args->sync_stride >= sizeof(struct drm_vsm_sync));
	assert_true(args->sync_count <= MOCK_INSNS);
	for (i = 0; i < args->sync_count; i++)
		memcpy(&mock.syncs[i], element(args->syncs, args->sync_stride, i),
		       sizeof(mock.syncs[0]));
	if (!mock.fault)
		return 0;
	args->refused = args->count - 1;
	insn = element(args->insns, args->stride, args->refused);
	insn->fault = mock.fault;
	return fails(EPROTO);
}

static int waitset_create(struct drm_vsm_waitset_create *args)
{
	int fds[2];

	mock.waitset_create = *args;
	assert_int_equal(pipe2(fds, O_NONBLOCK | O_CLOEXEC), 0);
	args->fd = fds[0];
	mock.waits = fds[1];
	return 0;
}

static int waitset_arm(struct drm_vsm_waitset_arm *args)
{
	struct drm_vsm_wait *wait;
	uint32_t end = mock.arm_limit ? args->armed + mock.arm_limit : args->count;

	mock.arm = *args;
	assert_true(args->stride >= sizeof(*wait));
	for (; args->armed < end; args->armed++) {
		wait = element(args->waits, args->stride, args->armed);
		wait->id = 100 + args->armed;
	}
	return end < args->count ? fails(ENOSPC) : 0;
}

/* There are 5 events, whose type is 1 plus their number. The first 2 have been overwritten. */
static int trace_read(struct drm_vsm_trace_read *args)
{
	struct drm_vsm_trace_event *event;
	uint32_t i;

	mock.trace = *args;
	args->lost = args->next < 2 ? 2 - args->next : 0;
	args->next += args->lost;
	for (i = 0; i < args->count && args->next < 5; i++) {
		event = element(args->events, args->stride, i);
		event->type = ++args->next;
	}
	args->count = i;
	return 0;
}

static int channel_create(struct drm_vsm_channel_create *args)
{
	mock.channel_create = *args;
	args->channel = MOCK_CHANNEL;
	return 0;
}

/*
 * Like SYNC_IOC_FILE_INFO: without space for the fences, return their number and their common
 * status.
 */
static int sync_file_info(struct sync_file_info *info)
{
	struct sync_fence_info *fences = (struct sync_fence_info *)(uintptr_t)info->sync_fence_info;
	uint32_t count = mock.fences ? mock.fences : 1, i;

	assert_false(info->flags || info->pad);
	info->status = !mock.sync_pending;
	if (info->num_fences) {
		assert_int_equal(info->num_fences, count);
		info->status = mock.sync_status;
		for (i = 0; i < count; i++)
			fences[i].status = mock.sync_status;
	}
	info->num_fences = count;
	return 0;
}

/* Three entries, which differ in their kinds. */
static int cluster_state(struct drm_vsm_cluster_state *args)
{
	uint32_t i;

	mock.state = *args;
	for (i = 0; i < 3 && i < args->count; i++)
		((struct drm_vsm_state_entry *)((char *)(uintptr_t)args->entries +
						i * args->stride))->kind = i + 1;
	args->count = i;
	args->total = 3;
	args->live = 77;
	return 0;
}

int __wrap_drmIoctl(int fd, unsigned long request, void *arg)
{
	mock.calls++;
	if (request == mock.fail_request) {
		if (request == DRM_IOCTL_VSM_SUBMIT)
			((struct drm_vsm_submit *)arg)->refused = mock.refused;
		return fails(mock.fail_errno);
	}
	switch (request) {
	case DRM_IOCTL_VSM_DEVICE_INFO:
		return device_info(fd, arg);
	case DRM_IOCTL_VSM_CLUSTER_CREATE:
		return cluster_create(arg);
	case DRM_IOCTL_VSM_BUFFER_CREATE:
		return buffer_create(arg);
	case DRM_IOCTL_VSM_OBJECT_INFO:
		return object_info(arg);
	case DRM_IOCTL_VSM_EXEC:
		return ((struct drm_vsm_exec *)arg)->flags & DRM_VSM_EXEC_BATCH ? exec_batch(arg)
										 : exec(arg);
	case DRM_IOCTL_VSM_SUBMIT:
		return submit(arg);
	case DRM_IOCTL_VSM_CLUSTER_HOLD:
		mock.hold = *(struct drm_vsm_cluster_hold *)arg;
		return 0;
	case DRM_IOCTL_VSM_CLUSTER_STATE:
		return cluster_state(arg);
	case DRM_IOCTL_VSM_TRACE_READ:
		return trace_read(arg);
	case DRM_IOCTL_VSM_WAITSET_CREATE:
		return waitset_create(arg);
	case DRM_IOCTL_VSM_WAITSET_ARM:
		return waitset_arm(arg);
	case DRM_IOCTL_VSM_WAITSET_CANCEL:
		mock.cancel = *(struct drm_vsm_waitset_cancel *)arg;
		return 0;
	case SYNC_IOC_FILE_INFO:
		return sync_file_info(arg);
	case DRM_IOCTL_VSM_CHANNEL_CREATE:
		return channel_create(arg);
	case DRM_IOCTL_VSM_HOLD_CREATE:
		mock.hold_create = *(struct drm_vsm_hold_create *)arg;
		((struct drm_vsm_hold_create *)arg)->hold = MOCK_HOLD;
		return 0;
	case DRM_IOCTL_VSM_HOLD_RELEASE:
		mock.hold_release = *(struct drm_vsm_hold_release *)arg;
		return 0;
	case DRM_IOCTL_VSM_INJECT_ADD:
		mock.rule = *(struct drm_vsm_inject_rule *)arg;
		((struct drm_vsm_inject_rule *)arg)->rule = MOCK_RULE;
		return 0;
	case DRM_IOCTL_VSM_INJECT_QUERY:
		mock.query = *(struct drm_vsm_inject_query *)arg;
		((struct drm_vsm_inject_query *)arg)->info.fired = 77;
		return 0;
	case DRM_IOCTL_VSM_INJECT_REMOVE:
		mock.rule_remove = *(struct drm_vsm_inject_remove *)arg;
		return 0;
	case DRM_IOCTL_VSM_CHANNEL_DESTROY:
		mock.channel_destroy = *(struct drm_vsm_channel_destroy *)arg;
		return 0;
	case DRM_IOCTL_VSM_CHANNEL_STATUS:
		mock.channel_status = *(struct drm_vsm_channel_status *)arg;
		((struct drm_vsm_channel_status *)arg)->status = DRM_VSM_RESET_GUILTY;
		((struct drm_vsm_channel_status *)arg)->guilty_site = 88;
		return 0;
	}
	return fails(ENOTTY);
}

/* Like drm_read() of a blocking file, except that it counts instead of blocking. */
static ssize_t read_events(int fd, char *buffer, size_t size)
{
	ssize_t length, got = 0;

	for (;;) {
		length = recv(fd, NULL, 0, MSG_PEEK | MSG_TRUNC | MSG_DONTWAIT);
		if (length < 0 && !got)
			mock.event_blocks++;
		if (length < 0)
			return got ? got : fails(EAGAIN);
		if (length > (ssize_t)size - got)
			return got;
		if (!length)
			return got;
		assert_int_equal(recv(fd, buffer + got, size - got, 0), length);
		got += length;
	}
}

/* open() of programs with _FILE_OFFSET_BITS=64. No caller creates a file: there is no mode. */
int __wrap_open64(const char *path, int flags, ...)
{
	if (mock.open_interrupts) {
		mock.open_interrupts--;
		return fails(EINTR);
	}
	return __real_open64(path, flags);
}

ssize_t __wrap_read(int fd, void *buffer, size_t size)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	ssize_t got;

	if (fd != mock.events)
		return __real_read(fd, buffer, size);
	/* Give another reader the time to see the same event with poll(). */
	usleep(50);
	while (mock.event_hold) {
		mock.event_held = true;
		usleep(50);
	}
	pthread_mutex_lock(&lock);
	if (mock.event_errno) {
		got = fails(mock.event_errno);
		mock.event_errno = 0;
	} else {
		got = read_events(fd, buffer, size);
	}
	pthread_mutex_unlock(&lock);
	return got;
}

int mock_events(void)
{
	int fds[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds), 0);
	mock.events = vsm_device_fd(device);
	assert_int_equal(dup2(fds[0], mock.events), mock.events);
	close(fds[0]);
	return fds[1];
}

drmVersionPtr __wrap_drmGetVersion(int fd)
{
	uint32_t index, abi_major;
	drmVersionPtr version;
	char driver[32];

	if (read_node(fd, driver, &index, &abi_major))
		return NULL;
	version = calloc(1, sizeof(*version));
	version->name = strdup(driver);
	return version;
}

void __wrap_drmFreeVersion(drmVersionPtr version)
{
	free(version->name);
	free(version);
}

int __wrap_drmGetDevices2(uint32_t flags, drmDevicePtr devices[], int max)
{
	int i;

	assert_int_equal(flags, 0);
	if (mock.devices_errno && !--mock.devices_fails)
		return -mock.devices_errno;
	if (!devices)
		return mock.node_count;
	assert_true(max >= mock.node_count);
	for (i = 0; i < mock.node_count; i++) {
		devices[i] = calloc(1, sizeof(**devices));
		devices[i]->nodes = calloc(DRM_NODE_MAX, sizeof(char *));
		devices[i]->nodes[DRM_NODE_RENDER] = mock.nodes[i];
		devices[i]->available_nodes = 1 << DRM_NODE_RENDER;
		devices[i]->bustype = mock.bustypes[i];
	}
	return mock.node_count;
}

void __wrap_drmFreeDevices(drmDevicePtr devices[], int count)
{
	int i;

	for (i = 0; i < count; i++) {
		free(devices[i]->nodes);
		free(devices[i]);
	}
}

/* A dma-buf is a file that holds the handle. */
int __wrap_drmPrimeHandleToFD(int fd, uint32_t handle, uint32_t flags, int *prime_fd)
{
	assert_true(fd >= 0);
	assert_int_equal(flags, DRM_CLOEXEC | DRM_RDWR);
	if (mock.fail_request == DRM_IOCTL_PRIME_HANDLE_TO_FD)
		return fails(mock.fail_errno);
	*prime_fd = memfd_create("dma-buf", MFD_CLOEXEC);
	assert_int_equal(write(*prime_fd, &handle, sizeof(handle)), sizeof(handle));
	return 0;
}

int __wrap_drmPrimeFDToHandle(int fd, int prime_fd, uint32_t *handle)
{
	assert_true(fd >= 0);
	if (pread(prime_fd, handle, sizeof(*handle), 0) != sizeof(*handle))
		return fails(errno ? errno : EINVAL);
	if (!mock.handles[*handle].open) {
		mock.handles[*handle].open = 1;
		mock.open_handles++;
	}
	return 0;
}

int __wrap_drmCloseBufferHandle(int fd, uint32_t handle)
{
	assert_true(fd >= 0);
	assert_true(handle < MOCK_HANDLES && mock.handles[handle].open);
	mock.handles[handle].open = 0;
	mock.open_handles--;
	return 0;
}

int __wrap_drmSyncobjCreate(int fd, uint32_t flags, uint32_t *handle)
{
	assert_true(fd >= 0);
	assert_int_equal(flags, 0);
	if (mock.fail_request == DRM_IOCTL_SYNCOBJ_CREATE)
		return fails(mock.fail_errno);
	mock.open_syncobjs++;
	*handle = MOCK_SYNCOBJ;
	return 0;
}

int __wrap_drmSyncobjDestroy(int fd, uint32_t handle)
{
	assert_true(fd >= 0);
	if (mock.fail_request == DRM_IOCTL_SYNCOBJ_DESTROY)
		return fails(mock.fail_errno);
	assert_int_equal(handle, MOCK_SYNCOBJ);
	mock.open_syncobjs--;
	return 0;
}

/* Unlike libdrm's other functions, this one returns the error instead of setting errno. */
int __wrap_drmSyncobjTimelineWait(int fd, uint32_t *handles, uint64_t *points, unsigned int count,
				  int64_t timeout, unsigned int flags, uint32_t *first)
{
	assert_true(fd >= 0);
	assert_int_equal(count, 1);
	assert_null(first);
	mock.timeline.handle = handles[0];
	mock.timeline.point = points[0];
	mock.timeline.timeout = timeout;
	mock.timeline.flags = flags;
	return mock.timeline_result;
}

int __wrap_drmSyncobjTransfer(int fd, uint32_t to, uint64_t to_point, uint32_t from,
			      uint64_t from_point, uint32_t flags)
{
	assert_true(fd >= 0);
	if (mock.fail_request == DRM_IOCTL_SYNCOBJ_TRANSFER)
		return fails(mock.fail_errno);
	mock.transfer = (struct drm_syncobj_transfer){
		.src_handle = from, .dst_handle = to, .src_point = from_point,
		.dst_point = to_point, .flags = flags,
	};
	return 0;
}

int __wrap_drmSyncobjExportSyncFile(int fd, uint32_t handle, int *sync_file)
{
	assert_true(fd >= 0);
	if (mock.fail_request == DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD)
		return fails(mock.fail_errno);
	mock.exported = handle;
	*sync_file = eventfd(!mock.sync_pending, EFD_CLOEXEC);
	mock.exported_file = *sync_file;
	return 0;
}

int __wrap_drmSyncobjImportSyncFile(int fd, uint32_t handle, int sync_file)
{
	assert_true(fd >= 0);
	if (mock.fail_request == DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE)
		return fails(mock.fail_errno);
	mock.imported = handle;
	mock.imported_file = sync_file;
	return 0;
}

int mock_setup(void **state)
{
	memset(&mock, 0, sizeof(mock));
	mock.events = -1;
	strcpy(directory, "/tmp/libvsm-test-XXXXXX");
	if (!mkdtemp(directory))
		return -1;
	mock_add_node(DRM_BUS_PLATFORM, "vsm", 0, DRM_VSM_ABI_MAJOR);
	return vsm_device_open(mock.nodes[0], &device);
}

int mock_teardown(void **state)
{
	int i;

	vsm_device_close(device);
	for (i = 0; i < mock.node_count; i++)
		unlink(mock.nodes[i]);
	rmdir(directory);
	return mock.open_handles || mock.open_syncobjs ? -1 : 0;
}

int mock_setup_cluster(void **state)
{
	const struct vsm_cluster_config config = {
		.ctas = 2, .threads = 64, .smem_bytes = 1024,
	};

	if (mock_setup(state))
		return -1;
	return vsm_cluster_create(device, &config, &cluster);
}

int mock_teardown_cluster(void **state)
{
	vsm_cluster_destroy(cluster);
	return mock_teardown(state);
}
