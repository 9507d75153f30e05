// SPDX-License-Identifier: GPL-2.0-only
/*
 * mbarrier.init: which words it accepts, and when other CTAs may use the mbarrier
 * (fence.mbarrier_init).
 */
#include "fence.h"

#define A AT(0, 0x80)
#define B AT(0, 0x100)
#define REMOTE AT(1, 0x80)

FIXTURE(init)
{
	struct cluster c;
	bool sm_80;
};

FIXTURE_VARIANT(init) { uint32_t layout; };
FIXTURE_VARIANT_ADD(init, sm_90) { .layout = VSM_LAYOUT_SM_90 };
FIXTURE_VARIANT_ADD(init, sm_80) { .layout = VSM_LAYOUT_SM_80 };

FIXTURE_SETUP(init)
{
	ASSERT_EQ(0, cluster_open_plain(&self->c, variant->layout, DRM_VSM_POLICY_STRICT));
	ASSERT_EQ(0, exec_one(&self->c, i_init(A, 2)));
	self->sm_80 = variant->layout == VSM_LAYOUT_SM_80;
}

FIXTURE_TEARDOWN(init)
{
	EXPECT_EQ(0, cluster_close(&self->c));
}

/* Executes one instruction as the given thread. */
static int exec_as(const struct cluster *c, uint32_t cta, uint32_t thread,
		   struct drm_vsm_insn insn)
{
	struct drm_vsm_exec args = play_args(c, cta, thread, 0, &insn, 1);

	insn_poison(&insn, 1);
	return vsm_exec(c->fd, &args);
}

/* --- INIT_OVER_LIVE ------------------------------------------------------- */

#define EXPECT_LIVE(state) do { \
	uint32_t live_info = POISON32; \
	EXPECT_EQ(DRM_VSM_FAULT_INIT_OVER_LIVE, \
		  exec_fault(&self->c, 0, i_init(A, 7), &live_info)); \
	EXPECT_EQ(state, live_info); \
} while (0)

TEST_F(init, over_a_live_object_reports_the_object_s_state)
{
	int i;

	EXPECT_LIVE(DRM_VSM_MBARRIER_IDLE);
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(0, exec_one(&self->c, i_arrive(A)));
		EXPECT_LIVE(DRM_VSM_MBARRIER_IN_PROGRESS);
		ASSERT_EQ(0, exec_one(&self->c, i_arrive(A)));
		EXPECT_LIVE(DRM_VSM_MBARRIER_UNOBSERVED);
		ASSERT_EQ(0, exec_look(&self->c, A));
		EXPECT_LIVE(DRM_VSM_MBARRIER_IDLE);
	}
	if (self->sm_80)
		return;
	/* First expect bytes, then let bytes complete that are not expected yet. */
	ASSERT_EQ(0, exec_one(&self->c, i_expect_tx(A, 16)));
	EXPECT_LIVE(DRM_VSM_MBARRIER_IN_PROGRESS);
	ASSERT_EQ(0, exec_one(&self->c, i_complete_tx(A, 32)));
	EXPECT_LIVE(DRM_VSM_MBARRIER_IN_PROGRESS);
	ASSERT_EQ(0, exec_one(&self->c, i_expect_tx(A, 16)));
	EXPECT_LIVE(DRM_VSM_MBARRIER_IDLE);
}

/* An arrive with .noinc is in flight, which the word does not show. */
TEST_F(init, over_an_object_with_operations_bound_to_it_is_in_progress)
{
	ASSERT_EQ(0, cluster_hold(&self->c, DRM_VSM_HOLD));
	ASSERT_EQ(0, exec_one(&self->c, i_noinc(i_cp_arrive(A))));
	EXPECT_EQ(vsm_mbarrier_init(variant->layout, 2), word(&self->c, A));
	EXPECT_LIVE(DRM_VSM_MBARRIER_IN_PROGRESS);
	ASSERT_EQ(0, cluster_hold(&self->c, 0));
}

