/* SPDX-License-Identifier: MIT */
/*
 * The table of operations: the PTX syntax of each, and its forms in all languages.
 */
#ifndef _PTX_FORM_H_
#define _PTX_FORM_H_

#include <stdint.h>
#include <vsm.h>

/*
 * Groups of qualifiers, in the order in which PTX writes them. An instruction has at most one
 * qualifier of each group.
 */
enum ptx_group {
	PTX_SEM,
	PTX_SCOPE,
	PTX_SPACE,
	PTX_MODE,
	PTX_COMPLETION,
	PTX_MULTICAST,
	PTX_NEWER,	/* qualifiers that sm_90 does not have */
	PTX_CACHE_HINT,
	PTX_CP_MASK,
	PTX_PREFETCH,
	PTX_VECTOR,	/* .v2 has the value 2, .v4 the value 4 */
	PTX_REDUCTION,	/* &enum drm_vsm_red */
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
	/* PTX_SEM; its other values are &enum drm_vsm_sem, from 1 to 5 */
	PTX_SEM_WEAK = PTX_BEYOND,
	PTX_SEM_VOLATILE,
	/* PTX_SPACE; its other values are &enum drm_vsm_space, 1 and 2 */
	PTX_SPACE_GLOBAL = PTX_BEYOND,
	PTX_SPACE_LOCAL,
	PTX_SPACE_CONST,
	PTX_SPACE_PARAM,
	/* PTX_MODE */
	PTX_MODE_TILE = 0,
	PTX_MODE_IM2COL,
	PTX_MODE_IM2COL_NO_OFFS,
	/* PTX_COMPLETION */
	PTX_COMPLETION_MBARRIER = 0,
	PTX_COMPLETION_GROUP,
	/* PTX_NEWER */
	PTX_NEWER_LOAD = 0,
	PTX_NEWER_STORE,
	PTX_NEWER_GROUP,
	/* PTX_TYPE: the width in bits is 8 << (type & 3) */
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

/* Width of each im2colOffset. A copy has dims - 2 of them in 16 bits. */
static inline unsigned int ptx_offset_bits(unsigned int dims)
{
	return 16 / (dims - 2);
}

/* How an instruction is executed. */
enum ptx_action {
	PTX_EXEC,	/* by the device; the thread waits until it is done */
	PTX_ISSUE,	/* by the device, asynchronously */
	/* by the vsm command */
	PTX_MOV,
	PTX_ADD,
	PTX_MAPA,
	PTX_LD,		/* in the mapped memory */
	PTX_ST,		/* in the mapped memory */
	PTX_PRMT,
	PTX_EXCH,	/* by the device if the word makes it an mbarrier.init */
	/* in other ways */
	PTX_NOP,	/* not at all: it has no effect in a scenario */
	PTX_SLEEP,	/* by the device, which repeats the last TRYWAIT of the thread */
	PTX_BRANCH,	/* not at all: it is an error if the branch is taken */
};

/* What an operand is. */
enum ptx_role {
	PTX_NOTHING,
	/* destinations */
	PTX_STATE_OUT,
	PTX_COMPLETE_OUT,
	PTX_COUNT_OUT,
	PTX_VALUE_OUT,
	PTX_MASK_OUT,
	PTX_PRED_OUT,
	/* pairs d|p: d has the role PTX_MASK_OUT, p PTX_PRED_OUT */
	PTX_MATCH_OUT,
	PTX_ELECT_OUT,
	PTX_SHFL_OUT,
	/* addresses */
	PTX_SHARED,
	PTX_SOURCE,	/* the source of a copy whose destination is also shared memory */
	PTX_MBAR,
	PTX_GLOBAL,
	PTX_MEMORY,
	/* [tensorMap, {coordinates}]: PTX_MAP, then a PTX_COORD for each dimension */
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
	PTX_OFFSET,	/* im2colOffsets, and each element of it */
	PTX_MEMBERMASK,
	PTX_LANE,
	PTX_CLAMP,
	PTX_VOTE,
	PTX_BARRIER,
	PTX_THREADS,	/* optional; written before PTX_PREDICATE */
	PTX_PREDICATE,
};

/* Special registers, such as %laneid. Only mov can read them. */
enum ptx_special {
	PTX_LANEID,
	PTX_TID,
	PTX_CTARANK,
};

/*
 * The largest number of operands of an instruction: as PTX counts them, and if each element of a
 * vector is an operand.
 */
#define PTX_OPERANDS 6
#define PTX_ELEMENTS 13

/* Largest number of forms of an operation. */
#define PTX_FORMS 4

/**
 * struct ptx_form - A form of an operation, in all languages
 * @mods: Mask of &enum drm_vsm_mod
 * @rest: What follows the name of the operation in PTX: qualifiers and operands. NULL behind the
 *	last form
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
 * @space: &enum drm_vsm_space in the name; 0 if there is none
 * @dims: Number of dimensions of a tensor copy; 0 for all others
 * @mode: &enum drm_vsm_mode of a warp operation; 0 if it has none
 * @quals: Allowed qualifiers, a mask for each group
 * @required: Mask of the groups that an instruction must have
 * @types: Mask of the types that each reduction takes, indexed by &enum drm_vsm_red; NULL if all
 *	types in @quals are allowed
 * @roles: Operands in order
 * @needs: Number of operands that every instruction has, the first of @roles. Some of the operands
 *	behind them are there if a qualifier requires them. At most one of the others is optional
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
