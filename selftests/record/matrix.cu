// SPDX-License-Identifier: MIT
/*
 * matrix: results of matrix instructions.
 *
 * Output, separated by tabs. mma and movmatrix: name, trial, A, B, C, D. wgmma: name, trial, the
 * descriptors of A and B, 16 KiB of shared memory, then A (if it is in registers), C, D. A matrix
 * is its registers, lane by lane, in hexadecimal, separated by commas. With --list: without D.
 */
#include "record.cuh"

/* What 32 bits of an operand hold */
enum Kind { BITS, F16, BF16, F32, E4M3, E5M2, F64 };

/* Registers of a lane */
struct alignas(8) Regs { u32 a[8], b[8], c[8], d[8]; };

/* What a warpgroup has. Descriptors are relative to the begin of shared memory. */
struct Warpgroup {
	u64 a_desc, b_desc;
	u32 pad[4];
	u8 smem[16384];
	u32 c[128][16], d[128][16], a[128][4];
};

/* The operands: 0 to 3 D, 4 to 7 A, 8 and 9 B, 10 to 13 C. */
#define D2 "{%0, %1}"
#define D4 "{%0, %1, %2, %3}"
#define A1 "{%4}"
#define A2 "{%4, %5}"
#define A4 "{%4, %5, %6, %7}"
#define B1 "{%8}"
#define B2 "{%8, %9}"
#define C2 "{%10, %11}"
#define C4 "{%10, %11, %12, %13}"

/* Each mma: name, registers of A, B, C and D, kinds of A, B, C, first compute capability, form. */
#define MMAS(M) \
	M(f16_8_f16, 2, 1, 2, F16, F16, F16, 80, "m16n8k8.row.col.f16.f16.f16.f16") \
	M(f16_8_f32, 2, 1, 4, F16, F16, F32, 80, "m16n8k8.row.col.f32.f16.f16.f32") \
	M(f16_16_f16, 4, 2, 2, F16, F16, F16, 80, "m16n8k16.row.col.f16.f16.f16.f16") \
	M(f16_16_f32, 4, 2, 4, F16, F16, F32, 80, "m16n8k16.row.col.f32.f16.f16.f32") \
	M(bf16_8_f32, 2, 1, 4, BF16, BF16, F32, 80, "m16n8k8.row.col.f32.bf16.bf16.f32") \
	M(bf16_16_f32, 4, 2, 4, BF16, BF16, F32, 80, "m16n8k16.row.col.f32.bf16.bf16.f32") \
	M(tf32_4_f32, 2, 1, 4, F32, F32, F32, 80, "m16n8k4.row.col.f32.tf32.tf32.f32") \
	M(tf32_8_f32, 4, 2, 4, F32, F32, F32, 80, "m16n8k8.row.col.f32.tf32.tf32.f32") \
	M(e4m3_32_f32, 4, 2, 4, E4M3, E4M3, F32, 89, "m16n8k32.row.col.f32.e4m3.e4m3.f32") \
	M(e5m2_32_f32, 4, 2, 4, E5M2, E5M2, F32, 89, "m16n8k32.row.col.f32.e5m2.e5m2.f32") \
	M(e4m3_e5m2_32_f32, 4, 2, 4, E4M3, E5M2, F32, 89, "m16n8k32.row.col.f32.e4m3.e5m2.f32") \
	M(s8_8_8_16, 1, 1, 2, BITS, BITS, BITS, 80, "m8n8k16.row.col.s32.s8.s8.s32") \
	M(s8_16, 2, 1, 4, BITS, BITS, BITS, 80, "m16n8k16.row.col.s32.s8.s8.s32") \
	M(s8_32, 4, 2, 4, BITS, BITS, BITS, 80, "m16n8k32.row.col.s32.s8.s8.s32") \
	M(u8_32, 4, 2, 4, BITS, BITS, BITS, 80, "m16n8k32.row.col.s32.u8.u8.s32") \
	M(u8s8_32_sat, 4, 2, 4, BITS, BITS, BITS, 80, "m16n8k32.row.col.satfinite.s32.u8.s8.s32") \
	M(s4_64, 4, 2, 4, BITS, BITS, BITS, 80, "m16n8k64.row.col.s32.s4.s4.s32") \
	M(u4_64_sat, 4, 2, 4, BITS, BITS, BITS, 80, "m16n8k64.row.col.satfinite.s32.u4.u4.s32") \
	M(b1_xor, 4, 2, 4, BITS, BITS, BITS, 80, "m16n8k256.row.col.s32.b1.b1.s32.xor.popc") \
	M(b1_and, 4, 2, 4, BITS, BITS, BITS, 80, "m16n8k256.row.col.s32.b1.b1.s32.and.popc")

