// SPDX-License-Identifier: MIT
/*
 * Executes an instruction or submits a job as a device thread.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <xf86drm.h>

#include "run/encode.h"
#include "run/events.h"
#include "run/jobs.h"
#include "run/step.h"

/* --- instructions of the device ------------------------------------------- */

static struct vsm_thread vsm_thread_of(const struct thread *t)
{
	struct vsm_thread thread = vsm_thread_at(t->objects->cluster, t->place.cta,
						 t->place.thread);

	if (t->objects->records)
		thread.site = t->line;
	if (t->no_limit)
		thread.exec_flags = DRM_VSM_EXEC_NO_LIMIT;
	return thread;
}

/* Lets the device execute @outcome->insn, and stores the result in the registers. */
static int execute(struct thread *t, const struct statement *statement, struct outcome *outcome)
{
	struct vsm_thread thread = vsm_thread_of(t);
	int err;

	if (statement->warp)
		thread.exec_flags |= DRM_VSM_EXEC_WARP;
	if (statement->insn->untimed)
		thread.exec_flags |= DRM_VSM_EXEC_NO_LIMIT;
	atomic_store(&t->executing, true);
	err = vsm_exec(&thread, &outcome->insn, 1, NULL);
	atomic_store(&t->executing, false);
	if (!err)
		set_destination(t, statement->insn, outcome->insn.result);
	return err;
}

static int step_exec(struct thread *t, const struct statement *statement,
		     struct outcome *outcome)
{
	const struct instruction *insn = statement->insn;
	int err = encode(t, insn, outcome, &outcome->insn);

	if (!err && insn->opcode.op->action == PTX_ISSUE)
		err = events_issue(t->events, statement->line, t->place, &outcome->insn);
	if (insn->tries)
		t->tried = err ? (struct drm_vsm_insn){ } : outcome->insn;
	if (err)
		return err;
	return execute(t, statement, outcome);
}

/*
 * Executes NANOSLEEP.SYNCS: repeats the last TRYWAIT with another time. Uses the copy of its
 * instruction, because the registers of the TRYWAIT may have other values now.
 */
static int step_sleep(struct thread *t, const struct statement *statement,
		      struct outcome *outcome)
{
	if (!t->tried.op)
		return refuse(outcome, -EINVAL,
			      "NANOSLEEP.SYNCS needs a TRYWAIT that has been executed");
	outcome->insn = t->tried;
	outcome->insn.mods |= DRM_VSM_MOD_HINT;
	outcome->insn.u.mbarrier.hint_ns = operand_value(t, &statement->insn->operands[0]);
	return execute(t, statement, outcome);
}

/*
 * Encodes the instructions of a job. On an error, @outcome->line is the line of the wrong
 * instruction.
 */
static int encode_job(struct thread *t, const struct statement *statement,
		      struct outcome *outcome, struct drm_vsm_insn *insns)
{
	size_t i;
	int err = 0;

	for (i = 0; !err && i < statement->job_count; i++) {
		const struct queued *queued = &statement->job[i];

		outcome->line = queued->line;
		err = encode(t, queued->insn, outcome, &insns[i]);
		if (!err)
			err = events_issue(t->events, queued->line, t->place, &insns[i]);
	}
	if (!err)
		outcome->line = 0;
	return err;
}

static int submit(struct thread *t, const struct statement *statement,
		  struct outcome *outcome, struct drm_vsm_insn *insns)
{
	struct vsm_thread thread = vsm_thread_of(t);
	struct drm_vsm_sync sync = { .flags = DRM_VSM_SYNC_SIGNAL };
	int fd = vsm_device_fd(t->objects->device);
	uint32_t channel, refused = 0;
	int err;

	err = encode_job(t, statement, outcome, insns);
	if (err)
		return err;
	err = jobs_channel(t->jobs, statement->channel, &channel);
	if (err)
		return refuse(outcome, err, "there is no channel");
	if (drmSyncobjCreate(fd, 0, &sync.handle))
		return refuse(outcome, -errno, "there is no syncobj");
	err = vsm_channel_submit(&thread, channel, insns, statement->job_count, &sync, 1,
				 &refused);
	if (!err)
		return jobs_add(t->jobs, statement, t->place, sync.handle);
	if (err == -EPROTO || err == -EOPNOTSUPP) {
		outcome->insn = insns[refused];
		outcome->line = statement->job[refused].line;
	}
	drmSyncobjDestroy(fd, sync.handle);
	return err;
}

static int step_submit(struct thread *t, const struct statement *statement,
		       struct outcome *outcome)
{
	struct drm_vsm_insn *insns = calloc(statement->job_count, sizeof(*insns));
	int err;

	if (!insns)
		return -ENOMEM;
	err = submit(t, statement, outcome, insns);
	free(insns);
	return err;
}

