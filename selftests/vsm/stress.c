// SPDX-License-Identifier: GPL-2.0-only
/*
 * Many threads use one mbarrier for a long time. Every phase completes, every waiter wakes, and
 * every arrival counts.
 *
 * All tests run a second time under rules of injection for everything from which a program can
 * recover: failures after which it tries again, and delays. The result is the same.
 */
#include "inject_all.h"

#define A AT(0, 0x40)
#define DATA AT(0, 0x400)
#define THREADS 8
#define BATCH 256
#define COPY_EVERY 16	/* number of phases between copies; each copy also wakes a worker */

#define HANGS 7			/* places where something can hang */

/* A task that makes something hang again and again, and lets it go on */
struct hanger {
	int fd;
	uint32_t where;		/* where it hangs */
	int hangs;		/* how often something has hung */
	atomic_bool ready;	/* the first rule is there */
	atomic_bool stop;
	pthread_t thread;
};

FIXTURE(stress)
{
	struct cluster c;
	struct buffer b;
	uint32_t in;
	struct hanger hangers[HANGS];
};

FIXTURE_VARIANT(stress) { bool rules; };

FIXTURE_VARIANT_ADD(stress, plain) { .rules = false };
FIXTURE_VARIANT_ADD(stress, under_rules) { .rules = true };

static void *hanger_main(void *arg)
{
	struct hanger *h = arg;
	struct drm_vsm_inject_rule hang = {
		.where = h->where, .what = DRM_VSM_INJECT_HANG, .times = 1,
	};

	while (!atomic_load(&h->stop)) {
		int rule = inject(h->fd, hang);

		atomic_store(&h->ready, true);
		/* The test removes all rules at its end. */
		h->hangs += !inject_wait(h->fd, rule, 1, AMPLE);
		inject_remove(h->fd, rule);
		/* Most of what matches does not hang. */
		hang.first = 1 + (hang.first + 3) % 16;
	}
	return NULL;
}

static int start_hangers(struct hanger *hangers, int fd)
{
	static const uint32_t places[HANGS] = {
		DRM_VSM_INJECT_EXEC, DRM_VSM_INJECT_SUBMIT, DRM_VSM_INJECT_ARM,
		DRM_VSM_INJECT_FENCE, DRM_VSM_INJECT_JOB, DRM_VSM_INJECT_COPY,
		DRM_VSM_INJECT_COMPLETE,
	};
	int i, ret = 0;

	for (i = 0; i < HANGS && !ret; i++) {
		hangers[i] = (struct hanger){ .fd = fd, .where = places[i] };
		ret = pthread_create(&hangers[i].thread, NULL, hanger_main, &hangers[i]);
		while (!ret && !atomic_load(&hangers[i].ready))
			sched_yield();
	}
	return ret;
}

/* Does a program see what this rule does, and can it do the same once more? */
static bool is_recoverable(const struct drm_vsm_inject_rule *rule)
{
	return rule->what != DRM_VSM_INJECT_HANG && rule->what != DRM_VSM_INJECT_TWICE &&
	       rule->what != DRM_VSM_INJECT_FLIP && rule->what != DRM_VSM_INJECT_LOSE_CLUSTER &&
	       rule->where != DRM_VSM_INJECT_ALLOC && rule->where != DRM_VSM_INJECT_IMPORT &&
	       rule->where != DRM_VSM_INJECT_MMAP;
}

/*
 * Adds all rules from which a program can recover. No two of them fire at the same match: those of
 * one place fire one after the other, and then not for a while.
 */
static int add_rules(int fd)
{
	struct drm_vsm_inject_rule rules[RULES_MAX];
	uint32_t i, count = all_rules(rules, 100000);
	uint64_t first[ITEMS(wheres)] = { 0 };
	int ret = 0;

	for (i = 0; i < count && ret >= 0; i++) {
		if (!is_recoverable(&rules[i]))
			continue;
		rules[i].first = ++first[rules[i].where];
		rules[i].every = 24;
		ret = inject(fd, rules[i]);
	}
	return ret;
}

