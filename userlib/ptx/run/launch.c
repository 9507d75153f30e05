// SPDX-License-Identifier: MIT
/* Launches: checks their configuration, starts their workers, and waits for them. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "run/device.h"
#include "run/execute.h"
#include "run/group.h"
#include "run/hang.h"
#include "run/limit.h"
#include "run/memory.h"
#include "run/schedule.h"

/* --- launches ------------------------------------------------------------- */

#define DEFAULT_RESIDENT	132
#define MAX_RESIDENT		4096
#define DEFAULT_STACK		(512u << 10)
#define MAX_HOST_THREADS	256
#define MAX_GRID		0x7fffffffULL

/* --- the configuration -------------------------------------------------------------- */

static int wrong(char **messages, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Returns -EINVAL, and a text that says why. */
static int wrong(char **messages, const char *format, ...)
{
	va_list args;
	char *text;

	if (!messages)
		return -EINVAL;
	va_start(args, format);
	if (vasprintf(&text, format, args) < 0)
		text = NULL;
	va_end(args);
	*messages = text;
	return -EINVAL;
}

static bool is_given(const uint32_t size[3])
{
	return size[0] || size[1] || size[2];
}

static void fill_ones(uint32_t size[3])
{
	unsigned int i;

	for (i = 0; i < 3; i++)
		if (!size[i])
			size[i] = 1;
}

/* The product of three numbers below 2^32 each, or @limit + 1 if it is larger than @limit. */
static uint64_t product(const uint32_t size[3], uint64_t limit)
{
	uint64_t value = 1;
	unsigned int i;

	for (i = 0; i < 3; i++) {
		if (size[i] > limit / value)
			return limit + 1;
		value *= size[i];
	}
	return value;
}

/* CTAs that run at the same time by default; more than MAX_RESIDENT are too many. */
static uint32_t default_resident(const struct vsm_ptx_config *config)
{
	uint64_t ctas = product(config->grid, MAX_RESIDENT);

	return config->cooperative && ctas > DEFAULT_RESIDENT ? ctas : DEFAULT_RESIDENT;
}

static void fill_defaults(struct vsm_ptx_config *config, const struct ptx_function *kernel)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	unsigned int i;

	if (!is_given(config->block) && kernel->reqntid[0])
		memcpy(config->block, kernel->reqntid, sizeof(config->block));
	if (!is_given(config->cluster))
		memcpy(config->cluster, kernel->reqnctapercluster, sizeof(config->cluster));
	fill_ones(config->grid);
	fill_ones(config->block);
	fill_ones(config->cluster);
	/* The launch then says how many clusters there are. More CTAs than fit are too many. */
	for (i = 0; kernel->blocksareclusters && i < 3; i++)
		if (__builtin_mul_overflow(config->grid[i], config->cluster[i], &config->grid[i]))
			config->grid[i] = UINT32_MAX;
	if (!config->host_threads)
		config->host_threads = processors > 0 ? processors : 1;
	if (config->host_threads > MAX_HOST_THREADS)
		config->host_threads = MAX_HOST_THREADS;
	if (config->seed)
		config->host_threads = 1;
	if (!config->resident)
		config->resident = default_resident(config);
	if (config->resident > MAX_RESIDENT)
		config->resident = MAX_RESIDENT;
	if (!config->stack_bytes)
		config->stack_bytes = DEFAULT_STACK;
}

static bool same_size(const uint32_t a[3], const uint32_t b[3])
{
	uint32_t x[3], y[3];

	memcpy(x, a, sizeof(x));
	memcpy(y, b, sizeof(y));
	fill_ones(x);
	fill_ones(y);
	return !memcmp(x, y, sizeof(x));
}

/* Directives that say what the configuration, or the kernel, has to contain. */
static int check_directives(const struct vsm_ptx_launch *launch,
			    const struct ptx_function *kernel, char **messages)
{
	if (kernel->explicitcluster && !launch->explicit_cluster)
		return wrong(messages, "%s has .explicitcluster: the size of clusters is needed",
			     kernel->name);
	if (kernel->blocksareclusters &&
	    (!is_given(kernel->reqntid) || !is_given(kernel->reqnctapercluster)))
		return wrong(messages,
			     "%s has .blocksareclusters, which needs .reqntid and .reqnctapercluster",
			     kernel->name);
	return 0;
}

