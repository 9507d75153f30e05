// SPDX-License-Identifier: GPL-2.0-only
/*
 * Random programs of threads in rendezvous, compared with a model
 * (selftests/unit/rendezvous_model.h).
 *
 * In the first test the driver refuses nothing. Tasks and wait sets execute the threads while
 * signals interrupt them. Every thread gets the results that the model predicts.
 *
 * In the second test a single task executes all threads, and the programs may contain any misuse.
 * The order of instructions is known, and every answer is compared with the model's.
 */
#include "../rendezvous_program.h"
#include "rendezvous_model.h"
#include "vsm_test.h"

#define ROUNDS		100000	/* rendezvous to complete */
#define LENGTH		96
#define TASKS		64
#define PLACES		1024	/* threads of a program */

static int create(struct cluster *c, const struct program *p)
{
	return cluster_make_open(c, .ctas = p->ctas, .threads = p->threads, .smem_bytes = 4096,
				 .enforce = p->enforced ? ON_REQUEST : 0);
}

static void model(struct rv_model *m, const struct program *p)
{
	rv_create(m, p->ctas, p->threads);
	m->once = p->enforced;
	m->sources = p->enforced;
}

/* Returns the fault that a released thread gets, or 0. */
static uint32_t fault_of(const struct rv_model *m, const struct rv_thread *t)
{
	return t->insn.fault == DRM_VSM_FAULT_SHFL_SOURCE && !m->sources ? 0 : t->insn.fault;
}

static uint32_t place(const struct program *p, uint32_t cta, uint32_t thread)
{
	return cta * p->threads + thread;
}

/* --- what the model predicts ------------------------------------------------------ */

/* A program, and the results that the model predicts */
struct script {
	struct program p;
	/* Instructions of each thread, with their results */
	struct drm_vsm_insn (*insns)[LENGTH + 1];
	uint32_t count[PLACES];	/* number of instructions of each thread */
	uint32_t completions;	/* number of rendezvous that complete */
};

/* Returns whether a task of another thread executes this thread, too: the warp is converged. */
static bool is_led(const struct program *p, uint32_t cta, uint32_t thread)
{
	return program_converged(p, cta, thread) && thread % LANES;
}

/*
 * Executes the next step of a thread on the model. Returns 1, 0 if the thread waits, or a negative
 * errno if the step is refused.
 */
static int foresee_step(struct script *s, struct rv_model *m, uint32_t *pc, uint32_t cta,
			uint32_t thread)
{
	uint32_t i = place(&s->p, cta, thread);
	struct rv_thread *t = rv_thread(m, cta, thread);
	struct drm_vsm_insn *insn = &s->insns[i][pc[i]];
	__u32 info;

	if (t->state == RV_RELEASED) {
		if (fault_of(m, t))
			return -t->insn.fault;
		insn->result = t->insn.result;
		rv_take(m, cta, thread);
		pc[i]++;
		return 1;
	}
	if (t->state != RV_RUNNING || pc[i] == s->count[i])
		return 0;
	if (rv_execute(m, cta, thread, program_converged(&s->p, cta, thread), insn, &info))
		return -EPROTO;
	s->completions += m->givens > 0;
	pc[i] += insn->op == DRM_VSM_OP_EXIT;
	return 1;
}

/* Executes the program on the model. Returns 0 if all threads reach their end. */
static int foresee(struct script *s)
{
	uint32_t pc[PLACES] = {}, cta, thread, pos, done = 0;
	struct rv_model m;
	int ret, moved;

	model(&m, &s->p);
	do {
		moved = 0;
		for (cta = 0; cta < s->p.ctas; cta++) {
			for (thread = 0; thread < s->p.threads; thread++) {
				if (is_led(&s->p, cta, thread))
					continue;
				ret = foresee_step(s, &m, pc, cta, thread);
				if (ret < 0)
					goto out;
				moved |= ret;
			}
		}
	} while (moved);
	ret = 0;
	for (pos = 0; pos < s->p.ctas * s->p.threads; pos++)
		done += pc[pos] == s->count[pos];
	if (done != s->p.ctas * s->p.threads)
		ret = -EDEADLK;
out:
	rv_destroy(&m);
	return ret;
}

