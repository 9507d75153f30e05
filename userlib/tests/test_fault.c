// SPDX-License-Identifier: MIT
/* Tests vsm_fault_name() and vsm_fault_message() with every code. */
#define TEST_SETUP	setup
#include "text.h"

#define ADDR 0x40			/* in CTA 0 */
#define REMOTE 0x01000040		/* in CTA 1 */
#define TOKEN 0x7fff000012345678ULL
#define MAX VSM_MBARRIER_MAX_COUNT

static enum vsm_layout layout;
static uint32_t cta;

static int message(const struct drm_vsm_insn *insn, char *text, size_t size)
{
	return vsm_fault_message(layout, cta, insn, text, size);
}

/* Check that vsm_fault_message() writes "SUBJECT: FINDING; ADVICE". */
static void assert_says(struct drm_vsm_insn insn, uint32_t fault, uint64_t found, uint32_t info,
			const char *subject, const char *finding, const char *advice)
{
	char expected[512];

	insn.fault = fault;
	insn.result = found;
	insn.info = info;
	snprintf(expected, sizeof(expected), "%s: %s%s%s", subject, finding, advice ? "; " : "",
		 advice ? advice : "");
	assert_text(message, &insn, expected);
	assert_cut(message, &insn);
}

static void assert_order(struct drm_vsm_insn insn, const char *expected)
{
	insn.fault = DRM_VSM_FAULT_BAD_ORDER;
	assert_text(message, &insn, expected);
	assert_cut(message, &insn);
}

/*
 * The word of an object with @expected expected arrivals, of which @arrived have arrived, and
 * tx-count @tx.
 */
static uint64_t word(uint32_t expected, uint32_t arrived, int32_t tx)
{
	uint64_t w = vsm_mbarrier_init(layout, expected);

	w = vsm_field_add(w, VSM_SM_90_TX_SHIFT, VSM_SM_90_TX_BITS, -(uint64_t)(int64_t)tx);
	return vsm_field_add(w, VSM_SM_90_PENDING_SHIFT, VSM_SM_90_PENDING_BITS, arrived);
}

static struct drm_vsm_insn g2s(uint32_t addr, uint32_t size, uint32_t mbar)
{
	return vsm_prep_cp_async_bulk_g2s(addr, 3, 0x1f80, size, mbar);
}

static struct drm_vsm_insn s2g(uint32_t addr, uint32_t size)
{
	return vsm_prep_cp_async_bulk_s2g(3, 0x1f80, addr, size);
}

static struct drm_vsm_insn s2s(uint32_t dst, uint32_t src, uint32_t mbar)
{
	return vsm_prep_cp_async_bulk_s2s(dst, src, 64, mbar);
}

static const int32_t coords[5];

static struct drm_vsm_insn tensor_g2s(uint32_t addr, uint64_t map, uint32_t mbar)
{
	struct drm_vsm_insn insn = vsm_prep_cp_async_bulk_tensor_g2s(2, addr, NULL, coords, mbar);

	insn.u.tensor.map = map;
	return insn;
}

static struct drm_vsm_insn multicast(uint16_t mask)
{
	return vsm_prep_cp_async_bulk_g2s_multicast(0x400, 3, 0, 256, ADDR, mask);
}

static struct drm_vsm_insn store(uint32_t addr, uint32_t mbar)
{
	const uint64_t value = 1;

	return vsm_prep_st_async(8, addr, &value, mbar, 0);
}

static int setup(void **state)
{
	layout = VSM_LAYOUT_SM_90;
	cta = 0;
	return 0;
}

TEST(test_names)
{
	uint32_t fault;

	assert_string_equal(vsm_fault_name(DRM_VSM_FAULT_NONE), "NONE");
	assert_string_equal(vsm_fault_name(DRM_VSM_FAULT_ARRIVAL_OVERFLOW), "ARRIVAL_OVERFLOW");
	assert_string_equal(vsm_fault_name(DRM_VSM_FAULT_DEADLOCK), "DEADLOCK");
	assert_string_equal(vsm_fault_name(DRM_VSM_FAULT_COPY_MBARRIER), "COPY_MBARRIER");
	assert_string_equal(vsm_fault_name(DRM_VSM_FAULT_COPY_OVERLAP), "COPY_OVERLAP");
	assert_string_equal(vsm_fault_name(DRM_VSM_FAULT_COPY_INCOMPLETE), "COPY_INCOMPLETE");
	assert_string_equal(vsm_fault_name(DRM_VSM_FAULT_TENSOR_MAP), "TENSOR_MAP");
	assert_string_equal(vsm_fault_name(0xffffffff), "UNKNOWN");
	for (fault = 0; fault <= DRM_VSM_FAULT_PLAIN_ACCESS; fault++)
		assert_string_not_equal(vsm_fault_name(fault), "UNKNOWN");
	for (fault = DRM_VSM_FAULT_NOT_IN_MASK; fault <= DRM_VSM_FAULT_THREAD_SUSPENDED; fault++)
		assert_string_not_equal(vsm_fault_name(fault), "UNKNOWN");
	assert_string_equal(vsm_fault_name(DRM_VSM_FAULT_NOT_IN_MASK), "NOT_IN_MASK");
	assert_string_equal(vsm_fault_name(DRM_VSM_FAULT_BARRIER_MIXED), "BARRIER_MIXED");
	assert_string_equal(vsm_fault_name(DRM_VSM_FAULT_THREAD_SUSPENDED), "THREAD_SUSPENDED");
}

TEST(test_misaligned)
{
	const uint32_t fault = DRM_VSM_FAULT_MISALIGNED;

	assert_says(vsm_prep_mbarrier_arrive(0x01000044, 0), fault, 0, 0,
		    "arrive on the mbarrier at CTA 1 + 0x44",
		    "the address must be a multiple of 8",
		    NULL);
	assert_says(g2s(0x408, 256, ADDR), fault, 0, 0,
		    "cp.async.bulk of 256 bytes to CTA 0 + 0x408",
		    "the address in shared memory must be a multiple of 16",
		    NULL);
	assert_says(g2s(0x400, 256, 0x44), fault, 0, 0,
		    "cp.async.bulk of 256 bytes to CTA 0 + 0x400",
		    "the address of its mbarrier, CTA 0 + 0x44, must be a multiple of 8",
		    NULL);
	assert_says(vsm_prep_cp_async_bulk_s2g(3, 8, 0x400, 256), fault, 0, 0,
		    "cp.async.bulk of 256 bytes from CTA 0 + 0x400",
		    "the offset in the buffer, 0x8, must be a multiple of 16",
		    NULL);
	assert_says(vsm_prep_cp_async(0x402, 3, 4, 4, 0), fault, 0, 0,
		    "cp.async of 4 bytes to CTA 0 + 0x402",
		    "the address in shared memory must be a multiple of 4",
		    NULL);
	assert_says(vsm_prep_cp_async(0x408, 3, 4, 8, 0), fault, 0, 0,
		    "cp.async of 8 bytes to CTA 0 + 0x408",
		    "the offset in the buffer, 0x4, must be a multiple of 8",
		    NULL);
}

