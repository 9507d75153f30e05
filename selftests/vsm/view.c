// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a reader may see of other clients: the state and the events of a cluster that users share,
 * and clusters inside and outside of user namespaces. CLUSTER_STATE while everything changes.
 */
#include <sys/resource.h>
#include <sys/time.h>

#include "async.h"
#include "driver.h"
#include "groups.h"
#include "recorder.h"
#include "rendezvous.h"
#include "state.h"
#include "users.h"

#define A AT(0, 0x40)
#define OFFSET 256
#define SITE 77
#define MAX_SHARERS 64		/* VSM_MAX_SHARERS of the driver */

/* Alice has created the cluster, and Bob has a handle of it. Both may use one memory. */
FIXTURE(view)
{
	struct cluster alice, bob;
	struct buffer b;
	struct events *e;
	struct listing *l;
	uint32_t client;
};

static int view_open(struct cluster *c, unsigned int uid)
{
	return cluster_make(c, vsm_open_as(uid), .ctas = 1, .threads = 32, .smem_bytes = 4096,
			    .trace_events = MAX_EVENTS) ? : exec_one(c, i_init(A, 1));
}

/* Stores the number of the client that has created an object. */
static int client_of(int fd, uint32_t handle, uint32_t *client)
{
	struct drm_vsm_object_info info = { .handle = handle };
	int ret = vsm_ioctl(fd, DRM_IOCTL_VSM_OBJECT_INFO, &info);

	*client = info.client;
	return ret;
}

static void *shared_memory(size_t size)
{
	return mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
}

FIXTURE_SETUP(view)
{
	/* Children fill these in. */
	self->l = shared_memory(sizeof(*self->l));
	self->e = shared_memory(sizeof(*self->e));
	ASSERT_NE(MAP_FAILED, self->l);
	ASSERT_NE(MAP_FAILED, self->e);
	allow_all();
	ASSERT_EQ(0, view_open(&self->alice, ALICE));
	ASSERT_EQ(0, cluster_share(&self->bob, vsm_open_as(BOB), &self->alice));
	ASSERT_EQ(0, buffer_create(&self->b, self->bob.fd, 4096));
	ASSERT_EQ(0, client_of(self->bob.fd, self->b.handle, &self->client));
}

FIXTURE_TEARDOWN(view)
{
	if (_metadata->exit_code == KSFT_FAIL)
		events_print(self->e);
	munmap(self->b.map, self->b.size);
	cluster_close(&self->bob);
	cluster_close(&self->alice);
	munmap(self->l, sizeof(*self->l));
	munmap(self->e, sizeof(*self->e));
}

#define EVENT(name, nth) event_find(self->e, DRM_VSM_TRACE_##name, nth)

/* A reader reads the events and the state of its cluster as the given user. */
struct view {
	const struct cluster *c;
	struct events *e;
	struct listing *l;
};

static int read_view(void *arg)
{
	struct view *v = arg;

	v->e->next = 0;
	return events_read(v->c, v->e) || state_read(v->l, v->c);
}

#define VIEW(uid, cluster) \
	as_user(uid, read_view, &(struct view){ .c = (cluster), .e = self->e, .l = self->l })

/* Issues a copy with a site and holds it. */
static int hold_copy(const struct cluster *c, uint32_t buffer)
{
	struct drm_vsm_insn copy = i_s2g(DATA, 32, buffer, OFFSET);
	struct drm_vsm_exec args = exec_args(c, &copy, 1);

	args.site = SITE;
	return cluster_hold(c, DRM_VSM_HOLD) ? : vsm_exec(c->fd, &args);
}

/* --- clusters that users share ----------------------------------------------------- */

