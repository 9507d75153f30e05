// SPDX-License-Identifier: MIT
/*
 * Device memory of a context: allocation, the memory behind an address, and what is freed.
 */
#include "run_kernel.h"

static struct vsm_ptx_context *context;

static int setup(void **state)
{
	(void)state;
	return vsm_ptx_context_create(NULL, &context);
}

static int teardown(void **state)
{
	(void)state;
	vsm_ptx_context_destroy(context);
	return 0;
}

static uint64_t alloc(uint64_t size)
{
	uint64_t address = 0;

	assert_int_equal(vsm_ptx_memory_alloc(context, size, &address), 0);
	assert_int_not_equal(address, 0);
	assert_int_equal(address % 256, 0);
	return address;
}

static void the_same_calls_give_the_same_addresses(void **state)
{
	static const uint64_t sizes[] = { 1, 255, 256, 257, 4096, 100000, 3 };
	uint64_t first[7];

	for (unsigned int i = 0; i < 7; i++)
		first[i] = alloc(sizes[i]);
	teardown(state);
	setup(state);
	for (unsigned int i = 0; i < 7; i++)
		assert_int_equal(alloc(sizes[i]), first[i]);
}

static void allocations_do_not_touch(void **state)
{
	uint64_t first = alloc(1000), second = alloc(1);

	(void)state;
	assert_true(second >= first + 1000 + 4096);
	assert_int_equal(vsm_ptx_memory_free(context, first), 0);
	/* An address is not used again: it would hide a use after free. */
	assert_true(alloc(1) > second);
}

static void memory_contains_zeros(void **state)
{
	const char *bytes = vsm_ptx_memory_map(context, alloc(5000), 5000);

	(void)state;
	for (unsigned int i = 0; i < 5000; i++)
		assert_int_equal(bytes[i], 0);
}

static void wrong_sizes_are_refused(void **state)
{
	uint64_t address = 7;

	(void)state;
	assert_int_equal(vsm_ptx_memory_alloc(context, 0, &address), -EINVAL);
	assert_int_equal(vsm_ptx_memory_alloc(context, UINT64_MAX, &address), -ENOSPC);
	assert_int_equal(vsm_ptx_memory_alloc(context, (1ULL << 47) + 1, &address), -ENOSPC);
	assert_true(vsm_ptx_memory_alloc(context, 1ULL << 46, &address) < 0);
	assert_int_equal(address, 7);
}

static void only_whole_ranges_of_one_allocation_are_mapped(void **state)
{
	uint64_t a = alloc(100), b = alloc(100);
	char *host = vsm_ptx_memory_map(context, a, 100);

	(void)state;
	assert_non_null(host);
	assert_ptr_equal(vsm_ptx_memory_map(context, a, 0), host);
	assert_ptr_equal(vsm_ptx_memory_map(context, a + 99, 1), host + 99);
	assert_null(vsm_ptx_memory_map(context, a, 101));
	assert_null(vsm_ptx_memory_map(context, a + 99, 2));
	assert_null(vsm_ptx_memory_map(context, a + 100, 0));
	assert_null(vsm_ptx_memory_map(context, a - 1, 1));
	assert_null(vsm_ptx_memory_map(context, a + 1, UINT64_MAX));
	assert_null(vsm_ptx_memory_map(context, a, b + 100 - a));
	assert_null(vsm_ptx_memory_map(context, 0, 1));
	assert_null(vsm_ptx_memory_map(context, UINT64_MAX, 1));
	assert_ptr_not_equal(vsm_ptx_memory_map(context, b, 100), host);
}

static void freed_memory_is_gone(void **state)
{
	uint64_t a = alloc(100), b = alloc(100), c = alloc(100);

	(void)state;
	assert_int_equal(vsm_ptx_memory_free(context, b + 1), -ENOENT);
	assert_int_equal(vsm_ptx_memory_free(context, 0), -ENOENT);
	assert_int_equal(vsm_ptx_memory_free(context, b), 0);
	assert_int_equal(vsm_ptx_memory_free(context, b), -ENOENT);
	assert_null(vsm_ptx_memory_map(context, b, 1));
	assert_non_null(vsm_ptx_memory_map(context, a, 100));
	assert_non_null(vsm_ptx_memory_map(context, c, 100));
	assert_int_equal(vsm_ptx_memory_free(context, a), 0);
	assert_int_equal(vsm_ptx_memory_free(context, c), 0);
}

static void a_context_without_device_has_no_buffers(void **state)
{
	uint64_t address = alloc(100), offset;

	(void)state;
	assert_int_equal(vsm_ptx_memory_import(context, NULL, &address), -EINVAL);
	assert_null(vsm_ptx_memory_buffer(context, address, &offset));
	assert_null(vsm_ptx_memory_buffer(context, 0, &offset));
}

static void many_allocations_are_found(void **state)
{
	uint64_t addresses[500];

	(void)state;
	for (unsigned int i = 0; i < 500; i++) {
		addresses[i] = alloc(i + 1);
		*(char *)vsm_ptx_memory_map(context, addresses[i] + i, 1) = (char)i;
	}
	for (unsigned int i = 0; i < 500; i += 2)
		assert_int_equal(vsm_ptx_memory_free(context, addresses[i]), 0);
	for (unsigned int i = 0; i < 500; i++) {
		const char *last = vsm_ptx_memory_map(context, addresses[i] + i, 1);

		if (i % 2)
			assert_int_equal(*last, (char)i);
		else
			assert_null(last);
	}
}

/* A launch that runs keeps the memory that there was when it began. */
static void memory_may_be_freed_while_a_kernel_runs(void **state)
{
	static const char text[] = RUN_ENTRY("k")
		L("ld.param.u64 %rd2, [k_out];")
		L("LOOP: ld.volatile.global.u32 %r1, [%rd2];")
		L("setp.eq.u32 %p0, %r1, 0;")
		L("@%p0 bra LOOP;")
		L("ld.global.u32 %r2, [%rd2+8192];")
		"}\n";
	struct vsm_ptx_launch *launch;
	struct run run;
	uint64_t other;

	(void)state;
	run_open(&run, text);
	assert_int_equal(vsm_ptx_memory_alloc(run.context, 64, &other), 0);
	assert_int_equal(run_start(&run, "k", &launch, NULL), 0);
	assert_int_equal(vsm_ptx_memory_free(run.context, other), 0);
	assert_int_equal(vsm_ptx_launch_wait(launch, 0, &run.result), -ETIME);
	assert_int_equal(run.result.outcome, VSM_PTX_RUNNING);
	__atomic_store_n(run.words, 1, __ATOMIC_RELAXED);
	assert_int_equal(vsm_ptx_launch_wait(launch, VSM_NEVER, &run.result), 0);
	assert_int_equal(run.result.outcome, VSM_PTX_DONE);
	vsm_ptx_launch_destroy(launch);
	run_close(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name)	cmocka_unit_test_setup_teardown(name, setup, teardown)
		TEST(the_same_calls_give_the_same_addresses),
		TEST(allocations_do_not_touch),
		TEST(memory_contains_zeros),
		TEST(wrong_sizes_are_refused),
		TEST(only_whole_ranges_of_one_allocation_are_mapped),
		TEST(freed_memory_is_gone),
		TEST(a_context_without_device_has_no_buffers),
		TEST(many_allocations_are_found),
		TEST(memory_may_be_freed_while_a_kernel_runs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
