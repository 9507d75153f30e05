// SPDX-License-Identifier: MIT
/*
 * The library on a real device: every function is called once. The exit status is 4 if there
 * is no device, as for kselftests.
 */
#include "on_device_fixture.h"

#include <poll.h>
#include <xf86drm.h>

#define SKIPPED 4

static uint64_t word(uint32_t cta)
{
	return __atomic_load_n((uint64_t *)((char *)vsm_cluster_window(cluster, cta) + MBAR),
			       __ATOMIC_ACQUIRE);
}

static void init(uint32_t count)
{
	must_run(&thread, vsm_prep_mbarrier_init(MBAR, count, 0));
}

TEST(test_open)
{
	struct drm_vsm_device_info info;
	struct vsm_device *other;
	uint32_t indices[8];
	char *path;

	assert_true(vsm_device_list(indices, 8) >= 1);
	info = vsm_device_info(device);
	assert_int_equal(info.index, indices[0]);
	assert_int_equal(info.abi_major, DRM_VSM_ABI_MAJOR);

	assert_int_equal(vsm_device_open_index(indices[0], &other), 0);
	vsm_device_close(other);
	assert_int_equal(vsm_device_open_index(0xffffffff, &other), -ENODEV);
	path = drmGetDeviceNameFromFd2(vsm_device_fd(device));
	assert_int_equal(vsm_device_open(path, &other), 0);
	vsm_device_close(other);
	free(path);
	assert_int_equal(vsm_device_open_fd(vsm_device_fd(device), &other), 0);
	vsm_device_close(other);
	assert_int_equal(vsm_device_open("/dev/null", &other), -ENODEV);
}

TEST(test_objects)
{
	struct vsm_cluster_config config = shape;
	struct vsm_cluster *none;

	config = vsm_cluster_shape(cluster);
	assert_memory_equal(&config, &shape, sizeof(config));
	assert_non_null(vsm_cluster_window(cluster, 1));
	assert_null(vsm_cluster_window(cluster, 2));
	assert_int_equal(vsm_buffer_size(buffer), 8192);
	memset(vsm_cluster_window(cluster, 1), 0x11, shape.smem_bytes);
	memset(vsm_buffer_map(buffer), 0x22, 8192);
	config.ctas = 0;
	assert_int_equal(vsm_cluster_create(device, &config, &none), -EINVAL);
}

/* Two clients of the device, like two processes, share objects. */
TEST(test_sharing)
{
	struct vsm_cluster_config config;
	struct vsm_cluster *theirs, *again;
	struct vsm_buffer *buf, *no_buffer;
	struct vsm_device *other;
	struct vsm_thread t;
	int dmabuf, buf_fd;

	assert_int_equal(vsm_device_open(NULL, &other), 0);
	assert_int_equal(vsm_cluster_export(cluster, &dmabuf), 0);
	assert_int_equal(vsm_cluster_import(other, dmabuf, &theirs), 0);
	assert_int_equal(vsm_cluster_import(other, dmabuf, &again), 0);
	assert_ptr_equal(theirs, again);
	vsm_cluster_destroy(again);
	assert_int_equal(vsm_buffer_import(other, dmabuf, &no_buffer), -ENOENT);
	config = vsm_cluster_shape(theirs);
	assert_memory_equal(&config, &shape, sizeof(config));

	t = vsm_thread_at(theirs, 0, 1);
	must_run(&t, vsm_prep_mbarrier_init(MBAR, 3, 0));
	assert_true(word(0) == vsm_mbarrier_init(VSM_LAYOUT_SM_90, 3));

	assert_int_equal(vsm_buffer_export(buffer, &buf_fd), 0);
	assert_int_equal(vsm_buffer_import(other, buf_fd, &buf), 0);
	strcpy(vsm_buffer_map(buf), "shared");
	assert_string_equal(vsm_buffer_map(buffer), "shared");

	vsm_buffer_destroy(buf);
	vsm_cluster_destroy(theirs);
	vsm_device_close(other);
	close(buf_fd);
	close(dmabuf);
}