#define IN4(x) "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3])
#define MMA(name, a_n, b_n, c_n, a_kind, b_kind, c_kind, capability, form) \
	__global__ void name(Regs *regs) \
	{ \
		Regs &r = regs[blockIdx.x * 32 + threadIdx.x]; \
		u32 d[4] = {}; \
		if constexpr (ARCH >= capability) \
			asm volatile("mma.sync.aligned." form " " D##c_n ", " A##a_n ", " B##b_n \
				     ", " C##c_n ";" \
				     : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3]) \
				     : IN4(r.a), "r"(r.b[0]), "r"(r.b[1]), IN4(r.c)); \
		for (int i = 0; i < c_n; i++) \
			r.d[i] = d[i]; \
	}
MMAS(MMA)

/* The operands: 0 to 3 D, 4 and 5 A, 6 B, 7 to 10 C. */
#define MMA_F64(name, capability, text) \
	__global__ void name(Regs *regs) \
	{ \
		Regs &r = regs[blockIdx.x * 32 + threadIdx.x]; \
		const u64 *a = (u64 *)r.a, *b = (u64 *)r.b, *c = (u64 *)r.c; \
		u64 *d = (u64 *)r.d, out[4] = {}; \
		if constexpr (ARCH >= capability) \
			asm volatile("mma.sync.aligned." text ";" \
				     : "=l"(out[0]), "=l"(out[1]), "=l"(out[2]), "=l"(out[3]) \
				     : "l"(a[0]), "l"(a[1]), "l"(b[0]), "l"(c[0]), "l"(c[1]), \
				       "l"(c[2]), "l"(c[3])); \
		for (int i = 0; i < 4; i++) \
			d[i] = out[i]; \
	}
MMA_F64(f64_8_8_4, 80, "m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%4}, {%6}, {%7, %8}")
MMA_F64(f64_16_8_4, 90, "m16n8k4.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5}, {%6}, "
	"{%7, %8, %9, %10}")

__global__ void movmatrix(Regs *regs)
{
	Regs &r = regs[blockIdx.x * 32 + threadIdx.x];

	asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(r.d[0]) : "r"(r.a[0]));
}

/* Each wgmma: name, kinds of A and C, registers of D, A in the text, form, end of the text. */
#define REGISTERS A4
#define SHARED "%8"
#define WGMMAS(W) \
	W(wg_f16_f32, F16, F32, 4, SHARED, "k16.f32.f16.f16", ", 1, 1, 0, 0") \
	W(wg_f16_f32_neg, F16, F32, 4, SHARED, "k16.f32.f16.f16", ", -1, 1, 0, 0") \
	W(wg_f16_f32_ta, F16, F32, 4, SHARED, "k16.f32.f16.f16", ", 1, 1, 1, 0") \
	W(wg_f16_f32_tb, F16, F32, 4, SHARED, "k16.f32.f16.f16", ", 1, 1, 0, 1") \
	W(wg_f16_f32_tab, F16, F32, 4, SHARED, "k16.f32.f16.f16", ", 1, -1, 1, 1") \
	W(wg_bf16_f32, BF16, F32, 4, SHARED, "k16.f32.bf16.bf16", ", 1, 1, 0, 0") \
	W(wg_tf32_f32, F32, F32, 4, SHARED, "k8.f32.tf32.tf32", ", 1, 1") \
	W(wg_e4m3_f32, E4M3, F32, 4, SHARED, "k32.f32.e4m3.e4m3", ", 1, 1") \
	W(wg_e5m2_f32, E5M2, F32, 4, SHARED, "k32.f32.e5m2.e5m2", ", 1, 1") \
	W(wgr_f16_f32, F16, F32, 4, REGISTERS, "k16.f32.f16.f16", ", 1, 1, 0") \
	W(wgr_bf16_f32, BF16, F32, 4, REGISTERS, "k16.f32.bf16.bf16", ", 1, 1, 0") \
	W(wgr_e4m3_f32, E4M3, F32, 4, REGISTERS, "k32.f32.e4m3.e4m3", ", 1, 1") \
	W(wg_s8_s32, BITS, BITS, 4, SHARED, "k32.s32.s8.s8", "") \
	W(wg_u8_s32_sat, BITS, BITS, 4, SHARED, "k32.s32.u8.u8.satfinite", "") \
	W(wg_f16_f16, F16, F16, 2, SHARED, "k16.f16.f16.f16", ", 1, 1, 0, 0")

#ifdef __CUDA_ARCH_FEAT_SM90_ALL
#define SM_90A(...) asm volatile(__VA_ARGS__)
#else
#define SM_90A(...) ((void)0)
#endif