/* Every rule whose turn has come has fired. */
static bool rules_have_fired(int fd)
{
	struct drm_vsm_inject_query query = { .rule = 1, .flags = DRM_VSM_INJECT_NEXT };
	uint64_t fired = 0;

	for (; !vsm_ioctl(fd, DRM_IOCTL_VSM_INJECT_QUERY, &query); query.rule++) {
		query.rule = query.info.rule;
		if (!query.info.every)		/* one of a hanger */
			continue;
		fired += query.info.fired;
		if (query.info.matched >= query.info.first && !query.info.fired)
			return false;
	}
	return fired > 0;
}

FIXTURE_SETUP(stress)
{
	ASSERT_EQ(0, cluster_open_plain(&self->c, VSM_LAYOUT_SM_90, DRM_VSM_POLICY_STRICT));
	ASSERT_EQ(0, buffer_create(&self->b, self->c.fd, 4096));
	ASSERT_EQ(0, exec_one(&self->c, i_init(A, THREADS)));
	if (!variant->rules)
		return;
	ASSERT_EQ(0, drmSyncobjCreate(self->c.fd, DRM_SYNCOBJ_CREATE_SIGNALED, &self->in));
	ASSERT_LT(0, add_rules(self->c.fd));
	ASSERT_EQ(0, start_hangers(self->hangers, self->c.fd));
}

FIXTURE_TEARDOWN(stress)
{
	int i;

	if (variant->rules) {
		EXPECT_TRUE(rules_have_fired(self->c.fd));
		for (i = 0; i < HANGS; i++)
			atomic_store(&self->hangers[i].stop, true);
		for (i = 0; i < HANGS; i++)
			while (pthread_tryjoin_np(self->hangers[i].thread, NULL) == EBUSY)
				EXPECT_EQ(0, inject_remove(self->c.fd, 0));
		/* No test goes on before a call of EXEC has hung. */
		EXPECT_LT(0, self->hangers[0].hangs);
		EXPECT_EQ(0, inject_remove(self->c.fd, 0));
	}
	munmap(self->b.map, self->b.size);
	EXPECT_EQ(0, exec_one(&self->c, i_inval(A)));
	EXPECT_EQ(0, cluster_close(&self->c));
}

/* --- calls that are repeated if a rule makes them fail -------------------- */

static int exec_again(int fd, struct drm_vsm_exec *args)
{
	int ret;

	do
		ret = vsm_exec(fd, args);
	while (ret == -RULE_ERROR);
	return ret;
}

static int stream_again(const struct cluster *c, struct drm_vsm_insn *insns, uint32_t count)
{
	int ret;

	do
		ret = exec_stream(c, 0, insns, count, NULL);
	while (ret == -RULE_ERROR);
	return ret;
}

static int arm_again(const struct cluster *c, int set, struct drm_vsm_wait *waits, uint32_t count)
{
	int ret;

	do
		ret = waitset_arm(c->fd, set, waits, count, NULL);
	while (ret == -RULE_ERROR);
	return ret;
}

/*
 * Submits a copy until its job has ended well, and until its bytes have been counted: those that
 * are lost are not. Then the phase may complete.
 */
static int copy_again(const struct cluster *c, struct drm_vsm_insn *copy, uint32_t in)
{
	struct drm_vsm_insn rest;
	int64_t tx;
	int ret;

	do {
		ret = job_end(job_start(c, 0, copy, 1, in));
		if (ret != 1 && ret != -RULE_ERROR && ret != -EIO)
			return ret;
		tx = vsm_mbarrier_tx(VSM_LAYOUT_SM_90, word(c, copy->u.copy.mbar));
	} while (ret != 1 || tx == copy->u.copy.size);
	rest = i_complete_tx(copy->u.copy.mbar, tx);
	return tx ? stream_again(c, &rest, 1) : 0;
}

/* A thread that takes part in every phase */
struct player {
	const struct cluster *c;
	uint32_t buffer;	/* source of copies */
	uint32_t in;	/* syncobj for which copies wait if rules may make them fail; else 0 */
	uint32_t thread;	/* index of the player; also its thread in the CTA, or its CTA */
	int phases;		/* number of phases to complete */
	int phase;		/* number of phases that it has seen complete */
	const char *failure;	/* what went wrong, or NULL */
	int error;		/* error code of @failure */
	pthread_t pthread;
};