/* Number of CTAs, and of threads in each CTA. The small shapes come first. */
static const uint8_t shapes[][2] = {
	{ 1, 2 }, { 1, 3 }, { 2, 3 }, { 2, 8 }, { 1, 32 }, { 1, 33 }, { 1, 34 }, { 1, 65 },
	{ 1, 66 }, { 2, 33 }, { 1, 7 }, { 1, 64 }, { 1, 96 }, { 1, 150 }, { 2, 32 }, { 2, 40 },
	{ 3, 64 }, { 4, 12 }, { 4, 66 }, { 1, 250 },
};

#define SMALL_SHAPES	10

static struct program draw_program(uint64_t seed, uint32_t choice)
{
	uint32_t shape = random_next(&seed) % choice;

	return (struct program){
		.ctas = shapes[shape][0], .threads = shapes[shape][1],
		.length = LENGTH / 2 + random_next(&seed) % (LENGTH / 2),
		.leave = random_next(&seed) % LEAVE_ANYBODY,
		.converged = random_next(&seed) & random_next(&seed), .seed = random_next(&seed),
		.enforced = random_next(&seed) % 4,
	};
}

static int write_script(struct script *s, uint64_t seed)
{
	uint32_t cta, thread, i, pc;

	s->p = draw_program(seed, ITEMS(shapes));
	s->completions = 0;
	for (cta = 0; cta < s->p.ctas; cta++) {
		for (thread = 0; thread < s->p.threads; thread++) {
			i = place(&s->p, cta, thread);
			pc = 0;
			while (!is_led(&s->p, cta, thread) &&
			       (!pc || s->insns[i][pc - 1].op != DRM_VSM_OP_EXIT)) {
				s->insns[i][pc] = program_insn(&s->p, pc, cta, thread);
				pc++;
			}
			s->count[i] = pc;
		}
	}
	return foresee(s);
}

/* --- tasks that execute the program ------------------------------------------------- */

/* A task that executes a thread or a converged warp by EXEC, or a warp by a wait set */
struct player {
	const struct cluster *c;
	const struct script *s;	/* the script */
	uint32_t cta;
	uint32_t thread;	/* thread, or the first thread of the warp */
	uint32_t lanes;		/* threads that it executes by a wait set, 0 if it uses EXEC */
	uint64_t seed;		/* random seed of its choices */
	/* Instructions of the first thread, with their outputs */
	struct drm_vsm_insn insns[LENGTH + 1];
	uint32_t eintr;		/* how often a signal interrupted it */
	uint32_t ended;	/* how often an armed wait ended before its rendezvous was complete */
	char failure[128];	/* description of the failure, or empty */
	pthread_t pthread;
};

static bool fail(struct player *p, uint32_t thread, uint32_t pc, const char *what, uint64_t seen)
{
	const struct drm_vsm_insn *insn = &p->s->insns[place(&p->s->p, p->cta, thread)][pc];

	snprintf(p->failure, sizeof(p->failure),
		 "CTA %u thread %u, %u: operation %u %s %#llx, not %#llx", p->cta, thread, pc,
		 insn->op, what, (unsigned long long)seen, (unsigned long long)insn->result);
	return false;
}

/*
 * Executes the program in streams of random length. After a signal it repeats the call, or begins
 * a new stream where the last one stopped.
 */
