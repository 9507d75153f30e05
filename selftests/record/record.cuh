// SPDX-License-Identifier: MIT
/*
 * What the recording programs share: the command line, checks of CUDA calls, random numbers, and
 * the mbarrier instructions.
 *
 * A compiler of C++ also compiles the programs that generate random cases. They then
 * have no code for a GPU and take only --list, which prints the cases.
 *
 * Exit status: 0 success, 1 an error, 2 a wrong command line, 3 the launch of a case has failed.
 */
#ifndef RECORD_CUH
#define RECORD_CUH

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#ifdef __CUDACC__
#include <cuda.h>
#include <cuda_runtime.h>
#endif

using u8 = uint8_t;
using u32 = uint32_t;
using u64 = unsigned long long;

/* --- command line ----------------------------------------------------------- */

struct Options {
	bool list = false;		/* print only the cases */
	const char *word[4] = {};	/* the other arguments */

	u64 number(int i, u64 otherwise) const
	{
		return word[i] ? strtoull(word[i], nullptr, 0) : otherwise;
	}
};

/* Reads the command line, which has from @least to @most arguments beside --list. */
[[maybe_unused]] static Options options(int argc, char **argv, int least, int most,
					const char *usage)
{
	Options o;
	int n = 0;

	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--list"))
			o.list = true;
		else if (argv[i][0] != '-' && n < most)
			o.word[n++] = argv[i];
		else
			n = most + 1;
		if (n > most)
			break;
	}
	if (n < least || n > most) {
		fprintf(stderr, "usage: %s %s\n", argv[0], usage);
		exit(2);
	}
	return o;
}

/* --- random numbers --------------------------------------------------------- */

static u64 rng_state;

/* splitmix64 */
[[maybe_unused]] static u64 rng()
{
	u64 z = rng_state += 0x9e3779b97f4a7c15;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

/* Returns a number from @least to @most, or @least if there is none. */
[[maybe_unused]] static long pick(long least, long most)
{
	const u64 random = rng();

	return most < least ? least : least + (long)(random % (u64)(most - least + 1));
}

/* --- mbarrier instructions -------------------------------------------------- */

#define ALONE(ins) asm volatile(ins ".shared::cta.b64 [%0];" :: "r"(bar) : "memory")
#define OPERAND(ins) asm volatile(ins ".shared::cta.b64 [%0], %1;" :: "r"(bar), "r"(arg) : "memory")
#define TOKEN(ins) \
	asm volatile(ins ".shared::cta.b64 %0, [%1];" : "=l"(result) : "r"(bar) : "memory")
#define TOKEN_OPERAND(ins) \
	asm volatile(ins ".shared::cta.b64 %0, [%1], %2;" \
		     : "=l"(result) : "r"(bar), "r"(arg) : "memory")
#define WAIT(ins, operand, hint) \
	asm volatile("{ .reg .pred p; " ins ".shared::cta.b64 p, [%1], " operand hint "; " \
		     "selp.u64 %0, 1, 0, p; }" \
		     : "=l"(result) : "r"(bar), "r"(arg), "l"(state) : "memory")

/* Each instruction: its name in the recordings, the first compute capability, and its execution. */
#define MBARRIER_OPS(OP) \
	OP(INIT, "init", 80, OPERAND("mbarrier.init")) \
	OP(ARRIVE, "arrive", 80, TOKEN("mbarrier.arrive")) \
	OP(ARRIVE_N, "arrive.n", 90, TOKEN_OPERAND("mbarrier.arrive")) \
	OP(ARRIVE_TX, "arrive.expect_tx", 90, TOKEN_OPERAND("mbarrier.arrive.expect_tx")) \
	OP(EXPECT_TX, "expect_tx", 90, OPERAND("mbarrier.expect_tx.relaxed.cta")) \
	OP(COMPLETE_TX, "complete_tx", 90, OPERAND("mbarrier.complete_tx.relaxed.cta")) \
	OP(DROP, "arrive_drop", 80, TOKEN("mbarrier.arrive_drop")) \
	OP(DROP_N, "arrive_drop.n", 90, TOKEN_OPERAND("mbarrier.arrive_drop")) \
	OP(DROP_TX, "arrive_drop.expect_tx", 90, TOKEN_OPERAND("mbarrier.arrive_drop.expect_tx")) \
	OP(ARRIVE_NOCOMPLETE, "arrive.noComplete", 80, \
	   TOKEN_OPERAND("mbarrier.arrive.noComplete")) \
	OP(DROP_NOCOMPLETE, "arrive_drop.noComplete", 80, \
	   TOKEN_OPERAND("mbarrier.arrive_drop.noComplete")) \
	OP(CP_ARRIVE, "cp.async.mbarrier.arrive", 80, ALONE("cp.async.mbarrier.arrive")) \
	OP(CP_ARRIVE_NOINC, "cp.async.mbarrier.arrive.noinc", 80, \
	   ALONE("cp.async.mbarrier.arrive.noinc")) \
	OP(TEST_PARITY, "test_wait.parity", 80, WAIT("mbarrier.test_wait.parity", "%2", "")) \
	OP(TEST_TOKEN, "test_wait", 80, WAIT("mbarrier.test_wait", "%3", "")) \
	OP(TRY_PARITY, "try_wait.parity", 90, WAIT("mbarrier.try_wait.parity", "%2", ", 1")) \
	OP(INVAL, "inval", 80, ALONE("mbarrier.inval"))

#define NUMBER(number, name, capability, run) number,
enum MbarrierOp : u32 { MBARRIER_OPS(NUMBER) MBARRIER_OPS_N };
#undef NUMBER

#define ROW(number, name, capability, run) { name, capability },
static const struct { const char *name; int capability; } mbarrier_ops[] = { MBARRIER_OPS(ROW) };
#undef ROW

#ifdef __CUDACC__

#ifdef __CUDA_ARCH__
#define ARCH (__CUDA_ARCH__ / 10)
#else
#define ARCH 0
#endif

__device__ static inline u32 shared(const void *p)
{
	return (u32)__cvta_generic_to_shared(p);
}

/*
 * Executes an instruction on the mbarrier at @bar. Returns its token, 1 or 0 of a wait, or 0.
 * @arg is a count, tx-count or parity, @state the token that a test_wait takes.
 */
__device__ static __forceinline__ u64 execute(u32 op, u32 bar, u32 arg = 0, u64 state = 0)
{
	u64 result = 0;

#define CASE(number, name, capability, run) \
	case number: \
		if constexpr (ARCH >= capability) \
			run; \
		break;
	switch (op) {
	MBARRIER_OPS(CASE)
	}
#undef CASE
	if (op == CP_ARRIVE || op == CP_ARRIVE_NOINC) {
		/* The arrive happens some time later. */
		asm volatile("cp.async.wait_all;" ::: "memory");
		__nanosleep(20000);
	}
	return result;
}

__device__ static inline void store_word(u32 bar, u64 word)
{
	asm volatile("st.volatile.shared.b64 [%0], %1;" :: "r"(bar), "l"(word) : "memory");
}

__device__ static inline u64 load_word(u32 bar)
{
	u64 word;

	asm volatile("ld.volatile.shared.b64 %0, [%1];" : "=l"(word) : "r"(bar) : "memory");
	return word;
}

/* Returns the word of an mbarrier, which an inval writes to memory. */
__device__ static inline u64 final_word(u32 bar)
{
	execute(INVAL, bar);
	__threadfence_block();
	return load_word(bar);
}

/* --- clusters and bulk copies, which compute capability 9.0 has --------------- */

#if ARCH >= 90
#define SM_90(...) asm volatile(__VA_ARGS__)
#else
#define SM_90(...) ((void)0)
#endif

__device__ static inline u32 mapa(u32 addr, u32 rank)
{
	u32 mapped = 0;

	SM_90("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(mapped) : "r"(addr), "r"(rank));
	return mapped;
}

__device__ static inline void remote_arrive(u32 bar)
{
	SM_90("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];"
	      :: "r"(bar) : "memory");
}

__device__ static inline void cluster_sync()
{
	SM_90("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
}

__device__ static inline void fence_init()
{
	SM_90("fence.mbarrier_init.release.cluster;" ::: "memory");
}

__device__ static inline void bulk_load(u32 to, const void *from, u32 bytes, u32 bar)
{
	SM_90("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
	      "[%0], [%1], %2, [%3];"
	      :: "r"(to), "l"(from), "r"(bytes), "r"(bar) : "memory");
}

/* --- host ------------------------------------------------------------------- */

/* Ends the program if a CUDA call has failed. */
static void check(cudaError_t error, const char *what, int status = 1)
{
	if (error == cudaSuccess)
		return;
	fflush(stdout);
	fprintf(stderr, "%s: %s: %s\n", what, cudaGetErrorName(error), cudaGetErrorString(error));
	_Exit(status);
}

/* Returns the compute capability of the GPU, times 10. */
[[maybe_unused]] static int capability()
{
	int major, minor;

	check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0), "GPU");
	check(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, 0), "GPU");
	return 10 * major + minor;
}