static void *fail(struct player *p, const char *failure, int error)
{
	p->failure = failure;
	p->error = error;
	return p;
}

/* Arrives and waits in long streams. */
static void *stream_player(void *arg)
{
	struct player *p = arg;
	struct drm_vsm_insn insns[2 * BATCH];
	int i;

	for (i = 0; i < BATCH; i++) {
		insns[2 * i] = i_sink(i_arrive(A));
		insns[2 * i + 1] = i_try_parity(A, i % 2, LONG_HINT);
	}
	while (p->phase < p->phases) {
		int n = p->phases - p->phase < BATCH ? p->phases - p->phase : BATCH;
		struct drm_vsm_exec args = play_args(p->c, 0, p->thread, 0, insns, 2 * n);
		int ret;

		ret = exec_again(p->c->fd, &args);
		if (ret)
			return fail(p, "EXEC", ret);
		if (args.retired != args.count)
			return fail(p, "a wake-up was lost", args.retired);
		p->phase += n;
	}
	return NULL;
}

/* Arrives and waits, and sometimes copies bytes and checks them when their phase is complete. */
static void *copy_player(void *arg)
{
	struct player *p = arg;
	volatile uint32_t *data = cluster_mem(p->c, DATA);
	uint32_t copies = 0;
	int ret;

	for (; p->phase < p->phases; p->phase++) {
		bool brings = p->phase % COPY_EVERY == 0;
		struct drm_vsm_insn copy = i_g2s(DATA, A, 32, p->buffer, copies % 2 * 32);
		struct drm_vsm_insn insns[] = {
			brings ? i_arrive_expect_tx(A, 32) : i_arrive(A),
			i_try_parity(A, p->phase % 2, LONG_HINT),
		};

		ret = stream_again(p->c, insns, brings ? 1 : 2);
		if (ret)
			return fail(p, "arrive", ret);
		if (brings) {
			ret = p->in ? copy_again(p->c, &copy, p->in) :
				      submit_sync(p->c, &copy, 1, 0, 0);
			if (ret)
				return fail(p, "SUBMIT", ret);
			ret = stream_again(p->c, insns + 1, 1);
		}
		if (ret || insns[1].result != 1)
			return fail(p, "a wake-up was lost", ret);
		if (brings && (data[0] != copies % 2 || data[7] != copies % 2))
			return fail(p, "data came after its completion", data[0]);
		copies += brings;
	}
	return NULL;
}

/* Arrives, and uses a wait set to wait for the phase. */
static void *waitset_player(void *arg)
{
	struct player *p = arg;
	int ret, set = waitset_create(p->c->fd, 0);
	struct drm_vsm_wait wait = wait_parity(p->c, A, 0, 0, 0);
	struct drm_vsm_insn arrive = i_arrive(A);
	struct drm_vsm_wait_record record;

	while (p->phase < p->phases) {
		wait.state = p->phase % 2;
		wait.deadline = now_ns() + AMPLE;
		wait.user_data = p->phase;
		if (p->thread % 2) {	/* arm the wait before the arrive in half of the tasks */
			ret = arm_again(p->c, set, &wait, 1);
			if (!ret)
				ret = stream_again(p->c, &arrive, 1);
		} else {
			ret = stream_again(p->c, &arrive, 1);
			if (!ret)
				ret = arm_again(p->c, set, &wait, 1);
		}
		if (ret)
			return fail(p, "arrive and arm", ret);
		if (waitset_read(set, &record) != 1)
			return fail(p, "read", 0);
		if (record.user_data != p->phase || record.id != wait.id)
			return fail(p, "somebody else's record", record.user_data);
		if (record.status != DRM_VSM_WAIT_COMPLETE)
			return fail(p, "a wake-up was lost", record.status);
		p->phase++;
	}
	close(set);
	return NULL;
}

