// SPDX-License-Identifier: GPL-2.0-only
/*
 * A client or the device ends at each stage of a job and of a thread's copies, as in stages.c, but
 * under a rule of injection: under each rule that there can be, except those that lose the device.
 * The client comes as far as the rule allows. Every fence signals, no reference is left, and the
 * device works afterwards.
 *
 * Not all combinations of rules, stages and ways to end them are tried in each run, but all rules
 * are. VSM_TEST_SHARE=1 tries all combinations. VSM_TEST_SEED repeats those of an earlier run, with
 * rules of the client and of the device in the same places.
 */
#include "inject_all.h"
#include "stages.h"

#define JOBS AT(0, 0x58)	/* counts the bytes of a job that matches a rule */
#define THREADS AT(0, 0x60)	/* counts the bytes of a thread that matches a rule */
#define SOON 10000000		/* a delay if the client stays, in ns */

/* A scene under a rule */
struct ruled {
	struct scene s;				/* scene */
	struct drm_vsm_inject_rule rule;	/* the rule, of the child or of the device */
	bool of_device;				/* it is one of the device */
	char name[80];				/* the rule and the stage, for messages */
	pid_t pid;				/* the child, or 0 */
	int dmabuf;				/* the child's dma-buf of the buffer */
	struct {
		atomic_int fd;
		atomic_int file;
		atomic_ullong fired;
	/*
	 * Memory that both processes see. It has the child's descriptors of the device and of the
	 * fence of a job that has matched the rule, or -1, and how often the rule had fired when
	 * the child was ready.
	 */
	} *told;
};

FIXTURE(inject_stages) { long refs; };

FIXTURE_SETUP(inject_stages)
{
	const char *lacks = stages_begin(&self->refs);

	if (lacks)
		SKIP(return, "needs %s", lacks);
	ASSERT_LE(0, self->refs);
}

FIXTURE_TEARDOWN(inject_stages)
{
	int fd = vsm_open();

	inject_device_remove(fd, 0);
	close(fd);
	stages_end();
}

/* Touches all pages of a mapping. A rule then cannot refuse any of them. */
static void touch(const unsigned char *map, uint64_t size)
{
	uint64_t i;

	for (i = 0; i < size; i += 4096)
		*(const volatile unsigned char *)(map + i);
}

static uint64_t fired(const struct ruled *r)
{
	uint64_t counts[RULES_MAX];

	if (!r->of_device)
		return inject_fired(r->s.c.fd, r->rule.rule);
	return rules_fired(r->s.c.fd, counts) == 1 ? counts[0] : 0;
}

static bool has_fired(const struct scene *s)
{
	return fired((const struct ruled *)s) > 0;
}

/* --- the child ------------------------------------------------------------ */

struct stager {
	struct ruled *r;
	const struct stage *stage;
	atomic_bool done;
};

static void *stager_main(void *arg)
{
	struct stager *stager = arg;

	/* The rule may keep the stage from being reached. */
	stager->stage->start(&stager->r->s);
	atomic_store(&stager->done, true);
	return NULL;
}

/* A job, and copies of a thread, match each rule for them. */
static void match_operations(struct ruled *r)
{
	struct scene *s = &r->s;
	struct drm_vsm_insn insns[][2] = {
		{ i_expect_tx(JOBS, 16), i_g2s(0x600, JOBS, 16, s->b.handle, 0) },
		{ i_expect_tx(THREADS, 16), i_g2s(0x700, THREADS, 16, s->b.handle, 0) },
	};
	struct drm_vsm_exec args = exec_args(&s->c, insns[1], 2);

	/* What the stage has launched stays as late as it is. */
	model_set(s->c.fd, "latency_ns", 0);
	model_set(s->c.fd, "bandwidth", 0);
	atomic_store(&r->told->file, job_start(&s->c, channel_create(s->c.fd, 0), insns[0], 2,
					       s->in));
	args.thread = 32;
	vsm_exec(s->c.fd, &args);
}

/* Makes a call that matches the rule, and that may never return. */
static void *match(void *arg)
{
	struct ruled *r = arg;
	struct scene *s = &r->s;
	struct drm_vsm_insn arrive = i_sink(i_arrive(C));
	struct drm_vsm_wait wait = wait_parity(&s->c, C, 0, -1, 0);
	struct drm_vsm_exec args = exec_args(&s->c, &arrive, 1);
	struct buffer b;
	uint32_t handle;
	int zero;

	switch (r->rule.where) {
	case DRM_VSM_INJECT_EXEC:
		args.thread = 32;
		vsm_exec(s->c.fd, &args);
		break;
	case DRM_VSM_INJECT_SUBMIT:
		submit_sync(&s->c, &arrive, 1, 0, 0);
		break;
	case DRM_VSM_INJECT_ARM:
		waitset_arm(s->c.fd, waitset_create(s->c.fd, 0), &wait, 1, NULL);
		break;
	case DRM_VSM_INJECT_ALLOC:
		allocate(s->c.fd, 4096);
		break;
	case DRM_VSM_INJECT_IMPORT:
		drmPrimeFDToHandle(s->c.fd, r->dmabuf, &handle);
		break;
	case DRM_VSM_INJECT_MMAP:
		/* A page that is refused is an error of this read(), and no signal. */
		zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);
		if (!buffer_create(&b, s->c.fd, 4096)) {
			if (read(zero, b.map, 1) == 1)
				_exit(1);
			munmap(b.map, b.size);
		}
		break;
	default:
		match_operations(r);
	}
	return NULL;
}