/* --- memory --------------------------------------------------------------- */

static int window_memory(const struct thread *t, const struct instruction *insn,
			 const struct operand *operand, unsigned int bytes,
			 struct outcome *outcome, char **memory)
{
	uint32_t rank, offset, addr;
	int err;

	err = operand_shared_address(t, operand, outcome, &addr);
	if (err)
		return err;
	rank = addr >> VSM_SHARED_RANK_SHIFT;
	offset = addr & ((1U << VSM_SHARED_RANK_SHIFT) - 1);
	if (insn->opcode.quals[PTX_SPACE] == DRM_VSM_SPACE_SHARED_CTA && rank != t->place.cta)
		return refuse(outcome, -EFAULT, "0x%x is in CTA %u; .shared::cluster reaches it",
			      addr, rank);
	if (rank >= t->objects->scenario->config.ctas ||
	    offset > t->objects->scenario->config.smem_bytes - bytes)
		return refuse(outcome, -EFAULT, "0x%x is in no window", addr);
	*memory = (char *)vsm_cluster_window(t->objects->cluster, rank) + offset;
	return 0;
}

static int buffer_memory(const struct thread *t, const struct operand *operand,
			 unsigned int bytes, struct outcome *outcome, char **memory)
{
	const struct scenario *s = t->objects->scenario;
	uint64_t size = s->buffer_sizes[operand->buffer];
	uint64_t offset = operand_address(t, operand);

	if (size < bytes || offset > size - bytes)
		return refuse(outcome, -EFAULT, "that is past the end of %s",
			      s->buffers.names[operand->buffer]);
	*memory = (char *)vsm_buffer_map(t->objects->buffers[operand->buffer]) + offset;
	return 0;
}

static int find_memory(const struct thread *t, const struct instruction *insn,
		       const struct operand *operand, struct outcome *outcome, char **memory)
{
	unsigned int bytes = insn->opcode.op->action == PTX_EXCH ? 8 :
			     ptx_type_bits(insn->opcode.quals[PTX_TYPE]) / 8;
	int err;

	if (operand->buffer >= 0)
		err = buffer_memory(t, operand, bytes, outcome, memory);
	else
		err = window_memory(t, insn, operand, bytes, outcome, memory);
	if (!err && (uintptr_t)*memory % bytes)
		return refuse(outcome, -EFAULT, "the address is not a multiple of %u", bytes);
	return err;
}

/* Loads a value of @type from memory. Sign-extends it if the type is signed. */
static uint64_t load(const char *memory, unsigned int type)
{
	bool sign = type >= PTX_S8 && type <= PTX_S64;

	switch (ptx_type_bits(type)) {
	case 8: {
		uint8_t value = __atomic_load_n((const uint8_t *)memory, __ATOMIC_SEQ_CST);

		return sign ? (uint64_t)(int8_t)value : value;
	}
	case 16: {
		uint16_t value = __atomic_load_n((const uint16_t *)memory, __ATOMIC_SEQ_CST);

		return sign ? (uint64_t)(int16_t)value : value;
	}
	case 32: {
		uint32_t value = __atomic_load_n((const uint32_t *)memory, __ATOMIC_SEQ_CST);

		return sign ? (uint64_t)(int32_t)value : value;
	}
	default:
		return __atomic_load_n((const uint64_t *)memory, __ATOMIC_SEQ_CST);
	}
}

static void store(char *memory, unsigned int type, uint64_t value)
{
	switch (ptx_type_bits(type)) {
	case 8:
		__atomic_store_n((uint8_t *)memory, value, __ATOMIC_SEQ_CST);
		break;
	case 16:
		__atomic_store_n((uint16_t *)memory, value, __ATOMIC_SEQ_CST);
		break;
	case 32:
		__atomic_store_n((uint32_t *)memory, value, __ATOMIC_SEQ_CST);
		break;
	default:
		__atomic_store_n((uint64_t *)memory, value, __ATOMIC_SEQ_CST);
		break;
	}
}

/*
 * Executes a fence before a st.release. The device does not see stores, and needs the fence to know
 * that earlier inits are released. Both layouts have this fence, and its scope includes the
 * cluster.
 */
static int release(struct thread *t, const struct instruction *insn)
{
	struct vsm_thread thread = vsm_thread_of(t);

	if (insn->opcode.quals[PTX_SEM] != DRM_VSM_SEM_RELEASE ||
	    insn->opcode.quals[PTX_SCOPE] < DRM_VSM_SCOPE_CLUSTER)
		return 0;
	return vsm_execute(&thread, vsm_prep_fence(VSM_ACQ_REL | VSM_GPU), NULL);
}

