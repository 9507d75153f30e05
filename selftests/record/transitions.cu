// SPDX-License-Identifier: MIT
/*
 * transitions: what one instruction does to any 64-bit word.
 *
 * A case stores a word, makes sure that no mbarrier lives there, executes the instruction, and
 * reads the word after an inval. FILE has a case a line: instruction, operand, word, token that a
 * test_wait takes. Only the cases from FIRST to LAST - 1 run.
 *
 * Output, separated by tabs: the case, the word afterwards, and the token or the answer of the
 * wait. Cases whose instruction this GPU lacks are left out. If an instruction traps, the launch
 * fails (status 3) and nothing is printed.
 */
#include "record.cuh"

struct Case { u32 op, arg; u64 word, state; };
struct Result { u64 token, word; };

__global__ void run(const Case *cases, Result *results)
{
	__shared__ alignas(8) u64 word;
	const Case &c = cases[blockIdx.x];
	Result &r = results[blockIdx.x];
	const u32 bar = shared(&word);

	store_word(bar, c.word);
	__threadfence_block();
	execute(INVAL, bar);
	r.token = execute(c.op, bar, c.arg, c.state);
	__threadfence_block();
	r.word = final_word(bar);
}

static u32 find(const char *name)
{
	for (u32 op = 0; op < MBARRIER_OPS_N; op++)
		if (!strcmp(mbarrier_ops[op].name, name))
			return op;
	fprintf(stderr, "%s: no such instruction\n", name);
	exit(1);
}

int main(int argc, char **argv)
{
	const Options o = options(argc, argv, 3, 3, "FILE FIRST LAST");
	const u64 first = o.number(1, 0), last = o.number(2, 0);
	FILE *file = fopen(o.word[0], "r");
	std::vector<Case> cases;
	char name[40];
	Case c;

	if (!file) {
		perror(o.word[0]);
		return 1;
	}
	while (fscanf(file, "%39s %x %llx %llx", name, &c.arg, &c.word, &c.state) == 4) {
		c.op = find(name);
		cases.push_back(c);
	}
	if (first >= last || last > cases.size()) {
		fprintf(stderr, "%s has %zu cases\n", o.word[0], cases.size());
		return 2;
	}

	Memory<Case> in(last - first);
	Memory<Result> out(last - first);
	size_t n = 0;

	for (u64 i = first; i < last; i++)
		if (mbarrier_ops[cases[i].op].capability <= capability())
			in.host[n++] = cases[i];
	if (!n)
		return 0;
	in.in();
	run<<<n, 1>>>(in.device, out.device);
	out.out();
	for (size_t i = 0; i < n; i++)
		printf("%s\t0x%x\t0x%016llx\t0x%016llx\t0x%016llx\t0x%016llx\n",
		       mbarrier_ops[in.host[i].op].name, in.host[i].arg, in.host[i].word,
		       in.host[i].state, out.host[i].word, out.host[i].token);
	return 0;
}
