// SPDX-License-Identifier: GPL-2.0-only
/*
 * Nonsense: random words in the aperture under running operations, and random
 * bytes in every structure. Every call returns, with 0 or a documented errno;
 * that the kernel stays well is looked for in its log.
 */
#include "channel.h"
#include "model.h"

#define THREADS 4
#define OPERATIONS (DRM_VSM_OP_FENCE + 1)
#define SYNCOBJS 4

static bool documented(int ret)
{
	switch (-ret) {
	case 0:
	case EINVAL: case EFAULT: case ENOENT: case E2BIG: case ENOMEM: case ENOSPC:
	case EOPNOTSUPP: case EPROTO: case EIO: case ENODEV: case EINTR:
	case EBADF:		/* wait sets */
		return true;
	default:
		return false;
	}
}

/* --- scribbling ------------------------------------------------------------ */

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

FIXTURE_VARIANT_ADD(scribble, strict)
{
	.layout = VSM_LAYOUT_SM_90,
	.policy = DRM_VSM_POLICY_STRICT,
};

FIXTURE_VARIANT_ADD(scribble, strict_sm_80)
{
	.layout = VSM_LAYOUT_SM_80,
	.policy = DRM_VSM_POLICY_STRICT,
};

FIXTURE_VARIANT_ADD(scribble, hardware)
{
	.layout = VSM_LAYOUT_SM_90,
	.policy = DRM_VSM_POLICY_HARDWARE,
};

FIXTURE_VARIANT_ADD(scribble, hardware_sm_80)
{
	.layout = VSM_LAYOUT_SM_80,
	.policy = DRM_VSM_POLICY_HARDWARE,
};

