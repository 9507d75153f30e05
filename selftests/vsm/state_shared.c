// SPDX-License-Identifier: GPL-2.0-only
/*
 * CLUSTER_STATE between clients, users and processes, and while everything changes.
 */
#include <sys/resource.h>
#include <sys/time.h>

#include "driver.h"
#include "groups.h"
#include "rendezvous.h"
#include "state.h"
#include "users.h"

#define A AT(0, 0x40)

FIXTURE(shared)
{
	struct cluster alice, bob;
	struct listing *l;
};

static int open_as(struct cluster *c, unsigned int uid)
{
	int ret = cluster_create(c, vsm_open_as(uid), VSM_LAYOUT_SM_90, DRM_VSM_POLICY_STRICT);

	return ret ? ret : exec_one(c, i_init(A, 1));
}

FIXTURE_SETUP(shared)
{
	self->l = malloc(sizeof(*self->l));
	ASSERT_NE(NULL, self->l);
	ASSERT_EQ(0, open_as(&self->alice, ALICE));
	ASSERT_EQ(0, open_as(&self->bob, BOB));
}

FIXTURE_TEARDOWN(shared)
{
	cluster_close(&self->alice);
	cluster_close(&self->bob);
	free(self->l);
}

static int read_by_number(struct listing *l, int fd, uint32_t number, uint32_t flag)
{
	state_prepare(l, 0, number, flag, MAX_ENTRIES);
	return state_call(l, fd);
}

TEST_F(shared, root_finds_all_clusters_by_number)
{
	uint32_t number[2] = { cluster_number(&self->alice), cluster_number(&self->bob) };
	struct drm_vsm_cluster_state *s = &self->l->args;
	uint32_t i;

	ASSERT_LT(number[0], number[1]);
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, read_by_number(self->l, self->alice.fd, number[i],
					    DRM_VSM_STATE_NUMBER));
		EXPECT_EQ(number[i], s->number);
		EXPECT_EQ(0, s->handle);
		EXPECT_EQ(getpid(), s->pid);
	}
	ASSERT_EQ(0, read_by_number(self->l, self->bob.fd, 0, DRM_VSM_STATE_NEXT));
	EXPECT_EQ(number[0], s->number);
	ASSERT_EQ(0, read_by_number(self->l, self->bob.fd, number[0] + 1, DRM_VSM_STATE_NEXT));
	EXPECT_EQ(number[1], s->number);
	EXPECT_EQ(-ENOENT, read_by_number(self->l, self->bob.fd, number[1] + 1,
					  DRM_VSM_STATE_NEXT));
	EXPECT_EQ(-ENOENT, read_by_number(self->l, self->bob.fd, number[1] + 1,
					  DRM_VSM_STATE_NUMBER));
}

TEST_F(shared, others_find_only_the_clusters_of_their_user)
{
	uint32_t mine = cluster_number(&self->alice), other = cluster_number(&self->bob);
	pid_t pid = fork_child();

	if (!pid) {
		struct listing *l = self->l;

		if (!become_plain(ALICE))
			_exit(1);
		if (read_by_number(l, self->alice.fd, mine, DRM_VSM_STATE_NUMBER))
			_exit(2);
		if (read_by_number(l, self->alice.fd, other, DRM_VSM_STATE_NUMBER) != -ENOENT)
			_exit(3);
		if (read_by_number(l, self->alice.fd, 0, DRM_VSM_STATE_NEXT) ||
		    l->args.number != mine)
			_exit(4);
		if (read_by_number(l, self->alice.fd, mine + 1, DRM_VSM_STATE_NEXT) != -ENOENT)
			_exit(5);
		/* The user is the one who has opened the file. */
		if (read_by_number(l, self->bob.fd, 0, DRM_VSM_STATE_NEXT) ||
		    l->args.number != other)
			_exit(6);
		_exit(0);
	}
	EXPECT_EQ(0, child_status(pid));
}

