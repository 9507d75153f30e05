// SPDX-License-Identifier: GPL-2.0-only
/*
 * EXEC: which arguments it refuses, which instructions it counts as retired, and which memory it
 * may read and write. suspend.c tests suspension, programs.c misuse of mbarriers.
 */
#include "vsm_test.h"

#define A AT(0, 0x40)
#define PAGE 4096
#define PER_PAGE (PAGE / sizeof(struct drm_vsm_insn))
#define MANY 1000000	/* more arrivals than any stream here makes */

FIXTURE(exec)
{
	struct cluster c;
	struct buffer b;
	unsigned char *pages;
};

FIXTURE_SETUP(exec)
{
	ASSERT_EQ(0, cluster_open_plain(&self->c, VSM_LAYOUT_SM_90, DRM_VSM_POLICY_STRICT));
	ASSERT_EQ(0, buffer_create(&self->b, self->c.fd, PAGE));
	ASSERT_EQ(0, exec_one(&self->c, i_init(A, MANY)));
	self->pages = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, self->pages);
}

FIXTURE_TEARDOWN(exec)
{
	EXPECT_EQ(0, cluster_close(&self->c));
}

static uint32_t arrivals(const struct cluster *c)
{
	return MANY - vsm_mbarrier_pending(VSM_LAYOUT_SM_90, word(c, A));
}

/* Makes a stream of arrives at @at. */
static struct drm_vsm_insn *fill(void *at, uint32_t count)
{
	struct drm_vsm_insn *insns = at;
	uint32_t i;

	for (i = 0; i < count; i++)
		insns[i] = i_arrive(A);
	insn_poison(insns, count);
	return insns;
}

#define EXPECT_REFUSED(error, ...) do { \
	struct drm_vsm_insn refused_insn = i_arrive(A); \
	struct drm_vsm_exec refused = exec_args(&self->c, &refused_insn, 1); \
	insn_poison(&refused_insn, 1); \
	__VA_ARGS__; \
	EXPECT_EQ(error, vsm_exec(self->c.fd, &refused)); \
	EXPECT_TRUE(insn_untouched(&refused_insn)); \
} while (0)

TEST_F(exec, malformed_arguments_are_refused_before_anything_runs)
{
	struct drm_vsm_device_info info = vsm_info(self->c.fd);

	EXPECT_REFUSED(-EINVAL, refused.flags = 4);
	EXPECT_REFUSED(-EINVAL, refused.flags = 1U << 31);
	EXPECT_REFUSED(-EINVAL, refused.stride = 0);
	EXPECT_REFUSED(-EINVAL, refused.stride = 56);
	EXPECT_REFUSED(-EINVAL, refused.stride = 68);
	EXPECT_REFUSED(-EINVAL, refused.stride = 65);
	EXPECT_REFUSED(-EINVAL, refused.insns += 4);
	EXPECT_REFUSED(-EINVAL, refused.retired = 2);
	EXPECT_REFUSED(-EINVAL, refused.deadline = -1);
	EXPECT_REFUSED(-EINVAL, refused.cta = 4);
	EXPECT_REFUSED(-EINVAL, refused.cta = 0xffff);
	EXPECT_REFUSED(-EINVAL, refused.thread = 64);
	EXPECT_REFUSED(-EINVAL, refused.thread = 0xffff);
	EXPECT_REFUSED(-E2BIG, refused.count = info.max_exec + 1);
	EXPECT_REFUSED(-E2BIG, refused.count = 0xffffffff);
	EXPECT_REFUSED(-ENOENT, refused.cluster = 0);
	EXPECT_REFUSED(-ENOENT, refused.cluster = 0xffffffff);
	EXPECT_REFUSED(-ENOENT, refused.cluster = self->b.handle);
	EXPECT_EQ(0, arrivals(&self->c));
}

TEST_F(exec, last_cta_and_thread_exist)
{
	struct drm_vsm_insn insn = i_init(AT(3, 8), 2);
	struct drm_vsm_exec args = play_args(&self->c, 3, 63, 0, &insn, 1);

	EXPECT_EQ(0, vsm_exec(self->c.fd, &args));
}

