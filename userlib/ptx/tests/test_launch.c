// SPDX-License-Identifier: MIT
/* Launches: what a configuration may contain, how launches end, and several at the same time. */
#define TEST_SETUP	setup
#define TEST_TEARDOWN	teardown
#include <stdio.h>
#include <time.h>

#include "run_kernel.h"

static struct run run;

static int setup(void **state)
{
	run_open(&run, NULL);
	return 0;
}

static int teardown(void **state)
{
	run_close(&run);
	return 0;
}

static int64_t now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000LL + now.tv_nsec;
}

#define SPIN	RUN_ENTRY("k") L("LOOP:") L(".loc 1 7 3") L("bra LOOP;") "}\n"
#define NOTHING	".entry k() { ret; }\n"

TEST(wrong_configurations_are_named)
{
	static const struct {
		const char *head;
		struct vsm_ptx_config config;
		const char *message;
	} wrong[] = {
		{ "", { .block = { 1025 } }, "a CTA has at most 1024 threads" },
		{ "", { .block = { 32, 32, 2 } }, "a CTA has at most 1024 threads" },
		{ "", { .block = { 0xffffffff, 0xffffffff, 0xffffffff } }, "1024 threads" },
		{ "", { .block = { 0x80000000, 2 } }, "1024 threads" },
		{ "", { .cluster = { 17 }, .grid = { 17 } }, "a cluster has at most 16 CTAs" },
		{ "", { .cluster = { 4, 4, 2 }, .grid = { 4, 4, 2 } }, "at most 16 CTAs" },
		{ "", { .grid = { 0x80000000 } }, "a grid has at most 2147483647 CTAs" },
		{ "", { .grid = { 65536, 65536, 65536 } }, "a grid has at most 2147483647 CTAs" },
		{ "", { .grid = { 3 }, .cluster = { 2 } },
		  "the grid of 3,1,1 CTAs is no multiple of clusters of 2,1,1" },
		{ "", { .grid = { 4, 3 }, .cluster = { 2, 2 } },
		  "the grid of 4,3,1 CTAs is no multiple of clusters of 2,2,1" },
		{ ".reqntid 32, 2", { .block = { 64 } }, "k requires blocks of 32,2,1 threads" },
		{ ".maxntid 64", { .block = { 65 } }, "k allows at most 64 threads" },
		{ ".maxntid 8, 8", { .block = { 65 } }, "k allows at most 64 threads" },
		{ ".reqnctapercluster 2", { .grid = { 4 }, .cluster = { 4 } },
		  "k requires clusters of 2,1,1 CTAs" },
		{ ".reqnctapercluster 2", { .grid = { 3 } }, "is no multiple of clusters" },
		{ ".explicitcluster", { .grid = { 4 } },
		  "k has .explicitcluster: the size of clusters is needed" },
		{ ".blocksareclusters .reqntid 4", { .cluster = { 2 } },
		  "k has .blocksareclusters, which needs .reqntid and .reqnctapercluster" },
		{ ".blocksareclusters .reqnctapercluster 2", { .block = { 4 } },
		  "k has .blocksareclusters, which needs .reqntid and .reqnctapercluster" },
		{ ".blocksareclusters .reqntid 4 .reqnctapercluster 2", { .cluster = { 4 } },
		  "k requires clusters of 2,1,1 CTAs" },
		{ ".blocksareclusters .reqntid 4 .reqnctapercluster 2", { .grid = { 0x40000000 } },
		  "a grid has at most 2147483647 CTAs" },
		{ ".blocksareclusters .reqntid 4 .reqnctapercluster 2", { .grid = { 0x80000001 } },
		  "a grid has at most 2147483647 CTAs" },
		{ ".maxclusterrank 2", { .grid = { 4 }, .cluster = { 4 } },
		  "k allows clusters of at most 2 CTAs" },
		{ "", { .smem_bytes = (227 << 10) + 1 },
		  "k needs 232449 bytes of shared memory, and a CTA has at most 232448" },
		{ "", { .smem_bytes = 0xffffffff }, "bytes of shared memory" },
		{ "", { .enforce = 1ull << DRM_VSM_FAULT_BAD_COUNT },
		  "only these rules can be enforced on request: BAD_PARITY, PHASE_UNOBSERVED" },
	};

	for (unsigned int i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		char text[200];

		snprintf(text, sizeof(text), ".entry k() %s { ret; }\n", wrong[i].head);
		run_load(&run, text);
		run.config = wrong[i].config;
		run_refused(&run, -EINVAL, wrong[i].message);
	}
}

