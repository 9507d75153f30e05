// SPDX-License-Identifier: MIT
/*
 * Fuzzes programs: the input describes a cluster and a sequence of actions of threads, of copies
 * and of user space. The device of device.c executes them. While the policy is strict and user
 * space writes no words, the device must agree with the model: every refused operation breaks the
 * rule that is reported, and every other operation breaks none. In all other cases nothing may
 * crash, and an operation may change only its own word.
 *
 * The first byte describes the cluster. Bit 0: layout sm_80. Bit 1: the hardware policy. Bit 2:
 * user space may write words. Bit 3: PHASE_UNOBSERVED to the letter. Bits 4 and 5: the number of
 * CTAs minus 1. Bit 6: two threads. The other bytes are actions, each of them one byte and its
 * operands.
 */
#include <string.h>

#include "device.h"
#include "fuzz.h"
#include "core.h"

#define SMEM	64
#define WORDS	(SMEM / 8)
#define CTAS	4
#define TOKENS	8

/* The input, and the state that the program has reached */
struct fuzz {
	const unsigned char *data;		/* bytes of the input that have not been read */
	size_t size;				/* number of bytes that have not been read */
	struct device dev;			/* the device with the cluster */
	int sm;					/* layout of the cluster, 90 or 80 */
	bool modelled;	/* the policy is strict, and user space has written no words */
	struct model m[CTAS * WORDS];		/* for each word, the model's object */
	long long objects;			/* number of objects that have been initialised */
	__u64 tokens[TOKENS];			/* tokens that arrives have returned */
	struct model_token known[TOKENS];	/* what the model knows of each of these tokens */
	/* For each operation in flight, what the model executes when the operation completes */
	struct model_op issued[DEVICE_ASYNCS];
};

static unsigned int byte(struct fuzz *f)
{
	if (!f->size)
		return 0;
	f->size--;
	return *f->data++;
}

/*
 * Reads a number. A small number is one byte. Bytes from 0xf0 on select a limit of a range, a count
 * of the object, or a number of four more bytes.
 */
static __u32 number(struct fuzz *f, const struct model *m)
{
	unsigned int b = byte(f);
	__u32 n = 0;
	int i;

	switch (b) {
	case 0xf0:
		return m->pending;
	case 0xf1:
		return m->pending + 1;
	case 0xf2:
		return m->expected;
	case 0xf3:
		return m->tx;
	case 0xf4:
		return -m->tx;
	case 0xf5:
		return MODEL_MAX - m->tx;
	case 0xf6:
		return MODEL_MAX + m->tx;
	case 0xf7:
		return MODEL_MAX + 1 - m->tx;
	case 0xf8:
		return MODEL_MAX + 1 + m->tx;
	case 0xf9:
		return MODEL_MAX - 1;
	case 0xfa:
		return MODEL_MAX;
	case 0xfb:
		return MODEL_MAX + 1;
	case 0xfc:
		return m->pending - 1;
	case 0xfd:
		return 1U << 31;
	case 0xfe:
		return ~0U;
	case 0xff:
		for (i = 0; i < 4; i++)
			n = n << 8 | byte(f);
		return n;
	default:
		return b;
	}
}

/* Reads an address. Most values of the byte select a word of the model. */
static __u32 address(struct fuzz *f)
{
	unsigned int b = byte(f);
	__u32 addr = vsm_shared_addr(b >> 3 & 3, b % WORDS * 8);

	if (b >> 5 == 7)
		addr += byte(f) * 0x40001;
	return addr;
}

static struct model *model_at(struct fuzz *f, __u32 addr)
{
	return &f->m[(addr >> 24) % CTAS * WORDS + (addr & 0xffffff) / 8 % WORDS];
}

static bool *waited_at(struct fuzz *f, __u32 addr)
{
	return &f->dev.waited[(model_at(f, addr) - f->m) % (f->dev.geo.ctas * WORDS)];
}

static struct drm_vsm_insn read_insn(struct fuzz *f, unsigned int op)
{
	struct drm_vsm_insn insn = { .op = op };
	struct drm_vsm_mbarrier_operands *o = &insn.u.mbarrier;
	unsigned int quals;

