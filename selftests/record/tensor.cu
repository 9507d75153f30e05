// SPDX-License-Identifier: MIT
/*
 * tensor: which tensor maps the driver accepts, and what a load or a store with each does.
 *
 * FILE has a case a line: a name, 1 for a store, and the 43 numbers of ../golden/README.rst. The
 * program begins with line FIRST, which counts from 0.
 *
 * Output, a JSON object a line: "case", the name; "result", the CUresult of the encoder; "map", its
 * 128 bytes without the address; of a load the word of the mbarrier that expected "expected" bytes
 * and a second arrive, and "smem", shared memory up to the last byte that was written; of a store
 * the number of bytes that changed, and "global", memory up to the last of them. If the launch
 * fails, "launch" says how, and the program ends with status 3.
 *
 * Before a load, byte i of global memory is pattern(i), and every byte of shared memory 0xee.
 * Before a store, every byte of global memory is 0x11, and byte i of shared memory i * 7 + 3.
 */
#include "record.cuh"

constexpr int SHARED = 8192, GLOBAL = 1 << 16;

/* Bytes of the elements of each data type */
static const int type_size[] = { 1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4, 1, 1, 1 };

/* The 43 numbers, in the order of the file */
struct Case {
	long im2col, type, rank, base, interleave, swizzle, l2_promotion, fill;
	long dims[5], strides[4], box[5], element_strides[5], coords[5];
	long lower[3], upper[3], channels, pixels, offsets[3];
};

struct Output { u64 word; u8 smem[SHARED]; };

/* The operands: 0 map, 1 shared memory, 2 mbarrier, 3 to 7 coordinates, 8 to 10 offsets. */
#define COORDS_1 "{%3}"
#define COORDS_2 "{%3, %4}"
#define COORDS_3 "{%3, %4, %5}"
#define COORDS_4 "{%3, %4, %5, %6}"
#define COORDS_5 "{%3, %4, %5, %6, %7}"
#define OFFSETS_3 "{%8}"
#define OFFSETS_4 "{%8, %9}"
#define OFFSETS_5 "{%8, %9, %10}"
#define COPY(ins) \
	SM_90("cp.async.bulk.tensor." ins \
	      :: "l"(&map), "r"(smem), "r"(bar), "r"((int)c.coords[0]), "r"((int)c.coords[1]), \
	      "r"((int)c.coords[2]), "r"((int)c.coords[3]), "r"((int)c.coords[4]), \
	      "h"((short)c.offsets[0]), "h"((short)c.offsets[1]), "h"((short)c.offsets[2]) \
	      : "memory"); \
	break