TEST_F(init, after_inval_and_over_anything_that_is_no_object_is_legal)
{
	uint64_t seed = 1;
	int i;

	for (i = 0; i < 100; i++) {
		/* The word may have any value while it is no mbarrier. */
		atomic_store(word_at(&self->c, B), random_next(&seed));
		ASSERT_EQ(0, exec_one(&self->c, i_init(B, 1 + i)));
		EXPECT_EQ(vsm_mbarrier_init(variant->layout, 1 + i), word(&self->c, B));
		/* The mbarrier may be in any state when it is invalidated. */
		if (i % 3)
			ASSERT_EQ(0, exec_one(&self->c, i_arrive(B)));
		ASSERT_EQ(0, exec_one(&self->c, i_inval(B)));
	}
}

/* --- INIT_NOT_FENCED ------------------------------------------------------ */

static const struct drm_vsm_insn *remote_forms(size_t *count)
{
	static struct drm_vsm_insn forms[9];
	const struct drm_vsm_insn made[] = {
		i_sink(i_arrive(A)), i_sink(i_arrive_n(A, 1)), i_sink(i_arrive_expect_tx(A, 16)),
		i_drop(i_sink(i_arrive(A))), i_drop(i_sink(i_arrive_n(A, 1))),
		i_drop(i_sink(i_arrive_expect_tx(A, 16))), i_expect_tx(A, 16),
		i_complete_tx(A, 16), i_complete_tx(A, 0),
	};

	memcpy(forms, made, sizeof(made));
	*count = ITEMS(made);
	return forms;
}

TEST_F(init, is_not_for_other_ctas_before_its_fence)
{
	size_t i, count;
	const struct drm_vsm_insn *forms = remote_forms(&count);
	uint32_t cta;

	if (self->sm_80)
		SKIP(return, "sm_80 has no .shared::cluster");
	ASSERT_EQ(0, exec_one(&self->c, i_init(B, 0xfffff)));
	for (i = 0; i < count; i++) {
		struct drm_vsm_insn insn = forms[i];

		insn.u.mbarrier.addr = B;
		for (cta = 1; cta < 4; cta++) {
			insn.space = cta % 2 ? DRM_VSM_SPACE_GENERIC
					     : DRM_VSM_SPACE_SHARED_CLUSTER;
			EXPECT_FAULT(INIT_NOT_FENCED, exec_fault(&self->c, cta, insn, NULL));
			EXPECT_EQ(-EIO, job_status(&self->c, cta, insn));
		}
		/* The mbarrier's own CTA needs no fence, whichever form of address it uses. */
		EXPECT_EQ(0, exec_one(&self->c, insn));
		insn.space = DRM_VSM_SPACE_SHARED_CLUSTER;
		EXPECT_EQ(0, exec_one(&self->c, insn));
		EXPECT_EQ(0, exec_as(&self->c, 0, 63, insn));
		EXPECT_EQ(1, job_status(&self->c, 0, insn));
	}
	ASSERT_EQ(0, exec_one(&self->c, i_fence()));
	for (i = 0; i < count; i++) {
		struct drm_vsm_insn insn = forms[i];

		insn.u.mbarrier.addr = B;
		for (cta = 1; cta < 4; cta++) {
			EXPECT_EQ(0, exec_as(&self->c, cta, 7, insn));
			EXPECT_EQ(1, job_status(&self->c, cta, insn));
		}
	}
}

/* The completion of a copy counts as an operation of the CTA that issued the copy's job. */
TEST_F(init, is_not_for_other_ctas_copies_before_its_fence)
{
	struct buffer b;

	if (self->sm_80)
		SKIP(return, "sm_80 has no bulk copies");
	ASSERT_EQ(0, buffer_create(&b, self->c.fd, 4096));
	ASSERT_EQ(0, exec_one(&self->c, i_expect_tx(A, 48)));
	EXPECT_EQ(-EIO, job_status(&self->c, 3, i_g2s(AT(0, 0x400), A, 16, b.handle, 0)));
	/* pending 2, tx-count 48, expected 2 */
	EXPECT_EQ(0x7ffff3fffa1ffffc, word(&self->c, A));
	EXPECT_EQ(1, job_status(&self->c, 0, i_g2s(AT(0, 0x400), A, 16, b.handle, 0)));
	ASSERT_EQ(0, exec_one(&self->c, i_fence()));
	EXPECT_EQ(1, job_status(&self->c, 3, i_g2s(AT(0, 0x400), A, 32, b.handle, 0)));
	/* pending 2, tx-count 0, expected 2 */
	EXPECT_EQ(0x7ffff000001ffffc, word(&self->c, A));
	munmap(b.map, b.size);
}

