// SPDX-License-Identifier: GPL-2.0-only
/*
 * A client or the device ends at each stage of a job and of a thread's copies. Every fence signals,
 * no reference is left, and the device still works.
 */
#include "stages.h"

FIXTURE(stages)
{
	long refs;
};

FIXTURE_SETUP(stages)
{
	const char *lacks = stages_begin(&self->refs);

	if (lacks)
		SKIP(return, "needs %s", lacks);
	ASSERT_LE(0, self->refs);
}

FIXTURE_TEARDOWN(stages)
{
	stages_end();
}

/*
 * Runs in the child, which is another client with the same objects. It writes a byte when the stage
 * has begun.
 */
static void act(struct scene *s, const struct stage *stage, int ready)
{
	int dmabuf, ret = become_client(s, &dmabuf);

	close(dmabuf);
	if (!ret)
		ret = stage->start(s);
	if (ret || close_client(s) || write(ready, "", 1) != 1)
		_exit(1);
	if (stage->stores)
		atomic_store(&s->told->ret, exec_thread_join(&s->waiter));
	while (true)
		pause();
}

static void bring_about(struct __test_metadata *_metadata, struct scene *s,
			const struct stage *stage, pid_t pid)
{
	const int64_t limit = now_ns() + AMPLE;
	const bool happens = stage->outcome->happens[s->how];
	const int ends = stage->outcome->ends[s->how];
	int status, file = -1;

	if (ends) {
		file = fd_of(pid, atomic_load(&s->told->file));
		ASSERT_LE(0, file);
	}
	if (s->how == KILL) {
		ASSERT_EQ(0, kill(pid, SIGKILL));
		ASSERT_EQ(pid, waitpid(pid, &status, 0));
	} else if (s->how == UNBIND) {
		ASSERT_EQ(0, device_unbind());
	} else if (s->how == CLOSE && stage->stores) {
		/*
		 * The suspended call keeps the file open. The store therefore still happens when it
		 * is released.
		 */
		EXPECT_FALSE(happened(s, stage));
		EXPECT_EQ(0, cluster_hold(&s->c, 0));
	} else if (s->how == HANDLES && stage->waits) {
		EXPECT_EQ(0, sync_file_status(file));
		EXPECT_EQ(0, hold_release(&s->hold));
	}
	if (file >= 0)
		EXPECT_EQ(ends, job_end(file)) TH_LOG("%s", stage->name);
	if (stage->stores && s->how != KILL) {
		while (atomic_load(&s->told->ret) > 0 && now_ns() < limit)
			sched_yield();
		EXPECT_EQ(s->how == UNBIND ? -ENODEV : 0, atomic_load(&s->told->ret));
	}
	EXPECT_EQ(happens, happens ? comes_to_happen(s, stage) : happened(s, stage))
		TH_LOG("%s", stage->name);
	if (s->how != HANDLES || !stage->waits)
		hold_release(&s->hold);
	if (s->how != KILL) {
		ASSERT_EQ(0, kill(pid, SIGKILL));
		ASSERT_EQ(pid, waitpid(pid, &status, 0));
	}
	/* The parent's fence has signalled in the meantime. This has changed nothing. */
	EXPECT_EQ(happens, happened(s, stage));
}

static void play(struct __test_metadata *_metadata, enum how how, long refs)
{
	size_t i;

	for (i = 0; i < ITEMS(stages); i++) {
		struct scene s = { .how = how };
		int ready[2];
		char byte;
		pid_t pid;

		ASSERT_EQ(0, make(&s));
		ASSERT_EQ(0, pipe2(ready, O_CLOEXEC));
		pid = fork_child();
		if (!pid)
			act(&s, &stages[i], ready[1]);
		close(ready[1]);
		ASSERT_EQ(1, read(ready[0], &byte, 1)) TH_LOG("%s", stages[i].name);
		close(ready[0]);
		bring_about(_metadata, &s, &stages[i], pid);
		unmake(&s);
		EXPECT_TRUE(is_unused(refs)) TH_LOG("%s", stages[i].name);
		if (how == UNBIND)
			ASSERT_EQ(0, device_bind());
		EXPECT_TRUE(device_works()) TH_LOG("%s", stages[i].name);
	}
}

TEST_F(stages, at_each_the_client_may_close)
{
	play(_metadata, CLOSE, self->refs);
}

TEST_F(stages, at_each_the_client_may_be_killed)
{
	play(_metadata, KILL, self->refs);
}

TEST_F(stages, at_each_the_device_may_go)
{
	play(_metadata, UNBIND, self->refs);
}

TEST_F(stages, at_each_memory_and_handles_may_go)
{
	play(_metadata, HANDLES, self->refs);
}

TEST_HARNESS_MAIN
