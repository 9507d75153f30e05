// SPDX-License-Identifier: GPL-2.0-only
/*
 * Failing allocations: misuse and its events, rules that are reported or enforced, and rendezvous.
 */
#include "failnth.h"

/* Misuse must be refused even if there is no memory for the event. */
static int refused(int ret)
{
	return ret == -EPROTO ? 0 : ret ? ret : -EBADMSG;
}

static int call_misuse(struct world *w)
{
	return refused(exec_one(&w->c, i_init(A, 1)));
}

static int arm_misuse(struct world *w)
{
	struct drm_vsm_wait wait = wait_parity(&w->c, AT(0, 0x800), 0, -1, 0);

	return refused(waitset_arm(w->c.fd, w->set, &wait, 1, NULL));
}

static int submit_misuse(struct world *w)
{
	struct drm_vsm_insn job = i_arrive_n(AT(0, 0x44), 1);

	return refused(submit_sync(&w->c, &job, 1, 0, 0));
}

/* Arms an instruction that a wait set refuses: its mask does not name the thread. */
static int arm_misused_insn(struct world *w)
{
	struct drm_vsm_insn insn = i_warp_sync(2);
	struct drm_vsm_wait wait = {
		.cluster = w->c.handle, .state = (uintptr_t)&insn, .deadline = -1,
		.flags = DRM_VSM_WAIT_INSN,
	};

	return refused(waitset_arm(w->c.fd, w->set, &wait, 1, NULL));
}

/* Each breach has an event or is counted as lost in the next event. */
static int end_misuse(struct world *w, int ret)
{
	struct drm_vsm_event_fault event;
	uint32_t reported = 0;

	while (poll_events(w->c.fd) == POLLIN) {
		if (fault_read(w->c.fd, &event) != 1)
			return -EBADMSG;
		reported += 1 + event.lost;
	}
	if (call_misuse(w) || fault_read(w->c.fd, &event) != 1)
		return -EBADMSG;
	reported += event.lost;
	/* A call that failed before the misuse may cause fewer events. */
	return reported == w->events || (ret && reported < w->events) ? 0 : -EBADMSG;
}

TEST_F(failnth, misuse)
{
	self->w.events = 1;
	SWEEP(.call = call_misuse, .after = end_misuse);
	SWEEP(.call = arm_misuse, .after = end_misuse);
	SWEEP(.call = submit_misuse, .after = end_misuse);
	SWEEP(.call = arm_misused_insn, .after = end_misuse);
}

/* --- rules that a cluster reports, or enforces ------------------------------------ */

static struct drm_vsm_cluster_create with_rules(void)
{
	return (struct drm_vsm_cluster_create){
		.ctas = 1, .threads = 32, .smem_bytes = 4096,
		.report = RULE(BAD_PARITY) | RULE(BAD_COUNT) | RULE(INIT_OVER_LIVE),
		.enforce = RULE(SHFL_SOURCE) | RULE(BARRIER_OVERFLOW),
	};
}

static int call_cluster(struct world *w)
{
	struct drm_vsm_cluster_create args = with_rules();
	int ret;

	w->free = w->b.handle + 1;
	ret = vsm_ioctl(w->c.fd, DRM_IOCTL_VSM_CLUSTER_CREATE, &args);
	w->made = args.handle;
	return ret;
}

static int end_cluster(struct world *w, int ret)
{
	const struct drm_vsm_cluster_create args = with_rules();
	struct drm_vsm_object_info info = { .handle = w->made };

	if (ret)
		return close_unreturned_too(w, ret);
	ret = vsm_ioctl(w->c.fd, DRM_IOCTL_VSM_OBJECT_INFO, &info);
	if (!ret && (info.report != args.report || info.enforce != args.enforce))
		ret = -EBADMSG;
	return ret ? ret : close_handle(w, 0);
}

TEST_F(failnth, cluster_create_with_rules)
{
	SWEEP(.call = call_cluster, .after = end_cluster);
}

static int make_reporting(struct world *w)
{
	struct drm_vsm_cluster_create args = with_rules();
	int ret = cluster_create_args(&w->other, w->c.fd, &args);

	return ret ? ret : exec_one(&w->other, i_init(A, 4));
}

/* Executes two instructions that break a rule. Each causes an event. */
static int call_reported(struct world *w)
{
	struct drm_vsm_insn insns[] = { i_init(A, 3), i_test_parity(A, 7) };

	return exec_stream(&w->other, 0, insns, 2, NULL);
}

