// SPDX-License-Identifier: MIT
/*
 * A program with the code that the pages show. It runs this code on a device and prints TAP. The
 * pages show the parts between the comments "[name]" and "[end]".
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <vsm.h>
#include <xf86drm.h>

/* [exec] */
/* Execute a stream to its end. Execute a try_wait again while its result is False. */
static int exec_stream(int drm_fd, struct drm_vsm_exec *exec, struct drm_vsm_insn *insns)
{
	while (exec->retired < exec->count) {
		const struct drm_vsm_insn *last;

		if (ioctl(drm_fd, DRM_IOCTL_VSM_EXEC, exec)) {
			if (errno == EINTR)
				continue;	/* call again: exec says where to continue */
			return -errno;		/* insns[exec->retired] had no effect */
		}
		last = &insns[exec->retired - 1];
		if (last->op == DRM_VSM_OP_MBARRIER_TRY_WAIT && !last->result)
			exec->retired--;
	}
	return 0;
}

/* [end] */
/* [submit] */
/* Queue a job that copies part of CTA 0's window to a buffer, and wait until it has ended. */
static int copy_out(struct vsm_device *device, uint32_t cluster, uint32_t offset, uint32_t buffer,
		    uint32_t size)
{
	struct drm_vsm_insn copy = {
		.op = DRM_VSM_OP_CP_ASYNC_BULK_S2G,
		.u.copy = { .addr = vsm_shared_addr(0, offset), .size = size, .buffer = buffer },
	};
	struct drm_vsm_sync done = { .flags = DRM_VSM_SYNC_SIGNAL };
	struct drm_vsm_submit submit = {
		.cluster = cluster,
		.insns = (uintptr_t)&copy, .stride = sizeof(copy), .count = 1,
		.syncs = (uintptr_t)&done, .sync_stride = sizeof(done), .sync_count = 1,
	};
	int drm_fd = vsm_device_fd(device);
	int ret;

	ret = drmSyncobjCreate(drm_fd, 0, &done.handle);
	if (ret)
		return ret;
	ret = drmIoctl(drm_fd, DRM_IOCTL_VSM_SUBMIT, &submit) ? -errno : 0;
	if (!ret)
		ret = vsm_syncobj_wait(device, done.handle, 0, VSM_NEVER);
	drmSyncobjDestroy(drm_fd, done.handle);
	return ret;
}

/* [end] */
/* [arm] */
/* Arm a wait for phase 0 of each of count mbarriers, 8 bytes apart in CTA 0. */
static int arm_all(int drm_fd, uint32_t cluster, struct drm_vsm_wait *waits, uint32_t count)
{
	struct drm_vsm_waitset_create create = {
		.flags = DRM_VSM_WAITSET_NONBLOCK,
		.record_stride = sizeof(struct drm_vsm_wait_record),
	};
	struct drm_vsm_waitset_arm arm = {
		.waits = (uintptr_t)waits, .stride = sizeof(*waits), .count = count,
	};
	uint32_t i;
	int err;

	for (i = 0; i < count; i++) {
		waits[i] = (struct drm_vsm_wait) {
			.cluster = cluster, .addr = vsm_shared_addr(0, 8 * i),
			.state = 0, .flags = DRM_VSM_WAIT_PARITY,
			.deadline = -1, .user_data = i,
		};
	}
	if (drmIoctl(drm_fd, DRM_IOCTL_VSM_WAITSET_CREATE, &create))
		return -errno;
	arm.fd = create.fd;
	if (drmIoctl(drm_fd, DRM_IOCTL_VSM_WAITSET_ARM, &arm)) {
		err = errno;	/* EPROTO: waits[arm.armed].fault says why */
		close(arm.fd);
		return -err;
	}
	return arm.fd;
}

