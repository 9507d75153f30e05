// SPDX-License-Identifier: GPL-2.0-only
/*
 * Copies between issue and completion: which mbarriers they are bound to, and which faults a
 * completion reports. bound.c tests cp.async.mbarrier.arrive.
 */
#include <sys/resource.h>

#include "copies.h"
#include "driver.h"
#include "scribble.h"

#define TARGET	AT(1, DATA)
#define OBJECT	AT(1, 0x90)	/* another mbarrier of CTA 1 */

FIXTURE(completions)
{
	struct copies s;
	struct drm_vsm_insn reported;
};

FIXTURE_VARIANT(completions) { bool job; };
FIXTURE_VARIANT_ADD(completions, exec) { .job = false };
FIXTURE_VARIANT_ADD(completions, job) { .job = true };

FIXTURE_SETUP(completions)
{
	ASSERT_EQ(0, copies_init(&self->s, variant->job));
}

FIXTURE_TEARDOWN(completions)
{
	EXPECT_EQ(0, poll_events(self->s.c.fd));
	EXPECT_EQ(0, copies_fini(&self->s));
}

/* make() makes copies of these kinds to TARGET. See bytes_of() for their size. */
enum { KINDS = 7 };

static struct drm_vsm_insn make(const struct copies *s, int kind, uint32_t mbar)
{
	static struct drm_vsm_tensor_map map __attribute__((aligned(64)));

	map = (struct drm_vsm_tensor_map){
		.type = DRM_VSM_TENSOR_UINT8, .rank = 1, .mode = DRM_VSM_TENSOR_TILED,
		.buffer = s->b.handle, .size = { 16 }, .box = { 16 }, .element_stride = { 1 },
	};
	switch (kind) {
	case 0:
		return i_g2s(TARGET, mbar, 16, s->b.handle, 0);
	case 1:
		return i_multicast(i_g2s(TARGET, mbar, 16, s->b.handle, 0), 2);
	case 2:
		return i_s2s(TARGET, mbar, 16, DATA);
	case 3:
		return i_reduce(i_s2s(TARGET, mbar, 16, DATA), RED(ADD, U32));
	case 4:
		return i_st_async(TARGET, mbar, 16, 1);
	case 5:
		return i_tensor(TENSOR_G2S, &map, .addr = TARGET, .mbar = mbar);
	default:
		return i_red_async(RED(ADD, U64), TARGET, mbar, 8, 1);
	}
}

static uint32_t bytes_of(int kind)
{
	return kind == KINDS - 1 ? 8 : 16;
}

/* Executes an instruction and returns the fault of its completion. */
static int completion_fault(const struct copies *s, struct drm_vsm_insn insn,
			    struct drm_vsm_insn *reported)
{
	int ret;

	if (s->job)
		return copy_fault(s, 0, insn, reported);
	ret = exec_one(&s->c, insn);
	return ret ? ret : async_fault(&s->c, reported);
}

#define EXPECT_COMPLETION(fault_name, copy, mbar) do { \
	uint64_t before = word(&self->s.c, mbar); \
	EXPECT_EQ(DRM_VSM_FAULT_##fault_name, completion_fault(&self->s, copy, &self->reported)) \
		TH_LOG("kind %d", kind); \
	EXPECT_EQ(before, self->reported.result); \
	EXPECT_EQ(0, self->reported.info); \
	EXPECT_EQ(before, word(&self->s.c, mbar)); \
} while (0)

static int fresh(const struct copies *s, uint32_t addr, uint32_t count)
{
	int ret = exec_at(&s->c, addr >> 24, i_init(addr, count), NULL);

	return ret ? ret : exec_at(&s->c, addr >> 24, i_fence(), NULL);
}

