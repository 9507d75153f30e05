// SPDX-License-Identifier: GPL-2.0-only
/*
 * dma-bufs: objects of this driver that others import (a second device of this driver, vgem),
 * copies that use dma-bufs of others (the same drivers, udmabuf, selftests/exporter), and how
 * imports are charged. object.c tests sharing within one device. outlive.c tests in which order
 * exporter and importer may end.
 */
#include <linux/udmabuf.h>
#include <sys/utsname.h>

#include "prime.h"

/* --- two devices of this driver --------------------------------------------- */

TEST_F(prime, the_same_device_gets_the_object_itself)
{
	struct drm_vsm_object_info info;
	int other = vsm_open_index(0), dmabuf;
	struct buffer b;
	uint32_t handle;

	ASSERT_EQ(0, buffer_create(&b, self->c.fd, PAGE));
	dmabuf = dmabuf_of(b.fd, b.handle);
	ASSERT_LE(0, dmabuf);
	ASSERT_EQ(0, handle_of(other, dmabuf, &handle));
	ASSERT_EQ(0, object_info(other, handle, &info));
	EXPECT_EQ(DRM_VSM_OBJECT_BUFFER, info.kind);
	close(dmabuf);

	dmabuf = dmabuf_of(self->c.fd, self->c.handle);
	ASSERT_LE(0, dmabuf);
	ASSERT_EQ(0, handle_of(other, dmabuf, &handle));
	ASSERT_EQ(0, object_info(other, handle, &info));
	EXPECT_EQ(DRM_VSM_OBJECT_CLUSTER, info.kind);
	EXPECT_EQ(4, info.ctas);
	close(dmabuf);
	close(other);
	munmap(b.map, b.size);
}

TEST_F(prime, another_device_gets_a_buffer)
{
	struct buffer b, imported;

	ASSERT_EQ(0, buffer_create(&b, self->c.fd, 4 * PAGE));
	ASSERT_EQ(0, import_from(&imported, self->second.fd, b.fd, b.handle));
	EXPECT_EQ(4 * PAGE, imported.size);
	ASSERT_NE(NULL, imported.map);
	b.map[3 * PAGE] = 17;
	EXPECT_EQ(17, imported.map[3 * PAGE]);
	imported.map[5] = 18;
	EXPECT_EQ(18, b.map[5]);
	EXPECT_TRUE(copies(&self->second, imported.handle, b.map, b.size));
	/* The exporting device can copy too. */
	EXPECT_TRUE(copies(&self->c, b.handle, imported.map, b.size));
	EXPECT_EQ(0, drop(&imported));
	EXPECT_TRUE(copies(&self->c, b.handle, b.map, b.size));
	EXPECT_EQ(0, drop(&b));
}

TEST_F(prime, a_cluster_is_global_memory_to_another_device)
{
	struct drm_vsm_exec args;
	struct drm_vsm_insn arrive = i_arrive(A);
	struct buffer imported;

	ASSERT_EQ(0, import_from(&imported, self->second.fd, self->c.fd, self->c.handle));
	EXPECT_EQ(self->c.size, imported.size);
	/* A thread cannot run in an imported cluster. */
	args = exec_args(&self->second, &arrive, 1);
	args.cluster = imported.handle;
	EXPECT_EQ(-ENOENT, vsm_exec(self->second.fd, &args));
	EXPECT_EQ(word(&self->c, A), *(uint64_t *)(imported.map + A));
	EXPECT_TRUE(copies(&self->second, imported.handle, self->c.map, self->c.size));
	EXPECT_EQ(0, drop(&imported));
}

