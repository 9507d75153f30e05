// SPDX-License-Identifier: MIT
/*
 * Copies, groups, channels and fences on a real device: each test calls a function once, and checks
 * its effect.
 */
#include "on_device_fixture.h"

#include <vsm_tensor.h>

#define DATA2 2048
#define CTA1 (1U << VSM_SHARED_RANK_SHIFT)

static unsigned char *window(uint32_t addr)
{
	return (unsigned char *)vsm_cluster_window(cluster, addr >> VSM_SHARED_RANK_SHIFT) +
	       (addr & (CTA1 - 1));
}

static unsigned char *global(uint64_t offset)
{
	return (unsigned char *)vsm_buffer_map(buffer) + offset;
}

static void fill(unsigned char *to, size_t size, unsigned char first)
{
	size_t i;

	for (i = 0; i < size; i++)
		to[i] = (unsigned char)(first + i);
}

/* Initialise an mbarrier in the window of a CTA, with @bytes expected. */
static void expect(uint32_t addr, uint32_t bytes)
{
	struct vsm_thread t = vsm_thread_at(cluster, (uint16_t)(addr >> VSM_SHARED_RANK_SHIFT), 0);

	must_run(&t, vsm_prep_mbarrier_init(addr, 1, 0));
	must_run(&t, vsm_prep_fence_mbarrier_init());
	must_run(&t, vsm_prep_mbarrier_arrive_expect_tx(addr, bytes, VSM_SINK));
}

static void await(uint32_t addr)
{
	struct vsm_thread t = vsm_thread_at(cluster, (uint16_t)(addr >> VSM_SHARED_RANK_SHIFT), 0);

	assert_int_equal(vsm_await_parity(&t, addr, 0, 0, VSM_NEVER), 0);
}

TEST(test_groups)
{
	fill(global(0), 64, 1);
	assert_int_equal(vsm_cluster_hold(cluster, true), 0);
	must_run(&thread, vsm_prep_cp_async(DATA, vsm_buffer_handle(buffer), 0, 16, 0));
	must_run(&thread, vsm_prep_cp_async_commit_group());
	/* The wait returns, because it allows one group in flight. */
	must_run(&thread, vsm_prep_cp_async_wait_group(1));
	assert_int_equal(window(DATA)[15], 0);
	assert_int_equal(vsm_cluster_hold(cluster, false), 0);
	must_run(&thread, vsm_prep_cp_async_wait_group(0));
	assert_memory_equal(window(DATA), global(0), 16);

	must_run(&thread, vsm_prep_cp_async(DATA + 16, vsm_buffer_handle(buffer), 16, 16, 0));
	must_run(&thread, vsm_prep_cp_async_wait_all());
	assert_memory_equal(window(DATA), global(0), 32);
}

TEST(test_bulk_groups)
{
	fill(window(DATA), 64, 1);
	assert_int_equal(vsm_cluster_hold(cluster, true), 0);
	must_run(&thread, vsm_prep_cp_async_bulk_s2g(vsm_buffer_handle(buffer), 4096, DATA, 64));
	must_run(&thread, vsm_prep_cp_async_bulk_commit_group());
	must_run(&thread, vsm_prep_cp_async_bulk_wait_group(1));
	must_run(&thread, vsm_prep_cp_async_bulk_wait_group_read(1));
	assert_int_equal(global(4096)[0], 0);
	assert_int_equal(vsm_cluster_hold(cluster, false), 0);
	must_run(&thread, vsm_prep_cp_async_bulk_wait_group_read(0));
	/* The copy has read its source: the program may overwrite it. */
	fill(window(DATA), 64, 101);
	must_run(&thread, vsm_prep_cp_async_bulk_wait_group(0));
	assert_int_equal(global(4096)[0], 1);
	assert_int_equal(global(4096)[63], 64);
}

