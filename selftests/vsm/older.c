// SPDX-License-Identifier: GPL-2.0-only
/*
 * Devices that pretend to have an older ABI: what they say of themselves, and how much they know of
 * each argument. features.c tries what belongs to younger features.
 */
#include "configfs.h"
#include "fence.h"

#define A AT(0, 0x40)
#define NAME "older"

FIXTURE(older)
{
	struct cluster c;
};

FIXTURE_VARIANT(older)
{
	uint32_t minor;
};

FIXTURE_VARIANT_ADD(older, abi_0_1)
{
	.minor = 1,
};

FIXTURE_VARIANT_ADD(older, abi_0_2)
{
	.minor = 2,
};

FIXTURE_VARIANT_ADD(older, abi_0_3)
{
	.minor = 3,
};

FIXTURE_VARIANT_ADD(older, abi_0_4)
{
	.minor = 4,
};

FIXTURE_VARIANT_ADD(older, abi_0_5)
{
	.minor = 5,
};

FIXTURE_VARIANT_ADD(older, abi_0_6)
{
	.minor = 6,
};

FIXTURE_VARIANT_ADD(older, abi_0_7)
{
	.minor = 7,
};

FIXTURE_VARIANT_ADD(older, abi_0_8)
{
	.minor = 8,
};

FIXTURE_VARIANT_ADD(older, abi_0_9)
{
	.minor = 9,
};

FIXTURE_SETUP(older)
{
	char text[16];

	if (!folders_mount())
		SKIP(return, "the kernel has no configfs");
	folders_clear();
	snprintf(text, sizeof(text), "%u", variant->minor);
	ASSERT_EQ(0, folder_make(NAME));
	ASSERT_EQ(0, option_write(NAME, "abi_minor", text));
	ASSERT_EQ(0, option_write(NAME, "enabled", "1"));
	ASSERT_EQ(0, cluster_create(&self->c, folder_open(NAME), 0, 0));
	ASSERT_EQ(0, exec_one(&self->c, i_init(A, 1)));
}

FIXTURE_TEARDOWN(older)
{
	cluster_close(&self->c);
	folders_clear();
}

TEST_F(older, says_its_version)
{
	drmVersionPtr version = drmGetVersion(self->c.fd);

	ASSERT_NE(NULL, version);
	EXPECT_EQ(0, version->version_major);
	EXPECT_EQ(variant->minor, version->version_minor);
	drmFreeVersion(version);
	EXPECT_EQ(0, vsm_info(self->c.fd).abi_major);
	EXPECT_EQ(variant->minor, vsm_info(self->c.fd).abi_minor);
}

TEST_F(older, is_an_option_that_does_not_change_while_the_device_exists)
{
	char text[16];

	EXPECT_EQ(-EBUSY, option_write(NAME, "abi_minor", "1"));
	snprintf(text, sizeof(text), "%u", variant->minor);
	EXPECT_TRUE(option_is(NAME, "abi_minor", text));
	cluster_close(&self->c);
	ASSERT_EQ(0, option_write(NAME, "enabled", "0"));
	EXPECT_EQ(-ERANGE, option_write(NAME, "abi_minor", "0"));
	snprintf(text, sizeof(text), "%u", DRM_VSM_ABI_MINOR + 1);
	EXPECT_EQ(-ERANGE, option_write(NAME, "abi_minor", text));
	EXPECT_EQ(-ERANGE, option_write(NAME, "abi_minor", "0x100000001"));
}