TEST(test_phase)
{
	uint64_t first = 0, second = 0;

	init(2);
	first = result_of(&thread, vsm_prep_mbarrier_arrive(MBAR, VSM_RELEASE | VSM_CTA));
	assert_result(&thread, vsm_prep_mbarrier_test_wait(MBAR, first, 0), false);
	assert_result(&thread, vsm_prep_mbarrier_try_wait(MBAR, first, 0), false);
	assert_result(&thread, vsm_prep_mbarrier_try_wait_hint(MBAR, first, 1000, 0), false);
	second = result_of(&thread, vsm_prep_mbarrier_arrive_count(MBAR, 1, 0));
	assert_int_equal(vsm_mbarrier_phase(first), vsm_mbarrier_phase(second));
	assert_result(&thread, vsm_prep_mbarrier_test_wait(MBAR, second, 0), true);
	assert_result(&thread, vsm_prep_mbarrier_test_wait_parity(MBAR, 1, 0), false);
	assert_result(&thread, vsm_prep_mbarrier_try_wait_parity(MBAR, 0, 0), true);
	assert_result(&thread, vsm_prep_mbarrier_try_wait_parity_hint(MBAR, 1, 1000, 0), false);
	assert_int_equal(vsm_await_phase(&thread, MBAR, first, 0, VSM_NEVER), 0);
	must_run(&thread, vsm_prep_mbarrier_inval(MBAR, 0));
}

TEST(test_forms)
{
	uint64_t token = 0;

	init(8);
	token = result_of(&thread, vsm_prep_mbarrier_arrive_nocomplete(MBAR, 2, 0));
	assert_result(&thread, vsm_prep_mbarrier_pending_count(token), 8);
	token = result_of(&thread, vsm_prep_mbarrier_arrive_drop_nocomplete(MBAR, 1, 0));
	assert_result(&thread, vsm_prep_mbarrier_pending_count(token), 6);
	must_run(&thread, vsm_prep_mbarrier_arrive_drop(MBAR, VSM_SINK));
	must_run(&thread, vsm_prep_mbarrier_arrive_drop_count(MBAR, 2, VSM_SINK));
	assert_int_equal(vsm_mbarrier_pending(VSM_LAYOUT_SM_90, word(0)), 2);
	assert_int_equal(vsm_mbarrier_expected(VSM_LAYOUT_SM_90, word(0)), 4);

	must_run(&thread, vsm_prep_mbarrier_expect_tx(MBAR, 32, 0));
	token = result_of(&thread, vsm_prep_mbarrier_arrive_expect_tx(MBAR, 64, 0));
	must_run(&thread, vsm_prep_mbarrier_arrive_drop_expect_tx(MBAR, 128, VSM_SINK));
	assert_int_equal(vsm_mbarrier_tx(VSM_LAYOUT_SM_90, word(0)), 224);
	must_run(&thread, vsm_prep_mbarrier_complete_tx(MBAR, 224, 0));
	assert_int_equal(vsm_await_parity(&thread, MBAR, 0, 0, VSM_NEVER), 0);
	assert_int_equal(vsm_mbarrier_pending(VSM_LAYOUT_SM_90, word(0)), 3);
}

TEST(test_remote)
{
	struct vsm_thread remote;

	init(1);
	must_run(&thread, vsm_prep_fence_mbarrier_init());
	remote = vsm_thread_at(cluster, 1, 0);
	must_fault(&remote, vsm_prep_mbarrier_arrive(vsm_shared_addr(0, MBAR), VSM_SHARED_CLUSTER),
		   DRM_VSM_FAULT_REMOTE_FORBIDDEN);
	must_run(&remote, vsm_prep_mbarrier_arrive(vsm_mapa(MBAR, 0), VSM_RELEASE | VSM_CLUSTER |
									      VSM_SHARED_CLUSTER |
									      VSM_SINK));
	assert_int_equal(vsm_mbarrier_phase(word(0)), 1);
}

TEST(test_misuse)
{
	uint64_t before;

	init(1);
	before = word(0);
	assert_int_equal(run(&thread, vsm_prep_mbarrier_arrive_count(MBAR, 2, VSM_SINK)), -EPROTO);
	assert_int_equal(thread.refused.op, DRM_VSM_OP_MBARRIER_ARRIVE);
	assert_int_equal(thread.refused.u.mbarrier.count, 2);
	assert_string_equal(vsm_fault_name(thread.refused.fault), "ARRIVAL_OVERFLOW");
	assert_true(thread.refused.result == before && word(0) == before);
	assert_int_equal(run(&thread,
			     vsm_prep_mbarrier_arrive(MBAR, VSM_RELAXED | VSM_ACQUIRE | VSM_SINK)),
			 -EINVAL);
}

