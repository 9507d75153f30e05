// SPDX-License-Identifier: GPL-2.0-only
/*
 * cp.async and cp.async.mbarrier.arrive: which bytes they move, how and when they change the
 * mbarrier's word, and which of them are refused when they are issued. bound.c tests what may
 * happen before they complete.
 */
#include "async.h"

#define A AT(0, 0x80)
#define DATA 0x400
#define SMEM 4096

FIXTURE(async)
{
	struct cluster c;
	struct buffer b;
	bool sm_80;
};

FIXTURE_VARIANT(async) { uint32_t layout; };
FIXTURE_VARIANT_ADD(async, sm_90) { .layout = VSM_LAYOUT_SM_90 };
FIXTURE_VARIANT_ADD(async, sm_80) { .layout = VSM_LAYOUT_SM_80 };

FIXTURE_SETUP(async)
{
	uint64_t i;

	ASSERT_EQ(0, cluster_open_plain(&self->c, variant->layout, DRM_VSM_POLICY_STRICT));
	ASSERT_EQ(0, buffer_create(&self->b, self->c.fd, 8192));
	ASSERT_EQ(0, exec_one(&self->c, i_init(A, 2)));
	ASSERT_EQ(0, exec_one(&self->c, i_init(END, 1)));
	self->sm_80 = variant->layout == VSM_LAYOUT_SM_80;
	for (i = 0; i < self->b.size; i++)
		self->b.map[i] = i * 7 + (i >> 8) + 1;
}

FIXTURE_TEARDOWN(async)
{
	/* Operations that succeeded have reported no misuse. */
	EXPECT_EQ(0, poll_events(self->c.fd));
	munmap(self->b.map, self->b.size);
	EXPECT_EQ(0, cluster_close(&self->c));
}

/* --- copied bytes --------------------------------------------------------- */

TEST_F(async, copies_move_the_bytes_into_the_own_window)
{
	static const uint32_t sizes[] = { 4, 8, 16 };
	unsigned char before[SMEM];
	uint32_t rank, i, j, cg;

	for (rank = 0; rank < 4; rank++) {
		unsigned char *window = cluster_mem(&self->c, AT(rank, 0));

		for (i = 0; i < 3; i++) {
			for (j = 0; j < 20; j++) {
				uint32_t size = sizes[i], to = DATA + size * (j * 5 % 7);
				uint64_t from = size * (j * 37 % 97) + 16 * (rank + 1) * (j & 3);
				struct drm_vsm_insn insn =
					i_cp_async(AT(rank, to), size, self->b.handle, from);

				cg = size == 16 && j % 2;
				insn.mods |= cg ? DRM_VSM_MOD_CG : 0;
				insn.space = j % 3 ? DRM_VSM_SPACE_GENERIC
						   : DRM_VSM_SPACE_SHARED_CTA;
				memcpy(before, window, SMEM);
				ASSERT_EQ(0, exec_at(&self->c, rank, insn, NULL));
				ASSERT_EQ(0, async_finish(&self->c));
				memcpy(before + to, self->b.map + from, size);
				/* A and END are not compared: async_finish() has changed END. */
				memcpy(before + 0x80, window + 0x80, 16);
				ASSERT_EQ(0, memcmp(before, window, SMEM));
			}
		}
	}
}

TEST_F(async, what_src_size_does_not_copy_is_zero)
{
	static const uint32_t sizes[] = { 4, 8, 16 };
	unsigned char *to = cluster_mem(&self->c, DATA), expected[48];
	uint32_t i, bytes;

	for (i = 0; i < 4; i++) {
		uint32_t size = sizes[i < 3 ? i : 2];

		for (bytes = 0; bytes <= size; bytes++) {
			struct drm_vsm_insn insn =
				i_src_size(i_cp_async(DATA + 16, size, self->b.handle, 64), bytes);

			insn.mods |= i == 3 ? DRM_VSM_MOD_CG : 0;
			memset(to, 0x77, 48);
			memset(expected, 0x77, 48);
			memset(expected + 16, 0, size);
			memcpy(expected + 16, self->b.map + 64, bytes);
			ASSERT_EQ(0, exec_one(&self->c, insn));
			ASSERT_EQ(0, async_finish(&self->c));
			EXPECT_EQ(0, memcmp(expected, to, 48));
		}
	}
}