TEST_F(shared, a_handle_shows_the_waits_of_other_users_without_their_names)
{
	struct drm_vsm_state_entry *e = self->l->entries;
	struct cluster theirs;
	struct drm_vsm_wait wait;
	int set;
	pid_t pid;

	ASSERT_EQ(0, cluster_share(&theirs, self->bob.fd, &self->alice));
	set = waitset_create(theirs.fd, 0);
	wait = wait_parity(&theirs, A, 0, -1, 99);
	ASSERT_EQ(0, waitset_arm(theirs.fd, set, &wait, 1, NULL));
	/* Root sees everything. */
	ASSERT_EQ(0, state_read(self->l, &self->alice));
	ASSERT_EQ(1, self->l->args.total);
	EXPECT_NE(self->l->args.client, e->client);
	EXPECT_EQ(getpid(), e->pid);
	EXPECT_EQ(99, e->user_data);
	pid = fork_child();
	if (!pid) {
		if (!become_plain(ALICE) || state_read(self->l, &self->alice))
			_exit(1);
		if (self->l->args.total != 1 || e->flags != DRM_VSM_STATE_ARMED ||
		    e->insn.u.mbarrier.addr != A)
			_exit(2);
		if (e->client || e->pid || e->tid || e->user_data)
			_exit(3);
		_exit(0);
	}
	EXPECT_EQ(0, child_status(pid));
	close(set);
	cluster_destroy(&theirs);
}

TEST_F(shared, a_task_of_another_process_is_listed_with_its_pid)
{
	struct drm_vsm_state_entry *e = self->l->entries;
	struct drm_vsm_insn wait = i_try_parity(A, 0, LONG_HINT);
	struct drm_vsm_exec args = exec_args(&self->alice, &wait, 1);
	pid_t pid = fork_child();

	if (!pid)
		_exit(vsm_exec(self->alice.fd, &args) || wait.result != 1);
	ASSERT_TRUE(wait_until_blocked(pid, pid, SYS_ioctl));
	ASSERT_EQ(0, state_read(self->l, &self->alice));
	ASSERT_EQ(1, self->l->args.total);
	EXPECT_EQ(pid, e->pid);
	EXPECT_EQ(pid, e->tid);
	EXPECT_EQ(self->l->args.client, e->client);
	EXPECT_EQ(getpid(), self->l->args.pid);
	EXPECT_EQ(0, exec_one(&self->alice, i_arrive(A)));
	EXPECT_EQ(0, child_status(pid));

	/* A task that is killed in its wait leaves nothing behind. */
	ASSERT_EQ(0, exec_look(&self->alice, A));
	wait = i_try_parity(A, 1, LONG_HINT);
	pid = fork_child();
	if (!pid)
		_exit(vsm_exec(self->alice.fd, &args));
	ASSERT_TRUE(wait_until_blocked(pid, pid, SYS_ioctl));
	kill(pid, SIGKILL);
	EXPECT_EQ(-1, child_status(pid));
	ASSERT_EQ(0, state_read(self->l, &self->alice));
	EXPECT_EQ(0, self->l->args.total);
}

/* --- while everything changes ------------------------------------------------------ */

struct racer {
	int fd;
	uint32_t handle;
	atomic_bool stop;
	int errors;
	pthread_t thread;
};

/* Reads the state of a cluster, and of all clusters, until it is told to stop. */
static void *reader(void *arg)
{
	struct listing *l = malloc(sizeof(*l));
	struct racer *r = arg;
	uint32_t i, number;
	int ret;

	while (!atomic_load(&r->stop)) {
		state_prepare(l, r->handle, 0, 0, MAX_ENTRIES);
		r->errors += state_call(l, r->fd) != 0;
		for (i = 0; i < l->args.count && i < MAX_ENTRIES; i++)
			r->errors += !l->entries[i].kind || l->entries[i].kind > DRM_VSM_STATE_JOB;
		for (number = 0; !(ret = read_by_number(l, r->fd, number, DRM_VSM_STATE_NEXT));)
			number = l->args.number + 1;
		r->errors += ret != -ENOENT;
	}
	free(l);
	return NULL;
}

