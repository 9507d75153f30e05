// SPDX-License-Identifier: MIT
/* Jobs of two clients that share nothing but sync_files, as vsm and another driver would. */
#include <linux/sync_file.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <xf86drm.h>
#include "vsm_drm.h"

/* Queues a job of one instruction, to begin after the sync_file @wait, or at once if that is -1.
 * Returns the sync_file of the job.
 */
static int submit(int fd, struct drm_vsm_insn insn, int wait)
{
	struct drm_vsm_cluster_create cluster = { .ctas = 1, .threads = 32, .smem_bytes = 4096 };
	struct drm_vsm_sync syncs[] = {
		{ .flags = DRM_VSM_SYNC_SIGNAL }, { .flags = DRM_VSM_SYNC_WAIT },
	};
	struct drm_vsm_submit job = {
		.insns = (uintptr_t)&insn, .stride = sizeof(insn), .count = 1,
		.syncs = (uintptr_t)syncs, .sync_stride = sizeof(syncs[0]),
		.sync_count = wait < 0 ? 1 : 2,
	};
	int sync_file;

	if (drmSyncobjCreate(fd, 0, &syncs[0].handle) ||
	    drmSyncobjCreate(fd, 0, &syncs[1].handle) ||
	    (wait >= 0 && drmSyncobjImportSyncFile(fd, syncs[1].handle, wait)) ||
	    drmIoctl(fd, DRM_IOCTL_VSM_CLUSTER_CREATE, &cluster))
		return -1;
	job.cluster = cluster.handle;
	if (drmIoctl(fd, DRM_IOCTL_VSM_SUBMIT, &job) ||
	    drmSyncobjExportSyncFile(fd, syncs[0].handle, &sync_file))
		return -1;
	return sync_file;
}

/* Waits for a sync_file and prints how its job ended. */
static void report(const char *name, int sync_file)
{
	struct pollfd signalled = { .fd = sync_file, .events = POLLIN };
	struct sync_file_info info = { .num_fences = 0 };

	if (poll(&signalled, 1, 10000) != 1 || ioctl(sync_file, SYNC_IOC_FILE_INFO, &info))
		printf("%s: no answer within 10 s\n", name);
	else
		printf("%s: %s\n", name, info.status == 1 ? "done" : strerror(-info.status));
}

int main(void)
{
	int a = drmOpenWithType("vsm", NULL, DRM_NODE_RENDER);
	int b = drmOpenWithType("vsm", NULL, DRM_NODE_RENDER);
	struct drm_vsm_insn fence = {
		.op = DRM_VSM_OP_FENCE, .sem = DRM_VSM_SEM_ACQ_REL, .scope = DRM_VSM_SCOPE_CTA,
	};
	struct drm_vsm_insn wrong = {	/* There is no mbarrier at address 64. */
		.op = DRM_VSM_OP_MBARRIER_COMPLETE_TX,
		.u.mbarrier = { .addr = 64, .tx_count = 16 },
	};
	int first;

	first = submit(a, fence, -1);
	report("job of a", first);
	report("job of b, after it", submit(b, fence, first));
	first = submit(a, wrong, -1);
	report("job of a with a mistake", first);
	report("job of b, after it", submit(b, fence, first));
	return 0;
}