static int add_rule(struct ruled *r)
{
	int ret;

	ret = r->of_device ? inject_device(r->s.c.fd, r->rule) : inject(r->s.c.fd, r->rule);
	if (ret < 0)
		return ret;
	r->rule.rule = ret;
	return 0;
}

/* Runs in the child. It writes a byte when the stage has begun and the rule has fired. */
static void act(struct ruled *r, const struct stage *stage, int ready)
{
	struct stager stager = { .r = r, .stage = stage };
	int64_t limit = now_ns() + AMPLE;
	pthread_t threads[2];

	if (become_client(&r->s, &r->dmabuf) ||
	    drmSyncobjCreate(r->s.c.fd, DRM_SYNCOBJ_CREATE_SIGNALED, &r->s.in))
		_exit(1);
	touch(r->s.c.map, r->s.c.size);
	if (add_rule(r))
		_exit(1);
	atomic_store(&r->told->fd, r->s.c.fd);
	r->s.is_stopped = has_fired;
	if (pthread_create(&threads[0], NULL, stager_main, &stager))
		_exit(1);
	while (!atomic_load(&stager.done) && !(rule_stops_call(&r->rule) && has_fired(&r->s)))
		sched_yield();
	if (pthread_create(&threads[1], NULL, match, r))
		_exit(1);
	if (!rule_stops_call(&r->rule))
		pthread_join(threads[1], NULL);
	while (!has_fired(&r->s)) {
		if (now_ns() > limit)
			_exit(1);
		sched_yield();
	}
	atomic_store(&r->told->fired, fired(r));
	if (close_client(&r->s) || write(ready, "", 1) != 1)
		_exit(1);
	if (stage->stores)
		atomic_store(&r->s.told->ret, exec_thread_join(&r->s.waiter));
	while (true)
		pause();
}

/* --- the parent ----------------------------------------------------------- */

/* May the rule change how the stage ends? */
static bool is_concerned(const struct ruled *r, const struct stage *stage)
{
	bool job = stage->outcome != &still_happens;

	return r->rule.where >= DRM_VSM_INJECT_FENCE ||
	       r->rule.what == DRM_VSM_INJECT_LOSE_CLUSTER ||
	       r->rule.where == (job ? DRM_VSM_INJECT_SUBMIT : DRM_VSM_INJECT_EXEC);
}

/* May the fence of a job have this status, if a rule was for the job? */
static bool may_end(const struct ruled *r, int status)
{
	return status == 1 || status == -ECANCELED || status == -EIO || status == -RULE_ERROR ||
	       (r->s.how == UNBIND && status == -ENODEV);
}

/* Removes the rule while the child lives. */
static int remove_rule(const struct ruled *r)
{
	int fd, ret;

	if (r->of_device)
		return inject_device_remove(r->s.c.fd, 0);
	fd = fd_of(r->pid, atomic_load(&r->told->fd));
	ret = inject_remove(fd, 0);
	close(fd);
	return ret;
}

static void end_child(struct __test_metadata *_metadata, struct ruled *r)
{
	int status;

	if (!r->pid)
		return;
	ASSERT_EQ(0, kill(r->pid, SIGKILL));
	ASSERT_EQ(r->pid, waitpid(r->pid, &status, 0));
	r->pid = 0;
}

/* Waits until the call of the suspended thread has returned. */
static void expect_waiter(struct __test_metadata *_metadata, const struct ruled *r, bool concerned)
{
	const int expected = r->s.how == UNBIND ? -ENODEV : 0;
	const int64_t limit = now_ns() + AMPLE;
	int ret;

	while (atomic_load(&r->s.told->ret) > 0 && now_ns() < limit)
		sched_yield();
	ret = atomic_load(&r->s.told->ret);
	EXPECT_TRUE(concerned ? ret <= 0 : ret == expected) TH_LOG("%s: %d", r->name, ret);
}

/* Waits for the fence of a job that ends with @ends, or if that is 0, with what a rule does. */
static void expect_fence(struct __test_metadata *_metadata, const struct ruled *r, int file,
			 int ends)
{
	int status = job_end(file);

	EXPECT_TRUE(ends ? status == ends : may_end(r, status)) TH_LOG("%s: %d", r->name, status);
}