TEST(test_misaligned_copies)
{
	const uint32_t fault = DRM_VSM_FAULT_MISALIGNED;

	assert_says(s2s(0x408, 0x80, ADDR), fault, 0, 0,
		    "cp.async.bulk of 64 bytes to CTA 0 + 0x408",
		    "the address in shared memory must be a multiple of 16",
		    NULL);
	assert_says(s2s(0x400, 0x88, ADDR), fault, 0, 0,
		    "cp.async.bulk of 64 bytes to CTA 0 + 0x400",
		    "the address of its source, CTA 0 + 0x88, must be a multiple of 16",
		    NULL);
	assert_says(s2s(0x400, 0x80, 0x44), fault, 0, 0,
		    "cp.async.bulk of 64 bytes to CTA 0 + 0x400",
		    "the address of its mbarrier, CTA 0 + 0x44, must be a multiple of 8",
		    NULL);
	assert_says(vsm_prep_cp_async_bulk_prefetch(3, 8, 64), fault, 0, 0,
		    "cp.async.bulk.prefetch of 64 bytes",
		    "the offset in the buffer, 0x8, must be a multiple of 16",
		    NULL);
	assert_says(tensor_g2s(0x440, 64, ADDR), fault, 0, 0,
		    "cp.async.bulk.tensor of 2 dimensions to CTA 0 + 0x440",
		    "the address in shared memory must be a multiple of 128",
		    NULL);
	assert_says(tensor_g2s(0x400, 0x7fe8, ADDR), fault, 0, 0,
		    "cp.async.bulk.tensor of 2 dimensions to CTA 0 + 0x400",
		    "the address of the tensor map, 0x7fe8, must be a multiple of 64",
		    NULL);
	assert_says(tensor_g2s(0x400, 64, 0x44), fault, 0, 0,
		    "cp.async.bulk.tensor of 2 dimensions to CTA 0 + 0x400",
		    "the address of its mbarrier, CTA 0 + 0x44, must be a multiple of 8",
		    NULL);
	assert_says(vsm_prep_cp_async_bulk_tensor_s2g(1, NULL, coords, 0x440), fault, 0, 0,
		    "cp.async.bulk.tensor of 1 dimension from CTA 0 + 0x440",
		    "the address in shared memory must be a multiple of 128",
		    NULL);
	assert_says(store(0x404, ADDR), fault, 0, 0,
		    "st.async of 8 bytes to CTA 0 + 0x404",
		    "the address in shared memory must be a multiple of 8",
		    NULL);
	assert_says(vsm_prep_red_async(DRM_VSM_RED_INC, DRM_VSM_TYPE_U32, 0x402, 1, ADDR, 0), fault,
		    0, 0,
		    "red.async of 4 bytes to CTA 0 + 0x402",
		    "the address in shared memory must be a multiple of 4",
		    NULL);
	assert_says(store(0x408, 0x44), fault, 0, 0,
		    "st.async of 8 bytes to CTA 0 + 0x408",
		    "the address of its mbarrier, CTA 0 + 0x44, must be a multiple of 8",
		    NULL);
}

TEST(test_out_of_window)
{
	const uint32_t fault = DRM_VSM_FAULT_OUT_OF_WINDOW;

	assert_says(vsm_prep_mbarrier_arrive(0x38000, 0), fault, 0, 0,
		    "arrive on the mbarrier at CTA 0 + 0x38000",
		    "the window ends before that",
		    "check the offset, or create the cluster with more shared memory");
	assert_says(vsm_prep_mbarrier_arrive(0x09000040, VSM_SINK), fault, 0, 0,
		    "arrive on the mbarrier at CTA 9 + 0x40",
		    "there is no such CTA, or its window ends before that",
		    "check rank and offset");
	assert_says(vsm_prep_mbarrier_arrive(REMOTE, VSM_SHARED_CTA | VSM_SINK), fault, 0, 0,
		    "arrive on the mbarrier at CTA 1 + 0x40",
		    ".shared::cta means the window of the executing CTA, which is CTA 0",
		    "spell .shared::cluster");
	assert_says(g2s(0x400, 256, 0x40000), fault, 0, 0,
		    "cp.async.bulk of 256 bytes to CTA 0 + 0x400",
		    "its end, or the mbarrier at CTA 0 + 0x40000, is outside the windows of the cluster",
		    "check ranks and offsets");
	assert_says(s2g(0x3fff0, 256), fault, 0, 0,
		    "cp.async.bulk of 256 bytes from CTA 0 + 0x3fff0",
		    "the window ends before that",
		    "check the offset, or create the cluster with more shared memory");
}

TEST(test_copies_out_of_window)
{
	const uint32_t fault = DRM_VSM_FAULT_OUT_OF_WINDOW;
	struct drm_vsm_insn insn;

	assert_says(multicast(0x9), fault, 0, 0,
		    "cp.async.bulk of 256 bytes to CTAs 0, 3 + 0x400",
		    "ctaMask 0x9 names a CTA that does not exist, or the copy's end or its mbarrier at 0x40 is outside their windows",
		    "check mask and offsets");
	assert_says(multicast(0), fault, 0, 0,
		    "cp.async.bulk of 256 bytes to no CTA + 0x400",
		    "ctaMask is 0",
		    "set the bit of each destination CTA");
	insn = vsm_prep_cp_async_bulk_tensor_g2s_multicast(2, 0x400, NULL, coords, ADDR, 0x8000);
	assert_says(insn, fault, 0, 0,
		    "cp.async.bulk.tensor of 2 dimensions to CTA 15 + 0x400",
		    "ctaMask 0x8000 names a CTA that does not exist, or the copy's end or its mbarrier at 0x40 is outside their windows",
		    "check mask and offsets");
	assert_says(s2s(0x400, 0x40000, ADDR), fault, 0, 0,
		    "cp.async.bulk of 64 bytes to CTA 0 + 0x400",
		    "its end, its source at CTA 0 + 0x40000, or the mbarrier at CTA 0 + 0x40, is outside the windows of the cluster",
		    "check ranks and offsets");
	assert_says(store(0x40000, ADDR), fault, 0, 0,
		    "st.async of 8 bytes to CTA 0 + 0x40000",
		    "its end, or the mbarrier at CTA 0 + 0x40, is outside the windows of the cluster",
		    "check ranks and offsets");
	assert_says(vsm_prep_cp_async_bulk_tensor_s2g(1, NULL, coords, 0x3ff80), fault, 0, 0,
		    "cp.async.bulk.tensor of 1 dimension from CTA 0 + 0x3ff80",
		    "the window ends before that",
		    "check the offset, or create the cluster with more shared memory");
	insn = s2s(REMOTE, 0x80, REMOTE + 64);
	insn.space = DRM_VSM_SPACE_SHARED_CTA;
	assert_says(insn, fault, 0, 0,
		    "cp.async.bulk of 64 bytes to CTA 1 + 0x40",
		    ".shared::cta means the window of the executing CTA, which is CTA 0",
		    "spell .shared::cluster");
}

