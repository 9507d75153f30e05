/* SPDX-License-Identifier: MIT */
/*
 * The state of an mbarrier during the check of a scenario without a device.
 */
#ifndef _CHECK_OBJECT_H_
#define _CHECK_OBJECT_H_

#include <stdbool.h>
#include <stdint.h>

/* Kinds of mbarriers in Tile IR, in the order in which object_raise_kind() raises them. */
enum kind {
	KIND_ORDINARY,
	KIND_TRANSACTION,
	KIND_CLUSTER,
};

/**
 * struct object - An mbarrier
 * @addr: Cluster shared address
 * @line: Line of the init that made it
 * @inval: Line of the inval that ended it; 0 if it is valid
 * @kind: &enum kind
 * @unsure: The state of the mbarrier is not known
 * @async: An asynchronous operation or a job has worked on it
 * @phase: Phases that have completed
 * @expected: Arrivals of a phase
 * @pending: Arrivals that the phase in progress still needs
 * @tx: Bytes that the phase in progress still needs
 * @announced: Bytes that were expected since its init
 * @delivered: Bytes that were completed since its init
 */
struct object {
	uint32_t addr;
	unsigned int line;
	unsigned int inval;
	enum kind kind;
	bool unsure;
	bool async;
	unsigned int phase;
	int64_t expected;
	int64_t pending;
	int64_t tx;
	int64_t announced;
	int64_t delivered;
};

const char *object_kind(const struct object *o);
void object_raise_kind(struct object *o, enum kind kind);
void object_expect_tx(struct object *o, int64_t bytes);
void object_complete_tx(struct object *o, int64_t bytes);
void object_arrive(struct object *o, int64_t count, bool drop);

#endif