static int arm_reported(struct world *w)
{
	struct drm_vsm_wait wait = wait_parity(&w->other, A, 6, -1, 0);
	int ret = waitset_arm(w->c.fd, w->set, &wait, 1, NULL);

	if (!ret)
		ret = waitset_cancel(w->c.fd, w->set, wait.id);
	return ret;
}

static int submit_reported(struct world *w)
{
	struct drm_vsm_insn job[] = { i_sink(i_arrive_n(A, 0)), i_sink(i_arrive_n(A, 0)) };

	return submit_sync(&w->other, job, 2, 0, w->out);
}

static int end_reported(struct world *w, int ret)
{
	int status = end_misuse(w, ret);

	return status ? status : cluster_destroy(&w->other);
}

static int end_reported_job(struct world *w, int ret)
{
	if (!ret && syncobj_status(w->c.fd, w->out) != 1)
		return -EBADMSG;
	return end_reported(w, ret);
}

TEST_F(failnth, reported_breaches)
{
	self->w.events = 2;
	SWEEP(make_reporting, call_reported, end_reported);
	SWEEP(make_reporting, submit_reported, end_reported_job);
	self->w.events = 1;
	SWEEP(make_reporting, arm_reported, end_reported);
}

/* --- deadlocks and threads that have exited --------------------------------------- */

static int make_lonely(struct world *w)
{
	struct drm_vsm_cluster_create args = { .ctas = 1, .threads = 1, .smem_bytes = 4096 };
	int ret = cluster_create_args(&w->other, w->c.fd, &args);

	return ret ? ret : exec_one(&w->other, i_init(A, 1));
}

static int call_deadlock(struct world *w)
{
	struct drm_vsm_insn wait = i_try_parity_unlimited(A, 0);
	struct drm_vsm_exec args = play_args(&w->other, 0, 0, DRM_VSM_EXEC_NO_LIMIT, &wait, 1);
	int ret;

	ret = vsm_exec(w->c.fd, &args);
	return ret == -EPROTO && wait.fault == DRM_VSM_FAULT_DEADLOCK ? 0 : ret ? ret : -EBADMSG;
}

static int end_deadlock(struct world *w, int ret)
{
	int status = end_misuse(w, ret);

	return status ? status : cluster_destroy(&w->other);
}

TEST_F(failnth, deadlock)
{
	self->w.events = 1;
	SWEEP(make_lonely, call_deadlock, end_deadlock);
}

static int make_exited(struct world *w)
{
	int ret = make_lonely(w);

	return ret ? ret : exec_one(&w->other, i_exit());
}

static int call_exited(struct world *w)
{
	return refused(exec_one(&w->other, i_arrive(A)));
}

static int submit_exited(struct world *w)
{
	struct drm_vsm_insn job = i_sink(i_arrive(A));

	return refused(submit_sync(&w->other, &job, 1, 0, 0));
}

TEST_F(failnth, a_thread_that_has_exited)
{
	self->w.events = 1;
	SWEEP(make_exited, call_exited, end_deadlock);
	SWEEP(make_exited, submit_exited, end_deadlock);
}

/* --- rendezvous -------------------------------------------------------------- */

/* The first rendezvous of a cluster allocates the cluster's state of rendezvous. */
static int call_rendezvous(struct world *w)
{
	struct drm_vsm_insn insn = w->insn;
	struct drm_vsm_exec args = exec_args(&w->other, &insn, 1);

	/* An arrive at a barrier needs a whole warp. */
	if (insn.op == DRM_VSM_OP_BARRIER_ARRIVE || insn.op == DRM_VSM_OP_BARRIER_CLUSTER_ARRIVE)
		args.flags = DRM_VSM_EXEC_WARP;
	return vsm_exec(w->c.fd, &args);
}

/*
 * If the call failed, and not with EFAULT, the thread has neither arrived nor exited, and tries
 * again. After EFAULT the thread may already have arrived or exited. A second arrival or exit is
 * then misuse.
 */
static int end_rendezvous(struct world *w, int ret)
{
	int again = ret ? call_rendezvous(w) : 0;

	if (may_have_worked(ret) && again == -EPROTO)
		again = 0;

	return cluster_destroy(&w->other) ? -EBADMSG : again;
}