/* The operands: 0 to 3 D, 4 to 7 A in registers, 8 and 9 descriptors of A and B. */
#define OUT4(d) "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
#define WGMMA(name, a_kind, c_kind, d_n, a_text, form, tail) \
	__global__ void name(Warpgroup *groups) \
	{ \
		extern __shared__ u8 memory[]; \
		const u32 start = (shared(memory) + 1023) & ~1023u, thread = threadIdx.x; \
		Warpgroup &w = groups[blockIdx.x]; \
		u8 *smem = memory + (start - shared(memory)); \
		[[maybe_unused]] const u64 a_desc = w.a_desc + (start >> 4); \
		[[maybe_unused]] const u64 b_desc = w.b_desc + (start >> 4); \
		u32 d[4] = {}; \
		for (int i = thread; i < sizeof(w.smem); i += 128) \
			smem[i] = w.smem[i]; \
		__syncthreads(); \
		for (int i = 0; i < d_n; i++) \
			d[i] = w.c[thread][i]; \
		SM_90A("fence.proxy.async; wgmma.fence.sync.aligned;" ::: "memory"); \
		SM_90A("{ .reg .pred p; setp.ne.b32 p, 1, 0; wgmma.mma_async.sync.aligned.m64n8" \
		       form " " D##d_n ", " a_text ", %9, p" tail "; }" \
		       : OUT4(d) : IN4(w.a[thread]), "l"(a_desc), "l"(b_desc)); \
		SM_90A("wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;" \
		       : OUT4(d) :: "memory"); \
		for (int i = 0; i < d_n; i++) \
			w.d[thread][i] = d[i]; \
	}
WGMMAS(WGMMA)

/* --- host ------------------------------------------------------------------- */

/* How the numbers of an input are chosen. A trial has the style of its number modulo 5. */
enum Style { SMALL_INTEGERS, NEAR_1, WIDE_EXPONENTS, ANY_BITS, CANCELLING };

/* Returns a floating-point number of so many bits, and bits of its exponent. */
static u32 number(int bits, int exponent_bits, int style)
{
	const int mantissa = bits - 1 - exponent_bits, bias = (1 << (exponent_bits - 1)) - 1;
	const int span = style == NEAR_1 ? 2 : style == CANCELLING ? 6 :
			 exponent_bits >= 8 ? 30 : (1 << exponent_bits) / 3;
	const u32 sign = (u32)pick(0, 1) << (bits - 1);
	int exponent;

	if (style == ANY_BITS)
		return (u32)rng() & (bits == 32 ? ~0u : (1u << bits) - 1);
	if (style == SMALL_INTEGERS) {
		const int v = pick(0, 3);

		if (!v)
			return sign;
		return sign | (u32)(bias + (v > 1)) << mantissa |
		       (v == 3 ? 1u << (mantissa - 1) : 0);
	}
	exponent = pick(bias - span, bias + span);
	if (exponent > (1 << exponent_bits) - 2)
		exponent = (1 << exponent_bits) - 2;
	if (exponent < 0)
		exponent = 0;
	return sign | (u32)exponent << mantissa | ((u32)rng() & ((1u << mantissa) - 1));
}

static u64 number_f64(int style)
{
	const int span = style == SMALL_INTEGERS ? 1 : 20;
	u64 v;

	if (style == ANY_BITS)
		return rng();
	v = (u64)pick(0, 1) << 63;
	v |= (u64)(1023 + pick(-span, span)) << 52;
	return style == SMALL_INTEGERS ? v : v | (rng() & 0xfffffffffffff);
}

static void fill(u32 *regs, int n, Kind kind, int style)
{
	static const struct { int bits, exponent_bits; } form[] = {
		{ 32, 0 }, { 16, 5 }, { 16, 8 }, { 32, 8 }, { 8, 4 }, { 8, 5 }, { 64, 11 },
	};

	for (int i = 0; i < n; i++) {
		if (kind == F64) {
			const u64 v = number_f64(style);

			regs[i++] = (u32)v;
			regs[i] = v >> 32;
			continue;
		}
		regs[i] = kind == BITS ? (u32)rng() : 0;
		for (int at = 0; kind != BITS && at < 32; at += form[kind].bits)
			regs[i] |= number(form[kind].bits, form[kind].exponent_bits, style) << at;
	}
}

static void print(const u32 *regs, size_t stride, int lanes, int n)
{
	printf(n ? "\t" : "\t-");
	for (int i = 0; i < lanes * n; i++)
		printf("%s%x", i ? "," : "", regs[i / n * stride + i % n]);
}

struct Mma {
	const char *name;
	void (*kernel)(Regs *regs);
	int a, b, c, d;		/* registers */
	Kind a_kind, b_kind, c_kind;
	int capability;
};

