// SPDX-License-Identifier: MIT
/*
 * The addresses that each form takes: which windows, which alignment, and the ends of the windows
 * and of the cluster. Also, which clusters can exist.
 */
#include "forms.h"

/* Does any form of the operation take a remote address? */
static bool has_remote_form(__u16 op)
{
	const struct form *f;

	for_each_form(f)
		if (f->op == op && f->flags & F_REMOTE)
			return true;
	return false;
}

static int window_verdict(const struct form *f, bool remote, int space)
{
	if (remote && space == DRM_VSM_SPACE_SHARED_CTA && has_remote_form(f->op))
		return FAULT(OUT_OF_WINDOW);
	if (!(f->flags & F_REMOTE) && (remote || space == DRM_VSM_SPACE_SHARED_CLUSTER))
		return FAULT(REMOTE_FORBIDDEN);
	return 0;
}

/*
 * PTX 9.7.13.15.8: addresses in the thread's own window and in another one, with each space. sm_80
 * has no clusters, and therefore only the thread's own window.
 */
TEST(addresses_are_where_ptx_lets_them_be)
{
	const struct form *f;
	int space, remote;

	for_each_form(f) {
		for (space = 0; f->operands & O_ADDR && space < 3; space++) {
			for (remote = 0; remote < 2; remote++) {
				struct drm_vsm_insn insn = form_insn(f);
				int wanted = window_verdict(f, remote, space);

				insn.space = space;
				*form_addr(f, &insn) = remote ? REMOTE : LOCAL;
				if (f->operands & O_MBAR)
					*form_mbar(f, &insn) = (remote ? REMOTE : LOCAL) + 8;
				expect(f->ptx, check(&insn), wanted);
				if (f->sm == 90 || space == DRM_VSM_SPACE_SHARED_CLUSTER)
					wanted = -EOPNOTSUPP;
				else if (!wanted && remote)
					wanted = FAULT(REMOTE_FORBIDDEN);
				expect(f->ptx, check_on(80, &insn), wanted);
			}
		}
	}
}

TEST(addresses_are_aligned)
{
	const struct form *f;
	__u32 low;

	for_each_form(f) {
		const struct {
			size_t offset;
			__u32 align;
		} addresses[] = {
			{ offsetof(struct drm_vsm_insn, u.mbarrier.addr),
			  f->kind == KIND_MBARRIER && f->operands & O_ADDR ? 8 : 0 },
			{ offsetof(struct drm_vsm_insn, u.copy.addr),
			  f->kind == KIND_COPY && f->operands & O_ADDR ? 16 : 0 },
			{ offsetof(struct drm_vsm_insn, u.tensor.addr),
			  f->kind == KIND_TENSOR && f->operands & O_ADDR ? 128 : 0 },
			{ offsetof(struct drm_vsm_insn, u.store.addr),
			  f->kind == KIND_STORE ? 4 : 0 },
			{ offsetof(struct drm_vsm_insn, u.copy.mbar),
			  f->kind == KIND_COPY && f->operands & O_MBAR ? 8 : 0 },
			{ offsetof(struct drm_vsm_insn, u.tensor.mbar),
			  f->kind == KIND_TENSOR && f->operands & O_MBAR ? 8 : 0 },
			{ offsetof(struct drm_vsm_insn, u.store.mbar),
			  f->kind == KIND_STORE ? 8 : 0 },
			{ offsetof(struct drm_vsm_insn, u.copy.offset),
			  f->operands & O_BUFFER ? 16 : 0 },
			{ offsetof(struct drm_vsm_insn, u.copy.src),
			  f->operands & O_SRC ? 16 : 0 },
			{ offsetof(struct drm_vsm_insn, u.tensor.map),
			  f->kind == KIND_TENSOR ? 64 : 0 },
		};
		size_t i;

		for (i = 0; i < ARRAY_SIZE(addresses); i++) {
			for (low = 0; addresses[i].align && low < 128; low++) {
				struct drm_vsm_insn insn = form_insn(f);

				*(__u32 *)((char *)&insn + addresses[i].offset) += low;
				expect_everywhere(f, &insn, low % addresses[i].align ?
							    FAULT(MISALIGNED) : 0);
			}
		}
	}
}

