// SPDX-License-Identifier: MIT
/* Device memory of a context: allocation, the memory behind an address, and what is freed. */
#define TEST_SETUP	setup
#define TEST_TEARDOWN	teardown
#include <pthread.h>

#include "mock.h"
#include "run_kernel.h"

static struct vsm_ptx_context *context;

static int setup(void **state)
{
	return vsm_ptx_context_create(NULL, &context);
}

static int teardown(void **state)
{
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

TEST(the_same_calls_give_the_same_addresses)
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

TEST(allocations_do_not_touch)
{
	uint64_t first = alloc(1000), second = alloc(1);

	assert_true(second >= first + 1000 + 4096);
	assert_int_equal(vsm_ptx_memory_free(context, first), 0);
	/* An address is not used again: it would hide a use after free. */
	assert_true(alloc(1) > second);
}

TEST(memory_contains_zeros)
{
	const char *bytes = vsm_ptx_memory_map(context, alloc(5000), 5000);

	for (unsigned int i = 0; i < 5000; i++)
		assert_int_equal(bytes[i], 0);
}

TEST(wrong_sizes_are_refused)
{
	uint64_t address = 7;

	assert_int_equal(vsm_ptx_memory_alloc(context, 0, &address), -EINVAL);
	assert_int_equal(vsm_ptx_memory_alloc(context, UINT64_MAX, &address), -ENOSPC);
	assert_int_equal(vsm_ptx_memory_alloc(context, (1ULL << 47) + 1, &address), -ENOSPC);
	assert_true(vsm_ptx_memory_alloc(context, 1ULL << 46, &address) < 0);
	assert_int_equal(address, 7);
}

TEST(only_whole_ranges_of_one_allocation_are_mapped)
{
	uint64_t a = alloc(100), b = alloc(100);
	char *host = vsm_ptx_memory_map(context, a, 100);

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

TEST(freed_memory_is_gone)
{
	uint64_t a = alloc(100), b = alloc(100), c = alloc(100);

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

TEST(a_context_without_device_has_no_buffers)
{
	uint64_t address = alloc(100), offset;

	assert_int_equal(vsm_ptx_memory_import(context, NULL, &address), -EINVAL);
	assert_null(vsm_ptx_memory_buffer(context, address, &offset));
	assert_null(vsm_ptx_memory_buffer(context, 0, &offset));
}

TEST(many_allocations_are_found)
{
	uint64_t addresses[500];

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
TEST(memory_may_be_freed_while_a_kernel_runs)
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

/* Waits until the first word is not 0. */
#define WAIT \
	L("LOOP: ld.volatile.global.u32 %r1, [%rd0]; setp.eq.u32 %p0, %r1, 0; @%p0 bra LOOP;")

static void go_on(struct run *run, struct vsm_ptx_launch *launch)
{
	assert_int_equal(vsm_ptx_launch_wait(launch, 0, &run->result), -ETIME);
	__atomic_store_n(run->words, 1, __ATOMIC_RELAXED);
	assert_int_equal(vsm_ptx_launch_wait(launch, VSM_NEVER, &run->result), 0);
}

TEST(a_launch_keeps_the_memory_that_is_freed)
{
	static const char text[] = L(".entry k(.param .u64 out, .param .u64 other) {")
		RUN_REGISTERS
		L("ld.param.u64 %rd0, [out]; ld.param.u64 %rd2, [other];")
		WAIT
		L("ld.global.u32 %r2, [%rd2+60]; st.global.u32 [%rd2], 9;")
		L("st.global.u32 [%rd0+4], %r2; }");
	struct vsm_ptx_launch *launch;
	struct run run;
	uint32_t *host;

	run_open(&run, text);
	run.param_count = 1;
	assert_int_equal(vsm_ptx_memory_alloc(run.context, 64, &run.params[0]), 0);
	host = vsm_ptx_memory_map(run.context, run.params[0], 64);
	host[15] = 42;
	assert_int_equal(run_start(&run, "k", &launch, NULL), 0);
	assert_int_equal(vsm_ptx_memory_free(run.context, run.params[0]), 0);
	assert_null(vsm_ptx_memory_map(run.context, run.params[0], 64));
	go_on(&run, launch);
	assert_int_equal(run.result.outcome, VSM_PTX_DONE);
	assert_int_equal(run.words[1], 42);
	vsm_ptx_launch_destroy(launch);
	/* A launch that begins later does not find it. */
	run_kernel(&run, "k");
	assert_int_equal(run.result.outcome, VSM_PTX_FAULT);
	run_close(&run);
}

TEST(a_launch_keeps_the_module_that_is_unloaded)
{
	static const char text[] = L(".file 1 \"k.cu\" .global .u32 seven = 7;")
		RUN_ENTRY("k")
		WAIT
		L("ld.global.u32 %r2, [seven]; st.global.u32 [%rd0+4], %r2;")
		L(".loc 1 55 1")
		L("trap; }");
	struct vsm_ptx_launch *launch;
	struct run run;

	run_open(&run, text);
	assert_int_equal(run_start(&run, "k", &launch, NULL), 0);
	vsm_ptx_module_unload(run.module);
	run.module = NULL;
	go_on(&run, launch);
	assert_int_equal(run.result.outcome, VSM_PTX_FAULT);
	assert_int_equal(run.words[1], 7);
	assert_string_equal(run.result.source_file, "k.cu");
	assert_int_equal(run.result.source_line, 55);
	assert_non_null(strstr(vsm_ptx_launch_report(launch), "k.cu:55, test.ptx:"));
	vsm_ptx_launch_destroy(launch);
	run_close(&run);
}

/* The report names the variable of a module that is not loaded any more. */
TEST(a_launch_keeps_the_variables_of_other_modules)
{
	static const char text[] = L(".entry k(.param .u64 out, .param .u64 other) {")
		RUN_REGISTERS
		L("ld.param.u64 %rd0, [out]; ld.param.u64 %rd2, [other];")
		WAIT
		L("ld.global.u32 %r2, [%rd2]; st.global.u32 [%rd0+4], %r2;")
		L("st.global.u32 [%rd2+4], %r2; }");
	struct vsm_ptx_module *module;
	struct vsm_ptx_launch *launch;
	uint64_t size;
	struct run run;

	run_open(&run, L(".visible .global .u32 theirs = 5;"));
	module = run.module;
	run.module = NULL;
	assert_int_equal(vsm_ptx_module_variable(module, "theirs", &run.params[0], &size), 0);
	run.param_count = 1;
	run_load(&run, text);
	assert_int_equal(run_start(&run, "k", &launch, NULL), 0);
	vsm_ptx_module_unload(module);
	go_on(&run, launch);
	assert_int_equal(run.result.outcome, VSM_PTX_FAULT);
	assert_int_equal(run.words[1], 5);
	assert_non_null(strstr(vsm_ptx_launch_report(launch), "theirs"));
	vsm_ptx_launch_destroy(launch);
	run_close(&run);
}

static void *allocate_and_free(void *data)
{
	struct run *run = data;
	uint64_t address;

	for (unsigned int i = 0; i < 300; i++) {
		assert_int_equal(vsm_ptx_memory_alloc(run->context, 4096, &address), 0);
		assert_int_equal(vsm_ptx_memory_free(run->context, address), 0);
	}
	return NULL;
}

/* Launches of a module that is unloaded in between, while other threads change the memory. */
TEST(threads_change_memory_while_kernels_run)
{
	struct vsm_ptx_launch *launches[20];
	pthread_t threads[2];
	struct run run;

	run_open(&run, NULL);
	for (unsigned int i = 0; i < 2; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, allocate_and_free, &run), 0);
	for (unsigned int i = 0; i < 20; i++) {
		run_load(&run, L(".global .u32 v = 7;") RUN_ENTRY("k")
			 L("ld.global.u32 %r2, [v]; setp.ne.u32 %p1, %r2, 7; @%p1 trap; }"));
		run.config.grid[0] = 8;
		assert_int_equal(run_start(&run, "k", &launches[i], NULL), 0);
	}
	vsm_ptx_module_unload(run.module);
	run.module = NULL;
	for (unsigned int i = 0; i < 20; i++) {
		assert_int_equal(vsm_ptx_launch_wait(launches[i], VSM_NEVER, &run.result), 0);
		assert_int_equal(run.result.outcome, VSM_PTX_DONE);
		vsm_ptx_launch_destroy(launches[i]);
	}
	for (unsigned int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	run_close(&run);
}

/* --- buffers of a device -------------------------------------------------------------- */

TEST_WITH(the_caller_may_destroy_a_buffer_that_is_imported, mock_setup, mock_teardown)
{
	struct vsm_ptx_context *on_device;
	struct vsm_buffer *buffer;
	uint64_t address, offset;
	uint32_t *host;

	assert_int_equal(vsm_ptx_context_create(device, &on_device), 0);
	assert_int_equal(vsm_buffer_create(device, 4096, &buffer), 0);
	assert_int_equal(vsm_ptx_memory_import(on_device, buffer, &address), 0);
	vsm_buffer_destroy(buffer);
	host = vsm_ptx_memory_map(on_device, address, 4096);
	host[1023] = 1;
	assert_non_null(vsm_ptx_memory_buffer(on_device, address, &offset));
	assert_int_equal(mock.open_handles, 1);
	assert_int_equal(vsm_ptx_memory_free(on_device, address), 0);
	assert_int_equal(mock.open_handles, 0);
	vsm_ptx_context_destroy(on_device);
}

TEST_WITH(an_import_that_fails_leaves_nothing, mock_setup, mock_teardown)
{
	struct vsm_ptx_context *on_device;
	struct vsm_buffer *buffer;
	uint64_t address = 7;

	assert_int_equal(vsm_ptx_context_create(device, &on_device), 0);
	assert_int_equal(vsm_buffer_create(device, 4096, &buffer), 0);
	mock.fail_request = DRM_IOCTL_PRIME_HANDLE_TO_FD;
	mock.fail_errno = EMFILE;
	assert_int_equal(vsm_ptx_memory_import(on_device, buffer, &address), -EMFILE);
	assert_int_equal(address, 7);
	vsm_buffer_destroy(buffer);
	assert_int_equal(mock.open_handles, 0);
	vsm_ptx_context_destroy(on_device);
}

TEST_MAIN()
