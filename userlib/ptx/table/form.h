/* SPDX-License-Identifier: MIT */
/*
 * The table of operations: the PTX syntax of each, and its forms in all languages.
 */
#ifndef _PTX_TABLE_FORM_H_
#define _PTX_TABLE_FORM_H_

#include <stdint.h>
#include <vsm.h>

/**
 * enum ptx_qualifier_group - Groups of qualifiers, in the order in which PTX writes them
 * @PTX_NEWER: Qualifiers that sm_90 does not have
 * @PTX_VECTOR: Number of elements: .v2 or .v4
 * @PTX_REDUCTION: &enum drm_vsm_red
 *
 * An instruction has at most one qualifier of each group.
 */
enum ptx_qualifier_group {
	PTX_SEM,
	PTX_SCOPE,
	PTX_SPACE,
	PTX_MODE,
	PTX_COMPLETION,
	PTX_MULTICAST,
	PTX_NEWER,
	PTX_CACHE_HINT,
	PTX_CP_MASK,
	PTX_PREFETCH,
	PTX_VECTOR,
	PTX_REDUCTION,
	PTX_NOFTZ,
	PTX_ALIGNED,
	PTX_TYPE,
	PTX_GROUPS,
};

/*
 * A qualifier that has a number in vsm_drm.h has the same number here. All other qualifiers of such
 * a group have numbers from PTX_BEYOND on.
 */
#define PTX_BEYOND	8

enum {
	/* Values of the group PTX_SEM beyond those of &enum drm_vsm_sem */
	PTX_SEM_WEAK = PTX_BEYOND,
	PTX_SEM_VOLATILE,
	/* Values of the group PTX_SPACE beyond those of &enum drm_vsm_space */
	PTX_SPACE_GLOBAL = PTX_BEYOND,
	PTX_SPACE_LOCAL,
	PTX_SPACE_CONST,
	PTX_SPACE_PARAM,
	/* Values of the group PTX_MODE */
	PTX_MODE_TILE = 0,
	PTX_MODE_IM2COL,
	PTX_MODE_IM2COL_NO_OFFS,
	/* Values of the group PTX_COMPLETION */
	PTX_COMPLETION_MBARRIER = 0,
	PTX_COMPLETION_GROUP,
	/* Values of the group PTX_NEWER */
	PTX_NEWER_LOAD = 0,
	PTX_NEWER_STORE,
	PTX_NEWER_GROUP,
	/* Values of the group PTX_PREFETCH */
	PTX_PREFETCH_64B = 0,
	PTX_PREFETCH_128B,
	PTX_PREFETCH_256B,
	/* Values of the group PTX_TYPE. Their lowest two bits encode the width */
	PTX_B8 = 0,
	PTX_B16,
	PTX_B32,
	PTX_B64,
	PTX_U8,
	PTX_U16,
	PTX_U32,
	PTX_U64,
	PTX_S8,
	PTX_S16,
	PTX_S32,
	PTX_S64,
	PTX_PRED,
	PTX_F16,
	PTX_F32,
	PTX_F64,
	PTX_B128,
	PTX_BF16,
};

static inline unsigned int ptx_type_bits(unsigned int type)
{
	return type == PTX_PRED ? 1 : 8 << (type & 3);
}

/* Width in bits of one im2colOffset. The dims - 2 offsets of a copy have 16 bits together. */
static inline unsigned int ptx_offset_bits(unsigned int dims)
{
	return 16 / (dims - 2);
}

/**
 * enum ptx_action - How an instruction is executed
 * @PTX_EXEC: By the device. The thread waits until the instruction is done
 * @PTX_ISSUE: By the device, asynchronously
 * @PTX_MOV: By the vsm command
 * @PTX_ADD: By the vsm command
 * @PTX_MAPA: By the vsm command
 * @PTX_LD: By the vsm command, which reads the mapped memory
 * @PTX_ST: By the vsm command, which writes to the mapped memory
 * @PTX_PRMT: By the vsm command
 * @PTX_EXCH: By the device if the word makes the instruction an mbarrier.init, otherwise by the vsm
 *	command
 * @PTX_NOP: Not at all, because it has no effect in a scenario
 * @PTX_SLEEP: By the device, which repeats the last SYNCS.PHASECHK.TRANS64.TRYWAIT of the thread
 * @PTX_BRANCH: Not at all. It is an error if the branch is taken
 */
enum ptx_action {
	PTX_EXEC,
	PTX_ISSUE,
	PTX_MOV,
	PTX_ADD,
	PTX_MAPA,
	PTX_LD,
	PTX_ST,
	PTX_PRMT,
	PTX_EXCH,
	PTX_NOP,
	PTX_SLEEP,
	PTX_BRANCH,
};

