// SPDX-License-Identifier: MIT
/*
 * timing: how long mbarrier operations, asynchronous copies and rendezvous take.
 *
 * Output, separated by tabs: what, a parameter, then the median, the 5th and the 95th percentile in
 * cycles, or in ns if the name says so.
 */
#include <algorithm>

#include "record.cuh"

constexpr int REPEATS = 65, NS = 100, SMEM = 200 << 10;

__device__ static u64 clock_now()
{
	u64 t;

	asm volatile("mov.u64 %0, %%clock64;" : "=l"(t) :: "memory");
	return t;
}

__device__ static u64 ns_now()
{
	u64 t;

	asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t) :: "memory");
	return t;
}

/* Makes the time of an operation include its result. */
__device__ int sink;
__device__ static inline void use(u64 value)
{
	if ((u32)value == 0x89abcdef)
		sink = (int)(value >> 32) + 1;
}

#define TRY_WAIT(hint, ...) \
	SM_90("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2" hint "; " \
	      "selp.u32 %0, 1, 0, p; }" \
	      : "=r"(done) : "r"(bar), "r"(parity), __VA_ARGS__ : "memory")

__device__ static u32 try_wait(u32 bar, u32 parity)
{
	u32 done = 1;

	TRY_WAIT("", "r"(0));
	return done;
}

__device__ static u32 try_wait_hint(u32 bar, u32 parity, u32 ns)
{
	u32 done = 1;

	TRY_WAIT(", %3", "r"(ns));
	return done;
}

__device__ static void wait(u32 bar, u32 parity)
{
	while (!try_wait(bar, parity))
		;
}

/* --- operations ------------------------------------------------------------- */

/*
 * Each operation: name, first compute capability, whether one thread executes it, and its code.
 * @bar never completes a phase, @bar + 8 has a count of 1.
 */
