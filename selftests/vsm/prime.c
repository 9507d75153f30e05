// SPDX-License-Identifier: GPL-2.0-only
/*
 * dma-bufs: what this driver exports in the hands of others (a second device of it,
 * vgem), what others export (these, udmabuf, selftests/exporter) in copies, what an
 * import costs, and who may go first. object.c has the sharing within one device.
 *
 * The driver is loaded with two devices. That it can be unloaded in the end tells that
 * nothing was lost.
 */
#include <libgen.h>
#include <linux/udmabuf.h>
#include <sys/utsname.h>

#include "../exporter/exporter.h"
#include "async.h"
#include "driver.h"
#include "fence.h"

#define A AT(0, 0x40)
#define PAGE 4096
#define DATA 0x400		/* offset of data in a window, up to its end */
#define SIZE 0x800

/* --- other drivers ---------------------------------------------------------- */

/* -EAGAIN while a module is in use. */
static int unload(const char *module)
{
	return syscall(SYS_delete_module, module, O_NONBLOCK) ? -errno : 0;
}

/* What was put last goes a moment later. */
static int unload_soon(const char *module)
{
	int i, ret;

	for (i = 0; i < 5000; i++) {
		ret = unload(module);
		if (ret != -EAGAIN && ret != -EBUSY)
			break;
		poll(NULL, 0, 1);
	}
	return ret;
}

