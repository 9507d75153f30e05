// SPDX-License-Identifier: MIT
/*
 * The cache lines that two tasks share. Task A runs on the first processor. Then task B runs the
 * same operation on the second processor. The plugin finds the cache lines that one task writes and
 * the other task uses. The two tasks take turns, and therefore each run finds the same cache lines.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../count/mark.h"
#include "../measure.h"
#include "client.h"
#include "shared.h"
#include "turns.h"

#define TURNS	64
#define COPIES	256	/* turns of a client whose copies run beside those of another one */
#define RUNS	7	/* of these clients */
#define THREADS	256

/* One of the two tasks, which executes the operations whose numbers arrive in a pipe. */
struct side {
	struct client client;
	bool second;
	int orders[2];		/* pipe: numbers of operations */
	int results[2];		/* pipe: times of a turn */
	pid_t process;		/* 0: a thread */
	pthread_t thread;
};

static void pin(unsigned int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		die("two processors are needed", errno);
}

/* The operation whose name begins with @name. */
static const struct operation *operation_of(const char *name)
{
	unsigned int i = 0;

	while (strncmp(operations[i].name, name, strlen(name)))
		i++;
	return &operations[i];
}

/* The order to copy without marks, and the order to end. */
#define ORDER_COPY	operation_count
#define ORDER_END	(operation_count + 1)

static void *serve(void *arg)
{
	const struct operation *copy = operation_of("SUBMIT of a copy of 64 KiB");
	struct side *side = arg;
	unsigned int i;
	double took = 0;

	pin(side->second);
	while (read(side->orders[0], &i, sizeof(i)) == sizeof(i) && i != ORDER_END) {
		if (i == ORDER_COPY)
			run_unmarked(copy, &side->client, COPIES);
		else
			took = run_turns(&operations[i], &side->client, TURNS, side->second);
		if (write(side->results[1], &took, sizeof(took)) != sizeof(took))
			die("pipe", errno);
	}
	return NULL;
}

/* A task has failed. Its message is printed already. */
static void end_too(int signal)
{
	(void)signal;
	_exit(1);
}

/* Starts the task of a side: in a process of its own with a client of its own, or as a thread. */
static void start_side(struct side *side, bool second, bool process)
{
	side->second = second;
	if (pipe(side->orders) || pipe(side->results))
		die("pipe", errno);
	if (!process) {
		if (pthread_create(&side->thread, NULL, serve, side))
			die("pthread_create", EAGAIN);
		return;
	}
	side->process = fork();
	if (side->process < 0)
		die("fork", errno);
	if (!side->process) {
		pin(second);
		open_client(&side->client, second, THREADS);
		serve(side);
		_exit(0);
	}
}

static void order(struct side *side, unsigned int what)
{
	if (write(side->orders[1], &what, sizeof(what)) != sizeof(what))
		die("pipe", errno);
}

static double result(struct side *side)
{
	double took;

	if (read(side->results[0], &took, sizeof(took)) != sizeof(took))
		die("a task has ended", errno);
	return took;
}

static void stop_side(struct side *side)
{
	order(side, ORDER_END);
	if (side->process)
		waitpid(side->process, NULL, 0);
	else
		pthread_join(side->thread, NULL);
	close(side->orders[0]);
	close(side->orders[1]);
	close(side->results[0]);
	close(side->results[1]);
}

static void run_sides(struct side *sides, const char *kind, bool processes)
{
	unsigned int i;

	for (i = 0; i < operation_count; i++) {
		double took;

		if (operations[i].reuses || (operations[i].large && !processes))
			continue;
		order(&sides[0], i);
		took = result(&sides[0]);
		order(&sides[1], i);
		result(&sides[1]);
		end_row(kind, 2, operations[i].name, took);
	}
}

static void start(struct side *sides, bool processes)
{
	signal(SIGCHLD, end_too);
	start_side(&sides[0], false, processes);
	start_side(&sides[1], true, processes);
}

static void stop(struct side *sides)
{
	signal(SIGCHLD, SIG_DFL);
	stop_side(&sides[0]);
	stop_side(&sides[1]);
}

/* Lets @count clients copy at the same time, in a region. */
static void copy_beside(struct side *sides, unsigned int count)
{
	unsigned int i, run;
	double start = now();

	for (run = 0; run < RUNS; run++) {
		mark_begin();
		for (i = 0; i < count; i++)
			order(&sides[i], ORDER_COPY);
		for (i = 0; i < count; i++)
			result(&sides[i]);
		mark_end();
	}
	end_row("clients that copy 16 MiB", count, "SUBMIT of a copy of 64 KiB, wait",
		(now() - start) / RUNS);
}

void shared_rows(void)
{
	struct side clients[2] = {}, clusters[2] = {}, threads[2] = {};

	start(clients, true);
	run_sides(clients, "two clients", true);
	copy_beside(clients, 1);
	copy_beside(clients, 2);
	stop(clients);

	open_client(&clusters[0].client, 0, THREADS);
	join_client(&clusters[1].client, &clusters[0].client, true);
	start(clusters, false);
	run_sides(clusters, "two clusters of a client", false);
	stop(clusters);

	open_client(&threads[0].client, 0, THREADS);
	join_client(&threads[1].client, &threads[0].client, false);
	start(threads, false);
	run_sides(threads, "two threads of a cluster", false);
	stop(threads);
}