#define EXPECT_VISIBLE(addr) \
	EXPECT_EQ(0, exec_at(&self->c, 2, i_expect_tx(addr, 0), NULL))
#define EXPECT_NOT_FENCED(addr) \
	EXPECT_EQ(DRM_VSM_FAULT_INIT_NOT_FENCED, \
		  exec_fault(&self->c, 2, i_expect_tx(addr, 0), NULL))

TEST_F(init, becomes_visible_only_by_a_fence_of_its_thread)
{
	if (self->sm_80)
		SKIP(return, "sm_80 has no .shared::cluster");
	/* Thread 9 of CTA 1 initialises REMOTE. A was initialised by thread 0 of CTA 0. */
	ASSERT_EQ(0, exec_as(&self->c, 1, 9, i_init(REMOTE, 1)));
	ASSERT_EQ(0, exec_as(&self->c, 1, 0, i_fence()));
	EXPECT_NOT_FENCED(REMOTE);
	EXPECT_NOT_FENCED(A);
	ASSERT_EQ(0, exec_as(&self->c, 0, 9, i_fence()));
	EXPECT_NOT_FENCED(REMOTE);
	EXPECT_NOT_FENCED(A);
	ASSERT_EQ(0, exec_as(&self->c, 1, 9, i_fence()));
	EXPECT_VISIBLE(REMOTE);
	EXPECT_NOT_FENCED(A);
	ASSERT_EQ(0, exec_as(&self->c, 0, 0, i_fence()));
	EXPECT_VISIBLE(A);
	EXPECT_VISIBLE(REMOTE);
}

TEST_F(init, becomes_visible_by_a_later_fence_with_all_earlier_inits)
{
	int i;

	if (self->sm_80)
		SKIP(return, "sm_80 has no .shared::cluster");
	ASSERT_EQ(0, exec_one(&self->c, i_fence()));
	EXPECT_VISIBLE(A);
	for (i = 0; i < 100; i++)
		ASSERT_EQ(0, exec_as(&self->c, 0, i % 2, i_init(AT(0, 0x800 + 8 * i), 1)));
	for (i = 0; i < 100; i++)
		EXPECT_NOT_FENCED(AT(0, 0x800 + 8 * i));
	EXPECT_VISIBLE(A);
	ASSERT_EQ(0, exec_as(&self->c, 0, 1, i_fence()));
	for (i = 0; i < 100; i += 2) {
		EXPECT_NOT_FENCED(AT(0, 0x800 + 8 * i));
		EXPECT_VISIBLE(AT(0, 0x808 + 8 * i));
	}
	ASSERT_EQ(0, exec_as(&self->c, 0, 0, i_fence()));
	for (i = 0; i < 100; i++)
		EXPECT_VISIBLE(AT(0, 0x800 + 8 * i));

	/* The old fence does not apply to a new mbarrier at the same address. */
	ASSERT_EQ(0, exec_one(&self->c, i_inval(A)));
	EXPECT_FAULT(NOT_AN_MBARRIER, exec_fault(&self->c, 2, i_expect_tx(A, 0), NULL));
	ASSERT_EQ(0, exec_one(&self->c, i_init(A, 1)));
	EXPECT_NOT_FENCED(A);
	ASSERT_EQ(0, exec_one(&self->c, i_fence()));
	EXPECT_VISIBLE(A);
}

