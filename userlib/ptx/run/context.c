// SPDX-License-Identifier: MIT
/*
 * Contexts.
 */
#include <errno.h>
#include <stdlib.h>

#include "code/steps.h"
#include "run/memory.h"
#include "vsm_ptx.h"

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
	pthread_mutex_destroy(&context->lock);
	free(context);
}