TEST_F(prime, an_object_imported_again_has_the_same_handle)
{
	int dmabuf = dmabuf_of(self->c.fd, self->c.handle), again, other = vsm_open_index(1);
	uint32_t first, second, back;

	ASSERT_LE(0, dmabuf);
	ASSERT_EQ(0, handle_of(self->second.fd, dmabuf, &first));
	ASSERT_EQ(0, handle_of(self->second.fd, dmabuf, &second));
	EXPECT_EQ(first, second);
	/*
	 * Exporting the import gives the same dma-buf. Importing it on its own device gives the
	 * handle of the cluster.
	 */
	again = dmabuf_of(self->second.fd, first);
	ASSERT_LE(0, again);
	ASSERT_EQ(0, handle_of(self->c.fd, again, &back));
	EXPECT_EQ(self->c.handle, back);
	/* Another file of the importing device gets a handle of its own. */
	ASSERT_EQ(0, handle_of(other, again, &second));
	EXPECT_EQ(0, gem_close(self->second.fd, first));
	EXPECT_EQ(-EINVAL, gem_close(self->second.fd, first));
	EXPECT_EQ(0, gem_close(other, second));
	close(other);
	close(again);
	close(dmabuf);
}

/* --- vgem --------------------------------------------------------------------- */

TEST_F(prime, copies_move_what_vgem_s_mapping_shows)
{
	int vgem = vgem_open();
	struct buffer imported;
	struct dumb d;

	if (vgem < 0)
		SKIP(return, "needs vgem");
	ASSERT_EQ(0, dumb_create(&d, vgem, 4));
	ASSERT_EQ(0, import(&imported, self->c.fd, d.dmabuf));
	EXPECT_EQ(d.size, imported.size);
	EXPECT_TRUE(copies(&self->c, imported.handle, d.map, d.size));
	/* The mapping through this device's handle shows the same bytes. */
	ASSERT_NE(NULL, imported.map);
	EXPECT_TRUE(copies(&self->c, imported.handle, imported.map, d.size));
	EXPECT_EQ(0, memcmp(d.map, imported.map, d.size));
	EXPECT_EQ(0, drop(&imported));
	dumb_destroy(&d);
	close(vgem);
}

TEST_F(prime, a_copy_ends_where_the_import_ends)
{
	struct buffer imported;
	struct drm_vsm_insn insn;
	int vgem = vgem_open();
	struct dumb d;

	if (vgem < 0)
		SKIP(return, "needs vgem");
	ASSERT_EQ(0, dumb_create(&d, vgem, 1));
	ASSERT_EQ(0, import(&imported, self->c.fd, d.dmabuf));
	insn = i_s2g(AT(0, DATA), 32, imported.handle, d.size - 16);
	insn_poison(&insn, 1);
	EXPECT_EQ(-EPROTO, submit_sync(&self->c, &insn, 1, 0, 0));
	EXPECT_EQ(DRM_VSM_FAULT_COPY_BOUNDS, insn.fault);
	EXPECT_EQ(1, job_status(&self->c, 0, i_s2g(AT(0, DATA), 16, imported.handle,
						   d.size - 16)));
	EXPECT_EQ(0, drop(&imported));
	dumb_destroy(&d);
	close(vgem);
}

TEST_F(prime, threads_copy_from_vgem_too)
{
	struct buffer imported;
	int vgem = vgem_open();
	struct dumb d;

	if (vgem < 0)
		SKIP(return, "needs vgem");
	ASSERT_EQ(0, dumb_create(&d, vgem, 1));
	ASSERT_EQ(0, import(&imported, self->c.fd, d.dmabuf));
	fill(d.map, 16, 3);
	ASSERT_EQ(0, cluster_hold(&self->c, DRM_VSM_HOLD));
	ASSERT_EQ(0, exec_one(&self->c, i_cp_async(AT(0, DATA), 16, imported.handle, 0)));
	/* The copy in flight keeps the import. */
	EXPECT_EQ(0, drop(&imported));
	fill(d.map, 16, 4);
	ASSERT_EQ(0, async_release(&self->c));
	EXPECT_EQ(0, memcmp(cluster_mem(&self->c, AT(0, DATA)), d.map, 16));
	dumb_destroy(&d);
	close(vgem);
}