static int check_sizes(const struct vsm_ptx_config *config, const struct ptx_function *kernel,
		       char **messages)
{
	uint64_t threads = product(config->block, 1024);
	uint64_t ctas = product(config->cluster, 16);
	unsigned int i;

	if (threads > 1024)
		return wrong(messages, "a CTA has at most 1024 threads");
	if (ctas > 16)
		return wrong(messages, "a cluster has at most 16 CTAs");
	if (product(config->grid, MAX_GRID) > MAX_GRID)
		return wrong(messages, "a grid has at most %llu CTAs", MAX_GRID);
	for (i = 0; i < 3; i++)
		if (config->grid[i] % config->cluster[i])
			return wrong(messages,
				     "the grid of %u,%u,%u CTAs is no multiple of clusters of %u,%u,%u",
				     config->grid[0], config->grid[1], config->grid[2],
				     config->cluster[0], config->cluster[1], config->cluster[2]);
	if (config->cooperative && product(config->grid, MAX_GRID) > config->resident)
		return wrong(messages,
			     "a cooperative launch needs all %llu CTAs at the same time, and at most %u can run",
			     (unsigned long long)product(config->grid, MAX_GRID), config->resident);
	if (is_given(kernel->reqntid) && !same_size(kernel->reqntid, config->block))
		return wrong(messages, "%s requires blocks of %u,%u,%u threads", kernel->name,
			     kernel->reqntid[0], kernel->reqntid[1], kernel->reqntid[2]);
	if (is_given(kernel->reqnctapercluster) &&
	    !same_size(kernel->reqnctapercluster, config->cluster))
		return wrong(messages, "%s requires clusters of %u,%u,%u CTAs", kernel->name,
			     kernel->reqnctapercluster[0], kernel->reqnctapercluster[1],
			     kernel->reqnctapercluster[2]);
	if (is_given(kernel->maxntid) && threads > product(kernel->maxntid, 1024))
		return wrong(messages, "%s allows at most %llu threads", kernel->name,
			     (unsigned long long)product(kernel->maxntid, 1024));
	if (kernel->maxclusterrank && ctas > kernel->maxclusterrank)
		return wrong(messages, "%s allows clusters of at most %u CTAs", kernel->name,
			     kernel->maxclusterrank);
	return 0;
}

static int check_rules(const struct vsm_ptx_config *config, char **messages)
{
	const uint64_t rules = PTX_RULE_PARITY | DRM_VSM_RULE(DRM_VSM_FAULT_PHASE_UNOBSERVED) |
			       DRM_VSM_RULE(DRM_VSM_FAULT_SHFL_SOURCE) |
			       DRM_VSM_RULE(DRM_VSM_FAULT_BARRIER_OVERFLOW);

	if (!(config->enforce & ~rules))
		return 0;
	return wrong(messages,
		     "only these rules can be enforced on request: BAD_PARITY, PHASE_UNOBSERVED, SHFL_SOURCE, BARRIER_OVERFLOW");
}

static int check_shared(struct vsm_ptx_launch *launch, char **messages)
{
	const struct ptx_program *program = launch->program;
	uint64_t bytes = (uint64_t)program->dynamic_offset + launch->config.smem_bytes;
	struct vsm_device *device = launch->module->context->device;
	uint32_t limit = 227 << 10;

	if (device)
		limit = vsm_device_info(device).max_smem;
	if (bytes > limit)
		return wrong(messages,
			     "%s needs %llu bytes of shared memory%s, and a CTA has at most %u",
			     program->kernel->name, (unsigned long long)bytes,
			     program->reserved_bytes ? ", 1024 of them reserved" : "", limit);
	launch->window_bytes = (bytes + 15) & ~15u;
	return 0;
}

static int check_stack(const struct vsm_ptx_launch *launch, char **messages)
{
	const struct ptx_body *body = &launch->program->bodies[0];

	if (body->local_bytes <= launch->config.stack_bytes)
		return 0;
	return wrong(messages,
		     "%s needs %u bytes of local memory, and the stack of a thread has %llu",
		     body->function->name, body->local_bytes,
		     (unsigned long long)launch->config.stack_bytes);
}

/* --- creation ----------------------------------------------------------------------- */

static int copy_params(struct vsm_ptx_launch *launch, const void *params, size_t size,
		       char **messages)
{
	uint32_t bytes = ptx_kernel_param_bytes(launch->program->kernel);

	if (size != bytes)
		return wrong(messages, "%s has %u bytes of parameters, not %zu",
			     launch->program->kernel->name, bytes, size);
	launch->param_bytes = bytes;
	launch->params = malloc(bytes + 1);
	if (!launch->params)
		return -ENOMEM;
	if (bytes)
		memcpy(launch->params, params, bytes);
	return 0;
}

