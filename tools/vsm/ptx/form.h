/* SPDX-License-Identifier: MIT */
/*
 * The table of operations: the PTX syntax of each, and its forms in all languages.
 */
#ifndef _PTX_FORM_H_
#define _PTX_FORM_H_

#include <stdint.h>
#include <vsm.h>

/* Groups of qualifiers in PTX's order. An instruction has at most one qualifier of a group. */
enum ptx_group {
	PTX_SEM,
	PTX_SCOPE,
	PTX_SPACE,
	PTX_MODE,
	PTX_COMPLETION,
	PTX_MULTICAST,
	PTX_NEWER,	/* only on later silicon than sm_90 */
	PTX_CACHE_HINT,
	PTX_CP_MASK,
	PTX_PREFETCH,
	PTX_VECTOR,	/* the value is the number of elements */
	PTX_REDUCTION,	/* &enum drm_vsm_red */
	PTX_NOFTZ,
	PTX_ALIGNED,
	PTX_TYPE,
	PTX_GROUPS,
};

/* Qualifiers of vsm_drm.h have the same number here. Others begin at this number. */
#define PTX_BEYOND	8

enum {
	/* PTX_SEM; 1 to 5 are &enum drm_vsm_sem */
	PTX_SEM_WEAK = PTX_BEYOND,
	PTX_SEM_VOLATILE,
	/* PTX_SPACE; 1 and 2 are &enum drm_vsm_space */
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

/* Bits of each im2colOffset. All offsets together have 16 bits. */
static inline unsigned int ptx_offset_bits(unsigned int dims)
{
	return 16 / (dims - 2);
}

/* Who executes an instruction. */
enum ptx_action {
	PTX_EXEC,	/* the device, while the thread waits */
	PTX_ISSUE,	/* the device, later */
	PTX_MOV,
	PTX_ADD,
	PTX_MAPA,
	PTX_LD,		/* vsm, like the others here: in the mapped memory */
	PTX_ST,
	PTX_PRMT,	/* bytes of two values in a new order */
	PTX_EXCH,	/* vsm, or the device if the new word is that of an mbarrier.init */
	PTX_NOP,	/* nobody: it has no effect here */
	PTX_SLEEP,	/* the device, as it executed the last TRYWAIT of the thread */
	PTX_BRANCH,	/* nobody: the branch must not be taken */
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
	/* pairs: PTX_MASK_OUT or _, then PTX_PRED_OUT or _ */
	PTX_MATCH_OUT,
	PTX_ELECT_OUT,
	PTX_SHFL_OUT,
	/* addresses */
	PTX_SHARED,
	PTX_SOURCE,	/* in the thread's own window; the destination may be in another */
	PTX_MBAR,
	PTX_GLOBAL,
	PTX_MEMORY,
	/* a tensor map and coordinates in it */
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
	PTX_OFFSET,	/* an element of im2colOffsets */
	PTX_MEMBERMASK,
	PTX_LANE,
	PTX_CLAMP,
	PTX_VOTE,
	PTX_BARRIER,
	PTX_THREADS,	/* before PTX_PREDICATE, if both are there */
	PTX_PREDICATE,
};

/* Special registers; only mov reads them. */
enum ptx_special {
	PTX_LANEID,
	PTX_TID,
	PTX_CTARANK,
};

/* Most operands of an instruction; the same if each element of a vector counts. */
#define PTX_OPERANDS 6
#define PTX_ELEMENTS 13

/* Largest number of forms of a row. */
#define PTX_FORMS 4

/**
 * struct ptx_form - A form of an operation, in all languages
 * @mods: Mask of &enum drm_vsm_mod
 * @rest: Rest of the opcode and operands in PTX, behind the name; NULL behind the last form
 * @nvvm: Names of operations of NVVM, separated by commas, or ""
 * @machine: Instruction of sm_90 with its operands, or names of instructions, or ""
 * @lib: Name of a function of libvsm without vsm_prep_, and its flags; a name that begins with
 *	vsm_ is complete
 */
struct ptx_form {
	uint16_t mods;
	const char *rest;
	const char *nvvm;
	const char *machine;
	const char *lib;
};

/**
 * struct ptx_op - An operation of PTX, with the qualifiers that distinguish it from others
 * @name: Name with these qualifiers
 * @syntax: Rest of PTX's syntax, for messages
 * @action: &enum ptx_action
 * @op: &enum drm_vsm_op; 0 if the device does not execute it
 * @mods: Mask of &enum drm_vsm_mod, as far as the name says
 * @space: &enum drm_vsm_space that the name contains
 * @dims: Dimensions of a tensor copy, else 0
 * @mode: &enum drm_vsm_mode, or 0
 * @quals: Allowed qualifiers, a mask for each group
 * @required: Mask of the groups that an instruction must have
 * @types: Types that each reduction allows: masks, by &enum drm_vsm_red
 * @roles: Operands in order
 * @needs: Number of operands that an instruction must have. Qualifiers may require some of
 *	the operands behind them. One of the others may be left out.
 * @forms: Forms that "vsm ops" prints, and whose names in NVVM and machine code scenarios accept.
 *	A row without forms is another name of an operation with forms, or only for scenarios
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

/* Names of instructions that PTX has and vsm does not; NULL after the last. */
extern const char *const ptx_lacking[];

#endif