TEST(test_bulk)
{
	fill(global(0), 256, 1);
	expect(MBAR, 256);
	must_run(&thread,
		 vsm_prep_cp_async_bulk_g2s(DATA, vsm_buffer_handle(buffer), 0, 256, MBAR));
	await(MBAR);
	assert_memory_equal(window(DATA), global(0), 256);

	/* Copy into the window of the other CTA. */
	expect(CTA1 + MBAR, 128);
	must_run(&thread, vsm_prep_cp_async_bulk_s2s(CTA1 + DATA, DATA + 128, 128, CTA1 + MBAR));
	await(CTA1 + MBAR);
	assert_memory_equal(window(CTA1 + DATA), global(128), 128);

	must_run(&thread, vsm_prep_cp_async_bulk_prefetch(vsm_buffer_handle(buffer), 0, 256));
	must_fault(&thread, vsm_prep_cp_async_bulk_prefetch(vsm_buffer_handle(buffer), 8192, 16),
		   DRM_VSM_FAULT_COPY_BOUNDS);
}

TEST(test_multicast)
{
	fill(global(0), 64, 1);
	expect(MBAR, 64);
	expect(CTA1 + MBAR, 64);
	must_run(&thread, vsm_prep_cp_async_bulk_g2s_multicast(DATA, vsm_buffer_handle(buffer), 0,
							       64, MBAR, 3));
	await(MBAR);
	await(CTA1 + MBAR);
	assert_memory_equal(window(DATA), global(0), 64);
	assert_memory_equal(window(CTA1 + DATA), global(0), 64);
	must_fault(&thread,
		   vsm_prep_cp_async_bulk_g2s_multicast(DATA, vsm_buffer_handle(buffer), 0, 64,
							MBAR, 4),
		   DRM_VSM_FAULT_OUT_OF_WINDOW);
}

/* Wait for the copies of the thread to global memory. */
static void await_group(void)
{
	must_run(&thread, vsm_prep_cp_async_bulk_commit_group());
	must_run(&thread, vsm_prep_cp_async_bulk_wait_group(0));
}

TEST(test_byte_mask)
{
	fill(window(DATA), 32, 1);
	must_run(&thread,
		 vsm_prep_cp_async_bulk_s2g_mask(vsm_buffer_handle(buffer), 0, DATA, 32, 0x8001));
	await_group();
	assert_int_equal(global(0)[0], 1);
	assert_int_equal(global(0)[1], 0);
	assert_int_equal(global(0)[15], 16);
	assert_int_equal(global(0)[16], 17);
	assert_int_equal(global(0)[30], 0);
	assert_int_equal(global(0)[31], 32);
}

TEST(test_reductions)
{
	const uint32_t operands[] = { 1, 2, 0xffffffff, 4 }, values[] = { 10, 20, 30, 40 };
	const uint32_t sums[] = { 11, 22, 29, 44 };
	const uint32_t ands[] = { 0, 0, 30, 0 };

	memcpy(window(DATA), operands, 16);
	memcpy(global(0), values, 16);
	must_run(&thread,
		 vsm_prep_cp_reduce_async_bulk_s2g(DRM_VSM_RED_ADD, DRM_VSM_TYPE_U32,
						   vsm_buffer_handle(buffer), 0, DATA, 16));
	await_group();
	assert_memory_equal(global(0), sums, 16);

	memcpy(window(CTA1 + DATA), values, 16);
	expect(CTA1 + MBAR, 16);
	must_run(&thread, vsm_prep_cp_reduce_async_bulk_s2s(DRM_VSM_RED_AND, DRM_VSM_TYPE_B32,
							    CTA1 + DATA, DATA, 16, CTA1 + MBAR));
	await(CTA1 + MBAR);
	assert_memory_equal(window(CTA1 + DATA), ands, 16);
}