TEST_F(async, the_ends_of_window_and_buffer_can_be_reached)
{
	struct drm_vsm_insn insns[] = {
		i_cp_async(SMEM - 4, 4, self->b.handle, self->b.size - 4),
		i_cp_async(SMEM - 16, 8, self->b.handle, self->b.size - 8),
		i_cp_async(SMEM - 32, 16, self->b.handle, self->b.size - 16),
		/* A src-size of 0 reads nothing: the source may lie past the end of the buffer. */
		i_src_size(i_cp_async(SMEM - 48, 16, self->b.handle, self->b.size), 0),
	};

	memset(cluster_mem(&self->c, SMEM - 48), 0x77, 48);
	ASSERT_EQ(0, exec_stream(&self->c, 0, insns, 4, NULL));
	ASSERT_EQ(0, async_finish(&self->c));
	EXPECT_EQ(0, memcmp(cluster_mem(&self->c, SMEM - 4), self->b.map + self->b.size - 4, 4));
	EXPECT_EQ(0, memcmp(cluster_mem(&self->c, SMEM - 16), self->b.map + self->b.size - 8, 8));
	EXPECT_EQ(0, memcmp(cluster_mem(&self->c, SMEM - 32), self->b.map + self->b.size - 16, 16));
	EXPECT_EQ(0, *(uint64_t *)cluster_mem(&self->c, SMEM - 48));
	EXPECT_EQ(0, *(uint64_t *)cluster_mem(&self->c, SMEM - 40));
}

TEST_F(async, nothing_happens_while_the_cluster_is_held_and_all_on_release)
{
	enum { COPIES = 200, CHANGED = 100 };
	struct drm_vsm_insn insns[COPIES];
	uint64_t *to = cluster_mem(&self->c, DATA);
	int i;

	ASSERT_EQ(0, cluster_hold(&self->c, DRM_VSM_HOLD));
	for (i = 0; i < COPIES; i++)
		insns[i] = i_cp_async(DATA + 8 * i, 8, self->b.handle, 8 * i);
	ASSERT_EQ(0, exec_stream(&self->c, 0, insns, COPIES, NULL));
	for (i = 0; i < COPIES; i++) {
		EXPECT_EQ(0, insns[i].result);
		EXPECT_EQ(0, insns[i].fault);
		EXPECT_EQ(0, insns[i].info);
	}
	for (i = 0; i < 100; i++)
		sched_yield();
	for (i = 0; i < COPIES; i++)
		EXPECT_EQ(0, to[i]);
	/* Copies read their source when they execute, after the release. */
	memset(self->b.map, 0x3c, 8 * CHANGED);
	ASSERT_EQ(0, async_release(&self->c));
	EXPECT_EQ(0, memcmp(self->b.map, to, 8 * COPIES));
}

/* A wait that one of the copies ends has its record when the call returns. */
TEST_F(async, a_drain_returns_when_all_has_happened)
{
	enum { COPIES = 200 };
	struct drm_vsm_insn insns[COPIES + 1];
	struct drm_vsm_wait_record record;
	struct drm_vsm_wait armed = wait_parity(&self->c, A, 0, -1, 7);
	int i, set = waitset_create(self->c.fd, DRM_VSM_WAITSET_NONBLOCK);

	ASSERT_LE(0, set);
	ASSERT_EQ(0, cluster_hold(&self->c, DRM_VSM_HOLD));
	for (i = 0; i < COPIES; i++)
		insns[i] = i_cp_async(DATA + 8 * i, 8, self->b.handle, 8 * i);
	insns[COPIES] = i_noinc(i_cp_arrive(A));
	ASSERT_EQ(0, exec_stream(&self->c, 0, insns, COPIES + 1, NULL));
	ASSERT_EQ(0, exec_one(&self->c, i_arrive(A)));
	ASSERT_EQ(0, waitset_arm(self->c.fd, set, &armed, 1, NULL));
	EXPECT_EQ(-1, read(set, &record, sizeof(record)));
	EXPECT_EQ(EAGAIN, errno);
	ASSERT_EQ(0, cluster_hold(&self->c, DRM_VSM_DRAIN));
	EXPECT_EQ(0, memcmp(self->b.map, cluster_mem(&self->c, DATA), 8 * COPIES));
	ASSERT_EQ(sizeof(record), read(set, &record, sizeof(record)));
	EXPECT_EQ(7, record.user_data);
	EXPECT_EQ(DRM_VSM_WAIT_COMPLETE, record.status);
	EXPECT_EQ(0, close(set));
}

