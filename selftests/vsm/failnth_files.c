// SPDX-License-Identifier: GPL-2.0-only
/*
 * Failing allocations: opening and closing the device, its other ioctls and file operations,
 * events, dma-bufs, debugfs. Together with failnth.c and failnth_misuse.c this covers every ioctl
 * and file operation of the uAPI. Only calls of 32-bit programs are missing because the debug
 * kernel does not support them.
 */
#include <sys/epoll.h>

#include "failnth.h"
#include "model.h"

/* The id of a user who has no files of the device open. */
#define ALICE 70001

/* --- users with their first file -------------------------------------------------- */

static int become(unsigned int uid)
{
	/* Only the real user id changes: the task keeps its capabilities. */
	return syscall(SYS_setresuid, uid, -1, -1) ? -errno : 0;
}

static int become_alice(struct world *w)
{
	int ret = prepare_path(w);

	return ret ? ret : become(ALICE);
}

/* If the open succeeded, the user can allocate memory with this file. */
static int end_user(struct world *w, int ret)
{
	uint64_t half = vsm_info(w->c.fd).client_bytes / 4;

	if (!ret && (allocate(w->made, half) || close(w->made)))
		ret = -EBADMSG;
	else
		ret = 0;
	return become(0) ? -EBADMSG : ret;
}

TEST_F(failnth, the_first_file_of_a_user)
{
	SWEEP(become_alice, call_open, end_user);
}

/* Closing a file frees everything that the client has, even if allocations fail. */
static int make_client(struct world *w)
{
	struct drm_vsm_cluster_create args = { .ctas = 1, .threads = 32, .smem_bytes = 4096 };
	struct drm_vsm_insn job;
	int ret = cluster_open(&w->other, &args);

	if (!ret)
		ret = buffer_create(&w->fresh, w->other.fd, 4096);
	if (ret)
		return ret;
	munmap(w->fresh.map, w->fresh.size);
	munmap(w->other.map, w->other.size);
	w->made = w->other.fd;
	job = i_s2g(AT(0, 0x100), 16, w->fresh.handle, 0);
	return channel_create(w->made, 0) < 0 || exec_one(&w->other, i_init(A, 2)) ||
	       cluster_hold(&w->other, DRM_VSM_HOLD) ||
	       exec_one(&w->other, i_cp_async(AT(0, 0x100), 16, w->fresh.handle, 0)) ||
	       submit_sync(&w->other, &job, 1, 0, 0) ? -EBADMSG : 0;
}

static int call_close(struct world *w)
{
	return close(w->made) ? -errno : 0;
}

static int end_close(struct world *w, int ret)
{
	/* close() must not fail because the caller could do nothing about it. */
	return ret;
}

TEST_F(failnth, close)
{
	SWEEP(make_client, call_close, end_close);
}

/* --- the device file ---------------------------------------------------------------- */

static int call_info(struct world *w)
{
	struct drm_vsm_device_info info = {};
	struct drm_vsm_object_info object = { .handle = w->b.handle };
	int ret = vsm_ioctl(w->c.fd, DRM_IOCTL_VSM_DEVICE_INFO, &info);

	if (!ret)
		ret = vsm_ioctl(w->c.fd, DRM_IOCTL_VSM_OBJECT_INFO, &object);
	return ret ? ret : info.device_bytes == LIMIT && object.size == w->b.size ? 0 : -EBADMSG;
}

TEST_F(failnth, info)
{
	SWEEP(.call = call_info);
}

static int call_state(struct world *w)
{
	struct drm_vsm_state_entry entry;
	struct drm_vsm_cluster_state args = {
		.handle = w->c.handle, .entries = (uintptr_t)&entry, .stride = sizeof(entry),
		.count = 1,
	};

	return vsm_ioctl(w->c.fd, DRM_IOCTL_VSM_CLUSTER_STATE, &args);
}

TEST_F(failnth, state)
{
	SWEEP(.call = call_state);
}

/* Calls with an argument longer than the driver knows, for which the DRM core allocates memory. */
static int call_long_info(struct world *w)
{
	struct {
		struct drm_vsm_device_info info;
		char later[512];
	} args = {};

	return vsm_ioctl(w->c.fd, DRM_IOWR(DRM_COMMAND_BASE + DRM_VSM_DEVICE_INFO, args), &args);
}