TEST(all_ctas_of_a_cooperative_launch_run_at_the_same_time)
{
	static const struct vsm_ptx_config configs[] = {
		{ .grid = { 1 } }, { .grid = { 300 } }, { .grid = { 7 }, .host_threads = 3 },
		{ .grid = { 12 }, .cluster = { 4 }, .host_threads = 2 },
		{ .grid = { 140 }, .seed = 7 }, { .grid = { 9 }, .resident = 9, .host_threads = 4 },
	};
	uint64_t address;

	run_load(&run, RUN_ENTRY("k") RUN_GRID_SYNC
		 L("mov.u32 %r1, %ctaid.x; mad.wide.u32 %rd3, %r1, 4, %rd0; ld.u32 %r2, [%rd2];")
		 L("st.u32 [%rd3+8], %r2; st.u64 [%rd0], %rd2; }"));
	for (unsigned int i = 0; i < sizeof(configs) / sizeof(configs[0]); i++) {
		run.config = configs[i];
		run.config.cooperative = true;
		memset(run.words, 0, RUN_WORDS * 4);
		run_done(&run, 1);
		/* The first word of the workspace is its size. */
		for (unsigned int j = 0; j < run.config.grid[0]; j++)
			assert_int_equal(run.words[2 + j], 8);
		memcpy(&address, run.words, sizeof(address));
		assert_null(vsm_ptx_memory_map(run.context, address, 1));
	}
	run.config = (struct vsm_ptx_config){ .grid = { 4097 }, .cooperative = true };
	run_refused(&run, -EINVAL,
		    "a cooperative launch needs all 4097 CTAs at the same time, and at most 4096 can run");
	run.config.grid[0] = 10;
	run.config.resident = 9;
	run_refused(&run, -EINVAL,
		    "a cooperative launch needs all 10 CTAs at the same time, and at most 9 can run");
	run.config = (struct vsm_ptx_config){ };
}

TEST(static_and_dynamic_shared_memory_count_together)
{
	run_load(&run,
		 L(".extern .shared .align 1024 .b8 dynamic[];")
		 L(".shared .b8 own[1];")
		 L(".entry k() { .reg .u64 %x; mov.u64 %x, dynamic; mov.u64 %x, own; ret; }"));
	run.config.smem_bytes = 226 << 10;
	run_done(&run, 32);
	run.config.smem_bytes++;
	run_refused(&run, -EINVAL, "needs 232449 bytes of shared memory");
	run_load(&run, L(".shared .b8 own[999999999];")
		 L(".entry k() { .reg .u64 %x; mov.u64 %x, own; ret; }"));
	run.config.smem_bytes = 0;
	run_refused(&run, -EINVAL, "bytes of shared memory");
}

TEST(the_kernel_says_what_is_not_configured)
{
	run_load(&run, L(".visible .entry k(.param .u64 out) .reqntid 4, 2, 2")
		 L(".reqnctapercluster 2 {")
		 RUN_REGISTERS
		 L("ld.param.u64 %rd0, [out]; mov.u32 %r1, %ntid.y; st.global.u32 [%rd0], %r1;")
		 L("mov.u32 %r1, %cluster_nctaid.x; st.global.u32 [%rd0+4], %r1; }"));
	run.config.grid[0] = 4;
	run_done(&run, 0);
	assert_int_equal(run.words[0], 2);
	assert_int_equal(run.words[1], 2);
	assert_int_equal(run.result.thread_insns, 4 * 16 * 6);
}

