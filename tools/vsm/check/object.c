// SPDX-License-Identifier: MIT
/*
 * The state of an mbarrier during the check of a scenario without a device.
 */
#include "check/object.h"

const char *object_kind(const struct object *o)
{
	static const char *const names[] = {
		[KIND_ORDINARY] = "ordinary",
		[KIND_TRANSACTION] = "transaction",
		[KIND_CLUSTER] = "cluster",
	};

	return names[o->kind];
}

static void evaluate(struct object *o)
{
	if (o->pending < 0)
		o->unsure = true;
	if (o->pending || o->tx)
		return;
	o->phase++;
	o->pending = o->expected;
}

void object_raise_kind(struct object *o, enum kind kind)
{
	if (kind > o->kind)
		o->kind = kind;
}

void object_expect_tx(struct object *o, int64_t bytes)
{
	object_raise_kind(o, KIND_TRANSACTION);
	o->tx += bytes;
	o->announced += bytes;
}

void object_complete_tx(struct object *o, int64_t bytes)
{
	object_raise_kind(o, KIND_TRANSACTION);
	o->tx -= bytes;
	o->delivered += bytes;
	evaluate(o);
}

void object_arrive(struct object *o, int64_t count, bool drop)
{
	if (drop)
		o->expected -= count;
	o->pending -= count;
	evaluate(o);
}
