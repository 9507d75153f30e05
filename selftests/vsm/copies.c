// SPDX-License-Identifier: GPL-2.0-only
/*
 * Bulk copies, reductions, st.async and red.async: which bytes they move, how many bytes they
 * complete, and that they change nothing else. tensors.c tests copies of tensors, copy_rules.c
 * tests refused copies, and async.c tests cp.async.
 */
#include "copies.h"

FIXTURE(copies) { struct copies s; };

FIXTURE_VARIANT(copies) { bool job; };
FIXTURE_VARIANT_ADD(copies, exec) { .job = false };
FIXTURE_VARIANT_ADD(copies, job) { .job = true };

FIXTURE_SETUP(copies)
{
	ASSERT_EQ(0, copies_init(&self->s, variant->job));
}

FIXTURE_TEARDOWN(copies)
{
	/* No test here causes a fault, and no copy is still bound to the mbarrier. */
	EXPECT_EQ(0, poll_events(self->s.c.fd));
	EXPECT_EQ(0, exec_one(&self->s.c, i_inval(MBAR)));
	EXPECT_EQ(0, copies_fini(&self->s));
}

static const uint32_t sizes[] = { 16, 32, 48, 256, 1008 };

/* --- global to shared ----------------------------------------------------- */

TEST_F(copies, global_to_shared_goes_to_any_window)
{
	const struct copies *s = &self->s;
	uint32_t cta, rank, i;

	for (i = 0; i < ITEMS(sizes); i++) {
		for (rank = 0; rank < CTAS; rank++) {
			uint32_t to = AT(rank, DATA + 16 * i);
			uint64_t from = 1024 * rank + 16 * i;

			cta = (rank + i) % CTAS;
			memcpy(expected(s, to), s->global + from, sizes[i]);
			ASSERT_EQ(0, copy_complete(s, cta, i_g2s(to, AT(rank, MBAR), sizes[i],
								 s->b.handle, from),
						   1 << rank, sizes[i]));
			EXPECT_TRUE(as_expected(s)) TH_LOG("%u of %u bytes", rank, sizes[i]);
		}
	}
}

TEST_F(copies, a_multicast_goes_to_all_windows_of_its_mask)
{
	const struct copies *s = &self->s;
	uint32_t mask, rank, size;

	for (mask = 1; mask < 1 << CTAS; mask++) {
		/* A multicast ignores the rank in its addresses. */
		uint32_t named = mask % CTAS;
		uint64_t from = 16 * mask;

		size = sizes[mask % ITEMS(sizes)];
		for (rank = 0; rank < CTAS; rank++)
			if (mask >> rank & 1)
				memcpy(expected(s, AT(rank, DATA)), s->global + from, size);
		ASSERT_EQ(0, copy_complete(s, mask / 4,
					   i_multicast(i_g2s(AT(named, DATA), AT(named, MBAR),
							     size, s->b.handle, from), mask),
					   mask, size));
		EXPECT_TRUE(as_expected(s)) TH_LOG("mask %x", mask);
	}
}

TEST_F(copies, a_multicast_goes_to_sixteen_windows)
{
	struct drm_vsm_cluster_create args = { .ctas = 16, .threads = 1, .smem_bytes = 1024 };
	struct copies all = self->s;
	struct drm_vsm_insn insn =
		i_multicast(i_g2s(0x100, MBAR, 512, all.b.handle, 32), 0xfffe);
	uint32_t rank;

	ASSERT_EQ(0, cluster_create_args(&all.c, self->s.c.fd, &args));
	ASSERT_EQ(0, exec_one(&all.c, i_init(END, 1)));
	for (rank = 1; rank < 16; rank++) {
		struct drm_vsm_insn insns[] = { i_init(AT(rank, MBAR), 1), i_fence(),
						i_arrive_expect_tx(AT(rank, MBAR), 512) };

		ASSERT_EQ(0, exec_stream(&all.c, rank, insns, 3, NULL));
	}
	ASSERT_EQ(0, copy_run(&all, 0, insn));
	for (rank = 1; rank < 16; rank++) {
		EXPECT_EQ(word_of(VSM_LAYOUT_SM_90, 1, 0, 1, 1), word(&all.c, AT(rank, MBAR)));
		EXPECT_EQ(0, memcmp(cluster_mem(&all.c, AT(rank, 0x100)), all.b.map + 32, 512));
		EXPECT_EQ(0, word(&all.c, AT(rank, 0x300)));
	}
	EXPECT_EQ(0, word(&all.c, 0x100));
	EXPECT_EQ(0, cluster_destroy(&all.c));
}

