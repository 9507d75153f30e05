// SPDX-License-Identifier: MIT
/*
 * The order that a seed chooses for what a scenario leaves open: when threads begin an instruction
 * that is started with & or for a range, and when copies complete.
 *
 * The cluster is held, so that no copy completes unless the order releases it. The next thread
 * begins only when the one before it has retired or is suspended. The same seed therefore gives the
 * same order.
 */
#include "base.h"
#include "run/deadline.h"
#include "run/model.h"
#include "run/order.h"

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

void order_need_all(struct state *st)
{
	if (!st->order.seed)
		return;
	begin_all(st);
	release(st);
}
