/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * User-space interface of /dev/vsm_exporter, which exports dma-bufs of kinds that no other
 * available driver exports.
 */
#ifndef VSM_EXPORTER_H
#define VSM_EXPORTER_H

#include <linux/ioctl.h>
#include <linux/types.h>

/* Kinds of dma-bufs */
enum vsm_exporter_kind {
	VSM_EXPORTER_MEMORY,		/* the kernel can map the dma-buf, but a process cannot */
	VSM_EXPORTER_IOMEM,	/* like MEMORY, but the mapping claims to be memory of a device */
	VSM_EXPORTER_UNMAPPABLE,	/* neither the kernel nor a process can map the dma-buf */
	VSM_EXPORTER_COUNTED,	/* like MEMORY; the exporter counts the accesses by the processor */
	/* Like MEMORY; the exporter refuses accesses by the processor with EAGAIN */
	VSM_EXPORTER_REFUSED,
};

/* Export a dma-buf */
struct vsm_exporter_export {
	__u64 size;	/* size that the dma-buf reports, in bytes */
	__u32 kind;	/* enum vsm_exporter_kind */
	__s32 fd;	/* file descriptor of the dma-buf (out) */
};

/* Wait for all fences of a dma-buf, with its reservation locked */
struct vsm_exporter_wait {
	__s32 fd;		/* the dma-buf */
	__u32 timeout_ms;	/* time limit; the ioctl fails with ETIME when it has passed */
};

/* How often accesses by the processor have begun and ended */
struct vsm_exporter_accesses {
	__s32 fd;	/* file descriptor of a dma-buf of kind COUNTED or REFUSED */
	__u32 begun;	/* calls of dma_buf_begin_cpu_access() (out) */
	__u32 ended;	/* calls of dma_buf_end_cpu_access() (out) */
	__u32 pad;	/* unused */
};

#define VSM_EXPORTER_EXPORT	_IOWR('V', 0, struct vsm_exporter_export)
#define VSM_EXPORTER_WAIT	_IOW('V', 1, struct vsm_exporter_wait)
#define VSM_EXPORTER_ACCESSES	_IOWR('V', 2, struct vsm_exporter_accesses)

#endif
