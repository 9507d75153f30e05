/* SPDX-License-Identifier: MIT */
/* Runs kernels in a context without a device, for the tests of run/. */
#ifndef _PTX_TESTS_RUN_KERNEL_H_
#define _PTX_TESTS_RUN_KERNEL_H_

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "testing.h"
#include "vsm_ptx.h"

#define RUN_WORDS 16384

/**
 * struct run - A module and its last launch
 * @context: Context
 * @module: Module
 * @config: Configuration of the next launch
 * @params: Parameters behind the address of @words, 8 bytes each
 * @param_count: Number of elements of @params
 * @out: Address of @words in kernels
 * @words: Memory that kernels can write
 * @result: What the last launch did
 * @report: Its report
 * @printed: What kernels have printed
 */
struct run {
	struct vsm_ptx_context *context;
	struct vsm_ptx_module *module;
	struct vsm_ptx_config config;
	uint64_t params[8];
	unsigned int param_count;
	uint64_t out;
	uint32_t *words;
	struct vsm_ptx_result result;
	char report[4096];
	char printed[16384];
};

/* The head of a module. */
#define RUN_HEAD ".version 8.6\n.target sm_90a\n.address_size 64\n"
/* A line of PTX. */
#define L(text) text "\n"
#define RUN_REGISTERS \
	L(".reg .b64 %rd<20>; .reg .b32 %r<20>; .reg .b16 %h<20>; .reg .pred %p<8>;") \
	L(".reg .f32 %f<8>; .reg .f64 %d<8>;")
/*
 * The beginning of a kernel with registers. %r0 is the number of the thread in the block, %rd0 the
 * address of the words, and %rd1 the address of the word of this thread.
 */
#define RUN_ENTRY(name) \
	L(".visible .entry " name "(.param .u64 " name "_out) {") RUN_REGISTERS \
	L("ld.param.u64 %rd0, [" name "_out];") L("mov.u32 %r0, %tid.x;") \
	L("mad.wide.u32 %rd1, %r0, 4, %rd0;")

/* All CTAs of a cooperative launch wait for each other, as grid groups do: each has one thread. */
#define RUN_GRID_SYNC \
	L("mov.u32 %r1, %envreg2; mov.u32 %r2, %envreg1; mov.b64 %rd2, {%r1, %r2};") \
	L("atom.add.release.gpu.u32 %r1, [%rd2+4], 1; mov.u32 %r2, %nctaid.x;") \
	L("SYNC: ld.acquire.gpu.u32 %r1, [%rd2+4]; setp.ne.u32 %p1, %r1, %r2; @%p1 bra SYNC;")

/*
 * Creates the context; with a @text also the module. RUN_HEAD is added in front of every text, and
 * "ret;" at the end, if the last brace is the end of a function.
 */
void run_open(struct run *run, const char *text);
void run_close(struct run *run);
/* Replaces the module, and sets all words to 0. */
void run_load(struct run *run, const char *text);
/* Expects that the text is no module, for the reason that contains @message. */
void run_load_fails(struct run *run, const char *text, const char *message);
/* Launches a kernel. Returns the error of the launch. */
int run_start(struct run *run, const char *kernel, struct vsm_ptx_launch **launch,
	      char **messages);
/* Launches a kernel and waits for it. */
void run_kernel(struct run *run, const char *kernel);
/* Runs the kernel k with blocks of @threads, and expects that all threads exit. */
void run_done(struct run *run, uint32_t threads);
/* The same for a text. */
void run_text(struct run *run, const char *text, uint32_t threads);
/* Expects a fault whose report contains @message, and @line if it is not 0. */
void run_fault(struct run *run, const char *text, uint32_t threads, const char *message);
/* Expects that the launch of k is refused. */
void run_refused(struct run *run, int error, const char *message);

#endif