static bool play_by_exec(struct player *p)
{
	const struct program *program = &p->s->p;
	uint32_t at = place(program, p->cta, p->thread), count = p->s->count[at], pc = 0;

	memcpy(p->insns, p->s->insns[at], count * sizeof(p->insns[0]));
	insn_poison(p->insns, count);
	while (pc < count) {
		uint32_t n = 1 + random_next(&p->seed) % 24;
		struct drm_vsm_exec args =
			exec_args(p->c, p->insns + pc, n < count - pc ? n : count - pc);
		int ret;

		args.cta = p->cta;
		args.thread = p->thread;
		args.flags = program_converged(program, p->cta, p->thread) ? DRM_VSM_EXEC_WARP : 0;
		do {
			ret = vsm_exec(p->c->fd, &args);
			p->eintr += ret == -EINTR;
		} while (ret == -EINTR && random_next(&p->seed) % 2);
		if (ret && ret != -EINTR)
			return fail(p, p->thread, pc + args.retired,
				    ret == -EPROTO ? "fault" : "error",
				    ret == -EPROTO ? p->insns[pc + args.retired].fault : -ret);
		pc += args.retired;
	}
	for (pc = 0; pc < count; pc++)
		if (p->insns[pc].result != p->s->insns[at][pc].result)
			return fail(p, p->thread, pc, "result", p->insns[pc].result);
	return true;
}

/* Arms an instruction of a lane. Sometimes it cancels the wait and arms the instruction again. */
static int arm_lane(struct player *p, int set, uint32_t lane, struct drm_vsm_insn insn)
{
	uint64_t r = random_next(&p->seed);
	struct drm_vsm_wait wait = {
		.cluster = p->c->handle, .addr = DRM_VSM_WAIT_THREAD(p->cta, p->thread + lane),
		.state = (uintptr_t)&insn, .deadline = r % 8 ? -1 : now_ns() + (r >> 8) % 300000,
		.user_data = lane, .flags = DRM_VSM_WAIT_INSN,
	};
	int ret;

	insn_poison(&insn, 1);
	do {
		ret = waitset_arm(p->c->fd, set, &wait, 1, NULL);
		r >>= 1;
	} while (ret == -EINTR || (!ret && (r >> 16) % 8 == 0 && ++p->ended &&
				   !waitset_cancel(p->c->fd, set, wait.id)));
	return ret;
}

/*
 * Starts the next instruction of a lane. Returns 0, 1 if the lane has exited, or a negative errno.
 */
static int step_lane(struct player *p, int set, uint32_t lane, uint32_t pc)
{
	struct drm_vsm_insn insn = p->s->insns[place(&p->s->p, p->cta, p->thread + lane)][pc];
	struct drm_vsm_exec args = exec_args(p->c, &insn, 1);
	int ret;

	if (insn.op != DRM_VSM_OP_EXIT) {
		ret = arm_lane(p, set, lane, insn);
	} else {
		args.cta = p->cta;
		args.thread = p->thread + lane;
		ret = vsm_exec(p->c->fd, &args);
	}
	if (ret)
		fail(p, p->thread + lane, pc, "error", -ret);
	return ret ? ret : insn.op == DRM_VSM_OP_EXIT;
}

/* Executes all lanes of a warp in one task, by a wait set. */
static bool play_by_waitset(struct player *p)
{
	int ret = 0, set = waitset_create(p->c->fd, 0);
	uint32_t lane, left = p->lanes, pc[LANES] = {};
	struct drm_vsm_wait_record record;

	for (lane = 0; lane < p->lanes && ret >= 0; lane++) {
		ret = step_lane(p, set, lane, 0);
		left -= ret;
	}
	while (left && ret >= 0) {
		ret = waitset_read(set, &record);
		if (ret == -EINTR) {
			p->eintr++;
			ret = 0;
			continue;
		}
		lane = ret == 1 ? record.user_data : 0;
		if (ret == 1 && record.status == DRM_VSM_WAIT_EXPIRED)
			p->ended++;
		else if (ret != 1 || record.status != DRM_VSM_WAIT_COMPLETE)
			ret = fail(p, p->thread + lane, pc[lane], "status",
				   ret == 1 ? record.status : -ret) - 1;
		else if (record.result != p->s->insns[place(&p->s->p, p->cta, p->thread +
							    lane)][pc[lane]++].result)
			ret = fail(p, p->thread + lane, pc[lane] - 1, "result", record.result) - 1;
		if (ret > 0) {
			ret = step_lane(p, set, lane, pc[lane]);
			left -= ret;
		}
	}
	close(set);
	return !left;
}