/* unit_geometry() has 4 windows of 4096 bytes. */
TEST(windows_have_an_end)
{
	const struct form *f;

	for_each_form(f) {
		struct drm_vsm_insn insn = form_insn(f);
		const __u32 align = form_alignment(f, &insn);
		const __u32 size = f->kind == KIND_COPY ? insn.u.copy.size : align;
		const __u32 outside[] = {
			AT(CTA, 4096 + (f->kind == KIND_TENSOR ? align : 0)), AT(CTA, 4096 + align),
			AT(CTA, 0x1000000 - align), AT(4, 0), AT(0xff, 0),
		};
		size_t i;

		for (i = 0; f->operands & O_ADDR && i < ARRAY_SIZE(outside); i++) {
			*form_addr(f, &insn) = AT(CTA, 4096 - size);
			expect_everywhere(f, &insn, 0);
			*form_addr(f, &insn) = outside[i];
			expect_everywhere(f, &insn, FAULT(OUT_OF_WINDOW));
		}
		insn = form_insn(f);
		if (!(f->operands & O_MBAR))
			continue;
		*form_mbar(f, &insn) = AT(CTA, 4088);
		expect_everywhere(f, &insn, 0);
		*form_mbar(f, &insn) = AT(CTA, 4096);
		expect_everywhere(f, &insn, FAULT(OUT_OF_WINDOW));
		*form_mbar(f, &insn) = AT(4, 0);
		expect_everywhere(f, &insn, FAULT(OUT_OF_WINDOW));
	}
}

TEST(addresses_end_with_the_window)
{
	static const __u32 sizes[] = { 16, 4096, 0x100000, VSM_MAX_SMEM };
	const struct form *f;
	size_t j;

	for_each_form(f) {
		struct drm_vsm_insn insn = form_insn(f);
		__u32 *addr = &insn.u.mbarrier.addr;

		if (f->kind != KIND_MBARRIER || !(f->operands & O_ADDR))
			continue;
		for (j = 0; j < ARRAY_SIZE(sizes); j++) {
			struct vsm_geometry geo = unit_geometry(90, true);

			geo.smem_bytes = sizes[j];
			*addr = CTA << 24;
			expect(f->ptx, check_in(&geo, &insn), 0);
			*addr = CTA << 24 | (sizes[j] - 8);
			expect(f->ptx, check_in(&geo, &insn), 0);
			*addr = CTA << 24 | sizes[j];
			expect(f->ptx, check_in(&geo, &insn), FAULT(OUT_OF_WINDOW));
			*addr = CTA << 24 | 0xfffff8;
			expect(f->ptx, check_in(&geo, &insn), FAULT(OUT_OF_WINDOW));
		}
	}
}

TEST(ranks_end_with_the_cluster)
{
	struct vsm_geometry geo = unit_geometry(90, true);
	struct drm_vsm_insn insn = { .op = OP(MBARRIER_EXPECT_TX) };
	__u32 rank;

	for (geo.ctas = CTA + 1; geo.ctas <= VSM_MAX_CTAS; geo.ctas++) {
		for (rank = 0; rank < 256; rank++) {
			insn.u.mbarrier.addr = rank << 24;
			expect("rank", check_in(&geo, &insn),
			       rank < geo.ctas ? 0 : FAULT(OUT_OF_WINDOW));
		}
	}
}

TEST(ranges_are_checked_without_overflow)
{
	struct vsm_geometry geo = unit_geometry(90, true);

	geo.smem_bytes = 1 << 24;
	assert_int_equal(vsm_addr_check(&geo, 0x03fffff8, 8, 8), FAULT(NONE));
	assert_int_equal(vsm_addr_check(&geo, 0x04000000, 8, 8), FAULT(OUT_OF_WINDOW));
	assert_int_equal(vsm_addr_check(&geo, 0x03fffff0, 16, 16), FAULT(NONE));
	assert_int_equal(vsm_addr_check(&geo, 0x03fffff0, 32, 16), FAULT(OUT_OF_WINDOW));
	assert_int_equal(vsm_addr_check(&geo, 0x03000000, 1 << 24, 16), FAULT(NONE));
	assert_int_equal(vsm_addr_check(&geo, 0x03000000, (1 << 24) + 16, 16),
			 FAULT(OUT_OF_WINDOW));
	assert_int_equal(vsm_addr_check(&geo, 0x03000010, 0xfffffff0, 16), FAULT(OUT_OF_WINDOW));
	assert_int_equal(vsm_addr_check(&geo, 0xfffffff8, 8, 8), FAULT(OUT_OF_WINDOW));
	assert_int_equal(vsm_addr_check(&geo, 0xffffffff, 8, 8), FAULT(MISALIGNED));
	assert_int_equal(vsm_addr_check(&geo, 0x00000008, 8, 16), FAULT(MISALIGNED));
}

