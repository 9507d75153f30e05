// SPDX-License-Identifier: MIT
/*
 * tensormap.replace and tensormap.cp_fenceproxy: which bits of a CUtensorMap change. The values are
 * those that the code of NVIDIA's assembler writes. Tensor maps inside of parameters.
 */
#define TEST_SETUP	setup
#define TEST_TEARDOWN	teardown
#include "cuda_map.h"
#include "mock.h"
#include "hang_state.h"
#include "run/address.h"
#include "run_kernel.h"

static struct run run;
static uint8_t before[CUDA_MAP_BYTES];

static int setup(void **state)
{
	unsigned int i;

	/* Every bit of a field has a neighbour that a wrong change would hit. */
	for (i = 0; i < sizeof(before); i++)
		before[i] = 0xa5 ^ i;
	run_open(&run, NULL);
	return 0;
}

static int teardown(void **state)
{
	run_close(&run);
	return 0;
}

#define REPLACE(insn) \
	RUN_ENTRY("k") L("mov.b64 %rd2, 0x123456780;") L("mov.b64 %rd3, 0xabcdef9876543210;") \
	L("mov.b32 %r2, 256;") L("mov.b32 %r3, 5;") L("mov.b32 %r5, 0xfffffff9;") \
	L("tensormap.replace.tile." insn ";") "}"

/* An instruction, and what it puts where */
struct replacement {
	const char *text;
	struct cuda_field field;
	unsigned int d;
	uint64_t value;
	struct cuda_field second;	/* no bits if the instruction changes one field */
	uint64_t second_value;
};

#define B32(field)	field ".global.b1024.b32 [%rd0], "
#define B64(field)	field ".global.b1024.b64 [%rd0], "
#define ONE(insn, ...)	{ REPLACE(insn), __VA_ARGS__, { 0 }, 0 }
#define TWO(insn, ...)	{ REPLACE(insn), __VA_ARGS__ }

static const struct replacement replacements[] = {
	ONE(B64("global_address") "%rd3", CUDA_ADDRESS, 0, 0xabcdef9876543210),
	ONE(B32("rank") "4", CUDA_RANK, 0, 4),
	ONE(B32("rank") "%r5", CUDA_RANK, 0, 1),
	ONE(B32("box_dim") "0, %r2", CUDA_BOX, 0, 255),
	ONE(B32("box_dim") "4, 7", CUDA_BOX, 4, 6),
	ONE(B32("global_dim") "0, %r2", CUDA_SIZE, 0, 255),
	ONE(B32("global_dim") "4, 0", CUDA_SIZE, 4, 0xffffffff),
	TWO(B64("global_stride") "0, %rd2", CUDA_STRIDE, 0, 0x12345678, CUDA_STRIDE_HIGH, 0),
	TWO(B64("global_stride") "3, %rd3", CUDA_STRIDE, 3, 0x87654321, CUDA_STRIDE_HIGH, 9),
	ONE(B32("element_stride") "0, 8", CUDA_ELEMENT_STRIDE, 0, 7),
	ONE(B32("element_stride") "4, %r3", CUDA_ELEMENT_STRIDE, 4, 4),
	ONE(B32("elemtype") "0", CUDA_FORMAT, 0, 0),
	ONE(B32("elemtype") "8", CUDA_FORMAT, 0, 8),
	ONE(B32("elemtype") "10", CUDA_FORMAT, 0, 10),
	TWO(B32("elemtype") "11", CUDA_FORMAT, 0, 7, CUDA_TF32, 1),
	TWO(B32("elemtype") "12", CUDA_FORMAT, 0, 8, CUDA_TF32, 1),
	ONE(B32("interleave_layout") "2", CUDA_INTERLEAVE, 0, 2),
	ONE(B32("swizzle_mode") "1", CUDA_SWIZZLE, 0, 1),
	ONE(B32("fill_mode") "1", CUDA_FILL, 0, 1),
	ONE(B32("fill_mode") "0", CUDA_FILL, 0, 0),
};

TEST(replace_changes_the_bits_of_its_field)
{
	uint8_t want[CUDA_MAP_BYTES];

	for (unsigned int i = 0; i < sizeof(replacements) / sizeof(replacements[0]); i++) {
		const struct replacement *r = &replacements[i];

		run_load(&run, r->text);
		memcpy(run.words, before, sizeof(before));
		run_done(&run, 1);
		memcpy(want, before, sizeof(want));
		cuda_put(want, r->field, r->d, r->value);
		if (r->second.bits)
			cuda_put(want, r->second, r->d, r->second_value);
		if (memcmp(run.words, want, sizeof(want)))
			fail_msg("%s", r->text);
	}
}

