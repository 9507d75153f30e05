/* SPDX-License-Identifier: MIT */
/* libvsm-ptx: runs kernels in PTX on a vsm device. */
#ifndef _VSM_PTX_H_
#define _VSM_PTX_H_

#include "vsm.h"

#if defined(__cplusplus)
extern "C" {
#endif

/**
 * DOC: libvsm-ptx
 *
 * The library loads PTX modules as compilers emit them, and runs their kernels. The device executes
 * every instruction that synchronises or copies asynchronously. The library interprets all others.
 *
 * A context has memory and modules. Device memory is in buffers of the device, which copies can
 * read and write. A pointer of a kernel is a 64-bit address of the context's address space, and is
 * not a pointer of the host: vsm_ptx_memory_map() converts it.
 *
 * A context without a device runs kernels that contain no instruction for the device.
 *
 * The rules of libvsm hold here too: functions return 0 or a negative error number, and write
 * results through their last arguments. The library prints nothing: reports are texts. A launch
 * runs in threads of the library, which end with it. Several threads may call functions for the
 * same context.
 */

/** struct vsm_ptx_context - Memory and modules (opaque) */
struct vsm_ptx_context;
/** struct vsm_ptx_module - A PTX module in a context (opaque) */
struct vsm_ptx_module;
/** struct vsm_ptx_launch - A kernel that runs or has ended (opaque) */
struct vsm_ptx_launch;

/**
 * vsm_ptx_context_create - Create a context
 * @device: Device. It must outlive the context, and have no other context: launches read its events
 *	of misuse (vsm_event_read()). NULL creates a context without a device
 * @context: The context (out); vsm_ptx_context_destroy() ends it
 *
 * Return: 0 or -ENOMEM.
 */
int vsm_ptx_context_create(struct vsm_device *device, struct vsm_ptx_context **context);

/**
 * vsm_ptx_context_destroy - Free a context, its memory and its modules
 * @context: Context, or NULL. All of its launches have been destroyed
 *
 * Modules that have been unloaded are no longer the context's. Its others are unloaded here.
 */
void vsm_ptx_context_destroy(struct vsm_ptx_context *context);

/**
 * vsm_ptx_memory_alloc - Allocate device memory
 * @context: Context
 * @size: Bytes, not 0
 * @address: Address in kernels, a multiple of 256 (out)
 *
 * The memory contains zeros. It belongs to the context until vsm_ptx_memory_free(). The same calls
 * in the same order give the same addresses.
 *
 * Return: 0; -EINVAL if @size is 0; -ENOSPC or -ENOMEM.
 */
int vsm_ptx_memory_alloc(struct vsm_ptx_context *context, uint64_t size, uint64_t *address);

/**
 * vsm_ptx_memory_import - Make a buffer accessible to kernels
 * @context: Context with a device
 * @buffer: Buffer of this device
 * @address: Address in kernels (out)
 *
 * The context opens the buffer once more, so that the caller may destroy it at any time.
 *
 * Return: 0; -EINVAL if the context has no device; -ENOSPC, -ENOMEM or -EMFILE.
 */
int vsm_ptx_memory_import(struct vsm_ptx_context *context, struct vsm_buffer *buffer,
			  uint64_t *address);

/**
 * vsm_ptx_memory_free - Free device memory
 * @context: Context
 * @address: Address from vsm_ptx_memory_alloc() or vsm_ptx_memory_import()
 *
 * The function does not wait for launches. Launches that began before the call can still access the
 * memory, which is freed when the last of them has been destroyed. For all others, and for
 * vsm_ptx_memory_map(), it is gone at once. No later allocation gets the same address.
 *
 * Return: 0; -ENOENT if nothing was allocated at this address; -ENOMEM.
 */
int vsm_ptx_memory_free(struct vsm_ptx_context *context, uint64_t address);

/**
 * vsm_ptx_memory_map - Get the memory behind an address
 * @context: Context
 * @address: Address in device memory
 * @size: Number of bytes that the caller accesses
 *
 * Return: Pointer to the bytes, valid until the memory is freed; NULL if they are not all in one
 * allocation.
 */
void *vsm_ptx_memory_map(struct vsm_ptx_context *context, uint64_t address, uint64_t size);

/**
 * vsm_ptx_memory_buffer - Get the buffer behind an address
 * @context: Context with a device
 * @address: Address in device memory
 * @offset: Offset of the address in the buffer (out)
 *
 * Use it to make a tensor map with vsm_tensor_map_encode_tiled(), and vsm_tensor_map_to_cuda() to
 * make of it the CUtensorMap that kernels take.
 *
 * Return: The buffer, which belongs to the context; NULL if the address is in no allocation or the
 * context has no device.
 */
const struct vsm_buffer *vsm_ptx_memory_buffer(struct vsm_ptx_context *context, uint64_t address,
					       uint64_t *offset);

/**
 * vsm_ptx_module_load - Load a PTX module
 * @context: Context
 * @path: Name of the file, used only in messages
 * @text: PTX, version 4.0 to 9.x, for sm_50 and newer targets
 * @size: Bytes of @text
 * @module: The module (out); vsm_ptx_module_unload() ends it
 * @messages: On -EINVAL a text with a line "FILE:LINE:COLUMN: message" for each error (out), which
 *	the caller frees. NULL if the caller does not need it
 *
 * An instruction that the library cannot execute is no error here. Kernels that may reach it are
 * refused by vsm_ptx_launch().
 *
 * Return: 0; -EINVAL if the module has errors; -ENOSPC or -ENOMEM.
 */
int vsm_ptx_module_load(struct vsm_ptx_context *context, const char *path, const char *text,
			size_t size, struct vsm_ptx_module **module, char **messages);

/**
 * vsm_ptx_module_unload - Unload a module
 * @module: Module, or NULL. The caller must not use it any more
 *
 * The function does not wait for launches. The module and its variables exist until the last launch
 * of the module has been destroyed. Other launches that began before the call can still access its
 * variables, as after vsm_ptx_memory_free().
 */
void vsm_ptx_module_unload(struct vsm_ptx_module *module);

/**
 * vsm_ptx_module_variable - Find a variable of a module in global or constant memory
 * @module: Module
 * @name: Name in PTX
 * @address: Its address (out)
 * @size: Its size in bytes (out)
 *
 * Return: 0; -ENOENT if there is no such variable.
 */
int vsm_ptx_module_variable(const struct vsm_ptx_module *module, const char *name,
			    uint64_t *address, uint64_t *size);

/**
 * struct vsm_ptx_param - A parameter of a kernel
 * @name: Name in PTX
 * @type: Type in PTX without its dot, such as "u64" or "b8"
 * @offset: Byte offset in the parameters
 * @size: Bytes
 * @align: Alignment in bytes
 */
struct vsm_ptx_param {
	const char *name;
	const char *type;
	uint32_t offset;
	uint32_t size;
	uint32_t align;
};

/**
 * struct vsm_ptx_kernel - What a module says about a kernel
 * @name: Name in PTX
 * @param_count: Number of parameters
 * @param_size: Bytes of all parameters
 * @smem_bytes: Bytes of shared memory that it declares
 * @dynamic_smem: It uses dynamic shared memory
 * @maxntid: .maxntid, 0 if not given
 * @reqntid: .reqntid, 0 if not given
 * @reqnctapercluster: .reqnctapercluster, 0 if not given
 *
 * All texts belong to the module.
 */
struct vsm_ptx_kernel {
	const char *name;
	uint32_t param_count;
	uint32_t param_size;
	uint32_t smem_bytes;
	bool dynamic_smem;
	uint32_t maxntid[3];
	uint32_t reqntid[3];
	uint32_t reqnctapercluster[3];
};

/**
 * vsm_ptx_kernel_count - Count the kernels of a module
 * @module: Module
 *
 * Return: The number of kernels.
 */
uint32_t vsm_ptx_kernel_count(const struct vsm_ptx_module *module);

/**
 * vsm_ptx_kernel_info - Describe a kernel
 * @module: Module
 * @index: Number of the kernel, from 0
 * @kernel: The description (out)
 *
 * Return: 0; -ENOENT if there is no kernel with this number; -ENOMEM.
 */
int vsm_ptx_kernel_info(const struct vsm_ptx_module *module, uint32_t index,
			struct vsm_ptx_kernel *kernel);

/**
 * vsm_ptx_kernel_check - Check that the library can execute a kernel
 * @module: Module
 * @kernel: Number of the kernel
 * @messages: On -EOPNOTSUPP a line "FILE:LINE:COLUMN: message" for each reason (out), as
 *	vsm_ptx_launch() has it. The caller frees the text. NULL if the caller does not need it
 *
 * A kernel that is refused does not concern the other kernels of its module.
 *
 * Return: 0; -EOPNOTSUPP if the kernel, or a function that it may call, has an instruction that the
 * library cannot execute; -ENOENT if there is no such kernel; -ENOMEM.
 */
int vsm_ptx_kernel_check(struct vsm_ptx_module *module, uint32_t kernel, char **messages);

/**
 * vsm_ptx_kernel_find - Find a kernel by its name
 * @module: Module
 * @name: Name in PTX
 * @index: Number of the kernel (out)
 *
 * Return: 0; -ENOENT if there is no kernel with this name.
 */
int vsm_ptx_kernel_find(const struct vsm_ptx_module *module, const char *name, uint32_t *index);

/**
 * vsm_ptx_kernel_param - Describe a parameter of a kernel
 * @module: Module
 * @kernel: Number of the kernel
 * @index: Number of the parameter, from 0
 * @param: The description (out)
 *
 * Return: 0; -ENOENT if there is no such kernel or parameter.
 */
int vsm_ptx_kernel_param(const struct vsm_ptx_module *module, uint32_t kernel, uint32_t index,
			 struct vsm_ptx_param *param);

/**
 * struct vsm_ptx_config - How a kernel is launched
 * @grid: CTAs in each dimension; clusters if the kernel has .blocksareclusters. 0 counts as 1 in
 *	these three arrays
 * @block: Threads of a CTA in each dimension, together up to 1024
 * @cluster: CTAs of a cluster in each dimension; each divides the CTAs of the grid. All 0: what the
 *	kernel requires, or one CTA. A kernel with .explicitcluster needs one of the two
 * @smem_bytes: Bytes of dynamic shared memory
 * @policy: What the device does about misuse
 * @cooperative: All CTAs run at the same time, and may wait for each other: %envreg1 and %envreg2
 *	are the upper and lower half of the address that cooperative groups use. Otherwise both are
 *	0. The launch is refused if the grid has more CTAs than can run at the same time, and fails
 *	with -ENOMEM or -ENOSPC if memory does not suffice for all of them
 * @seed: Not 0: one thread of the host runs everything, in an order that depends only on the seed
 * @host_threads: Threads of the host, 0 for the number of processors. Without effect if @seed
 * @resident: Largest number of CTAs that run at the same time, up to 4096. 0: 132, or all of a
 *	cooperative launch. Except in a cooperative launch, fewer run if they need too much memory:
 *	a cluster that finds none waits until another one has ended
 * @time_limit_ns: The launch ends with a hang report after this time; 0: never
 * @stack_bytes: Largest stack of a thread (local memory), 0 for 512 KiB
 * @print: Gets what kernels print (vprintf), in whole calls of printf. It may be called from
 *	several threads, but never at the same time. NULL discards it
 * @print_data: First argument of @print
 * @trace: Gets the events of the launch's clusters. As @print, it may be called from several
 *	threads, but never at the same time. It has got all events when vsm_ptx_launch_wait() says
 *	that the launch has ended. The events are valid during the call. @lost events of their
 *	cluster are missing before them. &drm_vsm_trace_event.site is a number for
 *	vsm_ptx_launch_site(). NULL if nobody wants events
 * @trace_data: First argument of @trace
 * @enforce: Rules that are enforced only on request, a mask of DRM_VSM_RULE(): PHASE_UNOBSERVED,
 *	SHFL_SOURCE, BARRIER_OVERFLOW, and BAD_PARITY in the strict policy. Without BAD_PARITY,
 *	waits look at bit 0 of their parity, as on GPUs. The launch is refused if the mask has
 *	another rule
 */
struct vsm_ptx_config {
	uint32_t grid[3];
	uint32_t block[3];
	uint32_t cluster[3];
	uint32_t smem_bytes;
	enum drm_vsm_policy policy;
	bool cooperative;
	uint64_t seed;
	uint32_t host_threads;
	uint32_t resident;
	uint64_t time_limit_ns;
	uint64_t stack_bytes;
	void (*print)(void *data, const char *text, size_t length);
	void *print_data;
	void (*trace)(void *data, const struct drm_vsm_trace_event *events, uint32_t count,
		      uint64_t lost);
	void *trace_data;
	uint64_t enforce;
};

/**
 * vsm_ptx_launch - Start a kernel
 * @module: Module
 * @kernel: Number of the kernel
 * @config: How it is launched
 * @params: Parameters, laid out as vsm_ptx_kernel_param() says; copied. A tensor map is a
 *	CUtensorMap of 128 bytes, whose address is one of the context
 * @params_size: Bytes of @params, &vsm_ptx_kernel.param_size
 * @launch: The launch (out); vsm_ptx_launch_destroy() ends it
 * @messages: On -EINVAL and -EOPNOTSUPP a text that says why (out), which the caller frees. NULL if
 *	the caller does not need it
 *
 * The kernel runs while the caller continues. Kernels of one context may run at the same time.
 *
 * Return: 0; -EOPNOTSUPP if the kernel, or a function that it may call, has an instruction that the
 * library cannot execute, or if it needs a device and the context has none; -EINVAL if the
 * configuration is wrong; -ENOENT if there is no such kernel; -ENOSPC, -ENOMEM or -EAGAIN (no
 * thread could be created); or an error of the device. -EOPNOTSUPP also if @config->trace is set
 * and the device records no events.
 */
int vsm_ptx_launch(struct vsm_ptx_module *module, uint32_t kernel,
		   const struct vsm_ptx_config *config, const void *params, size_t params_size,
		   struct vsm_ptx_launch **launch, char **messages);

/**
 * enum vsm_ptx_outcome - How a launch has ended
 * @VSM_PTX_RUNNING: It has not ended
 * @VSM_PTX_DONE: All threads have exited
 * @VSM_PTX_FAULT: A thread did what is not allowed: misuse that the device names, a bad access, or
 *	trap
 * @VSM_PTX_HANG: No thread can go on, or the time limit has passed
 * @VSM_PTX_CANCELLED: vsm_ptx_launch_cancel()
 * @VSM_PTX_ERROR: The device failed, or memory ran out
 */
enum vsm_ptx_outcome {
	VSM_PTX_RUNNING,
	VSM_PTX_DONE,
	VSM_PTX_FAULT,
	VSM_PTX_HANG,
	VSM_PTX_CANCELLED,
	VSM_PTX_ERROR,
};

/**
 * struct vsm_ptx_result - What a launch did
 * @outcome: How it ended
 * @fault: &enum drm_vsm_fault if the device refused an instruction; otherwise 0
 * @error: Negative error number if @outcome is VSM_PTX_ERROR
 * @line: Line in the PTX text of the instruction at fault, or of the first wait of a hang; or 0
 * @source_line: Line in the source, from .loc; or 0. If this line is in an inlined function: the
 *	line of the outermost call
 * @source_file: Name of the source, which belongs to the launch; NULL if it is not known
 * @thread_insns: Instructions that threads have executed: one for each lane
 * @warp_insns: Instructions that warps have executed
 * @device_calls: Calls of the device (ioctl, read, poll)
 * @inlined_file: If the instruction belongs to an inlined function, the source with its line, as
 *	@source_file; otherwise NULL
 * @inlined_line: The line in that source; otherwise 0
 */
struct vsm_ptx_result {
	enum vsm_ptx_outcome outcome;
	uint32_t fault;
	int32_t error;
	uint32_t line;
	uint32_t source_line;
	const char *source_file;
	uint64_t thread_insns;
	uint64_t warp_insns;
	uint64_t device_calls;
	const char *inlined_file;
	uint32_t inlined_line;
};

/**
 * vsm_ptx_launch_wait - Wait until a launch has ended
 * @launch: Launch
 * @deadline: Absolute CLOCK_MONOTONIC in ns, or VSM_NEVER. 0 does not block
 * @result: What it did (out). While it runs, only @result->outcome is set
 *
 * Return: 0 if it has ended; -ETIME if @deadline passed first.
 */
int vsm_ptx_launch_wait(struct vsm_ptx_launch *launch, int64_t deadline,
			struct vsm_ptx_result *result);

/**
 * vsm_ptx_launch_cancel - End a launch
 * @launch: Launch
 *
 * Its threads stop soon. vsm_ptx_launch_wait() says when they have stopped.
 */
void vsm_ptx_launch_cancel(struct vsm_ptx_launch *launch);

/**
 * vsm_ptx_launch_report - Get the report of a fault or hang
 * @launch: Launch that has ended
 *
 * Return: The report: lines of text, of which the first ones name the cause. It belongs to the
 * launch. An empty text if there is nothing to report.
 */
const char *vsm_ptx_launch_report(const struct vsm_ptx_launch *launch);

/**
 * vsm_ptx_launch_shape - Describe the clusters of a launch
 * @launch: Launch
 *
 * Return: What each of its clusters was created with.
 */
struct vsm_cluster_config vsm_ptx_launch_shape(const struct vsm_ptx_launch *launch);

/**
 * struct vsm_ptx_site - An instruction of a kernel, and its place in the source
 * @line: Line in the PTX text
 * @source_line: Line in the source, from .loc; or 0. If this line is in an inlined function: the
 *	line of the outermost call
 * @source_file: Name of the source; NULL if it is not known
 * @inlined_file: If the instruction belongs to an inlined function, the source with its line, as
 *	@source_file; otherwise NULL
 * @inlined_line: The line in that source; otherwise 0
 * @insn_length: Characters of @insn
 * @insn: Opcode of the instruction, such as "mbarrier.init.shared::cta.b64"; no 0 ends it
 *
 * All texts belong to the launch.
 */
struct vsm_ptx_site {
	uint32_t line;
	uint32_t source_line;
	const char *source_file;
	const char *inlined_file;
	uint32_t inlined_line;
	uint32_t insn_length;
	const char *insn;
};

/**
 * vsm_ptx_launch_site - Find an instruction that events name
 * @launch: Launch
 * @number: &drm_vsm_trace_event.site
 * @site: The instruction (out)
 *
 * Return: 0; -ENOENT if the kernel has no such instruction.
 */
int vsm_ptx_launch_site(const struct vsm_ptx_launch *launch, uint32_t number,
			struct vsm_ptx_site *site);

/**
 * struct vsm_ptx_shared - A variable of a kernel in shared memory
 * @offset: Where it begins in the window of each CTA
 * @size: Bytes
 * @stride: Bytes of an element if it is an array of mbarriers; else 0
 * @name_length: Characters of @name
 * @name: Its name in the source; no 0 ends it
 *
 * The name belongs to the launch.
 */
struct vsm_ptx_shared {
	uint32_t offset;
	uint32_t size;
	uint32_t stride;
	uint32_t name_length;
	const char *name;
};

/**
 * vsm_ptx_launch_shared - Describe a variable in shared memory
 * @launch: Launch
 * @index: Number of the variable, from 0
 * @shared: The variable (out)
 *
 * Return: 0; -ENOENT if the kernel has no variable with this number.
 */
int vsm_ptx_launch_shared(const struct vsm_ptx_launch *launch, uint32_t index,
			  struct vsm_ptx_shared *shared);

/**
 * vsm_ptx_launch_destroy - Free a launch
 * @launch: Launch, or NULL. If it still runs, it is cancelled first
 */
void vsm_ptx_launch_destroy(struct vsm_ptx_launch *launch);

#if defined(__cplusplus)
}
#endif

#endif