static int needs_device(const struct vsm_ptx_launch *launch, char **messages)
{
	struct vsm_device *device = launch->module->context->device;
	uint32_t features;

	if (!launch->program->needs_device)
		return 0;
	if (!device) {
		wrong(messages, "%s has instructions that only a vsm device executes",
		      launch->program->kernel->name);
		return -EOPNOTSUPP;
	}
	features = vsm_device_info(device).features;
	if (!(features & DRM_VSM_FEATURE_LANES))
		wrong(messages, "the vsm module is too old: it has no instructions for lanes");
	else if (launch->config.trace && !(features & DRM_VSM_FEATURE_TRACE))
		wrong(messages, "the vsm module is too old: it records no events");
	else
		return 0;
	return -EOPNOTSUPP;
}

/*
 * Gives a cooperative launch the memory whose address is in %envreg1 and %envreg2: its size, and
 * the counter of the barrier of all CTAs.
 */
static int create_workspace(struct vsm_ptx_launch *launch)
{
	const uint32_t size = 8;
	struct vsm_ptx_context *context = launch->module->context;
	int err;

	if (!launch->config.cooperative)
		return 0;
	err = vsm_ptx_memory_alloc(context, size, &launch->workspace);
	if (!err)
		memcpy(vsm_ptx_memory_map(context, launch->workspace, size), &size, sizeof(size));
	return err;
}

static int launch_prepare(struct vsm_ptx_launch *launch, uint32_t kernel, const void *params,
			  size_t params_size, char **messages)
{
	struct vsm_ptx_module *module = launch->module;
	struct ptx_messages refused = { };
	struct vsm_ptx_config *config = &launch->config;
	int err;

	launch->memory_limit = ptx_memory_limit();
	launch->explicit_cluster = is_given(config->cluster) ||
				   is_given(module->kernels[kernel]->reqnctapercluster);
	fill_defaults(config, module->kernels[kernel]);
	err = check_directives(launch, module->kernels[kernel], messages);
	if (!err)
		err = check_rules(config, messages);
	if (!err)
		err = check_sizes(config, module->kernels[kernel], messages);
	if (err)
		return err;
	err = ptx_module_program(module, kernel, &launch->program, &refused);
	if (err == -EOPNOTSUPP && messages)
		*messages = refused.text;
	else
		free(refused.text);
	if (!err)
		err = check_shared(launch, messages);
	if (!err)
		err = check_stack(launch, messages);
	if (!err)
		err = needs_device(launch, messages);
	if (!err)
		err = copy_params(launch, params, params_size, messages);
	if (!err)
		err = create_workspace(launch);
	if (!err && launch->program->needs_heap)
		err = ptx_context_need_heap(module->context);
	if (err)
		return err;
	/* The launch sees the allocations that exist now, with the workspace and the heap. */
	launch->memory = ptx_memory_get(module->context);
	launch->cluster_ctas = product(config->cluster, 16);
	launch->cluster_count = product(config->grid, MAX_GRID) / launch->cluster_ctas;
	return 0;
}

/* Clusters that a worker runs at the same time: all workers together have the resident CTAs. */
static uint32_t worker_limit(const struct vsm_ptx_launch *launch)
{
	uint32_t clusters = launch->config.resident / launch->cluster_ctas;

	if (launch->config.cooperative)
		return (launch->cluster_count + launch->worker_count - 1) / launch->worker_count;
	return clusters > launch->worker_count ? clusters / launch->worker_count : 1;
}

/* A state of the generator for each seed. It must not be 0, and seeds that differ little must not
 * give states that do. (The function of splitmix64, which maps 0 to 0.)
 */
static uint64_t first_random(uint64_t seed)
{
	uint64_t state = seed ? seed : 1;

	state = (state ^ state >> 30) * 0xbf58476d1ce4e5b9ULL;
	state = (state ^ state >> 27) * 0x94d049bb133111ebULL;
	return state ^ state >> 31;
}

/* Each worker runs a cluster at least: at most so many that their memory suffices. */
static uint64_t workers_with_memory(const struct vsm_ptx_launch *launch)
{
	const struct ptx_body *body = &launch->program->bodies[0];
	uint64_t lane = 2ULL * body->local_bytes + body->rows * sizeof(uint64_t);
	uint64_t cluster = launch->cluster_ctas * ptx_block_warps(launch) * PTX_LANES * lane;
	uint64_t workers = cluster ? launch->memory_limit / cluster : UINT32_MAX;

	return workers ? workers : 1;
}