TEST_F(async, a_drain_does_not_wait_for_another_cluster_that_is_held)
{
	uint64_t *to = cluster_mem(&self->c, DATA);
	struct cluster other;

	ASSERT_EQ(0, cluster_create(&other, self->c.fd, variant->layout, 0));
	ASSERT_EQ(0, cluster_hold(&self->c, DRM_VSM_HOLD));
	ASSERT_EQ(0, exec_one(&self->c, i_cp_async(DATA, 8, self->b.handle, 0)));
	ASSERT_EQ(0, exec_one(&other, i_cp_async(DATA, 8, self->b.handle, 0)));
	ASSERT_EQ(0, cluster_hold(&other, DRM_VSM_DRAIN));
	EXPECT_EQ(*(uint64_t *)self->b.map, *(uint64_t *)cluster_mem(&other, DATA));
	EXPECT_EQ(0, *to);
	ASSERT_EQ(0, cluster_hold(&self->c, DRM_VSM_DRAIN));
	EXPECT_EQ(*(uint64_t *)self->b.map, *to);
	EXPECT_EQ(0, cluster_destroy(&other));
}

TEST_F(async, hold_and_drain_exclude_each_other)
{
	EXPECT_EQ(-EINVAL, cluster_hold(&self->c, DRM_VSM_HOLD | DRM_VSM_DRAIN));
	EXPECT_EQ(-EINVAL, cluster_hold(&self->c, 4));
}

/*
 * Several copies write to the same address, and the data of the last one issued must remain. The
 * strict policy does not allow such copies: the test uses the hardware policy.
 */
TEST_F(async, on_release_all_happens_in_the_order_of_issue)
{
	enum { COPIES = 200, PLACES = 64 };
	struct drm_vsm_insn insns[COPIES];
	struct cluster c;
	uint64_t *to;
	int i;

	ASSERT_EQ(0, cluster_create(&c, self->c.fd, variant->layout, DRM_VSM_POLICY_HARDWARE));
	ASSERT_EQ(0, exec_one(&c, i_init(END, 1)));
	ASSERT_EQ(0, cluster_hold(&c, DRM_VSM_HOLD));
	for (i = 0; i < COPIES; i++)
		insns[i] = i_cp_async(DATA + 8 * (i % PLACES), 8, self->b.handle, 8 * i);
	ASSERT_EQ(0, exec_stream(&c, 0, insns, COPIES, NULL));
	ASSERT_EQ(0, async_release(&c));
	to = cluster_mem(&c, DATA);
	for (i = COPIES - PLACES; i < COPIES; i++)
		EXPECT_EQ(((uint64_t *)self->b.map)[i], to[i % PLACES]);
	EXPECT_EQ(0, cluster_destroy(&c));
}

/* --- changes of the mbarrier's word --------------------------------------- */

TEST_F(async, an_arrive_is_a_transaction_on_sm_90_and_an_arrival_on_sm_80_until_it_happens)
{
	uint32_t layout = variant->layout;
	int i;

	ASSERT_EQ(0, cluster_hold(&self->c, DRM_VSM_HOLD));
	for (i = 1; i <= 5; i++) {
		EXPECT_EQ(0, exec_result(&self->c, i_cp_arrive(A)));
		EXPECT_EQ(word_of(layout, 2 + (self->sm_80 ? i : 0), i, 2, 0), word(&self->c, A));
	}
	ASSERT_EQ(0, cluster_hold(&self->c, 0));
	ASSERT_EQ(0, async_finish(&self->c));
	EXPECT_EQ(word_of(layout, 2, 0, 2, 0), word(&self->c, A));

	/*
	 * Both arrivals that the phase counts have been made. It now waits only for the
	 * asynchronous arrive.
	 */
	ASSERT_EQ(0, cluster_hold(&self->c, DRM_VSM_HOLD));
	ASSERT_EQ(0, exec_one(&self->c, i_cp_arrive(A)));
	ASSERT_EQ(0, exec_one(&self->c, i_arrive(A)));
	ASSERT_EQ(0, exec_one(&self->c, i_arrive(A)));
	EXPECT_EQ(word_of(layout, self->sm_80 ? 1 : 0, 1, 2, 0), word(&self->c, A));
	EXPECT_EQ(0, exec_result(&self->c, i_test_parity(A, 0)));
	ASSERT_EQ(0, cluster_hold(&self->c, 0));
	ASSERT_EQ(0, async_finish(&self->c));
	EXPECT_EQ(word_of(layout, 2, 0, 2, 1), word(&self->c, A));
	EXPECT_EQ(1, exec_result(&self->c, i_test_parity(A, 0)));
}