TEST(test_not_an_mbarrier)
{
	const uint32_t fault = DRM_VSM_FAULT_NOT_AN_MBARRIER;

	assert_says(vsm_prep_mbarrier_inval(ADDR, 0), fault, 0, 0,
		    "inval of the mbarrier at CTA 0 + 0x40",
		    "no mbarrier has been initialised there",
		    "execute init first, and do not use the mbarrier after inval");
	assert_says(vsm_prep_mbarrier_arrive(ADDR, 0), fault, 0x1111111111111111, 0,
		    "arrive on the mbarrier at CTA 0 + 0x40",
		    "no mbarrier has been initialised there, or something has overwritten it: the word is 0x1111111111111111",
		    "execute init first, and look for a store or a copy that overlaps it");
	assert_says(g2s(0x400, 256, ADDR), fault, 0, 0,
		    "cp.async.bulk of 256 bytes on the mbarrier at CTA 0 + 0x40",
		    "no mbarrier has been initialised there",
		    "execute init first, and do not use the mbarrier after inval");
	assert_says(multicast(0x6), fault, 0, 0,
		    "cp.async.bulk of 256 bytes on the mbarriers at CTAs 1, 2 + 0x40",
		    "no mbarrier has been initialised there",
		    "execute init first, and do not use the mbarrier after inval");
	assert_says(store(0x400, ADDR), fault, 0, 0,
		    "st.async of 8 bytes on the mbarrier at CTA 0 + 0x40",
		    "no mbarrier has been initialised there",
		    "execute init first, and do not use the mbarrier after inval");
}

TEST(test_init_over_live)
{
	const struct drm_vsm_insn insn = vsm_prep_mbarrier_init(ADDR, 4, 0);
	const uint32_t fault = DRM_VSM_FAULT_INIT_OVER_LIVE;

	assert_says(insn, fault, word(4, 0, 0), DRM_VSM_MBARRIER_IDLE,
		    "init of 4 on the mbarrier at CTA 0 + 0x40",
		    "a valid mbarrier is there already, and it is idle",
		    "execute inval first, or let only one thread initialise it");
	assert_says(insn, fault, word(4, 1, 0), DRM_VSM_MBARRIER_IN_PROGRESS,
		    "init of 4 on the mbarrier at CTA 0 + 0x40",
		    "a valid mbarrier is there already, and its phase is in progress",
		    "wait for the phase and execute inval first");
	assert_says(insn, fault, word(4, 0, 0), DRM_VSM_MBARRIER_UNOBSERVED,
		    "init of 4 on the mbarrier at CTA 0 + 0x40",
		    "a valid mbarrier is there already, and no wait has returned True for its last phase",
		    "wait for the phase and execute inval first");
}

TEST(test_bad_count)
{
	assert_says(vsm_prep_mbarrier_init(ADDR, 0, 0), DRM_VSM_FAULT_BAD_COUNT, 0, 0,
		    "init of 0 on the mbarrier at CTA 0 + 0x40",
		    "the count must be from 1 to 1048575",
		    NULL);
	assert_says(vsm_prep_mbarrier_arrive_nocomplete(ADDR, MAX + 1, 0),
		    DRM_VSM_FAULT_BAD_COUNT, 0, 0,
		    "arrive.noComplete of 1048576 on the mbarrier at CTA 0 + 0x40",
		    "the count must be from 1 to 1048575",
		    NULL);
}

TEST(test_bad_parity)
{
	assert_says(vsm_prep_mbarrier_test_wait_parity(ADDR, 2, 0), DRM_VSM_FAULT_BAD_PARITY, 0, 0,
		    "test_wait.parity on the mbarrier at CTA 0 + 0x40",
		    "the parity is 2, but must be 0 or 1",
		    "use the number of the phase modulo 2");
}

TEST(test_read_over_live)
{
	struct drm_vsm_insn insn = vsm_prep_cp_async_bulk_s2g(3, 0, 0x400, 256);

	insn.info = 0x440;
	assert_says(insn, DRM_VSM_FAULT_READ_OVER_LIVE, word(1, 0, 0), 0x440,
		    "cp.async.bulk of 256 bytes from CTA 0 + 0x400",
		    "it would read the valid mbarrier at CTA 0 + 0x440 as data",
		    "place them apart, or execute inval first");
}

TEST(test_inval_in_use)
{
	const struct drm_vsm_insn insn = vsm_prep_mbarrier_inval(ADDR, 0);
	const uint32_t fault = DRM_VSM_FAULT_INVAL_IN_USE;

	assert_says(insn, fault, word(4, 0, 0), 0,
		    "inval of the mbarrier at CTA 0 + 0x40",
		    "a thread is suspended or a wait is armed on it",
		    "let the wait end, or cancel it, first");
	assert_says(insn, fault, word(4, 0, 0), 1,
		    "inval of the mbarrier at CTA 0 + 0x40",
		    "1 asynchronous operation is bound to it",
		    "wait for the phase first");
	assert_says(insn, fault, word(4, 0, 0), 3,
		    "inval of the mbarrier at CTA 0 + 0x40",
		    "3 asynchronous operations are bound to it",
		    "wait for the phase first");
}

TEST(test_arrival_overflow)
{
	const uint32_t fault = DRM_VSM_FAULT_ARRIVAL_OVERFLOW;

	assert_says(vsm_prep_mbarrier_arrive_count(ADDR, 2, 0), fault, word(4, 3, 0), 0,
		    "arrive of 2 on the mbarrier at CTA 0 + 0x40",
		    "1 arrival is pending",
		    "arrive with a lower count, or init it with a higher count");
	assert_says(vsm_prep_mbarrier_arrive_drop_count(ADDR, 3, VSM_SINK), fault, word(2, 0, 0), 0,
		    "arrive_drop of 3 on the mbarrier at CTA 0 + 0x40",
		    "2 arrivals are pending",
		    "arrive with a lower count, or init it with a higher count");
	assert_says(vsm_prep_mbarrier_arrive_expect_tx(ADDR, 64, 0), fault, word(1, 1, 64), 0,
		    "arrive.expect_tx of 64 on the mbarrier at CTA 0 + 0x40",
		    "no arrival is pending, only 64 bytes are missing",
		    "wait for the phase before arriving again, or init with a higher count");
	assert_says(vsm_prep_mbarrier_arrive(ADDR, 0), fault, word(1, 1, 1), 0,
		    "arrive on the mbarrier at CTA 0 + 0x40",
		    "no arrival is pending, only 1 byte is missing",
		    "wait for the phase before arriving again, or init with a higher count");
	assert_says(vsm_prep_cp_async_mbarrier_arrive_noinc(ADDR, 0), fault, word(1, 1, 0), 0,
		    "cp.async.mbarrier.arrive.noinc on the mbarrier at CTA 0 + 0x40",
		    "no arrival is pending",
		    "init it with a count that includes the arrivals of .noinc");
	layout = VSM_LAYOUT_SM_80;
	assert_says(vsm_prep_mbarrier_arrive_nocomplete(ADDR, 3, 0), fault, 0x7ffffffe3ffffffe, 0,
		    "arrive.noComplete of 3 on the mbarrier at CTA 0 + 0x40",
		    "2 arrivals are pending",
		    "arrive with a lower count, or init it with a higher count");
}