TEST_F(completions, on_an_mbarrier_whose_init_is_pending)
{
	const struct copies *s = &self->s;
	int kind;

	for (kind = 0; kind < KINDS; kind++) {
		ASSERT_EQ(0, exec_at(&s->c, 1, i_init(OBJECT, 1), NULL));
		EXPECT_COMPLETION(INIT_NOT_FENCED, make(s, kind, OBJECT), OBJECT);
		ASSERT_EQ(0, exec_at(&s->c, 1, i_fence(), NULL));
		ASSERT_EQ(0, exec_at(&s->c, 1, i_arrive_expect_tx(OBJECT, bytes_of(kind)), NULL));
		EXPECT_EQ(0, copy_run(s, 0, make(s, kind, OBJECT)));
		EXPECT_EQ(word_of(VSM_LAYOUT_SM_90, 1, 0, 1, 1), word(&s->c, OBJECT));
		EXPECT_EQ(0, exec_at(&s->c, 1, i_inval(OBJECT), NULL));
	}
}

TEST_F(completions, of_more_bytes_than_a_phase_takes)
{
	const struct copies *s = &self->s;
	int kind;

	for (kind = 0; kind < KINDS; kind++) {
		ASSERT_EQ(0, fresh(s, OBJECT, 1));
		ASSERT_EQ(0, exec_at(&s->c, 1, i_arrive_expect_tx(OBJECT, bytes_of(kind) - 4),
				     NULL));
		EXPECT_COMPLETION(TX_OVERDELIVERY, make(s, kind, OBJECT), OBJECT);
		ASSERT_EQ(0, exec_at(&s->c, 1, i_inval(OBJECT), NULL));

		ASSERT_EQ(0, fresh(s, OBJECT, 1));
		ASSERT_EQ(0, exec_at(&s->c, 1, i_complete_tx(OBJECT, 0xfffff - 4), NULL));
		EXPECT_COMPLETION(TX_RANGE, make(s, kind, OBJECT), OBJECT);
		ASSERT_EQ(0, exec_at(&s->c, 1, i_inval(OBJECT), NULL));
	}
}

/* A fault in one window of a multicast does not affect the other windows. */
TEST_F(completions, of_a_multicast_do_not_depend_on_each_other)
{
	const struct copies *s = &self->s;
	uint32_t rank;

	for (rank = 0; rank < CTAS; rank++) {
		uint32_t tx = rank == 2 ? 8 : 64;

		ASSERT_EQ(0, exec_at(&s->c, rank, i_arrive_expect_tx(AT(rank, MBAR), tx), NULL));
	}
	EXPECT_EQ(DRM_VSM_FAULT_TX_OVERDELIVERY,
		  completion_fault(s, i_multicast(i_g2s(DATA, MBAR, 64, s->b.handle, 0), 0xf),
				   &self->reported));
	EXPECT_EQ(word(&s->c, AT(2, MBAR)), self->reported.result);
	for (rank = 0; rank < CTAS; rank++) {
		EXPECT_EQ(0, memcmp(cluster_mem(&s->c, AT(rank, DATA)), s->b.map, 64));
		EXPECT_EQ(rank == 2 ? word_of(VSM_LAYOUT_SM_90, 0, 8, 1, 0) :
				      word_of(VSM_LAYOUT_SM_90, 1, 0, 1, 1),
			  word(&s->c, AT(rank, MBAR)));
		/* No copy is still bound to the mbarrier. */
		EXPECT_EQ(0, exec_at(&s->c, rank, i_inval(AT(rank, MBAR)), NULL));
	}
}

/* --- copies in flight ----------------------------------------------------- */

/* Copies that threads issue while the cluster is held. */
FIXTURE(in_flight)
{
	struct copies s;
	struct drm_vsm_insn reported;
};

FIXTURE_SETUP(in_flight)
{
	ASSERT_EQ(0, copies_init(&self->s, false));
}

FIXTURE_TEARDOWN(in_flight)
{
	EXPECT_EQ(0, poll_events(self->s.c.fd));
	EXPECT_EQ(0, copies_fini(&self->s));
}