TEST(clusters_are_explicit_if_somebody_gives_their_size)
{
	static const struct {
		const char *head;
		struct vsm_ptx_config config;
		bool is_explicit;
	} kernels[] = {
		{ "", { .grid = { 4 } }, false },
		{ "", { .grid = { 4 }, .cluster = { 2 } }, true },
		{ "", { .grid = { 4 }, .cluster = { 1 } }, true },
		{ ".reqnctapercluster 2", { .grid = { 4 } }, true },
		{ ".reqnctapercluster 1", { .grid = { 4 } }, true },
		{ ".explicitcluster", { .grid = { 4 }, .cluster = { 0, 0, 1 } }, true },
		{ ".explicitcluster .reqnctapercluster 2", { .grid = { 4 } }, true },
		{ ".maxclusterrank 8", { .grid = { 4 } }, false },
	};
	char text[1000];

	for (unsigned int i = 0; i < sizeof(kernels) / sizeof(kernels[0]); i++) {
		snprintf(text, sizeof(text), ".entry k(.param .u64 out) %s {%s}",
			 kernels[i].head, RUN_REGISTERS
			 L("ld.param.u64 %rd0, [out]; mov.pred %p1, %is_explicit_cluster;")
			 L("selp.u32 %r1, 1, 2, %p1; st.global.u32 [%rd0], %r1;"));
		run_load(&run, text);
		run.config = kernels[i].config;
		run_done(&run, 32);
		assert_int_equal(run.words[0], kernels[i].is_explicit ? 1 : 2);
	}
}

/* The grid then says how many clusters there are, in each dimension. */
TEST(blocks_may_be_clusters)
{
	run_load(&run, L(".entry k(.param .u64 out) .blocksareclusters .reqntid 2")
		 L(".reqnctapercluster 4, 2 {") RUN_REGISTERS
		 L("ld.param.u64 %rd0, [out]; mov.u32 %r1, %nctaid.x; mov.u32 %r2, %nctaid.y;")
		 L("mov.u32 %r3, %nclusterid.x; mov.u32 %r4, %nclusterid.y;")
		 L("st.global.v4.u32 [%rd0], {%r1, %r2, %r3, %r4};")
		 L("red.global.add.u32 [%rd0+16], 1; }"));
	run.config.grid[0] = 3;
	run.config.grid[1] = 2;
	run_done(&run, 0);
	assert_int_equal(run.words[0], 12);
	assert_int_equal(run.words[1], 4);
	assert_int_equal(run.words[2], 3);
	assert_int_equal(run.words[3], 2);
	assert_int_equal(run.words[4], 12 * 4 * 2);
}

TEST(parameters_have_the_size_of_the_kernel)
{
	struct vsm_ptx_launch *launch = NULL;
	char *messages;

	run_load(&run, RUN_ENTRY("k") "}\n");
	run.param_count = 1;
	run_refused(&run, -EINVAL, "k has 8 bytes of parameters, not 16");
	assert_int_equal(vsm_ptx_launch(run.module, 0, &run.config, NULL, 0, &launch, &messages),
			 -EINVAL);
	assert_string_equal(messages, "k has 8 bytes of parameters, not 0");
	free(messages);
	assert_int_equal(vsm_ptx_launch(run.module, 1, &run.config, NULL, 0, &launch, &messages),
			 -ENOENT);
	assert_null(messages);
	assert_null(launch);
}

TEST(a_kernel_may_have_no_parameters)
{
	struct vsm_ptx_launch *launch;

	run_load(&run, NOTHING);
	assert_int_equal(vsm_ptx_launch(run.module, 0, &run.config, NULL, 0, &launch, NULL), 0);
	assert_int_equal(vsm_ptx_launch_wait(launch, VSM_NEVER, &run.result), 0);
	assert_int_equal(run.result.outcome, VSM_PTX_DONE);
	vsm_ptx_launch_destroy(launch);
}

