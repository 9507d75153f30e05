// SPDX-License-Identifier: MIT
/*
 * What all devices show at one time.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base.h"
#include "top/sample.h"

/* Reads all clusters of a device. Returns 0 or a negative errno. */
static int read_clusters(struct sample *sample, struct vsm_device *device, uint32_t index)
{
	struct ps_cluster *cluster;
	uint32_t number = 1;
	int err;

	do {
		sample->clusters = grow(sample->clusters, sample->cluster_count,
					sizeof(*sample->clusters));
		cluster = &sample->clusters[sample->cluster_count];
		*cluster = (struct ps_cluster){ .device = index };
		err = ps_read(device, number, DRM_VSM_STATE_NEXT, cluster);
		if (err)
			return err == -ENOENT ? 0 : err;
		sample->cluster_count++;
		number = cluster->state.number + 1;
	} while (number);
	return 0;
}

/* A device can go at any time. It is then not counted any more. */
static void read_device(struct sample *sample, uint32_t index)
{
	struct vsm_device *device;
	int err;

	err = vsm_device_open_index(index, &device);
	if (!err) {
		err = read_clusters(sample, device, index);
		vsm_device_close(device);
	}
	if (err == -ENODEV) {
		sample->devices--;
	} else if (err) {
		snprintf(sample->problem, sizeof(sample->problem), "device %u: %s", index,
			 err == -EOPNOTSUPP ? "the driver is older than uAPI 0.7" : strerror(-err));
	}
}

int sample_read(struct sample *sample)
{
	/* DRM has no more minors. */
	uint32_t indices[64];
	int count, i;

	*sample = (struct sample){ .time = time_now() };
	count = vsm_device_list(indices, ARRAY_SIZE(indices));
	if (count < 0)
		return count;
	if (count > (int)ARRAY_SIZE(indices))
		count = ARRAY_SIZE(indices);
	sample->devices = count;
	for (i = 0; i < count; i++)
		read_device(sample, indices[i]);
	sample->client_count = processes_read("/proc", DRM_MAJOR, getpid(), &sample->clients);
	return sample->devices;
}

void sample_free(struct sample *sample)
{
	size_t i;

	for (i = 0; i < sample->cluster_count; i++)
		ps_free(&sample->clusters[i]);
	free(sample->clusters);
	free(sample->clients);
	*sample = (struct sample){ };
}