TEST(test_nocomplete_completes)
{
	const uint32_t fault = DRM_VSM_FAULT_NOCOMPLETE_COMPLETES;

	assert_says(vsm_prep_mbarrier_arrive_nocomplete(ADDR, 2, 0), fault, word(4, 2, 0), 0,
		    "arrive.noComplete of 2 on the mbarrier at CTA 0 + 0x40",
		    "2 arrivals are pending, and .noComplete must not complete the phase",
		    "let the last thread arrive without .noComplete");
	assert_says(vsm_prep_mbarrier_arrive_drop_nocomplete(ADDR, 1, 0), fault, word(4, 3, 0), 0,
		    "arrive_drop.noComplete of 1 on the mbarrier at CTA 0 + 0x40",
		    "1 arrival is pending, and .noComplete must not complete the phase",
		    "let the last thread arrive without .noComplete");
}

TEST(test_drop_to_zero)
{
	const uint32_t fault = DRM_VSM_FAULT_DROP_TO_ZERO;

	assert_says(vsm_prep_mbarrier_arrive_drop(ADDR, 0), fault, word(1, 0, 0), 0,
		    "arrive_drop on the mbarrier at CTA 0 + 0x40",
		    "1 arrival is expected, and the next phase would expect none",
		    "let the last thread arrive without dropping");
	assert_says(vsm_prep_mbarrier_arrive_drop_count(ADDR, 2, 0), fault, word(2, 0, 0), 0,
		    "arrive_drop of 2 on the mbarrier at CTA 0 + 0x40",
		    "2 arrivals are expected, and the next phase would expect none",
		    "let the last thread arrive without dropping");
}

TEST(test_tx_range)
{
	const uint32_t fault = DRM_VSM_FAULT_TX_RANGE;

	assert_says(vsm_prep_mbarrier_expect_tx(ADDR, MAX, 0), fault, word(1, 0, 64), 0,
		    "expect_tx of 1048575 on the mbarrier at CTA 0 + 0x40",
		    "the tx-count is 64 and would be 1048639, outside -1048575 to 1048575",
		    "split the bytes over several phases or mbarriers");
	assert_says(vsm_prep_mbarrier_complete_tx(ADDR, 0xffffffff, 0), fault, word(1, 0, -1), 0,
		    "complete_tx of 4294967295 on the mbarrier at CTA 0 + 0x40",
		    "the tx-count is -1 and would be -4294967296, outside -1048575 to 1048575",
		    "announce bytes with expect_tx before they are complete");
	assert_says(vsm_prep_mbarrier_expect_tx(ADDR, MAX + 1, 0), fault, word(1, 0, -1), 0,
		    "expect_tx of 1048576 on the mbarrier at CTA 0 + 0x40",
		    "its operand is above 1048575", "split the bytes over several operations");
	/* A cp.async.mbarrier.arrive in flight has raised the tx-count of the word. */
	assert_says(vsm_prep_mbarrier_complete_tx(ADDR, 1, 0), fault, word(1, 0, 1 - MAX), 0,
		    "complete_tx of 1 on the mbarrier at CTA 0 + 0x40",
		    "more than 1048575 bytes would be complete that were not announced",
		    "announce bytes with expect_tx before they are complete");
	assert_says(g2s(0x400, 16, ADDR), fault, word(1, 0, -MAX), 0,
		    "cp.async.bulk of 16 bytes on the mbarrier at CTA 0 + 0x40",
		    "the tx-count is -1048575 and would be -1048591, outside -1048575 to 1048575",
		    "announce bytes with expect_tx before they are complete");
	assert_says(vsm_prep_cp_async_mbarrier_arrive(ADDR, 0), fault, word(1, 0, MAX), 0,
		    "cp.async.mbarrier.arrive on the mbarrier at CTA 0 + 0x40",
		    "the tx-count is 1048575 and would be 1048576, outside -1048575 to 1048575",
		    "split the bytes over several phases or mbarriers");
	assert_says(store(0x400, ADDR), fault, word(1, 0, -MAX), 0,
		    "st.async of 8 bytes on the mbarrier at CTA 0 + 0x40",
		    "the tx-count is -1048575 and would be -1048583, outside -1048575 to 1048575",
		    "announce bytes with expect_tx before they are complete");
	assert_says(tensor_g2s(0x400, 64, ADDR), fault, word(1, 0, -MAX), 0,
		    "cp.async.bulk.tensor of 2 dimensions on the mbarrier at CTA 0 + 0x40",
		    "the tx-count is -1048575 and would be outside -1048575 to 1048575",
		    "announce bytes with expect_tx before they are complete");
}

TEST(test_tx_overdelivery)
{
	const uint32_t fault = DRM_VSM_FAULT_TX_OVERDELIVERY;

	assert_says(vsm_prep_mbarrier_complete_tx(ADDR, 128, 0), fault, word(1, 1, 64), 0,
		    "complete_tx of 128 on the mbarrier at CTA 0 + 0x40",
		    "no arrival is pending and the tx-count is 64, so 64 bytes more would be complete than were announced",
		    "announce all bytes with expect_tx before the last arrive");
	assert_says(vsm_prep_mbarrier_arrive_expect_tx(ADDR, 63, 0), fault, word(1, 0, -64), 0,
		    "arrive.expect_tx of 63 on the mbarrier at CTA 0 + 0x40",
		    "1 arrival is pending and the tx-count is -64, so 1 byte more would be complete than was announced",
		    "announce all bytes with expect_tx before the last arrive");
	assert_says(g2s(0x400, 256, ADDR), fault, word(2, 2, 16), 0,
		    "cp.async.bulk of 256 bytes on the mbarrier at CTA 0 + 0x40",
		    "no arrival is pending and the tx-count is 16, so 240 bytes more would be complete than were announced",
		    "announce all bytes with expect_tx before the last arrive");
	assert_says(tensor_g2s(0x400, 64, ADDR), fault, word(2, 2, 16), 0,
		    "cp.async.bulk.tensor of 2 dimensions on the mbarrier at CTA 0 + 0x40",
		    "no arrival is pending and the tx-count is 16",
		    "announce all bytes with expect_tx before the last arrive");
}

TEST(test_remote_forbidden)
{
	const uint32_t fault = DRM_VSM_FAULT_REMOTE_FORBIDDEN;

	assert_says(vsm_prep_mbarrier_arrive(REMOTE, 0), fault, 0, 0,
		    "arrive on the mbarrier at CTA 1 + 0x40",
		    "no state is returned from .shared::cluster",
		    "use the sink _");
	assert_says(vsm_prep_mbarrier_arrive_drop(ADDR, VSM_SHARED_CLUSTER), fault, 0, 0,
		    "arrive_drop on the mbarrier at CTA 0 + 0x40",
		    "no state is returned from .shared::cluster",
		    "use the sink _ or spell .shared::cta");
	assert_says(vsm_prep_mbarrier_arrive_nocomplete(REMOTE, 1, VSM_SINK), fault, 0, 0,
		    "arrive.noComplete of 1 on the mbarrier at CTA 1 + 0x40",
		    "a thread of CTA 0 can do this only in its own window",
		    "let a thread of CTA 1 execute it");
	assert_says(vsm_prep_mbarrier_test_wait_parity(ADDR, 0, VSM_SHARED_CLUSTER), fault, 0, 0,
		    "test_wait.parity on the mbarrier at CTA 0 + 0x40",
		    ".shared::cluster is not supported",
		    "spell .shared::cta");
	cta = 2;
	assert_says(vsm_prep_cp_async(0x01000400, 3, 0, 16, VSM_CG), fault, 0, 0,
		    "cp.async of 16 bytes to CTA 1 + 0x400",
		    "a thread of CTA 2 can do this only in its own window",
		    "let a thread of CTA 1 execute it");
	assert_says(s2s(0x400, REMOTE, ADDR), fault, 0, 0,
		    "cp.async.bulk of 64 bytes to CTA 0 + 0x400",
		    "its source is at CTA 1 + 0x40, but a thread of CTA 2 can read only its own window",
		    "let a thread of CTA 1 execute it");
	assert_says(s2g(REMOTE, 256), fault, 0, 0,
		    "cp.async.bulk of 256 bytes from CTA 1 + 0x40",
		    "a thread of CTA 2 can do this only in its own window",
		    "let a thread of CTA 1 execute it");
	layout = VSM_LAYOUT_SM_80;
	assert_says(vsm_prep_mbarrier_arrive(REMOTE, VSM_SINK), fault, 0, 0,
		    "arrive on the mbarrier at CTA 1 + 0x40",
		    "in layout sm_80 a thread of CTA 2 can use only its own window",
		    "let a thread of CTA 1 execute it");
}

