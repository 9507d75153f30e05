// SPDX-License-Identifier: MIT
/*
 * While a kernel is decoded, which may take long, everything else goes on.
 *
 * The tests call ptx_program_build() in the place of the library, and keep it as long as they like.
 */
#define TEST_SETUP	setup
#define TEST_TEARDOWN	teardown
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

#include "code/program.h"
#include "run_kernel.h"

/* A thread that waits for so many seconds would wait for ever. */
#define PATIENCE 60
#define THREADS 8

#define NOTHING RUN_HEAD L(".global .u32 x = 1; .entry k() { ret; } .entry other() { ret; }")
#define SPIN RUN_HEAD L(".entry k() { A: bra A; }")

/* Posted when a kernel is being decoded. */
static sem_t began;
/* Decoding goes on when it is posted, if @keep is set. */
static sem_t may_go_on;
static bool keep;
static unsigned int builds;

int __real_ptx_program_build(const struct ptx_module *module, const struct ptx_function *kernel,
			     struct ptx_program **program, struct ptx_messages *messages);
int __wrap_ptx_program_build(const struct ptx_module *module, const struct ptx_function *kernel,
			     struct ptx_program **program, struct ptx_messages *messages);

static void wait_for(sem_t *sem)
{
	struct timespec end;

	clock_gettime(CLOCK_REALTIME, &end);
	end.tv_sec += PATIENCE;
	if (sem_timedwait(sem, &end)) {
		print_message("a thread waits for ever\n");
		abort();
	}
}

int __wrap_ptx_program_build(const struct ptx_module *module, const struct ptx_function *kernel,
			     struct ptx_program **program, struct ptx_messages *messages)
{
	__atomic_fetch_add(&builds, 1, __ATOMIC_RELAXED);
	if (__atomic_load_n(&keep, __ATOMIC_RELAXED) && !strcmp(kernel->name, "k")) {
		sem_post(&began);
		wait_for(&may_go_on);
	}
	return __real_ptx_program_build(module, kernel, program, messages);
}

static struct vsm_ptx_context *context;

static struct vsm_ptx_module *load(const char *text)
{
	struct vsm_ptx_module *module;

	assert_int_equal(vsm_ptx_module_load(context, "test.ptx", text, strlen(text), &module,
					     NULL), 0);
	return module;
}

static struct vsm_ptx_launch *launch(struct vsm_ptx_module *module, uint64_t limit_ns)
{
	struct vsm_ptx_config config = { .time_limit_ns = limit_ns, .host_threads = 1 };
	struct vsm_ptx_launch *started = NULL;

	assert_int_equal(vsm_ptx_launch(module, 0, &config, NULL, 0, &started, NULL), 0);
	return started;
}

static void expect_end(struct vsm_ptx_launch *started, uint32_t outcome)
{
	struct vsm_ptx_result result = { };

	assert_int_equal(vsm_ptx_launch_wait(started, VSM_NEVER, &result), 0);
	assert_int_equal(result.outcome, outcome);
	vsm_ptx_launch_destroy(started);
}

static void *launch_and_wait(void *module)
{
	expect_end(launch(module, 0), VSM_PTX_DONE);
	return NULL;
}

static void *describe(void *module)
{
	struct vsm_ptx_kernel kernel;

	assert_int_equal(vsm_ptx_kernel_info(module, 0, &kernel), 0);
	assert_int_equal(kernel.smem_bytes, 0);
	return NULL;
}

static int setup(void **state)
{
	sem_init(&began, 0, 0);
	sem_init(&may_go_on, 0, 0);
	builds = 0;
	__atomic_store_n(&keep, false, __ATOMIC_RELAXED);
	return vsm_ptx_context_create(NULL, &context);
}

static int teardown(void **state)
{
	vsm_ptx_context_destroy(context);
	sem_destroy(&began);
	sem_destroy(&may_go_on);
	return 0;
}

static pthread_t start(void *(*run)(void *), struct vsm_ptx_module *module)
{
	pthread_t thread;

	__atomic_store_n(&keep, true, __ATOMIC_RELAXED);
	assert_int_equal(pthread_create(&thread, NULL, run, module), 0);
	wait_for(&began);
	__atomic_store_n(&keep, false, __ATOMIC_RELAXED);
	return thread;
}

static void end(pthread_t thread)
{
	sem_post(&may_go_on);
	assert_int_equal(pthread_join(thread, NULL), 0);
}

/* Launches reach their time limits, begin and end, and memory is allocated. */
TEST(other_modules_go_on)
{
	struct vsm_ptx_module *module = load(NOTHING), *other = load(NOTHING), *spin = load(SPIN);
	struct vsm_ptx_launch *spins = launch(spin, 20000000);
	pthread_t thread = start(launch_and_wait, module);
	uint64_t address;

	expect_end(spins, VSM_PTX_HANG);
	expect_end(launch(other, 0), VSM_PTX_DONE);
	assert_int_equal(vsm_ptx_memory_alloc(context, 4, &address), 0);
	assert_non_null(vsm_ptx_memory_map(context, address, 4));
	assert_int_equal(vsm_ptx_memory_free(context, address), 0);
	vsm_ptx_module_unload(other);
	end(thread);
}

/* The call that decodes has a reference. */
TEST(the_module_may_be_unloaded)
{
	struct vsm_ptx_module *module = load(NOTHING);
	pthread_t thread = start(launch_and_wait, module);

	vsm_ptx_module_unload(module);
	end(thread);
	module = load(NOTHING);
	thread = start(describe, module);
	vsm_ptx_module_unload(module);
	end(thread);
}

TEST(a_kernel_is_decoded_once)
{
	struct vsm_ptx_module *module = load(NOTHING);
	pthread_t first = start(launch_and_wait, module), threads[THREADS];
	unsigned int i;

	for (i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL,
						i % 2 ? launch_and_wait : describe, module), 0);
	end(first);
	for (i = 0; i < THREADS; i++)
		assert_int_equal(pthread_join(threads[i], NULL), 0);
	assert_int_equal(builds, 1);
}

/* Decoding a kernel changes what the parser has made of the text, which running launches use. */
TEST(kernels_of_a_module_are_decoded_while_others_run)
{
	static const char text[] = RUN_HEAD
		L(".shared .u32 s;")
		L(".func (.param .u32 r) f(.param .u32 a) { .local .u32 l; .reg .u32 x;")
		L("ld.param.u32 x, [a]; st.local.u32 [l], x; st.param.u32 [r], x; ret; }")
		L(".global .u64 table = f;")
		L(".entry spin() { .reg .u32 x; .local .u32 l; .param .u32 p; .param .u32 q;")
		L("A: st.param.u32 [p], 1; call (q), f, (p); st.shared.u32 [s], 1; bra A; }")
		L(".entry k() { .reg .u32 x; .local .u32 l; .param .u32 p; .param .u32 q;")
		L("st.shared.u32 [s], 1; st.param.u32 [p], 1; call (q), f, (p); ret; }");
	struct vsm_ptx_module *module = load(text);
	struct vsm_ptx_launch *spins = launch(module, 50000000);
	struct vsm_ptx_kernel kernel;

	assert_int_equal(vsm_ptx_kernel_info(module, 1, &kernel), 0);
	assert_int_equal(kernel.smem_bytes, 4);
	expect_end(spins, VSM_PTX_HANG);
	assert_int_equal(builds, 2);
}

TEST_MAIN()