TEST_F(in_flight, copies_keep_their_object)
{
	const struct copies *s = &self->s;
	uint32_t kind, info;

	for (kind = 0; kind < KINDS; kind++) {
		struct drm_vsm_insn other = make(s, kind, OBJECT);

		ASSERT_EQ(0, fresh(s, OBJECT, 1));
		ASSERT_EQ(0, cluster_hold(&s->c, DRM_VSM_HOLD));
		ASSERT_EQ(0, exec_one(&s->c, other));
		EXPECT_EQ(DRM_VSM_FAULT_INVAL_IN_USE,
			  exec_fault(&s->c, 1, i_inval(OBJECT), &info)) TH_LOG("kind %u", kind);
		EXPECT_EQ(1, info);
		/* Another copy, to another address, completes on the same mbarrier. */
		ASSERT_EQ(0, exec_one(&s->c, i_st_async(AT(1, 0x800), OBJECT, 4, 0)));
		EXPECT_FAULT(INVAL_IN_USE, exec_fault(&s->c, 1, i_inval(OBJECT), &info));
		EXPECT_EQ(2, info);
		ASSERT_EQ(0, async_release(&s->c));
		EXPECT_EQ(0, exec_at(&s->c, 1, i_inval(OBJECT), NULL));
	}
	fault_drain(s->c.fd);
}

TEST_F(in_flight, a_multicast_keeps_all_its_objects)
{
	const struct copies *s = &self->s;
	uint32_t rank, info;

	ASSERT_EQ(0, cluster_hold(&s->c, DRM_VSM_HOLD));
	ASSERT_EQ(0, exec_one(&s->c, i_multicast(i_g2s(DATA, MBAR, 64, s->b.handle, 0), 0xd)));
	for (rank = 0; rank < CTAS; rank++) {
		if (rank == 1)
			continue;
		EXPECT_FAULT(INVAL_IN_USE, exec_fault(&s->c, rank, i_inval(AT(rank, MBAR)), &info));
		EXPECT_EQ(1, info);
	}
	EXPECT_EQ(0, exec_at(&s->c, 1, i_inval(AT(1, MBAR)), NULL));
	ASSERT_EQ(0, async_release(&s->c));
	for (rank = 0; rank < CTAS; rank++)
		if (rank != 1)
			EXPECT_EQ(0, exec_at(&s->c, rank, i_inval(AT(rank, MBAR)), NULL));
	fault_drain(s->c.fd);
}

/* No thread expected the bytes: the phase completed without them. */
TEST_F(in_flight, copies_that_end_after_their_phase_are_late)
{
	const struct copies *s = &self->s;
	const uint64_t after = word_of(VSM_LAYOUT_SM_90, 1, 0, 1, 1);
	int kind;

	for (kind = 0; kind < KINDS; kind++) {
		ASSERT_EQ(0, fresh(s, OBJECT, 1));
		ASSERT_EQ(0, cluster_hold(&s->c, DRM_VSM_HOLD));
		ASSERT_EQ(0, exec_one(&s->c, make(s, kind, OBJECT)));
		ASSERT_EQ(0, exec_at(&s->c, 1, i_arrive(OBJECT), NULL));
		ASSERT_EQ(after, word(&s->c, OBJECT));
		ASSERT_EQ(0, async_release(&s->c));
		EXPECT_EQ(DRM_VSM_FAULT_LATE_COMPLETION, async_fault(&s->c, &self->reported))
			TH_LOG("kind %d", kind);
		EXPECT_EQ(after, self->reported.result);
		EXPECT_EQ(after, word(&s->c, OBJECT));
		EXPECT_EQ(0, exec_at(&s->c, 1, i_inval(OBJECT), NULL));
	}
}

