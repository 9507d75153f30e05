// SPDX-License-Identifier: MIT
/*
 * Which asynchronous operations exist beside those of mbarriers: copies, reductions,
 * tensor copies, stores and groups. PTX's syntax lines, one row each, against every
 * modifier mask, qualifier, reduction, operand and address.
 */
#include <vsm_reduce.h>

#include "forms.h"

/* Which operands an operation has. */
enum kind {
	KIND_GROUP,		/* those of mbarriers, or none */
	KIND_COPY,
	KIND_TENSOR,
	KIND_STORE,
	KINDS,
};

/* Operands that not all of a kind take. */
#define O_COUNT		(1 << 0)
#define O_WINDOW	(1 << 1)	/* an address in a window */
#define O_MBAR		(1 << 2)
#define O_BUFFER	(1 << 3)
#define O_SRC		(1 << 4)	/* the own window is the source */
#define O_SRC_SIZE	(1 << 5)
#define O_MASK		(1 << 6)
#define O_OFFSETS	(1 << 7)
#define O_ALL		(1 << 8)	/* what all of the kind take */

/* &drm_vsm_insn.red of a form. */
enum red {
	RED_NONE,		/* 0 */
	RED_TYPED,		/* operation and type */
	RED_DIMS,		/* dimensions */
	RED_OP_DIMS,		/* operation and dimensions */
};

struct form {
	const char *ptx;
	__u16 op;
	__u16 mods;
	enum kind kind;
	int operands;
	enum red red;
	enum vsm_reduce_where where;	/* with RED_TYPED */
	bool remote;			/* the destination may be another CTA's window */
	bool job;			/* may be in a job */
	int sm;
};

#define IM2COL	MOD(IM2COL)
#define CAST	MOD(MULTICAST)