/* Copies take their time, and come in any order and in parts. */
FIXTURE_VARIANT_ADD(scribble, timed)
{
	.layout = VSM_LAYOUT_SM_90,
	.policy = DRM_VSM_POLICY_STRICT,
	.timed = true,
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

struct actor {
	const struct cluster *c;
	const uint32_t *syncobjs;
	uint32_t operations;
	uint32_t retired[OPERATIONS];
	uint64_t seed;
	atomic_bool *stop;
	int set;
	int undocumented;
	pthread_t thread;
};

static uint32_t random_addr(uint64_t *seed)
{
	uint64_t r = random_next(seed);

	/* Mostly few words, so that operations meet. */
	return r % 8 ? AT(r >> 8 & 3, r >> 16 & 0x18) : AT(r >> 8 & 3, r >> 16 & 0xff8);
}

/* What tensor copies point to. */
static _Thread_local struct drm_vsm_tensor_map maps[8] __attribute__((aligned(64)));

/* A value that may mean something. */
static uint32_t random_value(uint64_t *seed)
{
	static const uint32_t likely[] = { 0, 1, 2, 3, 4, 8, 16, 24, 48, 64, 256, 4096 };
	uint64_t r = random_next(seed);

	if (r % 4 == 0)
		return random_next(seed);
	if (r % 4 == 1)
		return -(r >> 8) % 64;
	return likely[(r >> 8) % ITEMS(likely)];
}

/* Puts random values into a few of the structure's fields; into all now and then. */
static void mutate(void *p, size_t size, uint64_t *seed)
{
	uint32_t *fields = p;
	size_t i, n = random_next(seed) % 4;

	if (random_next(seed) % 16 == 0)
		n = 64;
	for (i = 0; i < n; i++)
		fields[random_next(seed) % (size / 4)] = random_value(seed);
}

/* Mostly one that keeps the rules, of a tensor that fits in a buffer or does not. */
static void random_map(struct drm_vsm_tensor_map *map, uint64_t *seed)
{
	static const uint8_t bytes[] = { 1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4 };
	uint32_t i, type = random_next(seed) % ITEMS(bytes), rank = 1 + random_next(seed) % 5;
	uint64_t stride = 16 * (1 + random_next(seed) % 4);
	bool im2col = rank > 2 && random_next(seed) % 2;

	*map = (struct drm_vsm_tensor_map){
		.type = type, .rank = rank, .buffer = 1 + random_next(seed) % 2,
		.mode = im2col ? DRM_VSM_TENSOR_IM2COL : DRM_VSM_TENSOR_TILED,
		.swizzle = random_next(seed) % 4,
		.channels = im2col ? 16 / bytes[type] : 0,
		.pixels = im2col ? 1 + random_next(seed) % 8 : 0,
		.offset = 16 * (random_next(seed) % 8),
		.size[0] = stride / bytes[type],
		.box[0] = im2col ? 0 : 16 / bytes[type],
		.element_stride[0] = 1,
	};
	for (i = 1; i < rank; i++) {
		map->stride[i - 1] = stride;
		map->size[i] = 1 + random_next(seed) % 4;
		stride *= map->size[i];
		map->box[i] = im2col ? 0 : 1 + random_next(seed) % 4;
		map->element_stride[i] = 1 + random_next(seed) % 2;
	}
	for (i = 0; im2col && i + 2 < rank; i++) {
		map->lower[i] = -(int)(random_next(seed) % 2);
		map->upper[i] = random_next(seed) % 2;
	}
	if (random_next(seed) % 4 == 0)
		mutate(map, sizeof(*map), seed);
}

static struct drm_vsm_insn random_tensor(uint64_t *seed, uint32_t to, uint32_t mbar, uint32_t from)
{
	struct drm_vsm_tensor_map *map = &maps[random_next(seed) % ITEMS(maps)];
	struct drm_vsm_insn insns[] = {
		i_tensor(TENSOR_G2S, map, .addr = to, .mbar = mbar),
		i_multicast(i_tensor(TENSOR_G2S, map, .addr = to, .mbar = mbar),
			    random_next(seed) % 16),
		i_tensor(TENSOR_S2G, map, .addr = from),
		i_reduce(i_tensor(TENSOR_S2G, map, .addr = from), 1 + random_next(seed) % 8),
		i_tensor(PREFETCH_TENSOR, map),
	};
	struct drm_vsm_insn insn = insns[random_next(seed) % ITEMS(insns)];
	int i;

	for (i = 0; i < map->rank && i < 5; i++)
		insn.u.tensor.coords[i] = (i ? 1 : 16) * (int)(random_next(seed) % 4 - 1);
	/* The next that points there finds another one. */
	if (random_next(seed) % 4 == 0)
		random_map(map, seed);
	return insn;
}

static uint8_t random_red(uint64_t *seed)
{
	static const uint8_t reds[] = {
		RED(ADD, U32), RED(INC, U32), RED(MAX, S32), RED(XOR, B32), RED(ADD, U64),
		RED(OR, B64), RED(ADD, F16), RED(MIN, BF16), RED(ADD, F32),
	};

	return reds[random_next(seed) % ITEMS(reds)];
}

/* A copy of any kind, to where others write too. The first handles are buffer and cluster. */
static struct drm_vsm_insn random_copy(uint64_t *seed)
{
	uint32_t mbar = random_addr(seed), buffer = 1 + random_next(seed) % 2;
	uint32_t to = AT(mbar >> 24, 0x400 + 128 * (random_next(seed) % 16));
	uint32_t from = AT(random_next(seed) % 4, 0x400 + 128 * (random_next(seed) % 16));
	uint32_t size = 16 * (random_next(seed) % 5), n = random_next(seed) % 16;
	uint64_t offset = 64 * n, value = random_next(seed) & 0x7fffffff;
	struct drm_vsm_insn insns[] = {
		i_g2s(to, mbar, size, buffer, offset),
		i_multicast(i_g2s(to, mbar, size, buffer, offset), n),
		i_s2g(from, size, buffer, offset),
		i_cp_mask(i_s2g(from, size, buffer, offset), 0x1111 * n),
		i_s2s(to, mbar, size, from),
		i_reduce(i_s2g(from, size, buffer, offset), random_red(seed)),
		i_reduce(i_s2s(to, mbar, size, from), random_red(seed)),
		i_prefetch(size, buffer, offset),
		i_st_async(to, mbar, 4 << n % 3, value),
		i_red_async(random_red(seed), to, mbar, 4 << n % 2, value),
	};

	return random_next(seed) % 2 ? insns[random_next(seed) % ITEMS(insns)]
				     : random_tensor(seed, to, mbar, from);
}

/* Of a thread that meets others, or waits for those who will not come. */
static struct drm_vsm_insn random_meeting(uint64_t *seed)
{
	uint32_t n = random_next(seed) % 16, mask = random_next(seed) % 8 ? 3 : 1 + 2 * n;
	struct drm_vsm_insn insns[] = {
		i_match(DRM_VSM_MODE_ANY + n % 2, n & 2 ? DRM_VSM_TYPE_B64 : DRM_VSM_TYPE_B32,
			n & 4, mask),
		i_warp_sync(mask),
		i_elect(mask),
		i_vote(DRM_VSM_MODE_ANY + n % 4, n & 4, mask),
		i_shfl(DRM_VSM_MODE_UP + n % 4, n, n / 4 % 2, 0x1f, mask),
		i_redux(DRM_VSM_RED_ADD + n % 3, DRM_VSM_TYPE_U32 + n / 8, n, mask),
		i_barrier_sync(n),
		i_barrier_sync_n(n % 2, 32),
		i_barrier_arrive(n % 2, 32),
		i_barrier_red(n & 1 ? DRM_VSM_RED_POPC : DRM_VSM_RED_AND + n / 2 % 2, 2, n & 4),
		i_cluster_arrive(),
		i_cluster_arrive_relaxed(),
		i_cluster_wait(),
	};
	struct drm_vsm_insn insn = insns[random_next(seed) % ITEMS(insns)];

	/* Nothing comes after it. */
	if (random_next(seed) % 1024 == 0)
		return i_exit();
	return random_next(seed) % 8 ? insn : i_aligned(insn);
}

static struct drm_vsm_insn random_insn(uint64_t *seed)
{
	uint32_t addr = random_addr(seed), n = random_next(seed) % 6;
	struct drm_vsm_insn insns[] = {
		i_init(addr, 1 + n),
		i_inval(addr),
		i_arrive(addr),
		i_arrive_n(addr, n),
		i_arrive_nocomplete(addr, n),
		i_drop(i_arrive(addr)),
		i_sink(i_arrive(addr)),
		i_arrive_expect_tx(addr, 16 * n),
		i_expect_tx(addr, 16 * n),
		i_complete_tx(addr, 16 * n),
		i_test_parity(addr, n),
		i_try_parity(addr, n, n * 20000),
		i_pending_count(random_next(seed)),
		i_sink(i_arrive_expect_tx(addr, 16 * n)),
		i_fence(),
		i_order(n, 1 + n % 4),
		i_cp_arrive(addr),
		i_noinc(i_cp_arrive(addr)),
		i_try_wait(addr, random_next(seed), 0),
		i_try_parity_unlimited(addr, n),
		i_cp_async((addr & ~0xfU) + 0x100 * n, 4 << n % 3, 1 + n % 2, 16 * n),
		i_src_size(i_cp_async(addr, 8, 1 + n % 2, 8 * n), n),
		i_commit(),
		i_wait_group(n),
		i_wait_all(),
		i_bulk_commit(),
		i_bulk_wait(n),
		i_bulk_wait_read(n),
	};

	switch (random_next(seed) % 8) {
	case 0:
		return random_meeting(seed);
	case 1: case 2: case 3:
		return random_copy(seed);
	default:
		return insns[random_next(seed) % ITEMS(insns)];
	}
}

static uint32_t random_flags(uint64_t *seed)
{
	uint64_t r = random_next(seed);

	return (r % 4 ? 0 : DRM_VSM_EXEC_NO_LIMIT) | (r >> 8 & 1 ? DRM_VSM_EXEC_WARP : 0);
}

/* An instruction of a thread. */
static struct drm_vsm_wait random_armed(const struct cluster *c, struct drm_vsm_insn *insn,
					uint64_t *seed)
{
	uint64_t r = random_next(seed);

	*insn = r % 16 ? random_meeting(seed) : random_insn(seed);
	return (struct drm_vsm_wait){
		.cluster = c->handle, .addr = DRM_VSM_WAIT_THREAD(r >> 8 & 3, r >> 16 & 1),
		.state = (uintptr_t)insn, .deadline = now_ns() + (r >> 24) % 1000000,
		.flags = DRM_VSM_WAIT_INSN | (r >> 17 & 1 ? DRM_VSM_WAIT_WARP : 0),
	};
}

/* A stream that goes on behind what is refused, with or without a limit to its waits. */
static int random_stream(struct actor *a)
{
	struct drm_vsm_insn insns[16];
	struct drm_vsm_exec args = exec_args(a->c, insns, 16);
	int i, ret;

	for (i = 0; i < 16; i++)
		insns[i] = random_insn(&a->seed);
	insn_poison(insns, 16);
	args.cta = random_next(&a->seed) % 4;
	args.flags = random_flags(&a->seed);
	do {
		ret = vsm_exec(a->c->fd, &args);
		args.retired += ret == -EPROTO;
	} while (ret == -EPROTO && args.retired < 16);
	for (i = 0; i < args.retired; i++)
		a->retired[insns[i].op] += !insns[i].fault;
	return ret;
}

/* Copies on any channel, between any fences. */
static int random_job(struct actor *a)
{
	uint32_t i, addr = random_addr(&a->seed), count = random_next(&a->seed) % 8;
	struct drm_vsm_insn insns[10];
	struct drm_vsm_sync syncs[2];

	for (i = 0; i < count; i++)
		insns[i] = random_copy(&a->seed);
	insns[i++] = i_sink(i_arrive(addr));
	insns[i++] = i_complete_tx(addr, 64);
	for (i = 0; i < ITEMS(syncs); i++) {
		uint32_t handle = a->syncobjs[random_next(&a->seed) % SYNCOBJS];
		uint64_t point = random_next(&a->seed) % 4;

		syncs[i] = random_next(&a->seed) % 3 ? sync_signal(handle, point)
						     : sync_wait(handle, point);
	}
	return submit_on(a->c, random_next(&a->seed) % 4, insns, count + 2, syncs,
			 random_next(&a->seed) % 3);
}

static int random_call(struct actor *a)
{
	struct drm_vsm_wait waits[4];
	struct drm_vsm_wait_record record;
	struct drm_vsm_insn insn;
	int i;

	switch (random_next(&a->seed) % 8) {
	default:
		return random_stream(a);
	case 3:
		return cluster_hold(a->c, random_next(&a->seed) % 3 ? 0 : DRM_VSM_HOLD);
	case 0:
		i = random_next(&a->seed) % 8;
		if (!i)
			return channel_destroy(a->c->fd, 1 + random_next(&a->seed) % 4);
		if (i > 1)
			return random_job(a);
		i = channel_create(a->c->fd, random_next(&a->seed) % 2);
		return i > 0 ? 0 : i;
	case 1:
		for (i = 0; i < 4; i++)
			waits[i] = wait_parity(a->c, random_addr(&a->seed),
					       random_next(&a->seed) % 2,
					       now_ns() + random_next(&a->seed) % 1000000, i);
		if (random_next(&a->seed) % 4 == 0)
			waits[1] = random_armed(a->c, &insn, &a->seed);
		return waitset_arm(a->c->fd, a->set, waits, 4, NULL);
	case 2:
		i = waitset_read(a->set, &record);
		return i == 1 || i == -EAGAIN ? 0 : i;
	}
}

static void nothing(int signum)
{
}

/* Waits for threads, of which some may wait for ever: signals end that. */
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
		if (ret == -EIO)	/* a trap or endless scribbling has ended the cluster */
			break;
	}
	close(a->set);
	return NULL;
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