/* [end] */
/* [records] */
/* Read the records of waits that have completed. Block for at most timeout_ms. */
static int take_records(int set_fd, struct drm_vsm_wait_record *records, int max, int timeout_ms)
{
	struct pollfd readable = { .fd = set_fd, .events = POLLIN };
	ssize_t bytes;

	if (poll(&readable, 1, timeout_ms) <= 0)
		return 0;
	bytes = read(set_fd, records, max * sizeof(*records));
	if (bytes < 0)
		return errno == EAGAIN ? 0 : -errno;	/* ENODEV: the device is gone */
	return bytes / (ssize_t)sizeof(*records);
}

/* [end] */
/* [idiom] */
/* Arrive on the mbarrier, then wait for the phase to complete. */
static int arrive_and_wait(struct vsm_thread *thread, uint32_t bar)
{
	uint64_t state, complete = 0;
	int err;

	err = vsm_execute(thread, vsm_prep_mbarrier_arrive(bar, 0), &state);
	while (!err && !complete)
		err = vsm_execute(thread, vsm_prep_mbarrier_try_wait(bar, state, 0), &complete);
	return err;
}

/* [end] */
/* [pipeline] */
/*
 * The consumer's part in round i of a pipeline of two stages. The mbarrier full[s] says that
 * tile[s] has data, empty[s] that it is free.
 */
static int consume(struct vsm_thread *thread, const uint32_t full[2], const uint32_t empty[2],
		   unsigned int i)
{
	unsigned int s = i % 2, parity = i / 2 % 2;
	int err;

	err = vsm_await_parity(thread, full[s], parity, 0, VSM_NEVER);
	if (err)
		return err;
	/* ... use tile[s] ... */
	return vsm_execute(thread, vsm_prep_mbarrier_arrive(empty[s], VSM_SINK), NULL);
}

static int produce(struct vsm_thread *thread, const uint32_t full[2], const uint32_t empty[2],
		   unsigned int i, struct drm_vsm_insn *copy)
{
	unsigned int s = i % 2, parity = i / 2 % 2;
	int err;

	/*
	 * In the first round of a stage this is the phase before phase 0, which counts as complete.
	 */
	err = vsm_await_parity(thread, empty[s], !parity, 0, VSM_NEVER);
	if (!err)
		err = vsm_execute(thread,
				  vsm_prep_mbarrier_arrive_expect_tx(full[s], copy->u.copy.size,
								     VSM_SINK),
				  NULL);
	return err ? err : vsm_submit(thread, copy, 1, NULL, 0, NULL);
}

/* [end] */
/* [fault] */
/* Print what a device thread did wrong, after a call has returned -EPROTO. */
static void explain(const struct vsm_thread *thread)
{
	char text[256];

	vsm_thread_strerror(thread, text, sizeof(text));
	fprintf(stderr, "# %s: %s\n", vsm_fault_name(thread->refused.fault), text);
}

/* [end] */
/* [events] */
/* Print all misuse of calls, jobs and asynchronous operations that the device has found. */
static int explain_all(struct vsm_device *device, enum vsm_layout layout)
{
	struct drm_vsm_event_fault events[16];
	char insn[160], text[256];
	int i, count;

	count = vsm_event_read(device, events, 16, 0);
	for (i = 0; i < count; i++) {
		const struct drm_vsm_event_fault *e = &events[i];

		vsm_insn_describe(&e->insn, insn, sizeof(insn));
		vsm_fault_message(layout, e->cta, &e->insn, text, sizeof(text));
		fprintf(stderr, "# %u.%u: %s\n#   %s: %s\n", e->cta, e->thread, insn,
			vsm_fault_name(e->insn.fault), text);
	}
	return count;
}

/* [end] */
#define TILE 256

static void fill_tile(char *window, uint32_t place, unsigned int i)
{
	memset(window + place, 'a' + i, TILE);
}

