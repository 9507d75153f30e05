/* SPDX-License-Identifier: MIT */
/* The configuration and the steps of a random program. generator.h says how to make one. */
#ifndef VSM_UNIT_PROGRAM_H
#define VSM_UNIT_PROGRAM_H

#include <drm/vsm_drm.h>

#include "model.h"

#define GENERATOR_OBJECTS	16
#define GENERATOR_TOKENS	32
#define GENERATOR_ASYNCS	16
#define GENERATOR_COPIES	16	/* copies in flight while the cluster is held */
#define GENERATOR_STEPS		32

/* &generator_step.addr of a step that concerns no word */
#define GENERATOR_NOWHERE	(~0U)

/* What programs to make */
struct generator_config {
	__u64 seed;		/* seed of the random numbers */
	int sm;			/* layout, 90 or 80 */
	__u32 ctas;		/* CTAs of the cluster */
	__u32 threads;		/* threads of a CTA */
	__u32 smem_bytes;	/* bytes of a window */
	unsigned int objects;	/* words that programs use as mbarriers, 1 to GENERATOR_OBJECTS */
	/* Size of the buffer that cp.async reads, a multiple of 16; 0 for no cp.async */
	__u32 buffer_bytes;
	/*
	 * Asynchronous operations complete only at GENERATOR_RELEASE, because the device holds
	 * them; a try_wait that will return False has a short suspendTimeHint.
	 */
	bool held;
	bool hardware;	/* the planted misuse is of the hardware policy, not of the strict one */
	bool letter;		/* the cluster enforces PHASE_UNOBSERVED to the letter */
};

/* The action of a step */
enum generator_action {
	GENERATOR_INSN,		/* execute generator_step.insn */
	GENERATOR_COMPLETE,	/* complete one asynchronous operation, generator_step.done[0] */
	/*
	 * Complete all asynchronous operations, listed in generator_step.done, in the order of
	 * issue. On a device: DRM_IOCTL_VSM_CLUSTER_HOLD without the flag, wait for the words and
	 * faults in the list, then hold again.
	 */
	GENERATOR_RELEASE,
	/* Write generator_step.word at generator_step.addr, as user space */
	GENERATOR_WRITE,
	/*
	 * A waiter begins to wait for the phase in progress at generator_step.addr;
	 * generator_step.result is the parity of that phase.
	 */
	GENERATOR_ARM,
	GENERATOR_DISARM,	/* the waiter of @GENERATOR_ARM stops waiting */
};

/* An asynchronous operation that completes */
struct generator_done {
	int async;	/* generator_step.async of the step that issued it */
	__u16 cta;	/* CTA of the thread that issued it */
	__u16 thread;	/* thread that issued it, by its number in the CTA */
	/* The instruction, with the fault that it must get and the result of that fault */
	struct drm_vsm_insn insn;
	__u64 word;	/* the word at the address of @insn after the completion */
};

/* A step of a program */
struct generator_step {
	enum generator_action action;	/* what is to be done */
	__u16 cta;			/* CTA of the executing thread */
	__u16 thread;			/* executing thread, by its number in the CTA */
	struct drm_vsm_insn insn;	/* instruction, whose results are 0 */
	int token;	/* index in generator.tokens of its state operand, or -1 if it has none */
	__u64 twist;			/* bits to be flipped in that token */
	/* Index in generator.tokens where its token is stored, or -1 if it returns none */
	int slot;
	struct model_token returned;	/* the token that it returns */
	/*
	 * Number of the asynchronous operation that it issues, below GENERATOR_ASYNCS, or -1.
	 * Numbers are reused. A cp.async has no number, because only the memory shows when it has
	 * completed.
	 */
	int async;
	__u32 fault;			/* fault with which the device must refuse it, or 0 */
	__u32 info;			/* drm_vsm_insn.info that belongs to @fault */
	__u64 result;	/* its result; for a token only the high 32 bits, the others are 0 */
	__u32 addr;	/* address of the word that the step concerns, or GENERATOR_NOWHERE */
	__u64 word;			/* the word at @addr after the step */
	unsigned int happened;		/* number of entries in @done */
	/* Asynchronous operations that complete in this step */
	struct generator_done done[GENERATOR_ASYNCS];
};

/* A word that programs use as an mbarrier */
struct generator_object {
	__u32 addr;	/* its shared::cluster address */
	struct model m;	/* the object in the model */
	__u64 word;	/* the value of the word */
};

/* An asynchronous operation in flight */
struct generator_async {
	bool used;			/* the entry is in use */
	int object;			/* index of the object that it completes on */
	struct model_op op;		/* the operation of the model that completes it */
	__u16 cta;			/* CTA of the thread that issued it */
	__u16 thread;			/* thread that issued it, by its number in the CTA */
	struct drm_vsm_insn insn;	/* the instruction */
};

struct generator;

/* What the configuration must have for a misuse */
enum generator_needs {
	GENERATOR_NEEDS_SM_90 = 1 << 0,		/* layout sm_90 */
	GENERATOR_NEEDS_SM_80 = 1 << 1,		/* layout sm_80 */
	GENERATOR_NEEDS_CTAS = 1 << 2,		/* more than one CTA */
	GENERATOR_NEEDS_BUFFER = 1 << 3,	/* a buffer for cp.async */
	/* The hardware policy; if unset, the strict policy */
	GENERATOR_NEEDS_HARDWARE = 1 << 4,
	GENERATOR_NEEDS_LETTER = 1 << 5,	/* generator_config.letter is set */
	GENERATOR_NEEDS_NO_LETTER = 1 << 6,	/* generator_config.letter is unset */
};

/* A way to misuse an mbarrier */
struct generator_misuse {
	__u32 fault;		/* the fault that the device must report */
	unsigned int needs;	/* what the configuration must have, enum generator_needs */
	const char *name;	/* name of the misuse in messages */
	/* Makes the steps; returns false if they cannot be made now */
	bool (*plan)(struct generator *g);
};

/* A program and the state that it has reached */
struct generator {
	struct generator_config config;			/* its configuration */
	__u64 rng;					/* state of the random numbers */
	/* The words that it uses as mbarriers */
	struct generator_object objects[GENERATOR_OBJECTS];
	long long inits;	/* number of objects that have been initialised */
	struct model_token tokens[GENERATOR_TOKENS];	/* the tokens that arrives have returned */
	bool has_token[GENERATOR_TOKENS];		/* which entries of @tokens are in use */
	/* Asynchronous operations in flight */
	struct generator_async asyncs[GENERATOR_ASYNCS];
	/* Indices of the used entries of @asyncs, in the order of issue */
	int order[GENERATOR_ASYNCS];
	unsigned int flying;				/* number of entries in @order */
	/* Blocks that copies in flight write; no other copy may write them */
	__u32 copies[GENERATOR_COPIES];
	unsigned int copying;				/* number of entries in @copies */
	/* Steps that have been made, of which some may not have been returned */
	struct generator_step steps[GENERATOR_STEPS];
	unsigned int made;				/* number of entries in @steps */
	unsigned int given;	/* number of entries in @steps that generator_next() has returned */
	/* The ordered misuse that has not been planted yet, or NULL */
	const struct generator_misuse *misuse;
	bool over;	/* the misuse has killed the cluster, and the program has ended */
};

#endif