/* PTX 9.7.9.25, 9.7.13.7, st.async; .global is a buffer. */
static const struct form forms[] = {
	{ "cp.async.ca [dst], [src], cp-size", OP(CP_ASYNC), 0, KIND_COPY,
	  O_WINDOW | O_BUFFER, .sm = 80 },
	{ "cp.async.cg [dst], [src], 16", OP(CP_ASYNC), MOD(CG), KIND_COPY,
	  O_WINDOW | O_BUFFER, .sm = 80 },
	{ "cp.async.ca [dst], [src], cp-size, src-size", OP(CP_ASYNC), MOD(SRC_SIZE), KIND_COPY,
	  O_WINDOW | O_BUFFER | O_SRC_SIZE, .sm = 80 },
	{ "cp.async.cg [dst], [src], 16, src-size", OP(CP_ASYNC), MOD(CG) | MOD(SRC_SIZE),
	  KIND_COPY, O_WINDOW | O_BUFFER | O_SRC_SIZE, .sm = 80 },
	{ "cp.async.commit_group", OP(CP_ASYNC_COMMIT_GROUP), 0, KIND_GROUP, 0, .sm = 80 },
	{ "cp.async.wait_group N", OP(CP_ASYNC_WAIT_GROUP), 0, KIND_GROUP, O_COUNT, .sm = 80 },
	{ "cp.async.wait_all", OP(CP_ASYNC_WAIT_ALL), 0, KIND_GROUP, 0, .sm = 80 },

	{ "cp.async.bulk.shared::cluster.global", OP(CP_ASYNC_BULK_G2S), 0, KIND_COPY,
	  O_WINDOW | O_BUFFER | O_MBAR, .remote = true, .job = true, .sm = 90 },
	{ "cp.async.bulk.shared::cluster.global.multicast::cluster", OP(CP_ASYNC_BULK_G2S), CAST,
	  KIND_COPY, O_WINDOW | O_BUFFER | O_MBAR | O_MASK, .remote = true, .job = true, .sm = 90 },
	{ "cp.async.bulk.global.shared::cta", OP(CP_ASYNC_BULK_S2G), 0, KIND_COPY,
	  O_WINDOW | O_BUFFER, .job = true, .sm = 90 },
	{ "cp.async.bulk.global.shared::cta.cp_mask", OP(CP_ASYNC_BULK_S2G), MOD(CP_MASK),
	  KIND_COPY, O_WINDOW | O_BUFFER | O_MASK, .job = true, .sm = 90 },
	{ "cp.async.bulk.shared::cluster.shared::cta", OP(CP_ASYNC_BULK_S2S), 0, KIND_COPY,
	  O_WINDOW | O_SRC | O_MBAR, .remote = true, .job = true, .sm = 90 },
	{ "cp.async.bulk.prefetch.L2.global", OP(CP_ASYNC_BULK_PREFETCH), 0, KIND_COPY,
	  O_BUFFER, .job = true, .sm = 90 },
	{ "cp.async.bulk.commit_group", OP(CP_ASYNC_BULK_COMMIT_GROUP), 0, KIND_GROUP, 0,
	  .sm = 90 },
	{ "cp.async.bulk.wait_group N", OP(CP_ASYNC_BULK_WAIT_GROUP), 0, KIND_GROUP, O_COUNT,
	  .sm = 90 },
	{ "cp.async.bulk.wait_group.read N", OP(CP_ASYNC_BULK_WAIT_GROUP), MOD(READ), KIND_GROUP,
	  O_COUNT, .sm = 90 },

	{ "cp.reduce.async.bulk.global.shared::cta", OP(CP_REDUCE_ASYNC_BULK_S2G), 0, KIND_COPY,
	  O_WINDOW | O_BUFFER, RED_TYPED, VSM_REDUCE_GLOBAL, .job = true, .sm = 90 },
	{ "cp.reduce.async.bulk.shared::cluster.shared::cta", OP(CP_REDUCE_ASYNC_BULK_S2S), 0,
	  KIND_COPY, O_WINDOW | O_SRC | O_MBAR, RED_TYPED, VSM_REDUCE_SHARED, .remote = true,
	  .job = true, .sm = 90 },

	{ "cp.async.bulk.tensor.shared::cluster.global.tile", OP(CP_ASYNC_BULK_TENSOR_G2S), 0,
	  KIND_TENSOR, O_WINDOW | O_MBAR, RED_DIMS, .remote = true, .job = true, .sm = 90 },
	{ "cp.async.bulk.tensor.shared::cluster.global.tile.multicast::cluster",
	  OP(CP_ASYNC_BULK_TENSOR_G2S), CAST, KIND_TENSOR, O_WINDOW | O_MBAR | O_MASK, RED_DIMS,
	  .remote = true, .job = true, .sm = 90 },
	{ "cp.async.bulk.tensor.shared::cluster.global.im2col", OP(CP_ASYNC_BULK_TENSOR_G2S),
	  IM2COL, KIND_TENSOR, O_WINDOW | O_MBAR | O_OFFSETS, RED_DIMS, .remote = true,
	  .job = true, .sm = 90 },
	{ "cp.async.bulk.tensor.shared::cluster.global.im2col.multicast::cluster",
	  OP(CP_ASYNC_BULK_TENSOR_G2S), IM2COL | CAST, KIND_TENSOR,
	  O_WINDOW | O_MBAR | O_MASK | O_OFFSETS, RED_DIMS, .remote = true, .job = true, .sm = 90 },
	{ "cp.async.bulk.tensor.global.shared::cta.tile", OP(CP_ASYNC_BULK_TENSOR_S2G), 0,
	  KIND_TENSOR, O_WINDOW, RED_DIMS, .job = true, .sm = 90 },
	{ "cp.async.bulk.tensor.global.shared::cta.im2col_no_offs", OP(CP_ASYNC_BULK_TENSOR_S2G),
	  IM2COL, KIND_TENSOR, O_WINDOW, RED_DIMS, .job = true, .sm = 90 },
	{ "cp.reduce.async.bulk.tensor.global.shared::cta.tile", OP(CP_REDUCE_ASYNC_BULK_TENSOR),
	  0, KIND_TENSOR, O_WINDOW, RED_OP_DIMS, .job = true, .sm = 90 },
	{ "cp.reduce.async.bulk.tensor.global.shared::cta.im2col_no_offs",
	  OP(CP_REDUCE_ASYNC_BULK_TENSOR), IM2COL, KIND_TENSOR, O_WINDOW, RED_OP_DIMS,
	  .job = true, .sm = 90 },
	{ "cp.async.bulk.prefetch.tensor.L2.global.tile", OP(CP_ASYNC_BULK_PREFETCH_TENSOR), 0,
	  KIND_TENSOR, 0, RED_DIMS, .job = true, .sm = 90 },
	{ "cp.async.bulk.prefetch.tensor.L2.global.im2col", OP(CP_ASYNC_BULK_PREFETCH_TENSOR),
	  IM2COL, KIND_TENSOR, O_OFFSETS, RED_DIMS, .job = true, .sm = 90 },

	{ "st.async.weak.shared::cluster", OP(ST_ASYNC), 0, KIND_STORE, O_WINDOW | O_MBAR,
	  .remote = true, .job = true, .sm = 90 },
	{ "red.async.relaxed.cluster.shared::cluster", OP(RED_ASYNC), 0, KIND_STORE,
	  O_WINDOW | O_MBAR, RED_TYPED, VSM_REDUCE_RED_ASYNC, .remote = true, .job = true,
	  .sm = 90 },
};

#define for_each_form(f) for (f = forms; f < forms + ARRAY_SIZE(forms); f++)

/**
 * struct field - A part of the operands
 * @kind: Whose
 * @offset: Where it is in an instruction
 * @size: Bytes
 * @operand: The operand that it is, 0 if it must be 0
 *
 * Those of a kind fill the operands from the first byte to the last.
 */