/* [groups] */
/* Store tiles to a buffer. The tiles take turns in two places of the window. */
static int store_tiles(struct vsm_thread *thread, const struct vsm_buffer *buffer,
		       uint32_t place[2], unsigned int tiles)
{
	char *window = vsm_cluster_window(thread->cluster, thread->cta);
	unsigned int i;
	int err;

	for (i = 0; i < tiles; i++) {
		/* This place is free when all stores except the last one have read their tiles. */
		err = vsm_execute(thread, vsm_prep_cp_async_bulk_wait_group_read(1), NULL);
		if (err)
			return err;
		fill_tile(window, place[i % 2], i);
		err = vsm_execute(thread,
				  vsm_prep_cp_async_bulk_s2g(vsm_buffer_handle(buffer), i * TILE,
							     place[i % 2], TILE),
				  NULL);
		if (!err)
			err = vsm_execute(thread, vsm_prep_cp_async_bulk_commit_group(), NULL);
		if (err)
			return err;
	}
	return vsm_execute(thread, vsm_prep_cp_async_bulk_wait_group(0), NULL);
}

/* [end] */
/* [channels] */
/* Load in one channel and store in another. A timeline lets the store wait for the load. */
static int load_and_store(const struct vsm_device *device, struct vsm_thread *thread,
			  const uint32_t channels[2], struct drm_vsm_insn *load,
			  struct drm_vsm_insn *store, uint32_t timeline)
{
	const struct drm_vsm_sync loaded = vsm_sync_out(timeline, 1);
	const struct drm_vsm_sync stored[] = {
		vsm_sync_in(timeline, 1),
		vsm_sync_out(timeline, 2),
	};
	int err;

	err = vsm_channel_submit(thread, channels[0], load, 1, &loaded, 1, NULL);
	if (!err)
		err = vsm_channel_submit(thread, channels[1], store, 1, stored, 2, NULL);
	/* If the load failed, the store did not run, and its fence has the error of the load. */
	return err ? err : vsm_syncobj_wait(device, timeline, 2, VSM_NEVER);
}

/* [end] */
/* [contexts] */
#define QUEUES 3

/* Queue a job that signals the syncobj @out, after the syncobj @in if that is not 0. */
static int queue_job(struct vsm_thread *thread, uint32_t queue, struct drm_vsm_insn *insn,
		     uint32_t in, uint32_t out)
{
	struct drm_vsm_sync syncs[] = { vsm_sync_out(out, 0), vsm_sync_in(in, 0) };

	return vsm_channel_submit(thread, queue, insn, 1, syncs, in ? 2 : 1, NULL);
}

/* Lose the context of queues 0 and 1. @status gets what the last job of each queue ended with. */
static int lose_context(struct vsm_device *device, struct vsm_thread *thread,
			struct drm_vsm_insn *insn, int status[QUEUES])
{
	const struct vsm_channel_config configs[QUEUES] = {
		{ .group = 1 }, { .group = 1 }, { .group = 2 },
	};
	struct drm_vsm_inject_rule rule = {
		.where = DRM_VSM_INJECT_JOB, .what = DRM_VSM_INJECT_FAULT,
		.flags = DRM_VSM_INJECT_CHANNEL, .first = 3, .times = 1,
	};
	uint32_t queues[QUEUES], done[QUEUES], held, hold, number;
	int i, err;

	/* The jobs of queues 1 and 2 wait for a hold, so that they run only after the fault. */
	err = vsm_syncobj_create(device, &held);
	if (!err)
		err = vsm_hold_create(device, held, 0, 0, &hold);
	for (i = 0; !err && i < QUEUES; i++) {
		err = vsm_channel_create_as(device, &configs[i], &queues[i]);
		if (!err)
			err = vsm_syncobj_create(device, &done[i]);
		if (!err && i > 0)
			err = queue_job(thread, queues[i], insn, held, done[i]);
	}
	if (err)
		return err;
	rule.channel = queues[0];
	err = vsm_inject_add(device, &rule, &number);
	for (i = 0; !err && i < 3; i++)
		err = queue_job(thread, queues[0], insn, 0, done[0]);
	if (err)
		return err;
	status[0] = vsm_syncobj_wait(device, done[0], 0, VSM_NEVER);	/* -EIO */
	status[1] = vsm_syncobj_wait(device, done[1], 0, VSM_NEVER);	/* -ECANCELED */
	err = vsm_hold_release(device, hold, 0);
	status[2] = vsm_syncobj_wait(device, done[2], 0, VSM_NEVER);	/* 0 */
	return err;
}

