// SPDX-License-Identifier: MIT
/* What events name: instructions, and variables in shared memory. */
#define TEST_SETUP	setup
#define TEST_TEARDOWN	teardown
#include "run_kernel.h"

static struct run run;
static struct vsm_ptx_launch *launch;

static int setup(void **state)
{
	run_open(&run, NULL);
	run.config.block[0] = 32;
	return 0;
}

static int teardown(void **state)
{
	vsm_ptx_launch_destroy(launch);
	launch = NULL;
	run_close(&run);
	return 0;
}

static void start(const char *text)
{
	run_load(&run, text);
	assert_int_equal(run_start(&run, "k", &launch, NULL), 0);
}

/* Finds the only instruction with this opcode. */
static struct vsm_ptx_site site_of(const char *opcode)
{
	struct vsm_ptx_site site, found = { };
	uint32_t number;

	for (number = 1; number < 100; number++) {
		if (vsm_ptx_launch_site(launch, number, &site) ||
		    site.insn_length != strlen(opcode) ||
		    memcmp(site.insn, opcode, site.insn_length))
			continue;
		assert_null(found.insn);
		found = site;
	}
	assert_non_null(found.insn);
	return found;
}

#define PLACES \
	L(".file 1 \"kernel.cu\"") \
	L(".file 2 \"barrier.h\"") \
	RUN_ENTRY("k") \
	L("and.b32 %r1, %r0, 1;") \
	L(".loc 1 77 5") \
	L("$L__here: xor.b32 %r1, %r0, 1;") \
	L(".loc 2 20 9, function_name $L__info_string0, inlined_at 1 77 5") \
	L("or.b32 %r1, %r0, 1; }") \
	L(".section .debug_str {") \
	L("$L__info_string0:") \
	L(".b8 102, 0") \
	L("}")

TEST(instructions_have_their_places)
{
	struct vsm_ptx_site site;

	start(PLACES);
	site = site_of("and.b32");
	assert_int_equal(site.source_line, 0);
	assert_null(site.source_file);
	site = site_of("xor.b32");
	assert_string_equal(site.source_file, "kernel.cu");
	assert_int_equal(site.source_line, 77);
	assert_null(site.inlined_file);
	assert_int_equal(site.inlined_line, 0);
	assert_int_equal(site.line, site_of("and.b32").line + 2);
	site = site_of("or.b32");
	assert_string_equal(site.source_file, "kernel.cu");
	assert_int_equal(site.source_line, 77);
	assert_string_equal(site.inlined_file, "barrier.h");
	assert_int_equal(site.inlined_line, 20);
}

TEST(other_numbers_are_no_sites)
{
	struct vsm_ptx_site site;

	start(RUN_ENTRY("k") "}");
	assert_int_equal(vsm_ptx_launch_site(launch, 1, &site), 0);
	assert_int_equal(vsm_ptx_launch_site(launch, 0, &site), -ENOENT);
	assert_int_equal(vsm_ptx_launch_site(launch, 1000, &site), -ENOENT);
	assert_int_equal(vsm_ptx_launch_site(launch, UINT32_MAX, &site), -ENOENT);
}

#define expect_shared(index, name_, offset_, size_, stride_) do { \
	struct vsm_ptx_shared shared; \
	assert_int_equal(vsm_ptx_launch_shared(launch, index, &shared), 0); \
	assert_int_equal(shared.name_length, strlen(name_)); \
	assert_memory_equal(shared.name, name_, strlen(name_)); \
	assert_int_equal(shared.offset, offset_); \
	assert_int_equal(shared.size, size_); \
	assert_int_equal(shared.stride, stride_); \
} while (0)

TEST(variables_have_the_names_of_the_source)
{
	struct vsm_ptx_shared shared;

	run.config.smem_bytes = 256;
	start(L(".shared .align 8 .b8 _ZZ4kernPfE4full[16];")
	      L(".shared .align 16 .b8 tile[64];")
	      L(".extern .shared .align 16 .b8 rest[];")
	      RUN_ENTRY("k")
	      L("st.shared.u32 [_ZZ4kernPfE4full], %r0;")
	      L("st.shared.u32 [tile], %r0;")
	      L("st.shared.u32 [rest], %r0; }"));
	expect_shared(0, "full", 0, 16, 8);
	expect_shared(1, "tile", 16, 64, 0);
	expect_shared(2, "rest", 80, 256, 0);
	assert_int_equal(vsm_ptx_launch_shared(launch, 3, &shared), -ENOENT);
	assert_int_equal(vsm_ptx_launch_shared(launch, UINT32_MAX, &shared), -ENOENT);
}

TEST(clusters_have_the_shape_of_the_launch)
{
	struct vsm_cluster_config shape;

	run.config.grid[0] = 8;
	run.config.cluster[0] = 2;
	run.config.block[0] = 96;
	run.config.smem_bytes = 100;
	run.config.policy = DRM_VSM_POLICY_HARDWARE;
	start(RUN_ENTRY("k") "}");
	shape = vsm_ptx_launch_shape(launch);
	assert_int_equal(shape.ctas, 2);
	assert_int_equal(shape.threads, 96);
	assert_int_equal(shape.smem_bytes, 112);
	assert_int_equal(shape.layout, VSM_LAYOUT_SM_90);
	assert_int_equal(shape.policy, DRM_VSM_POLICY_HARDWARE);
}

TEST_MAIN()
