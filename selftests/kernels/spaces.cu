// SPDX-License-Identifier: MIT
// Bulk copies with addresses that are not in global memory, or not writable.
#include "vsm.cuh"

__constant__ __align__(16) u32 table[4] = { 1, 2, 3, 4 };

KERNEL load_from_shared(void)
{
	__shared__ __align__(16) u32 from[4], to[4];
	__shared__ u64 loaded;

	mbarrier_init(shared_address(&loaded), 1);
	mbarrier_arrive_expect_tx(shared_address(&loaded), sizeof(to));
	cp_async_bulk_g2s(shared_address(to), from, sizeof(to), shared_address(&loaded));
	mbarrier_wait(shared_address(&loaded), 0);
}

KERNEL store_to_shared(void)
{
	__shared__ __align__(16) u32 from[4], to[4];

	from[0] = 0;
	fence_proxy_async_shared();
	cp_async_bulk_s2g(to, shared_address(from), sizeof(from));
	cp_async_bulk_commit_group();
	cp_async_bulk_wait_group<0>();
}

KERNEL store_to_const(void)
{
	__shared__ __align__(16) u32 from[4];

	from[0] = 0;
	fence_proxy_async_shared();
	cp_async_bulk_s2g(const_cast<u32 *>(table), shared_address(from), sizeof(from));
	cp_async_bulk_commit_group();
	cp_async_bulk_wait_group<0>();
}