static void *play(void *arg)
{
	struct player *p = arg;
	bool ok = p->lanes ? play_by_waitset(p) : play_by_exec(p);

	return ok ? NULL : p;
}

/* Distributes the warps of a program among players. Returns the number of players. */
static int cast(struct player *players, const struct cluster *c, const struct script *s,
		uint64_t *seed)
{
	const struct program *p = &s->p;
	uint32_t cta, first, lane;
	int n = 0, warps_left = p->ctas * program_warps(p);

	for (cta = 0; cta < p->ctas; cta++) {
		for (first = 0; first < p->threads; first += LANES) {
			uint32_t lanes = p->threads - first < LANES ? p->threads - first : LANES;
			bool converged = program_converged(p, cta, first);
			bool armed = !converged && (random_next(seed) % 4 == 0 ||
						    n + lanes + --warps_left > TASKS);

			for (lane = 0; lane < (converged || armed ? 1 : lanes); lane++) {
				struct player *player = &players[n++];

				player->c = c;
				player->s = s;
				player->cta = cta;
				player->thread = first + lane;
				player->lanes = armed ? lanes : 0;
				player->seed = random_next(seed);
				player->eintr = 0;
				player->ended = 0;
				player->failure[0] = 0;
			}
		}
	}
	return n;
}

/*
 * Waits for a player. Returns false if the player hangs. If @signals, interrupts random players
 * meanwhile.
 */
static bool join(struct player *players, int count, int n, bool signals, uint64_t *seed,
		 void **failed)
{
	int64_t limit = now_ns() + AMPLE;

	if (!signals) {
		struct timespec ts;

		clock_gettime(CLOCK_REALTIME, &ts);
		ts.tv_sec += AMPLE / SECOND;
		return !pthread_timedjoin_np(players[n].pthread, failed, &ts);
	}
	while (pthread_tryjoin_np(players[n].pthread, failed)) {
		if (now_ns() > limit)
			return false;
		pthread_kill(players[n + random_next(seed) % (count - n)].pthread, SIGUSR1);
		sched_yield();
	}
	return true;
}

FIXTURE(meet)
{
	struct script s;
};

FIXTURE_SETUP(meet)
{
	catch_signal(SIGUSR1, nothing, 0);
	self->s.insns = calloc(PLACES, sizeof(*self->s.insns));
	ASSERT_NE(NULL, self->s.insns);
}

FIXTURE_TEARDOWN(meet)
{
	free(self->s.insns);
}

TEST_F(meet, every_player_gets_what_the_model_says)
{
	uint64_t seed, programs = 0, completions = 0, tasks = 0, eintr = 0, ended = 0;
	static struct player players[TASKS + LANES];
	uint64_t rounds = repeat(ROUNDS);
	int i, count;

	while (completions < rounds) {
		bool signals = programs % 4 == 1;
		struct cluster c;

		seed = ++programs;
		ASSERT_EQ(0, write_script(&self->s, seed)) TH_LOG("program %lu", programs);
		ASSERT_EQ(0, create(&c, &self->s.p));
		count = cast(players, &c, &self->s, &seed);
		for (i = 0; i < count; i++)
			ASSERT_EQ(0, pthread_create(&players[i].pthread, NULL, play, &players[i]));
		for (i = 0; i < count; i++) {
			void *failed = NULL;

			ASSERT_TRUE(join(players, count, i, signals, &seed, &failed))
				TH_LOG("program %lu hangs at CTA %u thread %u", programs,
				       players[i].cta, players[i].thread);
			ASSERT_EQ(NULL, failed)
				TH_LOG("program %lu: %s", programs, players[i].failure);
			eintr += players[i].eintr;
			ended += players[i].ended;
		}
		EXPECT_EQ(0, poll_events(c.fd));
		cluster_close(&c);
		completions += self->s.completions;
		tasks += count;
	}
	EXPECT_LT(rounds / 200, eintr);
	EXPECT_LT(rounds / 200, ended);
	TH_LOG("%lu programs, %lu rendezvous, %lu players, %lu EINTR, %lu waits ended early",
	       programs, completions, tasks, eintr, ended);
}

