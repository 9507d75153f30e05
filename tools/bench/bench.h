/* SPDX-License-Identifier: MIT */
/*
 * What the measurements share.
 */
#ifndef _BENCH_H_
#define _BENCH_H_

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "vsm.h"

#define REPEATS		7		/* of a measurement; the median counts */
#define STREAM		64
#define PIECE		(32 << 10)
#define PIECES		2048		/* 64 MiB */
#define SLOTS		4		/* pieces that the window holds */

/* Where the mbarriers are: behind the slots. */
#define MBAR(n)		((uint32_t)(SLOTS * PIECE + (n) * 8))
enum mbar { STILL, LEFT, RIGHT, COPIED, SINGLES = 8, CROWDED = SINGLES + STREAM };

extern struct vsm_cluster *cluster;
extern struct vsm_buffer *buffer;
extern int fd;				/* of the device */

void die(const char *what, int error);
double now(void);
double median(double *took);
double measure(void (*body)(unsigned int n), unsigned int n);
void print_detail(const char *what, double ours);

void init_mbar(unsigned int mbar, uint32_t count);
int open_waitset(void);

double exec_of_one(void);
double exec_of_stream(void);
double exec_version(void);
void exec_details(void);

double ping_pong_mbarrier(void);
double ping_pong_futex(void);
double ping_pong_waitset(bool polled);
double ping_pong_eventfd(bool polled);

double copy_by_submit(void);
double copy_by_memcpy(void);
double copy_by_submit_little(void);
double copy_stream(void);
double memcpy_stream(void);
void copy_by_two_clients(double *one, double *pair);

double meet_by_match(unsigned int lanes);
double meet_by_barrier(unsigned int warps);
double meet_by_pthread(unsigned int threads);

double complete_in_crowd(unsigned int crowd);
double arm_arrive_read(void);

/* The calls that are measured, as bare as they can be made. */

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

/* A try_wait that answers False because time ran out is repeated. */
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
