// SPDX-License-Identifier: GPL-2.0-only
/*
 * vsm ps shows programs that hang: its text is compared with what the manual promises. The program
 * is build/tools/vsm.
 */
#include <libgen.h>

#include "rendezvous.h"
#include "state.h"

#define A AT(0, 0x40)
#define B AT(1, 0x48)
#define SIZE 16384

/* The program, which a user can execute who may not read the folder that it is in. */
static int vsm;

static int open_vsm(void)
{
	char path[512] = "", program[640];

	if (readlink("/proc/self/exe", path, sizeof(path) - 1) < 0)
		return -1;
	snprintf(program, sizeof(program), "%s/../tools/vsm", dirname(path));
	return open(program, O_RDONLY);
}

FIXTURE(ps)
{
	struct cluster c;
	char number[16];
	char *text;
};

FIXTURE_SETUP(ps)
{
	vsm = open_vsm();
	ASSERT_LE(0, vsm);
	self->text = malloc(SIZE);
	ASSERT_NE(NULL, self->text);
	ASSERT_EQ(0, rv_create(&self->c, 2, 64, DRM_VSM_POLICY_STRICT));
	ASSERT_EQ(0, exec_one(&self->c, i_init(A, 3)));
	ASSERT_EQ(0, exec_at(&self->c, 1, i_init(B, 1), NULL));
	ASSERT_EQ(0, exec_one(&self->c, i_fence()));
	ASSERT_EQ(0, exec_at(&self->c, 1, i_fence(), NULL));
	snprintf(self->number, sizeof(self->number), "%u", cluster_number(&self->c));
}

FIXTURE_TEARDOWN(ps)
{
	rv_destroy(&self->c);
	free(self->text);
	close(vsm);
}

/* Replaces each number behind @before by N. */
static void blur(char *text, const char *before)
{
	char *at = text, *end;

	while ((at = strstr(at, before))) {
		at += strlen(before);
		for (end = at; (*end >= '0' && *end <= '9') || *end == '.'; end++)
			;
		if (end == at)
			continue;
		*at++ = 'N';
		memmove(at, end, strlen(end) + 1);
	}
}

/* Replaces a time and its unit by T. */
static void blur_time(char *text, const char *before)
{
	char *at = text, *end;

	while ((at = strstr(at, before))) {
		at += strlen(before);
		for (end = at; (*end >= '0' && *end <= '9') || *end == '.'; end++)
			;
		if (end == at || *end != ' ')
			continue;
		end += !strncmp(end, " ms", 3) ? 3 : 2;
		*at++ = 'T';
		memmove(at, end, strlen(end) + 1);
	}
}

/*
 * Runs "vsm ps" with options. Stores its output, without times and numbers of processes, in @text.
 * Returns its exit status.
 */
static int run_ps(char *text, const char *options)
{
	char command[128];
	ssize_t size;
	FILE *pipe;
	int status;

	snprintf(command, sizeof(command), "/proc/self/fd/%d ps %s 2>&1", vsm, options);
	pipe = popen(command, "r");
	if (!pipe)
		return -1;
	size = fread(text, 1, SIZE - 1, pipe);
	text[size] = 0;
	status = pclose(pipe);
	blur(text, "process ");
	blur(text, "task ");
	blur(text, "cluster ");
	blur_time(text, "for ");
	blur_time(text, "at most ");
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* As suspend_as(), with a time limit that does not end before even a slow "vsm ps" does. */
static bool suspend_long(struct exec_thread *t, const struct cluster *c, uint32_t cta,
			 uint32_t thread, struct drm_vsm_insn *wait)
{
	struct drm_vsm_exec args = play_args(c, cta, thread, 0, wait, 1);

	args.deadline = now_ns() + AMPLE;
	return !exec_thread_run(t, c, args) && exec_thread_suspended(t);
}

/* Runs "vsm ps OPTIONS NUMBER" and compares its output. */
#define EXPECT_PS(options, expected) do { \
	char all[64]; \
	snprintf(all, sizeof(all), "%s %s", options, self->number); \
	EXPECT_EQ(0, run_ps(self->text, all)); \
	EXPECT_STREQ(expected, self->text) TH_LOG("%s", self->text); \
} while (0)

