// SPDX-License-Identifier: MIT
/*
 * Modules: loads them, gives their variables memory, and describes their kernels.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "code/function.h"
#include "code/layout.h"
#include "code/program.h"
#include "run/module.h"
#include "run/sized.h"
#include "vsm_ptx.h"

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

int vsm_ptx_kernel_info_sized(const struct vsm_ptx_module *module, uint32_t index,
			      struct vsm_ptx_kernel *kernel, size_t size)
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
	ptx_struct_copy(kernel, size, &full, sizeof(full));
	return 0;
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

int vsm_ptx_kernel_param_sized(const struct vsm_ptx_module *module, uint32_t kernel,
			       uint32_t index, struct vsm_ptx_param *param, size_t size)
{
	const struct ptx_variable *var;
	struct vsm_ptx_param full = { };

	if (kernel >= module->kernel_count || index >= module->kernels[kernel]->param_count)
		return -ENOENT;
	var = &module->kernels[kernel]->params[index];
	full.name = var->name;
	full.type = ptx_type_name(var->type);
	full.offset = var->address;
	full.size = var->size;
	full.align = var->align;
	ptx_struct_copy(param, size, &full, sizeof(full));
	return 0;
}
