// SPDX-License-Identifier: MIT
/*
 * Contexts, their device memory, and modules: loads them, gives their variables memory, and
 * describes their kernels.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "code/decoder.h"
#include "code/program.h"
#include "run/heap.h"
#include "run/memory.h"
#include "vsm_ptx.h"

/* --- device memory -------------------------------------------------------- */

#define ALIGNMENT	256
/* Between two allocations there are at least so many bytes that belong to none. */
#define GAP		4096
#define FIRST_SPACE	16
/* Addresses have 47 bits, as user space has on most machines. */
#define LAST_ADDRESS	(1ULL << 47)

static void storage_free(struct ptx_storage *storage)
{
	if (storage->buffer)
		vsm_buffer_destroy(storage->buffer);
	else
		free(storage->host);
	free(storage->name);
	free(storage);
}

static void storage_put(struct ptx_storage *storage)
{
	if (!--storage->refs)
		storage_free(storage);
}

static void memory_unref(struct ptx_memory *memory)
{
	uint32_t i;

	if (--memory->refs)
		return;
	for (i = 0; i < memory->count; i++)
		storage_put(memory->items[i].storage);
	free(memory);
}

/* --- the set of allocations --------------------------------------------------------- */

struct ptx_memory *ptx_memory_get(struct vsm_ptx_context *context)
{
	struct ptx_memory *memory;

	pthread_mutex_lock(&context->lock);
	memory = context->memory;
	memory->refs++;
	pthread_mutex_unlock(&context->lock);
	return memory;
}

void ptx_memory_put(struct vsm_ptx_context *context, struct ptx_memory *memory)
{
	pthread_mutex_lock(&context->lock);
	memory_unref(memory);
	pthread_mutex_unlock(&context->lock);
}

/*
 * Returns the allocations of a context, whose lock is held, so that they can be changed, with room
 * for @more of them. If a launch uses them, the context gets a copy. The room doubles: a module may
 * have many variables. Returns NULL if memory runs out.
 */
static struct ptx_memory *memory_own(struct vsm_ptx_context *context, uint32_t more)
{
	struct ptx_memory *old = context->memory, *memory;
	uint32_t space = old->space, i;

	if (space - old->count < more)
		space = space ? 2 * space : FIRST_SPACE;
	if (old->refs == 1 && space == old->space)
		return old;
	memory = malloc(sizeof(*memory) + space * sizeof(memory->items[0]));
	if (!memory)
		return NULL;
	memory->refs = 1;
	memory->count = old->count;
	memory->space = space;
	for (i = 0; i < old->count; i++) {
		old->items[i].storage->refs++;
		memory->items[i] = old->items[i];
	}
	memory_unref(old);
	context->memory = memory;
	return memory;
}

