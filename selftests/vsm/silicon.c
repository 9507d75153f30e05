// SPDX-License-Identifier: GPL-2.0-only
/*
 * A sample of what an H100 was recorded to do, through EXEC of the device: words, results and traps
 * of mbarrier operations under the hardware policy. The unit test test_word_silicon compares all
 * recordings with the driver's core.
 */
#include "async.h"
#include "../recorded.h"

/* A step of a program: an operation, and the answers of test_wait for both parities afterwards */
struct step {
	const char *name;
	uint32_t operand;
	uint64_t result;
	uint32_t waits[2];
	uint64_t word;
};

/* An operation on a word */
struct transition {
	const char *name;
	uint32_t operand;
	uint64_t before, token;	/* the word, and what a test_wait takes */
	bool traps;
	uint64_t after, result;
};

#include "silicon_rows.h"

FIXTURE(silicon) { struct cluster c; };

static int create(struct cluster *c, int fd)
{
	int ret = cluster_create(c, fd, VSM_LAYOUT_SM_90, DRM_VSM_POLICY_HARDWARE);

	return ret ? ret : exec_one(c, i_init(END, 1));
}

FIXTURE_SETUP(silicon)
{
	ASSERT_EQ(0, create(&self->c, vsm_open()));
}

FIXTURE_TEARDOWN(silicon)
{
	EXPECT_EQ(0, cluster_close(&self->c));
}

/* Executes an operation, and waits until it has completed. */
static int perform(const struct cluster *c, struct drm_vsm_insn *insn)
{
	int ret = exec_stream(c, 0, insn, 1, NULL);

	if (!ret && insn->op == DRM_VSM_OP_CP_ASYNC_MBARRIER_ARRIVE)
		ret = async_finish(c);
	return ret;
}

TEST_F(silicon, programs_are_those_of_an_h100)
{
	const uint32_t addr = AT(0, 0x40);
	size_t i, parity;

	for (i = 0; i < ITEMS(steps); i++) {
		const struct step *s = &steps[i];
		struct drm_vsm_insn insn;

		ASSERT_TRUE(recorded_insn(&insn, addr, s->name, s->operand, 0));
		ASSERT_EQ(0, perform(&self->c, &insn));
		ASSERT_EQ(s->result, insn.result) TH_LOG("step %zu: %s", i, s->name);
		ASSERT_EQ(s->word, word(&self->c, addr)) TH_LOG("step %zu: %s", i, s->name);
		for (parity = 0; parity < 2; parity++)
			ASSERT_EQ(s->waits[parity],
				  exec_result(&self->c, i_test_parity(addr, parity)));
	}
	ASSERT_LT(1000, i);
}

/* A trap leaves the word as it was, and the cluster is lost. */
TEST_F(silicon, operations_and_traps_are_those_of_an_h100)
{
	struct cluster *c = &self->c;
	uint32_t traps = 0;
	size_t i;

	for (i = 0; i < ITEMS(transitions); i++) {
		const struct transition *t = &transitions[i];
		/* The driver knows nothing of a word that is used for the first time. */
		const uint32_t addr = AT(0, 0x100 + 8 * i);
		struct drm_vsm_insn insn;
		int ret;

		ASSERT_TRUE(recorded_insn(&insn, addr, t->name, t->operand, t->token));
		atomic_store(word_at(c, addr), t->before);
		ret = perform(c, &insn);
		ASSERT_EQ(t->traps ? -EPROTO : 0, ret) TH_LOG("row %zu: %s", i, t->name);
		ASSERT_EQ(t->traps ? t->before : t->after, word(c, addr))
			TH_LOG("row %zu: %s", i, t->name);
		if (!t->traps) {
			ASSERT_EQ(t->result, insn.result) TH_LOG("row %zu: %s", i, t->name);
			continue;
		}
		ASSERT_NE(0, insn.fault);
		ASSERT_EQ(-EIO, exec_one(c, i_test_parity(addr, 0)));
		ASSERT_EQ(0, cluster_destroy(c));
		ASSERT_EQ(0, create(c, c->fd));
		traps++;
	}
	ASSERT_EQ(93, traps);
}

TEST_HARNESS_MAIN