TEST(test_exec)
{
	struct drm_vsm_insn insns[4];
	uint32_t retired = 0;

	insns[0] = vsm_prep_mbarrier_init(MBAR, 2, VSM_SHARED_CTA);
	insns[1] = vsm_prep_mbarrier_try_wait_parity_hint(MBAR, 0, 1000, 0);
	insns[2] = vsm_prep_mbarrier_arrive(MBAR, 0);
	insns[3] = vsm_prep_mbarrier_arrive_count(MBAR, 2, VSM_SINK);
	/* The try_wait returns False. The stream ends, and the program decides what to do. */
	assert_int_equal(vsm_exec(&thread, insns, 4, &retired), 0);
	assert_int_equal(retired, 2);
	assert_int_equal(insns[1].result, 0);
	assert_int_equal(vsm_exec(&thread, insns, 4, &retired), -EPROTO);
	assert_int_equal(retired, 3);
	assert_int_equal(insns[3].fault, DRM_VSM_FAULT_ARRIVAL_OVERFLOW);
	insns[3].u.mbarrier.count = 1;
	assert_int_equal(vsm_exec(&thread, insns, 4, &retired), 0);
	assert_int_equal(retired, 4);
	assert_int_equal(vsm_mbarrier_phase(word(0)), 1);
}

static void *arrive_later(void *unused)
{
	struct vsm_thread t = vsm_thread_at(cluster, 0, 1);

	usleep(30000);
	run(&t, vsm_prep_mbarrier_arrive(MBAR, VSM_SINK));
	return unused;
}

TEST(test_wait)
{
	pthread_t other;

	init(1);
	assert_int_equal(pthread_create(&other, NULL, arrive_later, NULL), 0);
	assert_int_equal(vsm_await_parity(&thread, MBAR, 0, VSM_ACQUIRE | VSM_CTA, VSM_NEVER), 0);
	assert_int_equal(vsm_mbarrier_phase(word(0)), 1);
	pthread_join(other, NULL);
}

TEST(test_waitset)
{
	struct drm_vsm_wait_record records[4];
	struct drm_vsm_wait waits[3];
	struct vsm_waitset *set;
	struct pollfd poll_fd;
	uint32_t armed = 0;
	uint64_t token = 0;

	init(2);
	token = result_of(&thread, vsm_prep_mbarrier_arrive(MBAR, 0));
	assert_int_equal(vsm_waitset_create(device, &set), 0);
	waits[0] = vsm_waitset_prep_state(cluster, MBAR, token, VSM_NEVER, 10);
	waits[1] = vsm_waitset_prep_parity(cluster, MBAR, 0, after_ms(5), 11);
	waits[2] = vsm_waitset_prep_parity(cluster, MBAR, 0, VSM_NEVER, 12);
	assert_int_equal(vsm_waitset_arm(set, waits, 3, &armed), 0);
	assert_int_equal(armed, 3);
	assert_int_equal(vsm_waitset_cancel(set, waits[2].id), 0);
	assert_int_equal(vsm_waitset_cancel(set, waits[2].id), -ENOENT);

	assert_int_equal(vsm_waitset_read(set, records, 4, VSM_NEVER), 1);
	assert_int_equal(records[0].user_data, 11);
	assert_int_equal(records[0].status, DRM_VSM_WAIT_EXPIRED);
	assert_int_equal(vsm_waitset_read(set, records, 4, after_ms(5)), 0);
	assert_int_equal(vsm_waitset_read(set, records, 4, 0), 0);

	must_run(&thread, vsm_prep_mbarrier_arrive(MBAR, VSM_SINK));
	poll_fd = (struct pollfd) { .fd = vsm_waitset_fd(set), .events = POLLIN };
	assert_int_equal(poll(&poll_fd, 1, 1000), 1);
	assert_int_equal(poll_fd.revents, POLLIN);
	assert_int_equal(vsm_waitset_read(set, records, 4, VSM_NEVER), 1);
	assert_int_equal(records[0].user_data, 10);
	assert_int_equal(records[0].id, waits[0].id);
	assert_int_equal(records[0].status, DRM_VSM_WAIT_COMPLETE);
	vsm_waitset_destroy(set);
}

