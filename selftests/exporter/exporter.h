/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * User-space interface of /dev/vsm_exporter, which makes dma-bufs of the kinds that the
 * drivers at hand do not make.
 */
#ifndef VSM_EXPORTER_H
#define VSM_EXPORTER_H

#include <linux/ioctl.h>
#include <linux/types.h>

/**
 * enum vsm_exporter_kind - Kinds of dma-bufs
 * @VSM_EXPORTER_MEMORY: Can be mapped into the kernel, but not into a process
 * @VSM_EXPORTER_IOMEM: Like MEMORY, but memory of a device
 * @VSM_EXPORTER_UNMAPPABLE: Cannot be mapped
 * @VSM_EXPORTER_COUNTED: Like MEMORY; counts the accesses by the processor
 * @VSM_EXPORTER_REFUSED: Like MEMORY; refuses accesses by the processor with EAGAIN
 */
enum vsm_exporter_kind {
	VSM_EXPORTER_MEMORY,
	VSM_EXPORTER_IOMEM,
	VSM_EXPORTER_UNMAPPABLE,
	VSM_EXPORTER_COUNTED,
	VSM_EXPORTER_REFUSED,
};

/**
 * struct vsm_exporter_export - Make a dma-buf
 * @size: Size that the dma-buf reports, in bytes
 * @kind: &enum vsm_exporter_kind
 * @fd: The dma-buf (out)
 */
struct vsm_exporter_export {
	__u64 size;
	__u32 kind;
	__s32 fd;
};

/**
 * struct vsm_exporter_wait - Wait for all fences of a dma-buf, with its reservation locked
 * @fd: The dma-buf
 * @timeout_ms: Time limit; after it the error is ETIME
 */
struct vsm_exporter_wait {
	__s32 fd;
	__u32 timeout_ms;
};

/**
 * struct vsm_exporter_accesses - How often accesses by the processor have begun and ended
 * @fd: A dma-buf of this device
 * @begun: Calls of dma_buf_begin_cpu_access() (out)
 * @ended: Calls of dma_buf_end_cpu_access() (out)
 * @pad: Unused
 */
struct vsm_exporter_accesses {
	__s32 fd;
	__u32 begun;
	__u32 ended;
	__u32 pad;
};

#define VSM_EXPORTER_EXPORT	_IOWR('V', 0, struct vsm_exporter_export)
#define VSM_EXPORTER_WAIT	_IOW('V', 1, struct vsm_exporter_wait)
#define VSM_EXPORTER_ACCESSES	_IOWR('V', 2, struct vsm_exporter_accesses)

#endif