static void bring_about(struct __test_metadata *_metadata, struct ruled *r,
			const struct stage *stage)
{
	struct scene *s = &r->s;
	const bool concerned = is_concerned(r, stage);
	const bool happens = stage->outcome->happens[s->how];
	const int ends = concerned ? 0 : stage->outcome->ends[s->how];
	int file = fd_of(r->pid, atomic_load(&s->told->file));
	int other = fd_of(r->pid, atomic_load(&r->told->file));

	if (ends)
		ASSERT_LE(0, file) TH_LOG("%s", r->name);
	switch (s->how) {
	case CLOSE:
		EXPECT_EQ(0, stage->stores ? cluster_hold(&s->c, 0) : 0);
		break;
	case KILL:
		end_child(_metadata, r);
		break;
	case UNBIND:
		ASSERT_EQ(0, device_unbind());
		break;
	default:
		EXPECT_EQ(0, stage->waits ? hold_release(&s->hold) : 0);
		if (r->rule.what == DRM_VSM_INJECT_HANG)
			EXPECT_EQ(0, remove_rule(r)) TH_LOG("%s", r->name);
	}
	/* If the client has closed its file, a rule may suspend the thread until it is killed. */
	if (stage->stores && s->how != KILL && (s->how != CLOSE || !concerned))
		expect_waiter(_metadata, r, concerned);
	/* A call that sleeps keeps the file open. */
	if (s->how == CLOSE && (stage->stores || rule_stops_call(&r->rule)))
		end_child(_metadata, r);
	if (file >= 0)
		expect_fence(_metadata, r, file, ends);
	if (other >= 0)
		expect_fence(_metadata, r, other, 0);
	if (!concerned) {
		EXPECT_EQ(happens, happens ? comes_to_happen(s, stage) : happened(s, stage))
			TH_LOG("%s", r->name);
	}
	if (s->how != HANDLES || !stage->waits)
		hold_release(&s->hold);
	end_child(_metadata, r);
	if (!concerned)
		EXPECT_EQ(happens, happened(s, stage)) TH_LOG("%s", r->name);
}

static void play_stage(struct __test_metadata *_metadata, struct ruled *r,
		       const struct stage *stage, long refs)
{
	int ready[2];
	char byte;

	snprintf(r->name, sizeof(r->name), "%s %s of the %s, %s", wheres[r->rule.where],
		 whats[r->rule.what].name, r->of_device ? "device" : "client", stage->name);
	ASSERT_EQ(0, make(&r->s)) TH_LOG("%s", r->name);
	touch(r->s.c.map, r->s.c.size);
	touch(r->s.b.map, r->s.b.size);
	ASSERT_EQ(0, exec_one(&r->s.c, i_init(JOBS, 1)));
	ASSERT_EQ(0, exec_one(&r->s.c, i_init(THREADS, 1)));
	r->told = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, r->told);
	atomic_store(&r->told->file, -1);
	ASSERT_EQ(0, pipe2(ready, O_CLOEXEC));
	r->pid = fork_child();
	if (!r->pid)
		act(r, stage, ready[1]);
	close(ready[1]);
	ASSERT_EQ(1, read(ready[0], &byte, 1)) TH_LOG("%s", r->name);
	close(ready[0]);
	EXPECT_LT(0, atomic_load(&r->told->fired)) TH_LOG("%s", r->name);
	bring_about(_metadata, r, stage);
	if (r->of_device && r->s.how != UNBIND)
		EXPECT_EQ(0, inject_device_remove(r->s.c.fd, 0));
	munmap(r->told, 4096);
	unmake(&r->s);
	EXPECT_TRUE(is_unused(refs)) TH_LOG("%s", r->name);
	if (r->s.how == UNBIND)
		ASSERT_EQ(0, device_bind());
	EXPECT_TRUE(device_works()) TH_LOG("%s", r->name);
}

static void play(struct __test_metadata *_metadata, enum how how, long refs)
{
	const uint32_t share = rules_share(36, 12);
	struct drm_vsm_inject_rule rules[RULES_MAX];
	uint32_t i, j, played = 0, count = all_rules(rules, how == HANDLES ? SOON : NEVER);

	for (i = 0; i < count; i++) {
		for (j = 0; j < ITEMS(stages); j++) {
			struct ruled r = {
				.s = { .how = how },
				.rule = rules[i],
				.of_device = (i + j + how + rules_seed) % 2,
			};

			/* Every rule is played equally often, with any seed. */
			if ((j * HOWS + how + 5 * i + rules_seed) % share)
				continue;
			play_stage(_metadata, &r, &stages[j], refs);
			played++;
		}
	}
	TH_LOG("%u of %zu combinations, VSM_TEST_SHARE=%u VSM_TEST_SEED=%llu", played,
	       count * ITEMS(stages), share, (unsigned long long)rules_seed);
	EXPECT_LT(0, played);
}

TEST_F(inject_stages, at_each_the_client_may_close)
{
	play(_metadata, CLOSE, self->refs);
}

TEST_F(inject_stages, at_each_the_client_may_be_killed)
{
	play(_metadata, KILL, self->refs);
}

TEST_F(inject_stages, at_each_the_device_may_go)
{
	play(_metadata, UNBIND, self->refs);
}

TEST_F(inject_stages, at_each_memory_and_handles_may_go)
{
	play(_metadata, HANDLES, self->refs);
}

TEST_HARNESS_MAIN