TEST(test_copies)
{
	struct drm_vsm_sync sync = { .flags = DRM_VSM_SYNC_SIGNAL };
	struct drm_vsm_insn insns[2];
	uint32_t refused = 99;
	uint32_t syncobj;

	assert_int_equal(vsm_syncobj_create(device, &syncobj), 0);
	sync.handle = syncobj;
	assert_int_equal(vsm_syncobj_wait(device, syncobj, 0, 0), -EINVAL);
	memset(vsm_buffer_map(buffer), 0x5a, 256);
	init(1);
	must_run(&thread, vsm_prep_mbarrier_arrive_expect_tx(MBAR, 256, VSM_SINK));

	insns[0] = vsm_prep_cp_async_bulk_g2s(DATA, vsm_buffer_handle(buffer), 0, 256, MBAR);
	insns[1] = vsm_prep_cp_async_bulk_s2g(vsm_buffer_handle(buffer), 4096, DATA, 256);
	/* The copies of a job do not wait for each other. */
	assert_int_equal(vsm_submit(&thread, &insns[0], 1, NULL, 0, NULL), 0);
	assert_int_equal(vsm_submit(&thread, &insns[1], 1, &sync, 1, NULL), 0);
	assert_int_equal(vsm_await_parity(&thread, MBAR, 0, 0, VSM_NEVER), 0);
	assert_memory_equal((char *)vsm_cluster_window(cluster, 0) + DATA, vsm_buffer_map(buffer),
			    256);
	assert_int_equal(vsm_syncobj_wait(device, syncobj, 0, after_ms(600000)), 0);
	assert_memory_equal((char *)vsm_buffer_map(buffer) + 4096, vsm_buffer_map(buffer), 256);

	/*
	 * SUBMIT refuses a job with a fault that it can find. A fault that only execution finds
	 * ends the job.
	 */
	insns[1].u.copy.size = 8;
	assert_int_equal(vsm_submit(&thread, insns, 2, &sync, 1, &refused), -EPROTO);
	assert_int_equal(refused, 1);
	assert_int_equal(thread.refused.fault, DRM_VSM_FAULT_COPY_SIZE);
	insns[0] = vsm_prep_mbarrier_arrive_count(MBAR, 5, VSM_SINK);
	assert_int_equal(vsm_submit(&thread, insns, 1, &sync, 1, NULL), 0);
	assert_int_equal(vsm_syncobj_wait(device, syncobj, 0, after_ms(600000)), -EIO);
	assert_int_equal(vsm_syncobj_destroy(device, syncobj), 0);
	assert_int_equal(vsm_syncobj_wait(device, syncobj, 0, 0), -ENOENT);
}

/* The device enforces a rule that needs more knowledge than is in the word. */
TEST(test_phases_are_observed)
{
	uint64_t before;

	init(1);
	must_run(&thread, vsm_prep_mbarrier_arrive(MBAR, VSM_SINK));
	before = word(0);
	must_fault(&thread, vsm_prep_mbarrier_arrive(MBAR, VSM_SINK),
		   DRM_VSM_FAULT_PHASE_UNOBSERVED);
	assert_true(thread.refused.result == before && word(0) == before);
	assert_int_equal(vsm_await_parity(&thread, MBAR, 0, 0, VSM_NEVER), 0);
	must_run(&thread, vsm_prep_mbarrier_arrive(MBAR, VSM_SINK));
	assert_int_equal(vsm_mbarrier_phase(word(0)), 0);
}

TEST(test_tokens)
{
	uint64_t tokens[2] = { 0 }, other = 0, pending = 0;
	int i;

	init(1);
	for (i = 0; i < 2; i++) {
		tokens[i] = result_of(&thread, vsm_prep_mbarrier_arrive(MBAR, 0));
		assert_int_equal(vsm_await_phase(&thread, MBAR, tokens[i], 0, VSM_NEVER), 0);
	}
	assert_result(&thread, vsm_prep_mbarrier_test_wait(MBAR, tokens[1], 0), true);
	must_fault(&thread, vsm_prep_mbarrier_test_wait(MBAR, tokens[0], 0),
		   DRM_VSM_FAULT_STALE_TOKEN);

	must_run(&thread, vsm_prep_mbarrier_init(MBAR2, 2, 0));
	other = result_of(&thread, vsm_prep_mbarrier_arrive(MBAR2, 0));
	must_fault(&thread, vsm_prep_mbarrier_test_wait(MBAR, other, 0), DRM_VSM_FAULT_STALE_TOKEN);

	must_fault(&thread, vsm_prep_mbarrier_pending_count(other),
		   DRM_VSM_FAULT_NOT_A_PENDING_TOKEN);
	must_run(&thread, vsm_prep_mbarrier_init(MBAR2 + 8, 3, 0));
	pending = result_of(&thread, vsm_prep_mbarrier_arrive_nocomplete(MBAR2 + 8, 2, 0));
	assert_result(&thread, vsm_prep_mbarrier_pending_count(pending), 3);
}