TEST_F(init, of_a_cluster_of_one_cta_needs_no_fence)
{
	struct cluster c;

	ASSERT_EQ(0, cluster_make(&c, self->c.fd, .ctas = 1, .threads = 2, .smem_bytes = 4096,
				  .layout = variant->layout));
	ASSERT_EQ(0, exec_one(&c, i_init(A, 2)));
	EXPECT_EQ(0, exec_as(&c, 0, 1, i_arrive(A)));
	EXPECT_EQ(1, job_status(&c, 0, i_sink(i_arrive(A))));
	EXPECT_EQ(1, exec_result(&c, i_test_parity(A, 0)));
	if (!self->sm_80)
		EXPECT_EQ(0, exec_one(&c, i_fence()));
	EXPECT_EQ(0, cluster_destroy(&c));
}

TEST_F(init, of_the_hardware_policy_needs_no_fence)
{
	struct cluster c;

	if (self->sm_80)
		SKIP(return, "sm_80 has no .shared::cluster");
	ASSERT_EQ(0, cluster_create(&c, self->c.fd, variant->layout, DRM_VSM_POLICY_HARDWARE));
	ASSERT_EQ(0, exec_one(&c, i_init(A, 2)));
	EXPECT_EQ(0, exec_at(&c, 1, i_sink(i_arrive(A)), NULL));
	EXPECT_EQ(0, exec_one(&c, i_fence()));
	EXPECT_EQ(0, cluster_destroy(&c));
}

TEST_F(init, has_a_fence_that_is_spelled_in_one_way_and_has_no_result)
{
	struct drm_vsm_insn insn = i_fence();
	int sem, scope;

	if (self->sm_80) {
		EXPECT_EQ(-EOPNOTSUPP, exec_one(&self->c, insn));
		return;
	}
	EXPECT_EQ(0, exec_result(&self->c, insn));
	EXPECT_EQ(vsm_mbarrier_init(VSM_LAYOUT_SM_90, 2), word(&self->c, A));
	for (sem = 0; sem <= 4; sem++) {
		for (scope = 0; scope <= 3; scope++) {
			insn.sem = sem;
			insn.scope = scope;
			EXPECT_EQ(sem == DRM_VSM_SEM_RELEASE && scope == DRM_VSM_SCOPE_CLUSTER
				  ? 0 : -EINVAL, exec_one(&self->c, insn));
		}
	}
#define EXPECT_MALFORMED(change) do { \
	insn = i_fence(); \
	change; \
	EXPECT_EQ(-EINVAL, exec_one(&self->c, insn)); \
} while (0)
	EXPECT_MALFORMED(insn.red = 1);
	EXPECT_MALFORMED(insn.space = DRM_VSM_SPACE_SHARED_CTA);
	EXPECT_MALFORMED(insn.space = DRM_VSM_SPACE_SHARED_CLUSTER);
	EXPECT_MALFORMED(insn.u.mbarrier.addr = 8);
	EXPECT_MALFORMED(insn.u.mbarrier.count = 1);
	EXPECT_MALFORMED(insn.u.mbarrier.tx_count = 1);
	EXPECT_MALFORMED(insn.u.mbarrier.parity = 1);
	EXPECT_MALFORMED(insn.u.mbarrier.hint_ns = 1);
	EXPECT_MALFORMED(insn.u.mbarrier.pad = 1);
	EXPECT_MALFORMED(insn.u.mbarrier.state = 1);
	EXPECT_MALFORMED(insn.u.mbarrier.reserved = 1);
	for (sem = 0; sem < 16; sem++)
		EXPECT_MALFORMED(insn.mods = 1 << sem);
}

/* --- INVAL_IN_USE --------------------------------------------------------- */

TEST_F(init, a_refused_inval_leaves_the_object_alive)
{
	struct drm_vsm_wait wait = wait_parity(&self->c, A, 0, -1, 3);
	int set = waitset_create(self->c.fd, 0);
	struct drm_vsm_wait_record record;
	uint32_t info = POISON32;

	ASSERT_EQ(0, waitset_arm(self->c.fd, set, &wait, 1, NULL));
	EXPECT_FAULT(INVAL_IN_USE, exec_fault(&self->c, 0, i_inval(A), &info));
	EXPECT_EQ(0, info);
	EXPECT_EQ(0, exec_one(&self->c, i_arrive(A)));
	EXPECT_EQ(0, exec_one(&self->c, i_arrive(A)));
	/* The wait has ended, although its record has not been read. */
	EXPECT_EQ(0, exec_one(&self->c, i_inval(A)));
	EXPECT_EQ(1, waitset_read(set, &record));
	close(set);
}

