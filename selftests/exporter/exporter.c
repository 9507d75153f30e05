// SPDX-License-Identifier: GPL-2.0-only
/*
 * /dev/vsm_exporter exports dma-bufs for selftests/vsm/prime.h, of kinds that no other available
 * driver exports.
 */
#include <linux/dma-buf.h>
#include <linux/dma-resv.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

#include "vsm_compat.h"

#include "exporter.h"

#define MAX_SIZE	(64UL << 20)

struct exported {
	enum vsm_exporter_kind kind;
	atomic_t begun;
	atomic_t ended;
	unsigned int count;
	void *memory;
	struct page *pages[];
};

static struct sg_table *exported_map(struct dma_buf_attachment *attach,
				     enum dma_data_direction dir)
{
	struct exported *exported = attach->dmabuf->priv;
	struct sg_table *sgt = kzalloc(sizeof(*sgt), GFP_KERNEL);
	int ret;

	if (!sgt)
		return ERR_PTR(-ENOMEM);
	ret = sg_alloc_table_from_pages(sgt, exported->pages, exported->count, 0,
					attach->dmabuf->size, GFP_KERNEL);
	if (ret)
		goto err_free;
	ret = dma_map_sgtable(attach->dev, sgt, dir, 0);
	if (ret)
		goto err_free_table;
	return sgt;

err_free_table:
	sg_free_table(sgt);
err_free:
	kfree(sgt);
	return ERR_PTR(ret);
}

static void exported_unmap(struct dma_buf_attachment *attach, struct sg_table *sgt,
			   enum dma_data_direction dir)
{
	dma_unmap_sgtable(attach->dev, sgt, dir, 0);
	sg_free_table(sgt);
	kfree(sgt);
}

static int exported_vmap(struct dma_buf *dmabuf, struct iosys_map *map)
{
	struct exported *exported = dmabuf->priv;

	if (exported->kind == VSM_EXPORTER_IOMEM)
		iosys_map_set_vaddr_iomem(map, (void __iomem *)exported->memory);
	else
		iosys_map_set_vaddr(map, exported->memory);
	return 0;
}

static void exported_free(struct exported *exported)
{
	vfree(exported->memory);
	kfree(exported);
}

static void exported_release(struct dma_buf *dmabuf)
{
	exported_free(dmabuf->priv);
}

static const struct dma_buf_ops exported_ops = {
	.map_dma_buf = exported_map,
	.unmap_dma_buf = exported_unmap,
	.vmap = exported_vmap,
	.release = exported_release,
};

static int exported_begin(struct dma_buf *dmabuf, enum dma_data_direction dir)
{
	struct exported *exported = dmabuf->priv;

	if (exported->kind == VSM_EXPORTER_REFUSED)
		return -EAGAIN;
	atomic_inc(&exported->begun);
	return 0;
}

static int exported_end(struct dma_buf *dmabuf, enum dma_data_direction dir)
{
	struct exported *exported = dmabuf->priv;

	atomic_inc(&exported->ended);
	return 0;
}

static const struct dma_buf_ops exported_counted_ops = {
	.map_dma_buf = exported_map,
	.unmap_dma_buf = exported_unmap,
	.begin_cpu_access = exported_begin,
	.end_cpu_access = exported_end,
	.vmap = exported_vmap,
	.release = exported_release,
};

static const struct dma_buf_ops exported_unmappable_ops = {
	.map_dma_buf = exported_map,
	.unmap_dma_buf = exported_unmap,
	.release = exported_release,
};

static struct exported *exported_create(const struct vsm_exporter_export *args)
{
	unsigned int i, count = DIV_ROUND_UP(args->size, PAGE_SIZE);
	struct exported *exported = kzalloc(struct_size(exported, pages, count), GFP_KERNEL);

	if (!exported)
		return NULL;
	exported->kind = args->kind;
	exported->count = count;
	exported->memory = vzalloc(count ? count * PAGE_SIZE : PAGE_SIZE);
	if (!exported->memory) {
		kfree(exported);
		return NULL;
	}
	for (i = 0; i < count; i++)
		exported->pages[i] = vmalloc_to_page(exported->memory + i * PAGE_SIZE);
	return exported;
}