/* The features of the newest version come back with it, unless somebody has switched them off. */
TEST_F(older, features_come_back_with_the_version)
{
	uint64_t all;
	char text[16];

	cluster_close(&self->c);
	ASSERT_EQ(0, option_write(NAME, "enabled", "0"));
	ASSERT_EQ(0, option_write(NAME, "features", "-waitset"));
	EXPECT_EQ(variant->minor >= 3 ? 0 : -EINVAL, option_write(NAME, "features", "-copy"));
	EXPECT_EQ(-EINVAL, option_write(NAME, "features", "mbarrier nothing"));
	snprintf(text, sizeof(text), "%u", DRM_VSM_ABI_MINOR);
	ASSERT_EQ(0, option_write(NAME, "abi_minor", text));
	ASSERT_EQ(0, option_write(NAME, "enabled", "1"));
	ASSERT_EQ(0, cluster_create(&self->c, folder_open(NAME), 0, 0));
	all = vsm_info(self->c.fd).features;
	EXPECT_TRUE(all & DRM_VSM_FEATURE_TRACE);
	EXPECT_FALSE(all & DRM_VSM_FEATURE_WAITSET);
	EXPECT_EQ(variant->minor < 3, !!(all & DRM_VSM_FEATURE_COPY));
}

TEST_F(older, an_argument_has_no_more_bytes_than_the_old_one)
{
	const size_t known = variant->minor < 5 ? 48 : variant->minor < 7 ? 64 : 72;
	struct drm_vsm_object_info args;
	size_t at;

	for (at = 40; at < sizeof(args); at++) {
		args = (struct drm_vsm_object_info){ .handle = self->c.handle };
		((char *)&args)[at] = 1;
		EXPECT_EQ(at < known ? 0 : -EINVAL,
			  vsm_ioctl(self->c.fd, DRM_IOCTL_VSM_OBJECT_INFO, &args));
	}
}

TEST_F(older, a_result_behind_the_old_argument_is_not_written)
{
	struct drm_vsm_object_info args = { .handle = self->c.handle };
	struct drm_vsm_exec exec = exec_args(&self->c, NULL, 0);

	ASSERT_EQ(0, vsm_ioctl(self->c.fd, DRM_IOCTL_VSM_OBJECT_INFO, &args));
	EXPECT_EQ(DRM_VSM_OBJECT_CLUSTER, args.kind);
	EXPECT_EQ(variant->minor >= 7, args.number != 0);
	EXPECT_EQ(variant->minor >= 7, args.client != 0);
	EXPECT_EQ(0, vsm_exec(self->c.fd, &exec));
}

TEST_F(older, exec_takes_the_flags_and_fields_of_its_version)
{
	struct drm_vsm_insn insn = i_test_parity(A, 0);
	struct drm_vsm_exec args = exec_args(&self->c, &insn, 1);

	args.flags = DRM_VSM_EXEC_NO_LIMIT;
	EXPECT_EQ(variant->minor < 2 ? -EINVAL : 0, vsm_exec(self->c.fd, &args));
	args.retired = 0;
	args.flags = DRM_VSM_EXEC_WARP;
	EXPECT_EQ(variant->minor < 4 ? -EINVAL : 0, vsm_exec(self->c.fd, &args));
	args.retired = 0;
	args.flags = 0;
	args.site = 7;
	EXPECT_EQ(variant->minor < 7 ? -EINVAL : 0, vsm_exec(self->c.fd, &args));
	args.retired = 0;
	args.site = 0;
	args.suspended = 1;
	EXPECT_EQ(-EINVAL, vsm_exec(self->c.fd, &args));
	EXPECT_EQ(0, args.retired);
	/* The call and its result are written as ever. */
	args.suspended = 0;
	insn.result = POISON;
	EXPECT_EQ(0, vsm_exec(self->c.fd, &args));
	EXPECT_EQ(1, args.retired);
	EXPECT_EQ(0, insn.result);
}