TEST_F(prime, vgem_imports_buffers_and_clusters)
{
	int vgem = vgem_open(), i;
	struct buffer b;

	if (vgem < 0)
		SKIP(return, "needs vgem");
	ASSERT_EQ(0, buffer_create(&b, self->c.fd, 2 * PAGE));
	for (i = 0; i < 2; i++) {
		unsigned char *map, *ours = i ? self->c.map : b.map;
		uint64_t size = i ? self->c.size : b.size;
		int dmabuf = dmabuf_of(self->c.fd, i ? self->c.handle : b.handle), again;
		uint32_t handle, second;

		ASSERT_LE(0, dmabuf);
		ASSERT_EQ(0, handle_of(vgem, dmabuf, &handle));
		ASSERT_EQ(0, handle_of(vgem, dmabuf, &second));
		EXPECT_EQ(handle, second);
		close(dmabuf);
		/*
		 * vgem cannot map the buffers that it imports. A mapping of the dma-buf shows the
		 * bytes.
		 */
		again = dmabuf_of(vgem, handle);
		ASSERT_LE(0, again);
		map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, again, 0);
		ASSERT_NE(MAP_FAILED, map);
		fill(ours + DATA, SIZE, 5 + i);
		EXPECT_EQ(0, memcmp(map, ours, size));
		map[DATA]++;
		EXPECT_EQ(map[DATA], ours[DATA]);
		munmap(map, size);
		close(again);
		EXPECT_EQ(0, gem_close(vgem, handle));
	}
	EXPECT_TRUE(copies(&self->c, b.handle, b.map, b.size));
	EXPECT_EQ(0, drop(&b));
	close(vgem);
}

/* Threads and another driver see the same words of a cluster. */
TEST_F(prime, a_cluster_works_on_while_vgem_has_it)
{
	int vgem = vgem_open(), dmabuf;
	uint32_t handle;

	if (vgem < 0)
		SKIP(return, "needs vgem");
	dmabuf = dmabuf_of(self->c.fd, self->c.handle);
	ASSERT_LE(0, dmabuf);
	ASSERT_EQ(0, handle_of(vgem, dmabuf, &handle));
	close(dmabuf);
	EXPECT_EQ(0, exec_one(&self->c, i_arrive(A)));
	EXPECT_EQ(1, exec_result(&self->c, i_try_parity(A, 0, LONG_HINT)));
	EXPECT_EQ(0, gem_close(vgem, handle));
	EXPECT_EQ(0, exec_one(&self->c, i_arrive(A)));
	close(vgem);
}

TEST_F(prime, every_way_to_copy_takes_an_import)
{
	uint32_t i, operand[4] = { 1, 2, 3, 4 };
	struct drm_vsm_insn stream[] = {
		i_s2g(AT(0, DATA), 16, 0, 0), i_bulk_commit(), i_bulk_wait(0),
		i_reduce(i_s2g(AT(0, DATA), 16, 0, 0),
			 RED(ADD, U32)),
		i_bulk_commit(), i_bulk_wait(0),
		i_prefetch(16, 0, 0),
		i_arrive_expect_tx(A, 16), i_g2s(AT(0, DATA + 16), A, 16, 0, 0),
		i_try_parity(A, 0, LONG_HINT),
	};
	int vgem = vgem_open();
	struct buffer imported;
	struct dumb d;

	if (vgem < 0)
		SKIP(return, "needs vgem");
	ASSERT_EQ(0, dumb_create(&d, vgem, 1));
	ASSERT_EQ(0, import(&imported, self->c.fd, d.dmabuf));
	stream[0].u.copy.buffer = imported.handle;
	stream[3].u.copy.buffer = imported.handle;
	stream[6].u.copy.buffer = imported.handle;
	stream[8].u.copy.buffer = imported.handle;
	memcpy(cluster_mem(&self->c, AT(0, DATA)), operand, sizeof(operand));
	ASSERT_EQ(0, exec_stream(&self->c, 0, stream, ITEMS(stream), NULL));
	EXPECT_EQ(1, stream[9].result);
	for (i = 0; i < 4; i++) {
		EXPECT_EQ(2 * operand[i], ((uint32_t *)d.map)[i]);
		EXPECT_EQ(2 * operand[i], ((uint32_t *)cluster_mem(&self->c,
								   AT(0, DATA + 16)))[i]);
	}
	EXPECT_EQ(0, drop(&imported));
	dumb_destroy(&d);
	close(vgem);
}