/* --- shared to global ----------------------------------------------------- */

TEST_F(copies, shared_to_global_comes_from_the_own_window)
{
	const struct copies *s = &self->s;
	uint32_t rank, i;

	for (i = 0; i < ITEMS(sizes); i++) {
		for (rank = 0; rank < CTAS; rank++) {
			uint32_t from = AT(rank, DATA + 16 * i);
			uint64_t to = 2048 * rank + 32 * i;

			memcpy(s->global + to, cluster_mem(&s->c, from), sizes[i]);
			ASSERT_EQ(0, copy_run(s, rank, i_s2g(from, sizes[i], s->b.handle, to)));
			EXPECT_TRUE(as_expected(s)) TH_LOG("%u of %u bytes", rank, sizes[i]);
		}
	}
}

TEST_F(copies, a_byte_mask_says_which_of_sixteen)
{
	static const uint16_t masks[] = { 0xffff, 0, 1, 0x8000, 0x5555, 0xaaaa, 0x0ff0, 0x7ffe };
	const struct copies *s = &self->s;
	uint32_t i, j, size;

	for (i = 0; i < ITEMS(masks); i++) {
		unsigned char *from = cluster_mem(&s->c, DATA + 16 * i);

		size = sizes[i % ITEMS(sizes)];
		for (j = 0; j < size; j++)
			if (masks[i] >> j % 16 & 1)
				s->global[64 * i + j] = from[j];
		ASSERT_EQ(0, copy_run(s, 0, i_cp_mask(i_s2g(DATA + 16 * i, size, s->b.handle,
							    64 * i), masks[i])));
		EXPECT_TRUE(as_expected(s)) TH_LOG("mask %04x", masks[i]);
	}
}

/* --- shared to shared ----------------------------------------------------- */

TEST_F(copies, shared_to_shared_goes_to_any_window)
{
	const struct copies *s = &self->s;
	uint32_t cta, rank, i;

	for (i = 0; i < ITEMS(sizes); i++) {
		for (rank = 0; rank < CTAS; rank++) {
			uint32_t from, to = AT(rank, 0xc00 - 16 * i);

			cta = (rank + i) % CTAS;
			from = AT(cta, DATA + 16 * i);
			memcpy(expected(s, to), expected(s, from), sizes[i]);
			ASSERT_EQ(0, copy_complete(s, cta, i_s2s(to, AT(rank, MBAR), sizes[i],
								 from), 1 << rank, sizes[i]));
			EXPECT_TRUE(as_expected(s)) TH_LOG("%u of %u bytes", rank, sizes[i]);
		}
	}
}

TEST_F(copies, the_last_bytes_of_window_and_buffer_can_be_reached)
{
	const struct copies *s = &self->s;
	const uint64_t last = s->b.size - 16;

	memcpy(expected(s, AT(1, SMEM - 16)), s->global + last, 16);
	ASSERT_EQ(0, copy_complete(s, 0, i_g2s(AT(1, SMEM - 16), AT(1, MBAR), 16, s->b.handle,
					       last), 2, 16));
	EXPECT_TRUE(as_expected(s));
	memcpy(expected(s, SMEM - 16), expected(s, AT(1, SMEM - 16)), 16);
	ASSERT_EQ(0, copy_complete(s, 1, i_s2s(SMEM - 16, MBAR, 16, AT(1, SMEM - 16)), 1, 16));
	EXPECT_TRUE(as_expected(s));
	memcpy(s->global + last, expected(s, AT(3, SMEM - 16)), 16);
	ASSERT_EQ(0, copy_run(s, 3, i_s2g(AT(3, SMEM - 16), 16, s->b.handle, last)));
	EXPECT_TRUE(as_expected(s));
}

TEST_F(copies, of_no_bytes_do_nothing)
{
	const struct copies *s = &self->s;

	ASSERT_EQ(0, copy_complete(s, 0, i_g2s(AT(1, DATA), AT(1, MBAR), 0, s->b.handle, 0), 2,
				   0));
	ASSERT_EQ(0, copy_complete(s, 0, i_s2s(AT(1, DATA), AT(1, MBAR), 0, DATA), 2, 0));
	ASSERT_EQ(0, copy_run(s, 0, i_s2g(DATA, 0, s->b.handle, 0)));
	ASSERT_EQ(0, copy_run(s, 0, i_prefetch(0, s->b.handle, 0)));
	EXPECT_TRUE(as_expected(s));
}