TEST_F(async, a_noinc_arrive_changes_nothing_until_it_arrives)
{
	uint32_t layout = variant->layout;

	ASSERT_EQ(0, cluster_hold(&self->c, DRM_VSM_HOLD));
	EXPECT_EQ(0, exec_result(&self->c, i_noinc(i_cp_arrive(A))));
	EXPECT_EQ(word_of(layout, 2, 0, 2, 0), word(&self->c, A));
	ASSERT_EQ(0, cluster_hold(&self->c, 0));
	ASSERT_EQ(0, async_finish(&self->c));
	EXPECT_EQ(word_of(layout, 1, 0, 2, 0), word(&self->c, A));

	ASSERT_EQ(0, cluster_hold(&self->c, DRM_VSM_HOLD));
	EXPECT_EQ(0, exec_one(&self->c, i_noinc(i_cp_arrive(A))));
	EXPECT_EQ(word_of(layout, 1, 0, 2, 0), word(&self->c, A));
	ASSERT_EQ(0, cluster_hold(&self->c, 0));
	ASSERT_EQ(0, async_finish(&self->c));
	EXPECT_EQ(word_of(layout, 2, 0, 2, 1), word(&self->c, A));
}

/* An asynchronous arrive without earlier copies completes at once. */
TEST_F(async, an_arrive_alone_arrives)
{
	int i;

	for (i = 0; i < 50; i++) {
		ASSERT_EQ(0, exec_one(&self->c, i_noinc(i_cp_arrive(A))));
		ASSERT_EQ(0, exec_one(&self->c, i_cp_arrive(A)));
		ASSERT_EQ(0, exec_one(&self->c, i_noinc(i_cp_arrive(A))));
		ASSERT_EQ(0, await_phase(&self->c, A, i % 2));
		ASSERT_EQ(0, async_finish(&self->c));
		EXPECT_EQ(word_of(variant->layout, 2, 0, 2, !(i % 2)), word(&self->c, A));
	}
}

TEST_F(async, qualifiers_of_state_space_are_taken_and_others_refused)
{
	struct drm_vsm_insn insn = i_noinc(i_cp_arrive(A));

	insn.space = DRM_VSM_SPACE_SHARED_CTA;
	EXPECT_EQ(0, exec_one(&self->c, insn));
	insn.sem = DRM_VSM_SEM_RELEASE;
	insn.scope = DRM_VSM_SCOPE_CTA;
	EXPECT_EQ(-EPROTO, exec_stream(&self->c, 0, &insn, 1, NULL));
	EXPECT_EQ(DRM_VSM_FAULT_BAD_ORDER, insn.fault);
	insn = i_cp_async(DATA, 4, self->b.handle, 0);
	insn.sem = DRM_VSM_SEM_RELEASE;
	EXPECT_EQ(-EPROTO, exec_stream(&self->c, 0, &insn, 1, NULL));
	EXPECT_EQ(DRM_VSM_FAULT_BAD_ORDER, insn.fault);
	ASSERT_EQ(0, async_finish(&self->c));
	fault_drain(self->c.fd);
}

/* --- PTX's examples ------------------------------------------------------- */

static int exec_thread(const struct cluster *c, uint32_t thread, struct drm_vsm_insn *insns,
		       uint32_t count)
{
	struct drm_vsm_exec args = play_args(c, 0, thread, 0, insns, count);
	int ret;

	insn_poison(insns, count);
	ret = vsm_exec(c->fd, &args);
	return ret ? ret : args.retired == count ? 0 : -EBADMSG;
}

/*
 * Executes this loop of PTX's examples:
 *
 * waitLoop: mbarrier.test_wait p, [shMem], state; @!p bra waitLoop;
 */