/* --- all possible objects -------------------------------------------------- */

#define LARGEST (227 * 1024)
/* The first init in a row of words of this size allocates the shadows of all words of the row. */
#define ROW_BYTES (32 * 8)

TEST_F(init, of_every_word_of_the_largest_cluster_works)
{
	uint32_t i, rank, count = LARGEST / 8, part = vsm_info(self->c.fd).max_exec;
	struct drm_vsm_insn *insns = calloc(count, sizeof(struct drm_vsm_insn));
	uint64_t expected = vsm_mbarrier_init(variant->layout, 1);
	struct cluster c;
	int round;

	ASSERT_LE(count, part);
	/* The second round uses the memory that the first round has freed. */
	for (round = 0; round < repeat(2); round++) {
		ASSERT_EQ(0, cluster_make(&c, self->c.fd, .ctas = 16, .threads = 1024,
					  .smem_bytes = LARGEST, .layout = variant->layout));
		for (rank = 0; rank < 16; rank++) {
			for (i = 0; i < count; i++)
				insns[i] = i_init(AT(rank, 8 * i), 1);
			ASSERT_EQ(0, exec_stream(&c, rank, insns, count, NULL));
			for (i = 0; i < count; i++)
				ASSERT_EQ(expected, word(&c, AT(rank, 8 * i)));
			if (!self->sm_80)
				ASSERT_EQ(0, exec_at(&c, rank, i_fence(), NULL));
		}
		/* Each word works as an mbarrier independently of the others. */
		for (i = 0; i < count; i += 997) {
			rank = i % 16;
			EXPECT_EQ(DRM_VSM_FAULT_INIT_OVER_LIVE,
				  exec_fault(&c, rank, i_init(AT(rank, 8 * i), 1), &part));
			EXPECT_EQ(0, exec_at(&c, rank, i_arrive(AT(rank, 8 * i)), NULL));
			EXPECT_EQ(0, exec_at(&c, rank, i_inval(AT(rank, 8 * i)), NULL));
			if (!self->sm_80 && i + 1 < count)
				EXPECT_EQ(0, exec_at(&c, (rank + 1) % 16,
						     i_sink(i_arrive(AT(rank, 8 * i + 8))), NULL));
		}
		EXPECT_EQ(0, cluster_destroy(&c));
	}
	free(insns);
}

/* A thread whose mbarriers are in rows with those of other threads */
struct beginner {
	const struct cluster *c;
	uint32_t thread;	/* number of the thread, and of its word in each row */
	atomic_int *go;		/* number of threads that are ready to begin */
	int ret;		/* the first error, or 0 */
	pthread_t pthread;
};

static void *beginner_main(void *arg)
{
	struct beginner *b = arg;
	uint32_t i;

	atomic_fetch_add(b->go, 1);
	while (atomic_load(b->go) < 4)
		sched_yield();
	for (i = 0; i < 8 && !b->ret; i++)
		b->ret = exec_as(b->c, 0, b->thread, i_init(512 * i + 8 * b->thread, 2));
	for (i = 0; i < 8 && !b->ret; i++)
		b->ret = exec_as(b->c, 0, b->thread, i_arrive(512 * i + 8 * b->thread));
	return NULL;
}

