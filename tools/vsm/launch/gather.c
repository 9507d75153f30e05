// SPDX-License-Identifier: MIT
/*
 * Gathers the events of a launch for --timeline: names what they are about.
 */
#include <stdlib.h>
#include <string.h>

#include "base.h"
#include "launch/gather.h"

/**
 * struct launch_names - A launch, and where its instructions are
 * @launch: The launch
 * @module: File name of its module, without the folders
 */
struct launch_names {
	const struct vsm_ptx_launch *launch;
	const char *module;
};

/* Writes "pipeline.cu:37, pipeline.ptx:112", and the opcode there. */
static bool write_site(void *data, uint32_t number, FILE *text, FILE *insn)
{
	const struct launch_names *names = data;
	struct vsm_ptx_site site;

	if (vsm_ptx_launch_site(names->launch, number, &site))
		return false;
	if (site.source_file)
		fprintf(text, "%s:%u", base_name(site.source_file), site.source_line);
	if (site.inlined_file)
		fprintf(text, " (inlined %s:%u)", base_name(site.inlined_file), site.inlined_line);
	fprintf(text, "%s%s:%u", site.source_file ? ", " : "", names->module, site.line);
	fprintf(insn, "%.*s", (int)site.insn_length, site.insn);
	return true;
}

/* Returns the names of the variables in shared memory, whose texts are the caller's too. */
static struct trace_name *name_shared(const struct vsm_ptx_launch *launch, size_t *count)
{
	struct trace_name *names = NULL;
	struct vsm_ptx_shared shared;

	for (*count = 0; !vsm_ptx_launch_shared(launch, *count, &shared); ++*count) {
		names = must(reallocarray(names, *count + 1, sizeof(*names)));
		names[*count] = (struct trace_name){
			.offset = shared.offset,
			.size = shared.size,
			.stride = shared.stride,
			.text = must(strndup(shared.name, shared.name_length)),
		};
	}
	return names;
}

void gather_launch(struct gather *gather, const struct vsm_ptx_launch *launch, const char *module,
		   const char *report)
{
	const struct vsm_cluster_config shape = vsm_ptx_launch_shape(launch);
	struct launch_names names = { .launch = launch, .module = base_name(module) };
	struct gather_program program = {
		.shape = {
			.ctas = shape.ctas,
			.threads = shape.threads,
			.layout = shape.layout,
			.policy = shape.policy,
		},
		.site = write_site,
		.data = &names,
	};
	struct trace_name *shared = name_shared(launch, &program.name_count);
	size_t i;

	program.names = shared;
	gather_end_program(gather, &program, report);
	for (i = 0; i < program.name_count; i++)
		free(shared[i].text);
	free(shared);
}
