/* SPDX-License-Identifier: MIT */
/*
 * The state of an mbarrier, as far as it is known before a scenario runs.
 */
#ifndef _CHECK_OBJECT_H_
#define _CHECK_OBJECT_H_

#include <stdbool.h>
#include <stdint.h>

/* Kinds of mbarriers, as Tile IR has them. */
enum kind {
	KIND_ORDINARY,
	KIND_TRANSACTION,
	KIND_CLUSTER,
};

/**
 * struct object - An mbarrier
 * @addr: Cluster shared address
 * @line: Line of its init
 * @inval: Line of its inval; 0 if it is valid
 * @kind: &enum kind
 * @unsure: Its state is not known
 * @async: An asynchronous operation or a job has worked on it
 * @phase: Phases that have completed
 * @expected: Arrivals of a phase
 * @pending: Arrivals that the phase in progress still needs
 * @tx: Bytes that it still needs
 * @announced: Bytes that have been expected in its life
 * @delivered: Bytes that have been completed in its life
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