TEST_F(copies, a_prefetch_has_no_effect)
{
	const struct copies *s = &self->s;
	uint32_t i;

	for (i = 0; i < ITEMS(sizes); i++)
		ASSERT_EQ(0, copy_run(s, i % CTAS, i_prefetch(sizes[i], s->b.handle, 16 * i)));
	ASSERT_EQ(0, copy_run(s, 0, i_prefetch(s->b.size, s->b.handle, 0)));
	EXPECT_TRUE(as_expected(s));
}

/* --- st.async ------------------------------------------------------------- */

TEST_F(copies, a_store_writes_its_value)
{
	static const uint64_t value[2] = { 0x1122334455667788, 0x99aabbccddeeff00 };
	static const uint32_t value_sizes[] = { 4, 8, 16 };
	const struct copies *s = &self->s;
	uint32_t cta, rank, i;

	for (i = 0; i < ITEMS(value_sizes); i++) {
		for (rank = 0; rank < CTAS; rank++) {
			uint32_t size = value_sizes[i], to = AT(rank, DATA + size * (rank + 1));
			struct drm_vsm_insn insn = i_st_async(to, AT(rank, MBAR), size, 0);

			cta = (rank + i) % CTAS;
			memcpy(insn.u.store.value, value, size);
			memcpy(expected(s, to), value, size);
			ASSERT_EQ(0, copy_complete(s, cta, insn, 1 << rank, size));
			EXPECT_TRUE(as_expected(s)) TH_LOG("%u bytes", size);
		}
	}
}

/* --- reductions ----------------------------------------------------------- */

/* A reduction and its effect on an element */
static const struct reduction {
	uint8_t red;		/* the reduction */
	uint8_t size;		/* bytes of an element */
	bool shared;		/* the reduction also exists for shared memory */
	uint64_t old;		/* the element before */
	uint64_t operand;
	uint64_t value;		/* the element after */
} reductions[] = {
	{ RED(ADD, U32), 4, true, 0xfffffff0, 0x20, 0x10 },
	{ RED(ADD, S32), 4, true, 5, 0xfffffff9, 0xfffffffe },
	{ RED(ADD, U64), 8, true, 0xffffffff, 1, 0x100000000 },
	{ RED(MIN, U32), 4, true, 0x80000000, 1, 1 },
	{ RED(MIN, S32), 4, true, 0x80000000, 1, 0x80000000 },
	{ RED(MAX, U32), 4, true, 0x80000000, 1, 0x80000000 },
	{ RED(MAX, S32), 4, true, 0x80000000, 1, 1 },
	{ RED(INC, U32), 4, true, 8, 9, 9 },
	{ RED(INC, U32), 4, true, 9, 9, 0 },
	{ RED(DEC, U32), 4, true, 9, 9, 8 },
	{ RED(DEC, U32), 4, true, 0, 9, 9 },
	{ RED(AND, B32), 4, true, 0xff00ff00, 0x0ff00ff0, 0x0f000f00 },
	{ RED(OR, B32), 4, true, 0xff00ff00, 0x0ff00ff0, 0xfff0fff0 },
	{ RED(XOR, B32), 4, true, 0xff00ff00, 0x0ff00ff0, 0xf0f0f0f0 },
	/* 1.5 + 2.25 = 3.75 */
	{ RED(ADD, F16), 2, false, 0x3e00, 0x4080, 0x4380 },
	{ RED(ADD, BF16), 2, false, 0x3fc0, 0x4010, 0x4070 },
	{ RED(ADD, F32), 4, false, 0x3fc00000, 0x40100000, 0x40700000 },
	{ RED(ADD, F64), 8, false, 0x3ff8000000000000, 0x4002000000000000, 0x400e000000000000 },
	/* -1 and 1 */
	{ RED(MIN, F16), 2, false, 0x3c00, 0xbc00, 0xbc00 },
	{ RED(MIN, BF16), 2, false, 0x3f80, 0xbf80, 0xbf80 },
	{ RED(MAX, F16), 2, false, 0x3c00, 0xbc00, 0x3c00 },
	{ RED(MAX, BF16), 2, false, 0xbf80, 0x3f80, 0x3f80 },
	{ RED(MIN, U64), 8, false, 1ULL << 63, 1, 1 },
	{ RED(MIN, S64), 8, false, 1ULL << 63, 1, 1ULL << 63 },
	{ RED(MAX, U64), 8, false, 1ULL << 63, 1, 1ULL << 63 },
	{ RED(MAX, S64), 8, false, 1ULL << 63, 1, 1 },
	{ RED(AND, B64), 8, false, 0xff00ff0000ff00ff, 0x0ff00ff00ff00ff0, 0x0f000f0000f000f0 },
	{ RED(OR, B64), 8, false, 0xff00ff0000ff00ff, 0x0ff00ff00ff00ff0, 0xfff0fff00fff0fff },
	{ RED(XOR, B64), 8, false, 0xff00ff0000ff00ff, 0x0ff00ff00ff00ff0, 0xf0f0f0f00f0f0f0f },
};