TEST(too_large_parameters_are_refused)
{
	run_load(&run, L(".entry k(.param .b8 a[4294967296]) { ret; }"));
	run_refused(&run, -EOPNOTSUPP, "test.ptx:4:");
}

TEST(a_kernel_that_spins_reaches_its_time_limit)
{
	int64_t began = now();

	run_load(&run, L(".file 1 \"spin.cu\"") SPIN);
	run.config.time_limit_ns = 50000000;
	run.config.block[0] = 100;
	run.config.grid[0] = 3;
	run_kernel(&run, "k");
	assert_int_equal(run.result.outcome, VSM_PTX_HANG);
	assert_true(now() - began >= 50000000);
	assert_true(run.result.thread_insns > 10000);
	assert_non_null(strstr(run.report, "spin.cu:7, test.ptx:"));
}

/* Runs the loop in one thread up to a time limit. */
static void expect_last_read(const char *insns, const char *message)
{
	char text[2000];

	snprintf(text, sizeof(text), "%s%s%s bra A; }\n",
		 L(".shared .u32 ready[4]; .global .u16 flags[4] = {1, 2, 3};"),
		 RUN_ENTRY("k") L(".local .u32 depot[2];"), insns);
	run_load(&run, text);
	run.config.time_limit_ns = 20000000;
	run_kernel(&run, "k");
	assert_int_equal(run.result.outcome, VSM_PTX_HANG);
	if (!strstr(run.report, message))
		fail_msg("\"%s\" is not in: %s", message, run.report);
}

TEST(a_loop_that_reads_memory_says_what_it_has_read)
{
	char message[100];

	expect_last_read("st.shared.u32 [ready+8], 77; A: ld.volatile.shared.u32 %r1, [ready+8];",
			 "thread: warp 0 of CTA (0,0,0) runs\n"
			 "    last read: 0x4d, 4 bytes at 0x100000008 (ready+8 in CTA (0,0,0)), by warp 0 of "
			 "CTA (0,0,0) at PTX line 12 (ld.volatile.shared.u32)\n");
	expect_last_read("A: ld.relaxed.gpu.global.u16 %h1, [flags+4];",
			 " last read: 0x3, 2 bytes at ");
	assert_non_null(strstr(run.report, " (flags+4), by "));
	expect_last_read("mov.u32 %r1, 5; st.local.u32 [depot], %r1; A: ld.local.u32 %r2, [depot];",
			 " last read: 0x5, 4 bytes at 0x200000000 (local memory), by ");
	/* The register of the address is also the destination. */
	snprintf(message, sizeof(message), " last read: 0x0, 8 bytes at 0x%llx, by ",
		 (unsigned long long)run.out);
	expect_last_read("A: mov.u64 %rd2, %rd0; ld.global.u64 %rd2, [%rd2];", message);
	snprintf(message, sizeof(message), " last read: 0x9, 4 bytes at 0x%llx, by ",
		 (unsigned long long)run.out + 4);
	expect_last_read("st.global.u32 [%rd0+4], 9; A: atom.global.cas.b32 %r1, [%rd0+4], 0, 1;",
			 message);
	expect_last_read("A: add.u32 %r1, %r1, 1;", "runs\nkernel k");
}

TEST(time_limits_may_be_as_long_as_one_likes)
{
	run_load(&run, NOTHING);
	run.config.time_limit_ns = UINT64_MAX;
	run_done(&run, 32);
	run.config.time_limit_ns = INT64_MAX;
	run_done(&run, 32);
}