TEST_F(failnth, first_kind)
{
	struct drm_vsm_insn insns[] = {
		i_warp_sync(1), i_match_any(7, 1), i_barrier_arrive(1, 64), i_cluster_arrive(),
		i_exit(),
	};
	size_t i;

	for (i = 0; i < ITEMS(insns); i++) {
		self->w.insn = insns[i];
		SWEEP(make_cluster, call_rendezvous, end_rendezvous);
	}
}

/*
 * Prepares waits for all threads of CTA 0, which complete a barrier, and for some threads of CTA 1,
 * whose barrier stays incomplete.
 */
static int make_arrivals(struct world *w)
{
	int ret = make_cluster(w);
	uint32_t i;

	w->insn = i_barrier_red(DRM_VSM_RED_POPC, 5, true);
	for (i = 0; i < WAITS; i++)
		w->waits[i] = (struct drm_vsm_wait){
			.cluster = w->other.handle, .addr = DRM_VSM_WAIT_THREAD(i / 64, i % 64),
			.state = (uintptr_t)&w->insn, .user_data = i, .flags = DRM_VSM_WAIT_INSN,
			.deadline = i % 4 ? -1 : now_ns() + 1000 * SECOND,
		};
	w->armed = 0;
	w->made = waitset_create(w->c.fd, DRM_VSM_WAITSET_NONBLOCK);
	return w->made < 0 ? w->made : ret;
}

/*
 * Arms the remaining waits. If every thread has arrived exactly once, the barrier of CTA 0
 * completes.
 */
static int end_arrivals(struct world *w, int ret)
{
	struct drm_vsm_waitset_arm args = {
		.waits = (uintptr_t)w->waits, .stride = sizeof(w->waits[0]), .count = WAITS,
		.fd = w->made, .armed = w->armed,
	};
	struct drm_vsm_wait_record record;
	int i;

	if (may_have_worked(ret))
		args.armed = waits_with_id(w);
	else if (ret ? w->armed >= WAITS : w->armed != WAITS)
		return -EBADMSG;
	ret = vsm_ioctl(w->c.fd, DRM_IOCTL_VSM_WAITSET_ARM, &args);
	for (i = 0; i < 64 && !ret; i++)
		if (waitset_read(w->made, &record) != 1 || record.result != 64 ||
		    record.status != DRM_VSM_WAIT_COMPLETE)
			ret = -EBADMSG;
	if (!ret && waitset_read(w->made, &record) != -EAGAIN)
		ret = -EBADMSG;
	if (close(w->made) || cluster_destroy(&w->other))
		return -EBADMSG;
	return ret;
}

TEST_F(failnth, waitset_arm_instructions)
{
	SWEEP(make_arrivals, call_arm, end_arrivals);
}

/*
 * Makes a cluster whose lane 0 waits in a shfl for a source lane. When that lane exits, the fault
 * comes in the record and in an event.
 */
static int make_source(struct world *w)
{
	struct drm_vsm_insn insn = i_shfl(DRM_VSM_MODE_IDX, 0, 1, 0x1f, 3);
	int ret = cluster_make(&w->other, w->c.fd, .ctas = 1, .threads = 32, .smem_bytes = 4096,
			       .enforce = DRM_VSM_RULE(DRM_VSM_FAULT_SHFL_SOURCE));

	w->waits[0] = (struct drm_vsm_wait){
		.cluster = w->other.handle, .state = (uintptr_t)&insn, .deadline = -1,
		.flags = DRM_VSM_WAIT_INSN,
	};
	return ret ? ret : waitset_arm(w->c.fd, w->set, w->waits, 1, NULL);
}

static int call_source(struct world *w)
{
	struct drm_vsm_insn insn = i_exit();
	struct drm_vsm_exec args = play_args(&w->other, 0, 1, 0, &insn, 1);

	return vsm_exec(w->c.fd, &args);
}

static int end_source(struct world *w, int ret)
{
	struct drm_vsm_wait_record record;

	if (ret && call_source(w) && call_source(w) != -EPROTO)
		return -EBADMSG;
	if (waitset_read(w->set, &record) != 1 || record.status != DRM_VSM_WAIT_FAULT ||
	    record.result != DRM_VSM_FAULT_SHFL_SOURCE)
		return -EBADMSG;
	fault_drain(w->c.fd);
	return cluster_destroy(&w->other);
}

TEST_F(failnth, a_source_that_exits)
{
	SWEEP(make_source, call_source, end_source);
}

TEST_HARNESS_MAIN