/* Fills memory with a repeated element. */
static void repeat_element(void *to, uint64_t element, uint32_t size, uint32_t bytes)
{
	uint32_t i;

	for (i = 0; i < bytes; i += size)
		memcpy((unsigned char *)to + i, &element, size);
}

TEST_F(copies, reductions_work_on_global_memory)
{
	const struct copies *s = &self->s;
	uint32_t i;

	for (i = 0; i < ITEMS(reductions); i++) {
		const struct reduction *r = &reductions[i];
		uint32_t cta = i % CTAS, from = AT(cta, DATA + 16 * i), to = 32 * i;
		uint32_t size = sizes[i % ITEMS(sizes)];

		repeat_element(cluster_mem(&s->c, from), r->operand, r->size, size);
		repeat_element(expected(s, from), r->operand, r->size, size);
		repeat_element(s->b.map + to, r->old, r->size, size);
		repeat_element(s->global + to, r->value, r->size, size);
		ASSERT_EQ(0, copy_run(s, cta, i_reduce(i_s2g(from, size, s->b.handle, to),
						       r->red)));
		EXPECT_TRUE(as_expected(s)) TH_LOG("reduction %02x", r->red);
	}
}

TEST_F(copies, reductions_work_on_any_window)
{
	const struct copies *s = &self->s;
	uint32_t i;

	for (i = 0; i < ITEMS(reductions) && reductions[i].shared; i++) {
		const struct reduction *r = &reductions[i];
		uint32_t cta = i % CTAS, rank = i / 2 % CTAS, size = sizes[i % 4];
		uint32_t from = AT(cta, DATA + 16 * i), to = AT(rank, 0x800 + 16 * i);

		repeat_element(cluster_mem(&s->c, from), r->operand, r->size, size);
		repeat_element(expected(s, from), r->operand, r->size, size);
		repeat_element(cluster_mem(&s->c, to), r->old, r->size, size);
		repeat_element(expected(s, to), r->value, r->size, size);
		ASSERT_EQ(0, copy_complete(s, cta, i_reduce(i_s2s(to, AT(rank, MBAR), size, from),
							    r->red), 1 << rank, size));
		EXPECT_TRUE(as_expected(s)) TH_LOG("reduction %02x", r->red);
	}
}

TEST_F(copies, red_async_works_on_one_element_of_any_window)
{
	const struct copies *s = &self->s;
	uint32_t i;

	for (i = 0; i < ITEMS(reductions) && reductions[i].shared; i++) {
		const struct reduction *r = &reductions[i];
		uint32_t cta = i % CTAS, rank = i / 2 % CTAS, to = AT(rank, DATA + 24 * i);

		repeat_element(cluster_mem(&s->c, to), r->old, r->size, r->size);
		repeat_element(expected(s, to), r->value, r->size, r->size);
		ASSERT_EQ(0, copy_complete(s, cta, i_red_async(r->red, to, AT(rank, MBAR), r->size,
							       r->operand), 1 << rank, r->size));
		EXPECT_TRUE(as_expected(s)) TH_LOG("reduction %02x", r->red);
	}
}

/* --- order of data and completion ----------------------------------------- */

