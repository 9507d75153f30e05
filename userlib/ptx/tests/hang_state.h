/* SPDX-License-Identifier: MIT */
/*
 * The state of a launch that a test builds by hand, with a device that executes operations on
 * mbarriers at once.
 */
#ifndef _PTX_TESTS_HANG_STATE_H_
#define _PTX_TESTS_HANG_STATE_H_

#include <stdlib.h>
#include <string.h>

#include "code/device.h"
#include "report/parts.h"
#include "run/history.h"

#define STATE_CTAS	2
#define STATE_WARPS	4
#define STATE_STEPS	16
#define STATE_WINDOW	256

/**
 * struct state - A cluster of two CTAs of 128 threads, and a program of 16 steps
 * @launch: The launch
 *
 * Step n is in line 100 + n of kernel.ptx and in line 10 + n of kernel.cu. There are variables full
 * and empty with two mbarriers each, at offsets 0 and 16, and data at offset 128.
 */
struct state {
	struct vsm_ptx_launch launch;
	struct vsm_ptx_module loaded;
	struct ptx_module module;
	struct ptx_program program;
	struct ptx_function kernel;
	struct ptx_step steps[STATE_STEPS];
	struct ptx_insn insns[STATE_STEPS];
	struct ptx_device_op ops[STATE_STEPS];
	struct ptx_variable variables[3];
	struct ptx_shared shared[3];
	struct ptx_worker worker;
	struct ptx_cluster *cluster;
	struct ptx_warp warps[STATE_CTAS][STATE_WARPS];
	uint64_t windows[STATE_CTAS][STATE_WINDOW / 8];
	uint64_t valid[STATE_CTAS];
	const char *files[4];
	char *text;
};

static inline void state_init_program(struct state *s)
{
	static const char *const names[] = { "_ZZ6kernelPjE4full", "_ZZ6kernelPjE5empty", "data" };
	static const uint32_t offsets[] = { 0, 16, 128 }, sizes[] = { 16, 16, 128 };
	unsigned int i;

	s->files[1] = "kernel.cu";
	s->module = (struct ptx_module){
		.path = "kernel.ptx", .target = 90, .files = s->files, .file_count = 2,
	};
	s->loaded.module = &s->module;
	s->kernel.name = "kernel";
	for (i = 0; i < STATE_STEPS; i++) {
		s->insns[i].opcode = (struct ptx_name){ "op", 2 };
		s->insns[i].place = (struct ptx_place){
			.line = 100 + i, .file = 1, .source_line = 10 + i,
		};
		s->steps[i].insn = &s->insns[i];
		s->steps[i].guard = -1;
		s->steps[i].extra = &s->ops[i];
	}
	for (i = 0; i < 3; i++) {
		s->variables[i] = (struct ptx_variable){
			.name = names[i], .align = i < 2 ? 8 : 128, .size = sizes[i],
		};
		s->shared[i] = (struct ptx_shared){ &s->variables[i], offsets[i] };
	}
	s->program = (struct ptx_program){
		.module = &s->module, .kernel = &s->kernel, .steps = s->steps,
		.step_count = STATE_STEPS, .shared = s->shared, .shared_count = 3,
		.needs_device = true,
	};
}

static inline struct state *state_create(void)
{
	struct state *s = calloc(1, sizeof(*s));
	unsigned int i, j, k;

	state_init_program(s);
	s->launch.module = &s->loaded;
	s->launch.program = &s->program;
	s->launch.config.block[0] = STATE_WARPS * PTX_LANES;
	s->launch.config.block[1] = 1;
	s->launch.config.block[2] = 1;
	s->launch.config.seed = 7;
	s->launch.cluster_ctas = STATE_CTAS;
	s->launch.window_bytes = STATE_WINDOW;
	s->launch.memory_limit = 1 << 24;
	s->launch.workers = &s->worker;
	s->launch.worker_count = 1;
	s->launch.fault.failure = FAILURE_DEADLOCK;
	s->cluster = calloc(1, sizeof(*s->cluster) + STATE_CTAS * sizeof(s->cluster->ctas[0]));
	s->worker.clusters = s->cluster;
	s->cluster->launch = &s->launch;
	s->cluster->worker = &s->worker;
	s->cluster->history = ptx_history_create(&s->launch);
	for (i = 0; i < STATE_CTAS; i++) {
		struct ptx_cta *cta = &s->cluster->ctas[i];

		cta->cluster = s->cluster;
		cta->rank = i;
		cta->ctaid[0] = i;
		cta->window = (uint8_t *)s->windows[i];
		cta->warps = s->warps[i];
		cta->valid.words = &s->valid[i];
		for (j = 0; j < STATE_WARPS; j++) {
			s->warps[i][j].cta = cta;
			s->warps[i][j].number = j;
			for (k = 0; k < PTX_LANES; k++)
				s->warps[i][j].groups[k].warp = &s->warps[i][j];
		}
	}
	return s;
}

static inline void state_destroy(struct state *s)
{
	ptx_hang_free(s->launch.hang);
	ptx_history_destroy(&s->launch, s->cluster->history);
	free(s->cluster);
	free(s->text);
	free(s);
}

static inline int state_setup(void **data)
{
	*data = state_create();
	return 0;
}