/* --- one task executes all threads ---------------------------------------------------- */

/* A task that executes all threads of a program, one step after the other */
struct soloist {
	struct program p;
	struct cluster c;
	struct rv_model m;
	int set;
	uint64_t seed;		/* random seed of its choices */
	uint32_t pc[PLACES];	/* next instruction of each thread */
	uint64_t ids[PLACES];	/* id of each thread's armed wait */
	char last[160];		/* text of the last step */
	/* How often each fault occurred; the first element is that of NOT_IN_MASK */
	uint32_t refused[16];
	uint32_t completions;	/* number of rendezvous that have completed */
};

#define FAULT_INDEX(fault) \
	((fault) >= FAULT(NOT_IN_MASK) ? ((fault) - FAULT(NOT_IN_MASK)) % 16 : 15)

static void tell(struct soloist *s, uint32_t cta, uint32_t thread,
		 const struct drm_vsm_insn *insn, bool converged)
{
	snprintf(s->last, sizeof(s->last),
		 "CTA %u thread %u%s: op %u mods %#x sem %u red %#x {%#x %#x %#x %#llx}", cta,
		 thread, converged ? " (warp)" : "", insn->op, insn->mods, insn->sem, insn->red,
		 insn->u.warp.membermask, insn->u.warp.b, insn->u.warp.c,
		 (unsigned long long)insn->u.warp.a);
}

/* Makes a random instruction, often with the same masks and barriers as other threads. */
static struct drm_vsm_insn junk(struct soloist *s, uint32_t cta, uint32_t thread)
{
	static const uint32_t masks[] = { 1, 2, 3, 5, 6, 7, 0xf, 0x1f, ~0U, 0xfffe, 0x80000001 };
	uint64_t r = random_next(&s->seed);
	uint32_t mask = masks[(r >> 32) % ITEMS(masks)], id = r >> 40 & 1;
	uint32_t count = (1 + (r >> 44) % program_warps(&s->p)) * LANES;

	switch (r % 8) {
	case 0:
		return i_warp_sync(mask);
	case 1:
		return i_shfl(DRM_VSM_MODE_IDX, r >> 32, r >> 8, 0x1f, mask);
	case 2:
		return r >> 8 & 1 ? i_cluster_wait() : i_cluster_arrive();
	case 3:
		return r >> 8 & 7 ? i_elect(~0U) : i_exit();
	case 4:
		return i_barrier_red(r >> 8 & 1 ? DRM_VSM_RED_AND : DRM_VSM_RED_POPC, id,
				     r >> 9 & 1);
	case 5:
		return r >> 8 & 1 ? i_barrier_arrive(id, count) : i_barrier_sync_n(id, count);
	default:
		/* Use an instruction close to the next one, of this thread or of a neighbour. */
		return program_insn(&s->p, (s->pc[place(&s->p, cta, thread)] + r / 8 % 5) %
				    s->p.length, cta, (thread + (r >> 8) % 3) % s->p.threads);
	}
}

/*
 * Reads the records that must have come: one of each armed thread that was released, and one of
 * @self with @result, unless @self is NOBODY. There must be no others.
 */