	insn.mods = byte(f);
	quals = byte(f);
	insn.space = quals & 3;
	insn.sem = quals >> 2 & 3;
	insn.scope = quals >> 4 & 3;
	insn.mods |= (quals & 0x40) << 2;
	if (op == OP(FENCE_MBARRIER_INIT))
		return insn;
	if (op == OP(FENCE)) {
		insn.space = 0;
		insn.sem = quals & 7;
		insn.scope = quals >> 3 & 7;
		return insn;
	}
	if (op == OP(CP_ASYNC) || vsm_insn_is_job_op(&insn)) {
		insn.u.copy.addr = address(f);
		insn.u.copy.size = byte(f);
		insn.u.copy.src_size = byte(f);
		insn.u.copy.mbar = quals & 0x80 ? address(f) : 0;
		return insn;
	}
	if (op != OP(MBARRIER_PENDING_COUNT))
		o->addr = address(f);
	if (op == OP(MBARRIER_INIT) || insn.mods & MOD(COUNT))
		o->count = number(f, model_at(f, o->addr));
	if (op == OP(MBARRIER_EXPECT_TX) || op == OP(MBARRIER_COMPLETE_TX) ||
	    insn.mods & MOD(EXPECT_TX))
		o->tx_count = number(f, model_at(f, o->addr));
	if (insn.mods & MOD(PARITY))
		o->parity = byte(f);
	if (insn.mods & MOD(HINT))
		o->hint_ns = byte(f);
	return insn;
}

static bool takes_token(const struct drm_vsm_insn *insn)
{
	return insn->op == OP(MBARRIER_PENDING_COUNT) ||
	       ((insn->op == OP(MBARRIER_TEST_WAIT) || insn->op == OP(MBARRIER_TRY_WAIT)) &&
		!(insn->mods & MOD(PARITY)));
}

/* Reads a token. Returns a mask of the bits that the input flips in it. */
static __u64 read_token(struct fuzz *f, struct drm_vsm_insn *insn, struct model_token *known)
{
	unsigned int b = byte(f);
	__u64 twist = b & 0x80 ? 1ULL << (byte(f) % 64) : 0;

	*known = f->known[b % TOKENS];
	insn->u.mbarrier.state = f->tokens[b % TOKENS] ^ twist;
	/* If no arrive has returned this token, treat it as one whose bits are flipped. */
	return known->object ? twist : ~0ULL;
}

/* Makes the inits of @thread visible in the model, or all of the CTA if it is MODEL_VISIBLE. */
static void fence(struct fuzz *f, __u32 cta, int thread)
{
	int i;

	for (i = 0; i < WORDS; i++) {
		struct model *m = &f->m[cta * WORDS + i];

		if (m->live && (thread == MODEL_VISIBLE || m->initialiser == thread))
			m->initialiser = MODEL_VISIBLE;
	}
}

/* PTX: a fence releases unless it is .acquire. Every scope but .cta includes the cluster. */
static bool fence_releases(const struct drm_vsm_insn *insn)
{
	return insn->sem != DRM_VSM_SEM_ACQUIRE && insn->scope != DRM_VSM_SCOPE_CTA;
}

/*
 * Checks that a refused operation breaks the rule @fault and that any other operation breaks none.
 * Returns true if the operation was not refused.
 */
static bool judge(const struct model *m, const struct model_op *op, __u32 fault)
{
	unsigned int faults = model_faults(m, op);

	CHECK(fault ? faults >> fault & 1 : !faults);
	return !fault;
}

/* If the operation completes the phase and wakes a waiter, that waiter observes the phase. */
static void perform(struct model *m, const struct model_op *op, bool waited)
{
	if (model_apply(m, op))
		m->observed = waited;
}

static void check_word(struct fuzz *f, const struct model *m)
{
	/* m->sm is 0 if no object has been in the word. */
	CHECK(!m->sm || f->dev.memory[m - f->m] == model_encode(m));
}

static void check_pending_count(const struct drm_vsm_insn *insn, const struct model_token *known)
{
	if (known->no_complete)
		CHECK(!insn->fault && insn->result == (__u64)known->pending);
	else
		CHECK(insn->fault == FAULT(NOT_A_PENDING_TOKEN));
}

static void check_copy(struct fuzz *f, const struct drm_vsm_insn *insn)
{
	bool hit = false;
	__u32 at;

	for (at = insn->u.copy.addr / 4 * 4; at < insn->u.copy.addr + insn->u.copy.size; at += 4)
		hit |= model_at(f, at)->live;
	CHECK(insn->fault == (hit ? FAULT(WRITE_OVER_LIVE) : FAULT(NONE)));
	CHECK(!hit || model_at(f, insn->info)->live);
}

/* An instruction that has been executed */
struct context {
	__u32 cta;			/* CTA of the thread */
	__u32 thread;			/* the thread that executed it */
	struct drm_vsm_insn insn;	/* the instruction, with its results */
	struct model_token known;	/* what the model knows of its token */
	__u64 twist;			/* bits that the input has flipped in its token */
	int async;	/* index in device.asyncs if the instruction is asynchronous */
	bool waited;			/* a thread waited on its word before the instruction */
};