/* Waits with the token of each phase, and a second time with the token of the previous phase. */
static void *token_player(void *arg)
{
	struct player *p = arg;
	uint64_t before = 0, token;
	int ret;

	for (; p->phase < p->phases; p->phase++) {
		/* The token of the previous phase becomes stale after this wait. */
		struct drm_vsm_insn insns[] = {
			p->phase ? i_test_wait(A, before) : i_test_parity(A, 1), i_arrive(A),
		};
		struct drm_vsm_insn wait;

		ret = stream_again(p->c, insns, 2);
		if (ret || insns[0].result != 1)
			return fail(p, "arrive", ret);
		token = insns[1].result;
		wait = i_try_wait(A, token, LONG_HINT);
		ret = stream_again(p->c, &wait, 1);
		if (ret)
			return fail(p, "wait", ret);
		if (wait.result != 1)
			return fail(p, "a wake-up was lost", 0);
		before = token;
	}
	return NULL;
}

static void play(struct __test_metadata *_metadata, const struct cluster *c,
		 const struct buffer *b, uint32_t in, int phases, void *(*first)(void *),
		 void *(*others)(void *))
{
	struct player players[THREADS];
	void *failed;
	int i;

	for (i = 0; i < 8; i++)
		((uint32_t *)b->map)[8 + i] = 1;
	for (i = 0; i < THREADS; i++) {
		players[i] = (struct player){
			.c = c, .buffer = b->handle, .in = in, .thread = i,
			.phases = phases,
		};
		ASSERT_EQ(0, pthread_create(&players[i].pthread, NULL, i ? others : first,
					    &players[i]));
	}
	for (i = 0; i < THREADS; i++) {
		pthread_join(players[i].pthread, &failed);
		EXPECT_EQ(NULL, failed)
			TH_LOG("thread %d in phase %d: %s (%d)", i, players[i].phase,
			       players[i].failure, players[i].error);
	}
	/* All arrivals of the next phase are pending, and it has the right parity. */
	EXPECT_EQ(vsm_mbarrier_init(VSM_LAYOUT_SM_90, THREADS) | (uint64_t)(phases % 2) << 63,
		  word(c, A));
}

/* Calls that hang and fail take long. Under rules, a fortieth of the work is done. */
#define SHARE(count) repeat(variant->rules ? (count) / 40 : (count))

TEST_F(stress, streams_share_100000_phases_some_with_copies)
{
	play(_metadata, &self->c, &self->b, self->in, SHARE(100000), copy_player,
	     stream_player);
}

TEST_F(stress, wait_sets_see_every_phase)
{
	play(_metadata, &self->c, &self->b, self->in, SHARE(5000), waitset_player,
	     waitset_player);
}

TEST_F(stress, streams_and_wait_sets_share_phases)
{
	play(_metadata, &self->c, &self->b, self->in, SHARE(5001), waitset_player,
	     stream_player);
}

TEST_F(stress, tokens_are_never_stale_in_time)
{
	play(_metadata, &self->c, &self->b, self->in, SHARE(5000), token_player,
	     token_player);
}

TEST_F(stress, tokens_and_streams_share_phases)
{
	play(_metadata, &self->c, &self->b, self->in, SHARE(5000), token_player,
	     stream_player);
}

/* --- handover between CTAs -------------------------------------------------- */

#define CONSUMERS 3
#define EMPTY AT(0, 0x80)
#define FULL(cta) AT(cta, 0x80)

/*
 * CTA 0 arrives on the mbarrier of each other CTA, and waits until all of them have arrived on its
 * own mbarrier.
 */
static void *handover_player(void *arg)
{
	struct player *p = arg;
	struct drm_vsm_insn insns[BATCH * (CONSUMERS + 1)];
	uint32_t i, cta, n = 0;

	for (i = 0; i < BATCH; i++) {
		for (cta = 1; cta <= CONSUMERS && !p->thread; cta++)
			insns[n++] = i_sink(i_arrive(FULL(cta)));
		insns[n++] = i_try_parity(AT(p->thread, 0x80), i % 2, LONG_HINT);
		if (p->thread)
			insns[n++] = i_sink(i_arrive(EMPTY));
	}
	for (; p->phase < p->phases; p->phase += BATCH) {
		struct drm_vsm_exec args = play_args(p->c, p->thread, 0, 0, insns, n);
		int ret;

		ret = exec_again(p->c->fd, &args);
		if (ret)
			return fail(p, "EXEC", ret);
		if (args.retired != n)
			return fail(p, "a wake-up was lost", args.retired);
	}
	return NULL;
}

