// SPDX-License-Identifier: MIT
/* The parser of opcodes, and the table of operations that it reads. */
#include <stdlib.h>
#include <string.h>

#include "testing.h"
#include "vsm_syntax.h"

/**
 * struct parsed - Result of ptx_parse_opcode()
 * @good: It returned true
 * @opcode: The opcode
 * @order: The wrong .sem or .scope
 * @rest: Text behind the opcode
 * @errors: Text of the errors
 */
struct parsed {
	bool good;
	struct ptx_opcode opcode;
	struct ptx_order order;
	const char *rest;
	char errors[1024];
};

/*
 * Parses the opcode with which @text begins. The text is in memory of exactly its size: the address
 * sanitizer then finds every access behind it.
 */
static struct parsed parse(const char *text)
{
	size_t length = strlen(text);
	char *copy = malloc(length + !length);
	struct errors errors = { .path = "test" };
	struct cursor c = { .errors = &errors, .line = 1 };
	struct parsed parsed = { };

	assert_non_null(copy);
	memcpy(copy, text, length);
	errors.out = fmemopen(parsed.errors, sizeof(parsed.errors), "w");
	assert_non_null(errors.out);
	c.start = copy;
	c.at = copy;
	c.end = copy + length;
	/* Values of an earlier opcode must not be left. */
	memset(&parsed.opcode, 0x5a, sizeof(parsed.opcode));
	parsed.good = ptx_parse_opcode(&c, &parsed.opcode, &parsed.order);
	parsed.rest = text + (c.at - copy);
	assert_int_equal(parsed.good, !errors.count);
	fclose(errors.out);
	free(copy);
	return parsed;
}

static const char *name_of(const struct parsed *parsed)
{
	return parsed->opcode.op ? parsed->opcode.op->name : "";
}

TEST(test_longest_name)
{
	struct parsed parsed = parse("mbarrier.try_wait.b64 p, [a], s;");

	assert_true(parsed.good);
	assert_string_equal(name_of(&parsed), "mbarrier.try_wait");
	assert_string_equal(parsed.rest, " p, [a], s;");
	assert_int_equal(parsed.opcode.given, BIT(PTX_TYPE));
	assert_int_equal(parsed.opcode.quals[PTX_TYPE], PTX_B64);

	parsed = parse("mbarrier.try_wait.parity.acquire.cluster.shared.b64");
	assert_true(parsed.good);
	assert_string_equal(name_of(&parsed), "mbarrier.try_wait.parity");
	assert_int_equal(parsed.opcode.quals[PTX_SEM], DRM_VSM_SEM_ACQUIRE);
	assert_int_equal(parsed.opcode.quals[PTX_SCOPE], DRM_VSM_SCOPE_CLUSTER);
	assert_int_equal(parsed.opcode.quals[PTX_SPACE], DRM_VSM_SPACE_SHARED_CTA);
	assert_int_equal(parsed.opcode.given, BIT(PTX_SEM) | BIT(PTX_SCOPE) | BIT(PTX_SPACE) |
					      BIT(PTX_TYPE));
}

TEST(test_space_of_the_name)
{
	static const char text[] =
		"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes";
	struct parsed parsed = parse(text);

	assert_true(parsed.good);
	assert_int_equal(parsed.opcode.quals[PTX_SPACE], DRM_VSM_SPACE_SHARED_CLUSTER);
	assert_int_equal(parsed.opcode.given, BIT(PTX_COMPLETION));
}

TEST(test_mode_before_spaces)
{
	static const char *const opcodes[] = {
		"cp.async.bulk.tensor.3d.im2col.shared::cta.global.mbarrier::complete_tx::bytes",
		"cp.async.bulk.tensor.3d.shared::cta.global.im2col.mbarrier::complete_tx::bytes",
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(opcodes); i++) {
		struct parsed parsed = parse(opcodes[i]);

		assert_true(parsed.good);
		assert_int_equal(parsed.opcode.op->dims, 3);
		assert_int_equal(parsed.opcode.quals[PTX_MODE], PTX_MODE_IM2COL);
	}
}

TEST(test_wrong_order)
{
	static const char message[] =
		"only .release and .relaxed ordering are supported for mbarrier.arrive";
	struct parsed parsed = parse("mbarrier.arrive.acquire.cta.b64");

	assert_true(parsed.good);
	assert_non_null(parsed.order.where);
	assert_string_equal(parsed.order.message, message);
	assert_null(parse("mbarrier.arrive.release.cta.b64").order.where);
}