static void check_model(struct fuzz *f, const struct context *c)
{
	const struct drm_vsm_insn *insn = &c->insn;
	struct model *m = model_at(f, insn->u.mbarrier.addr);
	struct model_op op;

	if (!unit_model_op(insn, &op)) {
		if (insn->op == OP(FENCE_MBARRIER_INIT))
			fence(f, c->cta, c->thread);
		else if (insn->op == OP(FENCE) && fence_releases(insn))
			fence(f, c->cta, MODEL_VISIBLE);
		else if (insn->op == OP(FENCE))
			return;
		else if (insn->op == OP(CP_ASYNC))
			check_copy(f, insn);
		else if (!c->twist)
			check_pending_count(insn, &c->known);
		return;
	}
	op.token = c->known;
	op.remote = insn->u.mbarrier.addr >> 24 != c->cta;
	op.waited = c->waited;
	if (op.kind == MODEL_INIT) {
		m->sm = f->sm;
		if (f->dev.geo.ctas > 1)
			op.thread = c->thread;
	}
	if (c->twist && takes_token(insn) && m->live) {
		/* A changed token gets STALE_TOKEN, or acts as a wait for its parity. */
		CHECK(!insn->fault || insn->fault == FAULT(STALE_TOKEN));
		op.by_parity = true;
		op.parity = insn->u.mbarrier.state >> 63;
		if (insn->fault)
			return;
	}
	if (!judge(m, &op, insn->fault)) {
		if (insn->fault == FAULT(INIT_OVER_LIVE))
			CHECK(insn->info == model_state(m));
		if (insn->fault == FAULT(INVAL_IN_USE))
			CHECK(insn->info == m->bound);
		return;
	}
	if ((op.kind == MODEL_ARRIVE || op.kind == MODEL_ARRIVE_DROP) &&
	    insn->sem == DRM_VSM_SEM_RELEASE && insn->scope == DRM_VSM_SCOPE_CLUSTER)
		fence(f, c->cta, MODEL_VISIBLE);
	if (op.kind == MODEL_WAIT)
		CHECK(insn->result == model_answer(m, &op));
	if (op.kind == MODEL_INIT)
		m->object = ++f->objects;
	if (op.kind == MODEL_ISSUE) {
		f->issued[c->async] = op;
		f->issued[c->async].kind = MODEL_DONE;
		f->issued[c->async].token = model_token(m, &op);
	}
	if ((op.kind == MODEL_ARRIVE || op.kind == MODEL_ARRIVE_DROP) &&
	    !(insn->mods & MOD(SINK))) {
		int slot = insn->result % TOKENS;

		CHECK(insn->result >> 32 == model_encode(m) >> 32);
		f->tokens[slot] = insn->result;
		f->known[slot] = model_token(m, &op);
	}
	perform(m, &op, c->waited);
}

static int free_async(const struct fuzz *f)
{
	int i;

	for (i = 0; i < DEVICE_ASYNCS; i++)
		if (!f->dev.asyncs[i].used)
			return i;
	return -1;
}

static void execute(struct fuzz *f, unsigned int op)
{
	unsigned int who = byte(f);
	struct context c = {
		.cta = who % f->dev.geo.ctas,
		.thread = (who >> 4) % f->dev.geo.threads,
		.insn = read_insn(f, op),
		.async = free_async(f),
	};
	__u64 before[CTAS * WORDS];
	enum drm_vsm_fault fault;
	bool lost = f->dev.lost, interfered = f->dev.interferes;
	unsigned int i;
	int form, ret;

	if (takes_token(&c.insn))
		c.twist = read_token(f, &c.insn, &c.known);
	if (c.async < 0 && op == OP(CP_ASYNC_MBARRIER_ARRIVE))
		return;
	c.waited = *waited_at(f, c.insn.u.mbarrier.addr);
	memcpy(before, f->dev.memory, sizeof(before[0]) * f->dev.geo.ctas * WORDS);
	form = check_insn(&f->dev.geo, c.cta, &c.insn, &fault);
	ret = device_exec(&f->dev, c.cta, c.thread, &c.insn, c.async);
	CHECK((ret == -EPROTO) == !!c.insn.fault);
	if (form) {
		CHECK(ret == form && c.insn.fault == fault);
	} else if (vsm_insn_is_job_op(&c.insn)) {
		CHECK(ret == -EOPNOTSUPP);
		form = ret;
	} else {
		CHECK(!ret || ret == -EPROTO || (ret == -EIO && lost));
	}
	/* An instruction changes a word only if it was performed, and only its own word. */
	for (i = 0; i < f->dev.geo.ctas * WORDS; i++)
		CHECK(f->dev.memory[i] == before[i] || interfered ||
		      (!ret && &f->dev.memory[i] == device_word(&f->dev, c.insn.u.mbarrier.addr)));
	if (f->modelled && !form) {
		check_model(f, &c);
		if (op != OP(MBARRIER_PENDING_COUNT) && op != OP(CP_ASYNC) &&
		    op != OP(FENCE_MBARRIER_INIT) && op != OP(FENCE))
			check_word(f, model_at(f, c.insn.u.mbarrier.addr));
	} else if (!f->dev.geo.strict && !form) {
		CHECK(!c.insn.fault || (f->dev.lost && is_trap(c.insn.fault)));
	}
}