/* Prints the GPU as the start of a comment line. */
[[maybe_unused]] static void print_device()
{
	cudaDeviceProp p;

	check(cudaGetDeviceProperties(&p, 0), "GPU");
	printf("# device %s sm_%d%d", p.name, p.major, p.minor);
}

/* Memory of the GPU, and its copy in this program */
template <typename T> struct Memory {
	std::vector<T> host;
	T *device;

	explicit Memory(size_t n) : host(n)
	{
		check(cudaMalloc(&device, n * sizeof(T)), "malloc");
	}
	void in()
	{
		check(cudaMemcpy(device, host.data(), host.size() * sizeof(T),
				 cudaMemcpyHostToDevice), "copy in");
	}
	/* Waits for the kernel and copies its results. */
	void out(const char *what = "run")
	{
		check(cudaGetLastError(), what, 3);
		check(cudaDeviceSynchronize(), what, 3);
		check(cudaMemcpy(host.data(), device, host.size() * sizeof(T),
				 cudaMemcpyDeviceToHost), "copy out");
	}
};

/* Launches one cluster, or one CTA on a GPU without clusters. */
template <typename... P, typename... A>
static cudaError_t launch(void (*kernel)(P...), int ctas, int threads, size_t smem, A... args)
{
	cudaLaunchAttribute cluster = {};
	cudaLaunchConfig_t config = {};

	cluster.id = cudaLaunchAttributeClusterDimension;
	cluster.val.clusterDim = { (unsigned int)ctas, 1, 1 };
	config.gridDim = ctas;
	config.blockDim = threads;
	config.dynamicSmemBytes = smem;
	config.attrs = &cluster;
	config.numAttrs = capability() >= 90;
	return cudaLaunchKernelEx(&config, kernel, args...);
}

#endif
#endif
