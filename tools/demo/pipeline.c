// SPDX-License-Identifier: MIT
/*
 * Streams a file through a vsm device, as a pipelined GPU kernel streams tiles through shared
 * memory.
 *
 *	file -> buffer -> bulk copy -> window -> bulk copy -> buffer -> file
 *
 * Two threads of one CTA share a ring of tiles in its window. The producer starts copies into the
 * ring, the consumer starts copies out of the ring. Each stage of the ring has two mbarriers. A
 * phase of "full" completes when the producer has arrived and all bytes of a tile are in the
 * window. A phase of "empty" completes when the consumer has copied the tile out. Tile k uses stage
 * k % STAGES and phase k / STAGES of both mbarriers. The threads wait for the parity of that phase.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <xf86drm.h>

#include "vsm.h"

#define STAGES	4
#define TILE	(32 << 10)
#define UNIT	16			/* the size of a bulk copy must be a multiple of this */
#define TIME_LIMIT 60			/* longest time of a wait, in seconds */

/* The shared memory of the CTA, as a GPU kernel would declare it. */
struct smem {
	unsigned char tile[STAGES][TILE];
	uint64_t full[STAGES];
	uint64_t empty[STAGES];
};

#define SMEM(member) vsm_shared_addr(0, offsetof(struct smem, member))

struct pipeline {
	struct vsm_device *device;
	struct vsm_cluster *cluster;
	struct smem *smem;
	struct vsm_buffer *in;		/* has STAGES tiles, like the ring */
	struct vsm_buffer *out;
	uint32_t done[STAGES];		/* syncobjs, signalled when the tile is copied out */
	int from;
	int to;
	uint64_t size;
	uint64_t tiles;
	int64_t corrupt;		/* offset of a byte to change, -1 for none */
	bool progress;
	atomic_bool stop;		/* a thread has failed */
};

struct worker {
	struct pipeline *p;
	struct vsm_thread thread;	/* its device thread */
	unsigned long suspensions;	/* number of waits in which it slept */
	unsigned char io[TILE];		/* I/O may pin memory, and device memory cannot be pinned */
	const char *failed;		/* name of the failed step, or NULL */
	int error;
};

static int64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ll + ts.tv_nsec;
}

static int64_t in_seconds(int seconds)
{
	return now() + seconds * 1000000000ll;
}

static long sleeps(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return usage.ru_nvcsw;
}

/* Records the first failed step and stops the other thread. */
static bool ok(struct worker *w, const char *what, int ret)
{
	if (!ret)
		return true;
	if (!w->failed) {
		w->failed = what;
		w->error = -ret;
		atomic_store(&w->p->stop, true);
	}
	return false;
}

static size_t tile_size(const struct pipeline *p, uint64_t k)
{
	uint64_t left = p->size - k * TILE;

	return left < TILE ? left : TILE;
}

static size_t copy_size(const struct pipeline *p, uint64_t k)
{
	return (tile_size(p, k) + UNIT - 1) / UNIT * UNIT;
}

/* Waits for a phase. Repeats the try_wait, whose result is False if its time limit passes first. */
static int wait_parity(struct worker *w, uint32_t mbar, uint32_t parity)
{
	int64_t deadline = in_seconds(TIME_LIMIT);
	long slept = sleeps();
	uint64_t complete = 0;
	int ret = 0;

	while (!ret && !complete) {
		if (atomic_load(&w->p->stop))
			ret = -ECANCELED;
		else if (now() > deadline)
			ret = -ETIME;
		else
			ret = vsm_execute(&w->thread,
					  vsm_prep_mbarrier_try_wait_parity(mbar, parity, 0),
					  &complete);
	}
	w->suspensions += sleeps() != slept;
	return ret;
}

/* --- producer ----------------------------------------------------------------- */

static int read_all(int fd, unsigned char *to, size_t size)
{
	while (size) {
		ssize_t n = read(fd, to, size);

		if (!n)
			return -ENODATA;
		if (n < 0 && errno != EINTR)
			return -errno;
		if (n > 0) {
			to += n;
			size -= n;
		}
	}
	return 0;
}

/* Reads tile @k, which is the next tile of the file, into its part of the buffer. */
static int read_tile(struct worker *w, uint64_t k)
{
	const struct pipeline *p = w->p;
	const size_t size = tile_size(p, k);
	unsigned char *to = (unsigned char *)vsm_buffer_map(p->in) + k % STAGES * TILE;
	int ret = read_all(p->from, w->io, size);

	memcpy(to, w->io, size);
	memset(to + size, 0, copy_size(p, k) - size);
	return ret;
}