TEST_F(stress, ctas_hand_over_to_each_other_through_remote_arrives)
{
	struct player players[CONSUMERS + 1];
	void *failed;
	int i;

	for (i = 0; i <= CONSUMERS; i++) {
		struct drm_vsm_insn insns[] = {
			i_init(AT(i, 0x80), i ? 1 : CONSUMERS), i_fence(),
		};
		struct drm_vsm_exec args = play_args(&self->c, i, 0, 0, insns, 2);

		ASSERT_EQ(0, exec_again(self->c.fd, &args));
	}
	for (i = 0; i <= CONSUMERS; i++) {
		players[i] = (struct player){
			.c = &self->c, .thread = i, .phases = SHARE(20000),
		};
		ASSERT_EQ(0, pthread_create(&players[i].pthread, NULL, handover_player,
					    &players[i]));
	}
	for (i = 0; i <= CONSUMERS; i++) {
		pthread_join(players[i].pthread, &failed);
		EXPECT_EQ(NULL, failed)
			TH_LOG("CTA %d in phase %d: %s (%d)", i, players[i].phase,
			       players[i].failure, players[i].error);
	}
}

/* --- many waits on one word ------------------------------------------------ */

struct task {
	const struct cluster *c;
	atomic_bool stop;
	int errors;
	pthread_t thread;
};

/* Arms, cancels and ends waits while phases complete. */
static void *come_and_go(void *arg)
{
	struct task *task = arg;
	int set = waitset_create(task->c->fd, DRM_VSM_WAITSET_NONBLOCK);
	struct drm_vsm_wait waits[64];
	struct drm_vsm_wait_record records[64];
	uint64_t seed = (uintptr_t)arg;
	int i;

	while (!atomic_load(&task->stop)) {
		int live = 64, got;

		for (i = 0; i < 64; i++) {
			uint64_t r = random_next(&seed);

			waits[i] = wait_parity(task->c, A, r & 1,
					       r & 2 ? now_ns() + r % 300000 : -1, i);
		}
		if (arm_again(task->c, set, waits, 64))
			task->errors++;
		for (i = 0; i < 64; i++)
			if (random_next(&seed) & 1 &&
			    !waitset_cancel(task->c->fd, set, waits[i].id))
				live--;
		if (random_next(&seed) % 16 == 0) {
			close(set);
			set = waitset_create(task->c->fd, DRM_VSM_WAITSET_NONBLOCK);
			continue;
		}
		while (live && !atomic_load(&task->stop)) {
			got = read(set, records, sizeof(records));
			if (got > 0)
				live -= got / (int)sizeof(struct drm_vsm_wait_record);
			else if (errno != EAGAIN)
				task->errors++;
		}
		if (live < 0)
			task->errors++;
	}
	close(set);
	return NULL;
}

TEST_F(stress, waits_come_and_go_while_phases_complete)
{
	struct task tasks[4];
	struct drm_vsm_insn arrives[2 * (THREADS + 2)];
	int i;

	/*
	 * Make two phases. The stream itself observes each phase, because the other tasks may be
	 * too late.
	 */
	for (i = 0; i < ITEMS(arrives); i++) {
		int n = i % (THREADS + 2) - THREADS;

		arrives[i] = n < 0 ? i_arrive(A) : i_test_parity(A, n);
	}
	for (i = 0; i < 4; i++) {
		tasks[i] = (struct task){ .c = &self->c };
		ASSERT_EQ(0, pthread_create(&tasks[i].thread, NULL, come_and_go, &tasks[i]));
	}
	for (i = SHARE(20000); i; i--)
		ASSERT_EQ(0, stream_again(&self->c, arrives, ITEMS(arrives) / (1 + i % 2)));
	for (i = 0; i < 4; i++)
		atomic_store(&tasks[i].stop, true);
	for (i = 0; i < 4; i++) {
		pthread_join(tasks[i].thread, NULL);
		EXPECT_EQ(0, tasks[i].errors);
	}
}

TEST_HARNESS_MAIN