TEST_F(exec, of_nothing_does_nothing)
{
	struct drm_vsm_exec args = exec_args(&self->c, NULL, 0);
	struct drm_vsm_insn insn = i_arrive(A);

	EXPECT_EQ(0, vsm_exec(self->c.fd, &args));
	EXPECT_EQ(0, args.retired);
	args = exec_args(&self->c, &insn, 1);
	args.retired = 1;
	EXPECT_EQ(0, vsm_exec(self->c.fd, &args));
	EXPECT_EQ(0, arrivals(&self->c));
}

/* unit/test_forms.c checks every form of every instruction. */
TEST_F(exec, what_ptx_cannot_spell_is_malformed)
{
	struct drm_vsm_insn malformed[] = {
		{ .op = 0xffff }, i_arrive(A), i_arrive(A), i_arrive(A), i_inval(A),
	};
	uint32_t retired;
	size_t i;

	malformed[1].mods = DRM_VSM_MOD_NOCOMPLETE;
	malformed[2].space = 255;
	malformed[3].u.mbarrier.reserved = 1ULL << 63;
	malformed[4].u.mbarrier.count = 1;
	for (i = 0; i < ITEMS(malformed); i++) {
		struct drm_vsm_insn stream[] = { i_test_parity(A, 0), malformed[i] };

		EXPECT_EQ(-EINVAL, exec_stream(&self->c, 0, stream, 2, &retired));
		EXPECT_EQ(1, retired);
		EXPECT_TRUE(insn_untouched(&stream[1]));
	}
	EXPECT_EQ(0, arrivals(&self->c));
}

/* One stream starts copies in both directions and then waits for them. */
TEST_F(exec, bulk_copies_retire_as_they_are_issued_and_complete_on_their_own)
{
	const uint32_t full = AT(0, 0x80), in = AT(0, 0x100), out = AT(0, 0x200);
	struct drm_vsm_insn stream[] = {
		i_init(full, 1), i_arrive_expect_tx(full, 64),
		i_g2s(in, full, 64, self->b.handle, 0), i_s2g(out, 64, self->b.handle, 1024),
		i_bulk_commit(), i_try_parity(full, 0, LONG_HINT), i_bulk_wait(0),
	};
	const int count = ITEMS(stream);
	uint32_t retired;
	int i;

	memset(self->b.map, 0x3c, 64);
	memset(cluster_mem(&self->c, out), 0x5a, 64);
	EXPECT_EQ(0, exec_stream(&self->c, 0, stream, count, &retired));
	EXPECT_EQ(count, retired);
	for (i = 2; i < count; i++) {
		EXPECT_EQ(i == 5, stream[i].result);
		EXPECT_EQ(0, stream[i].fault);
		EXPECT_EQ(0, stream[i].info);
	}
	EXPECT_EQ(0, memcmp(self->b.map, cluster_mem(&self->c, in), 64));
	EXPECT_EQ(0, memcmp(self->b.map + 1024, cluster_mem(&self->c, out), 64));
	EXPECT_EQ(word_of(VSM_LAYOUT_SM_90, 1, 0, 1, 1), word(&self->c, full));
}

TEST_F(exec, inaccessible_instructions_are_efault)
{
	EXPECT_REFUSED(-EFAULT, refused.insns = 0);
	EXPECT_REFUSED(-EFAULT, refused.insns = 8);
	EXPECT_REFUSED(-EFAULT, refused.insns = 0xffff888000000000);
	EXPECT_REFUSED(-EFAULT, refused.insns = 0xfffffffffffffff8);
	EXPECT_REFUSED(-EFAULT, refused.insns = 0x7fffffffffc8);
	EXPECT_REFUSED(-EFAULT, refused.insns = 0x8000000000000000);
	ASSERT_EQ(0, mprotect(self->pages, PAGE, PROT_NONE));
	EXPECT_REFUSED(-EFAULT, refused.insns = (uintptr_t)self->pages);
	EXPECT_EQ(0, arrivals(&self->c));
}