static int wait_loop(const struct cluster *c, uint32_t addr, uint64_t state)
{
	uint64_t result = 0;
	int ret = 0;

	while (!ret && !result) {
		ret = exec_at(c, 0, i_test_wait(addr, state), &result);
		sched_yield();
	}
	return ret;
}

/* Example 1 of PTX ISA 9.7.13.15.15, executed by 8 threads for 30 phases. */
TEST_F(async, example_1_without_noinc)
{
	enum { THREADS = 8 };
	uint32_t thread, phase;
	uint64_t state;

	ASSERT_EQ(0, exec_one(&self->c, i_inval(A)));
	ASSERT_EQ(0, exec_one(&self->c, i_init(A, THREADS)));
	for (phase = 0; phase < 30; phase++) {
		for (thread = 0; thread < THREADS; thread++) {
			uint32_t at = DATA + 32 * thread, from = 32 * (thread + phase);
			struct drm_vsm_insn insns[] = {
				i_cp_async(at, 4, self->b.handle, from),
				i_cp_async(at + 16, 16, self->b.handle, from + 16),
				i_cp_arrive(A),
				i_arrive(A),
			};

			insns[1].mods |= DRM_VSM_MOD_CG;
			ASSERT_EQ(0, exec_thread(&self->c, thread, insns, 4));
			state = insns[3].result;
		}
		ASSERT_EQ(0, wait_loop(&self->c, A, state));
		for (thread = 0; thread < THREADS; thread++) {
			unsigned char *at = cluster_mem(&self->c, DATA + 32 * thread);
			unsigned char *from = self->b.map + 32 * (thread + phase);

			ASSERT_EQ(0, memcmp(at, from, 4));
			ASSERT_EQ(0, memcmp(at + 16, from + 16, 16));
		}
		ASSERT_EQ(word_of(variant->layout, THREADS, 0, THREADS, !(phase % 2)),
			  word(&self->c, A));
	}
}

/* Example 2 of PTX ISA 9.7.13.15.15. The init's count includes the asynchronous arrives. */
TEST_F(async, example_2_with_noinc)
{
	enum { THREADS = 8, EACH = 3 };
	uint32_t thread, phase, i;
	uint64_t state;

	ASSERT_EQ(0, exec_one(&self->c, i_inval(A)));
	ASSERT_EQ(0, exec_one(&self->c, i_init(A, THREADS + THREADS * EACH)));
	for (phase = 0; phase < 30; phase++) {
		for (thread = 0; thread < THREADS; thread++) {
			struct drm_vsm_insn insns[3 * EACH + 1];

			for (i = 0; i < EACH; i++) {
				uint32_t at = DATA + 128 * thread + 32 * i;
				uint64_t from = 32 * (thread + phase + i);

				insns[3 * i] = i_cp_async(at, 4, self->b.handle, from);
				insns[3 * i + 1] =
					i_cp_async(at + 16, 16, self->b.handle, from + 16);
				insns[3 * i + 2] = i_noinc(i_cp_arrive(A));
			}
			insns[3 * EACH] = i_arrive(A);
			ASSERT_EQ(0, exec_thread(&self->c, thread, insns, 3 * EACH + 1));
			state = insns[3 * EACH].result;
		}
		ASSERT_EQ(0, wait_loop(&self->c, A, state));
		for (thread = 0; thread < THREADS; thread++)
			for (i = 0; i < EACH; i++)
				ASSERT_EQ(0, memcmp(cluster_mem(&self->c,
								DATA + 128 * thread + 32 * i + 16),
						    self->b.map + 32 * (thread + phase + i) + 16,
						    16));
	}
}

/* --- many copies ---------------------------------------------------------- */