/* [end] */
/* [cp_async] */
/*
 * Copy 64 bytes as a thread of an Ampere kernel does. The mbarrier was initialised for one arrival,
 * that of cp.async.mbarrier.arrive.noinc.
 */
static int load_tile(struct vsm_thread *thread, uint32_t tile, const struct vsm_buffer *buffer,
		     uint64_t offset, uint32_t bar, uint32_t parity)
{
	uint32_t i;
	int err = 0;

	for (i = 0; !err && i < 64; i += 16)
		err = vsm_execute(thread,
				  vsm_prep_cp_async(tile + i, vsm_buffer_handle(buffer), offset + i,
						    16, VSM_CG),
				  NULL);
	if (!err)
		err = vsm_execute(thread, vsm_prep_cp_async_mbarrier_arrive_noinc(bar, 0), NULL);
	/* ... do something else ... */
	return err ? err : vsm_await_parity(thread, bar, parity, 0, VSM_NEVER);
}

/* [end] */
#define ALL_LANES 0xffffffff

/* [warp] */
/* Load a tile as a converged warp. An elected thread starts the copy, and the warp waits for it. */
static int fetch_tile(struct vsm_thread *warp, const struct vsm_buffer *buffer, uint32_t tile,
		      uint32_t bar, uint32_t parity)
{
	uint64_t elected;
	int err;

	err = vsm_execute(warp, vsm_prep_elect_sync(ALL_LANES), &elected);
	if (!err && vsm_result_pred(elected)) {
		err = vsm_execute(warp, vsm_prep_mbarrier_arrive_expect_tx(bar, 512, VSM_SINK),
				  NULL);
		if (!err)
			err = vsm_execute(warp,
					  vsm_prep_cp_async_bulk_g2s(tile,
								     vsm_buffer_handle(buffer), 0,
								     512, bar),
					  NULL);
	}
	if (!err)
		err = vsm_await_parity(warp, bar, parity, 0, VSM_NEVER);
	return err ? err : vsm_execute(warp, vsm_prep_bar_warp_sync(ALL_LANES), NULL);
}

/* [end] */
/* [lanes] */
/*
 * One task executes match.any as all lanes of a warp. Each lane gets a mask of the lanes that have
 * the same value as it.
 */
static int match_lanes(struct vsm_cluster *cluster, struct vsm_waitset *set,
		       const uint32_t values[32], uint32_t masks[32])
{
	struct drm_vsm_wait_record records[32];
	struct drm_vsm_insn insns[32];
	struct drm_vsm_wait waits[32];
	int i, done, ended, err;

	for (i = 0; i < 32; i++) {
		struct vsm_thread lane = vsm_thread_at(cluster, 0, i);

		insns[i] = vsm_prep_match_any_sync_b32(values[i], ALL_LANES);
		waits[i] = vsm_waitset_prep_insn(&lane, &insns[i], VSM_NEVER, i);
	}
	err = vsm_waitset_arm(set, waits, 32, NULL);
	for (done = 0; !err && done < 32; done += ended) {
		ended = vsm_waitset_read(set, records, 32, VSM_NEVER);
		if (ended < 0)
			return ended;
		for (i = 0; i < ended; i++) {
			if (records[i].status != DRM_VSM_WAIT_COMPLETE)
				return -EPROTO;		/* result: the fault */
			masks[records[i].user_data] = records[i].result;
		}
	}
	return err;
}

/* [end] */
/* [warp_step] */
/*
 * All lanes of a warp arrive at an mbarrier and wait for its phase. Returns 1 if the phase is
 * complete. Returns 0 if it is not: then a wait is armed, whose record says when the warp goes on.
 */