/* The module beside the driver's; a negative errno without it. */
static int exporter_open(void)
{
	int fd = open("/dev/vsm_exporter", O_RDWR | O_CLOEXEC);
	char path[4096], *module = getenv("VSM_MODULE");

	if (fd >= 0 || !module)
		return fd < 0 ? -errno : fd;
	snprintf(path, sizeof(path), "%s", module);
	snprintf(path, sizeof(path), "%s/vsm_exporter.ko", dirname(strdupa(path)));
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	syscall(SYS_finit_module, fd, "", 0);
	close(fd);
	fd = open("/dev/vsm_exporter", O_RDWR | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* A dma-buf of that kind. */
static int exporter_export(int exporter, uint32_t kind, uint64_t size)
{
	struct vsm_exporter_export args = { .size = size, .kind = kind, .fd = -1 };
	int ret = vsm_ioctl(exporter, VSM_EXPORTER_EXPORT, &args);

	return ret ? ret : args.fd;
}

/**
 * struct dumb - A buffer of vgem
 * @fd: vgem device
 * @handle: Its handle there
 * @size: Bytes
 * @map: vgem's mapping
 * @dmabuf: The buffer as a dma-buf
 */
struct dumb {
	int fd;
	uint32_t handle;
	uint64_t size;
	unsigned char *map;
	int dmabuf;
};

static int dumb_create(struct dumb *d, int fd, uint32_t pages)
{
	struct drm_mode_create_dumb args = { .width = 1024, .height = pages, .bpp = 32 };
	struct drm_mode_map_dumb map = { .handle = 0 };

	*d = (struct dumb){ .fd = fd, .dmabuf = -1 };
	if (vsm_ioctl(fd, DRM_IOCTL_MODE_CREATE_DUMB, &args))
		return -errno;
	d->handle = args.handle;
	d->size = args.size;
	map.handle = args.handle;
	if (vsm_ioctl(fd, DRM_IOCTL_MODE_MAP_DUMB, &map) ||
	    drmPrimeHandleToFD(fd, d->handle, DRM_CLOEXEC | DRM_RDWR, &d->dmabuf))
		return -errno;
	d->map = mmap(NULL, d->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, map.offset);
	return d->map == MAP_FAILED ? -errno : 0;
}

static void dumb_destroy(struct dumb *d)
{
	munmap(d->map, d->size);
	close(d->dmabuf);
	gem_close(d->fd, d->handle);
}

/* A dma-buf of these bytes of memory; -ENODEV where there is no udmabuf. */
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

/* --- dma-bufs --------------------------------------------------------------- */

static int dmabuf_of(int fd, uint32_t handle)
{
	int dmabuf = -1;

	return drmPrimeHandleToFD(fd, handle, DRM_CLOEXEC | DRM_RDWR, &dmabuf) ? -errno : dmabuf;
}

static int handle_of(int fd, int dmabuf, uint32_t *handle)
{
	*handle = POISON32;
	return drmPrimeFDToHandle(fd, dmabuf, handle) ? -errno : 0;
}

static int object_info(int fd, uint32_t handle, struct drm_vsm_object_info *info)
{
	memset(info, 0xa5, sizeof(*info));
	info->handle = handle;
	return vsm_ioctl(fd, DRM_IOCTL_VSM_OBJECT_INFO, info);
}

/* A dma-buf as a buffer, and a mapping of that, which is NULL if it cannot be mapped. */
static int import(struct buffer *b, int fd, int dmabuf)
{
	struct drm_vsm_object_info info;
	int ret;

	*b = (struct buffer){ .fd = fd };
	ret = handle_of(fd, dmabuf, &b->handle);
	if (!ret)
		ret = object_info(fd, b->handle, &info);
	if (ret)
		return ret;
	if (info.kind != DRM_VSM_OBJECT_BUFFER || info.ctas || info.threads || info.smem_bytes ||
	    info.window_stride || info.layout || info.policy)
		return -EBADMSG;
	b->size = info.size;
	b->map = mmap(NULL, b->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, info.mmap_offset);
	if (b->map == MAP_FAILED)
		b->map = NULL;
	return 0;
}

/* An exported object as another device's buffer. */
static int import_from(struct buffer *b, int fd, int from, uint32_t handle)
{
	int ret, dmabuf = dmabuf_of(from, handle);

	if (dmabuf < 0)
		return dmabuf;
	ret = import(b, fd, dmabuf);
	close(dmabuf);
	return ret;
}

static int drop(struct buffer *b)
{
	if (b->map)
		munmap(b->map, b->size);
	return gem_close(b->fd, b->handle);
}

/* How many dma-bufs there are in the system. */
static int dmabufs(void)
{
	FILE *f = fopen("/sys/kernel/debug/dma_buf/bufinfo", "re");
	char line[256];
	int count = -1;

	while (f && fgets(line, sizeof(line), f))
		sscanf(line, "Total %d objects", &count);
	if (f)
		fclose(f);
	return count;
}

/* --- copies ----------------------------------------------------------------- */

static void fill(unsigned char *p, size_t size, uint64_t seed)
{
	size_t i;

	for (i = 0; i < size; i++)
		p[i] = random_next(&seed);
}

/* Moves bytes from a buffer into window 0, to the end; how the job's fence ended. */
static int copy_in(const struct cluster *c, uint32_t buffer, uint64_t offset)
{
	uint32_t out = syncobj_create(c->fd);
	struct drm_vsm_insn insn = i_g2s(AT(0, DATA), A, SIZE, buffer, offset);
	int ret = exec_one(c, i_arrive_expect_tx(A, SIZE));

	if (!ret)
		ret = submit_sync(c, &insn, 1, 0, out);
	if (!ret)
		ret = syncobj_status(c->fd, out);
	if (ret == 1 && exec_look(c, A))
		ret = -EBADMSG;
	drmSyncobjDestroy(c->fd, out);
	return ret;
}

static int copy_out(const struct cluster *c, uint32_t buffer, uint64_t offset)
{
	return job_status(c, 0, i_s2g(AT(0, DATA), SIZE, buffer, offset));
}

/* Whether copies from and to a buffer move the bytes that this mapping shows. */
static bool copies(const struct cluster *c, uint32_t buffer, unsigned char *map, uint64_t size)
{
	static uint64_t seed = 1;
	uint64_t offsets[] = { 0, size / 2 + 16, size - SIZE };
	unsigned char *window = cluster_mem(c, AT(0, DATA));
	unsigned int i;

	for (i = 0; i < ITEMS(offsets); i++) {
		fill(map + offsets[i], SIZE, seed++);
		if (copy_in(c, buffer, offsets[i]) != 1 || memcmp(window, map + offsets[i], SIZE))
			return false;
		fill(window, SIZE, seed++);
		if (copy_out(c, buffer, offsets[i]) != 1 || memcmp(window, map + offsets[i], SIZE))
			return false;
	}
	return true;
}

FIXTURE(prime)
{
	struct cluster c, second;	/* of device 0, of device 1 */
	int dmabufs;
};

static int make_cluster(struct cluster *c, int fd)
{
	int ret = fd < 0 ? fd : cluster_create(c, fd, VSM_LAYOUT_SM_90, DRM_VSM_POLICY_STRICT);

	if (!ret)
		ret = exec_one(c, i_init(A, 1));
	if (!ret)
		ret = exec_one(c, i_init(END, 1));
	return ret ? ret : exec_one(c, i_fence());
}

static int reload(const char *params)
{
	int ret = unload_soon("vsm");

	/* It was loaded, or the test before has left it unloaded. */
	return ret && ret != -ENOENT ? ret : module_load(params);
}

static int have_two_devices(void)
{
	int fd = vsm_open_index(1);

	if (fd < 0)
		return reload("devices=2");
	close(fd);
	return 0;
}

FIXTURE_SETUP(prime)
{
	self->c.map = MAP_FAILED;
	self->second.map = MAP_FAILED;
	if (!getenv("VSM_MODULE"))
		SKIP(return, "VSM_MODULE does not name the module to load again");
	system("modprobe -q vgem");
	self->dmabufs = dmabufs();
	ASSERT_EQ(0, have_two_devices());
	ASSERT_EQ(0, make_cluster(&self->c, vsm_open_index(0)));
	ASSERT_EQ(0, make_cluster(&self->second, vsm_open_index(1)));
}

static void close_cluster(struct cluster *c)
{
	if (c->map == MAP_FAILED)
		return;
	munmap(c->map, c->size);
	close(c->fd);
	c->map = MAP_FAILED;
}

FIXTURE_TEARDOWN(prime)
{
	int i;

	if (!getenv("VSM_MODULE"))
		return;
	close_cluster(&self->c);
	close_cluster(&self->second);
	/* Of devices that are there this fails. */
	driver_write("bind", "vsm.0");
	driver_write("bind", "vsm.1");
	/* What a test has lost would also be missing where the driver does not notice. */
	for (i = 0; i < 5000 && dmabufs() > self->dmabufs; i++)
		poll(NULL, 0, 1);
	EXPECT_GE(self->dmabufs, dmabufs());
}

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
	/* Its owner can copy too. */
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
	/* No thread can run in it. */
	args = exec_args(&self->second, &arrive, 1);
	args.cluster = imported.handle;
	EXPECT_EQ(-ENOENT, vsm_exec(self->second.fd, &args));
	EXPECT_EQ(word(&self->c, A), *(uint64_t *)(imported.map + A));
	EXPECT_TRUE(copies(&self->second, imported.handle, self->c.map, self->c.size));
	EXPECT_EQ(0, drop(&imported));
}

TEST_F(prime, imported_again_it_has_the_same_handle)
{
	int dmabuf = dmabuf_of(self->c.fd, self->c.handle), again, other = vsm_open_index(1);
	uint32_t first, second, back;

	ASSERT_LE(0, dmabuf);
	ASSERT_EQ(0, handle_of(self->second.fd, dmabuf, &first));
	ASSERT_EQ(0, handle_of(self->second.fd, dmabuf, &second));
	EXPECT_EQ(first, second);
	/* Exported again it is the same dma-buf, and at home the same object. */
	again = dmabuf_of(self->second.fd, first);
	ASSERT_LE(0, again);
	ASSERT_EQ(0, handle_of(self->c.fd, again, &back));
	EXPECT_EQ(self->c.handle, back);
	/* Another file of the importing device has a handle of its own. */
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
	/* So does the mapping through this device's handle. */
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
	/* What is in flight keeps it. */
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
		/* vgem maps no imports itself: the bytes are to be seen through the dma-buf. */
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

/* A cluster's words, seen by another driver, are the words that threads work on. */
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
			 DRM_VSM_RED(DRM_VSM_RED_ADD, DRM_VSM_TYPE_U32)),
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

/* Before 6.2 it cannot be mapped into the kernel. */
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
	/* A mapping of an object stays as large as it was made. */
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
	static const uint32_t kinds[] = { VSM_EXPORTER_IOMEM, VSM_EXPORTER_UNMAPPABLE };
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
		/* The answer does not change. */
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

/* --- limits ------------------------------------------------------------------- */

TEST_F(prime, an_import_is_charged_to_its_client_once)
{
	struct drm_vsm_buffer_create args = { .size = PAGE };
	int exporter = exporter_open(), fd, other, own, big, small;
	uint32_t handle, again, its;

	if (exporter < 0)
		SKIP(return, "needs vsm_exporter.ko beside the driver");
	close_cluster(&self->c);
	close_cluster(&self->second);
	ASSERT_EQ(0, reload("devices=2 max_bytes=1048576"));
	fd = vsm_open_index(0);
	other = vsm_open_index(0);
	big = exporter_export(exporter, VSM_EXPORTER_MEMORY, 512 * 1024 - PAGE);
	small = exporter_export(exporter, VSM_EXPORTER_MEMORY, PAGE);
	ASSERT_LE(0, big);
	ASSERT_LE(0, small);
	ASSERT_EQ(0, vsm_ioctl(fd, DRM_IOCTL_VSM_BUFFER_CREATE, &args));
	ASSERT_EQ(0, handle_of(fd, big, &handle));
	ASSERT_EQ(0, handle_of(fd, big, &again));
	EXPECT_EQ(handle, again);
	EXPECT_EQ(-ENOSPC, handle_of(fd, small, &again));
	EXPECT_EQ(-ENOSPC, vsm_ioctl(fd, DRM_IOCTL_VSM_BUFFER_CREATE, &args));
	/* What the client has already costs nothing more. */
	own = dmabuf_of(fd, args.handle);
	ASSERT_LE(0, own);
	ASSERT_EQ(0, handle_of(fd, own, &again));
	EXPECT_EQ(args.handle, again);

	/* Others pay for theirs, also of the same dma-buf, until the device's share is used. */
	ASSERT_EQ(0, handle_of(other, big, &its));
	ASSERT_EQ(0, handle_of(other, small, &again));
	EXPECT_EQ(-ENOSPC, vsm_ioctl(other, DRM_IOCTL_VSM_BUFFER_CREATE, &args));
	/* But for what is somebody else's on the same device. */
	ASSERT_EQ(0, handle_of(other, own, &again));

	EXPECT_EQ(0, gem_close(fd, handle));
	EXPECT_EQ(0, handle_of(fd, small, &again));
	EXPECT_EQ(-ENOSPC, handle_of(fd, big, &again));
	EXPECT_EQ(0, vsm_ioctl(fd, DRM_IOCTL_VSM_BUFFER_CREATE, &args));
	/* A file that closes gives back what it had. */
	close(other);
	other = vsm_open_index(0);
	EXPECT_EQ(0, handle_of(other, big, &its));
	close(other);
	close(fd);
	close(own);
	close(big);
	close(small);
	close(exporter);
	EXPECT_EQ(0, reload("devices=2"));
}

/* --- who goes first ----------------------------------------------------------- */

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
	/* Nor can its driver go. */
	EXPECT_EQ(-EAGAIN, unload("vgem"));
	EXPECT_EQ(0, gem_close(imported.fd, imported.handle));
	EXPECT_EQ(-EAGAIN, unload("vgem"));
	imported.map[0] = 1;
	munmap(imported.map, imported.size);
	/* Later tests need it again. */
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
	/* Its mapping is the exporter's, and stays. */
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
	/* Every handle of it goes; vgem's mapping shows what happens. */
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
	/* Mappings stay, of pages too that nobody has touched yet. */
	ASSERT_NE(NULL, imported.map);
	imported.map[2 * PAGE] = 31;
	EXPECT_EQ(31, d.map[2 * PAGE]);
	close_cluster(&self->c);
	imported.map[1] = 32;
	EXPECT_EQ(32, d.map[1]);
	munmap(imported.map, imported.size);

	/* vgem does not notice, nor does a new device that comes. */
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
	/* The dma-buf is as good as before, also to those who come now. */
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

/* Both at once, with copies under way. */
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

/**
 * struct wait_thread - A driver that waits for a dma-buf's fences, its reservation locked
 * @exporter: The driver
 * @args: What it is told
 * @tid: Its id, once it runs
 * @ret: How it ended
 */
struct wait_thread {
	int exporter;
	struct vsm_exporter_wait args;
	atomic_int tid;
	int ret;
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
 * The last reference to an import goes with a job, and a fence of the job behind that is
 * waited for by who has the import's reservation locked: neither may wait for the other.
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
	/* Now it can go, and nothing of the tests before holds it. */
	EXPECT_EQ(0, reload(""));
	unload("vsm_exporter");
}

TEST_HARNESS_MAIN
