// SPDX-License-Identifier: GPL-2.0-only
/*
 * Random input: random words are written into the windows while operations run, and every structure
 * gets random bytes. Every call must return 0 or a documented errno. The test runner looks for
 * kernel errors in the log.
 */
#include "inject.h"
#include "model.h"
#include "nonsense.h"

#define THREADS 4

/* --- random words in the windows ------------------------------------------- */

/* Joins threads. Signals interrupt their calls, some of which would wait for ever. */
static void join_all(pthread_t *threads, int count)
{
	struct sigaction action = { .sa_handler = nothing };
	int i;

	sigaction(SIGALRM, &action, NULL);
	while (count) {
		if (!pthread_tryjoin_np(threads[count - 1], NULL)) {
			count--;
			continue;
		}
		poll(NULL, 0, 10);
		for (i = 0; i < count; i++)
			pthread_kill(threads[i], SIGALRM);
	}
}

static void *scribble(void *arg)
{
	struct actor *a = arg;
	bool poison = random_next(&a->seed) % 4 == 0;

	while (!atomic_load(a->stop)) {
		uint64_t r = random_next(&a->seed);

		if (!poison)
			r &= ~VSM_SM_90_POISON;
		atomic_store(word_at(a->c, random_addr(&a->seed)), r);
	}
	return NULL;
}

FIXTURE(scribble)
{
	struct cluster c;
	struct buffer b;
	uint32_t syncobjs[SYNCOBJS];
};

FIXTURE_VARIANT(scribble)
{
	uint32_t layout;
	uint32_t policy;
	bool timed;
};

FIXTURE_VARIANT_ADD(scribble, strict) {
	.layout = VSM_LAYOUT_SM_90, .policy = DRM_VSM_POLICY_STRICT,
};

FIXTURE_VARIANT_ADD(scribble, strict_sm_80) {
	.layout = VSM_LAYOUT_SM_80, .policy = DRM_VSM_POLICY_STRICT,
};

FIXTURE_VARIANT_ADD(scribble, hardware) {
	.layout = VSM_LAYOUT_SM_90, .policy = DRM_VSM_POLICY_HARDWARE,
};

FIXTURE_VARIANT_ADD(scribble, hardware_sm_80) {
	.layout = VSM_LAYOUT_SM_80, .policy = DRM_VSM_POLICY_HARDWARE,
};

/* Copies have a latency, and complete in any order and in parts. */
FIXTURE_VARIANT_ADD(scribble, timed) {
	.layout = VSM_LAYOUT_SM_90, .policy = DRM_VSM_POLICY_STRICT, .timed = true,
};

FIXTURE_SETUP(scribble)
{
	int i, fd = vsm_open();

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, buffer_create(&self->b, fd, 8192));
	for (i = 0; i < SYNCOBJS; i++)
		ASSERT_NE(0, self->syncobjs[i] = syncobj_create(fd));
	if (!variant->timed)
		return;
	if (model_reset(fd))
		SKIP(return, "the kernel has no debugfs");
	ASSERT_EQ(0, model_set(fd, "latency_ns", 300000));
	ASSERT_EQ(0, model_set(fd, "bandwidth", 50000000));
	ASSERT_EQ(0, model_set(fd, "shuffle_seed", 5));
	ASSERT_EQ(0, model_set(fd, "split_bytes", 48));
	ASSERT_EQ(0, model_set(fd, "job_timeout_ms", 2));
}

FIXTURE_TEARDOWN(scribble)
{
	if (variant->timed)
		model_reset(self->b.fd);
	close(self->b.fd);
}

static void *act(void *arg)
{
	struct actor *a = arg;
	uint32_t i;
	int ret;

	a->set = waitset_create(a->c->fd, DRM_VSM_WAITSET_NONBLOCK);
	for (i = 0; i < a->operations && !a->undocumented; i++) {
		ret = random_call(a);
		if (!documented(ret))
			a->undocumented = ret;
		/* a trap or the scribbling caused the cluster to be marked lost */
		if (ret == -EIO)
			break;
	}
	close(a->set);
	return NULL;
}

