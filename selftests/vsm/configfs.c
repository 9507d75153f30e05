// SPDX-License-Identifier: GPL-2.0-only
/*
 * Devices to order: folders in configfs, their options, and devices that come and go.
 */
#include "configfs.h"
#include "fence.h"

#define A AT(0, 0x40)
#define NAME "ordered"
/* A driver that binds to any platform device whose driver_override names it */
#define OTHER_DRIVER "/sys/bus/platform/drivers/pcspkr/"

#define VSM_FEATURE(NAME, name)	" " name
static const char *all_features = 1 +
#include <drm/vsm_features.h>
	;

FIXTURE(folder)
{
	int fd;	/* the device, once enable() has been called */
};

FIXTURE_SETUP(folder)
{
	if (!folders_mount())
		SKIP(return, "the kernel has no configfs");
	folders_clear();
	ASSERT_EQ(0, folder_make(NAME));
	self->fd = -1;
}

FIXTURE_TEARDOWN(folder)
{
	close(self->fd);
	folders_clear();
}

static int enable(struct _test_data_folder *self)
{
	int ret = option_write(NAME, "enabled", "1");

	self->fd = ret ? ret : folder_open(NAME);
	return self->fd < 0 ? self->fd : 0;
}

TEST_F(folder, becomes_a_device_and_is_none_again)
{
	char path[128], text[64];
	struct cluster c;

	EXPECT_TRUE(option_is(NAME, "enabled", "0"));
	EXPECT_TRUE(option_is(NAME, "device", ""));
	EXPECT_EQ(-ENODEV, folder_open(NAME));
	ASSERT_EQ(0, enable(self));
	EXPECT_TRUE(option_is(NAME, "enabled", "1"));
	ASSERT_EQ(0, option_read(NAME, "device", text, sizeof(text)));
	snprintf(path, sizeof(path), "/sys/bus/platform/devices/%s/name", text);
	ASSERT_EQ(0, line_read(path, text, sizeof(text)));
	EXPECT_STREQ(NAME, text);
	EXPECT_EQ(0, option_write(NAME, "enabled", "1"));	/* changes nothing */

	ASSERT_EQ(0, cluster_create(&c, self->fd, 0, 0));
	EXPECT_EQ(0, exec_one(&c, i_init(A, 1)));
	EXPECT_EQ(0, exec_one(&c, i_arrive(A)));
	EXPECT_EQ(1, exec_result(&c, i_try_parity(A, 0, 0)));
	EXPECT_EQ(0, cluster_destroy(&c));

	EXPECT_EQ(0, option_write(NAME, "enabled", "0"));
	EXPECT_TRUE(option_is(NAME, "device", ""));
	EXPECT_EQ(0, option_write(NAME, "enabled", "0"));
	EXPECT_EQ(-EINVAL, option_write(NAME, "enabled", "maybe"));
}

static const struct number {
	const char *option;
	bool live;	/* can be changed while the device exists */
	uint64_t min, max, value;
} numbers[] = {
	{ "max_bytes", false, 4096, INT64_MAX / 4, 1 << 20 },
	{ "client_clusters", false, 1, 1024, 3 },
	{ "client_waits", false, 1, 1 << 17, 5 },
	{ "client_jobs", false, 1, 1024, 7 },
	{ "max_channels", false, 1, 16, 2 },
	{ "try_wait_limit_ns", true, 0, INT64_MAX / 2, 12345 },
	{ "latency_ns", true, 0, INT64_MAX / 2, 1000 },
	{ "bandwidth", true, 0, UINT64_MAX, 1 << 30 },
	{ "shuffle_seed", true, 0, UINT64_MAX, 9 },
	{ "split_bytes", true, 0, UINT32_MAX, 16 },
	{ "job_timeout_ms", true, 0, 3600000, 1500 },
};

static int number_write(const struct number *n, uint64_t value)
{
	char text[32];

	snprintf(text, sizeof(text), "%llu\n", (unsigned long long)value);
	return option_write(NAME, n->option, text);
}

static bool number_is(const struct number *n, uint64_t value)
{
	char text[32];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
	return option_is(NAME, n->option, text);
}

