// SPDX-License-Identifier: MIT
/* A first test: an arrive that comes before anybody has waited for the phase is refused. */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <xf86drm.h>
#include "vsm_drm.h"

int main(void)
{
	struct drm_vsm_cluster_create cluster = { .ctas = 1, .threads = 32, .smem_bytes = 4096 };
	struct drm_vsm_insn stream[] = {
		{ .op = DRM_VSM_OP_MBARRIER_INIT, .u.mbarrier = { .addr = 64, .count = 1 } },
		{ .op = DRM_VSM_OP_MBARRIER_ARRIVE, .u.mbarrier = { .addr = 64 } },
		{ .op = DRM_VSM_OP_MBARRIER_ARRIVE, .u.mbarrier = { .addr = 64 } },
	};
	struct drm_vsm_exec exec = {
		.insns = (uintptr_t)stream, .stride = sizeof(stream[0]), .count = 3,
	};
	int fd = drmOpenWithType("vsm", NULL, DRM_NODE_RENDER);
	int err, executed, refused;

	if (fd < 0 || drmIoctl(fd, DRM_IOCTL_VSM_CLUSTER_CREATE, &cluster)) {
		puts("Bail out! no device");
		return 1;
	}
	exec.cluster = cluster.handle;
	err = drmIoctl(fd, DRM_IOCTL_VSM_EXEC, &exec) ? errno : 0;

	executed = exec.retired == 2;
	refused = err == EPROTO && stream[2].fault == DRM_VSM_FAULT_PHASE_UNOBSERVED;
	puts("TAP version 13\n1..2");
	printf("%s 1 - the first arrive completes phase 0\n", executed ? "ok" : "not ok");
	printf("%s 2 - the second one is refused\n", refused ? "ok" : "not ok");
	return !executed || !refused;
}
