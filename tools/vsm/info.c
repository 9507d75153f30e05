// SPDX-License-Identifier: MIT
/* vsm info: prints the vsm devices of this machine and their limits. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vsm.h>
#include <xf86drm.h>

#include "base.h"
#include "command.h"
#include "json.h"

static const struct {
	uint64_t mask;
	const char *name;
} features[] = {
#define VSM_FEATURE(NAME, name)	{ DRM_VSM_FEATURE_##NAME, name },
#include "vsm_features.h"
};

#define WIDTH 15

static void print_features(uint64_t mask)
{
	unsigned int i;

	printf("  %-*s", WIDTH, "features");
	if (!mask)
		printf("none");
	for (i = 0; i < ARRAY_SIZE(features); i++) {
		if (!(mask & features[i].mask))
			continue;
		mask &= ~features[i].mask;
		printf("%s%s", features[i].name, mask ? " " : "");
	}
	/* These bits are features of a newer driver, whose names this program does not know. */
	if (mask)
		printf("0x%" PRIx64, mask);
	putchar('\n');
}

static void print_bytes(const char *name, uint64_t bytes)
{
	static const char units[] = "BKMGTPE";
	double size = bytes;
	unsigned int unit;

	for (unit = 0; size >= 1024; unit++)
		size /= 1024;
	if (unit)
		print_field(WIDTH, name, "%" PRIu64 " bytes (%.4g %ciB)", bytes, size, units[unit]);
	else
		print_field(WIDTH, name, "%" PRIu64 " bytes", bytes);
}

static void print_time(const char *name, uint64_t ns)
{
	if (ns && !(ns % 1000000))
		print_field(WIDTH, name, "%" PRIu64 " ms", ns / 1000000);
	else if (ns && !(ns % 1000))
		print_field(WIDTH, name, "%" PRIu64 " us", ns / 1000);
	else
		print_field(WIDTH, name, "%" PRIu64 " ns", ns);
}

static int print_device(const struct vsm_device *device)
{
	int fd = vsm_device_fd(device);
	const struct drm_vsm_device_info info = vsm_device_info(device);
	drmVersionPtr version;
	char *node;

	version = drmGetVersion(fd);
	if (!version)
		return -ENODEV;
	node = drmGetDeviceNameFromFd2(fd);

	printf("vsm device %u\n", info.index);
	print_field(WIDTH, "node", "%s", node ? node : "?");
	print_field(WIDTH, "driver", "%s %d.%d.%d", version->name, version->version_major,
		    version->version_minor, version->version_patchlevel);
	print_field(WIDTH, "ABI", "%u.%u", info.abi_major, info.abi_minor);
	print_features(info.features);
	print_field(WIDTH, "cluster", "%u CTAs of %u threads", info.max_ctas, info.max_threads);
	print_bytes("window", info.max_smem);
	print_field(WIDTH, "exec", "%u instructions", info.max_exec);
	print_field(WIDTH, "submit", "%u instructions, %u fences", info.max_submit, info.max_syncs);
	print_field(WIDTH, "client", "%u clusters, %u waits, %u jobs, %u channels",
		    info.client_clusters, info.client_waits, info.client_jobs, info.max_channels);
	print_bytes("client memory", info.client_bytes);
	print_bytes("device memory", info.device_bytes);
	print_time("try_wait limit", info.try_wait_limit_ns);

	free(node);
	drmFreeVersion(version);
	return 0;
}

static void write_features(struct json_object *json, uint64_t mask)
{
	struct json_object *list;
	unsigned int i;

	list = json_add_array(json, "features");
	for (i = 0; i < ARRAY_SIZE(features); i++) {
		if (mask & features[i].mask)
			json_add_string(list, NULL, features[i].name);
		mask &= ~features[i].mask;
	}
	json_add_hex(json, "unknown_features", mask);
}

static int write_device(const struct vsm_device *device, struct json_object *list)
{
	int fd = vsm_device_fd(device);
	const struct drm_vsm_device_info info = vsm_device_info(device);
	struct json_object *json;
	drmVersionPtr version;
	char *node;

	version = drmGetVersion(fd);
	if (!version)
		return -ENODEV;
	node = drmGetDeviceNameFromFd2(fd);

	json = json_add_object(list, NULL);
	json_add_number(json, "device", info.index);
	json_add_string(json, "node", node);
	json_add_string(json, "driver", version->name);
	json_add_format(json, "driver_version", "%d.%d.%d", version->version_major,
			version->version_minor, version->version_patchlevel);
	json_add_format(json, "abi", "%u.%u", info.abi_major, info.abi_minor);
	write_features(json, info.features);
	json_add_number(json, "max_ctas", info.max_ctas);
	json_add_number(json, "max_threads", info.max_threads);
	json_add_number(json, "window_bytes", info.max_smem);
	json_add_number(json, "max_exec", info.max_exec);
	json_add_number(json, "max_submit", info.max_submit);
	json_add_number(json, "max_fences", info.max_syncs);
	json_add_number(json, "max_channels", info.max_channels);
	json_add_number(json, "client_clusters", info.client_clusters);
	json_add_number(json, "client_waits", info.client_waits);
	json_add_number(json, "client_jobs", info.client_jobs);
	json_add_number(json, "client_bytes", info.client_bytes);
	json_add_number(json, "device_bytes", info.device_bytes);
	json_add_number(json, "try_wait_limit_ns", info.try_wait_limit_ns);

	free(node);
	drmFreeVersion(version);
	return 0;
}

/* Prints a device, or adds it to @list if that is not NULL. */
static int print_index(uint32_t index, struct json_object *list)
{
	struct vsm_device *device;
	int err;

	err = vsm_device_open_index(index, &device);
	if (!err) {
		err = list ? write_device(device, list) : print_device(device);
		vsm_device_close(device);
	}
	if (err)
		return failed("info: device %u: %s", index, strerror(-err));
	return EXIT_OK;
}

int command_info(struct args *args)
{
	/* DRM has no more minors. */
	uint32_t indices[64];
	int status = EXIT_OK;
	struct json_object *json = NULL, *list = NULL;
	bool as_json = false;
	int count, i;

	while (args_next(args))
		as_json = true;
	if (args->ended)
		return args->status;

	count = vsm_device_list(indices, ARRAY_SIZE(indices));
	if (count <= 0)
		return failed_to_open("info", count, false);
	if (as_json) {
		json = must(json_object_new_object());
		json_add_number(json, "version", 1);
		list = json_add_array(json, "devices");
	}
	for (i = 0; i < count && i < (int)ARRAY_SIZE(indices); i++) {
		if (i && !as_json)
			putchar('\n');
		if (print_index(indices[i], list))
			status = EXIT_FAILED;
	}
	if (as_json)
		json_write(stdout, json, false);
	return status;
}