static int arrive_as_warp(struct vsm_thread *warp, struct vsm_waitset *set, uint32_t addr,
			  uint32_t parity)
{
	const struct drm_vsm_insn try_wait = vsm_prep_mbarrier_try_wait_parity(addr, parity, 0);
	struct drm_vsm_insn insns[32];
	struct drm_vsm_wait wait;
	int i, err;

	for (i = 0; i < 32; i++)
		insns[i] = vsm_prep_mbarrier_arrive(addr, 0);
	err = vsm_exec_lanes(warp, ALL_LANES, insns, NULL);
	for (i = 0; i < 32; i++)
		insns[i] = try_wait;
	err = err ? err : vsm_exec_lanes(warp, ALL_LANES, insns, NULL);
	if (err || insns[0].result)
		return err ? err : 1;
	wait = vsm_waitset_prep_lanes(warp, ALL_LANES, &try_wait, DRM_VSM_WAIT_NO_LIMIT, VSM_NEVER,
				      warp->thread);
	return vsm_waitset_arm(set, &wait, 1, NULL);
}

/* [end] */
static int try_warp_step(struct vsm_device *device, struct vsm_cluster *cluster)
{
	struct vsm_thread warp[2] = { vsm_thread_at(cluster, 0, 0), vsm_thread_at(cluster, 0, 32) };
	struct drm_vsm_wait_record record = { .user_data = 99 };
	struct vsm_waitset *set;
	bool right;

	if (vsm_execute(&warp[0], vsm_prep_mbarrier_init(320, 64, 0), NULL) ||
	    vsm_waitset_create(device, &set))
		return 0;
	right = arrive_as_warp(&warp[0], set, 320, 0) == 0 &&
		arrive_as_warp(&warp[1], set, 320, 0) == 1 &&
		vsm_waitset_read(set, &record, 1, VSM_NEVER) == 1 &&
		record.status == DRM_VSM_WAIT_COMPLETE && record.user_data == 0;
	vsm_waitset_destroy(set);
	return right;
}

/* [named] */
enum { FULL = 1, EMPTY = 2 };	/* named barriers of the CTA */

/*
 * Warp 0 writes values to a place in the window. To announce a value it only arrives, so it does
 * not wait there.
 */
static int put_values(struct vsm_thread *warp, uint32_t *place, uint32_t count)
{
	int err = 0;

	for (uint32_t i = 0; !err && i < count; i++) {
		if (i)
			err = vsm_execute(warp, vsm_prep_barrier_sync_count(EMPTY, 64, 0), NULL);
		if (err)
			break;
		*place = i;
		err = vsm_execute(warp, vsm_prep_barrier_arrive(FULL, 64, 0), NULL);
	}
	return err;
}

/*
 * Warp 1 waits for each value and adds it to a sum. The count 64 is the number of threads of both
 * warps.
 */
static int take_values(struct vsm_thread *warp, const uint32_t *place, uint32_t count,
		       uint32_t *sum)
{
	int err = 0;

	for (uint32_t i = 0; !err && i < count; i++) {
		err = vsm_execute(warp, vsm_prep_barrier_sync_count(FULL, 64, 0), NULL);
		if (err)
			break;
		*sum += *place;
		if (i < count - 1)
			err = vsm_execute(warp, vsm_prep_barrier_arrive(EMPTY, 64, 0), NULL);
	}
	return err;
}

/* [end] */
static int count;

static int result(const char *what, bool ok)
{
	printf("%sok %d - %s\n", ok ? "" : "not ", ++count, what);
	return !ok;
}