TEST(test_stores)
{
	const uint64_t value[] = { 0x1122334455667788, 0x99aabbccddeeff00 };
	uint32_t word = 40;

	expect(CTA1 + MBAR, 28);
	must_run(&thread, vsm_prep_st_async(16, CTA1 + DATA, value, CTA1 + MBAR, 0));
	must_run(&thread, vsm_prep_st_async(8, CTA1 + DATA + 16, value + 1, CTA1 + MBAR,
					    VSM_SHARED_CLUSTER));
	must_run(&thread, vsm_prep_st_async(4, CTA1 + DATA + 24, &word, CTA1 + MBAR, 0));
	await(CTA1 + MBAR);
	assert_memory_equal(window(CTA1 + DATA), value, 16);
	assert_memory_equal(window(CTA1 + DATA + 16), value + 1, 8);
	assert_memory_equal(window(CTA1 + DATA + 24), &word, 4);

	expect(CTA1 + MBAR2, 4);
	must_run(&thread, vsm_prep_red_async(DRM_VSM_RED_ADD, DRM_VSM_TYPE_S32, CTA1 + DATA + 24,
					     (uint64_t)-42, CTA1 + MBAR2, 0));
	await(CTA1 + MBAR2);
	word = (uint32_t)-2;
	assert_memory_equal(window(CTA1 + DATA + 24), &word, 4);
}

/* The tensor has 4 rows of 8 elements of 4 bytes; the box has 2 rows of 4 elements. */
static const struct drm_vsm_tensor_map tiled = {
	.type = DRM_VSM_TENSOR_UINT32,
	.rank = 2,
	.mode = DRM_VSM_TENSOR_TILED,
	.size = { 8, 4 },
	.stride = { 32 },
	.box = { 4, 2 },
	.element_stride = { 1, 1 },
};

/* The image has 4 pixels with 4 channels of 4 bytes; a copy moves 2 pixels. */
static const struct drm_vsm_tensor_map image = {
	.type = DRM_VSM_TENSOR_UINT32,
	.rank = 3,
	.mode = DRM_VSM_TENSOR_IM2COL,
	.channels = 4,
	.pixels = 2,
	.size = { 4, 4, 1 },
	.stride = { 16, 64 },
	.element_stride = { 1, 1, 1 },
};

static struct drm_vsm_tensor_map map __attribute__((aligned(64)));

static void use_map(const struct drm_vsm_tensor_map *which)
{
	map = *which;
	map.buffer = vsm_buffer_handle(buffer);
}

TEST(test_tensors)
{
	static const int32_t from[] = { 4, 1 }, to[] = { 0, 2 };
	uint32_t sum;

	use_map(&tiled);
	fill(global(0), 128, 1);
	expect(MBAR, 32);
	must_run(&thread, vsm_prep_cp_async_bulk_tensor_g2s(2, DATA, &map, from, MBAR));
	await(MBAR);
	assert_memory_equal(window(DATA), global(32 + 16), 16);
	assert_memory_equal(window(DATA + 16), global(64 + 16), 16);

	must_run(&thread, vsm_prep_cp_async_bulk_tensor_s2g(2, &map, to, DATA));
	await_group();
	assert_memory_equal(global(64), window(DATA), 16);
	assert_memory_equal(global(96), window(DATA + 16), 16);

	must_run(&thread, vsm_prep_cp_reduce_async_bulk_tensor(DRM_VSM_RED_ADD, 2, &map, to, DATA));
	await_group();
	memcpy(&sum, window(DATA), 4);
	sum *= 2;
	assert_memory_equal(global(64), &sum, 4);

	must_run(&thread, vsm_prep_cp_async_bulk_prefetch_tensor(2, &map, from));
	must_fault(&thread, vsm_prep_cp_async_bulk_prefetch_tensor(1, &map, from),
		   DRM_VSM_FAULT_TENSOR_MAP);
	assert_int_equal(thread.refused.info, DRM_VSM_TENSOR_DIMS);
}

TEST(test_tensor_multicast)
{
	static const int32_t from[] = { 0, 0, 0 };
	static const uint16_t offsets[] = { 1 };

	use_map(&tiled);
	fill(global(0), 128, 1);
	expect(MBAR, 32);
	expect(CTA1 + MBAR, 32);
	must_run(&thread,
		 vsm_prep_cp_async_bulk_tensor_g2s_multicast(2, DATA, &map, from, MBAR, 3));
	await(MBAR);
	await(CTA1 + MBAR);
	assert_memory_equal(window(DATA + 16), global(32), 16);
	assert_memory_equal(window(CTA1 + DATA + 16), global(32), 16);

	use_map(&image);
	expect(MBAR2, 32);
	expect(CTA1 + MBAR2, 32);
	must_run(&thread, vsm_prep_cp_async_bulk_tensor_g2s_im2col_multicast(3, DATA2, &map, from,
									     MBAR2, offsets, 3));
	await(MBAR2);
	await(CTA1 + MBAR2);
	assert_memory_equal(window(DATA2), global(16), 32);
	assert_memory_equal(window(CTA1 + DATA2), global(16), 32);
}

