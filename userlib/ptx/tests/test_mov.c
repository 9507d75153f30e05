// SPDX-License-Identifier: MIT
/* mov of vectors, special registers and addresses. (mov of registers is in test_alu_int.c.) */
#define TEST_SETUP	setup
#define TEST_TEARDOWN	teardown
#include <stdio.h>

#include "testing.h"
#include "alu_build.h"

static struct build b;

static int setup(void **state)
{
	build_init(&b);
	for (unsigned int i = 0; i < BUILD_REGS * PTX_LANES; i++)
		b.rows[i] = 0x5a5a5a5a5a5a5a5a;
	for (unsigned int i = 0; i < (BUILD_ADDRESS_ROW + BUILD_ADDRESSES) * PTX_LANES; i++)
		b.special[i] = 0x100000000 * i + i + 1;
	return 0;
}

static int teardown(void **state)
{
	build_free(&b);
	return 0;
}

/* The registers 1 to @count as a vector. */
static void build_vector(unsigned int count, enum ptx_type type)
{
	struct ptx_operand vector = { .kind = OPERAND_VECTOR };

	for (unsigned int i = 0; i < count; i++) {
		b.regs[1 + i].type = type;
		b.slots[1 + i] = PTX_ROW(FILE_FRAME, 1 + i);
		b.elements[i] = operand_reg(1 + (int)i);
	}
	vector.elements = b.elements;
	vector.count = count;
	build_operand(&b, vector);
}

static void build_special(enum ptx_special special, unsigned int dim)
{
	struct ptx_operand operand = { .kind = OPERAND_SPECIAL, .special = special };

	operand.dim = (uint8_t)dim;
	build_operand(&b, operand);
}

static const struct {
	const char *opcode;
	enum ptx_type whole;
	enum ptx_type part;
	unsigned int count;
	unsigned int bits;
} vectors[] = {
	{ "mov.b16", TYPE_B16, TYPE_B8, 2, 8 },
	{ "mov.b32", TYPE_B32, TYPE_B16, 2, 16 },
	{ "mov.b32", TYPE_U32, TYPE_U8, 4, 8 },
	{ "mov.b64", TYPE_F64, TYPE_F32, 2, 32 },
	{ "mov.b64", TYPE_B64, TYPE_F16, 4, 16 },
};

static const uint32_t masks[] = { ~0u, 0x80010ff0 };

TEST(vectors_are_packed)
{
	for (unsigned int i = 0; i < 2 * 5; i++) {
		unsigned int count = vectors[i / 2].count;
		unsigned int bits = vectors[i / 2].bits;
		uint32_t mask = masks[i % 2];

		setup(NULL);
		build_opcode(&b, vectors[i / 2].opcode);
		build_reg(&b, 0, vectors[i / 2].whole);
		build_vector(count, vectors[i / 2].part);
		assert_decoded(&b);
		for (unsigned int j = 0; j < count * PTX_LANES; j++)
			b.rows[PTX_LANES + j] = (j * 0x9e3779b1u ^ 0x80808080) >> (32 - bits);
		build_execute(&b, mask);
		for (unsigned int lane = 0; lane < PTX_LANES; lane++) {
			uint64_t want = 0;

			for (unsigned int e = 0; e < count; e++)
				want |= b.rows[(1 + e) * PTX_LANES + lane] << e * bits;
			if (!(mask >> lane & 1))
				want = 0x5a5a5a5a5a5a5a5a;
			assert_int_equal(b.rows[lane], want);
		}
		build_free(&b);
	}
}

TEST(vectors_are_unpacked)
{
	/* With the i-th element a sink; with none, if there is no such element. */
	for (unsigned int i = 0; i < 5 * 2 * 5; i++) {
		unsigned int count = vectors[i / 10].count;
		unsigned int bits = vectors[i / 10].bits;
		unsigned int sink = i % 5;
		uint32_t mask = masks[i / 5 % 2];

		setup(NULL);
		build_opcode(&b, vectors[i / 10].opcode);
		build_vector(count, vectors[i / 10].part);
		if (sink < count)
			b.elements[sink].kind = OPERAND_SINK;
		build_reg(&b, 0, vectors[i / 10].whole);
		assert_decoded(&b);
		for (unsigned int lane = 0; lane < PTX_LANES; lane++)
			b.rows[lane] = lane * 0x9e3779b97f4a7c15 >> (64 - bits * count);
		build_execute(&b, mask);
		for (unsigned int j = 0; j < 4 * PTX_LANES; j++) {
			unsigned int lane = j % PTX_LANES;
			unsigned int e = j / PTX_LANES;
			uint64_t want = 0x5a5a5a5a5a5a5a5a;

			if (e < count && e != sink && mask >> lane & 1)
				want = b.rows[lane] >> e * bits & ((1ull << bits) - 1);
			assert_int_equal(b.rows[PTX_LANES + j], want);
		}
		build_free(&b);
	}
}