struct field {
	enum kind kind;
	size_t offset;
	size_t size;
	int operand;
};

#define FIELD(kind, member, operand)							\
{											\
	kind, offsetof(struct drm_vsm_insn, u.member),					\
	sizeof(((struct drm_vsm_insn *)0)->u.member), operand				\
}

static const struct field fields[] = {
	FIELD(KIND_GROUP, mbarrier.addr, 0),
	FIELD(KIND_GROUP, mbarrier.count, O_COUNT),
	FIELD(KIND_GROUP, mbarrier.tx_count, 0),
	FIELD(KIND_GROUP, mbarrier.parity, 0),
	FIELD(KIND_GROUP, mbarrier.hint_ns, 0),
	FIELD(KIND_GROUP, mbarrier.pad, 0),
	FIELD(KIND_GROUP, mbarrier.state, 0),
	FIELD(KIND_GROUP, mbarrier.reserved, 0),
	FIELD(KIND_COPY, copy.addr, O_WINDOW),
	FIELD(KIND_COPY, copy.mbar, O_MBAR),
	FIELD(KIND_COPY, copy.size, O_ALL),
	FIELD(KIND_COPY, copy.buffer, O_BUFFER),
	FIELD(KIND_COPY, copy.offset, O_BUFFER),
	FIELD(KIND_COPY, copy.src_size, O_SRC_SIZE),
	FIELD(KIND_COPY, copy.mask, O_MASK),
	FIELD(KIND_COPY, copy.pad, 0),
	FIELD(KIND_COPY, copy.src, O_SRC),
	FIELD(KIND_COPY, copy.reserved, 0),
	FIELD(KIND_TENSOR, tensor.addr, O_WINDOW),
	FIELD(KIND_TENSOR, tensor.mbar, O_MBAR),
	FIELD(KIND_TENSOR, tensor.map, O_ALL),
	FIELD(KIND_TENSOR, tensor.coords, O_ALL),
	FIELD(KIND_TENSOR, tensor.mask, O_MASK),
	FIELD(KIND_TENSOR, tensor.offsets, O_OFFSETS),
	FIELD(KIND_STORE, store.addr, O_WINDOW),
	FIELD(KIND_STORE, store.mbar, O_MBAR),
	FIELD(KIND_STORE, store.size, O_ALL),
	FIELD(KIND_STORE, store.pad, 0),
	FIELD(KIND_STORE, store.value, O_ALL),
	FIELD(KIND_STORE, store.reserved, 0),
};

static int first_dims(const struct form *f)
{
	return f->mods & IM2COL ? 3 : 1;
}

/* Can the byte be the form's &drm_vsm_insn.red? */
static bool red_exists(const struct form *f, __u8 red)
{
	const int op = red & 0xf, dims = red >> 4;

	switch (f->red) {
	case RED_NONE:
		return !red;
	case RED_TYPED:
		return vsm_reduce_valid(red, f->where);
	case RED_DIMS:
		return !op && dims >= first_dims(f) && dims <= 5;
	default:
		return op >= DRM_VSM_RED_ADD && op <= DRM_VSM_RED_XOR && dims >= first_dims(f) &&
		       dims <= 5;
	}
}

/* An instruction of the form that there is nothing to say against. */
static struct drm_vsm_insn good_insn(const struct form *f)
{
	struct drm_vsm_insn insn = { .op = f->op, .mods = f->mods };

	if (f->red == RED_TYPED)
		insn.red = RED(ADD, U32);
	else if (f->red != RED_NONE)
		insn.red = DRM_VSM_RED_DIMS(f->red == RED_OP_DIMS ? DRM_VSM_RED_MIN : 0, 3);

	switch (f->kind) {
	case KIND_GROUP:
		insn.u.mbarrier.count = f->operands & O_COUNT ? 2 : 0;
		break;
	case KIND_COPY:
		insn.u.copy.addr = f->operands & O_WINDOW ? LOCAL : 0;
		insn.u.copy.mbar = f->operands & O_MBAR ? LOCAL + 8 : 0;
		insn.u.copy.size = f->op == OP(CP_ASYNC) ? 16 : 64;
		insn.u.copy.buffer = f->operands & O_BUFFER ? 7 : 0;
		insn.u.copy.offset = f->operands & O_BUFFER ? 32 : 0;
		insn.u.copy.src_size = f->operands & O_SRC_SIZE ? 5 : 0;
		insn.u.copy.mask = f->operands & O_MASK ? 0xa : 0;
		insn.u.copy.src = f->operands & O_SRC ? LOCAL + 0x400 : 0;
		break;
	case KIND_TENSOR:
		insn.u.tensor.addr = f->operands & O_WINDOW ? LOCAL : 0;
		insn.u.tensor.mbar = f->operands & O_MBAR ? LOCAL + 8 : 0;
		insn.u.tensor.map = 0x7fff12345640;
		insn.u.tensor.coords[0] = 3;
		insn.u.tensor.mask = f->operands & O_MASK ? 0xa : 0;
		insn.u.tensor.offsets = f->operands & O_OFFSETS ? 1 : 0;
		break;
	default:
		insn.u.store.addr = LOCAL;
		insn.u.store.mbar = LOCAL + 8;
		insn.u.store.size = 4;
		insn.u.store.value[0] = 5;
		break;
	}
	return insn;
}