static int step_memory(struct thread *t, const struct instruction *insn,
		       struct outcome *outcome)
{
	bool is_load = insn->opcode.op->action == PTX_LD;
	unsigned int type = insn->opcode.quals[PTX_TYPE];
	char *memory = NULL;
	int err;

	err = find_memory(t, insn, &insn->operands[is_load], outcome, &memory);
	if (!err && !is_load)
		err = release(t, insn);
	if (err)
		return err;
	if (is_load)
		set_destination(t, insn, load(memory, type));
	else
		store(memory, type, operand_value(t, &insn->operands[1]));
	return 0;
}

static int step_mapa(struct thread *t, const struct instruction *insn,
		     struct outcome *outcome)
{
	uint64_t addr = operand_value(t, &insn->operands[1]);
	uint64_t rank = operand_value(t, &insn->operands[2]);

	if (rank > UINT8_MAX)
		return refuse(outcome, -EFAULT, "there is no CTA %" PRIu64, rank);
	if (addr > UINT32_MAX)
		return refuse(outcome, -EFAULT, "0x%" PRIx64 " is not in shared memory", addr);
	set_destination(t, insn, vsm_mapa(addr, rank));
	return 0;
}

static void step_prmt(struct thread *t, const struct instruction *insn)
{
	set_destination(t, insn, permuted(t, insn));
}

/*
 * Returns whether a word is that of a newly initialised mbarrier. Sets @count to its arrival count.
 */
static bool is_init(enum vsm_layout layout, uint64_t word, uint32_t *count)
{
	*count = vsm_mbarrier_decode(layout, word).expected;
	return *count && word == vsm_mbarrier_init(layout, *count);
}

/*
 * Executes SYNCS.EXCH.64. If the new word is that of a newly initialised mbarrier, the device
 * executes an mbarrier.init. Any other word is only stored to memory, which the device does not
 * see.
 */
static int step_exch(struct thread *t, const struct instruction *insn, struct outcome *outcome)
{
	enum vsm_layout layout = t->objects->scenario->config.layout;
	const struct operand *at = &insn->operands[1];
	uint64_t word = operand_value(t, &insn->operands[2]);
	struct vsm_thread thread = vsm_thread_of(t);
	char *memory = NULL;
	uint64_t old;
	uint32_t count;
	int err;

	err = find_memory(t, insn, at, outcome, &memory);
	if (err)
		return err;
	if (is_init(layout, word, &count)) {
		old = __atomic_load_n((uint64_t *)memory, __ATOMIC_SEQ_CST);
		outcome->insn.op = DRM_VSM_OP_MBARRIER_INIT;
		outcome->insn.u.mbarrier.addr = operand_address(t, at);
		outcome->insn.u.mbarrier.count = count;
		err = vsm_exec(&thread, &outcome->insn, 1, NULL);
	} else {
		old = __atomic_exchange_n((uint64_t *)memory, word, __ATOMIC_SEQ_CST);
	}
	if (!err)
		set_destination(t, insn, old);
	return err;
}

static void step_add(struct thread *t, const struct instruction *insn)
{
	set_destination(t, insn, operand_value(t, &insn->operands[1]) +
				     operand_value(t, &insn->operands[2]));
}

void step(struct thread *t, const struct statement *statement, struct outcome *outcome)
{
	const struct instruction *insn = statement->insn;

	memset(outcome, 0, sizeof(*outcome));
	outcome->cta = t->place.cta;
	outcome->thread = t->place.thread;
	outcome->several = statement->thread_count > 1;
	t->line = statement->line;
	if (statement->kind == STATEMENT_SUBMIT) {
		outcome->err = step_submit(t, statement, outcome);
		return;
	}
	if (insn->guard >= 0 && t->registers[insn->guard] == insn->unless)
		return;
	switch (insn->opcode.op->action) {
	case PTX_EXEC:
	case PTX_ISSUE:
		outcome->err = step_exec(t, statement, outcome);
		break;
	case PTX_SLEEP:
		outcome->err = step_sleep(t, statement, outcome);
		break;
	case PTX_MAPA:
		outcome->err = step_mapa(t, insn, outcome);
		break;
	case PTX_ADD:
		step_add(t, insn);
		break;
	case PTX_PRMT:
		step_prmt(t, insn);
		break;
	case PTX_EXCH:
		outcome->err = step_exch(t, insn, outcome);
		break;
	case PTX_NOP:
		break;
	case PTX_BRANCH:
		outcome->err = refuse(outcome, -EOPNOTSUPP,
				      "the branch would be taken, but a scenario is straight-line");
		break;
	case PTX_LD:
	case PTX_ST:
		outcome->err = step_memory(t, insn, outcome);
		break;
	default:
		set_destination(t, insn, operand_value(t, &insn->operands[1]));
		break;
	}
}