static const struct dma_buf_ops *exported_ops_of(enum vsm_exporter_kind kind)
{
	switch (kind) {
	case VSM_EXPORTER_UNMAPPABLE:
		return &exported_unmappable_ops;
	case VSM_EXPORTER_COUNTED:
	case VSM_EXPORTER_REFUSED:
		return &exported_counted_ops;
	default:
		return &exported_ops;
	}
}

static int exporter_export(struct vsm_exporter_export *args)
{
	DEFINE_DMA_BUF_EXPORT_INFO(info);
	struct exported *exported;
	struct dma_buf *dmabuf;

	if (args->size > MAX_SIZE || args->kind > VSM_EXPORTER_REFUSED)
		return -EINVAL;
	exported = exported_create(args);
	if (!exported)
		return -ENOMEM;
	info.ops = exported_ops_of(args->kind);
	info.size = args->size;
	info.flags = O_RDWR;
	info.priv = exported;
	dmabuf = dma_buf_export(&info);
	if (IS_ERR(dmabuf)) {
		exported_free(exported);
		return PTR_ERR(dmabuf);
	}
	args->fd = dma_buf_fd(dmabuf, O_CLOEXEC);
	if (args->fd < 0)
		dma_buf_put(dmabuf);
	return args->fd < 0 ? args->fd : 0;
}

static int exporter_wait(const struct vsm_exporter_wait *args)
{
	struct dma_buf *dmabuf = dma_buf_get(args->fd);
	long ret;

	if (IS_ERR(dmabuf))
		return PTR_ERR(dmabuf);
	ret = dma_resv_lock_interruptible(dmabuf->resv, NULL);
	if (!ret) {
		ret = dma_resv_wait_timeout(dmabuf->resv, DMA_RESV_USAGE_READ, true,
					    msecs_to_jiffies(args->timeout_ms));
		dma_resv_unlock(dmabuf->resv);
		ret = ret > 0 ? 0 : ret ?: -ETIME;
	}
	dma_buf_put(dmabuf);
	return ret;
}

static int exporter_accesses(struct vsm_exporter_accesses *args)
{
	struct dma_buf *dmabuf = dma_buf_get(args->fd);
	int ret = -EINVAL;

	if (IS_ERR(dmabuf))
		return PTR_ERR(dmabuf);
	if (dmabuf->ops == &exported_counted_ops) {
		struct exported *exported = dmabuf->priv;

		args->begun = atomic_read(&exported->begun);
		args->ended = atomic_read(&exported->ended);
		ret = 0;
	}
	dma_buf_put(dmabuf);
	return ret;
}

static long exporter_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	void __user *uptr = (void __user *)arg;
	struct vsm_exporter_export export;
	struct vsm_exporter_accesses accesses;
	struct vsm_exporter_wait wait;
	int ret;

	switch (cmd) {
	case VSM_EXPORTER_EXPORT:
		if (copy_from_user(&export, uptr, sizeof(export)))
			return -EFAULT;
		ret = exporter_export(&export);
		if (!ret && copy_to_user(uptr, &export, sizeof(export)))
			ret = -EFAULT;
		return ret;
	case VSM_EXPORTER_WAIT:
		if (copy_from_user(&wait, uptr, sizeof(wait)))
			return -EFAULT;
		return exporter_wait(&wait);
	case VSM_EXPORTER_ACCESSES:
		if (copy_from_user(&accesses, uptr, sizeof(accesses)))
			return -EFAULT;
		ret = exporter_accesses(&accesses);
		if (!ret && copy_to_user(uptr, &accesses, sizeof(accesses)))
			ret = -EFAULT;
		return ret;
	default:
		return -ENOTTY;
	}
}

static const struct file_operations exporter_fops = {
	.owner = THIS_MODULE,
	.unlocked_ioctl = exporter_ioctl,
};

static struct miscdevice exporter_device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "vsm_exporter",
	.mode = 0666,
	.fops = &exporter_fops,
};
module_misc_device(exporter_device);

MODULE_DESCRIPTION("dma-bufs for the tests of vsm");
MODULE_LICENSE("GPL");
VSM_IMPORT_NS(DMA_BUF);
