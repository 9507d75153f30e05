/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Wake-ups that are collected while locks are held and done without locks.
 *
 * The time for waking the readers of a wait set or of fault events grows with the number of readers
 * and of epolls that watch the file. The driver therefore only collects these wake-ups while it
 * holds a lock, and wakes the readers after it has dropped its locks.
 */
#ifndef _VSM_WAKE_H_
#define _VSM_WAKE_H_

#include <linux/compiler.h>
#include <linux/log2.h>
#include <linux/types.h>

/* At most this many waits end while a lock is held. Then the lock is dropped for a moment. */
#define VSM_WAKE_BATCH		64
/* The most batches between two wake-ups of the same readers. */
#define VSM_WAKE_BATCHES	1024

/**
 * struct vsm_wake - Readers to wake after the driver's locks have been dropped
 * @next: In &vsm_wakes.first
 * @wake: Wakes the readers, and drops the reference that kept them
 * @queued: The entry is in a list. It is set under the lock of the object that embeds the entry
 */
struct vsm_wake {
	struct vsm_wake *next;
	void (*wake)(struct vsm_wake *wake);
	bool queued;
};

/**
 * struct vsm_wakes - Wake-ups that have been collected
 * @first: The entry added last, or NULL
 * @batches: Batches of waits that have ended
 */
struct vsm_wakes {
	struct vsm_wake *first;
	unsigned int batches;
};

static inline void vsm_wakes_add(struct vsm_wakes *wakes, struct vsm_wake *wake)
{
	wake->next = wakes->first;
	wakes->first = wake;
}

/* Wake all readers that have been collected. The caller holds no lock. */
static inline void vsm_wakes_run(struct vsm_wakes *wakes)
{
	while (unlikely(wakes->first)) {
		struct vsm_wake *wake = wakes->first;

		/* After the call the entry may be freed, or be in another list. */
		wakes->first = wake->next;
		wake->wake(wake);
	}
}

/*
 * Call this without a lock after each batch of waits. It wakes the readers after 1, 2, 4, ...
 * batches, and later after every VSM_WAKE_BATCHES. The records of the first waits therefore reach
 * their reader soon, and a set with very many waits does not wake its readers very often.
 */
static inline void vsm_wakes_batch(struct vsm_wakes *wakes)
{
	if (is_power_of_2(++wakes->batches) || wakes->batches % VSM_WAKE_BATCHES == 0)
		vsm_wakes_run(wakes);
}

#endif