TEST_F(scribble, under_running_operations_harms_nobody)
{
	/* What hardware does not refuse is a trap before long. */
	int i, round, rounds = variant->policy == DRM_VSM_POLICY_STRICT ? 12 : repeat(200);
	uint32_t op, retired[OPERATIONS] = {};
	uint64_t missing = 0;

	for (round = 0; round < rounds; round++) {
		atomic_bool stop = false;
		struct actor scribbler, actors[THREADS];
		/* As few threads as there are, so that they may all be suspended at once. */
		struct drm_vsm_cluster_create args = {
			.ctas = 4, .threads = 1, .smem_bytes = 4096, .layout = variant->layout,
			.policy = variant->policy,
		};
		struct cluster c, bystander;
		pthread_t threads[THREADS];

		ASSERT_EQ(0, cluster_create_args(&c, self->b.fd, &args));
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
			for (op = 1; op < OPERATIONS; op++)
				retired[op] += actors[i].retired[op];
		}
		atomic_store(&stop, true);
		pthread_join(scribbler.thread, NULL);
		/* Who has nothing to do with it notices nothing. */
		EXPECT_EQ(0, exec_one(&bystander, i_init(AT(0, 0), 1)));
		EXPECT_EQ(0, exec_one(&bystander, i_arrive(AT(0, 0))));
		EXPECT_EQ(0, cluster_destroy(&bystander));
		EXPECT_EQ(0, cluster_destroy(&c));
	}
	/* Everything that there is has happened, given the time. */
	if (repeat(200) < 200 || variant->layout != VSM_LAYOUT_SM_90)
		return;
	for (op = 1; op < OPERATIONS; op++)
		missing |= (uint64_t)!retired[op] << op;
	EXPECT_EQ(0, missing) TH_LOG("operations %#lx", missing);
}