TEST(test_fence)
{
	struct vsm_thread remote = vsm_thread_at(cluster, 1, 0);
	uint64_t before;

	init(1);
	before = word(0);
	must_fault(&remote, vsm_prep_mbarrier_arrive(MBAR, VSM_SHARED_CLUSTER | VSM_SINK),
		   DRM_VSM_FAULT_INIT_NOT_FENCED);
	/* A fence of another thread has no effect: the thread of the init must execute it. */
	must_run(&remote, vsm_prep_fence_mbarrier_init());
	assert_int_equal(run(&remote,
			     vsm_prep_mbarrier_arrive(MBAR, VSM_SHARED_CLUSTER | VSM_SINK)),
			 -EPROTO);
	assert_true(word(0) == before);
	must_run(&thread, vsm_prep_fence_mbarrier_init());
	must_run(&remote, vsm_prep_mbarrier_arrive(MBAR, VSM_SHARED_CLUSTER | VSM_SINK));
	assert_int_equal(vsm_mbarrier_phase(word(0)), 1);
}

TEST(test_release_fence)
{
	struct vsm_thread remote = vsm_thread_at(cluster, 1, 0);

	init(1);
	must_run(&thread, vsm_prep_fence(VSM_ACQUIRE | VSM_CLUSTER));
	must_run(&thread, vsm_prep_fence(VSM_ACQ_REL | VSM_CTA));
	must_fault(&remote, vsm_prep_mbarrier_arrive(MBAR, VSM_SHARED_CLUSTER | VSM_SINK),
		   DRM_VSM_FAULT_INIT_NOT_FENCED);
	/*
	 * A program executes this fence before a store with .release.cluster, because the device
	 * does not see stores.
	 */
	must_run(&thread, vsm_prep_fence(VSM_RELEASE | VSM_CLUSTER));
	must_run(&remote, vsm_prep_mbarrier_arrive(MBAR, VSM_SHARED_CLUSTER | VSM_SINK));
}

TEST(test_cp_async)
{
	const char rest[16] = { 1, 2, 3, 4, 5 };
	unsigned char *from = vsm_buffer_map(buffer);
	char *data = (char *)vsm_cluster_window(cluster, 0) + DATA;
	int i;

	for (i = 0; i < 64; i++)
		from[i] = i + 1;
	init(1);
	must_run(&thread, vsm_prep_cp_async(DATA, vsm_buffer_handle(buffer), 0, 16, VSM_CG));
	must_run(&thread,
		 vsm_prep_cp_async(DATA + 16, vsm_buffer_handle(buffer), 16, 8, VSM_SHARED_CTA));
	must_run(&thread, vsm_prep_cp_async(DATA + 24, vsm_buffer_handle(buffer), 24, 4, 0));
	must_run(&thread, vsm_prep_cp_async_mbarrier_arrive_noinc(MBAR, 0));
	assert_int_equal(vsm_await_parity(&thread, MBAR, 0, 0, VSM_NEVER), 0);
	assert_memory_equal(data, from, 28);

	/*
	 * Of the 16 bytes that this copy writes, it reads five; the others become 0. Without
	 * .noinc, the arrive adds one to the pending count before it arrives.
	 */
	memset(data, 0x5a, 17);
	must_run(&thread, vsm_prep_cp_async_src_size(DATA, vsm_buffer_handle(buffer), 0, 16, 5, 0));
	must_run(&thread, vsm_prep_cp_async_mbarrier_arrive(MBAR, VSM_SHARED_CTA));
	must_run(&thread, vsm_prep_mbarrier_arrive(MBAR, VSM_SINK));
	assert_int_equal(vsm_await_parity(&thread, MBAR, 1, 0, VSM_NEVER), 0);
	assert_memory_equal(data, rest, 16);
	assert_int_equal(data[16], 0x5a);

	assert_int_equal(run(&thread,
			     vsm_prep_cp_async(DATA, vsm_buffer_handle(buffer), 0, 8, VSM_CG)),
			 -EINVAL);
	must_fault(&thread, vsm_prep_cp_async_src_size(DATA, vsm_buffer_handle(buffer), 0, 4, 5, 0),
		   DRM_VSM_FAULT_COPY_SIZE);
}

