// SPDX-License-Identifier: MIT
/* Finding the vsm devices of the machine. */
#include <errno.h>
#include <stdlib.h>
#include <xf86drm.h>

#include "internal.h"

/*
 * struct scan - A search for devices
 * @indices: The lowest instance numbers, ascending (out)
 * @max: Elements of @indices
 * @want: Instance number of the device to keep open, or WANT_NONE, or WANT_LOWEST
 * @count: Number of devices found
 * @device: The device to keep open (out)
 * @err: Error of opening a device that is, or may be, a vsm device
 */
struct scan {
	uint32_t *indices;
	uint32_t max;
	int64_t want;
	uint32_t count;
	struct vsm_device *device;
	int err;
};

#define WANT_NONE -1
#define WANT_LOWEST -2

static void note_index(struct scan *scan, uint32_t index)
{
	uint32_t i = scan->count < scan->max ? scan->count : scan->max;

	scan->count++;
	if (i == scan->max) {
		if (!i || scan->indices[i - 1] < index)
			return;
		i--;
	}
	for (; i && scan->indices[i - 1] > index; i--)
		scan->indices[i] = scan->indices[i - 1];
	scan->indices[i] = index;
}

static bool wanted(const struct scan *scan, const struct vsm_device *device)
{
	if (scan->want == WANT_LOWEST)
		return !scan->device || device->info.index < scan->device->info.index;
	return scan->want == device->info.index && !scan->device;
}

/* Errors that the caller must see. All others mean that the node is not a vsm device or is gone. */
static int error_to_tell(int err)
{
	switch (err) {
	case -EPERM:
		return -EACCES;
	case -EACCES:
	case -EPROTONOSUPPORT:
	case -EMFILE:
	case -ENFILE:
	case -ENOMEM:
		return err;
	}
	return 0;
}

static void scan_node(struct scan *scan, const char *path)
{
	struct vsm_device *device, *drop;
	int err;

	err = vsm_device_open_path(path, &device);
	if (err) {
		err = error_to_tell(err);
		if (err)
			scan->err = err;
		return;
	}

	note_index(scan, device->info.index);
	drop = device;
	if (wanted(scan, device)) {
		drop = scan->device;
		scan->device = device;
	}
	vsm_device_close(drop);
}

static int scan_devices(struct scan *scan)
{
	drmDevicePtr *devices;
	int count;
	int i;

	count = drmGetDevices2(0, NULL, 0);
	/* -ENOENT: there is no /dev/dri, and therefore no device. */
	if (count <= 0)
		return count == -ENOENT ? 0 : count;
	devices = calloc(count, sizeof(*devices));
	if (!devices)
		return -ENOMEM;
	count = drmGetDevices2(0, devices, count);

	for (i = 0; i < count; i++) {
		/*
		 * A vsm device is a platform device. Do not open others: that may power up a GPU.
		 */
		if (devices[i]->bustype != DRM_BUS_PLATFORM ||
		    !(devices[i]->available_nodes & 1 << DRM_NODE_RENDER))
			continue;
		scan_node(scan, devices[i]->nodes[DRM_NODE_RENDER]);
	}

	if (count > 0)
		drmFreeDevices(devices, count);
	free(devices);
	return count < 0 ? count : 0;
}

static int open_wanted(int64_t want, struct vsm_device **device)
{
	struct scan scan = { .want = want };
	int err;

	err = scan_devices(&scan);
	if (err)
		return err;
	if (!scan.device)
		return scan.err ? scan.err : -ENODEV;
	*device = scan.device;
	return 0;
}

int vsm_device_open(const char *path, struct vsm_device **device)
{
	return path ? vsm_device_open_path(path, device) : open_wanted(WANT_LOWEST, device);
}

int vsm_device_open_index(uint32_t index, struct vsm_device **device)
{
	return open_wanted(index, device);
}

int vsm_device_list(uint32_t *indices, uint32_t max)
{
	struct scan scan = { .indices = indices, .max = max, .want = WANT_NONE };
	int err;

	err = scan_devices(&scan);
	if (err)
		return err;
	return scan.count ? (int)scan.count : scan.err;
}