TEST(cp_fenceproxy_copies_128_bytes)
{
	run_load(&run, L(".shared .align 128 .b32 map[32];") RUN_ENTRY("k")
		 L("ld.global.b32 %r1, [%rd1+256];") L("mov.u32 %r2, map;")
		 L("mad.lo.u32 %r3, %r0, 4, %r2;") L("st.shared.b32 [%r3], %r1;")
		 L("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync"
		   ".aligned [%rd0], [%r2], 128;") "}");
	memcpy(run.words + 64, before, sizeof(before));
	run_done(&run, 32);
	assert_memory_equal(run.words, before, sizeof(before));
	assert_int_equal(run.words[32], 0);
}

TEST(mistakes_are_faults)
{
	run_fault(&run, REPLACE(B64("global_stride") "4, %rd2"), 1,
		  "a tensor map has no dimension 4");
	run_fault(&run, REPLACE("rank.global.b1024.b32 [%rd0+64], 1"), 1,
		  "is not at a multiple of 128");
	run_fault(&run, REPLACE("rank.global.b1024.b32 [0], 1"), 1, "which is in no allocation");
}

#define PARAM_BYTES 448

/* A kernel gets the parameters as they are, at the generic address of its parameter. */
TEST(parameters_with_maps_arrive_whole)
{
	uint8_t params[8 + 56 + PARAM_BYTES] = { };
	struct vsm_ptx_launch *launch;
	unsigned int i;

	run_load(&run, L(".visible .entry k(.param .u64 out, .param .align 64 .b8 p[448]) {")
		 L(".reg .b64 %rd<4>; .reg .b32 %r<2>; mov.u32 %r0, %tid.x;")
		 L("mov.b64 %rd0, p+64; cvta.param.u64 %rd0, %rd0; ld.param.u64 %rd1, [out];")
		 L("mad.wide.u32 %rd2, %r0, 4, %rd0; mad.wide.u32 %rd3, %r0, 4, %rd1;")
		 L("ld.b32 %r1, [%rd2]; st.global.b32 [%rd3], %r1;") "}");
	memcpy(params, &run.out, sizeof(run.out));
	for (i = 128; i < sizeof(params); i++)
		params[i] = i * 7;
	run.config.block[0] = (PARAM_BYTES - 64) / 4;
	assert_int_equal(vsm_ptx_launch(run.module, 0, &run.config, params, sizeof(params),
					&launch, NULL), 0);
	assert_int_equal(vsm_ptx_launch_wait(launch, VSM_NEVER, &run.result), 0);
	assert_int_equal(run.result.outcome, VSM_PTX_DONE);
	vsm_ptx_launch_destroy(launch);
	assert_memory_equal(run.words, params + 128, PARAM_BYTES - 64);
	assert_int_equal(run.words[(PARAM_BYTES - 64) / 4], 0);
}

/* Reads the map at an offset of the parameters. A failure is in the fault of the launch. */
static bool read_map(struct state *s, uint64_t offset, struct drm_vsm_tensor_map *map)
{
	struct ptx_warp *warp = &s->warps[0][0];

	return ptx_map_read(warp, &warp->groups[0], 0, PTX_PARAM_BASE + offset, false, map);
}

TEST(a_map_is_found_at_every_multiple_of_64_of_the_parameters)
{
	static const struct {
		uint32_t offset;
		const char *text;
	} wrong[] = {
		{ 32, "is not at a multiple of 64" }, { 136, "is not at a multiple of 64" },
		{ PARAM_BYTES - 64, "of the parameters, which has 448 bytes" },
		{ PARAM_BYTES, "of the parameters, which has 448 bytes" },
	};
	uint8_t params[PARAM_BYTES];
	struct state *s = state_create();
	struct drm_vsm_tensor_map map;
	uint32_t at, i;

	s->launch.memory = ptx_memory_get(run.context);
	s->launch.params = params;
	s->launch.param_bytes = sizeof(params);
	s->launch.wake = -1;
	pthread_mutex_init(&s->launch.lock, NULL);
	pthread_cond_init(&s->launch.room, NULL);
	for (at = 0; at + CUDA_MAP_BYTES <= sizeof(params); at += 64) {
		memset(params, 0xff, sizeof(params));
		memset(params + at, 0, CUDA_MAP_BYTES);
		cuda_put(params + at, CUDA_ADDRESS, 0, run.out + 4 * at);
		cuda_put(params + at, CUDA_SIZE, 0, at);
		assert_true(read_map(s, at, &map));
		assert_int_equal(map.offset, 4 * at);
		assert_int_equal(map.rank, 1);
		assert_int_equal(map.size[0], at + 1);
	}
	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		s->launch.fault.failure = FAILURE_NONE;
		assert_false(read_map(s, wrong[i].offset, &map));
		assert_int_equal(s->launch.fault.failure, FAILURE_PROGRAM);
		assert_says(s->launch.fault.text, wrong[i].text);
	}
	ptx_memory_put(run.context, s->launch.memory);
	state_destroy(s);
}

TEST_MAIN()