static int create_workers(struct vsm_ptx_launch *launch)
{
	uint32_t i;
	int err;

	launch->worker_count = launch->config.host_threads;
	if (launch->worker_count > launch->cluster_count)
		launch->worker_count = launch->cluster_count;
	if (launch->worker_count > workers_with_memory(launch))
		launch->worker_count = workers_with_memory(launch);
	launch->workers = calloc(launch->worker_count, sizeof(*launch->workers));
	if (!launch->workers)
		return -ENOMEM;
	for (i = 0; i < launch->worker_count; i++) {
		struct ptx_worker *worker = &launch->workers[i];

		worker->launch = launch;
		worker->limit = worker_limit(launch);
		worker->random = first_random(launch->config.seed);
		worker->due = PTX_NEVER_DUE;
		if (!launch->program->needs_device)
			continue;
		worker->batch = calloc(PTX_BATCH, sizeof(*worker->batch));
		if (!worker->batch)
			return -ENOMEM;
		err = vsm_waitset_create(launch->module->context->device, &worker->set);
		if (err)
			return err;
	}
	return 0;
}

static int start_workers(struct vsm_ptx_launch *launch)
{
	int err = 0;
	uint32_t i;

	pthread_mutex_lock(&launch->lock);
	for (i = 0; i < launch->worker_count && !err; i++) {
		struct ptx_worker *worker = &launch->workers[i];

		err = -pthread_create(&worker->thread, NULL, ptx_worker_run, worker);
		worker->started = !err;
		launch->running += !err;
	}
	pthread_mutex_unlock(&launch->lock);
	return err;
}

static struct vsm_ptx_launch *launch_alloc(struct vsm_ptx_module *module)
{
	struct vsm_ptx_launch *launch = calloc(1, sizeof(*launch));
	pthread_condattr_t attr;

	if (!launch)
		return NULL;
	launch->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (launch->wake < 0) {
		free(launch);
		return NULL;
	}
	launch->module = module;
	ptx_module_get(module);
	pthread_mutex_init(&launch->lock, NULL);
	pthread_mutex_init(&launch->print_lock, NULL);
	pthread_mutex_init(&launch->trace_lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&launch->ended, &attr);
	pthread_cond_init(&launch->room, NULL);
	pthread_condattr_destroy(&attr);
	return launch;
}

/* A limit that is too long for the clock is none. */
static int64_t deadline_after(uint64_t ns)
{
	int64_t deadline;

	if (!ns || __builtin_add_overflow(ptx_now_ns(), ns, &deadline))
		return VSM_NEVER;
	return deadline;
}

int vsm_ptx_launch(struct vsm_ptx_module *module, uint32_t kernel,
		   const struct vsm_ptx_config *config, const void *params, size_t params_size,
		   struct vsm_ptx_launch **launch, char **messages)
{
	struct vsm_ptx_launch *l;
	int err;

	if (messages)
		*messages = NULL;
	if (kernel >= module->kernel_count)
		return -ENOENT;
	l = launch_alloc(module);
	if (!l)
		return -ENOMEM;
	l->config = *config;
	err = launch_prepare(l, kernel, params, params_size, messages);
	if (!err)
		err = create_workers(l);
	l->deadline = deadline_after(l->config.time_limit_ns);
	if (!err)
		err = start_workers(l);
	if (err)
		vsm_ptx_launch_destroy(l);
	else
		*launch = l;
	return err;
}

/* --- the end ------------------------------------------------------------------------ */

void vsm_ptx_launch_cancel(struct vsm_ptx_launch *launch)
{
	pthread_mutex_lock(&launch->lock);
	if (launch->running && !launch->fault.failure)
		launch->cancelled = true;
	pthread_mutex_unlock(&launch->lock);
	ptx_launch_stop(launch);
}

static void worker_free(struct ptx_worker *worker)
{
	struct ptx_cluster *cluster, *next;

	if (worker->started)
		pthread_join(worker->thread, NULL);
	/* Destroying the wait set ends the waits: they refer to groups of the clusters. */
	vsm_waitset_destroy(worker->set);
	free(worker->batch);
	for (cluster = worker->clusters; cluster; cluster = next) {
		next = cluster->next;
		/* Otherwise a later cluster with the same handle would get its events. */
		ptx_cluster_drain(cluster);
		ptx_event_forget(cluster);
		ptx_cluster_destroy(cluster);
	}
}