TEST_F(scribble, under_running_operations_harms_nobody)
{
	/* Under the hardware policy a trap soon ends each round, so there are more rounds. */
	int i, round, rounds = variant->policy == DRM_VSM_POLICY_STRICT ? 12 : repeat(200);
	/* A full run goes on, for up to ten times the rounds, until every operation has retired. */
	bool all = repeat(200) == 200 && variant->layout == VSM_LAYOUT_SM_90;
	uint64_t missing = all ? (1ull << OPERATIONS) - 2 : 0;

	for (round = 0; round < rounds || (missing && round < 10 * rounds); round++) {
		atomic_bool stop = false;
		struct actor scribbler, actors[THREADS];
		/*
		 * Most clusters have as many threads as there are tasks, so that all may be
		 * suspended at once. The others have more than a warp.
		 */
		struct cluster c, bystander;
		pthread_t threads[THREADS];

		ASSERT_EQ(0, cluster_make(&c, self->b.fd, .ctas = 4,
					  .threads = round % 6 == 5 ? 40 : 1, .smem_bytes = 4096,
					  .layout = variant->layout, .policy = variant->policy,
					  .trace_events = round % 2 ? 64 : 0));
		ASSERT_EQ(0, cluster_create(&bystander, self->b.fd, variant->layout,
					    variant->policy));
		scribbler = (struct actor){ .c = &c, .seed = round, .stop = &stop };
		ASSERT_EQ(0, pthread_create(&scribbler.thread, NULL, scribble, &scribbler));
		for (i = 0; i < THREADS; i++) {
			actors[i] = (struct actor){
				.c = &c, .syncobjs = self->syncobjs, .operations = repeat(1000),
				.seed = 100 * round + i, .stop = &stop,
			};
			ASSERT_EQ(0, pthread_create(&threads[i], NULL, act, &actors[i]));
		}
		join_all(threads, THREADS);
		for (i = 0; i < THREADS; i++) {
			EXPECT_EQ(0, actors[i].undocumented);
			missing &= ~actors[i].retired;
		}
		atomic_store(&stop, true);
		pthread_join(scribbler.thread, NULL);
		/* Another cluster still works. */
		EXPECT_EQ(0, exec_one(&bystander, i_init(AT(0, 0), 1)));
		EXPECT_EQ(0, exec_one(&bystander, i_arrive(AT(0, 0))));
		EXPECT_EQ(0, cluster_destroy(&bystander));
		EXPECT_EQ(0, cluster_destroy(&c));
	}
	EXPECT_EQ(0, missing) TH_LOG("operations %#lx", missing);
}

/* A scribbler changes instructions while the kernel reads them. */
TEST_F(scribble, over_its_own_instructions_harms_nobody)
{
	atomic_bool stop = false;
	struct actor scribbler;
	struct cluster c;
	int i;

	ASSERT_EQ(0, cluster_create(&c, self->b.fd, variant->layout, variant->policy));
	scribbler = (struct actor){ .c = &c, .seed = 3, .stop = &stop };
	ASSERT_EQ(0, pthread_create(&scribbler.thread, NULL, scribble, &scribbler));
	for (i = repeat(20000); i; i--) {
		struct drm_vsm_insn *insns = (struct drm_vsm_insn *)c.map;
		struct drm_vsm_exec args = exec_args(&c, insns, 8);
		struct drm_vsm_submit job = submit_args(&c, insns, 8);

		insns[i % 8] = i % 3 ? random_copy(&scribbler.seed) : i_init(AT(0, 0x800), 1);
		ASSERT_TRUE(documented(vsm_exec(c.fd, &args)));
		ASSERT_TRUE(documented(vsm_submit(c.fd, &job)));
	}
	atomic_store(&stop, true);
	pthread_join(scribbler.thread, NULL);
	EXPECT_EQ(0, cluster_destroy(&c));
}

/* --- random structures ----------------------------------------------------- */

/* A thread that calls every ioctl with random arguments */
struct fuzz {
	uint64_t seed;		/* state of the random generator */
	struct cluster c;	/* a valid cluster */
	struct buffer b;	/* a valid buffer */
	int set;		/* a wait set */
	uint64_t armed;		/* id of a wait that was armed recently */
	uint32_t channel;	/* a channel that was created recently */
	uint32_t syncobj;
	uint32_t hold;		/* a hold that was created recently */
	uint32_t rule;		/* a rule that was added recently */
	unsigned char *memory;	/* memory for pointers, with pages that cannot be written or read */
	int errors;		/* number of calls with an undocumented result */
	unsigned long request;	/* the last call */
	uint32_t good[32], bad[32];	/* number of successful, of failed calls, by ioctl */
};