static int read_records(struct soloist *s, uint32_t self, uint64_t result)
{
	uint32_t i, wanted = self != NOBODY;
	struct drm_vsm_wait_record record;

	for (i = 0; i < s->m.givens; i++)
		wanted += rv_thread(&s->m, s->m.given[i].cta, s->m.given[i].thread)->watched;
	for (; wanted; wanted--) {
		uint32_t cta, thread, fault, who;
		struct rv_thread *t;

		if (waitset_read(s->set, &record) != 1)
			return -ENODATA;
		who = record.user_data;
		if (record.id != s->ids[who])
			return -EBADMSG;
		if (who == self) {
			if (record.status != DRM_VSM_WAIT_COMPLETE || record.result != result)
				return -EUCLEAN;
			continue;
		}
		cta = who / s->p.threads;
		thread = who % s->p.threads;
		t = rv_thread(&s->m, cta, thread);
		fault = fault_of(&s->m, t);
		if (!t->watched || t->state != RV_RELEASED)
			return -EBADMSG;
		if (record.status != (fault ? DRM_VSM_WAIT_FAULT : DRM_VSM_WAIT_COMPLETE) ||
		    record.result != (fault ? fault : t->insn.result))
			return -EUCLEAN;
		rv_take(&s->m, cta, thread);
		s->pc[who]++;
	}
	return waitset_read(s->set, &record) == -EAGAIN ? 0 : -EOVERFLOW;
}

/* The model's answer to an instruction */
struct answer {
	uint32_t fault;		/* fault with which the instruction is refused, or none */
	__u32 info;		/* info of the fault */
	uint64_t result;	/* result, if the instruction completes */
	bool waits;		/* the instruction waits */
};

/* Executes an instruction that does not wait, and compares the answer with the model's. */
static int ask_exec(struct soloist *s, uint32_t cta, uint32_t thread, bool converged,
		    struct drm_vsm_insn insn, const struct answer *a)
{
	struct drm_vsm_exec args = play_args(&s->c, cta, thread, converged ? DRM_VSM_EXEC_WARP : 0,
					     &insn, 1);
	int ret;

	ret = vsm_exec(s->c.fd, &args);
	if (ret != (a->fault ? -EPROTO : 0) || args.retired != !a->fault)
		return ret == -EPROTO ? -(int)insn.fault : ret ? ret : -EISCONN;
	if (insn.fault != a->fault || insn.info != a->info || insn.result != a->result)
		return -EBADMSG;
	return read_records(s, NOBODY, 0);
}

static int ask_waitset(struct soloist *s, uint32_t cta, uint32_t thread, bool converged,
		       struct drm_vsm_insn insn, const struct answer *a)
{
	uint32_t self = place(&s->p, cta, thread);
	struct drm_vsm_wait wait = {
		.cluster = s->c.handle, .addr = DRM_VSM_WAIT_THREAD(cta, thread),
		.state = (uintptr_t)&insn, .deadline = -1, .user_data = self,
		.flags = DRM_VSM_WAIT_INSN | (converged ? DRM_VSM_WAIT_WARP : 0),
	};
	int ret = waitset_arm(s->c.fd, s->set, &wait, 1, NULL);

	if (ret != (a->fault ? -EPROTO : 0) || wait.fault != a->fault)
		return ret == -EPROTO ? -(int)wait.fault : ret ? ret : -EISCONN;
	if (!a->fault)
		s->ids[self] = wait.id;
	return read_records(s, a->fault || a->waits ? NOBODY : self, a->result);
}

/* Executes an instruction of a thread. Returns 0 if all outputs and records equal the model's. */
static int execute(struct soloist *s, uint32_t cta, uint32_t thread, bool converged,
		   struct drm_vsm_insn insn)
{
	struct rv_thread *t = rv_thread(&s->m, cta, thread);
	struct answer a = {};
	bool released;
	int ret;

	tell(s, cta, thread, &insn, converged);
	insn.result = 0;
	insn.fault = 0;
	insn.info = 0;
	a.fault = rv_execute(&s->m, cta, thread, converged, &insn, &a.info);
	s->refused[FAULT_INDEX(a.fault)]++;
	s->completions += s->m.givens > 0;
	released = !a.fault && t->state == RV_RELEASED;
	a.waits = !a.fault && t->state == RV_INSIDE;
	if (released) {
		/*
		 * A released thread that executes its instruction again gets the result, or a
		 * fault.
		 */
		a.fault = fault_of(&s->m, t);
		a.info = a.fault ? t->insn.info : 0;
		a.result = a.fault ? 0 : t->insn.result;
	}
	insn_poison(&insn, 1);
	if (insn.op == DRM_VSM_OP_EXIT || (!a.waits && random_next(&s->seed) % 2))
		ret = ask_exec(s, cta, thread, converged, insn, &a);
	else
		ret = ask_waitset(s, cta, thread, converged, insn, &a);
	if (released) {
		rv_take(&s->m, cta, thread);
		s->pc[place(&s->p, cta, thread)]++;
	}
	if (a.waits)
		t->watched = true;
	return ret;
}