/* The consumer, in another CTA, reads the data as soon as its try_wait returns True. */
TEST_F(copies, data_is_there_when_the_phase_is)
{
	enum { SIZE = 512, SOURCE = 0xc00 };
	const struct copies *s = &self->s;
	uint64_t *shared = cluster_mem(&s->c, SOURCE), *global = (uint64_t *)s->b.map;
	uint64_t *target = cluster_mem(&s->c, AT(1, DATA));
	const struct drm_vsm_insn copies[] = {
		i_g2s(AT(1, DATA), AT(1, MBAR), SIZE, s->b.handle, 0),
		i_multicast(i_g2s(DATA, MBAR, SIZE, s->b.handle, 0), 2),
		i_s2s(AT(1, DATA), AT(1, MBAR), SIZE, SOURCE),
		i_reduce(i_s2s(AT(1, DATA), AT(1, MBAR), SIZE, SOURCE), RED(ADD, U64)),
		i_st_async(AT(1, DATA), AT(1, MBAR), 8, 0),
	};
	uint64_t i, j, rounds = repeat(4000);

	for (i = 0; i < rounds; i++) {
		struct drm_vsm_insn copy = copies[i % ITEMS(copies)];
		bool store = copy.op == DRM_VSM_OP_ST_ASYNC;
		uint32_t size = store ? 8 : SIZE;
		struct drm_vsm_insn wait[] = {
			i_arrive_expect_tx(AT(1, MBAR), size),
			i_try_parity(AT(1, MBAR), i % 2, LONG_HINT),
		};

		if (store)
			copy.u.store.value[0] = i << 32;
		memset(target, 0, SIZE);
		for (j = 0; j < SIZE / 8; j++) {
			global[j] = i << 32 | j;
			shared[j] = global[j];
		}
		ASSERT_EQ(0, s->job ? submit_sync(&s->c, &copy, 1, 0, 0) : exec_one(&s->c, copy));
		ASSERT_EQ(0, exec_stream(&s->c, 1, wait, 2, NULL)) TH_LOG("round %d", (int)i);
		ASSERT_EQ(1, wait[1].result);
		/* Check the last bytes first because copies write them last. */
		for (j = size / 8; j-- > 0;)
			ASSERT_EQ(i << 32 | j, ((volatile uint64_t *)target)[j]);
	}
}

/*
 * The copies of a job have completed when the job's fence signals. The copies of a thread have
 * completed when an operation that the thread issued after them has completed.
 */
TEST_F(copies, of_all_kinds_have_completed_at_the_end)
{
	const struct copies *s = &self->s;
	struct drm_vsm_insn insns[] = {
		i_sink(i_arrive_expect_tx(AT(1, MBAR), 64 + 64 + 16 + 8 + 4)),
		i_g2s(AT(1, 0x400), AT(1, MBAR), 64, s->b.handle, 0),
		i_s2s(AT(1, 0x440), AT(1, MBAR), 64, 0x440),
		i_reduce(i_s2s(AT(1, 0x480), AT(1, MBAR), 16, 0x480), RED(XOR, B32)),
		i_st_async(AT(1, 0x490), AT(1, MBAR), 8, 0x1234),
		i_red_async(RED(OR, B32), AT(1, 0x498), AT(1, MBAR), 4, 0x10),
		i_s2g(0x4a0, 32, s->b.handle, 0x100),
		i_reduce(i_s2g(0x4c0, 32, s->b.handle, 0x120), RED(AND, B64)),
		i_prefetch(64, s->b.handle, 0x200),
	};
	uint64_t *to = (uint64_t *)(s->global + 0x120), *from = expected(s, 0x4c0), value = 0x1234;
	uint32_t *word32 = expected(s, AT(1, 0x480)), *operand = expected(s, 0x480), i;
	uint32_t out = syncobj_create(s->c.fd);

	memcpy(expected(s, AT(1, 0x400)), s->global, 64);
	memcpy(expected(s, AT(1, 0x440)), expected(s, 0x440), 64);
	for (i = 0; i < 4; i++)
		word32[i] ^= operand[i];
	memcpy(&word32[4], &value, 8);
	word32[6] |= 0x10;
	memcpy(s->global + 0x100, expected(s, 0x4a0), 32);
	for (i = 0; i < 4; i++)
		to[i] &= from[i];
	if (s->job) {
		ASSERT_EQ(0, submit_sync(&s->c, insns, ITEMS(insns), 0, out));
		ASSERT_EQ(1, syncobj_status(s->c.fd, out));
	} else {
		ASSERT_EQ(0, exec_stream(&s->c, 0, insns, ITEMS(insns), NULL));
		ASSERT_EQ(0, async_finish(&s->c));
	}
	*(uint64_t *)expected(s, AT(1, MBAR)) = word_of(VSM_LAYOUT_SM_90, 1, 0, 1, 1);
	EXPECT_TRUE(as_expected(s));
}

TEST_HARNESS_MAIN
