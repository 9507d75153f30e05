// SPDX-License-Identifier: MIT
/*
 * vsm_thread_strerror(): the last error of a thread in words.
 */
#include "mock.h"

static struct vsm_thread t;

static int setup(void **state)
{
	if (mock_setup_cluster(state))
		return -1;
	t = vsm_thread_at(cluster, 1, 0);
	return 0;
}

static void assert_says(const char *expected)
{
	char text[256];
	int length = vsm_thread_strerror(&t, text, sizeof(text));

	assert_string_equal(text, expected);
	assert_int_equal(length, strlen(expected));
}

/* The device answers @insn with an error number. */
static void assert_answer(int err, struct drm_vsm_insn insn, const char *expected)
{
	mock.fail_request = DRM_IOCTL_VSM_EXEC;
	mock.fail_errno = err;
	assert_int_equal(vsm_execute(&t, insn, NULL), -err);
	assert_says(expected);
}

static void test_nothing(void **state)
{
	(void)state;
	assert_says("no call has failed");
	assert_int_equal(vsm_execute(&t, vsm_prep_fence(VSM_SC | VSM_CTA), NULL), 0);
	assert_says("no call has failed");
}

static void test_misuse(void **state)
{
	const char *expected =
		"init of 1 on the mbarrier at CTA 0 + 0x44: the address must be a multiple of 8";
	char text[20];

	(void)state;
	mock.fault = DRM_VSM_FAULT_MISALIGNED;
	assert_int_equal(vsm_execute(&t, vsm_prep_mbarrier_init(0x44, 1, 0), NULL), -EPROTO);
	assert_says(expected);
	/* A short text is cut. */
	assert_int_equal(vsm_thread_strerror(&t, text, sizeof(text)),
			 vsm_thread_strerror(&t, NULL, 0));
	assert_string_equal(text, "init of 1 on the mb");
}

static void test_layout(void **state)
{
	(void)state;
	assert_answer(EOPNOTSUPP, vsm_prep_mbarrier_try_wait_parity(8, 0, 0),
		      "mbarrier.try_wait.parity: this needs sm_90, and the layout of the cluster is sm_80");
}

static void test_others(void **state)
{
	static const struct {
		int err;
		const char *text;
	} errors[] = {
		{ ENOENT, "there is no such cluster, buffer, channel or syncobj" },
		{ E2BIG, "the call has more instructions or fences than the device takes at once" },
		{ EIO, "the cluster is lost" },
		{ ENODEV, "the device is gone" },
		{ ENOSPC, "the client has as much as it may have" },
		{ ENOMEM, "there is not enough memory" },
		{ EFAULT, "an address of the program is wrong" },
		{ EBADF, "error 9" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(errors) / sizeof(errors[0]); i++)
		assert_answer(errors[i].err, vsm_prep_exit(), errors[i].text);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, mock_teardown_cluster)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_nothing),
		TEST(test_misuse),
		TEST(test_layout),
		TEST(test_others),
	};

	return cmocka_run_group_tests_name("error", tests, NULL, NULL);
}