static void complete(struct fuzz *f)
{
	int i = byte(f) % DEVICE_ASYNCS;
	struct drm_vsm_insn insn;
	struct model *m;
	bool lost = f->dev.lost, waited;
	int ret;

	if (!f->dev.asyncs[i].used)
		return;
	waited = *waited_at(f, f->dev.asyncs[i].insn.u.mbarrier.addr);
	ret = device_complete(&f->dev, i, &insn);
	CHECK(lost ? ret == -EIO : ret == (insn.fault ? -EPROTO : 0));
	if (!f->modelled)
		return;
	m = model_at(f, insn.u.mbarrier.addr);
	if (judge(m, &f->issued[i], insn.fault))
		perform(m, &f->issued[i], waited);
	else
		model_refuse(m, &f->issued[i]);
	check_word(f, m);
}

/* User space flips a bit of a word or writes it, now or (@later) inside the next operation. */
static void scribble(struct fuzz *f, bool later)
{
	__u32 addr = vsm_shared_addr(byte(f) % f->dev.geo.ctas, byte(f) % WORDS * 8);
	__u64 *word = device_word(&f->dev, addr);
	unsigned int b = byte(f);
	__u64 value = 0;
	int i;

	if (b < 64) {
		value = *word ^ 1ULL << b;
	} else {
		for (i = 0; i < 8; i++)
			value = value << 8 | byte(f);
	}
	if (later) {
		f->dev.interfere = value;
		f->dev.interferes = b >> 6;
	} else {
		*word = value;
	}
}

/* The shadows must count exactly the operations that are in flight. */
static void check_bound(struct fuzz *f)
{
	__u32 bound[CTAS * WORDS] = { 0 }, raised[CTAS * WORDS] = { 0 };
	unsigned int i;

	if (!f->dev.geo.strict)
		return;
	for (i = 0; i < DEVICE_ASYNCS; i++) {
		const struct device_async *a = &f->dev.asyncs[i];
		size_t word;

		if (!a->used)
			continue;
		word = device_word(&f->dev, a->insn.u.mbarrier.addr) - f->dev.memory;
		bound[word]++;
		/* A shadow of sm_90 counts only arrivals of the phase in progress as raised. */
		if (f->sm == 90 && !(a->insn.mods & MOD(NOINC)))
			raised[word] += f->dev.shadows[word].serial == a->serial;
	}
	for (i = 0; i < f->dev.geo.ctas * WORDS; i++) {
		CHECK(f->dev.shadows[i].bound == bound[i]);
		CHECK(f->dev.shadows[i].raised == raised[i]);
		CHECK(f->dev.shadows[i].serial <= VSM_SERIAL_MASK);
		CHECK(!f->modelled || f->dev.shadows[i].live == f->m[i].live);
		CHECK(!f->modelled || !f->m[i].live ||
		      f->dev.shadows[i].observed == f->m[i].observed);
	}
}

static void act(struct fuzz *f, bool scribbles)
{
	unsigned int b = byte(f);

	switch (b % 20) {
	case 0:
	case 15:
		complete(f);
		break;
	case 16:
		b = byte(f);
		device_wait(&f->dev, vsm_shared_addr(b % f->dev.geo.ctas, (b >> 2) % WORDS * 8),
			    b >> 7);
		break;
	case 17:
	case 18:
		if (scribbles)
			scribble(f, b % 20 == 17);
		break;
	case 19:
		execute(f, b < 100 ? OP(MBARRIER_ARRIVE) : OP(FENCE));
		break;
	default:
		execute(f, b % 20);
		break;
	}
}

void fuzz_program(const unsigned char *data, size_t size)
{
	struct fuzz f = { .data = data, .size = size };
	unsigned int config = byte(&f);
	struct vsm_geometry geo = {
		.ctas = 1 + (config >> 4 & 3),
		.threads = config & 0x40 ? 2 : 1,
		.smem_bytes = SMEM,
		.layout = config & 1 ? VSM_LAYOUT_SM_80 : VSM_LAYOUT_SM_90,
		.strict = !(config & 2),
		.enforce = config & 8 ? DRM_VSM_RULE(FAULT(PHASE_UNOBSERVED)) : 0,
	};
	bool scribbles = config & 4;
	unsigned int i;

	f.sm = config & 1 ? 80 : 90;
	f.modelled = geo.strict && !scribbles;
	for (i = 0; i < CTAS * WORDS; i++)
		f.m[i].letter = geo.enforce;
	device_create(&f.dev, &geo);
	while (f.size) {
		act(&f, scribbles);
		check_bound(&f);
	}
	device_destroy(&f.dev);
}