/* The addresses of an instruction whose kind has them. */
static __u32 *addr_of(const struct form *f, struct drm_vsm_insn *insn)
{
	return f->kind == KIND_COPY ? &insn->u.copy.addr :
	       f->kind == KIND_TENSOR ? &insn->u.tensor.addr : &insn->u.store.addr;
}

static __u32 *mbar_of(const struct form *f, struct drm_vsm_insn *insn)
{
	return f->kind == KIND_COPY ? &insn->u.copy.mbar :
	       f->kind == KIND_TENSOR ? &insn->u.tensor.mbar : &insn->u.store.mbar;
}

static __u16 *mask_of(const struct form *f, struct drm_vsm_insn *insn)
{
	return f->kind == KIND_COPY ? &insn->u.copy.mask : &insn->u.tensor.mask;
}

/* Bytes that the address is a multiple of. */
static __u32 alignment(const struct form *f, const struct drm_vsm_insn *insn)
{
	return f->kind == KIND_TENSOR ? 128 : f->kind == KIND_STORE ? insn->u.store.size : 16;
}

TEST(every_ptx_form_is_accepted)
{
	struct vsm_geometry hardware = unit_geometry(90, false);
	const struct form *f;

	for_each_form(f) {
		struct drm_vsm_insn insn = good_insn(f);

		expect(f->ptx, check(&insn), 0);
		expect(f->ptx, check_in(&hardware, &insn), 0);
		expect(f->ptx, check_on(80, &insn), f->sm == 80 ? 0 : -EOPNOTSUPP);
	}
}

/* Whichever operands come with it: those of all forms of the operation. */
TEST(every_other_modifier_mask_is_malformed)
{
	const struct form *f, *other;
	unsigned int mods;

	for_each_form(f) {
		struct drm_vsm_insn insn = good_insn(f);

		for (mods = 0; mods <= 0xffff; mods++) {
			for_each_form(other)
				if (other->op == f->op && other->mods == mods)
					break;
			if (other < forms + ARRAY_SIZE(forms))
				continue;
			insn.mods = mods;
			expect(f->ptx, check(&insn), -EINVAL);
			expect(f->ptx, check_on(80, &insn), -EINVAL);
		}
	}
}

TEST(every_asynchronous_operation_has_a_form)
{
	const struct form *f;
	unsigned int op;

	for (op = OP(CP_ASYNC_BULK_G2S); op <= OP(RED_ASYNC); op++) {
		if (op == OP(FENCE_MBARRIER_INIT) || op == OP(CP_ASYNC_MBARRIER_ARRIVE))
			continue;
		for_each_form(f)
			if (f->op == op)
				break;
		assert_true(f < forms + ARRAY_SIZE(forms));
	}
}

TEST(every_byte_of_the_operands_has_a_meaning)
{
	size_t next[KINDS], i;

	for (i = 0; i < KINDS; i++)
		next[i] = offsetof(struct drm_vsm_insn, u);
	for (i = 0; i < ARRAY_SIZE(fields); i++) {
		assert_int_equal(fields[i].offset, next[fields[i].kind]);
		next[fields[i].kind] += fields[i].size;
	}
	for (i = 0; i < KINDS; i++)
		assert_int_equal(next[i], offsetof(struct drm_vsm_insn, result));
}

TEST(operands_that_a_form_lacks_must_be_zero)
{
	const struct form *f;
	size_t i, bit;

	for_each_form(f) {
		for (i = 0; i < ARRAY_SIZE(fields); i++) {
			if (fields[i].kind != f->kind ||
			    fields[i].operand & (f->operands | O_ALL))
				continue;
			for (bit = 0; bit < fields[i].size * 8; bit++) {
				struct drm_vsm_insn insn = good_insn(f);

				((char *)&insn)[fields[i].offset + bit / 8] |= 1 << bit % 8;
				expect(f->ptx, check(&insn), -EINVAL);
				expect(f->ptx, check_on(80, &insn), -EINVAL);
			}
		}
	}
}