#define MEMORY (1 << 18)
#define SYNCS 16384	/* offset of the syncs in @memory */
#define ARMED 32768	/* offset of the instructions to which waits point */
#define LANES_AT 40960	/* offset of the instructions of lanes */
#define STATE_AT 131072	/* where the state of a cluster is written */

/* Writes instructions, waits and syncs into the memory. Most of them are valid. */
static void fill_memory(struct fuzz *f)
{
	struct drm_vsm_insn *insns = (struct drm_vsm_insn *)f->memory;
	struct drm_vsm_insn *jobs = (struct drm_vsm_insn *)(f->memory + 4096);
	struct drm_vsm_wait *waits = (struct drm_vsm_wait *)(f->memory + 8192);
	struct drm_vsm_sync *syncs = (struct drm_vsm_sync *)(f->memory + SYNCS);
	struct drm_vsm_insn *armed = (struct drm_vsm_insn *)(f->memory + ARMED);
	uint32_t timeline = syncobj_create(f->c.fd);
	int i;

	for (i = 0; i < 64; i++) {
		insns[i] = random_insn(&f->seed);
		mutate(&insns[i], random_next(&f->seed) % 4 ? 4 : 48, &f->seed);
		if (insns[i].op == DRM_VSM_OP_MBARRIER_TRY_WAIT)
			insns[i].u.mbarrier.hint_ns %= 100000;
		jobs[i] = i % 4 ? random_copy(&f->seed)
				: i_g2s(0x800, 8, 16 * i, f->b.handle, 16 * i);
		if (i % 2)
			mutate(&jobs[i], 48, &f->seed);
		syncs[i] = i % 2 ? sync_wait(timeline, i / 4) : sync_signal(timeline, i / 4);
		if (i % 8 > 4)
			mutate(&syncs[i], sizeof(syncs[i]), &f->seed);
		waits[i] = wait_parity(&f->c, random_addr(&f->seed), i % 2,
				       random_next(&f->seed) % 2 ? -1 : now_ns(), i);
		if (i % 8 > 5)
			waits[i] = random_armed(&f->c, &armed[i], &f->seed);
		if (i % 4)
			mutate(&waits[i], sizeof(waits[i]), &f->seed);
	}
	exec_one(&f->c, i_init(8, 0xfffff));
	for (i = 0; i < 4; i++)
		exec_at(&f->c, i, i_init(AT(i, 0), 1), NULL);
}

union arguments {
	struct drm_vsm_cluster_create cluster;
	struct drm_vsm_buffer_create buffer;
	struct drm_vsm_object_info object;
	struct drm_vsm_exec exec;
	struct drm_vsm_submit submit;
	struct drm_vsm_waitset_create set;
	struct drm_vsm_waitset_arm arm;
	struct drm_vsm_waitset_cancel cancel;
	struct drm_vsm_cluster_hold hold;
	struct drm_vsm_channel_create channel;
	struct drm_vsm_channel_destroy destroy;
	struct drm_vsm_cluster_state state;
	struct drm_vsm_trace_read trace;
	struct drm_vsm_channel_status status;
	struct drm_vsm_hold_create job_hold;
	struct drm_vsm_hold_release release;
	struct drm_vsm_inject_rule rule;
	struct drm_vsm_inject_query query;
	struct drm_vsm_inject_remove remove;
	unsigned char bytes[256];
};