static void *produce(void *arg)
{
	struct worker *w = arg;
	struct pipeline *p = w->p;
	uint64_t k;

	for (k = 0; k < p->tiles; k++) {
		const unsigned int stage = k % STAGES;
		const uint32_t parity = k / STAGES & 1;
		const uint32_t full = SMEM(full[stage]);
		const uint32_t bytes = copy_size(p, k);
		struct drm_vsm_insn load =
			vsm_prep_cp_async_bulk_g2s(SMEM(tile[stage]), vsm_buffer_handle(p->in),
						   stage * TILE, bytes, full);

		/*
		 * Wait until the stage is empty: the previous phase of "empty" is then complete. In
		 * the first round this wait returns at once. The stage's part of the buffer is then
		 * free, too.
		 */
		if (!ok(w, "wait for an empty stage",
			wait_parity(w, SMEM(empty[stage]), parity ^ 1)))
			break;
		if (!ok(w, "read", read_tile(w, k)))
			break;
		/* The mbarrier must expect the bytes before they arrive. */
		if (!ok(w, "arrive.expect_tx",
			vsm_execute(&w->thread,
				    vsm_prep_mbarrier_arrive_expect_tx(full, bytes, VSM_SINK),
				    NULL)))
			break;
		if (!ok(w, "submit a copy in", vsm_submit(&w->thread, &load, 1, NULL, 0, NULL)))
			break;
	}
	return NULL;
}

/* --- consumer ----------------------------------------------------------------- */

static int write_all(int fd, const unsigned char *from, size_t size)
{
	while (size) {
		ssize_t n = write(fd, from, size);

		if (n < 0 && errno != EINTR)
			return -errno;
		if (n > 0) {
			from += n;
			size -= n;
		}
	}
	return 0;
}

/* Appends tile @k to the file. */
static int write_tile(struct worker *w, uint64_t k)
{
	const struct pipeline *p = w->p;
	const size_t size = tile_size(p, k);

	memcpy(w->io, (unsigned char *)vsm_buffer_map(p->out) + k % STAGES * TILE, size);
	return write_all(p->to, w->io, size);
}

static void show_progress(const struct pipeline *p, uint64_t tiles)
{
	static const char bar[] = "########################################";
	const unsigned int percent = tiles * 100 / p->tiles;
	const int length = sizeof(bar) - 1;

	if (!p->progress || percent == (tiles - 1) * 100 / p->tiles)
		return;
	fprintf(stderr, "\r[%-*.*s] %3u %%", length, (int)(percent * length / 100), bar, percent);
	if (tiles == p->tiles)
		fprintf(stderr, "\r%*s\r", length + 10, "");
	fflush(stderr);
}

/* Waits for tile @k and starts the copy out. */
static bool store_tile(struct worker *w, uint64_t k)
{
	struct pipeline *p = w->p;
	const unsigned int stage = k % STAGES;
	const uint32_t parity = k / STAGES & 1;
	struct drm_vsm_sync sync = { .handle = p->done[stage], .flags = DRM_VSM_SYNC_SIGNAL };
	struct drm_vsm_insn store =
		vsm_prep_cp_async_bulk_s2g(vsm_buffer_handle(p->out), stage * TILE,
					   SMEM(tile[stage]), copy_size(p, k));

	if (!ok(w, "wait for a full stage", wait_parity(w, SMEM(full[stage]), parity)))
		return false;
	/* At this point a GPU kernel would compute with the tile. */
	if (p->corrupt >= 0 && p->corrupt / TILE == (int64_t)k)
		p->smem->tile[stage][p->corrupt % TILE] ^= 1;
	return ok(w, "submit a copy out", vsm_submit(&w->thread, &store, 1, &sync, 1, NULL));
}

/* Waits until tile @k is copied out, frees its stage and writes the tile to the file. */
static bool finish_tile(struct worker *w, uint64_t k)
{
	struct pipeline *p = w->p;
	const unsigned int stage = k % STAGES;

	if (!ok(w, "copy out",
		vsm_syncobj_wait(p->device, p->done[stage], 0, in_seconds(TIME_LIMIT))) ||
	    !ok(w, "arrive",
		vsm_execute(&w->thread, vsm_prep_mbarrier_arrive(SMEM(empty[stage]), VSM_SINK),
			    NULL)) ||
	    !ok(w, "write", write_tile(w, k)))
		return false;
	show_progress(p, k + 1);
	return true;
}

/* Writes a tile to the file while the next tile is being copied out of the window. */
static void *consume(void *arg)
{
	struct worker *w = arg;
	uint64_t k;

	for (k = 0; k < w->p->tiles; k++) {
		if (!store_tile(w, k) || (k && !finish_tile(w, k - 1)))
			return NULL;
	}
	if (k)
		finish_tile(w, k - 1);
	return NULL;
}

/* --- both --------------------------------------------------------------------- */

