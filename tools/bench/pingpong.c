// SPDX-License-Identifier: MIT
/* Measures round trips of two threads that wait for each other in turn. */
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>

#include "device.h"
#include "rows.h"

/*
 * Two threads, LEFT and RIGHT, take turns. In its turn, a thread wakes the other thread and then
 * waits until the other thread wakes it. RIGHT begins with a wait and ends with a wake-up.
 */
static struct game {
	void (*wake)(int me, unsigned int i);
	void (*await)(int me, unsigned int i);
	void (*play)(int me, unsigned int i);	/* wake(i), then await(next_turn(i)) */
	unsigned int turns;
	unsigned int turn;			/* number of the next turn of LEFT */
} game;

static void *play_right(void *arg)
{
	unsigned int i;

	(void)arg;
	game.await(RIGHT, 0);
	for (i = 0; i + 1 < game.turns; i++)
		game.play(RIGHT, i);
	game.wake(RIGHT, i);
	return NULL;
}

static void play_left(unsigned int n)
{
	while (n--)
		game.play(LEFT, game.turn++);
}

static double ping_pong(void (*wake)(int, unsigned int), void (*await)(int, unsigned int),
			void (*play)(int, unsigned int), unsigned int n)
{
	pthread_t right;
	double took;
	int ret;

	game = (struct game) {
		.wake = wake, .await = await, .play = play,
		.turns = n / 4 + 1 + n * REPEATS,
	};
	ret = pthread_create(&right, NULL, play_right, NULL);
	if (ret)
		die("pthread_create", ret);
	took = measure(play_left, n);
	pthread_join(right, NULL);
	return took;
}

/* The number of the wake-up that thread @me waits for after it has sent its own wake-up @i. */
static unsigned int next_turn(int me, unsigned int i)
{
	return me == LEFT ? i : i + 1;
}

static int other(int me)
{
	return me == LEFT ? RIGHT : LEFT;
}

/*
 * The arguments of a thread's calls, which are prepared before the measurement. The first
 * instruction arrives on the mbarrier of the other thread. The second instruction waits on the
 * thread's own mbarrier; @arm can arm a wait set for the same phase instead. Turn i waits for phase
 * i.
 */
static struct hand {
	struct drm_vsm_insn insns[2];
	struct drm_vsm_exec args;
	struct drm_vsm_wait wait;
	struct drm_vsm_waitset_arm arm;
} hands[RIGHT + 1];

static void init_hand(int me)
{
	hands[me].insns[0] = vsm_prep_mbarrier_arrive(MBAR(other(me)), 0);
	hands[me].insns[1] = vsm_prep_mbarrier_try_wait_parity(MBAR(me), 0, 0);
	hands[me].args = exec_of(hands[me].insns, 2);
	hands[me].wait = wait_of(me, 0);
}

static void mbar_wake(int me, unsigned int i)
{
	struct hand *hand = &hands[me];

	(void)i;
	hand->args.count = 1;
	exec(&hand->args);
}

static void mbar_await(int me, unsigned int i)
{
	struct hand *hand = &hands[me];

	hand->insns[1].u.mbarrier.parity = i & 1;
	hand->args.count = 2;
	hand->args.retired = 1;
	exec_until_true(&hand->args, hand->insns);
}

static void mbar_play(int me, unsigned int i)
{
	struct hand *hand = &hands[me];

	hand->insns[1].u.mbarrier.parity = next_turn(me, i) & 1;
	hand->args.count = 2;
	hand->args.retired = 0;
	exec_until_true(&hand->args, hand->insns);
}

static _Atomic uint32_t futex[RIGHT + 1];

static void futex_wake(int me, unsigned int i)
{
	atomic_store(&futex[other(me)], i + 1);
	syscall(SYS_futex, &futex[other(me)], FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void futex_await(int me, unsigned int i)
{
	while (atomic_load(&futex[me]) != i + 1)
		syscall(SYS_futex, &futex[me], FUTEX_WAIT_PRIVATE, i, NULL, NULL, 0);
}

static void futex_play(int me, unsigned int i)
{
	futex_wake(me, i);
	futex_await(me, next_turn(me, i));
}

static int set[RIGHT + 1];

static void set_arm(int me, unsigned int i)
{
	hands[me].wait.state = i & 1;
	arm(&hands[me].arm);
}

static void set_poll(int me)
{
	struct pollfd pollfd = { .fd = set[me], .events = POLLIN };

	if (poll(&pollfd, 1, -1) != 1)
		die("poll", errno);
}

static void set_await(int me, unsigned int i)
{
	set_arm(me, i);
	set_poll(me);
	read_record(set[me]);
}

static void set_play(int me, unsigned int i)
{
	set_arm(me, next_turn(me, i));
	mbar_wake(me, i);
	set_poll(me);
	read_record(set[me]);
}

static void event_wake(int me, unsigned int i)
{
	uint64_t one = 1;

	(void)i;
	if (write(set[other(me)], &one, sizeof(one)) != sizeof(one))
		die("write", errno);
}

static void event_await(int me, unsigned int i)
{
	uint64_t value;

	(void)i;
	set_poll(me);
	if (read(set[me], &value, sizeof(value)) != sizeof(value))
		die("read", errno);
}

static void event_play(int me, unsigned int i)
{
	event_wake(me, i);
	event_await(me, i);
}

static int open_event(void)
{
	return eventfd(0, EFD_CLOEXEC);
}

static double ping_pong_fds(int (*open_one)(void), void (*wake)(int, unsigned int),
			    void (*await)(int, unsigned int), void (*play)(int, unsigned int),
			    unsigned int n)
{
	double took;

	set[LEFT] = open_one();
	set[RIGHT] = open_one();
	hands[LEFT].arm = arm_of(set[LEFT], &hands[LEFT].wait, 1);
	hands[RIGHT].arm = arm_of(set[RIGHT], &hands[RIGHT].wait, 1);
	took = ping_pong(wake, await, play, n);
	close(set[LEFT]);
	close(set[RIGHT]);
	return took;
}

static void init_game(void)
{
	init_mbar(LEFT, 1);
	init_mbar(RIGHT, 1);
	init_hand(LEFT);
	init_hand(RIGHT);
	futex[LEFT] = 0;
	futex[RIGHT] = 0;
}

double ping_pong_mbarrier(void)
{
	init_game();
	return ping_pong(mbar_wake, mbar_await, mbar_play, 1000);
}

double ping_pong_futex(void)
{
	init_game();
	return ping_pong(futex_wake, futex_await, futex_play, 1000);
}

double ping_pong_waitset(void)
{
	init_game();
	return ping_pong_fds(open_waitset, mbar_wake, set_await, set_play, 1000);
}

double ping_pong_eventfd(void)
{
	return ping_pong_fds(open_event, event_wake, event_await, event_play, 1000);
}