/* Makes an argument that the ioctl would accept. */
static void prepare(struct fuzz *f, union arguments *args)
{
	struct drm_vsm_insn *insns =
		(struct drm_vsm_insn *)(f->memory + 64 * (random_next(&f->seed) % 64));
	uint32_t count = random_next(&f->seed) % 3;

	memset(args, 0, sizeof(*args));
	switch (f->request) {
	case DRM_IOCTL_VSM_CLUSTER_CREATE:
		args->cluster = (struct drm_vsm_cluster_create){
			.ctas = 2, .threads = 32, .smem_bytes = 4096,
			.trace_events = random_next(&f->seed) % 2 ? 64 : 0,
		};
		break;
	case DRM_IOCTL_VSM_BUFFER_CREATE:
		args->buffer.size = 4096;
		break;
	case DRM_IOCTL_VSM_OBJECT_INFO:
		args->object.handle = f->b.handle;
		break;
	case DRM_IOCTL_VSM_EXEC:
		args->exec = exec_args(&f->c, insns, count);
		args->exec.thread = random_next(&f->seed) % 2;
		args->exec.flags = random_flags(&f->seed);
		if (random_next(&f->seed) % 2)
			break;
		insns = (struct drm_vsm_insn *)(f->memory + LANES_AT);
		random_lanes(insns, &f->seed);
		args->exec = random_lanes_args(&f->c, insns, &f->seed);
		if (random_next(&f->seed) % 2)
			break;
		/* The call is where others write. */
		memcpy(f->memory + SYNCS, &args->exec, sizeof(args->exec));
		args->exec = random_batch((struct drm_vsm_exec *)(f->memory + SYNCS), &f->seed);
		break;
	case DRM_IOCTL_VSM_CLUSTER_HOLD:
		args->hold.cluster = f->c.handle;
		args->hold.flags = random_next(&f->seed) % 4;
		break;
	case DRM_IOCTL_VSM_SUBMIT:
		args->submit = submit_args(&f->c, insns + 64, 1 + count);
		args->submit.channel = random_next(&f->seed) % 2 ? f->channel : 0;
		args->submit.syncs = (uintptr_t)(f->memory + SYNCS +
						 16 * (random_next(&f->seed) % 64));
		args->submit.sync_stride = sizeof(struct drm_vsm_sync);
		args->submit.sync_count = random_next(&f->seed) % 3;
		break;
	case DRM_IOCTL_VSM_CHANNEL_CREATE:
		args->channel.flags = random_next(&f->seed) % 2;
		args->channel.priority = (int)(random_next(&f->seed) % 3) - 1;
		args->channel.group = random_next(&f->seed) % 3;
		break;
	case DRM_IOCTL_VSM_CHANNEL_DESTROY:
		args->destroy.channel = f->channel;
		break;
	case DRM_IOCTL_VSM_CHANNEL_STATUS:
		args->status.channel = random_next(&f->seed) % 2 ? f->channel : 0;
		args->status.flags = random_next(&f->seed) % 2;
		break;
	case DRM_IOCTL_VSM_WAITSET_CREATE:
		args->set.record_stride = sizeof(struct drm_vsm_wait_record);
		break;
	case DRM_IOCTL_VSM_WAITSET_ARM:
		args->arm = (struct drm_vsm_waitset_arm){
			.waits = (uintptr_t)((struct drm_vsm_wait *)(f->memory + 8192) +
					     random_next(&f->seed) % 64),
			.stride = sizeof(struct drm_vsm_wait), .count = count, .fd = f->set,
		};
		break;
	case DRM_IOCTL_VSM_WAITSET_CANCEL:
		args->cancel.fd = f->set;
		args->cancel.id = f->armed;
		break;
	case DRM_IOCTL_VSM_CLUSTER_STATE:
		args->state.flags = random_next(&f->seed) % 3;
		args->state.handle = args->state.flags ? 0 : f->c.handle;
		args->state.number = random_next(&f->seed) % 8;
		args->state.entries = (uintptr_t)(f->memory + STATE_AT);
		args->state.stride = sizeof(struct drm_vsm_state_entry);
		args->state.count = random_next(&f->seed) % 16;
		break;
	case DRM_IOCTL_VSM_TRACE_READ:
		args->trace.cluster = f->c.handle;
		args->trace.events = (uintptr_t)(f->memory + STATE_AT);
		args->trace.stride = sizeof(struct drm_vsm_trace_event);
		args->trace.count = random_next(&f->seed) % 16;
		args->trace.next = random_next(&f->seed) % 16;
		break;
	case DRM_IOCTL_VSM_HOLD_CREATE:
		args->job_hold.handle = f->syncobj;
		args->job_hold.point = random_next(&f->seed) % 4;
		args->job_hold.deadline = now_ns() + random_next(&f->seed) % 1000000;
		break;
	case DRM_IOCTL_VSM_HOLD_RELEASE:
		args->release.hold = f->hold;
		args->release.error = random_next(&f->seed) % 16 == EAGAIN ? 0 : EIO;
		break;
	case DRM_IOCTL_VSM_INJECT_ADD:
		args->rule = random_rule(&f->seed);
		if (random_next(&f->seed) % 4)
			break;
		args->rule.flags = DRM_VSM_INJECT_OBJECT;
		args->rule.object = random_next(&f->seed) % 2 ? f->c.handle : f->b.handle;
		break;
	case DRM_IOCTL_VSM_INJECT_QUERY:
		args->query.rule = f->rule;
		args->query.flags = random_next(&f->seed) % 2;
		args->query.fired = random_next(&f->seed) % 3;
		args->query.deadline = now_ns() + random_next(&f->seed) % 1000000;
		break;
	case DRM_IOCTL_VSM_INJECT_REMOVE:
		args->remove.rule = random_next(&f->seed) % 4 ? f->rule : 0;
		break;
	}
}

