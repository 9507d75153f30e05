// SPDX-License-Identifier: MIT
#include <stdlib.h>
#include <string.h>

#include "../insn.h"
#include "device.h"

void device_create(struct device *dev, const struct vsm_geometry *geo)
{
	size_t words = (size_t)geo->ctas * geo->smem_bytes / sizeof(__u64);

	*dev = (struct device) { .geo = *geo };
	dev->memory = calloc(words, sizeof(*dev->memory));
	dev->shadows = calloc(words, sizeof(*dev->shadows));
	dev->rows = calloc(words / DEVICE_ROW + 1, sizeof(*dev->rows));
	dev->waited = calloc(words, sizeof(*dev->waited));
	dev->fenced = calloc(geo->ctas * geo->threads, sizeof(*dev->fenced));
	if (!dev->memory || !dev->shadows || !dev->rows || !dev->waited || !dev->fenced)
		abort();
}

void device_destroy(struct device *dev)
{
	free(dev->memory);
	free(dev->shadows);
	free(dev->rows);
	free(dev->waited);
	free(dev->fenced);
}

static __u32 index_of(const struct device *dev, __u32 addr)
{
	return (vsm_addr_rank(addr) * dev->geo.smem_bytes + vsm_addr_offset(addr)) / sizeof(__u64);
}

__u64 *device_word(struct device *dev, __u32 addr)
{
	return &dev->memory[index_of(dev, addr)];
}

static struct vsm_shadow *shadow_find(const struct device *dev, __u32 index)
{
	return dev->geo.strict && dev->rows[index / DEVICE_ROW] ? &dev->shadows[index] : NULL;
}

struct vsm_shadow *device_shadow(struct device *dev, __u32 addr)
{
	return shadow_find(dev, index_of(dev, addr));
}

void device_wait(struct device *dev, __u32 addr, bool waited)
{
	dev->waited[index_of(dev, addr)] = waited;
}

/* Does the work of vsm_shadow_find_live(). */
static __u32 shadow_live(const struct device *dev, __u32 index, __u32 end)
{
	for (; index < end; index++) {
		const struct vsm_shadow *shadow = shadow_find(dev, index);

		if (shadow && shadow->live)
			break;
	}
	return index;
}

static int refuse(struct device *dev, struct drm_vsm_insn *insn, enum drm_vsm_fault fault,
		  __u64 word)
{
	insn->result = word;
	insn->fault = fault;
	dev->broken &= ~DRM_VSM_RULE(fault);
	if (vsm_fault_is_trap(&dev->geo, fault))
		dev->lost = true;
	return -EPROTO;
}

/* Does the work of vsm_engine_init(). */
static int init(struct device *dev, struct drm_vsm_insn *insn, __u32 cta, __u32 thread,
		__u32 index)
{
	bool remote = dev->geo.ctas > 1 && dev->geo.layout == VSM_LAYOUT_SM_90;
	__u64 next = vsm_mbarrier_init(dev->geo.layout, insn->u.mbarrier.count);
	struct vsm_shadow *shadow = NULL;
	enum drm_vsm_fault fault;
	__u32 info = 0;

	if (dev->geo.strict) {
		dev->rows[index / DEVICE_ROW] = true;
		shadow = &dev->shadows[index];
	}
	fault = vsm_init_check(&dev->geo, shadow, dev->memory[index], &info, &dev->broken);
	if (fault) {
		insn->info = info;
		return refuse(dev, insn, fault, dev->memory[index]);
	}
	dev->memory[index] = next;
	if (!shadow)
		return 0;
	vsm_shadow_init(shadow, vsm_serial(++dev->objects), remote ? thread : VSM_VISIBLE,
			remote ? vsm_inits_add(&dev->inits[cta]) : 0);
	if (vsm_mbarrier_phase(next))
		vsm_shadow_advance(shadow);
	return 0;
}

/* Does the work of vsm_engine_inval(). */
static int inval(struct device *dev, struct drm_vsm_insn *insn, __u32 index)
{
	struct vsm_shadow *shadow = shadow_find(dev, index);
	enum drm_vsm_fault fault;
	__u32 info = 0;

	if (!dev->geo.strict)
		return 0;
	fault = vsm_inval_check(&dev->geo, shadow, dev->waited[index], &info, &dev->broken);
	if (fault) {
		insn->info = info;
		return refuse(dev, insn, fault, dev->memory[index]);
	}
	WRITE_ONCE(shadow->live, 0);
	return 0;
}