/* The mbarrier expects two arrivals. The stream performs both, and its wait returns True. */
static bool try_exec(int drm_fd, uint32_t cluster, uint32_t bar)
{
	struct drm_vsm_insn insns[] = {
		vsm_prep_mbarrier_init(bar, 2, 0),
		vsm_prep_mbarrier_arrive(bar, 0),
		vsm_prep_mbarrier_arrive(bar, VSM_SINK),
		vsm_prep_mbarrier_try_wait_parity(bar, 0, 0),
	};
	struct drm_vsm_exec exec = {
		.cluster = cluster,
		.insns = (uintptr_t)insns, .stride = sizeof(insns[0]), .count = 4,
	};

	return !exec_stream(drm_fd, &exec, insns) && insns[3].result == 1;
}

static bool try_waitset(int drm_fd, struct vsm_thread *thread, uint32_t cluster)
{
	struct drm_vsm_wait_record records[4];
	struct drm_vsm_wait waits[2];
	bool ok;
	int fd;

	if (vsm_execute(thread, vsm_prep_mbarrier_init(0, 1, 0), NULL) ||
	    vsm_execute(thread, vsm_prep_mbarrier_init(8, 1, 0), NULL))
		return false;
	fd = arm_all(drm_fd, cluster, waits, 2);
	if (fd < 0)
		return false;
	ok = take_records(fd, records, 4, 0) == 0 &&
	     !vsm_execute(thread, vsm_prep_mbarrier_arrive(8, VSM_SINK), NULL) &&
	     take_records(fd, records, 4, 10000) == 1 && records[0].user_data == 1 &&
	     records[0].status == DRM_VSM_WAIT_COMPLETE;
	close(fd);
	return ok && !vsm_execute(thread, vsm_prep_mbarrier_inval(0, 0), NULL) &&
	       !vsm_execute(thread, vsm_prep_mbarrier_inval(8, 0), NULL);
}

static bool try_pipeline(struct vsm_thread *thread, uint32_t buffer)
{
	static const uint32_t full[2] = { 0, 8 }, empty[2] = { 16, 24 };
	unsigned int i;

	for (i = 0; i < 2; i++) {
		if (vsm_execute(thread, vsm_prep_mbarrier_init(full[i], 1, 0), NULL) ||
		    vsm_execute(thread, vsm_prep_mbarrier_init(empty[i], 1, 0), NULL))
			return false;
	}
	for (i = 0; i < 6; i++) {
		struct drm_vsm_insn copy =
			vsm_prep_cp_async_bulk_g2s(1024 + i % 2 * 512, buffer, i * 512, 512,
						   full[i % 2]);

		if (produce(thread, full, empty, i, &copy) || consume(thread, full, empty, i))
			return false;
	}
	return true;
}

/*
 * Use two phases of one mbarrier. A wait must return True for the first before the second begins.
 */
static bool try_cp_async(struct vsm_thread *thread, const struct vsm_buffer *buffer)
{
	const char *window = vsm_cluster_window(thread->cluster, 0);
	char *memory = vsm_buffer_map(buffer);
	unsigned int i;

	for (i = 0; i < 128; i++)
		memory[i] = i;
	if (vsm_execute(thread, vsm_prep_mbarrier_init(272, 1, 0), NULL))
		return false;
	for (i = 0; i < 2; i++) {
		if (load_tile(thread, 2048, buffer, 64 * i, 272, i) ||
		    memcmp(window + 2048, memory + 64 * i, 64))
			return false;
	}
	return true;
}

static bool try_groups(struct vsm_thread *thread, const struct vsm_buffer *buffer)
{
	const unsigned char *memory = vsm_buffer_map(buffer);
	uint32_t place[2] = { 2048, 2048 + TILE };
	unsigned int i;

	if (store_tiles(thread, buffer, place, 6))
		return false;
	for (i = 0; i < 6 * TILE; i++)
		if (memory[i] != 'a' + i / TILE)
			return false;
	return true;
}

static bool try_contexts(struct vsm_device *device, struct vsm_thread *thread,
			 const struct vsm_buffer *buffer)
{
	struct drm_vsm_insn store =
		vsm_prep_cp_async_bulk_s2g(vsm_buffer_handle(buffer), 64, 4096, 32);
	int status[QUEUES] = { 1, 1, 1 };

	return !lose_context(device, thread, &store, status) && status[0] == -EIO &&
	       status[1] == -ECANCELED && !status[2];
}