TEST(test_im2col)
{
	static const int32_t from[] = { 0, 1, 0 }, to[] = { 0, 2, 0 };
	static const uint16_t offsets[] = { 0 };
	uint32_t sum;

	use_map(&image);
	fill(global(0), 64, 1);
	expect(MBAR, 32);
	must_run(&thread,
		 vsm_prep_cp_async_bulk_tensor_g2s_im2col(3, DATA, &map, from, MBAR, offsets));
	await(MBAR);
	assert_memory_equal(window(DATA), global(16), 32);

	must_run(&thread, vsm_prep_cp_async_bulk_tensor_s2g_im2col(3, &map, to, DATA));
	await_group();
	assert_memory_equal(global(32), window(DATA), 32);

	must_run(&thread,
		 vsm_prep_cp_reduce_async_bulk_tensor_im2col(DRM_VSM_RED_ADD, 3, &map, to, DATA));
	await_group();
	memcpy(&sum, window(DATA), 4);
	sum *= 2;
	assert_memory_equal(global(32), &sum, 4);

	must_run(&thread, vsm_prep_cp_async_bulk_prefetch_tensor_im2col(3, &map, from, offsets));
}

/* A job of one channel copies into the window, and a job of another channel copies out of it. */
TEST(test_channels)
{
	const struct vsm_channel_config config = { .priority = DRM_VSM_PRIORITY_LOW, .group = 5 };
	const struct vsm_channel_config wrong = { .priority = 7 };
	struct drm_vsm_insn load, store;
	uint32_t channels[2], syncobj;
	struct drm_vsm_sync syncs[2];

	assert_int_equal(vsm_channel_create(device, 0, &channels[0]), 0);
	assert_int_equal(vsm_channel_create(device, DRM_VSM_CHANNEL_OUT_OF_ORDER, &channels[1]), 0);
	assert_int_not_equal(channels[0], channels[1]);
	assert_int_equal(vsm_syncobj_create(device, &syncobj), 0);
	fill(global(0), 64, 1);
	expect(MBAR, 64);

	load = vsm_prep_cp_async_bulk_g2s(DATA, vsm_buffer_handle(buffer), 0, 64, MBAR);
	store = vsm_prep_cp_async_bulk_s2g(vsm_buffer_handle(buffer), 4096, DATA, 64);
	syncs[0] = vsm_sync_out(syncobj, 1);
	assert_int_equal(vsm_channel_submit(&thread, channels[0], &load, 1, syncs, 1, NULL), 0);
	syncs[0] = vsm_sync_in(syncobj, 1);
	syncs[1] = vsm_sync_out(syncobj, 2);
	assert_int_equal(vsm_channel_submit(&thread, channels[1], &store, 1, syncs, 2, NULL), 0);
	assert_int_equal(vsm_syncobj_wait(device, syncobj, 2, after_ms(600000)), 0);
	assert_memory_equal(global(4096), global(0), 64);

	assert_int_equal(vsm_channel_destroy(device, channels[0]), 0);
	assert_int_equal(vsm_channel_create_as(device, &wrong, &channels[0]), -EINVAL);
	assert_int_equal(vsm_channel_create_as(device, &config, &channels[0]), 0);
	assert_int_equal(vsm_channel_destroy(device, channels[0]), 0);
	assert_int_equal(vsm_channel_destroy(device, channels[1]), 0);
	assert_int_equal(vsm_channel_destroy(device, channels[1]), -ENOENT);
	assert_int_equal(vsm_channel_submit(&thread, channels[0], &store, 1, NULL, 0, NULL),
			 -ENOENT);
	assert_int_equal(vsm_syncobj_destroy(device, syncobj), 0);
}

