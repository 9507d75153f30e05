// SPDX-License-Identifier: MIT
/*
 * Tensor maps and copies against those of an H100 (selftests/golden/README.rst). Each map is
 * accepted or refused, each copy traps or moves the same bytes. The bytes of each CUtensorMap are
 * those of CUDA's encoders.
 */
#include "unit.h"

#include <vsm_core.h>

#include "../../userlib/syntax/cuda_map.h"

#define GLOBAL	(1 << 16)	/* size of the recorded program's memory */
#define SHARED	8192		/* of its shared memory, only this part was recorded */
#define ROOM	(SHARED + 1024)	/* from the box's address to the end of shared memory */
#define WINDOW	(1 << 16)	/* size of the largest box */

#define T(x)	DRM_VSM_TENSOR_##x

/* The parameters of a record, in the order in which they are recorded */
struct params {
	long long im2col, type, rank, base, interleave, swizzle, l2_promotion, fill;
	long long dims[5], strides[4], box[5], element_strides[5], coords[5];
	long long lower[3], upper[3], channels, pixels, offsets[3];
};

/* A tensor map and a copy with it, and what the H100 did */
struct record {
	char name[16];
	char what[16];			/* "load", "store", "refused", or a kind of trap */
	long long count;		/* bytes of the complete-tx, or changed by a store */
	union {
		struct params p;
		long long number[sizeof(struct params) / sizeof(long long)];
	};
	int length;			/* number of @bytes, -1 if they were not recorded */
	unsigned char bytes[GLOBAL];	/* of the window or tensor, to the last changed one */
	int map_length;			/* number of bytes of @cuda, -1 for a refused map */
	unsigned char cuda[GLOBAL];	/* the CUtensorMap */
};

static struct record record;
static unsigned char global[GLOBAL], window[WINDOW] __attribute__((aligned(1024)));

static int read_bytes(FILE *file, unsigned char *bytes)
{
	static char text[2 * GLOBAL + 1];
	unsigned int byte;
	int n;

	assert_int_equal(fscanf(file, "%131072s", text), 1);
	if (text[0] == '-')
		return -1;
	for (n = 0; text[2 * n]; n++) {
		assert_int_equal(sscanf(text + 2 * n, "%2x", &byte), 1);
		bytes[n] = byte;
	}
	return n;
}

static bool read_record(FILE *file)
{
	size_t i;

	if (fscanf(file, "%15s %15s %lld", record.name, record.what, &record.count) != 3)
		return false;
	for (i = 0; i < ARRAY_SIZE(record.number); i++)
		assert_int_equal(fscanf(file, "%lld", &record.number[i]), 1);
	record.length = read_bytes(file, record.bytes);
	record.map_length = read_bytes(file, record.cuda);
	return true;
}