/* Lets one thread do something, if it can. Returns 0 if the outcome equals the model's. */
static int solo_step(struct soloist *s, uint32_t cta, uint32_t thread, uint32_t junk_in)
{
	struct rv_thread *t = rv_thread(&s->m, cta, thread);
	uint32_t self = place(&s->p, cta, thread);
	bool converged = program_converged(&s->p, cta, thread);
	uint64_t r = random_next(&s->seed);

	if (junk_in && r % junk_in == 0)
		return execute(s, cta, thread, r >> 8 & 1, junk(s, cta, thread));
	if (t->state == RV_EXITED || is_led(&s->p, cta, thread))
		return 0;
	if (t->state == RV_RUNNING)
		return execute(s, cta, thread, converged,
			       program_insn(&s->p, s->pc[self], cta, thread));
	if (t->lead != thread % LANES || r >> 16 & 1)
		return 0;
	if (!t->watched)	/* no wait is armed for the thread: take the result */
		return execute(s, cta, thread, t->converged, t->insn);
	if (r >> 17 & 3)
		return 0;
	t->watched = false;
	return waitset_cancel(s->c.fd, s->set, s->ids[self]);
}

TEST_F(meet, every_answer_is_the_model_s)
{
	static const uint32_t junk_in[] = { 0, 40, 10, 3 };
	static struct soloist s;
	uint32_t fault, program, rounds = repeat(ROUNDS / 2);

	for (program = 1; s.completions < rounds; program++) {
		uint32_t i, threads, before = 0, idle = 0;

		s.p = draw_program(program, SMALL_SHAPES);
		threads = s.p.ctas * s.p.threads;
		ASSERT_EQ(0, create(&s.c, &s.p));
		s.set = waitset_create(s.c.fd, DRM_VSM_WAITSET_NONBLOCK);
		s.seed = program;
		memset(s.pc, 0, sizeof(s.pc));
		model(&s.m, &s.p);
		/* A program may get stuck. End it when no rendezvous has completed for a while. */
		for (i = 0; idle < 20 * threads; i++) {
			uint32_t who = random_next(&s.seed) % threads;
			int ret = solo_step(&s, who / s.p.threads, who % s.p.threads,
					    junk_in[program % ITEMS(junk_in)]);

			ASSERT_EQ(0, ret) TH_LOG("program %u step %u: %s", program, i, s.last);
			idle = s.completions == before ? idle + 1 : 0;
			before = s.completions;
		}
		rv_destroy(&s.m);
		if (i % 2)
			close(s.set);
		cluster_close(&s.c);
		if (i % 2 == 0)
			close(s.set);
	}
	TH_LOG("%u programs, %u rendezvous", program - 1, s.completions);
	/* Each fault must have occurred. Short runs do not check this: they may miss some. */
	if (rounds < ROUNDS / 2)
		return;
	for (fault = FAULT(NOT_IN_MASK); fault <= FAULT(THREAD_SUSPENDED); fault++) {
		uint32_t seen = s.refused[FAULT_INDEX(fault)];

		/*
		 * The model does not check barrier numbers and counts. The other two faults need
		 * two full warps, which the small programs seldom have.
		 */
		if (fault == FAULT(BARRIER_ID) || fault == FAULT(BARRIER_COUNT) ||
		    fault == FAULT(BARRIER_MISMATCH) || fault == FAULT(BARRIER_OVERFLOW))
			continue;
		EXPECT_LT(rounds / 10000, seen) TH_LOG("fault %#x", fault);
	}
}

TEST_HARNESS_MAIN