TEST_F(async, a_hundred_thousand_copies_go_through_a_window_of_four_phases)
{
	enum { STAGES = 4, COPIES = 8, ROUNDS = 12500 };
	uint64_t *source = (uint64_t *)self->b.map;
	int i, j, rounds = repeat(ROUNDS);

	for (i = 0; i < STAGES; i++)
		ASSERT_EQ(0, exec_one(&self->c, i_init(0x100 + 8 * i, 1)));
	for (i = 0; i < rounds + STAGES - 1; i++) {
		struct drm_vsm_insn insns[COPIES + 2];
		int stage = i % STAGES, done = i - (STAGES - 1), n = 0;
		uint32_t full = 0x100 + 8 * (done % STAGES);
		volatile uint64_t *data;

		if (i < rounds) {
			for (j = 0; j < COPIES; j++) {
				source[stage * COPIES + j] = (uint64_t)i << 8 | j;
				insns[n++] = i_cp_async(DATA + 64 * stage + 8 * j, 8,
							self->b.handle, 64 * stage + 8 * j);
			}
			insns[n++] = i_noinc(i_cp_arrive(0x100 + 8 * stage));
		}
		if (!self->sm_80 && done >= 0)
			insns[n++] = i_try_parity(full, done / STAGES % 2, LONG_HINT);
		ASSERT_EQ(0, exec_stream(&self->c, 0, insns, n, NULL));
		if (done < 0)
			continue;
		if (self->sm_80)
			ASSERT_EQ(0, await_phase(&self->c, full, done / STAGES % 2));
		EXPECT_TRUE(self->sm_80 || insns[n - 1].result);
		data = cluster_mem(&self->c, DATA + 64 * (done % STAGES));
		for (j = COPIES - 1; j >= 0; j--)
			ASSERT_EQ((uint64_t)done << 8 | j, data[j]);
	}
}

/* A task that checks that each copy completes before its arrive */
struct copier {
	const struct cluster *c;
	const struct buffer *b;
	uint32_t n;	/* index of the task, from 0 */
	int rounds;	/* number of copies */
	int error;	/* first error, -EBADMSG if a copy completed after its arrive, or 0 */
	atomic_bool done;
	pthread_t thread;
};

static void *copier_main(void *arg)
{
	struct copier *t = arg;
	uint32_t bar = AT(0, 0x100 + 8 * t->n), at = AT(0, 0x400 + 16 * t->n);
	volatile uint64_t *source = (uint64_t *)(t->b->map + 16 * t->n), *data;
	int i;

	data = cluster_mem(t->c, at);
	t->error = exec_one(t->c, i_init(bar, 1));
	for (i = 0; i < t->rounds && !t->error; i++) {
		struct drm_vsm_insn insns[] = {
			i_cp_async(at, 16, t->b->handle, 16 * t->n), i_noinc(i_cp_arrive(bar)),
		};

		source[0] = i + 1;
		t->error = exec_stream(t->c, 0, insns, 2, NULL);
		if (!t->error)
			t->error = await_phase(t->c, bar, i % 2);
		if (!t->error && data[0] != i + 1)
			t->error = -EBADMSG;
	}
	atomic_store(&t->done, true);
	return NULL;
}

/*
 * Operations that threads issue during a release execute after the released ones. All of them
 * complete.
 */
TEST_F(async, a_cluster_is_held_and_released_beside_those_who_copy)
{
	struct copier t[4];
	int i, running = 4;

	for (i = 0; i < 4; i++) {
		t[i] = (struct copier){
			.c = &self->c, .b = &self->b, .n = i, .rounds = repeat(2000),
		};
		ASSERT_EQ(0, pthread_create(&t[i].thread, NULL, copier_main, &t[i]));
	}
	while (running) {
		ASSERT_EQ(0, cluster_hold(&self->c, DRM_VSM_HOLD));
		sched_yield();
		ASSERT_EQ(0, cluster_hold(&self->c, 0));
		for (i = 0, running = 0; i < 4; i++)
			running += !atomic_load(&t[i].done);
	}
	for (i = 0; i < 4; i++) {
		pthread_join(t[i].thread, NULL);
		EXPECT_EQ(0, t[i].error) TH_LOG("copier %d", i);
	}
}

/* --- instructions that are refused ---------------------------------------- */

#define EXPECT_MALFORMED(insn, ...) do { \
	struct drm_vsm_insn malformed = insn; \
	struct drm_vsm_insn *m = &malformed; \
	__VA_ARGS__; \
	EXPECT_EQ(-EINVAL, exec_one(&self->c, malformed)); \
} while (0)

