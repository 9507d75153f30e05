/* SPDX-License-Identifier: MIT */
/*
 * A minimal device around the core. Between the core's functions it does what
 * driver/sync/vsm_engine.c, driver/sync/vsm_shadow_table.c and driver/thread/vsm_stream.c do, for
 * one thread at a time. No thread suspends, and an asynchronous operation completes when
 * device_complete() is called.
 */
#ifndef VSM_UNIT_DEVICE_H
#define VSM_UNIT_DEVICE_H

#include <vsm_core.h>
#include <vsm_step.h>

#define DEVICE_ASYNCS	64
#define DEVICE_ROW	32

/* A cp.async.mbarrier.arrive in flight */
struct device_async {
	bool used;			/* the entry is in use */
	__u16 cta;			/* CTA of the thread that issued it */
	__u16 thread;			/* thread that issued it, numbered in its CTA */
	__u32 serial;			/* serial number of the phase that it is bound to */
	struct drm_vsm_insn insn;	/* the instruction */
};

/* A device with one cluster */
struct device {
	struct vsm_geometry geo;			/* shape of the cluster */
	struct vsm_form form;	/* the cache of vsm_insn_check(): form of the last instruction */
	__u64 *memory;					/* windows of the cluster */
	struct vsm_shadow *shadows;			/* shadows of all words */
	bool *rows;	/* which shadows have been created, one entry for DEVICE_ROW words */
	bool *waited;	/* for each word, whether a thread waits for its phase in progress */
	struct device_async asyncs[DEVICE_ASYNCS];	/* asynchronous operations in flight */
	__u64 broken;	/* rules that the last instruction broke and that are only reported */
	__u32 objects;	/* number of objects that have been initialised */
	/* For each CTA, its inits that may still be invisible to the cluster */
	struct vsm_inits inits[VSM_MAX_CTAS];
	/* For each thread of each CTA, the last init that its fences have made visible */
	__u64 *fenced;
	bool lost;					/* a trap has killed the cluster */
	/*
	 * Value that user space writes to a word between its load and the exchange, if @interferes
	 * is not 0.
	 */
	__u64 interfere;
	/* How many of the next exchanges find @interfere in the word, and fail */
	unsigned int interferes;
};

/* Creates a device with a cluster of that shape, whose windows are zeros. */
void device_create(struct device *dev, const struct vsm_geometry *geo);
void device_destroy(struct device *dev);

/* The word at a shared::cluster address, and its shadow or NULL if there is none. */
__u64 *device_word(struct device *dev, __u32 addr);
struct vsm_shadow *device_shadow(struct device *dev, __u32 addr);

/* Sets whether a thread waits for the phase in progress of the word at @addr. */
void device_wait(struct device *dev, __u32 addr, bool waited);

/*
 * Executes one instruction and writes its results to @insn. An asynchronous operation uses entry
 * @async of &device.asyncs, which must be free.
 */
int device_exec(struct device *dev, __u32 cta, __u32 thread, struct drm_vsm_insn *insn,
		int async);

/* Completes the operation in entry @async. Writes the result that a fault event has to @insn. */
int device_complete(struct device *dev, int async, struct drm_vsm_insn *insn);

#endif