TEST(a_launch_is_cancelled)
{
	struct vsm_ptx_launch *launch;

	run_load(&run, SPIN);
	run.config.grid[0] = 1000;
	assert_int_equal(run_start(&run, "k", &launch, NULL), 0);
	assert_int_equal(vsm_ptx_launch_wait(launch, now() + 5000000, &run.result), -ETIME);
	assert_int_equal(run.result.outcome, VSM_PTX_RUNNING);
	assert_string_equal(vsm_ptx_launch_report(launch), "");
	vsm_ptx_launch_cancel(launch);
	assert_int_equal(vsm_ptx_launch_wait(launch, VSM_NEVER, &run.result), 0);
	assert_int_equal(run.result.outcome, VSM_PTX_CANCELLED);
	assert_string_equal(vsm_ptx_launch_report(launch), "");
	vsm_ptx_launch_cancel(launch);
	assert_int_equal(vsm_ptx_launch_wait(launch, 0, &run.result), 0);
	assert_int_equal(run.result.outcome, VSM_PTX_CANCELLED);
	vsm_ptx_launch_destroy(launch);
	/* Destroying a launch cancels it. */
	assert_int_equal(run_start(&run, "k", &launch, NULL), 0);
	vsm_ptx_launch_destroy(launch);
	vsm_ptx_launch_destroy(NULL);
}

TEST(a_launch_that_has_ended_cannot_be_cancelled)
{
	struct vsm_ptx_launch *launch;

	run_load(&run, NOTHING);
	assert_int_equal(run_start(&run, "k", &launch, NULL), 0);
	assert_int_equal(vsm_ptx_launch_wait(launch, VSM_NEVER, &run.result), 0);
	vsm_ptx_launch_cancel(launch);
	assert_int_equal(vsm_ptx_launch_wait(launch, VSM_NEVER, &run.result), 0);
	assert_int_equal(run.result.outcome, VSM_PTX_DONE);
	vsm_ptx_launch_destroy(launch);
}

TEST(every_cta_of_a_large_grid_runs_once)
{
	static const uint32_t limits[] = { 0, 1, 3, 0xffffffff };

	run_load(&run, RUN_ENTRY("k")
		 L("mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ctaid.y; mov.u32 %r3, %nctaid.x;")
		 L("mad.lo.u32 %r1, %r2, %r3, %r1;")
		 L("mad.wide.u32 %rd2, %r1, 4, %rd0;")
		 L("red.global.add.u32 [%rd2], 1;")
		 "}\n");
	for (unsigned int i = 0; i < 4; i++) {
		memset(run.words, 0, 3000 * 4);
		run.config = (struct vsm_ptx_config){ .grid = { 100, 20 }, .resident = limits[i] };
		run.config.cluster[0] = 1 + i;
		run.config.grid[0] = 100 / (1 + i) * (1 + i);
		run_done(&run, 8);
		for (unsigned int j = 0; j < run.config.grid[0] * 20; j++)
			assert_int_equal(run.words[j], 8);
	}
}

TEST(a_grid_may_have_2_to_the_31_ctas)
{
	run_load(&run, NOTHING);
	run.config.grid[0] = 0x7fffffff;
	run.config.resident = 0xffffffff;
	run.config.time_limit_ns = 20000000;
	run_kernel(&run, "k");
	assert_int_equal(run.result.outcome, VSM_PTX_HANG);
}

/* Each kernel waits for the other one. */
TEST(kernels_of_a_context_run_at_the_same_time)
{
	struct vsm_ptx_launch *first, *second;

	run_load(&run, RUN_ENTRY("k")
		 L("mov.u32 %r1, 1; st.volatile.global.u32 [%rd0], %r1;")
		 L("A: ld.volatile.global.u32 %r2, [%rd0+4];")
		 L("setp.eq.u32 %p0, %r2, 0; @%p0 bra A; ret; }")
		 RUN_ENTRY("other")
		 L("mov.u32 %r1, 1; st.volatile.global.u32 [%rd0+4], %r1;")
		 L("A: ld.volatile.global.u32 %r2, [%rd0];")
		 L("setp.eq.u32 %p0, %r2, 0; @%p0 bra A; }"));
	run.config.host_threads = 1;
	assert_int_equal(run_start(&run, "k", &first, NULL), 0);
	assert_int_equal(run_start(&run, "other", &second, NULL), 0);
	assert_int_equal(vsm_ptx_launch_wait(first, VSM_NEVER, &run.result), 0);
	assert_int_equal(run.result.outcome, VSM_PTX_DONE);
	assert_int_equal(vsm_ptx_launch_wait(second, VSM_NEVER, &run.result), 0);
	assert_int_equal(run.result.outcome, VSM_PTX_DONE);
	vsm_ptx_launch_destroy(first);
	vsm_ptx_launch_destroy(second);
}