TEST_F(async, what_ptx_cannot_spell_is_malformed)
{
	const struct drm_vsm_insn copy = i_cp_async(DATA, 16, self->b.handle, 0);
	const struct drm_vsm_insn small = i_cp_async(DATA, 4, self->b.handle, 0);
	const struct drm_vsm_insn arrive = i_cp_arrive(A);
	static const uint32_t sizes[] = { 0, 1, 2, 3, 5, 6, 7, 12, 15, 17, 24, 32, 0x80000010 };
	size_t i;

	for (i = 0; i < ITEMS(sizes); i++) {
		EXPECT_MALFORMED(copy, m->u.copy.size = sizes[i]);
		EXPECT_MALFORMED(copy, m->u.copy.size = sizes[i], m->mods = DRM_VSM_MOD_CG);
	}
	EXPECT_MALFORMED(small, m->mods = DRM_VSM_MOD_CG);
	EXPECT_MALFORMED(small, m->mods = DRM_VSM_MOD_CG, m->u.copy.size = 8);
	EXPECT_MALFORMED(copy, m->u.copy.mbar = A);
	EXPECT_MALFORMED(copy, m->u.copy.src_size = 4);
	EXPECT_MALFORMED(copy, m->u.copy.mask = 1);
	EXPECT_MALFORMED(copy, m->u.copy.pad = 1);
	EXPECT_MALFORMED(copy, m->u.copy.src = DATA + 64);
	EXPECT_MALFORMED(copy, m->u.copy.reserved = 1);
	EXPECT_MALFORMED(copy, m->u.copy.reserved = 1U << 31);
	EXPECT_MALFORMED(copy, m->red = 1);
	EXPECT_MALFORMED(copy, m->space = 3);
	EXPECT_MALFORMED(copy, m->sem = 4);
	EXPECT_MALFORMED(copy, m->scope = 3);
	EXPECT_MALFORMED(arrive, m->u.mbarrier.count = 1);
	EXPECT_MALFORMED(arrive, m->u.mbarrier.tx_count = 1);
	EXPECT_MALFORMED(arrive, m->u.mbarrier.parity = 1);
	EXPECT_MALFORMED(arrive, m->u.mbarrier.state = 1);
	EXPECT_MALFORMED(arrive, m->u.mbarrier.hint_ns = 1);
	EXPECT_MALFORMED(arrive, m->u.mbarrier.pad = 1);
	EXPECT_MALFORMED(arrive, m->u.mbarrier.reserved = 1);
	EXPECT_MALFORMED(arrive, m->red = 1);
	EXPECT_MALFORMED(arrive, m->space = 3);
	for (i = 0; i < 16; i++) {
		if (1 << i != DRM_VSM_MOD_NOINC)
			EXPECT_MALFORMED(arrive, m->mods = 1 << i);
		if (1 << i != DRM_VSM_MOD_CG && 1 << i != DRM_VSM_MOD_SRC_SIZE)
			EXPECT_MALFORMED(copy, m->mods = 1 << i);
	}
}