TEST_F(failnth, info_of_a_later_program)
{
	SWEEP(.call = call_long_info);
}

static int call_hold(struct world *w)
{
	return cluster_hold(&w->c, DRM_VSM_HOLD);
}

static int end_hold(struct world *w, int ret)
{
	return async_release(&w->c);
}

TEST_F(failnth, hold)
{
	SWEEP(.call = call_hold, .after = end_hold);
}

/* Before it fails for want of memory, the call must not have changed the syncobj. */
static int call_job_hold(struct world *w)
{
	int ret = job_hold_create(w->c.fd, w->timeline, 7, 0);

	w->made = ret;
	return ret < 0 ? ret : 0;
}

static int end_job_hold(struct world *w, int ret)
{
	uint64_t point = 7;
	int released;

	/*
	 * With EFAULT there is a hold if only its number was not returned. It is the lowest number,
	 * because no other hold exists.
	 */
	released = ret && ret != -EFAULT ? -ENOENT :
			job_hold_release(w->c.fd, ret ? 1 : w->made, 0);
	if (ret && released == -ENOENT)
		return drmSyncobjTransfer(w->c.fd, w->out, 0, w->timeline, 7, 0) ? 0 : -EBADMSG;
	if (released || drmSyncobjTimelineWait(w->c.fd, &w->timeline, &point, 1, now_ns() + AMPLE,
					       0, NULL) ||
	    drmSyncobjReset(w->c.fd, &w->timeline, 1))
		return -EBADMSG;
	return 0;
}

TEST_F(failnth, job_hold)
{
	self->w.timeline = syncobj_create(self->w.c.fd);
	ASSERT_NE(0, self->w.timeline);
	SWEEP(.call = call_job_hold, .after = end_job_hold);
}

static int make_channel(struct world *w)
{
	w->made = channel_create(w->c.fd, 0);
	return w->made < 0 ? w->made : 0;
}

static int call_destroy(struct world *w)
{
	return channel_destroy(w->c.fd, w->made);
}

static int end_destroy(struct world *w, int ret)
{
	int again = call_destroy(w);

	return ret ? again : again == -ENOENT ? 0 : -EBADMSG;
}

TEST_F(failnth, channel_destroy)
{
	SWEEP(make_channel, call_destroy, end_destroy);
}

/* Makes a new buffer, which call_map() maps and writes from its first byte to its last. */
static int make_object(struct world *w)
{
	int ret = buffer_create(&w->fresh, w->c.fd, 16384);

	munmap(w->fresh.map, w->fresh.size);
	return ret;
}

static int call_map(struct world *w)
{
	struct drm_vsm_object_info info = { .handle = w->fresh.handle };
	int zero, ret = vsm_ioctl(w->c.fd, DRM_IOCTL_VSM_OBJECT_INFO, &info);
	ssize_t size;

	w->fresh.map = MAP_FAILED;
	if (ret)
		return ret;
	w->fresh.map = mmap(NULL, info.size, PROT_READ | PROT_WRITE, MAP_SHARED, w->c.fd,
			    info.mmap_offset);
	if (w->fresh.map == MAP_FAILED)
		return -errno;
	/*
	 * read() returns an error for a page that cannot be mapped, while a store would raise a
	 * signal.
	 */
	zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	if (zero < 0)
		return -errno;
	size = read(zero, w->fresh.map, info.size);
	ret = size == info.size ? 0 : size < 0 ? -errno : -EFAULT;
	close(zero);
	return ret;
}

static int end_map(struct world *w, int ret)
{
	if (w->fresh.map != MAP_FAILED)
		munmap(w->fresh.map, w->fresh.size);
	ret = ret ? call_map(w) : 0;
	if (w->fresh.map != MAP_FAILED)
		munmap(w->fresh.map, w->fresh.size);
	return gem_close(w->c.fd, w->fresh.handle) ? -EBADMSG : ret;
}

TEST_F(failnth, map)
{
	SWEEP(make_object, call_map, end_map);
}

/* --- events ------------------------------------------------------------------------ */

enum { EVENTS = 3 };