/* A size that no version of the argument has had makes no flag known. */
TEST_F(older, exec_of_any_size_takes_the_flags_of_its_version)
{
	struct drm_vsm_insn insn = i_test_parity(A, 0);
	size_t size;

	for (size = offsetof(struct drm_vsm_exec, deadline); size <= 128; size += 4) {
		char bytes[128] = {};
		struct drm_vsm_exec *args = (void *)bytes;
		unsigned long request = _IOC(_IOC_READ | _IOC_WRITE, DRM_IOCTL_BASE,
					     DRM_COMMAND_BASE + DRM_VSM_EXEC, size);

		*args = exec_args(&self->c, &insn, 1);
		args->flags = DRM_VSM_EXEC_NO_LIMIT;
		EXPECT_EQ(variant->minor < 2 ? -EINVAL : 0, vsm_ioctl(self->c.fd, request, args))
			TH_LOG("%zu bytes", size);
		args->retired = 0;
		args->flags = DRM_VSM_EXEC_WARP;
		EXPECT_EQ(variant->minor < 4 ? -EINVAL : 0, vsm_ioctl(self->c.fd, request, args))
			TH_LOG("%zu bytes", size);
	}
}

TEST_F(older, submit_has_pads_where_there_are_fields_now)
{
	struct drm_vsm_insn insn = i_sink(i_arrive(A));
	struct drm_vsm_submit args = submit_args(&self->c, &insn, 1);

	args.channel = 3;
	EXPECT_EQ(variant->minor < 3 ? -EINVAL : -ENOENT, vsm_submit(self->c.fd, &args));
	args.channel = 0;
	args.site = 3;
	EXPECT_EQ(variant->minor < 7 ? -EINVAL : 0, vsm_submit(self->c.fd, &args));
	args.site = 0;
	EXPECT_EQ(0, vsm_submit(self->c.fd, &args));
}

/* ABI 0.5 does not read that far, and 0.6 has a pad there. */
TEST_F(older, a_wait_has_a_site_or_a_pad_or_ends_before)
{
	struct drm_vsm_wait wait = wait_parity(&self->c, A, 0, -1, 0);
	int set = waitset_create(self->c.fd, 0);

	ASSERT_LE(0, set);
	wait.site = 5;
	EXPECT_EQ(variant->minor == 6 ? -EINVAL : 0,
		  waitset_arm(self->c.fd, set, &wait, 1, NULL));
	wait.site = 0;
	wait.lanes = 1;
	EXPECT_EQ(variant->minor >= 6 ? -EINVAL : 0,
		  waitset_arm(self->c.fd, set, &wait, 1, NULL));
	close(set);
}

TEST_F(older, an_ioctl_of_a_later_version_is_unknown)
{
	struct drm_vsm_cluster_hold hold = { .cluster = self->c.handle };
	struct drm_vsm_channel_create channel = {};
	struct drm_vsm_inject_query query = {
		.flags = DRM_VSM_INJECT_NEXT | DRM_VSM_INJECT_OF_DEVICE,
	};
	struct drm_vsm_trace_read read = {
		.cluster = self->c.handle, .stride = sizeof(struct drm_vsm_trace_event),
	};

	EXPECT_EQ(variant->minor < 2 ? -EINVAL : 0,
		  vsm_ioctl(self->c.fd, DRM_IOCTL_VSM_CLUSTER_HOLD, &hold));
	EXPECT_EQ(variant->minor < 3 ? -EINVAL : 0,
		  vsm_ioctl(self->c.fd, DRM_IOCTL_VSM_CHANNEL_CREATE, &channel));
	EXPECT_EQ(variant->minor < 7 ? -EINVAL : -ENOENT,
		  vsm_ioctl(self->c.fd, DRM_IOCTL_VSM_TRACE_READ, &read));
	/* ABI 0.8 has the ioctl, but not the flag. */
	EXPECT_EQ(variant->minor < 9 ? -EINVAL : -ENOENT,
		  vsm_ioctl(self->c.fd, DRM_IOCTL_VSM_INJECT_QUERY, &query));
	EXPECT_EQ(-EINVAL, vsm_ioctl(self->c.fd, DRM_IOWR(DRM_COMMAND_BASE + 0x5f, __u64), &hold));
}

TEST_HARNESS_MAIN