TEST(operands_that_only_run_time_can_judge_may_be_anything)
{
	static const __u64 values[] = { 0, 1, 0x80000000, 0xffffffff, 0xfffffffffffff000 };
	const struct form *f;
	size_t i, j;

	for_each_form(f) {
		for (i = 0; i < ARRAY_SIZE(values); i++) {
			struct drm_vsm_insn insn = good_insn(f);

			if (f->operands & O_COUNT)
				insn.u.mbarrier.count = values[i];
			if (f->kind == KIND_COPY && f->operands & O_BUFFER) {
				insn.u.copy.buffer = values[i];
				insn.u.copy.offset = values[i] & ~0xfULL;
			}
			if (f->kind == KIND_COPY && f->mods & MOD(CP_MASK))
				insn.u.copy.mask = values[i];
			if (f->kind == KIND_TENSOR) {
				insn.u.tensor.map = values[i] & ~0x3fULL;
				for (j = 0; j < insn.red >> 4; j++)
					insn.u.tensor.coords[j] = values[i];
			}
			if (f->kind == KIND_STORE)
				insn.u.store.value[0] = (__u32)values[i];
			expect(f->ptx, check(&insn), 0);
		}
	}
}

TEST(outputs_are_not_read)
{
	const struct form *f;

	for_each_form(f) {
		struct drm_vsm_insn insn = good_insn(f);

		insn.result = ~0ULL;
		insn.fault = ~0U;
		insn.info = ~0U;
		expect(f->ptx, check(&insn), 0);
	}
}

TEST(reductions_and_dimensions_are_those_of_ptx)
{
	const struct form *f;
	int red, i;

	for_each_form(f) {
		for (red = 0; red < 256; red++) {
			struct drm_vsm_insn insn = good_insn(f);

			insn.red = red;
			if (f->kind == KIND_STORE && red)
				insn.u.store.size = vsm_reduce_size(red);
			if (f->kind == KIND_TENSOR)
				for (i = 0; i < 5; i++)
					insn.u.tensor.coords[i] = i < red >> 4;
			expect(f->ptx, check(&insn), red_exists(f, red) ? 0 : -EINVAL);
			if (!red_exists(f, red))
				expect(f->ptx, check_on(80, &insn), -EINVAL);
		}
	}
}

TEST(coordinates_past_the_dimensions_must_be_zero)
{
	const struct form *f;
	int dims, i;

	for_each_form(f) {
		for (dims = first_dims(f); f->kind == KIND_TENSOR && dims <= 5; dims++) {
			for (i = 0; i < 5; i++) {
				struct drm_vsm_insn insn = good_insn(f);

				insn.red = (insn.red & 0xf) | dims << 4;
				insn.u.tensor.coords[i] = -1;
				expect(f->ptx, check(&insn), i < dims ? 0 : -EINVAL);
			}
		}
	}
}

/* One of 16 bits, two of 8 or three of 5. */
TEST(offsets_have_the_bits_of_their_dimensions)
{
	const struct form *f;
	int dims, bit;

	for_each_form(f) {
		for (dims = 3; f->operands & O_OFFSETS && dims <= 5; dims++) {
			for (bit = 0; bit < 16; bit++) {
				struct drm_vsm_insn insn = good_insn(f);

				insn.red = DRM_VSM_RED_DIMS(0, dims);
				insn.u.tensor.offsets = 1 << bit;
				expect(f->ptx, check(&insn), dims < 5 || bit < 15 ? 0 : -EINVAL);
			}
		}
	}
}

TEST(unknown_qualifiers_are_malformed)
{
	const struct form *f;
	int v, sm;

	for_each_form(f) {
		for (v = 3 * 2; v < 256 * 2; v++) {
			struct drm_vsm_insn insn = good_insn(f);

			sm = v & 1 ? 80 : 90;
			insn.space = v / 2;
			expect("space", check_on(sm, &insn), -EINVAL);
			insn = good_insn(f);
			insn.scope = v / 2;
			expect("scope", check_on(sm, &insn), -EINVAL);
			insn.sem = DRM_VSM_SEM_RELAXED;
			expect("scope with sem", check_on(sm, &insn), -EINVAL);
			if (v / 2 == DRM_VSM_SEM_RELEASE)
				continue;
			insn = good_insn(f);
			insn.sem = v / 2;
			expect("sem", check_on(sm, &insn), -EINVAL);
			insn.scope = DRM_VSM_SCOPE_CTA;
			expect("sem with scope", check_on(sm, &insn), -EINVAL);
		}
	}
}

/* What red.async has is in its name already. */
TEST(no_order_can_be_chosen)
{
	const struct form *f;
	int i;

	for_each_form(f) {
		for (i = 1; i < 12; i++) {
			struct drm_vsm_insn insn = good_insn(f);

			insn.sem = i % 4;
			insn.scope = i / 4;
			expect(f->ptx, check(&insn), FAULT(BAD_ORDER));
		}
	}
}