static int make_events(struct world *w)
{
	int i;

	for (i = 0; i < EVENTS; i++)
		if (exec_one(&w->c, i_init(A, 1)) != -EPROTO)
			return -EBADMSG;
	w->events = 0;
	return 0;
}

static int call_read_events(struct world *w)
{
	char events[4096];
	ssize_t size = read(w->c.fd, events, sizeof(events));

	if (size < 0)
		return -errno;
	w->events = size / FAULT_EVENT;
	return w->events == EVENTS ? 0 : -ENOMEM;
}

/* Events or records that read() could not deliver are kept. */
static int end_events(struct world *w, int ret)
{
	struct drm_vsm_event_fault event;

	for (; w->events < EVENTS; w->events++)
		if (fault_read(w->c.fd, &event) != 1 || event.lost)
			return -EBADMSG;
	return poll_events(w->c.fd) ? -EBADMSG : 0;
}

TEST_F(failnth, read_events)
{
	SWEEP(make_events, call_read_events, end_events);
}

/* Polls enough files to make poll() allocate memory for its wait queue entries. */
static int call_poll(struct world *w)
{
	struct pollfd p[64];
	int i, ret;

	for (i = 0; i < ITEMS(p); i++)
		p[i] = (struct pollfd){ .fd = i % 2 ? w->set : w->c.fd, .events = POLLIN };
	ret = poll(p, ITEMS(p), 1);
	return ret < 0 ? -errno : ret ? -EBADMSG : 0;
}

TEST_F(failnth, poll)
{
	SWEEP(.call = call_poll);
}

static int make_epoll(struct world *w)
{
	w->made = epoll_create1(EPOLL_CLOEXEC);
	return w->made < 0 ? -errno : 0;
}

static int call_epoll(struct world *w)
{
	struct epoll_event event = { .events = EPOLLIN };

	if (epoll_ctl(w->made, EPOLL_CTL_ADD, w->set, &event) ||
	    epoll_ctl(w->made, EPOLL_CTL_ADD, w->c.fd, &event))
		return -errno;
	return 0;
}

/* A record and an event both make the epoll ready. */
static int end_epoll(struct world *w, int ret)
{
	struct drm_vsm_wait wait = wait_parity(&w->c, A, 1, -1, 0);
	struct drm_vsm_wait_record record;
	struct epoll_event events[2];
	int ready;

	if (waitset_arm(w->c.fd, w->set, &wait, 1, NULL) ||
	    exec_one(&w->c, i_init(A, 1)) != -EPROTO)
		return -EBADMSG;
	ready = epoll_wait(w->made, events, 2, 0);
	fault_drain(w->c.fd);
	if (waitset_read(w->set, &record) != 1 || close(w->made))
		return -EBADMSG;
	return ready == 2 || (ret && ready < 2) ? 0 : -EBADMSG;
}

TEST_F(failnth, epoll)
{
	SWEEP(make_epoll, call_epoll, end_epoll);
}

/* --- wait sets ----------------------------------------------------------------------- */

static int make_armed(struct world *w)
{
	w->waits[0] = wait_parity(&w->c, A, 0, -1, 0);
	return waitset_arm(w->c.fd, w->set, w->waits, 1, NULL);
}

static int call_cancel(struct world *w)
{
	return waitset_cancel(w->c.fd, w->set, w->waits[0].id);
}

static int end_cancel(struct world *w, int ret)
{
	int again = call_cancel(w);

	return ret ? again : again == -ENOENT ? 0 : -EBADMSG;
}

TEST_F(failnth, cancel)
{
	SWEEP(make_armed, call_cancel, end_cancel);
}

/* Makes a set with several records, and with armed waits that close() ends. */
static int make_set(struct world *w)
{
	uint32_t i;

	w->made = waitset_create(w->c.fd, DRM_VSM_WAITSET_NONBLOCK);
	if (w->made < 0)
		return w->made;
	for (i = 0; i < WAITS; i++)
		w->waits[i] = wait_parity(&w->c, A, i % 2, -1, i);
	return waitset_arm(w->c.fd, w->made, w->waits, WAITS, NULL);
}

static int call_read_many(struct world *w)
{
	struct drm_vsm_wait_record records[WAITS];
	ssize_t size = read(w->made, records, sizeof(records));

	w->armed = size < 0 ? 0 : size / sizeof(records[0]);
	return size < 0 ? -errno : w->armed == WAITS / 2 ? 0 : -ENOMEM;
}

