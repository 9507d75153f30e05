/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Random instructions and calls. Most have a plausible form and use few words. They therefore
 * often pass the first checks, and often conflict with each other.
 */
#ifndef VSM_TEST_NONSENSE_H
#define VSM_TEST_NONSENSE_H

#include "channel.h"
#include "model.h"

#define SYNCOBJS 4

/* Returns whether an ioctl of vsm may return this value. */
static inline bool documented(int ret)
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

/* A task that makes random calls. @retired has a bit for each operation that has been executed. */
struct actor {
	const struct cluster *c;
	const uint32_t *syncobjs;
	uint32_t operations;
	uint64_t retired;
	uint64_t seed;
	atomic_bool *stop;
	int set;
	int undocumented;
	pthread_t thread;
};

static inline uint32_t random_addr(uint64_t *seed)
{
	uint64_t r = random_next(seed);

	/* Most of the time use few words: operations then often use the same word. */
	return r % 8 ? AT(r >> 8 & 3, r >> 16 & 0x18) : AT(r >> 8 & 3, r >> 16 & 0xff8);
}

/* The tensor maps to which tensor copies point. */
static _Thread_local struct drm_vsm_tensor_map maps[8] __attribute__((aligned(64)));

/* Returns a random value, often one that has a meaning in the interface. */
static inline uint32_t random_value(uint64_t *seed)
{
	static const uint32_t likely[] = { 0, 1, 2, 3, 4, 8, 16, 24, 48, 64, 256, 4096 };
	uint64_t r = random_next(seed);

	if (r % 4 == 0)
		return random_next(seed);
	if (r % 4 == 1)
		return -(r >> 8) % 64;
	return likely[(r >> 8) % ITEMS(likely)];
}

/* Puts random values into up to three fields of the structure, or into most of them. */
static inline void mutate(void *p, size_t size, uint64_t *seed)
{
	uint32_t *fields = p;
	size_t i, n = random_next(seed) % 4;

	if (random_next(seed) % 16 == 0)
		n = 64;
	for (i = 0; i < n; i++)
		fields[random_next(seed) % (size / 4)] = random_value(seed);
}

/* Makes a random tensor map. Most maps are valid. The tensor may be larger than its buffer. */
static inline void random_map(struct drm_vsm_tensor_map *map, uint64_t *seed)
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

static inline struct drm_vsm_insn random_tensor(uint64_t *seed, uint32_t to, uint32_t mbar,
						uint32_t from)
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
	/* Sometimes change the map. The next copy that points to it reads another one. */
	if (random_next(seed) % 4 == 0)
		random_map(map, seed);
	return insn;
}

static inline uint8_t random_red(uint64_t *seed)
{
	static const uint8_t reds[] = {
		RED(ADD, U32), RED(INC, U32), RED(MAX, S32), RED(XOR, B32), RED(ADD, U64),
		RED(OR, B64), RED(ADD, F16), RED(MIN, BF16), RED(ADD, F32),
	};

	return reds[random_next(seed) % ITEMS(reds)];
}

/*
 * Makes a copy of any kind. Other operations write to the same addresses. Handles 1 and 2 are the
 * buffer and the cluster.
 */
static inline struct drm_vsm_insn random_copy(uint64_t *seed)
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

/* Makes an instruction of a rendezvous, which may wait for threads that never arrive. */
static inline struct drm_vsm_insn random_rendezvous(uint64_t *seed)
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

	/* Exits are rare, because a thread executes nothing after its exit. */
	if (random_next(seed) % 1024 == 0)
		return i_exit();
	return random_next(seed) % 8 ? insn : i_aligned(insn);
}

static inline struct drm_vsm_insn random_insn(uint64_t *seed)
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
		i_order(n, 1 + random_next(seed) % 4),
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
		return random_rendezvous(seed);
	case 1: case 2: case 3:
		return random_copy(seed);
	default:
		return insns[random_next(seed) % ITEMS(insns)];
	}
}

static inline uint32_t random_flags(uint64_t *seed)
{
	uint64_t r = random_next(seed);

	return (r % 4 ? 0 : DRM_VSM_EXEC_NO_LIMIT) | (r >> 8 & 1 ? DRM_VSM_EXEC_WARP : 0);
}

/* Makes a mask of lanes. Most masks have only lanes that clusters of few threads have, too. */
static inline uint32_t random_mask(uint64_t *seed)
{
	static const uint32_t likely[] = { 0x1, 0x1, 0x3, 0x7, 0x5, 0xffff, 0xffffffff, 0 };
	uint64_t r = random_next(seed);

	return r % 8 ? likely[(r >> 8) % ITEMS(likely)] : (uint32_t)(r >> 8);
}