TEST_F(folder, has_numbers_with_ranges)
{
	int i;

	for (i = 0; i < ITEMS(numbers); i++) {
		const struct number *n = &numbers[i];

		EXPECT_EQ(0, number_write(n, n->max));
		EXPECT_TRUE(number_is(n, n->max));
		EXPECT_EQ(0, number_write(n, n->min));
		EXPECT_TRUE(number_is(n, n->min));
		if (n->min)
			EXPECT_EQ(-ERANGE, number_write(n, n->min - 1));
		if (n->max < UINT64_MAX)
			EXPECT_EQ(-ERANGE, number_write(n, n->max + 1));
		EXPECT_EQ(-ERANGE, option_write(NAME, n->option, "18446744073709551616"));
		EXPECT_EQ(-EINVAL, option_write(NAME, n->option, "much"));
		EXPECT_EQ(-EINVAL, option_write(NAME, n->option, "-1"));
		EXPECT_EQ(-EINVAL, option_write(NAME, n->option, "\n"));
		EXPECT_TRUE(number_is(n, n->min));
	}
}

TEST_F(folder, makes_a_device_with_its_numbers)
{
	struct drm_vsm_device_info info;
	int i;

	for (i = 0; i < ITEMS(numbers); i++)
		ASSERT_EQ(0, number_write(&numbers[i], numbers[i].value));
	ASSERT_EQ(0, enable(self));
	info = vsm_info(self->fd);
	EXPECT_EQ(1 << 20, info.device_bytes);
	EXPECT_EQ(1 << 19, info.client_bytes);
	EXPECT_EQ(3, info.client_clusters);
	EXPECT_EQ(5, info.client_waits);
	EXPECT_EQ(7, info.client_jobs);
	EXPECT_EQ(2, info.max_channels);
	EXPECT_EQ(12345, info.try_wait_limit_ns);
	for (i = 0; i < ITEMS(numbers); i++) {
		EXPECT_EQ(numbers[i].live ? 0 : -EBUSY,
			  number_write(&numbers[i], numbers[i].max));
		EXPECT_TRUE(number_is(&numbers[i],
				      numbers[i].live ? numbers[i].max : numbers[i].value));
	}
	/* The device has the new number. */
	EXPECT_EQ(INT64_MAX / 2, vsm_info(self->fd).try_wait_limit_ns);
	EXPECT_EQ(-EBUSY, option_write(NAME, "features", "mbarrier"));
	EXPECT_EQ(-EBUSY, option_write(NAME, "policies", "strict"));
}

TEST_F(folder, limits_what_a_client_gets)
{
	struct drm_vsm_channel_create channel = {};
	struct cluster c[2];
	int set;
	struct drm_vsm_wait waits[2];
	uint32_t armed = 0;

	ASSERT_EQ(0, option_write(NAME, "client_clusters", "1"));
	ASSERT_EQ(0, option_write(NAME, "client_waits", "1"));
	ASSERT_EQ(0, option_write(NAME, "max_channels", "1"));
	ASSERT_EQ(0, option_write(NAME, "max_bytes", "8388608"));
	ASSERT_EQ(0, enable(self));
	EXPECT_EQ(0, allocate(self->fd, 4096));
	EXPECT_EQ(-ENOSPC, allocate(self->fd, 4194304));
	ASSERT_EQ(0, cluster_create(&c[0], self->fd, 0, 0));
	EXPECT_EQ(-ENOSPC, cluster_create(&c[1], self->fd, 0, 0));
	EXPECT_EQ(-ENOSPC, vsm_ioctl(self->fd, DRM_IOCTL_VSM_CHANNEL_CREATE, &channel));
	ASSERT_EQ(0, exec_one(&c[0], i_init(A, 1)));
	set = waitset_create(self->fd, 0);
	waits[0] = wait_parity(&c[0], A, 0, -1, 0);
	waits[1] = waits[0];
	EXPECT_EQ(-ENOSPC, waitset_arm(self->fd, set, waits, 2, &armed));
	EXPECT_EQ(1, armed);
	close(set);
	EXPECT_EQ(0, cluster_destroy(&c[0]));
}

