// SPDX-License-Identifier: GPL-2.0-only
/*
 * dma-bufs whose exporter or importer ends first: its file, its device or its driver. The last test
 * unloads the driver, which fails if an earlier test has leaked a reference.
 */
#include "prime.h"

TEST_F(prime, an_import_outlives_the_files_of_its_exporter)
{
	bool reloadable = !system("modprobe -q -n vgem");
	int vgem = vgem_open();
	struct buffer imported;
	struct dumb d;

	if (vgem < 0)
		SKIP(return, "needs vgem");
	ASSERT_EQ(0, dumb_create(&d, vgem, 4));
	ASSERT_EQ(0, import(&imported, self->c.fd, d.dmabuf));
	ASSERT_TRUE(copies(&self->c, imported.handle, d.map, d.size));
	dumb_destroy(&d);
	close(vgem);
	ASSERT_NE(NULL, imported.map);
	EXPECT_TRUE(copies(&self->c, imported.handle, imported.map, imported.size));
	/* The mapping also prevents unloading the exporting driver. */
	EXPECT_EQ(-EAGAIN, unload("vgem"));
	EXPECT_EQ(0, gem_close(imported.fd, imported.handle));
	EXPECT_EQ(-EAGAIN, unload("vgem"));
	imported.map[0] = 1;
	munmap(imported.map, imported.size);
	/* Later tests need vgem again. */
	if (reloadable) {
		EXPECT_EQ(0, unload_soon("vgem"));
		EXPECT_EQ(0, system("modprobe vgem"));
	}
}

TEST_F(prime, an_exporter_outlives_its_importer)
{
	int vgem = vgem_open(), other = vsm_open_index(0);
	struct buffer imported, b;
	struct dumb d;

	if (vgem < 0)
		SKIP(return, "needs vgem");
	ASSERT_EQ(0, dumb_create(&d, vgem, 4));
	ASSERT_EQ(0, import(&imported, other, d.dmabuf));
	close(other);
	/* The mapping stays valid, because it maps the exporter's memory. */
	ASSERT_NE(NULL, imported.map);
	imported.map[7] = 9;
	EXPECT_EQ(9, d.map[7]);
	munmap(imported.map, imported.size);
	ASSERT_EQ(0, import(&b, self->c.fd, d.dmabuf));
	EXPECT_TRUE(copies(&self->c, b.handle, d.map, d.size));
	EXPECT_EQ(0, drop(&b));
	dumb_destroy(&d);
	close(vgem);
}

TEST_F(prime, a_queued_copy_keeps_its_import)
{
	int vgem = vgem_open();
	struct drm_vsm_insn insn;
	uint32_t in, out = syncobj_create(self->c.fd);
	struct buffer imported;
	struct hold hold;
	struct dumb d;
	unsigned char *map;

	if (vgem < 0)
		SKIP(return, "needs vgem");
	ASSERT_EQ(0, hold_init(&hold));
	in = syncobj_import(self->c.fd, hold.file);
	ASSERT_EQ(0, dumb_create(&d, vgem, 4));
	ASSERT_EQ(0, import(&imported, self->c.fd, d.dmabuf));
	insn = i_s2g(AT(0, DATA), SIZE, imported.handle, 0);
	fill(cluster_mem(&self->c, AT(0, DATA)), SIZE, 8);
	ASSERT_EQ(0, submit_sync(&self->c, &insn, 1, in, out));
	/* Close all handles of the buffer. vgem's mapping still shows what the copy writes. */
	EXPECT_EQ(0, drop(&imported));
	map = d.map;
	close(d.dmabuf);
	gem_close(d.fd, d.handle);
	close(vgem);
	EXPECT_EQ(0, hold_release(&hold));
	EXPECT_EQ(1, syncobj_status(self->c.fd, out));
	EXPECT_EQ(0, memcmp(map, cluster_mem(&self->c, AT(0, DATA)), SIZE));
	munmap(map, d.size);
}