#define check(condition)								\
	do {										\
		if (!(condition))							\
			fail_msg("record %s, %s: %s", record.name, record.what, #condition);	\
	} while (0)

static bool is(const char *what)
{
	return !strcmp(record.what, what);
}

/* Makes the map as the library does: returns the rule of a number that does not fit its field. */
static enum drm_vsm_tensor_error make_map(struct drm_vsm_tensor_map *map)
{
	const struct params *p = &record.p;
	int d;

	if (p->rank > 5)
		return T(RANK);
	*map = (struct drm_vsm_tensor_map){
		.offset = p->base, .type = p->type, .rank = p->rank,
		.mode = p->im2col ? T(IM2COL) : T(TILED), .interleave = p->interleave,
		.swizzle = p->swizzle, .fill = p->fill, .l2_promotion = p->l2_promotion,
		.channels = p->im2col ? p->channels : 0, .pixels = p->im2col ? p->pixels : 0,
	};
	for (d = 0; d < p->rank; d++) {
		map->size[d] = p->dims[d];
		map->element_stride[d] = p->element_strides[d];
		map->box[d] = p->im2col ? 0 : p->box[d];
		if (d + 1 < p->rank)
			map->stride[d] = p->strides[d];
		if (p->im2col && d + 2 < p->rank) {
			map->lower[d] = p->lower[d];
			map->upper[d] = p->upper[d];
		}
	}
	return vsm_tensor_map_check(map);
}

static struct drm_vsm_insn make_copy(bool store)
{
	const struct params *p = &record.p;
	struct drm_vsm_insn insn = {
		.op = store ? OP(CP_ASYNC_BULK_TENSOR_S2G) : OP(CP_ASYNC_BULK_TENSOR_G2S),
		.mods = p->im2col ? MOD(IM2COL) : 0, .red = DRM_VSM_RED_DIMS(0, p->rank),
	};
	int bits = p->rank == 4 ? 8 : p->rank == 5 ? 5 : 16, d;

	for (d = 0; d < 5; d++)
		insn.u.tensor.coords[d] = p->coords[d];
	for (d = 0; d + 2 < p->rank && p->im2col && !store; d++)
		insn.u.tensor.offsets |= p->offsets[d] << d * bits;
	return insn;
}

/* The byte of global memory at an offset before a load */
static unsigned char pattern(__u32 i)
{
	__u32 z = i * 2654435761U + 12345;

	z ^= z >> 15;
	z *= 2246822519U;
	return z ^ z >> 13;
}

static void check_load(const struct drm_vsm_tensor_map *map, const struct drm_vsm_insn *insn)
{
	int i;

	for (i = 0; i < GLOBAL; i++)
		global[i] = pattern(i);
	memset(window, 0xee, sizeof(window));
	vsm_tensor_load(map, &insn->u.tensor, global + map->offset, window, 0);
	check((long long)vsm_tensor_map_bytes(map) == record.count);
	check(!memcmp(window, record.bytes, record.length));
	for (i = record.length; i < SHARED; i++)
		check(window[i] == 0xee);
}

static void check_store(const struct drm_vsm_tensor_map *map, const struct drm_vsm_insn *insn)
{
	int i, changed = 0;

	memset(global, 0x11, sizeof(global));
	for (i = 0; i < WINDOW; i++)
		window[i] = i * 7 + 3;
	vsm_tensor_store(map, &insn->u.tensor, global + map->offset, window, 0);
	for (i = 0; i < GLOBAL; i++)
		changed += global[i] != 0x11;
	check(changed == record.count);
	check(record.length < 0 || !memcmp(global, record.bytes, record.length));
}

/* A copy traps if it breaks a rule, or if its box goes beyond the end of shared memory. */
static bool traps(const struct drm_vsm_tensor_map *map, bool store)
{
	struct drm_vsm_insn insn = make_copy(store);

	return vsm_tensor_check(map, &insn) || vsm_tensor_map_window(map) > ROOM;
}

/* The recorded address is 0. */
static void check_cuda(const struct drm_vsm_tensor_map *map)
{
	struct drm_vsm_tensor_map without = *map, read;
	unsigned char cuda[CUDA_MAP_BYTES];

	without.offset = 0;
	cuda_map_encode(&without, cuda);
	check(record.map_length == CUDA_MAP_BYTES);
	check(!memcmp(cuda, record.cuda, sizeof(cuda)));
	cuda_map_decode(record.cuda, &read);
	check(!memcmp(&read, &without, sizeof(read)));
	cuda_put(record.cuda, CUDA_ADDRESS, 0, 0x7f1234567890);
	cuda_map_decode(record.cuda, &read);
	check(read.offset == 0x7f1234567890);
}

/* Returns whether the record proves anything. */
static bool check_record(void)
{
	struct drm_vsm_tensor_map map;
	enum drm_vsm_tensor_error error = make_map(&map);
	struct drm_vsm_insn insn;
	int d;

	if (is("refused") != !!error)
		fail_msg("record %s: error %d of a map", record.name, error);
	check(is("refused") == (record.map_length < 0));
	if (error)
		return true;
	check_cuda(&map);
	if (is("load") || is("store")) {
		insn = make_copy(is("store"));
		error = vsm_tensor_check(&map, &insn);
		if (error)
			fail_msg("record %s: error %d of a copy", record.name, error);
		check(vsm_tensor_map_extent(&map) <= GLOBAL - map.offset);
		if (is("load"))
			check_load(&map, &insn);
		else
			check_store(&map, &insn);
		return true;
	}
	check((!is("trap-store") && traps(&map, false)) || (!is("trap-load") && traps(&map, true)));
	/*
	 * "trap": it was not recorded whether the load or the store trapped. If the store begins at
	 * a negative coordinate, it traps in any case.
	 */
	for (d = 0; d < map.rank; d++)
		if (is("trap") && record.p.coords[d] < 0)
			return false;
	return true;
}

TEST(maps_and_copies_are_those_of_an_h100)
{
	FILE *file = popen("xz -dc \"$(dirname '" __FILE__ "')\"/../golden/h100/tensor.xz", "r");
	unsigned int records = 0, proofs = 0;

	assert_non_null(file);
	while (read_record(file)) {
		proofs += check_record();
		records++;
	}
	print_message("# %u of %u records prove nothing\n", records - proofs, records);
	assert_int_equal(pclose(file), 0);
	assert_int_equal(records, 1349);
}