#define OPS(OP) \
	OP("ld.shared", 80, true, \
	   asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(r) : "r"(bar + 16) : "memory")) \
	OP("mbarrier.init", 80, true, execute(INIT, bar + 8, 1)) \
	OP("mbarrier.arrive (token used)", 80, true, use(execute(ARRIVE, bar))) \
	OP("mbarrier.arrive.expect_tx (token used)", 90, true, use(execute(ARRIVE_TX, bar, 1))) \
	OP("mbarrier.expect_tx", 90, true, execute(EXPECT_TX, bar, 1)) \
	OP("mbarrier.complete_tx", 90, true, execute(COMPLETE_TX, bar, 1)) \
	OP("test_wait.parity True", 80, true, r = execute(TEST_PARITY, bar, 1) + 2) \
	OP("test_wait.parity False", 80, true, r = execute(TEST_PARITY, bar, 0) + 2) \
	OP("try_wait.parity True", 90, true, r = try_wait(bar, 1) + 2) \
	OP("8 x mbarrier.arrive _", 80, true, \
	   for (int k = 0; k < 8; k++) \
		   asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" \
				:: "r"(bar) : "memory")) \
	OP("shfl.sync", 80, false, r = __shfl_xor_sync(~0u, v, 1)) \
	OP("vote.ballot.sync", 80, false, r = __ballot_sync(~0u, v & 1)) \
	OP("redux.sync.add", 80, false, r = __reduce_add_sync(~0u, v)) \
	OP("match.any.sync.b32 (32 values)", 80, false, r = __match_any_sync(~0u, v)) \
	OP("match.all.sync.b32", 80, false, \
	   int p; r = __match_all_sync(~0u, i, &p); r += p) \
	OP("elect.sync", 90, false, \
	   SM_90("{ .reg .pred p; elect.sync %0|p, 0xffffffff; }" : "=r"(r) :: "memory")) \
	OP("bar.warp.sync", 80, false, asm volatile("bar.warp.sync 0xffffffff;" ::: "memory")) \
	OP("two clock reads", 80, false, )

#define NAME(name, capability, single, ...) { name, capability },
static const struct { const char *name; int capability; } ops[] = { OPS(NAME) };
constexpr int OPS_N = sizeof(ops) / sizeof(*ops);

template <int WHICH> __global__ void time_op(u64 *out)
{
	__shared__ alignas(16) u64 w[4];
	const u32 bar = shared(w), lane = threadIdx.x;
	constexpr int first = __COUNTER__ + 1;

	if (!lane) {
		execute(INIT, bar, 1000000);
		execute(INIT, bar + 8, 1);
		w[2] = lane;
	}
	__syncwarp();
#define RUN(name, capability, single, ...) \
	if constexpr (__COUNTER__ - first == WHICH && ARCH >= capability) { \
		if (single && lane) \
			continue; \
		t = clock_now(); \
		__VA_ARGS__; \
		use(r); \
		t = clock_now() - t; \
	}
	for (int i = 0; i < REPEATS; i++) {
		[[maybe_unused]] u32 v = lane + i, r = 0;
		u64 t = 0;

		OPS(RUN)
		if (!lane)
			out[i] = t;
	}
}

/* A try_wait that returns False. Stores cycles, and from NS on ns. */
__global__ void time_limit(u64 *out, bool has_hint, u32 hint, int n)
{
	__shared__ alignas(8) u64 word;
	const u32 bar = shared(&word);

	execute(INIT, bar, 1);
	for (int i = 0; i < n; i++) {
		const u64 ns = ns_now(), cycles = clock_now();
		const u32 done = has_hint ? try_wait_hint(bar, 0, hint) : try_wait(bar, 0);

		out[i] = clock_now() - cycles;
		out[NS + i] = ns_now() - ns;
		use(done + 5 + i);
	}
}

/* From the arrive of one warp until another has noticed the end of the phase */
__global__ void time_wake(u64 *out, bool polls)
{
	__shared__ alignas(8) u64 word;
	__shared__ volatile u64 sent;
	const u32 bar = shared(&word), thread = threadIdx.x;

	if (!thread)
		execute(INIT, bar, 1);
	__syncthreads();
	for (int i = 0; i < REPEATS; i++) {
		u64 woken = 0;

		if (thread < 32)
			__nanosleep(3000);
		if (!thread) {
			const u64 t = clock_now();

			execute(ARRIVE, bar);
			sent = t;
		}
		if (thread < 32 || !polls)
			wait(bar, i & 1);
		else
			while (!execute(TEST_PARITY, bar, i & 1))
				;
		woken = clock_now();
		__syncthreads();
		if (thread == 32)
			out[i] = woken - sent;
		__syncthreads();
	}
}

__global__ void time_barrier(u64 *out)
{
	for (int i = 0; i < REPEATS; i++) {
		const u64 t = clock_now();

		for (int k = 0; k < 16; k++)
			asm volatile("barrier.cta.sync 0;" ::: "memory");
		if (!threadIdx.x)
			out[i] = (clock_now() - t) / 16;
	}
}

__global__ void time_cluster_barrier(u64 *out)
{
	cluster_sync();
	for (int i = 0; i < REPEATS; i++) {
		const u64 t = clock_now();

		cluster_sync();
		if (!threadIdx.x && !blockIdx.x)
			out[i] = clock_now() - t;
	}
}

/* --- between CTAs ------------------------------------------------------------- */

enum Remote { REMOTE_ARRIVE, ST_ASYNC, BULK_COPY, LD_CLUSTER };

/* Half of a round trip between CTA 0 and CTA @peer, or a whole load */
template <int MODE> __global__ void time_remote(u64 *out, int peer, u32 bytes)
{
	extern __shared__ __align__(128) char smem[];
	__shared__ alignas(8) u64 word;
	__shared__ u32 data;
	const u32 bar = shared(&word), rank = blockIdx.x, other = rank ? 0 : peer;
	const u32 to = mapa(bar, other), to_data = mapa(shared(&data), other);
	const u32 to_smem = mapa(shared(smem) + 65536, other);

	if (!threadIdx.x) {
		execute(INIT, bar, 1);
		fence_init();
		data = 5;
	}
	cluster_sync();
	for (int i = 0; i < REPEATS && !threadIdx.x && (!rank || rank == peer); i++) {
		const u64 t = clock_now();
		u32 v = 0;

		if (MODE == LD_CLUSTER) {
			if (rank)
				break;
			SM_90("ld.volatile.shared::cluster.u32 %0, [%1];"
			      : "=r"(v) : "r"(to_data) : "memory");
			use(v);
			out[i] = clock_now() - t;
			continue;
		}
		if (MODE != REMOTE_ARRIVE)
			execute(ARRIVE_TX, bar, bytes);
		if (rank)
			wait(bar, i & 1);
		if (MODE == REMOTE_ARRIVE)
			remote_arrive(to);
		if (MODE == ST_ASYNC)
			SM_90("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 "
			      "[%0], %1, [%2];"
			      :: "r"(to_data), "r"(i), "r"(to) : "memory");
		if (MODE == BULK_COPY)
			SM_90("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx"
			      "::bytes [%0], [%1], %2, [%3];"
			      :: "r"(to_smem), "r"(shared(smem)), "r"(bytes), "r"(to) : "memory");
		if (!rank) {
			wait(bar, i & 1);
			out[i] = (clock_now() - t) / 2;
		}
	}
	cluster_sync();
}

/* --- copies ------------------------------------------------------------------- */

/* A cp.async, or a plain load if @bytes is 0 */
__global__ void time_cp_async(u64 *out, const char *global, int bytes)
{
	__shared__ alignas(16) char smem[64];
	const u32 to = shared(smem);
	u32 v;

	for (int i = 0; i < REPEATS; i++) {
		const u64 t = clock_now();

#define CP_ASYNC(ins) asm volatile(ins :: "r"(to), "l"(global) : "memory")
		if (bytes == 4)
			CP_ASYNC("cp.async.ca.shared.global [%0], [%1], 4;");
		if (bytes == 8)
			CP_ASYNC("cp.async.ca.shared.global [%0], [%1], 8;");
		if (bytes == 16)
			CP_ASYNC("cp.async.cg.shared.global [%0], [%1], 16;");
		if (bytes) {
			asm volatile("cp.async.wait_all;" ::: "memory");
		} else {
			asm volatile("ld.global.cg.u32 %0, [%1];"
				     : "=r"(v) : "l"(global) : "memory");
			use(v);
		}
		out[i] = clock_now() - t;
	}
}

/*
 * @n bulk loads of @bytes each, from other bytes each time if @stride is not 0. Stores how long
 * they take, and from NS on how long their issue takes.
 */
__global__ void time_load(u64 *out, const char *global, u32 bytes, int n, size_t stride)
{
	extern __shared__ __align__(128) char smem[];
	__shared__ alignas(8) u64 word;
	const u32 bar = shared(&word);

	execute(INIT, bar, 1);
	fence_init();
	for (int i = 0; i < REPEATS; i++) {
		u64 t, issued;

		execute(ARRIVE_TX, bar, bytes * n);
		t = clock_now();
		for (int k = 0; k < n; k++)
			bulk_load(shared(smem) + k * bytes, global + i * stride + (size_t)k * bytes,
				  bytes, bar);
		issued = clock_now();
		wait(bar, i & 1);
		out[i] = clock_now() - t;
		out[NS + i] = issued - t;
	}
}

__global__ void time_store(u64 *out, char *global, u32 bytes, bool read)
{
	extern __shared__ __align__(128) char smem[];

	for (int i = 0; i < REPEATS; i++) {
		const u64 t = clock_now();

		SM_90("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2; "
		      "cp.async.bulk.commit_group;"
		      :: "l"(global), "r"(shared(smem)), "r"(bytes) : "memory");
		if (read)
			SM_90("cp.async.bulk.wait_group.read 0;" ::: "memory");
		else
			SM_90("cp.async.bulk.wait_group 0;" ::: "memory");
		out[i] = clock_now() - t;
	}
}

__global__ void time_multicast(u64 *out, const char *global, u32 bytes, int ctas)
{
	extern __shared__ __align__(128) char smem[];
	__shared__ alignas(8) u64 word;
	const u32 bar = shared(&word);

	if (!threadIdx.x) {
		execute(INIT, bar, 1);
		fence_init();
	}
	cluster_sync();
	for (int i = 0; i < REPEATS; i++) {
		if (!threadIdx.x)
			execute(ARRIVE_TX, bar, bytes);
		cluster_sync();
		if (!threadIdx.x) {
			const u64 t = clock_now();

			if (!blockIdx.x)
				SM_90("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx"
				      "::bytes.multicast::cluster [%0], [%1], %2, [%3], %4;"
				      :: "r"(shared(smem)), "l"(global), "r"(bytes), "r"(bar),
				      "h"((short)((1 << ctas) - 1)) : "memory");
			wait(bar, i & 1);
			if (!blockIdx.x)
				out[i] = clock_now() - t;
		}
		cluster_sync();
	}
}

/* --- host ------------------------------------------------------------------- */

/* Prints a row of @n times from @from on. The first is left out. */
static void row(Memory<u64> *out, const char *name, long parameter, int from = 0, int n = REPEATS)
{
	out->out(name);
	std::vector<u64> v(&out->host[from + 1], &out->host[from + n]);

	std::sort(v.begin(), v.end());
	printf("%s\t%ld\t%llu\t%llu\t%llu\n", name, parameter, v[v.size() / 2], v[v.size() / 20],
	       v[v.size() - 1 - v.size() / 20]);
}

template <int WHICH = 0> static void time_ops(Memory<u64> *out)
{
	if constexpr (WHICH < OPS_N) {
		if (ops[WHICH].capability <= capability()) {
			/* Warm up first. */
			time_op<WHICH><<<1, 32>>>(out->device);
			time_op<WHICH><<<1, 32>>>(out->device);
			row(out, ops[WHICH].name, 0);
		}
		time_ops<WHICH + 1>(out);
	}
}

template <typename... P, typename... A>
static void cluster(void (*kernel)(P...), int ctas, int threads, int smem, A... args)
{
	check(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1),
	      "clusters");
	check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, smem),
	      "shared memory");
	check(launch(kernel, ctas, threads, smem, args...), "launch");
}