/* The calls that depend on others are here more often. */
static const unsigned long requests[] = {
	DRM_IOCTL_VSM_DEVICE_INFO,    DRM_IOCTL_VSM_CLUSTER_CREATE,
	DRM_IOCTL_VSM_BUFFER_CREATE,  DRM_IOCTL_VSM_OBJECT_INFO,
	DRM_IOCTL_VSM_EXEC,	      DRM_IOCTL_VSM_SUBMIT,
	DRM_IOCTL_VSM_WAITSET_CREATE, DRM_IOCTL_VSM_WAITSET_ARM,
	DRM_IOCTL_VSM_WAITSET_CANCEL, DRM_IOCTL_VSM_EXEC,
	DRM_IOCTL_VSM_SUBMIT,	      DRM_IOCTL_VSM_WAITSET_ARM,
	DRM_IOCTL_VSM_CLUSTER_HOLD,   DRM_IOCTL_VSM_CHANNEL_CREATE,
	DRM_IOCTL_VSM_CHANNEL_DESTROY, DRM_IOCTL_VSM_CLUSTER_STATE,
	DRM_IOCTL_VSM_TRACE_READ,     DRM_IOCTL_VSM_HOLD_CREATE,
	DRM_IOCTL_VSM_HOLD_RELEASE,   DRM_IOCTL_VSM_CHANNEL_STATUS,
	DRM_IOCTL_VSM_INJECT_ADD,     DRM_IOCTL_VSM_INJECT_QUERY,
	DRM_IOCTL_VSM_INJECT_REMOVE,
};

static int random_ioctl(struct fuzz *f)
{
	uint64_t waits = (uintptr_t)(f->memory + 8192);
	union arguments args;
	int ret;

	f->request = requests[random_next(&f->seed) % ITEMS(requests)];
	prepare(f, &args);
	if (random_next(&f->seed) % 2)
		mutate(&args, _IOC_SIZE(f->request), &f->seed);
	/* Calls must not fail with an error that is documented for no call. */
	if (f->request == DRM_IOCTL_VSM_INJECT_ADD && !documented(-(int)args.rule.error))
		args.rule.error = EIO;
	/* A rule of the device may lose it, and stays when the file is closed. */
	if (f->request == DRM_IOCTL_VSM_INJECT_ADD)
		args.rule.flags &= ~DRM_VSM_INJECT_OF_DEVICE;
	/* Sometimes the argument has another size than the driver expects. */
	if (random_next(&f->seed) % 16 == 0)
		f->request = _IOC(_IOC_DIR(f->request), 'd', _IOC_NR(f->request),
				  random_next(&f->seed) % sizeof(args));
	ret = vsm_ioctl(f->c.fd, f->request,
			random_next(&f->seed) % 16 ? args.bytes : f->memory + 65536);
	(ret ? f->bad : f->good)[_IOC_NR(f->request) - DRM_COMMAND_BASE]++;
	if (!ret && f->request == DRM_IOCTL_VSM_WAITSET_ARM && args.arm.armed &&
	    args.arm.waits - waits < 64 * sizeof(struct drm_vsm_wait))
		f->armed = ((struct drm_vsm_wait *)(uintptr_t)args.arm.waits)->id;
	if (!ret && f->request == DRM_IOCTL_VSM_CHANNEL_CREATE)
		f->channel = args.channel.channel;
	if (!ret && f->request == DRM_IOCTL_VSM_INJECT_ADD)
		f->rule = args.rule.rule;
	if (!ret && f->request == DRM_IOCTL_VSM_HOLD_CREATE)
		f->hold = args.job_hold.hold;
	if (!ret && _IOC_NR(f->request) == DRM_COMMAND_BASE + DRM_VSM_WAITSET_CREATE &&
	    _IOC_SIZE(f->request) >= 12)
		close(args.set.fd);
	return ret;
}