TEST(test_bad_order)
{
	const unsigned int acquire = VSM_ACQUIRE | VSM_CLUSTER, release = VSM_RELEASE | VSM_CLUSTER;
	struct drm_vsm_insn insn;

	assert_order(vsm_prep_mbarrier_arrive(ADDR, VSM_RELEASE),
		     "qualifiers .sem and .scope of mbarrier.arrive must be given together");
	assert_order(vsm_prep_mbarrier_try_wait(ADDR, 0, VSM_CTA),
		     "qualifiers .sem and .scope of mbarrier.try_wait must be given together");
	assert_order(vsm_prep_mbarrier_arrive(ADDR, acquire),
		     "only .release and .relaxed ordering are supported for mbarrier.arrive");
	assert_order(vsm_prep_mbarrier_arrive_drop_expect_tx(ADDR, 64, acquire),
		     "only .release and .relaxed ordering are supported for mbarrier.arrive_drop.expect_tx");
	assert_order(vsm_prep_mbarrier_arrive_nocomplete(ADDR, 1, release),
		     "mbarrier.arrive.noComplete supports .release.cta only");
	assert_order(vsm_prep_mbarrier_try_wait_hint(ADDR, 0, 5, release),
		     "only .acquire and .relaxed ordering are supported for mbarrier.try_wait");
	assert_order(vsm_prep_mbarrier_test_wait_parity(ADDR, 0, release),
		     "only .acquire and .relaxed ordering are supported for mbarrier.test_wait.parity");
	assert_order(vsm_prep_mbarrier_expect_tx(ADDR, 64, release),
		     "only .relaxed ordering is supported for mbarrier.expect_tx");
	assert_order(vsm_prep_mbarrier_complete_tx(ADDR, 64, release),
		     "only .relaxed ordering is supported for mbarrier.complete_tx");
	assert_order(vsm_prep_mbarrier_init(ADDR, 1, VSM_CTA),
		     "mbarrier.init takes no .sem and no .scope");
	assert_order(vsm_prep_cp_async_mbarrier_arrive_noinc(ADDR, release),
		     "cp.async.mbarrier.arrive.noinc takes no .sem and no .scope");
	insn = g2s(0x400, 256, ADDR);
	insn.sem = DRM_VSM_SEM_RELAXED;
	assert_order(insn, "cp.async.bulk takes no .sem and no .scope");
	insn = vsm_prep_fence_mbarrier_init();
	insn.scope = 0;
	assert_order(insn, "fence.mbarrier_init supports .release.cluster only");
	assert_order(vsm_prep_fence(VSM_RELAXED | VSM_CTA),
		     "fence supports .sc, .acq_rel, .acquire and .release only, with a .scope");
	insn = store(0x400, ADDR);
	insn.scope = DRM_VSM_SCOPE_CTA;
	assert_order(insn, "st.async supports .weak only");
	insn = vsm_prep_red_async(DRM_VSM_RED_INC, DRM_VSM_TYPE_U32, 0x400, 1, ADDR, release);
	assert_order(insn, "red.async supports .relaxed.cluster only");
	assert_order(vsm_prep_barrier_cluster_arrive(release),
		     "barrier.cluster.arrive supports .release and .relaxed only, without a .scope");
	assert_order(vsm_prep_barrier_cluster_wait(VSM_RELAXED),
		     "barrier.cluster.wait supports .acquire only, without a .scope");
	assert_order(vsm_prep_barrier_sync(0, acquire),
		     "barrier.cta.sync takes no .sem and no .scope");
	insn = vsm_prep_vote_sync_ballot(true, 3);
	insn.sem = DRM_VSM_SEM_ACQUIRE;
	assert_order(insn, "vote.sync.ballot takes no .sem and no .scope");
}

TEST(test_poisoned)
{
	const uint32_t fault = DRM_VSM_FAULT_POISONED;

	assert_says(vsm_prep_mbarrier_arrive(ADDR, 0), fault, word(1, 0, 0) | VSM_SM_90_POISON, 0,
		    "arrive on the mbarrier at CTA 0 + 0x40",
		    "its poison bit is set, so the operation trapped and the cluster is lost",
		    "look for a cp.async.mbarrier.arrive.noinc too many, or for a store to the word");
}

TEST(test_phase_unobserved)
{
	const uint32_t fault = DRM_VSM_FAULT_PHASE_UNOBSERVED;

	assert_says(vsm_prep_mbarrier_arrive(ADDR, 0), fault, word(1, 0, 0) | VSM_MBARRIER_PHASE, 0,
		    "arrive on the mbarrier at CTA 0 + 0x40",
		    "no wait has returned True for the previous phase, of parity 0",
		    "wait for each phase before the next one is complete");
	assert_says(vsm_prep_mbarrier_arrive_count(ADDR, 3, 0), fault, word(3, 0, 0), 0,
		    "arrive of 3 on the mbarrier at CTA 0 + 0x40",
		    "no wait has returned True for the previous phase, of parity 1",
		    "wait for each phase before the next one is complete");
	assert_says(vsm_prep_mbarrier_arrive_count(ADDR, 2, 0), fault, word(3, 0, 0), 0,
		    "arrive of 2 on the mbarrier at CTA 0 + 0x40",
		    "no wait has returned True for the previous phase, of parity 1",
		    "wait for each phase before arriving in the next");
	assert_says(g2s(0x400, 256, ADDR), fault, word(1, 1, 256), 0,
		    "cp.async.bulk of 256 bytes on the mbarrier at CTA 0 + 0x40",
		    "no wait has returned True for the previous phase, of parity 1",
		    "wait for each phase before the next one is complete");
	assert_says(vsm_prep_cp_async_mbarrier_arrive(ADDR, 0), fault,
		    word(2, 0, 0) & ~VSM_MBARRIER_PHASE, 0,
		    "cp.async.mbarrier.arrive on the mbarrier at CTA 0 + 0x40",
		    "no wait has returned True for the previous phase, of parity 1",
		    "wait for each phase before arriving in the next");
}