TEST(test_hold)
{
	char *data = (char *)vsm_cluster_window(cluster, 0) + DATA;

	memset(vsm_buffer_map(buffer), 0x5a, 16);
	init(1);
	assert_int_equal(vsm_cluster_hold(cluster, true), 0);
	must_run(&thread, vsm_prep_cp_async(DATA, vsm_buffer_handle(buffer), 0, 16, 0));
	must_run(&thread, vsm_prep_cp_async_mbarrier_arrive_noinc(MBAR, 0));
	assert_result(&thread, vsm_prep_mbarrier_test_wait_parity(MBAR, 0, 0), false);
	assert_int_equal(data[15], 0);
	must_fault(&thread, vsm_prep_mbarrier_inval(MBAR, 0), DRM_VSM_FAULT_INVAL_IN_USE);
	assert_int_equal(thread.refused.info, 1);

	assert_int_equal(vsm_cluster_hold(cluster, false), 0);
	assert_int_equal(vsm_await_parity(&thread, MBAR, 0, 0, VSM_NEVER), 0);
	assert_int_equal(data[15], 0x5a);
	must_run(&thread, vsm_prep_mbarrier_inval(MBAR, 0));
}

/* Read the next event, which must come, and check its source and fault. */
static void assert_event(uint32_t source, uint32_t code, struct drm_vsm_event_fault *event)
{
	assert_int_equal(vsm_event_read(device, event, 1, after_ms(600000)), 1);
	assert_int_equal(event->base.type, DRM_VSM_EVENT_FAULT);
	assert_int_equal(event->cluster, vsm_cluster_handle(cluster));
	assert_int_equal(event->cta, 0);
	assert_int_equal(event->source, source);
	assert_int_equal(event->insn.fault, code);
	assert_int_equal(event->lost, 0);
	assert_true(event->time > 0 && event->time <= after_ms(0));
	assert_int_equal(vsm_event_read(device, event, 1, 0), 0);
}

TEST(test_events)
{
	struct vsm_thread other = vsm_thread_at(cluster, 0, 63);
	struct drm_vsm_event_fault event;
	struct drm_vsm_insn insn;
	struct drm_vsm_wait wait;
	struct vsm_waitset *set;
	char text[200];

	init(1);
	assert_int_equal(vsm_event_read(device, &event, 1, 0), 0);

	assert_int_equal(run(&other, vsm_prep_mbarrier_arrive_count(MBAR, 2, VSM_SINK)), -EPROTO);
	assert_event(DRM_VSM_SOURCE_EXEC, DRM_VSM_FAULT_ARRIVAL_OVERFLOW, &event);
	assert_int_equal(event.thread, 63);
	assert_memory_equal(&event.insn, &other.refused, sizeof(event.insn));
	vsm_fault_message(VSM_LAYOUT_SM_90, event.cta, &event.insn, text, sizeof(text));
	assert_non_null(strstr(text, "arrive of 2 on the mbarrier at CTA 0 + 0x40: 1 arrival is"));

	insn = vsm_prep_cp_async_bulk_g2s(DATA, vsm_buffer_handle(buffer), 0, 8, MBAR);
	assert_int_equal(vsm_submit(&thread, &insn, 1, NULL, 0, NULL), -EPROTO);
	assert_event(DRM_VSM_SOURCE_SUBMIT, DRM_VSM_FAULT_COPY_SIZE, &event);

	insn = vsm_prep_mbarrier_arrive_count(MBAR, 5, VSM_SINK);
	assert_int_equal(vsm_submit(&other, &insn, 1, NULL, 0, NULL), 0);
	assert_event(DRM_VSM_SOURCE_JOB, DRM_VSM_FAULT_ARRIVAL_OVERFLOW, &event);
	assert_int_equal(event.insn.u.mbarrier.count, 5);
	assert_int_equal(event.thread, 63);
	assert_true(event.insn.result == word(0));

	assert_int_equal(vsm_waitset_create(device, &set), 0);
	wait = vsm_waitset_prep_parity(cluster, MBAR2, 0, VSM_NEVER, 0);
	assert_int_equal(vsm_waitset_arm(set, &wait, 1, NULL), -EPROTO);
	assert_event(DRM_VSM_SOURCE_ARM, DRM_VSM_FAULT_NOT_AN_MBARRIER, &event);
	assert_int_equal(event.insn.op, DRM_VSM_OP_MBARRIER_TRY_WAIT);
	assert_int_equal(event.insn.u.mbarrier.addr, MBAR2);
	vsm_waitset_destroy(set);
}