static void time_waits(Memory<u64> *out)
{
	time_limit<<<1, 1>>>(out->device, false, 0, 33);
	row(out, "try_wait False, no hint: cycles", 0, 0, 33);
	row(out, "try_wait False, no hint: ns", 0, NS, 33);
	for (long hint : { 0, 1, 20, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000 }) {
		const int n = hint > 100000 ? 5 : 33;

		time_limit<<<1, 1>>>(out->device, true, hint, n);
		row(out, "try_wait False, hint ns: cycles", hint, 0, n);
		row(out, "try_wait False, hint ns: ns", hint, NS, n);
	}
	time_wake<<<1, 64>>>(out->device, false);
	row(out, "arrive to wake of a try_wait loop", 0);
	time_wake<<<1, 64>>>(out->device, true);
	row(out, "arrive to wake of a test_wait loop", 1);
}

static void time_clusters(Memory<u64> *out)
{
	for (int n : { 1, 2, 4, 8, 16 }) {
		cluster(time_cluster_barrier, n, 128, 0, out->device);
		row(out, "barrier.cluster arrive+wait, CTAs", n);
	}
	for (int n : { 2, 4, 8, 16 }) {
		cluster(time_remote<REMOTE_ARRIVE>, n, 32, 0, out->device, n - 1, 0u);
		row(out, "remote arrive to wake (half round trip), CTAs", n);
	}
	cluster(time_remote<ST_ASYNC>, 2, 32, 0, out->device, 1, 4u);
	row(out, "st.async to wake (half round trip)", 2);
	cluster(time_remote<LD_CLUSTER>, 2, 32, 0, out->device, 1, 4u);
	row(out, "ld.shared::cluster", 2);
	for (u32 n : { 16, 128, 1024, 4096, 16384, 65536 }) {
		cluster(time_remote<BULK_COPY>, 2, 32, 131072, out->device, 1, n);
		row(out, "cp.async.bulk to peer CTA, to wake (half round trip), bytes", n);
	}
}

