// SPDX-License-Identifier: MIT
/* The threads of a scenario that runs, and the order in which they begin. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "base.h"
#include "run/order.h"
#include "run/outcome.h"
#include "run/step.h"

/* --- the model of time ---------------------------------------------------- */

static const char *const files[] = {
	[MODEL_LATENCY] = "latency_ns",
	[MODEL_BANDWIDTH] = "bandwidth",
	[MODEL_SHUFFLE] = "shuffle_seed",
	[MODEL_SPLIT] = "split_bytes",
	[MODEL_TIMEOUT] = "job_timeout_ms",
};

/* Opens the device's debugfs file of a parameter. Returns a descriptor or a negative errno. */
static int open_file(const struct vsm_device *device, unsigned int key, int flags)
{
	struct stat stat;
	char path[80];
	int fd;

	if (fstat(vsm_device_fd(device), &stat))
		return -errno;
	snprintf(path, sizeof(path), "/sys/kernel/debug/dri/%u/vsm_copy/%s", minor(stat.st_rdev),
		 files[key]);
	fd = open(path, flags | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static int read_value(const struct vsm_device *device, unsigned int key, uint64_t *value)
{
	int fd = open_file(device, key, O_RDONLY);
	char text[32];
	ssize_t size;

	if (fd < 0)
		return fd;
	size = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (size <= 0)
		return -EIO;
	text[size] = '\0';
	*value = strtoull(text, NULL, 0);
	return 0;
}

static int write_value(const struct vsm_device *device, unsigned int key, uint64_t value)
{
	int fd = open_file(device, key, O_WRONLY);
	int err = 0;

	if (fd < 0)
		return fd;
	if (dprintf(fd, "%" PRIu64 "\n", value) < 0)
		err = -errno;
	close(fd);
	return err;
}

int model_set(const struct vsm_device *device, const struct model *model, struct model *saved,
	      const char **file)
{
	unsigned int key;
	int err = 0;

	for (key = 0; key < MODEL_KEYS && !err; key++) {
		if (!(model->given & BIT(key)))
			continue;
		*file = files[key];
		if (!(saved->given & BIT(key)))
			err = read_value(device, key, &saved->values[key]);
		if (err)
			break;
		saved->given |= BIT(key);
		err = write_value(device, key, model->values[key]);
	}
	return err;
}

bool model_writable(const struct vsm_device *device)
{
	int fd = open_file(device, MODEL_SHUFFLE, O_WRONLY);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

void model_restore(const struct vsm_device *device, const struct model *saved)
{
	unsigned int key;

	for (key = 0; key < MODEL_KEYS; key++)
		if (saved->given & BIT(key))
			write_value(device, key, saved->values[key]);
}

/* --- host threads --------------------------------------------------------- */

/* There may be thousands of host threads, so each gets only a small stack, which is enough. */
#define STACK_SIZE (256 << 10)

static void *host_run(void *data)
{
	struct host *host = data;

	atomic_store(&host->tid, gettid());
	pthread_mutex_lock(&host->lock);
	for (;;) {
		const struct statement *task = host->task;

		if (!task) {
			pthread_cond_wait(&host->changed, &host->lock);
			continue;
		}
		pthread_mutex_unlock(&host->lock);
		step(&host->thread, task, &host->outcome);
		pthread_mutex_lock(&host->lock);
		host->task = NULL;
		pthread_cond_broadcast(&host->changed);
	}
	return NULL;
}

static int host_create(struct host *host, const struct thread *thread,
		       const pthread_attr_t *attr, const pthread_condattr_t *cond)
{
	host->thread = *thread;
	host->thread.registers = calloc(thread->objects->scenario->registers.count + 1,
					sizeof(uint64_t));
	if (!host->thread.registers)
		return -ENOMEM;
	pthread_mutex_init(&host->lock, NULL);
	pthread_cond_init(&host->changed, cond);
	return -pthread_create(&host->id, attr, host_run, host);
}

/*
 * Creates a host thread for each device thread of the scenario. Each device thread is a copy of
 * @thread with its own place and registers. Returns 0 or a negative errno.
 */
static int hosts_create(const struct thread *thread, struct host **hosts)
{
	const struct scenario *s = thread->objects->scenario;
	struct thread first = *thread;
	pthread_condattr_t cond;
	pthread_attr_t attr;
	int err = 0;
	size_t i;

	*hosts = calloc(s->thread_count + 1, sizeof(**hosts));
	if (!*hosts)
		return -ENOMEM;
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_SIZE);
	pthread_condattr_init(&cond);
	pthread_condattr_setclock(&cond, CLOCK_MONOTONIC);
	for (i = 0; !err && i < s->thread_count; i++) {
		first.place = s->threads[i];
		err = host_create(&(*hosts)[i], &first, &attr, &cond);
	}
	pthread_condattr_destroy(&cond);
	pthread_attr_destroy(&attr);
	return err;
}

/* Starts a statement on a host thread, which must have no task. */
static void host_start(struct host *host, const struct statement *statement)
{
	pthread_mutex_lock(&host->lock);
	host->task = statement;
	pthread_cond_broadcast(&host->changed);
	pthread_mutex_unlock(&host->lock);
}

bool host_busy(struct host *host)
{
	bool busy;

	pthread_mutex_lock(&host->lock);
	busy = host->task;
	pthread_mutex_unlock(&host->lock);
	return busy;
}

bool host_wait(struct host *host, int64_t deadline)
{
	struct timespec until = {
		.tv_sec = deadline / 1000000000,
		.tv_nsec = deadline % 1000000000,
	};
	int err = 0;

	pthread_mutex_lock(&host->lock);
	while (host->task && err != ETIMEDOUT)
		err = pthread_cond_timedwait(&host->changed, &host->lock, &until);
	if (!host->task)
		err = 0;
	pthread_mutex_unlock(&host->lock);
	return !err;
}

/* Returns whether a host thread is in an interruptible sleep. */
static bool asleep(pid_t tid)
{
	char path[48], stat[256];
	const char *state;
	size_t size;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", tid);
	file = fopen(path, "re");
	if (!file)
		return false;
	size = fread(stat, 1, sizeof(stat) - 1, file);
	fclose(file);
	stat[size] = '\0';
	/* TID (NAME) STATE ... */
	state = strrchr(stat, ')');
	return state && state[1] == ' ' && state[2] == 'S';
}

/*
 * A host thread sets @executing before it calls the device, and clears it after the call. If the
 * thread sleeps interruptibly while @executing is set, it sleeps in the device, because nothing
 * else that it does in this time can sleep like that.
 */
bool host_suspended(struct host *host, int64_t deadline)
{
	struct timespec pause = { .tv_nsec = 100000 };
	struct timespec now;

	do {
		if (!host_busy(host))
			return false;
		if (atomic_load(&host->thread.executing) && asleep(atomic_load(&host->tid)) &&
		    atomic_load(&host->thread.executing))
			return true;
		nanosleep(&pause, NULL);
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while (now.tv_sec * 1000000000LL + now.tv_nsec < deadline);
	return false;
}

/* --- the state of a scenario ---------------------------------------------- */

bool state_create(struct state *st)
{
	const struct scenario *s = st->scenario;
	const struct thread thread = {
		.objects = &st->objects,
		.events = &st->events,
		.jobs = &st->jobs,
		.no_limit = st->no_limit,
	};
	int err;

	err = objects_create(&st->objects);
	if (err)
		return report_failure(&st->report, s->cluster_line,
				      "expected a cluster, seen %s", errno_name(-err));
	err = hosts_create(&thread, &st->hosts);
	return !err || report_failure(&st->report, s->cluster_line,
				      "expected %zu threads, seen %s", s->thread_count,
				      errno_name(-err));
}

void state_set_last(struct state *st, const struct statement *statement, bool started)
{
	st->last = statement;
	st->started = started;
}

const char *state_outcome_text(const struct state *st, const struct outcome *outcome,
			       char text[OUTCOME_SIZE])
{
	return outcome_text(outcome, st->scenario->config.layout, text);
}

bool report_refused(struct state *st, const struct outcome *outcome, unsigned int line)
{
	char seen[OUTCOME_SIZE], of[OF_SIZE];

	return report_failure(&st->report, line, "expected no fault%s, seen %s",
			      outcome_of(outcome, of), state_outcome_text(st, outcome, seen));
}

bool report_unfinished(struct state *st, const struct host *host, unsigned int line)
{
	return report_failure(&st->report, line,
			      "expected %u.%u to retire, seen that it has not within %u s",
			      host->thread.place.cta, host->thread.place.thread, TIME_LIMIT);
}

bool state_wait(struct state *st, const struct statement *statement, unsigned int line)
{
	int64_t deadline = deadline_from_now();
	bool good = true;
	unsigned int i;

	for (i = 0; i < statement->thread_count; i++) {
		struct host *host = &st->hosts[statement->threads[i]];

		if (!host_wait(host, deadline))
			good = report_unfinished(st, host, line);
	}
	return good;
}

bool state_wait_last(struct state *st, unsigned int line)
{
	unsigned int i;

	if (!st->started)
		return true;
	if (!state_wait(st, st->last, line))
		return false;
	st->started = false;
	for (i = 0; i < st->last->thread_count; i++)
		st->hosts[st->last->threads[i]].line = 0;
	return true;
}

struct outcome *state_next_outcome(struct state *st, unsigned int *index)
{
	const struct statement *last = st->last;
	unsigned int i = (*index)++;

	if (!last->thread_count)
		return i ? NULL : &st->own;
	return i < last->thread_count ? &st->hosts[last->threads[i]].outcome : NULL;
}

/* --- the order ------------------------------------------------------------ */

/*
 * The order that a seed chooses for what a scenario leaves open: when threads begin an instruction
 * that is started with & or for a range, and when copies complete.
 *
 * The cluster is held, so that no copy completes unless the order releases it. The next thread
 * begins only when the one before it has retired or is suspended. The same seed therefore gives the
 * same order.
 */

/* How long threads that were woken may take to retire, in ns. */
#define WAKING 20000000

/*
 * Bytes per second of copies that complete together. There is then time between two of them, in
 * which a thread that waits for the wrong one continues.
 */
#define BANDWIDTH (256 << 10)

/* xorshift64*, as in the orders of kernels. */
static uint32_t random_below(struct order *order, uint32_t limit)
{
	order->random ^= order->random >> 12;
	order->random ^= order->random << 25;
	order->random ^= order->random >> 27;
	return (uint32_t)((order->random * 0x2545f4914f6cdd1dULL) >> 32) % limit;
}

/* Seeds that differ little must not give similar orders. */
static uint64_t first_random(uint64_t seed)
{
	seed = (seed ^ seed >> 30) * 0xbf58476d1ce4e5b9ULL;
	seed = (seed ^ seed >> 27) * 0x94d049bb133111ebULL;
	return (seed ^ seed >> 31) ?: 1;
}

/* --- copies --------------------------------------------------------------- */

/*
 * Sets the seed of the model. The statement model of a scenario, and a bandwidth that root has set,
 * have priority. Without root the device performs copies in the order of their issue.
 */
static void set_model(struct state *st)
{
	struct model model = {
		.given = BIT(MODEL_SHUFFLE) | BIT(MODEL_BANDWIDTH),
		.values = { [MODEL_SHUFFLE] = st->order.seed, [MODEL_BANDWIDTH] = BANDWIDTH },
	};
	const char *file;

	st->order.shuffles = !model_set(st->objects.device, &model, &st->model, &file);
	if (st->order.shuffles && st->model.values[MODEL_BANDWIDTH])
		model_restore(st->objects.device, &(struct model){
			.given = BIT(MODEL_BANDWIDTH),
			.values[MODEL_BANDWIDTH] = st->model.values[MODEL_BANDWIDTH],
		});
}

static int hold(struct state *st, bool held)
{
	return vsm_cluster_hold(st->objects.cluster, held);
}

/*
 * Lets the copies in flight complete, unless the scenario itself holds them. If the device shuffles
 * them, they complete while the scenario continues; otherwise before.
 */
static void release(struct state *st)
{
	struct order *order = &st->order;

	if (order->scenario_holds)
		return;
	order->released = events_issued(&st->events);
	if (order->shuffles ? hold(st, false) : vsm_cluster_drain(st->objects.cluster))
		return;
	hold(st, true);
}

/* Chooses when copies complete that were issued since the last release. */
static void turn_copies(struct state *st)
{
	struct order *order = &st->order;
	size_t issued = events_issued(&st->events);

	if (issued != order->seen)
		order->copies_late = random_below(order, 2);
	order->seen = issued;
	if (issued != order->released && !order->copies_late && random_below(order, 2))
		release(st);
}

int order_hold(struct state *st, bool held)
{
	struct order *order = &st->order;
	int err;

	if (!order->seed)
		return hold(st, held);
	/* The scenario does not hold copies that it has issued before. */
	if (held)
		release(st);
	order->scenario_holds = held;
	err = hold(st, held);
	if (err || held)
		return err;
	order->released = events_issued(&st->events);
	return hold(st, true);
}

/* --- threads -------------------------------------------------------------- */

/* Lets the @index-th of the waiting threads begin. Waits until it has retired or is suspended. */
static void begin(struct state *st, size_t index)
{
	struct order *order = &st->order;
	const struct waiting *waiting = &order->waiting[index];
	struct host *host = &st->hosts[waiting->thread];
	const struct statement *statement = waiting->statement;

	order->waiting[index] = order->waiting[--order->count];
	host_start(host, statement);
	host_suspended(host, deadline_from_now());
}

static void begin_any(struct state *st)
{
	begin(st, random_below(&st->order, st->order.count));
}

static void begin_all(struct state *st)
{
	while (st->order.count)
		begin_any(st);
}

static bool uses(const struct statement *statement, unsigned int thread)
{
	unsigned int i;

	for (i = 0; i < statement->thread_count; i++)
		if (statement->threads[i] == thread)
			return true;
	return false;
}

/* Does a thread of the statement wait for its beginning? */
static bool any_waits(const struct order *order, const struct statement *statement)
{
	size_t i;

	for (i = 0; i < order->count; i++)
		if (uses(statement, order->waiting[i].thread))
			return true;
	return false;
}

static bool all_retire(struct state *st, const struct statement *statement, int64_t deadline)
{
	unsigned int i;

	for (i = 0; i < statement->thread_count; i++)
		if (!host_wait(&st->hosts[statement->threads[i]], deadline))
			return false;
	return true;
}

static void turn_threads(struct state *st)
{
	struct order *order = &st->order;
	size_t i;

	for (i = 0; i < order->count;) {
		if (!order->waiting[i].late && random_below(order, 2))
			begin(st, i);
		else
			i++;
	}
}

/* --- interface ------------------------------------------------------------ */

void order_begin(struct state *st)
{
	struct order *order = &st->order;

	if (!order->seed)
		return;
	order->random = first_random(order->seed);
	set_model(st);
	if (hold(st, true))
		report_failure(&st->report, st->report.line, "the cluster cannot be held");
}

void order_turn(struct state *st)
{
	if (!st->order.seed)
		return;
	turn_copies(st);
	turn_threads(st);
}

void order_need(struct state *st, const struct statement *s)
{
	if (!st->order.seed)
		return;
	order_begin_threads(st, s);
	if (all_retire(st, s, time_now() + WAKING))
		return;
	begin_all(st);
	release(st);
}

void order_start(struct state *st, const struct statement *s)
{
	struct order *order = &st->order;
	unsigned int i;

	for (i = 0; i < s->thread_count; i++) {
		st->hosts[s->threads[i]].line = s->line;
		if (!order->seed) {
			host_start(&st->hosts[s->threads[i]], s);
			continue;
		}
		order->waiting = grow(order->waiting, order->count, sizeof(*order->waiting));
		order->waiting[order->count++] = (struct waiting){
			.statement = s,
			.thread = s->threads[i],
			.late = random_below(order, 3) == 0,
		};
	}
	if (order->seed && !s->starts)
		order_need(st, s);
}

void order_begin_threads(struct state *st, const struct statement *s)
{
	while (any_waits(&st->order, s))
		begin_any(st);
}

void order_need_all(struct state *st)
{
	if (!st->order.seed)
		return;
	begin_all(st);
	release(st);
}