TEST(test_asynchronous_misuse)
{
	struct drm_vsm_event_fault event;
	struct drm_vsm_insn insn;

	init(1);
	assert_int_equal(vsm_cluster_hold(cluster, true), 0);
	must_run(&thread, vsm_prep_cp_async_mbarrier_arrive_noinc(MBAR, 0));
	/*
	 * The count of the init does not include the asynchronous arrival: this arrive completes
	 * the phase.
	 */
	must_run(&thread, vsm_prep_mbarrier_arrive(MBAR, VSM_SINK));
	assert_int_equal(vsm_event_read(device, &event, 1, 0), 0);
	assert_int_equal(vsm_cluster_hold(cluster, false), 0);
	assert_event(DRM_VSM_SOURCE_ASYNC, DRM_VSM_FAULT_LATE_COMPLETION, &event);
	assert_int_equal(event.insn.op, DRM_VSM_OP_CP_ASYNC_MBARRIER_ARRIVE);
	assert_int_equal(event.insn.mods, DRM_VSM_MOD_NOINC);
	assert_true(event.insn.result == word(0));

	must_run(&thread, vsm_prep_mbarrier_init(MBAR2, 1, 0));
	must_run(&thread, vsm_prep_mbarrier_expect_tx(MBAR2, 64, 0));
	insn = vsm_prep_cp_async_bulk_g2s(MBAR - 32, vsm_buffer_handle(buffer), 0, 64, MBAR2);
	assert_int_equal(vsm_submit(&thread, &insn, 1, NULL, 0, NULL), 0);
	assert_event(DRM_VSM_SOURCE_JOB, DRM_VSM_FAULT_WRITE_OVER_LIVE, &event);
	assert_int_equal(event.insn.info, MBAR);
}

/* If no program reads the events, the device drops some and counts them. */
TEST(test_lost_events)
{
	static struct drm_vsm_event_fault events[64];
	int count, i;

	init(1);
	for (i = 0; i < 64; i++)
		assert_int_equal(run(&thread,
				     vsm_prep_mbarrier_arrive_count(MBAR, i + 2, VSM_SINK)),
				 -EPROTO);
	count = vsm_event_read(device, events, 64, 0);
	assert_in_range(count, 1, 63);
	for (i = 0; i < count; i++) {
		assert_int_equal(events[i].insn.u.mbarrier.count, i + 2);
		assert_int_equal(events[i].lost, 0);
	}
	assert_int_equal(vsm_event_read(device, events, 64, 0), 0);
	assert_int_equal(run(&thread, vsm_prep_mbarrier_arrive_count(MBAR, 2, VSM_SINK)), -EPROTO);
	assert_int_equal(vsm_event_read(device, events, 64, 0), 1);
	assert_int_equal(events[0].lost, 64 - count);
}

/* Whenever the device finds an instruction malformed, the library says what is wrong with it. */
TEST(test_reasons)
{
	struct drm_vsm_insn insn;
	unsigned char *bytes = (unsigned char *)&insn;
	unsigned int op, mods, byte, malformed = 0;
	char text[300];

	for (op = 1; op <= DRM_VSM_OP_FENCE + 1; op++) {
		/* These instructions would suspend or end the thread. */
		if (op >= DRM_VSM_OP_MATCH_SYNC && op <= DRM_VSM_OP_EXIT)
			continue;
		for (mods = 0; mods <= DRM_VSM_MOD_ALIGNED; mods = mods ? mods << 1 : 1) {
			for (byte = offsetof(struct drm_vsm_insn, space);
			     byte < offsetof(struct drm_vsm_insn, result); byte++) {
				memset(&insn, 0, sizeof(insn));
				insn.op = op;
				insn.mods = mods;
				bytes[byte] = 0x81;
				if (run(&thread, insn) != -EINVAL)
					continue;
				malformed++;
				vsm_thread_strerror(&thread, text, sizeof(text));
				if (strstr(text, " of the call is wrong") ||
				    strstr(text, "a job can"))
					fail_msg("%s", text);
			}
		}
	}
	assert_true(malformed > 1000);
}