/* Events or records that read() could not deliver are kept. */
static int end_read_many(struct world *w, int ret)
{
	struct drm_vsm_wait_record record;

	for (; w->armed < WAITS / 2; w->armed++)
		if (waitset_read(w->made, &record) != 1 || record.user_data != 2 * w->armed + 1)
			return -EBADMSG;
	return waitset_read(w->made, &record) == -EAGAIN && !close(w->made) ? 0 : -EBADMSG;
}

TEST_F(failnth, read_many_records)
{
	SWEEP(make_set, call_read_many, end_read_many);
}

TEST_F(failnth, close_a_set)
{
	SWEEP(make_set, call_close, end_close);
}

/* --- dma-bufs ------------------------------------------------------------------------ */

/* Exports a handle as a dma-buf, for a file of the device with this index. */
static int make_importer(struct world *w, unsigned int index, uint32_t handle)
{
	w->made = vsm_open_index(index);
	if (w->made < 0)
		return w->made;
	return drmPrimeHandleToFD(w->c.fd, handle, DRM_CLOEXEC | DRM_RDWR, &w->foreign) ? -errno
											: 0;
}

static int make_importer_here(struct world *w)
{
	return make_importer(w, 0, w->c.handle);
}

static int make_importer_there(struct world *w)
{
	return make_importer(w, 1, w->b.handle);
}

static int call_import(struct world *w)
{
	w->fresh.handle = 0;
	return drmPrimeFDToHandle(w->made, w->foreign, &w->fresh.handle) ? -errno : 0;
}

/*
 * After EFAULT the file has a handle that the caller did not get. The next import returns the same
 * handle.
 */
static int end_import(struct world *w, int ret)
{
	int again = ret ? call_import(w) : 0;

	if (!again)
		again = gem_close(w->made, w->fresh.handle);
	return close(w->foreign) || close(w->made) ? -EBADMSG : again;
}

TEST_F(failnth, import_by_another_file)
{
	SWEEP(make_importer_here, call_import, end_import);
}

TEST_F(failnth, import_by_another_device)
{
	SWEEP(make_importer_there, call_import, end_import);
}

/*
 * There is no test of the first copy of an imported buffer, which maps it: dma_buf_vmap() of Linux
 * 6.1 warns if the exporter has no memory.
 */

/* --- debugfs ------------------------------------------------------------------------- */

static int call_faults(struct world *w)
{
	int ret = 0, file = model_open(w->c.fd, "../vsm_faults", O_RDONLY);
	char text[4096] = "";

	if (file < 0)
		return file;
	if (read(file, text, sizeof(text) - 1) < 0)
		ret = -errno;
	else if (strncmp(text, "MISALIGNED ", 11) || !strstr(text, "THREAD_SUSPENDED "))
		ret = -EBADMSG;
	close(file);
	return ret;
}

TEST_F(failnth, counters_of_faults)
{
	SWEEP(.call = call_faults);
}

static int call_setting(struct world *w)
{
	return model_set(w->c.fd, "job_timeout_ms", 7);
}

static int end_setting(struct world *w, int ret)
{
	uint64_t value = model_get(w->c.fd, "job_timeout_ms");

	if (model_reset(w->c.fd) || model_get(w->c.fd, "job_timeout_ms") != JOB_TIMEOUT_MS)
		return -EBADMSG;
	return value == 7 || (ret && value == JOB_TIMEOUT_MS) ? 0 : -EBADMSG;
}

TEST_F(failnth, settings)
{
	SWEEP(.call = call_setting, .after = end_setting);
}

static int call_get_setting(struct world *w)
{
	int ret = 0, file = model_open(w->c.fd, "latency_ns", O_RDONLY);
	char text[24] = "";

	if (file < 0)
		return file;
	if (read(file, text, sizeof(text) - 1) < 0)
		ret = -errno;
	else if (strcmp(text, "0\n"))
		ret = -EBADMSG;
	close(file);
	return ret;
}

TEST_F(failnth, settings_are_read)
{
	SWEEP(.call = call_get_setting);
}

TEST_HARNESS_MAIN