TEST_F(exec, a_stream_stops_before_an_unmapped_page_and_goes_on_when_it_is_there)
{
	struct drm_vsm_insn *insns = fill(self->pages, 2 * PER_PAGE);
	struct drm_vsm_exec args = exec_args(&self->c, insns, 2 * PER_PAGE);
	int i;

	ASSERT_EQ(0, mprotect(self->pages + PAGE, PAGE, PROT_NONE));
	for (i = 0; i < 3; i++) {
		EXPECT_EQ(-EFAULT, vsm_exec(self->c.fd, &args));
		EXPECT_EQ(PER_PAGE, args.retired);
		EXPECT_EQ(PER_PAGE, arrivals(&self->c));
	}
	ASSERT_EQ(0, mprotect(self->pages + PAGE, PAGE, PROT_READ | PROT_WRITE));
	EXPECT_EQ(0, vsm_exec(self->c.fd, &args));
	EXPECT_EQ(2 * PER_PAGE, args.retired);
	EXPECT_EQ(2 * PER_PAGE, arrivals(&self->c));
}

TEST_F(exec, an_instruction_that_ends_in_an_unmapped_page_does_not_happen)
{
	/* The result fields lie past the end of the page. */
	struct drm_vsm_insn *insn = fill(self->pages + PAGE - 40, 1);
	struct drm_vsm_exec args = exec_args(&self->c, insn, 1);

	ASSERT_EQ(0, munmap(self->pages + PAGE, PAGE));
	EXPECT_EQ(-EFAULT, vsm_exec(self->c.fd, &args));
	EXPECT_EQ(0, args.retired);
	EXPECT_EQ(0, arrivals(&self->c));
}

TEST_F(exec, an_instruction_whose_result_cannot_be_stored_counts)
{
	struct drm_vsm_insn *insns = fill(self->pages, 2 * PER_PAGE);
	struct drm_vsm_exec args = exec_args(&self->c, insns, 2 * PER_PAGE);
	uint32_t i;

	ASSERT_EQ(0, mprotect(self->pages + PAGE, PAGE, PROT_READ));
	/*
	 * Each call stops after the first instruction whose result cannot be stored. The next call
	 * continues after that instruction.
	 */
	for (i = 1; i <= PER_PAGE; i++) {
		EXPECT_EQ(-EFAULT, vsm_exec(self->c.fd, &args));
		EXPECT_EQ(PER_PAGE + i, args.retired);
		EXPECT_EQ(PER_PAGE + i, arrivals(&self->c));
	}
	EXPECT_EQ(0, vsm_exec(self->c.fd, &args));
}

TEST_F(exec, an_argument_that_cannot_be_stored_does_not_count)
{
	struct drm_vsm_exec *args = (struct drm_vsm_exec *)(self->pages + PAGE);

	*args = exec_args(&self->c, fill(self->pages, 1), 1);
	ASSERT_EQ(0, mprotect(args, PAGE, PROT_READ));
	EXPECT_EQ(-EFAULT, vsm_exec(self->c.fd, args));
	EXPECT_EQ(0, args->retired);
	EXPECT_EQ(1, arrivals(&self->c));
}

TEST_F(exec, a_fault_that_cannot_be_stored_is_efault_and_does_not_retire)
{
	struct drm_vsm_insn *insn = (struct drm_vsm_insn *)self->pages;
	struct drm_vsm_exec args = exec_args(&self->c, insn, 1);

	*insn = i_init(A, 1);
	ASSERT_EQ(0, mprotect(self->pages, PAGE, PROT_READ));
	EXPECT_EQ(-EFAULT, vsm_exec(self->c.fd, &args));
	EXPECT_EQ(0, args.retired);
	EXPECT_EQ(0, arrivals(&self->c));
}