static int set_up(struct pipeline *p)
{
	static const struct vsm_cluster_config config = {
		.ctas = 1,
		.threads = 64,
		.smem_bytes = sizeof(struct smem),
		.layout = VSM_LAYOUT_SM_90,
		.policy = DRM_VSM_POLICY_STRICT,
	};
	struct vsm_thread thread;
	unsigned int i;
	int ret;

	ret = vsm_device_open(NULL, &p->device);
	if (!ret)
		ret = vsm_cluster_create(p->device, &config, &p->cluster);
	if (!ret)
		ret = vsm_buffer_create(p->device, STAGES * TILE, &p->in);
	if (!ret)
		ret = vsm_buffer_create(p->device, STAGES * TILE, &p->out);
	if (ret)
		return ret;
	p->smem = vsm_cluster_window(p->cluster, 0);
	thread = vsm_thread_at(p->cluster, 0, 0);
	for (i = 0; i < STAGES && !ret; i++) {
		ret = vsm_execute(&thread, vsm_prep_mbarrier_init(SMEM(full[i]), 1, 0), NULL);
		if (!ret)
			ret = vsm_execute(&thread, vsm_prep_mbarrier_init(SMEM(empty[i]), 1, 0),
					  NULL);
		if (!ret)
			ret = drmSyncobjCreate(vsm_device_fd(p->device), 0, &p->done[i]);
	}
	return ret;
}

static void tear_down(struct pipeline *p)
{
	unsigned int i;

	for (i = 0; i < STAGES; i++) {
		if (p->done[i])
			drmSyncobjDestroy(vsm_device_fd(p->device), p->done[i]);
	}
	vsm_buffer_destroy(p->out);
	vsm_buffer_destroy(p->in);
	vsm_cluster_destroy(p->cluster);
	vsm_device_close(p->device);
}

static bool succeeded(const struct worker *w, const char *name)
{
	if (w->failed && w->error != ECANCELED)
		fprintf(stderr, "vsm-pipeline: %s: %s: %s%s%s\n", name, w->failed,
			strerror(w->error), w->error == EPROTO ? ": " : "",
			w->error == EPROTO ? vsm_fault_name(w->thread.refused.fault) : "");
	return !w->failed;
}

static void print_table(const struct pipeline *p, const struct worker *producer,
			const struct worker *consumer, int64_t time)
{
	double seconds = time / 1e9;

	printf("bytes        %llu\n", (unsigned long long)p->size);
	printf("tiles        %llu of %d KiB, through %d stages\n", (unsigned long long)p->tiles,
	       TILE >> 10, STAGES);
	printf("phases       %llu full, %llu empty\n", (unsigned long long)p->tiles,
	       (unsigned long long)p->tiles);
	printf("suspensions  producer %lu, consumer %lu (waits in which the thread slept)\n",
	       producer->suspensions, consumer->suspensions);
	printf("time         %.3f s, reading and writing the files included\n", seconds);
	printf("throughput   %.1f MB/s\n", p->size / seconds / 1e6);
}

static bool run(struct pipeline *p)
{
	struct worker producer = { .p = p, .thread = vsm_thread_at(p->cluster, 0, 0) };
	struct worker consumer = { .p = p, .thread = vsm_thread_at(p->cluster, 0, 32) };
	int64_t start = now();
	pthread_t thread;
	int ret;

	ret = pthread_create(&thread, NULL, produce, &producer);
	if (ret) {
		fprintf(stderr, "vsm-pipeline: pthread_create: %s\n", strerror(ret));
		return false;
	}
	consume(&consumer);
	pthread_join(thread, NULL);
	/* Use | and not ||, so that the errors of both threads are printed. */
	if (!succeeded(&producer, "producer") | !succeeded(&consumer, "consumer"))
		return false;
	print_table(p, &producer, &consumer, now() - start);
	return true;
}

static int print_usage(FILE *stream)
{
	fprintf(stream, "usage: vsm-pipeline [--progress] [--corrupt OFFSET] INPUT OUTPUT\n");
	return stream == stderr;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "progress", no_argument, NULL, 'p' },
		{ "corrupt", required_argument, NULL, 'c' },
		{ "help", no_argument, NULL, 'h' },
		{},
	};
	struct pipeline p = { .corrupt = -1 };
	bool done = false;
	struct stat st;
	int option, ret;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (option == 'p')
			p.progress = true;
		else if (option == 'c')
			p.corrupt = strtoll(optarg, NULL, 0);
		else
			return print_usage(option == 'h' ? stdout : stderr);
	}
	if (argc - optind != 2)
		return print_usage(stderr);

	p.from = open(argv[optind], O_RDONLY | O_CLOEXEC);
	if (p.from < 0 || fstat(p.from, &st)) {
		fprintf(stderr, "vsm-pipeline: %s: %s\n", argv[optind], strerror(errno));
		return 1;
	}
	p.to = open(argv[optind + 1], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (p.to < 0) {
		fprintf(stderr, "vsm-pipeline: %s: %s\n", argv[optind + 1], strerror(errno));
		return 1;
	}
	p.size = st.st_size;
	p.tiles = (p.size + TILE - 1) / TILE;

	ret = set_up(&p);
	if (ret)
		fprintf(stderr, "vsm-pipeline: set-up: %s\n", strerror(-ret));
	else
		done = run(&p);
	tear_down(&p);
	if (close(p.to) && done) {
		fprintf(stderr, "vsm-pipeline: %s: %s\n", argv[optind + 1], strerror(errno));
		done = false;
	}
	return !done;
}