const struct ptx_allocation *ptx_memory_nearest(const struct ptx_memory *memory,
						uint64_t address)
{
	uint32_t low = 0, high = memory->count;
	const struct ptx_allocation *below, *above;

	/* Find the first allocation that begins above the address. */
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (memory->items[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	below = low ? &memory->items[low - 1] : NULL;
	above = low < memory->count ? &memory->items[low] : NULL;
	if (!below || !above)
		return below ? below : above;
	if (address < below->address + below->size)
		return below;
	return address - (below->address + below->size) < above->address - address ? below : above;
}

const struct ptx_allocation *ptx_memory_find(const struct ptx_memory *memory, uint64_t address)
{
	const struct ptx_allocation *nearest = ptx_memory_nearest(memory, address);

	/* An address below the allocation gives a number that is above every size. */
	return nearest && address - nearest->address < nearest->size ? nearest : NULL;
}

/* --- allocation --------------------------------------------------------------------- */

/*
 * The context opens a buffer of the caller once more. The caller may then destroy it, even while a
 * launch uses it.
 */
static int open_again(struct vsm_ptx_context *context, struct vsm_buffer *buffer,
		      struct vsm_buffer **again)
{
	int err, dmabuf;

	err = vsm_buffer_export(buffer, &dmabuf);
	if (err)
		return err;
	err = vsm_buffer_import(context->device, dmabuf, again);
	close(dmabuf);
	return err;
}

/* @buffer is one of the caller; NULL for new memory. */
static int storage_init(struct vsm_ptx_context *context, struct ptx_storage *storage,
			struct vsm_buffer *buffer, uint64_t size, const char *name)
{
	int err = 0;

	storage->refs = 1;
	if (name) {
		storage->name = strdup(name);
		if (!storage->name)
			return -ENOMEM;
	}
	if (!context->device) {
		storage->host = calloc(1, size);
		return storage->host ? 0 : -ENOMEM;
	}
	if (buffer)
		err = open_again(context, buffer, &storage->buffer);
	else
		err = vsm_buffer_create(context->device, size, &storage->buffer);
	if (err)
		return err;
	storage->host = vsm_buffer_map(storage->buffer);
	return storage->host ? 0 : -ENOMEM;
}

static int memory_insert(struct vsm_ptx_context *context, struct ptx_allocation *allocation)
{
	struct ptx_memory *memory;

	if (LAST_ADDRESS - context->next < allocation->size + GAP + ALIGNMENT)
		return -ENOSPC;
	memory = memory_own(context, 1);
	if (!memory)
		return -ENOMEM;
	allocation->address = context->next;
	/* Addresses only grow, so that the new allocation is the last one. */
	memory->items[memory->count++] = *allocation;
	context->next = (allocation->address + allocation->size + GAP + ALIGNMENT - 1) &
			~(uint64_t)(ALIGNMENT - 1);
	return 0;
}

static int allocate(struct vsm_ptx_context *context, struct ptx_allocation allocation,
		    struct vsm_buffer *buffer, uint64_t *address)
{
	struct ptx_storage *storage;
	int err;

	if (!allocation.size)
		return -EINVAL;
	if (allocation.size > LAST_ADDRESS)
		return -ENOSPC;
	storage = calloc(1, sizeof(*storage));
	if (!storage)
		return -ENOMEM;
	err = storage_init(context, storage, buffer, allocation.size, allocation.name);
	if (err)
		goto free;
	allocation.storage = storage;
	allocation.host = storage->host;
	allocation.name = storage->name;
	if (storage->buffer)
		allocation.handle = vsm_buffer_handle(storage->buffer);
	pthread_mutex_lock(&context->lock);
	err = memory_insert(context, &allocation);
	pthread_mutex_unlock(&context->lock);
	if (err)
		goto free;
	*address = allocation.address;
	return 0;

free:
	storage_free(storage);
	return err;
}

/* Like vsm_ptx_memory_alloc(), for variables of the module @owner. */
static int ptx_memory_add(struct vsm_ptx_context *context, uint64_t size, bool read_only,
			  const char *name, const void *owner, uint64_t *address)
{
	return allocate(context, (struct ptx_allocation){
		.size = size, .read_only = read_only, .name = name, .owner = owner,
	}, NULL, address);
}

int vsm_ptx_memory_alloc(struct vsm_ptx_context *context, uint64_t size, uint64_t *address)
{
	return allocate(context, (struct ptx_allocation){ .size = size }, NULL, address);
}

int vsm_ptx_memory_import(struct vsm_ptx_context *context, struct vsm_buffer *buffer,
			  uint64_t *address)
{
	if (!context->device)
		return -EINVAL;
	return allocate(context, (struct ptx_allocation){ .size = vsm_buffer_size(buffer) },
			buffer, address);
}

int vsm_ptx_memory_free(struct vsm_ptx_context *context, uint64_t address)
{
	const struct ptx_allocation *found;
	struct ptx_memory *memory;
	int err = -ENOENT;
	uint32_t at;

	pthread_mutex_lock(&context->lock);
	found = ptx_memory_find(context->memory, address);
	if (found && found->address == address) {
		at = found - context->memory->items;
		memory = memory_own(context, 0);
		err = memory ? 0 : -ENOMEM;
	}
	if (!err) {
		storage_put(memory->items[at].storage);
		memory->count--;
		memmove(&memory->items[at], &memory->items[at + 1],
			(memory->count - at) * sizeof(memory->items[0]));
	}
	pthread_mutex_unlock(&context->lock);
	return err;
}

/*
 * Like vsm_ptx_memory_free(), for all variables of the module @owner. If a launch uses them and no
 * memory is left for a new list, they stay until the context is destroyed.
 */
static void ptx_memory_remove(struct vsm_ptx_context *context, const void *owner)
{
	struct ptx_memory *memory;
	uint32_t i, kept = 0;

	pthread_mutex_lock(&context->lock);
	memory = memory_own(context, 0);
	for (i = 0; memory && i < memory->count; i++) {
		if (memory->items[i].owner == owner)
			storage_put(memory->items[i].storage);
		else
			memory->items[kept++] = memory->items[i];
	}
	if (memory)
		memory->count = kept;
	pthread_mutex_unlock(&context->lock);
}

void *vsm_ptx_memory_map(struct vsm_ptx_context *context, uint64_t address, uint64_t size)
{
	const struct ptx_allocation *allocation;
	void *host = NULL;

	pthread_mutex_lock(&context->lock);
	allocation = ptx_memory_find(context->memory, address);
	if (allocation && size <= allocation->size - (address - allocation->address))
		host = allocation->host + (address - allocation->address);
	pthread_mutex_unlock(&context->lock);
	return host;
}

const struct vsm_buffer *vsm_ptx_memory_buffer(struct vsm_ptx_context *context, uint64_t address,
					       uint64_t *offset)
{
	const struct vsm_buffer *buffer = NULL;
	const struct ptx_allocation *allocation;

	pthread_mutex_lock(&context->lock);
	allocation = ptx_memory_find(context->memory, address);
	if (allocation && allocation->storage->buffer) {
		buffer = allocation->storage->buffer;
		*offset = address - allocation->address;
	}
	pthread_mutex_unlock(&context->lock);
	return buffer;
}

/* --- contexts ------------------------------------------------------------- */

int vsm_ptx_context_create(struct vsm_device *device, struct vsm_ptx_context **context)
{
	struct vsm_ptx_context *c = calloc(1, sizeof(*c));

	if (!c)
		return -ENOMEM;
	c->memory = calloc(1, sizeof(*c->memory));
	if (!c->memory) {
		free(c);
		return -ENOMEM;
	}
	c->memory->refs = 1;
	c->device = device;
	c->next = PTX_GLOBAL_BASE;
	pthread_mutex_init(&c->lock, NULL);
	*context = c;
	return 0;
}

void vsm_ptx_context_destroy(struct vsm_ptx_context *context)
{
	if (!context)
		return;
	while (context->modules)
		vsm_ptx_module_unload(context->modules);
	ptx_memory_put(context, context->memory);
	ptx_heap_destroy(context->heap);
	pthread_mutex_destroy(&context->lock);
	free(context);
}

int ptx_context_need_heap(struct vsm_ptx_context *context)
{
	struct ptx_heap *heap;
	uint64_t address;
	bool exists;
	int err;

	pthread_mutex_lock(&context->lock);
	exists = context->heap;
	pthread_mutex_unlock(&context->lock);
	if (exists)
		return 0;
	err = vsm_ptx_memory_alloc(context, PTX_HEAP_BYTES, &address);
	if (err)
		return err;
	heap = ptx_heap_create(address);
	/* Another launch may have been faster. */
	pthread_mutex_lock(&context->lock);
	exists = context->heap;
	if (!exists)
		context->heap = heap;
	pthread_mutex_unlock(&context->lock);
	if (exists || !heap)
		vsm_ptx_memory_free(context, address);
	if (exists)
		ptx_heap_destroy(heap);
	return exists || heap ? 0 : -ENOMEM;
}

/* --- modules -------------------------------------------------------------- */

/* --- variables ---------------------------------------------------------------------- */

static bool has_memory(const struct ptx_variable *var)
{
	return (var->space == SPACE_GLOBAL || var->space == SPACE_CONST) && var->size;
}

/* Writes the address of a symbol into the initialiser of a variable. */
static void relocate(const struct ptx_module *module, const struct ptx_variable *var,
		     const struct ptx_reloc *reloc, uint8_t *host)
{
	uint64_t address = reloc->addend;

	/* An address in global or constant memory is the same as the generic address. */
	if (reloc->var)
		address += reloc->var->address;
	if (reloc->function)
		address += ptx_function_address(module, reloc->function);
	address >>= reloc->shift;
	if (reloc->offset <= var->size && reloc->size <= var->size - reloc->offset)
		memcpy(host + reloc->offset, &address, reloc->size);
}

static int load_variables(struct vsm_ptx_module *module)
{
	struct ptx_module *text = module->module;
	unsigned int i, j;
	int err;

	for (i = 0; i < text->variable_count; i++) {
		struct ptx_variable *var = text->variables[i];

		if (!has_memory(var))
			continue;
		err = ptx_memory_add(module->context, var->size, var->space == SPACE_CONST,
				     var->name, module, &var->address);
		if (err)
			return err;
	}
	/* All addresses are known only now. */
	for (i = 0; i < text->variable_count; i++) {
		struct ptx_variable *var = text->variables[i];
		uint8_t *host;

		if (!has_memory(var) || !var->init)
			continue;
		host = vsm_ptx_memory_map(module->context, var->address, var->size);
		memcpy(host, var->init, var->size);
		for (j = 0; j < var->reloc_count; j++)
			relocate(text, var, &var->relocs[j], host);
	}
	return 0;
}

int vsm_ptx_module_variable(const struct vsm_ptx_module *module, const char *name,
			    uint64_t *address, uint64_t *size)
{
	const struct ptx_module *text = module->module;
	unsigned int i;

	for (i = 0; i < text->variable_count; i++) {
		if (!has_memory(text->variables[i]) || strcmp(text->variables[i]->name, name))
			continue;
		*address = text->variables[i]->address;
		*size = text->variables[i]->size;
		return 0;
	}
	return -ENOENT;
}

/* --- loading ------------------------------------------------------------------------ */

static int load_kernels(struct vsm_ptx_module *module)
{
	const struct ptx_module *text = module->module;
	unsigned int i;

	module->kernels = calloc(text->function_count + 1, sizeof(*module->kernels));
	module->programs = calloc(text->function_count + 1, sizeof(*module->programs));
	if (!module->kernels || !module->programs)
		return -ENOMEM;
	for (i = 0; i < text->function_count; i++) {
		uint32_t bytes;

		if (!text->functions[i]->entry || !text->functions[i]->defined)
			continue;
		/* The offsets of parameters are needed before the kernel is decoded. */
		ptx_lay_out_function(text->functions[i], &bytes);
		module->kernels[module->kernel_count++] = text->functions[i];
	}
	return 0;
}

static int module_create(struct vsm_ptx_context *context, struct ptx_module *text,
			 struct vsm_ptx_module **module)
{
	struct vsm_ptx_module *m = calloc(1, sizeof(*m));
	int err;

	if (!m) {
		ptx_module_free(text);
		return -ENOMEM;
	}
	m->context = context;
	m->refs = 1;
	pthread_mutex_init(&m->build_lock, NULL);
	m->module = text;
	pthread_mutex_lock(&context->lock);
	m->next = context->modules;
	context->modules = m;
	pthread_mutex_unlock(&context->lock);
	err = load_kernels(m);
	if (!err)
		err = load_variables(m);
	if (err)
		vsm_ptx_module_unload(m);
	else
		*module = m;
	return err;
}

int vsm_ptx_module_load(struct vsm_ptx_context *context, const char *path, const char *text,
			size_t size, struct vsm_ptx_module **module, char **messages)
{
	struct ptx_messages errors = { };
	struct ptx_module *parsed;
	int err;

	err = ptx_module_parse(path, text, size, &parsed, &errors);
	if (!err)
		err = module_create(context, parsed, module);
	if (err == -EINVAL && messages) {
		*messages = errors.text;
		return err;
	}
	free(errors.text);
	return err;
}

void ptx_module_get(struct vsm_ptx_module *module)
{
	pthread_mutex_lock(&module->context->lock);
	module->refs++;
	pthread_mutex_unlock(&module->context->lock);
}

void ptx_module_put(struct vsm_ptx_module *module)
{
	bool last;
	uint32_t i;

	pthread_mutex_lock(&module->context->lock);
	last = !--module->refs;
	pthread_mutex_unlock(&module->context->lock);
	if (!last)
		return;
	for (i = 0; i < module->kernel_count; i++)
		ptx_program_free(module->programs[i]);
	ptx_module_free(module->module);
	pthread_mutex_destroy(&module->build_lock);
	free(module->programs);
	free(module->kernels);
	free(module);
}

/* The context forgets the module. */
static void forget(struct vsm_ptx_module *module)
{
	struct vsm_ptx_context *context = module->context;
	struct vsm_ptx_module **at = &context->modules;

	pthread_mutex_lock(&context->lock);
	while (*at != module)
		at = &(*at)->next;
	*at = module->next;
	pthread_mutex_unlock(&context->lock);
}

void vsm_ptx_module_unload(struct vsm_ptx_module *module)
{
	if (!module)
		return;
	forget(module);
	/* Launches that use the variables keep their memory. */
	ptx_memory_remove(module->context, module);
	ptx_module_put(module);
}

int ptx_module_program(struct vsm_ptx_module *module, uint32_t kernel,
		       struct ptx_program **program, struct ptx_messages *messages)
{
	int err = 0;

	pthread_mutex_lock(&module->build_lock);
	if (!module->programs[kernel])
		err = ptx_program_build(module->module, module->kernels[kernel],
					&module->programs[kernel], messages);
	*program = module->programs[kernel];
	pthread_mutex_unlock(&module->build_lock);
	return err;
}

/* --- kernels ------------------------------------------------------------------------ */

uint32_t ptx_kernel_param_bytes(const struct ptx_function *kernel)
{
	const struct ptx_variable *last;

	if (!kernel->param_count)
		return 0;
	last = &kernel->params[kernel->param_count - 1];
	return last->address + last->size;
}

uint32_t vsm_ptx_kernel_count(const struct vsm_ptx_module *module)
{
	return module->kernel_count;
}

/*
 * The program knows the shared memory of the kernel and of its functions. If the kernel cannot be
 * executed there is no program, and only what the kernel itself declares is known.
 */
static int describe_shared(struct vsm_ptx_module *module, uint32_t index,
			   struct vsm_ptx_kernel *kernel)
{
	const struct ptx_function *function = module->kernels[index];
	struct ptx_messages refused = { };
	struct ptx_program *program;
	unsigned int i;
	int err;

	err = ptx_module_program(module, index, &program, &refused);
	free(refused.text);
	if (!err) {
		kernel->smem_bytes = program->shared_bytes;
		kernel->dynamic_smem = program->dynamic;
		return 0;
	}
	for (i = 0; i < function->local_count; i++)
		if (function->locals[i]->space == SPACE_SHARED)
			kernel->smem_bytes += function->locals[i]->size;
	return err == -EOPNOTSUPP ? 0 : err;
}

int vsm_ptx_kernel_info(const struct vsm_ptx_module *module, uint32_t index,
			struct vsm_ptx_kernel *kernel)
{
	struct vsm_ptx_kernel full = { };
	const struct ptx_function *function;
	int err;

	if (index >= module->kernel_count)
		return -ENOENT;
	function = module->kernels[index];
	full.name = function->name;
	full.param_count = function->param_count;
	full.param_size = ptx_kernel_param_bytes(function);
	memcpy(full.maxntid, function->maxntid, sizeof(full.maxntid));
	memcpy(full.reqntid, function->reqntid, sizeof(full.reqntid));
	memcpy(full.reqnctapercluster, function->reqnctapercluster,
	       sizeof(full.reqnctapercluster));
	ptx_module_get((struct vsm_ptx_module *)module);
	err = describe_shared((struct vsm_ptx_module *)module, index, &full);
	ptx_module_put((struct vsm_ptx_module *)module);
	if (err)
		return err;
	*kernel = full;
	return 0;
}

int vsm_ptx_kernel_check(struct vsm_ptx_module *module, uint32_t kernel, char **messages)
{
	struct ptx_messages refused = { };
	struct ptx_program *program;
	int err;

	if (messages)
		*messages = NULL;
	if (kernel >= module->kernel_count)
		return -ENOENT;
	err = ptx_module_program(module, kernel, &program, &refused);
	if (err == -EOPNOTSUPP && messages)
		*messages = refused.text;
	else
		free(refused.text);
	return err;
}

int vsm_ptx_kernel_find(const struct vsm_ptx_module *module, const char *name, uint32_t *index)
{
	uint32_t i;

	for (i = 0; i < module->kernel_count; i++) {
		if (!strcmp(module->kernels[i]->name, name)) {
			*index = i;
			return 0;
		}
	}
	return -ENOENT;
}

int vsm_ptx_kernel_param(const struct vsm_ptx_module *module, uint32_t kernel, uint32_t index,
			 struct vsm_ptx_param *param)
{
	const struct ptx_variable *var;

	if (kernel >= module->kernel_count || index >= module->kernels[kernel]->param_count)
		return -ENOENT;
	var = &module->kernels[kernel]->params[index];
	param->name = var->name;
	param->type = ptx_type_name(var->type);
	param->offset = var->address;
	param->size = var->size;
	param->align = var->align;
	return 0;
}