#define STORE(rank) \
	case rank: \
		COPY(#rank "d.global.shared::cta.bulk_group [%0, " COORDS_##rank "], [%1];")
#define LOAD(rank) \
	case rank: \
		COPY(#rank "d.shared::cluster.global.mbarrier::complete_tx::bytes" \
		     " [%1], [%0, " COORDS_##rank "], [%2];")
#define IM2COL(rank) \
	case 10 + rank: \
		COPY(#rank "d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes" \
		     " [%1], [%0, " COORDS_##rank "], [%2], " OFFSETS_##rank ";")

__device__ static void store(const CUtensorMap &map, const Case &c, u32 smem, u32 bar)
{
	switch (c.rank) {
	STORE(1);
	STORE(2);
	STORE(3);
	STORE(4);
	STORE(5);
	}
	SM_90("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory");
}

__device__ static void load(const CUtensorMap &map, const Case &c, u32 smem, u32 bar)
{
	switch (10 * c.im2col + c.rank) {
	LOAD(1);
	LOAD(2);
	LOAD(3);
	LOAD(4);
	LOAD(5);
	IM2COL(3);
	IM2COL(4);
	IM2COL(5);
	}
	/* No wait can tell when the copy ends: it may move other bytes than were announced. */
	__nanosleep(30000);
	__nanosleep(30000);
}

__global__ void run(const __grid_constant__ CUtensorMap map, const __grid_constant__ Case c,
		    bool is_store, u32 bytes, Output *out)
{
	extern __shared__ u8 memory[];
	__shared__ alignas(8) u64 word;
	const u32 bar = shared(&word), smem = (shared(memory) + 1023) & ~1023u;
	volatile u8 *data = memory + (smem - shared(memory));

	for (int i = 0; i < SHARED; i++)
		data[i] = is_store ? i * 7 + 3 : 0xee;
	execute(INIT, bar, 2);
	fence_init();
	SM_90("fence.proxy.async;" ::: "memory");
	if (is_store) {
		store(map, c, smem, bar);
		return;
	}
	execute(ARRIVE_TX, bar, bytes);
	load(map, c, smem, bar);
	out->word = final_word(bar);
	for (int i = 0; i < SHARED; i++)
		out->smem[i] = data[i];
}

static u8 pattern(u32 i)
{
	u32 z = i * 2654435761 + 12345;

	z ^= z >> 15;
	z *= 2246822519;
	return z ^ z >> 13;
}

/* Prints bytes up to the last that is not @background. */
static void print_bytes(const char *name, const u8 *bytes, int n, int background = -1)
{
	while (n && bytes[n - 1] == background)
		n--;
	printf(", \"%s\": \"", name);
	for (int i = 0; i < n; i++)
		printf("%02x", bytes[i]);
	printf("\"");
}

static void *encoder(const char *name)
{
	cudaDriverEntryPointQueryResult result;
	void *function = nullptr;

	check(cudaGetDriverEntryPointByVersion(name, &function, 12000, cudaEnableDefault, &result),
	      name);
	if (!function)
		check(cudaErrorNotSupported, name);
	return function;
}

template <typename T, typename F> static std::vector<T> list(const F &numbers)
{
	std::vector<T> list(std::begin(numbers), std::end(numbers));

	list.resize(6);		/* The rank may be 6, which breaks a rule. */
	return list;
}

static CUresult encode(const Case &c, u8 *global, CUtensorMap *map)
{
	static auto tiled = (decltype(&cuTensorMapEncodeTiled))encoder("cuTensorMapEncodeTiled");
	static auto im2col = (decltype(&cuTensorMapEncodeIm2col))encoder("cuTensorMapEncodeIm2col");
	const auto dims = list<cuuint64_t>(c.dims), strides = list<cuuint64_t>(c.strides);
	const auto box = list<cuuint32_t>(c.box), steps = list<cuuint32_t>(c.element_strides);
	const auto lower = list<int>(c.lower), upper = list<int>(c.upper);
	const auto type = (CUtensorMapDataType)c.type;
	const auto interleave = (CUtensorMapInterleave)c.interleave;
	const auto swizzle = (CUtensorMapSwizzle)c.swizzle;
	const auto promotion = (CUtensorMapL2promotion)c.l2_promotion;
	const auto fill = (CUtensorMapFloatOOBfill)c.fill;

	if (c.im2col)
		return im2col(map, type, c.rank, global + c.base, dims.data(), strides.data(),
			      lower.data(), upper.data(), c.channels, c.pixels, steps.data(),
			      interleave, swizzle, promotion, fill);
	return tiled(map, type, c.rank, global + c.base, dims.data(), strides.data(), box.data(),
		     steps.data(), interleave, swizzle, promotion, fill);
}

/* The number of bytes that a load moves */
static u32 box_bytes(const Case &c)
{
	u32 bytes = type_size[c.type & 15];

	if (c.im2col)
		return bytes * c.channels * c.pixels;
	for (int d = 0; d < c.rank; d++)
		bytes *= c.box[d];
	return bytes;
}

static void copy(const Case &c, bool is_store, const CUtensorMap &map, Memory<u8> *global,
		 Memory<Output> *out)
{
	const u32 bytes = box_bytes(c);

	for (int i = 0; i < GLOBAL; i++)
		global->host[i] = is_store ? 0x11 : pattern(i);
	global->in();
	run<<<1, 1, SHARED + 2048>>>(map, c, is_store, bytes, out->device);
	if (cudaError_t error = cudaDeviceSynchronize()) {
		printf(", \"launch\": \"%s\"}\n", cudaGetErrorName(error));
		check(error, "launch", 3);
	}
	if (is_store) {
		int changed = 0;

		global->out();
		for (u8 byte : global->host)
			changed += byte != 0x11;
		printf(", \"changed\": %d", changed);
		print_bytes("global", global->host.data(), GLOBAL, 0x11);
	} else {
		out->out();
		printf(", \"expected\": %u, \"word\": \"0x%016llx\"", bytes, out->host[0].word);
		print_bytes("smem", out->host[0].smem, SHARED, 0xee);
	}
}

static bool read_case(FILE *file, char *name, int *is_store, Case *c)
{
	long *numbers = (long *)c;

	if (fscanf(file, "%15s %d", name, is_store) != 2)
		return false;
	for (size_t i = 0; i < sizeof(*c) / sizeof(long); i++)
		if (fscanf(file, "%ld", &numbers[i]) != 1)
			return false;
	return true;
}

int main(int argc, char **argv)
{
	const Options o = options(argc, argv, 1, 2, "FILE [FIRST]");
	const u64 first = o.number(1, 0);
	FILE *file = fopen(o.word[0], "r");
	char name[16];
	int is_store;
	Case c;

	if (!file) {
		perror(o.word[0]);
		return 1;
	}
	Memory<u8> global(GLOBAL);
	Memory<Output> out(1);

	for (u64 i = 0; read_case(file, name, &is_store, &c); i++) {
		alignas(64) CUtensorMap map = {}, printed;
		CUresult result;

		if (i < first)
			continue;
		result = encode(c, global.device, &map);
		printf("{\"case\": \"%s\", \"result\": %d", name, result);
		if (!result) {
			printed = map;
			memset(&printed, 0, 8);		/* the address */
			print_bytes("map", (u8 *)&printed, sizeof(printed));
			copy(c, is_store, map, &global, &out);
		}
		printf("}\n");
	}
	return 0;
}