static int fuzz_open(struct fuzz *f, int round)
{
	int fd = vsm_open();
	int ret = cluster_make(&f->c, fd, .ctas = 4, .threads = 64, .smem_bytes = 4096,
			       .layout = round % 4 / 3, .policy = round / 4 % 2,
			       .trace_events = 64);

	if (!ret)
		ret = buffer_create(&f->b, fd, 8192);
	f->set = waitset_create(fd, DRM_VSM_WAITSET_NONBLOCK);
	f->syncobj = syncobj_create(fd);
	return ret;
}

static void fuzz_close(struct fuzz *f)
{
	munmap(f->b.map, f->b.size);
	munmap(f->c.map, f->c.size);
	close(f->set);
	close(f->c.fd);
}

/* Returns whether this ioctl alone may return this value. */
static bool documented_of(unsigned long request, int ret)
{
	switch (_IOC_NR(request) - DRM_COMMAND_BASE) {
	case DRM_VSM_HOLD_RELEASE:
	case DRM_VSM_INJECT_QUERY:
		return ret == -ETIMEDOUT;
	case DRM_VSM_INJECT_ADD:
		return ret == -EPERM;	/* only a rule of the device may lose it */
	}
	return false;
}

static void *fuzz(void *arg)
{
	struct fuzz *f = arg;
	char records[256];
	int i, ret, count = repeat(20000);

	for (i = 0; i < count && !f->errors; i++) {
		if (i % 100 == 0) {
			if (i)
				fuzz_close(f);
			f->errors += fuzz_open(f, i / 100) != 0;
		}
		if (i % 20 == 0)
			fill_memory(f);
		ret = random_ioctl(f);
		f->errors += !documented(ret) && !documented_of(f->request, ret);
		if (read(f->set, records, sizeof(records)) < 0 && errno != EAGAIN &&
		    errno != EINTR)
			f->errors++;
	}
	fuzz_close(f);
	return NULL;
}

FIXTURE(structures)
{
};

FIXTURE_SETUP(structures) {}

FIXTURE_TEARDOWN(structures) {}

TEST_F(structures, of_random_bytes_are_survived)
{
	pthread_t threads[2];
	struct fuzz f[2];
	int i, j, nr;

	for (i = 0; i < 2; i++) {
		f[i] = (struct fuzz){ .seed = 1000 + i };
		f[i].memory = mmap(NULL, MEMORY, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		ASSERT_NE(MAP_FAILED, f[i].memory);
		mprotect(f[i].memory + 12288, 4096, PROT_READ);
		mprotect(f[i].memory + 65536, 4096, PROT_NONE);
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, fuzz, &f[i]));
	}
	join_all(threads, 2);
	for (i = 0; i < 2; i++) {
		EXPECT_EQ(0, f[i].errors) TH_LOG("ioctl %lx", f[i].request);
		/* In a full run, every ioctl has succeeded and failed at least once. */
		if (repeat(200) < 200)
			continue;
		for (j = 0; j < ITEMS(requests); j++) {
			nr = _IOC_NR(requests[j]) - DRM_COMMAND_BASE;
			EXPECT_LT(0, f[i].good[nr]) TH_LOG("ioctl %d", nr);
			EXPECT_LT(0, f[i].bad[nr]) TH_LOG("ioctl %d", nr);
		}
		EXPECT_LT(0, f[i].good[DRM_VSM_CHANNEL_STATUS]);
		EXPECT_LT(0, f[i].bad[DRM_VSM_CHANNEL_STATUS]);
	}
}

TEST_HARNESS_MAIN
