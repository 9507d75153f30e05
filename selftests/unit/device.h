/* SPDX-License-Identifier: MIT */
/*
 * A device around the core, as thin as can be: what driver/sync/vsm_engine.c,
 * driver/sync/vsm_shadow.c and driver/copy/vsm_stream.c do between the core's functions, for
 * one thread. Nobody suspends, and what is asynchronous happens when it is told to.
 */
#ifndef VSM_UNIT_DEVICE_H
#define VSM_UNIT_DEVICE_H

#include <vsm_core.h>
#include <vsm_step.h>

#define DEVICE_ASYNCS	64
#define DEVICE_ROW	32

/**
 * struct device_async - A cp.async.mbarrier.arrive in flight
 * @used: It is
 * @cta: CTA of the thread that issued it
 * @thread: That thread
 * @serial: Phase that it is bound to
 * @insn: The instruction
 */
struct device_async {
	bool used;
	__u16 cta;
	__u16 thread;
	__u32 serial;
	struct drm_vsm_insn insn;
};

/**
 * struct device - A cluster
 * @geo: Its shape
 * @form: Form of the last instruction
 * @memory: Its windows
 * @shadows: Of all words
 * @rows: Those that have been made, by %DEVICE_ROW words
 * @waited: Words that somebody waits for
 * @asyncs: What is in flight
 * @broken: Rules that the last instruction broke and that are only reported
 * @objects: Objects that there have been
 * @inits: Inits of each CTA
 * @fenced: Of each thread of each CTA, up to which number its fences have published
 * @lost: A trap has ended it
 * @interfere: What user space writes to a word between its load and the exchange, once,
 *	if @interferes
 * @interferes: How many more exchanges fail for that
 */
struct device {
	struct vsm_geometry geo;
	struct vsm_form form;
	__u64 *memory;
	struct vsm_shadow *shadows;
	bool *rows;
	bool *waited;
	struct device_async asyncs[DEVICE_ASYNCS];
	__u64 broken;
	__u32 objects;
	struct vsm_inits inits[VSM_MAX_CTAS];
	__u64 *fenced;
	bool lost;
	__u64 interfere;
	unsigned int interferes;
};

/* A cluster of that shape, its windows zeros. */
void device_create(struct device *dev, const struct vsm_geometry *geo);
void device_destroy(struct device *dev);

/* The word at an address that is in the cluster; the shadow is NULL where none was made. */
__u64 *device_word(struct device *dev, __u32 addr);
struct vsm_shadow *device_shadow(struct device *dev, __u32 addr);

/* Somebody waits for the phase in progress, or does not any more. */
void device_wait(struct device *dev, __u32 addr, bool waited);

/*
 * EXEC of one instruction. The results are written. *@async is where an asynchronous
 * one goes to, one of &device.asyncs that is not used.
 */
int device_exec(struct device *dev, __u32 cta, __u32 thread, struct drm_vsm_insn *insn,
		int async);

/* What is in flight there happens; @insn gets what it results in, as an event tells it. */
int device_complete(struct device *dev, int async, struct drm_vsm_insn *insn);

#endif