/* --- udmabuf ------------------------------------------------------------------ */

/*
 * Creates a dma-buf of the first @size bytes of a memfd. Returns -ENODEV if the kernel has no
 * udmabuf.
 */
static int udmabuf_create(int memfd, uint64_t size)
{
	struct udmabuf_create args = { .memfd = memfd, .flags = UDMABUF_FLAGS_CLOEXEC,
				       .size = size };
	int ret, fd = open("/dev/udmabuf", O_RDWR | O_CLOEXEC);

	if (fd < 0)
		return -ENODEV;
	ret = ioctl(fd, UDMABUF_CREATE, &args);
	if (ret < 0)
		ret = -errno;
	close(fd);
	return ret;
}

/*
 * Returns whether a dma-buf of udmabuf can be mapped into the kernel. Before Linux 6.2 it cannot.
 */
static bool udmabuf_has_vmap(void)
{
	struct utsname name;
	int major = 0, minor = 0;

	uname(&name);
	sscanf(name.release, "%d.%d", &major, &minor);
	return major > 6 || (major == 6 && minor >= 2);
}

TEST_F(prime, copies_move_what_a_memfd_holds)
{
	int dmabuf, memfd = memfd_create("vsm", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	struct buffer imported;
	unsigned char *map;

	ASSERT_EQ(0, ftruncate(memfd, 4 * PAGE));
	ASSERT_EQ(0, fcntl(memfd, F_ADD_SEALS, F_SEAL_SHRINK));
	dmabuf = udmabuf_create(memfd, 4 * PAGE);
	if (dmabuf == -ENODEV)
		SKIP(return, "this kernel has no udmabuf");
	ASSERT_LE(0, dmabuf);
	map = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, memfd, 0);
	ASSERT_NE(MAP_FAILED, map);
	ASSERT_EQ(0, import(&imported, self->c.fd, dmabuf));
	EXPECT_EQ(4 * PAGE, imported.size);
	ASSERT_NE(NULL, imported.map);
	map[PAGE + 3] = 21;
	EXPECT_EQ(21, imported.map[PAGE + 3]);
	/* The mapping of an object cannot grow. */
	EXPECT_EQ(MAP_FAILED, mremap(imported.map, 4 * PAGE, 8 * PAGE, MREMAP_MAYMOVE));
	EXPECT_EQ(udmabuf_has_vmap() ? 1 : -EOPNOTSUPP,
		  copy_out(&self->c, imported.handle, 0));
	EXPECT_EQ(udmabuf_has_vmap(), copies(&self->c, imported.handle, map, 4 * PAGE));
	EXPECT_EQ(0, drop(&imported));
	munmap(map, 4 * PAGE);
	close(dmabuf);
	close(memfd);
}

/* --- dma-bufs of other kinds -------------------------------------------------- */

TEST_F(prime, a_dma_buf_that_is_not_whole_pages_is_refused)
{
	static const uint64_t sizes[] = { 0, 1, PAGE - 1, PAGE + 1, 3 * PAGE - 8 };
	int exporter = exporter_open(), dmabuf;
	uint32_t handle;
	size_t i;

	if (exporter < 0)
		SKIP(return, "needs vsm_exporter.ko beside the driver");
	for (i = 0; i < ITEMS(sizes); i++) {
		dmabuf = exporter_export(exporter, VSM_EXPORTER_MEMORY, sizes[i]);
		ASSERT_LE(0, dmabuf);
		EXPECT_EQ(-EINVAL, handle_of(self->c.fd, dmabuf, &handle)) TH_LOG("%zu", i);
		close(dmabuf);
	}
	close(exporter);
}