TEST_F(in_flight, copies_are_in_time_while_their_bytes_are_expected)
{
	const struct copies *s = &self->s;
	int kind;

	ASSERT_EQ(0, fresh(s, OBJECT, 1));
	for (kind = 0; kind < KINDS; kind++) {
		uint64_t parity = word(&s->c, OBJECT) >> 63;

		ASSERT_EQ(0, cluster_hold(&s->c, DRM_VSM_HOLD));
		ASSERT_EQ(0, exec_one(&s->c, make(s, kind, OBJECT)));
		ASSERT_EQ(0, exec_at(&s->c, 1, i_arrive_expect_tx(OBJECT, bytes_of(kind)), NULL));
		EXPECT_EQ(word_of(VSM_LAYOUT_SM_90, 0, bytes_of(kind), 1, parity),
			  word(&s->c, OBJECT));
		ASSERT_EQ(0, async_release(&s->c));
		EXPECT_EQ(word_of(VSM_LAYOUT_SM_90, 1, 0, 1, !parity), word(&s->c, OBJECT));
		ASSERT_EQ(0, exec_look(&s->c, OBJECT));
	}
	EXPECT_EQ(0, exec_at(&s->c, 1, i_inval(OBJECT), NULL));
}

TEST_F(in_flight, copies_over_an_object_that_began_meanwhile_do_not_happen)
{
	const struct copies *s = &self->s;
	unsigned char before[32];
	uint64_t live, idle = word_of(VSM_LAYOUT_SM_90, 1, 0, 1, 0);
	int kind;

	for (kind = 0; kind < KINDS; kind++) {
		ASSERT_EQ(0, fresh(s, OBJECT, 1));
		ASSERT_EQ(0, cluster_hold(&s->c, DRM_VSM_HOLD));
		ASSERT_EQ(0, exec_one(&s->c, make(s, kind, OBJECT)));
		ASSERT_EQ(0, exec_at(&s->c, 1, i_init(TARGET, 5), NULL));
		live = word(&s->c, TARGET);
		memcpy(before, cluster_mem(&s->c, TARGET), sizeof(before));
		ASSERT_EQ(0, async_release(&s->c));
		EXPECT_EQ(DRM_VSM_FAULT_WRITE_OVER_LIVE, async_fault(&s->c, &self->reported))
			TH_LOG("kind %d", kind);
		EXPECT_EQ(TARGET, self->reported.info);
		EXPECT_EQ(live, self->reported.result);
		EXPECT_EQ(0, memcmp(before, cluster_mem(&s->c, TARGET), sizeof(before)));
		EXPECT_EQ(idle, word(&s->c, OBJECT));
		EXPECT_EQ(0, exec_at(&s->c, 1, i_inval(OBJECT), NULL));
		EXPECT_EQ(0, exec_at(&s->c, 1, i_inval(TARGET), NULL));
	}
}

/* A multicast writes to all its windows or to none. */
TEST_F(in_flight, a_multicast_over_an_object_does_not_happen_anywhere)
{
	const struct copies *s = &self->s;
	uint32_t rank;

	ASSERT_EQ(0, cluster_hold(&s->c, DRM_VSM_HOLD));
	ASSERT_EQ(0, exec_one(&s->c, i_multicast(i_g2s(DATA, MBAR, 64, s->b.handle, 0), 0xf)));
	ASSERT_EQ(0, exec_at(&s->c, 3, i_init(AT(3, DATA + 56), 5), NULL));
	memcpy(expected(s, AT(3, DATA + 56)), cluster_mem(&s->c, AT(3, DATA + 56)), 8);
	ASSERT_EQ(0, async_release(&s->c));
	EXPECT_EQ(DRM_VSM_FAULT_WRITE_OVER_LIVE, async_fault(&s->c, &self->reported));
	EXPECT_EQ(AT(3, DATA + 56), self->reported.info);
	EXPECT_TRUE(as_expected(s));
	for (rank = 0; rank < CTAS; rank++)
		EXPECT_EQ(0, exec_at(&s->c, rank, i_inval(AT(rank, MBAR)), NULL));
}

/*
 * A task writes the word all the time, and the worker therefore seldom manages to complete the
 * operation. The operation stays bound: inval succeeds only after the completion, and no completion
 * is late.
 */
