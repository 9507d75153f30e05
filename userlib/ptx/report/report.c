// SPDX-License-Identifier: MIT
/*
 * Makes the report of a fault or hang.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/parts.h"
#include "vsm_syntax.h"

/* --- faults ------------------------------------------------------------------------- */

static void report_what(FILE *out, const struct vsm_ptx_launch *launch)
{
	const struct ptx_fault *fault = &launch->fault;
	char text[512];

	switch (fault->failure) {
	case FAILURE_DEVICE:
	case FAILURE_ASYNC:
		vsm_fault_message(launch->module->module->target >= 90 ? VSM_LAYOUT_SM_90
								       : VSM_LAYOUT_SM_80,
				  fault->rank, &fault->insn, text, sizeof(text));
		fprintf(out, "%s: %s%s\n", vsm_fault_name(fault->insn.fault), text,
			fault->failure == FAILURE_ASYNC ? " (found when the operation completed)"
							: "");
		break;
	case FAILURE_PROGRAM:
		fprintf(out, "%s\n", fault->text);
		break;
	default:
		fprintf(out, "%s\n", strerror(-fault->error));
		break;
	}
}

static void report_fault(FILE *out, const struct vsm_ptx_launch *launch)
{
	const struct ptx_fault *fault = &launch->fault;
	const uint32_t *block = launch->config.block;
	uint32_t thread = fault->warp * PTX_LANES + fault->lane;
	char lanes[BITS_SIZE];

	report_what(out, launch);
	if (fault->step < 0 && fault->failure != FAILURE_ASYNC)
		return;
	if (fault->step >= 0) {
		fprintf(out, "  at ");
		ptx_report_place(out, launch, fault->step);
	}
	if (fault->failure == FAILURE_DEVICE || fault->failure == FAILURE_ASYNC || fault->gone)
		ptx_report_context(out, launch);
	fprintf(out, "  kernel %s, CTA (%u,%u,%u)", launch->program->kernel->name, fault->ctaid[0],
		fault->ctaid[1], fault->ctaid[2]);
	if (launch->cluster_ctas > 1)
		fprintf(out, " with rank %u in its cluster", fault->rank);
	fprintf(out, ", thread (%u,%u,%u), warp %u, lane %u", thread % block[0],
		thread / block[0] % block[1], thread / block[0] / block[1], fault->warp,
		fault->lane);
	if (fault->lanes != 1u << fault->lane)
		fprintf(out, " (%s executed it)", bits_text(lanes, "lane", fault->lanes));
	fprintf(out, "\n");
	if (launch->config.seed)
		fprintf(out, "  seed %llu\n", (unsigned long long)launch->config.seed);
}

const char *vsm_ptx_launch_report(const struct vsm_ptx_launch *launch)
{
	struct vsm_ptx_launch *l = (struct vsm_ptx_launch *)launch;
	size_t size;
	FILE *out;

	pthread_mutex_lock(&l->lock);
	if (!l->report && !l->running && l->fault.failure) {
		out = open_memstream(&l->report, &size);
		if (out) {
			if (l->fault.failure == FAILURE_DEADLOCK ||
			    l->fault.failure == FAILURE_TIME)
				ptx_report_hang(out, l);
			else
				report_fault(out, l);
			fclose(out);
		}
	}
	pthread_mutex_unlock(&l->lock);
	return l->report ? l->report : "";
}
