// SPDX-License-Identifier: MIT
// A structure as a parameter, as CUTLASS passes one: tensor maps at multiples of 64, beside a pointer
// and numbers. A copy takes the generic address of a map (PTX 9.7.9.25.5.2).
#include "vsm.cuh"

#define WORDS 32

struct arguments {
	const u32 *in;
	u16 row;
	tensor_map wide;	// at 64
	s32 add;
	tensor_map narrow;	// at 256
};

KERNEL __launch_bounds__(WORDS)
structure(u32 first, const arguments a)
{
	__shared__ __align__(128) u32 tiles[2][WORDS];
	__shared__ u64 full;
	u64 wide = TENSOR_MAP(structure, 1, a) + __builtin_offsetof(arguments, wide);
	u32 t = threadIdx.x, bar = shared_address(&full), row = first + a.row;
	u64 narrow;

	asm volatile("{ .reg .b64 p; mov.b64 p, structure_param_1+256; cvta.param.u64 %0, p; }"
		     : "=l"(narrow));
	if (t == 0) {
		prefetch_tensormap(wide);
		asm volatile("prefetch.param.tensormap [structure_param_1+256];");
		mbarrier_init(bar, 1);
		fence_mbarrier_init();
		mbarrier_arrive_expect_tx(bar, sizeof(tiles));
		cp_async_bulk_tensor_2d(shared_address(tiles[0]), wide, 0, row, bar);
		cp_async_bulk_tensor_2d(shared_address(tiles[1]), narrow, 0, row + a.add, bar);
	}
	bar_warp_sync(~0u);
	mbarrier_wait(bar, 0);
	CHECK_U32("wide", t, tiles[0][t], a.in[row * WORDS + t]);
	CHECK_U32("narrow", t, tiles[1][t], a.in[64 + (row + a.add) * WORDS / 2 + t]);
}