/* The own window, another one, and each spelling of the space. */
TEST(windows_are_where_ptx_lets_them_be)
{
	const struct form *f;
	int space, remote;

	for_each_form(f) {
		for (space = 0; space < 3; space++) {
			for (remote = 0; remote < 2; remote++) {
				struct drm_vsm_insn insn = good_insn(f);
				int wanted = 0;

				insn.space = space;
				if (!(f->operands & O_WINDOW)) {
					expect(f->ptx, check(&insn), space ? -EINVAL : 0);
					continue;
				}
				*addr_of(f, &insn) = remote ? REMOTE : LOCAL;
				if (f->operands & O_MBAR)
					*mbar_of(f, &insn) = (remote ? REMOTE : LOCAL) + 8;
				if (!f->remote && (remote || space == DRM_VSM_SPACE_SHARED_CLUSTER))
					wanted = FAULT(REMOTE_FORBIDDEN);
				else if (remote && space == DRM_VSM_SPACE_SHARED_CTA)
					wanted = FAULT(OUT_OF_WINDOW);
				expect(f->ptx, check(&insn), wanted);
			}
		}
	}
}

/* What sm_80 has is cp.async, which writes to the own window alone. */
TEST(sm_80_has_no_clusters)
{
	const struct form *f;

	for_each_form(f) {
		struct drm_vsm_insn insn = good_insn(f);

		if (f->sm == 90 || !(f->operands & O_WINDOW))
			continue;
		insn.space = DRM_VSM_SPACE_SHARED_CTA;
		expect(f->ptx, check_on(80, &insn), 0);
		insn.u.copy.addr = REMOTE;
		expect(f->ptx, check_on(80, &insn), FAULT(REMOTE_FORBIDDEN));
		insn.space = DRM_VSM_SPACE_SHARED_CLUSTER;
		expect(f->ptx, check_on(80, &insn), -EOPNOTSUPP);
	}
}

TEST(addresses_are_aligned)
{
	const struct form *f;
	__u32 low;

	for_each_form(f) {
		for (low = 0; low < 128; low++) {
			struct drm_vsm_insn insn = good_insn(f);

			if (f->operands & O_WINDOW) {
				*addr_of(f, &insn) += low;
				expect(f->ptx, check(&insn),
				       low % alignment(f, &insn) ? FAULT(MISALIGNED) : 0);
			}
			insn = good_insn(f);
			if (f->operands & O_MBAR) {
				*mbar_of(f, &insn) += low;
				expect(f->ptx, check(&insn), low % 8 ? FAULT(MISALIGNED) : 0);
			}
			insn = good_insn(f);
			if (f->operands & O_BUFFER) {
				insn.u.copy.offset += low;
				expect(f->ptx, check(&insn), low % 16 ? FAULT(MISALIGNED) : 0);
			}
			insn = good_insn(f);
			if (f->operands & O_SRC) {
				insn.u.copy.src += low;
				expect(f->ptx, check(&insn), low % 16 ? FAULT(MISALIGNED) : 0);
			}
			insn = good_insn(f);
			if (f->kind == KIND_TENSOR) {
				insn.u.tensor.map += low;
				expect(f->ptx, check(&insn), low % 64 ? FAULT(MISALIGNED) : 0);
			}
		}
	}
}

TEST(bulk_sizes_are_multiples_of_16)
{
	const struct form *f;
	__u32 size;

	for_each_form(f) {
		for (size = 0; f->kind == KIND_COPY && f->sm == 90 && size <= 256; size++) {
			struct drm_vsm_insn insn = good_insn(f);

			insn.u.copy.size = size;
			expect(f->ptx, check(&insn), size % 16 ? FAULT(COPY_SIZE) : 0);
		}
	}
}

/* The windows have 4096 bytes, and the cluster 4 of them. */
TEST(windows_have_an_end)
{
	const struct form *f;

	for_each_form(f) {
		struct drm_vsm_insn insn = good_insn(f);
		const __u32 size = f->kind == KIND_COPY ? insn.u.copy.size : alignment(f, &insn);

		if (!(f->operands & O_WINDOW))
			continue;
		*addr_of(f, &insn) = CTA << 24 | (4096 - size);
		expect(f->ptx, check(&insn), 0);
		*addr_of(f, &insn) = CTA << 24 | (4096 + alignment(f, &insn));
		expect(f->ptx, check(&insn), FAULT(OUT_OF_WINDOW));
		*addr_of(f, &insn) = 4 << 24;
		expect(f->ptx, check(&insn), FAULT(OUT_OF_WINDOW));
		*addr_of(f, &insn) = 0xff000000;
		expect(f->ptx, check(&insn), FAULT(OUT_OF_WINDOW));
		if (f->kind == KIND_TENSOR)
			continue;
		*addr_of(f, &insn) = CTA << 24 | 4096;
		expect(f->ptx, check(&insn), FAULT(OUT_OF_WINDOW));
	}
	for_each_form(f) {
		struct drm_vsm_insn insn = good_insn(f);

		if (!(f->operands & O_MBAR))
			continue;
		*mbar_of(f, &insn) = CTA << 24 | 4088;
		expect(f->ptx, check(&insn), 0);
		*mbar_of(f, &insn) = CTA << 24 | 4096;
		expect(f->ptx, check(&insn), FAULT(OUT_OF_WINDOW));
		*mbar_of(f, &insn) = 4 << 24;
		expect(f->ptx, check(&insn), FAULT(OUT_OF_WINDOW));
	}
}