#define PHASE_A "the phase of parity 0 of the mbarrier in CTA 0 (offset 64)"
#define PHASE_B "the phase of parity 0 of the mbarrier in CTA 1 (offset 72)"
#define LANES_3 "other lanes of the warp: bar.warp.sync 0x3"
#define EACH_OTHER ": they wait for each other"
#define STUCK "no thread runs, and nothing is in flight: nothing in this cluster can end this wait"
#define WORD_64 "word 0x7ffff3fff81ffffa: phase parity 0, pending 2, expected 3, tx-count 64"
#define WORD_1 "word 0x7ffff800001ffffe: phase parity 0, pending 1, expected 1, tx-count 0"
#define WORD_3 "word 0x7fffe800001ffffa: phase parity 0, pending 3, expected 3, tx-count 0"
#define HEADER "cluster N of device 0, by process N (ps): 2 CTAs of 64 threads"

TEST_F(ps, a_cluster_that_does_nothing)
{
	EXPECT_PS("", HEADER "\n  nothing waits, and nothing is in flight\n");
}

TEST_F(ps, waits_for_phases_say_what_is_missing_and_who_may_still_come)
{
	struct drm_vsm_insn other = i_try_parity(B, 0, LONG_HINT);
	struct drm_vsm_insn wait = i_try_parity_unlimited(A, 0);
	struct exec_thread t, u;

	ASSERT_EQ(0, exec_one(&self->c, i_arrive_expect_tx(A, 64)));
	ASSERT_TRUE(suspend_as(&t, &self->c, 0, 0, DRM_VSM_EXEC_NO_LIMIT | DRM_VSM_EXEC_WARP,
			       &wait, 1));
	EXPECT_PS("", HEADER "\n"
		  "  32 threads: warp 0 of CTA 0 waits for " PHASE_A "\n"
		  "    suspended for T, by process N, task N\n"
		  "    2 arrivals of 3 are missing; 64 bytes are missing\n"
		  "    " WORD_64 "\n");
	/* The waits are listed from the oldest one on: the ticks of the two waits must differ. */
	usleep(20000);
	ASSERT_TRUE(suspend_long(&u, &self->c, 1, 33, &other));
	EXPECT_PS("--why", HEADER "\n"
		  "  32 threads: warp 0 of CTA 0 waits for " PHASE_A "\n"
		  "    suspended for T, by process N, task N\n"
		  "    2 arrivals of 3 are missing; 64 bytes are missing\n"
		  "    " WORD_64 "\n"
		  "    may arrive: warp 1 of CTA 0 runs\n"
		  "    may arrive: lanes of warps 0 and 1 of CTA 1 run\n"
		  "    may arrive: lane 1 of warp 1 of CTA 1 waits for " PHASE_B EACH_OTHER "\n"
		  "  1 thread: lane 1 of warp 1 of CTA 1 waits for " PHASE_B "\n"
		  "    suspended for T, by process N, task N, at most T more\n"
		  "    1 arrival of 1 is missing; no bytes are missing\n"
		  "    " WORD_1 "\n"
		  "    may arrive: warp 1 of CTA 0 runs\n"
		  "    may arrive: warp 0 of CTA 0 waits for " PHASE_A EACH_OTHER "\n"
		  "    may arrive: lanes of warps 0 and 1 of CTA 1 run\n");
	ASSERT_EQ(0, exec_at(&self->c, 1, i_arrive(B), NULL));
	ASSERT_EQ(0, exec_one(&self->c, i_complete_tx(A, 64)));
	ASSERT_EQ(0, exec_one(&self->c, i_arrive_n(A, 2)));
	EXPECT_EQ(0, exec_thread_join(&t));
	EXPECT_EQ(0, exec_thread_join(&u));
}

