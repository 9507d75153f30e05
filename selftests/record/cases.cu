// SPDX-License-Identifier: MIT
/*
 * cases: one of the programs in ../kernels/silicon/cases.cu, most of which are misuse.
 *
 * Output: how the launch and the program ended, and the words that it stored. A program that has not
 * ended after 1.5 seconds hangs.
 */
#include <ctime>

#include "record.cuh"

/* The kernels are written for clang without CUDA. This is what their base.cuh defines for that. */
#define VSM_BASE_CUH
#undef assert
#define __builtin_trap __trap
#define KERNEL extern "C" __global__ void
#define PTX static __device__ __forceinline__
#define VSM_PLAIN(name, text) PTX void name(void) { asm volatile(text ::: "memory"); }
namespace kernels {
using u16 = uint16_t;
using s32 = int32_t;
using s64 = long long;
PTX u32 shared_address(const void *p) { return shared(p); }
#include "../kernels/silicon/cases.cu"
}

#define TEN(n) \
	kernels::case_##n##0, kernels::case_##n##1, kernels::case_##n##2, kernels::case_##n##3, \
	kernels::case_##n##4, kernels::case_##n##5, kernels::case_##n##6, kernels::case_##n##7, \
	kernels::case_##n##8, kernels::case_##n##9
static void (*const cases[])(u64 *out, const u8 *global) = {
	TEN(), TEN(1), TEN(2), TEN(3), TEN(4),
	kernels::case_50, kernels::case_51, kernels::case_52, kernels::case_53,
};

int main(int argc, char **argv)
{
	constexpr int WORDS = 64, MEMORY = 1 << 20;
	constexpr u64 NOTHING = 0xdead;
	const Options o = options(argc, argv, 3, 3, "CASE CTAS THREADS");
	const u64 n = o.number(0, 0);
	const timespec pause = { 0, 5000000 };
	cudaError_t launched, ended;
	u8 *global;
	u64 *out;

	if (n >= sizeof(cases) / sizeof(*cases)) {
		fprintf(stderr, "there is no case %llu\n", n);
		return 2;
	}
	/* The words can be read after a trap, because they are memory of the host. */
	check(cudaHostAlloc((void **)&out, WORDS * sizeof(u64), cudaHostAllocMapped), "malloc");
	check(cudaMalloc(&global, MEMORY), "malloc");
	check(cudaMemset(global, 0x5a, MEMORY), "memset");
	for (int i = 0; i < WORDS; i++)
		out[i] = NOTHING;
	launched = launch(cases[n], o.number(1, 1), o.number(2, 64), 0, out, (const u8 *)global);
	for (int i = 0; i < 300 && (ended = cudaStreamQuery(0)) == cudaErrorNotReady; i++)
		nanosleep(&pause, nullptr);
	printf("launch %s, end %s;", cudaGetErrorName(launched),
	       ended == cudaErrorNotReady ? "HANG" : cudaGetErrorName(ended));
	for (int i = 0; i < WORDS; i++)
		if (out[i] != NOTHING)
			printf(" [%d]=0x%llx", i, out[i]);
	printf("\n");
	fflush(stdout);
	_Exit(0);	/* A hang would also hang the end of the CUDA context. */
}