TEST(test_tokens)
{
	assert_says(vsm_prep_mbarrier_test_wait(ADDR, TOKEN, 0), DRM_VSM_FAULT_STALE_TOKEN,
		    word(1, 0, 0), 0,
		    "test_wait on the mbarrier at CTA 0 + 0x40",
		    "the token is older than the immediately preceding phase, or of another object",
		    "wait with the token of the last arrive");
	assert_says(vsm_prep_mbarrier_pending_count(TOKEN), DRM_VSM_FAULT_NOT_A_PENDING_TOKEN, 0, 0,
		    "pending_count of the token 0x7fff000012345678",
		    "no .noComplete arrive returned this token",
		    "use the token of an arrive.noComplete or an arrive_drop.noComplete");
}

#define FENCE "after the init, let its thread execute fence.mbarrier_init.release.cluster"

TEST(test_init_not_fenced)
{
	assert_says(vsm_prep_mbarrier_arrive(REMOTE, VSM_SINK), DRM_VSM_FAULT_INIT_NOT_FENCED,
		    word(1, 0, 0), 0,
		    "arrive on the mbarrier at CTA 1 + 0x40",
		    "its init may not be visible to CTA 0 yet",
		    FENCE ", or let all threads execute barrier.cluster.arrive.release and .wait");
}

TEST(test_write_over_live)
{
	const uint32_t fault = DRM_VSM_FAULT_WRITE_OVER_LIVE;

	assert_says(g2s(0x01000000, 256, 0x01000200), fault, word(1, 0, 0), REMOTE,
		    "cp.async.bulk of 256 bytes to CTA 1 + 0x0",
		    "it would write over the valid mbarrier at CTA 1 + 0x40",
		    "place them apart, or execute inval first");
	assert_says(vsm_prep_cp_async(0x40, 3, 0, 4, 0), fault, word(1, 0, 0), ADDR,
		    "cp.async of 4 bytes to CTA 0 + 0x40",
		    "it would write over the valid mbarrier at CTA 0 + 0x40",
		    "place them apart, or execute inval first");
}

TEST(test_late_completion)
{
	const uint32_t fault = DRM_VSM_FAULT_LATE_COMPLETION;

	assert_says(g2s(0x400, 256, ADDR), fault, word(1, 0, 0), 0,
		    "cp.async.bulk of 256 bytes on the mbarrier at CTA 0 + 0x40",
		    "it completed after its phase was complete, or after the mbarrier became invalid",
		    "announce its bytes with expect_tx before the last arrive");
	assert_says(store(0x400, ADDR), fault, word(1, 0, 0), 0,
		    "st.async of 8 bytes on the mbarrier at CTA 0 + 0x40",
		    "it completed after its phase was complete, or after the mbarrier became invalid",
		    "announce its bytes with expect_tx before the last arrive");
	assert_says(vsm_prep_cp_async_mbarrier_arrive_noinc(ADDR, 0), fault, word(1, 0, 0), 0,
		    "cp.async.mbarrier.arrive.noinc on the mbarrier at CTA 0 + 0x40",
		    "it completed after its phase was complete, or after the mbarrier became invalid",
		    "init it with a count that includes the arrivals of .noinc");
	assert_says(vsm_prep_cp_async_mbarrier_arrive(ADDR, 0), fault, 0, 0,
		    "cp.async.mbarrier.arrive on the mbarrier at CTA 0 + 0x40",
		    "it completed after its phase was complete, or after the mbarrier became invalid",
		    "wait for the phase before inval");
}

TEST(test_plain_access)
{
	/* There is no instruction of the device. */
	const struct drm_vsm_insn insn = {
		.fault = DRM_VSM_FAULT_PLAIN_ACCESS, .info = 0x01000040,
	};
	char text[256];

	vsm_fault_message(VSM_LAYOUT_SM_90, 0, &insn, text, sizeof(text));
	assert_string_equal(text,
			    "a load, a store or an atomic operation accesses the valid mbarrier at CTA 1 + 0x40; use only instructions for mbarriers there, or execute inval first");
}

TEST(test_deadlock)
{
	const struct drm_vsm_insn insn = vsm_prep_mbarrier_try_wait_parity(ADDR, 0, 0);
	const uint32_t fault = DRM_VSM_FAULT_DEADLOCK;
	static const struct {
		uint32_t warps;
		const char *text;
	} exited[] = {
		{ 0x6, "warps 1 and 2" }, { 0x1c, "warps 2 to 4" }, { 0x2a, "warps 1, 3 and 5" },
		{ 0xf0000ebd, "warps 0, 2 to 5, 7, 9 to 11 and 28 to 31" },
		{ 0xc0000000, "warps 30 and 31" }, { 0x1a, "warps 1, 3 and 4" },
	};
	char text[256];
	size_t i;

	assert_says(insn, fault, word(2, 1, 64), 2,
		    "try_wait.parity on the mbarrier at CTA 0 + 0x40",
		    "the phase lacks 1 arrival and 64 bytes, all 2 threads of the cluster are suspended, and nothing is in flight",
		    "let a thread arrive before all threads wait");
	assert_says(insn, fault, word(2, 0, -64), 1,
		    "try_wait.parity on the mbarrier at CTA 0 + 0x40",
		    "the phase lacks 2 arrivals, the only thread of the cluster is suspended, and nothing is in flight",
		    "let a thread arrive before all threads wait");
	assert_says(insn, fault, word(2, 2, 1), 0,
		    "try_wait.parity on the mbarrier at CTA 0 + 0x40",
		    "the phase lacks 1 byte, every thread of the cluster is suspended, and nothing is in flight",
		    "let a thread arrive before all threads wait");
	assert_says(vsm_prep_match_any_sync_b32(1, 3), fault, 0, 2,
		    "match.any.sync with membermask 0x3",
		    "all 2 threads of the cluster are suspended, and nothing is in flight",
		    "let all lanes of the membermask execute it before they wait elsewhere");
	assert_says(vsm_prep_barrier_sync_count(1, 64, 0), fault, 0, 64,
		    "barrier.cta.sync of 64 threads at named barrier 1 of CTA 0",
		    "0 of 64 arrivals; all 64 threads of the cluster are suspended, and nothing is in flight",
		    "let all warps that it counts arrive before they wait elsewhere");
	assert_says(vsm_prep_barrier_sync_count(1, 64, 0), fault, 2ULL << 32 | 32, 32,
		    "barrier.cta.sync of 64 threads at named barrier 1 of CTA 0",
		    "32 of 64 arrivals; warp 1 has exited; a barrier with a count does not count it; all 32 threads of the cluster are suspended, and nothing is in flight",
		    "count only warps that arrive, or give no count");
	for (i = 0; i < sizeof(exited) / sizeof(exited[0]); i++) {
		snprintf(text, sizeof(text),
			 "32 of 2048 arrivals; %s have exited; a barrier with a count does not count them; all 32 threads of the cluster are suspended, and nothing is in flight",
			 exited[i].text);
		assert_says(vsm_prep_barrier_sync_count(1, 2048, 0), fault,
			    (uint64_t)exited[i].warps << 32 | 32, 32,
			    "barrier.cta.sync of 2048 threads at named barrier 1 of CTA 0", text,
			    "count only warps that arrive, or give no count");
	}
	/* The count of a barrier without one is not known. */
	assert_says(vsm_prep_barrier_sync(1, 0), fault, 2ULL << 32 | 32, 64,
		    "barrier.cta.sync at named barrier 1 of CTA 0",
		    "all 64 threads of the cluster are suspended, and nothing is in flight",
		    "let all warps that it counts arrive before they wait elsewhere");
	assert_says(vsm_prep_barrier_cluster_wait(0), fault, 0, 1,
		    "barrier.cluster.wait",
		    "the only thread of the cluster is suspended, and nothing is in flight",
		    "let all threads of the cluster arrive before they wait elsewhere");
}