static bool try_channels(const struct vsm_device *device, struct vsm_thread *thread,
			 const struct vsm_buffer *buffer)
{
	uint32_t handle = vsm_buffer_handle(buffer), channels[2], timeline;
	char *memory = vsm_buffer_map(buffer);
	struct drm_vsm_insn load, store;
	bool ok;

	if (vsm_channel_create(device, 0, &channels[0]) ||
	    vsm_channel_create(device, 0, &channels[1]) || vsm_syncobj_create(device, &timeline))
		return false;
	strcpy(memory, "from here to there");
	load = vsm_prep_cp_async_bulk_g2s(4096, handle, 0, 32, 280);
	store = vsm_prep_cp_async_bulk_s2g(handle, 64, 4096, 32);
	ok = !vsm_execute(thread, vsm_prep_mbarrier_init(280, 1, 0), NULL) &&
	     !vsm_execute(thread, vsm_prep_mbarrier_arrive_expect_tx(280, 32, VSM_SINK), NULL) &&
	     !load_and_store(device, thread, channels, &load, &store, timeline) &&
	     !strcmp(memory + 64, memory);
	vsm_syncobj_destroy(device, timeline);
	vsm_channel_destroy(device, channels[1]);
	vsm_channel_destroy(device, channels[0]);
	return ok;
}

static bool try_warp(struct vsm_cluster *cluster, const struct vsm_buffer *buffer)
{
	struct vsm_thread warp = vsm_warp_at(cluster, 0, 0);

	memset(vsm_buffer_map(buffer), 77, 512);
	return !vsm_execute(&warp, vsm_prep_mbarrier_init(288, 1, 0), NULL) &&
	       !fetch_tile(&warp, buffer, 4096, 288, 0) &&
	       !memcmp(vsm_cluster_window(cluster, 0) + 4096, vsm_buffer_map(buffer), 512);
}

static bool try_lanes(struct vsm_device *device, struct vsm_cluster *cluster)
{
	uint32_t values[32], masks[32];
	struct vsm_waitset *set;
	unsigned int i;
	bool ok;

	if (vsm_waitset_create(device, &set))
		return false;
	for (i = 0; i < 32; i++)
		values[i] = i % 2;
	ok = !match_lanes(cluster, set, values, masks);
	for (i = 0; ok && i < 32; i++)
		ok = masks[i] == (i % 2 ? 0xaaaaaaaa : 0x55555555);
	vsm_waitset_destroy(set);
	return ok;
}

#define VALUES 100

static void *play_warp_0(void *cluster)
{
	struct vsm_thread warp = vsm_warp_at(cluster, 0, 0);
	uint32_t *place = (uint32_t *)(vsm_cluster_window(cluster, 0) + 8000);

	return put_values(&warp, place, VALUES) ? NULL : cluster;
}

static bool try_named_barriers(struct vsm_cluster *cluster)
{
	struct vsm_thread warp = vsm_warp_at(cluster, 0, 1);
	const uint32_t *place = (uint32_t *)(vsm_cluster_window(cluster, 0) + 8000);
	uint32_t sum = 0;
	pthread_t other;
	void *ok;
	int err;

	if (pthread_create(&other, NULL, play_warp_0, cluster))
		return false;
	err = take_values(&warp, place, VALUES, &sum);
	pthread_join(other, &ok);
	return ok && !err && sum == VALUES * (VALUES - 1) / 2;
}

/* [recorder] */
/*
 * Print the events of a cluster that was created with config.trace_events = 4096. Return their
 * number or a negative error number.
 */
