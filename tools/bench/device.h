/* SPDX-License-Identifier: MIT */
/* The device under measurement, its objects, and its ioctls without the library. */
#ifndef _DEVICE_H_
#define _DEVICE_H_

#include <errno.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <vsm.h>

#include "measure.h"

#define STREAM		64		/* instructions in a stream */
#define PIECE		(32 << 10)
#define PIECES		2048		/* pieces in the buffer: 64 MiB */
#define SLOTS		4		/* pieces that the window holds */
#define WINDOW		(227 << 10)	/* bytes of a window */

/* Address of mbarrier n. The mbarriers follow the slots. */
#define MBAR(n)		((uint32_t)(SLOTS * PIECE + (n) * 8))
/*
 * Numbers of mbarriers. STILL never completes a phase. SINGLES is the first of a group of
 * mbarriers.
 */
enum mbar { STILL, LEFT, RIGHT, COPIED, SINGLES = 8 };

/*
 * The cluster that the measured calls use. It has the strict policy, except while unchecked()
 * replaces it by @hardware.
 */
extern struct vsm_cluster *cluster;
/* A cluster with the hardware policy that is otherwise the same as @cluster. */
extern struct vsm_cluster *hardware;
extern struct vsm_buffer *buffer;
extern struct vsm_device *device;
/* File descriptor of the vsm device. */
extern int fd;

/* Opens the device and creates the objects. Exits if that fails. */
void open_device(void);
void close_device(void);

/* Creates a cluster. Its windows are in memory. */
struct vsm_cluster *create_cluster(enum drm_vsm_policy policy, uint16_t ctas);

/* Initialises an mbarrier, also one that is already initialised. */
void init_mbar(unsigned int mbar, uint32_t count);
/* Creates a wait set and returns its file descriptor. */
int open_waitset(void);

/*
 * The following functions call the kernel directly. A measured call must not include the time of
 * libvsm.
 */

static inline void call(unsigned long request, void *arg, const char *what)
{
	if (ioctl(fd, request, arg))
		die(what, errno);
}

static inline struct drm_vsm_exec exec_of(struct drm_vsm_insn *insns, unsigned int count)
{
	return (struct drm_vsm_exec) {
		.cluster = vsm_cluster_handle(cluster),
		.insns = (uintptr_t)insns,
		.stride = sizeof(*insns),
		.count = count,
	};
}

static inline void exec(struct drm_vsm_exec *args)
{
	args->retired = 0;
	call(DRM_IOCTL_VSM_EXEC, args, "EXEC");
}

/* Executes a stream that ends with a try_wait. Repeats the try_wait while its result is False. */
static inline void exec_until_true(struct drm_vsm_exec *args, const struct drm_vsm_insn *insns)
{
	for (;;) {
		call(DRM_IOCTL_VSM_EXEC, args, "EXEC");
		if (insns[args->count - 1].result)
			return;
		args->retired = args->count - 1;
	}
}

static inline struct drm_vsm_wait wait_of(unsigned int mbar, unsigned int parity)
{
	return (struct drm_vsm_wait) {
		.cluster = vsm_cluster_handle(cluster),
		.addr = MBAR(mbar),
		.state = parity,
		.deadline = VSM_NEVER,
		.flags = DRM_VSM_WAIT_PARITY,
	};
}

static inline struct drm_vsm_waitset_arm arm_of(int set, struct drm_vsm_wait *waits,
						unsigned int count)
{
	return (struct drm_vsm_waitset_arm) {
		.waits = (uintptr_t)waits,
		.stride = sizeof(*waits),
		.count = count,
		.fd = set,
	};
}

static inline void arm(struct drm_vsm_waitset_arm *args)
{
	args->armed = 0;
	call(DRM_IOCTL_VSM_WAITSET_ARM, args, "WAITSET_ARM");
}

static inline void read_record(int set)
{
	struct drm_vsm_wait_record record;

	if (read(set, &record, sizeof(record)) != sizeof(record) || record.status)
		die("read", errno);
}

#endif