/* A job waits for a hold, and gets its error. */
TEST(test_hold)
{
	struct drm_vsm_insn insn = vsm_prep_mbarrier_arrive(MBAR, VSM_SINK);
	struct drm_vsm_sync syncs[2];
	uint32_t in, out, hold;
	int status;

	assert_int_equal(vsm_syncobj_create(device, &in), 0);
	assert_int_equal(vsm_syncobj_create(device, &out), 0);
	assert_int_equal(vsm_hold_create(device, in, 0, 0, &hold), 0);
	syncs[0] = vsm_sync_in(in, 0);
	syncs[1] = vsm_sync_out(out, 0);
	assert_int_equal(vsm_submit(&thread, &insn, 1, syncs, 2, NULL), 0);
	assert_int_equal(vsm_syncobj_status(device, out, 0, &status), 0);
	assert_int_equal(status, 0);
	assert_int_equal(vsm_hold_release(device, hold, EAGAIN), -EINVAL);
	assert_int_equal(vsm_hold_release(device, hold, ENODEV), 0);
	assert_int_equal(vsm_syncobj_wait(device, out, 0, after_ms(600000)), -ENODEV);
	assert_int_equal(vsm_hold_release(device, hold, 0), -ENOENT);
	assert_int_equal(vsm_syncobj_destroy(device, in), 0);
	assert_int_equal(vsm_syncobj_destroy(device, out), 0);
}

static void *wait_for_point(void *syncobj)
{
	return (void *)(intptr_t)vsm_syncobj_wait(device, *(uint32_t *)syncobj, 1, VSM_NEVER);
}

TEST(test_timeline)
{
	struct drm_vsm_insn insn = vsm_prep_mbarrier_arrive(MBAR, VSM_SINK);
	struct drm_vsm_sync sync;
	uint32_t syncobj, other;
	pthread_t waiter;
	int sync_file;
	int status;
	void *err;

	assert_int_equal(vsm_syncobj_create(device, &syncobj), 0);
	assert_int_equal(vsm_syncobj_create(device, &other), 0);
	assert_int_equal(vsm_syncobj_wait(device, syncobj, 1, 0), -ETIME);
	assert_int_equal(vsm_syncobj_status(device, syncobj, 1, &status), -EINVAL);
	assert_int_equal(pthread_create(&waiter, NULL, wait_for_point, &syncobj), 0);

	must_run(&thread, vsm_prep_mbarrier_init(MBAR, 1, 0));
	sync = vsm_sync_out(syncobj, 1);
	assert_int_equal(vsm_submit(&thread, &insn, 1, &sync, 1, NULL), 0);
	assert_int_equal(pthread_join(waiter, &err), 0);
	assert_null(err);
	assert_int_equal(vsm_syncobj_status(device, syncobj, 1, &status), 0);
	assert_int_equal(status, 1);
	assert_int_equal(vsm_syncobj_export_sync_file(device, syncobj, 1, &sync_file), 0);
	assert_int_equal(vsm_syncobj_import_sync_file(device, other, 7, sync_file), 0);
	close(sync_file);
	assert_int_equal(vsm_syncobj_wait(device, other, 7, after_ms(600000)), 0);

	/* No thread has waited for the phase: the next arrive is misuse. */
	sync = vsm_sync_out(syncobj, 2);
	assert_int_equal(vsm_submit(&thread, &insn, 1, &sync, 1, NULL), 0);
	assert_int_equal(vsm_syncobj_wait(device, syncobj, 2, after_ms(600000)), -EIO);
	assert_int_equal(vsm_syncobj_status(device, syncobj, 2, &status), 0);
	assert_int_equal(status, -EIO);

	/* Export the fence as a sync_file, and import it into another syncobj. */
	assert_int_equal(vsm_syncobj_export_sync_file(device, syncobj, 2, &sync_file), 0);
	assert_int_equal(vsm_syncobj_import_sync_file(device, other, 0, sync_file), 0);
	close(sync_file);
	assert_int_equal(vsm_syncobj_wait(device, other, 0, 0), -EIO);
	assert_int_equal(vsm_syncobj_destroy(device, other), 0);
	assert_int_equal(vsm_syncobj_destroy(device, syncobj), 0);
}