TEST_F(prime, what_is_no_dma_buf_is_refused)
{
	uint32_t handle;
	int pipes[2];

	ASSERT_EQ(0, pipe2(pipes, O_CLOEXEC));
	EXPECT_EQ(-EINVAL, handle_of(self->c.fd, pipes[0], &handle));
	EXPECT_EQ(-EINVAL, handle_of(self->c.fd, self->c.fd, &handle));
	close(pipes[0]);
	EXPECT_EQ(-EBADF, handle_of(self->c.fd, pipes[0], &handle));
	close(pipes[1]);
}

TEST_F(prime, what_a_process_cannot_map_can_be_copied)
{
	unsigned char *window = cluster_mem(&self->c, AT(0, DATA)), bytes[SIZE];
	int exporter = exporter_open(), dmabuf;
	struct buffer imported;

	if (exporter < 0)
		SKIP(return, "needs vsm_exporter.ko beside the driver");
	dmabuf = exporter_export(exporter, VSM_EXPORTER_MEMORY, 3 * PAGE);
	ASSERT_LE(0, dmabuf);
	ASSERT_EQ(0, import(&imported, self->c.fd, dmabuf));
	EXPECT_EQ(NULL, imported.map);
	fill(bytes, SIZE, 7);
	memcpy(window, bytes, SIZE);
	ASSERT_EQ(1, copy_out(&self->c, imported.handle, 2 * PAGE + 64));
	memset(window, 0, SIZE);
	ASSERT_EQ(1, copy_in(&self->c, imported.handle, 2 * PAGE + 64));
	EXPECT_EQ(0, memcmp(window, bytes, SIZE));
	EXPECT_EQ(0, drop(&imported));
	close(dmabuf);
	close(exporter);
}

TEST_F(prime, what_is_not_memory_cannot_be_copied)
{
	static const uint32_t kinds[] = {
		VSM_EXPORTER_IOMEM, VSM_EXPORTER_UNMAPPABLE, VSM_EXPORTER_REFUSED,
	};
	int exporter = exporter_open(), dmabuf;
	size_t i, j;

	if (exporter < 0)
		SKIP(return, "needs vsm_exporter.ko beside the driver");
	for (i = 0; i < ITEMS(kinds); i++) {
		struct buffer imported;
		struct drm_vsm_insn job[2] = { i_sink(i_arrive(A)) };
		struct drm_vsm_submit args = submit_args(&self->c, job, 2);
		uint64_t before = word(&self->c, A);

		dmabuf = exporter_export(exporter, kinds[i], PAGE);
		ASSERT_LE(0, dmabuf);
		ASSERT_EQ(0, import(&imported, self->c.fd, dmabuf));
		job[1] = i_s2g(AT(0, DATA), 16, imported.handle, 0);
		/* Repeated calls give the same result. */
		for (j = 0; j < 3; j++) {
			EXPECT_EQ(-EOPNOTSUPP, vsm_submit(self->c.fd, &args));
			EXPECT_EQ(1, args.refused);
			EXPECT_EQ(-EOPNOTSUPP, exec_one(&self->c, i_cp_async(AT(0, DATA), 16,
									     imported.handle, 0)));
		}
		EXPECT_EQ(before, word(&self->c, A));
		EXPECT_EQ(0, drop(&imported));
		close(dmabuf);
	}
	close(exporter);
}

/*
 * The driver notifies the exporter when the processor begins to access its memory, and when it
 * ends.
 */