TEST_F(folder, changes_the_timing_of_a_device_that_exists)
{
	struct drm_vsm_insn store;
	struct cluster c;
	struct buffer b;

	ASSERT_EQ(0, enable(self));
	ASSERT_EQ(0, cluster_create(&c, self->fd, 0, 0));
	ASSERT_EQ(0, buffer_create(&b, self->fd, 4096));
	store = i_s2g(AT(0, 0x100), 16, b.handle, 0);
	EXPECT_EQ(1, job_status(&c, 0, store));
	ASSERT_EQ(0, option_write(NAME, "latency_ns", "3600000000000"));
	ASSERT_EQ(0, option_write(NAME, "job_timeout_ms", "20"));
	EXPECT_EQ(-ETIMEDOUT, job_status(&c, 0, store));
	ASSERT_EQ(0, option_write(NAME, "latency_ns", "0"));
	EXPECT_EQ(1, job_status(&c, 0, store));
	munmap(b.map, b.size);
	EXPECT_EQ(0, cluster_destroy(&c));
}

TEST_F(folder, sets_are_written_as_names)
{
	EXPECT_TRUE(option_is(NAME, "features", all_features));
	EXPECT_TRUE(option_is(NAME, "policies", "strict hardware"));
	EXPECT_EQ(0, option_write(NAME, "features", "trace mbarrier\n"));
	EXPECT_TRUE(option_is(NAME, "features", "mbarrier trace"));
	EXPECT_EQ(0, option_write(NAME, "features", "-trace  +copy"));
	EXPECT_TRUE(option_is(NAME, "features", "mbarrier copy"));
	EXPECT_EQ(0, option_write(NAME, "features", "waitset -waitset +state"));
	EXPECT_TRUE(option_is(NAME, "features", "state"));
	EXPECT_EQ(-EINVAL, option_write(NAME, "features", "+mbarrier warp-drive"));
	EXPECT_EQ(-EINVAL, option_write(NAME, "features", "+"));
	EXPECT_EQ(-EINVAL, option_write(NAME, "features", "mbarrier,trace"));
	EXPECT_TRUE(option_is(NAME, "features", "state"));
	EXPECT_EQ(0, option_write(NAME, "features", "\n"));
	EXPECT_TRUE(option_is(NAME, "features", ""));
	ASSERT_EQ(0, enable(self));
	EXPECT_EQ(0, vsm_info(self->fd).features);
}

TEST_F(folder, allows_only_its_policies)
{
	struct cluster c;

	ASSERT_EQ(0, option_write(NAME, "policies", "hardware"));
	ASSERT_EQ(0, enable(self));
	EXPECT_EQ(-EOPNOTSUPP, cluster_create(&c, self->fd, 0, DRM_VSM_POLICY_STRICT));
	EXPECT_EQ(-EINVAL, cluster_create(&c, self->fd, 0, 2));
	ASSERT_EQ(0, cluster_create(&c, self->fd, 0, DRM_VSM_POLICY_HARDWARE));
	EXPECT_EQ(0, cluster_destroy(&c));
}

/* --- coming and going --------------------------------------------------------------- */

TEST_F(folder, its_end_is_an_unplug)
{
	struct drm_vsm_insn wait = i_try_parity(A, 0, LONG_HINT);
	struct exec_thread t;
	struct cluster c;

	ASSERT_EQ(0, enable(self));
	ASSERT_EQ(0, cluster_create(&c, self->fd, 0, 0));
	ASSERT_EQ(0, exec_one(&c, i_init(A, 1)));
	ASSERT_TRUE(suspend_as(&t, &c, 0, 0, 0, &wait, 1));
	ASSERT_EQ(0, folder_remove(NAME));
	EXPECT_EQ(-ENODEV, exec_thread_join(&t));
	EXPECT_EQ(-ENODEV, exec_one(&c, i_arrive(A)));
	EXPECT_TRUE(poll_events(self->fd) & POLLHUP);
	*word_at(&c, A) = 1;	/* the mapping stays */
	munmap(c.map, c.size);

	/* The name is free. The file of the old device stays lost. */
	ASSERT_EQ(0, folder_make(NAME));
	close(self->fd);
	ASSERT_EQ(0, enable(self));
	ASSERT_EQ(0, cluster_create(&c, self->fd, 0, 0));
	EXPECT_EQ(0, exec_one(&c, i_init(A, 1)));
	EXPECT_EQ(0, cluster_destroy(&c));
}