TEST_F(exec, bytes_beyond_the_known_instruction_are_left_alone)
{
	static const uint32_t strides[] = { 64, 72, 80, 128, 1024, 4096 };
	size_t i, j;
	uint32_t n;

	for (i = 0; i < ITEMS(strides); i++) {
		unsigned char copy[4 * PAGE];
		struct drm_vsm_exec args =
			exec_args(&self->c, (struct drm_vsm_insn *)self->pages, 4);

		args.stride = strides[i];
		memset(self->pages, 0x5a, 4 * PAGE);
		for (n = 0; n < 4; n++)
			fill(self->pages + n * strides[i], 1);
		memcpy(copy, self->pages, sizeof(copy));
		EXPECT_EQ(0, vsm_exec(self->c.fd, &args));
		EXPECT_EQ(4, args.retired);
		EXPECT_EQ(strides[i], args.stride);
		EXPECT_EQ(4 * (i + 1), arrivals(&self->c));
		for (j = 0; j < sizeof(copy); j++) {
			bool output = j / strides[i] < 4 && j % strides[i] >= 48 &&
				      j % strides[i] < 64;

			ASSERT_TRUE(output || copy[j] == self->pages[j])
				TH_LOG("stride %u, byte %zu", strides[i], j);
		}
		for (n = 0; n < 4; n++) {
			struct drm_vsm_insn *insn =
				(struct drm_vsm_insn *)(self->pages + n * strides[i]);

			EXPECT_EQ(0, insn->fault);
			EXPECT_EQ(0, insn->info);
			EXPECT_EQ(MANY - 4 * i - n,
				  vsm_mbarrier_pending(VSM_LAYOUT_SM_90, insn->result));
		}
	}
}

TEST_F(exec, the_longest_stream_runs_to_its_end)
{
	uint32_t i, count = vsm_info(self->c.fd).max_exec;
	struct drm_vsm_insn *insns = calloc(count, sizeof(struct drm_vsm_insn));
	struct drm_vsm_exec args;

	ASSERT_LE(65536, count);
	ASSERT_NE(NULL, insns);
	args = exec_args(&self->c, fill(insns, count), count);
	EXPECT_EQ(0, vsm_exec(self->c.fd, &args));
	EXPECT_EQ(count, args.retired);
	EXPECT_EQ(count, arrivals(&self->c));
	for (i = 0; i < count; i++)
		ASSERT_EQ(MANY - i, vsm_mbarrier_pending(VSM_LAYOUT_SM_90, insns[i].result));
	free(insns);
}

TEST_F(exec, begins_at_retired)
{
	struct drm_vsm_insn insns[8];
	struct drm_vsm_exec args = exec_args(&self->c, fill(insns, 8), 8);
	int i;

	args.retired = 5;
	EXPECT_EQ(0, vsm_exec(self->c.fd, &args));
	EXPECT_EQ(8, args.retired);
	EXPECT_EQ(3, arrivals(&self->c));
	for (i = 0; i < 8; i++)
		EXPECT_EQ(i < 5, insn_untouched(&insns[i]));
}

TEST_F(exec, leaves_its_inputs_alone)
{
	struct drm_vsm_insn insns[2] = { i_arrive(A), i_arrive(A) };
	struct drm_vsm_exec args = exec_args(&self->c, insns, 2), before;

	args.cta = 0;
	args.thread = 7;
	before = args;
	EXPECT_EQ(0, vsm_exec(self->c.fd, &args));
	before.retired = 2;
	EXPECT_EQ(0, memcmp(&before, &args, sizeof(args)));
	insns[0].result = 0;
	EXPECT_EQ(0, memcmp(&insns[0],
			    &(struct drm_vsm_insn){ .op = DRM_VSM_OP_MBARRIER_ARRIVE,
						    .u.mbarrier.addr = A },
			    sizeof(struct drm_vsm_insn)));
}