TEST_F(view, state_and_events_hide_the_same_of_another_user_s_copy)
{
	struct drm_vsm_state_entry *op;
	struct drm_vsm_trace_event e;

	ASSERT_EQ(0, hold_copy(&self->bob, self->b.handle));
	ASSERT_EQ(0, VIEW(ALICE, &self->alice));
	e = EVENT(COPY_ISSUE, 0);
	FIND_ENTRY(op, OPERATION, 0);
	/* What happens in the cluster. */
	EXPECT_NE(0, e.id);
	EXPECT_EQ(1, e.lanes);
	EXPECT_EQ(DRM_VSM_OP_CP_ASYNC_BULK_S2G, e.op);
	EXPECT_EQ(e.op, op->insn.op);
	EXPECT_EQ(DATA, e.addr);
	EXPECT_EQ(DATA, op->insn.u.copy.addr);
	EXPECT_EQ(32, e.size);
	EXPECT_EQ(32, op->insn.u.copy.size);
	/* What is Bob's. */
	EXPECT_EQ(0, e.client | e.buffer | e.value | e.site);
	EXPECT_EQ(0, op->client | op->pid | op->insn.u.copy.buffer | op->insn.u.copy.offset);
	/* Alice sees who has created the cluster: she has. */
	EXPECT_EQ(getpid(), self->l->args.pid);
	EXPECT_NE(0, self->l->args.client);
	EXPECT_STREQ("view", self->l->args.comm);

	ASSERT_EQ(0, VIEW(BOB, &self->bob));
	e = EVENT(COPY_ISSUE, 0);
	FIND_ENTRY(op, OPERATION, 0);
	EXPECT_EQ(self->client, e.client);
	EXPECT_EQ(self->client, op->client);
	EXPECT_EQ(self->b.handle, e.buffer);
	EXPECT_EQ(self->b.handle, op->insn.u.copy.buffer);
	EXPECT_EQ(OFFSET, e.value);
	EXPECT_EQ(OFFSET, op->insn.u.copy.offset);
	EXPECT_EQ(SITE, e.site);
	/* The init is Alice's, and so is the cluster. */
	EXPECT_EQ(DRM_VSM_OP_MBARRIER_INIT, EVENT(INSN, 0).op);
	EXPECT_EQ(0, EVENT(INSN, 0).client);
	EXPECT_EQ(0, self->l->args.client | self->l->args.pid);
	EXPECT_STREQ("", self->l->args.comm);
	EXPECT_EQ(cluster_number(&self->alice), self->l->args.number);
	ASSERT_EQ(0, cluster_hold(&self->bob, 0));
}

TEST_F(view, root_sees_everything_of_a_shared_cluster)
{
	struct drm_vsm_state_entry *op;
	struct drm_vsm_trace_event e;

	ASSERT_EQ(0, hold_copy(&self->bob, self->b.handle));
	ASSERT_EQ(0, VIEW(0, &self->alice));
	e = EVENT(COPY_ISSUE, 0);
	FIND_ENTRY(op, OPERATION, 0);
	EXPECT_EQ(self->client, e.client);
	EXPECT_EQ(self->client, op->client);
	EXPECT_EQ(self->b.handle, e.buffer);
	EXPECT_EQ(OFFSET, e.value);
	EXPECT_EQ(SITE, e.site);
	EXPECT_EQ(OFFSET, op->insn.u.copy.offset);
	ASSERT_EQ(0, cluster_hold(&self->bob, 0));
}

/* Another process of Bob has ended. Its events stay visible to Bob, and hidden from Alice. */
TEST_F(view, events_of_closed_clients_are_shown_to_their_user_only)
{
	struct cluster again;

	ASSERT_EQ(0, hold_copy(&self->bob, self->b.handle));
	ASSERT_EQ(0, cluster_share(&again, vsm_open_as(BOB), &self->alice));
	munmap(self->bob.map, self->bob.size);
	close(self->bob.fd);
	self->bob = again;
	ASSERT_EQ(0, VIEW(ALICE, &self->alice));
	EXPECT_EQ(0, EVENT(COPY_ISSUE, 0).client | EVENT(COPY_ISSUE, 0).site);
	ASSERT_EQ(0, VIEW(BOB, &again));
	EXPECT_EQ(self->client, EVENT(COPY_ISSUE, 0).client);
	EXPECT_EQ(SITE, EVENT(COPY_ISSUE, 0).site);
	EXPECT_EQ(OFFSET, EVENT(COPY_ISSUE, 0).value);
}

/* A cluster remembers so many clients that have had a handle, and forgets the oldest one first. */
TEST_F(view, a_cluster_remembers_a_limited_number_of_clients)
{
	struct cluster last = {};
	int i;

	ASSERT_EQ(0, hold_copy(&self->bob, self->b.handle));
	for (i = 0; i < MAX_SHARERS; i++) {
		struct drm_vsm_insn insn = i_fence();
		struct drm_vsm_exec args;

		ASSERT_EQ(0, cluster_share(&last, vsm_open_as(BOB), &self->alice));
		args = exec_args(&last, &insn, 1);
		args.site = 100 + i;
		ASSERT_EQ(0, vsm_exec(last.fd, &args));
		if (i < MAX_SHARERS - 1)
			cluster_close(&last);
	}
	ASSERT_EQ(0, VIEW(BOB, &last));
	EXPECT_EQ(0, EVENT(COPY_ISSUE, 0).site);
	for (i = 0; i < MAX_SHARERS; i++)
		EXPECT_EQ(100 + i, EVENT(INSN, 1 + i).site);
	ASSERT_EQ(0, VIEW(0, &last));
	EXPECT_EQ(SITE, EVENT(COPY_ISSUE, 0).site);
	cluster_close(&last);
}

/* --- user namespaces ---------------------------------------------------------------- */