/* Instructions and waits change while the kernel reads them, as copies do. */
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

/**
 * struct fuzz - A thread that calls every ioctl with nonsense
 * @seed: Where its nonsense comes from
 * @c: A cluster that works
 * @b: A buffer that works
 * @set: A wait set
 * @armed: A wait that was armed not long ago
 * @channel: A channel that was created not long ago
 * @memory: What pointers point to, with pages that cannot be written or read
 * @errors: Calls that returned something undocumented
 * @request: The last call
 * @good: Calls that succeeded, by number
 * @bad: Calls that did not
 */
struct fuzz {
	uint64_t seed;
	struct cluster c;
	struct buffer b;
	int set;
	uint64_t armed;
	uint32_t channel;
	unsigned char *memory;
	int errors;
	unsigned long request;
	uint32_t good[16], bad[16];
};

#define MEMORY (1 << 18)
#define SYNCS 16384	/* where they are in it */
#define ARMED 32768	/* and the instructions of waits */

/* Instructions, waits and syncs, the most of them good ones. */
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
	unsigned char bytes[256];
};

/* What would be accepted. */
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
		break;
	case DRM_IOCTL_VSM_CLUSTER_HOLD:
		args->hold.cluster = f->c.handle;
		args->hold.flags = random_next(&f->seed) % 3 ? 0 : DRM_VSM_HOLD;
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
		break;
	case DRM_IOCTL_VSM_CHANNEL_DESTROY:
		args->destroy.channel = f->channel;
		break;
	case DRM_IOCTL_VSM_WAITSET_CREATE:
		args->set.record_stride = sizeof(struct drm_vsm_wait_record);
		break;
	case DRM_IOCTL_VSM_WAITSET_ARM:
		args->arm = (struct drm_vsm_waitset_arm){
			.waits = (uintptr_t)(f->memory + 8192 + 48 * (random_next(&f->seed) % 64)),
			.stride = 48, .count = count, .fd = f->set,
		};
		break;
	case DRM_IOCTL_VSM_WAITSET_CANCEL:
		args->cancel.fd = f->set;
		args->cancel.id = f->armed;
		break;
	}
}

