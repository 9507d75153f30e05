// SPDX-License-Identifier: MIT
/*
 * vsm-bench-ptx: how many instructions of threads libvsm-ptx executes in a second, in one thread of
 * the host. The kernels need no device.
 *
 * Only the time counts in which a processor runs this program: other load disturbs the figures
 * little. The program gets the path of build/kernels/alu.ptx.
 */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <vsm_ptx.h>

#include "measure.h"

#define THREADS	256
#define RUNS	5		/* the best counts: other load only makes a run slower */
#define FIRST	20000		/* turns of the run that says how many turns take LENGTH */
#define LENGTH	0.3e9		/* nanoseconds */
#define TARGET	50e6

/* Millions: the figures are printed without decimals. */
#define UNIT	1e6

/* A kernel of a file: @module has it with the number @index. */
struct kernel {
	struct vsm_ptx_context *context;
	struct vsm_ptx_module *module;
	uint32_t index;
};

struct params {
	uint64_t out;
	uint32_t turns;
};

/* Without the bytes that C adds at the end. */
#define PARAMS_SIZE	(offsetof(struct params, turns) + sizeof(uint32_t))

/* Prints @text, if there is any, before it dies. */
static void die_with(const char *what, int error, const char *text)
{
	if (text)
		fprintf(stderr, "%s\n", text);
	die(what, error);
}

/* Returns the contents of file @path, which the caller frees. */
static char *read_text(const char *path, size_t *size)
{
	FILE *file = fopen(path, "r"), *memory;
	char *text;
	int c;

	if (!file)
		die(path, errno);
	memory = open_memstream(&text, size);
	if (!memory)
		die(path, errno);
	while ((c = getc(file)) != EOF)
		putc(c, memory);
	if (ferror(file) || fclose(memory))
		die(path, EIO);
	fclose(file);
	return text;
}

/* Loads kernel @name of file @path. */
static struct kernel open_kernel(const char *path, const char *name)
{
	struct kernel kernel;
	char *messages = NULL, *text;
	size_t size;
	int ret;

	ret = vsm_ptx_context_create(NULL, &kernel.context);
	if (ret)
		die("vsm_ptx_context_create", -ret);
	text = read_text(path, &size);
	ret = vsm_ptx_module_load(kernel.context, path, text, size, &kernel.module, &messages);
	if (ret)
		die_with(path, -ret, messages);
	free(text);
	ret = vsm_ptx_kernel_find(kernel.module, name, &kernel.index);
	if (ret)
		die(name, -ret);
	return kernel;
}

static void close_kernel(struct kernel *kernel)
{
	vsm_ptx_module_unload(kernel->module);
	vsm_ptx_context_destroy(kernel->context);
}

/* Returns the address of @size bytes of device memory, which contain zeros. */
static uint64_t kernel_memory(struct kernel *kernel, uint64_t size)
{
	uint64_t address;
	int ret;

	ret = vsm_ptx_memory_alloc(kernel->context, size, &address);
	if (ret)
		die("vsm_ptx_memory_alloc", -ret);
	return address;
}

/* Runs the kernel to its end. Returns what it did. */
static struct vsm_ptx_result run_kernel(struct kernel *kernel, const struct vsm_ptx_config *config,
					const void *params, size_t params_size)
{
	struct vsm_ptx_launch *launch;
	struct vsm_ptx_result result;
	char *messages = NULL;
	int ret;

	ret = vsm_ptx_launch(kernel->module, kernel->index, config, params, params_size, &launch,
			     &messages);
	if (ret)
		die_with("vsm_ptx_launch", -ret, messages);
	vsm_ptx_launch_wait(launch, VSM_NEVER, &result);
	if (result.outcome != VSM_PTX_DONE)
		die_with("a kernel", EIO, vsm_ptx_launch_report(launch));
	vsm_ptx_launch_destroy(launch);
	return result;
}

/* The nanoseconds in which a processor has run this program. */
static double busy(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return ts.tv_sec * 1e9 + ts.tv_nsec;
}

/*
 * Runs @turns turns, and sets @took to the nanoseconds. Returns the instructions of threads in a
 * second.
 */
static double rate_of(struct kernel *kernel, struct params *params, uint32_t turns, double *took)
{
	static const struct vsm_ptx_config config = {
		.block = { THREADS },
		.host_threads = 1,
	};
	struct vsm_ptx_result result;
	double start = busy();

	params->turns = turns;
	result = run_kernel(kernel, &config, params, PARAMS_SIZE);
	*took = busy() - start;
	return result.thread_insns / (*took / 1e9);
}

static void rate_row(const char *what, const char *path, const char *name)
{
	struct kernel kernel = open_kernel(path, name);
	struct params params = { .out = kernel_memory(&kernel, THREADS * 4) };
	double best = 0, rate, took;
	uint32_t turns;
	int i;

	rate_of(&kernel, &params, FIRST, &took);
	turns = FIRST * (LENGTH / took) + 1;
	for (i = 0; i < RUNS; i++) {
		rate = rate_of(&kernel, &params, turns, &took);
		if (rate > best)
			best = rate;
	}
	print_rate(what, best / UNIT, TARGET / UNIT);
	close_kernel(&kernel);
}

int main(int argc, char **argv)
{
	if (argc != 2) {
		fprintf(stderr, "usage: vsm-bench-ptx FILE\n");
		return 1;
	}
	print_head("native, 1000000 thread insns a second", "vsm", "aim");
	rate_row("PTX, a loop of integers / aim", argv[1], "integers");
	rate_row("PTX, a loop of f32 fma / aim", argv[1], "floats");
	rate_row("PTX, a loop in shared memory / aim", argv[1], "shared");
	return 0;
}
