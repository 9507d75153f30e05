/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Helpers for dma-bufs of this driver (loaded with two devices), of vgem and of selftests/exporter.
 */
#ifndef VSM_TEST_PRIME_H
#define VSM_TEST_PRIME_H

#include <libgen.h>

#include "../exporter/exporter.h"
#include "async.h"
#include "driver.h"
#include "fence.h"

#define A AT(0, 0x40)
#define PAGE 4096
#define DATA 0x400		/* offset in a window; copies use the bytes from here on */
#define SIZE 0x800

/* --- other drivers ---------------------------------------------------------- */

/* Unloads a module. Returns -EAGAIN if it is in use. */
static inline int unload(const char *module)
{
	return syscall(SYS_delete_module, module, O_NONBLOCK) ? -errno : 0;
}

/* Repeats unload() for a while, because the last reference may be put a moment late. */
static inline int unload_soon(const char *module)
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

/*
 * Loads vsm_exporter.ko from the driver's folder and opens its device. Returns its descriptor or a
 * negative errno.
 */
static inline int exporter_open(void)
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

/* Creates a dma-buf of a kind. Returns its descriptor or a negative errno. */
static inline int exporter_export(int exporter, uint32_t kind, uint64_t size)
{
	struct vsm_exporter_export args = { .size = size, .kind = kind, .fd = -1 };
	int ret = vsm_ioctl(exporter, VSM_EXPORTER_EXPORT, &args);

	return ret ? ret : args.fd;
}

/* A buffer of vgem */
struct dumb {
	int fd;			/* vgem device */
	uint32_t handle;	/* handle of the buffer in @fd */
	uint64_t size;		/* number of bytes */
	unsigned char *map;	/* mapping through vgem */
	int dmabuf;		/* the buffer as a dma-buf */
};

static inline int dumb_create(struct dumb *d, int fd, uint32_t pages)
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

static inline void dumb_destroy(struct dumb *d)
{
	munmap(d->map, d->size);
	close(d->dmabuf);
	gem_close(d->fd, d->handle);
}

/* --- dma-bufs --------------------------------------------------------------- */

static inline int dmabuf_of(int fd, uint32_t handle)
{
	int dmabuf = -1;

	return drmPrimeHandleToFD(fd, handle, DRM_CLOEXEC | DRM_RDWR, &dmabuf) ? -errno : dmabuf;
}

static inline int handle_of(int fd, int dmabuf, uint32_t *handle)
{
	*handle = POISON32;
	return drmPrimeFDToHandle(fd, dmabuf, handle) ? -errno : 0;
}

static inline int object_info(int fd, uint32_t handle, struct drm_vsm_object_info *info)
{
	memset(info, 0xa5, sizeof(*info));
	info->handle = handle;
	return vsm_ioctl(fd, DRM_IOCTL_VSM_OBJECT_INFO, info);
}

/* Imports a dma-buf as a buffer and maps it. The mapping is NULL if the import cannot be mapped. */
static inline int import(struct buffer *b, int fd, int dmabuf)
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

/* Imports an object of another device as a buffer. */
static inline int import_from(struct buffer *b, int fd, int from, uint32_t handle)
{
	int ret, dmabuf = dmabuf_of(from, handle);

	if (dmabuf < 0)
		return dmabuf;
	ret = import(b, fd, dmabuf);
	close(dmabuf);
	return ret;
}

static inline int drop(struct buffer *b)
{
	if (b->map)
		munmap(b->map, b->size);
	return gem_close(b->fd, b->handle);
}

/* Returns the number of dma-bufs in the system. */
static inline int dmabufs(void)
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

/* --- copies from and to imports --------------------------------------------- */

static inline void fill(unsigned char *p, size_t size, uint64_t seed)
{
	size_t i;

	for (i = 0; i < size; i++)
		p[i] = random_next(&seed);
}

/* Copies from a buffer to the end of window 0. Returns the status of the job's fence. */
static inline int copy_in(const struct cluster *c, uint32_t buffer, uint64_t offset)
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
	syncobj_destroy(c->fd, out);
	return ret;
}

static inline int copy_out(const struct cluster *c, uint32_t buffer, uint64_t offset)
{
	return job_status(c, 0, i_s2g(AT(0, DATA), SIZE, buffer, offset));
}

/* Returns whether copies from and to a buffer move the bytes that @map shows. */
static inline bool copies(const struct cluster *c, uint32_t buffer, unsigned char *map,
			  uint64_t size)
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

static inline int make_cluster(struct cluster *c, int fd)
{
	int ret = fd < 0 ? fd : cluster_create(c, fd, VSM_LAYOUT_SM_90, DRM_VSM_POLICY_STRICT);

	if (!ret)
		ret = exec_one(c, i_init(A, 1));
	if (!ret)
		ret = exec_one(c, i_init(END, 1));
	return ret ? ret : exec_one(c, i_fence());
}

static inline int reload(const char *params)
{
	int ret = unload_soon("vsm");

	/* The previous test may have unloaded the module already. */
	return ret && ret != -ENOENT ? ret : module_load(params);
}

static inline int have_two_devices(void)
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

static inline void close_cluster(struct cluster *c)
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
	/*
	 * Bind the devices that the test has left unbound. For the others this fails, which is
	 * harmless.
	 */
	driver_write("bind", "vsm.0");
	driver_write("bind", "vsm.1");
	/* The test must leave no dma-buf behind. The last reference is put a moment late. */
	for (i = 0; i < 5000 && dmabufs() > self->dmabufs; i++)
		poll(NULL, 0, 1);
	EXPECT_GE(self->dmabufs, dmabufs());
}

#endif