#define GEOMETRY(ctas_, threads_, bytes_, layout_, strict_, report_, enforce_) {		\
	.ctas = (ctas_), .threads = (threads_), .smem_bytes = (bytes_), .layout = (layout_),	\
	.strict = (strict_), .report = (report_), .enforce = (enforce_) }

TEST(geometries_within_the_limits_are_valid)
{
	static const struct {
		struct vsm_geometry geo;
		bool valid;
	} rows[] = {
		{ GEOMETRY(1, 1, 16, VSM_LAYOUT_SM_90, true, 0, 0), true },
		{ GEOMETRY(16, 1024, 227 * 1024, VSM_LAYOUT_SM_80, false, 0, 0), true },
		{ GEOMETRY(0, 1, 16, VSM_LAYOUT_SM_90, true, 0, 0), false },
		{ GEOMETRY(17, 1, 16, VSM_LAYOUT_SM_90, true, 0, 0), false },
		{ GEOMETRY(~0U, 1, 16, VSM_LAYOUT_SM_90, true, 0, 0), false },
		{ GEOMETRY(1, 0, 16, VSM_LAYOUT_SM_90, true, 0, 0), false },
		{ GEOMETRY(1, 1025, 16, VSM_LAYOUT_SM_90, true, 0, 0), false },
		{ GEOMETRY(1, 1, 0, VSM_LAYOUT_SM_90, true, 0, 0), false },
		{ GEOMETRY(1, 1, 8, VSM_LAYOUT_SM_90, true, 0, 0), false },
		{ GEOMETRY(1, 1, 24, VSM_LAYOUT_SM_90, true, 0, 0), false },
		{ GEOMETRY(1, 1, 32, VSM_LAYOUT_SM_90, true, 0, 0), true },
		{ GEOMETRY(1, 1, 227 * 1024 + 16, VSM_LAYOUT_SM_90, true, 0, 0), false },
		{ GEOMETRY(1, 1, ~0U - 15, VSM_LAYOUT_SM_90, true, 0, 0), false },
		{ GEOMETRY(1, 1, 16, (enum vsm_layout)2, true, 0, 0), false },
		{ GEOMETRY(1, 1, 16, (enum vsm_layout)~0U, true, 0, 0), false },
		{ GEOMETRY(1, 1, 16, VSM_LAYOUT_SM_90, true, 0, 1 << 15 | 1ULL << 43), true },
		{ GEOMETRY(1, 1, 16, VSM_LAYOUT_SM_90, false, 0, 1ULL << 43), true },
		{ GEOMETRY(1, 1, 16, VSM_LAYOUT_SM_90, true, 0, 1), false },
		{ GEOMETRY(1, 1, 16, VSM_LAYOUT_SM_90, true, 0, 1ULL << 43 | 1 << 1), false },
		{ GEOMETRY(1, 1, 16, VSM_LAYOUT_SM_90, true, 0, 1ULL << 63), false },
		{ GEOMETRY(1, 1, 16, VSM_LAYOUT_SM_90, true, 1, 0), false },
		{ GEOMETRY(1, 1, 16, VSM_LAYOUT_SM_90, true, 1ULL << 63, 0), false },
		{ GEOMETRY(1, 1, 16, VSM_LAYOUT_SM_90, true, 1 << 21, 0), false },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		if (!vsm_geometry_invalid(&rows[i].geo) != rows[i].valid)
			fail_msg("row %zu", i);
}