static int random_ioctl(struct fuzz *f)
{
	static const unsigned long requests[] = {
		DRM_IOCTL_VSM_DEVICE_INFO,    DRM_IOCTL_VSM_CLUSTER_CREATE,
		DRM_IOCTL_VSM_BUFFER_CREATE,  DRM_IOCTL_VSM_OBJECT_INFO,
		DRM_IOCTL_VSM_EXEC,	      DRM_IOCTL_VSM_SUBMIT,
		DRM_IOCTL_VSM_WAITSET_CREATE, DRM_IOCTL_VSM_WAITSET_ARM,
		DRM_IOCTL_VSM_WAITSET_CANCEL, DRM_IOCTL_VSM_EXEC,
		DRM_IOCTL_VSM_SUBMIT,	      DRM_IOCTL_VSM_WAITSET_ARM,
		DRM_IOCTL_VSM_CLUSTER_HOLD,   DRM_IOCTL_VSM_CHANNEL_CREATE,
		DRM_IOCTL_VSM_CHANNEL_DESTROY,
	};
	uint64_t waits = (uintptr_t)(f->memory + 8192);
	union arguments args;
	int ret;

	f->request = requests[random_next(&f->seed) % ITEMS(requests)];
	prepare(f, &args);
	if (random_next(&f->seed) % 2)
		mutate(&args, _IOC_SIZE(f->request), &f->seed);
	/* Another size than the driver's too. */
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
	if (!ret && _IOC_NR(f->request) == DRM_COMMAND_BASE + DRM_VSM_WAITSET_CREATE &&
	    _IOC_SIZE(f->request) >= 12)
		close(args.set.fd);
	return ret;
}

