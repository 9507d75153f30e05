// SPDX-License-Identifier: MIT
/* Clusters for which the memory does not suffice while others run. */
#define TEST_SETUP	setup
#define TEST_TEARDOWN	teardown
#include "run/limit.h"
#include "run_kernel.h"

/* The windows of a cluster of 16 CTAs need about 3.6 MB: only one cluster has room. */
#define LIMIT		(6u << 20)
#define CLUSTERS	64

uint64_t ptx_memory_limit(void)
{
	return LIMIT;
}

static struct run run;

static int setup(void **state)
{
	run_open(&run, NULL);
	run.config.cluster[0] = 16;
	run.config.smem_bytes = 227 << 10;
	return 0;
}

static int teardown(void **state)
{
	run_close(&run);
	return 0;
}

/* Each thread counts in the word of its cluster, and does some work, so that clusters overlap. */
#define COUNT \
	L(".extern .shared .b8 dynamic[];") \
	RUN_ENTRY("k") \
	L("mov.u32 %r1, %clusterid.x; mad.wide.u32 %rd2, %r1, 4, %rd0;") \
	L("mov.u32 %r3, 0; LOOP: add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 2000;") \
	L("@%p1 bra LOOP; st.volatile.shared.u32 [dynamic], %r3;") \
	L("red.global.add.u32 [%rd2], 1; }")

TEST(workers_wait_for_the_memory_of_others)
{
	run_load(&run, COUNT);
	run.config.grid[0] = 16 * CLUSTERS;
	run.config.host_threads = 8;
	run_done(&run, 32);
	for (unsigned int i = 0; i < CLUSTERS; i++)
		assert_int_equal(run.words[i], 16 * 32);
}

TEST(it_is_an_error_if_no_cluster_runs)
{
	run_load(&run, COUNT);
	run.config.grid[0] = 16 * CLUSTERS;
	run.config.host_threads = 8;
	/* Registers and local memory of 512 warps. */
	run.config.block[0] = 1024;
	run_kernel(&run, "k");
	assert_int_equal(run.result.outcome, VSM_PTX_ERROR);
	assert_int_equal(run.result.error, -ENOMEM);
}

TEST(a_cooperative_launch_has_memory_for_all_clusters_or_fails)
{
	run_load(&run, L(".extern .shared .b8 dynamic[];") RUN_ENTRY("k") RUN_GRID_SYNC
		 L("st.volatile.shared.u32 [dynamic], %r1; }"));
	run.config.cooperative = true;
	run.config.host_threads = 2;
	/* More than half of the memory, at which other launches start no more clusters */
	run.config.cluster[0] = 8;
	run.config.grid[0] = 8 * 3;
	run_done(&run, 1);
	run.config.grid[0] = 8 * 4;
	run_kernel(&run, "k");
	assert_int_equal(run.result.outcome, VSM_PTX_ERROR);
	assert_int_equal(run.result.error, -ENOMEM);
	assert_string_equal(run.report, "Cannot allocate memory; "
			    "a cooperative launch needs memory for all CTAs at once\n");
	run.config.cooperative = false;
	run.config.cluster[0] = 16;
}

/* One cluster spins, and the other workers wait for its memory. */
TEST(workers_that_wait_for_memory_stop)
{
	struct vsm_ptx_launch *launch;

	run_load(&run, L(".extern .shared .b8 dynamic[];") RUN_ENTRY("k")
		 L("st.volatile.shared.u32 [dynamic], %r0; st.volatile.global.u32 [%rd0], 1;")
		 L("LOOP: bra LOOP; }"));
	run.config.grid[0] = 16 * CLUSTERS;
	run.config.host_threads = 8;
	assert_int_equal(run_start(&run, "k", &launch, NULL), 0);
	while (!__atomic_load_n(run.words, __ATOMIC_RELAXED))
		assert_int_equal(vsm_ptx_launch_wait(launch, 0, &run.result), -ETIME);
	vsm_ptx_launch_cancel(launch);
	assert_int_equal(vsm_ptx_launch_wait(launch, VSM_NEVER, &run.result), 0);
	assert_int_equal(run.result.outcome, VSM_PTX_CANCELLED);
	vsm_ptx_launch_destroy(launch);
}

TEST(a_time_limit_ends_the_wait_for_memory)
{
	run_load(&run, L(".extern .shared .b8 dynamic[];") RUN_ENTRY("k")
		 L("st.volatile.shared.u32 [dynamic], %r0; LOOP: bra LOOP; }"));
	run.config.grid[0] = 16 * CLUSTERS;
	run.config.host_threads = 8;
	run.config.time_limit_ns = 20000000;
	run_kernel(&run, "k");
	assert_int_equal(run.result.outcome, VSM_PTX_HANG);
}

TEST_MAIN()