TEST_F(ps, copies_that_will_complete_a_phase_are_named)
{
	struct drm_vsm_insn wait = i_try_parity(B, 0, LONG_HINT);
	struct exec_thread t;
	struct buffer b;

	ASSERT_EQ(0, buffer_create(&b, self->c.fd, 4096));
	ASSERT_EQ(0, exec_at(&self->c, 1, i_arrive_expect_tx(B, 64), NULL));
	ASSERT_EQ(0, cluster_hold(&self->c, DRM_VSM_HOLD));
	ASSERT_EQ(0, exec_at(&self->c, 1, i_g2s(AT(1, 0x100), B, 64, b.handle, 0), NULL));
	ASSERT_TRUE(suspend_long(&t, &self->c, 1, 3, &wait));
	EXPECT_EQ(0, run_ps(self->text, "--why"));
	EXPECT_NE(NULL, strstr(self->text, HEADER ", held\n")) TH_LOG("%s", self->text);
	EXPECT_NE(NULL, strstr(self->text, "    all arrivals have come; 64 bytes are missing\n"))
		TH_LOG("%s", self->text);
	EXPECT_NE(NULL, strstr(self->text, "    in flight, held: 64 bytes of cp.async.bulk."))
		TH_LOG("%s", self->text);
	EXPECT_NE(NULL, strstr(self->text, ", by lane 0 of warp 0 of CTA 1\n"))
		TH_LOG("%s", self->text);
	EXPECT_NE(NULL, strstr(self->text, "  1 operation in flight, 1 of them held\n"))
		TH_LOG("%s", self->text);
	ASSERT_EQ(0, cluster_hold(&self->c, 0));
	EXPECT_EQ(0, exec_thread_join(&t));
	munmap(b.map, b.size);
}

TEST_F(ps, barriers_say_who_is_missing)
{
	struct drm_vsm_insn sync = i_barrier_sync_n(3, 64), lanes = i_warp_sync(3);
	struct exec_thread t, u;

	ASSERT_TRUE(suspend_as(&t, &self->c, 1, 32, DRM_VSM_EXEC_WARP, &sync, 1));
	usleep(20000);
	ASSERT_TRUE(suspend_as(&u, &self->c, 1, 1, 0, &lanes, 1));
	EXPECT_PS("--why", HEADER "\n"
		  "  32 threads: warp 1 of CTA 1 waits for barrier 3, which needs 64 threads\n"
		  "    suspended for T, by process N, task N\n"
		  "    32 threads have arrived, 32 are missing\n"
		  "    missing: lanes 0 and 2 to 31 of warp 0 of CTA 1 run\n"
		  "    missing: lane 1 of warp 0 of CTA 1 waits for " LANES_3 "\n"
		  "  1 thread: lane 1 of warp 0 of CTA 1 waits for " LANES_3 "\n"
		  "    suspended for T, by process N, task N\n"
		  "    missing: lane 0 of warp 0 of CTA 1 runs\n");
	ASSERT_EQ(0, play_one(&self->c, 1, 0, 0, lanes, NULL));
	EXPECT_EQ(0, rv_join(&u));
	ASSERT_EQ(0, play_one(&self->c, 1, 0, DRM_VSM_EXEC_WARP, i_barrier_arrive(3, 64), NULL));
	EXPECT_EQ(0, rv_join(&t));
}

/* Two threads wait for each other's mbarrier, and all others have exited. */
TEST_F(ps, a_circle_is_said_to_be_one)
{
	struct drm_vsm_insn other = i_try_parity(B, 0, LONG_HINT);
	struct drm_vsm_insn wait = i_try_parity(A, 0, LONG_HINT);
	struct drm_vsm_insn jobs[] = { i_sink(i_arrive_n(A, 3)), i_sink(i_arrive(B)) };
	struct exec_thread t, u;
	uint32_t warp, lane;

	for (warp = 0; warp < 4; warp++)
		for (lane = warp % 2 ? 0 : 1; lane < 32; lane++)
			ASSERT_EQ(0, play_one(&self->c, warp / 2, warp % 2 * 32 + lane, 0, i_exit(),
					      NULL));
	ASSERT_TRUE(suspend_long(&t, &self->c, 0, 0, &wait));
	usleep(20000);
	ASSERT_TRUE(suspend_long(&u, &self->c, 1, 0, &other));
	EXPECT_PS("--why", HEADER ", 126 exited\n"
		  "  1 thread: lane 0 of warp 0 of CTA 0 waits for " PHASE_A "\n"
		  "    suspended for T, by process N, task N, at most T more\n"
		  "    3 arrivals of 3 are missing; no bytes are missing\n"
		  "    " WORD_3 "\n"
		  "    may arrive: lane 0 of warp 0 of CTA 1 waits for " PHASE_B EACH_OTHER "\n"
		  "    " STUCK "\n"
		  "  1 thread: lane 0 of warp 0 of CTA 1 waits for " PHASE_B "\n"
		  "    suspended for T, by process N, task N, at most T more\n"
		  "    1 arrival of 1 is missing; no bytes are missing\n"
		  "    " WORD_1 "\n"
		  "    may arrive: lane 0 of warp 0 of CTA 0 waits for " PHASE_A EACH_OTHER "\n"
		  "    " STUCK "\n");
	ASSERT_EQ(0, submit_sync(&self->c, jobs, 1, 0, 0));
	ASSERT_EQ(0, submit_sync(&self->c, jobs + 1, 1, 0, 0));
	EXPECT_EQ(0, exec_thread_join(&t));
	EXPECT_EQ(0, exec_thread_join(&u));
}

