// SPDX-License-Identifier: MIT
// The first CTA of a cluster initialises an mbarrier, and the second one arrives. A store with
// .release follows the init. But its scope is .cta: it says nothing to the other CTA, and the
// barrier of the cluster is relaxed. The init may not be visible to the other CTA.
#include "../vsm.cuh"

KERNEL cta_release(u32 *out)
{
	__shared__ u64 full;
	__shared__ u32 ready;
	u32 rank = cluster_ctarank();

	if (rank == 0) {
		mbarrier_init(shared_address(&full), 1);
		// BUG, not named: the scope must be .cluster
		asm volatile("st.release.cta.shared.u32 [%0], 1;" :: "r"(shared_address(&ready))
			     : "memory");
	}
	barrier_cluster_arrive_relaxed();
	barrier_cluster_wait();

	if (rank == 1)
		// REPORT: the init of CTA 0 may not be visible here
		mbarrier_arrive_remote(shared_address(&full), 0);
	else
		mbarrier_wait_cluster(shared_address(&full), 0);
	out[rank] = ready;
	barrier_cluster();
}
