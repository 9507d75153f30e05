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

/**
 * struct generator_config - What programs to make
 * @seed: Seed of the random numbers
 * @sm: Layout, 90 or 80
 * @ctas: CTAs of the cluster
 * @threads: Threads of a CTA
 * @smem_bytes: Bytes of a window
 * @objects: Words that programs use as mbarriers, 1 to %GENERATOR_OBJECTS
 * @buffer_bytes: Size of the buffer that cp.async reads, a multiple of 16; 0 for no cp.async
 * @held: Asynchronous operations complete only at %GENERATOR_RELEASE, because the device holds
 *	them; a try_wait that will return False has a short suspendTimeHint
 * @hardware: The planted misuse is of the hardware policy, not of the strict one
 * @letter: The cluster enforces PHASE_UNOBSERVED to the letter
 */
struct generator_config {
	__u64 seed;
	int sm;
	__u32 ctas;
	__u32 threads;
	__u32 smem_bytes;
	unsigned int objects;
	__u32 buffer_bytes;
	bool held;
	bool hardware;
	bool letter;
};

/**
 * enum generator_action - The action of a step
 * @GENERATOR_INSN: Execute &generator_step.insn
 * @GENERATOR_COMPLETE: Complete one asynchronous operation, &generator_step.done[0]
 * @GENERATOR_RELEASE: Complete all asynchronous operations, listed in &generator_step.done, in
 *	the order of issue. On a device: DRM_IOCTL_VSM_CLUSTER_HOLD without the flag, wait for
 *	the words and faults in the list, then hold again
 * @GENERATOR_WRITE: Write &generator_step.word at &generator_step.addr, as user space
 * @GENERATOR_ARM: A waiter begins to wait for the phase in progress at &generator_step.addr;
 *	&generator_step.result is the parity of that phase
 * @GENERATOR_DISARM: The waiter of @GENERATOR_ARM stops waiting
 */
enum generator_action {
	GENERATOR_INSN,
	GENERATOR_COMPLETE,
	GENERATOR_RELEASE,
	GENERATOR_WRITE,
	GENERATOR_ARM,
	GENERATOR_DISARM,
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

/**
 * struct generator_step - A step of a program
 * @action: What is to be done
 * @cta: CTA of the executing thread
 * @thread: Executing thread, by its number in the CTA
 * @insn: Instruction, whose results are 0
 * @token: Index in &generator.tokens of its state operand, or -1 if it has none
 * @twist: Bits to be flipped in that token
 * @slot: Index in &generator.tokens where its token is stored, or -1 if it returns none
 * @returned: The token that it returns
 * @async: Number of the asynchronous operation that it issues, below %GENERATOR_ASYNCS, or
 *	-1. Numbers are reused. A cp.async has no number, because only the memory shows
 *	when it has completed
 * @fault: Fault with which the device must refuse it, or 0
 * @info: &drm_vsm_insn.info that belongs to @fault
 * @result: Its result; for a token only the high 32 bits, the others are 0
 * @addr: Address of the word that the step concerns, or %GENERATOR_NOWHERE
 * @word: The word at @addr after the step
 * @happened: Number of entries in @done
 * @done: Asynchronous operations that complete in this step
 */
struct generator_step {
	enum generator_action action;
	__u16 cta;
	__u16 thread;
	struct drm_vsm_insn insn;
	int token;
	__u64 twist;
	int slot;
	struct model_token returned;
	int async;
	__u32 fault;
	__u32 info;
	__u64 result;
	__u32 addr;
	__u64 word;
	unsigned int happened;
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

/**
 * enum generator_needs - What the configuration must have for a misuse
 * @GENERATOR_NEEDS_SM_90: Layout sm_90
 * @GENERATOR_NEEDS_SM_80: Layout sm_80
 * @GENERATOR_NEEDS_CTAS: More than one CTA
 * @GENERATOR_NEEDS_BUFFER: A buffer for cp.async
 * @GENERATOR_NEEDS_HARDWARE: The hardware policy; if unset, the strict policy
 * @GENERATOR_NEEDS_LETTER: &generator_config.letter is set
 * @GENERATOR_NEEDS_NO_LETTER: &generator_config.letter is unset
 */
enum generator_needs {
	GENERATOR_NEEDS_SM_90 = 1 << 0,
	GENERATOR_NEEDS_SM_80 = 1 << 1,
	GENERATOR_NEEDS_CTAS = 1 << 2,
	GENERATOR_NEEDS_BUFFER = 1 << 3,
	GENERATOR_NEEDS_HARDWARE = 1 << 4,
	GENERATOR_NEEDS_LETTER = 1 << 5,
	GENERATOR_NEEDS_NO_LETTER = 1 << 6,
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