/* Branches to the block before let registers be live a block further with every round. */
TEST(a_function_of_many_blocks_is_launched_soon)
{
	const unsigned int blocks = 40000, regs = 4000;
	char *text = NULL;
	int64_t begin;
	size_t size;
	FILE *out;

	out = open_memstream(&text, &size);
	assert_non_null(out);
	fprintf(out, ".entry k() { .reg .b32 %%r<%u>; .reg .pred %%p; ret;\n", regs);
	for (unsigned int i = 0; i < blocks; i++)
		fprintf(out, "L%u: setp.eq.u32 %%p, %%r%u, 0; @%%p bra L%u;\n", i, i % regs,
			i ? i - 1 : 0);
	fprintf(out, "ret; }\n");
	assert_int_equal(fclose(out), 0);
	run_load(&run, text);
	begin = now();
	run_done(&run, 1);
	/* Seconds: it takes a part of one, and many minutes if nothing limits the rounds. */
	assert_true(now() - begin < 30 * 1000000000LL);
	free(text);
}

/* The kernel adds the offsets of addresses of one variable: all of 0 to 99999, twice. */
static void check_many_addresses(const char *declaration)
{
	const uint32_t count = 100000;
	char *text = NULL;
	size_t size;
	FILE *out;

	out = open_memstream(&text, &size);
	assert_non_null(out);
	fprintf(out, "%s%s\nmov.u32 %%r1, 0; mov.u32 %%r3, v;\n", RUN_ENTRY("k"), declaration);
	for (uint32_t i = 0; i < 2 * count; i++)
		fprintf(out, "mov.u32 %%r2, v+%u; add.u32 %%r1, %%r1, %%r2; "
			"sub.u32 %%r1, %%r1, %%r3;\n", i % count);
	fprintf(out, "st.global.u32 [%%rd0], %%r1; ret; }\n");
	assert_int_equal(fclose(out), 0);
	run_load(&run, text);
	run_done(&run, 1);
	assert_int_equal(run.words[0], (uint32_t)((uint64_t)count * (count - 1)));
	free(text);
}

/* Functions that call each other, and variables in shared memory with a byte each. */
static void check_many_functions(void)
{
	const uint32_t count = 30000;
	char *text = NULL;
	size_t size;
	FILE *out;

	out = open_memstream(&text, &size);
	assert_non_null(out);
	fprintf(out, ".func f0() { ret; }\n.shared .u8 v0;\n");
	for (uint32_t i = 1; i < count; i++)
		fprintf(out, ".shared .u8 v%u; .func f%u() { .reg .pred %%p; .reg .b32 %%r; "
			"mov.u32 %%r, v%u; @%%p call f%u, (); ret; }\n", i, i, i, i - 1);
	fprintf(out, "%smov.u32 %%r1, v%u; mov.u32 %%r2, v%u; sub.u32 %%r1, %%r2, %%r1;\n"
		"st.global.u32 [%%rd0], %%r1; call f%u, (); ret; }\n", RUN_ENTRY("k"), count - 1,
		count - 2, count - 1);
	assert_int_equal(fclose(out), 0);
	run_load(&run, text);
	run_done(&run, 1);
	/* The kernel is first to use these two. */
	assert_int_equal(run.words[0], 1);
	free(text);
}

TEST(a_kernel_of_many_names_is_launched_soon)
{
	int64_t begin = now();

	check_many_addresses(".shared .u8 v;");
	check_many_addresses(".local .u8 v;");
	check_many_functions();
	/* Seconds: a few, and minutes if names are searched for one by one. */
	assert_true(now() - begin < 60 * 1000000000LL);
}

TEST_MAIN()
