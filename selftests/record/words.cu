// SPDX-License-Identifier: MIT
/*
 * words: what a GPU does to the word of an mbarrier in random programs that keep the rules.
 *
 * A program runs in one thread: each completed phase is observed before the next arrive, counts
 * and tx-counts stay in their ranges, and no .noComplete completes a phase. One CTA executes the
 * first steps of a program and then invalidates the mbarrier, which writes the word to memory.
 *
 * Output, separated by tabs: program, step, instruction, operand, token, the answers of test_wait
 * for parity 0 and 1, word. With --list: the first four.
 */
#include "record.cuh"

constexpr int MAX_STEPS = 16;
constexpr long LIMIT = (1 << 20) - 1;	/* of counts and tx-counts */
constexpr int LAST_OP = CP_ARRIVE_NOINC;

struct Op { u32 kind, arg; };
struct Program { int steps; Op op[MAX_STEPS]; };

/* The phase in progress */
struct Phase { long expected, pending, tx; };

/* Chooses an operand, and performs the operation. Returns false if that breaks a rule. */
static bool perform(Phase *p, Op *op)
{
	const Phase before = *p;
	const u32 tx = pick(0, 3) ? pick(1, 4096) : pick(1, LIMIT);
	long count = 1, dropped = 0;

	switch (op->kind) {
	case ARRIVE_N:
	case DROP_N:
		count = op->arg = pick(1, before.pending ? before.pending : 1);
		break;
	case ARRIVE_NOCOMPLETE:
	case DROP_NOCOMPLETE:
		if (before.pending < 2)
			return false;
		count = op->arg = pick(1, before.pending - 1);
		break;
	case ARRIVE_TX:
	case DROP_TX:
		op->arg = tx;
		p->tx += tx;
		break;
	case EXPECT_TX:
		op->arg = tx;
		p->tx += tx;
		count = 0;
		break;
	case COMPLETE_TX:
		op->arg = before.tx > 0 && pick(0, 3) ? pick(1, before.tx) : tx;
		p->tx -= op->arg;
		count = 0;
		break;
	case CP_ARRIVE:
		if (!before.pending || before.pending >= LIMIT)
			return false;
		count = 0;
		break;
	}
	if (op->kind == DROP || op->kind == DROP_N || op->kind == DROP_TX ||
	    op->kind == DROP_NOCOMPLETE)
		dropped = count;
	p->pending -= count;
	p->expected -= dropped;
	if (p->pending < 0 || p->expected < 1 || p->tx > LIMIT || p->tx < -LIMIT)
		return false;
	if (!p->pending && p->tx < 0)
		return false;	/* more bytes than were announced */
	if (op->kind != EXPECT_TX && !p->pending && !p->tx)
		p->pending = p->expected;
	return true;
}

static Program generate(int capability)
{
	const u32 count = pick(0, 3) ? pick(1, 8) : pick(1, LIMIT);
	Phase phase = { count, count, 0 };
	Program p = { 1, {{ INIT, count }} };
	const int steps = pick(4, MAX_STEPS);

	for (int tries = 0; p.steps < steps && tries < 400; tries++) {
		Op op = { (u32)pick(ARRIVE, LAST_OP), 0 };
		Phase next = phase;

		if (mbarrier_ops[op.kind].capability > capability || !perform(&next, &op))
			continue;
		phase = next;
		p.op[p.steps++] = op;
	}
	return p;
}

#ifdef __CUDACC__

struct Step { u64 token, word; u32 parity[2]; };

/* CTA (x, y) executes the steps up to y of program x. */
__global__ void run(const Program *programs, Step *steps)
{
	__shared__ alignas(8) u64 word;
	const Program &p = programs[blockIdx.x];
	const u32 bar = shared(&word);
	const int last = blockIdx.y;
	Step step = {};

	if (last >= p.steps)
		return;
	for (int i = 0; i <= last; i++) {
		step.token = execute(p.op[i].kind, bar, p.op[i].arg);
		for (int parity = 0; parity < 2; parity++)
			step.parity[parity] = execute(TEST_PARITY, bar, parity);
	}
	step.word = final_word(bar);
	steps[blockIdx.x * MAX_STEPS + last] = step;
}

static void record(const std::vector<Program> &programs, u64 seed)
{
	Memory<Program> in(programs.size());
	Memory<Step> out(programs.size() * MAX_STEPS);

	in.host = programs;
	in.in();
	run<<<dim3(programs.size(), MAX_STEPS), 1>>>(in.device, out.device);
	out.out();
	print_device();
	printf(" scenarios %zu seed %llu\n", programs.size(), seed);
	printf("# scenario\tstep\top\targ\ttoken\tparity0\tparity1\tword\n");
	for (size_t i = 0; i < programs.size(); i++)
		for (int j = 0; j < programs[i].steps; j++) {
			const Op &op = programs[i].op[j];
			const Step &s = out.host[i * MAX_STEPS + j];

			printf("%zu\t%d\t%s\t%u\t0x%016llx\t%u\t%u\t0x%016llx\n", i, j,
			       mbarrier_ops[op.kind].name, op.arg, s.token, s.parity[0],
			       s.parity[1], s.word);
		}
}

#endif

int main(int argc, char **argv)
{
	const Options o = options(argc, argv, 0, 2, "[--list] [PROGRAMS [SEED]]");
	const u64 count = o.number(0, 4096), seed = o.number(1, 1);
	std::vector<Program> programs;
	int model = 90;

#ifdef __CUDACC__
	if (!o.list)
		model = capability();
#endif
	rng_state = seed;
	for (u64 i = 0; i < count; i++)
		programs.push_back(generate(model));
#ifdef __CUDACC__
	if (!o.list) {
		record(programs, seed);
		return 0;
	}
#endif
	for (u64 i = 0; i < count; i++)
		for (int j = 0; j < programs[i].steps; j++) {
			const Op &op = programs[i].op[j];

			printf("%llu\t%d\t%s\t%u\n", i, j, mbarrier_ops[op.kind].name, op.arg);
		}
	return 0;
}