void vsm_ptx_launch_destroy(struct vsm_ptx_launch *launch)
{
	struct vsm_ptx_module *module;
	uint32_t i;

	if (!launch)
		return;
	module = launch->module;
	vsm_ptx_launch_cancel(launch);
	for (i = 0; launch->workers && i < launch->worker_count; i++)
		worker_free(&launch->workers[i]);
	if (launch->memory)
		ptx_memory_put(module->context, launch->memory);
	if (launch->workspace)
		vsm_ptx_memory_free(module->context, launch->workspace);
	pthread_mutex_destroy(&launch->lock);
	pthread_mutex_destroy(&launch->print_lock);
	pthread_mutex_destroy(&launch->trace_lock);
	pthread_cond_destroy(&launch->ended);
	pthread_cond_destroy(&launch->room);
	close(launch->wake);
	free(launch->workers);
	free(launch->params);
	ptx_hang_free(launch->hang);
	free(launch->report);
	free(launch);
	ptx_module_put(module);
}

/* --- results -------------------------------------------------------------- */

static enum vsm_ptx_outcome outcome(const struct vsm_ptx_launch *launch)
{
	if (launch->running)
		return VSM_PTX_RUNNING;
	switch (launch->fault.failure) {
	case FAILURE_NONE:
		return launch->cancelled ? VSM_PTX_CANCELLED : VSM_PTX_DONE;
	case FAILURE_DEADLOCK:
	case FAILURE_TIME:
		return VSM_PTX_HANG;
	case FAILURE_ERROR:
		return VSM_PTX_ERROR;
	default:
		return VSM_PTX_FAULT;
	}
}

static void set_place(const struct vsm_ptx_launch *launch, struct vsm_ptx_result *result)
{
	struct vsm_ptx_site site;

	if (launch->fault.step < 0 || !launch->fault.failure ||
	    !ptx_site_of(launch, launch->fault.step, &site))
		return;
	result->line = site.line;
	result->source_line = site.source_line;
	result->source_file = site.source_file;
	result->inlined_line = site.inlined_line;
	result->inlined_file = site.inlined_file;
}

static void set_result(struct vsm_ptx_launch *launch, struct vsm_ptx_result *result)
{
	const struct ptx_cluster *cluster;
	uint32_t i, j, k;

	result->outcome = outcome(launch);
	result->fault = launch->fault.insn.fault;
	if (result->outcome == VSM_PTX_ERROR)
		result->error = launch->fault.error;
	/* While workers run, their counts change, and clusters may end: leave them out. */
	if (launch->running)
		return;
	if (result->outcome == VSM_PTX_HANG)
		ptx_hang_find(launch);
	set_place(launch, result);
	for (i = 0; i < launch->worker_count; i++) {
		const struct ptx_worker *worker = &launch->workers[i];

		result->warp_insns += worker->steps;
		result->thread_insns += worker->lane_steps;
		result->device_calls += worker->calls;
		for (cluster = worker->clusters; cluster; cluster = cluster->next) {
			for (j = 0; j < launch->cluster_ctas; j++) {
				for (k = 0; k < ptx_block_warps(launch); k++) {
					result->warp_insns += cluster->ctas[j].warps[k].steps;
					result->thread_insns +=
						cluster->ctas[j].warps[k].lane_steps;
				}
			}
		}
	}
}

/* Waits until no worker runs. Returns 0 or ETIMEDOUT. */
static int wait_until(struct vsm_ptx_launch *launch, int64_t deadline)
{
	struct timespec until = {
		.tv_sec = deadline / 1000000000,
		.tv_nsec = deadline % 1000000000,
	};
	int err = 0;

	while (launch->running && !err)
		err = deadline < 0 ? pthread_cond_wait(&launch->ended, &launch->lock)
				   : pthread_cond_timedwait(&launch->ended, &launch->lock, &until);
	return launch->running ? err : 0;
}

int vsm_ptx_launch_wait(struct vsm_ptx_launch *launch, int64_t deadline,
			struct vsm_ptx_result *result)
{
	int err;

	memset(result, 0, sizeof(*result));
	pthread_mutex_lock(&launch->lock);
	err = wait_until(launch, deadline);
	set_result(launch, result);
	pthread_mutex_unlock(&launch->lock);
	return err ? -ETIME : 0;
}