/* What a sandbox does */
struct sandbox {
	struct listing *l;	/* memory for a listing */
	uint32_t outside;	/* number of a cluster outside */
	uint32_t number;	/* number of the cluster of the sandbox */
	int ready[2];		/* the sandbox writes a byte when it has looked */
	int done[2];		/* the sandbox ends when this can be read */
};

/* Makes a cluster, looks which clusters there are, and waits. */
static int look_around(void *arg)
{
	struct sandbox *s = arg;
	struct cluster c;
	char byte;

	if (cluster_open_plain(&c, VSM_LAYOUT_SM_90, DRM_VSM_POLICY_STRICT))
		return 1;
	s->number = cluster_number(&c);
	if (state_by_number(s->l, c.fd, s->number, DRM_VSM_STATE_NUMBER))
		return 2;
	if (state_by_number(s->l, c.fd, s->outside, DRM_VSM_STATE_NUMBER) != -ENOENT)
		return 3;
	if (state_by_number(s->l, c.fd, 0, DRM_VSM_STATE_NEXT) || s->l->args.number != s->number)
		return 4;
	if (state_by_number(s->l, c.fd, s->number + 1, DRM_VSM_STATE_NEXT) != -ENOENT)
		return 5;
	close(s->ready[0]);
	close(s->done[1]);
	return write(s->ready[1], "", 1) != 1 || read(s->done[0], &byte, 1);
}

/* An outsider looks whether it sees the sandbox. */
struct outsider {
	struct listing *l;
	int fd;
	uint32_t number;
	int expected;
};

static int look_inside(void *arg)
{
	struct outsider *o = arg;

	return state_by_number(o->l, o->fd, o->number, DRM_VSM_STATE_NUMBER) != o->expected;
}

static bool sees(unsigned int uid, int fd, const struct sandbox *s, bool sees)
{
	struct outsider o = {
		.l = s->l, .fd = fd, .number = s->number, .expected = sees ? 0 : -ENOENT,
	};

	return !as_user(uid, look_inside, &o);
}

FIXTURE(sandbox)
{
	struct cluster alice, bob, root;
	struct sandbox *s;
};

FIXTURE_VARIANT(sandbox)
{
	unsigned int owner;
	unsigned int uid;
};

FIXTURE_VARIANT_ADD(sandbox, of_its_creator) { .owner = ALICE, .uid = ALICE };
FIXTURE_VARIANT_ADD(sandbox, of_another_user) { .owner = ALICE, .uid = BOB };
FIXTURE_VARIANT_ADD(sandbox, made_by_root) { .owner = 0, .uid = ALICE };
FIXTURE_VARIANT_ADD(sandbox, of_root) { .owner = 0, .uid = 0 };

FIXTURE_SETUP(sandbox)
{
	self->s = shared_memory(sizeof(*self->s));
	ASSERT_NE(MAP_FAILED, self->s);
	self->s->l = shared_memory(sizeof(*self->s->l));
	ASSERT_NE(MAP_FAILED, self->s->l);
	allow_all();
	ASSERT_EQ(0, pipe2(self->s->ready, O_CLOEXEC));
	ASSERT_EQ(0, pipe2(self->s->done, O_CLOEXEC));
	ASSERT_EQ(0, view_open(&self->alice, ALICE));
	ASSERT_EQ(0, view_open(&self->bob, BOB));
	ASSERT_EQ(0, view_open(&self->root, 0));
}

FIXTURE_TEARDOWN(sandbox)
{
	cluster_close(&self->root);
	cluster_close(&self->bob);
	cluster_close(&self->alice);
	munmap(self->s->l, sizeof(*self->s->l));
	munmap(self->s, sizeof(*self->s));
}

TEST_F(sandbox, is_not_its_creator)
{
	struct sandbox *s = self->s;
	const struct cluster *outside;
	char byte;
	pid_t pid;

	outside = variant->uid == ALICE ? &self->alice : variant->uid ? &self->bob : &self->root;
	s->outside = cluster_number(outside);
	pid = sandbox_start(variant->owner, variant->uid, look_around, s);
	if (pid == NO_SANDBOX)
		SKIP(return, "the kernel has no user namespaces");
	ASSERT_LT(0, pid);
	close(s->ready[1]);
	close(s->done[0]);
	if (read(s->ready[0], &byte, 1) == 1) {
		/* The creator has all capabilities in the sandbox. */
		EXPECT_TRUE(sees(ALICE, self->alice.fd, s, variant->owner == ALICE));
		EXPECT_TRUE(sees(BOB, self->bob.fd, s, false));
		EXPECT_TRUE(sees(0, self->root.fd, s, true));
	}
	close(s->done[1]);
	close(s->ready[0]);
	EXPECT_EQ(0, child_status(pid));
}

/* --- processes ----------------------------------------------------------------------- */

/*
 * A child that shares the files of this process opens the device, and ends. Returns the file, or
 * -1. *@pid gets the child.
 */
