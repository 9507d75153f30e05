/* SPDX-License-Identifier: MIT */
/* What a random program consists of; generator.h says how one is made. */
#ifndef VSM_UNIT_PROGRAM_H
#define VSM_UNIT_PROGRAM_H

#include <drm/vsm_drm.h>

#include "model.h"

#define GENERATOR_OBJECTS	16
#define GENERATOR_TOKENS	32
#define GENERATOR_ASYNCS	16
#define GENERATOR_COPIES	16	/* in flight on a cluster that is held */
#define GENERATOR_STEPS		32

/* In place of an address: the step concerns no word. */
#define GENERATOR_NOWHERE	(~0U)

/**
 * struct generator_config - What programs to make
 * @seed: Any number
 * @sm: Layout, 90 or 80
 * @ctas: CTAs of the cluster
 * @threads: Threads of a CTA
 * @smem_bytes: Bytes of a window
 * @objects: Words that programs use as mbarriers, 1 to %GENERATOR_OBJECTS
 * @buffer_bytes: Bytes of the buffer that cp.async reads, a multiple of 16; 0 for none
 * @held: Asynchronous operations complete only at %GENERATOR_RELEASE, as on a device whose
 *	cluster is held; a try_wait that will answer False has a short hint
 * @hardware: Misuse of the hardware policy, not of the strict one, will be planted
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
 * @GENERATOR_INSN: Execute an instruction
 * @GENERATOR_COMPLETE: Complete one asynchronous operation, &generator_step.done[0]
 * @GENERATOR_RELEASE: Complete all asynchronous operations in the order of issue, which are
 *	&generator_step.done (DRM_IOCTL_VSM_CLUSTER_HOLD without the flag, then wait for
 *	their words and faults, and hold again)
 * @GENERATOR_WRITE: Write &generator_step.word at &generator_step.addr, as user space
 * @GENERATOR_ARM: Somebody begins to wait for the phase in progress at
 *	&generator_step.addr, by parity; &generator_step.result is the parity
 * @GENERATOR_DISARM: The waiter gives up
 */
enum generator_action {
	GENERATOR_INSN,
	GENERATOR_COMPLETE,
	GENERATOR_RELEASE,
	GENERATOR_WRITE,
	GENERATOR_ARM,
	GENERATOR_DISARM,
};

/**
 * struct generator_done - An asynchronous operation that completes
 * @async: &generator_step.async of the step that issued it
 * @cta: CTA of the thread that issued it
 * @thread: That thread
 * @insn: The instruction, with the fault that it must get, and the result then
 * @word: The word at its address afterwards
 */
struct generator_done {
	int async;
	__u16 cta;
	__u16 thread;
	struct drm_vsm_insn insn;
	__u64 word;
};

/**
 * struct generator_step - A step of a program
 * @action: What is to be done
 * @cta: CTA of the executing thread
 * @thread: Thread in it
 * @insn: Instruction, its results being 0
 * @token: Slot of the token that is its state operand, or -1
 * @twist: Bits to be flipped in that token
 * @slot: Slot that its token is to be kept in, or -1 if it returns none
 * @returned: That token
 * @async: Number of the asynchronous operation that it issues, below %GENERATOR_ASYNCS, or
 *	-1. Numbers are used again. cp.async gets none, because only the memory shows
 *	when it has completed
 * @fault: Fault that it must be refused with, or 0
 * @info: &drm_vsm_insn.info then
 * @result: Its result; for a token the high word in its place, and 0 below
 * @addr: Address of the word that the step concerns, or %GENERATOR_NOWHERE
 * @word: The word there afterwards
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

/**
 * struct generator_object - A word that programs use as an mbarrier
 * @addr: Its cluster shared address
 * @m: The object
 * @word: The word
 */
struct generator_object {
	__u32 addr;
	struct model m;
	__u64 word;
};

/**
 * struct generator_async - An asynchronous operation in flight
 * @used: The entry is in use
 * @object: Index of the object that it completes on
 * @op: The operation that completes
 * @cta: CTA of the thread that issued it
 * @thread: That thread
 * @insn: The instruction
 */
struct generator_async {
	bool used;
	int object;
	struct model_op op;
	__u16 cta;
	__u16 thread;
	struct drm_vsm_insn insn;
};

struct generator;

/**
 * enum generator_needs - What the configuration must have for a misuse
 * @GENERATOR_NEEDS_SM_90: Layout sm_90
 * @GENERATOR_NEEDS_SM_80: Layout sm_80
 * @GENERATOR_NEEDS_CTAS: More than one CTA
 * @GENERATOR_NEEDS_BUFFER: A buffer
 * @GENERATOR_NEEDS_HARDWARE: The hardware policy; without it, the strict one
 * @GENERATOR_NEEDS_LETTER: &generator_config.letter
 * @GENERATOR_NEEDS_NO_LETTER: Without that
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

/**
 * struct generator_misuse - A way to misuse an mbarrier
 * @fault: The fault that the device must report
 * @needs: What the configuration must have, &enum generator_needs
 * @name: What the misuse is
 * @plan: Makes the steps; false if they cannot be made now
 */
struct generator_misuse {
	__u32 fault;
	unsigned int needs;
	const char *name;
	bool (*plan)(struct generator *g);
};

/**
 * struct generator - A program and the state that it has reached
 * @config: Its configuration
 * @rng: State of the random numbers
 * @objects: Its objects
 * @inits: Number of objects that have been initialised
 * @tokens: The tokens that arrives have returned
 * @has_token: Which entries of @tokens are in use
 * @asyncs: Asynchronous operations in flight
 * @order: Their numbers, in the order of issue
 * @flying: Number of entries in @order
 * @copies: Blocks that copies in flight write, and that no other copy may write meanwhile
 * @copying: Number of entries in @copies
 * @steps: Steps that have been made
 * @made: Number of entries in @steps
 * @given: Number of steps that generator_next() has returned
 * @misuse: The misuse to be planted, or NULL
 * @over: The cluster is lost, and the program has ended
 */
struct generator {
	struct generator_config config;
	__u64 rng;
	struct generator_object objects[GENERATOR_OBJECTS];
	long long inits;
	struct model_token tokens[GENERATOR_TOKENS];
	bool has_token[GENERATOR_TOKENS];
	struct generator_async asyncs[GENERATOR_ASYNCS];
	int order[GENERATOR_ASYNCS];
	unsigned int flying;
	__u32 copies[GENERATOR_COPIES];
	unsigned int copying;
	struct generator_step steps[GENERATOR_STEPS];
	unsigned int made;
	unsigned int given;
	const struct generator_misuse *misuse;
	bool over;
};

#endif
