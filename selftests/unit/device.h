/* SPDX-License-Identifier: MIT */
/*
 * A minimal device around the core. Between the core's functions it does what
 * driver/sync/vsm_engine.c, driver/sync/vsm_shadow.c and driver/copy/vsm_stream.c do, for one
 * thread at a time. No thread suspends, and an asynchronous operation completes when
 * device_complete() is called.
 */
#ifndef VSM_UNIT_DEVICE_H
#define VSM_UNIT_DEVICE_H

#include <vsm_core.h>
#include <vsm_step.h>

#define DEVICE_ASYNCS	64
#define DEVICE_ROW	32

/**
 * struct device_async - A cp.async.mbarrier.arrive in flight
 * @used: The entry is in use
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
 * @shadows: Shadows of all words
 * @rows: Which shadows have been created, one entry for %DEVICE_ROW words
 * @waited: Words for which somebody waits
 * @asyncs: Asynchronous operations in flight
 * @broken: Rules that the last instruction broke and that are only reported
 * @objects: Number of objects that have been initialised
 * @inits: Inits of each CTA
 * @fenced: For each thread of each CTA, the last init that its fences have made visible
 * @lost: A trap has killed the cluster
 * @interfere: What user space writes to a word between its load and the exchange, once,
 *	if @interferes
 * @interferes: How many more exchanges fail because of it
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

/* The word at an address in the cluster; its shadow, NULL if that has not been created. */
__u64 *device_word(struct device *dev, __u32 addr);
struct vsm_shadow *device_shadow(struct device *dev, __u32 addr);

/* Sets whether somebody waits for the phase in progress. */
void device_wait(struct device *dev, __u32 addr, bool waited);

/*
 * EXEC of one instruction, which gets its results. An asynchronous operation takes the entry
 * @async of &device.asyncs, which must be free.
 */
int device_exec(struct device *dev, __u32 cta, __u32 thread, struct drm_vsm_insn *insn,
		int async);

/* Completes the operation of that entry; @insn gets its result, as a fault event has it. */
int device_complete(struct device *dev, int async, struct drm_vsm_insn *insn);

#endif