TEST_F(prime, an_import_is_accessed_from_its_first_copy_to_its_end)
{
	struct vsm_exporter_accesses accesses = { .fd = -1 };
	int i, exporter = exporter_open();
	struct buffer imported;

	if (exporter < 0)
		SKIP(return, "needs vsm_exporter.ko beside the driver");
	accesses.fd = exporter_export(exporter, VSM_EXPORTER_COUNTED, 3 * PAGE);
	ASSERT_LE(0, accesses.fd);
	ASSERT_EQ(0, import(&imported, self->c.fd, accesses.fd));
	ASSERT_EQ(0, vsm_ioctl(exporter, VSM_EXPORTER_ACCESSES, &accesses));
	EXPECT_EQ(0, accesses.begun);
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(1, copy_out(&self->c, imported.handle, PAGE));
		ASSERT_EQ(0, vsm_ioctl(exporter, VSM_EXPORTER_ACCESSES, &accesses));
		EXPECT_EQ(1, accesses.begun);
		EXPECT_EQ(0, accesses.ended);
	}
	EXPECT_EQ(0, drop(&imported));
	/* The last job puts the import a moment after its fence has signalled. */
	for (i = 0; i < 5000 && !accesses.ended; i++) {
		poll(NULL, 0, 1);
		ASSERT_EQ(0, vsm_ioctl(exporter, VSM_EXPORTER_ACCESSES, &accesses));
	}
	EXPECT_EQ(1, accesses.begun);
	EXPECT_EQ(1, accesses.ended);
	close(accesses.fd);
	close(exporter);
}

/* --- charges for imports ------------------------------------------------------ */

TEST_F(prime, an_import_is_charged_to_its_client_once)
{
	struct drm_vsm_buffer_create args = { .size = 256 * 1024 };
	int exporter = exporter_open(), fd, other, own, big, small;
	uint32_t handle, again, its;

	if (exporter < 0)
		SKIP(return, "needs vsm_exporter.ko beside the driver");
	close_cluster(&self->c);
	close_cluster(&self->second);
	ASSERT_EQ(0, reload("devices=2 max_bytes=1048576"));
	fd = vsm_open_index(0);
	other = vsm_open_as(1);
	big = exporter_export(exporter, VSM_EXPORTER_MEMORY, 256 * 1024 - PAGE);
	small = exporter_export(exporter, VSM_EXPORTER_MEMORY, PAGE);
	ASSERT_LE(0, big);
	ASSERT_LE(0, small);
	ASSERT_EQ(0, vsm_ioctl(fd, DRM_IOCTL_VSM_BUFFER_CREATE, &args));
	args.size = PAGE;
	ASSERT_EQ(0, vsm_ioctl(fd, DRM_IOCTL_VSM_BUFFER_CREATE, &args));
	ASSERT_EQ(0, handle_of(fd, big, &handle));
	ASSERT_EQ(0, handle_of(fd, big, &again));
	EXPECT_EQ(handle, again);
	EXPECT_EQ(-ENOSPC, handle_of(fd, small, &again));
	EXPECT_EQ(-ENOSPC, vsm_ioctl(fd, DRM_IOCTL_VSM_BUFFER_CREATE, &args));
	/* A client that already has an object is not charged again for importing it. */
	own = dmabuf_of(fd, args.handle);
	ASSERT_LE(0, own);
	ASSERT_EQ(0, handle_of(fd, own, &again));
	EXPECT_EQ(args.handle, again);

	/* Each client is charged for its own imports up to its limit, even of the same dma-buf. */
	ASSERT_EQ(0, handle_of(other, big, &its));
	ASSERT_EQ(0, handle_of(other, small, &again));
	EXPECT_EQ(-ENOSPC, vsm_ioctl(other, DRM_IOCTL_VSM_BUFFER_CREATE, &args));
	/* An object of the same device is not charged to the client that imports it. */
	ASSERT_EQ(0, handle_of(other, own, &again));

	EXPECT_EQ(0, gem_close(fd, handle));
	EXPECT_EQ(0, handle_of(fd, small, &again));
	EXPECT_EQ(-ENOSPC, handle_of(fd, big, &again));
	EXPECT_EQ(0, vsm_ioctl(fd, DRM_IOCTL_VSM_BUFFER_CREATE, &args));
	/* Closing a file frees what was charged to it. */
	close(other);
	other = vsm_open_as(1);
	EXPECT_EQ(0, handle_of(other, big, &its));
	close(other);
	close(fd);
	close(own);
	close(big);
	close(small);
	close(exporter);
	EXPECT_EQ(0, reload("devices=2"));
}

TEST_HARNESS_MAIN