TEST_F(async, misuse_is_named_as_it_is_issued)
{
	const uint32_t buffer = self->b.handle;
	const struct {
		uint32_t fault;
		struct drm_vsm_insn insn;
	} bad[] = {
		{ DRM_VSM_FAULT_COPY_SIZE, i_src_size(i_cp_async(DATA, 4, buffer, 0), 5) },
		{ DRM_VSM_FAULT_COPY_SIZE, i_src_size(i_cp_async(DATA, 16, buffer, 0), 17) },
		{ DRM_VSM_FAULT_COPY_SIZE, i_src_size(i_cp_async(DATA, 8, buffer, 0), ~0U) },
		{ DRM_VSM_FAULT_MISALIGNED, i_cp_async(DATA + 2, 4, buffer, 0) },
		{ DRM_VSM_FAULT_MISALIGNED, i_cp_async(DATA + 4, 8, buffer, 0) },
		{ DRM_VSM_FAULT_MISALIGNED, i_cp_async(DATA + 8, 16, buffer, 0) },
		{ DRM_VSM_FAULT_MISALIGNED, i_cp_async(DATA, 4, buffer, 2) },
		{ DRM_VSM_FAULT_MISALIGNED, i_cp_async(DATA, 8, buffer, 4) },
		{ DRM_VSM_FAULT_MISALIGNED, i_cp_async(DATA, 16, buffer, 8) },
		{ DRM_VSM_FAULT_OUT_OF_WINDOW, i_cp_async(SMEM, 4, buffer, 0) },
		{ DRM_VSM_FAULT_OUT_OF_WINDOW, i_cp_async(SMEM, 16, buffer, 0) },
		{ DRM_VSM_FAULT_OUT_OF_WINDOW, i_cp_async(0xfffff0, 16, buffer, 0) },
		{ DRM_VSM_FAULT_OUT_OF_WINDOW, i_cp_async(AT(4, DATA), 4, buffer, 0) },
		{ DRM_VSM_FAULT_REMOTE_FORBIDDEN, i_cp_async(AT(1, DATA), 4, buffer, 0) },
		{ DRM_VSM_FAULT_COPY_BOUNDS, i_cp_async(DATA, 4, buffer, 8192) },
		{ DRM_VSM_FAULT_COPY_BOUNDS, i_cp_async(DATA, 16, buffer, ~0xfULL) },
		{ DRM_VSM_FAULT_COPY_BOUNDS, i_cp_async(DATA, 8, buffer, 1ULL << 32) },
		{ DRM_VSM_FAULT_COPY_BOUNDS, i_src_size(i_cp_async(DATA, 4, buffer, 8192), 1) },
		{ DRM_VSM_FAULT_MISALIGNED, i_cp_arrive(A + 4) },
		{ DRM_VSM_FAULT_OUT_OF_WINDOW, i_cp_arrive(SMEM) },
		{ DRM_VSM_FAULT_OUT_OF_WINDOW, i_cp_arrive(AT(4, 0)) },
		{ DRM_VSM_FAULT_REMOTE_FORBIDDEN, i_cp_arrive(AT(1, 0)) },
		{ DRM_VSM_FAULT_REMOTE_FORBIDDEN, i_noinc(i_cp_arrive(AT(1, 0))) },
		{ DRM_VSM_FAULT_NOT_AN_MBARRIER, i_cp_arrive(DATA) },
		{ DRM_VSM_FAULT_NOT_AN_MBARRIER, i_noinc(i_cp_arrive(DATA)) },
	};
	size_t i;

	for (i = 0; i < ITEMS(bad); i++) {
		struct drm_vsm_insn insns[] = { bad[i].insn, i_arrive_nocomplete(A, 1) };
		struct drm_vsm_exec args = exec_args(&self->c, insns, 2);

		insn_poison(insns, 2);
		EXPECT_EQ(-EPROTO, vsm_exec(self->c.fd, &args)) TH_LOG("case %zu", i);
		EXPECT_EQ(0, args.retired);
		EXPECT_EQ(bad[i].fault, insns[0].fault) TH_LOG("case %zu", i);
		EXPECT_EQ(0, insns[0].result);
		EXPECT_EQ(0, insns[0].info);
		EXPECT_TRUE(insn_untouched(&insns[1]));
	}
	for (i = 0; i < 2 && !self->sm_80; i++) {
		struct drm_vsm_insn insn =
			i ? i_cp_arrive(A) : i_cp_async(DATA, 4, self->b.handle, 0);

		insn.space = DRM_VSM_SPACE_SHARED_CLUSTER;
		EXPECT_EQ(-EPROTO, exec_stream(&self->c, 0, &insn, 1, NULL));
		EXPECT_EQ(DRM_VSM_FAULT_REMOTE_FORBIDDEN, insn.fault);
	}
	ASSERT_EQ(0, async_finish(&self->c));
	EXPECT_EQ(word_of(variant->layout, 2, 0, 2, 0), word(&self->c, A));
	EXPECT_EQ(0, *(uint64_t *)cluster_mem(&self->c, DATA));
	fault_drain(self->c.fd);
}

TEST_F(async, buffers_are_those_of_the_file)
{
	int other = vsm_open();
	struct buffer b;

	ASSERT_EQ(0, buffer_create(&b, other, 4096));
	EXPECT_EQ(-ENOENT, exec_one(&self->c, i_cp_async(DATA, 4, 0, 0)));
	EXPECT_EQ(-ENOENT, exec_one(&self->c, i_cp_async(DATA, 4, 0xffff, 0)));
	EXPECT_EQ(-ENOENT, exec_one(&self->c, i_cp_async(DATA, 4, self->c.handle, 0)));
	ASSERT_EQ(0, gem_close(self->b.fd, self->b.handle));
	EXPECT_EQ(-ENOENT, exec_one(&self->c, i_cp_async(DATA, 4, self->b.handle, 0)));
	munmap(b.map, b.size);
	close(other);
	ASSERT_EQ(0, async_finish(&self->c));
	EXPECT_EQ(0, *(uint32_t *)cluster_mem(&self->c, DATA));
}

TEST_HARNESS_MAIN
