// SPDX-License-Identifier: GPL-2.0-only
/*
 * EXEC for lanes: several threads of a warp execute one instruction each, in one call that does not
 * suspend. EXEC for a batch of such calls.
 */
#include "lanes.h"

#define MBAR	0x40
#define SHADOWS	4	/* mbarriers of the random test */

FIXTURE(lanes) { struct cluster c; };

FIXTURE_SETUP(lanes)
{
	ASSERT_EQ(0, rv_create(&self->c, 1, 80, DRM_VSM_POLICY_STRICT));
}

FIXTURE_TEARDOWN(lanes)
{
	rv_destroy(&self->c);
}

/* --- malformed calls ------------------------------------------------------------ */

static int malformed(struct cluster *c, void (*change)(struct drm_vsm_exec *args))
{
	struct drm_vsm_insn insns[LANES];
	struct drm_vsm_exec args;
	int i, ret;

	for (i = 0; i < LANES; i++)
		insns[i] = i_warp_sync(ALL_LANES);
	args = lanes_args(c, 0, 0x7, insns);
	change(&args);
	ret = vsm_exec(c->fd, &args);
	return ret == -EINVAL && (args.retired == 0 || args.retired > args.count) ? 0 : -EBADMSG;
}

#define MALFORMED(name, ...)						\
static void change_##name(struct drm_vsm_exec *args)			\
{									\
	__VA_ARGS__;							\
}									\
TEST_F(lanes, malformed_##name)						\
{									\
	EXPECT_EQ(0, malformed(&self->c, change_##name));		\
}

MALFORMED(with_no_limit, args->flags |= DRM_VSM_EXEC_NO_LIMIT)
MALFORMED(with_warp, args->flags |= DRM_VSM_EXEC_WARP)
MALFORMED(lanes_without_the_flag, args->flags = 0)
MALFORMED(suspended_without_the_flag, args->flags = 0; args->lanes = 0; args->suspended = 1)
MALFORMED(no_lane, args->lanes = 0; args->count = 0)
MALFORMED(fewer_instructions_than_lanes, args->count = 2)
MALFORMED(more_instructions_than_lanes, args->count = 4)
MALFORMED(retired_above_count, args->retired = 4)
MALFORMED(thread_in_the_middle_of_a_warp, args->thread = 1)
MALFORMED(no_such_cta, args->cta = 1)
MALFORMED(no_such_warp, args->thread = 96)
MALFORMED(a_lane_that_does_not_exist, args->thread = 64; args->lanes = 0x10003)
MALFORMED(suspended_lane_outside_the_call, args->suspended = 8)
MALFORMED(a_deadline, args->deadline = 1)
MALFORMED(a_short_stride, args->stride = 56)
MALFORMED(an_odd_stride, args->stride = 68)
MALFORMED(an_odd_address, args->insns += 4)

/* Instructions that differ in more than their operands are refused before one is executed. */
TEST_F(lanes, heads_must_be_equal)
{
	struct drm_vsm_insn insns[3];
	struct drm_vsm_exec args;
	int i, j;

	ASSERT_EQ(0, exec_one(&self->c, i_init(MBAR, 9)));
	for (i = 0; i < 6; i++) {
		for (j = 0; j < 3; j++)
			insns[j] = i_arrive(MBAR);
		switch (i) {
		case 0:
			insns[2].op = OP(MBARRIER_ARRIVE_DROP);
			break;
		case 1:
			insns[2] = i_sink(insns[2]);
			break;
		case 2:
			insns[2].space = DRM_VSM_SPACE_SHARED_CTA;
			break;
		case 3:
			insns[2].sem = DRM_VSM_SEM_RELEASE;
			break;
		case 4:
			insns[2].scope = DRM_VSM_SCOPE_CTA;
			break;
		default:
			insns[2].red = 1;
		}
		args = lanes_args(&self->c, 0, 0x7, insns);
		EXPECT_EQ(-EINVAL, vsm_exec(self->c.fd, &args));
		EXPECT_EQ(0, args.retired);
	}
	EXPECT_EQ(vsm_mbarrier_init(VSM_LAYOUT_SM_90, 9), word(&self->c, MBAR));
}

/* The instructions before a malformed one are retired, as in a stream. */
TEST_F(lanes, malformed_operands_stop_at_their_lane)
{
	struct drm_vsm_insn insns[3] = { i_arrive(MBAR), i_arrive(MBAR), i_arrive(MBAR) };
	struct drm_vsm_exec args = lanes_args(&self->c, 0, 0x7, insns);

	ASSERT_EQ(0, exec_one(&self->c, i_init(MBAR, 9)));
	insns[1].u.mbarrier.parity = 1;
	EXPECT_EQ(-EINVAL, vsm_exec(self->c.fd, &args));
	EXPECT_EQ(1, args.retired);
	EXPECT_EQ(vsm_mbarrier_init(VSM_LAYOUT_SM_90, 9) + (1ULL << 43), word(&self->c, MBAR));
}

TEST_F(lanes, unreadable_instructions)
{
	struct drm_vsm_exec args = lanes_args(&self->c, 0, 0x3, NULL);

	EXPECT_EQ(-EFAULT, vsm_exec(self->c.fd, &args));
	args.insns = 8;
	EXPECT_EQ(-EFAULT, vsm_exec(self->c.fd, &args));
	args.insns = ~0ULL << 12;
	args.stride = 0xfffffff8;
	EXPECT_EQ(-EFAULT, vsm_exec(self->c.fd, &args));
	EXPECT_EQ(0, args.retired);
}

/* The instructions have taken effect, even if their results cannot be stored. */
TEST_F(lanes, unwritable_results)
{
	struct drm_vsm_insn *insns = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
					  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct drm_vsm_exec args;
	int i;

	ASSERT_NE(MAP_FAILED, insns);
	for (i = 0; i < LANES; i++)
		insns[i] = i_arrive(MBAR);
	ASSERT_EQ(0, exec_one(&self->c, i_init(MBAR, 40)));
	ASSERT_EQ(0, mprotect(insns, 4096, PROT_READ));
	args = lanes_args(&self->c, 0, ALL_LANES, insns);
	EXPECT_EQ(-EFAULT, vsm_exec(self->c.fd, &args));
	EXPECT_EQ(LANES, args.retired);
	EXPECT_EQ(8, vsm_mbarrier_pending(VSM_LAYOUT_SM_90, word(&self->c, MBAR)));
	munmap(insns, 4096);
}

/* --- mbarriers -------------------------------------------------------------------- */

TEST_F(lanes, a_warp_arrives)
{
	uint64_t tokens[LANES], old = vsm_mbarrier_init(VSM_LAYOUT_SM_90, 64);
	int i;

	ASSERT_EQ(0, exec_one(&self->c, i_init(MBAR, 64)));
	ASSERT_EQ(0, exec_same(&self->c, 32, ALL_LANES, i_arrive(MBAR), tokens, NULL));
	for (i = 0; i < LANES; i++)
		EXPECT_EQ((old + i * (1ULL << 43)) >> 32, tokens[i] >> 32);
	EXPECT_EQ(32, vsm_mbarrier_pending(VSM_LAYOUT_SM_90, word(&self->c, MBAR)));
	ASSERT_EQ(0, exec_same(&self->c, 0, ALL_LANES, i_arrive(MBAR), NULL, NULL));
	EXPECT_EQ(1, exec_result(&self->c, i_test_wait(MBAR, tokens[31])));
}

/* A try_wait returns at once, and only completed phases are complete. */
TEST_F(lanes, a_try_wait_does_not_suspend)
{
	uint64_t results[LANES];
	int i;

	ASSERT_EQ(0, exec_one(&self->c, i_init(MBAR, 1)));
	ASSERT_EQ(0, exec_same(&self->c, 0, ALL_LANES, i_try_parity_unlimited(MBAR, 0), results,
			       NULL));
	for (i = 0; i < LANES; i++)
		EXPECT_EQ(0, results[i]);
	ASSERT_EQ(0, exec_one(&self->c, i_arrive(MBAR)));
	ASSERT_EQ(0, exec_same(&self->c, 0, ALL_LANES, i_try_parity(MBAR, 0, LONG_HINT), results,
			       NULL));
	for (i = 0; i < LANES; i++)
		EXPECT_EQ(1, results[i]);
}

/* Each lane has its own operands and its own result. */
TEST_F(lanes, operands_are_by_lane)
{
	struct drm_vsm_insn insns[LANES];
	int i;

	for (i = 0; i < 8; i++)
		insns[i] = i_init(MBAR + 8 * i, 1 + i);
	ASSERT_EQ(0, exec_lanes(&self->c, 0, 0xff000000, insns, NULL));
	for (i = 0; i < 8; i++)
		EXPECT_EQ(vsm_mbarrier_init(VSM_LAYOUT_SM_90, 1 + i), word(&self->c, MBAR + 8 * i));
}

/* A refused lane leaves the lanes before it retired, and the same call continues behind it. */
TEST_F(lanes, a_refused_lane_stops_the_call)
{
	struct drm_vsm_insn insns[4] = {
		i_arrive(MBAR), i_arrive(MBAR), i_arrive(MBAR + 8), i_arrive(MBAR),
	};
	struct drm_vsm_exec args = lanes_args(&self->c, 0, 0x99, insns);
	struct drm_vsm_event_fault event;

	ASSERT_EQ(0, exec_one(&self->c, i_init(MBAR, 9)));
	EXPECT_EQ(-EPROTO, vsm_exec(self->c.fd, &args));
	EXPECT_EQ(2, args.retired);
	EXPECT_EQ(FAULT(NOT_AN_MBARRIER), insns[2].fault);
	EXPECT_EQ(7, vsm_mbarrier_pending(VSM_LAYOUT_SM_90, word(&self->c, MBAR)));
	ASSERT_EQ(1, fault_read(self->c.fd, &event));
	EXPECT_EQ(4, event.thread);
	args.retired = 3;
	EXPECT_EQ(0, vsm_exec(self->c.fd, &args));
	EXPECT_EQ(4, args.retired);
	EXPECT_EQ(6, vsm_mbarrier_pending(VSM_LAYOUT_SM_90, word(&self->c, MBAR)));
}

/* --- batches ------------------------------------------------------------------------ */

#define WARPS	3	/* warps of the cluster; the last has 16 threads */

/* A barrier of all threads, as one call for each warp */
struct barrier {
	struct drm_vsm_insn insns[WARPS][LANES];
	struct drm_vsm_exec calls[WARPS];
	struct drm_vsm_exec batch;
};

static void barrier_make(struct cluster *c, struct barrier *b)
{
	int i, j;

	memset(b, 0, sizeof(*b));
	for (i = 0; i < WARPS; i++) {
		for (j = 0; j < LANES; j++)
			b->insns[i][j] = i_barrier_red(DRM_VSM_RED_POPC, 0, j % 2);
		b->calls[i] = lanes_args(c, LANES * i, i < 2 ? ALL_LANES : 0xffff, b->insns[i]);
	}
	b->batch = (struct drm_vsm_exec){
		.insns = (uintptr_t)b->calls, .stride = sizeof(b->calls[0]), .count = WARPS,
		.flags = DRM_VSM_EXEC_BATCH,
	};
}

/* The last warp completes the barrier. The others get their results with the next batch. */
TEST_F(lanes, a_batch_meets_at_a_barrier)
{
	struct barrier b;
	int i, j;

	barrier_make(&self->c, &b);
	ASSERT_EQ(0, vsm_exec(self->c.fd, &b.batch));
	EXPECT_EQ(WARPS, b.batch.retired);
	for (i = 0; i < WARPS; i++) {
		EXPECT_EQ(b.calls[i].count, b.calls[i].retired);
		EXPECT_EQ(i < 2 ? ALL_LANES : 0, b.calls[i].suspended);
		b.calls[i].retired = 0;
	}
	EXPECT_EQ(40, b.insns[2][15].result);
	b.batch.count = 2;
	b.batch.retired = 0;
	ASSERT_EQ(0, vsm_exec(self->c.fd, &b.batch));
	for (i = 0; i < 2; i++) {
		EXPECT_EQ(0, b.calls[i].suspended);
		for (j = 0; j < LANES; j++)
			EXPECT_EQ(40, b.insns[i][j].result);
	}
}

/* The calls before a refused one have ended, and the same batch continues. */
TEST_F(lanes, a_refused_lane_stops_the_batch)
{
	struct drm_vsm_event_fault event;
	struct barrier b;

	barrier_make(&self->c, &b);
	b.insns[1][3].u.barrier.barrier = 16;
	EXPECT_EQ(-EPROTO, vsm_exec(self->c.fd, &b.batch));
	EXPECT_EQ(1, b.batch.retired);
	EXPECT_EQ(ALL_LANES, b.calls[0].suspended);
	EXPECT_EQ(3, b.calls[1].retired);
	EXPECT_EQ(0, b.calls[2].retired);
	ASSERT_EQ(1, fault_read(self->c.fd, &event));
	EXPECT_EQ(35, event.thread);
	b.insns[1][3].u.barrier.barrier = 0;
	EXPECT_EQ(0, vsm_exec(self->c.fd, &b.batch));
	EXPECT_EQ(WARPS, b.batch.retired);
	EXPECT_EQ(0, b.calls[2].suspended);
	EXPECT_EQ(40, b.insns[2][0].result);
}

TEST_F(lanes, a_batch_is_for_several_clusters)
{
	struct cluster other;
	struct barrier b;

	ASSERT_EQ(0, cluster_make(&other, self->c.fd, .ctas = 1, .threads = 32, .smem_bytes = 16));
	barrier_make(&self->c, &b);
	b.calls[1].cluster = other.handle;
	b.calls[1].thread = 0;
	b.calls[2].cluster = 0xdead;
	EXPECT_EQ(-ENOENT, vsm_exec(self->c.fd, &b.batch));
	EXPECT_EQ(2, b.batch.retired);
	EXPECT_EQ(ALL_LANES, b.calls[0].suspended);
	EXPECT_EQ(0, b.calls[1].suspended);
	EXPECT_EQ(16, b.insns[1][0].result);
	EXPECT_EQ(0, cluster_destroy(&other));
}

/* Returns what a batch returns whose second call, or which itself, was changed. */
static int malformed_batch(struct cluster *c, uint32_t at,
			   void (*change)(struct cluster *c, struct drm_vsm_exec *batch,
					  struct drm_vsm_exec *call))
{
	struct barrier b;
	int ret;

	barrier_make(c, &b);
	change(c, &b.batch, &b.calls[1]);
	ret = vsm_exec(c->fd, &b.batch);
	return b.batch.retired == at && b.calls[0].suspended == (at ? ALL_LANES : 0) ? ret
										     : -EBADMSG;
}

#define MALFORMED_BATCH(name, error, at, ...)					\
static void change_batch_##name(struct cluster *c, struct drm_vsm_exec *batch,	\
				struct drm_vsm_exec *call)			\
{										\
	__VA_ARGS__;								\
}										\
TEST_F(lanes, malformed_batch_##name)						\
{										\
	EXPECT_EQ(error, malformed_batch(&self->c, at, change_batch_##name));	\
}

MALFORMED_BATCH(with_lanes, -EINVAL, 0, batch->flags |= DRM_VSM_EXEC_LANES)
MALFORMED_BATCH(with_warp, -EINVAL, 0, batch->flags |= DRM_VSM_EXEC_WARP)
MALFORMED_BATCH(a_cluster, -EINVAL, 0, batch->cluster = c->handle)
MALFORMED_BATCH(a_cta, -EINVAL, 0, batch->cta = 1)
MALFORMED_BATCH(a_thread, -EINVAL, 0, batch->thread = 1)
MALFORMED_BATCH(a_deadline, -EINVAL, 0, batch->deadline = 1)
MALFORMED_BATCH(a_lane, -EINVAL, 0, batch->lanes = 1)
MALFORMED_BATCH(a_suspended_lane, -EINVAL, 0, batch->suspended = 1)
MALFORMED_BATCH(a_site, -EINVAL, 0, batch->site = 1)
MALFORMED_BATCH(pad, -EINVAL, 0, batch->pad = 1)
MALFORMED_BATCH(a_short_stride, -EINVAL, 0, batch->stride -= 8)
MALFORMED_BATCH(an_odd_stride, -EINVAL, 0, batch->stride += 4)
MALFORMED_BATCH(an_odd_address, -EINVAL, 0, batch->insns += 4)
MALFORMED_BATCH(too_many_calls, -E2BIG, 0, batch->count = vsm_info(c->fd).max_exec + 1)
MALFORMED_BATCH(no_memory_there, -EFAULT, 0, batch->insns = 8)
MALFORMED_BATCH(a_stream_in_it, -EINVAL, 1, call->flags = 0)
MALFORMED_BATCH(a_batch_in_it, -EINVAL, 1, *call = *batch)
MALFORMED_BATCH(a_malformed_call, -EINVAL, 1, call->thread++)

TEST_F(lanes, malformed_batch_retired_above_count)
{
	struct barrier b;

	barrier_make(&self->c, &b);
	b.batch.retired = WARPS + 1;
	EXPECT_EQ(-EINVAL, vsm_exec(self->c.fd, &b.batch));
	b.batch.retired = WARPS;
	EXPECT_EQ(0, vsm_exec(self->c.fd, &b.batch));
	EXPECT_EQ(0, b.calls[0].suspended);
}

/* The call has taken effect, even if its arguments cannot be written. */
TEST_F(lanes, an_unwritable_call_of_a_batch)
{
	struct drm_vsm_exec *calls = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
					  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct barrier b;

	ASSERT_NE(MAP_FAILED, calls);
	barrier_make(&self->c, &b);
	memcpy(calls, b.calls, sizeof(b.calls));
	b.batch.insns = (uintptr_t)calls;
	ASSERT_EQ(0, mprotect(calls, 4096, PROT_READ));
	EXPECT_EQ(-EFAULT, vsm_exec(self->c.fd, &b.batch));
	EXPECT_EQ(0, b.batch.retired);
	ASSERT_EQ(0, mprotect(calls, 4096, PROT_READ | PROT_WRITE));
	EXPECT_EQ(0, vsm_exec(self->c.fd, &b.batch));
	EXPECT_EQ(40, b.insns[2][0].result);
	munmap(calls, 4096);
}

/* --- both ways ---------------------------------------------------------------------- */

/* Executes what one call for lanes executes, by one call for each lane. */
static int one_by_one(const struct cluster *c, struct drm_vsm_exec *args)
{
	struct drm_vsm_insn *insns = (struct drm_vsm_insn *)(uintptr_t)args->insns;
	uint32_t lane, index = 0;

	for (lane = 0; lane < LANES; lane++) {
		struct drm_vsm_exec one = play_args(c, 0, args->thread + lane, 0, NULL, 1);
		int ret;

		if (!(args->lanes >> lane & 1))
			continue;
		if (index++ < args->retired)
			continue;
		one.insns = (uintptr_t)&insns[args->retired];
		ret = vsm_exec(c->fd, &one);
		if (ret)
			return ret;
		args->retired++;
	}
	return 0;
}

static struct drm_vsm_insn random_insn(uint64_t *seed, unsigned int op, uint64_t token)
{
	uint32_t addr = MBAR + 8 * (random_next(seed) % SHADOWS);
	uint32_t n = random_next(seed) % 8 ? 1 + random_next(seed) % 3 : random_next(seed) % 40;

	switch (op) {
	case 0:
		return i_init(addr, 1 + random_next(seed) % 80);
	case 1:
		return i_inval(addr);
	case 2:
	case 3:
		return i_arrive(addr);
	case 4:
		return i_arrive_n(addr, n);
	case 5:
		return i_sink(i_arrive(addr));
	case 6:
		return i_drop(i_arrive(addr));
	case 7:
		return i_arrive_expect_tx(addr, n);
	case 8:
		return i_expect_tx(addr, n);
	case 9:
		return i_complete_tx(addr, n);
	case 10:
		return i_test_parity(addr, random_next(seed) % 2);
	case 11:
		return i_try_parity(addr, random_next(seed) % 2, 0);
	case 12:
		return i_test_wait(addr, token);
	case 13:
		return i_arrive_nocomplete(addr, n);
	case 14:
		return i_pending_count(token);
	default:
		return i_fence();
	}
}

/* Makes random instructions of one operation. Neighbours often have equal operands. */
static uint32_t random_lanes(uint64_t *seed, struct drm_vsm_insn *insns, uint64_t token)
{
	static const uint32_t some[] = { ALL_LANES, ALL_LANES, 0xffff, 0x80000001, 0xff0, 1 << 9 };
	uint32_t i, mask = random_next(seed) % 2 ? some[random_next(seed) % ITEMS(some)]
						 : random_next(seed) | 1 << 3;
	unsigned int op = random_next(seed) % 16, same = random_next(seed) % 3;

	for (i = 0; i < LANES; i++)
		if (i && random_next(seed) % (same == 0 ? 2 : same == 1 ? 12 : 1000))
			insns[i] = insns[i - 1];
		else
			insns[i] = random_insn(seed, op, token);
	return mask;
}

/* The same program in two clusters, one of which executes it lane by lane */
struct both {
	struct cluster c[2];	/* the clusters */
	uint64_t token;		/* a token of the program */
};

/* Executes one random call both ways. Returns 1 if the cluster is lost, or a negative errno. */
static int compare_call(struct both *both, uint64_t *seed)
{
	struct drm_vsm_insn insns[2][LANES];
	struct drm_vsm_exec args[2];
	uint32_t mask, i;
	int ret[2];

	mask = random_lanes(seed, insns[0], both->token);
	insn_poison(insns[0], LANES);
	memcpy(insns[1], insns[0], sizeof(insns[0]));
	args[0] = lanes_args(&both->c[0], 0, mask, insns[0]);
	args[1] = lanes_args(&both->c[1], 0, mask, insns[1]);
	do {
		ret[0] = vsm_exec(both->c[0].fd, &args[0]);
		ret[1] = one_by_one(&both->c[1], &args[1]);
		if (ret[0] != ret[1] || args[0].retired != args[1].retired || args[0].suspended ||
		    memcmp(insns[0], insns[1], sizeof(insns[0])))
			return -EBADMSG;
		for (i = 0; i < SHADOWS; i++)
			if (word(&both->c[0], MBAR + 8 * i) != word(&both->c[1], MBAR + 8 * i))
				return -EILSEQ;
		if (ret[0] == -EIO)
			return 1;
		if (ret[0] && ret[0] != -EPROTO && ret[0] != -EOPNOTSUPP)
			return ret[0];
		args[0].retired += !!ret[0];
		args[1].retired += !!ret[0];
	} while (ret[0]);
	both->token = insns[0][random_next(seed) % __builtin_popcount(mask)].result;
	return 0;
}

static int compare_program(uint64_t *seed, const struct drm_vsm_cluster_create *shape)
{
	struct drm_vsm_cluster_create args = *shape;
	struct both both = { .token = 0 };
	uint32_t i;
	int ret;

	ret = cluster_open(&both.c[0], &args);
	if (ret)
		return ret;
	ret = cluster_open(&both.c[1], &args);
	for (i = 0; !ret && i < SHADOWS; i++) {
		uint32_t count = 1 + random_next(seed) % 80;

		ret = exec_one(&both.c[0], i_init(MBAR + 8 * i, count)) ?:
		      exec_one(&both.c[1], i_init(MBAR + 8 * i, count));
	}
	for (i = 0; !ret && i < 200; i++)
		ret = compare_call(&both, seed);
	cluster_close(&both.c[0]);
	cluster_close(&both.c[1]);
	return ret < 0 ? ret : 0;
}

FIXTURE(both_ways)
{
};

FIXTURE_VARIANT(both_ways)
{
	uint32_t layout;
	uint32_t policy;
	uint64_t report;
	uint64_t enforce;
};

FIXTURE_SETUP(both_ways) {}

FIXTURE_TEARDOWN(both_ways) {}

FIXTURE_VARIANT_ADD(both_ways, strict) {
	.layout = VSM_LAYOUT_SM_90, .policy = DRM_VSM_POLICY_STRICT,
};

FIXTURE_VARIANT_ADD(both_ways, hardware) {
	.layout = VSM_LAYOUT_SM_90, .policy = DRM_VSM_POLICY_HARDWARE,
};

FIXTURE_VARIANT_ADD(both_ways, sm_80) {
	.layout = VSM_LAYOUT_SM_80, .policy = DRM_VSM_POLICY_STRICT,
};

FIXTURE_VARIANT_ADD(both_ways, reporting) {
	.layout = VSM_LAYOUT_SM_90, .policy = DRM_VSM_POLICY_STRICT, .report = REPORTABLE,
};

FIXTURE_VARIANT_ADD(both_ways, letter_of_ptx) {
	.layout = VSM_LAYOUT_SM_90, .policy = DRM_VSM_POLICY_STRICT,
	.enforce = RULE(PHASE_UNOBSERVED),
};

/* One call for lanes does the same as one call for each lane: words, results and faults. */
TEST_F(both_ways, give_the_same)
{
	const struct drm_vsm_cluster_create shape = {
		.ctas = 1, .threads = 32, .smem_bytes = 4096, .layout = variant->layout,
		.policy = variant->policy, .report = variant->report, .enforce = variant->enforce,
	};
	uint64_t seed = 7;
	int i;

	for (i = 0; i < repeat(60); i++) {
		uint64_t begin = seed;

		ASSERT_EQ(0, compare_program(&seed, &shape)) {
			TH_LOG("seed %#llx", (unsigned long long)begin);
		}
	}
}

TEST_HARNESS_MAIN
