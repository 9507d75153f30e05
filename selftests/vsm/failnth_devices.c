// SPDX-License-Identifier: GPL-2.0-only
/*
 * Failing allocations: devices that are unbound, and folders of configfs that come and go.
 *
 * There is no test of binding and enabling: the DRM core of Linux 6.1 crashes if it has no memory
 * for a minor.
 */
#include "configfs.h"
#include "failnth.h"

/* --- unbinding the device ------------------------------------------------------------ */

/* Makes a device in use, which then goes while allocations fail. */
static int use(struct world *w, int fd)
{
	struct drm_vsm_cluster_create args = { .ctas = 1, .threads = 32, .smem_bytes = 4096 };
	int ret;

	if (fd < 0)
		return fd;
	ret = cluster_create_args(&w->other, fd, &args);
	if (!ret)
		ret = exec_one(&w->other, i_init(A, 2));
	w->made = waitset_create(fd, DRM_VSM_WAITSET_NONBLOCK);
	w->waits[0] = wait_parity(&w->other, A, 0, -1, 5);
	return ret ? ret : waitset_arm(fd, w->made, w->waits, 1, NULL);
}

/* Closes what use() has made. Returns 0 if the device is lost and its wait has ended. */
static int end_use(struct world *w)
{
	struct drm_vsm_wait_record record;

	if (waitset_read(w->made, &record) != 1 || record.user_data != 5 ||
	    record.status != DRM_VSM_WAIT_DEVICE_LOST ||
	    waitset_read(w->made, &record) != -ENODEV)
		return -EBADMSG;
	close(w->made);
	cluster_close(&w->other);
	return 0;
}

static int make_user(struct world *w)
{
	return use(w, vsm_open_index(1));
}

static int call_unbind(struct world *w)
{
	return driver_write("unbind", "vsm.1");
}

static int end_unbind(struct world *w, int ret)
{
	/* If sysfs has failed, unbind again. */
	if (ret && call_unbind(w))
		return -EBADMSG;
	return end_use(w) ?: driver_write("bind", "vsm.1");
}

TEST_F(failnth, unbind)
{
	SWEEP(make_user, call_unbind, end_unbind);
}

/* --- devices to order ---------------------------------------------------------------- */

#define NAME "scarce"

static int call_folder(struct world *w)
{
	return folder_make(NAME);
}

static int end_folder(struct world *w, int ret)
{
	return ret ? 0 : folder_remove(NAME);
}

TEST_F(failnth, folder)
{
	if (!folders_mount())
		SKIP(return, "the kernel has no configfs");
	SWEEP(.call = call_folder, .after = end_folder);
}

static int call_features(struct world *w)
{
	return option_write(NAME, "features", "copy");
}

static int end_features(struct world *w, int ret)
{
	if (option_is(NAME, "features", "copy") != !ret)
		return -EBADMSG;
	return option_write(NAME, "features", "fence");
}

TEST_F(failnth, features)
{
	if (!folders_mount())
		SKIP(return, "the kernel has no configfs");
	ASSERT_EQ(0, folder_make(NAME));
	SWEEP(.call = call_features, .after = end_features);
	EXPECT_EQ(0, folder_remove(NAME));
}

static int make_ordered(struct world *w)
{
	return folder_make(NAME) ?: option_write(NAME, "enabled", "1") ?: use(w, folder_open(NAME));
}

static int call_remove(struct world *w)
{
	return folder_remove(NAME);
}

static int end_remove(struct world *w, int ret)
{
	if (ret && folder_remove(NAME))
		return -EBADMSG;
	return end_use(w);
}

TEST_F(failnth, remove_a_folder)
{
	if (!folders_mount())
		SKIP(return, "the kernel has no configfs");
	SWEEP(make_ordered, call_remove, end_remove);
}

TEST_HARNESS_MAIN
