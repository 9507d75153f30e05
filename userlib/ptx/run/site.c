// SPDX-License-Identifier: MIT
/*
 * What events name: instructions, and variables in shared memory.
 */
#include <errno.h>
#include <string.h>

#include "run/site.h"
#include "run/sized.h"
#include "vsm_syntax.h"

bool ptx_site_of(const struct vsm_ptx_launch *launch, uint32_t step, struct vsm_ptx_site *site)
{
	const struct ptx_module *module = launch->module->module;
	const struct ptx_insn *insn = NULL;
	const struct ptx_inlined *outermost;

	memset(site, 0, sizeof(*site));
	if (step < launch->program->step_count)
		insn = launch->program->steps[step].insn;
	if (!insn)
		return false;
	outermost = ptx_outermost(&insn->place);
	site->line = insn->place.line;
	site->source_line = outermost ? outermost->line : insn->place.source_line;
	site->source_file = ptx_module_file(module, outermost ? outermost->file
							      : insn->place.file);
	if (outermost) {
		site->inlined_line = insn->place.source_line;
		site->inlined_file = ptx_module_file(module, insn->place.file);
	}
	site->insn_length = insn->opcode.length;
	site->insn = insn->opcode.text;
	return true;
}

int vsm_ptx_launch_site_sized(const struct vsm_ptx_launch *launch, uint32_t number,
			      struct vsm_ptx_site *site, size_t size)
{
	struct vsm_ptx_site full;

	if (!number || !ptx_site_of(launch, number - 1, &full))
		return -ENOENT;
	ptx_struct_copy(site, size, &full, sizeof(full));
	return 0;
}

int vsm_ptx_launch_shared_sized(const struct vsm_ptx_launch *launch, uint32_t index,
				struct vsm_ptx_shared *shared, size_t size)
{
	const struct ptx_shared *variable;
	struct vsm_ptx_shared full = { };
	struct span name;

	if (index >= launch->program->shared_count)
		return -ENOENT;
	variable = &launch->program->shared[index];
	name = symbol_name(variable->var->name);
	full.offset = variable->offset;
	/* Dynamic shared memory is declared without a size. */
	full.size = variable->var->size ? variable->var->size
					: launch->window_bytes - variable->offset;
	full.stride = ptx_is_mbarriers(variable) ? sizeof(uint64_t) : 0;
	full.name_length = name.length;
	full.name = name.text;
	ptx_struct_copy(shared, size, &full, sizeof(full));
	return 0;
}