static inline int state_teardown(void **data)
{
	state_destroy(*data);
	return 0;
}

/* Fails if the report does not contain @text. */
static inline void assert_says(const char *report, const char *text)
{
	if (!strstr(report, text))
		fail_msg("not found: %s\nin:\n%s", text, report);
}

static inline uint64_t *state_word(struct state *s, uint32_t address)
{
	return &s->windows[ptx_rank_of(address)][ptx_offset_of(address) / 8];
}

/* What the device does to the word of an mbarrier. */
static inline uint64_t state_apply(const struct drm_vsm_insn *insn, uint64_t word)
{
	const struct drm_vsm_mbarrier_operands *m = &insn->u.mbarrier;

	switch (insn->op) {
	case DRM_VSM_OP_MBARRIER_INIT:
		return vsm_mbarrier_init(VSM_LAYOUT_SM_90, m->count);
	case DRM_VSM_OP_MBARRIER_ARRIVE:
		return vsm_mbarrier_arrive(VSM_LAYOUT_SM_90, word,
					   insn->mods & DRM_VSM_MOD_COUNT ? m->count : 1, 0,
					   m->tx_count);
	case DRM_VSM_OP_MBARRIER_EXPECT_TX:
		return vsm_mbarrier_expect_tx(word, m->tx_count);
	case DRM_VSM_OP_CP_ASYNC_BULK_G2S:
		return vsm_mbarrier_complete_tx(word, insn->u.copy.size);
	default:
		return word;
	}
}

/* Lanes of a warp execute an instruction, each with the same operands. */
static inline void state_exec(struct state *s, unsigned int rank, unsigned int number,
			      uint32_t lanes, uint32_t step, struct drm_vsm_insn insn)
{
	struct drm_vsm_insn insns[PTX_LANES];
	struct ptx_warp *warp = &s->warps[rank][number];
	uint32_t address, count = __builtin_popcount(lanes), i;

	for (i = 0; i < count; i++)
		insns[i] = insn;
	ptx_note_before(warp, lanes, insns);
	for (i = 0; i < count && ptx_insn_mbarrier(&insn, &address); i++) {
		uint64_t *word = state_word(s, address);

		*word = state_apply(&insn, *word);
		if (insn.op == DRM_VSM_OP_MBARRIER_TRY_WAIT)
			insns[i].result = vsm_mbarrier_phase(*word) != insn.u.mbarrier.parity;
	}
	ptx_note_after(warp, step, lanes, insns);
}

static inline struct drm_vsm_insn state_insn(unsigned int op, uint32_t address, uint32_t count)
{
	struct drm_vsm_insn insn = { .op = op, .u.mbarrier = { .addr = address } };

	if (op == DRM_VSM_OP_MBARRIER_EXPECT_TX)
		insn.u.mbarrier.tx_count = count;
	else if (op == DRM_VSM_OP_MBARRIER_TRY_WAIT)
		insn.u.mbarrier.parity = count;
	else if (op == DRM_VSM_OP_MBARRIER_INIT)
		insn.u.mbarrier.count = count;
	if (op == DRM_VSM_OP_MBARRIER_TRY_WAIT)
		insn.mods = DRM_VSM_MOD_PARITY;
	return insn;
}

static inline struct drm_vsm_insn state_copy(uint32_t mbar, uint32_t bytes)
{
	return (struct drm_vsm_insn){
		.op = DRM_VSM_OP_CP_ASYNC_BULK_G2S,
		.u.copy = { .addr = (mbar & 0xff000000) | 128, .mbar = mbar, .size = bytes },
	};
}

static inline struct drm_vsm_insn state_barrier(unsigned int op, uint32_t barrier, uint32_t count)
{
	return (struct drm_vsm_insn){
		.op = op, .mods = count ? DRM_VSM_MOD_COUNT : 0,
		.u.barrier = { .barrier = barrier, .count = count },
	};
}

/* Lanes of a warp wait at a step. */
static inline void state_wait(struct state *s, unsigned int rank, unsigned int number,
			      uint32_t lanes, uint32_t step, struct drm_vsm_insn insn)
{
	struct ptx_warp *warp = &s->warps[rank][number];
	struct ptx_group *group = warp->groups;

	warp->lanes |= lanes;
	state_exec(s, rank, number, lanes, step, insn);
	while (group->state != GROUP_FREE)
		group++;
	*group = (struct ptx_group){
		.warp = warp, .state = GROUP_WAITS, .lanes = lanes, .pc = step, .insn = insn,
	};
}

static inline void state_run(struct state *s, unsigned int rank, unsigned int number,
			     uint32_t lanes, uint32_t step)
{
	struct ptx_group *group = s->warps[rank][number].groups;

	while (group->state != GROUP_FREE)
		group++;
	*group = (struct ptx_group){
		.warp = &s->warps[rank][number], .state = GROUP_RUNNABLE, .lanes = lanes,
		.pc = step,
	};
	s->warps[rank][number].lanes |= lanes;
}

static inline const char *state_report(struct state *s)
{
	size_t size;
	FILE *out = open_memstream(&s->text, &size);

	ptx_report_hang(out, &s->launch);
	fclose(out);
	return s->text;
}

#endif