TEST(elements_may_be_constants)
{
	build_opcode(&b, "mov.b64");
	build_reg(&b, 0, TYPE_B64);
	build_vector(2, TYPE_B32);
	b.elements[0] = operand_int(-2);
	b.elements[1] = operand_int(7);
	assert_decoded(&b);
	build_execute(&b, 1);
	assert_int_equal(b.rows[0], 0x7fffffffe);
}

TEST(wrong_vectors_are_refused)
{
	static const struct {
		const char *opcode;
		unsigned int count;
	} wrong[] = {
		{ "mov.b16", 4 }, { "mov.b32", 3 }, { "mov.b64", 1 }, { "mov.b64", 0 },
		{ "mov.b64", 5 }, { "mov.u32", 2 }, { "mov.f64", 2 }, { "mov.b128", 3 },
		{ "mov.pred", 2 }, { "mov.unknown", 2 },
	};

	for (unsigned int i = 0; i < 2 * 10; i++) {
		build_opcode(&b, wrong[i / 2].opcode);
		if (i % 2)
			build_reg(&b, 0, TYPE_B64);
		build_vector(wrong[i / 2].count, TYPE_B16);
		if (i % 2 == 0)
			build_reg(&b, 0, TYPE_B64);
		assert_refused(&b, "; mov has 2 for .b16, 2 or 4 for others");
	}
	build_opcode(&b, "mov.b64");
	build_vector(2, TYPE_B32);
	build_vector(2, TYPE_B32);
	assert_refused(&b, "mov has one vector, not two");
	build_opcode(&b, "mov.b64");
	build_reg(&b, 0, TYPE_B64);
	build_vector(2, TYPE_B16);
	assert_refused(&b, "register %r has the type .b16, but mov.b64 takes .b32 here");
	build_opcode(&b, "mov.b32");
	build_vector(2, TYPE_B16);
	build_reg(&b, 0, TYPE_B64);
	assert_refused(&b, "register %r has the type .b64, but mov.b32 takes .b32 here");
	build_opcode(&b, "mov.b64");
	build_reg(&b, 0, TYPE_B64);
	build_vector(2, TYPE_B32);
	b.elements[1].kind = OPERAND_SINK;
	assert_refused(&b, "not _");
	build_opcode(&b, "mov.b64");
	build_operand(&b, (struct ptx_operand){ .kind = OPERAND_SINK });
	build_vector(2, TYPE_B32);
	assert_refused(&b, "the destination of mov is a register, not _");
}

/* Special registers */

static bool is_vector(enum ptx_special special)
{
	switch (special) {
	case SPECIAL_TID:
	case SPECIAL_NTID:
	case SPECIAL_CTAID:
	case SPECIAL_NCTAID:
	case SPECIAL_CLUSTERID:
	case SPECIAL_NCLUSTERID:
	case SPECIAL_CLUSTER_CTAID:
	case SPECIAL_CLUSTER_NCTAID:
		return true;
	default:
		return false;
	}
}

TEST(special_registers_have_rows_of_their_own)
{
	bool used[PTX_SPECIAL_ROWS] = { };

	for (int special = 0; special < SPECIALS; special++) {
		for (unsigned int dim = 0; dim < (is_vector(special) ? 3 : 1); dim++) {
			uint32_t row = ptx_special_row(special, dim);

			assert_true(row < PTX_SPECIAL_ROWS);
			assert_false(used[row]);
			used[row] = true;
		}
	}
	for (unsigned int row = 0; row < PTX_SPECIAL_ROWS; row++)
		assert_true(used[row]);
}