/* The fence of the job is wrong: vsm_thread_strerror() blames no instruction. */
TEST(test_fence_at_fault)
{
	struct drm_vsm_insn insns[2];
	struct drm_vsm_sync sync;
	uint32_t syncobj;
	char text[300];

	assert_int_equal(vsm_syncobj_create(device, &syncobj), 0);
	sync = vsm_sync_in(syncobj, 0);
	insns[0] = vsm_prep_mbarrier_arrive(MBAR, VSM_SINK);
	insns[1] = vsm_prep_red_async(DRM_VSM_RED_ADD, DRM_VSM_TYPE_U32, 0x80, 1, MBAR, 0);
	assert_int_equal(vsm_submit(&thread, insns, 2, &sync, 1, NULL), -EINVAL);
	vsm_thread_strerror(&thread, text, sizeof(text));
	if (!strstr(text, " of the call is wrong"))
		fail_msg("%s", text);

	/*
	 * The device refuses an instruction that is not the last one: the fence is not the reason.
	 */
	insns[0] = vsm_prep_red_async(DRM_VSM_RED_POPC, DRM_VSM_TYPE_U32, 0x80, 1, MBAR, 0);
	assert_int_equal(vsm_submit(&thread, insns, 2, &sync, 1, NULL), -EINVAL);
	vsm_thread_strerror(&thread, text, sizeof(text));
	assert_string_equal(strstr(text, ": "), ": it does not take this reduction, mode or type");

	insns[0] = vsm_prep_vote_sync_ballot(true, 1);
	assert_int_equal(vsm_submit(&thread, insns, 1, NULL, 0, NULL), -EINVAL);
	vsm_thread_strerror(&thread, text, sizeof(text));
	assert_string_equal(strstr(text, ": "), ": a job cannot contain it");
	assert_int_equal(vsm_syncobj_destroy(device, syncobj), 0);
}

/* The device refuses the call before it reads an instruction. */
TEST(test_no_instructions)
{
	struct vsm_thread nobody = vsm_thread_at(thread.cluster, 99, 0);
	char text[300];

	assert_int_equal(vsm_exec(&nobody, NULL, 1, NULL), -EINVAL);
	vsm_thread_strerror(&nobody, text, sizeof(text));
	assert_non_null(strstr(text, "there is no CTA 99"));
}

static struct vsm_cluster *pair;

static void *wait_in_pair(void *result)
{
	struct vsm_thread t = vsm_thread_at(pair, 0, 1);

	if (vsm_await_parity(&t, MBAR2, 0, 0, VSM_NEVER) == -EPROTO)
		*(uint32_t *)result = t.refused.fault;
	return NULL;
}

/* Two threads wait for each other. */
TEST(test_deadlock)
{
	struct vsm_cluster_config config = { .ctas = 1, .threads = 2, .smem_bytes = 1024 };
	uint32_t others = 0;
	struct vsm_thread t;
	pthread_t other;

	assert_int_equal(vsm_cluster_create(device, &config, &pair), 0);
	t = vsm_thread_at(pair, 0, 0);
	must_run(&t, vsm_prep_mbarrier_init(MBAR, 1, 0));
	must_run(&t, vsm_prep_mbarrier_init(MBAR2, 1, 0));
	assert_int_equal(pthread_create(&other, NULL, wait_in_pair, &others), 0);
	assert_int_equal(vsm_await_parity(&t, MBAR, 0, 0, VSM_NEVER), -EPROTO);
	pthread_join(other, NULL);
	assert_int_equal(t.refused.fault, DRM_VSM_FAULT_DEADLOCK);
	assert_int_equal(t.refused.info, 2);
	assert_int_equal(others, DRM_VSM_FAULT_DEADLOCK);
	/* A deadlock does not kill the cluster. */
	must_run(&t, vsm_prep_mbarrier_arrive(MBAR, VSM_SINK));
	assert_int_equal(vsm_await_parity(&t, MBAR, 0, 0, VSM_NEVER), 0);
	vsm_cluster_destroy(pair);
}

int main(void)
{
	if (!vsm_device_list(NULL, 0)) {
		puts("1..0 # SKIP no vsm device");
		return SKIPPED;
	}
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return testing_run(NULL, NULL);
}