/*
 * Makes instructions of lanes, which mostly have the same operation. Neighbours often have equal
 * operands.
 */
static inline void random_lanes(struct drm_vsm_insn *insns, uint64_t *seed)
{
	uint32_t i, r = random_next(seed), *operands;

	insns[0] = random_insn(seed);
	for (i = 1; i < 32; i++) {
		insns[i] = insns[i - 1];
		operands = (uint32_t *)&insns[i].u;
		if (r % 4 == 0)
			operands[random_next(seed) % 4] += random_next(seed) % 2 ? 8 : 1;
	}
	if (r % 32 == 1)
		insns[random_next(seed) % 32] = random_insn(seed);
}

/* Makes the arguments of a call in which lanes execute one instruction each. */
static inline struct drm_vsm_exec random_lanes_args(const struct cluster *c,
						    struct drm_vsm_insn *insns, uint64_t *seed)
{
	struct drm_vsm_exec args = exec_args(c, insns, 0);
	uint64_t r = random_next(seed);

	args.lanes = random_mask(seed);
	args.count = __builtin_popcount(args.lanes);
	args.cta = r & 3;
	args.thread = r >> 8 & 7 ? 0 : 32;
	args.flags = DRM_VSM_EXEC_LANES;
	args.retired = r >> 16 & 7 ? 0 : random_next(seed) % 4;
	args.suspended = r >> 24 & 7 ? 0 : args.lanes & random_mask(seed);
	return args;
}

/* Makes a wait for an instruction of a thread, of a warp or of lanes. */
static inline struct drm_vsm_wait random_armed(const struct cluster *c, struct drm_vsm_insn *insn,
					       uint64_t *seed)
{
	uint64_t r = random_next(seed);

	struct drm_vsm_wait wait = {
		.cluster = c->handle, .addr = DRM_VSM_WAIT_THREAD(r >> 8 & 3, r >> 16 & 1),
		.state = (uintptr_t)insn, .deadline = now_ns() + (r >> 24) % 1000000,
		.flags = DRM_VSM_WAIT_INSN | (r >> 17 & 1 ? DRM_VSM_WAIT_WARP : 0),
	};
	struct drm_vsm_insn waits[] = {
		i_try_parity(random_addr(seed), r >> 20 & 1, 0), i_wait_group(r >> 20 & 3),
		i_wait_all(), i_bulk_wait(r >> 20 & 1), i_bulk_wait_read(r >> 20 & 1),
	};

	*insn = r % 16 > 4 ? random_rendezvous(seed) :
		r % 16 ? waits[random_next(seed) % ITEMS(waits)] : random_insn(seed);
	if (random_next(seed) % 2) {
		wait.flags = DRM_VSM_WAIT_INSN | DRM_VSM_WAIT_LANES;
		wait.lanes = random_mask(seed);
		wait.addr &= ~0x1U;
	}
	if (random_next(seed) % 4 == 0) {
		wait.flags |= DRM_VSM_WAIT_NO_LIMIT;
		wait.deadline = -1;
	}
	return wait;
}

/* Makes a batch of one call for lanes, or of none. Some are malformed. */
static inline struct drm_vsm_exec random_batch(struct drm_vsm_exec *call, uint64_t *seed)
{
	uint64_t r = random_next(seed);

	return (struct drm_vsm_exec){
		.insns = (uintptr_t)call, .stride = sizeof(*call) - (r % 16 ? 0 : 8),
		.count = r >> 8 & 7 ? 1 : 0, .retired = r >> 16 & 15 ? 0 : 1,
		.flags = DRM_VSM_EXEC_BATCH, .thread = r >> 24 & 15 ? 0 : 1,
	};
}

/*
 * Lanes execute random instructions, and go on behind each refused one. Then the suspended lanes
 * wait in a wait set, or execute their instructions again, or do neither.
 */