static void time_bulk(Memory<u64> *out, char *global)
{
	check(cudaFuncSetAttribute(time_load, cudaFuncAttributeMaxDynamicSharedMemorySize, SMEM),
	      "shared memory");
	check(cudaFuncSetAttribute(time_store, cudaFuncAttributeMaxDynamicSharedMemorySize, SMEM),
	      "shared memory");
	for (int n = 16; n <= 131072; n *= n == 16 ? 4 : 2) {
		time_load<<<1, 1, SMEM>>>(out->device, global, n, 1, 0);
		row(out, "cp.async.bulk load, L2 hit, bytes", n);
		row(out, "its issue", n, NS);
		/* Now the L2 holds other bytes. */
		check(cudaMemset(global + (256 << 20), 2, 128 << 20), "flush");
		time_load<<<1, 1, SMEM>>>(out->device, global + (64 << 20), n, 1, 1 << 20);
		row(out, "cp.async.bulk load, DRAM, bytes", n);
		time_store<<<1, 1, SMEM>>>(out->device, global, n, true);
		row(out, "cp.async.bulk store to wait_group.read, bytes", n);
		time_store<<<1, 1, SMEM>>>(out->device, global, n, false);
		row(out, "cp.async.bulk store to wait_group, bytes", n);
	}
	for (int n = 1; n <= 64; n *= 2) {
		time_load<<<1, 1, SMEM>>>(out->device, global, 128, n, 0);
		row(out, "k loads of 128 bytes, L2 hit, k", n);
		row(out, "their issue", n, NS);
	}
	for (int n = 1; n <= 16; n *= 2) {
		time_load<<<1, 1, SMEM>>>(out->device, global, 8192, n, 0);
		row(out, "k loads of 8192 bytes, L2 hit, k", n);
	}
	for (int n = 1; n <= 8; n *= 2) {
		cluster(time_multicast, n, 32, 32768, out->device, (const char *)global, 4096u, n);
		row(out, "multicast of 4096 bytes, L2 hit, CTAs", n);
	}
}

