// SPDX-License-Identifier: MIT
/* Executes one statement on one device thread. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <xf86drm.h>

#include "base.h"
#include "run/outcome.h"
#include "run/step.h"
#include "vsm_syntax.h"

/* --- the flight recorder -------------------------------------------------- */

struct recording *recording_create(void)
{
	void *memory = mmap(NULL, sizeof(struct recording), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return must(memory == MAP_FAILED ? NULL : memory);
}

void recording_free(struct recording *recording)
{
	if (recording)
		munmap(recording, sizeof(*recording));
}

void recording_clear(struct recording *recording)
{
	recording->count = 0;
	recording->lost = 0;
}

int recording_read(struct recording *recording, struct vsm_cluster *cluster)
{
	uint64_t next = 0, lost;
	int count;

	do {
		count = vsm_trace_read(cluster, recording->events + recording->count,
				       RECORD_EVENTS - recording->count, &next, &lost);
		if (count < 0)
			return count;
		recording->count += count;
		recording->lost += lost;
	} while (count && recording->count < RECORD_EVENTS);
	return 0;
}

/* --- the cluster, its buffers and tensor maps ----------------------------- */

int objects_create(struct objects *o)
{
	const struct scenario *s = o->scenario;
	struct vsm_cluster_config config = s->config;

	if (o->records)
		config.trace_events = RECORD_EVENTS;
	o->buffers = calloc(s->buffers.count + 1, sizeof(*o->buffers));
	o->maps = aligned_alloc(64, (s->maps.count + 1) * sizeof(*o->maps));
	if (!o->buffers || !o->maps)
		return -ENOMEM;
	return vsm_cluster_create(o->device, &config, &o->cluster);
}

int create_buffer(struct objects *o, unsigned int index)
{
	return vsm_buffer_create(o->device, o->scenario->buffer_sizes[index], &o->buffers[index]);
}

int create_tensor_map(struct objects *o, const struct tensor *t, const char **reason)
{
	return tensor_encode(t, o->buffers[t->buffer], t->offset, &o->maps[t->map], reason);
}

void *memory_at(const struct objects *o, const struct place *place)
{
	char *start = place->buffer >= 0 ? vsm_buffer_map(o->buffers[place->buffer])
					 : vsm_cluster_window(o->cluster, place->rank);

	return start + place->offset;
}

const char *memory_name(const struct objects *o, const struct place *place, char text[PLACE_SIZE])
{
	if (place->buffer >= 0)
		return o->scenario->buffers.names[place->buffer];
	snprintf(text, PLACE_SIZE, "CTA %u", place->rank);
	return text;
}

void fill_memory(const struct objects *o, const struct statement *fill)
{
	uint8_t *to = memory_at(o, &fill->at);
	uint64_t i;

	for (i = 0; i < fill->length; i++)
		to[i] = fill->iota ? i : fill->value;
}

/* --- registers and operands ----------------------------------------------- */

static uint64_t special_value(const struct thread *t, enum special special)
{
	switch (special) {
	case PTX_LANEID:
		return t->place.thread % 32;
	case PTX_TID:
		return t->place.thread;
	default:
		return t->place.cta;
	}
}

static uint64_t register_value(const struct thread *t, const struct operand *operand)
{
	uint64_t value = t->registers[operand->reg];

	if (operand->second >= 0)
		value |= t->registers[operand->second] << 32;
	return value >> operand->shift;
}

uint64_t operand_address(const struct thread *t, const struct operand *operand)
{
	uint64_t address = operand->number;

	if (operand->reg >= 0)
		address += t->registers[operand->reg];
	if (operand->second >= 0)
		address += t->registers[operand->second];
	if (operand->own)
		address |= (uint64_t)t->place.cta << VSM_SHARED_RANK_SHIFT;
	return address;
}

uint64_t operand_value(const struct thread *t, const struct operand *operand)
{
	switch (operand->kind) {
	case OPERAND_REGISTER:
		return register_value(t, operand) ^ operand->inverted;
	case OPERAND_ADDRESS:
		return operand_address(t, operand);
	case OPERAND_SPECIAL:
		return special_value(t, operand->number);
	default:
		return operand->number ^ operand->inverted;
	}
}

/*
 * Sets @addr to the address of an operand in shared memory. Returns 0, or -EFAULT if the address
 * has more than 32 bits.
 */
static int operand_shared_address(const struct thread *t, const struct operand *operand,
				  struct outcome *outcome, uint32_t *addr)
{
	uint64_t address = operand_address(t, operand);