/* A stream may lie in a window, whose bytes its instructions change. */
TEST_F(exec, a_stream_may_stand_in_the_aperture)
{
	struct drm_vsm_insn *insns = fill(cluster_mem(&self->c, AT(1, 0)), PER_PAGE);
	struct drm_vsm_exec args = exec_args(&self->c, insns, PER_PAGE);

	EXPECT_EQ(0, vsm_exec(self->c.fd, &args));
	EXPECT_EQ(PER_PAGE, args.retired);
	EXPECT_EQ(PER_PAGE, arrivals(&self->c));

	/* The init makes its own result field an mbarrier. The result then overwrites it. */
	insns[0] = i_init(AT(1, 48), 3);
	args = play_args(&self->c, 1, 0, 0, insns, 1);
	EXPECT_EQ(0, vsm_exec(self->c.fd, &args));
	EXPECT_EQ(0, word(&self->c, AT(1, 48)));
}

TEST_F(exec, handles_are_those_of_the_file)
{
	struct drm_vsm_insn insn = i_arrive(A);
	struct drm_vsm_exec args = exec_args(&self->c, &insn, 1);
	int other = vsm_open();

	ASSERT_LE(0, other);
	EXPECT_EQ(-ENOENT, vsm_exec(other, &args));
	EXPECT_EQ(0, arrivals(&self->c));
	close(other);
}

struct counter {
	const struct cluster *c;
	int ret;
};

static void *arrive_often(void *arg)
{
	struct counter *counter = arg;
	struct drm_vsm_insn insns[100];
	int i;

	for (i = 0; i < 200 && !counter->ret; i++) {
		struct drm_vsm_exec args = exec_args(counter->c, fill(insns, 100), 100);

		counter->ret = vsm_exec(counter->c->fd, &args);
	}
	return NULL;
}

TEST_F(exec, arrivals_of_many_threads_all_count)
{
	struct counter counters[8];
	pthread_t threads[8];
	int i;

	for (i = 0; i < 8; i++) {
		counters[i] = (struct counter){ .c = &self->c };
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, arrive_often, &counters[i]));
	}
	for (i = 0; i < 8; i++) {
		pthread_join(threads[i], NULL);
		EXPECT_EQ(0, counters[i].ret);
	}
	EXPECT_EQ(8 * 200 * 100, arrivals(&self->c));
}

/* --- killed processes ------------------------------------------------------- */

/* Returns how many instructions of a stream have results. */
static uint32_t finished(const volatile struct drm_vsm_insn *insns, uint32_t count)
{
	uint32_t n = 0;

	while (n < count && insns[n].result != POISON)
		n++;
	return n;
}

TEST_F(exec, a_task_that_is_killed_leaves_its_stream_at_once)
{
	uint32_t i, count = vsm_info(self->c.fd).max_exec;
	struct drm_vsm_insn *insns = mmap(NULL, count * sizeof(*insns), PROT_READ | PROT_WRITE,
					  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct drm_vsm_exec args = exec_args(&self->c, insns, count);
	uint32_t killed;
	int round, status;
	pid_t pid;

	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		SKIP(return, "needs a second processor to send the signal");
	ASSERT_NE(MAP_FAILED, insns);
	args.flags = DRM_VSM_EXEC_WARP;
	for (round = 0; round < 5; round++) {
		/*
		 * No other task needs the processor: nothing but the signal interrupts the stream.
		 */
		for (i = 0; i < count; i++)
			insns[i] = i_match_any(i, 0xffffffff);
		insn_poison(insns, count);
		pid = fork_child();
		if (!pid) {
			vsm_exec(self->c.fd, &args);
			_exit(0);
		}
		while (!finished(insns, 1))
			;
		ASSERT_EQ(0, kill(pid, SIGKILL));
		killed = finished(insns, count);
		ASSERT_EQ(pid, waitpid(pid, &status, 0));
		EXPECT_TRUE(WIFSIGNALED(status));
		/* A few instructions that had begun may finish after the signal. */
		EXPECT_GE(killed + 8, finished(insns, count));
	}
	munmap(insns, count * sizeof(*insns));
}

TEST_HARNESS_MAIN