TEST_F(ps, armed_waits_and_a_cluster_by_number)
{
	int set = waitset_create(self->c.fd, 0);
	struct drm_vsm_wait waits[] = {
		wait_parity(&self->c, B, 0, -1, 1), wait_parity(&self->c, B, 0, -1, 2),
	};

	ASSERT_EQ(0, waitset_arm(self->c.fd, set, waits, 2, NULL));
	EXPECT_PS("", HEADER "\n"
		  "  2 armed waits for " PHASE_B "\n"
		  "    armed for T, by process N\n"
		  "    1 arrival of 1 is missing; no bytes are missing\n"
		  "    " WORD_1 "\n");
	EXPECT_EQ(1, run_ps(self->text, "4000000000"));
	EXPECT_STREQ("vsm: ps: there is no cluster N, or it is another user's\n", self->text);
	close(set);
}

TEST_F(ps, json_has_the_same)
{
	int set = waitset_create(self->c.fd, 0);
	struct drm_vsm_wait wait = wait_parity(&self->c, B, 0, -1, 5);
	char options[64];

	ASSERT_EQ(0, waitset_arm(self->c.fd, set, &wait, 1, NULL));
	snprintf(options, sizeof(options), "--json %s", self->number);
	ASSERT_EQ(0, run_ps(self->text, options));
	EXPECT_NE(NULL, strstr(self->text, "\"kind\": \"phase\"")) TH_LOG("%s", self->text);
	EXPECT_NE(NULL, strstr(self->text, "\"missing_arrivals\": 1")) TH_LOG("%s", self->text);
	EXPECT_NE(NULL, strstr(self->text, "\"address\": 16777288")) TH_LOG("%s", self->text);
	EXPECT_NE(NULL, strstr(self->text, "\"user_data\": 5")) TH_LOG("%s", self->text);
	close(set);
}

TEST_F(ps, watch_shows_the_same_again)
{
	char once[256], options[64];

	ASSERT_EQ(0, run_ps(self->text, self->number));
	ASSERT_GT(sizeof(once), strlen(self->text));
	strcpy(once, self->text);
	snprintf(options, sizeof(options), "--watch -d 0.1 -n 2 %s", self->number);
	ASSERT_EQ(0, run_ps(self->text, options));
	ASSERT_EQ(2 * strlen(once) + 1, strlen(self->text)) TH_LOG("%s", self->text);
	EXPECT_EQ(0, strncmp(once, self->text, strlen(once)));
	EXPECT_EQ('\n', self->text[strlen(once)]);
	EXPECT_STREQ(once, self->text + strlen(once) + 1);
	snprintf(options, sizeof(options), "--watch --json -d 0.1 -n 3 %s", self->number);
	ASSERT_EQ(0, run_ps(self->text, options));
	EXPECT_NE(NULL, strstr(self->text, "}\n{")) TH_LOG("%s", self->text);
}

TEST_F(ps, without_privileges_it_shows_the_user_s_own_programs)
{
	pid_t pid = fork_child();
	int status;

	if (!pid) {
		if (syscall(SYS_setresuid, 70001, 70001, 70001))
			_exit(1);
		/* The cluster belongs to root. A user may lack the rights to the device, too. */
		status = run_ps(self->text, self->number);
		_exit(status == 1 && !strstr(self->text, "offset") ? 0 : 2);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
}

TEST_HARNESS_MAIN
