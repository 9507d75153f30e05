// SPDX-License-Identifier: MIT
/*
 * Rules of copies, reductions, tensor copies and stores that the table of forms does not contain:
 * sizes, windows, masks, coordinates and offsets.
 */
#include "forms.h"

TEST(coordinates_past_the_dimensions_must_be_zero)
{
	const struct form *f;
	int dims, i;

	for_each_form(f) {
		for (dims = form_first_dims(f); f->kind == KIND_TENSOR && dims <= 5; dims++) {
			for (i = 0; i < 5; i++) {
				struct drm_vsm_insn insn = form_insn(f);

				insn.red = (insn.red & 0xf) | dims << 4;
				insn.u.tensor.coords[i] = -1;
				expect(f->ptx, check(&insn), i < dims ? 0 : -EINVAL);
			}
		}
	}
}

/* The operand holds one offset of 16 bits, two of 8 bits or three of 5 bits. */
TEST(offsets_have_the_bits_of_their_dimensions)
{
	const struct form *f;
	int dims, bit;

	for_each_form(f) {
		for (dims = 3; f->operands & O_OFFSETS && dims <= 5; dims++) {
			for (bit = 0; bit < 16; bit++) {
				struct drm_vsm_insn insn = form_insn(f);

				insn.red = DRM_VSM_RED_DIMS(0, dims);
				insn.u.tensor.offsets = 1 << bit;
				expect(f->ptx, check(&insn), dims < 5 || bit < 15 ? 0 : -EINVAL);
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
			struct drm_vsm_insn insn = form_insn(f);

			insn.u.copy.size = size;
			expect(f->ptx, check(&insn), size % 16 ? FAULT(COPY_SIZE) : 0);
		}
	}
}

TEST(bulk_copies_stay_in_their_windows)
{
	const struct form *f;

	for_each_form(f) {
		struct drm_vsm_insn insn = form_insn(f);

		if (f->kind != KIND_COPY || f->sm == 80)
			continue;
		if (!(f->operands & O_ADDR)) {
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
		struct drm_vsm_insn insn = form_insn(f);

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
		struct drm_vsm_insn insn = form_insn(f);

		if (!(f->operands & O_MBAR))
			continue;
		*form_mbar(f, &insn) = REMOTE + 8;
		expect(f->ptx, check(&insn), FAULT(COPY_MBARRIER));
		*form_addr(f, &insn) = REMOTE;
		expect(f->ptx, check(&insn), 0);
		*form_mbar(f, &insn) = LOCAL + 8;
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
			struct drm_vsm_insn insn = form_insn(f);

			for (mask = 0; f->mods & MOD(MULTICAST) && mask <= 0xffff; mask++) {
				*form_mask(f, &insn) = mask;
				expect(f->ptx, check_in(&geo, &insn),
				       mask && mask < 1U << geo.ctas ? 0 : FAULT(OUT_OF_WINDOW));
			}
		}
	}
}

/* PTX 9.7.9.25.3.1: cp-size is 4, 8 or 16. With .cg it is 16. src-size is at most cp-size. */
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
			struct drm_vsm_insn insn = form_insn(f);

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
	const struct form *f = form_find(OP(CP_ASYNC), 0);
	struct drm_vsm_insn insn;
	__u32 size, low;

	for (size = 4; size <= 16; size *= 2) {
		for (low = 0; low < 16; low++) {
			insn = form_insn(f);
			insn.u.copy.size = size;
			insn.u.copy.addr += low;
			expect("address", check(&insn), low % size ? FAULT(MISALIGNED) : 0);
			insn = form_insn(f);
			insn.u.copy.size = size;
			insn.u.copy.offset += low;
			expect("offset", check(&insn), low % size ? FAULT(MISALIGNED) : 0);
		}
		insn = form_insn(f);
		insn.u.copy.size = size;
		insn.u.copy.addr = CTA << 24 | (4096 - size);
		expect("to the end", check(&insn), 0);
		insn.u.copy.addr = CTA << 24 | 4096;
		expect("past the end", check(&insn), FAULT(OUT_OF_WINDOW));
	}
}

/* st.async stores one, two or four words of 4 bytes. The size of red.async is that of its type. */
TEST(stores_have_the_size_of_their_type)
{
	static const __u32 sizes[] = { 0, 1, 2, 3, 4, 5, 8, 12, 16, 20, 32, 0x80000000 };
	const struct form *f;
	size_t i;
	int red;

	for_each_form(f) {
		for (red = 0; f->kind == KIND_STORE && red < 256; red++) {
			for (i = 0; form_takes_red(f, red) && i < ARRAY_SIZE(sizes); i++) {
				struct drm_vsm_insn insn = form_insn(f);
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
				struct drm_vsm_insn insn = form_insn(f);

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
				struct drm_vsm_insn insn = form_insn(f);

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