/* Does the work of vsm_engine_exchange() and, if the phase completes, of vsm_engine_complete(). */
static bool exchange(struct device *dev, struct vsm_shadow *shadow, __u32 index, __u64 *old,
		     __u64 next)
{
	bool completes = shadow && (*old ^ next) & VSM_MBARRIER_PHASE;
	__u8 observed = shadow ? shadow->observed : 0;
	__u32 raised = shadow ? shadow->raised : 0;

	if (completes)
		vsm_shadow_advance(shadow);
	if (dev->interferes) {
		dev->interferes--;
		dev->memory[index] = dev->interfere;
	}
	if (dev->memory[index] != *old) {
		*old = dev->memory[index];
		if (completes)
			vsm_shadow_retreat(shadow, observed, raised);
		return false;
	}
	dev->memory[index] = next;
	/* The completion wakes the waiter, which thereby observes the phase. */
	if (completes && dev->waited[index]) {
		dev->waited[index] = false;
		vsm_shadow_observe(shadow);
	}
	return true;
}

/* Does what vsm_engine_judge() does with vsm_shadow_update(). */
static void look(struct device *dev, struct vsm_shadow *shadow, __u32 cta)
{
	if (shadow && shadow->live && shadow->initialiser != VSM_VISIBLE)
		vsm_shadow_set_visible(shadow, &dev->inits[cta],
				       dev->fenced[cta * dev->geo.threads + shadow->initialiser]);
}

/* If vsm_mbarrier_try_step() accepts, vsm_mbarrier_step() must accept and give the same results. */
static void compare(const struct device *dev, const struct vsm_shadow *shadow,
		    const struct drm_vsm_insn *insn, __u32 cta, __u32 thread, __u64 old)
{
	struct vsm_shadow after = shadow ? *shadow : (struct vsm_shadow) { };
	__u64 next[2], result[2], broken = 0;

	if (vsm_mbarrier_try_step(&dev->geo, shadow ? &after : NULL, insn, cta, thread, old,
				  &next[0], &result[0]))
		return;
	if (vsm_mbarrier_step(&dev->geo, shadow ? &after : NULL, insn, cta, thread, old,
			      &next[1], &result[1], &broken) ||
	    broken || next[0] != next[1] || result[0] != result[1] ||
	    (shadow && memcmp(&after, shadow, sizeof(after))))
		abort();
}

/* Does the work of vsm_engine_retry(). */
static int step(struct device *dev, struct drm_vsm_insn *insn, __u32 cta, __u32 thread,
		__u32 index)
{
	struct vsm_shadow *shadow = shadow_find(dev, index);
	__u64 old = dev->memory[index];
	enum drm_vsm_fault fault;
	__u64 next, broken = dev->broken;

	do {
		look(dev, shadow, vsm_addr_rank(insn->u.mbarrier.addr));
		/*
		 * The driver skips vsm_mbarrier_try_step() if a rule (a count of 0) is already
		 * broken.
		 */
		if (!broken)
			compare(dev, shadow, insn, cta, thread, old);
		dev->broken = broken;
		fault = vsm_mbarrier_step(&dev->geo, shadow, insn, cta, thread, old, &next,
					  &insn->result, &dev->broken);
		if (fault)
			return refuse(dev, insn, fault, old);
	} while (next != old && !exchange(dev, shadow, index, &old, next));
	return 0;
}

/* Does the work of vsm_shadow_fence(). */
static void fence(struct device *dev, __u32 cta, __u32 thread)
{
	__u64 number = vsm_inits_pending(&dev->inits[cta]);

	if (number)
		dev->fenced[cta * dev->geo.threads + thread] = number;
}

/* Does the work of vsm_engine_run(). */
static int run(struct device *dev, __u32 cta, __u32 thread, struct drm_vsm_insn *insn)
{
	__u32 index = index_of(dev, insn->u.mbarrier.addr);
	enum drm_vsm_fault fault;

	if (dev->lost)
		return -EIO;
	switch (insn->op) {
	case OP(MBARRIER_PENDING_COUNT):
		fault = vsm_pending_token_check(&dev->geo, insn->u.mbarrier.state, &dev->broken);
		if (fault)
			return refuse(dev, insn, fault, 0);
		insn->result = vsm_mbarrier_pending_count(dev->geo.layout,
							  insn->u.mbarrier.state);
		return 0;
	case OP(FENCE_MBARRIER_INIT):
		fence(dev, cta, thread);
		return 0;
	case OP(FENCE):
		return 0;
	case OP(MBARRIER_INIT):
		return init(dev, insn, cta, thread, index);
	case OP(MBARRIER_INVAL):
		return inval(dev, insn, index);
	default:
		return step(dev, insn, cta, thread, index);
	}
}