TEST_F(prime, the_importing_device_goes)
{
	struct buffer imported, b;
	int vgem = vgem_open();
	uint32_t handle;
	struct dumb d;

	if (vgem < 0)
		SKIP(return, "needs vgem");
	ASSERT_EQ(0, dumb_create(&d, vgem, 4));
	ASSERT_EQ(0, import(&imported, self->c.fd, d.dmabuf));
	ASSERT_TRUE(copies(&self->c, imported.handle, d.map, d.size));
	ASSERT_EQ(0, driver_write("unbind", "vsm.0"));
	EXPECT_EQ(-ENODEV, handle_of(self->c.fd, d.dmabuf, &handle));
	EXPECT_EQ(-ENODEV, copy_out(&self->c, imported.handle, 0));
	/* The mapping stays valid, even for pages that no task has touched. */
	ASSERT_NE(NULL, imported.map);
	imported.map[2 * PAGE] = 31;
	EXPECT_EQ(31, d.map[2 * PAGE]);
	close_cluster(&self->c);
	imported.map[1] = 32;
	EXPECT_EQ(32, d.map[1]);
	munmap(imported.map, imported.size);

	/* The unbinding does not affect vgem. A new device can import the same dma-buf. */
	ASSERT_EQ(0, driver_write("bind", "vsm.0"));
	ASSERT_EQ(0, make_cluster(&self->c, vsm_open_index(0)));
	ASSERT_EQ(0, import(&b, self->c.fd, d.dmabuf));
	EXPECT_TRUE(copies(&self->c, b.handle, d.map, d.size));
	EXPECT_EQ(0, drop(&b));
	dumb_destroy(&d);
	close(vgem);
}

TEST_F(prime, the_exporting_device_goes)
{
	struct buffer b, imported, late;
	int dmabuf, other = vsm_open_index(1);

	ASSERT_EQ(0, buffer_create(&b, self->c.fd, 4 * PAGE));
	dmabuf = dmabuf_of(b.fd, b.handle);
	ASSERT_LE(0, dmabuf);
	ASSERT_EQ(0, import(&imported, self->second.fd, dmabuf));
	ASSERT_TRUE(copies(&self->second, imported.handle, b.map, b.size));
	ASSERT_EQ(0, driver_write("unbind", "vsm.0"));
	EXPECT_TRUE(copies(&self->second, imported.handle, b.map, b.size));
	/* The dma-buf still works, and it can still be imported. */
	ASSERT_EQ(0, import(&late, other, dmabuf));
	close(dmabuf);
	close_cluster(&self->c);
	munmap(b.map, b.size);
	ASSERT_NE(NULL, imported.map);
	EXPECT_TRUE(copies(&self->second, imported.handle, imported.map, imported.size));
	EXPECT_EQ(0, drop(&imported));
	EXPECT_EQ(0, drop(&late));
	close(other);
}

/* Both devices are unbound while copies run. */
TEST_F(prime, devices_go_while_they_copy_from_each_other)
{
	enum { COPIES = 1000 };
	struct drm_vsm_insn *insns = calloc(COPIES, sizeof(*insns));
	struct cluster *c[] = { &self->c, &self->second };
	struct buffer b[2], imported[2];
	int i, j, files[2];

	for (i = 0; i < 2; i++)
		ASSERT_EQ(0, buffer_create(&b[i], c[i]->fd, 16 * PAGE));
	for (i = 0; i < 2; i++)
		ASSERT_EQ(0, import_from(&imported[i], c[i]->fd, b[!i].fd, b[!i].handle));
	for (i = 0; i < 2; i++) {
		uint32_t out = syncobj_create(c[i]->fd);

		for (j = 0; j < COPIES; j++)
			insns[j] = i_s2g(AT(0, DATA), 64, imported[i].handle, 64 * j);
		ASSERT_EQ(0, submit_sync(c[i], insns, COPIES, 0, out));
		files[i] = syncobj_export(c[i]->fd, out);
	}
	ASSERT_EQ(0, driver_write("unbind", "vsm.0"));
	ASSERT_EQ(0, driver_write("unbind", "vsm.1"));
	for (i = 0; i < 2; i++) {
		int status = sync_file_wait(files[i]);

		EXPECT_TRUE(status == 1 || status == -ENODEV);
		close(files[i]);
	}
	for (i = 0; i < 2; i++) {
		munmap(b[i].map, b[i].size);
		imported[i].map[0] = 1;
		munmap(imported[i].map, imported[i].size);
	}
	free(insns);
}