/* Clusters come and go, with a wait, an operation, groups and a thread in a rendezvous in each. */
TEST_F(shared, clusters_and_waits_may_change_while_they_are_listed)
{
	struct racer r = { .fd = self->alice.fd, .handle = self->alice.handle };
	int i, j, count = repeat(300);

	ASSERT_EQ(0, pthread_create(&r.thread, NULL, reader, &r));
	for (i = 0; i < count; i++) {
		struct drm_vsm_insn sync = i_warp_sync(3), job = i_sink(i_arrive(A));
		struct drm_vsm_wait waits[10];
		struct cluster c;
		struct groups g = { .kind = CP_ASYNC };
		int set;

		ASSERT_EQ(0, rv_create(&c, 2, 32, i % 2));
		ASSERT_EQ(0, exec_one(&c, i_init(A, 2)));
		set = waitset_create(c.fd, 0);
		for (j = 0; j < 10; j++)
			waits[j] = wait_parity(&c, A, 0, -1, j);
		ASSERT_EQ(0, waitset_arm(c.fd, set, waits, 10, NULL));
		waits[0] = (struct drm_vsm_wait){
			.cluster = c.handle, .state = (uintptr_t)&sync, .deadline = -1,
			.flags = DRM_VSM_WAIT_INSN,
		};
		ASSERT_EQ(0, waitset_arm(c.fd, set, waits, 1, NULL));
		for (j = 0; j < 10; j++)
			ASSERT_EQ(0, submit_sync(&c, &job, 1, 0, 0));
		ASSERT_EQ(0, groups_init(&g, VSM_LAYOUT_SM_90, DRM_VSM_POLICY_STRICT));
		ASSERT_EQ(0, cluster_hold(&g.c, DRM_VSM_HOLD));
		ASSERT_EQ(0, issue_groups(&g, 0, 5, 0, 2));
		ASSERT_EQ(0, cluster_hold(&g.c, 0));
		ASSERT_EQ(0, play_one(&c, 0, 1, 0, i_exit(), NULL));
		groups_fini(&g);
		if (i % 2)
			close(set);
		cluster_close(&c);
		if (i % 2 == 0)
			close(set);
		/* Here a wait begins and ends all the time. */
		set = waitset_create(self->alice.fd, 0);
		waits[0] = wait_parity(&self->alice, A, i % 2, -1, 0);
		ASSERT_EQ(0, waitset_arm(self->alice.fd, set, waits, 1, NULL));
		ASSERT_EQ(0, exec_one(&self->alice, i_arrive(A)));
		close(set);
	}
	atomic_store(&r.stop, true);
	pthread_join(r.thread, NULL);
	EXPECT_EQ(0, r.errors);
}

static volatile sig_atomic_t signals;

static void count_signal(int signo)
{
	signals++;
}

/*
 * There are so many clients that a call spends most of its time in listing their operations. Most
 * signals therefore come in that part.
 */
TEST_F(shared, a_signal_ends_the_listing_of_the_operations_of_many_clients)
{
	struct itimerval timer = { { 0, 20000 }, { 0, 20000 } }, off = {};
	struct sigaction action = { .sa_handler = count_signal };
	struct rlimit files = { 8192, 8192 };
	int i, ret, before, hit = 0, ended = 0, fds[4000];

	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &files));
	for (i = 0; i < ITEMS(fds); i++)
		ASSERT_LE(0, fds[i] = vsm_open());
	ASSERT_EQ(0, sigaction(SIGALRM, &action, NULL));
	ASSERT_EQ(0, setitimer(ITIMER_REAL, &timer, NULL));
	while (hit < 100) {
		state_prepare(self->l, self->alice.handle, 0, 0, 0);
		before = signals;
		ret = state_call(self->l, self->alice.fd);
		if (ret != -EINTR)
			ASSERT_EQ(0, ret);
		hit += signals != before;
		ended += ret == -EINTR;
	}
	ASSERT_EQ(0, setitimer(ITIMER_REAL, &off, NULL));
	EXPECT_LT(hit / 2, ended) TH_LOG("%d of %d", ended, hit);
	for (i = 0; i < ITEMS(fds); i++)
		close(fds[i]);
}

TEST_F(shared, an_unplugged_device_ends_the_reading)
{
	struct racer r = { .fd = self->alice.fd, .handle = self->alice.handle };

	ASSERT_EQ(0, pthread_create(&r.thread, NULL, reader, &r));
	EXPECT_EQ(0, device_unbind());
	atomic_store(&r.stop, true);
	pthread_join(r.thread, NULL);
	EXPECT_EQ(-ENODEV, state_read(self->l, &self->alice));
	cluster_close(&self->alice);
	cluster_close(&self->bob);
	EXPECT_EQ(0, device_bind());
	ASSERT_EQ(0, open_as(&self->alice, ALICE));
	ASSERT_EQ(0, open_as(&self->bob, BOB));
	EXPECT_EQ(0, state_read(self->l, &self->alice));
}

TEST_HARNESS_MAIN