/* PTX has no short form of .shared::cta in the names of bulk copies. */
TEST(test_short_space)
{
	assert_true(parse("cp.async.ca.shared.global").good);
	assert_true(parse("mbarrier.inval.shared.b64").good);
	assert_false(parse("cp.async.bulk.global.shared.bulk_group").good);
	assert_false(parse("cp.reduce.async.bulk.global.shared.bulk_group.add.u32").good);
	assert_false(parse("cp.async.bulk.tensor.2d.global.shared.bulk_group").good);
	assert_false(parse("cp.async.bulk.shared.global.mbarrier::complete_tx::bytes").good);
}

TEST(test_scope_of_a_weak_store)
{
	struct parsed parsed = parse("st.async.cluster.mbarrier::complete_tx::bytes.b32");

	assert_true(parsed.good);
	assert_null(parsed.order.where);
	assert_string_equal(name_of(&parsed), "st.async");
	assert_false(parse("st.async.weak.cluster.mbarrier::complete_tx::bytes.b32").good);
	assert_false(parse("st.async.gpu.mbarrier::complete_tx::bytes.b32").good);
}

TEST(test_restricted_fence)
{
	struct parsed parsed = parse("fence.acquire.sync_restrict::shared::cluster.cluster");

	assert_true(parsed.good);
	assert_null(parsed.order.where);
	assert_int_equal(parsed.opcode.op->op, DRM_VSM_OP_FENCE);
	assert_int_equal(parsed.opcode.quals[PTX_SEM], DRM_VSM_SEM_ACQUIRE);
	assert_int_equal(parsed.opcode.quals[PTX_SCOPE], DRM_VSM_SCOPE_CLUSTER);

	parsed = parse("fence.release.sync_restrict::shared::cta.cluster");
	assert_true(parsed.good);
	assert_int_equal(parsed.opcode.quals[PTX_SEM], DRM_VSM_SEM_RELEASE);
	assert_false(parse("fence.release.sync_restrict::shared::cta").good);
	assert_false(parse("fence.release.sync_restrict::shared::cta.gpu").good);
	assert_false(parse("fence.release.sync_restrict::shared::cluster.cluster").good);
}

TEST(test_errors)
{
	static const struct {
		const char *opcode;
		const char *error;
	} rows[] = {
		{ "", "1:1: expected an instruction, found the end of the line" },
		{ "[a]", "1:1: expected an instruction, found '['" },
		{ "mbarrier.", "1:10: expected a qualifier, found the end of the line" },
		{ "mbarier.init.b64",
		  "1:1: 'mbarier' is not an instruction; did you mean mbarrier?" },
		{ "elect", "1:6: 'elect' must be followed by .sync" },
		{ "add",
		  "1:4: add needs its type, .u32, .u64, .s32 or .s64; PTX has add.type d, a, b" },
		{ "mbarrier.init.b64.b64", "1:19: 'b64': mbarrier.init has its type already" },
		{ "tcgen05.mma.cta_group::1", "1:1: vsm does not have tcgen05.mma" },
		{ "mov.a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p",
		  "1:35: no instruction has so many qualifiers" },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct parsed parsed = parse(rows[i].opcode);
		char wanted[512];

		snprintf(wanted, sizeof(wanted), "test:%s\n", rows[i].error);
		assert_string_equal(parsed.errors, wanted);
		assert_false(parsed.good);
	}
}

/* Each name in the table is found, so no row hides another. */
TEST(test_all_rows)
{
	unsigned int i;

	for (i = 0; i < ptx_op_count; i++) {
		struct parsed parsed = parse(ptx_ops[i].name);

		assert_ptr_equal(parsed.opcode.op, &ptx_ops[i]);
	}
}

/* Every piece of an opcode is parsed without an access behind its end. */
TEST(test_cut_off)
{
	unsigned int i;

	for (i = 0; i < ptx_op_count; i++) {
		char text[256];
		size_t length = strlen(ptx_ops[i].name);

		for (; length; length--) {
			snprintf(text, sizeof(text), "%.*s", (int)length, ptx_ops[i].name);
			parse(text);
		}
	}
}

TEST_MAIN()
