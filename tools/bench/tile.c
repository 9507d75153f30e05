// SPDX-License-Identifier: MIT
/*
 * vsm-bench-tile: compares tensor copies with memcpy() of the same number of bytes. The driver's
 * code that moves boxes is compiled into this program, which needs no device.
 *
 * A tensor copy and memcpy() move the same 8 KiB, which stay in the first-level cache. They are
 * measured alternately.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vsm_tensor.h>

#include "measure.h"
#include "report.h"

#define ROUNDS	201		/* the median counts */
#define TURNS	400		/* of each round */
#define SIDE	64		/* elements of two bytes */
#define BYTES	(SIDE * SIDE * 2)
#define TARGET	0.8

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

/* Without this barrier, the compiler might remove copies whose bytes the program never reads. */
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

/* Sets @ours to the nanoseconds of one tensor copy @body, and @peer to those of one memcpy(). */
static void compare(void (*body)(void), double *ours, double *peer)
{
	double took[2][ROUNDS];
	int i;

	time_of(body);
	time_of(copy);
	for (i = 0; i < ROUNDS; i++) {
		took[0][i] = time_of(body);
		took[1][i] = time_of(copy);
	}
	*ours = median(took[0], ROUNDS);
	*peer = median(took[1], ROUNDS);
}

static void compare_row(const char *what, void (*body)(void), __u8 swizzle)
{
	double ours, peer;

	map.swizzle = swizzle;
	if (vsm_tensor_map_check(&map)) {
		fprintf(stderr, "vsm-bench-tile: not a tensor map\n");
		exit(1);
	}
	compare(body, &ours, &peer);
	print_row(what, ours, peer, TARGET, true);
}

int main(void)
{
	/*
	 * Write to every page first. Otherwise all pages of the tensor map to the one zero page,
	 * and reading them is faster than reading real data.
	 */
	memset(tensor, 1, sizeof(tensor));
	print_head("native", "vsm", "peer");
	compare_row("load 8 KiB, 128B swizzle / memcpy", load, DRM_VSM_TENSOR_SWIZZLE_128B);
	compare_row("store 8 KiB, 128B swizzle / memcpy", store, DRM_VSM_TENSOR_SWIZZLE_128B);
	compare_row("load 8 KiB, no swizzle / memcpy", load, DRM_VSM_TENSOR_SWIZZLE_NONE);
	compare_row("store 8 KiB, no swizzle / memcpy", store, DRM_VSM_TENSOR_SWIZZLE_NONE);
	return 0;
}
