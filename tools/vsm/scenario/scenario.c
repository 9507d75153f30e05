// SPDX-License-Identifier: MIT
/* A parsed scenario: straight-line PTX with expectations. It is a file or one test of a file. */
#include <stdlib.h>

#include "base.h"
#include "scenario/scenario.h"

struct scenario *scenario_create(const char *path)
{
	struct scenario *s = must(calloc(1, sizeof(*s)));

	s->path = path;
	s->config = (struct vsm_cluster_config){
		.ctas = 1,
		.threads = 32,
		.smem_bytes = 4096,
		.layout = VSM_LAYOUT_SM_90,
		.policy = DRM_VSM_POLICY_STRICT,
	};
	return s;
}

struct statement *scenario_add(struct scenario *s, enum statement_kind kind, unsigned int line)
{
	struct statement *statement;

	s->statements = grow(s->statements, s->count, sizeof(*s->statements));
	statement = &s->statements[s->count++];
	*statement = (struct statement){ .kind = kind, .line = line };
	return statement;
}

void job_free(struct queued *job, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		free(job[i].insn);
	free(job);
}

void scenario_free(struct scenario *s)
{
	size_t i;

	if (!s)
		return;
	for (i = 0; i < s->count; i++) {
		free(s->statements[i].threads);
		free(s->statements[i].insn);
		free(s->statements[i].values);
		free(s->statements[i].bytes);
		free(s->statements[i].tensor);
		job_free(s->statements[i].job, s->statements[i].job_count);
	}
	names_free(&s->buffers);
	names_free(&s->maps);
	names_free(&s->symbols);
	names_free(&s->registers);
	free(s->symbol_offsets);
	free(s->buffer_sizes);
	free(s->statements);
	free(s->threads);
	free(s->errors);
	free(s->name);
	free(s);
}