TEST(test_warp_operations)
{
	const struct drm_vsm_insn shfl = vsm_prep_shfl_sync(DRM_VSM_MODE_BFLY, 1, 4, 0x1f, 0x1f);
	const char *mismatch =
		"let all lanes of a membermask execute the same instruction with that mask";

	assert_says(vsm_prep_match_all_sync_b64(1, 0xf0), DRM_VSM_FAULT_NOT_IN_MASK, 0, 0,
		    "match.all.sync with membermask 0xf0",
		    "the thread that executes it is not in the mask",
		    "set its bit, or let only the lanes of the mask execute it");
	assert_says(vsm_prep_vote_sync(DRM_VSM_MODE_UNI, true, 0xf), DRM_VSM_FAULT_WARP_MISMATCH,
		    0, 3,
		    "vote.sync.uni with membermask 0xf",
		    "lane 3 waits for this thread in another instruction, or with other qualifiers or another membermask",
		    mismatch);
	assert_says(vsm_prep_redux_sync(DRM_VSM_RED_XOR, DRM_VSM_TYPE_B32, 1, 0xf),
		    DRM_VSM_FAULT_WARP_MISMATCH, 0, 0,
		    "redux.sync.xor with membermask 0xf",
		    "lane 0 waits for this thread in another instruction, or with other qualifiers or another membermask",
		    mismatch);
	assert_says(shfl, DRM_VSM_FAULT_SHFL_SOURCE, 0, 5,
		    "shfl.sync.bfly with membermask 0x1f",
		    "it reads lane 5, which is not in the mask",
		    "set its bit and let it execute the same instruction, or read another lane");
	assert_says(shfl, DRM_VSM_FAULT_SHFL_SOURCE, 0, 4,
		    "shfl.sync.bfly with membermask 0x1f",
		    "it reads lane 4, which has exited",
		    "let that lane execute it before it exits, or read another lane");
}

TEST(test_barriers)
{
	cta = 1;
	assert_says(vsm_prep_barrier_sync(0, VSM_ALIGNED), DRM_VSM_FAULT_PARTIAL_WARP, 0, 31,
		    "barrier.cta.sync at named barrier 0 of CTA 1",
		    "it waits for all threads of the warp, but lane 31 waits for this thread in another instruction",
		    "let all threads of the warp execute the same barrier instruction");
	assert_says(vsm_prep_barrier_sync(16, 0), DRM_VSM_FAULT_BARRIER_ID, 0, 0,
		    "barrier.cta.sync at named barrier 16 of CTA 1",
		    "a CTA has the named barriers 0 to 15",
		    NULL);
	assert_says(vsm_prep_barrier_arrive(1, 33, 0), DRM_VSM_FAULT_BARRIER_COUNT, 0, 0,
		    "barrier.cta.arrive of 33 threads at named barrier 1 of CTA 1",
		    "the count must be a multiple of 32, the size of a warp, and must not be 0",
		    NULL);
	assert_says(vsm_prep_barrier_arrive(1, 0, 0), DRM_VSM_FAULT_BARRIER_COUNT, 0, 0,
		    "barrier.cta.arrive of 0 threads at named barrier 1 of CTA 1",
		    "the count must be a multiple of 32, the size of a warp, and must not be 0",
		    NULL);
	assert_says(vsm_prep_barrier_sync(1, 0), DRM_VSM_FAULT_BARRIER_MISMATCH, 0, 64,
		    "barrier.cta.sync at named barrier 1 of CTA 1",
		    "the warps that have arrived expect 64 threads",
		    "let all warps at this barrier use the same count");
	assert_says(vsm_prep_barrier_arrive(1, 64, 0), DRM_VSM_FAULT_BARRIER_OVERFLOW, 0, 0,
		    "barrier.cta.arrive of 64 threads at named barrier 1 of CTA 1",
		    "the warp has arrived already, and the barrier is not complete",
		    "wait by .sync before the warp arrives again, or use another barrier");
	assert_says(vsm_prep_barrier_red_popc(1, true, 0), DRM_VSM_FAULT_BARRIER_MIXED, 0, 0,
		    "barrier.cta.red.popc at named barrier 1 of CTA 1",
		    "warps have arrived by .sync or .arrive, or by another reduction",
		    "let all warps at this barrier execute the same reduction, or none");
	assert_says(vsm_prep_barrier_arrive(1, 64, 0), DRM_VSM_FAULT_BARRIER_MIXED, 0, 0,
		    "barrier.cta.arrive of 64 threads at named barrier 1 of CTA 1",
		    "warps have arrived by .red",
		    "let all warps at this barrier execute the same reduction, or none");
}

TEST(test_cluster_barrier)
{
	assert_says(vsm_prep_barrier_cluster_arrive(0), DRM_VSM_FAULT_CLUSTER_ARRIVED, 0, 0,
		    "barrier.cluster.arrive",
		    "the thread has arrived already",
		    "let it execute barrier.cluster.wait before it arrives again");
	assert_says(vsm_prep_barrier_cluster_wait(0), DRM_VSM_FAULT_CLUSTER_NOT_ARRIVED, 0, 0,
		    "barrier.cluster.wait",
		    "the thread has not arrived",
		    "let it execute barrier.cluster.arrive first");
	assert_says(vsm_prep_barrier_cluster_wait(0), DRM_VSM_FAULT_PARTIAL_WARP, 0, 2,
		    "barrier.cluster.wait",
		    "it waits for all threads of the warp, but lane 2 waits for this thread in another instruction",
		    "let all threads of the warp execute the same barrier instruction");
}

/* The device may refuse any instruction if its thread has exited or is suspended. */
TEST(test_threads)
{
	const char *last = "let exit be the last instruction of the thread, or use another thread";
	const char *again =
		"continue that instruction first, or let only one task execute as the thread";

	assert_says(vsm_prep_mbarrier_arrive(ADDR, 0), DRM_VSM_FAULT_THREAD_EXITED, 0, 0,
		    "arrive on the mbarrier at CTA 0 + 0x40", "the thread has exited", last);
	assert_says(g2s(0x400, 256, ADDR), DRM_VSM_FAULT_THREAD_EXITED, 0, 0,
		    "cp.async.bulk of 256 bytes to CTA 0 + 0x400", "the thread has exited", last);
	assert_says(vsm_prep_exit(), DRM_VSM_FAULT_THREAD_EXITED, 0, 0,
		    "exit", "the thread has exited", last);
	assert_says(vsm_prep_bar_warp_sync(1), DRM_VSM_FAULT_THREAD_SUSPENDED, 0, 0,
		    "bar.warp.sync with membermask 0x1",
		    "the thread is suspended in another instruction", again);
}

