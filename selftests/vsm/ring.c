// SPDX-License-Identifier: GPL-2.0-only
/*
 * A producer and a consumer share a ring of tiles in a window. Every byte arrives, whatever the
 * order and the steps in which the copies complete.
 *
 * Each stage of the ring has two mbarriers. The mbarrier full completes a phase when a tile has
 * arrived; empty completes a phase when the tile is no longer needed. Tile k uses phase k / STAGES
 * of stage k % STAGES.
 */
#include "channel.h"
#include "model.h"

#define STAGES 4
#define TILES 16
#define TILE 1024
#define PARTS 4			/* number of copies for a tile; they may be shuffled */
#define PART (TILE / PARTS)

#define STAGE(k) ((k) % STAGES)
#define PARITY(k) ((k) / STAGES % 2)
#define DATA(k) AT(0, TILE * STAGE(k))
#define FULL(k) AT(0, TILE * STAGES + 8 * STAGE(k))
#define EMPTY(k) AT(0, TILE * STAGES + 8 * (STAGES + STAGE(k)))

FIXTURE(ring)
{
	struct cluster c;
	struct buffer in;
	struct buffer out;
};

FIXTURE_SETUP(ring)
{
	/*
	 * The cluster has two threads. If both waited for ever, the device would report a deadlock.
	 */
	int k, fd = vsm_open();

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, cluster_make(&self->c, fd, .ctas = 1, .threads = 2,
				  .smem_bytes = TILE * STAGES + 16 * STAGES));
	ASSERT_EQ(0, buffer_create(&self->in, fd, TILES * TILE));
	ASSERT_EQ(0, buffer_create(&self->out, fd, TILES * TILE));
	for (k = 0; k < STAGES; k++) {
		ASSERT_EQ(0, exec_one(&self->c, i_init(FULL(k), 1)));
		ASSERT_EQ(0, exec_one(&self->c, i_init(EMPTY(k), 1)));
	}
	if (model_reset(fd))
		SKIP(return, "needs debugfs");
}

FIXTURE_TEARDOWN(ring)
{
	model_reset(self->c.fd);
	munmap(self->in.map, self->in.size);
	munmap(self->out.map, self->out.size);
	EXPECT_EQ(0, cluster_close(&self->c));
}

static int run(const struct cluster *c, uint32_t thread, struct drm_vsm_insn *insns, uint32_t count)
{
	struct drm_vsm_exec args = play_args(c, 0, thread, DRM_VSM_EXEC_NO_LIMIT, insns, count);

	return vsm_exec(c->fd, &args);
}

static uint32_t loads(struct drm_vsm_insn *insns, int k, uint32_t buffer)
{
	uint32_t i;

	for (i = 0; i < PARTS; i++)
		insns[i] = i_g2s(DATA(k) + PART * i, FULL(k), PART, buffer, TILE * k + PART * i);
	return PARTS;
}

/* Executes the producer as one stream, or with a job for each tile. */
static int produce(const struct cluster *c, uint32_t buffer, bool by_jobs)
{
	struct drm_vsm_insn insns[TILES * (PARTS + 2)];
	uint32_t n = 0;
	int k, ret = 0;

	for (k = 0; k < TILES && !ret; k++) {
		/*
		 * In the first round this waits for the phase before phase 0, which counts as
		 * complete.
		 */
		insns[n++] = i_try_parity_unlimited(EMPTY(k), !PARITY(k));
		insns[n++] = i_arrive_expect_tx(FULL(k), TILE);
		if (by_jobs) {
			ret = run(c, 0, insns, n);
			n = loads(insns, k, buffer);
			if (!ret)
				ret = submit_on(c, 0, insns, n, NULL, 0);
			n = 0;
		} else {
			n += loads(insns + n, k, buffer);
		}
	}
	return ret || !n ? ret : run(c, 0, insns, n);
}

/*
 * Executes the consumer. With @by_reading, a stage may be filled again when its tile has been read,
 * even if the tile has not been written to the buffer.
 */
static int consume(const struct cluster *c, uint32_t buffer, bool by_reading)
{
	struct drm_vsm_insn insns[TILES * (PARTS + 4) + 1];
	uint32_t i, n = 0;
	int k;

	for (k = 0; k < TILES; k++) {
		insns[n++] = i_try_parity_unlimited(FULL(k), PARITY(k));
		for (i = 0; i < PARTS; i++)
			insns[n++] = i_s2g(DATA(k) + PART * i, PART, buffer, TILE * k + PART * i);
		insns[n++] = i_bulk_commit();
		insns[n++] = by_reading ? i_bulk_wait_read(0) : i_bulk_wait(0);
		insns[n++] = i_arrive(EMPTY(k));
	}
	insns[n++] = i_bulk_wait(0);
	return run(c, 1, insns, n);
}

struct producer {
	const struct cluster *c;
	uint32_t buffer;
	bool by_jobs;
	int ret;
	pthread_t thread;
};

static void *produce_main(void *arg)
{
	struct producer *p = arg;

	p->ret = produce(p->c, p->buffer, p->by_jobs);
	return NULL;
}

TEST_F(ring, passes_every_byte_whatever_the_seed)
{
	static const uint32_t splits[] = { 0, 16, 100, 1, 255 };
	uint64_t seed, seeds = repeat(1000), *words = (uint64_t *)self->in.map;
	int i, fd = self->c.fd;

	for (seed = 1; seed <= seeds; seed++) {
		struct producer p = { &self->c, self->in.handle, seed % 4 == 0 };

		ASSERT_EQ(0, model_set(fd, "shuffle_seed", seed));
		ASSERT_EQ(0, model_set(fd, "split_bytes", splits[seed % ITEMS(splits)]));
		/* Sometimes make copies slow: this would reveal a thread that does not wait. */
		ASSERT_EQ(0, model_set(fd, "latency_ns", seed % 8 ? 0 : 50000));
		for (i = 0; i < TILES * TILE / 8; i++)
			words[i] = seed << 32 | i;
		ASSERT_EQ(0, pthread_create(&p.thread, NULL, produce_main, &p));
		EXPECT_EQ(0, consume(&self->c, self->out.handle, seed % 2));
		pthread_join(p.thread, NULL);
		ASSERT_EQ(0, p.ret) TH_LOG("seed %llu", (unsigned long long)seed);
		ASSERT_EQ(0, memcmp(self->in.map, self->out.map, TILES * TILE))
			TH_LOG("seed %llu", (unsigned long long)seed);
	}
}

TEST_HARNESS_MAIN