TEST(bulk_copies_stay_in_their_windows)
{
	const struct form *f;

	for_each_form(f) {
		struct drm_vsm_insn insn = good_insn(f);

		if (f->kind != KIND_COPY || f->sm == 80)
			continue;
		if (!(f->operands & O_WINDOW)) {
			insn.u.copy.size = 0xfffffff0;
			expect("a prefetch has none", check(&insn), 0);
			continue;
		}
		insn.u.copy.addr = CTA << 24;
		if (f->operands & O_SRC)
			insn.u.copy.src = CTA << 24;
		insn.u.copy.size = 4096;
		expect("whole window", check(&insn), 0);
		insn.u.copy.addr += 16;
		expect("destination past the end", check(&insn), FAULT(OUT_OF_WINDOW));
		insn.u.copy.size = 4096 - 16;
		expect("to the end", check(&insn), 0);
		insn.u.copy.addr = CTA << 24;
		if (f->operands & O_SRC) {
			insn.u.copy.src = CTA << 24 | 16;
			expect("source to the end", check(&insn), 0);
			insn.u.copy.src += 16;
			expect("source past the end", check(&insn), FAULT(OUT_OF_WINDOW));
			insn.u.copy.src = CTA << 24;
		}
		insn.u.copy.size = 4096 + 16;
		expect("more than a window", check(&insn), FAULT(OUT_OF_WINDOW));
		insn.u.copy.size = 0xfffffff0;
		expect("more than anything", check(&insn), FAULT(OUT_OF_WINDOW));
	}
}

TEST(sources_are_in_the_own_window)
{
	const struct form *f;

	for_each_form(f) {
		struct drm_vsm_insn insn = good_insn(f);

		if (!(f->operands & O_SRC))
			continue;
		insn.u.copy.src = REMOTE + 0x400;
		expect(f->ptx, check(&insn), FAULT(REMOTE_FORBIDDEN));
		insn.u.copy.addr = REMOTE;
		insn.u.copy.mbar = REMOTE + 8;
		expect(f->ptx, check(&insn), FAULT(REMOTE_FORBIDDEN));
		insn.u.copy.src = 4 << 24;
		expect(f->ptx, check(&insn), FAULT(OUT_OF_WINDOW));
	}
}

TEST(mbarriers_are_where_the_data_goes)
{
	const struct form *f;

	for_each_form(f) {
		struct drm_vsm_insn insn = good_insn(f);

		if (!(f->operands & O_MBAR))
			continue;
		*mbar_of(f, &insn) = REMOTE + 8;
		expect(f->ptx, check(&insn), FAULT(COPY_MBARRIER));
		*addr_of(f, &insn) = REMOTE;
		expect(f->ptx, check(&insn), 0);
		*mbar_of(f, &insn) = LOCAL + 8;
		expect(f->ptx, check(&insn), FAULT(COPY_MBARRIER));
	}
}

TEST(multicasts_go_to_ctas_of_the_cluster)
{
	struct vsm_geometry geo = unit_geometry(90, true);
	const struct form *f;
	unsigned int mask;

	for (geo.ctas = CTA + 1; geo.ctas <= VSM_MAX_CTAS; geo.ctas++) {
		for_each_form(f) {
			struct drm_vsm_insn insn = good_insn(f);

			for (mask = 0; f->mods & CAST && mask <= 0xffff; mask++) {
				*mask_of(f, &insn) = mask;
				expect(f->ptx, check_in(&geo, &insn),
				       mask && mask < 1U << geo.ctas ? 0 : FAULT(OUT_OF_WINDOW));
			}
		}
	}
}

/* PTX 9.7.9.25.3.1: cp-size is 4, 8 or 16, and 16 for .cg; src-size at most that. */
TEST(element_copies_are_of_4_8_or_16_bytes)
{
	static const __u32 sizes[] = { 0, 1, 2, 3, 4, 5, 8, 12, 16, 20, 32, 64, 0x80000000 };
	const struct form *f;
	size_t i;
	int sm;

	for_each_form(f) {
		for (i = 0; f->op == OP(CP_ASYNC) && i < ARRAY_SIZE(sizes) * 2; i++) {
			const __u32 size = sizes[i / 2];
			bool exists = size == 16 ||
				      (!(f->mods & MOD(CG)) && (size == 4 || size == 8));
			struct drm_vsm_insn insn = good_insn(f);

			sm = i & 1 ? 80 : 90;
			insn.u.copy.size = size;
			insn.u.copy.src_size = 0;
			expect("size", check_on(sm, &insn), exists ? 0 : -EINVAL);
			if (!exists || !(f->operands & O_SRC_SIZE))
				continue;
			insn.u.copy.src_size = size;
			expect("src-size", check_on(sm, &insn), 0);
			insn.u.copy.src_size = size + 1;
			expect("src-size above size", check_on(sm, &insn), FAULT(COPY_SIZE));
			insn.u.copy.src_size = ~0U;
			expect("src-size far above size", check_on(sm, &insn), FAULT(COPY_SIZE));
		}
	}
}