static int fuzz_open(struct fuzz *f, int round)
{
	int fd = vsm_open();
	int ret = cluster_create(&f->c, fd, round % 4 / 3, round / 4 % 2);

	if (!ret)
		ret = buffer_create(&f->b, fd, 8192);
	f->set = waitset_create(fd, DRM_VSM_WAITSET_NONBLOCK);
	return ret;
}

static void fuzz_close(struct fuzz *f)
{
	munmap(f->b.map, f->b.size);
	munmap(f->c.map, f->c.size);
	close(f->set);
	close(f->c.fd);
}

static void *fuzz(void *arg)
{
	struct fuzz *f = arg;
	char records[256];
	int i, count = repeat(20000);

	for (i = 0; i < count && !f->errors; i++) {
		if (i % 100 == 0) {
			if (i)
				fuzz_close(f);
			f->errors += fuzz_open(f, i / 100) != 0;
		}
		if (i % 20 == 0)
			fill_memory(f);
		f->errors += !documented(random_ioctl(f));
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

FIXTURE_SETUP(structures)
{
}

FIXTURE_TEARDOWN(structures)
{
}

TEST_F(structures, of_random_bytes_are_survived)
{
	pthread_t threads[2];
	struct fuzz f[2];
	int i, nr;

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
		/* It got somewhere, and not everywhere, given the time. */
		if (repeat(200) < 200)
			continue;
		for (nr = 0; nr <= DRM_VSM_CHANNEL_DESTROY; nr++) {
			EXPECT_LT(0, f[i].good[nr]) TH_LOG("ioctl %d", nr);
			EXPECT_LT(0, f[i].bad[nr]) TH_LOG("ioctl %d", nr);
		}
	}
}

TEST_HARNESS_MAIN
