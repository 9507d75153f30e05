// SPDX-License-Identifier: MIT
/*
 * Gathers the events of a scenario for --timeline, and names what they are about.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base.h"
#include "run/gather.h"

/* The site of an instruction or job of a scenario is its line. */
static bool write_line(void *data, uint32_t line, FILE *text, FILE *insn)
{
	const struct scenario *scenario = data;

	(void)insn;
	fprintf(text, "%s:%" PRIu32, base_name(scenario->path), line);
	return true;
}

/* A symbol has the memory up to the next one. */
static uint32_t symbol_size(const struct scenario *scenario, uint64_t offset)
{
	uint64_t end = scenario->config.smem_bytes;
	size_t i;

	for (i = 0; i < scenario->symbols.count; i++)
		if (scenario->symbol_offsets[i] > offset && scenario->symbol_offsets[i] < end)
			end = scenario->symbol_offsets[i];
	return end - offset;
}

/* Returns what the scenario has reported, one failure in each line. */
static char *report_of(const struct scenario *scenario, const struct result *result)
{
	char *text = NULL;
	size_t size, i;
	FILE *out = must(open_memstream(&text, &size));

	for (i = 0; i < result->failure_count; i++) {
		fprintf(out, "%s:", scenario->path);
		if (result->failures[i].line)
			fprintf(out, "%u:", result->failures[i].line);
		fprintf(out, " %s\n", result->failures[i].message);
	}
	if (fclose(out))
		must(NULL);
	return text;
}

void gather_scenario(struct gather *gather, const struct scenario *scenario,
		     const struct recording *recording, const struct result *result)
{
	struct gather_program program = {
		.shape = {
			.ctas = scenario->config.ctas,
			.threads = scenario->config.threads,
			.layout = scenario->config.layout,
			.policy = scenario->config.policy,
		},
		.site = write_line,
		.data = (void *)scenario,
		.name_count = scenario->symbols.count,
	};
	struct trace_name *names = must(calloc(program.name_count + 1, sizeof(*names)));
	char *report = report_of(scenario, result);
	size_t i;

	for (i = 0; i < program.name_count; i++)
		names[i] = (struct trace_name){
			.offset = scenario->symbol_offsets[i],
			.size = symbol_size(scenario, scenario->symbol_offsets[i]),
			.text = scenario->symbols.names[i],
		};
	program.names = names;
	gather_events(gather, recording->events, recording->count, recording->lost);
	gather_end_program(gather, &program, report);
	free(report);
	free(names);
}