static int print_events(struct vsm_cluster *cluster, FILE *out)
{
	struct drm_vsm_trace_event events[64];
	uint64_t next = 0, lost;
	int total = 0, count, i;

	do {
		count = vsm_trace_read(cluster, events, 64, &next, &lost);
		if (count < 0)
			return count;
		if (lost)
			fprintf(out, "# %llu events were overwritten\n", (unsigned long long)lost);
		for (i = 0; i < count; i++)
			fprintf(out, "# %llu ns: type %u, thread %u.%u, operation %u, site %u\n",
				(unsigned long long)events[i].time, events[i].type, events[i].cta,
				events[i].thread, events[i].op, events[i].site);
		total += count;
	} while (count);
	return total;
}

/* [end] */

/* An init at site 7 is the only event. */
static bool try_recorder(struct vsm_device *device)
{
	struct vsm_cluster_config config = {
		.ctas = 1, .threads = 32, .smem_bytes = 1024, .trace_events = 4096,
	};
	struct vsm_cluster *cluster;
	struct vsm_thread thread;
	bool good;

	if (vsm_cluster_create(device, &config, &cluster))
		return false;
	thread = vsm_thread_at(cluster, 0, 0);
	thread.site = 7;
	good = !vsm_execute(&thread, vsm_prep_mbarrier_init(0, 1, 0), NULL) &&
	       print_events(cluster, stderr) == 1;
	vsm_cluster_destroy(cluster);
	return good;
}

int main(void)
{
	struct vsm_cluster_config config = { .ctas = 1, .threads = 64, .smem_bytes = 8192 };
	struct vsm_device *device;
	struct vsm_cluster *cluster;
	struct vsm_buffer *buffer;
	struct vsm_thread thread;
	uint32_t handle;
	int drm_fd, failed = 0;

	setvbuf(stdout, NULL, _IOLBF, 0);
	puts("TAP version 13\n1..16");
	if (vsm_device_open(NULL, &device) || vsm_cluster_create(device, &config, &cluster) ||
	    vsm_buffer_create(device, 4096, &buffer)) {
		puts("Bail out! no device");
		return 1;
	}
	drm_fd = vsm_device_fd(device);
	handle = vsm_cluster_handle(cluster);
	thread = vsm_thread_at(cluster, 0, 0);

	failed |= result("exec", try_exec(drm_fd, handle, 256));
	failed |= result("arrive and wait",
			 !vsm_execute(&thread, vsm_prep_mbarrier_init(264, 1, 0), NULL) &&
				 !arrive_and_wait(&thread, 264));
	failed |= result("wait set", try_waitset(drm_fd, &thread, handle));
	failed |= result("misuse", vsm_execute(&thread, vsm_prep_mbarrier_arrive(0, VSM_SINK),
					       NULL) == -EPROTO &&
					   thread.refused.fault ==
						   DRM_VSM_FAULT_NOT_AN_MBARRIER);
	explain(&thread);
	failed |= result("events", explain_all(device, config.layout) == 1);
	failed |= result("pipeline", try_pipeline(&thread, vsm_buffer_handle(buffer)));
	memset((char *)vsm_cluster_window(cluster, 0) + 4096, 0x5a, 4096);
	failed |= result("submit", !copy_out(device, handle, 4096, vsm_buffer_handle(buffer),
					     4096) &&
				   !memcmp(vsm_buffer_map(buffer),
					   (char *)vsm_cluster_window(cluster, 0) + 4096, 4096));
	failed |= result("cp.async", try_cp_async(&thread, buffer));
	failed |= result("groups", try_groups(&thread, buffer));
	failed |= result("channels", try_channels(device, &thread, buffer));
	failed |= result("contexts", try_contexts(device, &thread, buffer));
	failed |= result("warp", try_warp(cluster, buffer));
	failed |= result("lanes", try_lanes(device, cluster));
	failed |= result("warp step", try_warp_step(device, cluster));
	failed |= result("named barriers", try_named_barriers(cluster));

	failed |= result("flight recorder", try_recorder(device));

	vsm_buffer_destroy(buffer);
	vsm_cluster_destroy(cluster);
	vsm_device_close(device);
	return failed;
}