/* Four threads execute the first inits of a cluster, and of each row, at the same time. */
TEST_F(init, of_neighbours_may_race)
{
	struct beginner b[4];
	int i, j, rounds = repeat(200);

	for (i = 0; i < rounds; i++) {
		struct cluster c;
		atomic_int go = 0;

		ASSERT_EQ(0, cluster_create(&c, self->c.fd, variant->layout,
					    DRM_VSM_POLICY_STRICT));
		for (j = 0; j < 4; j++) {
			b[j] = (struct beginner){ .c = &c, .thread = j, .go = &go };
			ASSERT_EQ(0, pthread_create(&b[j].pthread, NULL, beginner_main, &b[j]));
		}
		for (j = 0; j < 4; j++) {
			pthread_join(b[j].pthread, NULL);
			EXPECT_EQ(0, b[j].ret);
		}
		for (j = 0; j < 32; j++)
			EXPECT_EQ(word_of(variant->layout, 1, 0, 2, 0),
				  word(&c, 512 * (j / 4) + 8 * (j % 4)));
		EXPECT_EQ(0, cluster_destroy(&c));
	}
}

/* A thread that tests each word until it is an mbarrier */
struct onlooker {
	const struct cluster *c;
	uint32_t count;	/* number of words */
	atomic_uint at;	/* index of the word that it tests */
	int ret;	/* the first error, or 0 */
	pthread_t pthread;
};

/* Returns the address of the first word of row @i. Rows are counted over all CTAs. */
static uint32_t row_addr(uint32_t i)
{
	uint32_t rows = LARGEST / ROW_BYTES;

	return AT(i / rows, i % rows * ROW_BYTES);
}

static void *onlooker_main(void *arg)
{
	struct onlooker *o = arg;
	uint32_t i;

	for (i = 0; i < o->count && !o->ret; i++) {
		struct drm_vsm_insn insn = i_test_parity(row_addr(i), 0);

		atomic_store(&o->at, i);
		do {
			o->ret = exec_stream(o->c, row_addr(i) >> 24, &insn, 1, NULL);
		} while (o->ret == -EPROTO && insn.fault == DRM_VSM_FAULT_NOT_AN_MBARRIER);
	}
	/* The thread that executes the inits must not wait for this thread any more. */
	atomic_store(&o->at, UINT32_MAX);
	return NULL;
}

/*
 * A word may become an mbarrier while a test_wait examines it. The test_wait must return, and must
 * not cause the cluster to be marked lost.
 */
TEST_F(init, of_the_first_object_in_a_row_may_race_with_waits)
{
	struct cluster c;
	struct onlooker o = { .c = &c, .count = repeat(4000) };
	uint32_t i;
	int ret = 0;

	ASSERT_EQ(0, cluster_make(&c, self->c.fd, .ctas = 16, .threads = 32, .smem_bytes = LARGEST,
				  .layout = variant->layout));
	ASSERT_EQ(0, pthread_create(&o.pthread, NULL, onlooker_main, &o));
	for (i = 0; i < o.count && !ret; i++) {
		while (atomic_load(&o.at) < i)
			sched_yield();
		ret = exec_at(&c, row_addr(i) >> 24, i_init(row_addr(i), 1), NULL);
	}
	EXPECT_EQ(0, ret);
	pthread_join(o.pthread, NULL);
	EXPECT_EQ(0, o.ret);
	EXPECT_EQ(0, cluster_destroy(&c));
}

TEST_F(init, of_objects_in_many_clusters_works)
{
	enum { CLUSTERS = 500 };
	struct cluster *c = calloc(CLUSTERS, sizeof(*c));
	int i, n = repeat(CLUSTERS);

	for (i = 0; i < n; i++) {
		ASSERT_EQ(0, cluster_make(&c[i], self->c.fd, .ctas = 1, .threads = 32,
					  .smem_bytes = 4096, .layout = variant->layout));
		ASSERT_EQ(0, exec_one(&c[i], i_init(0, 1)));
		ASSERT_EQ(0, exec_one(&c[i], i_init(4088, 2)));
	}
	for (i = 0; i < n; i++) {
		uint64_t token = exec_result(&c[i], i_arrive(4088));

		EXPECT_EQ(0, exec_result(&c[i], i_test_wait(4088, token)));
		EXPECT_FAULT(NOT_AN_MBARRIER, exec_fault(&c[i], 0, i_arrive(8), NULL));
	}
	for (i = 0; i < n; i++)
		EXPECT_EQ(0, cluster_destroy(&c[i]));
	free(c);
}

TEST_HARNESS_MAIN