/* A task in a driver that waits for a dma-buf's fences with its reservation locked */
struct wait_thread {
	int exporter;			/* file descriptor of the driver */
	struct vsm_exporter_wait args;	/* arguments of the ioctl */
	atomic_int tid;			/* task id, 0 until the task runs */
	int ret;			/* what the ioctl returned */
	pthread_t thread;
};

static void *wait_thread_main(void *arg)
{
	struct wait_thread *t = arg;

	atomic_store(&t->tid, get_tid());
	t->ret = vsm_ioctl(t->exporter, VSM_EXPORTER_WAIT, &t->args);
	return NULL;
}

/*
 * A job holds the last reference to an import. A driver locks the import's reservation and waits
 * there for the fence of a later job. Putting the import needs the reservation. The test fails if
 * the fence waits for this put.
 */
TEST_F(prime, no_fence_waits_for_a_reservation)
{
	struct dma_buf_import_sync_file attach = { .flags = DMA_BUF_SYNC_WRITE };
	struct drm_vsm_insn copy, arrive = i_sink(i_arrive(A));
	uint32_t in, out = syncobj_create(self->c.fd);
	struct wait_thread t = { .exporter = exporter_open() };
	struct buffer imported;
	struct hold hold;
	int dmabuf;

	if (t.exporter < 0)
		SKIP(return, "needs vsm_exporter.ko beside the driver");
	if (hold_init(&hold))
		SKIP(return, "needs vgem");
	in = syncobj_import(self->c.fd, hold.file);
	dmabuf = exporter_export(t.exporter, VSM_EXPORTER_MEMORY, PAGE);
	ASSERT_LE(0, dmabuf);
	ASSERT_EQ(0, import(&imported, self->c.fd, dmabuf));
	copy = i_s2g(AT(0, DATA), SIZE, imported.handle, 0);
	ASSERT_EQ(0, submit_sync(&self->c, &copy, 1, in, 0));
	ASSERT_EQ(0, submit_sync(&self->c, &arrive, 1, 0, out));
	ASSERT_EQ(0, drop(&imported));
	attach.fd = syncobj_export(self->c.fd, out);
	ASSERT_EQ(0, vsm_ioctl(dmabuf, DMA_BUF_IOCTL_IMPORT_SYNC_FILE, &attach));

	t.args = (struct vsm_exporter_wait){ .fd = dmabuf, .timeout_ms = 30000 };
	ASSERT_EQ(0, pthread_create(&t.thread, NULL, wait_thread_main, &t));
	ASSERT_TRUE(wait_until_thread_blocked(&t.tid, SYS_ioctl));
	EXPECT_EQ(0, hold_release(&hold));
	pthread_join(t.thread, NULL);
	EXPECT_EQ(0, t.ret);
	EXPECT_EQ(1, sync_file_wait(attach.fd));
	close(attach.fd);
	close(dmabuf);
	close(t.exporter);
}

TEST_F(prime, the_driver_stays_while_another_has_its_memory)
{
	int vgem = vgem_open(), dmabuf;
	uint32_t handle;

	if (vgem < 0)
		SKIP(return, "needs vgem");
	dmabuf = dmabuf_of(self->c.fd, self->c.handle);
	ASSERT_LE(0, dmabuf);
	ASSERT_EQ(0, handle_of(vgem, dmabuf, &handle));
	close(dmabuf);
	close_cluster(&self->c);
	close_cluster(&self->second);
	poll(NULL, 0, 100);
	EXPECT_EQ(-EAGAIN, unload("vsm"));
	EXPECT_EQ(0, gem_close(vgem, handle));
	close(vgem);
	/* The driver can be unloaded now. This fails if an earlier test has leaked a reference. */
	EXPECT_EQ(0, reload(""));
	unload("vsm_exporter");
}

TEST_HARNESS_MAIN