static void run_mma(const Mma &m, int trials, bool list)
{
	constexpr size_t stride = sizeof(Regs) / sizeof(u32);
	std::vector<Regs> regs(trials * 32);

	for (int i = 0; i < trials * 32; i++) {
		const int trial = i / 32;

		fill(regs[i].a, m.a, m.a_kind, trial % 5);
		fill(regs[i].b, m.b, m.b_kind, trial % 5);
		if (trial % 10 >= 5 || m.c_kind == BITS || m.c_kind == F64)
			fill(regs[i].c, m.c, m.c_kind, trial % 5);
	}
	if (!list) {
		if (m.capability > capability())
			return;
		Memory<Regs> memory(regs.size());

		memory.host = regs;
		memory.in();
		m.kernel<<<trials, 32>>>(memory.device);
		memory.out(m.name);
		regs = memory.host;
	}
	for (int trial = 0; trial < trials; trial++) {
		const Regs *r = &regs[trial * 32];

		printf("%s\t%d", m.name, trial);
		print(r->a, stride, 32, m.a);
		print(r->b, stride, 32, m.b);
		print(r->c, stride, 32, m.c);
		if (!list)
			print(r->d, stride, 32, m.d);
		printf("\n");
	}
}

struct Wgmma {
	const char *name;
	void (*kernel)(Warpgroup *groups);
	Kind a_kind, c_kind;
	int d;			/* registers */
};

/*
 * Chooses the offsets of a descriptor, in units of 16 bytes, so that their meaning shows.
 * @swizzle: 0 none, 1 128 bytes, 2 64 bytes, 3 32 bytes.
 */
static u64 pick_descriptor(int swizzle)
{
	const u64 leading = swizzle ? pick(1, 64) : pick(8, 40);
	const u64 stride = swizzle ? 128 >> swizzle : pick(8, 60);

	return leading << 16 | stride << 32 | (u64)swizzle << 62;
}

static void run_wgmma(const Wgmma &m, int trials, bool list)
{
	static std::vector<Warpgroup> groups(trials);

	for (int trial = 0; trial < trials; trial++) {
		Warpgroup &w = groups[trial];

		w.a_desc = pick_descriptor(trial % 4);
		w.b_desc = pick_descriptor(trial % 4) | sizeof(w.smem) / 2 >> 4;
		if (trial >= 8) {
			w.a_desc += (u64)pick(0, 3) << 35;
			w.b_desc += (u64)pick(0, 3) << 35;
		}
		fill((u32 *)w.smem, sizeof(w.smem) / 4, m.a_kind, trial % 5);
		for (int lane = 0; lane < 128; lane++)
			for (int i = 0; i < 16; i++) {
				w.c[lane][i] = 0;
				if (trial % 2 == 0 || m.c_kind == BITS)
					fill(&w.c[lane][i], 1, m.c_kind, trial % 5);
				if (i < 4)
					fill(&w.a[lane][i], 1, m.a_kind, trial % 5);
			}
	}
	if (!list) {
		Memory<Warpgroup> memory(trials);

		memory.host = groups;
		memory.in();
		m.kernel<<<trials, 128, sizeof(groups[0].smem) + 1024>>>(memory.device);
		memory.out(m.name);
		groups = memory.host;
	}
	for (int trial = 0; trial < trials; trial++) {
		const Warpgroup &w = groups[trial];

		printf("%s\t%d\t%llx\t%llx\t", m.name, trial, w.a_desc, w.b_desc);
		for (u8 byte : w.smem)
			printf("%02x", byte);
		print(w.a[0], 4, 128, 4);
		print(w.c[0], 16, 128, m.d);
		if (!list)
			print(w.d[0], 16, 128, m.d);
		printf("\n");
	}
}

int main(int argc, char **argv)
{
#define MMA_ROW(name, a, b, c, a_kind, b_kind, c_kind, capability, form) \
	{ #name, name, a, b, c, c, a_kind, b_kind, c_kind, capability },
	static const Mma mmas[] = {
		{ "f64_8_8_4", f64_8_8_4, 2, 2, 4, 4, F64, F64, F64, 80 },
		{ "f64_16_8_4", f64_16_8_4, 4, 2, 8, 8, F64, F64, F64, 90 },
		MMAS(MMA_ROW)
		{ "movmatrix", movmatrix, 1, 0, 0, 1, BITS, BITS, BITS, 80 },
	};
#define WGMMA_ROW(name, a_kind, c_kind, d, a_text, form, tail) { #name, name, a_kind, c_kind, d },
	static const Wgmma wgmmas[] = { WGMMAS(WGMMA_ROW) };
	const Options o = options(argc, argv, 0, 0, "[--list]");

	rng_state = 5;
	for (const Mma &m : mmas)
		run_mma(m, 40, o.list);
	/* Only compute capability 9.0 has wgmma. */
	for (const Wgmma &m : wgmmas)
		if (o.list || capability() == 90)
			run_wgmma(m, 12, o.list);
	return 0;
}
