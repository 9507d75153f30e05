// SPDX-License-Identifier: MIT
/*
 * What a tensor copy costs beside memcpy() of as many bytes: the code of the driver that
 * moves boxes, in this program, on this machine.
 *
 * Both move the same 8 KiB, which stay in the nearest cache, and take turns.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <vsm_tensor.h>

#define REPEATS	201		/* the median counts */
#define TURNS	400		/* of each repeat */
#define SIDE	64		/* elements of two bytes */
#define BYTES	(SIDE * SIDE * 2)
#define TARGET	0.5

static unsigned char tensor[BYTES] __attribute__((aligned(4096)));
static unsigned char window[BYTES] __attribute__((aligned(4096)));

static struct drm_vsm_tensor_map map = {
	.type = DRM_VSM_TENSOR_BFLOAT16,
	.rank = 2,
	.mode = DRM_VSM_TENSOR_TILED,
	.size = { SIDE, SIDE },
	.stride = { SIDE * 2 },
	.box = { SIDE, SIDE },
	.element_stride = { 1, 1 },
};

static const struct drm_vsm_tensor_operands operands;

/* The compiler must not see that nobody looks at what was copied. */
static void touch(void)
{
	__asm__ volatile("" ::: "memory");
}

static void load(void)
{
	vsm_tensor_load(&map, &operands, tensor, window, 0);
}

static void store(void)
{
	vsm_tensor_store(&map, &operands, tensor, window, 0);
}

static void copy(void)
{
	memcpy(window, tensor, BYTES);
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1e9 + ts.tv_nsec;
}

static double time_of(void (*body)(void))
{
	double start = now();
	int i;

	for (i = 0; i < TURNS; i++) {
		body();
		touch();
	}
	return (now() - start) / TURNS;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Nanoseconds of either, each the median of its turns. */
static void measure(void (*body)(void), double *ours, double *peer)
{
	double took[2][REPEATS];
	int i;

	time_of(body);
	time_of(copy);
	for (i = 0; i < REPEATS; i++) {
		took[0][i] = time_of(body);
		took[1][i] = time_of(copy);
	}
	for (i = 0; i < 2; i++)
		qsort(took[i], REPEATS, sizeof(**took), compare);
	*ours = took[0][REPEATS / 2];
	*peer = took[1][REPEATS / 2];
}

static void print_row(const char *what, void (*body)(void), __u8 swizzle)
{
	double ours, peer;

	map.swizzle = swizzle;
	if (vsm_tensor_map_check(&map)) {
		fprintf(stderr, "vsm-bench-tile: not a tensor map\n");
		exit(1);
	}
	measure(body, &ours, &peer);
	printf("%-38s %10.0f %10.0f %8.3f  >= %-6.3g %s\n", what, ours, peer, peer / ours, TARGET,
	       peer / ours >= TARGET ? "PASS" : "over");
}

int main(void)
{
	/* Memory that was never written to is one page, over and over. */
	memset(tensor, 1, sizeof(tensor));
	printf("%-38s %10s %10s %8s  %-9s\n", "native", "vsm", "peer", "ratio", "target");
	print_row("load 8 KiB, 128B swizzle / memcpy", load, DRM_VSM_TENSOR_SWIZZLE_128B);
	print_row("store 8 KiB, 128B swizzle / memcpy", store, DRM_VSM_TENSOR_SWIZZLE_128B);
	print_row("load 8 KiB, no swizzle / memcpy", load, DRM_VSM_TENSOR_SWIZZLE_NONE);
	return 0;
}
