// SPDX-License-Identifier: MIT
/*
 * Names places, threads and variables in reports.
 */
#include <string.h>

#include "report/parts.h"
#include "run/address.h"
#include "vsm_syntax.h"

/* --- places ------------------------------------------------------------------------- */

static const struct ptx_insn *find_insn(const struct vsm_ptx_launch *launch, int64_t step)
{
	return step < 0 || step >= launch->program->step_count ? NULL
							      : launch->program->steps[step].insn;
}

/* The name of a file without its folders; NULL if it is not known. */
static const char *base_name(const struct vsm_ptx_launch *launch, int32_t file)
{
	const char *path = ptx_module_file(launch->module->module, file);
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash ? slash + 1 : path;
}

/*
 * Writes "SOURCE:LINE". For inlined functions this is the outermost call, which is usually in the
 * user's own file. Returns false if it is not known.
 */
static bool report_source(FILE *out, const struct vsm_ptx_launch *launch,
			  const struct ptx_place *place)
{
	const struct ptx_inlined *outermost = ptx_outermost(place);
	const char *path = ptx_module_file(launch->module->module,
					   outermost ? outermost->file : place->file);

	if (!path)
		return false;
	fprintf(out, "%s:%u", path, outermost ? outermost->line : place->source_line);
	return true;
}

/* Writes the calls from behind the outermost one down to @inlined, each followed by a comma. */
static void report_calls(FILE *out, const struct vsm_ptx_launch *launch,
			 const struct ptx_inlined *inlined)
{
	const struct ptx_inlined *calls[PTX_MAX_INLINED];
	unsigned int count = 0;

	for (; inlined->outer; inlined = inlined->outer)
		calls[count++] = inlined;
	while (count--) {
		const char *name = base_name(launch, calls[count]->file);

		if (name)
			fprintf(out, "%s:%u, ", name, calls[count]->line);
	}
}

void ptx_report_place(FILE *out, const struct vsm_ptx_launch *launch, int64_t step)
{
	const struct ptx_insn *insn = find_insn(launch, step);
	const char *name;

	if (!insn) {
		fprintf(out, "\n");
		return;
	}
	if (report_source(out, launch, &insn->place))
		fprintf(out, ", ");
	fprintf(out, "%s:%u: %.*s\n", launch->module->module->path, insn->place.line,
		(int)insn->opcode.length, insn->opcode.text);
	name = base_name(launch, insn->place.file);
	if (!insn->place.inlined || !name)
		return;
	fprintf(out, "  inlined there: ");
	report_calls(out, launch, insn->place.inlined);
	fprintf(out, "%s:%u\n", name, insn->place.source_line);
}

void ptx_report_line(FILE *out, const struct vsm_ptx_launch *launch, int64_t step)
{
	const struct ptx_insn *insn = find_insn(launch, step);
	const char *name;

	if (!insn) {
		fprintf(out, "the end of the kernel");
		return;
	}
	if (!report_source(out, launch, &insn->place)) {
		fprintf(out, "PTX line %u (%.*s)", insn->place.line, (int)insn->opcode.length,
			insn->opcode.text);
		return;
	}
	name = base_name(launch, insn->place.file);
	if (insn->place.inlined && name)
		fprintf(out, " (inlined %s:%u)", name, insn->place.source_line);
	fprintf(out, ", PTX line %u", insn->place.line);
}

/* --- threads ------------------------------------------------------------------------ */

void ptx_report_cta(FILE *out, const struct ptx_cluster *cluster, uint32_t rank)
{
	const uint32_t *ctaid = cluster->ctas[rank].ctaid;

	fprintf(out, "CTA (%u,%u,%u)", ctaid[0], ctaid[1], ctaid[2]);
}

bool ptx_report_threads(FILE *out, const struct ptx_cluster *cluster, uint32_t rank,
			const uint32_t lanes[PTX_LANES])
{
	uint32_t all[PTX_LANES], warp;
	bool one;

	for (warp = 0; warp < PTX_LANES; warp++)
		all[warp] = ptx_warp_all_lanes(cluster->launch, warp);
	one = ptx_phrase_threads(out, lanes, all);
	fprintf(out, " of ");
	ptx_report_cta(out, cluster, rank);
	return one;
}

bool ptx_report_lanes(FILE *out, const struct ptx_cluster *cluster, uint32_t rank, uint32_t warp,
		      uint32_t lanes)
{
	uint32_t masks[PTX_LANES] = { };

	masks[warp % PTX_LANES] = lanes;
	return ptx_report_threads(out, cluster, rank, masks);
}

/* --- variables ---------------------------------------------------------------------- */

static void report_symbol(FILE *out, const char *symbol)
{
	struct span name = symbol_name(symbol);

	fprintf(out, "%.*s", (int)name.length, name.text);
}

void ptx_report_variable(FILE *out, const struct ptx_cluster *cluster, uint32_t address)
{
	uint32_t offset = ptx_offset_of(address);
	const struct ptx_shared *shared = ptx_shared_at(cluster->launch->program, offset);
	uint32_t in;

	if (!shared) {
		fprintf(out, "the mbarrier");
		return;
	}
	in = offset - shared->offset;
	report_symbol(out, shared->var->name);
	if (ptx_is_mbarriers(shared) && !(in % 8))
		fprintf(out, "[%u]", in / 8);
	else if (in)
		fprintf(out, "+%u", in);
}

static void report_shared(FILE *out, const struct ptx_cluster *cluster, uint32_t address)
{
	uint32_t offset = ptx_offset_of(address), rank = ptx_rank_of(address);
	const struct ptx_shared *shared = ptx_shared_at(cluster->launch->program, offset);

	fprintf(out, " (");
	if (shared && offset != shared->offset) {
		report_symbol(out, shared->var->name);
		fprintf(out, "+%u", offset - shared->offset);
	} else if (shared) {
		report_symbol(out, shared->var->name);
	} else {
		fprintf(out, "shared memory");
	}
	fprintf(out, " in ");
	ptx_report_cta(out, cluster, rank);
	fprintf(out, ")");
}

static void report_global(FILE *out, const struct ptx_cluster *cluster, uint64_t address)
{
	const struct ptx_allocation *at = ptx_memory_find(cluster->launch->memory, address);

	if (!at || !at->name)
		return;
	fprintf(out, " (");
	report_symbol(out, at->name);
	if (address != at->address)
		fprintf(out, "+%llu", (unsigned long long)(address - at->address));
	fprintf(out, ")");
}

void ptx_report_memory(FILE *out, const struct ptx_cluster *cluster, uint64_t address)
{
	switch (ptx_space_of(address)) {
	case SPACE_SHARED:
		report_shared(out, cluster, address - PTX_SHARED_BASE);
		break;
	case SPACE_LOCAL:
		fprintf(out, " (local memory)");
		break;
	case SPACE_PARAM:
		fprintf(out, " (a parameter)");
		break;
	default:
		report_global(out, cluster, address);
		break;
	}
}