	if (address > UINT32_MAX)
		return refuse(outcome, -EFAULT, "the address 0x%" PRIx64 " has more than 32 bits",
			      address);
	*addr = address;
	return 0;
}

uint32_t permuted(const struct thread *t, const struct instruction *insn)
{
	uint64_t bytes = operand_value(t, &insn->operands[1]) |
			 operand_value(t, &insn->operands[3]) << 32;
	uint64_t selector = operand_value(t, &insn->operands[2]);
	uint32_t value = 0;
	unsigned int i;

	for (i = 0; i < 4; i++) {
		unsigned int select = selector >> 4 * i & 15;
		uint8_t byte = bytes >> 8 * (select & 7);

		/*
		 * If the highest bit of the selector is set, every bit of the byte becomes a copy
		 * of its sign bit.
		 */
		if (select & 8)
			byte = byte & 0x80 ? 0xff : 0;
		value |= (uint32_t)byte << 8 * i;
	}
	return value;
}

static uint64_t truncated(uint64_t value, unsigned int bits)
{
	return bits < 64 ? value & ((1ULL << bits) - 1) : value;
}

void set_destination(struct thread *t, const struct instruction *insn, uint64_t value)
{
	unsigned int i;

	for (i = 0; i < insn->count && insn->operands[i].role <= PTX_PRED_OUT; i++) {
		const struct operand *operand = &insn->operands[i];

		if (operand->kind != OPERAND_REGISTER)
			continue;
		if (operand->role == PTX_PRED_OUT)
			t->registers[operand->reg] = !!(value & DRM_VSM_RESULT_PRED);
		else
			t->registers[operand->reg] = truncated(value, operand->bits);
		if (operand->second >= 0)
			t->registers[operand->second] = value >> 32;
	}
}

/* --- encoding ------------------------------------------------------------- */

/*
 * Sets the operand's bytes in @to. @index is the index of the operand in its vector. The elements
 * of the vector have @bytes bytes each.
 */
static void set_field(struct drm_vsm_insn *to, const struct operand *operand, uint64_t value,
		      unsigned int index, unsigned int bytes)
{
	struct ptx_field field = ptx_field_of(to->op, operand->role);

	if (bytes) {
		field.offset += index * bytes;
		field.size = bytes;
	}
	memcpy((char *)to + field.offset, &value, field.size);
}

static int set_operand(const struct thread *t, const struct instruction *insn,
		       const struct operand *operand, unsigned int index,
		       struct outcome *outcome, struct drm_vsm_insn *to)
{
	unsigned int bits = ptx_type_bits(insn->opcode.quals[PTX_TYPE]);
	unsigned int bytes = 0;
	uint32_t address = 0;
	uint64_t value;
	int err;

	switch (operand->role) {
	case PTX_SHARED:
	case PTX_SOURCE:
	case PTX_MBAR:
		err = operand_shared_address(t, operand, outcome, &address);
		if (err)
			return err;
		value = address;
		break;
	case PTX_GLOBAL:
		to->u.copy.buffer = vsm_buffer_handle(t->objects->buffers[operand->buffer]);
		value = operand_address(t, operand);
		break;
	case PTX_MAP:
		value = (uintptr_t)&t->objects->maps[operand->map];
		break;
	case PTX_COORD:
		value = operand_value(t, operand);
		bytes = sizeof(to->u.tensor.coords[0]);
		break;
	case PTX_OFFSET:
		bits = ptx_offset_bits(insn->opcode.op->dims);
		value = to->u.tensor.offsets |
			(operand_value(t, operand) & ((1U << bits) - 1)) << index * bits;
		break;
	case PTX_SRC_SIZE:
		value = operand_value(t, operand);
		/*
		 * A predicate here is PTX's ignore-src: if it is True, no byte of the source is
		 * read.
		 */
		if (operand->kind == OPERAND_REGISTER && operand->bits == 1)
			value = value ? 0 : to->u.copy.size;
		break;
	case PTX_VALUE:
		value = operand_value(t, operand);
		if (ptx_op_stores(to->op)) {
			bytes = bits / 8;
			to->u.store.size = (index + 1) * bytes;
		}
		break;
	default:
		value = operand_value(t, operand);
		break;
	}
	set_field(to, operand, value, index, bytes);
	return 0;
}

/*
 * Encodes @insn with the values that the registers of @t have now. Returns 0, or a negative errno
 * with a note in @outcome.
 */
static int encode(const struct thread *t, const struct instruction *insn, struct outcome *outcome,
		  struct drm_vsm_insn *to)
{
	unsigned int index = 0;
	unsigned int i;
	int err = 0;

	memset(to, 0, sizeof(*to));
	ptx_encode_opcode(&insn->opcode, to);
	to->mods = insn->mods;
	for (i = 0; !err && i < insn->count; i++) {
		if (!i || insn->operands[i].role != insn->operands[i - 1].role)
			index = 0;
		err = set_operand(t, insn, &insn->operands[i], index++, outcome, to);
	}
	return err;
}

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
	uint32_t rank, offset, addr = 0;
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
