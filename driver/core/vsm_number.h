/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Numbers of the groups of a thread's asynchronous operations.
 *
 * The first group has number 1. With 64 bits the numbers never wrap. With 32 bits they would: a
 * program that commits a group every 100 ns, while an operation stays in flight, needs 4 minutes to
 * commit 2^31 groups, and the operation would then seem to be in a later group than all of them.
 */
#ifndef _VSM_NUMBER_H_
#define _VSM_NUMBER_H_

#include "vsm_core.h"

/**
 * vsm_group_last - The last group that a wait for groups waits for, if the wait begins now
 * @committed: Number of groups that the thread has committed
 * @newest: Number of the newest groups that may still be incomplete, any value
 *
 * Return: The number of the group, 0 if the wait waits for none.
 */
static inline __u64 vsm_group_last(__u64 committed, __u32 newest)
{
	return committed > newest ? committed - newest : 0;
}

/**
 * vsm_group_is_done - Is a wait for groups complete?
 * @first: Group of the oldest operation in flight
 * @last: The last group that the wait waits for
 */
static inline bool vsm_group_is_done(__u64 first, __u64 last)
{
	return first > last;
}

#endif
