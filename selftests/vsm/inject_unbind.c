// SPDX-License-Identifier: GPL-2.0-only
/*
 * Unbinding the device under load, as in unbind.c, while rules of injection make everything fail
 * that can fail. Every task gets ENODEV, every fence signals, and a new device works.
 *
 * Each run tries some of the rules one at a time, and all rules at once. VSM_TEST_SHARE=1 tries
 * each of them. VSM_TEST_SEED repeats those of an earlier run.
 */
#include "driver.h"
#include "inject_all.h"
#include "load.h"

#define A AT(0, 0x40)
#define SHORT_DELAY 1000000	/* ns */

FIXTURE(inject_unbind)
{
};

FIXTURE_SETUP(inject_unbind)
{
	int fd = vsm_open();

	/* The previous test may have left the device unbound. */
	if (fd == -ENODEV && !device_bind())
		fd = vsm_open();
	ASSERT_LE(0, fd);
	EXPECT_EQ(0, inject_device_remove(fd, 0));
	close(fd);
}

/* A new device can be bound, has no rules, and works. */
FIXTURE_TEARDOWN(inject_unbind)
{
	uint64_t counts[RULES_MAX];
	struct cluster c;
	int fd;

	device_bind();
	fd = vsm_open();
	ASSERT_LE(0, fd);
	EXPECT_EQ(0, rules_fired(fd, counts));
	ASSERT_EQ(0, cluster_create(&c, fd, VSM_LAYOUT_SM_90, DRM_VSM_POLICY_STRICT));
	EXPECT_EQ(0, exec_one(&c, i_init(A, 1)));
	EXPECT_EQ(1, job_status(&c, 0, i_sink(i_arrive(A))));
	EXPECT_EQ(1, exec_result(&c, i_try_parity(A, 0, LONG_HINT)));
	EXPECT_EQ(0, cluster_destroy(&c));
	close(fd);
}

/* Waits until the rules of a client or of its device have fired @times times. */
static int await_rules(int fd, uint64_t times)
{
	struct drm_vsm_inject_query query = { .flags = DRM_VSM_INJECT_NEXT };
	int64_t limit = now_ns() + AMPLE;
	uint64_t fired[RULES_MAX], sum;
	int i, count;

	do {
		sum = 0;
		count = rules_fired(fd, fired);
		for (i = 0; i < count; i++)
			sum += fired[i];
		query.rule = 1;
		while (!vsm_ioctl(fd, DRM_IOCTL_VSM_INJECT_QUERY, &query)) {
			sum += query.info.fired;
			query.rule = query.info.rule + 1;
		}
		if (now_ns() > limit)
			return -ETIME;
	} while (sum < times && !sched_yield());
	return 0;
}

TEST_F(inject_unbind, under_each_rule_everybody_gets_enodev)
{
	const uint32_t share = rules_share(4, 4);
	struct drm_vsm_inject_rule rules[RULES_MAX];
	uint32_t i, count = all_rules(rules, 3600 * SECOND);

	for (i = rules_seed % share; i < count; i += share) {
		struct load l = { .under_rules = true };

		ASSERT_EQ(0, load_open(&l));
		/* Rules of the client and of the device take turns. */
		ASSERT_LE(0, (i / share + rules_seed) % 2 ? inject_device(l.c.fd, rules[i])
							  : inject(l.c.fd, rules[i]));
		ASSERT_EQ(0, load_start(&l));
		ASSERT_EQ(0, await_rules(l.c.fd, 1))
			TH_LOG("%s %s", wheres[rules[i].where], whats[rules[i].what].name);
		ASSERT_EQ(0, device_unbind());
		load_expect_enodev(_metadata, &l);
		ASSERT_EQ(0, device_bind());
	}
	TH_LOG("VSM_TEST_SHARE=%u VSM_TEST_SEED=%llu", share, (unsigned long long)rules_seed);
}

/*
 * The rules of the client and of the device are the same, except that each has random numbers of
 * its own. Calls that hang and a cluster that is lost may soon leave little to do. But the four
 * tasks that allocate and import go on until a rule has fired for each of them.
 */
TEST_F(inject_unbind, under_all_rules_everybody_gets_enodev)
{
	struct drm_vsm_inject_rule rules[RULES_MAX];
	uint32_t i, round, count = all_rules(rules, SHORT_DELAY);

	TH_LOG("VSM_TEST_SEED=%llu", (unsigned long long)rules_seed);
	for (round = 0; round < 5; round++) {
		struct load l = { .under_rules = true };

		ASSERT_EQ(0, load_open(&l));
		for (i = 0; i < count; i++) {
			rules[i].probability = 100000;
			rules[i].seed = rules_seed + 1000 * round + i;
			ASSERT_LT(0, inject(l.c.fd, rules[i]));
			rules[i].seed += 500;
			ASSERT_LT(0, inject_device(l.c.fd, rules[i]));
		}
		ASSERT_EQ(0, load_start(&l));
		ASSERT_EQ(0, await_rules(l.c.fd, 4));
		ASSERT_EQ(0, device_unbind());
		load_expect_enodev(_metadata, &l);
		ASSERT_EQ(0, device_bind());
	}
}

TEST_HARNESS_MAIN