TEST(test_pending_range)
{
	assert_says(vsm_prep_cp_async_mbarrier_arrive(ADDR, 0), DRM_VSM_FAULT_PENDING_RANGE,
		    word(MAX, 0, 0), 0,
		    "cp.async.mbarrier.arrive on the mbarrier at CTA 0 + 0x40",
		    "it would raise the pending arrivals above 1048575",
		    "use .noinc, and init it with a count that includes the arrival");
}

TEST(test_copies)
{
	assert_says(g2s(0x400, 100, ADDR), DRM_VSM_FAULT_COPY_SIZE, 0, 0,
		    "cp.async.bulk of 100 bytes to CTA 0 + 0x400",
		    "the size must be a multiple of 16",
		    NULL);
	assert_says(s2g(0x400, 1), DRM_VSM_FAULT_COPY_SIZE, 0, 0,
		    "cp.async.bulk of 1 byte from CTA 0 + 0x400",
		    "the size must be a multiple of 16",
		    NULL);
	assert_says(vsm_prep_cp_async_src_size(0x400, 3, 0, 8, 12, 0), DRM_VSM_FAULT_COPY_SIZE, 0,
		    0,
		    "cp.async of 8 bytes to CTA 0 + 0x400",
		    "src-size is 12, but must not be above the size",
		    NULL);
	assert_says(g2s(0x400, 256, ADDR), DRM_VSM_FAULT_COPY_BOUNDS, 0, 0,
		    "cp.async.bulk of 256 bytes to CTA 0 + 0x400",
		    "buffer 3 is too small for that size at offset 0x1f80",
		    "check offset and size");
	assert_says(g2s(0x01000400, 256, ADDR), DRM_VSM_FAULT_COPY_MBARRIER, 0, 0,
		    "cp.async.bulk of 256 bytes to CTA 1 + 0x400",
		    "its mbarrier is at CTA 0 + 0x40",
		    "use one in CTA 1");
	assert_says(store(REMOTE, ADDR), DRM_VSM_FAULT_COPY_MBARRIER, 0, 0,
		    "st.async of 8 bytes to CTA 1 + 0x40",
		    "its mbarrier is at CTA 0 + 0x40",
		    "use one in CTA 1");
	assert_says(vsm_prep_cp_reduce_async_bulk_s2g(DRM_VSM_RED_ADD, DRM_VSM_TYPE_U32, 3, 0,
						      0x400, 4),
		    DRM_VSM_FAULT_COPY_SIZE, 0, 0,
		    "cp.reduce.async.bulk of 4 bytes from CTA 0 + 0x400",
		    "the size must be a multiple of 16",
		    NULL);
	assert_says(vsm_prep_cp_async_bulk_prefetch(3, 4096, 64), DRM_VSM_FAULT_COPY_BOUNDS, 0, 0,
		    "cp.async.bulk.prefetch of 64 bytes",
		    "buffer 3 is too small for that size at offset 0x1000",
		    "check offset and size");
	assert_says(tensor_g2s(0x400, 64, ADDR), DRM_VSM_FAULT_COPY_BOUNDS, 0, 0,
		    "cp.async.bulk.tensor of 2 dimensions to CTA 0 + 0x400",
		    "the buffer of its tensor map is too small for the tensor",
		    "check the map's offset, sizes and strides");
}

TEST(test_copies_in_flight)
{
	assert_says(g2s(0x400, 256, ADDR), DRM_VSM_FAULT_COPY_OVERLAP, 0, 0,
		    "cp.async.bulk of 256 bytes to CTA 0 + 0x400",
		    "it writes bytes that another copy in flight reads or writes",
		    "wait for the other copy first");
	assert_says(s2g(0x400, 256), DRM_VSM_FAULT_COPY_INCOMPLETE, 0, 0,
		    "cp.async.bulk of 256 bytes from CTA 0 + 0x400",
		    "it reads bytes that another copy in flight writes",
		    "wait for the other copy first");
	assert_says(vsm_prep_cp_async_bulk_prefetch_tensor(3, NULL, coords),
		    DRM_VSM_FAULT_COPY_INCOMPLETE, 0, 0,
		    "cp.async.bulk.prefetch.tensor of 3 dimensions",
		    "it reads bytes that another copy in flight writes",
		    "wait for the other copy first");
}

TEST(test_tensor_map)
{
	assert_says(tensor_g2s(0x400, 64, ADDR), DRM_VSM_FAULT_TENSOR_MAP, 0, DRM_VSM_TENSOR_DIMS,
		    "cp.async.bulk.tensor of 2 dimensions to CTA 0 + 0x400",
		    "its tensor map is refused because the instruction has another number of dimensions",
		    NULL);
	assert_says(vsm_prep_cp_async_bulk_prefetch_tensor(1, NULL, coords),
		    DRM_VSM_FAULT_TENSOR_MAP, 0, 0xffffffff,
		    "cp.async.bulk.prefetch.tensor of 1 dimension",
		    "its tensor map is refused because this version of libvsm does not know why",
		    NULL);
	assert_says(vsm_prep_cp_async_bulk_tensor_s2g(3, NULL, (int32_t[]){ 0, -2, -8 }, ADDR),
		    DRM_VSM_FAULT_TENSOR_MAP, 0, DRM_VSM_TENSOR_NEGATIVE,
		    "cp.async.bulk.tensor of 3 dimensions from CTA 0 + 0x40",
		    "its tensor map is refused because a store or reduction begins at a negative coordinate: -2 in dimension 1",
		    NULL);
}

TEST(test_no_such_fault)
{
	struct drm_vsm_insn insn;

	assert_says(vsm_prep_mbarrier_arrive(ADDR, 0), DRM_VSM_FAULT_NONE, 0, 0,
		    "arrive on the mbarrier at CTA 0 + 0x40",
		    "no fault",
		    NULL);
	assert_says(vsm_prep_fence_mbarrier_init(), DRM_VSM_FAULT_NONE, 0, 0,
		    "fence.mbarrier_init",
		    "no fault",
		    NULL);
	assert_says(g2s(0x400, 256, ADDR), 77, 0, 0,
		    "cp.async.bulk of 256 bytes to CTA 0 + 0x400",
		    "fault 77, which this version of libvsm does not know",
		    NULL);
	memset(&insn, 0, sizeof(insn));
	insn.op = 99;
	assert_order(insn, "op 99 takes no .sem and no .scope");
	assert_says(insn, DRM_VSM_FAULT_MISALIGNED, 0, 0,
		    "op 99",
		    "the address must be a multiple of 8",
		    NULL);
}

TEST(test_random)
{
	struct drm_vsm_insn insn;
	char text[512];
	int i, length;

	for (i = 0; i < RANDOM_INSNS; i++) {
		insn = random_insn();
		layout = random_bits() & 3;
		cta = random_bits() & 1 ? insn.u.mbarrier.addr >> 24 : random_bits();
		length = message(&insn, text, sizeof(text));
		assert_in_range(length, 12, sizeof(text) - 1);
		assert_int_equal(strlen(text), length);
		if (i < 200)
			assert_cut(message, &insn);
	}
}

TEST_MAIN()
