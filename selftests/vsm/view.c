// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a reader may see of other clients: the state and the events of a cluster that users share,
 * and clusters inside and outside of user namespaces.
 */
#include "async.h"
#include "recorder.h"
#include "state.h"
#include "users.h"

#define A AT(0, 0x40)
#define DATA AT(0, 0x400)
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
	struct drm_vsm_cluster_create args = {
		.ctas = 1, .threads = 32, .smem_bytes = 4096, .trace_events = MAX_EVENTS,
	};

	return cluster_create_args(c, vsm_open_as(uid), &args) ? : exec_one(c, i_init(A, 1));
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
	op = state_entry(self->l, DRM_VSM_STATE_OPERATION, 0);
	ASSERT_NE(NULL, op);
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
	op = state_entry(self->l, DRM_VSM_STATE_OPERATION, 0);
	ASSERT_NE(NULL, op);
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
	op = state_entry(self->l, DRM_VSM_STATE_OPERATION, 0);
	ASSERT_NE(NULL, op);
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

/**
 * struct sandbox - What a sandbox does
 * @l: Memory for a listing
 * @outside: Number of a cluster outside
 * @number: Number of the cluster of the sandbox
 * @ready: The sandbox writes a byte when it has looked
 * @done: The sandbox ends when this can be read
 */
struct sandbox {
	struct listing *l;
	uint32_t outside;
	uint32_t number;
	int ready[2], done[2];
};

static int state_by_number(struct listing *l, int fd, uint32_t number, uint32_t flag)
{
	state_prepare(l, 0, number, flag, 0);
	return state_call(l, fd);
}

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

TEST_HARNESS_MAIN