TEST_F(folder, a_device_that_is_bound_again_is_the_same)
{
	char device[32], path[128], name[64];
	struct cluster c;
	struct buffer b;

	ASSERT_EQ(0, option_write(NAME, "client_jobs", "77"));
	ASSERT_EQ(0, enable(self));
	ASSERT_EQ(0, option_read(NAME, "device", device, sizeof(device)));
	ASSERT_EQ(0, driver_write("unbind", device));
	EXPECT_EQ(-ENODEV, folder_open(NAME));
	/* udev finds the name before the probe has ended. It is there without any probe. */
	snprintf(path, sizeof(path), "/sys/bus/platform/devices/%s/name", device);
	ASSERT_EQ(0, line_read(path, name, sizeof(name)));
	EXPECT_STREQ(NAME, name);
	/* There is no device whose timing could change now. The next one has it. */
	EXPECT_EQ(0, option_write(NAME, "job_timeout_ms", "20"));
	EXPECT_EQ(0, option_write(NAME, "latency_ns", "3600000000000"));
	ASSERT_EQ(0, driver_write("bind", device));
	close(self->fd);
	self->fd = folder_open(NAME);
	ASSERT_LE(0, self->fd);
	EXPECT_EQ(77, vsm_info(self->fd).client_jobs);
	ASSERT_EQ(0, cluster_create(&c, self->fd, 0, 0));
	ASSERT_EQ(0, buffer_create(&b, self->fd, 4096));
	EXPECT_EQ(-ETIMEDOUT, job_status(&c, 0, i_s2g(AT(0, 0x100), 16, b.handle, 0)));
	munmap(b.map, b.size);
	EXPECT_EQ(0, cluster_destroy(&c));
}

/* Another driver may be bound to the device. Its data is not the device. */
TEST_F(folder, another_driver_is_left_alone)
{
	char device[32], path[128];

	if (access(OTHER_DRIVER, W_OK) && system("modprobe -q pcspkr"))
		SKIP(return, "the kernel has no other driver that binds to any device");
	ASSERT_EQ(0, enable(self));
	ASSERT_EQ(0, option_read(NAME, "device", device, sizeof(device)));
	ASSERT_EQ(0, driver_write("unbind", device));
	snprintf(path, sizeof(path), "/sys/bus/platform/devices/%s/driver_override", device);
	ASSERT_EQ(0, write_file(path, "pcspkr"));
	ASSERT_EQ(0, write_file(OTHER_DRIVER "bind", device));
	EXPECT_EQ(0, option_write(NAME, "latency_ns", "5"));
	EXPECT_EQ(0, option_write(NAME, "shuffle_seed", "5"));
	EXPECT_EQ(-ENODEV, folder_open(NAME));
	EXPECT_EQ(0, write_file(OTHER_DRIVER "unbind", device));
	ASSERT_EQ(0, write_file(path, "\n"));
	EXPECT_EQ(0, driver_write("bind", device));
	close(self->fd);
	self->fd = folder_open(NAME);
	EXPECT_LE(0, self->fd);
}

/* This driver is bound to the device of another one, or to none. */
TEST_F(folder, a_device_of_another_driver_is_refused)
{
	static const char autoprobe[] = "/sys/bus/platform/drivers_autoprobe";
	static const char path[] = "/sys/bus/platform/devices/pcspkr/driver_override";

	/* Unbinding the device of a serial port could end the console. */
	if (!access(path, W_OK)) {
		bool bound = !write_file(OTHER_DRIVER "unbind", "pcspkr");

		ASSERT_EQ(0, write_file(path, "vsm"));
		EXPECT_EQ(-ENODEV, driver_write("bind", "pcspkr"));
		EXPECT_EQ(0, write_file(path, "\n"));
		if (bound)
			EXPECT_EQ(0, write_file(OTHER_DRIVER "bind", "pcspkr"));
	}
	ASSERT_EQ(0, write_file(autoprobe, "0"));
	EXPECT_EQ(-ENODEV, option_write(NAME, "enabled", "1"));
	EXPECT_TRUE(option_is(NAME, "enabled", "0"));
	EXPECT_TRUE(option_is(NAME, "device", ""));
	ASSERT_EQ(0, write_file(autoprobe, "1"));
	EXPECT_EQ(0, enable(self));
}