static int open_in_child(pid_t *pid)
{
	*pid = syscall(SYS_clone, CLONE_FILES | SIGCHLD, NULL, NULL, NULL, NULL);
	if (!*pid)
		_exit(vsm_open());
	return child_status(*pid);
}

/* The number of a process that has ended may be that of another process. */
TEST_F(view, a_process_that_has_ended_is_not_named)
{
	int set, fd;
	struct drm_vsm_wait wait;
	struct cluster c;
	pid_t pid;

	fd = open_in_child(&pid);
	ASSERT_LT(0, fd);
	ASSERT_EQ(0, cluster_create(&c, fd, VSM_LAYOUT_SM_90, DRM_VSM_POLICY_STRICT));
	ASSERT_EQ(0, exec_one(&c, i_init(A, 1)));
	set = waitset_create(fd, 0);
	wait = wait_parity(&c, A, 0, -1, 0);
	ASSERT_EQ(0, waitset_arm(fd, set, &wait, 1, NULL));
	ASSERT_EQ(0, state_read(self->l, &c));
	EXPECT_EQ(0, self->l->args.pid);
	EXPECT_NE(0, self->l->args.client);
	EXPECT_STREQ("view", self->l->args.comm);
	ASSERT_EQ(1, self->l->args.total);
	EXPECT_EQ(0, self->l->entries[0].pid);
	EXPECT_EQ(self->l->args.client, self->l->entries[0].client);
	close(set);
	cluster_close(&c);
}

/* --- clusters of two users -------------------------------------------------------------- */

FIXTURE(shared)
{
	struct cluster alice, bob;
	struct listing *l;
};

FIXTURE_SETUP(shared)
{
	self->l = malloc(sizeof(*self->l));
	ASSERT_NE(NULL, self->l);
	ASSERT_EQ(0, view_open(&self->alice, ALICE));
	ASSERT_EQ(0, view_open(&self->bob, BOB));
}

FIXTURE_TEARDOWN(shared)
{
	cluster_close(&self->alice);
	cluster_close(&self->bob);
	free(self->l);
}

TEST_F(shared, root_finds_all_clusters_by_number)
{
	uint32_t number[2] = { cluster_number(&self->alice), cluster_number(&self->bob) };
	struct drm_vsm_cluster_state *s = &self->l->args;
	uint32_t i;

	ASSERT_LT(number[0], number[1]);
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, state_by_number(self->l, self->alice.fd, number[i],
					     DRM_VSM_STATE_NUMBER));
		EXPECT_EQ(number[i], s->number);
		EXPECT_EQ(0, s->handle);
		EXPECT_EQ(getpid(), s->pid);
	}
	ASSERT_EQ(0, state_by_number(self->l, self->bob.fd, 0, DRM_VSM_STATE_NEXT));
	EXPECT_EQ(number[0], s->number);
	ASSERT_EQ(0, state_by_number(self->l, self->bob.fd, number[0] + 1, DRM_VSM_STATE_NEXT));
	EXPECT_EQ(number[1], s->number);
	EXPECT_EQ(-ENOENT, state_by_number(self->l, self->bob.fd, number[1] + 1,
					   DRM_VSM_STATE_NEXT));
	EXPECT_EQ(-ENOENT, state_by_number(self->l, self->bob.fd, number[1] + 1,
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
		if (state_by_number(l, self->alice.fd, mine, DRM_VSM_STATE_NUMBER))
			_exit(2);
		if (state_by_number(l, self->alice.fd, other, DRM_VSM_STATE_NUMBER) != -ENOENT)
			_exit(3);
		if (state_by_number(l, self->alice.fd, 0, DRM_VSM_STATE_NEXT) ||
		    l->args.number != mine)
			_exit(4);
		if (state_by_number(l, self->alice.fd, mine + 1, DRM_VSM_STATE_NEXT) != -ENOENT)
			_exit(5);
		/* The user is the one who has opened the file. */
		if (state_by_number(l, self->bob.fd, 0, DRM_VSM_STATE_NEXT) ||
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
		for (number = 0; !(ret = state_by_number(l, r->fd, number, DRM_VSM_STATE_NEXT));)
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
		waits[0] = wait_insn(&c, 0, 0, 0, &sync);
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
	struct rlimit files = { 8192, 8192 };
	int i, ret, before, hit = 0, ended = 0, fds[4000];

	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &files));
	for (i = 0; i < ITEMS(fds); i++)
		ASSERT_LE(0, fds[i] = vsm_open());
	ASSERT_EQ(0, catch_signal(SIGALRM, count_signal, 0));
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
	ASSERT_EQ(0, view_open(&self->alice, ALICE));
	ASSERT_EQ(0, view_open(&self->bob, BOB));
	EXPECT_EQ(0, state_read(self->l, &self->alice));
}

TEST_HARNESS_MAIN