/* Does the work of vsm_shadow_search(). The cp.async moves no bytes here. */
static int copy(struct device *dev, struct drm_vsm_insn *insn)
{
	const struct drm_vsm_copy_operands *o = &insn->u.copy;
	__u32 index = index_of(dev, o->addr);
	__u32 end = index_of(dev, o->addr + o->size - 1) + 1;
	__u32 live;

	if (!dev->geo.strict)
		return 0;
	live = shadow_live(dev, index, end);
	if (live == end)
		return 0;
	if (!vsm_rule_refuses(&dev->geo, &dev->broken, FAULT(WRITE_OVER_LIVE)))
		return 0;
	insn->info = o->addr / sizeof(__u64) * sizeof(__u64) + (live - index) * sizeof(__u64);
	return refuse(dev, insn, FAULT(WRITE_OVER_LIVE), dev->memory[live]);
}

static bool raised(const struct drm_vsm_insn *insn)
{
	return !(insn->mods & DRM_VSM_MOD_NOINC);
}

/* Does the work of vsm_binding_arrive(). */
static int issue(struct device *dev, __u32 cta, __u32 thread, struct drm_vsm_insn *insn,
		 int async)
{
	struct device_async *a;
	int ret = run(dev, cta, thread, insn);

	if (ret)
		return ret;
	a = &dev->asyncs[async];
	if (dev->geo.strict) {
		struct vsm_shadow *shadow = device_shadow(dev, insn->u.mbarrier.addr);

		a->serial = shadow->serial;
		vsm_shadow_bind(dev->geo.layout, shadow, raised(insn));
	}
	a->used = true;
	a->cta = cta;
	a->thread = thread;
	a->insn = *insn;
	return 0;
}

/* Does the work of vsm_op_arrive() and vsm_binding_complete(). */
int device_complete(struct device *dev, int async, struct drm_vsm_insn *insn)
{
	struct device_async *a = &dev->asyncs[async];
	struct drm_vsm_insn complete = {
		.op = OP(MBARRIER_ARRIVE),
		.mods = DRM_VSM_MOD_SINK | VSM_MOD_ASYNC,
		.u.mbarrier.addr = a->insn.u.mbarrier.addr,
	};
	struct vsm_shadow *shadow = device_shadow(dev, a->insn.u.mbarrier.addr);
	enum drm_vsm_fault fault = FAULT(NONE);
	int ret;

	*insn = a->insn;
	a->used = false;
	dev->broken = 0;
	if (dev->lost)
		return -EIO;
	if (raised(insn) && dev->geo.layout == VSM_LAYOUT_SM_90) {
		complete.op = OP(MBARRIER_COMPLETE_TX);
		complete.mods = VSM_MOD_ASYNC;
		complete.u.mbarrier.tx_count = 1;
	}
	if (dev->geo.strict) {
		fault = vsm_late_check(shadow, a->serial);
		vsm_shadow_unbind(dev->geo.layout, shadow, a->serial, raised(insn));
	}
	if (fault && vsm_rule_refuses(&dev->geo, &dev->broken, fault))
		return refuse(dev, insn, fault, *device_word(dev, complete.u.mbarrier.addr));
	ret = run(dev, a->cta, a->thread, &complete);
	insn->result = complete.result;
	insn->fault = complete.fault;
	return ret;
}

/* Does the work of vsm_exec_insn(). */
int device_exec(struct device *dev, __u32 cta, __u32 thread, struct drm_vsm_insn *insn,
		int async)
{
	enum drm_vsm_fault fault = FAULT(NONE);
	__u64 number = 0;
	int ret;

	insn->result = 0;
	insn->info = 0;
	dev->broken = 0;
	ret = vsm_insn_check(&dev->geo, cta, &dev->form, insn, &fault);
	if (ret == VSM_REPORTS) {
		dev->broken = DRM_VSM_RULE(fault);
		fault = FAULT(NONE);
		ret = 0;
	}
	insn->fault = fault;
	if (ret)
		return ret;
	if (vsm_insn_is_job_op(insn))
		return -EOPNOTSUPP;
	if (vsm_insn_makes_visible(insn))
		number = vsm_inits_pending(&dev->inits[cta]);
	if (insn->op == OP(CP_ASYNC))
		return dev->lost ? -EIO : copy(dev, insn);
	if (insn->op == OP(CP_ASYNC_MBARRIER_ARRIVE))
		return issue(dev, cta, thread, insn, async);
	ret = run(dev, cta, thread, insn);
	/* The driver does this in vsm_engine_exchange_release(). */
	if (!ret)
		vsm_inits_make_visible(&dev->inits[cta], number);
	return ret;
}
