// SPDX-License-Identifier: MIT
/* Loads, stores and atomic operations of threads find the valid mbarriers of a window. */
#define TEST_SETUP	state_setup
#define TEST_TEARDOWN	state_teardown
#include "testing.h"

#include "hang_state.h"
#include "run/address.h"

#define INIT		DRM_VSM_OP_MBARRIER_INIT
#define INVAL		DRM_VSM_OP_MBARRIER_INVAL
#define PEER		(1 << PTX_RANK_SHIFT)

static void prepare(struct state *s, bool strict)
{
	unsigned int i;

	for (i = 0; i < STATE_CTAS && !strict; i++)
		s->cluster->ctas[i].valid.words = NULL;
	s->launch.fault.failure = FAILURE_NONE;
	s->launch.wake = -1;
	s->cluster->ctas[0].live = 1;
	s->cluster->ctas[1].live = 1;
}

/* May a thread of CTA 0 access the bytes? If not, @at gets the address of the mbarrier. */
static bool may_access(struct state *s, uint32_t address, uint32_t size, uint32_t *at)
{
	struct ptx_warp *warp = &s->warps[0][0];
	uint8_t *host = ptx_resolve(warp, warp->groups, 0, SPACE_SHARED_CLUSTER, address, size,
				    false);

	if (host) {
		assert_ptr_equal(host, (uint8_t *)s->windows[address >> PTX_RANK_SHIFT] +
				       (address & (PEER - 1)));
		return true;
	}
	assert_int_equal(s->launch.fault.failure, FAILURE_DEVICE);
	assert_int_equal(s->launch.fault.insn.fault, DRM_VSM_FAULT_PLAIN_ACCESS);
	*at = s->launch.fault.insn.info;
	s->launch.fault.failure = FAILURE_NONE;
	return false;
}

/* Any byte of a valid mbarrier is a fault, and none beside it. */
static void expect_valid(struct state *s, uint32_t address, bool valid)
{
	static const uint32_t sizes[] = { 1, 2, 4, 8, 16 };
	uint32_t i, at = ~0u, offset;

	for (i = 0; i < 5; i++) {
		for (offset = 0; offset < STATE_WINDOW; offset += sizes[i]) {
			uint32_t from = (address & ~(PEER - 1)) + offset;
			bool over = from < address + 8 && address < from + sizes[i];

			assert_int_equal(may_access(s, from, sizes[i], &at), !(valid && over));
			if (valid && over)
				assert_int_equal(at, address);
		}
	}
}

TEST(each_byte_of_a_valid_mbarrier_is_found)
{
	static const uint32_t addresses[] = {
		0, 8, 120, STATE_WINDOW - 8, PEER, PEER + 64, PEER + STATE_WINDOW - 8,
	};
	struct state *s = *state;
	unsigned int i;

	prepare(s, true);
	for (i = 0; i < sizeof(addresses) / sizeof(addresses[0]); i++) {
		uint32_t address = addresses[i];

		expect_valid(s, address, false);
		state_exec(s, address / PEER, 0, 1, 0, state_insn(INIT, address, 1));
		expect_valid(s, address, true);
		/* The other window has none. */
		expect_valid(s, address ^ PEER, false);
		state_exec(s, address / PEER, 0, 1, 1, state_insn(INVAL, address, 0));
		expect_valid(s, address, false);
	}
}

/* The lanes of a step access the addresses between two mbarriers after one look. */
TEST(the_addresses_between_mbarriers_are_one_piece)
{
	struct ptx_warp *warp;
	struct state *s = *state;
	struct ptx_span span;
	uint32_t i, at;

	prepare(s, true);
	warp = &s->warps[0][0];
	state_exec(s, 0, 0, 1, 0, state_insn(INIT, 40, 1));
	state_exec(s, 0, 0, 1, 0, state_insn(INIT, 200, 1));
	for (i = 0; i < 2; i++) {
		assert_non_null(ptx_resolve_span(warp, warp->groups, 0, SPACE_SHARED, 100, 4, true,
						 &span));
		assert_int_equal(span.first, 48);
		assert_int_equal(span.bytes, 152);
		assert_ptr_equal(span.host, (uint8_t *)s->windows[0] + 48);
		assert_non_null(ptx_resolve_span(warp, warp->groups, 0, SPACE_SHARED, 39, 1, true,
						 &span));
		assert_int_equal(span.first, 0);
		assert_int_equal(span.bytes, 40);
		assert_non_null(ptx_resolve_span(warp, warp->groups, 0, SPACE_SHARED, 248, 8, true,
						 &span));
		assert_int_equal(span.first, 208);
		assert_int_equal(span.bytes, STATE_WINDOW - 208);
	}
	/* An init divides the range that was found last. */
	assert_true(may_access(s, 100, 4, &at));
	state_exec(s, 0, 0, 1, 0, state_insn(INIT, 96, 1));
	assert_false(may_access(s, 100, 4, &at));
	assert_int_equal(at, 96);
}

TEST(the_hardware_policy_lets_threads_access_them)
{
	struct state *s = *state;

	prepare(s, false);
	state_exec(s, 0, 0, 1, 0, state_insn(INIT, 40, 1));
	expect_valid(s, 40, false);
}

TEST_MAIN()