/**
 * enum ptx_role - What an operand is
 * @PTX_MATCH_OUT: The pair d|p of match.sync; d has the role PTX_MASK_OUT, p PTX_PRED_OUT
 * @PTX_ELECT_OUT: The pair d|p of elect.sync, with the roles of PTX_MATCH_OUT
 * @PTX_SHFL_OUT: The pair d|p of shfl.sync, with the roles of PTX_MATCH_OUT
 * @PTX_SHARED: Address in shared memory
 * @PTX_SOURCE: Address of the source of a copy between windows, in the window of the executing CTA
 * @PTX_MEMORY: Address of ld and st, in any state space
 * @PTX_TENSOR: [tensorMap, {coordinates}]. The map has the role PTX_MAP, a coordinate PTX_COORD
 * @PTX_OFFSET: im2colOffsets, and each of its elements
 * @PTX_THREADS: Number of threads at a barrier. PTX writes it before PTX_PREDICATE
 */
enum ptx_role {
	PTX_NOTHING,
	/* destinations */
	PTX_STATE_OUT,
	PTX_COMPLETE_OUT,
	PTX_COUNT_OUT,
	PTX_VALUE_OUT,
	PTX_MASK_OUT,
	PTX_PRED_OUT,
	PTX_MATCH_OUT,
	PTX_ELECT_OUT,
	PTX_SHFL_OUT,
	/* addresses */
	PTX_SHARED,
	PTX_SOURCE,
	PTX_MBAR,
	PTX_GLOBAL,
	PTX_MEMORY,
	PTX_TENSOR,
	PTX_MAP,
	PTX_COORD,
	/* values */
	PTX_COUNT,
	PTX_TX_COUNT,
	PTX_STATE,
	PTX_PARITY,
	PTX_HINT,
	PTX_SIZE,
	PTX_CP_SIZE,
	PTX_SRC_SIZE,
	PTX_POLICY,
	PTX_VALUE,
	PTX_RANK,
	PTX_IN_FLIGHT,
	PTX_CTA_MASK,
	PTX_BYTE_MASK,
	PTX_OFFSET,
	PTX_MEMBERMASK,
	PTX_LANE,
	PTX_CLAMP,
	PTX_VOTE,
	PTX_BARRIER,
	PTX_THREADS,
	PTX_PREDICATE,
};

/* Largest number of operands of an instruction */
#define PTX_OPERANDS 6
/* Largest number of operands of an instruction if each element of a vector counts as one */
#define PTX_ELEMENTS 13

/* Largest number of forms of an operation. An operation may have fewer, or exactly as many. */
#define PTX_FORMS 4

/**
 * struct ptx_form - A form of an operation, in all languages
 * @mods: Mask of &enum drm_vsm_mod
 * @rest: What follows the name of the operation in PTX: qualifiers and operands. NULL in an
 *	entry that is not used
 * @nvvm: Names of NVVM operations, separated by commas; "" if there is none
 * @machine: An instruction of sm_90 with its operands, or names of instructions, separated by
 *	commas; "" if there is none
 * @lib: Name of the function of libvsm without vsm_prep_, and the flags that it needs. A name that
 *	begins with vsm_ is complete
 */
struct ptx_form {
	uint16_t mods;
	const char *rest;
	const char *nvvm;
	const char *machine;
	const char *lib;
};

/**
 * struct ptx_op - An operation of PTX
 * @name: Name, with the qualifiers that distinguish this operation from others
 * @syntax: Qualifiers and operands behind the name in PTX's notation, for messages
 * @action: &enum ptx_action
 * @op: &enum drm_vsm_op; 0 if the device does not execute it
 * @mods: Mask of the &enum drm_vsm_mod that the name implies
 * @sem: &enum drm_vsm_sem in the name; 0 if there is none
 * @space: &enum drm_vsm_space in the name; 0 if there is none
 * @dims: Number of dimensions of a tensor copy; 0 for all others
 * @mode: &enum drm_vsm_mode of a warp operation; 0 if it has none
 * @quals: Allowed qualifiers, a mask for each group
 * @required: Mask of the groups that an instruction must have
 * @types: Mask of the types that each reduction takes, indexed by &enum drm_vsm_red; NULL if all
 *	types in @quals are allowed
 * @roles: Operands in order
 * @needs: Number of operands that every instruction has: the first @needs of @roles. The others are
 *	there only if a qualifier requires them; one of them may be optional instead
 * @forms: Forms in all languages. "vsm ops" prints them, and scenarios accept their names in NVVM
 *	and machine code. A row has no forms if it is another name of an operation that has them, or
 *	if it is an instruction only of scenarios
 */
struct ptx_op {
	const char *name;
	const char *syntax;
	enum ptx_action action;
	uint16_t op;
	uint16_t mods;
	uint8_t sem;
	uint8_t space;
	uint8_t dims;
	uint8_t mode;
	uint32_t quals[PTX_GROUPS];
	uint16_t required;
	const uint32_t *types;
	uint8_t roles[PTX_OPERANDS];
	uint8_t needs;
	struct ptx_form forms[PTX_FORMS];
};

extern const struct ptx_op ptx_ops[];
extern const unsigned int ptx_op_count;

/* Names of instructions that PTX has and vsm lacks. NULL ends the list. */
extern const char *const ptx_lacking[];

#endif