static inline int random_lanes_call(struct actor *a)
{
	struct drm_vsm_insn insns[32], unused;
	struct drm_vsm_exec args;
	struct drm_vsm_wait wait;
	uint32_t i, from, lowest;
	int ret;

	random_lanes(insns, &a->seed);
	args = random_lanes_args(a->c, insns, &a->seed);
	from = args.retired;
	insn_poison(insns, 32);
	do {
		struct drm_vsm_exec batch = random_batch(&args, &a->seed);

		ret = vsm_exec(a->c->fd, random_next(&a->seed) % 4 ? &args : &batch);
		args.retired += ret == -EPROTO;
	} while (ret == -EPROTO && args.retired < args.count);
	for (i = from; i < args.retired && i < args.count; i++)
		a->retired |= insns[i].fault ? 0 : 1ull << insns[i].op;
	if (!args.suspended || ret)
		return ret;
	if (random_next(&a->seed) % 2) {
		args.retired = 0;
		return vsm_exec(a->c->fd, &args);
	}
	wait = random_armed(a->c, &unused, &a->seed);
	wait.addr = DRM_VSM_WAIT_THREAD(args.cta, args.thread);
	wait.lanes = random_next(&a->seed) % 4 ? args.suspended : random_mask(&a->seed);
	wait.flags = DRM_VSM_WAIT_INSN | DRM_VSM_WAIT_LANES | (wait.flags & DRM_VSM_WAIT_NO_LIMIT);
	lowest = args.suspended & -args.suspended;
	wait.state = (uintptr_t)&insns[__builtin_popcount(args.lanes & (lowest - 1))];
	return waitset_arm(a->c->fd, a->set, &wait, 1, NULL);
}

/*
 * Executes a random stream, with or without a time limit. Continues after each refused instruction.
 */
static inline int random_stream(struct actor *a)
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
		a->retired |= insns[i].fault ? 0 : 1ull << insns[i].op;
	return ret;
}

/* Reads a file for the looks of a client, of at most 64 KiB. It may be missing. */
static inline void read_text(int file)
{
	char text[512];
	int i;

	for (i = 0; file >= 0 && i < 128 && read(file, text, sizeof(text)) > 0; i++)
		;
	if (file >= 0)
		close(file);
}

/* Looks what the cluster of the actor does, or any cluster. Everything may change meanwhile. */
static inline int random_look(struct actor *a)
{
	struct drm_vsm_state_entry entries[32];
	struct drm_vsm_trace_event events[32];
	uint64_t r = random_next(&a->seed);
	struct drm_vsm_cluster_state state = {
		.handle = r & 1 ? a->c->handle : 0, .flags = r & 1 ? 0 : DRM_VSM_STATE_NEXT,
		.number = r & 1 ? 0 : r >> 8 & 7, .entries = (uintptr_t)entries,
		.stride = sizeof(entries[0]), .count = (r >> 16) % (ITEMS(entries) + 1),
	};
	struct drm_vsm_trace_read trace = {
		.cluster = a->c->handle, .events = (uintptr_t)events, .stride = sizeof(events[0]),
		.count = (r >> 16) % (ITEMS(events) + 1), .next = r & 2 ? 0 : r >> 32 & 0xfff,
	};
	struct drm_vsm_channel_status status = { .channel = r >> 16 & 3, .flags = r >> 18 & 1 };
	char path[48];

	switch (r >> 4 & 7) {
	case 0:
		snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", a->c->fd);
		read_text(open(path, O_RDONLY | O_CLOEXEC));
		return 0;
	case 1:
		return vsm_ioctl(a->c->fd, DRM_IOCTL_VSM_CHANNEL_STATUS, &status);
	case 2: case 3:
		return vsm_ioctl(a->c->fd, DRM_IOCTL_VSM_TRACE_READ, &trace);
	default:
		return vsm_ioctl(a->c->fd, DRM_IOCTL_VSM_CLUSTER_STATE, &state);
	}
}

/* Submits copies on any channel, with random fences to wait for and to signal. */
static inline int random_job(struct actor *a)
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

static inline int random_call(struct actor *a)
{
	struct drm_vsm_wait waits[4];
	struct drm_vsm_wait_record record;
	struct drm_vsm_insn insn;
	int i;

	switch (random_next(&a->seed) % 8) {
	default:
		return random_stream(a);
	case 4: case 5:
		return random_lanes_call(a);
	case 6:
		return random_next(&a->seed) % 4 ? random_stream(a) : random_look(a);
	case 3:
		return cluster_hold(a->c, random_next(&a->seed) % 4);
	case 0:
		i = random_next(&a->seed) % 8;
		if (!i)
			return channel_destroy(a->c->fd, 1 + random_next(&a->seed) % 4);
		if (i > 1)
			return random_job(a);
		i = channel_create_grouped(a->c->fd, random_next(&a->seed) % 3,
					   random_next(&a->seed) % 2);
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

#endif
