// SPDX-License-Identifier: MIT
/*
 * Creates, extends and frees plans.
 */
#include <stdlib.h>
#include <string.h>

#include "base.h"
#include "launch/plan.h"

struct plan *plan_create(const char *path)
{
	struct plan *plan = must(calloc(1, sizeof(*plan)));

	plan->path = must(strdup(path));
	return plan;
}

static void launch_free(struct plan_launch *launch)
{
	size_t i;

	for (i = 0; i < launch->expect.text_count; i++)
		free(launch->expect.texts[i]);
	free(launch->expect.texts);
	free(launch->expect.file);
	for (i = 0; i < launch->arg_count; i++)
		free(launch->args[i].members);
	free(launch->args);
	free(launch->kernel);
}

void plan_free(struct plan *plan)
{
	size_t i;

	if (!plan)
		return;
	for (i = 0; i < plan->step_count; i++) {
		if (plan->steps[i].kind == STEP_LAUNCH)
			launch_free(&plan->steps[i].launch);
		else
			free(plan->steps[i].output.file);
	}
	for (i = 0; i < plan->buffer_names.count; i++)
		free(plan->buffers[i].bytes);
	names_free(&plan->buffer_names);
	names_free(&plan->tensor_names);
	free(plan->buffers);
	free(plan->tensors);
	free(plan->steps);
	free(plan->text);
	free(plan->module);
	free(plan->folder);
	free(plan->path);
	free(plan);
}

struct plan_buffer *plan_add_buffer(struct plan *plan, struct span name)
{
	size_t count = plan->buffer_names.count;

	plan->buffers = grow(plan->buffers, count, sizeof(*plan->buffers));
	plan->buffers[count] = (struct plan_buffer){ };
	names_add(&plan->buffer_names, name);
	return &plan->buffers[count];
}

struct plan_tensor *plan_add_tensor(struct plan *plan, struct span name, unsigned int line)
{
	size_t count = plan->tensor_names.count;

	plan->tensors = grow(plan->tensors, count, sizeof(*plan->tensors));
	plan->tensors[count] = (struct plan_tensor){ .line = line };
	names_add(&plan->tensor_names, name);
	return &plan->tensors[count];
}

struct plan_step *plan_add_step(struct plan *plan, enum step_kind kind, unsigned int line)
{
	struct plan_step *step;

	plan->steps = grow(plan->steps, plan->step_count, sizeof(*plan->steps));
	step = &plan->steps[plan->step_count++];
	*step = (struct plan_step){ .kind = kind, .line = line };
	if (kind == STEP_LAUNCH) {
		step->launch.expect.outcome = VSM_PTX_DONE;
		plan->launch_count++;
	}
	return step;
}

struct plan_arg *plan_add_arg(struct plan_launch *launch)
{
	struct plan_arg *arg;

	launch->args = grow(launch->args, launch->arg_count, sizeof(*launch->args));
	arg = &launch->args[launch->arg_count++];
	*arg = (struct plan_arg){ };
	return arg;
}

struct plan_arg *plan_add_member(struct plan_arg *arg)
{
	struct plan_arg *member;

	arg->members = grow(arg->members, arg->member_count, sizeof(*arg->members));
	member = &arg->members[arg->member_count++];
	*member = (struct plan_arg){ .line = arg->line, .column = arg->column };
	return member;
}

size_t plan_member_size(const struct plan_arg *member)
{
	return member->kind == ARG_NUMBER ? member->type->bytes : sizeof(uint64_t);
}

struct plan_launch *plan_last_launch(struct plan *plan)
{
	size_t i;

	for (i = plan->step_count; i--;)
		if (plan->steps[i].kind == STEP_LAUNCH)
			return &plan->steps[i].launch;
	return NULL;
}