TEST_F(folder, there_are_up_to_64_devices)
{
	char name[32];
	int i, made = 0, ret = 0;

	/* Other drivers have minors as well: fewer than 64 devices may be left for vsm. */
	for (i = 0; i < 64 && !ret; i++) {
		snprintf(name, sizeof(name), "d%d", i);
		ASSERT_EQ(0, folder_make(name));
		ret = option_write(name, "enabled", "1");
		made += !ret;
	}
	EXPECT_EQ(-ENOSPC, ret);
	EXPECT_LT(40, made);
	EXPECT_TRUE(option_is(name, "enabled", "0"));
	EXPECT_TRUE(option_is(name, "device", ""));
	EXPECT_TRUE(option_is("d0", "enabled", "1"));
	/* One place is free again. */
	ASSERT_EQ(0, folder_remove("d0"));
	EXPECT_EQ(0, option_write(name, "enabled", "1"));
	for (i = 1; i < 64; i++) {
		snprintf(name, sizeof(name), "d%d", i);
		folder_remove(name);
	}
}

TEST_F(folder, a_name_that_is_long_or_no_word_is_refused)
{
	char name[65];

	memset(name, 'n', sizeof(name));
	name[64] = '\0';
	EXPECT_EQ(-ENAMETOOLONG, folder_make(name));
	name[63] = '\0';
	EXPECT_EQ(0, folder_make(name));
	EXPECT_EQ(-EEXIST, folder_make(name));
	EXPECT_EQ(0, folder_remove(name));
	EXPECT_EQ(-EINVAL, folder_make("two\nlines"));
	EXPECT_EQ(-EINVAL, folder_make("two words"));
	EXPECT_EQ(-EINVAL, folder_make("\033[31m"));
	EXPECT_EQ(-EINVAL, folder_make("\177"));
	EXPECT_EQ(0, folder_make("voil\303\240"));
	EXPECT_EQ(0, folder_remove("voil\303\240"));
}

TEST_F(folder, keeps_the_module)
{
	if (!getenv("VSM_MODULE"))
		SKIP(return, "VSM_MODULE does not name the module to load again");
	EXPECT_EQ(-EAGAIN, module_unload());
}

static void *comes_and_goes(void *arg)
{
	atomic_bool *stop = arg;
	int i;

	for (i = 0; !atomic_load(stop); i++) {
		folder_make("busy");
		option_write("busy", "enabled", "1");
		option_write("busy", "latency_ns", i % 2 ? "100000" : "0");
		if (i % 3)
			option_write("busy", "enabled", "0");
		folder_remove("busy");
	}
	return NULL;
}

/*
 * A client works on a device while two tasks make, change and remove it, until it has found the
 * device and executed instructions often enough.
 */
TEST_F(folder, comes_and_goes_under_use)
{
	int64_t end = now_ns() + AMPLE;
	int i, used = 0, aim = repeat(40);
	atomic_bool stop = false;
	pthread_t tasks[2];
	struct cluster c;

	for (i = 0; i < ITEMS(tasks); i++)
		ASSERT_EQ(0, pthread_create(&tasks[i], NULL, comes_and_goes, &stop));
	while (used < aim && now_ns() < end) {
		int fd = folder_open("busy");

		if (fd < 0)
			continue;
		if (!cluster_create(&c, fd, 0, 0)) {
			used += !exec_one(&c, i_init(A, 1));
			used += !exec_one(&c, i_arrive(A));
			munmap(c.map, c.size);
		}
		close(fd);
	}
	atomic_store(&stop, true);
	for (i = 0; i < ITEMS(tasks); i++)
		ASSERT_EQ(0, pthread_join(tasks[i], NULL));
	EXPECT_LE(aim, used);
	folder_remove("busy");
	EXPECT_EQ(-ENOENT, folder_open("busy"));
}

TEST_HARNESS_MAIN