TEST(special_registers_are_copied)
{
	build_opcode(&b, "mov.u32");
	build_reg(&b, 0, TYPE_B32);
	build_special(SPECIAL_CTAID, 2);
	assert_decoded(&b);
	assert_int_equal(b.step.src[0], PTX_ROW(FILE_WARP, ptx_special_row(SPECIAL_CTAID, 2)));
	assert_int_equal(ptx_operand_type(b.decoder, &b.operands[1]), TYPE_U32);

	/* The grid's number has 64 bits; a program may read the low 32. */
	build_opcode(&b, "mov.u64");
	build_reg(&b, 0, TYPE_U64);
	build_special(SPECIAL_GRIDID, 0);
	assert_decoded(&b);
	build_execute(&b, 2);
	assert_int_equal(b.rows[1], b.special[ptx_special_row(SPECIAL_GRIDID, 0) * 32 + 1]);
	build_opcode(&b, "mov.u32");
	build_reg(&b, 0, TYPE_U32);
	build_special(SPECIAL_GRIDID, 0);
	assert_decoded(&b);
	build_execute(&b, 4);
	assert_int_equal(b.rows[2],
			 (uint32_t)b.special[ptx_special_row(SPECIAL_GRIDID, 0) * 32 + 2]);
	assert_int_equal(b.rows[3], 0x5a5a5a5a5a5a5a5a);
}

TEST(a_special_register_may_be_a_predicate)
{
	uint32_t row = ptx_special_row(SPECIAL_IS_EXPLICIT_CLUSTER, 0);

	for (unsigned int lane = 0; lane < PTX_LANES; lane++)
		b.special[row * PTX_LANES + lane] = lane % 3 == 0;
	build_opcode(&b, "mov.pred");
	build_reg(&b, 0, TYPE_PRED);
	b.slots[0] = 5;
	build_special(SPECIAL_IS_EXPLICIT_CLUSTER, 0);
	assert_decoded(&b);
	b.preds[5] = 0xf0000000;
	build_execute(&b, 0x0000ffff);
	assert_int_equal(b.preds[5], 0xf0009249);
	build_opcode(&b, "mov.u32");
	build_reg(&b, 0, TYPE_U32);
	build_special(SPECIAL_IS_EXPLICIT_CLUSTER, 0);
	assert_refused(&b, "the special register has the type .pred, but mov.u32 takes .u32 here");
	build_opcode(&b, "mov.pred");
	build_reg(&b, 0, TYPE_PRED);
	build_special(SPECIAL_TID, 0);
	assert_refused(&b, "the special register has the type .u32, but mov.pred takes .pred here");
}

TEST(wrong_special_registers_are_refused)
{
	build_opcode(&b, "mov.u64");
	build_reg(&b, 0, TYPE_U64);
	build_special(SPECIAL_TID, 0);
	assert_refused(&b, "the special register has the type .u32, but mov.u64 takes .u64 here");
	build_opcode(&b, "mov.u32");
	build_reg(&b, 0, TYPE_U32);
	build_special(SPECIAL_TID, 3);
	assert_refused(&b, "this special register is not supported");
	build_opcode(&b, "mov.u32");
	build_reg(&b, 0, TYPE_U32);
	build_special(SPECIAL_LANEID, 1);
	assert_refused(&b, "this special register is not supported");
	build_opcode(&b, "mov.u32");
	build_reg(&b, 0, TYPE_U32);
	build_special(SPECIALS, 0);
	assert_refused(&b, "this special register is not supported");
}

/* Addresses */

TEST(addresses_are_copied)
{
	struct ptx_variable shared = { .name = "s", .space = SPACE_SHARED };
	struct ptx_variable global = { .name = "g", .space = SPACE_GLOBAL };
	struct ptx_operand address = { .kind = OPERAND_VARIABLE, .var = &shared };
	uint64_t want;

	build_opcode(&b, "mov.u64");
	build_reg(&b, 0, TYPE_B64);
	build_operand(&b, address);
	assert_decoded(&b);
	build_execute(&b, 2);
	want = b.special[BUILD_ADDRESS_ROW * PTX_LANES + 1];
	assert_int_equal(b.rows[1], want);
	/* Shared memory has addresses of less than 32 bits. */
	build_opcode(&b, "mov.u32");
	build_reg(&b, 0, TYPE_B32);
	build_operand(&b, address);
	assert_decoded(&b);
	build_execute(&b, 2);
	assert_int_equal(b.rows[1], (uint32_t)want);

	address.var = &global;
	build_opcode(&b, "mov.u32");
	build_reg(&b, 0, TYPE_B32);
	build_operand(&b, address);
	assert_refused(&b, "an address has 64 bits, but mov.u32 takes .u32 here");
	build_opcode(&b, "mov.f64");
	build_reg(&b, 0, TYPE_F64);
	build_operand(&b, address);
	assert_refused(&b, "an address has 64 bits, but mov.f64 takes .f64 here");
	build_opcode(&b, "mov.u32");
	build_reg(&b, 0, TYPE_B32);
	build_operand(&b, (struct ptx_operand){ .kind = OPERAND_FUNCTION });
	assert_refused(&b, "an address has 64 bits, but mov.u32 takes .u32 here");
}

TEST_MAIN()