TEST_F(in_flight, copies_keep_their_object_however_long_they_take_to_complete)
{
	struct drm_vsm_insn insns[] = {
		i_st_async(DATA, 0x90, 4, 0), i_g2s(DATA, 0x90, 16, self->s.b.handle, 0),
		i_noinc(i_cp_arrive(0x90)), i_cp_arrive(0x90),
	};
	struct scribbler scribbler = { .words = { word_at(&self->s.c, 0x90) }, .used = 1 };
	int round, rounds = repeat(400), ret = 0;
	struct drm_vsm_event_fault event;
	cpu_set_t first;
	char old[64];

	if (sysconf(_SC_NPROCESSORS_ONLN) < 2 || workers_mask("1", old, sizeof(old)))
		SKIP(return, "needs a second processor for the scribbler");
	/* This task runs on the worker's processor, with a higher priority. */
	CPU_ZERO(&first);
	CPU_SET(0, &first);
	ASSERT_EQ(0, sched_setaffinity(0, sizeof(first), &first));
	ASSERT_EQ(0, scribbler_start(&scribbler));
	ASSERT_EQ(0, setpriority(PRIO_PROCESS, 0, -20));
	/*
	 * If the worker never manages to change the word, the driver marks the cluster lost: EIO.
	 */
	for (round = 0; round < rounds && ret != -EIO; round++) {
		ASSERT_EQ(0, exec_one(&self->s.c, i_init(0x90, SCRIBBLED_COUNT)));
		scribbler_await(&scribbler);
		ASSERT_EQ(0, exec_one(&self->s.c, insns[round % ITEMS(insns)]));
		while ((ret = exec_one(&self->s.c, i_inval(0x90))) == -EPROTO) {
			sched_yield();
			ASSERT_EQ(1, fault_read(self->s.c.fd, &event));
			ASSERT_EQ(DRM_VSM_FAULT_INVAL_IN_USE, event.insn.fault);
		}
		if (!ret)
			ret = async_finish(&self->s.c);
		EXPECT_TRUE(!ret || ret == -EIO) TH_LOG("%d", ret);
		EXPECT_EQ(0, poll_events(self->s.c.fd)) TH_LOG("round %d", round);
		fault_drain(self->s.c.fd);
	}
	EXPECT_LT(1, round) TH_LOG("%d rounds", round);
	scribbler_end(&scribbler);
	EXPECT_EQ(0, workers_mask(old, NULL, 0));
}

/*
 * CTA 1 and then CTA 0 copy into the window of CTA 0, where the init of the mbarrier is not visible
 * to CTA 1. The hold launches both copies at once, so that they may be performed together. Only the
 * copy of CTA 1 breaks the rule.
 */
TEST(copies_of_two_ctas_need_the_init_each_for_itself)
{
	const uint32_t mbar = AT(0, 0xa0);
	struct drm_vsm_event_fault event;
	struct copies s;

	ASSERT_EQ(0, copies_init(&s, false));
	ASSERT_EQ(0, exec_one(&s.c, i_init(mbar, 2)));
	ASSERT_EQ(0, exec_one(&s.c, i_expect_tx(mbar, 32)));
	ASSERT_EQ(0, cluster_hold(&s.c, DRM_VSM_HOLD));
	ASSERT_EQ(0, exec_at(&s.c, 1, i_g2s(AT(0, DATA), mbar, 16, s.b.handle, 0),
			     NULL));
	ASSERT_EQ(0, exec_at(&s.c, 0, i_g2s(AT(0, DATA + 16), mbar, 16, s.b.handle, 0),
			     NULL));
	ASSERT_EQ(0, cluster_hold(&s.c, 0));
	ASSERT_EQ(0, cluster_hold(&s.c, DRM_VSM_DRAIN));
	ASSERT_EQ(1, fault_read(s.c.fd, &event));
	EXPECT_EQ(DRM_VSM_FAULT_INIT_NOT_FENCED, event.insn.fault);
	EXPECT_EQ(1, event.cta);
	EXPECT_EQ(0, poll_events(s.c.fd));
	/* The bytes of one copy are missing. */
	EXPECT_EQ(16, vsm_mbarrier_tx(VSM_LAYOUT_SM_90, word(&s.c, mbar)));
	copies_fini(&s);
}

TEST_HARNESS_MAIN