int main(int argc, char **argv)
{
	options(argc, argv, 0, 0, "");
	const bool is_90 = capability() >= 90;
	Memory<u64> out(512);
	cudaDeviceProp p;
	char *global;
	int khz;

	check(cudaGetDeviceProperties(&p, 0), "GPU");
	check(cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, 0), "clock");
	print_device();
	printf(" SMs %d clock %d kHz L2 %d\n", p.multiProcessorCount, khz, p.l2CacheSize);
	printf("# name\tparam\tmedian\tp5\tp95\n");
	check(cudaMalloc(&global, 512 << 20), "malloc");
	check(cudaMemset(global, 1, 512 << 20), "memset");

	time_ops(&out);
	if (is_90)
		time_waits(&out);
	for (int n = 32; n <= 1024; n *= 2) {
		time_barrier<<<1, n>>>(out.device);
		row(&out, "barrier.cta.sync threads", n);
	}
	if (is_90)
		time_clusters(&out);
	time_cp_async<<<1, 1>>>(out.device, global, 0);
	row(&out, "ld.global.cg, L2 hit", 0);
	for (int n : { 4, 8, 16 }) {
		time_cp_async<<<1, 1>>>(out.device, global, n);
		row(&out, "cp.async + wait_all, L2 hit, bytes", n);
	}
	if (is_90)
		time_bulk(&out, global);
	return 0;
}