TEST(element_copies_are_aligned_to_their_size)
{
	const struct form *f = forms;
	struct drm_vsm_insn insn;
	__u32 size, low;

	assert_int_equal(f->op, OP(CP_ASYNC));
	for (size = 4; size <= 16; size *= 2) {
		for (low = 0; low < 16; low++) {
			insn = good_insn(f);
			insn.u.copy.size = size;
			insn.u.copy.addr += low;
			expect("address", check(&insn), low % size ? FAULT(MISALIGNED) : 0);
			insn = good_insn(f);
			insn.u.copy.size = size;
			insn.u.copy.offset += low;
			expect("offset", check(&insn), low % size ? FAULT(MISALIGNED) : 0);
		}
		insn = good_insn(f);
		insn.u.copy.size = size;
		insn.u.copy.addr = CTA << 24 | (4096 - size);
		expect("to the end", check(&insn), 0);
		insn.u.copy.addr = CTA << 24 | 4096;
		expect("past the end", check(&insn), FAULT(OUT_OF_WINDOW));
	}
}

/* st.async: a word, two or four; red.async: what its type has, no other. */
TEST(stores_have_the_size_of_their_type)
{
	static const __u32 sizes[] = { 0, 1, 2, 3, 4, 5, 8, 12, 16, 20, 32, 0x80000000 };
	const struct form *f;
	size_t i;
	int red;

	for_each_form(f) {
		for (red = 0; f->kind == KIND_STORE && red < 256; red++) {
			for (i = 0; red_exists(f, red) && i < ARRAY_SIZE(sizes); i++) {
				struct drm_vsm_insn insn = good_insn(f);
				const __u32 size = sizes[i];
				bool exists = red ? size == vsm_reduce_size(red) :
						    size == 4 || size == 8 || size == 16;

				insn.red = red;
				insn.u.store.size = size;
				expect(f->ptx, check(&insn), exists ? 0 : -EINVAL);
			}
		}
	}
}

TEST(stores_are_aligned_to_their_size)
{
	const struct form *f;
	__u32 size, low;

	for_each_form(f) {
		for (size = 4; f->kind == KIND_STORE && size <= (f->red ? 8 : 16); size *= 2) {
			for (low = 0; low < 16; low++) {
				struct drm_vsm_insn insn = good_insn(f);

				if (f->red && size == 8)
					insn.red = RED(ADD, U64);
				insn.u.store.size = size;
				insn.u.store.addr += low;
				expect(f->ptx, check(&insn), low % size ? FAULT(MISALIGNED) : 0);
			}
		}
	}
}

TEST(bytes_past_a_stores_size_must_be_zero)
{
	const struct form *f;
	__u32 size, bit;

	for_each_form(f) {
		for (size = 4; f->kind == KIND_STORE && size <= (f->red ? 8 : 16); size *= 2) {
			for (bit = 0; bit < 128; bit++) {
				struct drm_vsm_insn insn = good_insn(f);

				if (f->red && size == 8)
					insn.red = RED(ADD, U64);
				insn.u.store.size = size;
				insn.u.store.value[0] = 0;
				insn.u.store.value[bit / 64] = 1ULL << bit % 64;
				expect(f->ptx, check(&insn), bit < size * 8 ? 0 : -EINVAL);
			}
		}
	}
}

/* What a thread alone can wait for is no part of a job. */
TEST(jobs_take_what_is_no_threads_business)
{
	const struct form *f;

	for_each_form(f) {
		struct drm_vsm_insn insn = good_insn(f);

		expect(f->ptx, vsm_insn_can_queue(&insn), f->job);
		expect(f->ptx, vsm_insn_is_copy(&insn), f->job);
		expect(f->ptx, vsm_insn_is_async(&insn), f->kind != KIND_GROUP);
	}
}

TEST(none_is_a_step_of_a_word)
{
	struct vsm_geometry geo = unit_geometry(90, true);
	const struct form *f;
	struct vsm_form form;

	for_each_form(f) {
		struct drm_vsm_insn insn = good_insn(f);

		vsm_insn_decode(&geo, &insn, &form);
		assert_true(form.takes & VSM_FORM_RARE);
	}
}
